//! Positions projected at the end of a step: constraints hold, nothing overlaps, and no energy comes of it.

use stiction_sim::contact::law::Law as FrictionLaw;
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{
    ConstraintKind, FrameSpec, GuideKind, JointKind, Relaxation, Shape, SpringKind, Surface,
};
use stiction_sim::projection::ProjectionOutcome;
use stiction_sim::tree::energy;
use stiction_sim::{
    Coordinates, Drift, Inertia, ModelSpec, Pose, StepError, StepReport, StepSettings, Vec3,
};

use crate::laws_units::{Units, numbers};
use crate::mechanisms::{
    Bars, Mechanism, Run, SETS, driven_four_bar, four_bar, gears, hanging_chain, hinge, rod, ten,
};
use crate::sample::{Rng, forest};
use crate::touching::scenes;
use crate::units_contact::in_units;

/// The share of the energy in play that is rounding: some hundred entries, and the condition of the mass matrix.
const ROUNDING: f64 = 1e-12;

const BARS: Bars = Bars { a: 0.4, b: 1.2, c: 0.8, d: 1.0 };

fn settings(h: f64) -> StepSettings {
    let contact = ContactSettings { normal: NormalRow::Velocity, ..Default::default() };
    StepSettings { h, drift: Drift::Project, contact, ledger: true, ..Default::default() }
}

/// Fails unless the step gained nothing by its projection and its ledger closes.
#[track_caller]
fn assert_sound(report: &StepReport, what: &str) {
    let ledger = report.ledger.expect("asked for");
    let projection = report.projection.expect("asked for");
    let in_play = ledger.in_play();
    assert!(ledger.defect().abs() <= ROUNDING * in_play, "{what}: {ledger:?}");
    // the projection's own books count potentials from the origin, as places are rounded there
    let slack = ROUNDING * (in_play + 100.0);
    assert!(projection.work <= slack, "{what}: {projection:?}");
    assert!(ledger.projection <= slack, "{what}: {ledger:?}");
    assert!((ledger.projection - projection.work).abs() <= slack, "{what}: {ledger:?}");
}

/// The same, and everything holds that could be paid.
#[track_caller]
fn assert_held(report: &StepReport, what: &str) {
    assert_sound(report, what);
    let projection = report.projection.expect("asked for");
    assert_eq!(projection.outcome, ProjectionOutcome::Whole, "{what}: {projection:?}");
    assert!(report.gap <= 1e-10 && report.misalignment <= 1e-10, "{what}: {report:?}");
    assert!(projection.overlap <= 1e-10, "{what}: {projection:?}");
}

fn material(surface: Surface) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("stuff", surface);
    spec
}

fn add(spec: &mut ModelSpec, name: &str, shape: Shape) {
    spec.body(name, Inertia::principal(1.0, [0.02, 0.03, 0.04]));
    spec.shape(name, FrameSpec::of(name), shape, "stuff");
}

fn built(spec: &ModelSpec, set: Coordinates) -> Run {
    Run::new(spec.build(set).expect("a scene"))
}

/// Driven in all its freedom there is no motion to pay with (`docs/theory/projection.md`).
fn is_driven(m: &Mechanism) -> bool {
    m.spec.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Drive { .. }))
}

#[test]
fn no_mechanism_gains_by_its_projection_and_every_joint_is_closed() {
    let mut mechanisms = ten();
    mechanisms.push(gears());
    for m in &mechanisms {
        for set in SETS {
            let mut run = m.run(set);
            let mut free = run.clone();
            for _ in 0..100 {
                let report = run.step(&settings(2e-3));
                if is_driven(m) {
                    assert_sound(&report, m.name);
                    let left = free.step(&StepSettings { drift: Drift::Free, ..settings(2e-3) });
                    assert!(report.gap <= left.gap + 1e-12, "{}: {report:?}", m.name);
                } else {
                    assert_held(&report, m.name);
                }
            }
        }
    }
}

#[test]
fn a_hanging_chain_of_free_bodies_pays_for_being_lifted() {
    let mut run = hanging_chain().run(Coordinates::Maximal);
    let paid: f64 = (0..200)
        .map(|_| {
            let report = run.step(&settings(2e-3));
            assert_held(&report, "chain");
            report.projection.expect("asked for").paid
        })
        .sum();
    assert!(paid > 1e-6, "{paid}");
}

/// Balls on a random forest over the ground, springs between them.
fn random_scene(rng: &mut Rng) -> ModelSpec {
    let n = 2 + rng.index(4);
    let mut spec = forest(rng, n);
    spec.material("stuff", Surface::rigid(rng.between(0.0, 0.9)));
    spec.shape("ground", FrameSpec::world().at(0.0, 0.0, -1.0), Shape::HalfSpace, "stuff");
    for i in 0..n {
        let name = format!("b{i}");
        let radius = rng.between(0.1, 0.4);
        spec.shape(&name, rng.frame(Some(&name)), Shape::Sphere { radius }, "stuff");
        let kind = SpringKind::Points {
            a: rng.frame(None),
            b: rng.frame(Some(&name)),
            rest: rng.between(0.0, 0.5),
        };
        spec.spring(&name, kind, rng.between(1.0, 200.0), 0.0);
    }
    spec
}

#[test]
fn no_random_scene_gains_and_what_can_be_paid_is_apart() {
    let [mut whole, mut part, mut refused] = [0; 3];
    for seed in 0..150 {
        let mut rng = Rng(seed);
        let spec = random_scene(&mut rng);
        let set = SETS[rng.index(2)];
        let tree = built(&spec, Coordinates::Generalized);
        let mut run = built(&spec, set);
        let mut state = tree.state.clone();
        state.v.iter_mut().for_each(|v| *v = rng.between(-2.0, 2.0));
        run.state = run.model.state_from(&tree.model, &state).expect("the same scene");
        let mut s = settings(rng.between(5e-4, 4e-3));
        s.contact.strictness = Strictness::Lenient;
        for _ in 0..30 {
            match run.try_step(&s) {
                Ok(report) => {
                    assert_sound(&report, &format!("seed {seed}"));
                    let projection = report.projection.expect("asked for");
                    match projection.outcome {
                        ProjectionOutcome::Whole => {
                            whole += 1;
                            assert!(projection.overlap <= 1e-10, "seed {seed}: {projection:?}");
                        }
                        ProjectionOutcome::Part => part += 1,
                        _ => refused += 1,
                    }
                }
                Err(StepError::NoSolution | StepError::NotClosed { .. }) => {
                    refused += 1;
                    break;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(whole > 2000 && refused * 10 < whole && part * 4 < whole, "{whole} {part} {refused}");
}

#[test]
fn bodies_on_curved_shapes_stay_outside_of_them() {
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.1, half_length: 0.2 },
        Shape::Box { half: Vec3::new(0.2, 0.15, 0.1) },
    ];
    for shape in shapes {
        for hill in
            [Shape::Sphere { radius: 1.0 }, Shape::Capsule { radius: 1.0, half_length: 2.0 }]
        {
            let mut spec = material(Surface::rigid(0.4));
            spec.shape("hill", FrameSpec::world(), hill, "stuff");
            add(&mut spec, "body", shape.clone());
            let mut run = built(&spec, Coordinates::Generalized);
            run.state.q[2] = if matches!(shape, Shape::Capsule { .. }) { 3.4 } else { 3.2 };
            run.state.v.copy_from_slice(&[0.5, 0.1, -3.0, 1.0, 2.0, -1.0]);
            let mut touched = false;
            for _ in 0..1500 {
                let report = run.step(&settings(1e-3));
                assert_held(&report, &format!("{shape:?}"));
                touched |= report.contact.is_some();
            }
            assert!(touched, "{shape:?}");
        }
    }
}

/// A ball of radius 0.3 that stands 0.1 deep in the ground.
fn sunk_ball(gravity: f64) -> Run {
    let mut spec = material(Surface::rigid(0.4));
    spec.gravity = Vec3::new(0.0, 0.0, -gravity);
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    add(&mut spec, "ball", Shape::Sphere { radius: 0.3 });
    let mut run = built(&spec, Coordinates::Generalized);
    run.state.q[2] = 0.2;
    run
}

#[test]
fn a_body_at_rest_in_an_overlap_stays_and_is_told_of() {
    let mut run = sunk_ball(9.81);
    let before = run.state.clone();
    for _ in 0..10 {
        let report = run.step(&settings(1e-3));
        assert_sound(&report, "rest");
        let projection = report.projection.expect("asked for");
        assert_eq!(projection.outcome, ProjectionOutcome::Part);
        assert_eq!((projection.share, projection.paid), (0.0, 0.0));
        assert!((projection.overlap - 0.1).abs() < 1e-15, "{projection:?}");
        assert_eq!(run.state.q, before.q);
        assert!(run.state.v.iter().all(|v| v.abs() < 1e-12), "{:?}", run.state.v);
    }
}

#[test]
fn what_costs_nothing_is_parted_at_rest() {
    let mut run = sunk_ball(0.0);
    let report = run.step(&settings(1e-3));
    assert_held(&report, "weightless");
    assert!((run.state.q[2] - 0.3).abs() < 1e-11 && run.state.v.iter().all(|v| *v == 0.0));
}

/// The share by hand: m g α d = ½ m v².
#[test]
fn a_body_is_lifted_as_far_as_its_motion_pays_and_stops_there() {
    let mut run = sunk_ball(9.81);
    let v = 0.5;
    run.state.v[0] = v;
    let mut s = settings(1e-3);
    s.contact.law = FrictionLaw::Frictionless;
    let report = run.step(&s);
    assert_sound(&report, "slow");
    let lifted = 0.5 * v * v / 9.81;
    assert!((run.state.q[2] - 0.2 - lifted).abs() < 1e-10, "{:?}", run.state.q);
    assert!(run.state.v.iter().all(|v| v.abs() < 1e-5), "{:?}", run.state.v);
    let projection = report.projection.expect("asked for");
    assert!((projection.paid - 0.5 * v * v).abs() < 1e-9, "{projection:?}");
    assert!((projection.share - lifted / 0.1).abs() < 1e-9, "{projection:?}");

    // fast enough: all of it, and the rest of the motion goes on
    let mut run = sunk_ball(9.81);
    run.state.v[0] = 2.0;
    assert_held(&run.step(&s), "fast");
    let rest = (4.0_f64 - 2.0 * 9.81 * 0.1).sqrt();
    assert!((run.state.v[0] - rest).abs() < 1e-10, "{:?}", run.state.v);
}

/// Three bodies, each about its own centre, on ball joints, with a spring between the ends that pushes; nothing holds them.
fn floating() -> Mechanism {
    let mut m = Mechanism::new("floating");
    m.spec.gravity = Vec3::zeros();
    let child = |name: &str| FrameSpec::of(name).at(-0.4, 0.0, 0.1);
    let end = |name: &str| FrameSpec::of(name).at(0.5, 0.1, 0.0);
    let inertia = |mass: f64| Inertia::principal(mass, [0.02, 0.03, 0.04]);
    let free = (JointKind::Free, FrameSpec::world(), FrameSpec::of("a"));
    m.link("a", inertia(1.0), free, (&[], &[0.3, -0.2, 0.5, 1.0, -2.0, 3.0]));
    m.link("b", inertia(0.7), (JointKind::Ball, end("a"), child("b")), (&[], &[2.0, 1.0, -1.0]));
    m.link("c", inertia(1.3), (JointKind::Ball, end("b"), child("c")), (&[], &[-1.0, 3.0, 0.5]));
    let points = SpringKind::Points { a: FrameSpec::of("a"), b: FrameSpec::of("c"), rest: 2.0 };
    m.spec.spring("strut", points, 300.0, 0.0);
    m
}

#[test]
fn the_centre_of_mass_of_what_floats_goes_straight_and_momentum_is_not_paid_with() {
    let mut run = floating().run(Coordinates::Maximal);
    let h = 2e-3;
    let (mut paid, P) = (0.0, run.momentum().f);
    for _ in 0..200 {
        run.update();
        let mass = energy::mass(&run.model);
        let expected = energy::centre_of_mass(&run.model, &run.data) + P * (h / mass);
        let report = run.step(&settings(h));
        assert_held(&report, "floating");
        paid += report.projection.expect("asked for").paid;
        run.update();
        let apart = (energy::centre_of_mass(&run.model, &run.data) - expected).norm();
        assert!(apart < 1e-13, "{apart}");
        assert!((run.momentum().f - P).norm() < 1e-11, "{:?}", run.momentum().f - P);
    }
    assert!(paid > 0.0);
}

#[test]
fn who_is_not_connected_does_not_pay() {
    let mut m = hanging_chain();
    m.spec.body("bystander", Inertia::principal(1.0, [0.1; 3]));
    let mut run = Run::new(m.spec.build(Coordinates::Maximal).expect("a chain"));
    let alone = hanging_chain().run(Coordinates::Maximal);
    run.state.q[..alone.state.q.len()].copy_from_slice(&alone.state.q);
    run.state.v[..alone.state.v.len()].copy_from_slice(&alone.state.v);
    let last = run.state.v.len() - 6;
    run.state.v[last] = 3.0;
    let mut paid = 0.0;
    for _ in 0..100 {
        paid += run.step(&settings(2e-3)).projection.expect("asked for").paid;
        assert_eq!(run.state.v[last], 3.0);
    }
    assert!(paid > 0.0);
}

#[test]
fn velocities_obey_joints_and_drives_where_the_step_ends() {
    let mechanisms = [four_bar(BARS, 1.0, 3.0), driven_four_bar(BARS, 1.0, 3.0), hanging_chain()];
    for m in mechanisms {
        for set in SETS {
            let mut run = m.run(set);
            for _ in 0..100 {
                let report = run.step(&settings(2e-3));
                assert_sound(&report, m.name);
                let mut held = run.clone();
                let state = &mut held.state;
                stiction_sim::constraint::project::velocities(&held.model, state, &mut held.data)
                    .expect("regular");
                let apart = held.state.v.iter().zip(&run.state.v).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-10, "{} {set:?}", m.name);
            }
        }
    }
}

#[test]
fn limits_and_guides_hold_at_the_end_of_the_step() {
    let mut spec = ModelSpec::new();
    spec.body("rod", rod(1.0, 1.0));
    spec.joint("hinge", hinge(Vec3::y()), FrameSpec::world(), FrameSpec::of("rod")).limits =
        vec![(-0.3, 0.4)];
    spec.body("bead", Inertia::principal(1.0, [0.1; 3]));
    let hoop = FrameSpec::world()
        .at(0.0, 3.0, 0.0)
        .turned(stiction_sim::Quat::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2)));
    spec.guide("hoop", GuideKind::Hoop { radius: 1.0 }, hoop, FrameSpec::of("bead"), 0.2);
    spec.guide(
        "plane",
        GuideKind::Plane,
        FrameSpec::world()
            .at(0.0, 3.0, 0.0)
            .turned(stiction_sim::Quat::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2))),
        FrameSpec::of("bead"),
        0.0,
    );
    for set in SETS {
        let mut run = built(&spec, set);
        let bead = run.model.body("bead").expect("a body");
        let X = Pose::translation(1.0, 3.0, 0.0);
        run.model.set_pose(&mut run.state, bead, X).expect("free");
        let mut asked = 0;
        for _ in 0..600 {
            let report = run.step(&settings(2e-3));
            assert_held(&report, "guides");
            asked += report.projection.expect("asked for").asked;
            let bead = run.body("bead").0.p - Vec3::new(0.0, 3.0, 0.0);
            assert!((bead.norm() - 1.0).abs() < 1e-10 && bead.y.abs() < 1e-10, "{bead:?}");
            let x_W = run.body("rod").0.R.column(0).into_owned();
            let angle = (-x_W.z).atan2(x_W.x);
            assert!((-0.3 - 1e-10..=0.4 + 1e-10).contains(&angle), "{angle}");
        }
        assert!(asked > 0);
    }
}

#[test]
fn springs_of_compliant_contacts_are_reckoned_with() {
    let soft = Surface { compliance: Some(Relaxation { k: 2e3, b: 5.0 }), ..Surface::rigid(0.3) };
    let mut m = hanging_chain();
    m.spec.material("soft", soft);
    let last = m.spec.bodies.last().expect("a body").name.clone();
    m.spec.shape("ball", FrameSpec::of(&last), Shape::Sphere { radius: 0.2 }, "soft");
    for set in SETS {
        let mut run = m.run(set);
        let low = run.body(&last).0.p.z - 0.25;
        let mut spec = m.clone();
        spec.spec.shape("ground", FrameSpec::world().at(0.0, 0.0, low), Shape::HalfSpace, "soft");
        let mut run = spec.run(set);
        let mut stored = 0;
        for _ in 0..400 {
            let report = run.step(&settings(2e-3));
            assert_held(&report, "soft");
            stored += usize::from(report.ledger.expect("asked for").contact_springs != 0.0);
        }
        assert!(stored > 10, "{set:?}: {stored}");
    }
}

/// A ball between walls that are nearer than it is thick.
fn squeezed() -> Run {
    let mut spec = material(Surface::rigid(0.0));
    spec.gravity = Vec3::zeros();
    let up = stiction_sim::Quat::exp(&(Vec3::x() * std::f64::consts::PI));
    spec.shape("floor", FrameSpec::world().at(0.0, 0.0, -0.25), Shape::HalfSpace, "stuff");
    spec.shape(
        "ceiling",
        FrameSpec::world().at(0.0, 0.0, 0.25).turned(up),
        Shape::HalfSpace,
        "stuff",
    );
    add(&mut spec, "ball", Shape::Sphere { radius: 0.3 });
    built(&spec, Coordinates::Generalized)
}

#[test]
fn what_cannot_be_parted_is_an_error_or_named_and_nothing_moves() {
    let mut run = squeezed();
    let before = run.state.clone();
    let result = run.try_step(&settings(1e-3));
    assert!(matches!(result, Err(StepError::Uncertified(_))), "{result:?}");
    assert_eq!(run.state, before);

    let mut s = settings(1e-3);
    s.contact.strictness = Strictness::Lenient;
    let report = run.step(&s);
    assert_sound(&report, "squeezed");
    let projection = report.projection.expect("asked for");
    assert_eq!(projection.outcome, ProjectionOutcome::Uncertified);
    assert_eq!((projection.share, projection.work), (0.0, 0.0));
    assert!((projection.overlap - 0.05).abs() < 1e-15, "{projection:?}");
    assert_eq!(run.state.q, before.q);
}

#[test]
fn a_stack_at_rest_does_not_creep() {
    for normal in [NormalRow::Velocity, NormalRow::Position] {
        let mut spec = material(Surface::rigid(0.5));
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        for i in 0..5 {
            add(&mut spec, &format!("box {i}"), Shape::Box { half: Vec3::from_element(0.1) });
        }
        let mut run = built(&spec, Coordinates::Generalized);
        (0..5).for_each(|i| run.state.q[7 * i + 2] = 0.1 + 0.2 * i as f64);
        let mut s = settings(1e-3);
        s.contact.normal = normal;
        // where gaps round to something positive a box falls for one step
        (0..20).for_each(|_| assert_sound(&run.step(&s), "stack"));
        let rest = run.state.q.clone();
        (0..1000).for_each(|_| assert_sound(&run.step(&s), "stack"));
        let apart = rest.iter().zip(&run.state.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // a thousand steps solved to 1e-10 of g h
        assert!(apart <= 1e-9, "{normal:?}: {apart}");
    }
}

#[test]
fn units_that_are_powers_of_two_change_no_bit_of_a_projection() {
    let project = |mut scene: crate::touching::Scene| {
        scene.settings.drift = Drift::Project;
        scene.settings.contact.normal = NormalRow::Velocity;
        scene
    };
    for scene in scenes().into_iter().filter(|scene| scene.is_analytic).map(project) {
        let plain = numbers(&scene.after(50), Units::new([0; 3]));
        for exponents in [[20, 0, 0], [0, -20, 0], [0, 0, 20], [10, -10, -20], [-10, 20, 10]] {
            let u = Units::new(exponents);
            let found = numbers(&in_units(&scene, u).after(50), u);
            assert!(found == plain, "{} {exponents:?}", scene.name());
        }
    }
}

#[test]
fn energy_of_a_pendulum_of_free_bodies_falls_and_its_joint_stays_closed() {
    let mut m = Mechanism::new("pendulum");
    let joint = (hinge(Vec3::y()), FrameSpec::world(), FrameSpec::of("rod").at(-0.5, 0.0, 0.0));
    m.link("rod", Inertia::principal(1.0, [0.01, 1.0 / 12.0, 1.0 / 12.0]), joint, (&[], &[]));
    let mut run = m.run(Coordinates::Maximal);
    let start = run.energy();
    for _ in 0..2000 {
        assert_held(&run.step(&settings(1e-3)), "pendulum");
    }
    assert!(run.energy() < start, "{} {start}", run.energy());
}
