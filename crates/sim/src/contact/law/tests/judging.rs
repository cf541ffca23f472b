//! The judge itself: zero at answers one can check by hand, and the right number in the right place elsewhere.

use super::*;
use crate::testing::Random;

const H: f64 = 0.01;

/// 1 kg that would fall with 2 m/s and slide with (3, 4); μ = 0.5, remembered 2 N·s.
fn sliding() -> ContactSpace {
    let c = ContactData { lambda_n: 2.0 / H, ..contact(0.5) };
    let W = MatX::identity(3, 3);
    ContactSpace {
        h: H,
        W: W.into(),
        u_free: vec![-2., 3., 4.],
        contacts: vec![c],
        rows: Vec::new(),
    }
}

fn cone() -> Law {
    Law::Cone(Cone::default())
}

#[test]
fn each_violation_has_its_number() {
    let space = sliding();
    let right = [2.0, -0.6, -0.8];
    assert!(judge(&space, &cone(), &right).relative() < 1e-15);
    // too little: falls on with 0.5 m/s
    assert_eq!(judge(&space, &cone(), &[1.5, 0.0, 0.0]).gap_velocity, 0.5);
    // too much: 3 N·s part it with 1 m/s
    assert_eq!(judge(&space, &cone(), &[3.0, 0.0, 0.0]).complementarity, 3.0);
    assert_eq!(judge(&space, &cone(), &[-1.0, 0.0, 0.0]).negative_impulse, 1.0);
    assert_eq!(judge(&space, &cone(), &[2.0, -3.0, -4.0]).excess, 4.0);
    // no friction: 1 N·s times 5 m/s is not dissipated
    assert_eq!(judge(&space, &cone(), &[2.0, 0.0, 0.0]).misalignment, 5.0);
    // beyond the rim it takes more than the law allows: −2.5·0.5 − 1·3 + ‖(0.5, 3)‖
    let beyond = judge(&space, &cone(), &[2.0, -2.5, -1.0]).misalignment;
    assert!((beyond - (4.25 - 9.25_f64.sqrt())).abs() < 1e-15, "{beyond}");
}

#[test]
fn every_law_is_measured_by_its_own_section() {
    let space = sliding();
    let excess = |law: &Law, p_t: [f64; 2]| judge(&space, law, &[2.0, p_t[0], p_t[1]]).excess;
    let diamond = Law::Pyramid(Pyramid { facets: 4, ..Default::default() });
    let square = Law::Phantom(Phantom::default());
    let octagon = Law::Phantom(Phantom { directions: 4, ..Default::default() });
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a}, not {b}");
    // (1, 1) with μ p_n = 1: √2 from the centre; the diamond's side is at 1/√2
    close(excess(&diamond, [1.0, 1.0]), 0.5_f64.sqrt());
    close(excess(&square, [1.0, 1.0]), 0.0);
    close(excess(&octagon, [1.0, 1.0]), 2_f64.sqrt() - 1.0);
    close(excess(&cone(), [1.0, 1.0]), 2_f64.sqrt() - 1.0);
    close(excess(&Law::Frictionless, [1.0, 1.0]), 2_f64.sqrt());
    close(excess(&Law::Box(BoxLaw::default()), [1.5, 0.0]), 0.5);
    // the lagged bound does not ask p_n
    assert_eq!(judge(&space, &Law::Box(BoxLaw::default()), &[0.0, 1.0, 1.0]).excess, 0.0);
}

#[test]
fn distances_from_coulomb_are_told_beside_the_law() {
    let space = sliding();
    let diamond = Law::Pyramid(Pyramid { facets: 4, ..Default::default() });
    let answer = certified(&space, &diamond);
    // friction (0, −1) against a slip of (3, 3): 3√2 − 3 J are not dissipated
    assert!((answer.coulomb.misalignment - 3.0 * (2_f64.sqrt() - 1.0)).abs() < 1e-10);
    assert!(answer.residual.misalignment < 1e-12 && answer.coulomb.excess <= 1e-12);
    // the square is larger than the disc
    let square = Law::Phantom(Phantom::default());
    let answer = certified(&space, &square);
    assert!((answer.coulomb.excess - (2_f64.sqrt() - 1.0)).abs() < 1e-10);
}

#[test]
fn what_is_not_finite_never_passes() {
    let space = sliding();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for i in 0..3 {
            let mut p = [2.0, -0.6, -0.8];
            p[i] = bad;
            let residual = judge(&space, &cone(), &p);
            assert_eq!(residual, LawResidual::WORST);
            assert!(!residual.accepts(1e300) && !residual.accepts(f64::NAN));
            assert_eq!(coulomb_distance(&space, &cone(), &p), LawResidual::WORST);
        }
    }
    let mut broken = space.clone();
    broken.contacts[0].d_n = f64::NAN;
    assert!(!judge(&broken, &cone(), &[2.0, -0.6, -0.8]).accepts(1e300));
    let right = judge(&space, &cone(), &[2.0, -0.6, -0.8]);
    assert!(!right.accepts(f64::NAN));
}

/// Contacts of all kinds, with memory.
fn random_space(seed: u64) -> ContactSpace {
    let mut random = Random::new(seed);
    let k = 1 + random.below(3);
    let B = MatX::from_fn(3 * k, 3 * k, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / (3 * k) as f64 + MatX::identity(3 * k, 3 * k) * 0.3;
    let u_free = (0..3 * k).map(|i| random.between(-1.5, if i % 3 == 0 { 0.3 } else { 1.5 }));
    let u_free = u_free.collect();
    let contacts = (0..k).map(|_| {
        let size = if random.below(2) == 0 { 1.0 } else { 1e-4 };
        ContactData {
            sides: Sides::One,
            tangents: Tangents::Plane,
            phi: random.between(0.0, 1e-3),
            eps_n: random.between(0.0, 0.2),
            d_n: random.between(-0.2, 0.2),
            mu_s: random.between(0.2, 0.5),
            mu_k: random.between(0.1, 0.3),
            bristle: Some(Relaxation { k: 5e3, b: 20.0 }),
            u_t: [random.between(0.1, 1.0) * size, random.between(-1.0, 1.0) * size],
            lambda_n: random.between(10.0, 200.0),
            lambda_t: [random.between(-30.0, 30.0), random.between(-30.0, 30.0)],
        }
    });
    let contacts = contacts.collect();
    ContactSpace { h: 0.005, W: W.into(), u_free, contacts, rows: Vec::new() }
}

pub(super) fn settings() -> Vec<Law> {
    let pyramid = |facets, rows, stabilization| {
        Law::Pyramid(Pyramid { facets, rows, stabilization, v_stick: V_STICK })
    };
    let phantom =
        |directions, lateral| Law::Phantom(Phantom { directions, lateral, ..Default::default() });
    vec![
        Law::Frictionless,
        pyramid(3, NormalRows::Given, Stabilization::None),
        pyramid(4, NormalRows::StewartTrinkle, Stabilization::Forces),
        pyramid(7, NormalRows::AnitescuPotra, Stabilization::ScaledForces),
        phantom(2, Lateral::Relaxed { lambda_min: 1.0 }),
        phantom(3, Lateral::Free),
        phantom(5, Lateral::Relaxed { lambda_min: 100.0 }),
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Hybrid(Hybrid { lambda_min: 100.0, ..Default::default() }),
        cone(),
        Law::Convex(Convex::default()),
    ]
}

#[test]
fn solver_and_judge_agree_on_every_law_and_setting() {
    for seed in 0..40 {
        let space = random_space(seed);
        for law in settings() {
            let answer = certified(&space, &law);
            assert!(answer.residual.relative() < 1e-8, "seed {seed}, {law:?}: {answer:?}");
            // the judge reacts to a hundredth of what acts
            let size = answer.p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut p = answer.p.clone();
            for i in 0..p.len() {
                p[i] += 0.01 * size.max(0.1);
                let moved = judge(&space, &law, &p);
                assert!(moved.relative() > 1e-7, "seed {seed}, {law:?}, row {i}: {moved:?}");
                p[i] = answer.p[i];
            }
        }
    }
}

#[test]
fn phantom_inertia_and_thresholds_are_stated_in_the_units_of_the_solve() {
    // W_ii = 1/64 and u up to 4: units of 64 kg and 4 m/s
    let mut space = sliding();
    space.W = (MatX::identity(3, 3) / 64.0).into();
    let units = super::units::Units::of(&space);
    let lateral = Lateral::Relaxed { lambda_min: 256.0 };
    let law = Phantom { directions: 2, rho: 32.0, v_stick: 2.0, lateral };
    let lateral = Lateral::Relaxed { lambda_min: 1.0 };
    let scaled = Phantom { directions: 2, rho: 0.5, v_stick: 0.5, lateral };
    assert_eq!(units.law(&Law::Phantom(law)), Law::Phantom(scaled));
    assert_eq!(units.impulse(), 256.0);
    assert_eq!(units.space(&space).u_free, [-0.5, 0.75, 1.0]);
    assert_eq!(units.space(&space).W.get(1, 1), 1.0);
}

#[test]
fn other_units_by_powers_of_two_give_the_same_bits() {
    // metres, seconds and kilograms by powers of two; seconds scale h as well
    let (length, time, mass) = (2f64.powi(-10), 2f64.powi(7), 2f64.powi(20));
    let (velocity, force) = (length / time, mass * length / time / time);
    for seed in 0..10 {
        let space = random_space(seed);
        let n = space.u_free.len();
        let mut other = space.clone();
        other.h *= time;
        other.W = (MatX::from_fn(n, n, |i, j| space.W.get(i, j)) / mass).into();
        other.u_free.iter_mut().for_each(|u| *u *= velocity);
        for c in &mut other.contacts {
            c.phi *= length;
            c.eps_n /= mass;
            c.d_n *= velocity;
            c.bristle = Some(Relaxation { k: 5e3 * mass / time / time, b: 20.0 * mass / time });
            c.u_t = c.u_t.map(|u| u * velocity);
            c.lambda_n *= force;
            c.lambda_t = c.lambda_t.map(|x| x * force);
        }
        let v_stick = V_STICK * velocity;
        let phantom = Phantom { lateral: Lateral::Free, ..Default::default() };
        let pairs = [
            (Law::Frictionless, Law::Frictionless),
            (cone(), Law::Cone(Cone { v_stick })),
            (
                Law::Pyramid(Pyramid::default()),
                Law::Pyramid(Pyramid { v_stick, ..Default::default() }),
            ),
            (Law::Box(BoxLaw::default()), Law::Box(BoxLaw { v_stick })),
            (Law::Phantom(phantom), Law::Phantom(Phantom { v_stick, rho: mass, ..phantom })),
            (
                Law::Hybrid(Hybrid { lambda_min: 1.0, ..Default::default() }),
                Law::Hybrid(Hybrid { v_stick, lambda_min: force }),
            ),
        ];
        for (law, in_other_units) in pairs {
            let (a, b) = (certified(&space, &law), certified(&other, &in_other_units));
            for (a, b) in a.p.iter().zip(&b.p) {
                let expected = a * mass * velocity;
                assert_eq!(expected.to_bits(), b.to_bits(), "seed {seed}, {}", law.name());
            }
        }
    }
}
