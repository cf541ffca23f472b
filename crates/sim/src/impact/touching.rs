//! What takes part in an impact at a position, and the contact problem that it makes.

use super::space::ImpactSpace;
use crate::collide::Contact;
use crate::constraint::rows::{At, Origin};
use crate::contact::guides;
use crate::contact::list::{ROUNDING_OF_PLACES, farthest, rounding_of_gap};
use crate::contact::space::{BoundedRow, ContactData, Sides, Tangents};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;
use crate::step::StepError;

/// A time for laws that ask for one [s]: without bristles, lags and gaps none of them depends on it, and forces
/// over it are in number the impulses.
const UNIT_OF_TIME: f64 = 1.0;

/// Finds rigid contacts whose gap is at most `distance`, all guides, and the limits that are reached. Motors and friction of
/// joints are finite forces and take no part.
pub(super) fn detect(
    contact: &mut ContactWork,
    model: &Model,
    distance: f64,
    state: &State,
    data: &Data,
) -> Result<(), StepError> {
    let ContactWork { collider, contacts, .. } = contact;
    let farthest = farthest(&data.kin);
    let touches = |c: &Contact| {
        c.surface.compliance.is_none() && c.gap <= distance + rounding_of_gap(c, farthest)
    };
    // shapes reach from their contact to the origin of their body: twice the farthest contact is enough for all
    let size = farthest + contact.reach.largest();
    collider.detect(model, &data.kin, distance + 2.0 * ROUNDING_OF_PLACES * size, contacts);
    contacts.retain(touches);
    contact.spare.clear();
    contact.found = contact.contacts.len();
    guides::place(model, &data.kin, &mut contact.guides);
    contact.place();
    contact.bounded.assemble_bounded(model, &data.kin, At::from(state))?;
    contact.active.clear();
    for (i, row) in contact.bounded.rows().iter().enumerate() {
        let is_limit = matches!(row.origin, Origin::Limit { .. });
        if is_limit && row.theta <= ROUNDING_OF_PLACES * row.size {
            contact.active.push(i);
        }
    }
    contact.begin(model, UNIT_OF_TIME, data);
    Ok(())
}

/// The problem, once the bilateral rows are factored.
pub(super) fn assemble(
    contact: &mut ContactWork,
    model: &Model,
    data: &Data,
    needs_entries: bool,
) -> Result<ImpactSpace, StepError> {
    contact.assemble_rows(model, data, needs_entries)?;
    let space = &mut contact.space;
    space.contacts.clear();
    for (c, &tangents) in contact.contacts.iter().zip(&contact.tangents) {
        let mu = (c.surface.mu_s, c.surface.mu_k);
        space.contacts.push(contact_data(Sides::One, tangents, mu));
    }
    for (place, guide) in contact.guides.iter().zip(&model.guides) {
        space.contacts.push(contact_data(Sides::Both, place.tangents, (guide.mu, guide.mu)));
    }
    let row = BoundedRow { eps: 0.0, d: 0.0, lower: 0.0, upper: f64::INFINITY, lambda: 0.0 };
    space.rows.clear();
    space.rows.resize(contact.active.len(), row);
    space.u_free.clear();
    space.u_free.resize(space.m(), 0.0);
    let mut e: Vec<f64> = contact.contacts.iter().map(|c| c.surface.e).collect();
    e.resize(space.k() + space.rows.len(), 0.0);
    Ok(ImpactSpace { space: space.clone(), e })
}

/// Touching, rigid, without memory; the slip is stated before each solve.
fn contact_data(sides: Sides, tangents: Tangents, (mu_s, mu_k): (f64, f64)) -> ContactData {
    ContactData {
        sides,
        tangents,
        phi: 0.0,
        eps_n: 0.0,
        d_n: 0.0,
        mu_s,
        mu_k,
        bristle: None,
        u_t: [0.0; 2],
        lambda_n: 0.0,
        lambda_t: [0.0; 2],
    }
}
