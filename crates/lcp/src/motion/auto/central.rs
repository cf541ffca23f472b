//! Stick and slip mixed: the central path of Coulomb's law, whose end other links reach sooner than it does itself: modes that it shows are held, and few are
//! solved for.

use super::{Chain, HELD, STIFF};
use crate::motion::central::CentralSettings;
use crate::motion::cluster::{MOST, decide};
use crate::motion::space::Space;
use crate::report::{Report, Status};

/// t at which modes are tried first, and by which factor it falls until they are tried again; at the last one the path has come to its end.
const FIRST_LOOK: f64 = 1e-3;
const NEXT_LOOK: f64 = 0.1;
const END: f64 = 1e-11;
/// Dives begin below this residual, with so many Newton steps.
const DIVE_BELOW: f64 = 0.1;
const DIVE_STEPS: usize = 12;
/// κ of all contacts but those that are not decided; one of these costs this part of a factorization.
const STIFFNESS: f64 = 1e7;
const PER_FACTORIZATION: usize = 4;

impl<S: Space> Chain<'_, S> {
    /// The path from a beginning of its own, for so many factorizations.
    pub(super) fn central(&mut self, settings: &CentralSettings, max_steps: usize) -> bool {
        let work = &mut *self.work;
        work.central.begin(self.problem, settings);
        let (mut look, mut before) = (FIRST_LOOK, 0);
        loop {
            let work = &mut *self.work;
            let limits = (look, max_steps);
            let status = work.central.follow(self.problem, limits, &mut work.factor, self.stop);
            for (trial, r) in work.trial.iter_mut().zip(work.central.impulses()) {
                *trial = r;
            }
            let steps = work.central.steps - before;
            before = work.central.steps;
            if self.judged("central", Report::new(status, steps, steps)) {
                return true;
            }
            if matches!(status, Status::Solved | Status::Stalled) && self.dives() {
                return true;
            }
            if status != Status::Solved {
                return false;
            }
            look = NEXT_LOOK * self.work.central.t().min(look);
            if look < END {
                return false;
            }
        }
    }

    /// The few whose modes the path does not show are solved for, all others keep theirs. The trial is as it was where that is no answer.
    fn decides(&mut self) -> bool {
        let work = &mut *self.work;
        let lists = (&mut work.modes, &mut work.few_contacts);
        if !work.central.undecided(self.problem, MOST, lists) {
            return false;
        }
        let question = (&*work.modes, &*work.few_contacts, STIFFNESS);
        let memory = (&mut work.cluster, &mut work.factor);
        if !decide(self.problem, question, memory, self.stop, &mut work.trial) {
            return false;
        }
        let price = 1 + work.few_contacts.len() / PER_FACTORIZATION;
        let is_answer =
            self.judged("undecided", Report::new(Status::Stalled, 1, price)) || self.finish();
        if !is_answer {
            let work = &mut *self.work;
            work.trial.copy_from_slice(&work.left);
        }
        is_answer
    }

    /// Modes as the path has them, and a few Newton steps from there.
    fn dives(&mut self) -> bool {
        let residual = self.work.links.last().map_or(f64::INFINITY, |link| link.residual);
        if !(residual <= DIVE_BELOW) {
            return false;
        }
        self.work.left.clone_from(&self.work.trial);
        if self.decides() || self.finish() {
            return true;
        }
        let work = &mut *self.work;
        if !work.links.last().is_some_and(|link| link.residual < residual) {
            work.trial.copy_from_slice(&work.left);
        }
        let before = self.residual.scaled;
        if self.lane(STIFF, 1.5, DIVE_STEPS, 0) {
            return true;
        }
        // where little is left few contacts have it
        self.residual.scaled <= HELD && self.residual.scaled < before && self.clusters()
    }
}
