//! Everything the next step depends on besides the model, the settings and the input.
//!
//! A State is small and plain: saved and loaded again it reproduces the future bit for bit.

pub mod bytes;
mod set;

use std::fmt;

use crate::contact::ContactMemory;
use crate::math::Quat;
use crate::model::Model;

/// How far the length of a quaternion may be from one: states in files are rounded. Steps keep it to
/// rounding.
pub(crate) const UNIT_SLACK: f64 = 1e-6;

/// Where the mechanism is and how it moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// [s]
    pub time: f64,
    /// Positions, in the order and units of [`crate::joint`].
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    pub memory: Memory,
}

/// What a step leaves to the next one besides q and v.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Joint angles that are measured between bodies, with all their turns [rad]. Empty entries are
    /// `None`: the principal value counts.
    pub angles: Vec<Option<f64>>,
    /// Forces at the contacts of the last step, sorted by key.
    pub contacts: Vec<ContactMemory>,
}

impl State {
    /// Becomes the other one without new memory where that is as long.
    pub fn copy_from(&mut self, other: &State) {
        let State { time, q, v, memory: Memory { angles, contacts } } = other;
        self.time = *time;
        self.q.clone_from(q);
        self.v.clone_from(v);
        self.memory.angles.clone_from(angles);
        self.memory.contacts.clone_from(contacts);
    }
}

impl Memory {
    pub fn new(angles: usize) -> Self {
        Self { angles: vec![None; angles], contacts: Vec::new() }
    }
}

/// Why a state is none of this model. Names the joint that carries a body; in maximal coordinates no joint
/// does, and the body is named.
#[derive(Clone, Debug, PartialEq)]
pub enum StateError {
    /// A list that belongs to another model.
    Length { what: &'static str, expected: usize, found: usize },
    /// A time that is not finite [s].
    Time(f64),
    /// An entry of the joint's part of a list that is not finite.
    NotFinite { joint: String, what: &'static str, index: usize },
    /// A quaternion (w, x, y, z) that is not of unit length.
    Quaternion { joint: String, quat: [f64; 4] },
    /// A remembered contact force that is not finite.
    Contact { index: usize },
    /// A pose that is not finite, or whose matrix is no rotation.
    Pose { body: String },
    /// A body that does not hang free in the world: its pose is not a set of coordinates.
    NotFree { body: String, joint: String },
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, expected, found } => {
                write!(f, "{what} must have {expected} entries for this model, has {found}")
            }
            Self::Time(time) => write!(f, "time must be finite, is {time}"),
            Self::NotFinite { joint, what, index } => {
                write!(f, "`{joint}`: entry {index} of its {what} must be finite")
            }
            Self::Quaternion { joint, quat: [w, x, y, z] } => write!(
                f,
                "`{joint}`: quaternion (w, x, y, z) = ({w}, {x}, {y}, {z}) must have unit length"
            ),
            Self::Contact { index } => write!(f, "remembered contact force {index} must be finite"),
            Self::Pose { body } => {
                write!(f, "body `{body}`: a pose must be finite, and its matrix a rotation")
            }
            Self::NotFree { body, joint } => write!(
                f,
                "body `{body}` hangs on joint `{joint}`, which is not a free joint of the world"
            ),
        }
    }
}

impl std::error::Error for StateError {}

impl Model {
    /// Says why a step cannot start from this state.
    pub fn check_state(&self, state: &State) -> Result<(), StateError> {
        self.check_lengths(state)?;
        if !state.time.is_finite() {
            return Err(StateError::Time(state.time));
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let (q, v) = (&state.q[body.q_range()], &state.v[body.v_range()]);
            for (what, values) in [("positions", q), ("velocities", v)] {
                if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                    let joint = self.carrier_name(i).to_string();
                    return Err(StateError::NotFinite { joint, what, index });
                }
            }
            if let Some(start) = body.joint.quaternion() {
                let quat = Quat::from_wxyz(&q[start..]);
                if !((quat.norm() - 1.0).abs() <= UNIT_SLACK) {
                    let joint = self.carrier_name(i).to_string();
                    return Err(StateError::Quaternion { joint, quat: quat.to_wxyz() });
                }
            }
        }
        let unsound = |memory: &ContactMemory| {
            !(memory.lambda_n.is_finite() && memory.lambda_t_W.iter().all(|f| f.is_finite()))
        };
        if let Some(index) = state.memory.contacts.iter().position(unsound) {
            return Err(StateError::Contact { index });
        }
        let is_bad = |angle: &Option<f64>| angle.is_some_and(|angle| !angle.is_finite());
        if let Some(index) = state.memory.angles.iter().position(is_bad) {
            let joint = self.angle_name(self.angles[index]).to_string();
            return Err(StateError::NotFinite { joint, what: "remembered angles", index });
        }
        Ok(())
    }

    fn check_lengths(&self, state: &State) -> Result<(), StateError> {
        let lengths = [
            ("q", self.nq, state.q.len()),
            ("v", self.nv, state.v.len()),
            ("memory.angles", self.angles.len(), state.memory.angles.len()),
        ];
        match lengths.into_iter().find(|(_, expected, found)| expected != found) {
            Some((what, expected, found)) => Err(StateError::Length { what, expected, found }),
            None => Ok(()),
        }
    }
}
