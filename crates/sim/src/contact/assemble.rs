//! The contact problem of a step: rows, Delassus matrix, and what a law may know of each contact.

use crate::collide::Contact;
use crate::contact::law::{Law, needs_entries};
use crate::contact::memory::{guide_key, recall, row_key};
use crate::contact::rows::{Place, contact_frame};
use crate::contact::settings::{ContactSettings, NormalRow};
use crate::contact::space::{ContactData, Sides, Tangents};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::{Model, Relaxation};
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;

impl ContactWork {
    /// Rows and the root of the Delassus matrix, once the bilateral rows are factored; its entries where they are needed.
    pub(crate) fn assemble_rows(
        &mut self,
        model: &Model,
        data: &Data,
        needs_entries: bool,
    ) -> Result<(), StepError> {
        self.known.forget_rows();
        let work = &data.work;
        self.rows.update(model, &data.kin, &self.places);
        self.tangents.clear();
        for i in 0..self.contacts.len() {
            let is_line = self.rows.turn_tangents(i, &mut self.places[i]);
            self.tangents.push(if is_line { Tangents::Line } else { Tangents::Plane });
        }
        for &i in &self.active {
            self.rows.push_dense(self.bounded.jacobian(i));
        }
        let (solvers, eps) = ((&work.M_hat, &work.solver), &work.impulses.eps);
        self.rows.factor(model, solvers, eps, &mut self.space.W);
        if needs_entries && !self.space.W.make() {
            let (contacts, rows) = (self.found, self.rows.len());
            return Err(StepError::TooManyContacts { contacts, rows });
        }
        Ok(())
    }

    /// The contact problem of a step, but for the velocities.
    pub(super) fn assemble(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) -> Result<(), StepError> {
        let contact = &settings.contact;
        if !self.recall_rows(settings, state, data) || needs_entries(&contact.law, contact.solver) {
            self.assemble_rows(model, data, needs_entries(&contact.law, contact.solver))?;
            self.keep_rows(settings, state, data);
        }
        self.space.h = settings.h;
        self.find_bounces(settings, state, data);
        self.rows.velocities(&state.v, &mut self.u);
        self.recall_forces(state);
        self.space.contacts.clear();
        for i in 0..self.contacts.len() {
            self.space.contacts.push(self.contact_data(settings, i));
        }
        for i in 0..self.guides.len() {
            self.space.contacts.push(self.guide_data(model, settings, i));
        }
        let positions = settings.contact.normal == NormalRow::Position;
        self.space.rows.clear();
        for &i in &self.active {
            let memory = recall(&state.memory.contacts, usize::MAX, row_key(i));
            let step = (state.time, settings.h, positions);
            self.space.rows.push(self.bounded.bounded(model, i, step, memory.lambda_n));
        }
        Ok(())
    }

    /// Of contacts and guides.
    fn recall_forces(&mut self, state: &State) {
        let memories = &state.memory.contacts;
        let contacts = self.contacts.iter().map(|contact| contact.key);
        let keys = contacts.chain((0..self.guides.len()).map(guide_key)).enumerate();
        self.recalled.clear();
        self.recalled.extend(keys.map(|(i, key)| recall(memories, i, key)));
    }

    fn contact_data(&self, settings: &StepSettings, i: usize) -> ContactData {
        let contact = &self.contacts[i];
        let [lambda_n, lambda_1, lambda_2] = self.start_of(settings, i);
        let u_t = [self.u[3 * i + 1], self.u[3 * i + 2]];
        let idle = idle_data(settings, contact, u_t);
        ContactData {
            tangents: self.tangents[i],
            lambda_n,
            lambda_t: [lambda_1, lambda_2],
            // u_n⁺ ≥ −e u_n⁻: restitution in the row
            d_n: if self.bounces[i] > 0.0 { idle.d_n.min(-self.bounces[i]) } else { idle.d_n },
            ..idle
        }
    }

    /// Forces that a solve starts from: those of the last step. Where others have joined, and the law knows no last step, those that were
    /// found without them.
    fn start_of(&self, settings: &StepSettings, i: usize) -> [f64; 3] {
        if self.report.is_some() && matches!(settings.contact.law, Law::Cone(_)) {
            return force_of(&self.p[3 * i..3 * i + 3], settings.h);
        }
        self.recalled[i].forces_in(&self.places[i].R_WC)
    }

    /// For each contact the speed `−e u_n⁻` at which the step is to send it back, 0 where it would not close without its own
    /// impulse [m/s].
    fn find_bounces(&mut self, settings: &StepSettings, state: &State, data: &Data) {
        self.bounces.clear();
        self.bounces.resize(self.contacts.len(), 0.0);
        let ContactSettings { v_threshold, normal, .. } = settings.contact;
        let can_bounce = |c: &Contact| c.surface.e > 0.0 && c.surface.compliance.is_none();
        if !self.contacts.iter().any(can_bounce) {
            return;
        }
        self.set_free_velocities(&data.work.v_kick);
        self.rows.velocities(&state.v, &mut self.u);
        for (i, contact) in self.contacts.iter().enumerate().filter(|(_, c)| can_bounce(c)) {
            let (before, free) = (-self.u[3 * i], self.space.u_free[3 * i]);
            let back = contact.surface.e * before;
            let closes = match normal {
                NormalRow::Velocity => free < 0.0,
                // what the forces of one step would send down again rests
                NormalRow::Position => {
                    contact.gap + settings.h * free < 0.0 && back + (free + before) > 0.0
                }
            };
            if closes && before > v_threshold {
                self.bounces[i] = back;
            }
        }
    }

    fn guide_data(&self, model: &Model, settings: &StepSettings, i: usize) -> ContactData {
        let (guide, at) = (&self.guides[i], self.contacts.len() + i);
        let [lambda_n, lambda_1, lambda_2] = self.recalled[at].forces_in(&guide.place.R_WC);
        let mu = model.guides[i].mu;
        ContactData {
            sides: Sides::Both,
            tangents: guide.tangents,
            phi: guide.theta,
            eps_n: 0.0,
            d_n: guide.theta / settings.h,
            mu_s: mu,
            mu_k: mu,
            bristle: settings.contact.bristle,
            u_t: [self.u[3 * at + 1], self.u[3 * at + 2]],
            lambda_n,
            lambda_t: [lambda_1, lambda_2],
        }
    }
}

/// The force over h of impulses at a contact; none where rounding has them pull.
fn force_of(p: &[f64], h: f64) -> [f64; 3] {
    if p[0] < 0.0 { [0.0; 3] } else { [p[0] / h, p[1] / h, p[2] / h] }
}

pub(super) fn place_of(contact: &Contact) -> Place {
    let Contact { a, b, p_W, n_W, .. } = *contact;
    Place { a, b, p_W, R_WC: contact_frame(&n_W) }
}

/// What a law may know about a contact that did not press in the last step; `u_t` at the beginning of this one [m/s].
pub(super) fn idle_data(settings: &StepSettings, contact: &Contact, u_t: [f64; 2]) -> ContactData {
    let (eps_n, d_n) = normal_row(settings, contact);
    ContactData {
        sides: Sides::One,
        tangents: Tangents::Plane,
        phi: contact.gap,
        eps_n,
        d_n,
        mu_s: contact.surface.mu_s,
        mu_k: contact.surface.mu_k,
        bristle: settings.contact.bristle,
        u_t,
        lambda_n: 0.0,
        lambda_t: [0.0; 2],
    }
}

/// Compliance and offset of a contact's normal row.
fn normal_row(settings: &StepSettings, contact: &Contact) -> (f64, f64) {
    let h = settings.h;
    match (contact.surface.compliance, settings.contact.normal) {
        // [PKF17 eq. 40, 41]
        (Some(Relaxation { k, b }), _) => {
            let eps = 1.0 / (k * h * h + b * h);
            (eps, eps * h * k * contact.gap)
        }
        (None, NormalRow::Velocity) => (0.0, 0.0),
        (None, NormalRow::Position) => (0.0, (contact.gap / h).max(-settings.contact.max_recovery)),
    }
}

#[cfg(test)]
mod tests {
    use super::force_of;

    #[test]
    fn impulses_that_pull_by_rounding_are_no_force_to_start_from() {
        assert_eq!(force_of(&[2e-3, -1e-3, 0.0], 1e-3), [2.0, -1.0, 0.0]);
        assert_eq!(force_of(&[-1e-17, 1e-18, 1e-18], 1e-3), [0.0; 3]);
        // what is not finite is told
        assert!(force_of(&[f64::NAN, 0.0, 0.0], 1e-3)[0].is_nan());
    }
}
