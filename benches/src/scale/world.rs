//! A scene stated so that any engine can build it: bodies where they begin, what touches, what is hinged.
//!
//! Frames of bodies sit in their centres of mass along their principal axes. Anchors and axes of joints are given in the
//! world, in the position in which the scene begins and in which all springs are relaxed.

use serde::Serialize;
use stiction_sim::contact::{ContactSettings, Strictness};
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Shape, SpringKind, Surface,
};
use stiction_sim::{
    Coordinates, Inertia, Model, ModelError, ModelSpec, Pose, Quat, Solid, StepSettings, Vec3,
};

pub const GRAVITY: f64 = 9.81;

#[derive(Clone, Debug, Default, Serialize)]
pub struct World {
    /// Step length [s] and coefficient of friction of everything.
    pub h: f64,
    pub mu: f64,
    /// Along −z [m/s²].
    pub gravity: f64,
    /// Whether bodies touch each other, or the fixed parts alone.
    pub bodies_collide: bool,
    /// What stands still.
    pub fixed: Vec<Part>,
    pub bodies: Vec<Body>,
    /// A tree; a body without one moves by itself.
    pub joints: Vec<Joint>,
    pub loops: Vec<Loop>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Body {
    /// [kg], [kg·m²].
    pub mass: f64,
    pub moments: [f64; 3],
    /// Where it begins: origin [m] and orientation (w, x, y, z) in the world.
    pub p: [f64; 3],
    pub quat: [f64; 4],
    /// It moves in its xz plane alone, and turns about y.
    pub planar: bool,
    pub parts: Vec<Part>,
}

/// A shape on a body, or in the world.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    pub p: [f64; 3],
    pub quat: [f64; 4],
    pub form: Form,
}

/// Lengths along z; halves of edges and lengths [m].
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Form {
    HalfSpace,
    Sphere {
        radius: f64,
    },
    Box {
        half: [f64; 3],
    },
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// Corners at ±half on each axis.
    Octahedron {
        half: [f64; 3],
    },
}

#[derive(Clone, Debug, Serialize)]
pub struct Joint {
    /// None: the world.
    pub parent: Option<usize>,
    pub child: usize,
    pub kind: Hinge,
    pub at: [f64; 3],
    /// Of the hinge or slide [N·m/rad or N/m], [N·m·s/rad or N·s/m].
    pub stiffness: f64,
    pub damping: f64,
}

/// Axes in the world.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hinge {
    Revolute([f64; 3]),
    Prismatic([f64; 3]),
    Ball,
}

/// A hinge that closes a loop.
#[derive(Clone, Debug, Serialize)]
pub struct Loop {
    pub a: usize,
    pub b: usize,
    pub at: [f64; 3],
    pub axis: [f64; 3],
}

impl Part {
    pub fn at(p: [f64; 3], form: Form) -> Self {
        Self { p, quat: [1.0, 0.0, 0.0, 0.0], form }
    }
}

impl Form {
    fn shape(&self) -> Shape {
        match *self {
            Self::HalfSpace => Shape::HalfSpace,
            Self::Sphere { radius } => Shape::Sphere { radius },
            Self::Box { half } => Shape::Box { half: half.into() },
            Self::Capsule { radius, half_length } => Shape::Capsule { radius, half_length },
            Self::Cylinder { radius, half_length } => Shape::Cylinder { radius, half_length },
            Self::Octahedron { half: [a, b, c] } => Shape::Hull(
                [(a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)]
                    .into_iter()
                    .flat_map(|(x, y, z)| [Vec3::new(x, y, z), Vec3::new(-x, -y, -z)])
                    .collect(),
            ),
        }
    }

    /// Principal moments of a uniform body of this mass; zeros for what has none.
    fn moments(&self, mass: f64) -> [f64; 3] {
        let solid = match *self {
            Self::HalfSpace => return [0.0; 3],
            Self::Sphere { radius } => Solid::Sphere { radius },
            Self::Box { half } => Solid::Box { edges: half.map(|x| 2.0 * x) },
            Self::Capsule { radius, half_length } => {
                Solid::Capsule { radius, length: 2.0 * half_length }
            }
            Self::Cylinder { radius, half_length } => {
                Solid::Cylinder { radius, length: 2.0 * half_length }
            }
            Self::Octahedron { half } => {
                let [x, y, z] = half.map(|a| a * a * mass / 10.0);
                return [y + z, z + x, x + y];
            }
        };
        let inertia = solid.with_mass(mass);
        inertia.map_or([0.0; 3], |inertia| inertia.I_com.diagonal().into())
    }
}

impl Body {
    /// A body of one shape, at rest and upright.
    pub fn of(mass: f64, form: Form, p: [f64; 3]) -> Self {
        let moments = form.moments(mass);
        let parts = vec![Part::at([0.0; 3], form)];
        Self { mass, moments, p, quat: [1.0, 0.0, 0.0, 0.0], planar: false, parts }
    }

    /// The same body turned.
    #[must_use]
    pub fn turned(self, quat: Quat) -> Self {
        Self { quat: quat.to_wxyz(), ..self }
    }

    fn pose(&self) -> Pose {
        Pose::from_parts(self.p.into(), Quat::from_wxyz(&self.quat))
    }

    fn inertia(&self) -> Inertia {
        Inertia::principal(self.mass, self.moments)
    }
}

fn name(body: usize) -> String {
    format!("body-{body}")
}

impl World {
    /// On the ground z = 0, under the earth's gravity.
    pub fn on_ground(h: f64, mu: f64, bodies: Vec<Body>) -> Self {
        let fixed = vec![Part::at([0.0; 3], Form::HalfSpace)];
        Self { h, mu, gravity: GRAVITY, bodies_collide: true, fixed, bodies, ..Default::default() }
    }

    /// Steps that go on where there is no certificate, and say so.
    pub fn settings(&self) -> StepSettings {
        let contact = ContactSettings { strictness: Strictness::Lenient, ..Default::default() };
        StepSettings { h: self.h, contact, ..Default::default() }
    }

    /// The scene in generalized coordinates; its neutral state is where the scene begins.
    pub fn model(&self) -> Result<Model, ModelError> {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::new(0.0, 0.0, -self.gravity);
        spec.material("stuff", Surface::rigid(self.mu));
        for (i, part) in self.fixed.iter().enumerate() {
            self.shape(&mut spec, &format!("fixed-{i}"), FrameSpec::world(), part);
        }
        for (i, body) in self.bodies.iter().enumerate() {
            spec.body(&name(i), body.inertia());
            for (k, part) in body.parts.iter().enumerate() {
                self.shape(&mut spec, &format!("shape-{i}-{k}"), FrameSpec::of(&name(i)), part);
            }
            if !self.joints.iter().any(|joint| joint.child == i) {
                free(&mut spec, i, body);
            }
        }
        for joint in &self.joints {
            self.joint(&mut spec, joint);
        }
        for (i, closed) in self.loops.iter().enumerate() {
            let kind = JointKind::Revolute { axis: closed.axis.into() };
            let (a, b) =
                (self.frame(Some(closed.a), &closed.at), self.frame(Some(closed.b), &closed.at));
            spec.constraint(&format!("loop-{i}"), ConstraintKind::Joint { kind, a, b });
        }
        spec.build(Coordinates::Generalized)
    }

    fn shape(&self, spec: &mut ModelSpec, name: &str, frame: FrameSpec, part: &Part) {
        let [x, y, z] = part.p;
        let frame = frame.at(x, y, z).turned(Quat::from_wxyz(&part.quat));
        let is_fixed = frame.body.is_none();
        let shape = spec.shape(name, frame, part.form.shape(), "stuff");
        if !self.bodies_collide {
            // bodies are of one group and fixed parts of the other
            (shape.groups.membership, shape.groups.filter) = if is_fixed { (1, 2) } else { (2, 1) };
        }
    }

    /// A frame on a body, or on the world, at a point of the world and along the world's axes.
    fn frame(&self, body: Option<usize>, at: &[f64; 3]) -> FrameSpec {
        let Some(body) = body else { return FrameSpec::world().at(at[0], at[1], at[2]) };
        let X_BW = self.bodies[body].pose().inverse();
        let p = X_BW.R * Vec3::from(*at) + X_BW.p;
        FrameSpec::of(&name(body)).at(p.x, p.y, p.z).turned(Quat::from_matrix(&X_BW.R))
    }

    fn joint(&self, spec: &mut ModelSpec, joint: &Joint) {
        let kind = match joint.kind {
            Hinge::Revolute(axis) => JointKind::Revolute { axis: axis.into() },
            Hinge::Prismatic(axis) => JointKind::Prismatic { axis: axis.into() },
            Hinge::Ball => JointKind::Ball,
        };
        let parent = self.frame(joint.parent, &joint.at);
        let child = self.frame(Some(joint.child), &joint.at);
        let name = format!("joint-{}", joint.child);
        spec.joint(&name, kind, parent, child).damping = vec![joint.damping];
        if joint.stiffness > 0.0 {
            let coordinate = CoordinateSpec::of(&name);
            let kind = SpringKind::Coordinate { coordinate, rest: 0.0 };
            spec.spring(&format!("spring-{}", joint.child), kind, joint.stiffness, 0.0);
        }
    }
}

/// Its own joint with the world, neutral where the body begins.
fn free(spec: &mut ModelSpec, i: usize, body: &Body) {
    let [x, y, z] = body.p;
    let parent = FrameSpec::world().at(x, y, z).turned(Quat::from_wxyz(&body.quat));
    let child = FrameSpec::of(&name(i));
    let joint = format!("joint-{i}");
    if body.planar {
        // x stays x, y of the joint is −z: its plane is the vertical one
        let upright = Quat::exp(&Vec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        spec.joint(&joint, JointKind::Planar, parent.turned(upright), child.turned(upright));
    } else {
        spec.joint(&joint, JointKind::Free, parent, child);
    }
}
