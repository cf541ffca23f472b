//! The files of data/oracles: descriptions in neutral terms, states and results.

use serde::Deserialize;
use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::{Coordinates, Force, Inertia, Mat3, Model, ModelSpec, Quat, Vec3};

#[derive(Deserialize)]
pub(super) struct Trees<R> {
    pub(super) trees: Vec<Tree<R>>,
}

/// A forest in one state, and what the oracle says about it.
#[derive(Clone, Deserialize)]
pub(super) struct Tree<R> {
    pub(super) name: String,
    /// [m/s²]
    pub(super) gravity: [f64; 3],
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    #[serde(default)]
    pub(super) a: Vec<f64>,
    pub(super) forces: Vec<ForceOn>,
    #[serde(default)]
    pub(super) points: Vec<Point>,
    pub(super) results: R,
}

#[derive(Clone, Deserialize)]
pub(super) struct Body {
    pub(super) name: String,
    pub(super) mass: f64,
    pub(super) com: [f64; 3],
    /// xx, xy, xz, yy, yz, zz about the centre.
    pub(super) inertia: [f64; 6],
}

#[derive(Clone, Deserialize)]
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) parent: Option<String>,
    pub(super) child: String,
    pub(super) frame_parent: Frame,
    pub(super) frame_child: Frame,
    pub(super) axis: Option<[f64; 3]>,
    pub(super) pitch: Option<f64>,
    pub(super) first: Option<[f64; 3]>,
    pub(super) second: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) armature: Vec<f64>,
}

#[derive(Clone, Deserialize)]
pub(super) struct Frame {
    pub(super) p: [f64; 3],
    pub(super) quat: [f64; 4],
}

/// On a body, in its own frame about its own origin.
#[derive(Clone, Deserialize)]
pub(super) struct ForceOn {
    pub(super) body: String,
    pub(super) torque: [f64; 3],
    pub(super) force: [f64; 3],
}

/// Of a body, in its own frame.
#[derive(Clone, Deserialize)]
pub(super) struct Point {
    pub(super) body: String,
    pub(super) p: [f64; 3],
}

#[derive(Clone, Deserialize)]
pub(super) struct FromPinocchio {
    /// Rows of the lower triangle.
    pub(super) mass_matrix: Vec<Vec<f64>>,
    pub(super) bias: Vec<f64>,
    pub(super) gravity: Vec<f64>,
    pub(super) inverse_dynamics: Vec<f64>,
    pub(super) inverse_dynamics_with_forces: Vec<f64>,
    pub(super) tau: Vec<f64>,
    pub(super) forward_dynamics: Vec<f64>,
    pub(super) kinematics: Vec<Place>,
    pub(super) totals: Totals,
    /// Of each point: angular velocity of the body, then velocity of the point, both in W.
    pub(super) jacobians: Vec<Vec<Vec<f64>>>,
    /// Of each point: the change of that velocity when all joint accelerations are zero.
    pub(super) bias_accelerations: Vec<[f64; 6]>,
}

/// Pose and velocity of a body's own frame in W; R row by row.
#[derive(Clone, Deserialize)]
pub(super) struct Place {
    pub(super) R: [f64; 9],
    pub(super) p: [f64; 3],
    pub(super) w: [f64; 3],
    pub(super) v: [f64; 3],
}

/// Momentum about the origin of W; kinetic energy of the bodies, and of the armature beside it.
#[derive(Clone, Deserialize)]
pub(super) struct Totals {
    pub(super) mass: f64,
    pub(super) com: [f64; 3],
    pub(super) v_com: [f64; 3],
    pub(super) linear_momentum: [f64; 3],
    pub(super) angular_momentum: [f64; 3],
    pub(super) kinetic_energy: f64,
    pub(super) kinetic_energy_of_armature: f64,
    pub(super) potential_energy: f64,
}

#[derive(Clone, Deserialize)]
pub(super) struct FromMujoco {
    pub(super) mass_matrix: Vec<Vec<f64>>,
    pub(super) bias: Vec<f64>,
    pub(super) tau: Vec<f64>,
    pub(super) forward_dynamics: Vec<f64>,
    pub(super) com: [f64; 3],
    /// With armature.
    pub(super) kinetic_energy: f64,
    pub(super) potential_energy: f64,
}

#[derive(Deserialize)]
pub(super) struct FreeJoints {
    pub(super) velocities: Vec<FreeVelocity>,
}

/// A free body's velocity in the convention of `peer`, which keeps the quaternion (here w, x, y, z) as
/// `quaternion_kept`; `twist`: angular velocity and velocity of the origin in W.
#[derive(Deserialize)]
pub(super) struct FreeVelocity {
    pub(super) peer: String,
    pub(super) position: [f64; 3],
    pub(super) quaternion: [f64; 4],
    pub(super) quaternion_kept: [f64; 4],
    pub(super) velocity: [f64; 6],
    pub(super) twist: [f64; 6],
}

pub(super) fn file<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/../../data/oracles/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is part of the repository");
    serde_json::from_str(&text).expect("the file has the layout of this module")
}

impl<R> Tree<R> {
    pub(super) fn spec(&self) -> ModelSpec {
        let mut spec = ModelSpec::new();
        spec.gravity = self.gravity.into();
        for body in &self.bodies {
            spec.body(&body.name, body.inertia());
        }
        for joint in &self.joints {
            let parent = joint.frame_parent.on(joint.parent.as_ref());
            let child = joint.frame_child.on(Some(&joint.child));
            spec.joint(&joint.name, joint.kind(), parent, child).armature = joint.armature.clone();
        }
        spec
    }

    pub(super) fn model(&self) -> Model {
        let model = self.spec().build(Coordinates::Generalized).expect("the description is sound");
        for (body, described) in model.bodies().iter().zip(&self.bodies) {
            assert_eq!(body.name, described.name, "the description is parents first");
        }
        model
    }

    /// On every body, in B about Bo.
    pub(super) fn F_ext(&self, model: &Model) -> Vec<Force> {
        let mut F_ext = vec![Force::zero(); model.bodies().len()];
        for on in &self.forces {
            let i = model.body(&on.body).expect("described").0 as usize;
            let F_U = Force::new(on.torque.into(), on.force.into());
            F_ext[i] += model.bodies()[i].X_BU.force_from_local(&F_U);
        }
        F_ext
    }
}

impl Body {
    fn inertia(&self) -> Inertia {
        let [xx, xy, xz, yy, yz, zz] = self.inertia;
        let I_com = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        Inertia { mass: self.mass, com: self.com.into(), I_com }
    }
}

impl Frame {
    fn on(&self, body: Option<&String>) -> FrameSpec {
        FrameSpec {
            body: body.cloned(),
            p: self.p.into(),
            quat: Quat::from_wxyz(&self.quat).normalized(),
        }
    }
}

impl Joint {
    fn kind(&self) -> JointKind {
        let given = |axis: Option<[f64; 3]>| Vec3::from(axis.expect("this joint has an axis"));
        match self.kind.as_str() {
            "fixed" => JointKind::Fixed,
            "revolute" => JointKind::Revolute { axis: given(self.axis) },
            "prismatic" => JointKind::Prismatic { axis: given(self.axis) },
            "screw" => {
                let pitch = self.pitch.expect("a screw has a pitch");
                JointKind::Screw { axis: given(self.axis), pitch }
            }
            "cylindrical" => JointKind::Cylindrical { axis: given(self.axis) },
            "universal" => {
                JointKind::Universal { first: given(self.first), second: given(self.second) }
            }
            "ball" => JointKind::Ball,
            "planar" => JointKind::Planar,
            "free" => JointKind::Free,
            other => panic!("unknown joint {other}"),
        }
    }
}
