//! Guides against closed forms: a slider in a slot, a bead on a spinning hoop.

use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{Cone, Law, Phantom, Pyramid};
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, GuideKind, JointKind};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelSpec, State, StepSettings, Vec3, step,
};

const G: f64 = 9.81;

fn laws() -> [Law; 3] {
    [Law::Cone(Cone::default()), Law::Pyramid(Pyramid::default()), Law::Phantom(Phantom::default())]
}

fn settings(law: Law, h: f64) -> StepSettings {
    let contact = ContactSettings { law, ..Default::default() };
    StepSettings { h, contact, ..Default::default() }
}

fn advance(model: &Model, settings: &StepSettings, state: &mut State, n: usize) -> Data {
    let mut data = Data::new(model);
    for i in 0..n {
        let report = step(model, settings, &Input::default(), state, &mut data)
            .unwrap_or_else(|error| panic!("{}: step {i}: {error}", settings.contact.law.name()));
        assert!(report.contact.is_some_and(|contact| contact.certified), "step {i}: {report:?}");
    }
    data
}

/// 1 kg that moves in the plane xy without turning, its centre in a slot along x.
fn slider(mu: f64, gravity: Vec3) -> Model {
    let mut spec = ModelSpec::new();
    spec.gravity = gravity;
    spec.body("cross", Inertia::principal(1e-9, [1e-9; 3]));
    spec.body("bead", Inertia::principal(1.0, [0.1; 3]));
    let along = |axis| JointKind::Prismatic { axis };
    spec.joint("x", along(Vec3::x()), FrameSpec::world(), FrameSpec::of("cross"));
    spec.joint("y", along(Vec3::y()), FrameSpec::of("cross"), FrameSpec::of("bead"));
    spec.guide("slot", GuideKind::Slot, FrameSpec::world(), FrameSpec::of("bead"), mu);
    spec.build(Coordinates::Generalized).expect("a slider")
}

#[test]
fn a_slider_in_a_slot_sticks_or_slides_by_the_force_across_it_from_either_side() {
    let (h, mu) = (1e-2, 0.4);
    for law in laws() {
        for across in [5.0, -5.0] {
            for along in [1.9, -1.9, 3.0, -3.0] {
                let model = slider(mu, Vec3::new(along, across, 0.0));
                let mut state = model.state();
                let data = advance(&model, &settings(law, h), &mut state, 50);
                let beyond = along.abs() - mu * across.abs();
                let v = if beyond <= 0.0 { 0.0 } else { 0.5 * beyond * along.signum() };
                assert!((state.v[0] - v).abs() < 1e-7, "{} {:?} {v}", law.name(), state.v);
                assert!(state.q[1].abs() < 1e-12 && state.v[1].abs() < 1e-12, "{:?}", state.q);
                let p = data.guide_impulses();
                assert!((p[0] + h * across).abs() < 1e-9, "{} {p:?}", law.name());
                assert!(p[1].abs() <= mu * p[0].abs() + 1e-12 && p[2] == 0.0, "{p:?}");
            }
        }
    }
}

#[test]
fn friction_turns_with_the_load_from_one_side_of_the_slot_to_the_other() {
    // the load across goes through zero: a = −μ|g_y| all the time, whichever wall carries it
    let (h, mu) = (1e-2, 0.3);
    for law in laws() {
        let mut state = slider(mu, Vec3::zeros()).state();
        state.v[0] = 2.0;
        let mut v = 2.0;
        for i in 0..20 {
            let across = 1.0 - 0.1 * i as f64;
            let model = slider(mu, Vec3::new(0.0, across, 0.0));
            advance(&model, &settings(law, h), &mut state, 1);
            v -= h * mu * across.abs();
            assert!((state.v[0] - v).abs() < 1e-7, "{} step {i}: {:?} {v}", law.name(), state.v);
        }
    }
}

const RADIUS: f64 = 0.5;

/// A hoop in a vertical plane that turns about the vertical at `omega`, driven, and a bead of 0.1 kg on it, which is held in
/// the hoop's plane by its joint and on the hoop by a guide. Angles from straight down.
fn hoop(mu: f64, omega: f64) -> Model {
    let mut spec = ModelSpec::new();
    spec.body("hoop", Inertia::principal(1.0, [0.1; 3]));
    spec.body("bead", Inertia::principal(0.1, [1e-7; 3]));
    let about_z = JointKind::Revolute { axis: Vec3::z() };
    spec.joint("spindle", about_z, FrameSpec::world(), FrameSpec::of("hoop"));
    // x and y of the joint's plane are x and z of the hoop
    let quarter = stiction_sim::Quat::exp(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let plane = FrameSpec::of("hoop").turned(quarter);
    spec.joint("plane", JointKind::Planar, plane.clone(), FrameSpec::of("bead"));
    let coordinate = CoordinateSpec::of("spindle");
    let law = stiction_sim::model::Law::rate(0.0, omega);
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    spec.guide("hoop", GuideKind::Hoop { radius: RADIUS }, plane, FrameSpec::of("bead"), mu);
    spec.build(Coordinates::Generalized).expect("a bead on a hoop")
}

/// The bead at rest on the hoop at this angle.
fn resting(model: &Model, omega: f64, angle: f64) -> State {
    let mut state = model.state();
    state.v[0] = omega;
    (state.q[1], state.q[2]) = (RADIUS * angle.sin(), -RADIUS * angle.cos());
    state
}

#[test]
fn a_bead_on_a_spinning_hoop_rests_where_friction_can_hold_it() {
    // tangential: m |g sin θ − ω² R sin θ cos θ| ≤ μ m (g cos θ + ω² R sin² θ)
    let (mu, omega) = (0.2, 6.0_f64);
    let model = hoop(mu, omega);
    let (mut held, mut moved) = (0, 0);
    for i in 1..28 {
        let angle = 0.1 * i as f64;
        let (s, c) = angle.sin_cos();
        let pull = G * s - omega * omega * RADIUS * s * c;
        let push = G * c + omega * omega * RADIUS * s * s;
        let rests = pull.abs() <= mu * push.abs();
        // nothing can be told at the limit itself
        if (pull.abs() - mu * push.abs()).abs() < 0.05 * push.abs() {
            continue;
        }
        for law in laws() {
            let mut state = resting(&model, omega, angle);
            advance(&model, &settings(law, 1e-3), &mut state, 10);
            let now = state.q[1].atan2(-state.q[2]);
            let way = (now - angle).abs();
            if rests {
                assert!(way < 1e-4, "{} at {angle}: moved by {way}", law.name());
            } else {
                assert!(way > 1e-5, "{} at {angle}: held", law.name());
            }
        }
        if rests { held += 1 } else { moved += 1 }
    }
    assert!(held >= 5 && moved >= 5, "{held} {moved}");
}
