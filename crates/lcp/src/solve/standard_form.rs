//! A box LCP as a mixed LCP: for the methods that know only `0 ≤ z ⊥ w ≥ 0` and free rows.
//!
//! ```text
//!  lower ≤ z            x = z − lower
//!          z ≤ upper    x = upper − z,  w and the column change sign
//!  lower ≤ z ≤ upper    x = z − lower,  0 ≤ x ⊥ w + y ≥ 0,  0 ≤ y ⊥ (upper − lower) − x ≥ 0
//! ```

use crate::matrix::Csc;
use crate::problem::BoxLcp;

/// The mixed problem and the way back.
pub(crate) struct StandardForm {
    pub(crate) mixed: BoxLcp,
    /// `z_i = offset_i + sign_i x_i`.
    offset: Vec<f64>,
    sign: Vec<f64>,
}

impl StandardForm {
    pub(crate) fn of(problem: &BoxLcp) -> Option<Self> {
        let n = problem.n();
        let (mut offset, mut sign, mut two_sided) = (vec![0.0; n], vec![1.0; n], Vec::new());
        for i in 0..n {
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            match (lower.is_finite(), upper.is_finite()) {
                (false, false) => {}
                (true, false) => offset[i] = lower,
                (false, true) => (offset[i], sign[i]) = (upper, -1.0),
                (true, true) => {
                    offset[i] = lower;
                    two_sided.push(i);
                }
            }
        }
        let mut triplets = Vec::new();
        for j in 0..n {
            problem.A().for_column(j, |i, a_ij| {
                if a_ij != 0.0 {
                    triplets.push((i, j, sign[i] * a_ij * sign[j]));
                }
            });
        }
        let mut b = vec![0.0; n];
        problem.A().affine(&offset, problem.b(), &mut b);
        for (b_i, sign_i) in b.iter_mut().zip(&sign) {
            *b_i *= sign_i;
        }
        for (k, &i) in two_sided.iter().enumerate() {
            triplets.push((i, n + k, 1.0));
            triplets.push((n + k, i, -1.0));
            b.push(problem.upper()[i] - problem.lower()[i]);
        }
        let free: Vec<usize> = (0..n).filter(|&i| problem.is_free(i)).collect();
        let rows = n + two_sided.len();
        let A = Csc::from_triplets((rows, rows), &mut triplets);
        let mixed = BoxLcp::mixed(A, b, &free).ok()?;
        Some(Self { mixed, offset, sign })
    }

    /// z of a solution x of the mixed problem, within its bounds.
    pub(crate) fn back(&self, problem: &BoxLcp, x: &[f64], z: &mut [f64]) {
        for i in 0..z.len() {
            z[i] = problem.clamp(i, self.offset[i] + self.sign[i] * x[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::lemke::{LemkeSettings, LemkeWorkspace, lemke};
    use crate::matrix::MatX;
    use crate::report::{Status, never};

    #[test]
    fn every_kind_of_row_comes_back_solved() {
        let inf = f64::INFINITY;
        let A = MatX::from_row_slice(
            4,
            4,
            &[4., 1., 0., 1., -1., 5., 1., 0., 0., -1., 3., 1., 1., 0., 1., 6.],
        );
        for b in [[-9., 8., 3., 1.], [9., -20., -30., 7.], [0.5, 0.5, 0.5, -40.]] {
            let lower = vec![-1., -inf, -inf, 2.];
            let upper = vec![1.5, 2., inf, inf];
            let problem = BoxLcp::new(A.clone(), b.to_vec(), lower, upper).unwrap();
            let form = StandardForm::of(&problem).unwrap();
            let mut x = vec![0.0; form.mixed.n()];
            let mut work = LemkeWorkspace::default();
            let report = lemke(&form.mixed, &LemkeSettings::default(), &mut work, &never, &mut x);
            assert_eq!(report.status, Status::Solved);
            let mut z = vec![0.0; 4];
            form.back(&problem, &x, &mut z);
            assert!(Judge::default().lcp(&problem, &z).accepts(1e-14), "{b:?} {z:?}");
        }
    }
}
