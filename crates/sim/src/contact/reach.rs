//! How far the shapes of bodies reach, and how fast they can come.

use crate::math::Vec3;
use crate::model::{Model, Shape};
use crate::tree::kinematics::Velocities;

/// The largest speed of a point of a shape [m/s].
pub(super) fn fastest(velocities: &Velocities, reach: &[f64]) -> f64 {
    let speeds = velocities.V.iter().zip(reach).map(|(V, reach)| V.v.norm() + V.w.norm() * reach);
    speeds.fold(0.0, |fastest, speed| if speed > fastest { speed } else { fastest })
}

/// How far the shapes of each body reach from its frame's origin [m].
pub(super) fn reach_of_bodies(model: &Model) -> Vec<f64> {
    let mut reach = vec![0.0; model.bodies.len()];
    for geom in &model.geoms {
        if let Some(body) = geom.at.body {
            let own = geom.at.X_BF.p.norm() + extent(&geom.shape);
            if own > reach[body] {
                reach[body] = own;
            }
        }
    }
    reach
}

/// How far a shape reaches from its own origin [m]; shapes that do not move count as nothing.
fn extent(shape: &Shape) -> f64 {
    let farthest = |points: &[Vec3]| points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half } => half.norm(),
        Shape::Capsule { radius, half_length }
        | Shape::Cylinder { radius, half_length }
        | Shape::Cone { radius, half_length } => radius + half_length,
        Shape::Hull(points) | Shape::Points(points) => farthest(points),
        Shape::Compound(parts) => {
            parts.iter().map(|(p, _, shape)| p.norm() + extent(shape)).fold(0.0, f64::max)
        }
        Shape::HalfSpace | Shape::Mesh { .. } | Shape::HeightField { .. } => 0.0,
    }
}
