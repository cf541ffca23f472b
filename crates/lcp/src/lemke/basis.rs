//! The basis of Lemke's method: which variables are in it, their values, and `B⁻¹`.
//!
//! `B x = b` with columns `e_i` for w_i, `−A_j` for z_j, `−d` for z₀, everything in equilibrated
//! units. A *slot* is a row number that stands for one basic variable: a basic w_i has slot i, the
//! kernel's columns have the slots of the kernel's rows.

mod start;

use crate::linalg::{Submatrix, SubmatrixLu};
use crate::problem::BoxLcp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// w_i.
    Slack(usize),
    /// z_i.
    Unknown(usize),
    /// z₀.
    Artificial,
}

impl Variable {
    pub(super) fn complement(self) -> Self {
        match self {
            Self::Slack(i) => Self::Unknown(i),
            Self::Unknown(i) => Self::Slack(i),
            Self::Artificial => Self::Artificial,
        }
    }
}

/// One pivot: the column that entered, without zeros, and its slot.
#[derive(Clone, Copy, Debug)]
struct Eta {
    slot: usize,
    pivot: f64,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    /// Powers of two; `scale_i (A_ij / A_unit) scale_j` is equilibrated.
    scale: Vec<f64>,
    A_unit: f64,
    /// b in equilibrated units, divided by its largest entry.
    b: Vec<f64>,
    b_unit: f64,
    /// Covering vector in equilibrated units.
    d: Vec<f64>,
    variable: Vec<Variable>,
    is_free: Vec<bool>,
    x: Vec<f64>,
    /// Kernel at the last factorization: its rows, its z columns, whether z₀ is its last column.
    rows: Vec<usize>,
    columns: Vec<usize>,
    has_artificial: bool,
    border: Vec<f64>,
    lu: SubmatrixLu,
    kernel: Vec<f64>,
    residual: Vec<f64>,
    etas: Vec<Eta>,
    eta_row: Vec<u32>,
    eta_value: Vec<f64>,
    factorizations: usize,
    scratch: Vec<f64>,
}

impl Basis {
    /// The unit of z_j.
    fn column_scale(&self, j: usize) -> f64 {
        self.scale[j] / self.A_unit
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.x
    }

    pub(super) fn variable(&self, slot: usize) -> Variable {
        self.variable[slot]
    }

    /// The variable in this slot may have either sign.
    pub(super) fn is_free(&self, slot: usize) -> bool {
        matches!(self.variable[slot], Variable::Unknown(i) if self.is_free[i])
    }

    /// The value of z₀, zero if it is not basic.
    pub(super) fn artificial(&self) -> f64 {
        let slot = self.variable.iter().position(|&v| v == Variable::Artificial);
        slot.map_or(0.0, |slot| self.x[slot])
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.etas.is_empty()
    }

    /// Pivots since the last factorization.
    pub(super) fn age(&self) -> usize {
        self.etas.len()
    }

    pub(super) fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Nothing basic but the free rows is dependent any more.
    pub(super) fn free_rows_are_solvable(&self) -> bool {
        self.lu.dependent().is_empty()
    }

    /// No basic variable is below zero beyond rounding.
    pub(super) fn is_feasible(&self) -> bool {
        self.lowest() >= -1e-13
    }

    /// The lowest value of a variable that must not be negative.
    pub(super) fn lowest(&self) -> f64 {
        let mut lowest = 0.0_f64;
        for (slot, &x_i) in self.x.iter().enumerate() {
            if !self.is_free(slot) {
                if x_i.is_nan() {
                    return f64::NEG_INFINITY;
                }
                lowest = lowest.min(x_i);
            }
        }
        lowest
    }

    /// `y ← B⁻¹ (column of the variable)`: what the basic variables lose per unit of it.
    pub(super) fn direction(&mut self, problem: &BoxLcp, entering: Variable, y: &mut Vec<f64>) {
        y.clear();
        y.resize(problem.n(), 0.0);
        match entering {
            Variable::Slack(i) => y[i] = 1.0,
            Variable::Unknown(j) => {
                let (scale, s_j) = (&self.scale, self.column_scale(j));
                problem.A().for_column(j, |i, a_ij| y[i] = -(scale[i] * a_ij * s_j));
            }
            Variable::Artificial => {
                for (y_i, d_i) in y.iter_mut().zip(&self.d) {
                    *y_i = -d_i;
                }
            }
        }
        self.solve_factored(problem, y);
        for eta in &self.etas {
            let y_r = y[eta.slot] / eta.pivot;
            if y_r != 0.0 {
                let range = eta.start..eta.end;
                for (&i, &v) in self.eta_row[range.clone()].iter().zip(&self.eta_value[range]) {
                    y[i as usize] -= v * y_r;
                }
            }
            y[eta.slot] = y_r;
        }
    }

    /// `y ← B₀⁻¹ y` with the basis B₀ of the last factorization.
    fn solve_factored(&mut self, problem: &BoxLcp, y: &mut [f64]) {
        self.kernel.clear();
        self.kernel.extend(self.rows.iter().map(|&i| -y[i]));
        self.lu.solve(&mut self.kernel);
        for &i in &self.rows {
            y[i] = 0.0;
        }
        // rows with a basic w: what the kernel's columns add to them
        for (&j, &y_j) in self.columns.iter().zip(&self.kernel) {
            if y_j != 0.0 {
                let factor = y_j * self.column_scale(j);
                let scale = &self.scale;
                problem.A().for_column(j, |i, a_ij| y[i] += scale[i] * a_ij * factor);
            }
        }
        if self.has_artificial {
            let y_0 = self.kernel[self.columns.len()];
            if y_0 != 0.0 {
                for (y_i, d_i) in y.iter_mut().zip(&self.d) {
                    *y_i += d_i * y_0;
                }
            }
        }
        for (&slot, &y_j) in self.rows.iter().zip(&self.kernel) {
            y[slot] = y_j;
        }
    }

    /// The entering variable takes the slot; values move by the ratio. Gives what left.
    pub(super) fn exchange(&mut self, entering: Variable, slot: usize, y: &[f64]) -> Variable {
        let step = self.x[slot] / y[slot];
        let step = if entering == Variable::Artificial { step } else { step.max(0.0) };
        let start = self.eta_row.len();
        for (i, &y_i) in y.iter().enumerate() {
            if y_i != 0.0 && i != slot {
                self.x[i] -= step * y_i;
                self.eta_row.push(i as u32);
                self.eta_value.push(y_i);
            }
        }
        self.x[slot] = step;
        let end = self.eta_row.len();
        self.etas.push(Eta { slot, pivot: y[slot], start, end });
        std::mem::replace(&mut self.variable[slot], entering)
    }

    /// Factors the kernel anew and recomputes the values. False if it is singular.
    pub(super) fn refactor(&mut self, problem: &BoxLcp) -> bool {
        let n = problem.n();
        self.etas.clear();
        self.eta_row.clear();
        self.eta_value.clear();
        self.factorizations += 1;
        // slots: w_i and z_i go to row i where they can, z₀ to the row that is left
        self.kernel.clear();
        self.kernel.resize(n, 0.0); // 1: w_i basic, 2: z_i basic
        self.has_artificial = false;
        for &variable in &self.variable {
            match variable {
                Variable::Slack(i) => self.kernel[i] += 1.0,
                Variable::Unknown(i) => self.kernel[i] += 2.0,
                Variable::Artificial => self.has_artificial = true,
            }
        }
        self.rows.clear();
        self.columns.clear();
        // row and column of one index stand at the same place of the kernel
        for i in 0..n {
            if self.kernel[i] == 2.0 {
                self.rows.push(i);
                self.columns.push(i);
            }
        }
        for i in 0..n {
            if self.kernel[i] == 0.0 {
                self.rows.push(i);
            } else if self.kernel[i] == 3.0 {
                self.columns.push(i);
            }
        }
        self.border.clear();
        if self.has_artificial {
            self.border.extend(self.rows.iter().map(|&i| self.d[i]));
        }
        let sub = Submatrix {
            A: problem.A(),
            rows: &self.rows,
            columns: &self.columns,
            border: self.has_artificial.then_some(&self.border),
            scale: Some((&self.scale, self.A_unit)),
        };
        self.lu.factor(&sub, 1e-13);
        for i in 0..n {
            if self.kernel[i] == 1.0 || self.kernel[i] == 3.0 {
                self.variable[i] = Variable::Slack(i);
            }
        }
        for (position, &slot) in self.rows.iter().enumerate() {
            self.variable[slot] = match self.columns.get(position) {
                Some(&j) => Variable::Unknown(j),
                None => Variable::Artificial,
            };
        }
        let regular = self.lu.dependent().is_empty();
        if regular {
            self.recompute(problem);
        }
        regular
    }

    /// `x ← B⁻¹ b`, refined once.
    fn recompute(&mut self, problem: &BoxLcp) {
        let mut x = std::mem::take(&mut self.x);
        let mut residual = std::mem::take(&mut self.residual);
        x.fill(0.0);
        for _ in 0..2 {
            residual.clear();
            residual.extend_from_slice(&self.b);
            self.subtract_product(problem, &x, &mut residual);
            self.solve_factored(problem, &mut residual);
            for (x_i, r_i) in x.iter_mut().zip(&residual) {
                *x_i += r_i;
            }
        }
        (self.x, self.residual) = (x, residual);
    }

    /// `r ← r − B x`.
    fn subtract_product(&self, problem: &BoxLcp, x: &[f64], r: &mut [f64]) {
        for (slot, &x_i) in x.iter().enumerate() {
            if x_i == 0.0 {
                continue;
            }
            match self.variable[slot] {
                Variable::Slack(i) => r[i] -= x_i,
                Variable::Unknown(j) => {
                    let factor = x_i * self.column_scale(j);
                    let scale = &self.scale;
                    problem.A().for_column(j, |i, a_ij| r[i] += scale[i] * a_ij * factor);
                }
                Variable::Artificial => {
                    for (r_i, d_i) in r.iter_mut().zip(&self.d) {
                        *r_i += d_i * x_i;
                    }
                }
            }
        }
    }

    /// Writes z in the problem's units from fresh values; false if some value is negative.
    pub(super) fn read(&mut self, problem: &BoxLcp, z: &mut [f64]) -> bool {
        let regular = self.refactor(problem);
        z.fill(0.0);
        for (slot, &x_i) in self.x.iter().enumerate() {
            if let Variable::Unknown(i) = self.variable[slot] {
                let value = if self.is_free[i] { x_i } else { x_i.max(0.0) };
                z[i] = value * self.column_scale(i) * self.b_unit;
            }
        }
        regular && self.lowest() >= -1e-11
    }

    /// Direction of z along the ray on which `entering` grows; `y` is its column.
    pub(super) fn ray(&self, entering: Variable, y: &[f64], ray: &mut Vec<f64>) {
        ray.clear();
        ray.resize(y.len(), 0.0);
        for (slot, &y_i) in y.iter().enumerate() {
            if let Variable::Unknown(i) = self.variable[slot] {
                ray[i] = -y_i * self.column_scale(i);
            }
        }
        if let Variable::Unknown(i) = entering {
            ray[i] = self.column_scale(i);
        }
    }
}
