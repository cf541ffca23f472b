//! How a body moves against its parent: a closed set of joints.
//!
//! Every joint connects a frame J on the parent with the frame B of the child, turned at build time so
//! that its axis is z. So the axes of a revolute joint are never multiplied by anything.
//!
//! | joint | q | v | `X_JB(q)` |
//! |---|---|---|---|
//! | `Fixed` | – | – | identity |
//! | `Revolute` | θ | θ̇ | turn about z |
//! | `Prismatic` | z | ż | shift along z |
//! | `Screw` | θ | θ̇ | turn about z, shift `pitch`·θ along z |
//! | `Cylindrical` | θ, z | θ̇, ż | turn about and shift along z |
//! | `Universal` | α, β | α̇, β̇ | turn about J's x by α, then about B's y by β |
//! | `Ball` | quaternion w, x, y, z | angular velocity in B | turn |
//! | `Planar` | x, y, θ | ẋ, ẏ in J, θ̇ | shift in J's xy plane, turn about z |
//! | `Free` | x, y, z, quaternion w, x, y, z | velocity of B's origin in J, angular velocity in B | any |
//!
//! Units: angles in rad, lengths in m, rates per s; `pitch` in m/rad.

mod columns;
pub(crate) mod coordinates;

use crate::math::{Mat3, Quat, Vec3, sin_cos};
use crate::spatial::{Motion, Pose};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    Fixed,
    Revolute,
    Prismatic,
    Screw { pitch: f64 },
    Cylindrical,
    Universal,
    Ball,
    Planar,
    Free,
}

/// `R · Rz(θ)`: only the first two columns change.
fn turned_about_z(R: &Mat3, angle: f64) -> Mat3 {
    let (s, c) = sin_cos(angle);
    let (x, y) = (R.column(0), R.column(1));
    Mat3::from_columns(&[x * c + y * s, y * c - x * s, R.column(2).into_owned()])
}

impl Joint {
    /// Positions.
    pub const fn nq(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic | Self::Screw { .. } => 1,
            Self::Cylindrical | Self::Universal => 2,
            Self::Planar => 3,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }

    /// Velocities.
    pub const fn nv(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic | Self::Screw { .. } => 1,
            Self::Cylindrical | Self::Universal => 2,
            Self::Planar | Self::Ball => 3,
            Self::Free => 6,
        }
    }

    /// Where the quaternion starts in q, for the joints that have one.
    pub const fn quaternion(self) -> Option<usize> {
        match self {
            Self::Ball => Some(0),
            Self::Free => Some(3),
            _ => None,
        }
    }

    /// Whether position `index` is an angle, which can count turns.
    pub const fn is_angle(self, index: usize) -> bool {
        match self {
            Self::Revolute | Self::Screw { .. } | Self::Universal => true,
            Self::Cylindrical => index == 0,
            Self::Planar => index == 2,
            Self::Fixed | Self::Prismatic | Self::Ball | Self::Free => false,
        }
    }

    /// The position in which J and B coincide.
    pub fn neutral(self, q: &mut [f64]) {
        q.fill(0.0);
        if let Some(start) = self.quaternion() {
            q[start] = 1.0;
        }
    }

    /// `X_PB = X_PJ X_JB(q)`, with S the columns of the motion of B that one unit of each velocity causes,
    /// in B.
    pub fn place(self, X_PJ: &Pose, q: &[f64], S: &mut [Motion]) -> Pose {
        match self {
            Self::Fixed => *X_PJ,
            Self::Revolute => {
                S[0] = Motion::new(Vec3::z(), Vec3::zeros());
                Pose { R: turned_about_z(&X_PJ.R, q[0]), p: X_PJ.p }
            }
            Self::Prismatic => {
                S[0] = Motion::new(Vec3::zeros(), Vec3::z());
                Pose { R: X_PJ.R, p: X_PJ.p + X_PJ.R.column(2) * q[0] }
            }
            Self::Screw { pitch } => {
                S[0] = Motion::new(Vec3::z(), Vec3::new(0.0, 0.0, pitch));
                let p = X_PJ.p + X_PJ.R.column(2) * (pitch * q[0]);
                Pose { R: turned_about_z(&X_PJ.R, q[0]), p }
            }
            Self::Cylindrical => {
                S[0] = Motion::new(Vec3::z(), Vec3::zeros());
                S[1] = Motion::new(Vec3::zeros(), Vec3::z());
                let p = X_PJ.p + X_PJ.R.column(2) * q[1];
                Pose { R: turned_about_z(&X_PJ.R, q[0]), p }
            }
            Self::Universal => {
                let ((s0, c0), (s1, c1)) = (sin_cos(q[0]), sin_cos(q[1]));
                S[0] = Motion::new(Vec3::new(c1, 0.0, s1), Vec3::zeros());
                S[1] = Motion::new(Vec3::y(), Vec3::zeros());
                // Rx(α) Ry(β)
                let R = Mat3::new(c1, 0.0, s1, s0 * s1, c0, -s0 * c1, -c0 * s1, s0, c0 * c1);
                Pose { R: X_PJ.R * R, p: X_PJ.p }
            }
            Self::Ball => {
                for (S_i, axis) in S.iter_mut().zip([Vec3::x(), Vec3::y(), Vec3::z()]) {
                    *S_i = Motion::new(axis, Vec3::zeros());
                }
                Pose { R: X_PJ.R * Quat::from_wxyz(q).to_matrix(), p: X_PJ.p }
            }
            Self::Planar => {
                let (s, c) = sin_cos(q[2]);
                S[0] = Motion::new(Vec3::zeros(), Vec3::new(c, -s, 0.0));
                S[1] = Motion::new(Vec3::zeros(), Vec3::new(s, c, 0.0));
                S[2] = Motion::new(Vec3::z(), Vec3::zeros());
                let p = X_PJ.p + X_PJ.R.column(0) * q[0] + X_PJ.R.column(1) * q[1];
                Pose { R: turned_about_z(&X_PJ.R, q[2]), p }
            }
            Self::Free => {
                let R_JB = Quat::from_wxyz(&q[3..7]).to_matrix();
                for i in 0..3 {
                    S[i] = Motion::new(Vec3::zeros(), R_JB.row(i).transpose());
                }
                for (S_i, axis) in S[3..].iter_mut().zip([Vec3::x(), Vec3::y(), Vec3::z()]) {
                    *S_i = Motion::new(axis, Vec3::zeros());
                }
                Pose { R: X_PJ.R * R_JB, p: X_PJ.point(&Vec3::new(q[0], q[1], q[2])) }
            }
        }
    }

    /// `q ← q ⊕ h v`: moves for the time h at constant v. Quaternions keep unit length.
    pub fn integrate(self, q: &mut [f64], v: &[f64], h: f64) {
        match self {
            Self::Ball => turn(q, v, h),
            Self::Free => {
                for i in 0..3 {
                    q[i] += h * v[i];
                }
                turn(&mut q[3..], &v[3..], h);
            }
            _ => {
                for (q_i, v_i) in q.iter_mut().zip(v) {
                    *q_i += h * v_i;
                }
            }
        }
    }

    /// The v with `q0 ⊕ v = q1`.
    pub fn difference(self, q0: &[f64], q1: &[f64], v: &mut [f64]) {
        match self {
            Self::Ball => v.copy_from_slice(turn_between(q0, q1).as_slice()),
            Self::Free => {
                for i in 0..3 {
                    v[i] = q1[i] - q0[i];
                }
                v[3..].copy_from_slice(turn_between(&q0[3..], &q1[3..]).as_slice());
            }
            _ => {
                for (v_i, (q0_i, q1_i)) in v.iter_mut().zip(q0.iter().zip(q1)) {
                    *v_i = q1_i - q0_i;
                }
            }
        }
    }
}

/// Turns a quaternion for the time h with the angular velocity w given in the turning frame.
fn turn(quat: &mut [f64], w: &[f64], h: f64) {
    let theta = Vec3::new(w[0], w[1], w[2]) * h;
    let next = (Quat::from_wxyz(quat) * Quat::exp(&theta)).normalized();
    quat.copy_from_slice(&next.to_wxyz());
}

/// The rotation vector, in the turned frame, that leads from one quaternion to the other.
fn turn_between(quat0: &[f64], quat1: &[f64]) -> Vec3 {
    (Quat::from_wxyz(quat0).conjugate() * Quat::from_wxyz(quat1)).log()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const ALL: [Joint; 9] = [
        Joint::Fixed,
        Joint::Revolute,
        Joint::Prismatic,
        Joint::Screw { pitch: 0.3 },
        Joint::Cylindrical,
        Joint::Universal,
        Joint::Ball,
        Joint::Planar,
        Joint::Free,
    ];

    /// A position and a velocity away from all symmetries.
    pub(crate) fn sample(joint: Joint) -> (Vec<f64>, Vec<f64>) {
        let v: Vec<f64> = [0.7, -0.4, 0.9, 0.5, -1.1, 0.3][..joint.nv()].to_vec();
        let mut q = vec![0.0; joint.nq()];
        joint.neutral(&mut q);
        joint.integrate(&mut q, &[0.3, 0.8, -0.6, 0.9, 0.4, -0.7][..joint.nv()], 1.0);
        (q, v)
    }

    fn pose(joint: Joint, q: &[f64]) -> (Pose, Vec<Motion>) {
        let X_PJ =
            Pose::from_parts(Vec3::new(0.1, 0.2, -0.3), Quat::exp(&Vec3::new(0.5, -0.2, 1.0)));
        let mut S = vec![Motion::zero(); joint.nv()];
        (joint.place(&X_PJ, q, &mut S), S)
    }

    fn velocity(S: &[Motion], v: &[f64]) -> Motion {
        S.iter().zip(v).fold(Motion::zero(), |V, (S_i, v_i)| V + *S_i * *v_i)
    }

    #[test]
    fn difference_undoes_integrate() {
        for joint in ALL {
            let (q0, v) = sample(joint);
            let mut q1 = q0.clone();
            joint.integrate(&mut q1, &v, 0.25);
            let mut back = vec![0.0; joint.nv()];
            joint.difference(&q0, &q1, &mut back);
            for (b, v) in back.iter().zip(&v) {
                assert!((b - 0.25 * v).abs() < 1e-15, "{joint:?}");
            }
        }
    }

    #[test]
    fn the_columns_of_S_are_the_derivative_of_the_pose() {
        let h = 1e-5;
        for joint in ALL {
            let (q, v) = sample(joint);
            let (X, S) = pose(joint, &q);
            let at = |t: f64| {
                let mut q = q.clone();
                joint.integrate(&mut q, &v, t);
                pose(joint, &q).0
            };
            let (ahead, behind) = (at(h), at(-h));
            let V = velocity(&S, &v);
            let p_dot = X.R.tr_mul(&((ahead.p - behind.p) / (2.0 * h)));
            let w = X.R.tr_mul(&((ahead.R - behind.R) / (2.0 * h)));
            assert!((p_dot - V.v).amax() < 1e-9, "{joint:?}");
            assert!((w - crate::math::skew(&V.w)).amax() < 1e-9, "{joint:?}");
        }
    }

    #[test]
    fn the_bias_is_the_derivative_of_the_columns() {
        let h = 1e-5;
        for joint in ALL {
            let (q, v) = sample(joint);
            let V_at = |t: f64| {
                let mut q = q.clone();
                joint.integrate(&mut q, &v, t);
                velocity(&pose(joint, &q).1, &v)
            };
            let S = pose(joint, &q).1;
            // on a parent at rest V × S v = V × V = 0
            let bias = joint.bias(&S, &v, &velocity(&S, &v));
            let expected = (V_at(h) - V_at(-h)) * (0.5 / h);
            let error = bias - expected;
            assert!(error.w.amax() < 1e-9 && error.v.amax() < 1e-9, "{joint:?}: {error:?}");
        }
    }
}
