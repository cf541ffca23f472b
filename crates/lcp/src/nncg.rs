//! Nonsmooth nonlinear conjugate gradient on projected Gauss–Seidel.
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`, all `A_ii > 0`.
//!
//! # Method
//!
//! The step `s = PGS(z) − z` of one sweep vanishes exactly at solutions; it is taken for a negative
//! gradient, and Fletcher–Reeves does the rest:
//!
//! ```text
//!  β = ‖s‖² / ‖s_before‖²      z ← clamp(PGS(z) + β p)      p ← s + β p
//! ```
//!
//! β above `restart_above` sets p to zero. PGS may be one sweep, or one forwards and one back. The norm weighs rows by A_ii, so that units cancel.
//! Theory: `docs/theory/nncg.md`, \[SNE10\].
//!
//! # Cost
//!
//! That of a sweep of `pgs`, and three vectors. Where PGS converges linearly this takes about the
//! square root of its sweeps.
//!
//! # When it fails
//!
//! Nothing is proved. In practice it needs what PGS needs, and may wander where A is far from
//! symmetric ([`Status::IterationLimit`], [`Status::Diverged`]).

use crate::measure::{Measure, into_bounds};
use crate::pgs::{CHECK_EVERY, Order, Rows, Sweep, without_positive_diagonal};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};

/// What stands for PGS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NncgSweep {
    /// One sweep, first row to last.
    Forward,
    /// A sweep and one back: twice the work, and a symmetric operator, as conjugate gradients like.
    Symmetric,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NncgSettings {
    /// Stop after this many sweeps. Any; default 10 000.
    pub max_sweeps: usize,
    /// Default `Forward`.
    pub sweep: NncgSweep,
    /// Forget the direction when β exceeds this, dimensionless, ≥ 0; default 1. Zero is `pgs`.
    pub restart_above: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
}

impl Default for NncgSettings {
    fn default() -> Self {
        Self { max_sweeps: 10_000, sweep: NncgSweep::Forward, restart_above: 1.0, tolerance: 1e-10 }
    }
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct NncgWorkspace {
    rows: Rows,
    before: Vec<f64>,
    direction: Vec<f64>,
    best: Vec<f64>,
    measure: Measure,
}

impl NncgWorkspace {
    pub fn new(n: usize) -> Self {
        let vector = || Vec::with_capacity(n);
        let (rows, measure) = (Rows::new(n), Measure::new(n));
        Self { rows, before: vector(), direction: vector(), best: vector(), measure }
    }

    fn start(&mut self, problem: &BoxLcp, z: &[f64]) {
        self.rows.copy(problem);
        self.best.clear();
        self.best.extend_from_slice(z);
        self.before.clear();
        self.before.resize(z.len(), 0.0);
        self.direction.clear();
        self.direction.resize(z.len(), 0.0);
    }

    /// `Σ A_ii s_i²` of the step from `before` to z.
    fn step_squared(&self, z: &[f64]) -> f64 {
        let step = z.iter().zip(&self.before).map(|(z_i, before)| z_i - before);
        step.zip(&self.rows.diagonal).map(|(s, a_ii)| a_ii.max(0.0) * s * s).sum()
    }

    /// PGS(z), the step measured from `before`.
    fn sweep(&mut self, problem: &BoxLcp, kind: NncgSweep, z: &mut [f64]) -> Sweep {
        self.before.copy_from_slice(z);
        let mut sweep = self.rows.sweep(problem, 1.0, Order::Forward, z);
        if kind == NncgSweep::Symmetric {
            let back = self.rows.sweep(problem, 1.0, Order::Backward, z);
            sweep.residual = sweep.residual.max(back.residual);
            sweep.change = sweep.change.max(back.change);
        }
        sweep
    }

    /// `z ← clamp(z + β p)`, `p ← s + β p`.
    fn extrapolate(&mut self, problem: &BoxLcp, beta: f64, z: &mut [f64]) {
        for i in 0..z.len() {
            let (step, carried) = (z[i] - self.before[i], beta * self.direction[i]);
            self.direction[i] = step + carried;
            z[i] = problem.clamp(i, z[i] + carried);
        }
    }
}

/// Nonsmooth nonlinear conjugate gradient. `Report::iterations` counts sweeps. If the iterates run
/// away, z is the best one met.
pub fn nncg(
    problem: &BoxLcp,
    settings: &NncgSettings,
    work: &mut NncgWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    if let Some(row) = without_positive_diagonal(problem) {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(row)), 0, 0);
    }
    work.start(problem, z);
    let (mut squared_before, mut best_residual) = (0.0, f64::INFINITY);
    let each = if settings.sweep == NncgSweep::Symmetric { 2 } else { 1 };
    let mut sweeps = 0;
    while sweeps < settings.max_sweeps {
        if stop() {
            return Report::new(Status::Stopped, sweeps, 0);
        }
        let sweep = work.sweep(problem, settings.sweep, z);
        sweeps += each;
        let squared = work.step_squared(z);
        if !(sweep.residual.is_finite() && squared.is_finite()) {
            z.copy_from_slice(&work.best);
            return Report::new(Status::Diverged, sweeps, 0);
        }
        if sweep.residual < best_residual {
            best_residual = sweep.residual;
            work.best.copy_from_slice(z);
        }
        let settled = sweep.residual <= settings.tolerance || sweep.change == 0.0;
        if settled || sweeps % CHECK_EVERY == 0 {
            work.measure.evaluate(problem, z);
            if work.measure.meets(settings.tolerance) {
                return Report::new(Status::Solved, sweeps, 0);
            }
            if sweep.change == 0.0 {
                return Report::new(Status::Stalled, sweeps, 0);
            }
        }
        let beta = if squared_before > 0.0 { squared / squared_before } else { 0.0 };
        if beta <= settings.restart_above {
            work.extrapolate(problem, beta, z);
        } else {
            work.direction.fill(0.0);
        }
        squared_before = squared;
    }
    Report::new(Status::IterationLimit, sweeps, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::pgs::{PgsSettings, PgsWorkspace, pgs};
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &NncgSettings, z: &mut [f64]) -> Report {
        nncg(problem, settings, &mut NncgWorkspace::new(problem.n()), &never, z)
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        solves_the_catalogue((1e-10, 1e-9), |p, z| solve(p, &NncgSettings::default(), z));
    }

    #[test]
    fn random_definite_problems_are_solved() {
        let mut work = NncgWorkspace::default();
        for seed in 0..30 {
            let n = 1 + seed as usize % 17;
            let psd = degenerate_psd_lcp(n, seed);
            for problem in [random_spd_lcp(n, seed), random_box(n, seed), psd] {
                let mut z = vec![0.0; n];
                let settings = NncgSettings::default();
                let report = nncg(&problem, &settings, &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-10), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn a_long_chain_takes_far_fewer_sweeps_than_gauss_seidel() {
        let problem = chain(60);
        let (mut z, mut z_pgs) = ([0.0; 60], [0.0; 60]);
        let settings = NncgSettings { sweep: NncgSweep::Symmetric, ..Default::default() };
        let report = solve(&problem, &settings, &mut z);
        let pgs_report =
            pgs(&problem, &PgsSettings::default(), &mut PgsWorkspace::new(60), &never, &mut z_pgs);
        assert_eq!((report.status, pgs_report.status), (Status::Solved, Status::Solved));
        assert!(5 * report.iterations < pgs_report.iterations, "{report:?} {pgs_report:?}");
        assert!(judged(&problem, &z).accepts(1e-10));
        // by hand: z_i = (i + 1)(n − i)/2
        assert!((z[29] - 30.0 * 31.0 / 2.0).abs() < 1e-5, "{}", z[29]);
    }

    #[test]
    fn a_warm_start_saves_sweeps_and_bad_ones_do_no_harm() {
        let problem = random_spd_lcp(15, 3);
        let mut z = vec![0.0; 15];
        let cold = solve(&problem, &NncgSettings::default(), &mut z);
        let warm = solve(&problem, &NncgSettings::default(), &mut z);
        assert!(warm.iterations < cold.iterations, "{warm:?} {cold:?}");
        bears_bad_starts(&problem, |p, z| solve(p, &NncgSettings::default(), z));
    }

    #[test]
    fn what_it_cannot_treat_is_named() {
        let zero = BoxLcp::lcp(MatX::zeros(1, 1), vec![-1.0]).unwrap();
        let report = solve(&zero, &NncgSettings::default(), &mut [0.0]);
        assert_eq!(report.status, Status::NotApplicable(Unfit::NonPositiveDiagonal(0)));
        let A = MatX::from_row_slice(2, 2, &[1., 3., 3., 1.]);
        let wild = BoxLcp::mixed(A, vec![-1.0, 2.0], &[0, 1]).unwrap();
        let mut z = [0.0; 2];
        assert_eq!(solve(&wild, &NncgSettings::default(), &mut z).status, Status::Diverged);
        assert!(z.iter().all(|z_i| z_i.is_finite()));
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = chain(30);
        let default = NncgSettings::default();
        let sweeps = |settings: &NncgSettings| solve(&problem, settings, &mut [0.0; 30]).iterations;
        let plain = sweeps(&default);
        assert!(sweeps(&NncgSettings { tolerance: 1e-3, ..default }) < plain);
        assert!(sweeps(&NncgSettings { restart_above: 0.0, ..default }) > 2 * plain);
        assert_eq!(sweeps(&NncgSettings { max_sweeps: 4, ..default }), 4);
        let symmetric = NncgSettings { sweep: NncgSweep::Symmetric, ..default };
        let on_long = |settings| solve(&chain(60), settings, &mut [0.0; 60]).iterations;
        assert!(on_long(&symmetric) < on_long(&default));
        let report =
            nncg(&problem, &default, &mut NncgWorkspace::new(30), &|| true, &mut [0.0; 30]);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
