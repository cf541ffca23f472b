//! The chain for one island of contacts. Every lane ends in the proximal Newton, which reaches machine precision from anywhere near; the
//! lanes differ in how they get near.

mod central;
mod heap;
mod lagged;
mod mixed;
mod near;
mod plane;
mod rest;

pub use near::solve_motion_near;

use super::MotionProblem;
use super::apgd::ApgdWorkspace;
use super::central::CentralWork;
use super::cluster::ClusterWork;
use super::energy::dissipative_part;
use super::error::Measure;
use super::factor::Factor;
use super::few::FewWork;
use super::interior_point::{InteriorSettings, InteriorWork, interior_point};
use super::lagged::LaggedWork;
use super::local::LocalSpace;
use super::mode::Mode;
use super::newton::{NewtonSettings, NewtonWork, newton};
use super::polish::{Polish, PolishWork, polish};
use super::reflections::ReflectionWork;
use super::space::Space;
use super::sweeps::{SweepWork, sweeps};
use super::two_parts::TwoPartsWork;
use super::walk::WalkWork;
use crate::cone::Triple;
use crate::friction::FrictionProblem;
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
    /// Where the last answer is in two parts, `r + low`, the second of them; else nothing.
    pub low: Vec<Triple>,
    /// Where it is, the coordinates `H (r + low)`: what r alone would not tell.
    pub x: Vec<f64>,
    pub(super) judge: Judge,
    pub(super) factor: Factor,
    pub(super) two_parts: TwoPartsWork,
    newton: NewtonWork,
    reflections: ReflectionWork,
    interior: InteriorWork,
    apgd: ApgdWorkspace,
    sweeps: SweepWork,
    polish: PolishWork,
    few: FewWork,
    cluster: ClusterWork,
    walk: WalkWork,
    lagged: LaggedWork,
    central: CentralWork,
    modes: Vec<Mode>,
    /// Contacts that are not decided.
    few_contacts: Vec<usize>,
    measure: Measure,
    /// The answer of the link at hand, and the best of all.
    trial: Vec<Triple>,
    u_trial: Vec<Triple>,
    best: Vec<Triple>,
    /// The nearest point of steps with lagging slips.
    nearest: Vec<Triple>,
    /// The best of an attempt that has ended.
    left: Vec<Triple>,
    /// The answer of the convex law; zeros where it was not asked.
    convex: Vec<Triple>,
    coordinates: Vec<f64>,
}

/// A floor above this is that of an answer that has lost its way.
const LARGEST_FLOOR: f64 = 1e-5;
/// Links aim at this part of the tolerance, and what is above the other one is polished.
const AIM: f64 = 0.02;
const FINE: f64 = 1e-3;
/// Of a start that was good enough once more less is asked; of large heaps that move, [`heap::ENOUGH`].
const FAIR: f64 = 0.1;
/// A tolerance above this is that of an answer that does not last: it is to be had soon, not well.
const ROUGH: f64 = 5e-5;
/// Below this the modes may be right; of heaps that move, below the other one.
const NEARLY_THERE: f64 = 1e-5;
const HELD: f64 = 1e-7;
/// Errors of the convex law at which contacts may have their modes, and at which most have them.
const MODES_SEEN: f64 = 1e-2;
const MODES_KNOWN: f64 = 1e-4;
/// Factorizations of the interior point.
const INTERIOR_STEPS: usize = 60;
/// A residual below this may be a matter of a few Newton steps.
const NEAR: f64 = 1e-2;
/// Passes of the gradient.
const GRADIENT_PASSES: usize = 1500;
/// A factorization with this many multiplications a contact costs as much as the passes that do without.
const COST_OF_PASSES: f64 = 1e4;
/// From so many coordinates on that is not asked.
const LARGEST: usize = 20_000;
/// Planar heaps of up to so many contacts are polished.
const SMALL_IN_PLANE: usize = 400;
/// Contacts that are few enough for Newton steps below the tolerance, and how many of these.
const FEW: usize = 40;
const FEW_STEPS: usize = 10;
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
    work.low.clear();
    work.x.clear();
    work.trial.clear();
    work.trial.resize(r.len(), [0.0; 3]);
    work.best.clone_from(&work.trial);
    work.convex.clone_from(&work.trial);
    let residual = FrictionResidual::WORST;
    let is_moving = heap::moves(problem, r);
    let mut chain =
        Chain { problem, judge, tol, work, stop, is_moving, residual, certified: false };
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
    /// Much of what pressed in the last step slipped.
    is_moving: bool,
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
        let part = dissipative_part(self.problem, &work.best, &mut work.coordinates);
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
        let goal = match self.work.links.len() {
            _ if self.is_large_heap() && !self.is_small_in_plane() => heap::ENOUGH,
            1 => FAIR,
            _ => FINE,
        };
        if self.is_within(goal) || self.tol > ROUGH || !self.is_factored_cheaply() {
            return;
        }
        self.work.trial.copy_from_slice(&self.work.best);
        self.finish();
        // modes that are about to change mislead a polish, not Newton
        if self.problem.contacts() <= FEW && !self.is_within(FINE) {
            self.work.trial.copy_from_slice(&self.work.best);
            self.lane(STIFF, 1.5, FEW_STEPS, 0);
        }
    }

    /// Within this part of the tolerance, or as near as rounding lets it be.
    fn is_within(&self, part: f64) -> bool {
        self.residual.scaled <= (part * self.tol).max(self.residual.floor)
    }

    /// Planar heaps in which what a step leaves over keeps the next ones from their tolerance; of larger ones not more were certified with a polish.
    fn is_small_in_plane(&self) -> bool {
        self.problem.is_planar() && self.problem.contacts() <= SMALL_IN_PLANE
    }

    /// What links aim at.
    fn aim(&self) -> f64 {
        if self.tol > ROUGH { self.tol } else { AIM * self.tol }
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
        if self.is_moving && self.tol > ROUGH && self.descend_roughly(warm) {
            return true;
        }
        (warm.iter().any(|r| *r != [0.0; 3]) && self.warm(warm))
            || self.zero()
            || self.compliant()
            || match self.problem.in_plane() {
                Some(plane) => self.in_plane(&plane, warm),
                None => self.solve_anew(warm),
            }
    }

    /// Neither the last step nor nothing is an answer. Of planar heaps that move the convex law's answer is farther than what lagging slips need.
    fn solve_anew(&mut self, warm: &[Triple]) -> bool {
        let is_heap = self.is_moving && self.is_factored_cheaply();
        if is_heap && self.heap(warm) {
            return true;
        }
        // no other beginning has led round the last digits
        let is_elsewhere = self.is_large_heap() && !self.problem.is_planar();
        if is_elsewhere && (self.residual.scaled <= HELD || self.is_spent()) {
            return false;
        }
        if (self.stop)() {
            return false;
        }
        (!(is_heap && self.problem.is_planar()) && self.convex_or_gradient(warm))
            || self.mixed(warm)
    }

    /// The cheaper one first.
    fn convex_or_gradient(&mut self, warm: &[Triple]) -> bool {
        let is_convex_first = self.is_factored_cheaply();
        (is_convex_first && (self.rest(warm) || self.convex()))
            || self.gradient()
            || (!is_convex_first && self.convex())
    }

    /// The answer of the last step, and Newton from there.
    fn warm(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        if self.judged("warm", Report::new(Status::Stalled, 0, 0)) {
            return true;
        }
        if !self.is_factored_cheaply() {
            return self.gradient_from_trial() || self.decide_few();
        }
        if self.is_moving && self.residual.scaled > HELD {
            return false;
        }
        if self.finish() {
            return true;
        }
        if self.residual.scaled > NEAR {
            return false;
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
        self.gradient_of(GRADIENT_PASSES)
    }

    fn gradient_of(&mut self, passes: usize) -> bool {
        self.gradient_to(passes, self.aim())
    }

    fn gradient_to(&mut self, passes: usize, aim: f64) -> bool {
        let limits = (passes, aim, self.is_moving);
        let work = &mut *self.work;
        let report = self.problem.gradient(limits, &mut work.apgd, self.stop, &mut work.trial);
        report.is_some_and(|report| self.judged("apgd", report) || self.finish_if_near())
    }

    /// The convex law's answer, Coulomb's where nothing slips, and Newton from there. Modes are right before the last digits are: they
    /// are tried on the way.
    fn convex(&mut self) -> bool {
        let (mut steps, end) = (0, AIM * self.tol);
        for error in [MODES_SEEN, MODES_KNOWN, end] {
            let report = self.interior_point(error, steps);
            steps += report.iterations;
            let is_done = self.judged("interior-point", report);
            if report.status != Status::Solved || error <= end {
                if is_done {
                    return true;
                }
                break;
            }
            // on the way nothing but a certificate ends it: rounding may still become less
            self.finish();
            if self.certified {
                return true;
            }
        }
        self.is_near() && self.lane(STIFF, 1.5, 40, 0)
    }

    /// The interior point to this error of the convex law, from where it was after so many steps.
    fn interior_point(&mut self, tol: f64, steps: usize) -> Report {
        let max_iterations = INTERIOR_STEPS - steps;
        let settings = InteriorSettings { max_iterations, tol, centring: 0.02 };
        let work = &mut *self.work;
        if steps == 0 {
            work.interior.begin(self.problem);
        }
        let memory = (&mut work.interior, &mut work.factor);
        let report =
            interior_point((self.problem, &[]), &settings, memory, self.stop, &mut work.trial);
        work.convex.copy_from_slice(&work.trial);
        report
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
