//! Jacobians in the axes of the world, and what their change with time adds to an acceleration.
//!
//! Column j is the motion that one unit of velocity j causes; velocities that do not carry the body have a
//! zero column. With Q the point in question and `j` on the path from the body to the root:
//!
//! ```text
//!  J_j = (w, v),   w = R_WB S.w,   v = R_WB S.v + w × (p_WQ − p_WB)      B the body of velocity j
//!  d/dt (J v) = J v̇ + J̇ v
//! ```
//!
//! Only differences of positions enter, so the columns do not lose digits with the distance from the
//! world's origin beyond those that the positions themselves have lost.

use crate::data::Data;
use crate::math::{MatX, Vec3};
use crate::model::{BodyId, Model};
use crate::spatial::{Motion, Pose};
use crate::tree::kinematics::{Kinematics, pose};

/// The motion that one unit of velocity `v`, which belongs to the joint of body `body`, causes in a point
/// at `p_WQ` that it carries.
pub(crate) fn column(kin: &Kinematics, body: usize, v: usize, p_WQ: &Vec3) -> Motion {
    let (X_WB, S) = (&kin.X_WB[body], &kin.S[v]);
    let w = X_WB.R * S.w;
    Motion { w, v: X_WB.R * S.v + w.cross(&(p_WQ - X_WB.p)) }
}

/// `V_WU = J v`: angular velocity of a body in rows 0 to 2, velocity of the origin of its own frame in
/// rows 3 to 5. J is 6 × nv. Needs the positions.
pub fn of_body(model: &Model, data: &Data, body: BodyId, J: &mut MatX) {
    of_frame(model, data, body, &Pose::identity(), J);
}

/// `V_WF = J v` of a frame F fixed to a body at `X_UF` of its own frame, rows as in [`of_body`].
pub fn of_frame(model: &Model, data: &Data, body: BodyId, X_UF: &Pose, J: &mut MatX) {
    assert_eq!(J.shape(), (6, model.nv), "the Jacobian of a frame is 6 x nv");
    J.fill(0.0);
    on_path(model, data, body, &X_UF.p, |v, column| {
        J.fixed_view_mut::<3, 1>(0, v).copy_from(&column.w);
        J.fixed_view_mut::<3, 1>(3, v).copy_from(&column.v);
    });
}

/// `v_WQ = J v` of the point Q that a body carries at `p_UoQ_U` of its own frame [m]. J is 3 × nv. Needs the
/// positions.
pub fn of_point(model: &Model, data: &Data, body: BodyId, p_UoQ_U: &Vec3, J: &mut MatX) {
    assert_eq!(J.shape(), (3, model.nv), "the Jacobian of a point is 3 x nv");
    J.fill(0.0);
    on_path(model, data, body, p_UoQ_U, |v, column| {
        J.fixed_view_mut::<3, 1>(0, v).copy_from(&column.v);
    });
}

/// Calls `write` with each column that can differ from zero.
fn on_path(
    model: &Model,
    data: &Data,
    body: BodyId,
    p_UoQ_U: &Vec3,
    mut write: impl FnMut(usize, Motion),
) {
    let kin = data.positions();
    let p_WQ = pose(model, data, body).point(p_UoQ_U);
    let mut next = Some(body.0 as usize);
    while let Some(i) = next {
        for v in model.bodies[i].v_range() {
            write(v, column(kin, i, v, &p_WQ));
        }
        next = model.bodies[i].parent;
    }
}

/// `J̇ v` of a frame fixed to a body with its origin Q at `p_UoQ_U`: its angular acceleration and the
/// acceleration of Q at `v̇ = 0`, without gravity, in W. Needs positions and velocities.
///
/// The acceleration of Q is the classical one, the second derivative of its position.
pub fn bias_acceleration(model: &Model, data: &Data, body: BodyId, p_UoQ_U: &Vec3) -> Motion {
    let (kin, vel) = (data.positions(), data.velocities());
    let p_WQ = pose(model, data, body).point(p_UoQ_U);
    // spatial accelerations of the joints, which add once they are about the same point
    let mut A = Motion::zero();
    let mut next = Some(body.0 as usize);
    while let Some(i) = next {
        let (X_WB, c) = (&kin.X_WB[i], &vel.c[i]);
        let w = X_WB.R * c.w;
        A += Motion { w, v: X_WB.R * c.v + w.cross(&(p_WQ - X_WB.p)) };
        next = model.bodies[i].parent;
    }
    // the spatial acceleration is that of the stream through a fixed point; Q moves along with it
    let i = body.0 as usize;
    let (R_WB, V) = (&kin.X_WB[i].R, &vel.V[i]);
    let p_BoQ_B = model.bodies[i].X_BU.point(p_UoQ_U);
    A.v += R_WB * V.w.cross(&V.at(&p_BoQ_B));
    A
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::skew;
    use crate::testing::{Random, Sample};
    use crate::tree::kinematics;

    /// Half the time [s] over which differences are taken.
    const H: f64 = 1e-5;

    /// Error of a central difference: h²/6 times the third derivative, and rounding. Each derivative
    /// of a path brings a factor `rate` [1/s], and the path itself is `size` long.
    fn slack(rate: f64, size: f64) -> f64 {
        H * H / 6.0 * rate.powi(3) * size + 8.0 * f64::EPSILON * size / H
    }

    /// Least rate [1/s] and length [m] that the error of a difference is reckoned with.
    const RATE: f64 = 3.0;
    const LENGTH: f64 = 3.0;

    /// Pose, and velocity at constant v, a time t ahead.
    fn ahead(s: &Sample, t: f64, body: BodyId, X_UF: &Pose) -> (Pose, Motion) {
        let mut q = s.q.clone();
        s.model.integrate(&mut q, &s.v, t);
        let mut data = Data::new(&s.model);
        kinematics::update(&s.model, &q, &s.v, &mut data);
        let mut J = MatX::zeros(6, s.model.nv);
        of_frame(&s.model, &data, body, X_UF, &mut J);
        let V = &J * crate::math::VecX::from_column_slice(&s.v);
        let V = Motion::new(V.fixed_rows::<3>(0).into(), V.fixed_rows::<3>(3).into());
        (pose(&s.model, &data, body) * *X_UF, V)
    }

    #[test]
    fn a_jacobian_is_the_difference_quotient_of_poses_and_its_change_that_of_velocities() {
        for seed in 0..200 {
            let s = Sample::new(seed, 40);
            let mut random = Random::new(seed + 1000);
            let body = BodyId(random.below(s.model.bodies.len()) as u32);
            let X_UF = Pose { R: random.quat().to_matrix(), p: random.vector(1.0) };
            let ((X0, V0), (X1, V1)) = (ahead(&s, -H, body, &X_UF), ahead(&s, H, body, &X_UF));
            let (X, V) = ahead(&s, 0.0, body, &X_UF);
            // the bodies on the way turn against each other too, and the path is as long as the tree
            let rate = RATE + V.w.norm();
            let length = LENGTH + X.p.norm() + V.v.norm() / rate;

            let w = (X1.R - X0.R) / (2.0 * H) * X.R.transpose() - skew(&V.w);
            let v = (X1.p - X0.p) / (2.0 * H) - V.v;
            assert!(w.amax() <= slack(rate, 1.0), "seed {seed}");
            assert!(v.amax() <= slack(rate, length), "seed {seed}");

            let A = (V1 - V0) * (0.5 / H) - bias_acceleration(&s.model, &s.data, body, &X_UF.p);
            assert!(A.w.amax() <= slack(rate, rate), "seed {seed}");
            assert!(A.v.amax() <= slack(rate, rate * length), "seed {seed}");
        }
    }

    #[test]
    fn the_rows_agree_with_each_other_and_with_the_velocities() {
        for seed in 0..100 {
            let s = Sample::new(seed, 40);
            let mut random = Random::new(seed + 1000);
            let body = BodyId(random.below(s.model.bodies.len()) as u32);
            let v = crate::math::VecX::from_column_slice(&s.v);
            let mut J = MatX::zeros(6, s.model.nv);
            of_body(&s.model, &s.data, body, &mut J);
            let (V, expected) = (&J * &v, kinematics::velocity(&s.model, &s.data, body));
            // sums of at most a hundred numbers of order ten
            let slack = 1e-13 * (1.0 + expected.w.norm() + expected.v.norm());
            assert!((V.fixed_rows::<3>(0) - expected.w).amax() <= slack, "seed {seed}");
            assert!((V.fixed_rows::<3>(3) - expected.v).amax() <= slack, "seed {seed}");

            let p = random.vector(1.0);
            let mut J_Q = MatX::zeros(3, s.model.nv);
            of_point(&s.model, &s.data, body, &p, &mut J_Q);
            of_frame(&s.model, &s.data, body, &Pose::translation(p.x, p.y, p.z), &mut J);
            assert_eq!(J_Q, J.rows(3, 3), "seed {seed}");
        }
    }
}
