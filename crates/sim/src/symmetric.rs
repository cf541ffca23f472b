//! A second-order step for smooth motion: half a kick, drift, half a kick.
//!
//! ```text
//!  M(q) (v₁ − v)   = h/2 k(q, v)    + J(q)ᵀ p          such that Θ(q⁺) = g(t + h)
//!  (q, v₁) → (q⁺, v₂)                                  drift: kinetic energy alone, for the time h
//!  M(q⁺) (v⁺ − v₂) = h/2 k(q⁺, v⁺)  + J(q⁺)ᵀ p⁺        such that J(q⁺) v⁺ = ġ(t + h)
//! ```
//!
//! The two kicks are adjoint to each other (explicit, then implicit in the velocities) and the drift is
//! symmetric, so the step is: run with −h it returns. Without velocity-dependent forces, and where all bodies fly, it is
//! symplectic: RATTLE with the flow of the kinetic energy as its drift. Springs, dampers and relaxed
//! constraints are forces here. Theory: `docs/theory/step.md`.

use crate::constraint::close::{self, Moves, Wanted};
use crate::constraint::rows::{Answer, At, Part, remember_angles};
use crate::data::Data;
use crate::drift::drift;
use crate::force::Input;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::{StepError, StepReport};
use crate::tree::rnea::BiasOf;
use crate::tree::{kinematics, rnea};
use crate::work::factor_mass;

/// Rounds for velocities that forces depend on.
const MAX_ROUNDS: usize = 100;
/// Changes of the velocities below this share of them are rounding.
const ROUNDING: f64 = 1e-15;
/// A share that is still above this when it no longer shrinks means that the rounds diverge.
const CONVERGED: f64 = 1e-12;

pub(crate) fn step(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut next = std::mem::take(&mut data.work.trial);
    let result = propose(model, settings.h, input, state, &mut next, data);
    if result.is_ok() {
        copy(&next, state);
    }
    data.work.trial = next;
    result
}

pub(crate) fn copy(from: &State, to: &mut State) {
    to.time = from.time;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
    to.memory.angles.clone_from(&from.memory.angles);
}

/// Writes the end of a step of length h from `state` to `next`.
pub(crate) fn propose(
    model: &Model,
    h: f64,
    input: &Input<'_>,
    state: &State,
    next: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    copy(state, next);
    kinematics::update(model, &state.q, &state.v, data);
    factor_mass(model, 0.0, data)?;
    half_kick(model, h, input, state, data)?;
    first_rows(model, h, state, data)?;
    let wanted = Wanted { positions: true, armatures: 0.5, slack: close::SAME };
    let drift_by_h = |data: &mut Data, q: &mut [f64], v: &mut [f64]| {
        drift(model, data, q, v, h).map(|_| ()).map_err(|_| StepError::NotConverged)
    };
    let moves = Moves { drift: &drift_by_h, contacts: None };
    let report = close::solve(model, h, wanted, state, data, moves)?;
    keep_rates(data);

    next.q.copy_from_slice(&data.work.q_next);
    next.time = state.time + h;
    kinematics::update_positions(model, &next.q, data);
    remember_angles(model, &data.kin, next);
    factor_mass(model, 0.0, data)?;
    second_rows(model, next, data)?;
    second_kick(model, h, input, next, data)?;
    let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
    if finite(&next.q) && finite(&next.v) { Ok(report) } else { Err(StepError::NotFinite) }
}

/// `dv = h/2 M⁻¹ k(q, v, t)`, and `v_kick = v + dv`. Needs the velocities of `state` in `data`.
fn half_kick(
    model: &Model,
    h: f64,
    input: &Input<'_>,
    state: &State,
    data: &mut Data,
) -> Result<(), StepError> {
    data.work.elastic.assemble(model, &data.kin, At::from(state), Part::Elastic)?;
    let mut loads = std::mem::take(&mut data.work.loads);
    loads.gather(model, input, state, data);
    let mut c = std::mem::take(&mut data.work.c);
    rnea::bias(model, data, BiasOf::Gravity, &mut c);
    let work = &mut data.work;
    loads.add_elastic(&data.kin, &work.elastic, &state.v);
    loads.generalized(model, &data.kin, &mut work.k);
    for i in 0..model.nv {
        work.dv[i] = 0.5 * h * (work.k[i] - c[i] - model.damping[i] * state.v[i]);
    }
    work.M_hat.solve(&model.pattern, &mut work.dv);
    for i in 0..model.nv {
        work.v_kick[i] = state.v[i] + work.dv[i];
    }
    (work.loads, work.c) = (loads, c);
    Ok(())
}

/// Rigid rows that will hold at the end, armatures that follow the kick and half the drift.
fn first_rows(model: &Model, h: f64, state: &State, data: &mut Data) -> Result<(), StepError> {
    let work = &mut data.work;
    work.rows.assemble(model, &data.kin, At::from(state), Part::Stiff)?;
    work.impulses.reset(work.rows.len());
    for i in 0..work.rows.len() {
        let row = &work.rows.rows[i];
        let (eps, d) = match row.answer {
            Answer::Inertia(inertia) => (1.0 / inertia, -work.rows.rate(i, &state.v)),
            _ => (0.0, row.theta / h - close::mean_rate(model, row, state.time, h)),
        };
        (work.impulses.eps[i], work.impulses.d[i]) = (eps, d);
    }
    Ok(())
}

/// The rates of the rows before the drift: half of what the drift changes in them is left to the armatures of the
/// second kick, as the adjoint of the first.
fn keep_rates(data: &mut Data) {
    let work = &mut data.work;
    work.rates.clear();
    work.rates.extend((0..work.rows.len()).map(|i| work.rows.rate(i, &work.v_kick)));
}

/// Rigid rows at the end that the velocities must obey there.
fn second_rows(model: &Model, next: &State, data: &mut Data) -> Result<(), StepError> {
    let work = &mut data.work;
    work.rows.assemble(model, &data.kin, At::from(next), Part::Stiff)?;
    for i in 0..work.rows.len() {
        let row = &work.rows.rows[i];
        work.impulses.d[i] = match row.answer {
            Answer::Inertia(_) => -0.5 * (work.rates[i] + work.rows.rate(i, &work.v_next)),
            _ => -row.g[1],
        };
    }
    work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &work.impulses.eps);
    Ok(())
}

/// Finds the velocities at the end, which forces may depend on.
fn second_kick(
    model: &Model,
    h: f64,
    input: &Input<'_>,
    next: &mut State,
    data: &mut Data,
) -> Result<(), StepError> {
    next.v.copy_from_slice(&data.work.v_next);
    let mut last = f64::INFINITY;
    for round in 0..MAX_ROUNDS {
        kinematics::update_velocities(model, &next.v, data);
        half_kick(model, h, input, next, data)?;
        let work = &mut data.work;
        // from the drifted velocity, not from the last guess
        for i in 0..model.nv {
            work.v_kick[i] = work.v_next[i] + work.dv[i];
        }
        if !work.rows.is_empty() {
            work.impulses.p.fill(0.0);
            for _ in 0..2 {
                let (pattern, M) = (&model.pattern, &work.M_hat);
                work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.v_kick);
            }
        }
        let change = distance(model, data, &next.v);
        next.v.copy_from_slice(&data.work.v_kick);
        let done = change <= ROUNDING || (change <= CONVERGED && change >= 0.5 * last);
        if done || (round == 0 && !depends_on_velocity(model, input)) {
            return Ok(());
        }
        last = change;
    }
    Err(StepError::NotConverged)
}

/// How far `v_kick` is from v, relative to v_kick, in the metric of M.
fn distance(model: &Model, data: &mut Data, v: &[f64]) -> f64 {
    let work = &mut data.work;
    for i in 0..v.len() {
        work.dv[i] = work.v_kick[i] - v[i];
    }
    let change = work.M_hat.square(&model.pattern, &work.dv);
    if change == 0.0 {
        0.0
    } else {
        (change / work.M_hat.square(&model.pattern, &work.v_kick)).sqrt()
    }
}

/// Whether a force of the second kick can depend on the velocities it leads to.
fn depends_on_velocity(model: &Model, input: &Input<'_>) -> bool {
    input.force.is_some()
        || model.damping.iter().any(|&b| b != 0.0)
        || model.springs.iter().any(|spring| spring.damping != 0.0)
        || model.joints.iter().any(|joint| joint.damping.iter().any(|&b| b != 0.0))
        || model.constraints.iter().any(|c| c.relaxation.is_some_and(|r| r.b != 0.0))
}
