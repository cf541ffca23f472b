//! Stick and slip mixed, far from an answer: steps whose slips lag behind come near, and now and then a dive tries to arrive.

use super::{Chain, NEARLY_THERE, STIFF};
use crate::motion::error::error;
use crate::motion::lagged::LaggedSettings;
use crate::motion::newton::{NewtonSettings, newton};
use crate::motion::space::Space;
use crate::motion::walk::{FACTORIZATION, WalkSettings, walk};
use crate::report::{Report, Status};

/// κ of the first step, and of the first one of a dive in the plane.
const STIFFNESS: f64 = 200.0;
const DIVE_STIFFNESS: f64 = 100.0;
/// Dives begin where the error is below this part of the one at the last dive, which is forgotten at this rate, and below the other one.
const LOWER: f64 = 0.6;
const FORGOTTEN: f64 = 1.02;
const DIVE_BELOW: f64 = 3e-2;
const DIVE_BELOW_IN_SPACE: f64 = 3e-3;
/// Newton steps of a dive, in the plane by corners of a walk that cost as much.
const DIVE_STEPS: usize = 30;
const DIVE_STEPS_IN_SPACE: usize = 15;
/// Corners of a walk for the price of a Newton step.
pub(super) const WALK_CORNERS: usize = 12;
/// The part of the tolerance at which a walk ends.
pub(super) const WALK_GOAL: f64 = 0.3;

impl<S: Space> Chain<'_, S> {
    /// Lagging slips of this dilatancy from the trial on, for the price of so many Newton steps.
    pub(super) fn lagged(&mut self, dilatancy: f64, max_steps: usize) -> bool {
        let settings = LaggedSettings { dilatancy, stiffness: STIFFNESS };
        let work = &mut *self.work;
        work.lagged.begin(self.problem, &settings, &work.trial);
        work.nearest.clone_from(&work.trial);
        let (mut lowest, mut recent, mut dived) = (f64::INFINITY, f64::INFINITY, 0);
        let dive_below = if self.problem.is_planar() { DIVE_BELOW } else { DIVE_BELOW_IN_SPACE };
        let mut status = Status::IterationLimit;
        while self.work.lagged.steps + dived < max_steps {
            if (self.stop)() {
                status = Status::Stopped;
                break;
            }
            if self.work.lagged.is_stuck() {
                status = Status::Stalled;
                break;
            }
            let work = &mut *self.work;
            recent *= FORGOTTEN;
            let Some(error) = work.lagged.step(self.problem, &mut work.factor) else { continue };
            if error < lowest {
                lowest = error;
                work.nearest.copy_from_slice(&work.lagged.r);
            }
            if !(error < LOWER * recent && error < dive_below) {
                continue;
            }
            recent = error;
            work.trial.copy_from_slice(&work.lagged.r);
            let (error, taken) = self.dive();
            dived += taken;
            if error < lowest {
                lowest = error;
                self.work.nearest.copy_from_slice(&self.work.trial);
            }
            if error <= NEARLY_THERE && self.arrives(dived) {
                return true;
            }
        }
        self.work.trial.copy_from_slice(&self.work.nearest);
        let steps = self.work.lagged.steps + dived;
        self.judged("lagged", Report::new(status, steps, steps))
    }

    /// What a dive left is judged and finished; true where that is an answer.
    fn arrives(&mut self, dived: usize) -> bool {
        let steps = self.work.lagged.steps + dived;
        if self.judged("lagged", Report::new(Status::Stalled, steps, steps)) {
            return true;
        }
        // the link at the end counts the steps of all
        if let Some(link) = self.work.links.last_mut() {
            link.report.factorizations = 0;
        }
        self.finish() || self.lane(STIFF, 1.5, DIVE_STEPS, 0)
    }

    /// From the trial on with contact that becomes stiffer: a walk in the plane, Newton in space. The error that is left, and what it cost in Newton steps.
    fn dive(&mut self) -> (f64, usize) {
        let work = &mut *self.work;
        let steps = if self.problem.is_planar() {
            let settings = WalkSettings {
                goal: WALK_GOAL * self.tol,
                stiffness: DIVE_STIFFNESS,
                growth: 2.0,
                hard: 30,
                max_effort: WALK_CORNERS * DIVE_STEPS,
            };
            let memory = (&mut work.walk, &mut work.factor);
            let report = walk(self.problem, &settings, memory, self.stop, &mut work.trial);
            let effort = report.iterations + FACTORIZATION * report.factorizations;
            effort.div_ceil(WALK_CORNERS)
        } else {
            let settings = NewtonSettings {
                tol: 0.7 * self.tol,
                aim: 1e-5 * self.tol,
                stiffness: STIFF,
                growth: 4.0,
                max_stiffness: 1e9,
                max_steps: DIVE_STEPS_IN_SPACE,
                ..NewtonSettings::DEFAULT
            };
            let memory = (&mut work.newton, &mut work.factor);
            newton(self.problem, &settings, memory, self.stop, &mut work.trial).factorizations
        };
        (error(self.problem, &work.trial, &mut work.measure).0, steps)
    }
}
