//! The contacts of a state, their rows and what each of them does.

use super::{ParadoxError, ParadoxSettings, TouchMode, Touching};
use crate::collide::{Collider, Contact};
use crate::contact::rows::{ContactRows, Place, contact_frame};
use crate::contact::space::Tangents;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// What touches, in the position of `data`; the rows of all of them.
pub(super) fn touching(
    model: &Model,
    settings: &ParadoxSettings,
    state: &State,
    data: &Data,
) -> Result<(Vec<Touching>, ContactRows), ParadoxError> {
    let bounded = model.motors.len() + model.limits.len() + model.frictions.len();
    if bounded > 0 || !model.guides.is_empty() {
        return Err(ParadoxError::Bounded);
    }
    let mut contacts = Vec::new();
    Collider::new(model).detect(model, &data.kin, settings.gap, &mut contacts);
    // margins may have added some
    contacts.retain(|contact| contact.gap <= settings.gap);
    contacts.iter().try_for_each(|contact| check(model, settings, contact))?;
    let place = |contact: &Contact| {
        let Contact { a, b, p_W, n_W, .. } = *contact;
        Place { a, b, p_W, R_WC: contact_frame(&n_W) }
    };
    let mut places: Vec<Place> = contacts.iter().map(place).collect();
    let (mut rows, mut u) = (ContactRows::default(), Vec::new());
    rows.update(model, &data.kin, &places);
    let mut tangents = Vec::new();
    for (i, place) in places.iter_mut().enumerate() {
        let is_line = rows.turn_tangents(i, place);
        tangents.push(if is_line { Tangents::Line } else { Tangents::Plane });
    }
    rows.velocities(&state.v, &mut u);
    let list = contacts.iter().enumerate().map(|(i, contact)| {
        let u = [u[3 * i], u[3 * i + 1], u[3 * i + 2]];
        let (R_WC, mode) = (places[i].R_WC, mode(settings, u));
        Touching { contact: *contact, R_WC, tangents: tangents[i], mode, u }
    });
    Ok((list.collect(), rows))
}

fn check(model: &Model, settings: &ParadoxSettings, contact: &Contact) -> Result<(), ParadoxError> {
    if !(contact.gap >= -settings.gap) {
        return Err(ParadoxError::Overlap { shapes: names(model, contact), depth: -contact.gap });
    }
    if contact.surface.compliance.is_some() {
        return Err(ParadoxError::Compliant { shapes: names(model, contact) });
    }
    Ok(())
}

pub(super) fn names(model: &Model, contact: &Contact) -> [String; 2] {
    [contact.key.shape_a, contact.key.shape_b].map(|i| model.geoms[i as usize].name.clone())
}

fn mode(settings: &ParadoxSettings, [u_n, u_1, u_2]: [f64; 3]) -> TouchMode {
    let speed = libm::hypot(u_1, u_2);
    if u_n > settings.v_touch {
        TouchMode::Separating
    } else if !(u_n >= -settings.v_touch) {
        TouchMode::Approaching
    } else if speed > settings.v_slip {
        TouchMode::Sliding { e_t: [u_1 / speed, u_2 / speed] }
    } else {
        TouchMode::Sticking
    }
}
