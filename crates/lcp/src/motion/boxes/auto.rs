//! The chain for one island of contacts between bounds.

use super::interior_point::{InteriorSettings, InteriorWork, interior_point};
use super::newton::{NewtonSettings, NewtonWork, newton};
use super::problem::{Bounds, BoxProblem, View};
use crate::cone::Triple;
use crate::judge::{BoxResidual, Judge};
use crate::motion::factor::Factor;
use crate::report::{Report, Status, Stop};

/// One solver tried on the way to the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxLink {
    pub solver: &'static str,
    pub report: Report,
    /// The judge's scaled residual of what this link left behind.
    pub residual: f64,
}

/// What is known at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxReport {
    /// The judge has accepted the answer at the tolerance asked for.
    pub certified: bool,
    pub residual: BoxResidual,
}

/// Memory, reused by every solve; carries no information from one to the next but the symbolic analysis of a
/// graph of contacts, which is found again where the graph is the same.
#[derive(Clone, Debug, Default)]
pub struct BoxWork {
    /// Every solver tried in the last solve, in order.
    pub links: Vec<BoxLink>,
    judge: Judge,
    factor: Factor,
    newton: NewtonWork,
    interior: InteriorWork,
    trial: Vec<Triple>,
    best: Vec<Triple>,
    /// Bounds of the same contacts, friction bounded by numbers.
    frozen: Vec<Bounds>,
}

/// Links aim at this part of the tolerance.
const AIM: f64 = 0.02;
/// κ of a Newton that starts near a solution.
const STIFF: f64 = 1e5;
/// Factorizations of a Newton from the last step, and from an interior point.
const FROM_WARM: usize = 12;
const FROM_INTERIOR: usize = 60;
/// Rounds in which friction is bounded by the normal impulses of the last.
const ROUNDS: usize = 40;
/// A residual below this may be a matter of a few Newton steps.
const NEAR: f64 = 1e-3;

/// Solves one island of contacts, and judges. `r` holds the warm start on entry, zeros where there is none, and the
/// answer on return: the best that was found, where it is not certified.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn solve_boxes(
    problem: &BoxProblem,
    tol: f64,
    work: &mut BoxWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> BoxReport {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.links.clear();
    work.trial.clear();
    work.trial.resize(r.len(), [0.0; 3]);
    work.best.clone_from(&work.trial);
    let residual = BoxResidual::WORST;
    let mut chain = Chain { problem, tol, work, stop, residual, certified: false };
    chain.find(r);
    let Chain { certified, residual, .. } = chain;
    r.copy_from_slice(&work.best);
    BoxReport { certified, residual }
}

struct Chain<'a> {
    problem: &'a BoxProblem,
    tol: f64,
    work: &'a mut BoxWork,
    stop: Stop<'a>,
    residual: BoxResidual,
    certified: bool,
}

impl Chain<'_> {
    /// True when the judge has accepted an answer.
    fn find(&mut self, warm: &[Triple]) -> bool {
        (warm.iter().any(|r| *r != [0.0; 3]) && self.warm(warm))
            || self.zero()
            || self.interior()
            || self.rounds()
    }

    /// The last step, and Newton from there.
    fn warm(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        self.judged("warm", Report::new(Status::Stalled, 0, 0)) || self.newton(FROM_WARM)
    }

    fn zero(&mut self) -> bool {
        self.work.trial.fill([0.0; 3]);
        self.judged("zero", Report::new(Status::Stalled, 0, 0))
    }

    /// The interior point, and Newton from there.
    fn interior(&mut self) -> bool {
        let settings = InteriorSettings { max_iterations: 80, tol: AIM * self.tol };
        let work = &mut *self.work;
        let memory = (&mut work.interior, &mut work.factor);
        let report = interior_point(self.problem.view(), &settings, memory, self.stop, &mut work.trial);
        self.judged("interior-point", report) || self.newton(FROM_INTERIOR)
    }

    /// Friction bounded by the normal impulses of the last round, a convex problem, until they agree; Newton where they nearly do.
    fn rounds(&mut self) -> bool {
        if self.problem.view().is_convex() {
            return false;
        }
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            if (self.stop)() {
                return false;
            }
            let work = &mut *self.work;
            freeze(self.problem.bounds(), &work.trial, &mut work.frozen);
            let frozen = View { bounds: &work.frozen, ..self.problem.view() };
            let settings = NewtonSettings {
                tol: 1e-3 * self.tol,
                max_factorizations: FROM_INTERIOR,
                stiffness: STIFF,
            };
            let memory = (&mut work.newton, &mut work.factor);
            let report = newton(frozen, &settings, memory, self.stop, &mut work.trial);
            if self.judged("block-pivoting", report) {
                return true;
            }
            let residual = self.work.links.last().map_or(f64::INFINITY, |link| link.residual);
            if residual <= NEAR && residual < last {
                self.work.best.clone_from(&self.work.trial);
                if self.newton(FROM_WARM) {
                    return true;
                }
            }
            last = residual;
        }
        false
    }

    fn newton(&mut self, max_factorizations: usize) -> bool {
        let settings =
            NewtonSettings { tol: 1e-4 * self.tol, max_factorizations, stiffness: STIFF };
        let work = &mut *self.work;
        let memory = (&mut work.newton, &mut work.factor);
        let report = newton(self.problem.view(), &settings, memory, self.stop, &mut work.trial);
        self.judged("newton", report)
    }

    fn judged(&mut self, solver: &'static str, mut report: Report) -> bool {
        let work = &mut *self.work;
        let residual = work.judge.boxes(self.problem, &work.trial);
        let accepted = residual.accepts(self.tol);
        if accepted {
            report.status = Status::Solved;
        }
        work.links.push(BoxLink { solver, report, residual: residual.scaled });
        if residual.scaled < self.residual.scaled || (accepted && !self.certified) {
            work.best.copy_from_slice(&work.trial);
            self.residual = residual;
        }
        self.certified |= accepted;
        accepted
    }
}

/// Friction bounded by the normal impulses of r; polygons by the square around the disc.
fn freeze(bounds: &[Bounds], r: &[Triple], frozen: &mut Vec<Bounds>) {
    frozen.clear();
    frozen.extend(bounds.iter().zip(r).map(|(bounds, r)| {
        let n = r[0].max(0.0);
        let half = match *bounds {
            Bounds::Fixed { .. } => return *bounds,
            Bounds::Axes { mu } => mu.map(|mu| mu * n),
            Bounds::Polygon { mu } => [mu * n; 2],
        };
        let lower = [0.0, -half[0], -half[1]];
        Bounds::Fixed { lower, upper: [f64::INFINITY, half[0], half[1]] }
    }));
}
