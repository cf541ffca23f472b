//! Symmetric principal pivoting, row by row (Keller; Cottle and Dantzig; the solver of ODE).
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`, A symmetric positive semidefinite.
//!
//! # Method
//!
//! Rows that are settled satisfy their conditions: at a bound with the right sign of w, or basic
//! (`w = 0`). The other rows wait, their z held. One row after another, free ones first, is driven:
//! z_i moves against w_i, the basic rows C follow by `A_CC Δz_C = −A_Ci Δz_i`, until `w_i = 0`, or
//! z_i meets its bound, or a settled row would break its condition: then that row changes its
//! place and the drive goes on. A_CC stays positive definite; its Cholesky factor is updated.
//! Theory: `docs/theory/keller.md`, \[Keller73\], \[CD68\], \[Baraff94\].
//!
//! # Cost
//!
//! O(n·c) a pivot for c basic rows; about n to 3n pivots.
//!
//! # When it fails
//!
//! A drive without end is a direction d with `A d = 0`, `b·d < 0`: no solution ([`Status::Ray`]).
//! A negative pivot means that A is not semidefinite ([`Status::Singular`]).

mod cholesky;
mod drive;

use crate::matrix::Matrix;
use crate::measure::{Measure, into_bounds};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use cholesky::Cholesky;
use drive::Drive;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KellerSettings {
    /// Stop after this many pivots. Any; default 100 000.
    pub max_pivots: usize,
    /// A row whose pivot is at most this times its diagonal depends on the basic rows. In
    /// [1e−15, 1e−4]; default 1e−11.
    pub pivot_tolerance: f64,
    /// A wrong sign of w counts when it exceeds this, relative to the terms of its row. In
    /// [0, 1e−6]; default 1e−12.
    pub sign_tolerance: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
    /// Problems with more rows are refused: the factor is dense. Default 3000.
    pub max_rows: usize,
}

impl Default for KellerSettings {
    fn default() -> Self {
        Self {
            max_pivots: 100_000,
            pivot_tolerance: 1e-11,
            sign_tolerance: 1e-12,
            tolerance: 1e-10,
            max_rows: 3000,
        }
    }
}

/// Largest `|a_ij − a_ji|` against the entries and `√(a_ii a_jj)`.
const SYMMETRY: f64 = 1e-8;
/// Rounds over the rows; those after the first repair what rounding has spoilt.
const ROUNDS: usize = 4;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not driven yet; z is held and w may have either sign.
    Waiting,
    Lower,
    Upper,
    Basic,
    /// `w = 0` between the bounds, dependent on the basic rows, z held.
    Held,
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct KellerWorkspace {
    place: Vec<Place>,
    basic: Vec<usize>,
    factor: Cholesky,
    /// Rows that the factor has refused since it last changed.
    refused: Vec<bool>,
    dz_basic: Vec<f64>,
    dw: Vec<f64>,
    dw_size: Vec<f64>,
    measure: Measure,
}

impl KellerWorkspace {
    pub fn new(n: usize) -> Self {
        let vector = || Vec::with_capacity(n);
        let mut factor = Cholesky::default();
        factor.reset(n);
        Self {
            place: Vec::with_capacity(n),
            basic: Vec::with_capacity(n),
            factor,
            refused: Vec::with_capacity(n),
            dz_basic: vector(),
            dw: vector(),
            dw_size: vector(),
            measure: Measure::new(n),
        }
    }
}

/// Symmetric principal pivoting. A warm start offers the rows strictly within their bounds as basic
/// ones. `Report::iterations` counts pivots.
pub fn keller(
    problem: &BoxLcp,
    settings: &KellerSettings,
    work: &mut KellerWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    if problem.n() > settings.max_rows {
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        return Report::new(Status::NotApplicable(unfit), 0, 0);
    }
    if !is_symmetric(problem.A()) {
        return Report::new(Status::NotApplicable(Unfit::NotSymmetric), 0, 0);
    }
    let mut drive = Drive { problem, settings, work, stop, pivots: 0 };
    let mut factorizations = 0;
    let mut status = Status::Stalled;
    for _ in 0..ROUNDS {
        drive.start(z);
        factorizations += 1;
        status = drive.all_rows(z);
        into_bounds(problem, z);
        drive.work.measure.evaluate(problem, z);
        if drive.work.measure.meets(settings.tolerance) {
            status = Status::Solved;
            break;
        }
        if status != Status::Solved {
            break;
        }
        status = Status::Stalled; // one more round from here
    }
    Report::new(status, drive.pivots, factorizations)
}

fn is_symmetric(A: &Matrix) -> bool {
    let mut symmetric = true;
    for j in 0..A.ncols() {
        A.for_column(j, |i, a_ij| {
            let a_ji = A.get(j, i);
            let size = (A.get(i, i) * A.get(j, j)).abs().sqrt().max(a_ij.abs()).max(a_ji.abs());
            symmetric &= (a_ij - a_ji).abs() <= SYMMETRY * size;
        });
    }
    symmetric
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &KellerSettings, z: &mut [f64]) -> Report {
        keller(problem, settings, &mut KellerWorkspace::new(problem.n()), &never, z)
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        solves_the_catalogue((1e-14, 1e-14), |p, z| solve(p, &KellerSettings::default(), z));
    }

    #[test]
    fn random_semidefinite_problems_are_solved() {
        let mut work = KellerWorkspace::default();
        for seed in 0..60 {
            let n = 1 + seed as usize % 29;
            let psd = degenerate_psd_lcp(n, seed);
            for problem in [random_spd_lcp(n, seed), random_box(n, seed), psd] {
                let mut z = vec![0.0; n];
                let settings = KellerSettings::default();
                let report = keller(&problem, &settings, &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-12), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn semidefinite_boxes_with_redundant_equations_are_solved() {
        let mut random = Random::new(5);
        // 8 rows that see only 3 degrees of freedom; the first four are free and consistent
        let J = random.matrix(8, 3);
        let v = random.matrix(3, 1);
        let b: Vec<f64> = (&J * v).iter().copied().collect();
        let lower = (0..8).map(|i| if i < 4 { f64::NEG_INFINITY } else { 0.0 }).collect();
        let upper = (0..8).map(|i| if i < 6 { f64::INFINITY } else { 0.3 }).collect();
        let problem = BoxLcp::new(&J * J.transpose(), b, lower, upper).unwrap();
        let mut z = [0.0; 8];
        let report = solve(&problem, &KellerSettings::default(), &mut z);
        assert_eq!(report.status, Status::Solved);
        assert!(judged(&problem, &z).accepts(1e-13));
    }

    #[test]
    fn a_warm_start_saves_pivots_and_bad_ones_do_no_harm() {
        let problem = random_spd_lcp(25, 3);
        let mut z = vec![0.0; 25];
        let cold = solve(&problem, &KellerSettings::default(), &mut z);
        let warm = solve(&problem, &KellerSettings::default(), &mut z);
        assert!(cold.iterations > 5 && warm.iterations == 0, "{cold:?} {warm:?}");
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 1.0] {
            let mut z = vec![bad; 25];
            let report = solve(&problem, &KellerSettings::default(), &mut z);
            assert_eq!(report.status, Status::Solved, "{bad}");
            assert!(judged(&problem, &z).accepts(1e-12));
        }
    }

    #[test]
    fn what_it_cannot_treat_is_named() {
        let status = |A: &[f64], b: &[f64]| {
            let problem = BoxLcp::lcp(MatX::from_row_slice(2, 2, A), b.to_vec()).unwrap();
            solve(&problem, &KellerSettings::default(), &mut [0.0; 2]).status
        };
        let not_symmetric = Status::NotApplicable(Unfit::NotSymmetric);
        assert_eq!(status(&[1., 0.5, 0., 1.], &[-1., -1.]), not_symmetric);
        // two walls closing on one body
        assert_eq!(status(&[1., -1., -1., 1.], &[-1., -1.]), Status::Ray);
        // indefinite
        assert_eq!(status(&[1., 2., 2., 1.], &[-1., -5.]), Status::Singular);
    }

    #[test]
    fn a_sparse_problem_too_large_for_a_dense_factor_is_refused() {
        let problem = sparse_identity(200_000);
        let (settings, mut z) = (KellerSettings::default(), vec![0.0; 200_000]);
        let report = keller(&problem, &settings, &mut KellerWorkspace::default(), &never, &mut z);
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        assert_eq!(report, Report::new(Status::NotApplicable(unfit), 0, 0));
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = random_spd_lcp(10, 2);
        let default = KellerSettings::default();
        let few = KellerSettings { max_pivots: 2, ..default };
        let report = solve(&problem, &few, &mut [0.0; 10]);
        assert_eq!((report.status, report.iterations), (Status::IterationLimit, 2));
        // almost dependent rows count as dependent
        let A = MatX::from_row_slice(2, 2, &[1., 1., 1., 1.0 + 1e-6]);
        let close = BoxLcp::lcp(A, vec![-1.0, -1.0 - 1e-7]).unwrap();
        let mut z = [0.0; 2];
        assert_eq!(solve(&close, &default, &mut z).status, Status::Solved);
        assert!((z[1] - 0.1).abs() < 1e-8);
        let coarse = KellerSettings { pivot_tolerance: 1e-4, ..default };
        let mut other = [0.0; 2];
        solve(&close, &coarse, &mut other);
        assert!((other[1] - z[1]).abs() > 1e-3, "{other:?}");
        // a sign that is wrong by 1e−7 may be let pass, and is then not called solved
        let almost = BoxLcp::lcp(MatX::identity(2, 2), vec![-1e-7, -1.0]).unwrap();
        let lax = KellerSettings { sign_tolerance: 2.0, ..default };
        assert_eq!(solve(&almost, &lax, &mut [0.0, 1.0]).status, Status::Stalled);
        let laxer = KellerSettings { tolerance: 1e-6, ..lax };
        assert_eq!(solve(&almost, &laxer, &mut [0.0, 1.0]).status, Status::Solved);
        let small = KellerSettings { max_rows: 9, ..default };
        let unfit = Status::NotApplicable(Unfit::TooLarge { limit: 9 });
        assert_eq!(solve(&problem, &small, &mut [0.0; 10]).status, unfit);
        let mut work = KellerWorkspace::new(10);
        let report = keller(&problem, &default, &mut work, &|| true, &mut [0.0; 10]);
        assert_eq!(report.status, Status::Stopped);
    }
}
