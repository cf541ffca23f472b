//! Why a description is not a mechanism. Each error names the thing and says what was expected.

use std::fmt;

use crate::inertia::InertiaError;

#[derive(Clone, Debug, PartialEq)]
pub enum ModelError {
    /// Two bodies, joints, constraints or springs of one name. A body that no joint carries has a free joint
    /// of its own name.
    DuplicateName {
        kind: &'static str,
        name: String,
    },
    EmptyName {
        kind: &'static str,
        /// Its place in the description.
        index: usize,
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
    /// A number that must be ≥ 0.
    Negative {
        user: String,
        what: &'static str,
        value: f64,
    },
    /// A number that must be > 0.
    NotPositive {
        user: String,
        what: &'static str,
        value: f64,
    },
    /// Lower limit not below the upper one, or one that is NaN.
    Limits {
        joint: String,
        lower: f64,
        upper: f64,
    },
    /// A list that is neither empty nor has one entry for each coordinate. (One number may stand for all
    /// velocities.)
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
    /// Bodies that carry each other in a circle: each one the next, the last one the first.
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
    /// A coupling without terms.
    NoTerms {
        constraint: String,
    },
    /// A coupling with the factor zero, or with two terms of one coordinate.
    Term {
        constraint: String,
        joint: String,
        index: usize,
    },
    /// Finite numbers so large that products of them are not: masses times squares of lengths.
    Overflow {
        user: String,
    },
    /// The mass matrix at the neutral position has lost a velocity of this joint to rounding: masses and
    /// lengths that are too far apart (roughly, a centre of mass more than 1e8 radii of gyration
    /// away from the joint).
    MassMatrix {
        joint: String,
    },
    /// `user` (a shape or a pair of materials) names a material that is not there.
    UnknownMaterial {
        user: String,
        material: String,
    },
    /// Two statements about one pair of materials.
    PairTwice {
        materials: [String; 2],
    },
    /// Kinetic friction above static friction.
    KineticFriction {
        user: String,
        mu_s: f64,
        mu_k: f64,
    },
    /// A restitution that is not between 0 and 1.
    Restitution {
        user: String,
        e: f64,
    },
    /// A mesh or height field on a body: only the world may have one.
    MovingSurface {
        shape: String,
    },
    /// A shape of no points, triangles or parts.
    EmptyShape {
        shape: String,
    },
    /// A hull whose points lie in one plane.
    FlatHull {
        shape: String,
    },
    /// A triangle of a mesh without area, or that names a vertex which is not there.
    Triangle {
        shape: String,
        triangle: usize,
    },
    /// A height field with less than two samples a side, or with another number of heights than samples.
    Grid {
        shape: String,
        nx: usize,
        ny: usize,
        found: usize,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName { kind, name } => write!(f, "two {kind} are called `{name}`"),
            Self::EmptyName { kind, index } => {
                write!(f, "number {index} of the {kind}, counted from 0, has an empty name")
            }
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
            Self::NotPositive { user, what, value } => {
                write!(f, "`{user}`: {what} must be positive, is {value}")
            }
            Self::Limits { joint, lower, upper } => {
                write!(f, "joint `{joint}`: lower limit {lower} is not below upper limit {upper}")
            }
            Self::Length { joint, what, expected, found } => {
                write!(
                    f,
                    "joint `{joint}`: {what} must have {expected} entries or none, has {found}"
                )
            }
            Self::CarriedTwice { body, joints: [a, b] } => write!(
                f,
                "joints `{a}` and `{b}` both carry body `{body}`: make the second one a constraint"
            ),
            Self::Child { joint } => {
                write!(f, "joint `{joint}`: its child must be a body other than its parent")
            }
            Self::Cycle { bodies } => {
                write!(f, "bodies carry each other in a circle: `{}`", bodies.join("`, `"))
            }
            Self::SameBody { user } => write!(f, "`{user}` connects a body with itself"),
            Self::Coordinate { user, joint, index } => {
                write!(
                    f,
                    "`{user}`: joint `{joint}` has no position {index} that is a single number"
                )
            }
            Self::NoTerms { constraint } => write!(f, "coupling `{constraint}` has no terms"),
            Self::Term { constraint, joint, index } => write!(
                f,
                "coupling `{constraint}` must have position {index} of joint `{joint}` once, with a \
                 factor other than zero"
            ),
            Self::Overflow { user } => {
                write!(f, "`{user}`: masses and lengths are so large that their products overflow")
            }
            Self::MassMatrix { joint } => write!(
                f,
                "joint `{joint}`: masses and lengths are too far apart for a positive definite mass \
                 matrix in double precision"
            ),
            Self::UnknownMaterial { user, material } => {
                write!(f, "`{user}` names material `{material}`, which the model does not have")
            }
            Self::PairTwice { materials: [a, b] } => {
                write!(f, "the materials `{a}` and `{b}` are paired twice")
            }
            Self::KineticFriction { user, mu_s, mu_k } => write!(
                f,
                "`{user}`: kinetic friction {mu_k} must not exceed static friction {mu_s}"
            ),
            Self::Restitution { user, e } => {
                write!(f, "`{user}`: restitution must be between 0 and 1, is {e}")
            }
            Self::MovingSurface { shape } => write!(
                f,
                "shape `{shape}`: a mesh or height field must be on the world; make it hulls on a body"
            ),
            Self::EmptyShape { shape } => write!(f, "shape `{shape}` is empty"),
            Self::FlatHull { shape } => {
                write!(f, "shape `{shape}`: the points of a hull must not lie in one plane")
            }
            Self::Triangle { shape, triangle } => write!(
                f,
                "shape `{shape}`: triangle {triangle} must have three vertices of the mesh and an area"
            ),
            Self::Grid { shape, nx, ny, found } => write!(
                f,
                "shape `{shape}`: a grid of {nx} × {ny} must have two samples a side or more and as \
                 many heights, has {found}"
            ),
        }
    }
}

impl std::error::Error for ModelError {}
