//! Which contacts and limits can matter in a step.

use crate::collide::{ContactKey, Within};
use crate::constraint::rows::{At, Origin};
use crate::contact::again::How;
use crate::contact::guides::{self};
use crate::contact::law::Law;
use crate::contact::level::level;
use crate::contact::list::{Beginning, ContactList, ROUNDING_OF_PLACES, farthest};
use crate::contact::settings::NormalRow;
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;

impl ContactWork {
    /// Finds what can matter in a step from the velocity after the kick: contacts of the position in `data`, limits.
    pub(crate) fn detect(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
        list: Option<&mut ContactList>,
    ) -> Result<(), StepError> {
        self.detect_contacts(model, settings, state, data, list.is_some());
        self.check_overlap(model, settings)?;
        if let Some(list) = list {
            self.keep_listed(list, state, data);
        }
        self.found = self.contacts.len();
        let memories = &state.memory.contacts;
        self.crowds.set_aside(&mut self.contacts, memories, &mut self.spare);
        if self.ways.of_body.is_empty() && settings.contact.normal == NormalRow::Position {
            self.set_far_aside(settings.h, data);
        }
        guides::place(model, &data.kin, &mut self.guides);
        self.place();
        self.bounded.assemble_bounded(model, &data.kin, At::from(state))?;
        self.active.clear();
        for i in 0..self.bounded.len() {
            let [before, after] =
                [&state.v, &data.work.v_kick].map(|v| self.bounded.rate(i, v).abs());
            if self.is_in_reach(settings, i, 2.0 * settings.h * (before + after)) {
                self.active.push(i);
            }
        }
        self.begin(model, settings.h, data);
        Ok(())
    }

    fn detect_contacts(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
        has_list: bool,
    ) {
        let is_near = has_list || settings.contact.normal == NormalRow::Position;
        // with ways the box law ends elsewhere than [PKF17] (R1): what others do with contacts that are not found yet is not known
        let has_ways = is_near && !has_list && matches!(settings.contact.law, Law::Cone(_));
        self.horizon = 0.0;
        self.ways.of_body.clear();
        if is_near {
            self.kicked.update_speeds(model, &data.kin, &data.work.v_kick);
            let velocities = [&data.vel, &self.kicked];
            if has_ways {
                self.ways.find(settings.h, &self.reach, &data.kin, velocities);
            } else {
                // two bodies may come towards each other, each as fast before the kick or after it
                let [before, after] = velocities.map(|vel| self.reach.fastest(&data.kin, vel));
                self.horizon = settings.h * 2.0 * (before + after);
            }
        }
        let how = How { horizon: self.horizon, is_near, ways: &self.ways.of_body };
        if self.known.recall_contacts(&state.q, how, &mut self.contacts) {
            return;
        }
        let within = match has_ways {
            true => Within::Ways(how.ways),
            false => Within::Alike(self.horizon),
        };
        self.collider.detect_within(model, &data.kin, within, &mut self.contacts);
        if !is_near {
            self.contacts.retain(|contact| contact.gap <= 0.0);
        }
        level(&mut self.contacts);
        self.known.keep_contacts(&state.q, how, &self.contacts);
    }

    /// Only contacts on the list have rows. A list that is not known yet is that of this position.
    fn keep_listed(&mut self, list: &mut ContactList, state: &State, data: &Data) {
        if list.is_known {
            self.contacts.retain(|contact| list.keeps(contact));
            return;
        }
        list.horizon = self.horizon;
        let at = self.beginning(state, data);
        list.sort_out(&mut self.contacts, at);
    }

    /// The list of the position and velocities in `data`, which are those of `state`, of contacts as near as `horizon` [m].
    pub(crate) fn list_here(
        &mut self,
        model: &Model,
        horizon: f64,
        state: &State,
        data: &Data,
        list: &mut ContactList,
    ) {
        list.horizon = horizon;
        let rounding = 2.0 * ROUNDING_OF_PLACES * (farthest(&data.kin) + self.reach.largest());
        let mut contacts = std::mem::take(&mut list.found);
        self.collider.detect(model, &data.kin, horizon + rounding, &mut contacts);
        list.sort_out(&mut contacts, self.beginning(state, data));
        list.found = contacts;
    }

    fn beginning<'a>(&self, state: &'a State, data: &'a Data) -> Beginning<'a> {
        let (kin, vel) = (&data.kin, &data.vel);
        let fastest = self.reach.fastest(kin, vel);
        Beginning { kin, vel, memory: &state.memory.contacts, fastest }
    }

    fn check_overlap(&mut self, model: &Model, settings: &StepSettings) -> Result<(), StepError> {
        let deepest = self.contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        self.overlap = deepest.map_or(0.0, |contact| (-contact.gap).max(0.0));
        match deepest {
            Some(contact) if self.overlap > settings.contact.max_overlap => {
                let ContactKey { shape_a, shape_b, .. } = contact.key;
                let shapes = [shape_a, shape_b].map(|i| model.geoms[i as usize].name.clone());
                Err(StepError::Overlap { shapes, depth: self.overlap })
            }
            _ => Ok(()),
        }
    }

    /// Whether a bounded row matters where limits within `way` do.
    pub(super) fn is_in_reach(&self, settings: &StepSettings, i: usize, way: f64) -> bool {
        let row = &self.bounded.rows()[i];
        match (row.origin, settings.contact.normal) {
            (Origin::Limit { .. }, NormalRow::Position) => row.theta <= way,
            (Origin::Limit { .. }, NormalRow::Velocity) => row.theta <= 0.0,
            _ => true,
        }
    }
}
