//! Nonsmooth Gauss–Seidel: contact after contact, each solved exactly, the others held.
//!
//! Theory: `docs/theory/nsgs.md`.
//!
//! # Method
//!
//! ```text
//!  for each contact c:   q̂ = q_c + Σ_{d≠c} W_cd r_d ,   r_c ← solution of u = W_cc r + q̂   (local.rs)
//! ```
//!
//! A contact that already obeys the law is passed over. The error of every contact before its update
//! is summed on the way; when the sum is small the true error is computed, and only that one ends the
//! solve.
//!
//! # Cost
//!
//! One sweep reads W once and solves at most k contacts. Sweeps grow with the depth of the pile and
//! with the mass ratio.
//!
//! # When it fails
//!
//! Slow, then [`Status::IterationLimit`], for heavy on light; cycles are possible with large μ (no
//! proof of convergence exists). [`Status::Diverged`] when impulses grow without bound. The answer is
//! the best sweep's in all cases.

use super::blocks::{Blocks, bounded, zeros};
use super::local::solve_contact;
use super::{Triple, block_times, project_cone};
use crate::friction::FrictionProblem;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NsgsSettings {
    /// Sweeps at most. Default 10 000.
    pub max_sweeps: usize,
    /// Solved when the error, a velocity relative to ‖q‖, and the field's `‖r − P_K(r − ũ)‖ / ‖q‖` are
    /// at most this, or as small as rounding lets them be. ≥ 0; default 1e-12.
    pub tol: f64,
    /// New impulse = old + relaxation · (exact − old). In (0, 2); 1 is Gauss–Seidel, the default.
    pub relaxation: f64,
    /// Default [`SweepOrder::Forward`].
    pub order: SweepOrder,
    /// Given up, [`Status::Stalled`], when eight sweeps leave more than this part of the error. Positive; default ∞: never.
    pub contraction: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepOrder {
    /// First contact to last.
    Forward,
    /// Forward and backward in turn: the answer favours no end of the list, at two to three times the
    /// sweeps on piles and walls.
    Symmetric,
}

impl Default for NsgsSettings {
    fn default() -> Self {
        let contraction = f64::INFINITY;
        Self {
            max_sweeps: 10_000,
            tol: 1e-12,
            relaxation: 1.0,
            order: SweepOrder::Forward,
            contraction,
        }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct NsgsWorkspace {
    blocks: Blocks,
    r: Vec<Triple>,
    u: Vec<Triple>,
    best: Vec<Triple>,
}

/// Every so many sweeps the true error is computed in any case: rounding may keep the sweep's own
/// above the tolerance.
const ASK_EVERY: usize = 64;
/// Sweeps over which contraction is measured.
const MEASURED: usize = 8;

/// Nonsmooth Gauss–Seidel. `r` holds the warm start on entry and the answer on return; `iterations`
/// counts sweeps.
///
/// # Panics
///
/// If `r` has the wrong length.
pub fn nsgs(
    problem: &FrictionProblem,
    settings: &NsgsSettings,
    work: &mut NsgsWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.blocks.load(problem, r, &mut work.r);
    zeros(&mut work.u, problem.contacts());
    work.best.clone_from(&work.r);
    let (status, sweeps) = iterate(settings, work, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, sweeps, 0)
}

fn iterate(settings: &NsgsSettings, work: &mut NsgsWorkspace, stop: Stop<'_>) -> (Status, usize) {
    let mut best_error = f64::INFINITY;
    // the true error is asked for when the sweep's own falls below this
    let mut ask_below = settings.tol;
    let mut mark = f64::INFINITY;
    for sweep in 0..settings.max_sweeps {
        if stop() {
            return (Status::Stopped, sweep);
        }
        let backward = settings.order == SweepOrder::Symmetric && sweep % 2 == 1;
        let (error, changed) = sweep_once(settings.relaxation, work, backward, ask_below);
        if !(error < f64::INFINITY && bounded(&work.r)) {
            return (Status::Diverged, sweep + 1);
        }
        if error < best_error {
            best_error = error;
            work.best.clone_from(&work.r);
        }
        if sweep % MEASURED == 0 {
            if error > settings.contraction * mark {
                return (Status::Stalled, sweep + 1);
            }
            mark = error;
        }
        if error <= ask_below || !changed || sweep % ASK_EVERY == ASK_EVERY - 1 {
            work.blocks.velocity(&work.r, &mut work.u);
            let true_error = work.blocks.error(&work.r, &work.u);
            if work.blocks.accepts(true_error, settings.tol, (&work.r, &work.u)) {
                work.best.clone_from(&work.r);
                return (Status::Solved, sweep + 1);
            }
            if !changed && ask_below < 1e-3 * settings.tol {
                return (Status::Stalled, sweep + 1);
            }
            if error <= ask_below || !changed {
                ask_below *= 0.5;
            }
        }
    }
    (Status::IterationLimit, settings.max_sweeps)
}

/// One sweep: the error seen on the way, and whether any impulse changed.
fn sweep_once(omega: f64, work: &mut NsgsWorkspace, backward: bool, goal: f64) -> (f64, bool) {
    let (blocks, r) = (&work.blocks, &mut work.r);
    let k = blocks.contacts();
    // a contact with less error is not worth a solve: all of them together stay below the goal
    let negligible = 0.1 * goal * blocks.q_norm() / (k as f64).sqrt();
    let (mut sum, mut changed) = (0.0, false);
    for step in 0..k {
        let c = if backward { k - 1 - step } else { step };
        let q = blocks.free_velocity(c, r);
        let w = block_times(&blocks.diagonal[c], &r[c]);
        let u = [q[0] + w[0], q[1] + w[1], q[2] + w[2]];
        let error = blocks.contact_error(c, &r[c], &u);
        sum += error * error;
        if error <= negligible {
            continue;
        }
        let old = r[c];
        solve_contact(&blocks.diagonal[c], &q, blocks.mu[c], &mut r[c]);
        if omega != 1.0 {
            let x: Triple = std::array::from_fn(|i| old[i] + omega * (r[c][i] - old[i]));
            r[c] = project_cone(&x, blocks.mu[c]);
        }
        changed |= r[c] != old;
    }
    (sum.sqrt() / blocks.q_norm(), changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{POINT_CASES, catalogue, judged, planar, point, stack};
    use crate::judge::Judge;
    use crate::never;

    fn solve(problem: &FrictionProblem, settings: &NsgsSettings) -> (Report, Vec<f64>) {
        let mut r = vec![0.0; problem.n()];
        let report = nsgs(problem, settings, &mut NsgsWorkspace::default(), &never, &mut r);
        (report, r)
    }

    #[test]
    fn a_point_mass_takes_one_solve() {
        for (q, expected) in POINT_CASES {
            let (report, r) = solve(&point(0.5, q), &NsgsSettings::default());
            assert_eq!(report.status, Status::Solved);
            assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-14), "{r:?}");
            assert!(report.iterations <= 2);
        }
    }

    #[test]
    fn the_catalogue_is_solved() {
        for (name, problem) in catalogue() {
            let (report, r) = solve(&problem, &NsgsSettings::default());
            let residual = Judge::default().friction(&problem, &r);
            assert_eq!(report.status, Status::Solved, "{name}");
            assert!(residual.accepts(1e-11), "{name}: {}", residual.scaled);
        }
    }

    #[test]
    fn mass_ratio_is_slow_but_never_a_lie() {
        for ratio in [1e2, 1e6] {
            let problem = stack(2, ratio, 0.5, [0.1, 0.0]);
            let (report, r) = solve(&problem, &NsgsSettings::default());
            let residual = judged(&problem, &r);
            assert!(report.status != Status::Solved || residual < 1e-9, "{report:?} {residual}");
        }
    }

    #[test]
    fn a_warm_start_is_cheaper() {
        let problem = stack(3, 2.0, 0.4, [0.5, 0.2]);
        let (cold, mut r) = solve(&problem, &NsgsSettings::default());
        let warm =
            nsgs(&problem, &NsgsSettings::default(), &mut NsgsWorkspace::default(), &never, &mut r);
        assert_eq!((cold.status, warm.status), (Status::Solved, Status::Solved));
        assert!(warm.iterations <= 2 && cold.iterations > 10, "{cold:?} {warm:?}");
    }

    #[test]
    fn every_setting_changes_something() {
        let problem = stack(3, 2.0, 0.4, [0.5, 0.2]);
        let plain = NsgsSettings::default();
        let sweeps = |settings| solve(&problem, &settings).0;
        let base = sweeps(plain);
        let capped = sweeps(NsgsSettings { max_sweeps: 3, ..plain });
        assert_eq!((capped.status, capped.iterations), (Status::IterationLimit, 3));
        assert!(sweeps(NsgsSettings { tol: 1e-6, ..plain }).iterations < base.iterations);
        assert_ne!(sweeps(NsgsSettings { relaxation: 0.7, ..plain }).iterations, base.iterations);
        let hurried = sweeps(NsgsSettings { contraction: 1e-6, ..plain });
        assert_eq!((hurried.status, hurried.iterations), (Status::Stalled, 9));
        let symmetric = NsgsSettings { order: SweepOrder::Symmetric, ..plain };
        assert_ne!(sweeps(symmetric).iterations, base.iterations);
    }

    #[test]
    fn a_caller_can_stop_it_and_hopeless_problems_end() {
        let problem = stack(2, 1.0, 0.5, [0.0, 0.0]);
        let mut r = vec![0.0; problem.n()];
        let work = &mut NsgsWorkspace::default();
        let report = nsgs(&problem, &NsgsSettings::default(), work, &|| true, &mut r);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
        let nothing =
            FrictionProblem::new(3, crate::MatX::zeros(3, 3), vec![-1.0, 0.0, 0.0], vec![0.5]);
        let (report, r) = solve(&nothing.unwrap(), &NsgsSettings::default());
        assert!(report.status != Status::Solved && r.iter().all(|x| x.is_finite()));
        let empty = FrictionProblem::new(3, crate::MatX::zeros(0, 0), vec![], vec![]).unwrap();
        assert_eq!(solve(&empty, &NsgsSettings::default()).0.status, Status::Solved);
    }

    #[test]
    fn units_do_not_change_a_bit() {
        let problem = planar(&stack(2, 3.0, 0.3, [0.5, 0.0]));
        let (a, b) = (2f64.powi(20), 2f64.powi(-12));
        let crate::Matrix::Dense(W) = problem.W() else { panic!("dense") };
        let q = problem.q().iter().map(|x| x * b).collect();
        let scaled = FrictionProblem::new(2, W * a, q, problem.mu().to_vec()).unwrap();
        let settings = NsgsSettings::default();
        let ((plain, r), (other, s)) = (solve(&problem, &settings), solve(&scaled, &settings));
        assert_eq!(plain, other);
        assert!(r.iter().zip(&s).all(|(r, s)| r * (b / a) == *s));
    }
}
