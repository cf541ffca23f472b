//! A model as the header of a recording: names, units, shapes.

use stiction_record::{BodyInfo, Coordinate, Geometry, ShapeInfo};
use stiction_sim::collide::surface;
use stiction_sim::model::{Geom, Shape};
use stiction_sim::{Joint, Model, Pose, Quat, Vec3};

pub(crate) fn bodies(model: &Model) -> Vec<BodyInfo> {
    let info = |body: &stiction_sim::model::Body| BodyInfo {
        name: body.name.clone(),
        mass: body.inertia.mass,
    };
    model.bodies().iter().map(info).collect()
}

/// The geoms of the model, in their order: contacts name them by their places.
pub(crate) fn shapes(model: &Model) -> Vec<ShapeInfo> {
    model.geoms().iter().map(|geom| shape(model, geom)).collect()
}

fn shape(model: &Model, geom: &Geom) -> ShapeInfo {
    // on the body's own frame, in which its poses are recorded
    let X_UG = match geom.at.body {
        Some(body) => model.bodies()[body].X_BU.inverse() * geom.at.X_BF,
        None => geom.at.X_BF,
    };
    ShapeInfo {
        name: if geom.part == 0 {
            geom.name.clone()
        } else {
            format!("{}.{}", geom.name, geom.part)
        },
        body: geom.at.body,
        material: model.materials()[geom.material].name.clone(),
        position: X_UG.p.into(),
        quat_wxyz: Quat::from_matrix(&X_UG.R).to_wxyz(),
        geometry: geometry(&geom.shape),
    }
}

fn geometry(shape: &Shape) -> Geometry {
    let list = |points: &[Vec3]| points.iter().map(|&p| p.into()).collect::<Vec<[f64; 3]>>();
    match shape {
        Shape::HalfSpace => Geometry::HalfSpace,
        Shape::Sphere { radius } => Geometry::Sphere { radius: *radius },
        Shape::Box { half } => Geometry::Box { half: (*half).into() },
        Shape::Ellipsoid { half } => Geometry::Ellipsoid { half: (*half).into() },
        &Shape::Capsule { radius, half_length } => Geometry::Capsule { radius, half_length },
        &Shape::Cylinder { radius, half_length } => Geometry::Cylinder { radius, half_length },
        &Shape::Cone { radius, half_length } => Geometry::Cone { radius, half_length },
        Shape::Points(points) => Geometry::Points { points: list(points) },
        _ => {
            let (vertices, triangles) = surface(shape).unwrap_or_default();
            Geometry::Mesh { vertices: list(&vertices), triangles }
        }
    }
}

/// Names and units of q, and of v.
pub(crate) fn coordinates(model: &Model) -> (Vec<Coordinate>, Vec<Coordinate>) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (i, body) in model.bodies().iter().enumerate() {
        let carrier = model.carrier_name(i);
        let (positions, velocities) = parts(body.joint);
        let name = |part: &str| match part {
            "" => carrier.to_string(),
            part => format!("{carrier}.{part}"),
        };
        let all = |parts: &[(&str, &str)]| {
            let one =
                |&(part, unit): &(&str, &str)| Coordinate { name: name(part), unit: unit.into() };
            parts.iter().map(one).collect::<Vec<_>>()
        };
        q.extend(all(positions));
        v.extend(all(velocities));
    }
    (q, v)
}

type Parts = &'static [(&'static str, &'static str)];

/// What the positions and velocities of a joint are called, and their units; no name: the joint's own.
fn parts(joint: Joint) -> (Parts, Parts) {
    const QUAT: [(&str, &str); 4] = [("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")];
    const SPIN: [(&str, &str); 3] = [("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s")];
    const FREE: [(&str, &str); 7] =
        [("x", "m"), ("y", "m"), ("z", "m"), QUAT[0], QUAT[1], QUAT[2], QUAT[3]];
    const FLIGHT: [(&str, &str); 6] =
        [("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"), SPIN[0], SPIN[1], SPIN[2]];
    match joint {
        Joint::Fixed => (&[], &[]),
        Joint::Revolute | Joint::Screw { .. } => (&[("", "rad")], &[("rate", "rad/s")]),
        Joint::Prismatic => (&[("", "m")], &[("rate", "m/s")]),
        Joint::Cylindrical => {
            (&[("angle", "rad"), ("shift", "m")], &[("angle.rate", "rad/s"), ("shift.rate", "m/s")])
        }
        Joint::Universal => (
            &[("first", "rad"), ("second", "rad")],
            &[("first.rate", "rad/s"), ("second.rate", "rad/s")],
        ),
        Joint::Ball => (&QUAT, &SPIN),
        Joint::Planar => (
            &[("x", "m"), ("y", "m"), ("angle", "rad")],
            &[("vx", "m/s"), ("vy", "m/s"), ("angle.rate", "rad/s")],
        ),
        Joint::Free => (&FREE, &FLIGHT),
    }
}

/// A pose as it is recorded: x, y, z, quaternion.
pub(crate) fn recorded(X: &Pose) -> [f64; 7] {
    let quat = Quat::from_matrix(&X.R).to_wxyz();
    [X.p.x, X.p.y, X.p.z, quat[0], quat[1], quat[2], quat[3]]
}
