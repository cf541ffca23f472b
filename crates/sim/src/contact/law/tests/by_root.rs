//! Laws by the root of W, against their twins that have the entries of W made.

use super::*;
use crate::contact::delassus::Delassus;
use crate::contact::delassus::tests::{of_root, random_root};
use crate::contact::islands::islands;
use crate::contact::law::asked::FEW;
use crate::contact::space::BoundedRow;
use crate::testing::Random;

/// Contacts between random pairs of nodes of width 6 or of one node and the ground, `guides` of them guides; then bounded rows on one
/// node each.
fn random_space(
    seed: u64,
    nodes: usize,
    (k, guides, bounded): (usize, usize, usize),
) -> ContactSpace {
    let mut random = Random::new(seed);
    let mut blocks = Vec::new();
    for _ in 0..k {
        let (a, b) = (random.below(nodes), random.below(nodes));
        let own = if a == b { vec![a] } else { vec![a.min(b), a.max(b)] };
        blocks.push(own);
    }
    blocks.extend((0..bounded).map(|_| vec![random.below(nodes)]));
    let root = random_root(&mut random, &vec![6; nodes], (k, &blocks));
    let contacts = (0..k).map(|c| ContactData {
        sides: if c < guides { Sides::Both } else { Sides::One },
        tangents: if c % 3 == 1 { Tangents::Line } else { Tangents::Plane },
        eps_n: if c % 4 == 2 { 0.05 } else { 0.0 },
        d_n: random.between(-0.1, 0.1),
        mu_s: random.between(0.1, 0.8),
        ..contact(0.3)
    });
    let contacts = contacts.collect();
    let row = |i: usize| {
        let [lower, upper] =
            [[-0.2, 0.4], [0.0, f64::INFINITY], [f64::NEG_INFINITY, 0.1], [-1e9, 1e9]][i % 4];
        BoundedRow { eps: 0.01 * (i % 2) as f64, d: 0.1, lower, upper, lambda: 0.0 }
    };
    ContactSpace {
        h: 0.01,
        u_free: random.numbers(3 * k + bounded, 1.0),
        W: of_root(root),
        contacts,
        rows: (0..bounded).map(row).collect(),
    }
}

/// The same with entries alone.
fn twin(space: &ContactSpace) -> ContactSpace {
    ContactSpace { W: Delassus::from(space.W.matrix().clone()), ..space.clone() }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// With more blocks in one island than have entries made.
fn large_space(seed: u64, guides: usize, bounded: usize) -> ContactSpace {
    let space = random_space(seed, 30, (46, guides, bounded));
    let first = islands(&space);
    let largest = (0..first.len()).map(|i| first.iter().filter(|first| **first == i).count()).max();
    assert!(largest > Some(FEW), "{seed}: {largest:?}");
    space
}

/// One answer where there are more coordinates than rows, so that both are to find it.
#[test]
fn both_find_the_same_velocities() {
    let law = Law::Cone(Cone::default());
    for seed in 0..8 {
        let space = large_space(seed, 3 * (seed as usize % 2), 4 * (seed as usize % 3));
        let (by_root, by_entries) = (certified(&space, &law), certified(&twin(&space), &law));
        let difference = largest_difference(&by_root.u, &by_entries.u);
        assert!(difference < 1e-8, "{seed}: {difference}");
    }
}

/// Forces, slips and bristles of a last step: some contacts slide, some were open.
fn with_memory(mut space: ContactSpace, seed: u64) -> ContactSpace {
    let mut random = Random::new(seed + 50);
    for (c, contact) in space.contacts.iter_mut().enumerate() {
        contact.lambda_n = if c % 5 == 0 { 0.0 } else { random.between(0.0, 100.0) };
        contact.lambda_t = [random.between(-20.0, 20.0), random.between(-20.0, 20.0)];
        if contact.tangents == Tangents::Line {
            contact.lambda_t[1] = 0.0;
        }
        if c % 2 == 0 {
            contact.u_t = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        }
        if c % 4 == 3 {
            contact.bristle = Some(Relaxation { k: 1e4, b: 10.0 });
        }
    }
    space
}

#[test]
fn laws_with_bounds_find_the_same_velocities_by_root_and_by_entries() {
    let phantom = |directions| Law::Phantom(Phantom { directions, ..Default::default() });
    for law in [Law::Box(BoxLaw::default()), Law::Hybrid(Hybrid::default()), phantom(2), phantom(3)]
    {
        for seed in 0..6 {
            let guides = if let Law::Phantom(_) = law { 0 } else { 3 * (seed as usize % 2) };
            let space = with_memory(large_space(seed, guides, 4 * (seed as usize % 3)), seed);
            let (by_root, by_entries) = (certified(&space, &law), certified(&twin(&space), &law));
            let difference = largest_difference(&by_root.u, &by_entries.u);
            assert!(difference < 1e-8, "{} {seed}: {difference}", law.name());
        }
    }
}

#[test]
fn islands_by_coordinates_are_those_by_entries() {
    for seed in 0..50 {
        let space = random_space(seed, 30, (12, 0, 6));
        assert_eq!(islands(&space), islands(&twin(&space)), "{seed}");
    }
}

#[test]
fn the_judge_sees_the_same_by_root_and_by_entries() {
    let law = Law::Cone(Cone::default());
    let mut seen = 0;
    for seed in 0..50 {
        // of several parts another one may be the worst
        let space = random_space(seed, 4, (12, 2, 3));
        if islands(&space).iter().any(|first| *first != 0) {
            continue;
        }
        seen += 1;
        let p = Random::new(seed + 100).numbers(space.m(), 1.0);
        let (a, b) = (judge(&space, &law, &p), judge(&twin(&space), &law, &p));
        for (a, b) in [
            (a.gap_velocity, b.gap_velocity),
            (a.negative_impulse, b.negative_impulse),
            (a.complementarity, b.complementarity),
            (a.excess, b.excess),
            (a.misalignment, b.misalignment),
        ] {
            assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{seed}: {a} {b}");
        }
        // the root's sizes are no smaller: they are those of its own products
        assert!(a.velocity_scale >= 0.999 * b.velocity_scale, "{seed}: {a:?} {b:?}");
        assert!(a.velocity_scale <= 20.0 * b.velocity_scale, "{seed}: {a:?} {b:?}");
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn data_that_is_not_finite_is_refused() {
    let law = Law::Cone(Cone::default());
    let mut space = large_space(3, 0, 2);
    space.u_free[4] = f64::NAN;
    assert!(matches!(solve(&space, &law, LawSolver::Auto, TOL), Err(LawError::Problem(_))));
    let mut space = large_space(3, 0, 2);
    space.contacts[2].mu_s = -1.0;
    let error = solve(&space, &law, LawSolver::Auto, TOL);
    assert!(matches!(error, Err(LawError::Contact { contact: 2, name: "mu_s", .. })), "{error:?}");
}
