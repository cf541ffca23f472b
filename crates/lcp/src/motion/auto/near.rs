//! From a start that is nearly the answer: modes as they stand, to rounding.

use super::heap::moves;
use super::{LARGEST_FLOOR, MotionLink, MotionWork};
use crate::cone::Triple;
use crate::judge::FrictionResidual;
use crate::motion::MotionProblem;
use crate::motion::few::Precision;
use crate::motion::polish::{Polish, polish};
use crate::motion::two_parts::{self, in_two_parts};
use crate::report::{Report, Status};

/// What is at rounding.
const NEARLY_EXACT: f64 = 1e-14;
/// Of a start that is near, each better than the last.
const POLISHES: usize = 4;
/// What is asked, as a part of the tolerance; of few contacts that polishing does not change any more less, as their gaps may
/// contradict each other by rounding: those of links around a drum.
const FINE: f64 = 0.01;
const SETTLED: f64 = 0.1;
/// From a start beyond this residual contacts that slip are not polished.
const FAR: f64 = 0.1;

/// Solves one small island from a start whose modes are nearly those of its answer, to rounding, or at least to a hundredth of the
/// tolerance, a tenth where no more is to be had. None where the modes are others; `r` is as it was then. Where rounding r costs more than that and `may_split`, the answer may be in
/// two parts, the second of them `work.low`.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn solve_motion_near(
    problem: &MotionProblem,
    (tol, may_split): (f64, bool),
    work: &mut MotionWork,
    r: &mut [Triple],
) -> Option<FrictionResidual> {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.trial.clear();
    work.trial.extend_from_slice(r);
    let mut judge = std::mem::take(&mut work.judge);
    let mut best = FrictionResidual::WORST;
    let mut polishes = 0;
    let are_few = work.few.begin(problem);
    // a start that is clearly no answer needs no judge
    if are_few && work.few.find_modes(problem, &work.trial) == Some(true) {
        polishes = usize::from(work.few.polish(problem, Precision::Single, &mut work.trial));
    }
    let is_settled = loop {
        let residual = judge.motion(problem, &work.trial);
        let is_better = residual.scaled < 0.5 * best.scaled;
        if is_better {
            work.best.clone_from(&work.trial);
            work.u.clear();
            work.u.extend(judge.w().chunks_exact(3).map(|u| [u[0], u[1], u[2]]));
            best = residual;
        }
        // modes of what slips are not seen from afar
        if polishes == 0 && best.scaled > FAR && moves(problem, &work.trial) {
            break false;
        }
        let exact = NEARLY_EXACT.max(3.0 * best.floor).min(LARGEST_FLOOR);
        if best.scaled <= exact
            || !is_better
            || polishes == POLISHES
            || !improve(problem, are_few, work)
        {
            break are_few && !is_better;
        }
        polishes += 1;
    };
    work.judge = judge;
    work.links.clear();
    work.low.clear();
    work.x.clear();
    let goal = if is_settled { SETTLED } else { FINE } * tol;
    if !best.accepts(NEARLY_EXACT.max(goal)) {
        // of what rounding costs some is to be had
        if !(may_split && two_parts::is_worth(&best, tol)) {
            return None;
        }
        let mut rounded = std::mem::take(&mut work.best);
        let residual = in_two_parts(problem, tol, work, &mut rounded);
        if residual.is_some() {
            r.copy_from_slice(&rounded);
        }
        work.best = rounded;
        return residual;
    }
    let solver = if polishes == 0 { "warm" } else { "polish" };
    let report = Report::new(Status::Solved, polishes, polishes);
    work.links.push(MotionLink { solver, report, residual: best.scaled });
    r.copy_from_slice(&work.best);
    Some(best)
}

/// One polish of the trial. False if there is none.
fn improve(problem: &MotionProblem, are_few: bool, work: &mut MotionWork) -> bool {
    let is_known = are_few && work.few.find_modes(problem, &work.trial).is_some();
    if is_known && work.few.polish(problem, Precision::Twice, &mut work.trial) {
        return true;
    }
    let memory = (&mut work.polish, &mut work.factor);
    polish(problem, Polish::GENTLE, memory, &mut work.trial)
}
