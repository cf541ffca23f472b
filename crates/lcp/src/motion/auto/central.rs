//! Stick and slip mixed: the central path of Coulomb's law, whose end other links reach sooner than it does itself: modes that it shows are held, and few are
//! solved for.

use super::{Chain, STIFF};
use crate::motion::central::CentralSettings;
use crate::motion::cluster::{MOST, decide};
use crate::motion::space::Space;
use crate::report::{Report, Status};

/// t at which modes are tried first, and by which factor it falls until they are tried again.
const FIRST_LOOK: f64 = 1e-3;
const NEXT_LOOK: f64 = 0.1;
/// Newton steps of a dive.
const DIVE_STEPS: usize = 12;

/// How far the path is followed, and where it is left.
struct Looks {
    /// t at its end.
    end: f64,
    /// Dives begin below this residual; and where so much is left, few contacts have it.
    dive_below: f64,
    few_below: f64,
}
const USUAL: Looks = Looks { end: 1e-11, dive_below: 0.1, few_below: 1e-7 };
/// More contacts have modes to be told apart, and their dives cost as much as the path does.
const MANY: usize = 1000;
const OF_MANY: Looks = Looks { end: 1e-13, dive_below: 1e-4, few_below: 1e-6 };
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
            if look < self.looks().end {
                return false;
            }
        }
    }

    fn looks(&self) -> &'static Looks {
        if self.problem.contacts() > MANY { &OF_MANY } else { &USUAL }
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
        let looks = self.looks();
        if !(residual <= looks.dive_below) {
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
        self.residual.scaled <= looks.few_below && self.residual.scaled < before && self.clusters()
    }
}
