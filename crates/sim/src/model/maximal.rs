//! From generalized to maximal coordinates: every body free, every joint a constraint.

use super::angles::AngleOf;
use super::{Attachment, Body, Carrier, Constraint, Coordinates, Model, Rows};
use crate::inertia::SpatialInertia;
use crate::joint::Joint;
use crate::math::Quat;
use crate::spatial::{Motion, Pose};

impl Model {
    /// Frees every body and makes every joint a constraint. Leaves the pattern to the caller.
    pub(super) fn make_maximal(&mut self) {
        let poses = self.neutral_poses();
        self.enforce_joints();
        self.coordinates = Coordinates::Maximal;
        (self.nq, self.nv) = (0, 0);
        self.q_neutral.clear();
        for (body, X_WB) in self.bodies.iter_mut().zip(&poses) {
            let X_WU = *X_WB * body.X_BU;
            self.q_neutral.extend_from_slice(X_WU.p.as_slice());
            self.q_neutral.extend_from_slice(&Quat::from_matrix(&X_WU.R).to_wxyz());
            *body = Body {
                name: std::mem::take(&mut body.name),
                parent: None,
                joint: Joint::Free,
                X_PJ: Pose::identity(),
                X_BU: Pose::identity(),
                I: SpatialInertia::new(&body.inertia, &Pose::identity()),
                inertia: body.inertia,
                q0: self.nq,
                v0: self.nv,
                alone: true,
                top: None,
            };
            self.nq += Joint::Free.nq();
            self.nv += Joint::Free.nv();
        }
        self.armature = vec![0.0; self.nv];
        self.damping = vec![0.0; self.nv];
    }

    /// A constraint for every joint, between frames that are given in the bodies' U.
    fn enforce_joints(&mut self) {
        let X_UB: Vec<Pose> = self.bodies.iter().map(|body| body.X_BU.inverse()).collect();
        let moved = |at: &Attachment| match at.body {
            Some(body) => Attachment { body: Some(body), X_BF: X_UB[body] * at.X_BF },
            None => *at,
        };
        for (place, info) in self.joints.iter_mut().enumerate() {
            let (joint, a, b) = (info.joint, moved(&info.parent), moved(&info.child));
            let angle = matches!(joint, Joint::Screw { .. }).then_some(self.angles.len());
            self.angles.extend(angle.map(|_| AngleOf::Joint { joint: place, index: 0 }));
            (info.parent, info.child) = (a, b);
            info.carrier = Carrier::Rows { constraint: self.constraints.len() };
            self.constraints.push(Constraint {
                name: info.name.clone(),
                rows: Rows::Joint { joint, a, b, angle },
                relaxation: None,
            });
        }
    }

    /// `X_WB` of each body when all joints are neutral.
    fn neutral_poses(&self) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.bodies.len());
        let mut S = [Motion::zero(); 6];
        for body in &self.bodies {
            let q = &self.q_neutral[body.q_range()];
            let X_PB = body.joint.place(&body.X_PJ, q, &mut S[..body.joint.nv()]);
            poses.push(body.parent.map_or(X_PB, |parent| poses[parent] * X_PB));
        }
        poses
    }
}
