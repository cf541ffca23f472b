//! Where the path begins: units, the start basis, and the covering vector.

use super::super::{Covering, LemkeSettings, Start};
use super::{Basis, Variable};
use crate::matrix::Matrix;
use crate::problem::BoxLcp;

/// Pivots between factorizations for which memory is taken at once.
const RESERVED_ETAS: usize = 64;

impl Basis {
    /// Scales the problem and takes the basis asked for.
    pub(in crate::lemke) fn start(
        &mut self,
        problem: &BoxLcp,
        settings: &LemkeSettings<'_>,
        z: &[f64],
    ) {
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

    /// Brings z₀ into the basis, just large enough; gives the variable that enters next.
    pub(in crate::lemke) fn cover(&mut self, problem: &BoxLcp, covering: Covering<'_>) -> Variable {
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
        // of equal rows the last: then every row of [x, B⁻¹] is lexicographically positive
        let (mut slot, mut worst) = (0, f64::NEG_INFINITY);
        for (i, &cover_i) in cover.iter().enumerate() {
            if cover_i > 0.0 && -self.x[i] / cover_i >= worst {
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
            let (s_j, mut column) = (scale[j] / unit, 0.0_f64);
            A.for_column(j, |i, a_ij| {
                let a = scale[i] * a_ij.abs() * s_j;
                size[i] = size[i].max(a);
                column = column.max(a);
            });
            size[j] = size[j].max(column);
        }
        // what is left is less than the rounding to powers of two below
        if size.iter().all(|&size_i| size_i == 0.0 || (0.5..=2.0).contains(&size_i)) {
            break;
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
