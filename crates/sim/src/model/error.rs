//! Why a description is not a mechanism. Each error names the thing and says what was expected.

use std::fmt;

use crate::inertia::InertiaError;

#[derive(Clone, Debug, PartialEq)]
pub enum ModelError {
    /// Two bodies, joints, constraints or springs of one name.
    DuplicateName {
        kind: &'static str,
        name: String,
    },
    EmptyName {
        kind: &'static str,
    },
    /// `user` (a joint, constraint or spring) names a body that is not there.
    UnknownBody {
        user: String,
        body: String,
    },
    UnknownJoint {
        user: String,
        joint: String,
    },
    Inertia {
        body: String,
        error: InertiaError,
    },
    /// A zero, non-unit or non-finite axis.
    Axis {
        joint: String,
        axis: [f64; 3],
    },
    /// The two axes of a universal joint are not perpendicular.
    AxesNotPerpendicular {
        joint: String,
    },
    /// A quaternion (w, x, y, z) that is zero, not finite or not of unit length.
    Quaternion {
        user: String,
        quat: [f64; 4],
    },
    NotFinite {
        user: String,
        what: &'static str,
    },
    /// A number that must be ≥ 0, or > 0 where the text says so.
    Negative {
        user: String,
        what: &'static str,
        value: f64,
    },
    /// Lower limit above the upper one, or one that is NaN.
    Limits {
        joint: String,
        lower: f64,
        upper: f64,
    },
    /// A list with neither no entry, nor one, nor one for each coordinate.
    Length {
        joint: String,
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// Two joints carry one body: the second must be a constraint.
    CarriedTwice {
        body: String,
        joints: [String; 2],
    },
    /// The world cannot be a child, nor can a body be its own parent.
    Child {
        joint: String,
    },
    /// Bodies that carry each other in a circle.
    Cycle {
        bodies: Vec<String>,
    },
    /// A constraint or spring between a body and itself, or between the world and itself.
    SameBody {
        user: String,
    },
    /// A joint's position that is not there or is part of a quaternion.
    Coordinate {
        user: String,
        joint: String,
        index: usize,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName { kind, name } => write!(f, "two {kind} are called `{name}`"),
            Self::EmptyName { kind } => write!(f, "one of the {kind} has an empty name"),
            Self::UnknownBody { user, body } => {
                write!(f, "`{user}` names body `{body}`, which the model does not have")
            }
            Self::UnknownJoint { user, joint } => {
                write!(f, "`{user}` names joint `{joint}`, which the model does not have")
            }
            Self::Inertia { body, error } => write!(f, "body `{body}`: {error}"),
            Self::Axis { joint, axis: [x, y, z] } => {
                write!(f, "joint `{joint}`: axis ({x}, {y}, {z}) must have unit length")
            }
            Self::AxesNotPerpendicular { joint } => {
                write!(f, "joint `{joint}`: the two axes must be perpendicular")
            }
            Self::Quaternion { user, quat: [w, x, y, z] } => {
                write!(
                    f,
                    "`{user}`: quaternion (w, x, y, z) = ({w}, {x}, {y}, {z}) must have unit length"
                )
            }
            Self::NotFinite { user, what } => write!(f, "`{user}`: {what} must be finite"),
            Self::Negative { user, what, value } => {
                write!(f, "`{user}`: {what} must not be negative, is {value}")
            }
            Self::Limits { joint, lower, upper } => {
                write!(f, "joint `{joint}`: lower limit {lower} is not below upper limit {upper}")
            }
            Self::Length { joint, what, expected, found } => {
                write!(f, "joint `{joint}`: {what} needs one number or {expected}, has {found}")
            }
            Self::CarriedTwice { body, joints: [a, b] } => write!(
                f,
                "joints `{a}` and `{b}` both carry body `{body}`: make the second one a constraint"
            ),
            Self::Child { joint } => {
                write!(f, "joint `{joint}`: its child must be a body other than its parent")
            }
            Self::Cycle { bodies } => {
                write!(f, "bodies carry each other in a circle: {}", bodies.join(", "))
            }
            Self::SameBody { user } => write!(f, "`{user}` connects a body with itself"),
            Self::Coordinate { user, joint, index } => {
                write!(
                    f,
                    "`{user}`: joint `{joint}` has no position {index} that is a single number"
                )
            }
        }
    }
}

impl std::error::Error for ModelError {}
