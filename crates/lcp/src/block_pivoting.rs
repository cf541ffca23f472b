//! Block principal pivoting for box LCPs (Júdice and Pires 1994), with Murty's rule as its net.
//!
//! Every row is at its lower bound, at its upper bound, or *basic* (w = 0). One factorization of the
//! basic block gives z and w; all rows on the wrong side change at once. That takes a handful of
//! factorizations for most P-matrices of any size, and n + 1 for the exponential families of Murty
//! and Fathi. When a set of sides comes back, or the number of wrong rows has not fallen for long,
//! only the wrong row of highest index changes (Murty 1974), which for P-matrices cannot cycle; once
//! the count has fallen below its old minimum, blocks again.
//!
//! Free rows stay basic. Rows that make the basic block singular leave it with z = 0 where their
//! equation holds anyway, or change side.
//!
//! Iterations are factorizations; `singular` counts those of singular blocks. Cost: one factorization each. Fails on matrices far from P
//! (Stewart–Trinkle pyramids from about 50 contacts): [`Status::IterationLimit`], or [`Status::Stalled`] where Murty's rule comes round in a circle.
//!
//! Theory: `docs/theory/block-pivoting.md`.

use crate::linalg::{Submatrix, SubmatrixLu};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockPivotingSettings {
    /// Stop after this many factorizations. Default 200.
    pub max_factorizations: usize,
    /// Rounds without fewer wrong rows before Murty's rule takes over, cycle or not. Default 100.
    pub patience: usize,
    /// A value is on the wrong side when it is so by more than this part of the size of its own
    /// terms. Default 1e-13.
    pub tolerance: f64,
}

impl Default for BlockPivotingSettings {
    fn default() -> Self {
        Self { max_factorizations: 200, patience: 100, tolerance: 1e-13 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
    Basic,
}

/// Fingerprints kept without allocating while solving.
const MEMORY: usize = 1000;

/// Memory for problems of up to n rows.
#[derive(Clone, Debug, Default)]
pub struct BlockPivotingWorkspace {
    side: Vec<Side>,
    basic: Vec<usize>,
    lu: SubmatrixLu,
    w: Vec<f64>,
    /// |A||z| + |b| per row.
    size: Vec<f64>,
    diagonal: Vec<f64>,
    rhs: Vec<f64>,
    wrong: Vec<(usize, Side)>,
    /// Fingerprints of the sides since the count of wrong rows last fell, or since Murty's rule took over.
    seen: Vec<u64>,
}

impl BlockPivotingWorkspace {
    pub fn new(n: usize) -> Self {
        Self { side: Vec::with_capacity(n), basic: Vec::with_capacity(n), ..Self::default() }
    }
}

/// Solves by block principal pivoting. The warm start counts by its active set: rows strictly
/// between their bounds start basic.
pub fn block_pivoting(
    problem: &BoxLcp,
    settings: &BlockPivotingSettings,
    work: &mut BlockPivotingWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    let n = problem.n();
    assert_eq!(z.len(), n, "warm start has the wrong length");
    work.start(problem, settings, z);
    let (mut fewest, mut patience) = (usize::MAX, settings.patience);
    let mut singular = 0;
    let report = |status, used, singular| Report { singular, ..Report::new(status, used, used) };
    for factorizations in 1..=settings.max_factorizations {
        if stop() {
            return report(Status::Stopped, factorizations - 1, singular);
        }
        work.solve_basic(problem, z);
        singular += usize::from(!work.lu.dependent().is_empty());
        work.find_wrong(problem, settings.tolerance, z);
        if !work.w.iter().chain(z.iter()).all(|x| x.is_finite()) {
            z.fill(0.0);
            return report(Status::Singular, factorizations, singular);
        }
        if work.wrong.is_empty() {
            // what is left of a singular block are free rows, and they have no other side
            let status = if work.equations_hold() { Status::Solved } else { Status::Singular };
            return report(status, factorizations, singular);
        }
        let by_murty = patience == 0;
        if work.wrong.len() < fewest {
            (fewest, patience) = (work.wrong.len(), settings.patience);
            work.seen.clear();
        } else {
            patience = patience.saturating_sub(1);
        }
        let is_back = work.sides_came_back();
        if is_back && by_murty {
            // a circle: it would go on for ever
            return report(Status::Stalled, factorizations, singular);
        }
        if is_back {
            patience = 0;
        }
        if patience == 0 && !by_murty {
            work.seen.clear();
        }
        let first = if patience > 0 { 0 } else { work.wrong.len() - 1 };
        for &(i, side) in &work.wrong[first..] {
            work.side[i] = side;
        }
    }
    report(Status::IterationLimit, settings.max_factorizations, singular)
}

impl BlockPivotingWorkspace {
    fn start(&mut self, problem: &BoxLcp, settings: &BlockPivotingSettings, z: &[f64]) {
        self.reserve(problem.n(), settings.max_factorizations);
        self.side.clear();
        self.side.extend((0..problem.n()).map(|i| {
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            if problem.is_free(i) || (z[i] > lower && z[i] < upper) {
                Side::Basic
            } else if lower.is_finite() && !(upper.is_finite() && z[i] >= upper && upper > lower) {
                Side::Lower
            } else {
                Side::Upper
            }
        }));
        self.diagonal.clear();
        self.diagonal.extend((0..problem.n()).map(|i| problem.A().get(i, i).abs()));
        self.lu.analyse(problem.A());
    }

    /// So that no solve of this size allocates, whatever its path.
    fn reserve(&mut self, n: usize, rounds: usize) {
        self.seen.clear();
        self.seen.reserve(rounds.min(MEMORY));
        self.basic.clear();
        self.basic.reserve(n);
        self.rhs.clear();
        self.rhs.reserve(n);
        self.wrong.clear();
        self.wrong.reserve(n);
    }

    /// Remembers the present sides; true if they were there before.
    fn sides_came_back(&mut self) -> bool {
        let fingerprint = self.side.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &side| {
            (h ^ (side as u64 + 1)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let back = self.seen.contains(&fingerprint);
        self.seen.push(fingerprint);
        back
    }

    /// z and w of the present sides: z at its bounds, `A_BB z_B = −b_B − A_BN z_N`, refined once.
    fn solve_basic(&mut self, problem: &BoxLcp, z: &mut [f64]) {
        self.basic.clear();
        for (i, side) in self.side.iter().enumerate() {
            match side {
                Side::Lower => z[i] = problem.lower()[i],
                Side::Upper => z[i] = problem.upper()[i],
                Side::Basic => {
                    z[i] = 0.0;
                    self.basic.push(i);
                }
            }
        }
        let (rows, columns) = (&self.basic, &self.basic);
        self.lu
            .factor(&Submatrix { A: problem.A(), rows, columns, border: None, scale: None }, 1e-13);
        for _ in 0..2 {
            self.evaluate(problem, z);
            self.rhs.clear();
            self.rhs.extend(self.basic.iter().map(|&i| -self.w[i]));
            self.lu.solve(&mut self.rhs);
            for (&i, dz_i) in self.basic.iter().zip(&self.rhs) {
                z[i] += dz_i;
            }
        }
        self.evaluate(problem, z);
    }

    fn evaluate(&mut self, problem: &BoxLcp, z: &[f64]) {
        self.w.clear();
        self.w.extend_from_slice(problem.b());
        self.size.clear();
        self.size.extend(problem.b().iter().map(|b_i| b_i.abs()));
        for (j, &z_j) in z.iter().enumerate() {
            if z_j != 0.0 {
                let (w, size) = (&mut self.w, &mut self.size);
                problem.A().for_column(j, |i, a_ij| {
                    w[i] += a_ij * z_j;
                    size[i] += (a_ij * z_j).abs();
                });
            }
        }
    }

    /// Rows on the wrong side, with the side they should change to, by rising index.
    fn find_wrong(&mut self, problem: &BoxLcp, tolerance: f64, z: &[f64]) {
        self.wrong.clear();
        let z_largest = z.iter().fold(0.0_f64, |m, z_i| m.max(z_i.abs()));
        for i in 0..z.len() {
            let slack_w = tolerance * self.size[i];
            match self.side[i] {
                Side::Lower if self.w[i] < -slack_w => self.wrong.push((i, Side::Basic)),
                Side::Upper if self.w[i] > slack_w => self.wrong.push((i, Side::Basic)),
                Side::Lower | Side::Upper => {}
                Side::Basic if problem.is_free(i) => {}
                Side::Basic => {
                    let slack_z = if self.diagonal[i] > 0.0 {
                        tolerance * self.size[i] / self.diagonal[i]
                    } else {
                        tolerance * z_largest
                    };
                    if z[i] < problem.lower()[i] - slack_z {
                        self.wrong.push((i, Side::Lower));
                    } else if z[i] > problem.upper()[i] + slack_z {
                        self.wrong.push((i, Side::Upper));
                    }
                }
            }
        }
        self.check_dependent(problem);
    }

    /// A singular block is right only if all its equations hold all the same. Rows of its dependent
    /// columns change side where their own equation fails; or all of them, since which equation is
    /// left over with a dependent column is a matter of pivoting.
    fn check_dependent(&mut self, problem: &BoxLcp) {
        if self.lu.dependent().is_empty() {
            return;
        }
        for own_equation_only in [true, false] {
            for &position in self.lu.dependent() {
                let i = self.basic[position];
                let is_right = own_equation_only && self.equation_holds(i);
                if !is_right && !problem.is_free(i) && !self.wrong.iter().any(|&(j, _)| j == i) {
                    let at_lower = problem.lower()[i].is_finite();
                    self.wrong.push((i, if at_lower { Side::Lower } else { Side::Upper }));
                }
            }
            if !self.wrong.is_empty() || self.equations_hold() {
                break;
            }
        }
        self.wrong.sort_unstable_by_key(|&(i, _)| i);
    }

    fn equation_holds(&self, i: usize) -> bool {
        self.w[i].abs() <= 1e-10 * self.size[i]
    }

    fn equations_hold(&self) -> bool {
        self.basic.iter().all(|&i| self.equation_holds(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::matrix::MatX;
    use crate::report::never;

    fn solve(problem: &BoxLcp) -> (Vec<f64>, Report) {
        let mut z = vec![0.0; problem.n()];
        let mut work = BlockPivotingWorkspace::default();
        let report =
            block_pivoting(problem, &BlockPivotingSettings::default(), &mut work, &never, &mut z);
        (z, report)
    }

    #[test]
    fn problems_one_can_check_by_hand() {
        let A = MatX::from_row_slice(2, 2, &[2., 1., 1., 2.]);
        for (b, expected) in [([1., 3.], [0., 0.]), ([-4., 1.], [2., 0.]), ([-5., -7.], [1., 3.])] {
            let (z, report) = solve(&BoxLcp::lcp(A.clone(), b.to_vec()).unwrap());
            assert_eq!((report.status, report.singular), (Status::Solved, 0));
            assert!(z.iter().zip(expected).all(|(z, e)| (z - e).abs() < 1e-14), "{z:?}");
        }
    }

    #[test]
    fn a_singular_block_is_solved_only_if_every_equation_holds() {
        // both free, and the second equation is the first one doubled, but for b
        let A = MatX::from_row_slice(2, 2, &[1., 2., 2., 4.]);
        for (b, status) in [([-1., -2.], Status::Solved), ([-1., -3.], Status::Singular)] {
            let problem = BoxLcp::mixed(A.clone(), b.to_vec(), &[0, 1]).unwrap();
            assert_eq!(solve(&problem).1.status, status, "{b:?}");
        }
        // 0 = 1
        let problem = BoxLcp::mixed(MatX::zeros(1, 1), vec![1.0], &[0]).unwrap();
        assert_eq!(solve(&problem).1.status, Status::Singular);
    }

    #[test]
    fn the_equation_left_over_may_be_another_than_the_dependent_columns() {
        for seed in 0..200 {
            for n in 2..8 {
                let problem = crate::families::unsolvable::feasible_hidden(n, seed);
                assert_ne!(solve(&problem).1.status, Status::Solved, "n = {n}, seed {seed}");
            }
        }
    }

    #[test]
    fn boxes_and_free_rows() {
        let A = MatX::from_row_slice(3, 3, &[2., 0., 1., 0., 2., 0., -1., 0., 1.]);
        let (lower, upper) = (vec![0., -1., f64::NEG_INFINITY], vec![1., 1., f64::INFINITY]);
        let problem = BoxLcp::new(A, vec![-9., 7., 2.], lower, upper).unwrap();
        let (z, report) = solve(&problem);
        assert_eq!((report.status, &z[..]), (Status::Solved, &[1., -1., -1.][..]));
    }

    #[test]
    fn exponential_families_take_few_factorizations() {
        for n in [5, 20, 60] {
            let lower = MatX::from_fn(n, n, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 1.0,
                std::cmp::Ordering::Greater => 2.0,
            });
            let fathi = &lower * lower.transpose();
            for A in [lower.clone(), lower.transpose(), fathi] {
                let problem = BoxLcp::lcp(A, vec![-1.0; n]).unwrap();
                let (z, report) = solve(&problem);
                assert_eq!(report.status, Status::Solved);
                assert!(report.factorizations <= n + 1, "{n}: {report:?}");
                assert!(Judge::default().lcp(&problem, &z).accepts(1e-12));
            }
        }
    }

    #[test]
    fn a_redundant_block_is_survived() {
        // two identical contacts: the basic block is singular, the equations agree
        let A = MatX::from_row_slice(2, 2, &[1., 1., 1., 1.]);
        let problem = BoxLcp::lcp(A, vec![-1., -1.]).unwrap();
        let (z, report) = solve(&problem);
        assert_eq!(report.status, Status::Solved);
        assert!(report.singular >= 1 && report.singular <= report.factorizations, "{report:?}");
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-15));
    }

    #[test]
    fn a_circle_of_single_exchanges_is_noticed() {
        // z₁ = 1, z₀ = 0 solves; from nothing row 0 enters a block without a pivot, and leaves again
        let A = MatX::from_row_slice(2, 2, &[0., 1., 0., 0.]);
        let (_, report) = solve(&BoxLcp::lcp(A, vec![-1., 0.]).unwrap());
        assert_eq!(report.status, Status::Stalled);
        assert!(report.factorizations <= 8, "{report:?}");
    }

    #[test]
    fn a_warm_start_saves_factorizations() {
        let n = 30;
        let A = MatX::from_fn(n, n, |i, j| if i == j { 4.0 } else { 1.0 / (1 + i + j) as f64 });
        let b = (0..n).map(|i| (i as f64).sin()).collect();
        let problem = BoxLcp::lcp(A, b).unwrap();
        let (mut z, cold) = solve(&problem);
        let mut work = BlockPivotingWorkspace::default();
        let settings = BlockPivotingSettings::default();
        let warm = block_pivoting(&problem, &settings, &mut work, &never, &mut z);
        assert!(cold.factorizations > 1);
        assert_eq!((warm.status, warm.factorizations), (Status::Solved, 1));
    }
}
