//! A few sweeps of projected Gauss–Seidel before anything is factored, column by column: w is kept current, and only
//! rows that move cost anything. What they leave is either exact, or says which rows are active.

use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop};

/// Sweeps that are always taken, and at most.
const FEW: usize = 6;
const MOST: usize = 40;
/// From [`FEW`] on a sweep must move rows by at most this part of what the one before did.
const CONTRACTION: f64 = 0.5;
/// Where the last sweep moves rows by more than this part of what the first did, z says nothing.
const SETTLED: f64 = 0.5;
/// Rows that move so much more than in the first sweep are running away.
const RUNAWAY: f64 = 1e3;

/// Moves z and leaves it within its bounds. `Solved` where the last sweep moved nothing by more than rounding, `Diverged` where z says nothing.
/// None where a row has no positive diagonal or no bounds.
pub(super) fn column_sweeps(problem: &BoxLcp, stop: Stop<'_>, z: &mut [f64]) -> Option<Report> {
    let (A, n) = (problem.A(), problem.n());
    let diagonal: Vec<f64> = (0..n).map(|i| A.get(i, i)).collect();
    if (0..n).any(|i| !(diagonal[i] > 0.0) || problem.is_free(i)) {
        return None;
    }
    let mut w = vec![0.0; n];
    A.affine(z, problem.b(), &mut w);
    let (mut first, mut last) = (f64::INFINITY, f64::INFINITY);
    for sweep in 1..=MOST {
        let mut moved = 0.0_f64;
        for i in 0..n {
            let next = problem.clamp(i, z[i] - w[i] / diagonal[i]);
            let step = next - z[i];
            // what is below rounding is left, so that a sweep can end the last one
            if !(step.abs() <= f64::EPSILON * next.abs()) {
                z[i] = next;
                A.add_column(i, step, &mut w);
                moved = moved.max(if step.is_finite() {
                    diagonal[i] * step.abs()
                } else {
                    f64::INFINITY
                });
            }
        }
        if moved == 0.0 {
            return Some(Report::new(Status::Solved, sweep, 0));
        }
        if sweep == 1 {
            first = moved;
        }
        if !(moved <= RUNAWAY * first && moved < f64::INFINITY) {
            return Some(Report::new(Status::Diverged, sweep, 0));
        }
        if (sweep >= FEW && moved > CONTRACTION * last) || (sweep % FEW == 0 && stop()) {
            let status = if moved <= SETTLED * first { Status::Stalled } else { Status::Diverged };
            return Some(Report::new(status, sweep, 0));
        }
        last = moved;
    }
    Some(Report::new(Status::IterationLimit, MOST, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::matrix::MatX;
    use crate::report::never;

    fn swept(A: MatX, b: Vec<f64>) -> (Option<Report>, Vec<f64>, BoxLcp) {
        let problem = BoxLcp::lcp(A, b).unwrap();
        let mut z = vec![0.0; problem.n()];
        (column_sweeps(&problem, &never, &mut z), z, problem)
    }

    #[test]
    fn what_ends_is_exact() {
        // Murty's family, exponential for single exchanges
        let n = 30;
        let A =
            MatX::from_fn(n, n, |i, j| if i == j { 1.0 } else { f64::from(u8::from(i < j)) * 2.0 });
        let (report, z, problem) = swept(A, vec![-1.0; n]);
        assert_eq!(report.unwrap().status, Status::Solved);
        assert_eq!(Judge::default().lcp(&problem, &z).natural, 0.0);
    }

    #[test]
    fn what_turns_in_circles_or_runs_away_says_nothing() {
        let turning = MatX::from_row_slice(3, 3, &[1., 2., 0., 0., 1., 2., 2., 0., 1.]);
        let running = MatX::from_row_slice(2, 2, &[1., -5., -5., 1.]);
        for (A, b) in [(turning, vec![-1.0; 3]), (running, vec![-1.0; 2])] {
            let (report, ..) = swept(A, b);
            assert_eq!(report.unwrap().status, Status::Diverged);
        }
    }

    #[test]
    fn rows_without_diagonal_are_left_to_others() {
        let (report, z, _) = swept(MatX::from_row_slice(2, 2, &[0., 1., -1., 1.]), vec![-1.0; 2]);
        assert!(report.is_none() && z == [0.0; 2]);
    }
}
