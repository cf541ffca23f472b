//! The state of one mechanism in the other set of coordinates.
//!
//! Poses and velocities of the bodies in W are the common language. Coordinates of a joint are read from the
//! pose of the child against the parent as the other state has them, so what a joint does not allow (drift of
//! maximal coordinates) is dropped joint by joint. Angles keep their turns where either side counts them.

use std::collections::BTreeMap;
use std::fmt;

use super::angles::AngleOf;
use super::{Body, BodyId, Carrier, Model};
use crate::data::Data;
use crate::joint::coordinates::nearest_turn;
use crate::spatial::{Motion, Pose};
use crate::state::{Memory, State, StateError};
use crate::tree::kinematics;

/// Why a state cannot be carried over.
#[derive(Clone, Debug, PartialEq)]
pub enum ConvertError {
    /// The state is none of the other model.
    State(StateError),
    /// A body of one model that the other does not have.
    Body { body: String },
    /// A joint that the other model does not have, or has of another kind.
    Joint { joint: String },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(error) => write!(f, "{error}"),
            Self::Body { body } => write!(f, "only one of the two models has body `{body}`"),
            Self::Joint { joint } => {
                write!(f, "joint `{joint}` is not the same in the two models")
            }
        }
    }
}

impl std::error::Error for ConvertError {}

/// The angles, with all turns [rad], that a state knows; by joint and index, and by screws that close loops.
struct Turns<'a> {
    joints: BTreeMap<(&'a str, usize), f64>,
    loops: BTreeMap<&'a str, f64>,
}

impl Model {
    /// The state of this model in which all bodies are and move as in `state` of `other`: the same mechanism, built
    /// in either set of coordinates. Bodies and joints are matched by name.
    ///
    /// Angles that only bodies' poses tell are in [−π, π], except where the state of the other model
    /// remembers turns.
    pub fn state_from(&self, other: &Model, state: &State) -> Result<State, ConvertError> {
        other.check_state(state).map_err(ConvertError::State)?;
        let from = self.matching_bodies(other)?;
        self.match_joints(other)?;
        let mut data = Data::new(other);
        kinematics::update(other, &state.q, &state.v, &mut data);

        // X_WB and V_WB of our own frames B, from the frames U that both models share
        let mut moved = Vec::with_capacity(self.bodies.len());
        for (body, from) in self.bodies.iter().zip(from) {
            let X_WU = kinematics::pose(other, &data, from);
            let V_WU = kinematics::velocity(other, &data, from);
            moved.push(in_body_frame(body, &X_WU, &V_WU));
        }
        let turns = other.turns(state);
        let mut next = self.state();
        next.time = state.time;
        for (i, body) in self.bodies.iter().enumerate() {
            let q = &mut next.q[body.q_range()];
            let (X_WP, V_P) = match body.parent {
                Some(parent) => moved[parent],
                None => (Pose::identity(), Motion::zero()),
            };
            let (X_WB, V_B) = moved[i];
            let X_PB = X_WP.inverse() * X_WB;
            body.joint.coordinates(&(body.X_PJ.inverse() * X_PB), q);
            let V_JB = V_B - X_PB.motion_to_local(&V_P);
            let mut S = [Motion::zero(); 6];
            let S = &mut S[..body.joint.nv()];
            body.joint.place(&body.X_PJ, q, S);
            body.joint.velocities(S, &V_JB, &mut next.v[body.v_range()]);
        }
        self.keep_turns(&turns, &mut next.q);
        next.memory = self.memory_of(&turns);
        Ok(next)
    }
}

/// Pose and velocity (in B) of a body's frame B, from those of its frame U in W.
fn in_body_frame(body: &Body, X_WU: &Pose, V_WU: &Motion) -> (Pose, Motion) {
    let X_WB = *X_WU * body.X_BU.inverse();
    let v_WB = V_WU.at(&(X_WB.p - X_WU.p));
    (X_WB, Motion { w: X_WB.R.tr_mul(&V_WU.w), v: X_WB.R.tr_mul(&v_WB) })
}

impl Model {
    /// The body of `other` that each of our bodies is.
    fn matching_bodies(&self, other: &Model) -> Result<Vec<BodyId>, ConvertError> {
        let mut theirs: BTreeMap<&str, u32> =
            other.bodies.iter().zip(0..).map(|(body, i)| (body.name.as_str(), i)).collect();
        let mut found = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let missing = || ConvertError::Body { body: body.name.clone() };
            found.push(BodyId(theirs.remove(body.name.as_str()).ok_or_else(missing)?));
        }
        match theirs.first_key_value() {
            Some((name, _)) => Err(ConvertError::Body { body: name.to_string() }),
            None => Ok(found),
        }
    }

    /// Both models have the same joints.
    fn match_joints(&self, other: &Model) -> Result<(), ConvertError> {
        let mut theirs: BTreeMap<&str, _> =
            other.joints.iter().map(|joint| (joint.name.as_str(), joint.joint)).collect();
        for joint in &self.joints {
            if theirs.remove(joint.name.as_str()) != Some(joint.joint) {
                return Err(ConvertError::Joint { joint: joint.name.clone() });
            }
        }
        match theirs.first_key_value() {
            Some((name, _)) => Err(ConvertError::Joint { joint: name.to_string() }),
            None => Ok(()),
        }
    }

    fn turns(&self, state: &State) -> Turns<'_> {
        let mut turns = Turns { joints: BTreeMap::new(), loops: BTreeMap::new() };
        for info in &self.joints {
            if let Carrier::Tree { body } = info.carrier {
                for (index, q) in state.q[self.bodies[body].q_range()].iter().enumerate() {
                    if info.joint.is_angle(index) {
                        turns.joints.insert((&info.name, index), *q);
                    }
                }
            }
        }
        for (of, angle) in self.angles.iter().copied().zip(&state.memory.angles) {
            let (name, Some(angle)) = (self.angle_name(of), *angle) else { continue };
            match of {
                AngleOf::Joint { index, .. } => turns.joints.insert((name, index), angle),
                AngleOf::Loop { .. } => turns.loops.insert(name, angle),
            };
        }
        turns
    }

    /// Adds turns to the angles of q that are known with theirs.
    fn keep_turns(&self, turns: &Turns, q: &mut [f64]) {
        for info in &self.joints {
            if let Carrier::Tree { body } = info.carrier {
                for (index, q) in q[self.bodies[body].q_range()].iter_mut().enumerate() {
                    if let Some(&near) = turns.joints.get(&(info.name.as_str(), index)) {
                        *q = nearest_turn(*q, near);
                    }
                }
            }
        }
    }

    fn memory_of(&self, turns: &Turns) -> Memory {
        let known = |of: AngleOf| match of {
            AngleOf::Joint { index, .. } => {
                turns.joints.get(&(self.angle_name(of), index)).copied()
            }
            AngleOf::Loop { .. } => turns.loops.get(self.angle_name(of)).copied(),
        };
        Memory { angles: self.angles.iter().copied().map(known).collect(), contacts: Vec::new() }
    }
}
