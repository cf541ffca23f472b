//! From a pose and a velocity across a joint back to its coordinates.
//!
//! The columns of S are orthogonal for every joint, so the velocity that fits best in the least-squares sense
//! (angular and linear parts in rad/s and m/s) is found column by column.

use super::Joint;
use crate::math::{Mat3, Quat};
use crate::spatial::{Motion, Pose};

/// The angle about z that turns one frame as nearly as possible into the other, in [−π, π].
fn angle_about_z(R: &Mat3) -> f64 {
    libm::atan2(R.m21 - R.m12, R.m11 + R.m22)
}

impl Joint {
    /// The q with `X_JB(q) = X_JB`, angles in [−π, π], quaternions with w ≥ 0. What the joint does not allow is
    /// dropped. A screw is placed by its angle, and its turns are counted by its shift.
    pub fn coordinates(self, X_JB: &Pose, q: &mut [f64]) {
        let Pose { R, p } = X_JB;
        match self {
            Self::Fixed => {}
            Self::Revolute => q[0] = angle_about_z(R),
            Self::Prismatic => q[0] = p.z,
            Self::Screw { pitch } => {
                q[0] = angle_about_z(R);
                // without pitch there is no shift to count by: infinite or NaN
                let by_shift = p.z / pitch;
                if by_shift.is_finite() {
                    q[0] = nearest_turn(q[0], by_shift);
                }
            }
            Self::Cylindrical => (q[0], q[1]) = (angle_about_z(R), p.z),
            Self::Universal => {
                // Rx(α) Ry(β)
                q[0] = libm::atan2(R.m32, R.m22);
                q[1] = libm::atan2(R.m13, R.m11);
            }
            Self::Ball => q.copy_from_slice(&Quat::from_matrix(R).to_wxyz()),
            Self::Planar => (q[0], q[1], q[2]) = (p.x, p.y, angle_about_z(R)),
            Self::Free => {
                q[..3].copy_from_slice(p.as_slice());
                q[3..].copy_from_slice(&Quat::from_matrix(R).to_wxyz());
            }
        }
    }

    /// The v for which `S v` is nearest to `V_JB`, given in B.
    pub fn velocities(self, S: &[Motion], V_JB: &Motion, v: &mut [f64]) {
        for (v, S) in v.iter_mut().zip(S) {
            let along = S.w.dot(&V_JB.w) + S.v.dot(&V_JB.v);
            *v = along / (S.w.norm_squared() + S.v.norm_squared());
        }
    }
}

/// `angle` and as many turns as bring it nearest to `near` [rad].
pub(crate) fn nearest_turn(angle: f64, near: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    angle + turn * libm::rint((near - angle) / turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::tests::{ALL, sample};
    use crate::math::Vec3;

    #[test]
    fn coordinates_undo_place_and_velocities_undo_the_columns() {
        for joint in ALL {
            let (q, v) = sample(joint);
            let mut S = vec![Motion::zero(); joint.nv()];
            let X_JB = joint.place(&Pose::identity(), &q, &mut S);
            let mut back = vec![0.0; joint.nq()];
            joint.coordinates(&X_JB, &mut back);
            let V = S.iter().zip(&v).fold(Motion::zero(), |V, (S_i, v_i)| V + *S_i * *v_i);
            let mut rates = vec![0.0; joint.nv()];
            joint.velocities(&S, &V, &mut rates);
            for (a, b) in back.iter().chain(&rates).zip(q.iter().chain(&v)) {
                assert!((a - b).abs() < 1e-15, "{joint:?}: {back:?} {rates:?}");
            }
        }
    }

    #[test]
    fn the_columns_of_every_joint_are_orthogonal() {
        for joint in ALL {
            let mut S = vec![Motion::zero(); joint.nv()];
            joint.place(&Pose::identity(), &sample(joint).0, &mut S);
            for (i, a) in S.iter().enumerate() {
                for b in &S[..i] {
                    assert!((a.w.dot(&b.w) + a.v.dot(&b.v)).abs() < 1e-16, "{joint:?}");
                }
            }
        }
    }

    #[test]
    fn a_screw_counts_its_turns_by_its_shift() {
        let mut q = [0.0];
        for (pitch, angle, expected) in [(0.3, 40.0, 40.0), (-2.0, -7.0, -7.0), (0.0, 1.5, 1.5)] {
            let joint = Joint::Screw { pitch };
            let X_JB = joint.place(&Pose::identity(), &[angle], &mut [Motion::zero()]);
            joint.coordinates(&X_JB, &mut q);
            assert!((q[0] - expected).abs() < 1e-14, "{pitch}: {q:?}");
        }
    }

    #[test]
    fn a_pose_off_the_joint_gives_the_nearest_coordinate() {
        // tilted by a little: the angle changes in second order only
        let tilt = Pose::rotation(Quat::exp(&Vec3::new(1e-4, -2e-4, 0.0)));
        let X_JB = Joint::Revolute.place(&Pose::identity(), &[2.5], &mut [Motion::zero()]);
        let mut q = [0.0];
        Joint::Revolute.coordinates(&(X_JB * tilt), &mut q);
        assert!((q[0] - 2.5).abs() < 1e-7, "{q:?}");
    }
}
