//! Inverse dynamics by the recursive Newton–Euler algorithm.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), table 5.1. Accelerations go from the root to the
//! leaves (gravity is an acceleration of the root upwards), forces come back:
//!
//! ```text
//!  A_B = X_BP A_P + S a + c_B
//!  F_B = I A_B + V_B ×* I V_B − F_ext + Σ X F_children         force across the joint of B
//!  τ   = Sᵀ F_B + armature · a
//! ```
//!
//! O(n), no allocation.

use crate::data::Data;
use crate::model::Model;
use crate::spatial::{Force, Motion};

/// Which terms of the equation of motion a bias contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BiasOf {
    /// Coriolis, centrifugal and gravity forces: `c(q, v)`.
    All,
    /// Gravity alone: `c(q, 0)`.
    Gravity,
    /// Gravity, and the velocity products of bodies that are not alone: what a step must add to
    /// the free flight of the others.
    BesideFlight,
    /// Velocity products of bodies that are not alone, without gravity.
    VelocityBesideFlight,
}

/// `τ = M a + c(q, v) − Jᵀ F_ext`. Needs positions and velocities; `F_ext` holds a force on each body, in
/// its frame B about Bo.
///
/// Leaves the force across each joint in `data`.
pub fn inverse_dynamics(
    model: &Model,
    data: &mut Data,
    a: &[f64],
    F_ext: Option<&[Force]>,
    tau: &mut [f64],
) {
    data.velocities();
    forward(model, data, Some(a), BiasOf::All);
    if let Some(F_ext) = F_ext {
        for (F, F_ext) in data.F.iter_mut().zip(F_ext) {
            *F -= *F_ext;
        }
    }
    backward(model, data, tau);
    for (tau, (armature, a)) in tau.iter_mut().zip(model.armature.iter().zip(a)) {
        *tau += armature * a;
    }
}

/// The force τ that holds the mechanism at `a = 0`, or the part of it that `of` names. Needs positions,
/// and velocities unless `of` is gravity.
pub fn bias(model: &Model, data: &mut Data, of: BiasOf, c: &mut [f64]) {
    if of == BiasOf::Gravity {
        data.positions();
    } else {
        data.velocities();
    }
    forward(model, data, None, of);
    backward(model, data, c);
}

/// Accelerations from the root, and the force that each body alone needs.
fn forward(model: &Model, data: &mut Data, a: Option<&[f64]>, of: BiasOf) {
    let root = match of {
        BiasOf::VelocityBesideFlight => Motion::zero(),
        _ => Motion { w: crate::math::Vec3::zeros(), v: -model.gravity },
    };
    let (kin, vel) = (&data.kin, &data.vel);
    let (A, F) = (&mut data.A[..], &mut data.F[..]);
    for (i, body) in model.bodies.iter().enumerate() {
        let A_P = body.parent.map_or(&root, |parent| &A[parent]);
        let mut A_B = kin.X_PB[i].motion_to_local(A_P);
        if let Some(a) = a {
            body.joint.add(&kin.S[body.v_range()], &a[body.v_range()], &mut A_B);
        }
        let moves = match of {
            BiasOf::All => true,
            BiasOf::Gravity => false,
            BiasOf::BesideFlight | BiasOf::VelocityBesideFlight => !body.flies(),
        };
        if moves {
            A_B += vel.c[i];
        }
        A[i] = A_B;
        F[i] = &body.I * &A_B;
        if moves {
            let V = &vel.V[i];
            F[i] += V.cross_force(&(&body.I * V));
        }
    }
}

/// Forces to the root, and their components along the joints.
fn backward(model: &Model, data: &mut Data, tau: &mut [f64]) {
    let (kin, F) = (&data.kin, &mut data.F[..]);
    for (i, body) in model.bodies.iter().enumerate().rev() {
        body.joint.components(&kin.S[body.v_range()], &F[i], &mut tau[body.v_range()]);
        if let Some(parent) = body.parent {
            let F_P = kin.X_PB[i].force_from_local(&F[i]);
            F[parent] += F_P;
        }
    }
}
