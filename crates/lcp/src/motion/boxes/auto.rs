//! The chain for one island of contacts between bounds.

use super::cones::{as_cones, as_discs};
use super::gradient::{GradientWork, gradient};
use super::interior_point::{InteriorSettings, InteriorWork, interior_point};
use super::newton::{NewtonSettings, NewtonWork, newton};
use super::pivots::{PivotWork, pivots};
use super::problem::{Bounds, BoxProblem, View};
use crate::cone::Triple;
use crate::judge::{BoxResidual, Judge};
use crate::motion::apgd::{ApgdSettings, ApgdWorkspace, apgd};
use crate::motion::factor::Factor;
use crate::motion::{MotionProblem, MotionWork, solve_motion};
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
    pivots: PivotWork,
    gradient: GradientWork,
    apgd: ApgdWorkspace,
    cones: MotionProblem,
    motion: MotionWork,
    trial: Vec<Triple>,
    best: Vec<Triple>,
    /// Bounds of the same contacts, friction bounded by numbers.
    frozen: Vec<Bounds>,
}

/// Links aim at this part of the tolerance.
const AIM: f64 = 0.02;
/// κ of the first inner problem of Newton.
const SOFT: f64 = 10.0;
/// Active sets of pivoting by blocks.
const SETS: usize = 12;
/// Factorizations of one Newton, and of all of them.
const NEWTON: usize = 150;
const BUDGET: usize = 600;
/// Iterations of the gradient; what it leaves below `NEAR` is given to pivots.
const PASSES: usize = 1500;
const NEAR: f64 = 1e-4;
/// A factorization with this many multiplications a contact costs as much as the passes that do without.
const COST_OF_PASSES: f64 = 1e4;
/// Rounds in which friction is bounded by the normal impulses of the last.
const ROUNDS: usize = 8;

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
        let is_warm = warm.iter().any(|r| *r != [0.0; 3]);
        (is_warm && self.warm(warm))
            || self.zero()
            || (!is_warm && !self.is_factored_cheaply() && self.gradient())
            || self.interior()
            || self.cones()
            || self.rounds()
    }

    /// The last step, and its active set.
    fn warm(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        if self.judged("warm", Report::new(Status::Stalled, 0, 0)) {
            return true;
        }
        if self.is_factored_cheaply() { self.pivots() } else { self.gradient() }
    }

    fn zero(&mut self) -> bool {
        self.work.trial.fill([0.0; 3]);
        self.judged("zero", Report::new(Status::Stalled, 0, 0))
    }

    fn is_factored_cheaply(&mut self) -> bool {
        self.work.factor.analyse(self.problem.rows());
        self.work.factor.cost() < COST_OF_PASSES * self.problem.contacts() as f64
    }

    /// First order, and the active set of what it finds: large piles.
    fn gradient(&mut self) -> bool {
        let work = &mut *self.work;
        let tol = AIM * self.tol;
        let report = if self.problem.view().is_convex() {
            gradient(
                self.problem.view(),
                (PASSES, tol),
                &mut work.gradient,
                self.stop,
                &mut work.trial,
            )
        } else if as_discs(self.problem, &mut work.cones) {
            // what sticks within the disc does so within the section around it
            let settings =
                ApgdSettings { max_iterations: PASSES, tol, rest_only: true, ..Default::default() };
            apgd(&work.cones, &settings, &mut work.apgd, self.stop, &mut work.trial)
        } else {
            return false;
        };
        self.judged("apgd", report) || (self.is_near() && self.pivots())
    }

    /// The last answer may be a matter of a few active sets.
    fn is_near(&self) -> bool {
        self.work.links.last().is_some_and(|link| link.residual <= NEAR)
    }

    /// The interior point, its active set, and Newton from there.
    fn interior(&mut self) -> bool {
        let settings = InteriorSettings { max_iterations: 80, tol: AIM * self.tol };
        let work = &mut *self.work;
        let memory = (&mut work.interior, &mut work.factor);
        let report =
            interior_point(self.problem.view(), &settings, memory, self.stop, &mut work.trial);
        self.judged("interior-point", report) || self.pivots() || self.newton()
    }

    /// Friction along one axis has a disc for its section: the chain for cones, which knows of paths and of Lemke's method.
    fn cones(&mut self) -> bool {
        let work = &mut *self.work;
        if !as_cones(self.problem, &mut work.cones) {
            return false;
        }
        let report =
            solve_motion(&work.cones, self.tol, &mut work.motion, self.stop, &mut work.trial);
        let factorizations = work.motion.links.iter().map(|link| link.report.factorizations).sum();
        let iterations = work.motion.links.iter().map(|link| link.report.iterations).sum();
        let status = if report.certified { Status::Solved } else { Status::Stalled };
        self.judged("cones", Report::new(status, iterations, factorizations)) || self.pivots()
    }

    /// Friction bounded by the normal impulses of the last round, a convex problem, until they agree.
    fn rounds(&mut self) -> bool {
        if self.problem.view().is_convex() {
            return false;
        }
        for _ in 0..ROUNDS {
            if (self.stop)() || self.spent() >= BUDGET {
                return false;
            }
            let work = &mut *self.work;
            freeze(self.problem.bounds(), &work.trial, &mut work.frozen);
            let frozen = View { bounds: &work.frozen, ..self.problem.view() };
            let memory = (&mut work.pivots, &mut work.factor);
            let tol = AIM * self.tol;
            let mut report = pivots(frozen, (SETS, tol), memory, self.stop, &mut work.trial);
            if report.status != Status::Solved {
                let settings = newton_settings(tol);
                let memory = (&mut work.newton, &mut work.factor);
                let before = report.factorizations;
                report = newton(frozen, &settings, memory, self.stop, &mut work.trial);
                report.factorizations += before;
            }
            if self.judged("rounds", report) || self.pivots() {
                return true;
            }
        }
        false
    }

    /// Factorizations so far.
    fn spent(&self) -> usize {
        self.work.links.iter().map(|link| link.report.factorizations).sum()
    }

    /// Active sets from the last answer on, which stays where they bring nothing better.
    fn pivots(&mut self) -> bool {
        let work = &mut *self.work;
        let (memory, limits) = ((&mut work.pivots, &mut work.factor), (SETS, AIM * self.tol));
        let report = pivots(self.problem.view(), limits, memory, self.stop, &mut work.trial);
        self.judged("block-pivoting", report)
    }

    fn newton(&mut self) -> bool {
        let settings = newton_settings(AIM * self.tol);
        let work = &mut *self.work;
        let memory = (&mut work.newton, &mut work.factor);
        let report = newton(self.problem.view(), &settings, memory, self.stop, &mut work.trial);
        self.judged("newton", report) || self.pivots()
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

fn newton_settings(tol: f64) -> NewtonSettings {
    let good = tol / AIM;
    NewtonSettings { tol, good, max_factorizations: NEWTON, stiffness: SOFT }
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
