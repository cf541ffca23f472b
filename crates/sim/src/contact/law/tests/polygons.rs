//! Polygons against the disc: known distances, and what turning the tangents changes.

use std::f64::consts::PI;

use super::*;
use crate::testing::Random;

fn point(random: &mut Random, mu: f64) -> ContactSpace {
    let W = MatX::identity(3, 3) / random.decades(-2.0, 2.0);
    let u_free = vec![-random.between(0.1, 3.0), random.between(-2., 2.), random.between(-2., 2.)];
    ContactSpace { h: 0.01, W: W.into(), u_free, contacts: vec![contact(mu)], rows: Vec::new() }
}

/// `k` contacts of a body whose rows are all coupled, pressed together and pushed aside.
fn coupled(k: usize, mu: f64, random: &mut Random) -> ContactSpace {
    let B = MatX::from_fn(3 * k, 3 * k, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / (3 * k) as f64 + MatX::identity(3 * k, 3 * k) * 0.5;
    let u_free = (0..3 * k)
        .map(|i| if i % 3 == 0 { -1.0 } else { 0.0 } + random.between(-0.5, 0.5))
        .collect();
    ContactSpace { h: 0.01, W: W.into(), u_free, contacts: vec![contact(mu); k], rows: Vec::new() }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn pyramid(facets: usize) -> Law {
    Law::Pyramid(Pyramid { facets, ..Default::default() })
}

fn phantom(directions: usize) -> Law {
    Law::Phantom(Phantom { directions, ..Default::default() })
}

#[test]
fn a_point_mass_is_off_the_disc_by_no_more_than_the_chord() {
    let mut random = Random::new(5);
    for _ in 0..60 {
        let space = point(&mut random, 0.7);
        let exact = certified(&space, &Law::Cone(Cone::default())).p;
        let bound = 0.7 * exact[0];
        for k in [3, 4, 5, 8, 16, 64] {
            // the corner is at most half a facet away along the circle
            let chord = 2.0 * (PI / (2 * k) as f64).sin() * bound;
            let p = certified(&space, &pyramid(k)).p;
            assert!(apart(&p, &exact) <= chord + 1e-9 * bound, "{k} facets");
            // from outside the corner is tan away from the middle of its facet
            let p = certified(&space, &phantom(k)).p;
            let tangent = (PI / (2 * k) as f64).tan() * bound;
            assert!(apart(&p, &exact) <= tangent + 1e-9 * bound, "{k} directions");
        }
    }
}

#[test]
fn the_bound_is_attained() {
    // slides fast, a hair beside the bisector of two corners: friction snaps to one of them
    let W = MatX::identity(3, 3);
    let u_free = vec![-1.0, 1e6 * (PI / 4.0 + 1e-3).cos(), 1e6 * (PI / 4.0 + 1e-3).sin()];
    let space = ContactSpace {
        h: 0.01,
        W: W.into(),
        u_free,
        contacts: vec![contact(0.7)],
        rows: Vec::new(),
    };
    let exact = certified(&space, &Law::Cone(Cone::default())).p;
    let p = certified(&space, &pyramid(4)).p;
    let chord = 2.0 * (PI / 8.0).sin() * 0.7;
    assert!(apart(&p, &exact) > 0.99 * chord, "{}", apart(&p, &exact));
}

#[test]
fn many_facets_come_near_the_cone_for_coupled_contacts_too() {
    for seed in 0..10 {
        let space = coupled(4, 0.4, &mut Random::new(seed));
        let exact = certified(&space, &Law::Cone(Cone::default())).p;
        for law in [pyramid, phantom] {
            let error = [8, 32, 128].map(|k| apart(&certified(&space, &law(k)).p, &exact));
            // the chord of each contact, enlarged by the condition of W (below 10)
            for (e, k) in error.iter().zip([8.0, 32.0, 128.0]) {
                assert!(*e <= 10.0 * PI / k * apart(&exact, &[0.0; 12]), "seed {seed}: {error:?}");
            }
        }
    }
}

/// The same contacts with tangents turned by these angles.
fn turned(space: &ContactSpace, angles: &[f64]) -> (ContactSpace, MatX) {
    let n = space.u_free.len();
    let mut R = MatX::identity(n, n);
    for (c, angle) in angles.iter().enumerate() {
        let (s, cos) = angle.sin_cos();
        let i = 3 * c + 1;
        (R[(i, i)], R[(i, i + 1)], R[(i + 1, i)], R[(i + 1, i + 1)]) = (cos, s, -s, cos);
    }
    let W = MatX::from_fn(n, n, |i, j| space.W.get(i, j));
    let u_free = &R * MatX::from_column_slice(n, 1, &space.u_free);
    let mut other = space.clone();
    (other.W, other.u_free) = ((&R * W * R.transpose()).into(), u_free.as_slice().to_vec());
    for (contact, angle) in other.contacts.iter_mut().zip(angles) {
        let turn = |[x, y]: [f64; 2]| {
            let (s, c) = angle.sin_cos();
            [c * x + s * y, -s * x + c * y]
        };
        (contact.u_t, contact.lambda_t) = (turn(contact.u_t), turn(contact.lambda_t));
    }
    (other, R)
}

#[test]
fn the_cone_does_not_care_where_its_tangents_point() {
    let mut worst_of_the_pyramid = 0.0_f64;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let space = coupled(3, 0.5, &mut random);
        let (other, R) = turned(&space, &random.numbers(3, 3.0));
        let deviation = |law: &Law| {
            let (a, b) = (certified(&space, law).p, certified(&other, law).p);
            let expected = &R * MatX::from_column_slice(9, 1, &a);
            apart(expected.as_slice(), &b) / apart(&a, &[0.0; 9])
        };
        assert!(deviation(&Law::Cone(Cone::default())) < 1e-9, "seed {seed}");
        assert!(deviation(&Law::Convex(Convex::default())) < 1e-6, "seed {seed}");
        worst_of_the_pyramid = worst_of_the_pyramid.max(deviation(&pyramid(4)));
    }
    assert!(worst_of_the_pyramid > 0.01, "{worst_of_the_pyramid}");
}

#[test]
fn laws_that_turn_to_the_slip_do_not_care_while_sliding() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut space = coupled(3, 0.5, &mut random);
        for c in &mut space.contacts {
            c.u_t = [random.between(0.1, 1.0), random.between(-1.0, 1.0)];
            (c.lambda_n, c.lambda_t) = (60.0, [-10.0, 5.0]);
            c.bristle = Some(Relaxation { k: 1e4, b: 10.0 });
        }
        let (other, R) = turned(&space, &random.numbers(3, 3.0));
        for law in [phantom(2), Law::Hybrid(Hybrid::default())] {
            let (a, b) = (certified(&space, &law).p, certified(&other, &law).p);
            let expected = &R * MatX::from_column_slice(9, 1, &a);
            assert!(apart(expected.as_slice(), &b) < 1e-9, "seed {seed}, {}", law.name());
        }
    }
}
