//! What a rough answer passes joins before an exact one is sought.
//!
//! Contacts that were set aside, and pairs that nobody looked at, are asked about in the end, at the velocities of the answer, and what these pass
//! makes another solve of it. Most of that is seen at a rough answer already. Who joins without need costs a row; who is missed joins in the end.

use crate::contact::law::{self, LawAnswer};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;

impl ContactWork {
    /// The law's answer for the contacts at hand, and in the first solve of a step for those that its rough answer passes.
    pub(super) fn find_answer(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) -> Result<LawAnswer, StepError> {
        let contact = &settings.contact;
        let of = (&contact.law, contact.solver, contact.tol);
        let (space, work) = (&self.space, &mut self.work);
        // bilateral rows are met after the contacts: velocities are not known before
        let may_join = self.report.is_none()
            && data.work.rows.is_empty()
            && !(self.ways.of_body.is_empty() && self.spare.is_empty());
        if !may_join {
            return law::solve_with(space, of.0, of.1, of.2, work).map_err(StepError::Law);
        }
        if let Some(answer) = law::begin(space, of.0, of.1, of.2, work).map_err(StepError::Law)? {
            return Ok(answer);
        }
        let v = self.rough_velocities(model, data);
        let before = self.contacts.len();
        let joined = self.join_spare(model, settings, state, (data, &v));
        if joined > 0 {
            self.work.insert_contacts(before, joined);
            self.assemble(model, settings, state, data)?;
            self.set_free_velocities(&data.work.v_kick);
        }
        let (space, work) = (&self.space, &mut self.work);
        law::finish(space, of.0, of.1, of.2, work).map_err(StepError::Law)
    }

    /// What the rough impulses make of the velocities after the kick; there are none so far.
    fn rough_velocities(&mut self, model: &Model, data: &Data) -> Vec<f64> {
        self.dv.fill(0.0);
        if let Some(p) = self.work.rough() {
            self.rows.add_momentum(p, &mut self.dv);
        }
        data.work.M_hat.solve(&model.pattern, &mut self.dv);
        data.work.v_kick.iter().zip(&self.dv).map(|(v, dv)| v + dv).collect()
    }
}
