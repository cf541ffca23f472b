//! Stick and slip mixed: a plan of attempts, until one arrives or the effort is used up.
//!
//! Effort is counted in multiplications, so that equal problems end alike on every machine.

use super::lagged::{WALK_CORNERS, WALK_GOAL};
use super::{Chain, NEARLY_THERE, STIFF};
use crate::cone::Triple;
use crate::motion::central::CentralSettings;
use crate::motion::newton::NewtonSettings;
use crate::motion::space::Space;
use crate::motion::walk::{FACTORIZATION, WalkSettings, walk};
use crate::solve::planar_lemke;

/// Where an attempt begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Zero,
    /// The best answer so far.
    Best,
    /// The answer of the last step; left out where there is none.
    Warm,
    /// Gauss–Seidel from what the last attempt left.
    Sweeps,
    /// The convex law's answer.
    Convex,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    /// Slips that lag behind: λ.
    Lagged(f64),
    /// A walk on planar contacts: κ, its growth, the corners of a hard step.
    Walk(f64, f64, usize),
    /// Newton, and the path round folds where it fails: κ, its growth.
    Newton(f64, f64),
    /// The central path: impulses and slips at its beginning.
    Central(f64, f64),
    /// Lemke's path on planar contacts, of few of them, and of more.
    LemkeOfFew,
    LemkeOfMany,
}
use Method::{Central, Lagged, LemkeOfFew, LemkeOfMany, Newton, Walk};

/// A method, where it begins, and which part of all steps it may take. Which of them arrives differs from pile to pile, and most that do arrive soon: so
/// different ones take turns, short ones first.
type Attempt = (Method, Start, usize);
const PLANAR: &[Attempt] = &[
    (Lagged(0.2), Start::Best, 35),
    (Walk(1.0, 2.0, 30), Start::Warm, 14),
    (Walk(1.0, 2.0, 30), Start::Convex, 14),
    (LemkeOfFew, Start::Zero, 1),
    (Lagged(0.5), Start::Best, 22),
    (Central(3.0, 3.0), Start::Zero, 6),
    (Central(10.0, 100.0), Start::Zero, 6),
    (Central(3.0, 10.0), Start::Zero, 6),
    (Central(10.0, 10.0), Start::Zero, 6),
    (Central(30.0, 10.0), Start::Zero, 6),
    (Central(1.0, 10.0), Start::Zero, 6),
    (Central(100.0, 10.0), Start::Zero, 6),
    (Newton(1.0, 1.5), Start::Zero, 6),
    (LemkeOfMany, Start::Zero, 1),
    (Central(10.0, 30.0), Start::Zero, 6),
    (Central(3.0, 30.0), Start::Zero, 6),
    (Central(30.0, 30.0), Start::Zero, 6),
    (Central(10.0, 5.0), Start::Zero, 6),
    (Central(30.0, 3.0), Start::Zero, 6),
    (Central(5.0, 10.0), Start::Zero, 6),
    (Central(1.0, 3.0), Start::Zero, 6),
    (Central(20.0, 10.0), Start::Zero, 6),
    (Central(5.0, 30.0), Start::Zero, 6),
    (Central(100.0, 30.0), Start::Zero, 6),
];
const IN_SPACE: &[Attempt] = &[
    (Lagged(0.3), Start::Best, 20),
    (Central(10.0, 10.0), Start::Zero, 4),
    (Central(1.0, 10.0), Start::Zero, 4),
    (Lagged(0.2), Start::Best, 8),
    (Central(3.0, 3.0), Start::Zero, 4),
    (Central(10.0, 100.0), Start::Zero, 4),
    (Newton(1.0, 1.5), Start::Warm, 3),
    (Newton(0.1, 1.2), Start::Zero, 3),
    (Newton(100.0, 1.5), Start::Sweeps, 3),
];
/// What all attempts may cost together: steps, and multiplications, about 4.5 s of a core of 2020. Fronts in space are larger, and multiply faster.
const ALL_STEPS: usize = 30_000;
/// Of so many at most an attempt has its part: those that arrive do so soon.
const STEPS_TO_SHARE: usize = 14_000;
const EFFORT: f64 = 2e10;
const EFFORT_IN_SPACE: f64 = 3e10;
/// Multiplications of a step beside those of the factorization, and of a sweep and a pivot, for each contact.
const STEP_COST: f64 = 2000.0;
const SWEEP_COST: f64 = 1000.0;
const PIVOT_COST: f64 = 4000.0;
/// Newton's steps are between these.
const LEAST_STEPS: usize = 1400;
const MOST_STEPS: usize = 5000;
/// Steps of a central path that has few folds, as that of a heap in disorder; where as many are to be had it takes no fewer.
const PATH: usize = 600;
/// Corners of a path before it is given up: those that arrive do so soon, and planar ones cost less.
const CORNERS: usize = 60;
const PLANAR_CORNERS: usize = 200;
/// Gauss–Seidel sweeps before a lane that begins with them.
const SWEEPS: usize = 300;
/// A residual below this is one of a lane that creeps.
const NEARLY: f64 = 1e-5;
/// Contacts with `ε m` of this or more are soft, κ ≤ 19; how they are solved.
const SOFT: f64 = 0.05;
/// Passes of the gradient and Newton steps, by turns.
const SOFT_TURNS: [(usize, usize); 3] = [(1000, 5), (4000, 15), (4000, 20)];
const SOFT_LANE: NewtonSettings = NewtonSettings {
    stiffness: 1e7,
    growth: 1.0,
    max_stiffness: 1e7,
    max_inner: 30,
    max_corners: 50,
    ..NewtonSettings::DEFAULT
};
/// Pivots on planar problems, and the contacts that are few.
const PIVOTS: usize = 20_000;
const FEW: usize = 200;

/// What is left of the effort, in Newton steps.
struct Budget {
    afforded: usize,
    left: usize,
    /// Steps for the price of [`SWEEPS`].
    sweeps: usize,
}

impl<S: Space> Chain<'_, S> {
    /// Contacts as soft as this have few folds: the gradient comes near, and Newton on the law itself does the rest.
    pub(super) fn compliant(&mut self) -> bool {
        let softness = |c: usize| {
            let eps = &self.problem.eps()[c];
            self.problem.mass(c) * eps[0].min(eps[1])
        };
        let is_soft = (0..self.problem.contacts()).all(|c| softness(c) >= SOFT);
        if !is_soft {
            return false;
        }
        self.work.trial.fill([0.0; 3]);
        SOFT_TURNS.iter().any(|&(passes, max_steps)| {
            self.gradient_of(passes) || self.lane_of(&NewtonSettings { max_steps, ..SOFT_LANE })
        })
    }

    /// Stick and slip mixed: one attempt after the other.
    pub(super) fn mixed(&mut self, warm: &[Triple]) -> bool {
        let mut budget = self.budget();
        let is_cold = warm.iter().all(|r| *r == [0.0; 3]);
        let plan = if self.problem.is_planar() { PLANAR } else { IN_SPACE };
        self.work.trial.copy_from_slice(if is_cold { &self.work.best } else { warm });
        for &(method, start, share) in plan {
            if is_cold && matches!(start, Start::Warm) {
                continue;
            }
            if budget.left == 0 || (self.stop)() {
                break;
            }
            let before = self.work.links.len();
            if self.begins_at(start, warm, &mut budget) || self.attempt((method, share), &budget) {
                return true;
            }
            budget.left = budget.left.saturating_sub(self.steps_since(before));
        }
        false
    }

    fn budget(&mut self) -> Budget {
        self.work.factor.analyse(self.problem);
        let contacts = self.problem.contacts() as f64;
        let step = self.work.factor.cost() + STEP_COST * contacts;
        let effort = if self.problem.is_planar() { EFFORT } else { EFFORT_IN_SPACE };
        let afforded = (effort / step) as usize;
        let sweeps = (SWEEPS as f64 * SWEEP_COST * contacts / step) as usize;
        Budget { afforded, left: afforded.min(ALL_STEPS), sweeps }
    }

    /// Sets the trial; true if that is an answer already.
    fn begins_at(&mut self, start: Start, warm: &[Triple], budget: &mut Budget) -> bool {
        let work = &mut *self.work;
        match start {
            Start::Zero => work.trial.fill([0.0; 3]),
            Start::Best => work.trial.copy_from_slice(&work.best),
            Start::Warm => work.trial.copy_from_slice(warm),
            Start::Convex => work.trial.copy_from_slice(&work.convex),
            Start::Sweeps => {
                budget.left = budget.left.saturating_sub(budget.sweeps);
                return self.sweeps(SWEEPS);
            }
        }
        false
    }

    /// One attempt, from the trial on.
    fn attempt(&mut self, (method, share): (Method, usize), budget: &Budget) -> bool {
        let &Budget { afforded, left, .. } = budget;
        // nothing may be left
        let steps = (afforded.min(STEPS_TO_SHARE) / share).max(1).min(left);
        match method {
            Lagged(dilatancy) => self.lagged(dilatancy, steps),
            Walk(stiffness, growth, hard) => self.walk((stiffness, growth, hard), steps),
            Newton(stiffness, growth) => {
                let steps = (afforded / share).clamp(LEAST_STEPS, MOST_STEPS).min(left);
                let is_cheap = self.problem.dim() == 2;
                let lane = NewtonSettings {
                    stiffness,
                    growth,
                    max_steps: steps,
                    max_corners: if is_cheap { PLANAR_CORNERS } else { CORNERS },
                    ..NewtonSettings::DEFAULT
                };
                self.lane_of(&lane) || self.creeps_home()
            }
            Central(impulse, slip) => {
                let steps = if afforded < PATH { steps } else { steps.max(PATH.min(left)) };
                self.central(&CentralSettings { impulse, slip }, steps)
            }
            LemkeOfFew => self.problem.contacts() <= FEW && self.lemke(),
            LemkeOfMany => self.problem.contacts() > FEW && self.lemke(),
        }
    }

    /// A walk on planar contacts, for the price of so many steps.
    fn walk(&mut self, (stiffness, growth, hard): (f64, f64, usize), steps: usize) -> bool {
        let work = &mut *self.work;
        let max_effort = WALK_CORNERS * steps;
        let goal = WALK_GOAL * self.tol;
        let settings = WalkSettings { goal, stiffness, growth, hard, max_effort };
        let memory = (&mut work.walk, &mut work.factor);
        let mut report = walk(self.problem, &settings, memory, self.stop, &mut work.trial);
        // so that links tell the price in steps
        let effort = report.iterations + FACTORIZATION * report.factorizations;
        report.factorizations = effort.div_ceil(WALK_CORNERS);
        // its own answer is finished, which need not be the best one
        self.judged("walk", report)
            || (self.work.links.last().is_some_and(|link| link.residual <= NEARLY_THERE)
                && (self.finish() || self.lane(STIFF, 1.5, 60, CORNERS)))
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
}
