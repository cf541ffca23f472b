//! Many bodies, and which of them may touch.

use std::collections::BTreeSet;

use allocation_counter::measure;
use stiction_sim::collide::{Collider, Contact};
use stiction_sim::model::{FrameSpec, Groups, JointKind, Shape, Surface};
use stiction_sim::tree::kinematics::{self, Kinematics};
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, Quat, Vec3};

use super::random::Random;
use super::{capsule, sphere};

fn detect(model: &Model, kin: &Kinematics) -> Vec<Contact> {
    let mut contacts = Vec::new();
    Collider::new(model).detect(model, kin, 0.0, &mut contacts);
    contacts
}

fn neutral(model: &Model) -> Kinematics {
    let mut data = Data::new(model);
    kinematics::update_positions(model, &model.state().q, &mut data);
    data.positions().clone()
}

/// Pairs of bodies that touch when all joints are neutral.
fn pairs(spec: &ModelSpec, coordinates: Coordinates) -> BTreeSet<(Option<usize>, Option<usize>)> {
    let model = spec.build(coordinates).expect("a model");
    detect(&model, &neutral(&model)).iter().map(|contact| (contact.a, contact.b)).collect()
}

/// Free spheres of radius 0.5 at these places, above a floor.
fn spheres(places: &[Vec3]) -> (Model, Kinematics) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    for i in 0..places.len() {
        let body = format!("{i}");
        spec.body(&body, Inertia::principal(1.0, [1.0; 3]));
        spec.shape(&body, FrameSpec::of(&body), sphere(0.5), "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("free bodies");
    let mut kin = neutral(&model);
    for (X_WB, p) in kin.X_WB.iter_mut().zip(places) {
        X_WB.p = *p;
    }
    (model, kin)
}

fn by_force(places: &[Vec3]) -> Vec<(usize, usize)> {
    let n = places.len();
    let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    all.filter(|&(i, j)| (places[i] - places[j]).norm() <= 1.0).collect()
}

#[test]
fn five_thousand_spheres_touch_as_brute_force_says() {
    let mut random = Random::new(21);
    let scattered: Vec<Vec3> = (0..5000).map(|_| random.vector(9.0)).collect();
    // touching exactly: 3 n² (n − 1) contacts of a cube of n³ spheres, and 200 more above it
    let lattice: Vec<Vec3> = (0..5113)
        .map(|i| Vec3::new((i % 17) as f64, (i / 17 % 17) as f64, (i / 289) as f64))
        .collect();
    for places in [scattered, lattice] {
        let (model, kin) = spheres(&places);
        let found: Vec<(usize, usize)> = detect(&model, &kin)
            .iter()
            .map(|contact| (contact.a.expect("a body"), contact.b.expect("a body")))
            .collect();
        assert_eq!(found, by_force(&places));
        assert!(found.len() > 5000);
    }
}

#[test]
fn shapes_of_one_body_and_of_the_world_do_not_touch_each_other() {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    for body in ["a", "b"] {
        spec.body(body, Inertia::principal(1.0, [1.0; 3]));
        let parts = [0.0, 0.1].map(|x| (Vec3::new(x, 0.0, 0.0), Quat::IDENTITY, sphere(1.0)));
        spec.shape(body, FrameSpec::of(body), Shape::Compound(parts.to_vec()), "stuff");
    }
    spec.shape("floor", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.shape("rock", FrameSpec::world(), sphere(1.0), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("two bodies");
    let contacts = detect(&model, &neutral(&model));
    // 2 × 2 between the bodies, 2 × 2 with each of the world's
    assert_eq!(contacts.len(), 12);
    assert!(contacts.iter().all(|contact| contact.a != contact.b));
    assert_eq!(model.geoms()[1].part, 1);
    assert_eq!(model.geoms()[1].name, "a");
}

/// A chain a – b – c, c welded to b, on the world; all in one place.
fn chain() -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    for body in ["a", "b", "c", "d"] {
        spec.body(body, Inertia::principal(1.0, [1.0; 3]));
        spec.shape(body, FrameSpec::of(body), sphere(1.0), "stuff");
    }
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    spec.joint("1", hinge, FrameSpec::world(), FrameSpec::of("a"));
    spec.joint("2", hinge, FrameSpec::of("a"), FrameSpec::of("b"));
    spec.joint("3", JointKind::Fixed, FrameSpec::of("b"), FrameSpec::of("c"));
    spec.joint("4", hinge, FrameSpec::of("c"), FrameSpec::of("d"));
    spec.shape("rock", FrameSpec::world(), sphere(1.0), "stuff");
    spec
}

#[test]
fn neighbours_on_a_joint_touch_only_if_the_model_says_so() {
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let mut spec = chain();
        let world = [0, 1, 2, 3].map(|body| (Some(body), None));
        // a and d alone are no neighbours: b and c are one body
        let apart: BTreeSet<_> = world.into_iter().chain([(Some(0), Some(3))]).collect();
        assert_eq!(pairs(&spec, coordinates), apart);
        spec.neighbours_collide = true;
        let mut all = apart.clone();
        all.extend([(0, 1), (0, 2), (1, 3), (2, 3)].map(|(a, b)| (Some(a), Some(b))));
        assert_eq!(pairs(&spec, coordinates), all);
    }
}

#[test]
fn what_is_welded_to_the_world_does_not_touch_it() {
    let mut spec = chain();
    spec.joints[0].kind = JointKind::Fixed;
    let found = pairs(&spec, Coordinates::Generalized);
    let expected = [(1, None), (2, None), (3, None), (0, Some(1)), (0, Some(2)), (0, Some(3))];
    // a is the world now, and the world is nobody's neighbour
    let expected: BTreeSet<_> = expected.into_iter().map(|(a, b)| (Some(a), b)).collect();
    assert_eq!(found, expected);
}

#[test]
fn groups_decide_who_sees_whom() {
    let mut spec = chain();
    spec.neighbours_collide = true;
    for shape in &mut spec.shapes {
        shape.groups = Groups { membership: 0b01, filter: 0b10 };
    }
    assert!(pairs(&spec, Coordinates::Generalized).is_empty());
    spec.shapes[3].groups = Groups { membership: 0b10, filter: 0b01 };
    // d sees all but itself, one side is not enough
    assert_eq!(pairs(&spec, Coordinates::Generalized).len(), 4);
    spec.shapes[3].groups = Groups { membership: 0b10, filter: 0b10 };
    assert!(pairs(&spec, Coordinates::Generalized).is_empty());
}

#[test]
fn detection_in_closed_form_allocates_nothing_once_it_has_run() {
    let mut random = Random::new(22);
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    spec.shape("floor", FrameSpec::world(), Shape::HalfSpace, "stuff");
    // no capsule with a box: that pair is parry's
    for i in 0..40 {
        let shape = match i % 4 {
            0 => sphere(0.4),
            1 => Shape::cuboid(0.5, 0.6, 0.7),
            2 => Shape::cuboid(1.0, 0.1, 0.2),
            _ => Shape::Points(vec![Vec3::zeros(), Vec3::x()]),
        };
        let body = format!("{i}");
        spec.body(&body, Inertia::principal(1.0, [1.0; 3]));
        spec.shape(&body, FrameSpec::of(&body), shape, "stuff");
    }
    for i in 0..2 {
        let name = format!("rod {i}");
        spec.body(&name, Inertia::principal(1.0, [1.0; 3]));
        let groups = Groups { membership: 2, filter: 2 };
        spec.shape(&name, FrameSpec::of(&name), capsule(0.2, 0.3), "stuff").groups = groups;
    }
    let model = spec.build(Coordinates::Generalized).expect("bodies");
    let mut kin = neutral(&model);
    for X_WB in &mut kin.X_WB {
        X_WB.p = random.vector(0.7);
        X_WB.R = random.quat().to_matrix();
    }
    let (mut collider, mut contacts) = (Collider::new(&model), Vec::new());
    collider.detect(&model, &kin, 0.1, &mut contacts);
    let first = contacts.clone();
    let allocations = measure(|| {
        collider.detect(&model, &kin, 0.05, &mut contacts);
        collider.detect(&model, &kin, 0.1, &mut contacts);
    });
    assert_eq!(allocations.count_total, 0);
    assert_eq!(contacts, first);
    assert!(first.len() > 100);
}
