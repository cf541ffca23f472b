//! Conventions of other programs: quaternions and the velocity of a free joint.
//!
//! | program | quaternion | velocity of a free body |
//! |---|---|---|
//! | here | w, x, y, z | velocity of Bo in W, angular velocity in B |
//! | MuJoCo | w, x, y, z | the same |
//! | Pinocchio | x, y, z, w | velocity of Bo in B, angular velocity in B |
//! | Drake | w, x, y, z | angular velocity in W, velocity of Bo in W |
//!
//! B is the frame that the joint leaves on the body: the body's own frame, unless the joint states another
//! one. W is the world, or the frame on the parent of a free joint between bodies.
//! Units: m/s and rad/s.

use crate::math::{Quat, Vec3};

/// From the order x, y, z, w.
pub fn quat_from_xyzw(q: &[f64; 4]) -> Quat {
    Quat { w: q[3], x: q[0], y: q[1], z: q[2] }
}

/// In the order x, y, z, w.
pub fn quat_to_xyzw(q: Quat) -> [f64; 4] {
    [q.x, q.y, q.z, q.w]
}

/// Ours of MuJoCo's: the same numbers.
pub fn velocity_from_mujoco(v: &[f64; 6]) -> [f64; 6] {
    *v
}

/// MuJoCo's of ours: the same numbers.
pub fn velocity_to_mujoco(v: &[f64; 6]) -> [f64; 6] {
    *v
}

/// Ours of Pinocchio's, for a body with the orientation `quat_WB` (of unit length).
pub fn velocity_from_pinocchio(quat_WB: Quat, v: &[f64; 6]) -> [f64; 6] {
    let (v_B, w_B) = halves(v);
    joined(&(quat_WB.to_matrix() * v_B), &w_B)
}

/// Pinocchio's of ours, for a body with the orientation `quat_WB` (of unit length).
pub fn velocity_to_pinocchio(quat_WB: Quat, v: &[f64; 6]) -> [f64; 6] {
    let (v_W, w_B) = halves(v);
    joined(&quat_WB.to_matrix().tr_mul(&v_W), &w_B)
}

/// Ours of Drake's, for a body with the orientation `quat_WB` (of unit length).
pub fn velocity_from_drake(quat_WB: Quat, v: &[f64; 6]) -> [f64; 6] {
    let (w_W, v_W) = halves(v);
    joined(&v_W, &quat_WB.to_matrix().tr_mul(&w_W))
}

/// Drake's of ours, for a body with the orientation `quat_WB` (of unit length).
pub fn velocity_to_drake(quat_WB: Quat, v: &[f64; 6]) -> [f64; 6] {
    let (v_W, w_B) = halves(v);
    joined(&(quat_WB.to_matrix() * w_B), &v_W)
}

fn halves(v: &[f64; 6]) -> (Vec3, Vec3) {
    (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
}

fn joined(a: &Vec3, b: &Vec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_quaternion_turns_around_and_back() {
        let q = Quat { w: 0.1, x: 0.2, y: 0.3, z: 0.4 };
        assert_eq!(quat_to_xyzw(q), [0.2, 0.3, 0.4, 0.1]);
        assert_eq!(quat_from_xyzw(&quat_to_xyzw(q)), q);
    }

    #[test]
    fn a_quarter_turn_about_z_moves_components_as_one_expects() {
        // B's x axis is W's y axis; along W's x at 1 m/s, turning about B's x at 2 rad/s
        let quat = Quat::exp(&Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
        let v = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        let close = |a: [f64; 6], b: [f64; 6]| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(close(velocity_to_pinocchio(quat, &v), [0.0, -1.0, 0.0, 2.0, 0.0, 0.0]));
        assert!(close(velocity_to_drake(quat, &v), [0.0, 2.0, 0.0, 1.0, 0.0, 0.0]));
        assert_eq!(velocity_to_mujoco(&v), v);
    }
}
