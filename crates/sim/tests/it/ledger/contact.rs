//! Steps with contact: who pays for friction, for impacts, for compliance and for pushing apart.

use stiction_sim::contact::law::{
    BoxLaw, Cone, ContactMode, Convex, Hybrid, Law, NormalRows, Phantom, Pyramid,
};
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, GuideKind, JointKind, Law as MotionLaw, Relaxation,
    Shape, SpringKind, Surface,
};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Ledger, ModelSpec, Motion, Pose, StepSettings, Vec3,
};

use super::{DRIFTS, STIFFNESSES, closed_step, one, settings};
use crate::mechanisms::{Run, SETS, hinge};

pub(super) const G: f64 = 9.81;

/// Every law, the pyramid with all its normal rows.
pub(super) fn laws() -> Vec<Law> {
    let rows = [NormalRows::Given, NormalRows::StewartTrinkle, NormalRows::AnitescuPotra];
    let mut laws: Vec<Law> =
        rows.map(|rows| Law::Pyramid(Pyramid { rows, ..Default::default() })).to_vec();
    laws.extend([
        Law::Frictionless,
        Law::Phantom(Phantom::default()),
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ]);
    laws
}

pub(super) fn ground(surface: Surface) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("stuff", surface);
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec
}

/// A cube of 2 kg and edge 1 m that touches the ground with its corners.
fn block(surface: Surface) -> Run {
    let mut spec = ground(surface);
    spec.body("block", Inertia::principal(2.0, [1.0 / 3.0; 3]));
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    spec.shape("corners", FrameSpec::of("block"), Shape::Points(corners), "stuff");
    let mut run = one(&spec, Coordinates::Generalized);
    run.state.q[2] = 0.5;
    run
}

/// A ball of 2 kg and radius 0.3 m.
fn ball(surface: Surface) -> Run {
    let mut spec = ground(surface);
    spec.body("ball", Inertia::principal(2.0, [0.072; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.3 }, "stuff");
    one(&spec, Coordinates::Generalized)
}

fn go(run: &mut Run, settings: &StepSettings, what: &str) -> Ledger {
    closed_step(run, settings, &Input::default(), what)
}

#[test]
fn a_block_that_slides_to_a_stop_has_lost_all_to_friction() {
    for (h, v0) in [(1e-2, 2.0), (3e-3, 1.3)] {
        let mut run = block(Surface::rigid(0.4));
        (run.state.v[0], run.state.v[1]) = (0.8 * v0, 0.6 * v0);
        let mut sum = [0.0; 11];
        for _ in 0..(0.6 / h) as usize {
            let ledger = go(&mut run, &settings(h), "slide");
            sum.iter_mut().zip(ledger.terms()).for_each(|(sum, (_, amount))| *sum += amount);
        }
        let K0 = 0.5 * 2.0 * v0 * v0;
        let [.., friction, impact, stabilization, projection, numerical] = sum;
        assert_eq!(projection, 0.0);
        // hundreds of steps, each solved to 1e-10 of gh and μgh
        assert!((friction + K0).abs() < 1e-9 * K0, "{friction} {K0}");
        assert!(numerical.abs() < 1e-9 * K0, "{numerical}");
        assert!(impact.abs() < 1e-9 * K0 && stabilization.abs() < 1e-9 * K0, "{sum:?}");
    }
}

#[test]
fn a_ball_that_does_not_bounce_loses_what_it_falls_with() {
    // touching at the beginning of the step: all of ½ m v², and the step's own gravity beside it
    let h = 1e-3;
    for normal in [NormalRow::Position, NormalRow::Velocity] {
        let mut run = ball(Surface::rigid(0.0));
        (run.state.q[2], run.state.v[2]) = (0.3, -5.0);
        let contact = ContactSettings { normal, ..Default::default() };
        let ledger = go(&mut run, &StepSettings { contact, ..settings(h) }, "drop");
        // p = m (v + g h), paid at half the speed v; the weight of the step is the method's
        assert!((ledger.impact + 0.5 * 2.0 * 5.0 * (5.0 + G * h)).abs() < 1e-12, "{ledger:?}");
        assert!((ledger.numerical - 0.5 * 2.0 * 5.0 * G * h).abs() < 1e-12, "{ledger:?}");
        assert!(ledger.gravity.abs() < 1e-12 && ledger.stabilization == 0.0, "{ledger:?}");
        assert!(ledger.kinetic[1] < 1e-20, "{ledger:?}");
    }
    // without weight the impact is all there is
    let mut spec = ground(Surface::rigid(0.0));
    spec.gravity = Vec3::zeros();
    spec.body("ball", Inertia::principal(2.0, [0.072; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.3 }, "stuff");
    let mut run = one(&spec, Coordinates::Generalized);
    (run.state.q[2], run.state.v[2]) = (0.3, -5.0);
    let ledger = go(&mut run, &settings(h), "drop");
    assert!((ledger.impact + 25.0).abs() < 1e-12 && ledger.numerical.abs() < 1e-12, "{ledger:?}");
}

/// The half squares that the method takes while it falls come back where it lands.
#[test]
fn a_fall_from_a_height_is_lost_in_impact_whatever_the_step() {
    for h in [4e-3, 1e-3] {
        let mut run = ball(Surface::rigid(0.5));
        run.state.q[2] = 0.3 + 0.7;
        let mut sum = Ledger::default();
        for _ in 0..(0.5 / h) as usize {
            let ledger = go(&mut run, &settings(h), "fall");
            sum.impact += ledger.impact;
            sum.gravity += ledger.gravity;
            sum.stabilization += ledger.stabilization;
            sum.numerical += ledger.numerical;
        }
        let E = 2.0 * G * 0.7;
        // the contact is solved to 1e-10 of v
        assert!((sum.gravity - E).abs() < 1e-9 * E, "{sum:?}");
        assert!((sum.impact + E).abs() < 1e-9 * E, "{sum:?}");
        let rest = [sum.stabilization, sum.numerical];
        assert!(rest.iter().all(|amount| amount.abs() < 1e-9 * E), "{sum:?}");
    }
}

#[test]
fn what_pushes_bodies_apart_is_stabilization() {
    // 1 mm deep, at rest: out in one step, with the speed 0.001/h
    let h = 1e-2;
    let mut run = ball(Surface::rigid(0.5));
    run.state.q[2] = 0.3 - 1e-3;
    let ledger = go(&mut run, &settings(h), "deep");
    let (s, m) = (1e-3 / h, 2.0);
    assert!((ledger.stabilization - m * (s + G * h) * s).abs() < 1e-12, "{ledger:?}");
    assert!((ledger.impact + 0.5 * m * (s + G * h) * s).abs() < 1e-12, "{ledger:?}");
    // the speed is what the velocity rows do not want
    let mut run = ball(Surface::rigid(0.5));
    run.state.q[2] = 0.3 - 1e-3;
    let contact = ContactSettings { normal: NormalRow::Velocity, ..Default::default() };
    let ledger = go(&mut run, &StepSettings { contact, ..settings(h) }, "deep");
    assert!(ledger.stabilization.abs() < 1e-14 && ledger.impact.abs() < 1e-14, "{ledger:?}");
}

#[test]
fn a_compliant_contact_stores_loses_and_gives_back() {
    let soft = |b| Surface { compliance: Some(Relaxation { k: 5e3, b }), ..Surface::rigid(0.0) };
    let bounce = |b: f64, h: f64| {
        let mut run = ball(soft(b));
        (run.state.q[2], run.state.v[2]) = (0.3 + 1e-4, -1.0);
        let mut sum = Ledger::default();
        let mut deepest = 0.0_f64;
        let contact = ContactSettings { law: Law::Frictionless, ..Default::default() };
        let s = StepSettings { contact, ..settings(h) };
        for _ in 0..(0.15 / h) as usize {
            if run.state.q[2] > 0.3 + 2e-4 {
                break;
            }
            let ledger = go(&mut run, &s, "bounce");
            assert!(ledger.damping <= 0.0);
            sum.contact_springs += ledger.contact_springs;
            sum.damping += ledger.damping;
            sum.numerical += ledger.numerical;
            deepest = deepest.min(sum.contact_springs);
            sum.kinetic = ledger.kinetic;
        }
        (sum, deepest)
    };
    // no damper: the spring holds all for a moment and returns it; what is lost is the method's, of first order
    let (sum, deepest) = bounce(0.0, 1e-4);
    // two of the same material are two springs in series: ½ k d² = ½ m v² + m g d
    let (k, K, mg) = (2.5e3, 1.0, 2.0 * G);
    let d = (mg + (mg * mg + 2.0 * k * K).sqrt()) / k;
    let expected = 0.5 * k * d * d;
    assert!((deepest + expected).abs() < 0.01 * expected && sum.damping == 0.0, "{deepest}");
    assert!(sum.contact_springs.abs() < 1e-2, "{sum:?}");
    let (finer, _) = bounce(0.0, 5e-5);
    let ratio = sum.numerical / finer.numerical;
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
    // with one most is lost in it (ζ = 0.18)
    let (sum, _) = bounce(50.0, 1e-4);
    assert!(sum.damping < -0.5 && sum.numerical.abs() < 0.02, "{sum:?}");
    assert!(sum.contact_springs.abs() < 1e-3, "{sum:?}");
}

#[test]
fn friction_only_takes_where_contacts_slide() {
    for law in laws() {
        let mut run = block(Surface::rigid(0.4));
        run.state.v.copy_from_slice(&[2.0, 0.5, 0.0, 0.0, 0.0, 3.0]);
        let contact =
            ContactSettings { law, strictness: Strictness::Lenient, ..Default::default() };
        let s = StepSettings { contact, ..settings(5e-3) };
        for _ in 0..40 {
            let ledger = go(&mut run, &s, law.name());
            let slides = |mode: &ContactMode| matches!(mode, ContactMode::Slip { .. });
            if run.data.contact_modes().iter().all(slides) {
                assert!(ledger.friction <= 1e-12 * ledger.in_play(), "{} {ledger:?}", law.name());
            }
        }
    }
}

/// Six balls and two boxes over the ground, about to meet.
fn pile(surface: Surface) -> ModelSpec {
    let mut spec = ground(surface);
    for i in 0..6 {
        let name = format!("ball {i}");
        spec.body(&name, Inertia::principal(1.0 + i as f64, [0.03, 0.04, 0.05]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.25 }, "stuff");
    }
    for i in 0..2 {
        let name = format!("box {i}");
        spec.body(&name, Inertia::principal(3.0, [0.2, 0.25, 0.3]));
        let half = Vec3::new(0.3, 0.25, 0.2);
        spec.shape(&name, FrameSpec::of(&name), Shape::Box { half }, "stuff");
    }
    spec
}

/// Two layers above each other, moving.
fn place(run: &mut Run) {
    for i in 0..8 {
        let (x, y, z) = ((i % 2) as f64, (i / 2 % 2) as f64, (i / 4) as f64);
        let p = [0.52 * x + 0.1 * z, 0.55 * y + 0.05 * x, 0.3 + 0.52 * z];
        run.state.q[7 * i..7 * i + 3].copy_from_slice(&p);
        let v = [0.5 - x, 0.3 * y, -1.0, 0.4, -0.3 * z, 1.0];
        run.state.v[6 * i..6 * i + 6].copy_from_slice(&v);
    }
}

#[test]
fn a_pile_closes_under_every_law_rigid_or_compliant() {
    let rigid = Surface::rigid(0.5);
    let soft = Surface { compliance: Some(Relaxation { k: 2e4, b: 50.0 }), ..rigid };
    for (law, surface) in laws().into_iter().flat_map(|law| [(law, rigid), (law, soft)]) {
        for normal in [NormalRow::Position, NormalRow::Velocity] {
            for bristle in [None, Some(Relaxation { k: 1e4, b: 20.0 })] {
                let mut run = one(&pile(surface), Coordinates::Generalized);
                place(&mut run);
                let strictness = Strictness::Lenient;
                let contact =
                    ContactSettings { law, normal, bristle, strictness, ..Default::default() };
                let what = format!("{} {normal:?}", law.name());
                let mut contacts = 0;
                for _ in 0..25 {
                    go(&mut run, &StepSettings { contact, ..settings(5e-3) }, &what);
                    contacts += run.data.contacts().len();
                }
                assert!(contacts > 20, "{what}: {contacts}");
            }
        }
    }
}

/// An arm of two links with a driven shoulder, a spring at the elbow, damping and armatures, whose tip scrapes over the ground,
/// and a loop from its elbow to a slider.
fn arm(surface: Surface) -> ModelSpec {
    let mut spec = ground(surface);
    let (of, world) = (FrameSpec::of, FrameSpec::world);
    for name in ["upper", "lower", "slider"] {
        spec.body(name, Inertia::principal(1.0, [0.02, 0.1, 0.1]));
    }
    let axis = hinge(Vec3::y());
    let child = of("upper").at(-0.5, 0.0, 0.0);
    let shoulder = spec.joint("shoulder", axis, world().at(0.0, 0.0, 0.6), child);
    (shoulder.armature, shoulder.damping) = (vec![0.05], vec![0.1]);
    let (a, b) = (of("upper").at(0.5, 0.0, 0.0), of("lower").at(-0.5, 0.0, 0.0));
    spec.joint("elbow", axis, a, b).armature = vec![0.03];
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("rail", rail, world().at(0.8, 0.0, 1.1), of("slider")).damping = vec![0.2];
    let kind = SpringKind::Coordinate { coordinate: CoordinateSpec::of("elbow"), rest: 0.3 };
    spec.spring("elbow", kind, 5.0, 0.1);
    let (a, b) = (of("upper").at(0.5, 0.0, 0.0), of("slider"));
    spec.constraint("rod", ConstraintKind::Distance { a, b, length: 0.9 });
    let coordinate = CoordinateSpec::of("shoulder");
    let law = MotionLaw::Sine { offset: 0.2, amplitude: 0.15, omega: 6.0, phase: 0.0 };
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    let tip = of("lower").at(0.5, 0.0, 0.0);
    spec.shape("tip", tip, Shape::Sphere { radius: 0.1 }, "stuff");
    spec
}

#[test]
fn an_arm_with_a_loop_that_scrapes_the_ground_closes_in_both_sets_of_coordinates() {
    let rigid = Surface::rigid(0.4);
    let soft = Surface { compliance: Some(Relaxation { k: 1e4, b: 30.0 }), ..rigid };
    for surface in [rigid, soft] {
        let spec = arm(surface);
        let tree = spec.build(Coordinates::Generalized).expect("an arm");
        let mut start = tree.state();
        start.q.copy_from_slice(&[0.2, 0.3, 0.2]);
        let mut data = Data::new(&tree);
        stiction_sim::constraint::project::assemble(&tree, &mut start, &mut data).expect("closes");
        for (set, drift) in SETS.into_iter().flat_map(|set| DRIFTS.map(|drift| (set, drift))) {
            for stiffness in STIFFNESSES {
                let mut run = one(&spec, set);
                run.state = run.model.state_from(&tree, &start).expect("the same arm");
                let s = StepSettings { drift, stiffness, ..settings(4e-3) };
                let (mut touched, mut driven) = (false, 0.0);
                for _ in 0..150 {
                    let ledger = go(&mut run, &s, &format!("arm {set:?} {drift:?} {stiffness:?}"));
                    touched |= run.data.contact_impulses().iter().any(|p| *p > 1e-6);
                    driven += ledger.drives.abs();
                }
                assert!(touched && driven > 0.1, "{set:?} {drift:?}: {driven}");
            }
        }
    }
}

/// An arm that falls onto its limit, a wheel with a motor, both with friction, and a bead in a slot, which gravity presses
/// to its side.
fn machine() -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::new(2.0, -9.0, -3.0);
    let (of, world) = (FrameSpec::of, FrameSpec::world);
    for name in ["arm", "wheel", "bead"] {
        spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
    }
    let child = of("arm").at(-0.5, 0.0, 0.0);
    let joint = spec.joint("arm", hinge(Vec3::y()), world(), child);
    (joint.friction, joint.limits) = (vec![0.2], vec![(-1.0, 0.1)]);
    let joint = spec.joint("wheel", hinge(Vec3::z()), world().at(3.0, 0.0, 0.0), of("wheel"));
    (joint.friction, joint.armature) = (vec![0.1], vec![0.05]);
    spec.motor("motor", "wheel", MotionLaw::rate(0.0, 4.0), 3.0);
    spec.joint("bead", JointKind::Planar, world().at(0.0, 3.0, 0.0), of("bead"));
    let slot = world().at(0.0, 3.0, 0.0);
    spec.guide("slot", GuideKind::Slot, slot, of("bead").at(0.0, 0.0, 0.0), 0.1);
    spec
}

#[test]
fn limits_motors_guides_and_joint_friction_close() {
    let spec = machine();
    for (set, drift) in SETS.into_iter().flat_map(|set| DRIFTS.map(|drift| (set, drift))) {
        // the convex law has no guides
        for law in laws().into_iter().filter(|law| !matches!(law, Law::Convex(_))) {
            let mut run = one(&spec, set);
            let contact =
                ContactSettings { law, strictness: Strictness::Lenient, ..Default::default() };
            let s = StepSettings { drift, contact, ..settings(5e-3) };
            let mut sum = Ledger::default();
            for _ in 0..60 {
                let what = format!("machine {set:?} {drift:?} {}", law.name());
                let ledger = go(&mut run, &s, &what);
                sum.drives += ledger.drives;
                sum.friction += ledger.friction;
                sum.impact += ledger.impact;
            }
            let what = format!("{set:?} {drift:?} {}: {sum:?}", law.name());
            assert!(sum.drives > 0.5 && sum.friction < -0.05 && sum.impact < -0.01, "{what}");
        }
    }
}

/// More contacts than are asked at once, beside a pendulum that takes rounds to close.
#[test]
fn a_crowded_plate_beside_a_pendulum_of_rows_closes() {
    let mut spec = ground(Surface::rigid(0.3));
    spec.body("plate", Inertia::principal(2.0, [0.1, 0.1, 0.2]));
    let feet = (0..100).map(|i| Vec3::new(0.1 * (i % 10) as f64, 0.1 * (i / 10) as f64, 0.0));
    let feet: Vec<Vec3> = feet.map(|p| p - Vec3::new(0.45, 0.45, 0.1)).collect();
    spec.shape("feet", FrameSpec::of("plate"), Shape::Points(feet), "stuff");
    spec.body("bob", Inertia::principal(1.0, [0.1; 3]));
    let child = FrameSpec::of("bob").at(0.0, 0.0, 1.0);
    spec.joint("pivot", hinge(Vec3::y()), FrameSpec::world().at(5.0, 0.0, 5.0), child);
    let tree = spec.build(Coordinates::Generalized).expect("a plate and a pendulum");
    let mut start = tree.state();
    let bob = tree.q_range(tree.joint("pivot").expect("a joint")).expect("tree");
    start.q[bob.start] = 1.0;
    let plate = tree.body("plate").expect("a body");
    tree.set_pose(&mut start, plate, Pose::translation(0.0, 0.0, 0.1)).expect("free");
    let V = Motion::new(Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0));
    tree.set_velocity(&mut start, plate, V).expect("free");
    let mut run = one(&spec, Coordinates::Maximal);
    run.state = run.model.state_from(&tree, &start).expect("the same scene");
    let mut friction = 0.0;
    for _ in 0..40 {
        friction += go(&mut run, &settings(5e-3), "plate").friction;
    }
    assert!(friction < -0.5, "{friction}");
}
