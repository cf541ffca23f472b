//! Shapes and materials that are none: each is refused by an error that names it.

use stiction_sim::model::{FrameSpec, Relaxation, Shape, Surface};
use stiction_sim::{Coordinates, Inertia, ModelError, ModelSpec, Quat, Vec3};

use super::{capsule, sphere};

const NAN: f64 = f64::NAN;

fn scene() -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface::rigid(0.5));
    spec.body("stone", Inertia::principal(1.0, [1.0; 3]));
    spec.shape("floor", FrameSpec::world(), Shape::HalfSpace, "steel");
    spec.shape("pebble", FrameSpec::of("stone"), sphere(1.0), "steel");
    spec
}

type Case = (fn(&mut ModelSpec), ModelError);

fn assert_refused(cases: Vec<Case>) {
    assert!(scene().build(Coordinates::Maximal).is_ok());
    for (i, (spoil, expected)) in cases.into_iter().enumerate() {
        for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
            let mut spec = scene();
            spoil(&mut spec);
            let error = spec.build(coordinates).expect_err(&format!("case {i}"));
            // by their text: NaN differs from itself
            assert_eq!(format!("{error:?}"), format!("{expected:?}"), "case {i}");
            let named = ["pebble", "steel"].iter().any(|name| error.to_string().contains(name));
            assert!(named, "case {i}: {error}");
        }
    }
}

fn text(name: &str) -> String {
    name.to_string()
}

fn size(what: &'static str, value: f64) -> ModelError {
    ModelError::NotPositive { user: text("pebble"), what, value }
}

fn not_finite(user: &str, what: &'static str) -> ModelError {
    ModelError::NotFinite { user: text(user), what }
}

fn triangle(triangle: usize) -> ModelError {
    ModelError::Triangle { shape: text("pebble"), triangle }
}

fn mesh(triangles: &[[u32; 3]]) -> Shape {
    let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), 2.0 * Vec3::x()];
    Shape::Mesh { vertices, triangles: triangles.to_vec() }
}

/// The pebble as another shape, on the stone or on the world.
fn become_shape(spec: &mut ModelSpec, shape: Shape) {
    spec.shapes[1].shape = shape;
}

fn become_ground(spec: &mut ModelSpec, shape: Shape) {
    spec.shapes[1].frame = FrameSpec::world();
    spec.shapes[1].shape = shape;
}

#[test]
fn shapes_without_size() {
    assert_refused(vec![
        (|s| become_shape(s, sphere(0.0)), size("radius", 0.0)),
        (|s| become_shape(s, sphere(-1.0)), size("radius", -1.0)),
        (|s| become_shape(s, sphere(NAN)), not_finite("pebble", "radius")),
        (|s| become_shape(s, Shape::cuboid(1.0, 0.0, 1.0)), size("half of an edge", 0.0)),
        (
            |s| become_shape(s, Shape::Ellipsoid { half: Vec3::new(1.0, 0.0, 1.0) }),
            size("half axis", 0.0),
        ),
        (
            |s| become_shape(s, Shape::Ellipsoid { half: Vec3::new(1.0, 1.0, NAN) }),
            not_finite("pebble", "half axis"),
        ),
        (|s| become_shape(s, capsule(1.0, 0.0)), size("half length", 0.0)),
        (
            |s| become_shape(s, Shape::Cylinder { radius: 1.0, half_length: f64::INFINITY }),
            not_finite("pebble", "half length"),
        ),
        (|s| become_shape(s, Shape::Cone { radius: 0.0, half_length: 1.0 }), size("radius", 0.0)),
        (
            |s| become_shape(s, Shape::Points(vec![])),
            ModelError::EmptyShape { shape: text("pebble") },
        ),
        (
            |s| become_shape(s, Shape::Points(vec![Vec3::new(0.0, NAN, 0.0)])),
            not_finite("pebble", "point"),
        ),
        (
            |s| become_shape(s, Shape::Compound(vec![])),
            ModelError::EmptyShape { shape: text("pebble") },
        ),
        (
            |s| become_shape(s, Shape::Compound(vec![(Vec3::x(), Quat::IDENTITY, sphere(0.0))])),
            size("radius", 0.0),
        ),
    ]);
}

#[test]
fn hulls_without_an_inside() {
    let flat = || ModelError::FlatHull { shape: text("pebble") };
    assert_refused(vec![
        (|s| become_shape(s, Shape::Hull(vec![Vec3::x(); 7])), flat()),
        (
            |s| become_shape(s, Shape::Hull((0..9).map(|i| Vec3::x() * f64::from(i)).collect())),
            flat(),
        ),
        (
            |s| {
                let square = [[0., 0., 1.], [1., 0., 1.], [1., 1., 1.], [0., 1., 1.]];
                become_shape(s, Shape::Hull(square.map(Vec3::from).to_vec()));
            },
            flat(),
        ),
        (
            |s| become_shape(s, Shape::Hull(vec![])),
            ModelError::EmptyShape { shape: text("pebble") },
        ),
    ]);
    // small is not flat
    let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    let mut spec = scene();
    let points = corners.map(|p| Vec3::from(p) * 1e-9 + Vec3::new(1e-6, 0.0, 0.0));
    become_shape(&mut spec, Shape::Hull(points.to_vec()));
    assert!(spec.build(Coordinates::Generalized).is_ok());
}

#[test]
fn surfaces_that_move_or_are_broken() {
    let moving = || ModelError::MovingSurface { shape: text("pebble") };
    let grid = |nx, ny, found| ModelError::Grid { shape: text("pebble"), nx, ny, found };
    assert_refused(vec![
        (|s| become_shape(s, mesh(&[[0, 1, 2]])), moving()),
        (
            |s| {
                let parts = vec![(Vec3::x(), Quat::IDENTITY, mesh(&[[0, 1, 2]]))];
                become_shape(s, Shape::Compound(parts));
            },
            moving(),
        ),
        (
            |s| {
                let heights = vec![0.0; 4];
                become_shape(s, Shape::HeightField { nx: 2, ny: 2, spacing: [1.0; 2], heights });
            },
            moving(),
        ),
        (|s| become_ground(s, mesh(&[[0, 1, 2], [0, 1, 4]])), triangle(1)),
        (|s| become_ground(s, mesh(&[[0, 1, 3]])), triangle(0)),
        (|s| become_ground(s, mesh(&[[0, 0, 2]])), triangle(0)),
        (|s| become_ground(s, mesh(&[])), ModelError::EmptyShape { shape: text("pebble") }),
        (
            |s| {
                let heights = vec![0.0; 5];
                become_ground(s, Shape::HeightField { nx: 2, ny: 3, spacing: [1.0; 2], heights });
            },
            grid(2, 3, 5),
        ),
        (
            |s| {
                let heights = vec![0.0; 3];
                become_ground(s, Shape::HeightField { nx: 1, ny: 3, spacing: [1.0; 2], heights });
            },
            grid(1, 3, 3),
        ),
        (
            |s| {
                let heights = vec![0.0, 0.0, NAN, 0.0];
                become_ground(s, Shape::HeightField { nx: 2, ny: 2, spacing: [1.0; 2], heights });
            },
            not_finite("pebble", "height"),
        ),
    ]);
}

#[test]
fn materials_that_cannot_exist() {
    let negative = |what, value| ModelError::Negative { user: text("steel"), what, value };
    assert_refused(vec![
        (|s| s.materials[0].surface = Surface::rigid(-0.1), negative("static friction", -0.1)),
        (|s| s.materials[0].surface.mu_k = -0.1, negative("kinetic friction", -0.1)),
        (|s| s.materials[0].surface.mu_s = NAN, not_finite("steel", "static friction")),
        (
            |s| s.materials[0].surface.mu_k = 0.6,
            ModelError::KineticFriction { user: text("steel"), mu_s: 0.5, mu_k: 0.6 },
        ),
        (
            |s| s.materials[0].surface.e = 1.1,
            ModelError::Restitution { user: text("steel"), e: 1.1 },
        ),
        (
            |s| s.materials[0].surface.e = NAN,
            ModelError::Restitution { user: text("steel"), e: NAN },
        ),
        (
            |s| s.materials[0].surface.compliance = Some(Relaxation { k: 0.0, b: 1.0 }),
            ModelError::NotPositive {
                user: text("steel"),
                what: "stiffness of the contact",
                value: 0.0,
            },
        ),
        (
            |s| s.materials[0].surface.compliance = Some(Relaxation { k: 1.0, b: -1.0 }),
            negative("damping of the contact", -1.0),
        ),
    ]);
}

#[test]
fn names_frames_and_margins_that_lead_nowhere() {
    let unknown =
        |user: &str| ModelError::UnknownMaterial { user: text(user), material: text("mud") };
    assert_refused(vec![
        (|s| s.shapes[1].material = text("mud"), unknown("pebble")),
        (
            |s| {
                s.pair("steel", "mud", Surface::rigid(0.1));
            },
            unknown("steel–mud"),
        ),
        (
            |s| {
                s.pair("steel", "steel", Surface::rigid(0.1)).pair(
                    "steel",
                    "steel",
                    Surface::rigid(0.2),
                );
            },
            ModelError::PairTwice { materials: [text("steel"), text("steel")] },
        ),
        (
            |s| s.shapes[0].name = text("pebble"),
            ModelError::DuplicateName { kind: "shapes", name: text("pebble") },
        ),
        (
            |s| {
                s.material("steel", Surface::rigid(0.1));
            },
            ModelError::DuplicateName { kind: "materials", name: text("steel") },
        ),
        (
            |s| s.shapes[1].frame = FrameSpec::of("ghost"),
            ModelError::UnknownBody { user: text("pebble"), body: text("ghost") },
        ),
        (
            |s| s.shapes[1].frame.quat = Quat { w: 0.0, x: 0.0, y: 0.0, z: 0.0 },
            ModelError::Quaternion { user: text("pebble"), quat: [0.0; 4] },
        ),
        (
            |s| {
                let zero = Quat { w: 0.0, x: 0.0, y: 0.0, z: 0.0 };
                s.shapes[1].shape = Shape::Compound(vec![(Vec3::x(), zero, sphere(1.0))]);
            },
            ModelError::Quaternion { user: text("pebble"), quat: [0.0; 4] },
        ),
        (
            |s| s.shapes[1].margin = -1.0,
            ModelError::Negative { user: text("pebble"), what: "margin", value: -1.0 },
        ),
        (|s| s.shapes[1].margin = NAN, not_finite("pebble", "margin")),
    ]);
}
