//! What the forces of this moment can be: all of them, or the proof that there are none.
//!
//! # Statement
//!
//! A state whose contacts touch and neither approach nor part. Asked are contact forces λ and accelerations of the contacts
//! `u̇ = W λ + u̇_free` that obey Coulomb's law at this instant [PKF17 eq. 5–11, 18–21]:
//!
//! ```text
//!  0 ≤ λ_n ⊥ u̇_n ≥ 0
//!  λ_t = −μ_k λ_n u_t/‖u_t‖                                        where it slides
//!  u̇_t = κ_up − κ_lo ,  0 ≤ κ_up ⊥ μ_s λ_n + λ_t + ρ κ_lo ≥ 0 ,
//!                       0 ≤ κ_lo ⊥ μ_s λ_n − λ_t + ρ κ_up ≥ 0      where it sticks, along t1 and t2
//! ```
//!
//! A contact that slides is one row, its column of the matrix `W (n − μ_k e_t)`. That matrix is not symmetric and may have
//! a negative diagonal: there may be no force, or several. Painlevé called it a paradox.
//!
//! # Method
//!
//! Enumeration of the complementarity problem ([`stiction_lcp::enumeration`]). Each solution is judged, and that there is
//! none is said with a proof that the judge has accepted. [`stepped`] is the other side of it: one step of length h from the
//! same state, which has an answer where the forces have none.
//!
//! # When it fails
//!
//! See [`ParadoxError`]; more than 20 rows with a choice (a contact that slides has one, one that sticks five, or three in
//! planar motion) are [`Solutions::Unknown`]. Friction of a contact that sticks is bounded along t1 and along t2, in a
//! box around the disc: exact in planar motion. Theory: `docs/theory/paradox.md`.

mod contacts;
pub mod fixed_point;
mod moving;
mod problem;
pub mod rod;
mod solutions;
mod stepped;
#[cfg(test)]
mod tests;

use std::fmt;

use stiction_lcp::judge::{LcpResidual, Proof, Refutation};
use stiction_lcp::{BoxLcp, ProblemError, Status};

use crate::collide::Contact;
use crate::contact::law::V_STICK;
use crate::contact::space::Tangents;
use crate::data::Data;
use crate::dynamics::constrained_accelerations;
use crate::force::Input;
use crate::math::Mat3;
use crate::model::Model;
use crate::state::State;
use crate::step::StepError;

pub use stepped::{Stepped, stepped};

/// What counts as touching, resting and sliding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParadoxSettings {
    /// Two shapes touch if their gap or overlap is at most this [m]. Default 1e-6: steps leave gaps of rounding, and
    /// geometry moves by as much.
    pub gap: f64,
    /// A contact stays closed if it approaches or parts no faster than this [m/s]. Default 1e-6.
    pub v_touch: f64,
    /// A contact slides if it is faster than this [m/s]. Default [`V_STICK`].
    pub v_slip: f64,
}

impl Default for ParadoxSettings {
    fn default() -> Self {
        Self { gap: 1e-6, v_touch: 1e-6, v_slip: V_STICK }
    }
}

/// What a contact does at this instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TouchMode {
    /// Along `e_t` (t1, t2), of unit length.
    Sliding {
        e_t: [f64; 2],
    },
    Sticking,
    /// It parts: no force.
    Separating,
    /// It comes nearer: an impact, which no force of finite size can stop in no time.
    Approaching,
}

/// A contact and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    pub contact: Contact,
    /// Columns t1, t2, n.
    pub R_WC: Mat3,
    pub tangents: Tangents,
    pub mode: TouchMode,
    /// Velocity of B against A along n, t1, t2 [m/s].
    pub u: [f64; 3],
}

/// Forces that obey the law, and what they cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Force on B of each contact, along n, t1, t2 [N].
    pub lambda: Vec<f64>,
    /// Acceleration of each contact, along n, t1, t2 [m/s²].
    pub u_dot: Vec<f64>,
    /// v̇, the accelerations of the model.
    pub a: Vec<f64>,
    /// 0: alone; else the dimension of the family that this is one member of.
    pub dimension: usize,
    /// The largest difference of an acceleration u̇ within the family [m/s²]: 0 where only forces are open.
    pub spread: f64,
    pub residual: LcpResidual,
}

/// All there is.
#[derive(Clone, Debug, PartialEq)]
pub enum Solutions {
    /// No forces of this moment: the contact of this place in the list approaches.
    Impact {
        contact: usize,
    },
    /// Proved.
    None {
        proof: Proof,
        refutation: Refutation,
    },
    Unique(Solution),
    Several(Vec<Solution>),
    /// At least one of them is a family.
    Continuum(Vec<Solution>),
    /// The enumeration did not come to its end, or the judge refused what it found.
    Unknown {
        found: Vec<Solution>,
        status: Status,
    },
}

impl Solutions {
    /// Those that were found.
    pub fn list(&self) -> &[Solution] {
        match self {
            Self::Impact { .. } | Self::None { .. } => &[],
            Self::Unique(solution) => std::slice::from_ref(solution),
            Self::Several(list) | Self::Continuum(list) | Self::Unknown { found: list, .. } => list,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Impact { .. } => "impact",
            Self::None { .. } => "none",
            Self::Unique(_) => "unique",
            Self::Several(_) => "several",
            Self::Continuum(_) => "continuum",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// The forces of one state.
#[derive(Clone, Debug)]
pub struct Explored {
    /// All that touch, sorted by key. Those that part or approach have no rows below.
    pub contacts: Vec<Touching>,
    /// Accelerations without contact, joints holding.
    pub a_free: Vec<f64>,
    /// `w = A z + b` of the contacts that slide or stick: first λ_n of each, then for each that sticks λ_t (free), κ_up, κ_lo.
    /// None where there are none, or an impact.
    pub problem: Option<BoxLcp>,
    pub solutions: Solutions,
}

/// Why nothing is said.
#[derive(Clone, Debug, PartialEq)]
pub enum ParadoxError {
    /// The dynamics without contact fail.
    Step(StepError),
    /// The model has guides, limits, motors or joint frictions, which the problem above leaves out.
    Bounded,
    /// These shapes overlap by this depth [m].
    Overlap { shapes: [String; 2], depth: f64 },
    /// These shapes give way: their force follows from the gap and is no unknown.
    Compliant { shapes: [String; 2] },
    /// How the contact of these shapes moves along them is not known: it is for points, spheres, ends of capsules,
    /// corners of boxes and hulls on half-spaces, and for spheres and points on spheres.
    Moving { shapes: [String; 2] },
    /// Not a problem: something is not finite.
    Problem(ProblemError),
}

impl fmt::Display for ParadoxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(error) => write!(f, "{error}"),
            Self::Bounded => {
                write!(f, "guides, limits, motors and joint frictions are not looked at")
            }
            Self::Overlap { shapes: [a, b], depth } => {
                write!(f, "shapes `{a}` and `{b}` overlap by {depth} m")
            }
            Self::Compliant { shapes: [a, b] } => {
                write!(f, "the contact of `{a}` and `{b}` is compliant: its force is no unknown")
            }
            Self::Moving { shapes: [a, b] } => {
                write!(f, "how the contact of `{a}` and `{b}` moves along them is not known")
            }
            Self::Problem(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ParadoxError {}

/// All contact forces that `state` can have.
pub fn explore(
    model: &Model,
    settings: &ParadoxSettings,
    input: &Input<'_>,
    state: &State,
) -> Result<Explored, ParadoxError> {
    let mut data = Data::new(model);
    let mut a_free = vec![0.0; model.nv];
    model.check_state(state).map_err(|error| ParadoxError::Step(StepError::State(error)))?;
    constrained_accelerations(model, input, state, &mut data, &mut a_free)
        .map_err(ParadoxError::Step)?;
    let (contacts, rows) = contacts::touching(model, settings, state, &data)?;
    let is_impact = |touching: &Touching| touching.mode == TouchMode::Approaching;
    if let Some(contact) = contacts.iter().position(is_impact) {
        let solutions = Solutions::Impact { contact };
        return Ok(Explored { contacts, a_free, problem: None, solutions });
    }
    let instant = problem::assemble(model, &data, (&contacts, rows), &a_free)?;
    let solutions = solutions::all(model, (&instant, &a_free), &mut data);
    Ok(Explored { contacts, a_free, problem: instant.problem, solutions })
}
