//! The impact at a fixed position: velocities jump, positions stay.
//!
//! ```text
//!  M (v⁺ − v⁻) = J_bᵀ p_b + Jᵀ p,    J_b v⁺ = ġ           forces have no time to act: h = 0 [AP]
//!  u = J v,   u⁺ = u⁻ + W p                                joints eliminated: everything else happens in the contacts
//! ```
//!
//! [`ImpactLaw`] says what comes back, [`Treatment`] how contacts that touch at the same time share it, and a law of
//! [`crate::contact::law`] what friction is. Theory: `docs/theory/impact.md`.

mod assumptions;
mod hit;
mod report;
mod sequence;
mod settings;
mod space;
mod touching;

pub use report::{Assumptions, Course, ImpactReport, PhaseReport};
pub use settings::{ImpactLaw, ImpactSettings, Treatment};

use crate::constraint::rows::{Answer, At, Part};
use crate::contact::law::needs_entries;
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::ledger::{self, Ledger};
use crate::model::Model;
use crate::state::State;
use crate::step::StepError;
use crate::tree::kinematics;
use crate::work::factor_mass;
use hit::{Hit, hit, sum};
use sequence::sequence;
use space::ImpactSpace;

/// Work of the impulses above this share of the largest it could be is a gain, below it rounding: solves end at 1e-13 of the
/// fastest velocity.
const ROUNDING_OF_WORK: f64 = 2e-13;

/// Resolves the impact of everything that touches at the position of `state`: its velocities become those after the impact. The
/// rest of the state is left alone, and on `Err` all of it.
///
/// Bodies push where they touch, joints and drives hold, limits that are reached do not bounce; springs, motors, friction of
/// joints and compliant contacts take no part. Afterwards `data` has the contacts, with their impulses for those of a step.
pub fn impact(
    model: &Model,
    settings: &ImpactSettings,
    state: &mut State,
    data: &mut Data,
) -> Result<ImpactReport, StepError> {
    settings.validate().map_err(StepError::Setting)?;
    model.check_state(state).map_err(StepError::State)?;
    kinematics::update(model, &state.q, &state.v, data); //    q, v → X_WB, S, V
    factor_mass(model, 0.0, data)?; //                         q → M = Lᵀ D L
    hold_joints(model, state, data)?; //                       v⁻ → v₀ with J_b v₀ = ġ
    let result = match data.contact.take() {
        None => Ok(without_contacts()),
        Some(mut contact) => {
            let result = collide(model, settings, state, &mut contact, data);
            data.contact = Some(contact);
            result
        }
    };
    let mut report = result?; //                               p, v₀ → v⁺
    if !data.work.v_kick.iter().all(|v| v.is_finite()) {
        return Err(StepError::NotFinite);
    }
    report.K_before = kinetic(model, data, &state.v);
    report.K_after = kinetic(model, data, &data.work.v_kick);
    report.ledger = ledger::of_impact(&state.v, [report.K_before, report.K_after], data);
    state.v.copy_from_slice(&data.work.v_kick);
    kinematics::update(model, &state.q, &state.v, data);
    Ok(report)
}

/// The bilateral rows of an impact, and `v_kick` = v⁻ made to obey them. Relaxed ones and springs are finite forces.
fn hold_joints(model: &Model, state: &State, data: &mut Data) -> Result<(), StepError> {
    let work = &mut data.work;
    work.v_kick.copy_from_slice(&state.v);
    work.rows.assemble(model, &data.kin, At::from(state), Part::Stiff)?;
    work.impulses.reset(work.rows.len());
    for (i, row) in work.rows.rows.iter().enumerate() {
        (work.impulses.eps[i], work.impulses.d[i]) = match row.answer {
            Answer::Inertia(inertia) => (1.0 / inertia, -work.rows.rate(i, &state.v)),
            // the prescribed rate of a drive, or none
            _ => (0.0, -row.g[1]),
        };
    }
    work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &work.impulses.eps);
    correct_joints(model, data);
    Ok(())
}

/// Twice: the second solve refines the first.
fn correct_joints(model: &Model, data: &mut Data) {
    let work = &mut data.work;
    if work.rows.is_empty() {
        return;
    }
    for _ in 0..2 {
        let (pattern, M) = (&model.pattern, &work.M_hat);
        work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.v_kick);
    }
}

/// Everything between the contacts; `v_kick` becomes v⁺.
fn collide(
    model: &Model,
    settings: &ImpactSettings,
    state: &State,
    contact: &mut ContactWork,
    data: &mut Data,
) -> Result<ImpactReport, StepError> {
    touching::detect(contact, model, settings.distance, state, data)?;
    if contact.p.is_empty() {
        return Ok(without_contacts());
    }
    let by_entries = needs_entries(&settings.friction, settings.solver);
    let mut impact = touching::assemble(contact, model, data, by_entries)?;
    let mut u = Vec::new();
    contact.rows.velocities(&data.work.v_kick, &mut u);
    let rest = settings.tol * u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
    let assumed = assumptions::assumptions(&impact, &u, rest, &settings.friction);
    let (hit, course) = match settings.treatment {
        Treatment::Simultaneous => {
            let hit = hit(&mut impact, &u, settings, &mut contact.work)?;
            (Some(hit), Course::AtOnce)
        }
        Treatment::Sequential => sequence(&mut impact, &u, rest, settings, &mut contact.work)?,
    };
    let mut report = ImpactReport {
        contacts: contact.contacts.len(),
        guides: contact.guides.len(),
        limits: contact.active.len(),
        assumptions: assumed,
        course,
        ..without_contacts()
    };
    let hit = hit.unwrap_or_else(|| Hit::nothing(u.len()));
    push(model, contact, &hit.p_c, data);
    if settings.treatment == Treatment::Simultaneous && settings.law != ImpactLaw::Newton {
        report.K_compressed = Some(kinetic(model, data, &data.work.v_kick));
    }
    push(model, contact, &hit.p_d, data);
    contact.rows.velocities(&data.work.v_kick, &mut contact.u);
    contact.p = sum(&hit.p_c, &hit.p_d);
    report.gained = gained(&contact.p, &u, &contact.u);
    report.u_after.clone_from(&contact.u);
    report.u_before = u;
    report.approach = largest_approach(&impact, &contact.u);
    tell(hit, &mut report);
    Ok(report)
}

/// Impulses at the contacts, and joints that hold again; W knew that they would.
fn push(model: &Model, contact: &ContactWork, p: &[f64], data: &mut Data) {
    let work = &mut data.work;
    work.dv.fill(0.0);
    contact.rows.add_momentum(p, &mut work.dv);
    work.M_hat.solve(&model.pattern, &mut work.dv);
    for (v, dv) in work.v_kick.iter_mut().zip(&work.dv) {
        *v += dv;
    }
    correct_joints(model, data);
}

/// `p·(u⁻ + u⁺)/2` where it is positive beyond rounding [J].
fn gained(p: &[f64], u_before: &[f64], u_after: &[f64]) -> f64 {
    let terms = p.iter().zip(u_before.iter().zip(u_after));
    let work: f64 = terms.map(|(p, (u, u_after))| 0.5 * p * (u + u_after)).sum();
    let speeds = u_before.iter().chain(u_after).map(|u| u.abs());
    let size = speeds.fold(0.0, f64::max) * p.iter().map(|p| p.abs()).sum::<f64>();
    if work <= ROUNDING_OF_WORK * size { 0.0 } else { work }
}

fn largest_approach(impact: &ImpactSpace, u: &[f64]) -> f64 {
    (0..impact.e.len()).map(|block| impact.approach(block, u)).fold(0.0, f64::max)
}

fn tell(hit: Hit, report: &mut ImpactReport) {
    report.compression = hit.compression;
    report.decompression = hit.decompression;
    let phases = [hit.compression, hit.decompression];
    report.certified = phases.iter().flatten().all(|phase| phase.certified);
    (report.p_c, report.p_d) = (hit.p_c, hit.p_d);
}

/// `½ vᵀM v`, and what armatures of joints that rows enforce have [J].
fn kinetic(model: &Model, data: &Data, v: &[f64]) -> f64 {
    let work = &data.work;
    let mut twice = work.M_hat.square(&model.pattern, v);
    for (i, row) in work.rows.rows.iter().enumerate() {
        if let Answer::Inertia(inertia) = row.answer {
            let rate = work.rows.rate(i, v);
            twice += inertia * rate * rate;
        }
    }
    0.5 * twice
}

fn without_contacts() -> ImpactReport {
    let assumptions = Assumptions {
        frictionless: true,
        one_restitution: true,
        none_larger: true,
        others_at_rest: true,
    };
    ImpactReport {
        contacts: 0,
        guides: 0,
        limits: 0,
        certified: true,
        compression: None,
        decompression: None,
        p_c: Vec::new(),
        p_d: Vec::new(),
        u_before: Vec::new(),
        u_after: Vec::new(),
        K_before: 0.0,
        K_compressed: None,
        K_after: 0.0,
        gained: 0.0,
        ledger: Ledger::default(),
        assumptions,
        course: Course::NoContact,
        approach: 0.0,
    }
}
