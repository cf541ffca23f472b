//! One step in time, by the method of the settings.

use std::fmt;

use crate::constraint::rows::{Origin, Singular};
use crate::contact::ContactReport;
use crate::contact::law::{LawError, Refusal};
use crate::data::Data;
use crate::force::Input;
use crate::ledger::Ledger;
use crate::model::Model;
use crate::projection::ProjectionReport;
use crate::settings::{Method, SettingError, StepSettings};
use crate::state::{State, StateError};
use crate::{euler, extrapolated, symmetric};

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Bilateral rows, and how many of them do not depend on others.
    pub rows: usize,
    pub rank: usize,
    /// Rounds until the constraints held at the end of the step.
    pub rounds: usize,
    /// Largest residual of a rigid row at the end of the step: lengths [m] and angles [rad].
    pub gap: f64,
    pub misalignment: f64,
    /// Work of what keeps the constraints closed, by its own formula −Σ p·(θ̇ wanted − prescribed) [J]. That of a projection
    /// is its own.
    pub stabilization_work: f64,
    /// What the projection did; None where the settings want none.
    pub projection: Option<ProjectionReport>,
    /// How near explicit springs and dampers are to instability: above 1 the explicit step is unstable
    /// (`explicit`). Zero where they are implicit.
    pub explicit_load: f64,
    /// What is known of the contacts; None where nothing was near enough to touch.
    pub contact: Option<ContactReport>,
    /// Where the energy went. None unless the settings ask for it, and by Euler's method alone: a step of the
    /// others is no one kick and drift (`docs/theory/ledger.md`).
    pub ledger: Option<Ledger>,
}

/// Why there is no next state. The state is as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    Setting(SettingError),
    State(StateError),
    /// The mass matrix has no positive pivot at this velocity.
    NotPositiveDefinite {
        velocity: usize,
    },
    /// The two points of a distance or a spring coincide.
    Singular(Origin),
    /// The constraints could not be met at the end of the step: contradictory, or the step is too long.
    /// Largest residuals left: lengths [m] and angles [rad].
    NotClosed {
        gap: f64,
        misalignment: f64,
    },
    /// Two shapes overlap by more than the settings allow [m]; by their names.
    Overlap {
        shapes: [String; 2],
        depth: f64,
    },
    /// So many contacts feel each other that the matrix of their rows would not fit into memory.
    TooManyContacts {
        contacts: usize,
        rows: usize,
    },
    /// A law or solver that cannot work on these contacts.
    Law(LawError),
    /// No certificate for the contacts: by how much the best impulses that were found miss it.
    Uncertified(Refusal),
    /// It is proved that no impulses obey the law.
    NoSolution,
    /// Contacts, guides, motors, limits and frictions are for Euler's method: the others are for smooth motion.
    ContactNeedsEuler,
    /// An implicit equation of the method did not converge: the step is too long.
    NotConverged,
    /// The new velocities or positions are not finite.
    NotFinite,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(error) => write!(f, "{error}"),
            Self::State(error) => write!(f, "{error}"),
            Self::NotPositiveDefinite { velocity } => {
                write!(f, "the mass matrix is not positive definite at velocity {velocity}")
            }
            Self::Singular(origin) => write!(f, "the points of {origin:?} coincide"),
            Self::NotClosed { gap, misalignment } => write!(
                f,
                "the constraints cannot be met: {gap} m and {misalignment} rad are left at best"
            ),
            Self::Overlap { shapes: [a, b], depth } => {
                write!(f, "shapes `{a}` and `{b}` overlap by {depth} m")
            }
            Self::TooManyContacts { contacts, rows } => write!(
                f,
                "{contacts} contacts, {rows} rows, are too many that feel each other: their matrix would have more \
                 than ten million entries"
            ),
            Self::Law(error) => write!(f, "{error}"),
            Self::Uncertified(refusal) => {
                write!(f, "the contacts have no certificate: {refusal}")
            }
            Self::NoSolution => write!(f, "no contact impulses obey the law: this is proved"),
            Self::ContactNeedsEuler => {
                write!(
                    f,
                    "a model with shapes, guides, motors, joint limits or joint friction needs Euler's \
                     method: the others are for smooth motion"
                )
            }
            Self::NotConverged => write!(f, "the step is too long for its method"),
            Self::NotFinite => write!(f, "the next state is not finite"),
        }
    }
}

impl std::error::Error for StepError {}

impl From<Singular> for StepError {
    fn from(Singular(origin): Singular) -> Self {
        Self::Singular(origin)
    }
}

/// Advances `state` by one step of length h. On `Err`, `state` is as it was.
pub fn step(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    settings.validate().map_err(StepError::Setting)?;
    model.check_state(state).map_err(StepError::State)?;
    if settings.method != Method::Euler && model.has_unilateral() {
        return Err(StepError::ContactNeedsEuler);
    }
    data.adopt(model);
    match settings.method {
        Method::Euler => euler::step(model, settings, input, state, data),
        Method::Symmetric => symmetric::step(model, settings, input, state, data),
        Method::Extrapolated => extrapolated::step(model, settings, input, state, data),
    }
}
