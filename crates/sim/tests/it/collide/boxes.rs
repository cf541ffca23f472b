//! Boxes on boxes, as one can draw them.

use stiction_sim::collide::Contact;
use stiction_sim::model::Shape;
use stiction_sim::{Pose, Vec3};

use super::{assert_close, at, pair, turned};

const EIGHTH: f64 = std::f64::consts::FRAC_PI_4;

/// Contacts from a cube of edge 2 about the origin into a box of these edges.
fn cube_and(edges: [f64; 3], X: Pose, horizon: f64) -> Vec<Contact> {
    let [x, y, z] = edges;
    let cube = (Shape::cuboid(2.0, 2.0, 2.0), at(0.0, 0.0, 0.0));
    pair(cube, (Shape::cuboid(x, y, z), X), horizon)
}

/// The places of contacts, along the x and y axes of the world, sorted.
fn places(contacts: &[Contact]) -> Vec<[f64; 2]> {
    let round = |x: f64| (x * 1e12).round() / 1e12 + 0.0;
    let mut list: Vec<_> = contacts.iter().map(|c| [round(c.p_W.x), round(c.p_W.y)]).collect();
    list.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    list
}

#[test]
fn a_small_box_on_a_large_one_stands_on_its_four_corners() {
    let contacts = cube_and([1.0, 0.5, 1.0], at(0.25, 0.0, 1.625), 0.25);
    assert_eq!(places(&contacts), [[-0.25, -0.25], [-0.25, 0.25], [0.75, -0.25], [0.75, 0.25]]);
    assert!(contacts.iter().all(|c| c.n_W == Vec3::z() && (c.gap - 0.125).abs() < 1e-15));
    assert!(contacts.iter().all(|c| (c.p_W.z - 1.0625).abs() < 1e-15));
    // and a large one on a small one on the corners of the small one
    let under = cube_and([8.0, 8.0, 2.0], at(0.0, 0.0, 2.0), 0.0);
    assert_eq!(places(&under), [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]);
    assert!(under.iter().all(|c| c.gap == 0.0));
}

#[test]
fn equal_boxes_that_fit_exactly_have_four_contacts_and_not_twelve() {
    for noise in [0.0, 1e-15, -1e-12] {
        let X = turned(noise, -noise, 1.9375, [noise, noise, noise]);
        let contacts = cube_and([2.0, 2.0, 2.0], X, 0.0);
        assert_eq!(contacts.len(), 4, "{contacts:?}");
        assert!(contacts.iter().all(|c| (c.gap + 0.0625).abs() < 1e-11));
    }
}

#[test]
fn a_box_turned_by_an_eighth_meets_another_in_an_octagon() {
    let contacts = cube_and([2.0, 2.0, 2.0], turned(0.0, 0.0, 2.0, [0.0, 0.0, EIGHTH]), 1e-9);
    assert_eq!(contacts.len(), 8);
    let near = 2.0_f64.sqrt() - 1.0;
    for contact in &contacts {
        let (x, y) = (contact.p_W.x.abs(), contact.p_W.y.abs());
        assert!((x.max(y) - 1.0).abs() < 1e-12 && (x.min(y) - near).abs() < 1e-12);
    }
}

#[test]
fn a_box_hangs_over_the_edge_of_another() {
    let contacts = cube_and([2.0, 1.0, 1.0], at(1.5, 0.0, 1.5), 0.0);
    assert_eq!(places(&contacts), [[0.5, -0.5], [0.5, 0.5], [1.0, -0.5], [1.0, 0.5]]);
}

#[test]
fn a_box_on_its_edge_has_two_contacts_and_on_its_corner_one() {
    // an edge along y, lowest at z = 1
    let on_edge =
        cube_and([1.0, 1.0, 1.0], turned(0.0, 0.0, 1.0 + 0.5_f64.sqrt(), [0.0, EIGHTH, 0.0]), 1e-9);
    assert_eq!(places(&on_edge), [[0.0, -0.5], [0.0, 0.5]]);
    // the diagonal of the box along z: turned about (1, −1, 0) by the angle between diagonal and z
    let angle = (1.0 / 3.0_f64.sqrt()).acos();
    let axis = [angle * 0.5_f64.sqrt(), -angle * 0.5_f64.sqrt(), 0.0];
    let on_corner =
        cube_and([1.0, 1.0, 1.0], turned(0.0, 0.0, 1.0 + 0.75_f64.sqrt() - 0.01, axis), 0.0);
    assert_eq!(on_corner.len(), 1, "{on_corner:?}");
    assert_close(&on_corner[0], [0.0, 0.0, 0.995], [0.0, 0.0, 1.0], -0.01);
}

#[test]
fn crossed_edges_touch_once_between_them() {
    // a's upper edge along y (a is turned about y), b's lower edge along x (b is turned about x)
    let a = (Shape::cuboid(2.0, 2.0, 2.0), turned(0.0, 0.0, 0.0, [0.0, EIGHTH, 0.0]));
    let reach = 2.0_f64.sqrt();
    for gap in [0.125, -0.125] {
        let b = turned(0.25, -0.5, 2.0 * reach + gap, [EIGHTH, 0.0, 0.0]);
        let contacts = pair(a.clone(), (Shape::cuboid(2.0, 2.0, 2.0), b), 0.25);
        assert_eq!(contacts.len(), 1, "{contacts:?}");
        assert_close(&contacts[0], [0.0, -0.5, reach + 0.5 * gap], [0.0, 0.0, 1.0], gap);
    }
}

#[test]
fn corners_that_are_nearest_to_corners_or_edges_have_the_true_distance() {
    // corner to corner, along (2, 3, 6)/7
    let corner = cube_and([2.0, 2.0, 2.0], at(2.2, 2.3, 2.6), 1.0);
    assert_close(&corner[0], [1.1, 1.15, 1.3], [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0], 0.7);
    assert_eq!(corner.len(), 1);
    assert!(cube_and([2.0, 2.0, 2.0], at(2.2, 2.3, 2.6), 0.699).is_empty());
    // edge beside edge, along (3, 4)/5, on the stretch that they share
    let edge = cube_and([2.0, 2.0, 2.0], at(2.3, 0.5, 2.4), 0.6);
    assert!(edge.iter().all(|c| (c.gap - 0.5).abs() < 1e-14));
    assert!(!edge.is_empty() && (edge[0].n_W - Vec3::new(0.6, 0.0, 0.8)).amax() < 1e-14);
}

#[test]
fn features_keep_their_names_while_a_box_slides_and_rocks() {
    // a small box on the cube, and a plate of which the corners of the cube are the contacts
    for edges in [[1.0, 1.0, 1.0], [4.0, 4.0, 1.0]] {
        let names = |x: f64, tilt: f64| {
            let contacts = cube_and(edges, turned(x, 0.1, 1.5, [tilt, -tilt, 0.2]), 0.01);
            contacts.iter().map(|c| c.key.feature).collect::<Vec<_>>()
        };
        let first = names(0.0, 0.0);
        assert_eq!(first.len(), 4);
        for step in 0..30 {
            let share = f64::from(step) / 30.0;
            assert_eq!(names(0.3 * share, 1e-3 * (20.0 * share).sin()), first);
        }
    }
}

#[test]
fn a_box_inside_another_is_pushed_through_the_nearest_face() {
    let contacts = cube_and([0.5, 0.5, 0.5], turned(0.5, 0.1, 0.2, [0.1, 0.2, 0.3]), 0.0);
    assert!(!contacts.is_empty());
    for contact in &contacts {
        assert!((contact.n_W - Vec3::x()).amax() < 0.4, "{}", contact.n_W);
        assert!(contact.gap < -0.1 && contact.gap > -1.0);
    }
    // the middle of each other: the positive side of the first axis
    let middle = cube_and([1.0, 1.0, 1.0], at(0.0, 0.0, 0.0), 0.0);
    assert!(middle.iter().all(|c| c.n_W == Vec3::x() && c.gap == -1.5));
    assert_eq!(middle.len(), 4);
}

#[test]
fn behind_crossed_edges_the_faces_have_contacts_that_end_on_both_boxes() {
    const EDGES: u32 = 1 << 20;
    let off_surface = |p: Vec3, half: Vec3| (p.abs() - half).max().abs();
    let mut crossings = 0;
    for turn in 0..10 {
        for tilt in [-0.2, -0.1, 0.05, 0.15] {
            // a rim of the upper box across a rim of the cube, its face leaning by a little
            let X = turned(1.1, 0.3, 1.45, [tilt, 0.8 * tilt, 0.3 + 0.1 * f64::from(turn)]);
            let contacts = cube_and([1.2, 0.8, 0.6], X, 1.0);
            if !contacts.iter().any(|c| (EDGES..2 * EDGES).contains(&c.key.feature)) {
                continue;
            }
            crossings += usize::from(contacts.len() > 2);
            for c in &contacts {
                let on_a = c.p_W - c.n_W * (0.5 * c.gap);
                let on_b = X.R.tr_mul(&(c.p_W + c.n_W * (0.5 * c.gap) - X.p));
                assert!(off_surface(on_a, Vec3::repeat(1.0)) < 1e-12, "{c:?}");
                assert!(off_surface(on_b, Vec3::new(0.6, 0.4, 0.3)) < 1e-12, "{c:?}");
                assert!((c.n_W - contacts[0].n_W).amax() < 1e-14, "{contacts:?}");
            }
        }
    }
    assert!(crossings >= 3, "{crossings}");
}
