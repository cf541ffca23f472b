//! The basis of Lemke's method: which variables are in it, their values, and `B⁻¹`.
//!
//! `B x = b` with columns `e_i` for w_i, `−A_j` for z_j, `−d` for z₀, everything in equilibrated
//! units. A *slot* is a row number that stands for one basic variable: a basic w_i has slot i, the
//! kernel's columns have the slots of the kernel's rows.

use super::{Covering, LemkeSettings, Start};
use crate::linalg::{Submatrix, SubmatrixLu};
use crate::matrix::Matrix;
use crate::problem::BoxLcp;

/// Pivots between factorizations for which memory is taken at once.
const RESERVED_ETAS: usize = 64;

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

    /// Scales the problem and takes the basis asked for.
    pub(super) fn start(&mut self, problem: &BoxLcp, settings: &LemkeSettings<'_>, z: &[f64]) {
        let (n, start) = (problem.n(), settings.start);
        self.reserve(n, settings.refactor_every);
        let keep = start == Start::LastBasis && self.variable.len() == n;
        self.factorizations = 0;
        self.is_free.clear();
        self.is_free.extend((0..n).map(|i| problem.is_free(i)));
        self.A_unit = equilibrate(problem.A(), &mut self.scale, &mut self.scratch);
        self.b.clear();
        self.b.extend(problem.b().iter().zip(&self.scale).map(|(b_i, s_i)| b_i * s_i));
        let largest = self.b.iter().fold(0.0_f64, |m, b_i| m.max(b_i.abs()));
        self.b_unit = power_of_two(largest);
        for b_i in &mut self.b {
            *b_i /= self.b_unit;
        }
        self.d.clear();
        self.d.resize(n, 0.0);
        // in-basis flags: in `kernel`, 1 where z_i starts in the basis
        self.kernel.clear();
        self.kernel.resize(n, 0.0);
        if keep {
            for &variable in &self.variable {
                if let Variable::Unknown(i) = variable {
                    self.kernel[i] = 1.0;
                }
            }
        }
        self.variable.clear();
        for i in 0..n {
            let wanted = match start {
                Start::Cold => false,
                Start::Support => z[i] > 0.0,
                Start::LastBasis => self.kernel[i] != 0.0,
            };
            let basic = wanted || self.is_free[i];
            self.variable.push(if basic { Variable::Unknown(i) } else { Variable::Slack(i) });
        }
        self.x.clear();
        self.x.resize(n, 0.0);
        // a start basis that is singular loses its dependent columns
        if !self.refactor(problem) {
            for &position in self.lu.dependent() {
                let i = self.columns[position];
                if !self.is_free[i] {
                    self.variable[i] = Variable::Slack(i);
                }
            }
            self.refactor(problem);
        }
    }

    /// So that no solve of this size allocates, whatever its path (but for the fill of sparse factors).
    fn reserve(&mut self, n: usize, refactor_every: usize) {
        let etas = refactor_every.min(RESERVED_ETAS);
        self.etas.clear();
        self.etas.reserve(etas);
        self.eta_row.clear();
        self.eta_row.reserve(n * etas);
        self.eta_value.clear();
        self.eta_value.reserve(n * etas);
        for list in [&mut self.rows, &mut self.columns] {
            list.clear();
            list.reserve(n);
        }
        for vector in [&mut self.border, &mut self.residual, &mut self.scratch] {
            vector.clear();
            vector.reserve(n);
        }
    }

    /// Nothing basic but the free rows is dependent any more.
    pub(super) fn free_rows_are_solvable(&self, _problem: &BoxLcp) -> bool {
        self.lu.dependent().is_empty()
    }

    /// No basic variable is below zero beyond rounding.
    pub(super) fn is_feasible(&self, problem: &BoxLcp) -> bool {
        self.lowest(problem) >= -1e-13
    }

    /// The lowest value of a variable that must not be negative.
    pub(super) fn lowest(&self, _problem: &BoxLcp) -> f64 {
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

    /// Brings z₀ into the basis, just large enough; gives the variable that enters next.
    pub(super) fn cover(&mut self, problem: &BoxLcp, covering: Covering<'_>) -> Variable {
        let n = problem.n();
        // cover_i > 0 lifts the basic variable of slot i
        let mut cover = std::mem::take(&mut self.scratch);
        cover.clear();
        let mut random = match covering {
            Covering::Random(seed) => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            _ => 1,
        };
        for slot in 0..n {
            let own_units = if matches!(self.variable[slot], Variable::Slack(_)) {
                self.scale[slot]
            } else {
                1.0
            };
            cover.push(match covering {
                _ if self.is_free(slot) => 0.0,
                Covering::Ones => own_units,
                Covering::Equilibrated => 1.0,
                Covering::Random(_) => {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    1.0 + (random >> 11) as f64 / (1u64 << 53) as f64
                }
                Covering::Given(d) => {
                    let d_i = d.get(slot).copied().unwrap_or(1.0);
                    own_units * if d_i > 0.0 && d_i.is_finite() { d_i } else { 1.0 }
                }
            });
        }
        // the unit of z₀ is free: the one in which it is of the size of what it covers
        let unit = power_of_two(cover.iter().fold(0.0_f64, |m, &cover_i| m.max(cover_i)));
        for cover_i in &mut cover {
            *cover_i /= unit;
        }
        // the column of z₀ is −d with d = B · cover
        self.multiply(problem, &cover);
        let (mut slot, mut worst) = (0, f64::NEG_INFINITY);
        for (i, &cover_i) in cover.iter().enumerate() {
            if cover_i > 0.0 && -self.x[i] / cover_i > worst {
                (slot, worst) = (i, -self.x[i] / cover_i);
            }
        }
        for cover_i in &mut cover {
            *cover_i = -*cover_i;
        }
        let leaving = self.exchange(Variable::Artificial, slot, &cover);
        self.scratch = cover;
        leaving.complement()
    }

    /// `d ← B c` for the present (fresh) basis without z₀.
    fn multiply(&mut self, problem: &BoxLcp, c: &[f64]) {
        self.d.fill(0.0);
        for (slot, &c_i) in c.iter().enumerate() {
            match self.variable[slot] {
                Variable::Slack(i) => self.d[i] += c_i,
                Variable::Unknown(j) => {
                    let factor = c_i * self.column_scale(j);
                    let (d, scale) = (&mut self.d, &self.scale);
                    problem.A().for_column(j, |i, a_ij| d[i] -= scale[i] * a_ij * factor);
                }
                Variable::Artificial => {}
            }
        }
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
        regular && self.lowest(problem) >= -1e-11
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

/// The power of two at or below x > 0; 1 for 0.
fn power_of_two(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi(exponent.clamp(-1000, 1000))
}

/// Powers of two s with `s_i |A_ij| s_j / unit` of largest entry near 1 in every row and column; gives
/// the unit, which alone changes with a power of two in front of A.
fn equilibrate(A: &Matrix, scale: &mut Vec<f64>, size: &mut Vec<f64>) -> f64 {
    let n = A.ncols();
    let mut largest = 0.0_f64;
    for j in 0..n {
        A.for_column(j, |_, a_ij| largest = largest.max(a_ij.abs()));
    }
    let unit = power_of_two(largest);
    scale.clear();
    scale.resize(n, 1.0);
    for _ in 0..8 {
        size.clear();
        size.resize(n, 0.0);
        for j in 0..n {
            A.for_column(j, |i, a_ij| {
                let a = scale[i] * (a_ij.abs() / unit) * scale[j];
                size[i] = size[i].max(a);
                size[j] = size[j].max(a);
            });
        }
        for (s_i, &size_i) in scale.iter_mut().zip(size.iter()) {
            if size_i > 0.0 && size_i.is_finite() {
                *s_i /= size_i.sqrt();
            }
        }
    }
    for s_i in scale.iter_mut() {
        *s_i = power_of_two(*s_i);
    }
    unit
}
