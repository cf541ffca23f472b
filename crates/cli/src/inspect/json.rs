//! The same as JSON: matrices row by row.

use serde_json::{Value, json};
use stiction_record::{Contact, Coordinate};
use stiction_sim::tree::jacobian;
use stiction_sim::{BodyId, MatX};

use super::View;

pub(crate) fn object(view: &View) -> Value {
    let model = &view.simulation.model;
    let next = &view.next;
    json!({
        "nq": model.nq(),
        "nv": model.nv(),
        "time_s": view.frame.time,
        "step": view.frame.step,
        "q": coordinates(&view.q, &view.frame.q),
        "v": coordinates(&view.v, &view.frame.v),
        "mass_matrix": rows(&view.M),
        "bias": view.bias,
        "kinetic_j": view.frame.energy.kinetic,
        "potential_j": view.frame.energy.potential,
        "bodies": bodies(view),
        "joints": model.joints().iter().map(|joint| &joint.name).collect::<Vec<_>>(),
        "shapes": model.geoms().iter().map(|geom| &geom.name).collect::<Vec<_>>(),
        "contacts": next.contacts.iter().map(contact).collect::<Vec<_>>(),
        "contact_problem": {
            "law": next.law,
            "kind": next.kind,
            "unknowns": next.unknowns,
            "rank": next.rank,
            "jacobian": rows(&next.J),
            "delassus": next.W.as_ref().map(rows),
            "rank_delassus": next.rank_W,
            "u_free": next.u_free,
            "error": next.error,
        },
    })
}

fn coordinates(names: &[Coordinate], values: &[f64]) -> Vec<Value> {
    let pairs = names.iter().zip(values);
    pairs.map(|(c, value)| json!({"name": c.name, "unit": c.unit, "value": value})).collect()
}

/// Poses, and the Jacobians of the bodies' own frames: angular rows first, in the world.
fn bodies(view: &View) -> Vec<Value> {
    let simulation = &view.simulation;
    let model = &simulation.model;
    let mut J = MatX::zeros(6, model.nv());
    let mut objects = Vec::new();
    for (i, (body, pose)) in model.bodies().iter().zip(&view.frame.poses).enumerate() {
        jacobian::of_body(model, &simulation.data, BodyId(i as u32), &mut J);
        objects.push(json!({
            "name": body.name,
            "mass_kg": body.inertia.mass,
            "position_m": pose[..3],
            "quat_wxyz": pose[3..],
            "jacobian": rows(&J),
        }));
    }
    objects
}

fn contact(contact: &Contact) -> Value {
    json!({
        "shape_a": contact.shape_a,
        "shape_b": contact.shape_b,
        "feature": contact.feature,
        "point_m": contact.point,
        "normal": contact.normal,
        "gap_m": contact.gap,
        "impulse_ns": contact.impulse,
        "velocity_m_s": contact.velocity,
        "mu": contact.mu,
        "mode": format!("{:?}", contact.mode).to_lowercase(),
    })
}

fn rows(A: &MatX) -> Vec<Vec<f64>> {
    A.row_iter().map(|row| row.iter().copied().collect()).collect()
}
