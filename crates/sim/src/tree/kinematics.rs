//! Poses and velocities of the bodies, from the root to the leaves.
//!
//! ```text
//!  X_WB = X_WP X_PJ X_JB(q)
//!  V_B  = X_BP V_P + S v                        velocity of B in W, expressed in B about Bo
//!  c_B  = Ṡ v + V_B × S v                       acceleration at v̇ = 0 that the joint adds
//! ```

use crate::data::Data;
use crate::math::Vec3;
use crate::model::{BodyId, Model};
use crate::spatial::{Motion, Pose};

/// What depends on q alone.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// Of each body in its parent (or in W).
    pub X_PB: Vec<Pose>,
    pub X_WB: Vec<Pose>,
    /// For each velocity the motion of its body that one unit of it causes, in B.
    pub S: Vec<Motion>,
    /// The same in the axes of W, about Bo.
    pub S_W: Vec<Motion>,
    /// From the parent's origin (or W's) to each body's, in the axes of W [m].
    pub p_PoBo_W: Vec<Vec3>,
}

/// What depends on q and v.
#[derive(Clone, Debug)]
pub struct Velocities {
    /// `V_WB` of each body, in B.
    pub V: Vec<Motion>,
    /// Acceleration that each joint adds at v̇ = 0, in B.
    pub c: Vec<Motion>,
}

impl Kinematics {
    pub fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        Self {
            X_PB: vec![Pose::identity(); n],
            X_WB: vec![Pose::identity(); n],
            S: vec![Motion::zero(); model.nv],
            S_W: vec![Motion::zero(); model.nv],
            p_PoBo_W: vec![Vec3::zeros(); n],
        }
    }

    /// Reads q; writes everything.
    pub fn update(&mut self, model: &Model, q: &[f64]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let (S, S_W) = (&mut self.S[body.v_range()], &mut self.S_W[body.v_range()]);
            let X_PB = body.joint.place(&body.X_PJ, &q[body.q_range()], S);
            let (X_WB, p_PoBo_W) = match body.parent {
                Some(parent) => {
                    let X_WP = &self.X_WB[parent];
                    let p_PoBo_W = X_WP.R * X_PB.p;
                    (Pose { R: X_WP.R * X_PB.R, p: X_WP.p + p_PoBo_W }, p_PoBo_W)
                }
                None => (X_PB, X_PB.p),
            };
            body.joint.turn(S, &X_WB.R, S_W);
            (self.X_PB[i], self.X_WB[i], self.p_PoBo_W[i]) = (X_PB, X_WB, p_PoBo_W);
        }
    }
}

impl Velocities {
    pub fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        Self { V: vec![Motion::zero(); n], c: vec![Motion::zero(); n] }
    }

    /// Reads v and the kinematics of q; writes everything.
    pub fn update(&mut self, model: &Model, kin: &Kinematics, v: &[f64]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let (S, v) = (&kin.S[body.v_range()], &v[body.v_range()]);
            let mut V = match body.parent {
                Some(parent) => kin.X_PB[i].motion_to_local(&self.V[parent]),
                None => Motion::zero(),
            };
            body.joint.add(S, v, &mut V);
            self.c[i] = body.joint.bias(S, v, &V);
            self.V[i] = V;
        }
    }

    /// The same without c.
    pub(crate) fn update_speeds(&mut self, model: &Model, kin: &Kinematics, v: &[f64]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let mut V = match body.parent {
                Some(parent) => kin.X_PB[i].motion_to_local(&self.V[parent]),
                None => Motion::zero(),
            };
            body.joint.add(&kin.S[body.v_range()], &v[body.v_range()], &mut V);
            self.V[i] = V;
        }
    }
}

/// q → poses. What depended on an older state is forgotten.
pub fn update_positions(model: &Model, q: &[f64], data: &mut Data) {
    assert_eq!(q.len(), model.nq, "q has the wrong length");
    data.adopt(model);
    data.begin_position();
    data.kin.update(model, q);
}

/// q, v → velocities, on top of [`update_positions`].
pub fn update_velocities(model: &Model, v: &[f64], data: &mut Data) {
    assert_eq!(v.len(), model.nv, "v has the wrong length");
    data.begin_velocity();
    data.vel.update(model, &data.kin, v);
}

/// Both.
pub fn update(model: &Model, q: &[f64], v: &[f64], data: &mut Data) {
    update_positions(model, q, data);
    update_velocities(model, v, data);
}

/// `X_WU`: pose of a body's own frame, as the user stated it.
pub fn pose(model: &Model, data: &Data, body: BodyId) -> Pose {
    let i = body.0 as usize;
    data.positions().X_WB[i] * model.bodies[i].X_BU
}

/// `V_WU`: angular velocity of a body and velocity of the origin of its own frame, both in W.
pub fn velocity(model: &Model, data: &Data, body: BodyId) -> Motion {
    let i = body.0 as usize;
    let (V, R_WB) = (&data.velocities().V[i], &data.positions().X_WB[i].R);
    Motion { w: R_WB * V.w, v: R_WB * V.at(&model.bodies[i].X_BU.p) }
}

/// Position in W of a point given in a body's own frame [m].
pub fn point(model: &Model, data: &Data, body: BodyId, p_UoQ_U: &Vec3) -> Vec3 {
    pose(model, data, body).point(p_UoQ_U)
}
