//! Motors, joint limits and joint friction: forces between bounds, found together with the contacts.

use super::check;
use super::connect::Finder;
use super::error::ModelError;
use super::spec::{CoordinateSpec, Law, ModelSpec};
use super::{Coordinate, Model};

/// A motor at a joint's position: it pushes with what it needs to follow its law, and at most with `max`.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorSpec {
    pub name: String,
    pub coordinate: CoordinateSpec,
    /// Where the motor is to be, and how fast.
    pub law: Law,
    pub follows: Follows,
    /// Largest force [N or N·m], ≥ 0.
    pub max: f64,
}

/// What a motor follows of its law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Its rate: what was lost while the force was at its bound is not made up for.
    Rate,
    /// Its position: the place at the end of the step is that of the law, as far as the force allows.
    Position,
}

#[derive(Clone, Debug)]
pub struct Motor {
    pub name: String,
    pub coordinate: Coordinate,
    pub law: Law,
    pub follows: Follows,
    /// [N or N·m]
    pub max: f64,
}

/// The bounds of one position of a joint [m or rad], infinite where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Place in `model.joints()`, and which of its positions.
    pub joint: usize,
    pub index: usize,
    pub coordinate: Coordinate,
    pub lower: f64,
    pub upper: f64,
}

/// Coulomb friction of one velocity of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFriction {
    /// Place in `model.joints()`, and which of its velocities.
    pub joint: usize,
    pub index: usize,
    /// Largest force [N or N·m], > 0.
    pub max: f64,
}

impl ModelSpec {
    /// A motor that follows `law` at the first position of a joint with at most `max` [N or N·m].
    pub fn motor(&mut self, name: &str, joint: &str, law: Law, max: f64) -> &mut MotorSpec {
        self.motors.push(MotorSpec {
            name: name.to_string(),
            coordinate: CoordinateSpec::of(joint),
            law,
            follows: Follows::Rate,
            max,
        });
        let last = self.motors.len() - 1;
        &mut self.motors[last]
    }
}

impl Finder<'_> {
    pub(super) fn motor(&mut self, spec: &MotorSpec) -> Result<Motor, ModelError> {
        let name = &spec.name;
        check::not_negative(name, "largest force", spec.max)?;
        for (what, value) in check::LAW.into_iter().zip(spec.law.at(0.0)) {
            check::finite(name, what, value)?;
        }
        let coordinate = self.coordinate(name, &spec.coordinate)?;
        let (law, follows, max) = (spec.law, spec.follows, spec.max);
        Ok(Motor { name: name.clone(), coordinate, law, follows, max })
    }

    /// The limits of all joints that have some.
    pub(super) fn limits(&mut self) -> Result<Vec<Limit>, ModelError> {
        let mut limits = Vec::new();
        let model: &Model = self.model;
        for (joint, info) in model.joints.iter().enumerate() {
            for (index, &(lower, upper)) in info.limits.iter().enumerate() {
                if lower.is_finite() || upper.is_finite() {
                    let spec = CoordinateSpec { joint: info.name.clone(), index };
                    let coordinate = self.coordinate(&info.name, &spec)?;
                    limits.push(Limit { joint, index, coordinate, lower, upper });
                }
            }
        }
        Ok(limits)
    }
}

impl Model {
    pub fn motors(&self) -> &[Motor] {
        &self.motors
    }

    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// The velocities of joints that have Coulomb friction.
    pub fn joint_frictions(&self) -> &[JointFriction] {
        &self.frictions
    }

    pub(super) fn find_frictions(&mut self) {
        let joints = self.joints.iter().enumerate();
        let all = joints.flat_map(|(joint, info)| {
            let own = info.friction.iter().enumerate();
            own.map(move |(index, &max)| JointFriction { joint, index, max })
        });
        self.frictions = all.filter(|friction| friction.max > 0.0).collect();
    }

    /// Whether something here is found together with contacts: it needs Euler's method.
    pub(crate) fn has_unilateral(&self) -> bool {
        let rows = self.motors.len() + self.limits.len() + self.frictions.len();
        !self.geoms.is_empty() || !self.guides.is_empty() || rows > 0
    }
}
