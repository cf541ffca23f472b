//! Steps that locate their impacts [AP]: to the moment at which a gap closes, the impact there, and on with the rest.
//!
//! ```text
//!  while something is left of h:
//!      list        which contacts have rows: those that press or rest           (contact::list)
//!      trial       an ordinary step over what is left, with the list's rows alone
//!      sweep       the first moment on its way at which an open gap closes       (sweep)
//!      none:       the trial is the step
//!      else:       the ordinary step that ends at this moment, then the impact   (arrive, impact)
//! ```
//!
//! Bounces that come ever faster end in rest: a contact that parts and would be back before it has risen by more than the
//! rounding of places is put on the list. Theory: `docs/theory/located.md`.

mod arrive;
mod collide;
mod path;
mod report;
mod settings;
mod sweep;
mod take;

pub use report::{Event, EventKind, LocatedReport, Strike};
pub use settings::LocatedSettings;

use crate::collide::Contact;
use crate::contact::list::ContactList;
use crate::contact::settings::{NormalRow, Strictness};
use crate::data::Data;
use crate::euler;
use crate::force::Input;
use crate::ledger::Ledger;
use crate::model::Model;
use crate::settings::{Drift, Geometry, StepSettings};
use crate::state::State;
use crate::step::{StepError, StepReport};
use crate::tree::kinematics::{self, Velocities};
use collide::Before;
use path::Path;
use sweep::{First, Sweep};
use take::Taken;

/// Steps shorter than this part of the whole one hold contacts and joints by velocities alone: a gap of rounding, or an overlap of
/// O(h²) that was left at an end, closed within a moment, would be a blow. What they leave open is O(s²), and the next step
/// closes it, at twice the speed of a whole step at most.
const SHORT: f64 = 0.5;
/// Steps are not cut shorter than this part of the whole one for the sake of their error.
const SHORTEST: f64 = 1e-6;
/// How much shorter or longer the next step may be.
const LEAST_FACTOR: f64 = 0.2;
const MOST_FACTOR: f64 = 5.0;
/// What is left of a step below this part of it is rounding of its time.
const NOTHING: f64 = 1e-15;

/// Advances `state` by one step of length h, with an impact wherever a gap closes on the way. On `Err`, `state` is as it was.
pub fn step_located(
    model: &Model,
    settings: &LocatedSettings,
    input: &Input<'_>,
    state: &mut State,
    data: &mut Data,
) -> Result<LocatedReport, StepError> {
    settings.validate().map_err(StepError::Setting)?;
    model.check_state(state).map_err(StepError::State)?;
    data.adopt(model);
    let mut walk = Walk::new(model, settings, input, state, data);
    let result = walk.run();
    let (own, report) = (walk.own, walk.report);
    if result.is_ok() {
        state.copy_from(&own.now);
    }
    data.work.located = Some(own);
    result.map(|()| report)
}

/// Memory of a step.
#[derive(Clone, Debug)]
pub(crate) struct LocatedWork {
    /// Where it is.
    now: State,
    /// The end of a step that may be taken.
    next: State,
    /// The same by one step where `next` is by two, and where both began.
    coarse: State,
    start: State,
    list: ContactList,
    path: Path,
    /// Of the bodies at `next`.
    velocities: Velocities,
    /// Contacts of one pair.
    found: Vec<Contact>,
}

/// A step on its way.
struct Walk<'a> {
    model: &'a Model,
    settings: &'a LocatedSettings,
    input: &'a Input<'a>,
    data: &'a mut Data,
    own: Box<LocatedWork>,
    /// What is left of it [s].
    left: f64,
    /// The longest step that is expected to be good [s].
    pace: f64,
    /// Before the last impact, if it was here.
    before: Option<Before>,
    /// What approached in the last impact, and what came back.
    strikes: Vec<Strike>,
    impacts: usize,
    /// Something was entered in the ledger.
    has_books: bool,
    report: LocatedReport,
}

impl LocatedWork {
    fn new(model: &Model) -> Self {
        let state = model.state();
        Self {
            now: state.clone(),
            next: state.clone(),
            coarse: state.clone(),
            start: state,
            list: ContactList::default(),
            path: Path::default(),
            velocities: Velocities::new(model),
            found: Vec::new(),
        }
    }
}

impl<'a> Walk<'a> {
    fn new(
        model: &'a Model,
        settings: &'a LocatedSettings,
        input: &'a Input<'a>,
        state: &State,
        data: &'a mut Data,
    ) -> Self {
        let shortest = settings.step.h;
        let report = LocatedReport { certified: true, shortest, ..Default::default() };
        let mut own = match data.work.located.take() {
            Some(own) => own,
            None => Box::new(LocatedWork::new(model)),
        };
        own.now.copy_from(state);
        own.list.begin(settings.step.h * model.gravity.norm());
        Self {
            model,
            settings,
            input,
            data,
            own,
            left: settings.step.h,
            pace: settings.step.h,
            before: None,
            strikes: Vec::new(),
            impacts: 0,
            has_books: false,
            report,
        }
    }

    fn run(&mut self) -> Result<(), StepError> {
        let end = self.own.now.time + self.settings.step.h;
        while self.left > NOTHING * self.settings.step.h {
            self.go_on()?;
        }
        self.own.now.time = end;
        Ok(())
    }

    /// To the next event, to the end, or as far as the error allows.
    fn go_on(&mut self) -> Result<(), StepError> {
        if self.impacts >= self.settings.max_impacts {
            return self.give_up();
        }
        let s = self.length();
        let taken = self.take(s, Listing::Anew)?; //    over what is left, without rows for what is open
        if self.own.list.strikes {
            return self.collide();
        }
        if !self.is_good(s, taken.error) {
            self.report.rejected += 1;
            return Ok(());
        }
        match self.sweep() {
            First::Passed => self.accept(s, taken),
            First::Rests { key, u_n, a } => self.rest(key, u_n, a),
            First::Hit { s, key, level } => match self.arrive(s, key, level)? {
                true => self.collide(),
                false => Ok(()),
            },
        }
    }

    /// The rest as one ordinary step, in which everything that is near has rows and nothing bounces.
    fn give_up(&mut self) -> Result<(), StepError> {
        let (s, settings) = (self.left, self.settings_of(self.left));
        let LocatedWork { now, next, .. } = &mut *self.own;
        next.copy_from(now);
        let report = euler::step(self.model, &settings, self.input, next, self.data)?;
        let refusal = take::refusal_of(&report);
        self.accept(s, Taken { report, refusal, error: 0.0, is_extrapolated: false })?;
        self.report.trials += 1;
        self.report.is_cut_short = true;
        Ok(())
    }

    /// How far to go at once [s]: what is left, or an equal part of it.
    fn length(&self) -> f64 {
        let parts = (self.left / self.pace).ceil();
        if parts > 1.0 { self.left / parts } else { self.left }
    }

    /// Whether an error is within the tolerance; sets the pace by it. A step that is short already is as good as it gets.
    fn is_good(&mut self, s: f64, error: f64) -> bool {
        let Some(tolerance) = self.settings.tolerance else { return true };
        // of first order: the error of a step is like s²
        let factor = 0.9 * libm::sqrt(tolerance / error);
        self.pace = s * factor.clamp(LEAST_FACTOR, MOST_FACTOR);
        error <= tolerance || s <= SHORTEST * self.settings.step.h
    }

    /// The ordinary step of length s from here to `next`, with rows for contacts on the list alone.
    fn try_step(&mut self, s: f64, listing: Listing) -> Result<StepReport, StepError> {
        let settings = self.settings_of(s);
        if listing == Listing::Anew {
            self.own.list.is_known = false;
            if settings.geometry != Geometry::Begin {
                self.list_here(None);
            }
        }
        {
            let LocatedWork { now, next, .. } = &mut *self.own;
            next.copy_from(now);
        }
        let (list, next) = (Some(&mut self.own.list), &mut self.own.next);
        let report = euler::step_listed(self.model, &settings, self.input, list, next, self.data);
        self.own.list.is_known = true;
        self.report.trials += 1;
        report
    }

    fn settings_of(&self, s: f64) -> StepSettings {
        let mut settings = StepSettings { h: s, ..self.settings.step };
        // rows do not bounce: impacts do
        settings.contact.v_threshold = f64::INFINITY;
        // what is only tried needs no certificate; what is taken is asked for it
        settings.contact.strictness = Strictness::Lenient;
        if s < SHORT * self.settings.step.h {
            settings.contact.normal = NormalRow::Velocity;
            settings.drift = match settings.drift {
                Drift::Close | Drift::Stabilize { .. } => Drift::Free,
                kept => kept,
            };
        }
        settings
    }

    /// The list of this position, for steps that look at contacts elsewhere; of contacts as near as `horizon`, or as far as gravity
    /// alone would let bodies go.
    fn list_here(&mut self, horizon: Option<f64>) {
        kinematics::update(self.model, &self.own.now.q, &self.own.now.v, self.data);
        if let Some(mut contact) = self.data.contact.take() {
            let fastest = contact.reach.fastest(&self.data.kin, &self.data.vel);
            let kick = self.settings.step.h * self.model.gravity.norm();
            let horizon = horizon.unwrap_or(4.0 * self.left * (fastest + kick));
            contact.list_here(self.model, horizon, &self.own.now, self.data, &mut self.own.list);
            self.data.contact = Some(contact);
        }
        self.own.list.is_known = true;
    }

    /// What happens first on the way to `next`.
    fn sweep(&mut self) -> First {
        let Some(horizon) = self.data.contact.as_ref().map(|contact| contact.horizon) else {
            return First::Passed;
        };
        if !(horizon <= self.own.list.horizon) {
            // only now it is known how far things go
            self.list_here(Some(horizon));
        }
        if self.own.list.open.is_empty() && self.own.list.departing.is_empty() {
            return First::Passed;
        }
        let LocatedWork { path, list, found, .. } = &mut *self.own;
        let Some(contact) = &mut self.data.contact else { return First::Passed };
        let model = self.model;
        Sweep { model, path, list, contact, found }.first()
    }

    /// The step to `next`, which took s, is taken, unless it has no certificate and one is asked for.
    fn accept(&mut self, s: f64, taken: Taken) -> Result<(), StepError> {
        if let Some(refusal) = taken.refusal
            && self.settings.step.contact.strictness == Strictness::Strict
        {
            return Err(StepError::Uncertified(refusal));
        }
        let LocatedWork { now, next, .. } = &mut *self.own;
        std::mem::swap(now, next);
        self.before = None;
        self.left -= s;
        self.report.steps += 1;
        self.report.shortest = self.report.shortest.min(s);
        self.report.extrapolated += usize::from(taken.is_extrapolated);
        self.report.error = self.report.error.max(taken.error);
        self.report.certified &= taken.refusal.is_none();
        self.enter(taken.report.ledger);
        self.report.last = taken.report;
        Ok(())
    }

    /// Enters the energy of a step or an impact.
    fn enter(&mut self, ledger: Option<Ledger>) {
        let all = &mut self.report.ledger;
        *all = match (&all, &ledger) {
            (Some(before), Some(next)) => Some(before.then(next)),
            // the first one
            (None, _) if !self.has_books => ledger,
            // one is missing
            _ => None,
        };
        self.has_books = true;
    }
}

/// Which list a step goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listing {
    Anew,
    Same,
}
