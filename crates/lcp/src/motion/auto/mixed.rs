//! Stick and slip mixed: Newton's lanes, and the path round folds in each, until the effort is used up.
//!
//! Effort is counted in multiplications, so that equal problems end alike on every machine.

use super::{Chain, NEARLY_THERE, STIFF};
use crate::cone::Triple;
use crate::motion::newton::NewtonSettings;
use crate::motion::space::Space;
use crate::motion::walk::{FACTORIZATION, WalkSettings, walk};
use crate::solve::planar_lemke;

/// Where a lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Zero,
    /// The answer of the last step, where there is one.
    Warm,
    /// Gauss–Seidel from what the last lane left.
    Sweeps,
    /// The convex law, and the path from there where Newton fails.
    Convex,
}

/// A residual below this is one of a lane that creeps.
const NEARLY: f64 = 1e-6;
/// Corners of a path before it is given up: those that arrive do so soon, and planar ones cost less.
const CORNERS: usize = 60;
const PLANAR_CORNERS: usize = 200;
/// Steps of a path from the convex law.
const DILATANCY_STEPS: usize = 1500;
/// Gauss–Seidel sweeps before a lane that begins with them.
const SWEEPS: usize = 300;
/// Newton's lanes where stick and slip are mixed: κ, its growth, the start. Which of them arrives differs from pile to pile; large planar ones take long.
const PLANAR_LANES: [(f64, f64, Start); 9] = [
    (1.0, 1.5, Start::Warm),
    (30.0, 1.5, Start::Convex),
    (1.0, 1.5, Start::Zero),
    (1.0, 2.0, Start::Zero),
    (1.0, 1.5, Start::Sweeps),
    (0.1, 1.2, Start::Zero),
    (10.0, 1.5, Start::Zero),
    (100.0, 1.5, Start::Sweeps),
    (1.0, 1.2, Start::Zero),
];
/// Walks on planar contacts: κ, its growth, the corners of a hard step, the start. Each takes this part of all steps.
const WALKS: [(f64, f64, usize, Start); 6] = [
    (1.0, 2.0, 30, Start::Warm),
    (1.0, 2.0, 30, Start::Convex),
    (10.0, 1.5, 10, Start::Zero),
    (1.0, 3.0, 60, Start::Zero),
    (3.0, 2.0, 20, Start::Convex),
    (1.0, 2.0, 30, Start::Zero),
];
const WALK_SHARE: usize = 6;
/// Corners of a walk for the price of a step, and the part of the tolerance at which it ends.
const WALK_CORNERS: usize = 12;
const WALK_GOAL: f64 = 0.3;
const LANES: [(f64, f64, Start); 9] = [
    (1.0, 1.5, Start::Warm),
    (0.1, 1.2, Start::Zero),
    (30.0, 1.5, Start::Convex),
    (10.0, 1.5, Start::Zero),
    (1.0, 1.5, Start::Zero),
    (100.0, 1.5, Start::Sweeps),
    (1.0, 1.2, Start::Zero),
    (10.0, 1.3, Start::Sweeps),
    (1.0, 2.0, Start::Zero),
];
/// Before them, of heaps of loose bodies that have moved: first order and Newton in turns, each from what the other left.
const TURNS: [(f64, f64, Start); 3] =
    [(100.0, 1.5, Start::Sweeps), (10.0, 1.5, Start::Sweeps), (1.0, 1.5, Start::Sweeps)];
const TURN_STEPS: usize = 400;
/// Steps of a lane, of a third of all, in the plane of a half, from the convex law of a sixth; what the lanes may cost together: steps, and multiplications, about 4.5 s of a core of 2020.
const LEAST_STEPS: usize = 1400;
const LANE_STEPS: usize = 5000;
const ALL_STEPS: usize = 10_000;
const EFFORT: f64 = 1.45e10;
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

impl<S: Space> Chain<'_, S> {
    /// Contacts as soft as this have few folds: Newton on the law itself.
    pub(super) fn compliant(&mut self) -> bool {
        let softness = |c: usize| {
            let eps = &self.problem.eps()[c];
            self.problem.mass(c) * eps[0].min(eps[1])
        };
        let is_soft = (0..self.problem.contacts()).all(|c| softness(c) >= SOFT);
        is_soft && self.lane_of(&SOFT_LANE)
    }

    /// Stick and slip mixed: Newton's lanes, until the effort is used up.
    pub(super) fn mixed(&mut self, warm: &[Triple]) -> bool {
        self.work.factor.analyse(self.problem);
        let contacts = self.problem.contacts() as f64;
        let step = self.work.factor.cost() + STEP_COST * contacts;
        let afforded = (EFFORT / step) as usize;
        let mut left = afforded.min(ALL_STEPS);
        let (lanes, corners, share) = match self.problem.dim() {
            2 => (PLANAR_LANES, PLANAR_CORNERS, 2),
            _ => (LANES, CORNERS, 3),
        };
        let steps = |start: Start| {
            let share = if start == Start::Convex { 6 } else { share };
            (afforded / share).clamp(LEAST_STEPS, LANE_STEPS)
        };
        let is_cold = warm.iter().all(|r| *r == [0.0; 3]);
        let turns = if self.problem.dim() == 2 || is_cold { 0 } else { TURNS.len() };
        let turn_steps = (left / 10).min(TURN_STEPS);
        let turns = TURNS[..turns].iter().map(|turn| (*turn, turn_steps));
        if turns.len() == 0 {
            self.work.trial.fill([0.0; 3]);
        }
        if self.problem.is_planar() {
            for walk in WALKS {
                if walk.3 == Start::Warm && is_cold {
                    continue;
                }
                if left == 0 || (self.stop)() {
                    break;
                }
                let steps = (afforded.min(ALL_STEPS) / WALK_SHARE).min(left);
                let before = self.work.links.len();
                if self.walk(walk, steps, warm) {
                    return true;
                }
                left = left.saturating_sub(self.steps_since(before));
            }
        }
        let mut is_lemke_tried = false;
        for ((stiffness, growth, start), steps) in
            turns.chain(lanes.map(|lane| (lane, steps(lane.2))))
        {
            let before = self.work.links.len();
            match start {
                Start::Zero => self.work.trial.fill([0.0; 3]),
                Start::Convex => self.work.trial.copy_from_slice(&self.work.convex),
                Start::Warm if is_cold => continue,
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
            let max_dilatancy = if start == Start::Convex { DILATANCY_STEPS } else { 0 };
            let lane = NewtonSettings {
                stiffness,
                growth,
                max_steps: steps.min(left),
                max_corners: if start == Start::Convex { CORNERS } else { corners },
                max_dilatancy,
                ..NewtonSettings::DEFAULT
            };
            if self.lane_of(&lane) || self.creeps_home() {
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

    /// A walk on planar contacts, for the price of so many steps.
    fn walk(
        &mut self,
        (stiffness, growth, hard, start): (f64, f64, usize, Start),
        steps: usize,
        warm: &[Triple],
    ) -> bool {
        let work = &mut *self.work;
        match start {
            Start::Convex => work.trial.copy_from_slice(&work.convex),
            Start::Warm => work.trial.copy_from_slice(warm),
            _ => work.trial.fill([0.0; 3]),
        }
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
