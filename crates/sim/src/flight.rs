//! Free flight: the motion of a body that nothing pushes, for the joints that let it turn.
//!
//! # Problem
//!
//! A body alone on a free, ball or planar joint moves by its kinetic energy T. Its centre of mass goes straight
//! (free, planar) or the joint's point rests (ball), and its angular momentum about that point stays
//! where it is in space.
//!
//! # Method
//!
//! K is the frame of the principal axes, `I₁ ≤ I₂ ≤ I₃`, and Π the angular momentum; `Pi_J`, `Pi_B`,
//! `Pi_K` are the same vector in three frames. With `κᵢ = 1/Iᵢ − 1/I₂`, so that κ₁ ≥ 0 ≥ κ₃,
//!
//! ```text
//!  T = |Π|²/(2 I₂) + κ_c Π_c²/2 + κ_b Π_b²/2           {b, c} = {1, 3}, |κ_b| ≤ |κ_c|
//! ```
//!
//! Each term alone turns the body at a constant rate: the first about Π in space, the others about an axis of
//! the body. The first two commute and are a symmetric top; the third, the smallest, is put around
//! them in halves (Strang). The step is symmetric, symplectic, of second order, keeps Π_J, and is exact for
//! spheres and symmetric tops at any h. Derivation and error: `docs/theory/flight.md`.

use crate::inertia::Inertia;
use crate::joint::Joint;
use crate::math::{Mat3, Quat, Vec3, rotation_z, sin_cos};
use crate::model::Body;
use crate::spatial::Motion;

/// How a body turns about a point: its centre of mass, or the centre of its ball joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// Rotational inertia about the point, in B [kg·m²].
    pub I: Mat3,
    /// Principal moments, ascending [kg·m²].
    pub moments: [f64; 3],
    /// Principal axes as columns, in B.
    pub R_BK: Mat3,
    b: Axis,
    c: Axis,
}

/// A principal axis and the κ [1/(kg·m²)] of its term of the kinetic energy.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    index: usize,
    kappa: f64,
}

impl Top {
    /// From the inertia I [kg·m²] about the point, in B: symmetric, positive definite.
    pub fn new(I: Mat3) -> Self {
        let (moments, R_BK) = Inertia { mass: 1.0, com: Vec3::zeros(), I_com: I }.principal_axes();
        let [I_1, I_2, I_3] = moments;
        // 1/Iᵢ − 1/I₂ without cancellation
        let first = Axis { index: 0, kappa: (I_2 - I_1) / (I_1 * I_2) };
        let third = Axis { index: 2, kappa: (I_2 - I_3) / (I_2 * I_3) };
        let (b, c) = if first.kappa <= -third.kappa { (first, third) } else { (third, first) };
        Self { I, moments, R_BK, b, c }
    }

    /// Of a body on this joint; None for joints about which nothing turns freely.
    pub(crate) fn of(body: &Body) -> Option<Self> {
        match body.joint {
            Joint::Ball => Some(Self::new(body.I.I)),
            Joint::Free => {
                let I_com = body.inertia.moved(&body.X_BU).I_com;
                Some(Self::new((I_com + I_com.transpose()) * 0.5))
            }
            _ => None,
        }
    }

    /// Moves the orientation R_JB and the angular velocity `w_B` [rad/s] on by h [s].
    fn turn(&self, quat: Quat, w_B: Vec3, h: f64) -> (Quat, Vec3) {
        if w_B == Vec3::zeros() {
            return (quat, w_B);
        }
        let Pi_J = self.momentum(quat, &w_B);
        let mut Pi_K = self.R_BK.tr_mul(&(self.I * w_B));

        // the axes of the body: half of b, c, half of b
        let turn_K = turn_about(self.b, 0.5 * h, &mut Pi_K)
            * turn_about(self.c, h, &mut Pi_K)
            * turn_about(self.b, 0.5 * h, &mut Pi_K);
        let u_B = self.R_BK * turn_K.vector();
        let turn_B = Quat { w: turn_K.w, x: u_B.x, y: u_B.y, z: u_B.z };
        // the axis in space, which the others leave alone
        let turn_J = Quat::exp(&(Pi_J * (h / self.moments[1])));

        let quat = (turn_J * quat * turn_B).normalized();
        (quat, self.angular_velocity(quat, &Pi_J))
    }

    /// Angular momentum in J.
    fn momentum(&self, quat: Quat, w_B: &Vec3) -> Vec3 {
        rotated(quat, &(self.I * w_B))
    }

    /// The w with this angular momentum in J.
    ///
    /// Refined once against [`Top::momentum`], which the next step begins with: what is left is the rounding
    /// of w. The constant part of a rounded inverse and of a length that is not quite 1 would add
    /// up step by step.
    fn angular_velocity(&self, quat: Quat, Pi_J: &Vec3) -> Vec3 {
        let moments = Vec3::from(self.moments);
        let solve = |Pi_J: &Vec3| {
            let Pi_B = rotated(quat.conjugate(), Pi_J);
            self.R_BK * self.R_BK.tr_mul(&Pi_B).component_div(&moments)
        };
        let w_B = solve(Pi_J);
        w_B + solve(&(Pi_J - self.momentum(quat, &w_B)))
    }
}

/// The flow of `κ Π_i²/2` for the time h: returns the turn about axis i by `θ = h κ Π_i`, and turns Π, which
/// stays in space, back by θ: `R ← R exp(θ e_i)`, `Π ← exp(−θ e_i) Π`.
fn turn_about(axis: Axis, h: f64, Pi: &mut Vec3) -> Quat {
    let i = axis.index;
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let (s, c) = sin_cos(0.5 * h * axis.kappa * Pi[i]);
    let (sin, cos) = (2.0 * s * c, 1.0 - 2.0 * s * s);
    (Pi[j], Pi[k]) = (cos * Pi[j] + sin * Pi[k], cos * Pi[k] - sin * Pi[j]);
    let mut u = Vec3::zeros();
    u[i] = s;
    Quat { w: c, x: u.x, y: u.y, z: u.z }
}

/// `R v`.
fn rotated(quat: Quat, v: &Vec3) -> Vec3 {
    let u = quat.vector();
    let t = u.cross(v) * 2.0;
    v + (t * quat.w + u.cross(&t))
}

/// Moves a body that flies on by h [s], without gravity or any other force. q and v are the body's own.
///
/// Keeps, to rounding, the momentum and the angular momentum in space, and unit quaternions. `fly` by −h
/// undoes it. Panics if the body does not fly ([`Body::flies`]).
pub fn fly(body: &Body, q: &mut [f64], v: &mut [f64], h: f64) {
    assert!(body.flies(), "{} does not fly", body.name);
    match (&body.top, body.joint) {
        (Some(top), Joint::Ball) => {
            let (quat, w_B) = top.turn(Quat::from_wxyz(q), Vec3::new(v[0], v[1], v[2]), h);
            q.copy_from_slice(&quat.to_wxyz());
            v.copy_from_slice(w_B.as_slice());
        }
        (Some(top), _) => fly_free(top, &(body.I.mc / body.I.mass), q, v, h),
        (None, _) => fly_planar(&(body.I.mc / body.I.mass), q, v, h),
    }
}

/// What the flight of a body keeps, in J: the angular momentum about its point [kg·m²/s] (in the plane the
/// angular velocity), and the velocity of its centre of mass [m/s].
pub(crate) fn kept(body: &Body, q: &[f64], v: &[f64]) -> Motion {
    let c = body.I.mc / body.I.mass;
    match (&body.top, body.joint) {
        (Some(top), Joint::Ball) => {
            let w_B = Vec3::from_column_slice(v);
            Motion::new(top.momentum(Quat::from_wxyz(q), &w_B), Vec3::zeros())
        }
        (Some(top), _) => {
            let (quat, w_B) = (Quat::from_wxyz(&q[3..7]), Vec3::from_column_slice(&v[3..6]));
            let v_Bcm = Vec3::from_column_slice(&v[..3]) + rotated(quat, &w_B.cross(&c));
            Motion::new(top.momentum(quat, &w_B), v_Bcm)
        }
        (None, _) => {
            let w = Vec3::new(0.0, 0.0, v[2]);
            let v_Bcm = Vec3::new(v[0], v[1], 0.0) + w.cross(&(rotation_z(q[2]) * c));
            Motion::new(w, v_Bcm)
        }
    }
}

/// The velocities at q with these kept quantities: the inverse of [`kept`].
pub(crate) fn set_kept(body: &Body, q: &[f64], v: &mut [f64], kept: &Motion) {
    let c = body.I.mc / body.I.mass;
    match (&body.top, body.joint) {
        (Some(top), Joint::Ball) => {
            let w_B = top.angular_velocity(Quat::from_wxyz(q), &kept.w);
            v.copy_from_slice(w_B.as_slice());
        }
        (Some(top), _) => {
            let quat = Quat::from_wxyz(&q[3..7]);
            let w_B = top.angular_velocity(quat, &kept.w);
            v[..3].copy_from_slice((kept.v - rotated(quat, &w_B.cross(&c))).as_slice());
            v[3..6].copy_from_slice(w_B.as_slice());
        }
        (None, _) => {
            let v_Bo = kept.v - kept.w.cross(&(rotation_z(q[2]) * c));
            v.copy_from_slice(&[v_Bo.x, v_Bo.y, kept.w.z]);
        }
    }
}

/// `p_BoBcm_B` is the centre of mass in B. Positions change by differences, so that a place far from the origin
/// costs no digits of the flight.
fn fly_free(top: &Top, p_BoBcm_B: &Vec3, q: &mut [f64], v: &mut [f64], h: f64) {
    let arm = |quat: Quat| rotated(quat, p_BoBcm_B);
    let arm_rate = |quat: Quat, w_B: &Vec3| rotated(quat, &w_B.cross(p_BoBcm_B));
    let quat = Quat::from_wxyz(&q[3..7]);
    let w_B = Vec3::new(v[3], v[4], v[5]);
    let (quat_next, w_next) = top.turn(quat, w_B, h);

    let rate = arm_rate(quat, &w_B);
    let v_Bcm = Vec3::new(v[0], v[1], v[2]) + rate;
    // the origin goes with the centre and swings about it
    let shift = v_Bcm * h + (arm(quat) - arm(quat_next));
    let dv = rate - arm_rate(quat_next, &w_next);
    for i in 0..3 {
        q[i] += shift[i];
        v[i] += dv[i];
    }
    q[3..7].copy_from_slice(&quat_next.to_wxyz());
    v[3..6].copy_from_slice(w_next.as_slice());
}

/// As [`fly_free`] in the plane, where the rate of turn is constant and the flight exact.
fn fly_planar(p_BoBcm_B: &Vec3, q: &mut [f64], v: &mut [f64], h: f64) {
    let arm = |angle: f64| {
        let (s, c) = sin_cos(angle);
        [c * p_BoBcm_B.x - s * p_BoBcm_B.y, s * p_BoBcm_B.x + c * p_BoBcm_B.y]
    };
    let w = v[2];
    let before = arm(q[2]);
    q[2] += h * w;
    let after = arm(q[2]);
    // the velocity of the centre against the origin is w z × arm
    q[0] += h * (v[0] - w * before[1]) + (before[0] - after[0]);
    q[1] += h * (v[1] + w * before[0]) + (before[1] - after[1]);
    v[0] -= w * (before[1] - after[1]);
    v[1] += w * (before[0] - after[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Coordinates, FrameSpec, JointKind, Model, ModelSpec};
    use crate::spatial::Pose;

    /// An asymmetric body off its frame's origin and axes, and a state away from all symmetries.
    fn body_on(kind: JointKind) -> (Model, Vec<f64>, Vec<f64>) {
        let X_UK =
            Pose::from_parts(Vec3::new(0.3, -0.2, 0.4), Quat::exp(&Vec3::new(0.7, -1.1, 0.4)));
        let mut spec = ModelSpec::new();
        spec.body("body", Inertia::principal(2.0, [0.9, 2.0, 2.7]).moved(&X_UK));
        let child = FrameSpec::of("body").at(0.1, 0.2, -0.3);
        spec.joint("joint", kind, FrameSpec::world(), child);
        let model = spec.build(Coordinates::Generalized).expect("a body");
        let v = [0.8, -1.3, 1.1, 0.4, 1.2, -0.9][..model.nv()].to_vec();
        let mut q = model.state().q;
        model.integrate(&mut q, &v, 0.7);
        (model, q, v)
    }

    /// q and v at time t by the equations of motion, `M v̇ = −c(q, v)` without gravity, in many small steps
    /// of the classical Runge–Kutta method.
    fn reference(model: &Model, q0: &[f64], v0: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
        let body = &model.bodies()[0];
        // rates of q as a vector, and of v, from Newton's and Euler's laws
        let rates = |q: &[f64], v: &[f64]| {
            let (lin, ang) = (v.len() - 3, q.len() - 4);
            let w = Vec3::from_column_slice(&v[lin..]);
            let quat = Quat::from_wxyz(&q[ang..]);
            let I = if lin == 0 { body.I.I } else { body.inertia.moved(&body.X_BU).I_com };
            let dw = I.try_inverse().expect("regular") * (I * w).cross(&w);
            let half = quat * Quat { w: 0.0, x: 0.5 * w.x, y: 0.5 * w.y, z: 0.5 * w.z };
            let (mut dq, mut dv) = (v[..lin].to_vec(), Vec::new());
            dq.extend(half.to_wxyz());
            if lin == 3 {
                let c = body.I.mc / body.I.mass;
                let a = quat.to_matrix() * (dw.cross(&c) + w.cross(&w.cross(&c)));
                dv.extend((-a).iter());
            }
            dv.extend(dw.iter());
            (dq, dv)
        };
        let moved = |x: &[f64], dx: &[f64], h: f64| -> Vec<f64> {
            x.iter().zip(dx).map(|(x, dx)| x + h * dx).collect()
        };
        let (mut q, mut v) = (q0.to_vec(), v0.to_vec());
        let n = 2000;
        let h = t / f64::from(n);
        for _ in 0..n {
            let k1 = rates(&q, &v);
            let k2 = rates(&moved(&q, &k1.0, 0.5 * h), &moved(&v, &k1.1, 0.5 * h));
            let k3 = rates(&moved(&q, &k2.0, 0.5 * h), &moved(&v, &k2.1, 0.5 * h));
            let k4 = rates(&moved(&q, &k3.0, h), &moved(&v, &k3.1, h));
            for (x, i) in [(&mut q, 0), (&mut v, 1)] {
                let part =
                    |k: &(Vec<f64>, Vec<f64>)| if i == 0 { k.0.clone() } else { k.1.clone() };
                let (k1, k2, k3, k4) = (part(&k1), part(&k2), part(&k3), part(&k4));
                for j in 0..x.len() {
                    x[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
                }
            }
        }
        (q, v)
    }

    #[test]
    fn the_flight_approaches_the_equations_of_motion_with_the_second_order() {
        for kind in [JointKind::Free, JointKind::Ball] {
            let (model, q0, v0) = body_on(kind);
            let (q_exact, v_exact) = reference(&model, &q0, &v0, 2.0);
            let error = |n: u32| {
                let (mut q, mut v) = (q0.clone(), v0.clone());
                for _ in 0..n {
                    fly(&model.bodies()[0], &mut q, &mut v, 2.0 / f64::from(n));
                }
                let pairs = q.iter().chain(&v).zip(q_exact.iter().chain(&v_exact));
                pairs.fold(0.0, |m: f64, (x, exact)| m.max((x - exact).abs()))
            };
            let ratio = error(100) / error(200);
            assert!((3.8..=4.2).contains(&ratio), "{kind:?}: {ratio}");
            assert!(error(200) < 1e-4, "{kind:?}: {}", error(200));
        }
    }

    #[test]
    fn the_momentum_of_the_spatial_inertia_stays_in_space() {
        let (model, mut q, mut v) = body_on(JointKind::Free);
        let body = &model.bodies()[0];
        // about the world's origin
        let momentum = |q: &[f64], v: &[f64]| {
            let mut S = [Motion::zero(); 6];
            let X_WB = body.joint.place(&body.X_PJ, q, &mut S);
            let V = S.iter().zip(v).fold(Motion::zero(), |V, (S, v)| V + *S * *v);
            X_WB.force_from_local(&(&body.I * &V))
        };
        let before = momentum(&q, &v);
        for _ in 0..1000 {
            fly(body, &mut q, &mut v, 0.01);
        }
        let error = momentum(&q, &v) - before;
        // a thousand roundings of arms up to 20 m
        assert!(error.f.norm() <= 1e-13 * before.f.norm(), "{error:?}");
        assert!(error.t.norm() <= 1e-12 * before.t.norm(), "{error:?}");
    }

    #[test]
    fn the_smaller_remainder_is_taken() {
        let axes = |moments: [f64; 3]| {
            let top = Top::new(Mat3::from_diagonal(&Vec3::from(moments)));
            (top.b.index, top.c.index)
        };
        assert_eq!(axes([1.0, 1.1, 2.0]), (0, 2));
        assert_eq!(axes([1.0, 1.9, 2.0]), (2, 0));
        // as stated in any order
        assert_eq!(axes([2.0, 1.0, 1.9]), (2, 0));
        let top = Top::new(Mat3::from_diagonal(&Vec3::new(1.5, 1.0, 1.5)));
        assert_eq!((top.b.kappa, top.c.index), (0.0, 0));
    }

    #[test]
    #[should_panic(expected = "does not fly")]
    fn a_body_on_a_hinge_does_not_fly() {
        let (model, mut q, mut v) = body_on(JointKind::Revolute { axis: Vec3::z() });
        fly(&model.bodies()[0], &mut q, &mut v, 0.1);
    }
}
