//! Heaps that move: stick and slip mixed, as the last step was, though not at the same contacts.
//!
//! The convex law's answer is far from Coulomb's where things slip, and stiff steps from the last step miss what has changed. A few hundred
//! passes of the gradient find most modes; then Newton for all and clusters of those that are not decided take turns. Where that ends in a valley,
//! another beginning ends elsewhere. What is left open then is for the central path: contacts in disorder have few folds.

use super::{Chain, HELD, LARGEST, MotionLink, NEAR, ROUGH};
use crate::cone::{Triple, length, natural_map};
use crate::judge::FrictionResidual;
use crate::motion::central::CentralSettings;
use crate::motion::cluster::clusters;
use crate::motion::error::error;
use crate::motion::space::Space;
use crate::report::{Report, Status};

/// What presses slips if it is this near to the bound of its friction; a heap moves if this part of what presses slips.
const AT_BOUND: f64 = 0.999;
const MOVING: f64 = 0.05;
/// Passes of the gradient; Newton's steps and rounds of clusters in a turn, and turns.
const PASSES: usize = 700;
const STEPS: usize = 10;
const ROUNDS: usize = 60;
const TURNS: usize = 8;
/// κ of Newton's steps, and its growth.
const STIFFNESS: f64 = 30.0;
const GROWTH: f64 = 2.0;
/// Few contacts mostly have their modes at this error, and a polish ends there what the gradient would take as long again for.
const MODES_SEEN: f64 = 1e-8;
/// The other beginning, from nothing: passes of the gradient and κ.
const OTHER_PASSES: usize = 1000;
const OTHER_STIFFNESS: f64 = 10.0;
/// Multiplications that turns of a heap may take, about 2 s; a round of clusters is so many factorizations.
const EFFORT: f64 = 8e9;
const CLUSTER_COST: f64 = 2.0;
/// Where central paths begin, and steps and multiplications for each of them.
const PATHS: [CentralSettings; 2] =
    [CentralSettings { impulse: 10.0, slip: 10.0 }, CentralSettings { impulse: 1.0, slip: 10.0 }];
const PATH_STEPS: usize = 1500;
const PATH_EFFORT: f64 = 2.4e10;
/// A turn that does not leave less than this of the error is the last.
const BETTER: f64 = 0.5;
/// Below this error few contacts are not decided.
const DECIDED: f64 = 1e-4;
/// A start of at most this error, which few have, is that of a heap that others have joined.
const JOINED: f64 = 0.1;
/// A cluster is a part of so many.
const MANY: usize = 150;
/// Of the tolerance: clusters end here where they come no farther, and of large heaps in any case: in the next step other contacts slip.
pub(super) const ENOUGH: f64 = 0.5;

impl<S: Space> Chain<'_, S> {
    /// An answer that others will join, by the gradient alone: without factors, and judged where it ends. From the last step or from
    /// nothing, whatever is nearer.
    pub(super) fn descend_roughly(&mut self, warm: &[Triple]) -> bool {
        self.work.trial.copy_from_slice(warm);
        let (before, _) = error(self.problem, warm, &mut self.work.measure);
        if before <= self.tol {
            return self.judged("warm", Report::new(Status::Stalled, 0, 0));
        }
        if !(before < error_of_nothing(self.problem)) {
            self.work.trial.fill([0.0; 3]);
        }
        self.gradient_of(PASSES)
    }

    /// From the last step or from nothing, whatever is nearer; of many contacts from nothing again where that fails.
    pub(super) fn heap(&mut self, warm: &[Triple]) -> bool {
        let residual_of = |solver: &str| {
            let of = |link: &&MotionLink| link.solver == solver;
            self.work.links.iter().find(of).map_or(f64::INFINITY, |link| link.residual)
        };
        let before = residual_of("warm");
        let is_warm = before < residual_of("zero");
        let is_rough = self.tol > ROUGH;
        if !is_rough && is_warm && before <= JOINED && self.is_local(warm) && self.clusters() {
            return true;
        }
        self.work.trial.fill([0.0; 3]);
        if is_warm {
            self.work.trial.copy_from_slice(warm);
        }
        // rough answers have begun so
        let has_descended = is_rough || (is_warm && before <= NEAR);
        if !has_descended && self.descend() {
            return true;
        }
        // planar contacts are for lagging slips and walks
        !self.problem.is_planar()
            && (self.take_turns(STIFFNESS) || self.begin_elsewhere() || self.comes_down())
    }

    /// The gradient, of few contacts first as far as it takes to see their modes.
    fn descend(&mut self) -> bool {
        if !self.is_large() && self.aim() < MODES_SEEN {
            if self.gradient_to(PASSES, MODES_SEEN) {
                return true;
            }
            self.work.trial.copy_from_slice(&self.work.best);
        }
        self.gradient_of(PASSES)
    }

    /// Newton and clusters in turns, from the best so far.
    fn take_turns(&mut self, stiffness: f64) -> bool {
        // where few of many are not decided Newton's steps for all decide none of them
        let is_decided = self.is_large() && self.residual.scaled <= DECIDED;
        if is_decided && self.clusters() {
            return true;
        }
        let mut last = f64::INFINITY;
        for _ in 0..TURNS {
            // a valley is left from elsewhere or not at all
            let is_valley = self.is_large() && self.residual.scaled <= HELD;
            let has_ended = is_valley || self.is_spent() || (self.stop)();
            if has_ended || !(self.residual.scaled <= BETTER * last) {
                break;
            }
            last = self.residual.scaled;
            self.work.trial.copy_from_slice(&self.work.best);
            if self.lane(stiffness, GROWTH, STEPS, 0) || self.clusters() {
                return true;
            }
        }
        false
    }

    /// As if nothing had been tried; what was is kept where it was better.
    fn begin_elsewhere(&mut self) -> bool {
        let is_valley = self.residual.scaled <= HELD;
        if !self.is_large() || !is_valley || self.is_spent() || (self.stop)() {
            return false;
        }
        self.work.left.clone_from(&self.work.best);
        let left = std::mem::replace(&mut self.residual, FrictionResidual::WORST);
        self.work.trial.fill([0.0; 3]);
        if self.gradient_of(OTHER_PASSES) || self.take_turns(OTHER_STIFFNESS) {
            return true;
        }
        if !(self.residual.scaled <= left.scaled) {
            let work = &mut *self.work;
            work.best.copy_from_slice(&work.left);
            self.residual = (self.judge)(&work.best, &mut work.u);
        }
        false
    }

    /// The central path of a large heap.
    fn comes_down(&mut self) -> bool {
        let afforded = (PATH_EFFORT / self.work.factor.cost()) as usize;
        let max_steps = afforded.min(PATH_STEPS);
        self.is_large()
            && self.tol <= ROUGH
            && PATHS.iter().any(|path| !(self.stop)() && self.central(path, max_steps))
    }

    /// Whether a heap has had its effort: what has come to no end by then mostly comes to none.
    pub(super) fn is_spent(&self) -> bool {
        let of = |link: &MotionLink| {
            let each = if link.solver == "clusters" { CLUSTER_COST } else { 1.0 };
            each * link.report.factorizations as f64
        };
        self.work.factor.cost() * self.work.links.iter().map(of).sum::<f64>() > EFFORT
    }

    fn is_large(&self) -> bool {
        self.problem.contacts() > MANY
    }

    pub(super) fn is_large_heap(&self) -> bool {
        self.is_moving && self.is_large()
    }

    /// Whether few of many have the error of the last step.
    fn is_local(&mut self, warm: &[Triple]) -> bool {
        self.is_large()
            && !self.problem.is_planar()
            && self.work.cluster.is_local(self.problem, warm)
    }

    /// Clusters, where the gradient has left little of many contacts that hardly slip.
    pub(super) fn decide_few(&mut self) -> bool {
        let is_little = self.residual.scaled <= DECIDED && self.tol <= ROUGH;
        let factorizations = EFFORT / self.work.factor.cost();
        is_little
            && self.is_large()
            && !self.problem.is_planar()
            && self.problem.coordinates() < LARGEST
            && factorizations > ROUNDS as f64
            && self.clusters()
    }

    pub(super) fn clusters(&mut self) -> bool {
        self.work.trial.copy_from_slice(&self.work.best);
        let enough = ENOUGH * self.tol;
        let goal = if self.is_large_heap() { self.aim().max(enough) } else { self.aim() };
        let limits = (goal, enough, ROUNDS);
        let work = &mut *self.work;
        let memory = (&mut work.cluster, &mut work.factor);
        let report = clusters(self.problem, limits, memory, self.stop, &mut work.trial);
        self.judged("clusters", report) || self.finish_if_near()
    }
}

/// `‖P_K(−ũ)‖₂ / ‖q‖₂` at u = q.
fn error_of_nothing(problem: &impl Space) -> f64 {
    let (mut sum, mut q_square) = (0.0, 0.0);
    for (q, mu) in problem.q().iter().zip(problem.mu()) {
        let e = natural_map(&[0.0; 3], q, *mu, 1.0);
        sum += e * e;
        q_square += q.iter().map(|q| q * q).sum::<f64>();
    }
    if q_square > 0.0 { (sum / q_square).sqrt() } else { 0.0 }
}

pub(super) fn moves(problem: &impl Space, warm: &[Triple]) -> bool {
    let (mut pressing, mut slipping) = (0, 0);
    for (r, mu) in warm.iter().zip(problem.mu()) {
        if r[0] > 0.0 {
            pressing += 1;
            slipping += usize::from(length(r[1], r[2]) >= AT_BOUND * mu * r[0]);
        }
    }
    slipping as f64 > MOVING * f64::from(pressing)
}
