//! Masses that are far apart, moments of inertia that no such body has.

use stiction_sim::model::{Body, Shape};

use super::{Built, Remark};

/// From which ratio of two masses on there is a remark: 512 of a common test is none.
const RATIO: f64 = 1e4;
/// How much more inertia than all mass at its farthest point a body may have before there is a remark.
const SLACK: f64 = 1.5;

/// The heaviest and the lightest body that can meet.
pub(super) fn ratios(built: &Built<'_>) -> Vec<Remark> {
    let bodies = built.model.bodies();
    let by_mass = |a: &&Body, b: &&Body| a.inertia.mass.total_cmp(&b.inertia.mass);
    let (Some(light), Some(heavy)) = (bodies.iter().min_by(by_mass), bodies.iter().max_by(by_mass))
    else {
        return Vec::new();
    };
    let ratio = heavy.inertia.mass / light.inertia.mass;
    if !(ratio > RATIO) {
        return Vec::new();
    }
    vec![Remark {
        lint: "mass-ratio",
        what: format!("`{}` is {ratio:.1e} times as heavy as `{}`", heavy.name, light.name),
        hint: "certificates cost digits there: expect more iterations, or ask for a larger solver.tol",
    }]
}

/// Bodies with more inertia than their mass could have at the farthest point of their shapes.
pub(super) fn inertias(built: &Built<'_>) -> Vec<Remark> {
    let model = built.model;
    let mut remarks = Vec::new();
    for (i, body) in model.bodies().iter().enumerate() {
        let centre = body.X_BU.point(&body.inertia.com);
        let mut reach = 0.0_f64;
        let own = model.geoms().iter().filter(|geom| geom.at.body == Some(i));
        for geom in own {
            let Some(radius) = radius(&geom.shape) else { continue };
            reach = reach.max((geom.at.X_BF.p - centre).norm() + radius);
        }
        let (moments, _) = body.inertia.principal_axes();
        let most = body.inertia.mass * reach * reach;
        let largest = moments.iter().fold(0.0_f64, |m, x| m.max(*x));
        if reach > 0.0 && largest > SLACK * most {
            remarks.push(Remark {
                lint: "inertia",
                what: format!(
                    "body `{}` has a moment of inertia of {largest:.3e} kg·m², more than its mass at the farthest point of its shapes, {most:.3e}",
                    body.name
                ),
                hint: "leave `inertia` out, and it is that of the shapes; or check its units",
            });
        }
    }
    remarks
}

/// Of the ball about the origin of the shape that contains it [m].
pub(super) fn radius(shape: &Shape) -> Option<f64> {
    let farthest =
        |points: &[stiction_sim::Vec3]| points.iter().fold(0.0_f64, |r, p| r.max(p.norm()));
    match shape {
        Shape::Sphere { radius } => Some(*radius),
        Shape::Box { half } => Some(half.norm()),
        Shape::Ellipsoid { half } => Some(half.amax()),
        Shape::Capsule { radius, half_length } => Some(radius + half_length),
        Shape::Cylinder { radius, half_length } | Shape::Cone { radius, half_length } => {
            Some(radius.hypot(*half_length))
        }
        Shape::Hull(points) | Shape::Points(points) => Some(farthest(points)),
        _ => None,
    }
}
