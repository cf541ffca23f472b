//! Three articulated systems that touch each other at four places, as in figure 1b of [DART].
//!
//! ```text
//!  contact   1   2   3   4         eq. 7: the lower number takes +Jᵀ, the higher −Jᵀ
//!  systems  1,3 1,2 2,3 2,3
//! ```
//!
//! Where all joints are neutral every body's frame is the world's, so that everything is stated in the world.

use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{Coordinates, Inertia, Model, ModelError, ModelSpec, Vec3};

pub(super) const MU: f64 = 0.5;
/// Of the tips [m], and how deep they lie in each other: touching, and safely not apart.
const RADIUS: f64 = 0.05;
const DEPTH: f64 = 1e-6;

/// Two bodies that touch at a point, n from A into B.
struct Touch {
    a: &'static str,
    b: &'static str,
    p_W: [f64; 3],
    n_W: [f64; 3],
}

/// Which two systems each contact is between, the second against n.
pub(super) const BETWEEN: [[usize; 2]; 4] = [[1, 3], [1, 2], [2, 3], [2, 3]];

const TOUCHES: [Touch; 4] = [
    Touch { a: "3 arm", b: "1 left", p_W: [-0.5, 0.1, 0.5], n_W: [0.2, -0.1, 1.0] },
    Touch { a: "2 arm", b: "1 right", p_W: [0.0, 0.05, 1.1], n_W: [-1.0, 0.2, 0.1] },
    Touch { a: "3 plate", b: "2 left leg", p_W: [0.45, 0.25, 0.5], n_W: [0.1, 0.1, 1.0] },
    Touch { a: "3 trunk", b: "2 right leg", p_W: [0.5, -0.3, 0.45], n_W: [-0.2, 0.1, 1.0] },
];

/// 20 velocities: two free trunks with two and three limbs, and a branching chain on the world.
pub(super) fn model() -> Result<Model, ModelError> {
    let mut spec = ModelSpec::new();
    let body = |spec: &mut ModelSpec, name: &str, mass: f64, com: [f64; 3], size: f64| {
        let moments = [0.9, 1.0, 0.6].map(|share| share * mass * size * size);
        let com = Vec3::from(com);
        spec.body(name, Inertia { com, ..Inertia::principal(mass, moments) });
    };
    body(&mut spec, "1 trunk", 4.0, [-0.5, 0.0, 1.2], 0.2);
    body(&mut spec, "1 left", 1.0, [-0.5, 0.1, 0.8], 0.2);
    body(&mut spec, "1 right", 0.7, [-0.2, 0.0, 1.1], 0.15);
    body(&mut spec, "2 trunk", 6.0, [0.5, 0.0, 1.0], 0.25);
    body(&mut spec, "2 arm", 0.8, [0.2, 0.0, 1.1], 0.15);
    body(&mut spec, "2 left leg", 1.5, [0.45, 0.2, 0.7], 0.2);
    body(&mut spec, "2 right leg", 1.4, [0.5, -0.25, 0.65], 0.2);
    body(&mut spec, "3 trunk", 8.0, [0.1, -0.1, 0.3], 0.3);
    body(&mut spec, "3 arm", 1.2, [-0.3, 0.1, 0.4], 0.2);
    body(&mut spec, "3 plate", 2.0, [0.4, 0.2, 0.4], 0.2);
    let mut hinge = |parent: &str, child: &str, p: [f64; 3], axis: [f64; 3]| {
        let frame = |frame: FrameSpec| frame.at(p[0], p[1], p[2]);
        let parent = if parent == "world" { FrameSpec::world() } else { FrameSpec::of(parent) };
        let kind = JointKind::Revolute { axis: Vec3::from(axis).normalize() };
        spec.joint(child, kind, frame(parent), frame(FrameSpec::of(child)));
    };
    hinge("1 trunk", "1 left", [-0.5, 0.1, 1.1], [1.0, 0.2, 0.0]);
    hinge("1 trunk", "1 right", [-0.4, 0.0, 1.15], [0.0, 1.0, 0.3]);
    hinge("2 trunk", "2 arm", [0.4, 0.0, 1.05], [0.1, 1.0, 0.0]);
    hinge("2 trunk", "2 left leg", [0.5, 0.15, 0.9], [1.0, 0.0, 0.1]);
    hinge("2 trunk", "2 right leg", [0.5, -0.15, 0.9], [0.0, 1.0, 0.0]);
    hinge("world", "3 trunk", [0.0, 0.0, 0.0], [0.3, 1.0, 0.0]);
    hinge("3 trunk", "3 arm", [-0.1, 0.0, 0.35], [0.0, 1.0, 0.2]);
    hinge("3 trunk", "3 plate", [0.3, 0.1, 0.35], [1.0, 0.0, 0.0]);
    spec.material("stuff", Surface::rigid(MU));
    touch(&mut spec);
    spec.build(Coordinates::Generalized)
}

/// A ball at each side of each contact: those of A first, so that B is the one that the normal points into.
fn touch(spec: &mut ModelSpec) {
    for (side, sign) in [("a", -1.0), ("b", 1.0)] {
        for (i, touch) in TOUCHES.iter().enumerate() {
            let n_W = Vec3::from(touch.n_W).normalize();
            let centre = Vec3::from(touch.p_W) + n_W * (sign * (RADIUS - 0.5 * DEPTH));
            let body = if sign < 0.0 { touch.a } else { touch.b };
            let frame = FrameSpec::of(body).at(centre.x, centre.y, centre.z);
            let name = format!("{} {side}", i + 1);
            spec.shape(&name, frame, Shape::Sphere { radius: RADIUS }, "stuff");
        }
    }
}

/// The system of a velocity, by the body that has it.
pub(super) fn system_of_velocity(model: &Model, v: usize) -> Option<usize> {
    let body = model.bodies().iter().find(|body| body.v_range().contains(&v))?;
    body.name.chars().next()?.to_digit(10).map(|digit| digit as usize)
}
