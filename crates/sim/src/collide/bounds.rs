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

/// A box in the shape's own axes that contains it, for bounds in any pose. `core` is shrunk by `radius` all around. Of an
/// ellipsoid, `core` is its half axes, and `is_round` says that the corners are not needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) centre: Vec3,
    pub(super) core: Vec3,
    pub(super) radius: f64,
    pub(super) is_round: bool,
}

impl Aabb {
    pub(super) const EMPTY: Self = Self {
        lower: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub(super) fn meets(&self, other: &Self) -> bool {
        // all comparisons at once: which of them fails cannot be foreseen
        let along =
            |i: usize| (self.lower[i] <= other.upper[i]) & (other.lower[i] <= self.upper[i]);
        along(0) & along(1) & along(2)
    }

    /// The largest distance along an axis [m]; negative where they overlap on all.
    pub(super) fn apart(&self, other: &Self) -> f64 {
        let distance =
            |i: usize| (self.lower[i] - other.upper[i]).max(other.lower[i] - self.upper[i]);
        (0..3).map(distance).fold(f64::NEG_INFINITY, f64::max)
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
        let about_origin =
            |core, radius| Self { centre: Vec3::zeros(), core, radius, is_round: false };
        match shape {
            Shape::HalfSpace | Shape::Compound(_) => None,
            Shape::Sphere { radius } => Some(about_origin(Vec3::zeros(), *radius)),
            Shape::Capsule { radius, half_length } => {
                Some(about_origin(Vec3::new(0.0, 0.0, *half_length), *radius))
            }
            Shape::Ellipsoid { half } => Some(Self { is_round: true, ..about_origin(*half, 0.0) }),
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
        Self { centre, core, radius: 0.0, is_round: false }
    }

    /// The bounds in W of the shape in this pose, with `margin` [m] all around.
    pub(super) fn placed(&self, X_WG: &Pose, margin: f64) -> Aabb {
        let centre = X_WG.point(&self.centre);
        let half = match self.is_round {
            // the support of an ellipsoid along each axis of W: |H n|
            true => {
                Vec3::from_fn(|i, _| X_WG.R.row(i).transpose().component_mul(&self.core).norm())
            }
            false => X_WG.R.abs() * self.core,
        };
        let half = half.add_scalar(self.radius + margin);
        let half = half + (centre.abs() + X_WG.p.abs() + half) * ROUNDING;
        Aabb { lower: centre - half, upper: centre + half }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn spheres_that_touch_exactly_have_bounds_that_meet() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let (r, s) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
            let a = Pose::translation(random.between(-1e3, 1e3), 0.0, 0.0);
            let mut b = a;
            b.p.x += r + s;
            let bounds = |radius, X| {
                let shape = Shape::Sphere { radius };
                Extent::of(&shape).expect("bounded").placed(X, 0.0)
            };
            assert!(bounds(r, &a).meets(&bounds(s, &b)), "{r} {s} at {}", a.p.x);
        }
    }

    #[test]
    fn the_bounds_of_an_ellipsoid_touch_it_on_all_sides() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let half = Vec3::from_fn(|_, _| random.between(0.1, 1.0));
            let X = Pose::from_parts(random.vector(1.0), random.quat());
            let bounds = Extent::of(&Shape::Ellipsoid { half }).expect("bounded").placed(&X, 0.0);
            for i in 0..3 {
                let n_G: Vec3 = X.R.row(i).transpose();
                let highest = X.point(&super::super::ellipsoid::support(&half, &n_G));
                let lowest = X.point(&super::super::ellipsoid::support(&half, &-n_G));
                // the bounds are wider by 16 roundings of numbers up to 4
                assert!((bounds.upper[i] - highest[i]).abs() < 2e-14);
                assert!((bounds.lower[i] - lowest[i]).abs() < 2e-14);
            }
        }
    }

    #[test]
    fn every_point_of_a_shape_is_within_its_bounds() {
        let mut random = Random::new(4);
        for _ in 0..200 {
            let (radius, half_length) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
            let half = Vec3::from_fn(|_, _| random.between(0.1, 1.0));
            let points: Vec<Vec3> = (0..6).map(|_| random.vector(1.0)).collect();
            let shapes = [
                Shape::Capsule { radius, half_length },
                Shape::Cylinder { radius, half_length },
                Shape::Cone { radius, half_length },
                Shape::Hull(points.clone()),
                Shape::Ellipsoid { half },
            ];
            let X = Pose::from_parts(random.vector(5.0), random.quat());
            for shape in &shapes {
                let bounds = Extent::of(shape).expect("bounded").placed(&X, 0.0);
                // points of the surface: of the caps, the rims, the vertices
                let round = random.unit() * radius;
                let rim = Vec3::new(round.x, round.y, 0.0).normalize() * radius;
                let end = Vec3::new(0.0, 0.0, half_length);
                let inside = match shape {
                    Shape::Capsule { .. } => vec![end + round, round - end],
                    Shape::Cylinder { .. } => vec![end + rim, rim - end],
                    Shape::Cone { .. } => vec![end, rim - end],
                    Shape::Ellipsoid { .. } => vec![half.component_mul(&random.unit())],
                    _ => points.clone(),
                };
                for p in inside {
                    let p = X.point(&p);
                    assert!(bounds.meets(&Aabb { lower: p, upper: p }), "{shape:?}");
                }
            }
        }
    }
}
