//! What impacts do to energy: rods that gain under Newton's law, laws that never gain, the assumptions of [AP].

use stiction_sim::contact::law::Law;
use stiction_sim::impact::{ImpactLaw, ImpactReport, ImpactSettings, Treatment};
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{Inertia, Model, ModelSpec, Quat, State, Vec3};

use crate::impact::{LAWS, by, certified, ground};
use crate::sample::Rng;
use crate::scenes::{add_points, build, largest_difference, place};

/// A slender rod that stands on one end at any angle, and approaches the ground there. `planar`: all of it in the plane of
/// x and z.
fn rod(rng: &mut Rng, planar: bool) -> (Model, State) {
    let (mass, half) = (rng.between(0.2, 3.0), rng.between(0.2, 1.0));
    let (e, mu) = (rng.between(0.0, 1.0), rng.between(0.0, 1.5));
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, e);
    let moment = mass * half * half / 3.0;
    let inertia = Inertia::principal(mass, [moment, moment, 1e-3 * moment]);
    add_points(&mut spec, "rod", inertia, vec![Vec3::new(0.0, 0.0, -half)]);
    let (model, mut state) = build(&spec);
    let tilt = rng.between(-1.5, 1.5);
    let heading = if planar { 0.0 } else { rng.between(-3.0, 3.0) };
    let axis = Vec3::new(-heading.sin(), heading.cos(), 0.0);
    let quat = Quat::exp(&(axis * tilt));
    let arm = quat.to_matrix() * Vec3::new(0.0, 0.0, half);
    place(&mut state, 0, arm, quat);
    for i in 0..6 {
        state.v[i] = rng.between(-3.0, 3.0);
    }
    if planar {
        (state.v[1], state.v[3], state.v[5]) = (0.0, 0.0, 0.0);
    }
    // the end comes down
    let w_W = quat.to_matrix() * Vec3::new(state.v[3], state.v[4], state.v[5]);
    let own = w_W.cross(&-arm).z;
    state.v[2] = -own - rng.between(0.01, 3.0);
    (model, state)
}

/// Impacts that gained energy, and the largest gain as a share of K⁻; every report is asked whether it tells.
fn gains(law: ImpactLaw, n: usize, planar: bool, seed: u64) -> (usize, f64) {
    let mut rng = Rng(seed);
    let (mut count, mut largest) = (0, 0.0_f64);
    for i in 0..n {
        let (model, mut state) = rod(&mut rng, planar);
        let report = certified(&model, &by(law), &mut state);
        assert_eq!(report.contacts, 1);
        let grew = report.K_after - report.K_before;
        let K = report.K_before;
        if report.gained > 0.0 {
            assert!((grew - report.gained).abs() <= 1e-12 * K, "{law:?} {i}: {report:?}");
            (count, largest) = (count + 1, largest.max(grew / K));
        } else {
            assert!(grew <= 1e-12 * K, "{law:?} {i}: {grew:e} of {K}: {report:?}");
        }
        if let Some(K_c) = report.K_compressed {
            assert!(K_c <= K * (1.0 + 1e-12), "{law:?} {i}: {report:?}");
        }
    }
    (count, largest)
}

fn rods(n: usize) {
    for planar in [true, false] {
        for law in LAWS {
            let (count, largest) = gains(law, n, planar, 11);
            println!("{law:?} planar {planar}: {count} of {n} gained, at most {largest:.3} of K⁻");
            match law {
                // e up to 1 and μ up to 1.5; measured: 1.8 and 2.2 % in the plane
                ImpactLaw::Newton | ImpactLaw::Poisson => {
                    assert!(count > 0 && count < 3 * n / 100, "{law:?}: {count}");
                }
                ImpactLaw::ClosedForm | ImpactLaw::Dissipative => assert_eq!(count, 0, "{law:?}"),
            }
        }
    }
}

#[test]
fn rods_that_gain_energy_are_told_of_and_two_laws_never_gain() {
    rods(10_000);
}

#[test]
#[ignore = "long: a million impacts under each law"]
fn a_million_rods_that_gain_energy_are_told_of_and_two_laws_never_gain() {
    rods(500_000);
}

/// Balls of several masses in a heap that touch or overlap, two of them joined by a rod, on the ground, flying anyhow.
fn heap(rng: &mut Rng, mu: f64, restitution: impl Fn(&mut Rng) -> f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    let e = restitution(rng);
    ground(&mut spec, mu, e);
    let n = 5;
    for i in 0..n {
        let name = format!("ball {i}");
        let mass = rng.between(0.2, 3.0);
        spec.material(&name, Surface { e: restitution(rng), ..Surface::rigid(mu) });
        spec.body(&name, Inertia::principal(mass, [0.1 * mass; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, &name);
    }
    let end = |x: f64, i: usize| FrameSpec::of(&format!("ball {i}")).at(x, 0.0, 0.0);
    spec.body("bar", Inertia::principal(0.5, [0.1; 3]));
    let kind = JointKind::Ball;
    spec.joint("left", kind.clone(), end(0.5, 3), FrameSpec::of("bar").at(-0.5, 0.0, 0.0));
    spec.joint("right", kind, FrameSpec::of("bar").at(0.5, 0.0, 0.0), end(-0.5, 4));
    let (model, mut state) = build(&spec);
    let places = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.5, 0.0, 1.3]];
    for (i, p) in places.into_iter().enumerate() {
        let range = q_of(&model, &format!("ball {i}"));
        state.q[range.start..range.start + 3].copy_from_slice(&p);
    }
    let range = q_of(&model, "ball 3");
    state.q[range.start..range.start + 3].copy_from_slice(&[2.0, 0.0, 0.5]);
    for v in &mut state.v {
        *v = rng.between(-2.0, 2.0);
    }
    (model, state)
}

/// The positions of the joint that carries a body.
fn q_of(model: &Model, body: &str) -> std::ops::Range<usize> {
    model.bodies()[model.body(body).expect("a body").0 as usize].q_range()
}

fn v_of(model: &Model, body: &str) -> std::ops::Range<usize> {
    model.bodies()[model.body(body).expect("a body").0 as usize].v_range()
}

fn total(report: &ImpactReport) -> Vec<f64> {
    report.p_c.iter().zip(&report.p_d).map(|(c, d)| c + d).collect()
}

#[test]
fn under_the_assumptions_the_closed_form_is_poissons_law_and_energy_does_not_grow() {
    let mut rng = Rng(5);
    let mut pressed = 0;
    for i in 0..1000 {
        let e = rng.between(0.0, 1.0);
        let (model, mut start) = heap(&mut rng, 0.0, |_| e);
        // (d): all rest but one ball that comes, and balls may spin
        let coming = format!("ball {}", rng.index(5));
        for ball in (0..5).map(|ball| format!("ball {ball}")) {
            let range = v_of(&model, &ball);
            let moving = if ball == coming { 0 } else { range.len() - 3 };
            start.v[range.start..range.start + moving].fill(0.0);
        }
        start.v[v_of(&model, "bar")].fill(0.0);
        let mut after = Vec::new();
        let mut reports = Vec::new();
        for law in LAWS {
            let mut state = start.clone();
            reports.push(certified(&model, &by(law), &mut state));
            after.push(state.v);
        }
        if !reports[0].assumptions.all() {
            continue;
        }
        pressed += usize::from(total(&reports[0]).iter().any(|p| *p > 1e-6));
        let size = start.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (law, report) in LAWS.iter().zip(&reports) {
            assert!(report.K_after <= report.K_before * (1.0 + 1e-12), "{i} {law:?}: {report:?}");
            assert!(report.approach <= 1e-10 * size, "{i} {law:?}: {report:?}");
        }
        for (law, v) in LAWS.iter().zip(&after) {
            let off = largest_difference(v, &after[0]);
            assert!(off <= 1e-10 * size, "{i} {law:?}: off by {off:e}");
        }
    }
    assert!(pressed >= 50, "{pressed} impacts under the assumptions");
}

#[test]
fn old_contacts_of_less_restitution_push_again_and_the_closed_form_knows() {
    // e of the ground is 0.2, of the balls against each other up to 0.8: (c) with a strict inequality
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.0, 0.2);
    spec.material("lively", Surface { e: 0.8, ..Surface::rigid(0.0) });
    for name in ["low", "high"] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(name, FrameSpec::of(name), Shape::Sphere { radius: 0.5 }, "lively");
    }
    let (model, mut start) = build(&spec);
    place(&mut start, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
    place(&mut start, 1, Vec3::new(0.0, 0.0, 1.5), Quat::IDENTITY);
    start.v[8] = -1.0;
    let mut poisson = start.clone();
    let report = certified(&model, &by(ImpactLaw::Poisson), &mut poisson);
    assert!(report.assumptions.all(), "{report:?}");
    // c_n^x = (ε − e_i) c_n^c at the ground, beside the 0.2 c_n^c that it returns
    assert!((report.p_d[0] - 0.8 * report.p_c[0]).abs() < 1e-12, "{report:?}");
    let mut closed = start.clone();
    certified(&model, &by(ImpactLaw::ClosedForm), &mut closed);
    assert!(largest_difference(&poisson.v, &closed.v) < 1e-12, "{:?} {:?}", poisson.v, closed.v);
    assert!((poisson.v[8] - 0.8).abs() < 1e-12 && poisson.v[2].abs() < 1e-12, "{:?}", poisson.v);
}

#[test]
fn heaps_with_joints_and_friction_gain_nothing_under_the_dissipative_laws() {
    let mut rng = Rng(9);
    for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
        for law in LAWS {
            let mut gained = 0;
            for i in 0..100 {
                let mu = rng.between(0.0, 1.0);
                let (model, mut state) = heap(&mut rng, mu, |rng| rng.between(0.0, 1.0));
                let settings = ImpactSettings { treatment, ..by(law) };
                let report = certified(&model, &settings, &mut state);
                let grew = report.K_after - report.K_before;
                let K = report.K_before;
                assert!(
                    (grew - report.gained).abs() <= 1e-12 * K || grew <= 1e-12 * K,
                    "{i} {law:?}: {report:?}"
                );
                assert!(report.gained == 0.0 || grew > 0.0, "{i} {law:?}: {report:?}");
                gained += usize::from(report.gained > 0.0);
                // outside of its assumptions the closed form may leave bodies that approach, and tells
                if law != ImpactLaw::ClosedForm {
                    assert!(report.approach <= 1e-9, "{i} {law:?} {treatment:?}: {report:?}");
                }
            }
            println!("{law:?} {treatment:?}: {gained} of 100 heaps gained");
            if matches!(law, ImpactLaw::Dissipative | ImpactLaw::ClosedForm) {
                assert_eq!(gained, 0, "{law:?} {treatment:?}");
            }
        }
    }
}

#[test]
fn without_friction_newton_and_poisson_agree_on_one_contact() {
    let mut rng = Rng(3);
    for _ in 0..200 {
        let (model, start) = rod(&mut rng, false);
        let after = [ImpactLaw::Newton, ImpactLaw::Poisson].map(|law| {
            let mut state = start.clone();
            let settings = ImpactSettings { friction: Law::Frictionless, ..by(law) };
            certified(&model, &settings, &mut state);
            state.v
        });
        let size = start.v.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        assert!(largest_difference(&after[0], &after[1]) <= 1e-11 * size, "{after:?}");
    }
}
