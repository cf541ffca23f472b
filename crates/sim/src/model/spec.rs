//! What a user says about a mechanism: plain data with names, checked when a [`Model`] is built.
//!
//! [`Model`]: crate::model::Model

use super::guide::GuideSpec;
use super::material::{Combination, MaterialSpec, PairSpec, Surface};
use super::motor::MotorSpec;
use super::shapes::{Groups, Shape, ShapeSpec};
use crate::inertia::Inertia;
use crate::math::{Quat, Vec3};

/// Gravity at the surface of the earth in a world whose z axis points up [m/s²].
pub const EARTH: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A mechanism as described: bodies, the joints that carry them, further constraints, springs, motors, guides, shapes that
/// collide.
///
/// A body that no joint carries is free. Names are unique within their kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// In W [m/s²].
    pub gravity: Vec3,
    pub bodies: Vec<BodySpec>,
    pub joints: Vec<JointSpec>,
    pub constraints: Vec<ConstraintSpec>,
    pub springs: Vec<SpringSpec>,
    pub motors: Vec<MotorSpec>,
    pub guides: Vec<GuideSpec>,
    pub shapes: Vec<ShapeSpec>,
    pub materials: Vec<MaterialSpec>,
    /// What pairs of materials make together, where it is not what `combine` says.
    pub pairs: Vec<PairSpec>,
    pub combine: Combination,
    /// Whether two bodies that a joint connects collide with each other. The world is nobody's neighbour: what
    /// hangs on it collides with its shapes.
    pub neighbours_collide: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    pub name: String,
    pub inertia: Inertia,
}

/// A frame fixed to a body, or to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameSpec {
    /// None: the world.
    pub body: Option<String>,
    /// Origin of the frame in the body's frame [m].
    pub p: Vec3,
    /// Orientation of the frame in the body's frame; of unit length.
    pub quat: Quat,
}

/// What a joint lets move. Axes are unit vectors in the joint's frame, which the parent's and the child's
/// frame share at q = 0. Units and order of q and v: [`crate::joint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    Fixed,
    Revolute {
        axis: Vec3,
    },
    Prismatic {
        axis: Vec3,
    },
    /// `pitch`: shift along the axis per turn angle [m/rad].
    Screw {
        axis: Vec3,
        pitch: f64,
    },
    Cylindrical {
        axis: Vec3,
    },
    /// `first` is fixed to the parent, `second` to the child; perpendicular.
    Universal {
        first: Vec3,
        second: Vec3,
    },
    Ball,
    /// Moves in the xy plane of the joint's frame.
    Planar,
    Free,
}

/// A joint between a frame on the parent and a frame on the child.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    pub name: String,
    pub kind: JointKind,
    pub parent: FrameSpec,
    pub child: FrameSpec,
    /// Inertia of each velocity's own drive [kg or kg·m²], ≥ 0. Empty: none; one number: for all.
    pub armature: Vec<f64>,
    /// Viscous damping of each velocity [N·s/m or N·m·s/rad], ≥ 0. Empty: none; one number: for all.
    pub damping: Vec<f64>,
    /// Coulomb friction of each velocity [N or N·m], ≥ 0. Empty: none; one number: for all.
    pub friction: Vec<f64>,
    /// Lower and upper bound of each position [m or rad]. Empty: none.
    pub limits: Vec<(f64, f64)>,
}

/// A bilateral constraint beside the tree of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintSpec {
    pub name: String,
    pub kind: ConstraintKind,
    /// None: rigid.
    pub relaxation: Option<Relaxation>,
}

/// Stiffness k [N/m or N·m/rad] and damping b [N·s/m or N·m·s/rad] that stand for a rigid row,
/// by ε = 1/(k h² + b h) [PKF17 eq. 40, 41].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    pub k: f64,
    pub b: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Closes a loop: frames `a` and `b` move against each other as this joint allows. `Fixed` is a weld.
    Joint { kind: JointKind, a: FrameSpec, b: FrameSpec },
    /// The origins of the two frames stay `length` [m] apart, > 0.
    Distance { a: FrameSpec, b: FrameSpec, length: f64 },
    /// `Σ coefficient · q = offset`: gears, mimic joints.
    Coupling { terms: Vec<(CoordinateSpec, f64)>, offset: f64 },
    /// `q = law(t)`: a driven joint.
    Drive { coordinate: CoordinateSpec, law: Law },
}

/// One position of a joint. Ball and free joints have none that is a number with a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateSpec {
    pub joint: String,
    /// Which of the joint's positions, in the order of [`crate::joint`].
    pub index: usize,
}

/// A prescribed position as a function of time, in m or rad.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// `c₀ + c₁ t + c₂ t² + c₃ t³`.
    Polynomial([f64; 4]),
    /// `offset + amplitude · sin(omega t + phase)`, omega in rad/s.
    Sine { offset: f64, amplitude: f64, omega: f64, phase: f64 },
    /// Any function of t that returns value, rate and second derivative. It must be pure: same t, same bits.
    Custom(fn(f64) -> [f64; 3]),
}

/// Springs with dampers: force `−(stiffness · stretch + damping · rate)`. Either number may be zero.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringSpec {
    pub name: String,
    pub kind: SpringKind,
    /// γ [N/m or N·m/rad], ≥ 0.
    pub stiffness: f64,
    /// δ [N·s/m or N·m·s/rad], ≥ 0.
    pub damping: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SpringKind {
    /// Between the origins of two frames; `rest` is the free length [m], ≥ 0.
    Points { a: FrameSpec, b: FrameSpec, rest: f64 },
    /// Along a joint's position; `rest` is the position without force [m or rad].
    Coordinate { coordinate: CoordinateSpec, rest: f64 },
    /// Turns frame b into the orientation of frame a; the stretch is the rotation vector between them.
    Torsion { a: FrameSpec, b: FrameSpec },
}

impl Default for ModelSpec {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelSpec {
    /// Nothing yet, under the earth's gravity.
    pub fn new() -> Self {
        Self {
            gravity: EARTH,
            bodies: Vec::new(),
            joints: Vec::new(),
            constraints: Vec::new(),
            springs: Vec::new(),
            motors: Vec::new(),
            guides: Vec::new(),
            shapes: Vec::new(),
            materials: Vec::new(),
            pairs: Vec::new(),
            combine: Combination::default(),
            neighbours_collide: false,
        }
    }

    pub fn body(&mut self, name: &str, inertia: Inertia) -> &mut Self {
        self.bodies.push(BodySpec { name: name.to_string(), inertia });
        self
    }

    /// A joint without armature, damping, friction or limits; the spec is returned to set them.
    pub fn joint(
        &mut self,
        name: &str,
        kind: JointKind,
        parent: FrameSpec,
        child: FrameSpec,
    ) -> &mut JointSpec {
        self.joints.push(JointSpec {
            name: name.to_string(),
            kind,
            parent,
            child,
            armature: Vec::new(),
            damping: Vec::new(),
            friction: Vec::new(),
            limits: Vec::new(),
        });
        let last = self.joints.len() - 1;
        &mut self.joints[last]
    }

    /// A rigid constraint; the spec is returned to relax it.
    pub fn constraint(&mut self, name: &str, kind: ConstraintKind) -> &mut ConstraintSpec {
        self.constraints.push(ConstraintSpec { name: name.to_string(), kind, relaxation: None });
        let last = self.constraints.len() - 1;
        &mut self.constraints[last]
    }

    /// A spring of stiffness γ [N/m or N·m/rad] with a damper δ [N·s/m or N·m·s/rad].
    pub fn spring(
        &mut self,
        name: &str,
        kind: SpringKind,
        stiffness: f64,
        damping: f64,
    ) -> &mut Self {
        self.springs.push(SpringSpec { name: name.to_string(), kind, stiffness, damping });
        self
    }

    pub fn material(&mut self, name: &str, surface: Surface) -> &mut Self {
        self.materials.push(MaterialSpec { name: name.to_string(), surface });
        self
    }

    /// What two materials make together, instead of what `combine` says.
    pub fn pair(&mut self, a: &str, b: &str, surface: Surface) -> &mut Self {
        self.pairs.push(PairSpec { materials: [a.to_string(), b.to_string()], surface });
        self
    }

    /// A shape without margin that collides with all others; the spec is returned to change that.
    pub fn shape(
        &mut self,
        name: &str,
        frame: FrameSpec,
        shape: Shape,
        material: &str,
    ) -> &mut ShapeSpec {
        self.shapes.push(ShapeSpec {
            name: name.to_string(),
            frame,
            shape,
            material: material.to_string(),
            margin: 0.0,
            groups: Groups::default(),
        });
        let last = self.shapes.len() - 1;
        &mut self.shapes[last]
    }
}

impl FrameSpec {
    pub fn world() -> Self {
        Self { body: None, p: Vec3::zeros(), quat: Quat::IDENTITY }
    }

    /// The frame of a body.
    pub fn of(body: &str) -> Self {
        Self { body: Some(body.to_string()), ..Self::world() }
    }

    /// With its origin at (x, y, z) [m] of the body.
    #[must_use]
    pub fn at(mut self, x: f64, y: f64, z: f64) -> Self {
        self.p = Vec3::new(x, y, z);
        self
    }

    /// Turned by `quat` against the body.
    #[must_use]
    pub fn turned(mut self, quat: Quat) -> Self {
        self.quat = quat;
        self
    }
}

impl CoordinateSpec {
    /// The first, often the only, position of a joint.
    pub fn of(joint: &str) -> Self {
        Self { joint: joint.to_string(), index: 0 }
    }
}

impl Law {
    /// A constant rate [m/s or rad/s] from `start` [m or rad] at t = 0.
    pub fn rate(start: f64, rate: f64) -> Self {
        Self::Polynomial([start, rate, 0.0, 0.0])
    }

    /// Value, rate and second derivative at time t [s].
    pub fn at(&self, t: f64) -> [f64; 3] {
        match *self {
            Self::Polynomial([a, b, c, d]) => [
                a + t * (b + t * (c + t * d)),
                b + t * (2.0 * c + t * 3.0 * d),
                2.0 * c + 6.0 * d * t,
            ],
            Self::Sine { offset, amplitude, omega, phase } => {
                let (s, c) = crate::math::sin_cos(omega * t + phase);
                let rate = amplitude * omega;
                [offset + amplitude * s, rate * c, -rate * omega * s]
            }
            Self::Custom(law) => law(t),
        }
    }
}

/// Two custom laws are the same when they are the same function for all that can be told: never.
impl PartialEq for Law {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Polynomial(a), Self::Polynomial(b)) => a == b,
            (
                Self::Sine { offset, amplitude, omega, phase },
                Self::Sine { offset: o, amplitude: a, omega: w, phase: p },
            ) => offset == o && amplitude == a && omega == w && phase == p,
            _ => false,
        }
    }
}
