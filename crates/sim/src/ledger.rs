//! Where the energy of a step went.
//!
//! One step of Euler's method is a kick at fixed q, then a drift. With u the velocities after the kick and
//! Δ = u − v, the kinetic energy changes in the kick by
//!
//! ```text
//!  M Δ = h (τ − c − δ u) + Jᵀ p          ⇒          ½ uᵀM u − ½ vᵀM v = uᵀM Δ − ½ Δᵀ M Δ
//! ```
//!
//! so that every force is paid over h u, the path that q takes, and the rest is the method's own. Contacts are
//! paid at the mean velocity, which leaves −½ Δᵀ(M Δ − J_cᵀ p_c) to the method. Every term has a formula of its own in the state,
//! the rows and the impulses; none is what is left over, so that a sum that closes says something. Theory:
//! `docs/theory/ledger.md`.

mod contact;
mod impact;
mod motion;
mod projection;
mod rows;
#[cfg(test)]
mod tests;

use crate::constraint::rows::{At, Part, RowSet, Singular};
use crate::data::Data;
use crate::inertia::SpatialInertia;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::tree::energy;
use crate::tree::kinematics::{Kinematics, Velocities};
use crate::tree::matrix::TreeMatrix;
pub(crate) use impact::of_impact;

/// The energy of one step [J]: what each part added to the kinetic energy, negative where it took some.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Before and after: bodies and armatures.
    pub kinetic: [f64; 2],
    /// What the field of gravity gave: −ΔV.
    pub gravity: f64,
    /// Forces from outside: tau, loads on joints and bodies, the callback.
    pub applied: f64,
    /// What springs and relaxed constraints gave back of what they store, −½ Δ(k θ²).
    pub springs: f64,
    /// The same of compliant contacts, by the gap that the step reckons with.
    pub contact_springs: f64,
    /// Joint damping and dampers, those of compliant contacts too; never positive.
    pub damping: f64,
    /// Prescribed motion.
    pub drives: f64,
    /// Tangential contact impulses; bristles are among them.
    pub friction: f64,
    /// Normal impulses of rigid contacts.
    pub impact: f64,
    /// What keeps constraints closed and pushes bodies out of each other by velocities.
    pub stabilization: f64,
    /// What moves the end of the step onto constraints and out of overlaps, its payment included; never positive beyond
    /// rounding.
    pub projection: f64,
    /// What the method adds by itself: −½ Δᵀ M Δ where nothing touches, and how far forces at the beginning of the
    /// step miss the way to its end.
    pub numerical: f64,
    /// Sizes of all entries, of which the terms are the sums: of each row, each contact, each difference.
    pub turnover: f64,
}

impl Ledger {
    /// Names and amounts of all terms.
    pub fn terms(&self) -> [(&'static str, f64); 11] {
        [
            ("gravity", self.gravity),
            ("applied", self.applied),
            ("springs", self.springs),
            ("contact springs", self.contact_springs),
            ("damping", self.damping),
            ("drives", self.drives),
            ("friction", self.friction),
            ("impact", self.impact),
            ("stabilization", self.stabilization),
            ("projection", self.projection),
            ("numerical", self.numerical),
        ]
    }

    /// What the terms do not explain of the change of the kinetic energy: rounding.
    pub fn defect(&self) -> f64 {
        let explained: f64 = self.terms().iter().map(|(_, amount)| amount).sum();
        (self.kinetic[1] - self.kinetic[0]) - explained
    }

    /// The energy in play: the kinetic energies and the sizes of all entries together. What the defect, which is the rounding of
    /// these, is to be compared with.
    pub fn in_play(&self) -> f64 {
        self.kinetic[0] + self.kinetic[1] + self.turnover
    }

    /// Enters an amount under a term.
    fn pay(&mut self, term: fn(&mut Self) -> &mut f64, amount: f64) {
        *term(self) += amount;
        self.turnover += amount.abs();
    }
}

/// Memory of the ledger.
#[derive(Clone, Debug)]
pub(crate) struct LedgerWork {
    /// Forces from outside on the velocities [N or N·m], written where the step gathers them.
    pub(crate) applied: Vec<f64>,
    /// The end of the drift, then of the projection: poses, mass matrix, all rows.
    kin: Kinematics,
    M: TreeMatrix,
    rows: RowSet,
    /// Poses of an earlier end.
    kin_before: Kinematics,
    /// Velocities of the bodies, at one moment or another.
    vel: Velocities,
    Ic: Vec<SpatialInertia>,
    /// One number for each velocity.
    dv: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// One number for each contact row.
    p: Vec<f64>,
    u: Vec<f64>,
    u_next: Vec<f64>,
}

impl LedgerWork {
    pub(crate) fn new(model: &Model) -> Self {
        let v = || vec![0.0; model.nv];
        Self {
            applied: v(),
            kin: Kinematics::new(model),
            M: TreeMatrix::new(&model.pattern),
            rows: RowSet::default(),
            kin_before: Kinematics::new(model),
            vel: Velocities::new(model),
            Ic: model.bodies.iter().map(|body| body.I).collect(),
            dv: v(),
            x: v(),
            y: v(),
            p: Vec::new(),
            u: Vec::new(),
            u_next: Vec::new(),
        }
    }

    /// Poses, mass matrix and rows of a position.
    fn arrive(&mut self, model: &Model, at: At<'_>) -> Result<(), Singular> {
        self.kin.update(model, at.q);
        crate::tree::crba::write(model, &self.kin, &mut self.Ic, &mut self.M);
        self.rows.assemble(model, &self.kin, at, Part::All)
    }

    /// Kinetic energy of bodies and armatures at the position that was arrived at [J].
    fn kinetic(&mut self, model: &Model, v: &[f64]) -> f64 {
        self.vel.update(model, &self.kin, v);
        energy::kinetic_of(model, &self.vel, v) + rows::armatures(&self.rows, v)
    }
}

/// The ledger of a kick from `state` and its drift to `q_next`, `v_next` at `time`, which are in `data` with the rows and
/// impulses of the kick. Changes nothing that a step reads. Fails where the points of a spring coincide at the end.
pub(crate) fn of_kick_and_drift(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    time: f64,
    data: &mut Data,
) -> Result<Ledger, Singular> {
    let new = || Box::new(LedgerWork::new(model));
    let mut own = data.work.ledger.take().unwrap_or_else(new);
    let at = At { time, q: &data.work.q_next, memory: &state.memory };
    let result = own.arrive(model, at).map(|()| {
        let mut ledger = Ledger::default();
        ledger.kinetic[0] = energy::kinetic_of(model, &data.vel, &state.v)
            + rows::armatures(&data.work.rows, &state.v);
        ledger.kinetic[1] = own.kinetic(model, &data.work.v_next);
        motion::add_forces(&mut ledger, model, settings, state, data, &mut own);
        rows::add(&mut ledger, model, settings, state, data, &own);
        motion::add_inertia(&mut ledger, model, settings, state, data, &mut own);
        motion::add_drift(&mut ledger, model, settings.h, state, data, &mut own);
        ledger
    });
    data.work.ledger = Some(own);
    result
}

/// The same with the drift that led from `start` to `from` before the kick, which no force has paid for.
pub(crate) fn with_first_drift(
    model: &Model,
    start: &State,
    from: &State,
    data: &mut Data,
    ledger: Ledger,
) -> Result<Ledger, Singular> {
    let new = || Box::new(LedgerWork::new(model));
    let mut own = data.work.ledger.take().unwrap_or_else(new);
    let result = motion::add_first_drift(ledger, model, start, from, &mut own);
    data.work.ledger = Some(own);
    result
}

/// What a projection did to the velocities, and to what it knows alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected<'a> {
    /// At the end of the drift; with the impulses that are in `data` with their rows; less the payment.
    pub(crate) v_before: &'a [f64],
    pub(crate) v_held: &'a [f64],
    pub(crate) v_after: &'a [f64],
    /// What was taken from the motion [J].
    pub(crate) paid: f64,
    /// What compliant contacts store more [J].
    pub(crate) contact_springs: f64,
}

/// The same with the projection that led from where the ledger ended to `at`.
pub(crate) fn with_projection(
    model: &Model,
    at: At<'_>,
    projected: Projected<'_>,
    data: &mut Data,
    ledger: Ledger,
) -> Result<Ledger, Singular> {
    let new = || Box::new(LedgerWork::new(model));
    let mut own = data.work.ledger.take().unwrap_or_else(new);
    let result = projection::add(ledger, model, at, projected, data, &mut own);
    data.work.ledger = Some(own);
    result
}
