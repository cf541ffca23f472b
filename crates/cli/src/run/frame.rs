//! A state and its step as a frame of a recording.

use stiction_record::{Certificate, Contact, Energy, Frame, Impact, Mode};
use stiction_scene::{Simulation, Stepped};
use stiction_sim::contact::law::ContactMode;
use stiction_sim::located::EventKind;
use stiction_sim::tree::kinematics;
use stiction_sim::{BodyId, Data, StepReport, Vec3, energy, tree};

use super::header::recorded;

/// What is known after a step; without one, of the state that a run begins with.
pub(crate) fn fill(frame: &mut Frame, sim: &mut Simulation, step: u64, stepped: Option<&Stepped>) {
    frame.clear();
    frame.step = step;
    frame.time = sim.state.time;
    frame.q.extend_from_slice(&sim.state.q);
    frame.v.extend_from_slice(&sim.state.v);
    fill_energy(&mut frame.energy, sim, stepped);
    for body in 0..sim.model.bodies().len() {
        let X_WU = kinematics::pose(&sim.model, &sim.data, BodyId(body as u32));
        frame.poses.push(recorded(&X_WU));
    }
    if let Some(stepped) = stepped {
        fill_contacts(&mut frame.contacts, &sim.data);
        frame.impacts.extend(stepped.events.iter().filter_map(|e| impact(e.time, &e.kind)));
        certificate(&mut frame.certificate, &stepped.last, stepped.certified);
    }
}

/// Brings the kinematics of `sim.data` to the present state.
fn fill_energy(filled: &mut Energy, sim: &mut Simulation, stepped: Option<&Stepped>) {
    let (model, state) = (&sim.model, &sim.state);
    let total = energy::mechanical_energy(model, state.into(), &state.v, &mut sim.data);
    kinematics::update(model, &state.q, &state.v, &mut sim.data);
    filled.kinetic = tree::energy::kinetic(model, &sim.data, &state.v);
    // where the points of a spring coincide it has no direction, and no energy is told
    filled.potential = total.map_or(f64::NAN, |total| total - filled.kinetic);
    if let Some(ledger) = stepped.and_then(|stepped| stepped.ledger.as_ref()) {
        filled.terms.extend(ledger.terms().map(|(_, amount)| amount));
    }
}

/// With vectors in the world.
pub(crate) fn fill_contacts(filled: &mut Vec<Contact>, data: &Data) {
    let impulses = data.contact_impulses().chunks_exact(3);
    let velocities = data.contact_velocities().chunks_exact(3);
    let numbers = impulses.zip(velocities).zip(data.contact_axes()).zip(data.contact_modes());
    for (contact, (((p, u), R_WC), mode)) in data.contacts().iter().zip(numbers) {
        // n, t1, t2 of the numbers; t1, t2, n of the axes
        let in_world = |x: &[f64]| (R_WC * Vec3::new(x[1], x[2], x[0])).into();
        let (mode, mu) = match mode {
            ContactMode::Open => (Mode::Open, contact.surface.mu_s),
            ContactMode::Stick => (Mode::Stick, contact.surface.mu_s),
            ContactMode::Slip { .. } => (Mode::Slip, contact.surface.mu_k),
        };
        filled.push(Contact {
            shape_a: contact.key.shape_a,
            shape_b: contact.key.shape_b,
            feature: contact.key.feature,
            point: contact.p_W.into(),
            normal: contact.n_W.into(),
            gap: contact.gap,
            impulse: in_world(p),
            velocity: in_world(u),
            mu,
            mode,
        });
    }
}

fn impact(time: f64, kind: &EventKind) -> Option<Impact> {
    let EventKind::Impact { strikes, K, .. } = kind else { return None };
    let speed = strikes.iter().fold(0.0_f64, |speed, strike| speed.max(-strike.u_n[0]));
    Some(Impact { time, contacts: strikes.len() as u32, speed, lost: K[0] - K[1] })
}

fn certificate(filled: &mut Certificate, report: &StepReport, certified: bool) {
    filled.certified = certified;
    filled.gap = report.gap;
    filled.misalignment = report.misalignment;
    let Some(contact) = &report.contact else {
        *filled = Certificate {
            certified,
            gap: filled.gap,
            misalignment: filled.misalignment,
            ..Default::default()
        };
        return;
    };
    filled.residual = contact.problem;
    filled.law = contact.residual.relative();
    filled.coulomb = contact.coulomb.relative();
    filled.overlap = contact.overlap;
    filled.iterations = contact.iterations as u32;
    filled.solver.clear();
    filled.solver.push_str(contact.link);
}
