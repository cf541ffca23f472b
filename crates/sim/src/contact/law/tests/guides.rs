//! Guides and bounded rows: prox and complementarity forms have the same solutions, and laws that mean the same agree.

use super::*;
use crate::contact::space::BoundedRow;
use crate::testing::Random;

/// Contacts of both kinds and bounded rows of all kinds, coupled at random; W is regular, and μ small enough that nothing
/// jams, so that the answer is unique.
fn random_space(random: &mut Random, tangents: Tangents) -> ContactSpace {
    let (k, r) = (1 + random.below(3), 1 + random.below(4));
    let m = 3 * k + r;
    let B = MatX::from_fn(m, m + 2, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / m as f64 + MatX::identity(m, m) * 0.5;
    let contacts = (0..k).map(|_| ContactData {
        sides: if random.below(2) == 0 { Sides::Both } else { Sides::One },
        tangents,
        d_n: random.between(-0.5, 0.5),
        eps_n: if random.below(2) == 0 { 0.0 } else { 0.1 },
        ..contact(random.between(0.0, 0.3))
    });
    let contacts = contacts.collect();
    let rows = (0..r).map(|_| {
        let (a, b) = (random.between(-1.0, 0.5), random.between(0.0, 0.8));
        let (lower, upper) = match random.below(3) {
            0 => (0.0, f64::INFINITY),
            1 => (f64::NEG_INFINITY, b),
            _ => (a, a + b),
        };
        BoundedRow { eps: 0.0, d: random.between(-0.5, 0.5), lower, upper, lambda: 0.0 }
    });
    let rows = rows.collect();
    let u_free = (0..m).map(|_| random.between(-1.5, 1.5)).collect();
    ContactSpace { h: 0.01, W: W.into(), u_free, contacts, rows }
}

/// `prox(p − r w)` of everything: lines, half-lines, discs of radius μ|p_n|, intervals [SNT eq. 9].
fn prox(space: &ContactSpace, p: &[f64], r: f64) -> Vec<f64> {
    let mut u = vec![0.0; p.len()];
    space.W.affine(p, &space.u_free, &mut u);
    let mut next = Vec::new();
    for (i, c) in space.contacts.iter().enumerate() {
        let n = 3 * i;
        let p_n = p[n] - r * (u[n] + c.eps_n * p[n] + c.d_n);
        next.push(if c.sides == Sides::Both { p_n } else { p_n.max(0.0) });
        let (x, y) = (p[n + 1] - r * u[n + 1], p[n + 2] - r * u[n + 2]);
        let (size, radius) = (x.hypot(y), c.mu_s * p[n].abs());
        let shrink = if size <= radius { 1.0 } else { radius / size };
        next.extend(match c.tangents {
            Tangents::Plane => [x * shrink, y * shrink],
            Tangents::Line => [x.clamp(-radius, radius), 0.0],
        });
    }
    for (i, row) in space.rows.iter().enumerate() {
        let n = 3 * space.k() + i;
        next.push((p[n] - r * (u[n] + row.d)).clamp(row.lower, row.upper));
    }
    next
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn solved(space: &ContactSpace, law: &Law) -> Vec<f64> {
    let answer = solve(space, law, LawSolver::Auto, TOL).expect("a problem");
    assert_eq!(answer.verdict, Verdict::Certified, "{} {:?}", law.name(), answer.residual);
    answer.p
}

/// Laws that are Coulomb's where friction acts on a line.
fn laws() -> [Law; 3] {
    let phantom = Phantom { v_stick: 1.0, ..Default::default() };
    [Law::Cone(Cone::default()), Law::Pyramid(Pyramid::default()), Law::Phantom(phantom)]
}

#[test]
fn on_a_line_cone_pyramid_and_phantom_are_one_law_also_for_guides_and_rows() {
    let mut random = Random::new(11);
    for case in 0..300 {
        let space = random_space(&mut random, Tangents::Line);
        let answers = laws().map(|law| solved(&space, &law));
        for (p, law) in answers.iter().zip(laws()) {
            assert!(distance(p, &answers[0]) < 1e-9, "case {case}: {} {p:?}", law.name());
        }
    }
}

#[test]
fn what_solves_the_complementarity_form_is_a_fixed_point_of_the_prox_form_for_every_r() {
    let mut random = Random::new(12);
    for case in 0..300 {
        let tangents = if case % 2 == 0 { Tangents::Plane } else { Tangents::Line };
        let space = random_space(&mut random, tangents);
        let p = solved(&space, &Law::Cone(Cone::default()));
        for r in [0.01, 0.3, 1.0, 20.0] {
            let off = distance(&prox(&space, &p, r), &p);
            assert!(off < 1e-9 * (1.0 + r), "case {case}, r {r}: {off}");
        }
    }
}

#[test]
fn what_the_prox_iteration_converges_to_solves_the_complementarity_form() {
    let mut random = Random::new(13);
    let mut converged = 0;
    for _ in 0..100 {
        let space = random_space(&mut random, Tangents::Line);
        let mut p = vec![0.0; space.m()];
        for _ in 0..3000 {
            p = prox(&space, &p, 0.3);
        }
        if distance(&prox(&space, &p, 0.3), &p) > 1e-13 {
            continue;
        }
        converged += 1;
        for law in laws() {
            assert!(judge(&space, &law, &p).accepts(1e-9), "{}", law.name());
            assert!(distance(&solved(&space, &law), &p) < 1e-8, "{}", law.name());
        }
    }
    assert!(converged >= 80, "{converged}");
}

#[test]
fn the_judge_refuses_a_guide_that_gives_way_and_a_row_beyond_its_bounds() {
    let mut random = Random::new(14);
    for _ in 0..50 {
        let space = random_space(&mut random, Tangents::Line);
        let law = Law::Cone(Cone::default());
        let p = solved(&space, &law);
        assert!(judge(&space, &law, &p).accepts(1e-9));
        for i in (0..p.len()).filter(|i| *i >= 3 * space.k() || i % 3 != 2) {
            for by in [1e-4, -1e-4, f64::NAN] {
                let mut wrong = p.clone();
                wrong[i] += by;
                assert!(!judge(&space, &law, &wrong).accepts(1e-7), "row {i} by {by}");
            }
        }
    }
}

#[test]
fn the_convex_law_keeps_bounds_and_refuses_guides_by_name() {
    let mut random = Random::new(15);
    for case in 0..40 {
        let mut space = random_space(&mut random, Tangents::Line);
        let law = Law::Convex(Convex::default());
        if space.contacts.iter().any(|c| c.sides == Sides::Both) {
            let error = solve(&space, &law, LawSolver::Auto, 1e-10).expect_err("a guide");
            assert!(error.to_string().contains("no guides"), "{error}");
        }
        space.contacts.iter_mut().for_each(|c| c.sides = Sides::One);
        let answer = solve(&space, &law, LawSolver::Auto, 1e-10).expect("a problem");
        assert_eq!(answer.verdict, Verdict::Certified, "case {case} {:?}", answer.residual);
    }
}
