//! One contact on the central path: its three equations, linearized.
//!
//! ```text
//!  p_n u_n = c_n t ,      a s + p_t·u_t = c_f t ,      a u_t + s p_t = 0 ,        a = μ p_n
//! ```
//!
//! Given what the right sides lack, e, and a change du of the velocities, the change of the slip speed s is eliminated by the second one and
//!
//! ```text
//!  B dr + C du = e ,    B = ⎡ u_n                0              ⎤ ,    C = ⎡ p_n       0        ⎤
//!                           ⎣ μ (u_t − s p_t/a)  s − p_t u_tᵀ/a ⎦          ⎣  0   a − p_t p_tᵀ/a ⎦
//! ```

use crate::cone::{Triple, length};
use crate::motion::factor::Block;

/// Impulses, velocities and slip speed of a contact; or a change of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Contact {
    pub(super) r: Triple,
    pub(super) u: Triple,
    pub(super) s: f64,
}

/// What the three equations lack: the normal one, that of the slip speed, and those of the tangents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lack {
    pub(super) normal: f64,
    pub(super) slip: f64,
    pub(super) tangent: [f64; 2],
}

/// Changes of a contact in parts of what it is: of p_n and u_n, and of (a, p_t) and (s, u_t) along and across their cones.
pub(super) type Parts = [f64; 8];

impl Contact {
    /// Inside its cones. NaN is not.
    pub(super) fn is_inside(&self, mu: f64) -> bool {
        let has_friction = || {
            mu * self.r[0] > length(self.r[1], self.r[2]) && self.s > length(self.u[1], self.u[2])
        };
        self.r[0] > 0.0 && self.u[0] > 0.0 && (mu == 0.0 || has_friction())
    }

    pub(super) fn add(&mut self, change: &Self, part: f64) {
        for i in 0..3 {
            self.r[i] += part * change.r[i];
            self.u[i] += part * change.u[i];
        }
        self.s += part * change.s;
    }

    /// What the equations lack at the products `c_n t` and `c_f t`.
    pub(super) fn lack(&self, mu: f64, [normal, slip]: [f64; 2]) -> Lack {
        let (r, u, s, a) = (&self.r, &self.u, self.s, mu * self.r[0]);
        Lack {
            normal: normal - r[0] * u[0],
            slip: slip - (a * s + r[1] * u[1] + r[2] * u[2]),
            tangent: [-(a * u[1] + s * r[1]), -(a * u[2] + s * r[2])],
        }
    }

    /// The part of a change by which it would leave its cones at 1, and more than that across them.
    pub(super) fn parts(&self, mu: f64, change: &Self) -> Parts {
        let (r, u, s) = (&self.r, &self.u, self.s);
        let mut parts = [0.0; 8];
        parts[0] = change.r[0] / r[0];
        parts[1] = change.u[0] / u[0];
        if mu > 0.0 {
            let p =
                in_cone((mu * r[0], [r[1], r[2]]), (mu * change.r[0], [change.r[1], change.r[2]]));
            let v = in_cone((s, [u[1], u[2]]), (change.s, [change.u[1], change.u[2]]));
            parts[2..5].copy_from_slice(&p);
            parts[5..].copy_from_slice(&v);
        }
        parts
    }
}

/// A change of (x₀, x) of the second-order cone in its local norm: of the two eigenvalues x₀ ± ‖x‖, and across.
fn in_cone((x0, x): (f64, [f64; 2]), (d0, d): (f64, [f64; 2])) -> [f64; 3] {
    let size = length(x[0], x[1]);
    let unit = if size > 0.0 { [x[0] / size, x[1] / size] } else { [1.0, 0.0] };
    let along = unit[0] * d[0] + unit[1] * d[1];
    let across = unit[0] * d[1] - unit[1] * d[0];
    let (upper, lower) = (x0 + size, x0 - size);
    [(d0 + along) / upper, (d0 - along) / lower, across / (upper * lower).sqrt()]
}

/// `dr = K e − D du'`, where `du = du' + ε dr`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Linear {
    pub(super) D: Block,
    /// The inverse of `B + C ε`: its first row and column, and the tangents.
    normal: f64,
    turn: [f64; 2],
    tangent: [f64; 4],
    /// p_t/a, and 1/a; zeros without friction.
    lean: [f64; 2],
    per_a: f64,
}

impl Linear {
    pub(super) fn new(contact: &Contact, mu: f64, eps: &Triple) -> Self {
        let (r, u, s, a) = (&contact.r, &contact.u, contact.s, mu * contact.r[0]);
        let normal = 1.0 / (u[0] + r[0] * eps[0]);
        let mut linear = Self { normal, ..Default::default() };
        linear.D[0] = normal * r[0];
        if mu == 0.0 {
            return linear;
        }
        let lean = [r[1] / a, r[2] / a];
        let C = [a - lean[0] * r[1], -lean[0] * r[2], -lean[1] * r[1], a - lean[1] * r[2]];
        let S = [
            s - lean[0] * u[1] + C[0] * eps[1],
            -lean[0] * u[2] + C[1] * eps[2],
            -lean[1] * u[1] + C[2] * eps[1],
            s - lean[1] * u[2] + C[3] * eps[2],
        ];
        let det = S[0] * S[3] - S[1] * S[2];
        let inverse = [S[3] / det, -S[1] / det, -S[2] / det, S[0] / det];
        let lower = [mu * (u[1] - s * lean[0]), mu * (u[2] - s * lean[1])];
        linear.tangent = inverse;
        linear.turn = [
            -(inverse[0] * lower[0] + inverse[1] * lower[1]),
            -(inverse[2] * lower[0] + inverse[3] * lower[1]),
        ];
        (linear.lean, linear.per_a) = (lean, 1.0 / a);
        let dn = linear.D[0];
        linear.D = [
            dn,
            0.0,
            0.0,
            linear.turn[0] * dn,
            inverse[0] * C[0] + inverse[1] * C[2],
            inverse[0] * C[1] + inverse[1] * C[3],
            linear.turn[1] * dn,
            inverse[2] * C[0] + inverse[3] * C[2],
            inverse[2] * C[1] + inverse[3] * C[3],
        ];
        linear
    }

    /// `K e`.
    pub(super) fn answer(&self, lack: &Lack) -> Triple {
        let n = self.normal * lack.normal;
        let t = [
            lack.tangent[0] - self.lean[0] * lack.slip,
            lack.tangent[1] - self.lean[1] * lack.slip,
        ];
        [
            n,
            self.turn[0] * n + self.tangent[0] * t[0] + self.tangent[1] * t[1],
            self.turn[1] * n + self.tangent[2] * t[0] + self.tangent[3] * t[1],
        ]
    }

    /// The change of the slip speed that goes with changes of r and u.
    pub(super) fn slip(&self, at: &Contact, mu: f64, lack: &Lack, change: &Contact) -> f64 {
        let (dr, du) = (&change.r, &change.u);
        let friction = at.r[1] * du[1] + at.r[2] * du[2] + at.u[1] * dr[1] + at.u[2] * dr[2];
        self.per_a * (lack.slip - mu * at.s * dr[0] - friction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// A contact inside its cones, and another one that is a little farther.
    fn contact(seed: u64, mu: f64) -> Contact {
        let mut random = Random::new(seed);
        let mut part = || 0.5 * random.next();
        let (n, v, s) = (1.0 + part(), 1.0 + part(), 1.0 + part());
        let r = [n, mu * n * part(), mu * n * part()];
        Contact { r, u: [v, s * part(), s * part()], s }
    }

    #[test]
    fn a_step_meets_the_linearized_equations() {
        for seed in 0..40 {
            let mu = if seed % 5 == 0 { 0.0 } else { 0.3 + 0.02 * seed as f64 };
            let at = contact(seed, mu);
            assert!(at.is_inside(mu));
            let eps = [0.3, 0.2, 0.2];
            let lack = at.lack(mu, [0.7, 0.4]);
            let linear = Linear::new(&at, mu, &eps);
            let du_free = [0.1, -0.2, 0.3];
            let answer = linear.answer(&lack);
            let mut step = Contact::default();
            for i in 0..3 {
                let pull: f64 = (0..3).map(|j| linear.D[3 * i + j] * du_free[j]).sum();
                step.r[i] = answer[i] - pull;
                step.u[i] = du_free[i] + eps[i] * step.r[i];
            }
            step.s = linear.slip(&at, mu, &lack, &step);
            // what is left is of second order in the step
            let mut size = Vec::new();
            for part in [1e-3, 1e-4] {
                let mut moved = at;
                moved.add(&step, part);
                let left = moved.lack(mu, [0.7, 0.4]);
                let due = (1.0 - part) * lack.normal;
                let mut error = (left.normal - due).abs();
                if mu > 0.0 {
                    error = error.max((left.slip - (1.0 - part) * lack.slip).abs());
                    for i in 0..2 {
                        error = error.max((left.tangent[i] - (1.0 - part) * lack.tangent[i]).abs());
                    }
                }
                size.push(error);
            }
            assert!(size[1] <= 0.02 * size[0] + 1e-12, "{seed}: {size:?}");
        }
    }

    #[test]
    fn parts_say_how_far_the_boundary_is() {
        let mu = 0.5;
        let at = Contact { r: [2.0, 0.6, 0.0], u: [1.0, -0.3, 0.0], s: 0.5 };
        // straight to the boundary of friction: 1 - 0.6 is left
        let change = Contact { r: [0.0, 0.4, 0.0], ..Default::default() };
        let parts = at.parts(mu, &change);
        assert!((parts[3] + 1.0).abs() < 1e-15, "{parts:?}");
        let mut moved = at;
        moved.add(&change, 0.999);
        assert!(moved.is_inside(mu));
        moved.add(&change, 0.002);
        assert!(!moved.is_inside(mu));
        moved.r[0] = f64::NAN;
        assert!(!moved.is_inside(mu) && !moved.is_inside(0.0));
    }
}
