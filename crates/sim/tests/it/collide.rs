//! Contacts of shapes, from outside: closed forms, symmetries, and all pairs against an independent library.

mod boxes;
mod closed_form;
mod cross_check;
mod crowd;
mod degenerate;
mod ellipsoid;
mod others;
mod random;
mod refusals;
mod symmetry;

use stiction_sim::collide::{Collider, Contact};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Inertia, ModelSpec, Pose, Quat, Vec3};

/// All contacts of shapes on bodies of their own, at these poses.
pub(crate) fn detect(shapes: &[(Shape, Pose)], horizon: f64) -> Vec<Contact> {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    for (i, (shape, _)) in shapes.iter().enumerate() {
        let body = format!("body {i}");
        spec.body(&body, Inertia::principal(1.0, [1.0; 3]));
        spec.shape(&format!("shape {i}"), FrameSpec::of(&body), shape.clone(), "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("free bodies");
    let mut data = Data::new(&model);
    let mut kin = {
        kinematics::update_positions(&model, &model.state().q, &mut data);
        data.positions().clone()
    };
    for (X_WB, (_, X)) in kin.X_WB.iter_mut().zip(shapes) {
        *X_WB = *X;
    }
    let mut contacts = Vec::new();
    Collider::new(&model).detect(&model, &kin, horizon, &mut contacts);
    contacts
}

/// The contacts from a into b.
pub(crate) fn pair(a: (Shape, Pose), b: (Shape, Pose), horizon: f64) -> Vec<Contact> {
    detect(&[a, b], horizon)
}

pub(crate) fn sphere(radius: f64) -> Shape {
    Shape::Sphere { radius }
}

pub(crate) fn capsule(radius: f64, half_length: f64) -> Shape {
    Shape::Capsule { radius, half_length }
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

/// At a place, turned by |θ| about θ.
pub(crate) fn turned(x: f64, y: f64, z: f64, theta: [f64; 3]) -> Pose {
    Pose::from_parts(Vec3::new(x, y, z), Quat::exp(&Vec3::from(theta)))
}

#[track_caller]
pub(crate) fn assert_close(contact: &Contact, p: [f64; 3], n: [f64; 3], gap: f64) {
    let near = |a: &Vec3, b: [f64; 3]| (a - Vec3::from(b)).amax() < 1e-14;
    assert!(near(&contact.p_W, p), "at {} and not at {p:?}", contact.p_W);
    assert!(near(&contact.n_W, n), "along {} and not {n:?}", contact.n_W);
    assert!((contact.gap - gap).abs() < 1e-14, "a gap of {} and not {gap}", contact.gap);
}
