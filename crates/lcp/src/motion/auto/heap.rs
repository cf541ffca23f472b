//! Heaps that move: stick and slip mixed, as the last step was, though not at the same contacts.
//!
//! The convex law's answer is far from Coulomb's where things slip, and stiff steps from the last step miss what has changed. A few hundred
//! passes of the gradient find most modes; then Newton for all and clusters of those that are not decided take turns.

use super::{Chain, MotionLink, NEAR};
use crate::cone::{Triple, length};
use crate::motion::cluster::clusters;
use crate::motion::space::Space;

/// What presses slips if it is this near to the bound of its friction; a heap moves if this part of what presses slips.
const AT_BOUND: f64 = 0.999;
const MOVING: f64 = 0.05;
/// Passes of the gradient; Newton's steps and rounds of clusters in a turn, and turns.
const PASSES: usize = 700;
const STEPS: usize = 10;
const ROUNDS: usize = 20;
const TURNS: usize = 8;
/// κ of Newton's steps, and its growth.
const STIFFNESS: f64 = 30.0;
const GROWTH: f64 = 2.0;
/// A turn that does not leave less than this of the error is the last.
const BETTER: f64 = 0.9;
/// Below this error few contacts are not decided.
const DECIDED: f64 = 1e-4;
/// A cluster is a part of so many.
const MANY: usize = 150;

impl<S: Space> Chain<'_, S> {
    /// From the last step or from nothing, whatever is nearer.
    pub(super) fn heap(&mut self, warm: &[Triple]) -> bool {
        let residual_of = |solver: &str| {
            let of = |link: &&MotionLink| link.solver == solver;
            self.work.links.iter().find(of).map_or(f64::INFINITY, |link| link.residual)
        };
        let is_warm = residual_of("warm") < residual_of("zero");
        self.work.trial.fill([0.0; 3]);
        if is_warm {
            self.work.trial.copy_from_slice(warm);
        }
        if !(is_warm && residual_of("warm") <= NEAR) && self.gradient_of(PASSES) {
            return true;
        }
        // planar contacts are for lagging slips and walks
        if self.problem.is_planar() {
            return false;
        }
        // where few of many are not decided Newton's steps for all decide none of them
        let is_large = self.problem.contacts() > MANY;
        if is_large && self.residual.scaled <= DECIDED && self.clusters() {
            return true;
        }
        let mut last = f64::INFINITY;
        for _ in 0..TURNS {
            if !(self.residual.scaled <= BETTER * last) {
                break;
            }
            last = self.residual.scaled;
            self.work.trial.copy_from_slice(&self.work.best);
            if self.lane(STIFFNESS, GROWTH, STEPS, 0) || self.clusters() {
                return true;
            }
        }
        false
    }

    pub(super) fn moves(&self, warm: &[Triple]) -> bool {
        let (mut pressing, mut slipping) = (0, 0);
        for (r, mu) in warm.iter().zip(self.problem.mu()) {
            if r[0] > 0.0 {
                pressing += 1;
                slipping += usize::from(length(r[1], r[2]) >= AT_BOUND * mu * r[0]);
            }
        }
        slipping as f64 > MOVING * f64::from(pressing)
    }

    fn clusters(&mut self) -> bool {
        self.work.trial.copy_from_slice(&self.work.best);
        let limits = (self.aim(), ROUNDS);
        let work = &mut *self.work;
        let memory = (&mut work.cluster, &mut work.factor);
        let report = clusters(self.problem, limits, memory, self.stop, &mut work.trial);
        self.judged("clusters", report) || self.finish_if_near()
    }
}
