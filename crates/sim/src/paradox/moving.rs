//! What the motion of a contact adds to its acceleration.
//!
//! The contact's point C moves with Ċ, which is neither body's velocity there where shapes roll, and its normal turns with
//! ṅ. With v_S(C) the velocity of body S at C, of which another point is there a moment later,
//!
//! ```text
//!  d/dt v_S(C) = a_S(C) + ω_S × (Ċ − v_S(C))           a_S(C): acceleration of the point of S now at C
//!  u = v_B(C) − v_A(C) ,     d/dt (n·u) = n·u̇ + ṅ·u
//! ```
//!
//! Each side is a half-space, or a ball of radius r ≥ 0 about a point Q fixed to its body (a corner, a sphere, the end of a
//! capsule). With n from A into B:
//!
//! ```text
//!  ball B on half-space A     ṅ = ω_A × n ,                                   Ċ = v_Q − r ṅ
//!  ball B on ball A           ṅ = (1 − n nᵀ)(v_QB − v_QA)/‖p_QB − p_QA‖ ,     Ċ = v_QA + r_A ṅ
//! ```
//!
//! Tangents are needed where a contact sticks, u_t = 0; that they turn does not matter there.

use super::Touching;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::{BodyId, Geom, Model, Shape};
use crate::spatial::Motion;
use crate::tree::jacobian::bias_acceleration;
use crate::tree::kinematics::pose;

/// A side of a contact.
enum Side {
    HalfSpace,
    /// Its centre, in W [m], and radius [m].
    Ball(Vec3, f64),
}

/// `d/dt (n·u, t1·u, t2·u)` at v̇ = 0 [m/s²]; None for shapes of which Ċ is not known.
pub(super) fn bias(model: &Model, data: &Data, touching: &Touching) -> Option<[f64; 3]> {
    let contact = &touching.contact;
    let (C, n) = (contact.p_W, contact.n_W);
    let (n_dot, C_dot) = moving(model, data, touching)?;
    let side = |body: Option<usize>| {
        let V = motion(data, body, &C);
        let A = acceleration(model, data, body, &C);
        (V.v, A.v + V.w.cross(&(C_dot - V.v)))
    };
    let ((v_A, a_A), (v_B, a_B)) = (side(contact.a), side(contact.b));
    let (u, u_dot) = (v_B - v_A, a_B - a_A);
    let t = |axis: usize| touching.R_WC.column(axis).dot(&u_dot);
    Some([n.dot(&u_dot) + n_dot.dot(&u), t(0), t(1)])
}

/// ṅ [1/s] and Ċ [m/s], in W.
fn moving(model: &Model, data: &Data, touching: &Touching) -> Option<(Vec3, Vec3)> {
    let contact = &touching.contact;
    let n = contact.n_W;
    let key = contact.key;
    let [a, b] = [key.shape_a, key.shape_b].map(|i| &model.geoms[i as usize]);
    let velocity = |body: Option<usize>, p: &Vec3| motion(data, body, p).v;
    match (side(data, a, b, key.feature)?, side(data, b, a, key.feature)?) {
        (Side::HalfSpace, Side::Ball(Q, r)) => {
            let n_dot = motion(data, contact.a, &Q).w.cross(&n);
            Some((n_dot, velocity(contact.b, &Q) - n_dot * r))
        }
        (Side::Ball(Q, r), Side::HalfSpace) => {
            let n_dot = motion(data, contact.b, &Q).w.cross(&n);
            Some((n_dot, velocity(contact.a, &Q) + n_dot * r))
        }
        (Side::Ball(Q_a, r_a), Side::Ball(Q_b, _)) => {
            let (v_a, apart) = (velocity(contact.a, &Q_a), (Q_b - Q_a).norm());
            let v = velocity(contact.b, &Q_b) - v_a;
            let n_dot = (v - n * n.dot(&v)) / apart;
            // two points that coincide have no normal
            (apart > 0.0).then_some((n_dot, v_a + n_dot * r_a))
        }
        (Side::HalfSpace, Side::HalfSpace) => None,
    }
}

/// What `geom` is to `other` in the contact of this feature.
fn side(data: &Data, geom: &Geom, other: &Geom, feature: u32) -> Option<Side> {
    let flat = matches!(other.shape, Shape::HalfSpace);
    let end = |z: f64| Vec3::new(0.0, 0.0, if feature == 0 { -z } else { z });
    let (p_G, radius) = match &geom.shape {
        Shape::HalfSpace => return Some(Side::HalfSpace),
        Shape::Points(points) => (points[feature as usize], 0.0),
        Shape::Sphere { radius } => (Vec3::zeros(), *radius),
        Shape::Capsule { radius, half_length } if flat => (end(*half_length), *radius),
        Shape::Box { half } if flat => (crate::collide::corner_of(half, feature), 0.0),
        Shape::Hull(points) if flat => (points[feature as usize], 0.0),
        _ => return None,
    };
    let X_WG = match geom.at.body {
        Some(body) => data.kin.X_WB[body] * geom.at.X_BF,
        None => geom.at.X_BF,
    };
    Some(Side::Ball(X_WG.point(&p_G), radius))
}

/// Angular velocity of a body (or of the world), and its velocity at a point of W; in W.
fn motion(data: &Data, body: Option<usize>, p_W: &Vec3) -> Motion {
    let Some(i) = body else { return Motion::zero() };
    let (X_WB, V) = (&data.kin.X_WB[i], &data.vel.V[i]);
    let w = X_WB.R * V.w;
    Motion { w, v: X_WB.R * V.v + w.cross(&(p_W - X_WB.p)) }
}

/// Accelerations of a body at v̇ = 0: of its turning, and of its point now at p_W.
fn acceleration(model: &Model, data: &Data, body: Option<usize>, p_W: &Vec3) -> Motion {
    let Some(i) = body else { return Motion::zero() };
    let id = BodyId(i as u32);
    let p_U = pose(model, data, id).inverse().point(p_W);
    bias_acceleration(model, data, id, &p_U)
}
