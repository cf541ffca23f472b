//! Residual of linear complementarity problems.

use super::{Judge, UNIT_ROUNDOFF, within};
use crate::problem::BoxLcp;

/// How far `z` is from a solution of a (mixed, box) LCP. All parts are zero exactly at one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpResidual {
    /// `max_i |z_i − mid(lower_i, upper_i, z_i − w_i)|`; for LCP rows `|min(z_i, w_i)|`, for free
    /// rows `|w_i|`. Mixes the units of z and w, as the field does.
    pub natural: f64,
    /// `natural / max(1, max|b|)`: the number that solvers of the field are compared by.
    pub scaled: f64,
    /// What rounding `z` to f64 alone may cost of `scaled`:
    /// `1.1e−16 · max_i(|A||z| + |b|)_i / max(1, max|b|)`.
    pub floor: f64,
    /// The same question free of units: each row of w against the size of its own terms, each z
    /// against the least change that some row would feel. Scaling rows and columns by powers of
    /// two leaves its bits unchanged.
    pub scale_free: f64,
    /// Largest violation of a bound on z [unit of z; N·s for contact].
    pub z_outside: f64,
    /// Largest w of the wrong sign, and |w| of free rows [unit of w; m/s for contact].
    pub w_wrong: f64,
    /// Largest |(distance of z from its bound) · w| [unit of z·w; J for contact].
    pub complementarity: f64,
}

impl LcpResidual {
    pub const WORST: Self = Self {
        natural: f64::INFINITY,
        scaled: f64::INFINITY,
        floor: f64::INFINITY,
        scale_free: f64::INFINITY,
        z_outside: f64::INFINITY,
        w_wrong: f64::INFINITY,
        complementarity: f64::INFINITY,
    };

    /// `scaled ≤ max(tol, 3·floor)`; rounding excuses no more than [`super::FLOOR_CAP`].
    pub fn accepts(&self, tol: f64) -> bool {
        within(self.scaled, tol, self.floor)
    }
}

impl Judge {
    /// Judges `z`. [`Judge::w`] gives `A z + b` afterwards.
    pub fn lcp(&mut self, problem: &BoxLcp, z: &[f64]) -> LcpResidual {
        if !self.evaluate(problem.A(), z, problem.b()) {
            return LcpResidual::WORST;
        }
        let mut parts = LcpResidual {
            natural: 0.0,
            scaled: 0.0,
            floor: 0.0,
            scale_free: 0.0,
            z_outside: 0.0,
            w_wrong: 0.0,
            complementarity: 0.0,
        };
        for i in 0..z.len() {
            let (z_i, w_i) = (z[i], self.w[i]);
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            parts.natural = parts.natural.max(natural_map(z_i, w_i, lower, upper).abs());
            parts.z_outside = parts.z_outside.max(lower - z_i).max(z_i - upper);
            // w may be positive only at the lower bound and negative only at the upper one
            let (from_lower, from_upper) = ((z_i - lower).abs(), (upper - z_i).abs());
            if lower == f64::NEG_INFINITY || w_i < 0.0 {
                let allowed = if w_i < 0.0 { from_upper } else { from_lower };
                if allowed.is_infinite() {
                    parts.w_wrong = parts.w_wrong.max(w_i.abs());
                }
            }
            let distance = if w_i >= 0.0 { from_lower } else { from_upper };
            if distance.is_finite() {
                parts.complementarity = parts.complementarity.max((distance * w_i).abs());
            }
        }
        let b_max = problem.b().iter().fold(1.0_f64, |m, b_i| m.max(b_i.abs()));
        let size_max = self.size.iter().fold(0.0_f64, |m, &s| m.max(s));
        parts.scaled = parts.natural / b_max;
        parts.floor = UNIT_ROUNDOFF * size_max / b_max;
        parts.scale_free = self.scale_free(problem, z);
        parts
    }

    fn scale_free(&self, problem: &BoxLcp, z: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..z.len() {
            let (below, above) = (problem.lower()[i] - z[i], problem.upper()[i] - z[i]);
            let relative = |x: f64, scale: f64| if x == 0.0 { 0.0 } else { x / scale };
            let w_rel = relative(self.w[i], self.size[i]);
            // a bound that is met or infinite has no unit, and of one that z is inside of the sign is enough where w pushes to the other
            let has_unit = |x: f64| x != 0.0 && x.is_finite();
            let needs_unit = has_unit(above) || (has_unit(below) && !(below < 0.0 && w_rel <= 0.0));
            let z_scale = if needs_unit { self.z_scale(problem, i) } else { 1.0 };
            let (to_lower, to_upper) = (relative(below, z_scale), relative(above, z_scale));
            // median of (lower − z, −w, upper − z), each in its own unit
            let step = (-w_rel).max(to_lower).min(to_upper);
            if step.is_nan() {
                return f64::INFINITY;
            }
            worst = worst.max(step.abs());
        }
        worst
    }

    /// The least change of `z_i` that moves some row by as much as the row's own terms.
    fn z_scale(&self, problem: &BoxLcp, i: usize) -> f64 {
        let mut least = f64::INFINITY;
        problem.A().for_column(i, |j, a_ji| {
            if a_ji != 0.0 {
                least = least.min(self.size[j] / a_ji.abs());
            }
        });
        least
    }
}

/// `z − mid(lower, upper, z − w)`, without the cancellation of forming `z − w` first.
fn natural_map(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    w.min(z - lower).max(z - upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    fn lcp(n: usize, A: &[f64], b: &[f64]) -> BoxLcp {
        BoxLcp::lcp(MatX::from_row_slice(n, n, A), b.to_vec()).unwrap()
    }

    #[test]
    fn it_is_zero_at_solutions_and_names_the_parts_elsewhere() {
        let problem = lcp(2, &[2., 1., 1., 2.], &[-4., 1.]);
        let mut judge = Judge::default();
        let solved = judge.lcp(&problem, &[2., 0.]);
        assert_eq!((solved.natural, solved.scale_free), (0.0, 0.0));
        assert_eq!(judge.w(), [0., 3.]);
        let off = judge.lcp(&problem, &[1., -0.5]);
        assert_eq!((off.z_outside, off.w_wrong, off.natural), (0.5, 2.5, 2.5));
        assert_eq!(off.scaled, 2.5 / 4.0);
        assert!(!off.accepts(1e-9));
    }

    #[test]
    fn boxes_and_free_rows_have_their_own_signs() {
        let A = MatX::identity(3, 3);
        let bounds = (vec![-1., -1., f64::NEG_INFINITY], vec![1., 1., f64::INFINITY]);
        let problem = BoxLcp::new(A, vec![5., -5., 2.], bounds.0, bounds.1).unwrap();
        let mut judge = Judge::default();
        // w = 4 ≥ 0 at the lower bound, −4 ≤ 0 at the upper bound, 0 where free
        assert_eq!(judge.lcp(&problem, &[-1., 1., -2.]).natural, 0.0);
        let wrong = judge.lcp(&problem, &[1., 1., -1.5]);
        assert_eq!((wrong.natural, wrong.w_wrong), (2.0, 0.5));
    }

    #[test]
    fn what_is_not_finite_is_never_a_solution() {
        let problem = lcp(2, &[2., 1., 1., 2.], &[-4., 1.]);
        let mut judge = Judge::default();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
            for i in 0..2 {
                let mut z = [2., 0.];
                z[i] = bad;
                let residual = judge.lcp(&problem, &z);
                assert!(!residual.accepts(1e-9), "{bad} at {i}: {residual:?}");
            }
        }
    }

    #[test]
    fn a_huge_answer_does_not_excuse_itself() {
        // summed in plain f64 the rows come out as exactly zero: −1 + 1e30 − 1e30
        let problem = lcp(2, &[1., -1., -1., 1.], &[-1., -1.]);
        assert!(!Judge::default().lcp(&problem, &[1e30, 1e30]).accepts(1e-9));
    }

    #[test]
    fn an_exact_solution_of_a_stiff_problem_is_accepted() {
        // a light body between the ground and a heavy one: z = (2 + 1/k, 2), terms of size k
        for k in [2f64.powi(24), 2f64.powi(30), 2f64.powi(36)] {
            let problem = lcp(2, &[k, -k, -k, k + 1.0], &[-1., -1.]);
            let z = [2.0 + 1.0 / k, 2.0];
            let residual = Judge::default().lcp(&problem, &z);
            assert!(residual.natural == 0.0 && residual.accepts(1e-12), "{k}: {residual:?}");
        }
    }

    #[test]
    fn small_terms_are_not_lost_beside_large_ones() {
        let n = 1002;
        let mut A = MatX::identity(n, n);
        A[(0, 0)] = 2f64.powi(23);
        for j in 1..n - 1 {
            A[(0, j)] = 2f64.powi(-31);
        }
        A[(0, n - 1)] = -(2f64.powi(23));
        let b = (0..n).map(|i| if i == 0 { 0.0 } else { -1.0 }).collect();
        let problem = BoxLcp::lcp(A, b).unwrap();
        let residual = Judge::default().lcp(&problem, &vec![1.0; n]);
        assert_eq!(residual.natural, 1000.0 * 2f64.powi(-31));
    }

    #[test]
    fn a_relative_change_of_1e_6_is_felt() {
        let problem = lcp(3, &[4., 1., 0., 1., 3., -1., 0., -1., 5.], &[-8., -9., -2.]);
        // all three rows active
        let A = MatX::from_row_slice(3, 3, &[4., 1., 0., 1., 3., -1., 0., -1., 5.]);
        let z = A.lu().solve(&nalgebra::DVector::from_vec(vec![8., 9., 2.])).unwrap();
        let mut judge = Judge::default();
        assert!(judge.lcp(&problem, z.as_slice()).accepts(1e-12));
        for i in 0..3 {
            let mut changed = z.clone();
            changed[i] *= 1.0 + 1e-6;
            assert!(!judge.lcp(&problem, changed.as_slice()).accepts(1e-9), "entry {i}");
        }
    }

    #[test]
    fn scale_free_keeps_its_bits_under_powers_of_two() {
        let A = [4., 1., 0.3, 1., 3., -1.7, 0.2, -1., 5.];
        let (b, z) = ([-8., -9., -2.], [1.0, 0.0, 0.7]);
        let problem = lcp(3, &A, &b);
        let plain = Judge::default().lcp(&problem, &z).scale_free;
        let (rows, columns) = ([1024.0, 0.5, 2f64.powi(-20)], [0.25, 4096.0, 2f64.powi(15)]);
        let scaled_A = MatX::from_fn(3, 3, |i, j| rows[i] * A[3 * i + j] * columns[j]);
        let scaled_b = (0..3).map(|i| rows[i] * b[i]).collect();
        let scaled_z: Vec<f64> = (0..3).map(|i| z[i] / columns[i]).collect();
        let scaled = BoxLcp::lcp(scaled_A, scaled_b).unwrap();
        let other = Judge::default().lcp(&scaled, &scaled_z).scale_free;
        assert!(plain > 0.1);
        assert_eq!(plain.to_bits(), other.to_bits());
    }

    #[test]
    fn every_part_is_measured_in_its_own_unit() {
        let mut judge = Judge::default();
        // w = z − 4: z w = −3, and rounding b alone costs half an ulp of it
        let push = lcp(1, &[1.], &[-4.]);
        assert_eq!(judge.lcp(&push, &[0.]).floor, UNIT_ROUNDOFF);
        assert_eq!(judge.lcp(&push, &[5.]).complementarity, 5.0);
        assert!(judge.lcp(&push, &[5.]).scale_free > 0.1);
        // a small b does not enlarge the residual
        assert_eq!(judge.lcp(&lcp(1, &[1.], &[-0.25]), &[0.]).scaled, 0.25);

        let inf = f64::INFINITY;
        let boxed = |lower: f64, upper: f64, b: f64| {
            BoxLcp::new(MatX::identity(1, 1), vec![b], vec![lower], vec![upper]).unwrap()
        };
        assert_eq!(judge.lcp(&boxed(0., 1., 0.), &[3.]).z_outside, 2.0);
        // w = −2 at z = 1, four from the upper bound
        assert_eq!(judge.lcp(&boxed(0., 5., -3.), &[1.]).complementarity, 8.0);
        // right at the upper bound: w = −4
        let at_upper = judge.lcp(&boxed(0., 1., -5.), &[1.]);
        assert_eq!((at_upper.natural, at_upper.scale_free), (0.0, 0.0));
        // without a lower bound nothing allows w > 0, without an upper one nothing w < 0
        assert_eq!(judge.lcp(&boxed(-inf, 0., 1.), &[0.]).w_wrong, 1.0);
        assert_eq!(judge.lcp(&boxed(0., inf, -1.), &[0.]).w_wrong, 1.0);
        assert_eq!(judge.lcp(&boxed(0., 1., 1.), &[0.]).w_wrong, 0.0);
    }
}
