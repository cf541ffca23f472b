//! Boxes along the world's axes that contain a shape and its margin.

use super::half_space::sample;
use crate::math::Vec3;
use crate::model::Shape;
use crate::spatial::Pose;

/// The bounds are computed with a few roundings of numbers as large as the corners: this share of them more, and a
/// pair at exactly its limit is not lost.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// From `lower` to `upper` [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aabb {
    pub(super) lower: Vec3,
    pub(super) upper: Vec3,
}

/// A box in the shape's own axes that contains it, for bounds in any pose. `core` is shrunk by `radius` all around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) centre: Vec3,
    pub(super) core: Vec3,
    pub(super) radius: f64,
}

impl Aabb {
    pub(super) const EMPTY: Self = Self {
        lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..3).all(|i| self.lower[i] <= other.upper[i] && other.lower[i] <= self.upper[i])
    }

    pub(super) fn joined(&self, other: &Self) -> Self {
        // f64::min and max pass over a NaN: one lost shape does not hide the others
        let (lower, upper) = (&self.lower, &self.upper);
        Self {
            lower: lower.zip_map(&other.lower, f64::min),
            upper: upper.zip_map(&other.upper, f64::max),
        }
    }
}

impl Extent {
    /// None: a half-space, which has no bounds.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let about_origin = |core: Vec3, radius: f64| Self { centre: Vec3::zeros(), core, radius };
        match shape {
            Shape::HalfSpace | Shape::Compound(_) => None,
            Shape::Sphere { radius } => Some(about_origin(Vec3::zeros(), *radius)),
            Shape::Capsule { radius, half_length } => {
                Some(about_origin(Vec3::new(0.0, 0.0, *half_length), *radius))
            }
            Shape::Box { half } => Some(about_origin(*half, 0.0)),
            Shape::Cylinder { radius, half_length } | Shape::Cone { radius, half_length } => {
                Some(about_origin(Vec3::new(*radius, *radius, *half_length), 0.0))
            }
            Shape::Hull(points) | Shape::Points(points) | Shape::Mesh { vertices: points, .. } => {
                Some(Self::of_points(points.iter().copied()))
            }
            Shape::HeightField { nx, ny, spacing, heights } => {
                let point = |(i, z): (usize, &f64)| {
                    let [x, y] = sample(*nx, *ny, spacing, i);
                    Vec3::new(x, y, *z)
                };
                Some(Self::of_points(heights.iter().enumerate().map(point)))
            }
        }
    }

    fn of_points(points: impl Iterator<Item = Vec3>) -> Self {
        let mut aabb = Aabb::EMPTY;
        for p in points {
            aabb = aabb.joined(&Aabb { lower: p, upper: p });
        }
        let (centre, core) = (0.5 * (aabb.lower + aabb.upper), 0.5 * (aabb.upper - aabb.lower));
        Self { centre, core, radius: 0.0 }
    }

    /// The bounds in W of the shape in this pose, with `margin` [m] all around.
    pub(super) fn placed(&self, X_WG: &Pose, margin: f64) -> Aabb {
        let centre = X_WG.point(&self.centre);
        let half = (X_WG.R.abs() * self.core).add_scalar(self.radius + margin);
        let half = half + (centre.abs() + X_WG.p.abs() + half) * ROUNDING;
        Aabb { lower: centre - half, upper: centre + half }
    }
}
