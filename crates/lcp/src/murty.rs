//! Murty's least-index principal pivoting.
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`; made for P-matrices (all principal minors positive).
//!
//! # Method
//!
//! Every row is at its lower bound, at its upper bound, or basic (`w = 0`). The basic rows F solve
//! `A_FF z_F = −b_F − A_FN z_N`. Of the rows that are then infeasible (basic and outside of its
//! bounds, or at a bound with the wrong sign of w) the one of least index changes its place, and
//! the block is solved again. Free rows are always basic. Theory: `docs/theory/murty.md`, \[Murty74\].
//!
//! # Cost
//!
//! One dense factorization of `A_FF` for each flip; up to `2ⁿ − 1` flips, in practice about n.
//!
//! # When it fails
//!
//! For P-matrices never. Otherwise it may cycle (found, [`Status::Stalled`]) or meet a singular
//! block whose equations contradict each other ([`Status::Singular`]).

use crate::linalg::DenseLu;
use crate::measure::{Measure, into_bounds};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MurtySettings {
    /// Stop after this many flips. Any; default 100 000.
    pub max_flips: usize,
    /// A wrong sign counts when it exceeds this, relative to the terms of its row. In [0, 1e−6];
    /// default 1e−12.
    pub sign_tolerance: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
    /// Problems with more rows are refused: the block is dense. Default 3000.
    pub max_rows: usize,
}

impl Default for MurtySettings {
    fn default() -> Self {
        Self { max_flips: 100_000, sign_tolerance: 1e-12, tolerance: 1e-10, max_rows: 3000 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Lower,
    Upper,
    Basic,
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct MurtyWorkspace {
    place: Vec<Place>,
    /// A partition met before; meeting it again is a cycle.
    landmark: Vec<Place>,
    basic: Vec<usize>,
    /// Position of a row among the basic ones.
    position: Vec<usize>,
    lu: DenseLu,
    x: Vec<f64>,
    measure: Measure,
}

impl MurtyWorkspace {
    pub fn new(n: usize) -> Self {
        Self {
            place: Vec::with_capacity(n),
            landmark: Vec::with_capacity(n),
            basic: Vec::with_capacity(n),
            position: Vec::with_capacity(n),
            lu: DenseLu::new(n),
            x: Vec::with_capacity(n),
            measure: Measure::new(n),
        }
    }
}

/// Least-index principal pivoting. A warm start `z` chooses the first partition: rows strictly
/// within their bounds are basic. `Report::iterations` counts flips.
pub fn murty(
    problem: &BoxLcp,
    settings: &MurtySettings,
    work: &mut MurtyWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    if problem.n() > settings.max_rows {
        into_bounds(problem, z);
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        return Report::new(Status::NotApplicable(unfit), 0, 0);
    }
    work.start(problem, z);
    let (mut flips, mut landmark_at) = (0, 1);
    let status = loop {
        if stop() {
            break Status::Stopped;
        }
        if !work.solve_block(problem, z) {
            break Status::Singular;
        }
        let Some((row, place)) = work.least_infeasible(problem, settings.sign_tolerance, z) else {
            break Status::Solved;
        };
        if flips == settings.max_flips {
            break Status::IterationLimit;
        }
        work.place[row] = place;
        flips += 1;
        if work.place == work.landmark {
            break Status::Stalled;
        }
        // Brent: a landmark at each power of two finds every cycle with memory for one partition
        if flips == landmark_at {
            work.landmark.copy_from_slice(&work.place);
            landmark_at *= 2;
        }
    };
    into_bounds(problem, z);
    work.measure.evaluate(problem, z);
    let factorizations = flips + usize::from(status != Status::Stopped);
    let status = match (work.measure.meets(settings.tolerance), status) {
        (true, _) => Status::Solved,
        (false, Status::Solved) => Status::Stalled,
        (false, other) => other,
    };
    Report::new(status, flips, factorizations)
}

impl MurtyWorkspace {
    fn start(&mut self, problem: &BoxLcp, z: &mut [f64]) {
        into_bounds(problem, z);
        self.place.clear();
        for (i, &z_i) in z.iter().enumerate() {
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            self.place.push(match z_i {
                _ if z_i == lower => Place::Lower,
                _ if z_i == upper => Place::Upper,
                _ => Place::Basic,
            });
        }
        self.landmark.clone_from(&self.place);
        // so that no solve of this size allocates, whatever its path
        self.lu.reserve(z.len());
        self.basic.clear();
        self.basic.reserve(z.len());
        self.x.clear();
        self.x.reserve(z.len());
    }

    /// Sets z by the partition and leaves `w` in `measure`; false if a singular block has no
    /// solution.
    fn solve_block(&mut self, problem: &BoxLcp, z: &mut [f64]) -> bool {
        self.basic.clear();
        self.position.clear();
        for (i, place) in self.place.iter().enumerate() {
            self.position.push(if *place == Place::Basic { self.basic.len() } else { usize::MAX });
            match place {
                Place::Lower => z[i] = problem.lower()[i],
                Place::Upper => z[i] = problem.upper()[i],
                Place::Basic => {
                    z[i] = 0.0;
                    self.basic.push(i);
                }
            }
        }
        self.lu.reset(self.basic.len());
        for (k, &j) in self.basic.iter().enumerate() {
            let (column, position) = (self.lu.column_mut(k), &self.position);
            problem.A().for_column(j, |i, a_ij| {
                if position[i] != usize::MAX {
                    column[position[i]] = a_ij;
                }
            });
        }
        self.lu.factor(1e-14);
        self.measure.evaluate(problem, z);
        // the second round refines
        for _ in 0..2 {
            self.x.clear();
            self.x.extend(self.basic.iter().map(|&i| -self.measure.w[i]));
            self.lu.solve(&mut self.x);
            for (&i, x_i) in self.basic.iter().zip(&self.x) {
                z[i] += x_i;
            }
            self.measure.evaluate(problem, z);
        }
        let Measure { w, size, .. } = &self.measure;
        self.basic.iter().all(|&i| w[i].abs() <= 1e-8 * size[i])
    }

    /// The first row in the wrong place, and the place it goes to.
    fn least_infeasible(
        &self,
        problem: &BoxLcp,
        sign_tolerance: f64,
        z: &[f64],
    ) -> Option<(usize, Place)> {
        let z_max = z.iter().fold(0.0_f64, |m, z_i| m.max(z_i.abs()));
        (0..z.len()).find_map(|i| {
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            let (w_i, size) = (self.measure.w[i], self.measure.size[i]);
            let diagonal = problem.A().get(i, i).abs();
            // the change of z_i that moves w_i by as much as its own terms
            let z_size = if diagonal > 0.0 { size / diagonal } else { z_max };
            match self.place[i] {
                Place::Basic if z[i] < lower - sign_tolerance * z_size => Some((i, Place::Lower)),
                Place::Basic if z[i] > upper + sign_tolerance * z_size => Some((i, Place::Upper)),
                Place::Basic => None,
                _ if lower == upper => None,
                Place::Lower if w_i < -sign_tolerance * size => Some((i, Place::Basic)),
                Place::Upper if w_i > sign_tolerance * size => Some((i, Place::Basic)),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &MurtySettings, z: &mut [f64]) -> Report {
        murty(problem, settings, &mut MurtyWorkspace::new(problem.n()), &never, z)
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        solves_the_catalogue((1e-14, 1e-14), |p, z| solve(p, &MurtySettings::default(), z));
    }

    #[test]
    fn random_p_matrices_and_boxes_are_solved() {
        let mut work = MurtyWorkspace::default();
        for seed in 0..40 {
            let n = 1 + seed as usize % 23;
            for problem in [random_p_lcp(n, seed), random_box(n, seed)] {
                let mut z = vec![0.0; n];
                let report = murty(&problem, &MurtySettings::default(), &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-12), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn semidefinite_problems_are_solved_or_named() {
        let mut solved = 0;
        for seed in 0..40 {
            let problem = degenerate_psd_lcp(20, seed);
            let mut z = [0.0; 20];
            let report = solve(&problem, &MurtySettings::default(), &mut z);
            let accepted = judged(&problem, &z).accepts(1e-10);
            assert_eq!(report.status == Status::Solved, accepted, "seed {seed}: {report:?}");
            solved += usize::from(accepted);
        }
        assert!(solved > 0);
    }

    /// Murty's example: U has ones on the diagonal and twos above.
    fn twos(n: usize) -> MatX {
        MatX::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 2.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 0.0,
        })
    }

    #[test]
    fn the_exponential_examples_take_every_partition_but_one() {
        for n in 1..=10 {
            let U = twos(n);
            for (name, A) in [("Murty", U.clone()), ("Fathi", &U * U.transpose())] {
                let problem = BoxLcp::lcp(A, vec![-1.0; n]).unwrap();
                let mut z = vec![0.0; n];
                let report = solve(&problem, &MurtySettings::default(), &mut z);
                assert_eq!((report.status, report.iterations), (Status::Solved, (1 << n) - 1));
                assert_eq!(judged(&problem, &z).natural, 0.0, "{name} n = {n}: {z:?}");
            }
            // the other orientation is one flip
            let problem = BoxLcp::lcp(U.transpose(), vec![-1.0; n]).unwrap();
            let report = solve(&problem, &MurtySettings::default(), &mut vec![0.0; n]);
            assert_eq!(report.iterations, 1);
        }
    }

    #[test]
    fn a_warm_start_takes_no_flips_and_bad_ones_do_no_harm() {
        let problem = random_p_lcp(15, 3);
        let mut z = vec![0.0; 15];
        let cold = solve(&problem, &MurtySettings::default(), &mut z);
        let warm = solve(&problem, &MurtySettings::default(), &mut z);
        assert!(cold.iterations > 0 && warm.iterations == 0);
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300] {
            let mut z = vec![bad; 15];
            let report = solve(&problem, &MurtySettings::default(), &mut z);
            assert_eq!(report.status, Status::Solved);
            assert!(judged(&problem, &z).accepts(1e-12));
        }
    }

    #[test]
    fn cycles_and_contradictions_are_named() {
        // −z + 1: at 0 w = 1 is feasible; from z = 0 with b = −1 it flips to z = −1 and back
        let cycle = BoxLcp::lcp(-MatX::identity(1, 1), vec![-1.0]).unwrap();
        assert_eq!(solve(&cycle, &MurtySettings::default(), &mut [0.0]).status, Status::Stalled);
        let wedge = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
        let wedge = BoxLcp::lcp(wedge, vec![-1.0, -1.0]).unwrap();
        let report = solve(&wedge, &MurtySettings::default(), &mut [0.0; 2]);
        assert_eq!(report.status, Status::Singular);
    }

    #[test]
    fn a_sparse_problem_too_large_for_a_dense_factor_is_refused() {
        let problem = sparse_identity(200_000);
        let (settings, mut z) = (MurtySettings::default(), vec![0.0; 200_000]);
        let report = murty(&problem, &settings, &mut MurtyWorkspace::default(), &never, &mut z);
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        assert_eq!(report, Report::new(Status::NotApplicable(unfit), 0, 0));
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = BoxLcp::lcp(twos(4), vec![-1.0; 4]).unwrap();
        let default = MurtySettings::default();
        let mut z = [0.0; 4];
        let few = MurtySettings { max_flips: 5, ..default };
        let report = solve(&problem, &few, &mut z);
        assert_eq!((report.status, report.iterations), (Status::IterationLimit, 5));
        // a sign that is wrong by 1e−9 may be let pass, and is then not called solved
        let almost = BoxLcp::lcp(MatX::identity(2, 2), vec![-1e-9, -1.0]).unwrap();
        let lax = MurtySettings { sign_tolerance: 2.0, ..default };
        let report = solve(&almost, &lax, &mut [0.0, 1.0]);
        assert_eq!((report.status, report.iterations), (Status::Stalled, 0));
        let lax = MurtySettings { sign_tolerance: 2.0, tolerance: 1e-8, ..default };
        assert_eq!(solve(&almost, &lax, &mut [0.0, 1.0]).status, Status::Solved);
        let small = MurtySettings { max_rows: 3, ..default };
        let unfit = Status::NotApplicable(Unfit::TooLarge { limit: 3 });
        assert_eq!(solve(&problem, &small, &mut [0.0; 4]).status, unfit);
        let mut work = MurtyWorkspace::default();
        let report = murty(&problem, &default, &mut work, &|| true, &mut [0.0; 4]);
        assert_eq!(report.status, Status::Stopped);
    }
}
