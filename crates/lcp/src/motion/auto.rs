//! The chain for one island of contacts. Every lane ends in the proximal Newton, which reaches machine precision from anywhere near; the
//! lanes differ in how they get near.

use super::MotionProblem;
use super::apgd::ApgdWorkspace;
use super::factor::Factor;
use super::interior_point::{InteriorSettings, InteriorWork, interior_point};
use super::local::LocalSpace;
use super::newton::{NewtonSettings, NewtonWork, newton};
use super::polish::{Polish, PolishWork, polish};
use super::space::Space;
use super::sweeps::{SweepWork, sweeps};
use crate::cone::Triple;
use crate::friction::FrictionProblem;
use crate::judge::{FrictionResidual, Judge};
use crate::report::{Report, Status, Stop};
use crate::solve::planar_lemke;

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
    apgd: ApgdWorkspace,
    sweeps: SweepWork,
    polish: PolishWork,
    /// The answer of the link at hand, and the best of all.
    trial: Vec<Triple>,
    u_trial: Vec<Triple>,
    best: Vec<Triple>,
}

/// A floor above this is that of an answer that has lost its way.
const LARGEST_FLOOR: f64 = 1e-5;
/// Links aim at this part of the tolerance, and what is above the other one is polished.
const AIM: f64 = 0.02;
const FINE: f64 = 1e-3;
/// What is at rounding.
const NEARLY_EXACT: f64 = 1e-14;
/// Of a start that is near, each better than the last.
const POLISHES: usize = 4;
/// Below this the modes may be right.
const NEARLY_THERE: f64 = 1e-5;
/// A residual below this may be a matter of a few Newton steps.
const NEAR: f64 = 1e-2;
/// Corners of a path before it is given up: those that arrive do so soon.
const CORNERS: usize = 60;
/// Gauss–Seidel sweeps before each of the turns, and κ and its growth of the Newton of each.
const SWEEPS: usize = 300;
const TURNS: [(f64, f64); 12] = [
    (100.0, 1.5),
    (10.0, 1.5),
    (1.0, 1.5),
    (0.1, 2.0),
    (1.0, 1.2),
    (10.0, 1.3),
    (100.0, 1.3),
    (3.0, 1.5),
    (0.3, 1.5),
    (30.0, 1.2),
    (1.0, 2.0),
    (10.0, 1.5),
];
/// Pivots on planar problems.
const PIVOTS: usize = 20_000;
/// Passes of the gradient.
const GRADIENT_PASSES: usize = 1500;
/// A factorization with this many multiplications a contact costs as much as the passes that do without.
const COST_OF_PASSES: f64 = 1e4;
/// From so many coordinates on that is not asked.
const LARGEST: usize = 20_000;
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
    let mut judge = std::mem::take(&mut work.judge);
    let report = run(
        problem,
        &mut |r, u| {
            let residual = judge.motion(problem, r);
            u.clear();
            u.extend(judge.w().chunks_exact(3).map(|u| [u[0], u[1], u[2]]));
            residual
        },
        tol,
        (work, stop),
        r,
    );
    work.judge = judge;
    report
}

/// Solves one small island from a start whose modes are nearly those of its answer, to rounding, or at least to a hundredth of the
/// tolerance. None where the modes are others; `r` is as it was then.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn solve_motion_near(
    problem: &MotionProblem,
    tol: f64,
    work: &mut MotionWork,
    r: &mut [Triple],
) -> Option<FrictionResidual> {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.trial.clear();
    work.trial.extend_from_slice(r);
    let mut judge = std::mem::take(&mut work.judge);
    let mut best = FrictionResidual::WORST;
    let mut polishes = 0;
    loop {
        let residual = judge.motion(problem, &work.trial);
        let is_better = residual.scaled < 0.5 * best.scaled;
        if is_better {
            work.best.clone_from(&work.trial);
            work.u.clear();
            work.u.extend(judge.w().chunks_exact(3).map(|u| [u[0], u[1], u[2]]));
            best = residual;
        }
        let exact = NEARLY_EXACT.max(3.0 * best.floor).min(LARGEST_FLOOR);
        let memory = (&mut work.polish, &mut work.factor);
        if best.scaled <= exact
            || !is_better
            || polishes == POLISHES
            || !polish(problem, Polish::GENTLE, memory, &mut work.trial)
        {
            break;
        }
        polishes += 1;
    }
    work.judge = judge;
    if !best.accepts(NEARLY_EXACT.max(0.01 * tol)) {
        return None;
    }
    let solver = if polishes == 0 { "warm" } else { "polish" };
    let report = Report::new(Status::Solved, polishes, polishes);
    work.links.clear();
    work.links.push(MotionLink { solver, report, residual: best.scaled });
    r.copy_from_slice(&work.best);
    Some(best)
}

/// The same for the local form, by the factors of `I + D W`.
pub fn solve_local(
    problem: &FrictionProblem,
    tol: f64,
    work: &mut MotionWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> MotionReport {
    let (space, dim) = (LocalSpace::new(problem), problem.dim());
    let mut judge = std::mem::take(&mut work.judge);
    let mut flat = Vec::with_capacity(problem.n());
    let report = run(
        &space,
        &mut |r, _| {
            flat.clear();
            flat.extend(r.iter().flat_map(|r| r[..dim].iter().copied()));
            judge.friction(problem, &flat)
        },
        tol,
        (work, stop),
        r,
    );
    work.judge = judge;
    report
}

/// The judge: the residual of impulses, and their velocities where they are asked for.
type JudgeOf<'a> = dyn FnMut(&[Triple], &mut Vec<Triple>) -> FrictionResidual + 'a;

fn run<S: Space>(
    problem: &S,
    judge: &mut JudgeOf<'_>,
    tol: f64,
    (work, stop): (&mut MotionWork, Stop<'_>),
    r: &mut [Triple],
) -> MotionReport {
    work.links.clear();
    work.trial.clear();
    work.trial.resize(r.len(), [0.0; 3]);
    work.best.clone_from(&work.trial);
    let residual = FrictionResidual::WORST;
    let mut chain = Chain { problem, judge, tol, work, stop, residual, certified: false };
    chain.run(r);
    let Chain { certified, residual, .. } = chain;
    r.copy_from_slice(&work.best);
    MotionReport { certified, residual }
}

struct Chain<'a, S> {
    problem: &'a S,
    judge: &'a mut JudgeOf<'a>,
    tol: f64,
    work: &'a mut MotionWork,
    stop: Stop<'a>,
    residual: FrictionResidual,
    certified: bool,
}

impl<S: Space> Chain<'_, S> {
    /// True when the judge has accepted an answer.
    fn run(&mut self, warm: &[Triple]) -> bool {
        let is_found = self.find(warm);
        if self.certified {
            self.polish();
        }
        is_found
    }

    /// To machine precision, where a few factorizations do it: what is left over moves bodies, and the next step's warm start would miss the
    /// tolerance for it.
    fn polish(&mut self) {
        // of a start that was good enough once more, less is asked
        let goal = if self.work.links.len() == 1 { 0.1 } else { FINE };
        let is_fine = self.residual.scaled <= (goal * self.tol).max(self.residual.floor);
        if is_fine || !self.is_factored_cheaply() {
            return;
        }
        self.work.trial.copy_from_slice(&self.work.best);
        self.finish();
    }

    /// Modes as they stand, one factorization.
    fn finish(&mut self) -> bool {
        let work = &mut *self.work;
        let memory = (&mut work.polish, &mut work.factor);
        let is_done = polish(self.problem, Polish::HARD, memory, &mut work.trial);
        is_done && self.judged("polish", Report::new(Status::Stalled, 1, 1))
    }

    fn is_factored_cheaply(&mut self) -> bool {
        if self.problem.coordinates() >= LARGEST {
            return false;
        }
        self.work.factor.analyse(self.problem);
        self.work.factor.cost() < COST_OF_PASSES * self.problem.contacts() as f64
    }

    fn find(&mut self, warm: &[Triple]) -> bool {
        (warm.iter().any(|r| *r != [0.0; 3]) && self.warm(warm))
            || self.zero()
            || self.convex_or_gradient()
            || self.mixed()
    }

    /// The cheaper one first.
    fn convex_or_gradient(&mut self) -> bool {
        let is_convex_first = self.is_factored_cheaply();
        (is_convex_first && self.convex()) || self.gradient() || (!is_convex_first && self.convex())
    }

    /// Stick and slip mixed: first order, then Newton, in turns; what one leaves is the other's start.
    fn mixed(&mut self) -> bool {
        TURNS.into_iter().any(|(stiffness, growth)| {
            self.sweeps(SWEEPS) || self.lane(stiffness, growth, 400, CORNERS)
        }) || self.lemke()
    }

    /// Planar contacts: Lemke's path.
    fn lemke(&mut self) -> bool {
        let Some(local) = self.problem.planar() else { return false };
        let mut r = vec![0.0; local.n()];
        let Some(report) = planar_lemke(&local, PIVOTS, self.stop, &mut r) else { return false };
        for (trial, r) in self.work.trial.iter_mut().zip(r.chunks_exact(2)) {
            *trial = [r[0], r[1], 0.0];
        }
        self.judged("lemke", report)
    }

    /// The answer of the last step, and Newton from there.
    fn warm(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        if self.judged("warm", Report::new(Status::Stalled, 0, 0)) {
            return true;
        }
        if !self.is_factored_cheaply() {
            return self.gradient_from_trial();
        }
        if self.finish() {
            return true;
        }
        self.work.trial.copy_from_slice(warm);
        self.lane(STIFF, 1.5, 6, 0)
    }

    fn zero(&mut self) -> bool {
        self.work.trial.fill([0.0; 3]);
        self.judged("zero", Report::new(Status::Stalled, 0, 0))
    }

    /// First order: large piles that rest.
    fn gradient(&mut self) -> bool {
        self.work.trial.fill([0.0; 3]);
        self.gradient_from_trial() || (self.is_near() && self.lane(STIFF, 1.5, 40, 0))
    }

    fn gradient_from_trial(&mut self) -> bool {
        let work = &mut *self.work;
        let limits = (GRADIENT_PASSES, AIM * self.tol);
        let report = self.problem.gradient(limits, &mut work.apgd, self.stop, &mut work.trial);
        report.is_some_and(|report| self.judged("apgd", report) || self.finish_if_near())
    }

    /// The convex law's answer, Coulomb's where nothing slips, and Newton from there.
    fn convex(&mut self) -> bool {
        let settings = InteriorSettings { max_iterations: 60, tol: AIM * self.tol, centring: 0.02 };
        let work = &mut *self.work;
        let memory = (&mut work.interior, &mut work.factor);
        let report =
            interior_point((self.problem, &[]), &settings, memory, self.stop, &mut work.trial);
        self.judged("interior-point", report) || (self.is_near() && self.lane(STIFF, 1.5, 40, 0))
    }

    /// Gauss–Seidel from the last answer on, and Newton from there.
    fn sweeps(&mut self, max_sweeps: usize) -> bool {
        let work = &mut *self.work;
        let limits = (max_sweeps, 0.5 * self.tol);
        let report = sweeps(self.problem, limits, &mut work.sweeps, self.stop, &mut work.trial);
        self.judged("nsgs", report)
            || self.finish_if_near()
            || (self.is_near() && self.lane(STIFF, 1.5, 60, 0))
    }

    /// Proximal Newton from the last answer on, and the path round folds where it fails.
    fn lane(&mut self, stiffness: f64, growth: f64, max_steps: usize, max_corners: usize) -> bool {
        let (tol, aim) = (0.7 * self.tol, 1e-5 * self.tol);
        // near an answer what is left are weak motions, which take stiff contact to come to rest
        let is_near = stiffness >= STIFF;
        let (growth, max_stiffness) = if is_near { (4.0, 1e9) } else { (growth, STIFF) };
        let settings = NewtonSettings {
            stiffness,
            growth,
            max_stiffness,
            max_steps,
            max_corners,
            tol,
            aim,
            ..Default::default()
        };
        let work = &mut *self.work;
        let memory = (&mut work.newton, &mut work.factor);
        let report = newton(self.problem, &settings, memory, self.stop, &mut work.trial);
        self.judged("alart-curnier", report) || self.finish_if_near()
    }

    /// Modes are right long before weak motions have come to rest, as of contacts that are close to each other.
    fn finish_if_near(&mut self) -> bool {
        let mut last = NEARLY_THERE;
        while self.residual.scaled < last {
            last = 0.5 * self.residual.scaled;
            self.work.trial.copy_from_slice(&self.work.best);
            if self.finish() {
                return true;
            }
        }
        self.work.trial.copy_from_slice(&self.work.best);
        false
    }

    /// The last answer may be a matter of a few steps.
    fn is_near(&self) -> bool {
        self.work.links.last().is_some_and(|link| link.residual <= NEAR)
    }

    fn judged(&mut self, solver: &'static str, mut report: Report) -> bool {
        let work = &mut *self.work;
        let residual = (self.judge)(&work.trial, &mut work.u_trial);
        let accepted = residual.accepts(self.tol);
        if accepted {
            report.status = Status::Solved;
        }
        work.links.push(MotionLink { solver, report, residual: residual.scaled });
        if residual.scaled < self.residual.scaled || (accepted && !self.certified) {
            work.best.copy_from_slice(&work.trial);
            std::mem::swap(&mut work.u, &mut work.u_trial);
            self.residual = residual;
        }
        self.certified |= accepted;
        // beyond what rounding the answer costs nothing is to be had
        accepted || residual.scaled <= (3.0 * residual.floor).min(LARGEST_FLOOR)
    }
}
