//! Pairs that go to parry: cylinders, cones, hulls, meshes, height fields, and capsules with boxes.

use stiction_sim::collide::{Collider, Contact};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Inertia, ModelSpec, Pose, Vec3};

use super::{at, capsule, pair, sphere, turned};

const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

fn cylinder(radius: f64, half_length: f64) -> Shape {
    Shape::Cylinder { radius, half_length }
}

fn cone(radius: f64, half_length: f64) -> Shape {
    Shape::Cone { radius, half_length }
}

/// The corners of a box as a hull.
fn hull(x: f64, y: f64, z: f64) -> Shape {
    let corner = |i: u32| {
        Vec3::new(x, y, z).zip_map(&Vec3::new(1.0, 2.0, 4.0), |l, bit| {
            if i & bit as u32 != 0 { 0.5 * l } else { -0.5 * l }
        })
    };
    Shape::Hull((0..8).map(corner).collect())
}

/// Contacts of ground on the world with a shape on a body.
fn on_ground(ground: Shape, shape: Shape, X: Pose, horizon: f64) -> Vec<Contact> {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    spec.body("body", Inertia::principal(1.0, [1.0; 3]));
    spec.shape("ground", FrameSpec::world(), ground, "stuff");
    spec.shape("shape", FrameSpec::of("body"), shape, "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a body");
    let mut data = Data::new(&model);
    kinematics::update_positions(&model, &model.state().q, &mut data);
    let mut kin = data.positions().clone();
    kin.X_WB[0] = X;
    let mut contacts = Vec::new();
    let mut collider = Collider::new(&model);
    collider.detect(&model, &kin, horizon, &mut contacts);
    // what was detected before does not matter
    let first = contacts.clone();
    kin.X_WB[0].p.z += 0.001;
    collider.detect(&model, &kin, horizon, &mut contacts);
    kin.X_WB[0] = X;
    collider.detect(&model, &kin, horizon, &mut contacts);
    assert_eq!(first, contacts);
    contacts
}

#[track_caller]
fn assert_all(contacts: &[Contact], n: [f64; 3], gap: f64, tolerance: f64) {
    assert!(!contacts.is_empty());
    for contact in contacts {
        assert!((contact.n_W - Vec3::from(n)).amax() < tolerance, "along {}", contact.n_W);
        assert!((contact.gap - gap).abs() < tolerance, "a gap of {}", contact.gap);
    }
    assert!(contacts.windows(2).all(|pair| pair[0].key < pair[1].key));
}

#[test]
fn the_axis_of_cylinders_and_cones_is_z() {
    // a sphere above each: top of the cylinder at 2, tip of the cone at 2
    for shape in [cylinder(0.5, 2.0), cone(0.5, 2.0)] {
        let above =
            pair((shape.clone(), at(0.0, 0.0, 0.0)), (sphere(0.5), at(0.0, 0.0, 2.75)), 1.0);
        assert_all(&above, [0.0, 0.0, 1.0], 0.25, 1e-9);
    }
    // beside the cylinder, and below the base of the cone
    let beside =
        pair((cylinder(0.5, 2.0), at(0.0, 0.0, 0.0)), (sphere(0.5), at(0.0, 1.25, 1.0)), 1.0);
    assert_all(&beside, [0.0, 1.0, 0.0], 0.25, 1e-9);
    let below = pair((cone(0.5, 2.0), at(0.0, 0.0, 0.0)), (sphere(0.5), at(0.2, 0.0, -2.75)), 1.0);
    assert_all(&below, [0.0, 0.0, -1.0], 0.25, 1e-9);
}

#[test]
fn solids_on_a_table_touch_it_with_vertical_normals() {
    let table = (Shape::cuboid(10.0, 10.0, 2.0), at(0.0, 0.0, -1.0));
    let lying = turned(1.0, 2.0, 0.5 + 0.01, [0.0, QUARTER, 0.0]);
    let cases = [
        (cylinder(0.5, 1.0), at(1.0, 2.0, 1.01), 3),
        (cylinder(0.5, 1.0), lying, 2),
        (cone(0.5, 1.0), at(1.0, 2.0, 1.01), 3),
        (hull(1.0, 2.0, 3.0), at(1.0, 2.0, 1.51), 4),
        (capsule(0.5, 1.0), lying, 2),
    ];
    for (shape, X, least) in cases {
        let contacts = pair(table.clone(), (shape.clone(), X), 0.1);
        assert!(contacts.len() >= least, "{shape:?}: {contacts:?}");
        assert_all(&contacts, [0.0, 0.0, 1.0], 0.01, 1e-8);
        // and on a half-space, in closed form
        let ground = pair((Shape::HalfSpace, at(0.0, 0.0, 0.0)), (shape, X), 0.1);
        assert!(ground.len() >= least);
        assert_all(&ground, [0.0, 0.0, 1.0], 0.01, 1e-14);
    }
}

#[test]
fn points_meet_cylinders_cones_and_hulls_by_their_distance() {
    let point =
        |x: f64, y: f64, z: f64| (Shape::Points(vec![Vec3::new(x, y, z)]), at(0.0, 0.0, 0.0));
    let solids = [cylinder(1.0, 1.0), hull(2.0, 2.0, 2.0)];
    for solid in solids {
        let solid = (solid, at(0.0, 0.0, 0.0));
        let outside = pair(solid.clone(), point(0.1, 0.2, 1.25), 1.0);
        assert_all(&outside, [0.0, 0.0, 1.0], 0.25, 1e-9);
        let inside = pair(point(0.1, 0.2, 0.75), solid, 1.0);
        assert_all(&inside, [0.0, 0.0, -1.0], -0.25, 1e-9);
    }
    let tip = pair((cone(1.0, 1.0), at(0.0, 0.0, 0.0)), point(0.0, 0.0, 1.5), 1.0);
    assert_all(&tip, [0.0, 0.0, 1.0], 0.5, 1e-9);
}

/// A plane z = 0.25 x of 4 × 6 cells, x from −2 to 2 and y from −1.5 to 1.5, as a height field.
fn slope() -> Shape {
    let heights = (0..35).map(|i| 0.25 * ((i % 5) as f64 - 2.0)).collect();
    Shape::HeightField { nx: 5, ny: 7, spacing: [1.0, 0.5], heights }
}

/// The same as a mesh of 4 × 4 cells, y from −2 to 2.
fn mesh() -> Shape {
    let vertex = |i: u32| {
        let (x, y) = (f64::from(i % 5) - 2.0, f64::from(i / 5) - 2.0);
        Vec3::new(x, y, 0.25 * x)
    };
    let mut triangles = Vec::new();
    for j in 0..4 {
        for i in 0..4 {
            let at = |i: u32, j: u32| i + 5 * j;
            triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Shape::Mesh { vertices: (0..25).map(vertex).collect(), triangles }
}

#[test]
fn height_fields_and_meshes_carry_what_lies_on_them() {
    let n = Vec3::new(-0.25, 0.0, 1.0).normalize();
    for ground in [slope(), mesh()] {
        for (x, y) in [(0.3, 0.2), (-1.2, 0.7), (1.0, 1.0)] {
            let on_slope = Vec3::new(x, y, 0.25 * x);
            let ball = Pose { R: Pose::identity().R, p: on_slope + n * 0.51 };
            let contacts = on_ground(ground.clone(), sphere(0.5), ball, 0.05);
            assert_all(&contacts, [n.x, n.y, n.z], 0.01, 1e-9);
            assert_eq!(contacts.len(), 1, "{contacts:?}");
            let point = Shape::Points(vec![Vec3::zeros()]);
            let above = Pose { R: Pose::identity().R, p: on_slope + n * 0.02 };
            let contacts = on_ground(ground.clone(), point.clone(), above, 0.05);
            assert_all(&contacts, [n.x, n.y, n.z], 0.02, 1e-9);
            let below = Pose { R: Pose::identity().R, p: on_slope - n * 0.02 };
            let contacts = on_ground(ground.clone(), point, below, 0.05);
            assert_all(&contacts, [n.x, n.y, n.z], -0.02, 1e-9);
        }
        // a box flat on the slope
        let tilt = turned(0.0, 0.0, 0.0, [0.0, -0.25_f64.atan(), 0.0]);
        let X = Pose { R: tilt.R, p: Vec3::new(0.1, 0.2, 0.025) + n * 0.255 };
        let contacts = on_ground(ground.clone(), Shape::cuboid(0.5, 0.5, 0.5), X, 0.05);
        assert!(contacts.len() >= 4);
        assert_all(&contacts, [n.x, n.y, n.z], 0.005, 1e-9);
    }
}

#[test]
fn concentric_solids_have_a_finite_unit_normal() {
    let shapes = || {
        vec![
            sphere(0.5),
            Shape::cuboid(1.0, 1.0, 1.0),
            capsule(0.25, 0.5),
            cylinder(0.5, 0.5),
            cone(0.5, 0.5),
            hull(1.0, 1.0, 1.0),
            Shape::Points(vec![Vec3::zeros()]),
        ]
    };
    for a in shapes() {
        for b in shapes() {
            if matches!((&a, &b), (Shape::Points(_), Shape::Points(_))) {
                continue;
            }
            for X in [at(0.0, 0.0, 0.0), turned(0.0, 1e-17, 0.0, [0.1, 0.2, 0.3])] {
                let contacts = pair((a.clone(), at(0.0, 0.0, 0.0)), (b.clone(), X), 1e-9);
                assert!(!contacts.is_empty(), "{a:?} {b:?}");
                for contact in &contacts {
                    assert!((contact.n_W.norm() - 1.0).abs() < 1e-12, "{a:?} {b:?}: {contact:?}");
                    assert!(contact.gap <= 1e-9 && contact.p_W.amax() < 2.0, "{contact:?}");
                }
            }
        }
    }
}

#[test]
fn solids_are_seen_as_far_as_their_nearest_points_are_apart_and_no_farther() {
    let shapes = [hull(0.3, 0.2, 0.1), cylinder(0.1, 0.2), cone(0.2, 0.1), capsule(0.1, 0.2)];
    let (mut seen, mut i) = (0, 0.0_f64);
    for a in &shapes {
        for b in &shapes[..3] {
            for _ in 0..20 {
                i += 1.0;
                let theta = [(1.7 * i).sin(), (2.3 * i).cos(), (0.9 * i).sin()].map(|x| 2.0 * x);
                let X = turned(0.3 * (i).cos(), 0.3 * (1.3 * i).sin(), 0.35, theta);
                let of =
                    |horizon: f64| pair((a.clone(), at(0.0, 0.0, 0.0)), (b.clone(), X), horizon);
                let gaps = of(1.0).iter().map(|contact| contact.gap).collect::<Vec<_>>();
                let gap = gaps.into_iter().fold(f64::INFINITY, f64::min);
                if gap < 1e-3 {
                    continue;
                }
                seen += 1;
                // as far as parry's nearest points are known
                assert!(of(gap + 1e-6).iter().any(|contact| contact.gap <= gap + 1e-6), "{i}");
                assert!(of(gap - 1e-5).is_empty(), "{i}: {gap}");
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
