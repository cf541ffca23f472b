//! The chain.

use super::MotionProblem;
use crate::cone::Triple;
use crate::judge::{FrictionResidual, Judge};
use crate::report::{Report, Stop};
use crate::solve::{FrictionSolver, solve_friction};

/// One solver tried on the way to the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLink {
    pub solver: &'static str,
    pub report: Report,
    /// The judge's scaled residual of what this link left behind.
    pub residual: f64,
}

/// What is known at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionReport {
    /// The judge has accepted the answer at the tolerance asked for.
    pub certified: bool,
    pub residual: FrictionResidual,
}

/// Memory, reused by every solve; carries no information from one to the next but the symbolic analysis of a
/// graph of contacts, which is found again where the graph is the same.
#[derive(Clone, Debug, Default)]
pub struct MotionWork {
    /// Every solver tried in the last solve, in order.
    pub links: Vec<MotionLink>,
    /// Contact velocities of the last answer.
    pub u: Vec<Triple>,
    judge: Judge,
}

/// Solves one island of contacts, and judges. `r` holds the warm start on entry, zeros where there is none, and the
/// answer on return: the best that was found, where it is not certified.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn solve_motion(
    problem: &MotionProblem,
    tol: f64,
    work: &mut MotionWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> MotionReport {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.links.clear();
    let local = problem.to_local().expect("checked");
    let answer = solve_friction(&local, FrictionSolver::Auto, tol, stop);
    let dim = problem.dim();
    for (c, r_c) in r.iter_mut().enumerate() {
        *r_c = std::array::from_fn(|i| if i < dim { answer.r[dim * c + i] } else { 0.0 });
    }
    work.links.extend(answer.chain.iter().map(|link| MotionLink {
        solver: link.solver,
        report: link.report,
        residual: link.residual,
    }));
    let residual = work.judge.motion(problem, r);
    work.u.clear();
    work.u.extend(work.judge.w().chunks_exact(3).map(|u| [u[0], u[1], u[2]]));
    MotionReport { certified: residual.accepts(tol), residual }
}
