//! The nearest point on a shape's surface to a given point; so contacts of spheres and of points, which are
//! spheres of radius zero.
//!
//! ```text
//!  c ∈ solid:  d = −(distance to the surface)          outside:  d = distance
//!  gap of a sphere of radius r about c:  d − r
//! ```

use super::contact::{Touch, Touches};
use super::ellipsoid;
use crate::math::Vec3;
use crate::model::Shape;
use crate::spatial::Pose;

/// Between these, the sum of three squares has all its digits: no square overflows or is denormal.
const SAFE_SQUARE: std::ops::Range<f64> = 1e-280..1e280;

/// Signed distance of a point to a surface [m], and the direction in which it grows, of unit length: outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub(super) d: f64,
    pub(super) n: Vec3,
}

/// Direction and length of a vector. None if it is zero (or NaN).
pub(super) fn direction(a: &Vec3) -> Option<(Vec3, f64)> {
    let square = a.norm_squared();
    if SAFE_SQUARE.contains(&square) {
        let length = square.sqrt();
        return Some((a / length, length));
    }
    let size = a.amax();
    if !(size > 0.0) {
        return None;
    }
    let scaled = a / size;
    let length = scaled.norm();
    Some((scaled / length, size * length))
}

/// Of a ball about the origin. Its centre counts as below the top (z).
pub(super) fn of_sphere(radius: f64, p: &Vec3) -> Nearest {
    match direction(p) {
        Some((n, length)) => Nearest { d: length - radius, n },
        None => Nearest { d: -radius, n: Vec3::z() },
    }
}

/// Of a capsule along z. A point of its segment counts as below the side (x).
pub(super) fn of_capsule(radius: f64, half_length: f64, p: &Vec3) -> Nearest {
    let on_segment = p.z.clamp(-half_length, half_length);
    match direction(&Vec3::new(p.x, p.y, p.z - on_segment)) {
        Some((n, length)) => Nearest { d: length - radius, n },
        None => Nearest { d: -radius, n: Vec3::x() },
    }
}

/// Of a box about the origin. Inside, the nearest face counts; among equally near ones that of the first axis, on
/// its positive side in the middle.
pub(super) fn of_box(half: &Vec3, p: &Vec3) -> Nearest {
    let outside = Vec3::from_fn(|i, _| p[i] - p[i].clamp(-half[i], half[i]));
    if let Some((n, d)) = direction(&outside) {
        return Nearest { d, n };
    }
    let height = p.abs() - half;
    let i = height.imax();
    let mut n = Vec3::zeros();
    n[i] = if p[i] < 0.0 { -1.0 } else { 1.0 };
    Nearest { d: height[i], n }
}

/// The contact of a ball about `c_W` with a shape for which there is a closed form. From the ball into the shape.
pub(super) fn ball(
    c_W: &Vec3,
    radius: f64,
    feature: u32,
    (X_WG, shape): (&Pose, &Shape),
    found: &mut Touches,
) {
    let p = X_WG.R.tr_mul(&(c_W - X_WG.p));
    let Nearest { d, n } = match shape {
        Shape::Sphere { radius } => of_sphere(*radius, &p),
        Shape::Capsule { radius, half_length } => of_capsule(*radius, *half_length, &p),
        Shape::Box { half } => of_box(half, &p),
        Shape::Ellipsoid { half } => ellipsoid::nearest(half, &p),
        _ => return,
    };
    let n_W = X_WG.R * n;
    // surfaces at d and at r below the centre
    let p_W = c_W - n_W * (0.5 * (d + radius));
    found.add(Touch { feature, p_W, n_W: -n_W, gap: d - radius });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_has_unit_length_at_every_size() {
        for size in [1e-310, 1e-200, 1e-150, 1e-5, 1.0, 1e150, 1e300] {
            let (n, length) = direction(&(Vec3::new(2.0, -1.0, 2.0) * size)).expect("not zero");
            assert!((n.norm() - 1.0).abs() < 1e-15, "{size:e}: {n}");
            assert!((length / (3.0 * size) - 1.0).abs() < 1e-13, "{size:e}: {length:e}");
        }
        assert_eq!(direction(&Vec3::zeros()), None);
        assert_eq!(direction(&Vec3::new(f64::NAN, 0.0, 0.0)), None);
    }

    #[test]
    fn distances_to_a_box_are_those_to_face_edge_and_corner() {
        let half = Vec3::new(1.0, 2.0, 3.0);
        let d = |x, y, z| of_box(&half, &Vec3::new(x, y, z));
        assert_eq!(d(0.5, 0.0, 5.0), Nearest { d: 2.0, n: Vec3::z() });
        let edge = d(-4.0, 6.0, 1.0);
        assert!(
            (edge.d - 5.0).abs() < 1e-15 && (edge.n - Vec3::new(-0.6, 0.8, 0.0)).amax() < 1e-15
        );
        let corner = d(2.0, 4.0, 5.0);
        assert!((corner.d - 3.0).abs() < 1e-15);
        // inside, on the surface, in the middle
        assert_eq!(d(-0.75, 0.0, 0.0), Nearest { d: -0.25, n: -Vec3::x() });
        assert_eq!(d(0.0, -2.0, 0.0), Nearest { d: 0.0, n: -Vec3::y() });
        assert_eq!(d(0.0, 0.0, 0.0), Nearest { d: -1.0, n: Vec3::x() });
        assert_eq!(d(1.0, 2.0, 3.0), Nearest { d: 0.0, n: Vec3::x() });
    }

    #[test]
    fn distances_to_a_capsule_are_those_to_side_and_caps() {
        let d = |x, y, z| of_capsule(0.5, 2.0, &Vec3::new(x, y, z));
        assert_eq!(d(0.0, -2.0, 1.0), Nearest { d: 1.5, n: -Vec3::y() });
        let cap = d(3.0, 0.0, -6.0);
        assert!((cap.d - 4.5).abs() < 1e-15 && (cap.n - Vec3::new(0.6, 0.0, -0.8)).amax() < 1e-15);
        assert_eq!(d(0.0, 0.0, 1.0), Nearest { d: -0.5, n: Vec3::x() });
    }
}
