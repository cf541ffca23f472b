//! The step of semi-implicit Euler: kick, then drift.
//!
//! ```text
//!  M̂ (v⁺ − v) = h (k − δ v) + Jᵀ p,   J v⁺ + ε p + d = 0           kick: all forces at q
//!  (q, v⁺) → q⁺                                                     drift: q ⊕ h v⁺
//! ```
//!
//! Bodies that fly (see [`crate::flight`]) drift by the motion of a free rigid body, which keeps their momentum
//! in space; their gyroscopic terms belong to the drift, those of all other bodies to the kick. Springs and
//! dampers are rows of compliance ε = 1/(γh² + δh), which is M̂ of [AP] with the springs not eliminated.
//! Those along one coordinate of the tree are eliminated beforehand, unless they are very stiff ([`crate::constraint::inner`]).
//! With another [`Geometry`] a part of the drift, at the old velocities, comes before the kick.
//! Theory: `docs/theory/step.md`.

use crate::constraint::close::{self, ContactsOf, Moves, Wanted};
use crate::constraint::rows::{Answer, At, Part, remember_angles};
use crate::contact::list::ContactList;
use crate::data::Data;
use crate::explicit;
use crate::flight;
use crate::force::Input;
use crate::ledger::{self, Ledger, LedgerWork};
use crate::model::Model;
use crate::projection;
use crate::settings::{Drift, Geometry, StepSettings, Stiffness};
use crate::state::State;
use crate::step::{StepError, StepReport};
use crate::tree::rnea::BiasOf;
use crate::tree::{kinematics, rnea};
use crate::work::factor_with_springs;

pub(crate) fn step(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    step_listed(model, settings, input, None, state, data)
}

/// The same where only contacts on a list have rows.
pub(crate) fn step_listed(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    list: Option<&mut ContactList>,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut from = std::mem::take(&mut data.work.from);
    from.copy_from(state);
    if settings.geometry != Geometry::Begin {
        let first = share_before(settings) * settings.h;
        advance(model, &mut from.q, &mut from.v, first);
        from.time += first;
    }
    let mut result = match from.q.iter().all(|q| q.is_finite()) {
        true => kick_and_drift(model, settings, (input, list), &from, data),
        false => Err(StepError::NotFinite),
    };
    if let Ok(report) = &mut result {
        if settings.geometry != Geometry::Begin {
            travel_rest(model, settings, &from, data);
            report.ledger = whole_ledger(model, settings, state, &from, data);
        }
        finish(model, settings, state, data);
    }
    data.work.from = from;
    result
}

/// The step from `from`, which has travelled its share before the kick; leaves q and v of a whole drift after the kick.
fn kick_and_drift(
    model: &Model,
    settings: &StepSettings,
    (input, list): (&Input<'_>, Option<&mut ContactList>),
    state: &State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    kinematics::update(model, &state.q, &state.v, data); //        q, v → X_WB, S, V
    gather_forces(model, settings, input, state, data)?; //        q, v, t → k
    find_inner(model, settings, state, data); //                   springs that are no rows
    factor_with_springs(model, implicit_time(settings), data)?; // q → M̂ = Lᵀ D L
    kick(model, settings, state, data); //                         v_free = v + M̂⁻¹ h (k − δ v)
    if !data.work.v_kick.iter().all(|v| v.is_finite()) {
        return Err(StepError::NotFinite);
    }
    assemble_rows(model, settings, state, data)?; //               q, t → J, ε, d
    detect_contacts(model, settings, list, state, data)?; //       X_WB → φ, contact frames, limits
    let mut report = constrain(model, settings, state, data)?; //  p, v⁺, and q⁺ by the drift
    report.explicit_load = explicit_load(model, settings, data);

    let work = &mut data.work;
    work.inner.read_impulses(settings.h, &work.v_kick);
    let is_remembered = data.contact.as_ref().is_none_or(|contact| contact.forces_are_finite());
    if !(work.v_next.iter().chain(&work.q_next).all(|x| x.is_finite()) && is_remembered) {
        return Err(StepError::NotFinite);
    }
    if settings.ledger && settings.geometry == Geometry::Begin {
        let end = state.time + settings.h;
        report.ledger = ledger::of_kick_and_drift(model, settings, state, end, data).ok();
    }
    if settings.drift == Drift::Project {
        report = projection::after_step(model, settings, state, data, report)?;
    }
    report.contact = data.contact.as_ref().and_then(|contact| contact.report);
    Ok(report)
}

/// From where the kick was, the part of the drift that is left.
fn travel_rest(model: &Model, settings: &StepSettings, from: &State, data: &mut Data) {
    let work = &mut data.work;
    work.q_next.copy_from_slice(&from.q);
    work.v_next.copy_from_slice(&work.v_kick);
    let rest = (1.0 - share_before(settings)) * settings.h;
    advance(model, &mut work.q_next, &mut work.v_next, rest);
}

/// The ledger of a step whose drift is partly before the kick.
fn whole_ledger(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    from: &State,
    data: &mut Data,
) -> Option<Ledger> {
    if !settings.ledger {
        return None;
    }
    let end = state.time + settings.h;
    let kick = ledger::of_kick_and_drift(model, settings, from, end, data).ok()?;
    ledger::with_first_drift(model, state, from, data, kick).ok()
}

/// The end of the step as the new state.
fn finish(model: &Model, settings: &StepSettings, state: &mut State, data: &mut Data) {
    let work = &mut data.work;
    state.q.copy_from_slice(&work.q_next);
    state.v.copy_from_slice(&work.v_next);
    state.time += settings.h;
    if !model.angles.is_empty() {
        work.kin_next.update(model, &state.q);
        remember_angles(model, &work.kin_next, state);
    }
    if let Some(contact) = &data.contact {
        contact.remember(settings.h, &mut state.memory.contacts);
    }
}

/// The part of the drift before the kick.
pub(crate) fn share_before(settings: &StepSettings) -> f64 {
    match settings.geometry {
        Geometry::Begin => 0.0,
        Geometry::Middle => 0.5,
        Geometry::End => 1.0,
    }
}

/// `k`: everything that pushes at (q, v, t), gravity and velocity products included.
fn gather_forces(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &State,
    data: &mut Data,
) -> Result<(), StepError> {
    let mut loads = std::mem::take(&mut data.work.loads);
    loads.gather(model, input, state, data);
    if settings.ledger {
        let new = || Box::new(LedgerWork::new(model));
        let own = data.work.ledger.get_or_insert_with(new);
        loads.generalized(model, &data.kin, &mut own.applied);
    }
    if settings.stiffness == Stiffness::Explicit {
        let work = &mut data.work;
        work.elastic.assemble(model, &data.kin, At::from(state), Part::Springs)?;
        loads.add_elastic(&data.kin, &work.elastic, &state.v);
    }
    let mut c = std::mem::take(&mut data.work.c);
    rnea::bias(model, data, BiasOf::BesideFlight, &mut c);
    let work = &mut data.work;
    loads.generalized(model, &data.kin, &mut work.k);
    for (k, c) in work.k.iter_mut().zip(&c) {
        *k -= c;
    }
    (work.loads, work.c) = (loads, c);
    Ok(())
}

/// For how long dampings count as implicit [s].
fn implicit_time(settings: &StepSettings) -> f64 {
    match settings.stiffness {
        Stiffness::LinearlyImplicit => settings.h,
        Stiffness::Explicit => 0.0,
    }
}

fn find_inner(model: &Model, settings: &StepSettings, state: &State, data: &mut Data) {
    data.work.inner.find(model, &data.kin, &state.q, implicit_time(settings));
}

fn kick(model: &Model, settings: &StepSettings, state: &State, data: &mut Data) {
    let work = &mut data.work;
    for i in 0..model.nv {
        work.dv[i] = settings.h * (work.k[i] - model.damping[i] * state.v[i]);
    }
    work.inner.add_momentum(settings.h, &state.v, &mut work.dv);
    work.M_hat.solve(&model.pattern, &mut work.dv);
    for i in 0..model.nv {
        work.v_kick[i] = state.v[i] + work.dv[i];
    }
}

fn assemble_rows(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &mut Data,
) -> Result<(), StepError> {
    let h = settings.h;
    let part = match settings.stiffness {
        Stiffness::LinearlyImplicit => Part::All,
        Stiffness::Explicit => Part::Constraints,
    };
    let work = &mut data.work;
    work.rows.assemble_beside(model, &data.kin, At::from(state), part, &work.inner)?;
    work.impulses.reset(work.rows.len());
    for i in 0..work.rows.len() {
        let row = &work.rows.rows[i];
        let rate = close::mean_rate(model, row, state.time, h);
        let (eps, d) = match row.answer {
            Answer::Rigid => {
                let share = match settings.drift {
                    Drift::Free | Drift::Project => 0.0,
                    Drift::Stabilize { beta } => beta,
                    Drift::Close => 1.0,
                };
                (0.0, share * row.theta / h - rate)
            }
            // [PKF17 eq. 40, 41]
            Answer::Elastic { k, b } => {
                let eps = 1.0 / (k * h * h + b * h);
                (eps, eps * h * k * row.theta - rate)
            }
            Answer::Inertia(inertia) => (1.0 / inertia, -work.rows.rate(i, &state.v)),
            // not among these rows: solved with the contacts
            Answer::Bounded => continue,
        };
        (work.impulses.eps[i], work.impulses.d[i]) = (eps, d);
    }
    Ok(())
}

/// Solves the rows, drifts, and repeats until rigid rows hold where the settings want them to.
fn constrain(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let h = settings.h;
    let drift = |_: &mut Data, q: &mut [f64], v: &mut [f64]| {
        advance(model, q, v, h);
        Ok(())
    };
    let slack = match settings.drift {
        Drift::Stabilize { .. } => close::CURVATURE,
        Drift::Free | Drift::Project | Drift::Close => close::SAME,
    };
    let wanted = Wanted { positions: settings.drift == Drift::Close, armatures: 1.0, slack };
    let touch =
        |data: &mut Data, again: bool| solve_contacts(model, settings, state, (data, again));
    let has_contacts = data.contact.as_ref().is_some_and(|contact| contact.has_rows());
    let contacts: Option<&ContactsOf<'_>> = if has_contacts { Some(&touch) } else { None };
    close::solve(model, h, wanted, state, data, Moves { drift: &drift, contacts })
}

/// Which shapes may touch within the step, and which joints may come to their limits.
fn detect_contacts(
    model: &Model,
    settings: &StepSettings,
    list: Option<&mut ContactList>,
    state: &State,
    data: &mut Data,
) -> Result<(), StepError> {
    let Some(mut contact) = data.contact.take() else { return Ok(()) };
    let result = contact.detect(model, settings, state, data, list);
    data.contact = Some(contact);
    result
}

fn solve_contacts(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    (data, again): (&mut Data, bool),
) -> Result<bool, StepError> {
    let Some(mut contact) = data.contact.take() else { return Ok(false) };
    let result = contact.solve(model, settings, state, (data, again));
    data.contact = Some(contact);
    result
}

/// How near springs and dampers are to what an explicit step can bear.
fn explicit_load(model: &Model, settings: &StepSettings, data: &mut Data) -> f64 {
    if settings.stiffness == Stiffness::LinearlyImplicit {
        return 0.0;
    }
    let work = &mut data.work;
    explicit::load(model, &work.M_hat, &work.elastic, settings.h, &mut work.c, &mut work.k)
}

/// Drift of the whole model: bodies that fly do, all others move at constant v.
pub(crate) fn advance(model: &Model, q: &mut [f64], v: &mut [f64], h: f64) {
    for body in &model.bodies {
        let (q, v) = (&mut q[body.q_range()], &mut v[body.v_range()]);
        if body.flies() {
            flight::fly(body, q, v, h);
        } else {
            body.joint.integrate(q, v, h);
        }
    }
}
