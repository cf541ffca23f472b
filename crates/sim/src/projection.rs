//! The end of a step brought onto its constraints and out of overlaps, without adding energy.
//!
//! ```text
//!  position:  min ½ dᵀM d   with   J_b d = −θ,   J_n d ≥ −φ          q ← q ⊕ d, repeated until it holds      [`onto`]
//!  velocity:  min ½ ‖v⁺ − v‖²_M   with   J_b v⁺ = ġ                                                          [`balance`]
//!  energy:    ΔE > 0 is taken from the motion, v⁺ ← v₀ + s (v⁺ − v₀); where that is not enough, q moves less
//! ```
//!
//! The energy that the move changes is reckoned for each island of bodies by itself: what is not connected does not pay.
//! Theory: `docs/theory/projection.md`.

mod balance;
mod books;
mod islands;
mod near;
mod onto;

use crate::constraint::close::largest;
use crate::constraint::project::prepare;
use crate::constraint::rows::At;
use crate::contact::Strictness;
use crate::contact::law::{LawWork, Refusal};
use crate::data::Data;
use crate::ledger::{self, Projected};
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::{StepError, StepReport};
use crate::tree::kinematics;
use balance::Balance;
use islands::Islands;
use near::Near;
use onto::Found;

/// What the projection at the end of a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectionReport {
    pub outcome: ProjectionOutcome,
    /// Contacts, limits and sides of guides that the move had to mind, at most in one round.
    pub asked: usize,
    /// What it changed of kinetic and stored energy together, less what drives gave: never positive beyond rounding [J].
    pub work: f64,
    /// What was taken from the motion for it [J].
    pub paid: f64,
    /// The share of the way that was gone: 1, or less for the island that could pay the least of it.
    pub share: f64,
    /// The deepest overlap that is left, of rigid contacts and of limits that are lengths; how far a guide is off at most [m].
    pub overlap: f64,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectionOutcome {
    /// Constraints hold and nothing overlaps, to rounding.
    Whole,
    /// Bodies moved as far as their motion could pay for; gap and overlap are left.
    Part,
    /// The contacts found no certificate: nothing was moved.
    Uncertified,
    /// Shapes went on to overlap however they were moved: nothing was moved.
    NotConverged,
}

/// Memory of projections.
#[derive(Clone, Debug)]
pub(crate) struct ProjectionWork {
    /// The end of the drift, and where constraints hold.
    q: Vec<f64>,
    v: Vec<f64>,
    q_onto: Vec<f64>,
    near: Near,
    law: LawWork,
    islands: Islands,
    balance: Balance,
    rounds: usize,
}

impl ProjectionWork {
    fn new(model: &Model) -> Self {
        Self {
            q: model.q_neutral.clone(),
            v: vec![0.0; model.nv],
            q_onto: model.q_neutral.clone(),
            near: Near::new(model),
            law: LawWork::default(),
            islands: Islands::new(model),
            balance: Balance::new(model),
            rounds: 0,
        }
    }
}

/// Projects `q_next`, `v_next` of a step from `state`; report and ledger with what it did.
pub(crate) fn after_step(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &mut Data,
    report: StepReport,
) -> Result<StepReport, StepError> {
    let new = || Box::new(ProjectionWork::new(model));
    let mut own = data.work.projection.take().unwrap_or_else(new);
    own.q.copy_from_slice(&data.work.q_next);
    own.v.copy_from_slice(&data.work.v_next);
    let result = project(model, settings, state, data, &mut own).map(|done| {
        let (gap, misalignment) = largest(&data.work.rows);
        let rounds = own.rounds;
        let projection = Some(done);
        let report = StepReport { gap, misalignment, rounds, projection, ..report };
        StepReport { ledger: follow(model, settings, state, data, &own, report), ..report }
    });
    data.work.projection = Some(own);
    result
}

/// Writes `q_next` and `v_next`; leaves in `data` the rows of `q_next` with the impulses that changed the velocities.
fn project(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &mut Data,
    own: &mut ProjectionWork,
) -> Result<ProjectionReport, StepError> {
    let time = state.time + settings.h;
    let ProjectionWork { q, v, q_onto, near, law, islands, balance, rounds } = own;
    q_onto.copy_from_slice(q);
    near.clear();
    islands.begin(model);
    let at = At { time, q, memory: &state.memory };
    balance.books.begin(model, at, v, (near, &mut data.contact))?;
    let found = onto::onto(model, settings, at, q_onto, data, (near, law))?;
    *rounds = 0;
    let outcome = match found {
        Found::Whole { rounds: own } => {
            *rounds = own;
            ProjectionOutcome::Whole
        }
        Found::Uncertified(refusal) => {
            refuse(settings, refusal)?;
            ProjectionOutcome::Uncertified
        }
        Found::NotConverged => ProjectionOutcome::NotConverged,
    };
    let is_found = outcome == ProjectionOutcome::Whole;
    if !is_found {
        q_onto.copy_from_slice(q);
        prepare(model, at, data)?;
    }
    islands.join_all(model, near, [&data.work.rows, balance.books.elastic()]);
    let at = At { q: q_onto, ..at };
    let share = balance.settle(model, at, (q, v), (islands, near), data)?;
    data.work.q_next.copy_from_slice(balance.q());
    data.work.v_next.copy_from_slice(balance.v());
    if !data.work.q_next.iter().chain(&data.work.v_next).all(|x| x.is_finite()) {
        return Err(StepError::NotFinite);
    }
    kinematics::update_velocities(model, balance.v(), data);
    let is_whole = is_found && share == 1.0;
    if !is_whole {
        near.look_around(model, At { q: balance.q(), ..at }, data)?;
    }
    Ok(ProjectionReport {
        outcome: if is_found && !is_whole { ProjectionOutcome::Part } else { outcome },
        asked: near.asked,
        work: balance.work(),
        paid: balance.paid(),
        share: if is_found { share } else { 0.0 },
        overlap: near.overlap(),
    })
}

/// Without a certificate there is no step, where that is asked.
fn refuse(settings: &StepSettings, refusal: Refusal) -> Result<(), StepError> {
    match settings.contact.strictness {
        Strictness::Strict => Err(StepError::Uncertified(refusal)),
        Strictness::Lenient => Ok(()),
    }
}

/// The ledger with what the projection did.
fn follow(
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &mut Data,
    own: &ProjectionWork,
    report: StepReport,
) -> Option<crate::ledger::Ledger> {
    let ledger = report.ledger?;
    let time = state.time + settings.h;
    let at = At { time, q: own.balance.q(), memory: &state.memory };
    let projected = Projected {
        v_before: &own.v,
        v_held: own.balance.v_held(),
        v_after: own.balance.v(),
        paid: own.balance.paid(),
        contact_springs: own.balance.books.softened(),
    };
    ledger::with_projection(model, at, projected, data, ledger).ok()
}
