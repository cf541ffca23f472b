//! Half-spaces against everything: `gap = n·(p − p₀) − r` for each corner, end or centre of the other shape.
//!
//! The rim of a cylinder or cone is a circle: its lowest point and those a quarter, half and three quarters of a turn on
//! stand for it. So the gap is exact in every pose, and a cylinder stands on four points and lies on two. Upright, where all
//! points of the rim are equally low, the first is on x. An ellipsoid touches with its lowest point, `−H² n/|H n|`.

use super::contact::{Touch, Touches};
use super::ellipsoid::support;
use super::nearest::direction;
use crate::math::Vec3;
use crate::model::Shape;
use crate::spatial::Pose;

/// Contacts from the half-space below z = 0 of `X_WH` into a shape.
pub(super) fn contacts(X_WH: &Pose, X_WG: &Pose, shape: &Shape, found: &mut Touches) {
    let plane = Plane::new(X_WH, X_WG);
    match shape {
        Shape::Sphere { radius } => plane.ball(&Vec3::zeros(), *radius, 0, found),
        Shape::Capsule { radius, half_length } => {
            for (end, z) in [-half_length, *half_length].into_iter().enumerate() {
                plane.ball(&Vec3::new(0.0, 0.0, z), *radius, end as u32, found);
            }
        }
        Shape::Ellipsoid { half } => plane.ball(&support(half, &-plane.n_G), 0.0, 0, found),
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
        Shape::Cylinder { radius, half_length } => {
            plane.rim(-half_length, *radius, 0, found);
            plane.rim(*half_length, *radius, 4, found);
        }
        Shape::Cone { radius, half_length } => {
            plane.rim(-half_length, *radius, 0, found);
            plane.ball(&Vec3::new(0.0, 0.0, *half_length), 0.0, 4, found);
        }
        Shape::HalfSpace | Shape::Compound(_) => {}
    }
}

/// Corner of a box; bits 0, 1, 2 of its number say on which side of x, y, z.
pub(crate) fn corner_of(half: &Vec3, corner: u32) -> Vec3 {
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

    /// Four points of the circle about z at this height, the lowest one first.
    fn rim(&self, z: f64, radius: f64, first: u32, found: &mut Touches) {
        let down = direction(&Vec3::new(-self.n_G.x, -self.n_G.y, 0.0));
        let (x, y) = down.map_or((radius, 0.0), |(down, _)| (radius * down.x, radius * down.y));
        for (i, (x, y)) in [(x, y), (-y, x), (-x, -y), (y, -x)].into_iter().enumerate() {
            self.ball(&Vec3::new(x, y, z), 0.0, first + i as u32, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn on_ground(shape: &Shape, height: f64, theta: [f64; 3], limit: f64) -> Vec<(u32, f64)> {
        let mut found = Touches { limit, list: Vec::new() };
        let X = Pose::from_parts(Vec3::new(7.0, -2.0, height), Quat::exp(&Vec3::from(theta)));
        contacts(&Pose::identity(), &X, shape, &mut found);
        assert!(found.list.iter().all(|touch| touch.n_W == Vec3::z()));
        let height = |touch: &Touch| (touch.p_W.z - 0.5 * touch.gap).abs();
        assert!(found.list.iter().all(|touch| height(touch) < 1e-15), "on the plane");
        found.list.iter().map(|touch| (touch.feature, touch.gap)).collect()
    }

    const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_cylinder_stands_on_four_points_lies_on_two_and_tips_over_one() {
        let cylinder = Shape::Cylinder { radius: 0.5, half_length: 2.0 };
        let standing = on_ground(&cylinder, 2.0, [0.0; 3], 0.0);
        assert_eq!(standing, [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0)]);
        let lying = on_ground(&cylinder, 0.625, [0.0, QUARTER, 0.0], 0.25);
        assert_eq!(lying.iter().map(|contact| contact.0).collect::<Vec<_>>(), [0, 4]);
        assert!(lying.iter().all(|contact| (contact.1 - 0.125).abs() < 1e-15), "{lying:?}");
        // tilted by θ about any direction across z: the lowest point is at −l cos θ − r sin θ
        for (x, y) in [(0.6, 0.0), (0.0, -0.6), (0.36, 0.48)] {
            let tipping = on_ground(&cylinder, 2.0, [x, y, 0.0], 0.0);
            let lowest = 2.0 - 2.0 * 0.6_f64.cos() - 0.5 * 0.6_f64.sin();
            assert_eq!(tipping.len(), 0, "{tipping:?}");
            let tipping = on_ground(&cylinder, 2.0, [x, y, 0.0], 0.1);
            assert_eq!(tipping.len(), 1);
            assert!(tipping[0].0 == 0 && (tipping[0].1 - lowest).abs() < 1e-15, "{tipping:?}");
        }
    }

    #[test]
    fn a_cone_stands_on_its_base_and_on_its_tip() {
        let cone = Shape::Cone { radius: 0.5, half_length: 1.0 };
        assert_eq!(on_ground(&cone, 1.0, [0.0; 3], 0.0).len(), 4);
        let on_tip = on_ground(&cone, 1.25, [2.0 * QUARTER, 0.0, 0.0], 0.5);
        assert_eq!(on_tip.len(), 1);
        assert!(on_tip[0].0 == 4 && (on_tip[0].1 - 0.25).abs() < 1e-15, "{on_tip:?}");
    }
}
