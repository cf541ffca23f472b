//! The chain for one island of contacts. Every lane ends in the proximal Newton, which reaches machine precision from anywhere near; the
//! lanes differ in how they get near.

use super::MotionProblem;
use super::factor::Factor;
use super::interior_point::{InteriorSettings, InteriorWork, interior_point};
use super::newton::{NewtonSettings, NewtonWork, newton};
use crate::cone::Triple;
use crate::judge::{FrictionResidual, Judge};
use crate::report::{Report, Status, Stop};

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
    factor: Factor,
    newton: NewtonWork,
    interior: InteriorWork,
    /// The answer of the link at hand, and the best of all.
    trial: Vec<Triple>,
    best: Vec<Triple>,
}

/// κ of a Newton that starts near a solution.
const STIFF: f64 = 1e4;

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
    work.trial.clear();
    work.trial.resize(r.len(), [0.0; 3]);
    work.best.clone_from(&work.trial);
    let residual = FrictionResidual::WORST;
    let mut chain = Chain { problem, tol, work, stop, residual, certified: false };
    chain.run(r);
    let Chain { certified, residual, .. } = chain;
    r.copy_from_slice(&work.best);
    MotionReport { certified, residual }
}

struct Chain<'a> {
    problem: &'a MotionProblem,
    tol: f64,
    work: &'a mut MotionWork,
    stop: Stop<'a>,
    residual: FrictionResidual,
    certified: bool,
}

impl Chain<'_> {
    /// True when the judge has accepted an answer.
    fn run(&mut self, warm: &[Triple]) -> bool {
        (warm.iter().any(|r| *r != [0.0; 3]) && self.warm(warm))
            || self.zero()
            || self.convex()
            || self.long(1.0)
    }

    /// The answer of the last step, and Newton from there.
    fn warm(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        self.judged("warm", Report::new(Status::Stalled, 0, 0)) || self.newton(STIFF, 30)
    }

    fn zero(&mut self) -> bool {
        self.work.trial.fill([0.0; 3]);
        self.judged("zero", Report::new(Status::Stalled, 0, 0))
    }

    /// The convex law's answer, Coulomb's where nothing slips, and Newton from there.
    fn convex(&mut self) -> bool {
        let settings = InteriorSettings { max_iterations: 60, tol: 0.2 * self.tol, centring: 0.02 };
        let work = &mut *self.work;
        let memory = (&mut work.interior, &mut work.factor);
        let report =
            interior_point((self.problem, &[]), &settings, memory, self.stop, &mut work.trial);
        self.judged("interior-point", report) || self.newton(STIFF, 40) || self.newton(10.0, 200)
    }

    /// From the last answer on.
    fn newton(&mut self, stiffness: f64, max_steps: usize) -> bool {
        let settings =
            NewtonSettings { stiffness, max_steps, tol: 0.1 * self.tol, ..Default::default() };
        let work = &mut *self.work;
        let memory = (&mut work.newton, &mut work.factor);
        let report = newton(self.problem, &settings, memory, self.stop, &mut work.trial);
        self.judged("alart-curnier", report)
    }

    /// Newton, and the path where it fails: goes round folds.
    fn long(&mut self, stiffness: f64) -> bool {
        self.work.trial.fill([0.0; 3]);
        let settings = NewtonSettings {
            stiffness,
            max_steps: 5000,
            max_corners: 1000,
            tol: 0.1 * self.tol,
            ..Default::default()
        };
        let work = &mut *self.work;
        let memory = (&mut work.newton, &mut work.factor);
        let report = newton(self.problem, &settings, memory, self.stop, &mut work.trial);
        self.judged("path", report)
    }

    fn judged(&mut self, solver: &'static str, mut report: Report) -> bool {
        let work = &mut *self.work;
        let residual = work.judge.motion(self.problem, &work.trial);
        let accepted = residual.accepts(self.tol);
        if accepted {
            report.status = Status::Solved;
        }
        work.links.push(MotionLink { solver, report, residual: residual.scaled });
        if accepted || residual.scaled < self.residual.scaled {
            work.best.copy_from_slice(&work.trial);
            work.u.clear();
            work.u.extend(work.judge.w().chunks_exact(3).map(|u| [u[0], u[1], u[2]]));
            self.residual = residual;
        }
        self.certified |= accepted;
        accepted
    }
}
