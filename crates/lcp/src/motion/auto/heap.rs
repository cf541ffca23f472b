//! Heaps that move: stick and slip mixed, as the last step was, though not at the same contacts.
//!
//! The convex law's answer is far from Coulomb's where things slip, and stiff steps from the last step miss what has changed. A few hundred
//! passes of the gradient find most modes; then Newton for all and clusters of those that are not decided take turns.

use super::{AIM, Chain, LARGEST, MotionLink, NEAR};
use crate::cone::{Triple, length};
use crate::judge::FrictionResidual;
use crate::motion::cluster::clusters;
use crate::motion::space::Space;

/// What presses slips if it is this near to the bound of its friction; a heap moves if this part of what presses slips.
const AT_BOUND: f64 = 0.999;
const MOVING: f64 = 0.05;
/// Passes of the gradient, how often at most, and the error from which on they are worth more than Newton's steps; Newton's steps and rounds of clusters in a turn, and turns.
const PASSES: usize = 700;
const REPEATS: usize = 3;
/// Of the attempts after the first.
const MORE_PASSES: [usize; 2] = [1000, 1500];
const FAR: f64 = 3e-4;
const STEPS: usize = 10;
const ROUNDS: usize = 12;
const TURNS: usize = 8;
/// κ of Newton's steps, and its growth.
const STIFFNESS: f64 = 30.0;
const GROWTH: f64 = 2.0;
/// A turn that does not leave less than this of the error is the last.
const BETTER: f64 = 0.9;

impl<S: Space> Chain<'_, S> {
    /// From the last step or from nothing, whatever is nearer; then from nothing with more passes of the gradient, since what is stuck among other modes
    /// than those of an answer is stuck for good.
    pub(super) fn heap(&mut self, warm: &[Triple]) -> bool {
        if !self.is_heap(warm) {
            return false;
        }
        let residual_of = |solver: &str| {
            let of = |link: &&MotionLink| link.solver == solver;
            self.work.links.iter().find(of).map_or(f64::INFINITY, |link| link.residual)
        };
        let is_warm = residual_of("warm") < residual_of("zero");
        let is_near = is_warm && residual_of("warm") <= NEAR;
        self.work.trial.fill([0.0; 3]);
        if is_warm {
            self.work.trial.copy_from_slice(warm);
        }
        if self.attempt(if is_near { 0 } else { PASSES }) {
            return true;
        }
        for passes in MORE_PASSES {
            let (residual, best, u) = (self.residual, self.work.best.clone(), self.work.u.clone());
            self.residual = FrictionResidual::WORST;
            self.work.trial.fill([0.0; 3]);
            if self.attempt(passes) {
                return true;
            }
            if residual.scaled < self.residual.scaled {
                (self.residual, self.work.best, self.work.u) = (residual, best, u);
            }
        }
        false
    }

    /// So many passes of the gradient at a time from the trial on, then turns.
    fn attempt(&mut self, passes: usize) -> bool {
        for _ in 0..if passes > 0 { REPEATS } else { 0 } {
            if self.gradient_of(passes) {
                return true;
            }
            if self.residual.scaled <= FAR {
                break;
            }
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

    /// Its factors may cost more than passes of the gradient, but what it takes to decide stick and slip without them costs more.
    pub(super) fn is_heap(&self, warm: &[Triple]) -> bool {
        self.problem.coordinates() < LARGEST && self.moves(warm)
    }

    fn moves(&self, warm: &[Triple]) -> bool {
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
        let work = &mut *self.work;
        let memory = (&mut work.cluster, &mut work.factor);
        let limits = (AIM * self.tol, ROUNDS);
        let report = clusters(self.problem, limits, memory, self.stop, &mut work.trial);
        self.judged("clusters", report) || self.finish_if_near()
    }
}
