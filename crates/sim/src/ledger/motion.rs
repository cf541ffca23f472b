//! Forces, inertia and drift.

use super::{Ledger, LedgerWork, contact, rows};
use crate::constraint::rows::{At, Singular};
use crate::data::Data;
use crate::flight;
use crate::math::{Quat, Vec3};
use crate::model::{Body, Model};
use crate::settings::{StepSettings, Stiffness};
use crate::state::State;
use crate::tree::kinematics::{Kinematics, Velocities};
use crate::tree::rnea::{self, BiasOf};

/// Gravity, forces from outside and joint damping of the tree. Each is paid over h u; what its way really was is its own
/// term, and the difference the method's.
pub(super) fn add_forces(
    ledger: &mut Ledger,
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &Data,
    own: &mut LedgerWork,
) {
    let (h, u) = (settings.h, &data.work.v_kick);
    own.vel.update(model, &data.kin, u);
    let paid = h * model.gravity.dot(&momentum(model, &data.kin, &own.vel));
    let raised = raised(model, &data.kin, &own.kin);
    ledger.pay(|l| &mut l.gravity, -raised);
    ledger.pay(|l| &mut l.numerical, paid + raised);

    ledger.pay(|l| &mut l.applied, h * dot(&own.applied, u));

    for ((delta, u), v) in model.damping.iter().zip(u).zip(&state.v) {
        ledger.pay(|l| &mut l.damping, -h * delta * u * u);
        if settings.stiffness == Stiffness::Explicit {
            ledger.pay(|l| &mut l.numerical, h * delta * u * (u - v));
        }
    }
}

/// Contacts, and what is left to inertia when forces are paid at u and contacts at the mean velocity:
/// `−½ Δᵀ(M Δ − J_cᵀ p_c)`.
pub(super) fn add_inertia(
    ledger: &mut Ledger,
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &Data,
    own: &mut LedgerWork,
) {
    let u = &data.work.v_kick;
    for (dv, (u, v)) in own.dv.iter_mut().zip(u.iter().zip(&state.v)) {
        *dv = u - v;
    }
    own.x.fill(0.0);
    if let Some(contact) = data.contact.as_ref().filter(|contact| !contact.p.is_empty()) {
        contact::add(ledger, contact, settings.h, [&state.v, u], own);
    }
    data.M.multiply(&model.pattern, &own.dv, &mut own.y);
    ledger.pay(|l| &mut l.numerical, -0.5 * (dot(&own.dv, &own.y) - dot(&own.dv, &own.x)));
}

/// What the drift changes of the kinetic energy, less the work of the velocity products in the kick, which stand for it to
/// first order. Bodies that fly have neither mass matrix nor velocity products here: they keep Π, and with it
/// all but `½ Π·Δw` of their energy.
pub(super) fn add_drift(
    ledger: &mut Ledger,
    model: &Model,
    h: f64,
    state: &State,
    data: &mut Data,
    own: &mut LedgerWork,
) {
    rnea::bias(model, data, BiasOf::VelocityBesideFlight, &mut own.x);
    let work = &data.work;
    ledger.pay(|l| &mut l.numerical, -h * dot(&own.x, &work.v_kick));

    own.dv.copy_from_slice(&work.v_kick);
    for body in model.bodies.iter().filter(|body| body.flies()) {
        own.dv[body.v_range()].fill(0.0);
        ledger.pay(
            |l| &mut l.numerical,
            flown(body, [&state.q, &work.q_next], [&work.v_kick, &work.v_next]),
        );
    }
    data.M.multiply(&model.pattern, &own.dv, &mut own.x);
    own.M.multiply(&model.pattern, &own.dv, &mut own.y);
    ledger.pay(|l| &mut l.numerical, 0.5 * (dot(&own.dv, &own.y) - dot(&own.dv, &own.x)));
}

/// A drift that no kick has paid for: all it changes is the method's.
pub(super) fn add_first_drift(
    mut ledger: Ledger,
    model: &Model,
    start: &State,
    from: &State,
    own: &mut LedgerWork,
) -> Result<Ledger, Singular> {
    own.arrive(model, At::from(start))?;
    ledger.kinetic[0] = own.kinetic(model, &start.v);
    let [K, E] = stored(model, &start.v, own);
    std::mem::swap(&mut own.kin, &mut own.kin_before);
    own.arrive(model, At::from(from))?;
    let [K_next, E_next] = stored(model, &from.v, own);
    let raised = raised(model, &own.kin_before, &own.kin);
    ledger.pay(|l| &mut l.gravity, -raised);
    ledger.pay(|l| &mut l.springs, E - E_next);
    ledger.pay(|l| &mut l.numerical, (K_next - K) + (E_next - E) + raised);
    Ok(ledger)
}

/// Kinetic energy by the mass matrix, and energy of the springs, where `own` is [J].
pub(super) fn stored(model: &Model, v: &[f64], own: &mut LedgerWork) -> [f64; 2] {
    own.M.multiply(&model.pattern, v, &mut own.x);
    [0.5 * dot(v, &own.x) + rows::armatures(&own.rows, v), rows::elastic(&own.rows)]
}

/// What gravity's potential grows by from one position to another [J]: by differences of places, so that a place far
/// from the origin costs no digits.
pub(super) fn raised(model: &Model, from: &Kinematics, to: &Kinematics) -> f64 {
    let places = from.X_WB.iter().zip(&to.X_WB);
    let bodies = model.bodies.iter().zip(places);
    let moment = bodies.fold(Vec3::zeros(), |sum, (body, (from, to))| {
        sum + (to.p - from.p) * body.I.mass + (to.R - from.R) * body.I.mc
    });
    -model.gravity.dot(&moment)
}

/// `Σ m v_WBcm` [N·s].
fn momentum(model: &Model, kin: &Kinematics, vel: &Velocities) -> Vec3 {
    let bodies = model.bodies.iter().zip(kin.X_WB.iter().zip(&vel.V));
    bodies.fold(Vec3::zeros(), |P, (body, (X_WB, V))| P + X_WB.R * (&body.I * V).f)
}

/// What the kinetic energy of a body that flies grows by: `½ Π·(w⁺ − w)` in space, Π being kept, as the velocity of its
/// centre of mass is. In the plane nothing.
fn flown(body: &Body, q: [&[f64]; 2], v: [&[f64]; 2]) -> f64 {
    let Some(start) = body.joint.quaternion() else { return 0.0 };
    let w_J = |q: &[f64], v: &[f64]| {
        let quat = Quat::from_wxyz(&q[body.q_range()][start..start + 4]);
        quat.to_matrix() * Vec3::from_column_slice(&v[body.v_range()][body.joint.nv() - 3..])
    };
    let Pi_J = flight::kept(body, &q[0][body.q_range()], &v[0][body.v_range()]).w;
    0.5 * Pi_J.dot(&(w_J(q[1], v[1]) - w_J(q[0], v[0])))
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
