//! Where the energy of a step goes, and that the books close.

mod contact;
mod located;
mod random;

use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Relaxation, SpringKind,
};
use stiction_sim::{
    BodyId, BodyLoad, Coordinates, Drift, Geometry, Inertia, Input, JointId, JointLoad, Ledger,
    Loads, Method, ModelSpec, Situation, StepSettings, Stiffness, Vec3, step,
};

use crate::mechanisms::{Mechanism, Run, SETS, gears, hinge, oblique, ten};

/// The share of the energy in play that may be left open: the rounding of some hundred entries, and room for the condition
/// of the mass matrix.
const CLOSED: f64 = 1e-12;

const DRIFTS: [Drift; 4] =
    [Drift::Free, Drift::Stabilize { beta: 0.3 }, Drift::Project, Drift::Close];
const STIFFNESSES: [Stiffness; 2] = [Stiffness::LinearlyImplicit, Stiffness::Explicit];

fn settings(h: f64) -> StepSettings {
    StepSettings { h, ledger: true, ..Default::default() }
}

/// Steps, and fails unless the ledger closes.
fn closed_step(run: &mut Run, settings: &StepSettings, input: &Input<'_>, what: &str) -> Ledger {
    let report = step(&run.model, settings, input, &mut run.state, &mut run.data)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let ledger = report.ledger.expect("asked for");
    assert_closed(&ledger, what);
    ledger
}

#[track_caller]
fn assert_closed(ledger: &Ledger, what: &str) {
    let (defect, in_play) = (ledger.defect().abs(), ledger.in_play());
    assert!(defect <= CLOSED * in_play, "{what}: {:.1e} of {ledger:?}", defect / in_play);
}

fn one(spec: &ModelSpec, set: Coordinates) -> Run {
    Run::new(spec.build(set).expect("a model"))
}

/// A mechanism with all that joints and loops can have besides: armatures, dampings, a relaxed loop, a relaxed drive, and
/// one spring of each kind.
fn dressed(mut m: Mechanism) -> Mechanism {
    let names: Vec<String> = m.spec.bodies.iter().map(|body| body.name.clone()).collect();
    let last = names.last().expect("a body");
    for (i, joint) in m.spec.joints.iter_mut().enumerate() {
        if joint.kind != JointKind::Free {
            joint.damping = vec![0.05 * (i + 1) as f64];
            joint.armature = vec![0.02 * (i + 1) as f64];
        }
    }
    let (a, b) = (FrameSpec::world().at(0.5, 0.3, 0.4), FrameSpec::of(last).at(0.1, 0.2, 0.1));
    let points = |rest| SpringKind::Points { a: a.clone(), b: b.clone(), rest };
    m.spec.spring("new string", points(0.3), 20.0, 0.4);
    m.spec.spring("new cord", points(0.0), 10.0, 0.3);
    m.spec.spring("new dashpot", points(0.0), 0.0, 0.2);
    m.spec.spring("new bushing", SpringKind::Torsion { a: a.clone(), b: b.clone() }, 3.0, 0.1);
    m.spec
        .constraint("new mount", ConstraintKind::Joint { kind: JointKind::Ball, a, b })
        .relaxation = Some(Relaxation { k: 40.0, b: 0.5 });
    let turns = |kind: &JointKind| matches!(kind, JointKind::Revolute { .. });
    if let Some(joint) = m.spec.joints.iter().find(|joint| turns(&joint.kind)) {
        let coordinate = CoordinateSpec::of(&joint.name);
        let kind = SpringKind::Coordinate { coordinate: coordinate.clone(), rest: 0.2 };
        m.spec.spring("new watch", kind, 4.0, 0.05);
        let law = Law::Sine { offset: 0.1, amplitude: 0.4, omega: 7.0, phase: 0.3 };
        m.spec.constraint("new servo", ConstraintKind::Drive { coordinate, law }).relaxation =
            Some(Relaxation { k: 15.0, b: 0.6 });
    }
    m
}

/// A drag that grows with the velocity, and a push on the first body.
fn wind(at: &Situation<'_>, loads: &mut Loads) {
    let v = &at.data.velocities().V[0].v;
    let p = at.data.positions().X_WB[0].p;
    loads.push(at.data, BodyId(0), &p, &Vec3::new(0.3, -0.1, 0.2 - 0.05 * v.norm()), &Vec3::x());
}

#[test]
fn every_step_of_every_mechanism_closes_whatever_the_settings() {
    let mut mechanisms = ten();
    mechanisms.push(gears());
    let bare: Vec<Mechanism> = mechanisms.clone();
    mechanisms.extend(bare.into_iter().map(dressed));
    for m in &mechanisms {
        for (set, drift, stiffness) in all_settings() {
            let mut run = m.run(set);
            let what = format!("{} {set:?} {drift:?} {stiffness:?}", m.name);
            let bodies = [BodyLoad {
                body: BodyId(0),
                p_UoQ_U: Vec3::new(0.1, 0.2, 0.3),
                f: Vec3::new(0.5, -0.4, 0.3),
                t: Vec3::new(0.1, 0.0, -0.2),
            }];
            let joints = [JointLoad { joint: JointId(1), index: 0, force: 0.3 }];
            let input = Input { bodies: &bodies, joints: &joints, force: Some(&wind), tau: &[] };
            let s = StepSettings { drift, stiffness, ..settings(4e-3) };
            for _ in 0..20 {
                closed_step(&mut run, &s, &input, &what);
            }
        }
    }
}

#[test]
fn a_step_that_looks_elsewhere_closes_too() {
    for m in ten().into_iter().chain(ten().into_iter().map(dressed)) {
        for (set, drift, stiffness) in all_settings() {
            if drift == Drift::Project {
                continue;
            }
            for geometry in [Geometry::Middle, Geometry::End] {
                let mut run = m.run(set);
                let what = format!("{} {set:?} {drift:?} {stiffness:?} {geometry:?}", m.name);
                let s = StepSettings { drift, stiffness, geometry, ..settings(2e-3) };
                for _ in 0..10 {
                    closed_step(&mut run, &s, &Input::default(), &what);
                }
            }
        }
    }
}

fn all_settings() -> Vec<(Coordinates, Drift, Stiffness)> {
    let drifts = SETS.into_iter().flat_map(|set| DRIFTS.map(|drift| (set, drift)));
    drifts.flat_map(|(set, drift)| STIFFNESSES.map(|stiffness| (set, drift, stiffness))).collect()
}

/// The other side of the ledger, by the function that sums what is stored.
#[test]
fn the_mechanical_energy_changes_by_all_that_is_neither_gravity_nor_spring() {
    for m in ten().into_iter().map(dressed) {
        for (set, drift, stiffness) in all_settings() {
            let mut run = m.run(set);
            let s = StepSettings { drift, stiffness, ..settings(4e-3) };
            let before = run.energy();
            let ledger = closed_step(&mut run, &s, &Input::default(), m.name);
            let rest: f64 = ledger.terms().iter().map(|(_, amount)| amount).sum::<f64>()
                - ledger.gravity
                - ledger.springs;
            let change = run.energy() - before;
            // potentials count from the origin and are rounded as such
            let slack = 1e-13 * before.abs() + CLOSED * ledger.in_play();
            assert!(
                (change - rest).abs() <= slack,
                "{} {set:?} {drift:?}: {change} {rest}",
                m.name
            );
        }
    }
}

#[test]
fn asking_for_the_ledger_changes_no_bit_of_the_motion() {
    for m in ten().into_iter().map(dressed) {
        for (set, drift, stiffness) in all_settings() {
            let (mut asked, mut not) = (m.run(set), m.run(set));
            let s = StepSettings { drift, stiffness, ..settings(4e-3) };
            for _ in 0..5 {
                asked.step(&s);
                assert_eq!(not.step(&StepSettings { ledger: false, ..s }).ledger, None);
            }
            assert_eq!(asked.state, not.state, "{} {set:?} {drift:?}", m.name);
        }
    }
}

#[test]
fn a_ledger_allocates_nothing_after_the_first() {
    for m in ten().into_iter().map(dressed) {
        for (set, drift, stiffness) in all_settings() {
            let mut run = m.run(set);
            let s = StepSettings { drift, stiffness, ..settings(4e-3) };
            run.step(&s);
            let allocations = allocation_counter::measure(|| {
                run.step(&s);
            });
            assert_eq!(allocations.count_total, 0, "{} {set:?} {drift:?} {stiffness:?}", m.name);
        }
    }
}

#[test]
fn the_methods_for_smooth_motion_have_no_ledger() {
    for method in [Method::Symmetric, Method::Extrapolated] {
        let mut run = ten()[0].run(Coordinates::Generalized);
        assert_eq!(run.step(&StepSettings { method, ..settings(1e-3) }).ledger, None);
    }
}

#[test]
fn a_free_fall_is_gravity_and_half_the_square_of_what_it_adds() {
    let mut spec = ModelSpec::new();
    spec.body("ball", Inertia::principal(2.0, [0.3; 3]));
    for set in SETS {
        let mut run = one(&spec, set);
        run.state.v.copy_from_slice(&[1.0, 0.0, 3.0, 0.5, -2.0, 1.0]);
        let (m, g, h) = (2.0, 9.81, 0.01);
        let ledger = closed_step(&mut run, &settings(h), &Input::default(), "fall");
        assert!((ledger.gravity + m * g * h * (3.0 - g * h)).abs() < 1e-13, "{ledger:?}");
        assert!((ledger.numerical + 0.5 * m * (g * h) * (g * h)).abs() < 1e-14, "{ledger:?}");
        let others = Ledger { gravity: 0.0, numerical: 0.0, ..ledger };
        assert!(others.terms().iter().all(|(_, amount)| *amount == 0.0), "{ledger:?}");
    }
}

#[test]
fn a_body_without_symmetry_changes_its_energy_in_flight_by_what_the_ledger_says() {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("racket", oblique(1));
    let mut run = one(&spec, Coordinates::Generalized);
    run.state.v.copy_from_slice(&[0.3, -0.2, 0.1, 4.0, 5.0, -3.0]);
    for _ in 0..100 {
        let ledger = closed_step(&mut run, &settings(0.02), &Input::default(), "flight");
        // the splitting is of second order: the term is there and small
        assert!(ledger.numerical != 0.0 && ledger.numerical.abs() < 1e-2 * ledger.kinetic[0]);
    }
}

/// A mass of 1 kg on a spring of 100 N/m with a damper, moving along x without gravity.
fn sprung_mass(stiffness: f64, damping: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("mass", Inertia::principal(1.0, [1.0; 3]));
    let slide = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("slide", slide, FrameSpec::world(), FrameSpec::of("mass"));
    let kind = SpringKind::Coordinate { coordinate: CoordinateSpec::of("slide"), rest: 0.0 };
    spec.spring("spring", kind, stiffness, damping);
    spec
}

#[test]
fn a_spring_stores_and_the_method_takes_or_gives_half_of_what_it_lags_behind() {
    let (k, h) = (100.0, 0.02);
    for stiffness in STIFFNESSES {
        let mut run = one(&sprung_mass(k, 0.0), Coordinates::Generalized);
        (run.state.q[0], run.state.v[0]) = (0.1, 0.7);
        let s = StepSettings { stiffness, ..settings(h) };
        let ledger = closed_step(&mut run, &s, &Input::default(), "spring");
        let (x, v) = (run.state.q[0], run.state.v[0]);
        assert!((ledger.springs + 0.5 * k * (x * x - 0.01)).abs() < 1e-14, "{ledger:?}");
        let sign = if stiffness == Stiffness::Explicit { 1.0 } else { -1.0 };
        let expected = sign * 0.5 * k * (h * v) * (h * v) - 0.5 * (v - 0.7) * (v - 0.7);
        assert!((ledger.numerical - expected).abs() < 1e-14, "{ledger:?}");
        assert_eq!(ledger.damping, 0.0);
    }
}

#[test]
fn a_spring_as_stiff_as_a_joint_still_closes() {
    for mut m in ten() {
        let last = m.spec.bodies.last().expect("a body").name.clone();
        let p = Vec3::new(0.5, 0.3, 0.4);
        let rest = (m.run(Coordinates::Generalized).body(&last).0.p - p).norm();
        let (a, b) = (FrameSpec::world().at(p.x, p.y, p.z), FrameSpec::of(&last));
        m.spec.spring("stiff", SpringKind::Points { a, b, rest }, 1.0, 0.0);
        for stiffness in [1e4, 1e8, 1e12, 1e16] {
            m.spec.springs.last_mut().expect("a spring").stiffness = stiffness;
            for set in SETS {
                let mut run = m.run(set);
                let what = format!("{} {set:?} {stiffness:e}", m.name);
                for _ in 0..10 {
                    closed_step(&mut run, &settings(1e-3), &Input::default(), &what);
                }
            }
        }
    }
}

#[test]
fn a_damper_loses_its_force_times_its_way() {
    let (b, h) = (3.0, 0.02);
    for stiffness in STIFFNESSES {
        let mut run = one(&sprung_mass(0.0, b), Coordinates::Generalized);
        run.state.v[0] = 0.7;
        let s = StepSettings { stiffness, ..settings(h) };
        let ledger = closed_step(&mut run, &s, &Input::default(), "damper");
        let v = run.state.v[0];
        assert!((ledger.damping + h * b * v * v).abs() < 1e-15, "{ledger:?}");
        let explicit = if stiffness == Stiffness::Explicit { h * b * v * (v - 0.7) } else { 0.0 };
        let expected = explicit - 0.5 * (v - 0.7) * (v - 0.7);
        assert!((ledger.numerical - expected).abs() < 1e-15, "{ledger:?}");
    }
}

#[test]
fn a_drive_at_a_constant_rate_pays_what_the_damping_loses() {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("wheel", Inertia::principal(1.0, [0.2; 3]));
    let child = FrameSpec::of("wheel");
    spec.joint("axle", hinge(Vec3::z()), FrameSpec::world(), child).damping = vec![0.5];
    let (coordinate, law) = (CoordinateSpec::of("axle"), Law::rate(0.0, 3.0));
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    for (set, drift, stiffness) in all_settings() {
        let mut run = one(&spec, set);
        *run.state.v.last_mut().expect("a velocity") = 3.0;
        let h = 0.01;
        let s = StepSettings { drift, stiffness, ..settings(h) };
        let ledger = closed_step(&mut run, &s, &Input::default(), "drive");
        let lost = 0.5 * 9.0 * h;
        assert!((ledger.drives - lost).abs() < 1e-13, "{set:?} {drift:?}: {ledger:?}");
        assert!((ledger.damping + lost).abs() < 1e-13, "{set:?} {drift:?}: {ledger:?}");
        let rest = [ledger.numerical, ledger.stabilization, ledger.applied];
        assert!(rest.iter().all(|amount| amount.abs() < 1e-13), "{set:?} {drift:?}: {ledger:?}");
    }
}

#[test]
fn forces_from_outside_pay_force_times_way() {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("mass", Inertia::principal(2.0, [1.0; 3]));
    let slide = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("slide", slide, FrameSpec::world(), FrameSpec::of("mass"));
    let f = Vec3::new(3.0, 0.0, 0.0);
    let bodies = [BodyLoad { body: BodyId(0), p_UoQ_U: Vec3::zeros(), f, t: Vec3::zeros() }];
    let joints = [JointLoad { joint: JointId(0), index: 0, force: 4.0 }];
    let push = |at: &Situation<'_>, loads: &mut Loads| {
        loads.push(at.data, BodyId(0), &Vec3::zeros(), &Vec3::new(5.0, 0.0, 0.0), &Vec3::zeros());
    };
    for set in SETS {
        let mut run = one(&spec, set);
        run.state.v[0] = 1.0;
        let tau = [2.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let tau = &tau[..run.model.nv()];
        let input = Input { tau, bodies: &bodies, joints: &joints, force: Some(&push) };
        let ledger = closed_step(&mut run, &settings(0.1), &input, "push");
        let x = run.body("mass").0.p.x;
        assert!((ledger.applied - 14.0 * x).abs() < 1e-13, "{set:?}: {ledger:?}");
    }
}

#[test]
fn what_closes_is_what_the_report_says_of_stabilization() {
    for m in ten() {
        for (set, drift, stiffness) in all_settings() {
            let mut run = m.run(set);
            let s = StepSettings { drift, stiffness, ..settings(4e-3) };
            for _ in 0..5 {
                let report = run.step(&s);
                let ledger = report.ledger.expect("asked for");
                let apart = (ledger.stabilization - report.stabilization_work).abs();
                // the report takes differences of energies that count from the origin
                assert!(apart <= 1e-12 * (ledger.in_play() + run.energy().abs()), "{}", m.name);
            }
        }
    }
}
