//! The woodpecker once more, written out in its three coordinates (height, angle of the sleeve, angle of the bird) and moved by Moreau's
//! step: slow and obvious, and nothing in common with the library.
//!
//! ```text
//!  q_m = q + h/2 u,   M (u⁺ − u) = h f + Σ W p,   q⁺ = q_m + h/2 u⁺          rows W of what overlaps at q_m
//!  u_n⁺ + e u_n ≥ 0 ⟂ p_n ≥ 0,    |p_t| ≤ μ p_n, p_t against u_t⁺            [Mor88], by sweeps over the contacts
//! ```

use super::woodpecker::{C, E, H_M, H_S, J_M, J_S, L_G, L_M, L_S, M_M, M_S, MU, R_0, R_M, START};
use stiction_sim::{Mat3, Vec3};

const GRAVITY: f64 = 9.81; // m/s²

/// Gap [m] and rows along the normal and up the pole.
struct Touch {
    gap: f64,
    n: Vec3,
    t: Vec3,
    e: f64,
}

/// A point at (x, z) of a body that turns by `angle`, coordinate i, about a place at x_0 that moves as J_x, J_z say.
fn touch(
    (x, z): (f64, f64),
    (i, angle): (usize, f64),
    (x_0, J_x, J_z): (f64, Vec3, Vec3),
    e: f64,
) -> Touch {
    let (s, c) = angle.sin_cos();
    let (mut n, mut t) = (J_x, J_z);
    n[i] -= x * s + z * c;
    t[i] += x * c - z * s;
    Touch { gap: x_0 + x * c - z * s - R_0, n, t, e }
}

fn touches(q: &Vec3) -> [Touch; 3] {
    let up = Vec3::x();
    let (s, c) = q.y.sin_cos();
    let sleeve = (0.0, Vec3::zeros(), up);
    let spring = (L_M * c, Vec3::new(0.0, -L_M * s, 0.0), up + Vec3::new(0.0, L_M * c, 0.0));
    [
        touch((R_M, -H_M), (1, q.y), sleeve, 0.0),
        touch((R_M, H_M), (1, q.y), sleeve, 0.0),
        touch((L_G - L_S, H_S), (2, q.z), spring, E),
    ]
}

/// Mass matrix and forces.
fn dynamics(q: &Vec3, u: &Vec3) -> (Mat3, Vec3) {
    let ((s_M, c_M), (s_S, c_S)) = (q.y.sin_cos(), q.z.sin_cos());
    let J_x = Vec3::new(0.0, -L_M * s_M, -L_G * s_S);
    let J_z = Vec3::new(1.0, L_M * c_M, L_G * c_S);
    let (w_M, w_S) = (u.y * u.y, u.z * u.z);
    let (a_x, a_z) = (-L_M * c_M * w_M - L_G * c_S * w_S, -L_M * s_M * w_M - L_G * s_S * w_S);
    let M = M_S * (J_x * J_x.transpose() + J_z * J_z.transpose())
        + Mat3::from_diagonal(&Vec3::new(M_M, J_M, J_S));
    let coil = C * (q.z - q.y);
    let f = Vec3::new(-M_M * GRAVITY, coil, -coil) - M_S * (J_x * a_x + J_z * (a_z + GRAVITY));
    (M, f)
}

/// u⁺ with the contacts that overlap.
fn pushed(M: &Mat3, u: &Vec3, free: Vec3, touches: &[Touch]) -> Vec3 {
    let M_inv = M.try_inverse().expect("masses");
    let mut v = free;
    let mut p = vec![(0.0, 0.0); touches.len()];
    for _ in 0..500 {
        let before = v;
        for (touch, (p_n, p_t)) in touches.iter().zip(&mut p) {
            let bounce = touch.e * touch.n.dot(u).min(0.0);
            let next =
                (*p_n - (touch.n.dot(&v) + bounce) / touch.n.dot(&(M_inv * touch.n))).max(0.0);
            v += M_inv * touch.n * (next - *p_n);
            *p_n = next;
            let next = *p_t - touch.t.dot(&v) / touch.t.dot(&(M_inv * touch.t));
            let next = next.clamp(-MU * *p_n, MU * *p_n);
            v += M_inv * touch.t * (next - *p_t);
            *p_t = next;
        }
        if (v - before).amax() <= 1e-13 * v.amax() {
            break;
        }
    }
    v
}

/// Where the beak hit: time [s] and height [m].
pub(super) fn pecks(h: f64, time: f64) -> Vec<(f64, f64)> {
    let (q, u) = START;
    // the bend of the spring is the bird's angle against the sleeve's
    let (mut q, mut u) = (Vec3::new(q[0], q[1], q[1] + q[2]), Vec3::new(u[0], u[1], u[1] + u[2]));
    let mut pecks = Vec::new();
    for i in 0..(time / h).round() as usize {
        let q_m = q + u * (0.5 * h);
        let (M, f) = dynamics(&q_m, &u);
        let free = u + M.try_inverse().expect("masses") * f * h;
        let near = touches(&q_m);
        let beak = near[2].n;
        let near: Vec<Touch> = near.into_iter().filter(|touch| touch.gap <= 0.0).collect();
        let next = pushed(&M, &u, free, &near);
        // it comes at 0.3 m/s and leaves at half of that
        if beak.dot(&u) < -0.05 && beak.dot(&next) > 0.01 {
            pecks.push((h * i as f64, q_m.x));
        }
        (q, u) = (q_m + next * (0.5 * h), next);
    }
    pecks
}
