//! Contacts that one can draw on paper.

use stiction_sim::collide::{Collider, ContactKey};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Inertia, ModelSpec, Quat, Vec3};

use super::{assert_close, at, capsule, pair, sphere, turned};

const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

#[test]
fn a_sphere_above_and_in_a_half_space() {
    let ground = (Shape::HalfSpace, at(5.0, -3.0, 1.0));
    let above = pair(ground.clone(), (sphere(0.5), at(1.0, 2.0, 1.75)), 0.25);
    assert_eq!(above.len(), 1);
    assert_close(&above[0], [1.0, 2.0, 1.125], [0.0, 0.0, 1.0], 0.25);
    assert_eq!(above[0].key, ContactKey { shape_a: 0, shape_b: 1, feature: 0 });
    let deep = pair(ground.clone(), (sphere(0.5), at(0.0, 0.0, -4.0)), 0.0);
    assert_close(&deep[0], [0.0, 0.0, -1.75], [0.0, 0.0, 1.0], -5.5);
    // a horizon that ends below the gap
    assert!(pair(ground, (sphere(0.5), at(1.0, 2.0, 1.75)), 0.2499).is_empty());
}

#[test]
fn the_normal_points_from_the_first_shape_into_the_second() {
    let ball = (sphere(1.0), at(0.0, 0.0, 1.0));
    let first = pair(ball.clone(), (Shape::HalfSpace, at(0.0, 0.0, 0.0)), 0.0);
    assert_close(&first[0], [0.0; 3], [0.0, 0.0, -1.0], 0.0);
    let other = (sphere(2.0), at(0.0, 0.0, -2.5));
    assert_close(
        &pair(ball.clone(), other.clone(), 1.0)[0],
        [0.0, 0.0, -0.25],
        [0.0, 0.0, -1.0],
        0.5,
    );
    assert_close(&pair(other, ball, 1.0)[0], [0.0, 0.0, -0.25], [0.0, 0.0, 1.0], 0.5);
}

#[test]
fn a_box_meets_a_half_space_with_its_corners() {
    let ground = (Shape::HalfSpace, at(0.0, 0.0, 0.0));
    let cube = Shape::cuboid(2.0, 4.0, 6.0);
    let flat = pair(ground.clone(), (cube.clone(), at(10.0, 0.0, 2.875)), 0.0);
    let keys: Vec<u32> = flat.iter().map(|contact| contact.key.feature).collect();
    assert_eq!(keys, [0, 1, 2, 3]);
    assert_close(&flat[1], [11.0, -2.0, -0.0625], [0.0, 0.0, 1.0], -0.125);
    // on its edge: x up by a quarter of a turn and a half
    let edge =
        pair(ground.clone(), (cube.clone(), turned(0.0, 0.0, 3.0, [0.0, QUARTER / 2.0, 0.0])), 0.0);
    let lowest = 3.0 - (1.0 + 3.0) * 0.5_f64.sqrt();
    assert_eq!(edge.iter().map(|contact| contact.key.feature).collect::<Vec<_>>(), [] as [u32; 0]);
    let edge =
        pair(ground.clone(), (cube.clone(), turned(0.0, 0.0, 3.0, [0.0, QUARTER / 2.0, 0.0])), 0.2);
    assert_eq!(edge.iter().map(|contact| contact.key.feature).collect::<Vec<_>>(), [1, 3]);
    assert!(edge.iter().all(|contact| (contact.gap - lowest).abs() < 1e-15));
    // far below, all eight
    assert_eq!(pair(ground, (cube, at(0.0, 0.0, -50.0)), 0.0).len(), 8);
}

#[test]
fn points_meet_half_spaces_spheres_capsules_and_boxes() {
    let points = |list: &[[f64; 3]]| Shape::Points(list.iter().map(|p| Vec3::from(*p)).collect());
    let foot = points(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 5.0]]);
    let ground =
        pair((Shape::HalfSpace, at(0.0, 0.0, 0.0)), (foot.clone(), at(0.0, 0.0, 0.25)), 0.5);
    assert_eq!(ground.iter().map(|contact| contact.key.feature).collect::<Vec<_>>(), [0, 1]);
    assert_close(&ground[1], [1.0, 0.0, 0.125], [0.0, 0.0, 1.0], 0.25);

    let one = points(&[[0.0, 0.0, 1.0]]);
    let ball = pair((one.clone(), at(0.0, 0.0, 0.0)), (sphere(1.0), at(0.0, 0.0, 2.5)), 1.0);
    assert_close(&ball[0], [0.0, 0.0, 1.25], [0.0, 0.0, 1.0], 0.5);
    let side = pair((one.clone(), at(2.0, 0.0, 0.0)), (capsule(1.0, 3.0), at(0.0, 0.0, 0.0)), 1.0);
    assert_close(&side[0], [1.5, 0.0, 1.0], [-1.0, 0.0, 0.0], 1.0);
    let inside = pair(
        (one.clone(), at(0.0, 0.0, 0.0)),
        (Shape::cuboid(4.0, 4.0, 3.0), at(0.0, 0.0, 0.0)),
        0.0,
    );
    assert_close(&inside[0], [0.0, 0.0, 1.25], [0.0, 0.0, -1.0], -0.5);
    assert!(pair((one.clone(), at(0.0, 0.0, 0.0)), (one, at(0.0, 0.0, 0.0)), 1.0).is_empty());
}

#[test]
fn a_sphere_meets_face_edge_and_corner_of_a_box() {
    let cube = (Shape::cuboid(2.0, 2.0, 2.0), at(0.0, 0.0, 0.0));
    let face = pair((sphere(1.0), at(0.5, 0.0, 2.5)), cube.clone(), 1.0);
    assert_close(&face[0], [0.5, 0.0, 1.25], [0.0, 0.0, -1.0], 0.5);
    let edge = pair((sphere(4.0), at(4.0, 0.5, 5.0)), cube.clone(), 1.5);
    assert_close(&edge[0], [1.3, 0.5, 1.4], [-0.6, 0.0, -0.8], 1.0);
    let corner = pair((sphere(2.0), at(2.0, 3.0, 3.0)), cube.clone(), 1.5);
    let third = 1.0 / 3.0;
    assert_close(
        &corner[0],
        [7.0 * third / 2.0, 4.0 * third, 4.0 * third],
        [-third, -2.0 * third, -2.0 * third],
        1.0,
    );
    let inside = pair((sphere(0.25), at(0.0, -0.5, 0.0)), cube, 0.0);
    assert_close(&inside[0], [0.0, -0.625, 0.0], [0.0, 1.0, 0.0], -0.75);
}

#[test]
fn a_sphere_meets_side_and_cap_of_a_capsule() {
    // along x after a quarter of a turn about y
    let rod = (capsule(0.5, 2.0), turned(0.0, 0.0, 0.0, [0.0, QUARTER, 0.0]));
    let side = pair((sphere(0.5), at(1.0, 1.5, 0.0)), rod.clone(), 1.0);
    assert_close(&side[0], [1.0, 0.75, 0.0], [0.0, -1.0, 0.0], 0.5);
    let cap = pair((sphere(0.5), at(5.0, 4.0, 0.0)), rod, 5.0);
    assert_close(&cap[0], [3.5, 2.0, 0.0], [-0.6, -0.8, 0.0], 4.0);
}

#[test]
fn contacts_name_their_bodies_and_carry_the_surface_of_the_pair() {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e: 0.5, ..Surface::rigid(0.25) });
    spec.material("rubber", Surface::rigid(1.0));
    spec.body("ball", Inertia::principal(1.0, [1.0; 3]));
    spec.shape("ball", FrameSpec::of("ball"), sphere(1.0), "rubber");
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "steel").margin = 0.125;
    let gaps = |spec: &ModelSpec| {
        let model = spec.build(Coordinates::Generalized).expect("a ball");
        let mut state = model.state();
        state.q[2] = 1.125;
        let mut data = Data::new(&model);
        kinematics::update_positions(&model, &state.q, &mut data);
        let mut contacts = Vec::new();
        Collider::new(&model).detect(&model, data.positions(), 0.0, &mut contacts);
        contacts
    };
    let contacts = gaps(&spec);
    assert_eq!((contacts[0].a, contacts[0].b), (Some(0), None));
    assert_eq!(contacts[0].surface, Surface::rigid(0.5));
    assert_close(&contacts[0], [0.0, 0.0, 0.0625], [0.0, 0.0, -1.0], 0.125);
    spec.pair("rubber", "steel", Surface::rigid(0.75));
    assert_eq!(gaps(&spec)[0].surface, Surface::rigid(0.75));
}

#[test]
fn the_parts_of_a_compound_stand_where_their_frames_say() {
    // a rod along x at height 1 of a frame that stands at height 1, inside another compound at (0, 5, 0)
    let lying = Quat::exp(&Vec3::new(0.0, QUARTER, 0.0));
    let rod = (Vec3::new(0.0, 0.0, 1.0), lying, capsule(0.5, 2.0));
    let inner = (Vec3::new(0.0, 5.0, 0.0), Quat::IDENTITY, Shape::Compound(vec![rod]));
    let ball = (Vec3::new(9.0, 0.0, 0.0), Quat::IDENTITY, sphere(0.5));
    let both = Shape::Compound(vec![ball, inner]);
    let contacts = pair((Shape::HalfSpace, at(0.0, 0.0, 0.0)), (both, at(0.0, 0.0, 1.0)), 2.0);
    assert_eq!(contacts.len(), 3);
    assert_close(&contacts[0], [9.0, 0.0, 0.25], [0.0, 0.0, 1.0], 0.5);
    assert_close(&contacts[1], [-2.0, 5.0, 0.75], [0.0, 0.0, 1.0], 1.5);
    assert_close(&contacts[2], [2.0, 5.0, 0.75], [0.0, 0.0, 1.0], 1.5);
    let parts: Vec<u32> = contacts.iter().map(|contact| contact.key.shape_b).collect();
    assert_eq!(parts, [1, 2, 2]);
}
