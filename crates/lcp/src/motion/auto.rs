//! The chain for one island of contacts. Every lane ends in the proximal Newton, which reaches machine precision from anywhere near; the
//! lanes differ in how they get near.

use super::MotionProblem;
use super::apgd::ApgdWorkspace;
use super::energy::dissipative_part;
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

/// Where a lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Zero,
    /// The answer of the last step, where there is one.
    Warm,
    /// Gauss–Seidel from what the last lane left.
    Sweeps,
}

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
    x: Vec<f64>,
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
/// A residual below this is one of a lane that creeps.
const NEARLY: f64 = 1e-6;
/// Corners of a path before it is given up: those that arrive do so soon, and planar ones cost less.
const CORNERS: usize = 60;
const PLANAR_CORNERS: usize = 200;
/// Gauss–Seidel sweeps before a lane that begins with them.
const SWEEPS: usize = 300;
/// Newton's lanes where stick and slip are mixed: κ, its growth, the start. Which of them arrives differs from pile to pile.
const PLANAR_LANES: [(f64, f64, Start); 8] = [
    (1.0, 1.5, Start::Warm),
    (1.0, 1.5, Start::Sweeps),
    (1.0, 2.0, Start::Zero),
    (0.1, 1.2, Start::Zero),
    (10.0, 1.5, Start::Zero),
    (1.0, 1.5, Start::Zero),
    (100.0, 1.5, Start::Sweeps),
    (1.0, 1.2, Start::Zero),
];
const LANES: [(f64, f64, Start); 8] = [
    (1.0, 1.5, Start::Warm),
    (0.1, 1.2, Start::Zero),
    (10.0, 1.5, Start::Zero),
    (1.0, 1.5, Start::Zero),
    (100.0, 1.5, Start::Sweeps),
    (1.0, 1.2, Start::Zero),
    (10.0, 1.3, Start::Sweeps),
    (1.0, 2.0, Start::Zero),
];
/// Before them, of heaps of loose bodies: first order and Newton in turns, each from what the other left.
const TURNS: [(f64, f64, Start); 3] =
    [(100.0, 1.5, Start::Sweeps), (10.0, 1.5, Start::Sweeps), (1.0, 1.5, Start::Sweeps)];
const TURN_STEPS: usize = 400;
/// Steps of a lane, of a third of all; what the lanes may cost together: steps, and multiplications, about 4 s of a core of 2020.
const LEAST_STEPS: usize = 1400;
const LANE_STEPS: usize = 5000;
const ALL_STEPS: usize = 10_000;
const EFFORT: f64 = 1.3e10;
/// Multiplications of a step beside those of the factorization, and of a sweep and a pivot, for each contact.
const STEP_COST: f64 = 2000.0;
const SWEEP_COST: f64 = 1000.0;
const PIVOT_COST: f64 = 4000.0;
/// Contacts with `ε m` of this or more are soft, κ ≤ 19; how they are solved.
const SOFT: f64 = 0.05;
const SOFT_LANE: NewtonSettings = NewtonSettings {
    stiffness: 1e7,
    growth: 1.0,
    max_stiffness: 1e7,
    max_steps: 50,
    max_inner: 30,
    max_corners: 50,
    ..NewtonSettings::DEFAULT
};
/// Pivots on planar problems.
const PIVOTS: usize = 20_000;
/// Up to so many contacts they cost less than a lane.
const SMALL: f64 = 200.0;
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
    chain.keep_energy();
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

    /// An answer that is not certified adds no energy.
    fn keep_energy(&mut self) {
        let work = &mut *self.work;
        if self.certified {
            return;
        }
        let part = dissipative_part(self.problem, &work.best, &mut work.x);
        if part < 1.0 {
            work.best.iter_mut().for_each(|r| *r = r.map(|r| part * r));
            self.residual = (self.judge)(&work.best, &mut work.u);
            let report = Report::new(Status::Stalled, 0, 0);
            work.links.push(MotionLink {
                solver: "dissipate",
                report,
                residual: self.residual.scaled,
            });
        }
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
            || self.compliant()
            || self.convex_or_gradient()
            || self.mixed(warm)
    }

    /// Contacts as soft as this have few folds: Newton on the law itself.
    fn compliant(&mut self) -> bool {
        let softness = |c: usize| {
            let eps = &self.problem.eps()[c];
            self.problem.mass(c) * eps[0].min(eps[1])
        };
        let is_soft = (0..self.problem.contacts()).all(|c| softness(c) >= SOFT);
        is_soft && self.lane_of(&SOFT_LANE)
    }

    /// The cheaper one first.
    fn convex_or_gradient(&mut self) -> bool {
        let is_convex_first = self.is_factored_cheaply();
        (is_convex_first && self.convex()) || self.gradient() || (!is_convex_first && self.convex())
    }

    /// Stick and slip mixed: Newton's lanes, until the effort is used up.
    fn mixed(&mut self, warm: &[Triple]) -> bool {
        self.work.factor.analyse(self.problem);
        let contacts = self.problem.contacts() as f64;
        let step = self.work.factor.cost() + STEP_COST * contacts;
        let afforded = (EFFORT / step) as usize;
        let steps = (afforded / 3).clamp(LEAST_STEPS, LANE_STEPS);
        let mut left = afforded.min(ALL_STEPS);
        let (lanes, corners) = match self.problem.dim() {
            2 => (PLANAR_LANES, PLANAR_CORNERS),
            _ => (LANES, CORNERS),
        };
        let turns = if self.problem.dim() == 2 { 0 } else { TURNS.len() };
        let turn_steps = (left / 10).min(TURN_STEPS);
        let turns = TURNS[..turns].iter().map(|turn| (*turn, turn_steps));
        if turns.len() == 0 {
            self.work.trial.fill([0.0; 3]);
        }
        let mut is_lemke_tried = false;
        for ((stiffness, growth, start), steps) in turns.chain(lanes.map(|lane| (lane, steps))) {
            let before = self.work.links.len();
            match start {
                Start::Zero => self.work.trial.fill([0.0; 3]),
                Start::Warm if warm.iter().all(|r| *r == [0.0; 3]) => continue,
                Start::Warm => self.work.trial.copy_from_slice(warm),
                Start::Sweeps => {
                    if self.sweeps(SWEEPS) {
                        return true;
                    }
                    let cost = SWEEPS as f64 * SWEEP_COST * contacts / step;
                    left = left.saturating_sub(cost as usize);
                }
            }
            if left == 0 || (self.stop)() {
                break;
            }
            if self.lane(stiffness, growth, steps.min(left), corners) || self.creeps_home() {
                return true;
            }
            left = left.saturating_sub(self.steps_since(before));
            if start == Start::Sweeps && !is_lemke_tried && contacts <= SMALL {
                is_lemke_tried = true;
                if self.lemke() {
                    return true;
                }
            }
        }
        !is_lemke_tried && self.lemke()
    }

    /// What is nearly solved may lack stiffness alone.
    fn creeps_home(&mut self) -> bool {
        self.residual.scaled <= NEARLY && self.lane(STIFF, 1.5, 60, CORNERS)
    }

    /// Steps of the links from this one on; one at least, so that lanes that fail at once come to an end.
    fn steps_since(&self, link: usize) -> usize {
        let links = self.work.links[link..].iter();
        links.map(|link| link.report.factorizations).sum::<usize>().max(1)
    }

    /// Planar contacts: Lemke's path.
    fn lemke(&mut self) -> bool {
        let Some(local) = self.problem.planar() else { return false };
        if (self.stop)() {
            return false;
        }
        let pivots = (0.1 * EFFORT / (PIVOT_COST * self.problem.contacts() as f64)) as usize;
        let mut r = vec![0.0; local.n()];
        let report = planar_lemke(&local, pivots.min(PIVOTS), self.stop, &mut r);
        let Some(report) = report else { return false };
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
        // near an answer what is left are weak motions, which take stiff contact to come to rest
        let is_near = stiffness >= STIFF;
        let (growth, max_stiffness) = if is_near { (4.0, 1e9) } else { (growth, STIFF) };
        self.lane_of(&NewtonSettings {
            stiffness,
            growth,
            max_stiffness,
            max_steps,
            max_corners,
            ..NewtonSettings::DEFAULT
        })
    }

    fn lane_of(&mut self, lane: &NewtonSettings) -> bool {
        let settings = NewtonSettings { tol: 0.7 * self.tol, aim: 1e-5 * self.tol, ..*lane };
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
        let tried = self.work.links.iter().rev().find(|link| link.solver != "polish");
        tried.is_some_and(|link| link.residual <= NEAR)
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
