//! What contacts must not depend on: units, the place and orientation of the world, its handedness, the past.

use stiction_sim::collide::Contact;
use stiction_sim::model::Shape;
use stiction_sim::{Mat3, Pose, Vec3};

use super::random::Random;
use super::{capsule, detect, pair, sphere};

/// Shapes with a closed form for all pairs but capsule and box; about 1 m in size.
fn shape(random: &mut Random, kind: usize) -> Shape {
    let mut size = || random.between(0.2, 1.0);
    match kind {
        0 => Shape::HalfSpace,
        1 => sphere(size()),
        2 => capsule(size(), size()),
        3 => Shape::cuboid(size(), size(), size()),
        5 => Shape::Ellipsoid { half: Vec3::new(size(), size(), size()) },
        _ => Shape::Points((0..5).map(|_| random.vector(0.5)).collect()),
    }
}

type Scene = [(Shape, Pose); 2];

/// Pairs of all kinds, most of them near each other.
fn scenes(seed: u64, n: usize) -> Vec<Scene> {
    let mut random = Random::new(seed);
    let mut list = Vec::new();
    for _ in 0..n {
        for i in 0..6 {
            for j in 0..6 {
                // capsule and box, ellipsoids and others: by parry, which has lengths of its own
                let simple = |kind: usize| matches!(kind, 0 | 1 | 4);
                if (i.min(j), i.max(j)) == (2, 3) || (i.max(j) == 5 && !simple(i.min(j))) {
                    continue;
                }
                list.push([i, j].map(|kind| {
                    let shape = shape(&mut random, kind);
                    (shape, Pose::from_parts(random.vector(0.8), random.quat()))
                }));
            }
        }
    }
    list
}

fn contacts([a, b]: &Scene, horizon: f64) -> Vec<Contact> {
    pair(a.clone(), b.clone(), horizon)
}

fn scaled(shape: &Shape, s: f64) -> Shape {
    match shape {
        Shape::Sphere { radius } => sphere(radius * s),
        Shape::Capsule { radius, half_length } => capsule(radius * s, half_length * s),
        Shape::Box { half } => Shape::Box { half: half * s },
        Shape::Ellipsoid { half } => Shape::Ellipsoid { half: half * s },
        Shape::Points(points) => Shape::Points(points.iter().map(|p| p * s).collect()),
        _ => shape.clone(),
    }
}

#[test]
fn another_unit_of_length_changes_no_bit() {
    let mut count = 0;
    for scene in scenes(11, 40) {
        let here = contacts(&scene, 0.25);
        count += here.len();
        for exponent in [-20, -10, 10, 20] {
            let s = 2.0_f64.powi(exponent);
            let other =
                scene.clone().map(|(shape, X)| (scaled(&shape, s), Pose { R: X.R, p: X.p * s }));
            let there = contacts(&other, 0.25 * s);
            assert_eq!(here.len(), there.len(), "{scene:?}");
            for (a, b) in here.iter().zip(&there) {
                assert_eq!((a.key, a.gap * s, a.p_W * s, a.n_W), (b.key, b.gap, b.p_W, b.n_W));
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn a_world_that_is_turned_and_shifted_has_the_same_contacts() {
    let mut random = Random::new(12);
    let mut count = 0;
    for scene in scenes(13, 40) {
        let X = Pose::from_parts(random.vector(1e3), random.quat());
        let moved = scene.clone().map(|(shape, X_WG)| (shape, X * X_WG));
        let (here, there) = (contacts(&scene, 0.25), contacts(&moved, 0.25));
        // a contact at exactly the horizon may come and go
        let sure = |list: &[Contact]| list.iter().filter(|c| c.gap < 0.25 - 1e-9).count();
        assert_eq!(sure(&here), sure(&there), "{scene:?}");
        if here.len() != there.len() {
            continue;
        }
        for (a, b) in here.iter().zip(&there) {
            assert_eq!(a.key, b.key);
            // of numbers as large as 1e3 m
            assert!((a.gap - b.gap).abs() <= 1e-12 * 1e3, "{} {}", a.gap, b.gap);
            assert!((X.R * a.n_W - b.n_W).amax() <= 1e-11, "{scene:?}");
            assert!((X.point(&a.p_W) - b.p_W).amax() <= 1e-11);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

/// In the mirror x → −x. Every shape here is its own mirror image in its own frame, points apart.
fn mirrored((shape, X): &(Shape, Pose)) -> (Shape, Pose) {
    let mirror = Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0));
    let shape = match shape {
        Shape::Points(points) => Shape::Points(points.iter().map(|p| mirror * p).collect()),
        other => other.clone(),
    };
    (shape, Pose { R: mirror * X.R * mirror, p: mirror * X.p })
}

#[test]
fn a_mirror_shows_the_same_gaps() {
    let mut count = 0;
    for scene in scenes(14, 40) {
        let mirror = |a: &Vec3| Vec3::new(-a.x, a.y, a.z);
        let image = [mirrored(&scene[0]), mirrored(&scene[1])];
        let (here, there) = (contacts(&scene, 0.25), contacts(&image, 0.25));
        assert_eq!(here.len(), there.len(), "{scene:?}");
        // corners change their names in the mirror: compare by place
        for a in &here {
            let near = |b: &&Contact| (mirror(&a.p_W) - b.p_W).amax() < 1e-12;
            let b = there.iter().find(near).unwrap_or_else(|| panic!("{a:?} in {there:?}"));
            assert!((a.gap - b.gap).abs() < 1e-14 && (mirror(&a.n_W) - b.n_W).amax() < 1e-14);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn contacts_are_sorted_and_their_keys_differ() {
    let mut random = Random::new(15);
    for _ in 0..20 {
        let shapes: Vec<_> = (0..30)
            .map(|i| {
                (shape(&mut random, i % 5), Pose::from_parts(random.vector(1.0), random.quat()))
            })
            .collect();
        let contacts = detect(&shapes, 0.1);
        assert!(contacts.len() > 100);
        assert!(contacts.windows(2).all(|pair| pair[0].key < pair[1].key));
        for contact in &contacts {
            assert!(contact.key.shape_a < contact.key.shape_b);
            assert!((contact.n_W.norm() - 1.0).abs() < 1e-14 && contact.gap <= 0.1);
        }
    }
}
