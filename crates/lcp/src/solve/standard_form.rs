//! A box LCP as a mixed LCP: for the methods that know only `0 ≤ z ⊥ w ≥ 0` and free rows.
//!
//! ```text
//!  lower ≤ z            x = z − lower
//!          z ≤ upper    x = upper − z,  w and the column change sign
//!  lower ≤ z ≤ upper    x = z − lower,  0 ≤ x ⊥ w + y ≥ 0,  0 ≤ y ⊥ (upper − lower) − x ≥ 0
//!          z            free, or x − x' = z,  0 ≤ x ⊥ w ≥ 0,  0 ≤ x' ⊥ −w ≥ 0
//! ```
//!
//! Free rows are split where their block is singular and no basis can hold them all. The split keeps zᵀA z, and so
//! copositivity.

use crate::matrix::Csc;
use crate::problem::BoxLcp;

/// What becomes of free rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FreeRows {
    Kept,
    Split,
}

/// The mixed problem and the way back.
pub(crate) struct StandardForm {
    pub(crate) mixed: BoxLcp,
    /// `z_i = offset_i + sign_i x_i`.
    offset: Vec<f64>,
    sign: Vec<f64>,
    /// Rows that were split; their other halves are the last rows of the mixed problem, in this order.
    split: Vec<usize>,
}

impl StandardForm {
    pub(crate) fn of(problem: &BoxLcp, free_rows: FreeRows) -> Option<Self> {
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
        let mut free: Vec<usize> = (0..n).filter(|&i| problem.is_free(i)).collect();
        let split = match free_rows {
            FreeRows::Kept => Vec::new(),
            FreeRows::Split => std::mem::take(&mut free),
        };
        split_rows(&split, &mut triplets, &mut b);
        let rows = b.len();
        let A = Csc::from_triplets((rows, rows), &mut triplets);
        let mixed = BoxLcp::mixed(A, b, &free).ok()?;
        Some(Self { mixed, offset, sign, split })
    }

    /// z of a solution x of the mixed problem, within its bounds.
    pub(crate) fn back(&self, problem: &BoxLcp, x: &[f64], z: &mut [f64]) {
        for i in 0..z.len() {
            z[i] = problem.clamp(i, self.offset[i] + self.sign[i] * x[i]);
        }
        let first = x.len() - self.split.len();
        for (&i, x_other) in self.split.iter().zip(&x[first..]) {
            z[i] -= x_other;
        }
    }
}

/// For each of these rows a further one, with the row and the column of the opposite sign.
fn split_rows(split: &[usize], triplets: &mut Vec<(usize, usize, f64)>, b: &mut Vec<f64>) {
    let mut other = vec![None; b.len()];
    for &i in split {
        other[i] = Some(b.len());
        b.push(-b[i]);
    }
    for k in 0..triplets.len() {
        let (i, j, a_ij) = triplets[k];
        let (row, column) = (other[i], other[j]);
        triplets.extend(row.map(|row| (row, j, -a_ij)));
        triplets.extend(column.map(|column| (i, column, -a_ij)));
        triplets.extend(row.zip(column).map(|(row, column)| (row, column, a_ij)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::lemke::{LemkeSettings, LemkeWorkspace, lemke};
    use crate::matrix::MatX;
    use crate::report::{Status, never};
    use crate::solve::{LcpSolver, Verdict, solve_lcp};

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
            for free_rows in [FreeRows::Kept, FreeRows::Split] {
                let form = StandardForm::of(&problem, free_rows).unwrap();
                let (status, z) = by_lemke(&problem, &form);
                assert_eq!(status, Status::Solved);
                assert!(Judge::default().lcp(&problem, &z).accepts(1e-14), "{b:?} {z:?}");
            }
        }
    }

    fn by_lemke(problem: &BoxLcp, form: &StandardForm) -> (Status, Vec<f64>) {
        let (mut x, mut z) = (vec![0.0; form.mixed.n()], vec![0.0; problem.n()]);
        let mut work = LemkeWorkspace::default();
        let report = lemke(&form.mixed, &LemkeSettings::default(), &mut work, &never, &mut x);
        form.back(problem, &x, &mut z);
        (report.status, z)
    }

    #[test]
    fn free_rows_that_depend_on_each_other_are_solved_in_halves() {
        // z₀ + z₁ = 1, z₀ + z₁ + z₂ = 2, and z₂ > 0 asks for z₁ = 3
        let A = MatX::from_row_slice(3, 3, &[1., 1., 0., 1., 1., 1., 0., -1., 0.]);
        let problem = BoxLcp::mixed(A, vec![-1., -2., 3.], &[0, 1]).unwrap();
        let by_form =
            |free_rows| by_lemke(&problem, &StandardForm::of(&problem, free_rows).unwrap());
        assert_eq!(by_form(FreeRows::Kept).0, Status::Singular);
        let (status, z) = by_form(FreeRows::Split);
        assert_eq!(status, Status::Solved);
        assert!(z.iter().zip([-2., 3., 1.]).all(|(z, e)| (z - e).abs() < 1e-14), "{z:?}");
        for solver in [LcpSolver::Lemke, LcpSolver::Auto] {
            let answer = solve_lcp(&problem, solver, 1e-14, &never);
            assert_eq!(answer.verdict, Verdict::Certified, "{}", solver.name());
        }
    }
}
