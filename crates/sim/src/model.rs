//! The mechanism, frozen: built once from a [`ModelSpec`], checked, then constant.
//!
//! # Frames
//!
//! The user states each body in a frame U of the user's choice. The algorithms use a frame B of their own
//! for it, which sits on the joint that carries the body with z along the joint's axis; `X_BU` leads
//! from one to the other. J is the joint's frame on the parent. So `X_WU = X_WP X_PJ X_JB(q) X_BU`.
//!
//! # Coordinates
//!
//! [`Coordinates::Generalized`]: the joints of the description form a forest, q and v are theirs.
//! [`Coordinates::Maximal`]: every body is free (then B = U), and every joint is a set of bilateral rows.

mod angles;
pub mod build;
mod check;
mod connect;
pub mod convert;
pub mod error;
pub mod guide;
pub mod material;
mod maximal;
pub mod motor;
pub mod shapes;
pub mod spec;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::flight::Top;
use crate::inertia::{Inertia, SpatialInertia};
use crate::joint::Joint;
use crate::math::Vec3;
use crate::spatial::Pose;
use crate::state::{Memory, State};
use crate::tree::pattern::TreePattern;

pub use angles::AngleOf;
pub use convert::ConvertError;
pub use error::ModelError;
pub use guide::{Guide, GuideKind, GuideSpec};
pub use material::{Combination, Combine, MaterialSpec, PairSpec, Surface};
pub use motor::{Follows, JointFriction, Limit, Motor, MotorSpec};
pub use shapes::{Geom, Groups, Shape, ShapeSpec};
pub use spec::{
    BodySpec, ConstraintKind, ConstraintSpec, CoordinateSpec, EARTH, FrameSpec, JointKind,
    JointSpec, Law, ModelSpec, Relaxation, SpringKind, SpringSpec,
};

/// A body of a [`Model`]: its place in `model.bodies()`, parents first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyId(pub u32);

/// A joint of a [`Model`]: its place in `model.joints()`, in the order of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JointId(pub u32);

/// Which q and v describe the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    Generalized,
    Maximal,
}

#[derive(Clone, Debug)]
pub struct Model {
    /// Its clones have the same one, and no other model does.
    pub(crate) identity: Arc<()>,
    pub(crate) coordinates: Coordinates,
    /// In W [m/s²].
    pub(crate) gravity: Vec3,
    /// Parents before children.
    pub(crate) bodies: Vec<Body>,
    pub(crate) nq: usize,
    pub(crate) nv: usize,
    /// Which entries of the mass matrix can differ from zero.
    pub(crate) pattern: TreePattern,
    /// Of each velocity of the tree [kg or kg·m²].
    pub(crate) armature: Vec<f64>,
    /// Of each velocity of the tree [N·s/m or N·m·s/rad].
    pub(crate) damping: Vec<f64>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) springs: Vec<Spring>,
    pub(crate) motors: Vec<Motor>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) frictions: Vec<JointFriction>,
    pub(crate) guides: Vec<Guide>,
    /// In the order of the description, compounds part by part.
    pub(crate) geoms: Vec<Geom>,
    pub(crate) materials: Vec<MaterialSpec>,
    /// By places in `materials`, the smaller first.
    pub(crate) pairs: BTreeMap<(usize, usize), Surface>,
    pub(crate) combine: Combination,
    /// Whether two bodies that a joint connects collide.
    pub(crate) neighbours_collide: bool,
    /// The position in which all joints of the description are neutral.
    pub(crate) q_neutral: Vec<f64>,
    /// Angles that the state must remember to count turns.
    pub(crate) angles: Vec<AngleOf>,
}

/// A body and the joint of the tree that carries it.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    /// None: the world.
    pub parent: Option<usize>,
    pub joint: Joint,
    /// Joint frame in the parent's frame B (or in W).
    pub X_PJ: Pose,
    /// The frame in which the user stated the body, in B.
    pub X_BU: Pose,
    /// About the origin of B.
    pub I: SpatialInertia,
    /// As stated, in U.
    pub inertia: Inertia,
    /// Where its positions and velocities start in q and v.
    pub q0: usize,
    pub v0: usize,
    /// Carried by the world and carrying nothing; on a free, ball or planar joint also without armature,
    /// which would add to the kinetic energy what no rigid body has.
    pub alone: bool,
    /// How it turns, if it flies on a free or ball joint.
    pub top: Option<Top>,
}

/// A frame fixed to a body's B, or to the world.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    pub body: Option<usize>,
    pub X_BF: Pose,
}

/// A joint as described, whether the tree carries it or rows enforce it.
#[derive(Clone, Debug)]
pub struct JointInfo {
    pub name: String,
    pub joint: Joint,
    pub carrier: Carrier,
    /// J on the parent and the child's side of the joint, both with z along the axis.
    pub parent: Attachment,
    pub child: Attachment,
    /// Of each position [m or rad]; empty: none.
    pub limits: Vec<(f64, f64)>,
    /// Of each velocity; in generalized coordinates the same numbers stand in the tree's lists.
    pub armature: Vec<f64>,
    pub damping: Vec<f64>,
    /// Coulomb friction of each velocity [N or N·m].
    pub friction: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The joint of this body in the tree.
    Tree { body: usize },
    /// The rows of this constraint.
    Rows { constraint: usize },
}

#[derive(Clone, Debug)]
pub struct Constraint {
    pub name: String,
    pub rows: Rows,
    pub relaxation: Option<Relaxation>,
}

#[derive(Clone, Debug)]
pub enum Rows {
    /// What `joint` does not allow between frames a and b. `angle`: where the state counts the turns of a screw.
    Joint { joint: Joint, a: Attachment, b: Attachment, angle: Option<usize> },
    /// The origins stay `length` [m] apart.
    Distance { a: Attachment, b: Attachment, length: f64 },
    /// `Σ coefficient · q = offset`.
    Coupling { terms: Vec<(Coordinate, f64)>, offset: f64 },
    /// `q = law(t)`.
    Drive { coordinate: Coordinate, law: Law },
}

/// One position of a joint, wherever it lives.
#[derive(Clone, Copy, Debug)]
pub enum Coordinate {
    /// An entry of q, and the entry of v that is its rate.
    Tree { q: usize, v: usize },
    /// Position `index` of a joint that rows enforce (its place in `model.joints()`), measured between its
    /// frames. `angle`: where the state counts its turns.
    Relative { joint: usize, index: usize, angle: Option<usize> },
}

#[derive(Clone, Debug)]
pub struct Spring {
    pub name: String,
    pub kind: SpringForm,
    /// γ [N/m or N·m/rad], ≥ 0.
    pub stiffness: f64,
    /// δ [N·s/m or N·m·s/rad], ≥ 0.
    pub damping: f64,
}

#[derive(Clone, Debug)]
pub enum SpringForm {
    Points { a: Attachment, b: Attachment, rest: f64 },
    Coordinate { coordinate: Coordinate, rest: f64 },
    Torsion { a: Attachment, b: Attachment },
}

impl Model {
    pub fn coordinates(&self) -> Coordinates {
        self.coordinates
    }

    /// In W [m/s²].
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Positions.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Velocities.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Which entries of the mass matrix can differ from zero.
    pub fn pattern(&self) -> &TreePattern {
        &self.pattern
    }

    /// Parents before children.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// In the order of the description; free joints of bodies that none was stated for come last.
    pub fn joints(&self) -> &[JointInfo] {
        &self.joints
    }

    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// What collides: the shapes in the order of the description, compounds part by part.
    pub fn geoms(&self) -> &[Geom] {
        &self.geoms
    }

    /// What geoms are made of, by their places.
    pub fn materials(&self) -> &[MaterialSpec] {
        &self.materials
    }

    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.name == name).map(|i| BodyId(i as u32))
    }

    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|joint| joint.name == name).map(|i| JointId(i as u32))
    }

    /// The joint that carries a body of the tree. A body that rows hold has none: then the body.
    pub fn carrier_name(&self, body: usize) -> &str {
        let carries = |joint: &&JointInfo| joint.carrier == Carrier::Tree { body };
        self.joints.iter().find(carries).map_or(&self.bodies[body].name, |joint| &joint.name)
    }

    /// The entries of q that belong to a joint of the tree.
    pub fn q_range(&self, joint: JointId) -> Option<Range<usize>> {
        match self.joints[joint.0 as usize].carrier {
            Carrier::Tree { body } => Some(self.bodies[body].q_range()),
            Carrier::Rows { .. } => None,
        }
    }

    /// The entries of v that belong to a joint of the tree.
    pub fn v_range(&self, joint: JointId) -> Option<Range<usize>> {
        match self.joints[joint.0 as usize].carrier {
            Carrier::Tree { body } => Some(self.bodies[body].v_range()),
            Carrier::Rows { .. } => None,
        }
    }

    /// All joints neutral, everything at rest, at time zero.
    pub fn state(&self) -> State {
        State {
            time: 0.0,
            q: self.q_neutral.clone(),
            v: vec![0.0; self.nv],
            memory: Memory::new(self.angles.len()),
        }
    }

    /// `q ← q ⊕ h v`, joint by joint.
    pub fn integrate(&self, q: &mut [f64], v: &[f64], h: f64) {
        for body in &self.bodies {
            body.joint.integrate(&mut q[body.q_range()], &v[body.v_range()], h);
        }
    }

    /// The v with `q0 ⊕ v = q1`, joint by joint.
    pub fn difference(&self, q0: &[f64], q1: &[f64], v: &mut [f64]) {
        for body in &self.bodies {
            let (q, v) = (body.q_range(), &mut v[body.v_range()]);
            body.joint.difference(&q0[q.clone()], &q1[q], v);
        }
    }
}

impl Body {
    pub fn q_range(&self) -> Range<usize> {
        self.q0..self.q0 + self.joint.nq()
    }

    pub fn v_range(&self) -> Range<usize> {
        self.v0..self.v0 + self.joint.nv()
    }

    /// Whether its motion without forces is integrated in closed form (`flight`), gyroscopic terms included.
    pub fn flies(&self) -> bool {
        self.alone && matches!(self.joint, Joint::Free | Joint::Ball | Joint::Planar)
    }
}

impl Attachment {
    pub fn world() -> Self {
        Self { body: None, X_BF: Pose::identity() }
    }
}
