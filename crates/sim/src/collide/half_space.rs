//! Half-spaces against everything that has corners, ends or a centre: `gap = n·(p − p₀) − r` for each of them.

use super::contact::{Touch, Touches};
use crate::math::Vec3;
use crate::model::Shape;
use crate::spatial::Pose;

/// Contacts from the half-space below z = 0 of `X_WH` into a shape. Cylinders and cones have none here.
pub(super) fn contacts(X_WH: &Pose, X_WG: &Pose, shape: &Shape, found: &mut Touches) {
    let plane = Plane::new(X_WH, X_WG);
    match shape {
        Shape::Sphere { radius } => plane.ball(&Vec3::zeros(), *radius, 0, found),
        Shape::Capsule { radius, half_length } => {
            for (end, z) in [-half_length, *half_length].into_iter().enumerate() {
                plane.ball(&Vec3::new(0.0, 0.0, z), *radius, end as u32, found);
            }
        }
        Shape::Box { half } => {
            for corner in 0..8 {
                plane.ball(&corner_of(half, corner), 0.0, corner, found);
            }
        }
        Shape::Points(points) | Shape::Hull(points) | Shape::Mesh { vertices: points, .. } => {
            for (i, p) in points.iter().enumerate() {
                plane.ball(p, 0.0, i as u32, found);
            }
        }
        Shape::HeightField { nx, ny, spacing, heights } => {
            for (i, z) in heights.iter().enumerate() {
                let p = sample(*nx, *ny, spacing, i);
                plane.ball(&Vec3::new(p[0], p[1], *z), 0.0, i as u32, found);
            }
        }
        _ => {}
    }
}

/// Corner of a box; bits 0, 1, 2 of its number say on which side of x, y, z.
pub(super) fn corner_of(half: &Vec3, corner: u32) -> Vec3 {
    Vec3::from_fn(|i, _| if corner >> i & 1 == 1 { half[i] } else { -half[i] })
}

/// Place of a sample of a height field in its plane [m].
pub(super) fn sample(nx: usize, ny: usize, spacing: &[f64; 2], i: usize) -> [f64; 2] {
    let centred = |i: usize, n: usize| i as f64 - 0.5 * (n - 1) as f64;
    [centred(i % nx, nx) * spacing[0], centred(i / nx, ny) * spacing[1]]
}

/// A plane as a shape sees it.
struct Plane<'a> {
    /// Outwards, in the shape's axes.
    n_G: Vec3,
    n_W: Vec3,
    /// Of the shape's origin above the plane [m].
    height: f64,
    X_WG: &'a Pose,
}

impl<'a> Plane<'a> {
    fn new(X_WH: &Pose, X_WG: &'a Pose) -> Self {
        let n_W: Vec3 = X_WH.R.column(2).into();
        let n_G = X_WG.R.tr_mul(&n_W);
        Self { n_G, n_W, height: n_W.dot(&(X_WG.p - X_WH.p)), X_WG }
    }

    /// A ball about `p`, in the shape's frame.
    fn ball(&self, p: &Vec3, radius: f64, feature: u32, found: &mut Touches) {
        let d = self.height + self.n_G.dot(p);
        if !(d - radius <= found.limit) {
            return;
        }
        // surfaces at d and at r below the centre
        let p_W = self.X_WG.point(p) - self.n_W * (0.5 * (d + radius));
        found.add(Touch { feature, p_W, n_W: self.n_W, gap: d - radius });
    }
}
