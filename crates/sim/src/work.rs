//! Memory that steps use; nothing in it outlives a step but the impulses of its rows.

use crate::constraint::end::EndSolver;
use crate::constraint::inner::InnerSprings;
use crate::constraint::rows::RowSet;
use crate::constraint::solve::{RowImpulses, RowSolver};
use crate::data::Data;
use crate::force::Loads;
use crate::ledger::LedgerWork;
use crate::located::LocatedWork;
use crate::model::Model;
use crate::projection::ProjectionWork;
use crate::state::State;
use crate::step::StepError;
use crate::tree::crba;
use crate::tree::kinematics::Kinematics;
use crate::tree::matrix::TreeFactor;

#[derive(Clone, Debug)]
pub(crate) struct StepWork {
    pub(crate) loads: Loads,
    /// Rows that are solved for, at the beginning and at the end of a step.
    pub(crate) rows: RowSet,
    pub(crate) rows_next: RowSet,
    /// Springs that stand on the diagonal of M̂ instead.
    pub(crate) inner: InnerSprings,
    /// Rows that act as forces.
    pub(crate) elastic: RowSet,
    pub(crate) solver: RowSolver,
    pub(crate) at_end: EndSolver,
    pub(crate) impulses: RowImpulses,
    /// Factors of M̂ at the beginning of the step.
    pub(crate) M_hat: TreeFactor,
    pub(crate) kin_next: Kinematics,
    /// Forces without gravity and velocity products; these with opposite sign; what is added to the
    /// diagonal of M.
    pub(crate) k: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) added: Vec<f64>,
    /// Change of the velocities by forces.
    pub(crate) dv: Vec<f64>,
    /// Velocities after the kick, then after the drift; positions after the drift.
    pub(crate) v_kick: Vec<f64>,
    pub(crate) v_next: Vec<f64>,
    pub(crate) q_next: Vec<f64>,
    /// Where forces and contacts of a step are looked at.
    pub(crate) from: State,
    /// The end of a step while it is looked for.
    pub(crate) trial: State,
    /// After the first and the second half of a step that is taken in halves.
    pub(crate) middle: State,
    pub(crate) fine: State,
    /// Rates of the rows before a drift.
    pub(crate) rates: Vec<f64>,
    /// Of steps that locate their impacts, once there was one.
    pub(crate) located: Option<Box<LocatedWork>>,
    /// Of the energy, once a step was asked for it.
    pub(crate) ledger: Option<Box<LedgerWork>>,
    /// Of the projection at the end of a step, once there was one.
    pub(crate) projection: Option<Box<ProjectionWork>>,
}

impl StepWork {
    pub(crate) fn new(model: &Model) -> Self {
        let v = || vec![0.0; model.nv];
        Self {
            loads: Loads::new(model),
            rows: RowSet::default(),
            rows_next: RowSet::default(),
            inner: InnerSprings::default(),
            elastic: RowSet::default(),
            solver: RowSolver::default(),
            at_end: EndSolver::default(),
            impulses: RowImpulses::default(),
            M_hat: TreeFactor::new(&model.pattern),
            kin_next: Kinematics::new(model),
            k: v(),
            c: v(),
            added: v(),
            dv: v(),
            v_kick: v(),
            v_next: v(),
            q_next: model.q_neutral.clone(),
            from: model.state(),
            trial: model.state(),
            middle: model.state(),
            fine: model.state(),
            rates: Vec::new(),
            located: None,
            ledger: None,
            projection: None,
        }
    }
}

/// `M̂ = M + time · damping` at the position in `data`, and its factors: with h where dampings are implicit, with 0 for M
/// itself.
pub(crate) fn factor_mass(model: &Model, time: f64, data: &mut Data) -> Result<(), StepError> {
    data.work.inner.clear();
    factor_with_springs(model, time, data)
}

/// The same with the inner springs of a step so long.
pub(crate) fn factor_with_springs(
    model: &Model,
    time: f64,
    data: &mut Data,
) -> Result<(), StepError> {
    crba::mass_matrix(model, data);
    let work = &mut data.work;
    for (added, damping) in work.added.iter_mut().zip(&model.damping) {
        *added = time * damping;
    }
    work.inner.add_weights(time, &mut work.added);
    work.M_hat
        .factor(&model.pattern, &data.M, &work.added)
        .map_err(|error| StepError::NotPositiveDefinite { velocity: error.0 })
}
