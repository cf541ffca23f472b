//! What a solver knows of its own answer. The judge has its own code and reads none of this.

use crate::problem::BoxLcp;

/// Rounding may excuse a residual up to this, relative to `max(1, max|b|)`.
const FLOOR_CAP: f64 = 1e-8;

/// `z − mid(lower, upper, z − w)` of one row: zero exactly where the row is solved.
pub(crate) fn natural_row(problem: &BoxLcp, i: usize, z_i: f64, w_i: f64) -> f64 {
    w_i.min(z_i - problem.lower()[i]).max(z_i - problem.upper()[i])
}

/// `max(1, max|b|)`: what solvers of the field divide their residuals by.
pub(crate) fn b_scale(problem: &BoxLcp) -> f64 {
    problem.b().iter().fold(1.0_f64, |m, b_i| m.max(b_i.abs()))
}

/// Warm starts may hold anything: what is not finite becomes the value nearest to zero within the
/// bounds, the rest is clamped.
pub(crate) fn into_bounds(problem: &BoxLcp, z: &mut [f64]) {
    for (i, z_i) in z.iter_mut().enumerate() {
        *z_i = problem.clamp(i, if z_i.is_finite() { *z_i } else { 0.0 });
    }
}

/// `w`, the size of its terms and the natural residual of one `z`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measure {
    /// `A z + b`.
    pub(crate) w: Vec<f64>,
    /// `|A| |z| + |b|`.
    pub(crate) size: Vec<f64>,
    /// Largest |natural map| over the rows, divided by [`b_scale`]; ∞ where something is not finite.
    pub(crate) residual: f64,
    /// What rounding `z` alone may cost of `residual`.
    floor: f64,
}

impl Measure {
    pub(crate) fn new(n: usize) -> Self {
        let (w, size) = (Vec::with_capacity(n), Vec::with_capacity(n));
        Self { w, size, residual: f64::INFINITY, floor: f64::INFINITY }
    }

    pub(crate) fn evaluate(&mut self, problem: &BoxLcp, z: &[f64]) {
        let Self { w, size, .. } = self;
        w.clear();
        w.extend_from_slice(problem.b());
        size.clear();
        size.extend(problem.b().iter().map(|b_i| b_i.abs()));
        for (j, &z_j) in z.iter().enumerate() {
            if z_j != 0.0 {
                problem.A().for_column(j, |i, a_ij| {
                    w[i] += a_ij * z_j;
                    size[i] += (a_ij * z_j).abs();
                });
            }
        }
        let scale = b_scale(problem);
        self.residual = 0.0;
        let mut largest = 0.0_f64;
        for (i, &z_i) in z.iter().enumerate() {
            let row = natural_row(problem, i, z_i, self.w[i]).abs();
            let finite = z_i.is_finite() && self.size[i].is_finite();
            self.residual = if finite { self.residual.max(row / scale) } else { f64::INFINITY };
            largest = largest.max(self.size[i]);
        }
        self.floor = f64::EPSILON / 2.0 * largest / scale;
    }

    /// The residual is within `tolerance`, or as small as rounding allows.
    pub(crate) fn meets(&self, tolerance: f64) -> bool {
        3.0 * self.floor <= tolerance.max(FLOOR_CAP)
            && (self.residual <= tolerance || self.residual <= 3.0 * self.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    #[test]
    fn a_solver_does_not_trust_numbers_that_are_not_finite() {
        let problem = BoxLcp::lcp(MatX::identity(2, 2), vec![-1.0, -1.0]).unwrap();
        let mut measure = Measure::new(2);
        measure.evaluate(&problem, &[1.0, 1.0]);
        assert!(measure.meets(0.0) && measure.residual == 0.0);
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            for z in [[bad, 1.0], [1.0, bad]] {
                measure.evaluate(&problem, &z);
                assert!(!measure.meets(1e-6), "{z:?}: {measure:?}");
            }
        }
        let mut z = [f64::NAN, -3.0];
        into_bounds(&problem, &mut z);
        assert_eq!(z, [0.0, 0.0]);
    }
}
