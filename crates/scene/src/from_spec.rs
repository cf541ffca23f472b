//! A model as a scene file.

use std::collections::BTreeMap;
use std::fmt;

use stiction_sim::model::{
    Combine, ConstraintKind, CoordinateSpec, Follows, FrameSpec, GuideKind, JointKind, JointSpec,
    Law, Relaxation, Shape, ShapeSpec, SpringKind, Surface,
};
use stiction_sim::{Inertia, ModelSpec, Quat, Vec3};

use crate::scene::{BodyStart, Start};
use crate::tree::{At, Entry, Node, Table, Value};
use crate::write;

/// A law that is a function of the program: no file can state it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomLaw {
    /// Of the motor or constraint.
    pub user: String,
}

impl fmt::Display for CustomLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` follows a function of the program, which no file can state", self.user)
    }
}

impl std::error::Error for CustomLaw {}

/// The scene as TOML that loads again to an equal model and start.
pub fn from_spec(title: &str, spec: &ModelSpec, start: &Start) -> Result<String, CustomLaw> {
    let mut root = Table::default();
    root.put("title", text(title));
    let combine = table([
        ("friction", text(rule(spec.combine.friction))),
        ("restitution", text(rule(spec.combine.restitution))),
    ]);
    let world = [
        ("gravity", vector(&spec.gravity)),
        ("neighbours_collide", node(Value::Bool(spec.neighbours_collide))),
        ("combine", combine),
    ];
    root.put("world", table(world));
    let materials = spec.materials.iter().map(|m| (&m.name, table(surface(&m.surface))));
    root.put("materials", named(materials));
    let pairs = spec.pairs.iter().map(|pair| {
        let names = pair.materials.iter().map(|name| text(name)).collect();
        let mut entries = vec![("materials", node(Value::List(names)))];
        entries.extend(surface(&pair.surface));
        table(entries)
    });
    root.put("pairs", node(Value::List(pairs.collect())));
    let starts: BTreeMap<&str, &BodyStart> =
        start.bodies.iter().map(|start| (start.body.as_str(), start)).collect();
    let bodies = spec.bodies.iter().map(|body| {
        let start = starts.get(body.name.as_str()).copied();
        (&body.name, table(self::body(&body.inertia, start)))
    });
    root.put("bodies", named(bodies));
    let shapes = spec.shapes.iter().map(|shape| (&shape.name, placed(shape)));
    root.put("shapes", named(shapes));
    let joints = spec.joints.iter().map(|joint| (&joint.name, self::joint(joint, start)));
    root.put("joints", named(joints));
    connections(&mut root, spec)?;
    let start = [("time", number(start.time)), ("normal_force", number(start.normal_force))];
    root.put("start", table(start));
    Ok(write::scene(&node(Value::Table(root))))
}

fn connections(root: &mut Table, spec: &ModelSpec) -> Result<(), CustomLaw> {
    let mut constraints = Vec::new();
    for constraint in &spec.constraints {
        let mut entries = match &constraint.kind {
            ConstraintKind::Joint { kind, a, b } => {
                vec![("kind", text("joint")), ("joint", table(joint_kind(kind)))]
                    .into_iter()
                    .chain(ends(a, b))
                    .collect()
            }
            ConstraintKind::Distance { a, b, length } => {
                let mut entries = vec![("kind", text("distance")), ("length", number(*length))];
                entries.extend(ends(a, b));
                entries
            }
            ConstraintKind::Coupling { terms, offset } => {
                let terms = terms.iter().map(|(coordinate, factor)| {
                    let mut entries = self::coordinate(coordinate);
                    entries.push(("factor", number(*factor)));
                    table(entries)
                });
                let terms = node(Value::List(terms.collect()));
                vec![("kind", text("coupling")), ("terms", terms), ("offset", number(*offset))]
            }
            ConstraintKind::Drive { coordinate, law } => {
                let mut entries = vec![("kind", text("drive"))];
                entries.extend(self::coordinate(coordinate));
                entries.push(("law", self::law(&constraint.name, law)?));
                entries
            }
        };
        entries.extend(constraint.relaxation.iter().flat_map(relaxation));
        constraints.push((&constraint.name, table(entries)));
    }
    root.put("constraints", named(constraints));
    let springs = spec.springs.iter().map(|spring| {
        let mut entries = match &spring.kind {
            SpringKind::Points { a, b, rest } => {
                let mut entries = vec![("kind", text("points")), ("rest", number(*rest))];
                entries.extend(ends(a, b));
                entries
            }
            SpringKind::Coordinate { coordinate, rest } => {
                let mut entries = vec![("kind", text("coordinate")), ("rest", number(*rest))];
                entries.extend(self::coordinate(coordinate));
                entries
            }
            SpringKind::Torsion { a, b } => {
                let mut entries = vec![("kind", text("torsion"))];
                entries.extend(ends(a, b));
                entries
            }
        };
        entries.push(("stiffness", number(spring.stiffness)));
        entries.push(("damping", number(spring.damping)));
        (&spring.name, table(entries))
    });
    root.put("springs", named(springs));
    let mut motors = Vec::new();
    for motor in &spec.motors {
        let follows = match motor.follows {
            Follows::Rate => "rate",
            Follows::Position => "position",
        };
        let mut entries = coordinate(&motor.coordinate);
        entries.push(("law", law(&motor.name, &motor.law)?));
        entries.extend([("follows", text(follows)), ("max", number(motor.max))]);
        motors.push((&motor.name, table(entries)));
    }
    root.put("motors", named(motors));
    let guides = spec.guides.iter().map(|guide| {
        let mut entries = match guide.kind {
            GuideKind::Slot => vec![("kind", text("slot"))],
            GuideKind::Plane => vec![("kind", text("plane"))],
            GuideKind::Hoop { radius } => vec![("kind", text("hoop")), ("radius", number(radius))],
        };
        entries.extend(ends(&guide.a, &guide.b));
        entries.push(("friction", number(guide.mu)));
        (&guide.name, table(entries))
    });
    root.put("guides", named(guides));
    Ok(())
}

type Entries = Vec<(&'static str, Node)>;

fn node(value: Value) -> Node {
    Node { value, at: At::default() }
}

fn text(text: &str) -> Node {
    node(Value::Text(text.to_string()))
}

fn number(value: f64) -> Node {
    node(Value::Number(value))
}

fn numbers<'a>(values: impl IntoIterator<Item = &'a f64>) -> Node {
    node(Value::List(values.into_iter().map(|value| number(*value)).collect()))
}

fn vector(p: &Vec3) -> Node {
    numbers(p.iter())
}

fn vectors(points: &[Vec3]) -> Node {
    node(Value::List(points.iter().map(vector).collect()))
}

fn table(entries: impl IntoIterator<Item = (&'static str, Node)>) -> Node {
    let entry =
        |(name, node): (&str, Node)| Entry { name: name.to_string(), at: At::default(), node };
    node(Value::Table(Table { entries: entries.into_iter().map(entry).collect() }))
}

fn named<'a>(entries: impl IntoIterator<Item = (&'a String, Node)>) -> Node {
    let entry =
        |(name, node): (&String, Node)| Entry { name: name.clone(), at: At::default(), node };
    node(Value::Table(Table { entries: entries.into_iter().map(entry).collect() }))
}

fn rule(rule: Combine) -> &'static str {
    match rule {
        Combine::Minimum => "minimum",
        Combine::GeometricMean => "geometric-mean",
        Combine::Maximum => "maximum",
        Combine::Average => "average",
    }
}

fn relaxation(relaxation: &Relaxation) -> Entries {
    vec![("stiffness", number(relaxation.k)), ("damping", number(relaxation.b))]
}

fn surface(surface: &Surface) -> Entries {
    let mut entries = match surface.mu_s == surface.mu_k {
        true => vec![("friction", number(surface.mu_s))],
        false => vec![
            ("static_friction", number(surface.mu_s)),
            ("kinetic_friction", number(surface.mu_k)),
        ],
    };
    entries.push(("restitution", number(surface.e)));
    entries.extend(surface.compliance.iter().flat_map(relaxation));
    entries
}

fn body(inertia: &Inertia, start: Option<&BodyStart>) -> Entries {
    let I = &inertia.I_com;
    let moments = [I.m11, I.m22, I.m33, I.m12, I.m13, I.m23];
    let given = if moments[3..].iter().all(|x| *x == 0.0) { &moments[..3] } else { &moments[..] };
    let mut entries = vec![
        ("mass", number(inertia.mass)),
        ("inertia", numbers(given)),
        ("com", vector(&inertia.com)),
    ];
    if let Some(start) = start {
        entries.extend(place(&start.p, start.quat));
        entries.extend([("velocity", vector(&start.v)), ("angular_velocity", vector(&start.w))]);
    }
    entries
}

fn place(p: &Vec3, quat: Quat) -> Entries {
    let mut entries = vec![("position", vector(p))];
    if quat != Quat::IDENTITY {
        entries.push(("rotation", table([("quat_wxyz", numbers(&quat.to_wxyz()))])));
    }
    entries
}

fn frame(frame: &FrameSpec) -> Node {
    let mut entries = vec![("body", text(frame.body.as_deref().unwrap_or("world")))];
    entries.extend(place(&frame.p, frame.quat));
    table(entries)
}

fn ends(a: &FrameSpec, b: &FrameSpec) -> Entries {
    vec![("a", frame(a)), ("b", frame(b))]
}

fn coordinate(coordinate: &CoordinateSpec) -> Entries {
    let index = node(Value::Whole(coordinate.index as i64));
    vec![("joint", text(&coordinate.joint)), ("index", index)]
}

fn law(user: &str, law: &Law) -> Result<Node, CustomLaw> {
    match law {
        Law::Polynomial(factors) => Ok(table([("polynomial", numbers(factors))])),
        Law::Sine { offset, amplitude, omega, phase } => {
            let sine = table([
                ("offset", number(*offset)),
                ("amplitude", number(*amplitude)),
                ("omega", number(*omega)),
                ("phase", number(*phase)),
            ]);
            Ok(table([("sine", sine)]))
        }
        Law::Custom(_) => Err(CustomLaw { user: user.to_string() }),
    }
}

fn joint_kind(kind: &JointKind) -> Entries {
    let (word, axis) = match kind {
        JointKind::Fixed => ("fixed", None),
        JointKind::Revolute { axis } => ("revolute", Some(axis)),
        JointKind::Prismatic { axis } => ("prismatic", Some(axis)),
        JointKind::Screw { axis, .. } => ("screw", Some(axis)),
        JointKind::Cylindrical { axis } => ("cylindrical", Some(axis)),
        JointKind::Universal { first, .. } => ("universal", Some(first)),
        JointKind::Ball => ("ball", None),
        JointKind::Planar => ("planar", None),
        JointKind::Free => ("free", None),
    };
    let mut entries = vec![("kind", text(word))];
    entries.extend(axis.map(|axis| ("axis", vector(axis))));
    match kind {
        JointKind::Screw { pitch, .. } => entries.push(("pitch", number(*pitch))),
        JointKind::Universal { second, .. } => entries.push(("axis2", vector(second))),
        _ => {}
    }
    entries
}

fn joint(joint: &JointSpec, start: &Start) -> Node {
    let mut entries = joint_kind(&joint.kind);
    entries.extend([("parent", frame(&joint.parent)), ("child", frame(&joint.child))]);
    let start = start.joints.iter().find(|start| start.joint == joint.name);
    let empty = Vec::new();
    let (q, v) = start.map_or((&empty, &empty), |start| (&start.q, &start.v));
    for (key, values) in [
        ("position", q),
        ("velocity", v),
        ("armature", &joint.armature),
        ("damping", &joint.damping),
        ("friction", &joint.friction),
    ] {
        if !values.is_empty() {
            entries.push((key, numbers(values)));
        }
    }
    if !joint.limits.is_empty() {
        let limits = joint.limits.iter().map(|(lower, upper)| numbers([lower, upper]));
        entries.push(("limits", node(Value::List(limits.collect()))));
    }
    table(entries)
}

fn placed(shape: &ShapeSpec) -> Node {
    let mut entries = geometry(&shape.shape);
    entries.push(("body", text(shape.frame.body.as_deref().unwrap_or("world"))));
    entries.extend(place(&shape.frame.p, shape.frame.quat));
    entries.extend([("material", text(&shape.material)), ("margin", number(shape.margin))]);
    let mut groups = vec![("membership", bits(shape.groups.membership))];
    if shape.groups.filter != u32::MAX {
        groups.push(("filter", bits(shape.groups.filter)));
    }
    entries.push(("groups", table(groups)));
    table(entries)
}

fn bits(bits: u32) -> Node {
    let set = (0..32).filter(|i| bits >> i & 1 == 1);
    node(Value::List(set.map(|i| node(Value::Whole(i))).collect()))
}

/// Whole lengths are twice their halves, to the last bit.
fn geometry(shape: &Shape) -> Entries {
    let of = |word: &str| ("kind", text(word));
    let round = |word: &str, radius: f64, along: &'static str, half: f64| {
        vec![of(word), ("radius", number(radius)), (along, number(2.0 * half))]
    };
    match shape {
        Shape::HalfSpace => vec![of("half-space")],
        Shape::Sphere { radius } => vec![of("sphere"), ("radius", number(*radius))],
        Shape::Box { half } => vec![of("box"), ("size", vector(&(2.0 * half)))],
        Shape::Ellipsoid { half } => vec![of("ellipsoid"), ("radii", vector(half))],
        Shape::Capsule { radius, half_length } => round("capsule", *radius, "length", *half_length),
        Shape::Cylinder { radius, half_length } => {
            round("cylinder", *radius, "length", *half_length)
        }
        Shape::Cone { radius, half_length } => round("cone", *radius, "height", *half_length),
        Shape::Hull(points) => vec![of("hull"), ("points", vectors(points))],
        Shape::Points(points) => vec![of("points"), ("points", vectors(points))],
        Shape::Mesh { vertices, triangles } => {
            let corners = |triangle: &[u32; 3]| {
                let corner = |i: &u32| node(Value::Whole(i64::from(*i)));
                node(Value::List(triangle.iter().map(corner).collect()))
            };
            let triangles = node(Value::List(triangles.iter().map(corners).collect()));
            vec![of("mesh"), ("vertices", vectors(vertices)), ("triangles", triangles)]
        }
        Shape::HeightField { nx, ny, spacing, heights } => {
            let counts = [*nx, *ny].map(|n| node(Value::Whole(n as i64)));
            vec![
                of("height-field"),
                ("count", node(Value::List(counts.to_vec()))),
                ("spacing", numbers(spacing)),
                ("heights", numbers(heights)),
            ]
        }
        Shape::Compound(parts) => {
            let part = |(p, quat, shape): &(Vec3, Quat, Shape)| {
                let mut entries = geometry(shape);
                entries.extend(place(p, *quat));
                table(entries)
            };
            let parts = parts.iter().map(part).collect();
            vec![of("compound"), ("parts", node(Value::List(parts)))]
        }
    }
}
