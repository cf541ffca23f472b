//! Shapes in each other's middle: a normal of unit length, never NaN.

use stiction_sim::model::Shape;
use stiction_sim::{Pose, Vec3};

use super::{at, capsule, detect, pair, sphere, turned};

fn shapes() -> Vec<Shape> {
    vec![
        Shape::HalfSpace,
        sphere(0.5),
        Shape::cuboid(1.0, 1.0, 1.0),
        capsule(0.25, 0.5),
        Shape::Points(vec![Vec3::zeros()]),
    ]
}

#[test]
fn concentric_shapes_have_a_finite_unit_normal() {
    let places: [Pose; 4] = [
        at(0.0, 0.0, 0.0),
        turned(0.0, 0.0, 0.0, [0.1, 0.2, 0.3]),
        at(1e-300, 0.0, 0.0),
        at(0.0, -1e-17, 1e-17),
    ];
    for a in shapes() {
        for b in shapes() {
            let nothing = matches!(
                (&a, &b),
                (Shape::HalfSpace, Shape::HalfSpace) | (Shape::Points(_), Shape::Points(_))
            );
            for X in places {
                let contacts = pair((a.clone(), at(0.0, 0.0, 0.0)), (b.clone(), X), 1e-9);
                assert_eq!(contacts.is_empty(), nothing, "{a:?} {b:?}");
                for contact in &contacts {
                    assert!((contact.n_W.norm() - 1.0).abs() < 1e-15, "{a:?} {b:?}: {contact:?}");
                    assert!(contact.gap <= 1e-9 && contact.p_W.amax() < 2.0, "{contact:?}");
                }
            }
        }
    }
}

#[test]
fn the_choice_between_equal_normals_is_the_one_that_is_written_down() {
    let here = at(0.0, 0.0, 0.0);
    let n = |a: Shape, b: Shape| pair((a, here), (b, here), 0.0)[0].n_W;
    assert_eq!(n(sphere(1.0), sphere(2.0)), -Vec3::z());
    assert_eq!(n(sphere(1.0), capsule(1.0, 1.0)), -Vec3::x());
    assert_eq!(n(sphere(1.0), Shape::cuboid(2.0, 2.0, 2.0)), -Vec3::x());
    assert_eq!(n(sphere(1.0), Shape::cuboid(2.0, 2.0, 1.5)), -Vec3::z());
}

#[test]
fn touching_exactly_is_a_contact_with_gap_zero() {
    let ground = (Shape::HalfSpace, at(0.0, 0.0, 0.0));
    for (shape, count) in [(sphere(1.0), 1), (Shape::cuboid(2.0, 2.0, 2.0), 4)] {
        let contacts = pair(ground.clone(), (shape, at(0.0, 0.0, 1.0)), 0.0);
        assert_eq!(contacts.len(), count);
        assert!(contacts.iter().all(|contact| contact.gap == 0.0));
    }
    let pair = pair((sphere(1.0), at(0.0, 0.0, 0.0)), (sphere(2.0), at(3.0, 0.0, 0.0)), 0.0);
    assert_eq!(pair[0].gap, 0.0);
}

#[test]
fn a_pose_that_is_not_finite_touches_nothing_and_hides_nothing() {
    let nowhere = [at(f64::NAN, 0.0, 0.0), at(0.0, 0.0, f64::INFINITY)];
    for X in nowhere {
        for shape in shapes() {
            let list =
                [(sphere(0.5), at(0.0, 0.0, 0.0)), (shape, X), (sphere(0.5), at(0.75, 0.0, 0.0))];
            let contacts = detect(&list, 0.0);
            assert_eq!(contacts.len(), 1, "{contacts:?}");
            assert_eq!((contacts[0].a, contacts[0].b), (Some(0), Some(2)));
        }
    }
}
