//! How contacts enter a step, and what is known of them afterwards.

use crate::contact::law::{Cone, Law, LawResidual, LawSolver};
use crate::model::Relaxation;

/// How contacts enter a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Default: exact Coulomb cones.
    pub law: Law,
    /// Default [`LawSolver::Auto`].
    pub solver: LawSolver,
    /// Asked of the problem's residual, a pure number. Default 1e-10.
    pub tol: f64,
    /// Default [`NormalRow::Position`].
    pub normal: NormalRow,
    /// Contacts that approach at this speed or more slowly do not bounce [m/s]. Default 0: all do that have a restitution.
    pub v_threshold: f64,
    /// Bristles of the laws that have them [N/m, N·s/m]. Default: none.
    pub bristle: Option<Relaxation>,
    /// Default [`Strictness::Strict`].
    pub strictness: Strictness,
    /// Overlaps deeper than this at the beginning of a step are refused [m], by [`StepError::Overlap`]. Default: none are,
    /// infinity; the report says how deep they were.
    ///
    /// [`StepError::Overlap`]: crate::step::StepError
    pub max_overlap: f64,
    /// The largest speed at which [`NormalRow::Position`] parts what overlaps [m/s]. Default infinity: within one step,
    /// which is fast for what a scene begins with.
    pub max_recovery: f64,
}

/// What the normal rows of rigid contacts say. Compliant ones are relaxed by [PKF17 eq. 40, 41]. A contact with restitution e
/// that would close in this step is sent back as well, `u_n ≥ −e u_n⁻` with the velocity before the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalRow {
    /// `u_n ≥ 0` where bodies touch or overlap; gaps that are open are left alone [AP].
    Velocity,
    /// `u_n ≥ −φ/h`: what is open may close within the step, and what overlaps parts.
    Position,
}

/// What a step without a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// An error; the state is as it was.
    Strict,
    /// A step, and the report says so.
    Lenient,
}

/// What is known of the contacts of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// All that were found. Of those that are too far apart to close unless their bodies became twice as fast, and of pairs of bodies with more
    /// than 64, only those that were needed are in `data.contacts()`.
    pub contacts: usize,
    pub guides: usize,
    /// Limits in reach, motors, joint frictions.
    pub rows: usize,
    /// The deepest overlap at the beginning of the step, 0 where nothing overlaps [m].
    pub overlap: f64,
    /// Whether the judge has accepted the impulses.
    pub certified: bool,
    /// Distance from the law that was asked for, and from exact Coulomb friction.
    pub residual: LawResidual,
    pub coulomb: LawResidual,
    /// Scaled residual of the problem that was solved, by the judge of problems.
    pub problem: f64,
    /// The solver that answered, and all iterations together.
    pub link: &'static str,
    pub iterations: usize,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            law: Law::Cone(Cone::default()),
            solver: LawSolver::Auto,
            tol: 1e-10,
            normal: NormalRow::Position,
            v_threshold: 0.0,
            bristle: None,
            strictness: Strictness::Strict,
            max_overlap: f64::INFINITY,
            max_recovery: f64::INFINITY,
        }
    }
}
