//! How far the shapes of bodies reach, and how fast they can come.

use crate::math::Vec3;
use crate::model::{Model, Shape};
use crate::tree::kinematics::{Kinematics, Velocities};

#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// How far the shapes of each body reach from its frame's origin [m]; None for a body without.
    of_body: Vec<Option<f64>>,
    /// The first body with a shape, unless the world has one too.
    first: Option<usize>,
}

impl Reach {
    pub(super) fn new(model: &Model) -> Self {
        let mut of_body: Vec<Option<f64>> = vec![None; model.bodies.len()];
        for geom in &model.geoms {
            if let Some(body) = geom.at.body {
                let own = geom.at.X_BF.p.norm() + extent(&geom.shape);
                of_body[body] = Some(of_body[body].map_or(own, |others| others.max(own)));
            }
        }
        let all_move = model.geoms.iter().all(|geom| geom.at.body.is_some());
        let first = of_body.iter().position(Option::is_some).filter(|_| all_move);
        Self { of_body, first }
    }

    /// How far a shape reaches from the origin of its body, at most [m].
    pub(crate) fn largest(&self) -> f64 {
        self.of_body.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// How far the shapes of a body reach from its origin [m].
    pub(crate) fn of(&self, body: usize) -> f64 {
        self.of_body[body].unwrap_or(0.0)
    }

    /// The velocity of a body's origin in W, where all shapes move against the first of them, and by how much turning makes points of
    /// its shapes faster at most [m/s]; zeros for a body without shapes.
    pub(super) fn speeds(
        &self,
        body: usize,
        kin: &Kinematics,
        velocities: &Velocities,
    ) -> (Vec3, f64) {
        let Some(reach) = self.of_body[body] else { return (Vec3::zeros(), 0.0) };
        let v_W = |body: usize| kin.X_WB[body].R * velocities.V[body].v;
        let v_0 = self.first.map_or_else(Vec3::zeros, v_W);
        (v_W(body) - v_0, velocities.V[body].w.norm() * reach)
    }

    /// The largest speed of a point of a shape [m/s]; where all shapes move, against the first of them, so that who moves
    /// along sees the same.
    pub(crate) fn fastest(&self, kin: &Kinematics, velocities: &Velocities) -> f64 {
        let v_W = |body: usize| kin.X_WB[body].R * velocities.V[body].v;
        let v_0 = self.first.map_or_else(Vec3::zeros, v_W);
        let mut fastest = 0.0;
        for (body, reach) in self.of_body.iter().enumerate() {
            let Some(reach) = reach else { continue };
            let speed = (v_W(body) - v_0).norm() + velocities.V[body].w.norm() * reach;
            if speed > fastest {
                fastest = speed;
            }
        }
        fastest
    }
}

impl Reach {
    /// The largest speed of a point of each body's shapes [m/s], where it is more than what is there; of bodies that have some.
    pub(super) fn raise_speeds(
        &self,
        kin: &Kinematics,
        velocities: &Velocities,
        speed: &mut [f64],
    ) {
        for (body, reach) in self.of_body.iter().enumerate() {
            let Some(reach) = reach else { continue };
            let V = &velocities.V[body];
            let own = (kin.X_WB[body].R * V.v).norm() + V.w.norm() * reach;
            // a NaN is the fastest
            if !(own <= speed[body]) {
                speed[body] = own;
            }
        }
    }
}

/// How far a shape reaches from its own origin [m]; shapes that do not move count as nothing.
fn extent(shape: &Shape) -> f64 {
    let farthest = |points: &[Vec3]| points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half } => half.norm(),
        Shape::Ellipsoid { half } => half.max(),
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
