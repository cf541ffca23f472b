//! Shapes in each other's middle: a normal of unit length, never NaN.

use stiction_sim::model::Shape;
use stiction_sim::{Pose, Vec3};

use super::{at, capsule, detect, pair, sphere, turned};
use crate::sample::Rng;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::HalfSpace,
        sphere(0.5),
        Shape::cuboid(1.0, 1.0, 1.0),
        capsule(0.25, 0.5),
        Shape::Ellipsoid { half: Vec3::new(0.5, 0.3, 0.4) },
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
    let ellipsoid = |x, y, z| Shape::Ellipsoid { half: Vec3::new(x, y, z) };
    assert_eq!(n(sphere(1.0), ellipsoid(2.0, 1.0, 1.5)), -Vec3::y());
    assert_eq!(n(sphere(1.0), ellipsoid(2.0, 1.0, 1.0)), -Vec3::y());
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

/// A prism over a square of edge 1 at z = −½ or ½, of half width `taper` in x at the other end.
fn prism(wide_end: f64, taper: f64) -> Vec<Vec3> {
    let corner = |x: f64, y: f64, z: f64| {
        Vec3::new(x * if z == wide_end { 0.5 } else { taper }, y, 0.5 * z.signum())
    };
    let ends = [wide_end, -wide_end];
    ends.iter()
        .flat_map(|&z| {
            [(1.0, 0.5), (1.0, -0.5), (-1.0, 0.5), (-1.0, -0.5)].map(|(x, y)| corner(x, y, z))
        })
        .collect()
}

#[test]
fn faces_that_fit_exactly_touch_with_their_corners() {
    let mut rng = Rng(11);
    for gap in [0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-9, -1e-9, -1e-7, 1e-6, -1e-6, -1e-4] {
        for _ in 0..40 {
            let (taper, quat) = (rng.between(0.3, 0.5), rng.quaternion());
            let below = (Shape::Hull(prism(0.5, taper)), Pose::from_parts(Vec3::zeros(), quat));
            let n = below.1.R * Vec3::z();
            let above = (Shape::Hull(prism(-0.5, taper)), Pose::from_parts(n * (1.0 + gap), quat));
            let contacts = pair(below, above, 1e-3);
            assert_eq!(contacts.len(), 4, "gap {gap}");
            for contact in &contacts {
                // rounding of the poses, and of a normal that is seen from 1e-3 away
                assert!((contact.n_W - n).amax() <= 1e-12, "gap {gap}: {contact:?}");
                assert!((contact.gap - gap).abs() <= 1e-12, "gap {gap}: {contact:?}");
            }
        }
    }
}

#[test]
fn points_on_a_surface_know_its_normal() {
    let mut rng = Rng(12);
    let solids = [
        Shape::Hull(prism(0.5, 0.4)),
        Shape::Cylinder { radius: 0.6, half_length: 0.5 },
        Shape::Cone { radius: 0.6, half_length: 0.5 },
    ];
    for solid in solids {
        // on the base of a cone, on top of the others
        let side = if matches!(solid, Shape::Cone { .. }) { -1.0 } else { 1.0 };
        for _ in 0..40 {
            let X = Pose::from_parts(rng.vector(1.0), rng.quaternion());
            let p = Vec3::new(rng.between(-0.3, 0.3), rng.between(-0.3, 0.3), side * 0.5);
            let points = (Shape::Points(vec![p]), X);
            let contacts = pair(points, (solid.clone(), X), 1e-3);
            assert_eq!(contacts.len(), 1, "{solid:?}");
            let n = X.R * Vec3::new(0.0, 0.0, -side);
            // seen from 1e-3 away
            assert!((contacts[0].n_W - n).amax() <= 1e-12, "{solid:?}: {contacts:?} {n}");
            assert!(contacts[0].gap.abs() <= 1e-12, "{contacts:?}");
        }
    }
}
