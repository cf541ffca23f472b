//! Algebra of the second-order cone `y_0 ≥ ‖y_1‖` that the interior point method needs.
//!
//! Nesterov–Todd scaling of two interior points y, z: a symmetric S with `y = S λ`, `z = S⁻¹ λ`. With
//! `ȳ = y/√det y`, `z̄` likewise, `w = (ȳ + J z̄)/√(2 + 2 ȳ·z̄)` (J flips the tail's sign),
//!
//! ```text
//!  S = √ρ ⎡w_0      w_1ᵀ          ⎤ ,     ρ = √(det y / det z) ,     S⁻² y = z
//!         ⎣w_1  I + w_1w_1ᵀ/(1+w_0)⎦
//! ```
//!
//! Tails of one entry, or none, are padded with zeros.

use super::{Triple, length};

/// `y_0² − ‖y_1‖²` without cancelling twice.
pub(crate) fn det(y: &Triple) -> f64 {
    let tail = length(y[1], y[2]);
    (y[0] - tail) * (y[0] + tail)
}

pub(crate) fn dot(x: &Triple, y: &Triple) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// The Jordan product `(x·y, x_0 y_1 + y_0 x_1)`.
pub(crate) fn product(x: &Triple, y: &Triple) -> Triple {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// x with `product(l, x) = v`.
pub(crate) fn quotient(v: &Triple, l: &Triple) -> Triple {
    let x = (l[0] * v[0] - l[1] * v[1] - l[2] * v[2]) / det(l);
    [x, (v[1] - l[1] * x) / l[0], (v[2] - l[2] * x) / l[0]]
}

/// The largest α ≤ `limit` with `y + α d` in the cone, y inside.
pub(crate) fn step_to_boundary(y: &Triple, d: &Triple, limit: f64) -> f64 {
    // det(y + α d) = c + 2 b α + a α²
    let (a, b, c) = (det(d), y[0] * d[0] - y[1] * d[1] - y[2] * d[2], det(y));
    let mut alpha = limit;
    if d[0] < 0.0 {
        alpha = alpha.min(-y[0] / d[0]);
    }
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        let s = -(b + if b >= 0.0 { discriminant.sqrt() } else { -discriminant.sqrt() });
        for root in [s / a, c / s] {
            if root > 0.0 && root < alpha {
                alpha = root;
            }
        }
    }
    alpha
}

/// The scaling of one contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scaling {
    w: Triple,
    root_rho: f64,
}

impl Scaling {
    /// None if a point is not inside.
    pub(crate) fn new(y: &Triple, z: &Triple) -> Option<Self> {
        let (det_y, det_z) = (det(y), det(z));
        let inside = y[0] > 0.0 && z[0] > 0.0 && det_y > 0.0 && det_z > 0.0;
        if !(inside && det_y.is_finite() && det_z.is_finite()) {
            return None;
        }
        let (root_y, root_z) = (det_y.sqrt(), det_z.sqrt());
        let (y, z) = (y.map(|x| x / root_y), z.map(|x| x / root_z));
        let gamma = (2.0 + 2.0 * dot(&y, &z)).sqrt();
        let tail = [(y[1] - z[1]) / gamma, (y[2] - z[2]) / gamma];
        // det w = 1 by construction; kept so under rounding
        let head = (1.0 + tail[0] * tail[0] + tail[1] * tail[1]).sqrt();
        Some(Self { w: [head, tail[0], tail[1]], root_rho: (root_y / root_z).sqrt() })
    }

    fn root(w: &Triple, x: &Triple) -> Triple {
        let tail = w[1] * x[1] + w[2] * x[2];
        let along = x[0] + tail / (1.0 + w[0]);
        [w[0] * x[0] + tail, x[1] + along * w[1], x[2] + along * w[2]]
    }

    /// `S x`.
    pub(crate) fn apply(&self, x: &Triple) -> Triple {
        Self::root(&self.w, x).map(|x| x * self.root_rho)
    }

    /// `S⁻¹ x`.
    pub(crate) fn apply_inverse(&self, x: &Triple) -> Triple {
        let w = [self.w[0], -self.w[1], -self.w[2]];
        Self::root(&w, x).map(|x| x / self.root_rho)
    }

    /// `S² = ρ (2 w wᵀ − J)`, row by row.
    pub(crate) fn square(&self) -> [f64; 9] {
        let rho = self.root_rho * self.root_rho;
        quadratic(&self.w).map(|x| x * rho)
    }

    /// `S⁻² = (2 (Jw)(Jw)ᵀ − J) / ρ`, row by row.
    pub(crate) fn inverse_square(&self) -> [f64; 9] {
        let rho = self.root_rho * self.root_rho;
        quadratic(&[self.w[0], -self.w[1], -self.w[2]]).map(|x| x / rho)
    }
}

/// `2 w wᵀ − J`, row by row.
fn quadratic(w: &Triple) -> [f64; 9] {
    let J = [1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0];
    std::array::from_fn(|k| 2.0 * w[k / 3] * w[k % 3] - J[k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::block_times;
    use crate::cone::fixtures::Random;

    fn inside(random: &mut Random) -> Triple {
        let tail = [random.signed(), random.signed()];
        [length(tail[0], tail[1]) + 0.1 * random.uniform() + 1e-3, tail[0], tail[1]]
    }

    #[test]
    fn scaling_maps_both_points_to_one() {
        let mut random = Random(11);
        for _ in 0..500 {
            let (y, z) = (inside(&mut random), inside(&mut random));
            let scaling = Scaling::new(&y, &z).unwrap();
            let (a, b) = (scaling.apply_inverse(&y), scaling.apply(&z));
            let c = block_times(&scaling.inverse_square(), &y);
            for i in 0..3 {
                assert!((a[i] - b[i]).abs() < 1e-10 && (c[i] - z[i]).abs() < 1e-9, "{a:?} {b:?}");
            }
            let x = quotient(&product(&a, &z), &a);
            assert!((0..3).all(|i| (x[i] - z[i]).abs() < 1e-9));
        }
        assert!(Scaling::new(&[1.0, 1.0, 0.0], &[1.0, 0.0, 0.0]).is_none());
        assert!(Scaling::new(&[f64::NAN, 1.0, 0.0], &[1.0, 0.0, 0.0]).is_none());
    }

    #[test]
    fn steps_end_on_the_boundary() {
        let mut random = Random(12);
        for _ in 0..500 {
            let y = inside(&mut random);
            let d = [random.signed(), random.signed(), random.signed()];
            let alpha = step_to_boundary(&y, &d, 100.0);
            let end: Triple = std::array::from_fn(|i| y[i] + alpha * d[i]);
            let scale = 1.0 + end[0] * end[0];
            assert!(end[0] > -1e-12 && det(&end) > -1e-10 * scale, "{end:?}");
            assert!(alpha == 100.0 || det(&end) < 1e-8 * scale);
        }
    }
}
