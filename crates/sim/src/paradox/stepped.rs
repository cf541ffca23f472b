//! The other side of a paradox: one step in time from the same state.

use crate::data::Data;
use crate::force::Input;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::{StepError, StepReport, step};

/// A step from a copy of a state, and what its contacts did.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    pub report: StepReport,
    /// Impulses on B and velocities of each contact, along n, t1, t2 [N·s, m/s].
    pub p: Vec<f64>,
    pub u: Vec<f64>,
    /// Where it leads.
    pub state: State,
    /// What the impulses did to the kinetic energy, `½ pᵀ(u + u_free)` [J].
    pub contact_work: f64,
}

impl Stepped {
    /// The judge has accepted the impulses, or there were none.
    pub fn is_certified(&self) -> bool {
        self.report.contact.is_none_or(|contact| contact.certified)
    }
}

pub fn stepped(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &State,
) -> Result<Stepped, StepError> {
    let (mut state, mut data) = (state.clone(), Data::new(model));
    let report = step(model, settings, input, &mut state, &mut data)?;
    let (p, u) = (data.contact_impulses().to_vec(), data.contact_velocities().to_vec());
    let u_free = data.contact_space().map_or(&[][..], |space| &space.u_free);
    let terms = p.iter().zip(u.iter().zip(u_free)).map(|(p, (u, u_free))| 0.5 * p * (u + u_free));
    let contact_work = terms.sum();
    Ok(Stepped { report, p, u, state, contact_work })
}
