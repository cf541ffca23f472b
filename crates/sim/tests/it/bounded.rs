//! Joint limits, motors and joint friction against closed forms, under every law and in both coordinate sets.

use stiction_sim::constraint::rows::Origin;
use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{Cone, Law, Phantom, Pyramid};
use stiction_sim::model::{Follows, FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, Model, ModelSpec, State, StepError, StepSettings,
    Vec3, step,
};

use crate::scenes::all_laws;

const G: f64 = 9.81;
const H: f64 = 1e-2;
/// What a law's solver may leave: the convex one ends at its tolerance.
fn slack(law: &Law) -> f64 {
    if matches!(law, Law::Convex(_)) { 1e-7 } else { 1e-10 }
}

const BOTH: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];

fn settings(law: Law) -> StepSettings {
    let contact = ContactSettings { law, ..Default::default() };
    StepSettings { h: H, contact, ..Default::default() }
}

/// 2 kg on a vertical rail; z is its height.
fn lift(change: impl Fn(&mut ModelSpec)) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.body("car", Inertia::principal(2.0, [0.1; 3]));
    let rail = JointKind::Prismatic { axis: Vec3::z() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("car"));
    change(&mut spec);
    spec
}

/// A rod of 1 kg and 1 m that turns about y and hangs along −z at angle 0.
fn pendulum(change: impl Fn(&mut ModelSpec)) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.body("rod", Inertia::principal(1.0, [1.0 / 12.0, 1.0 / 12.0, 1e-3]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    spec.joint("hinge", hinge, FrameSpec::world(), FrameSpec::of("rod").at(0.0, 0.0, 0.5));
    change(&mut spec);
    spec
}

fn advance(model: &Model, settings: &StepSettings, state: &mut State, n: usize) -> Data {
    let mut data = Data::new(model);
    for i in 0..n {
        let report = step(model, settings, &Input::default(), state, &mut data)
            .unwrap_or_else(|error| panic!("{}: step {i}: {error}", settings.contact.law.name()));
        assert!(report.contact.is_none_or(|contact| contact.certified), "step {i}: {report:?}");
    }
    data
}

/// Height of the car, angle of the rod: the same in both sets.
fn height(state: &State) -> f64 {
    if state.q.len() == 1 { state.q[0] } else { state.q[2] }
}

fn speed(state: &State) -> f64 {
    if state.v.len() == 1 { state.v[0] } else { state.v[2] }
}

#[test]
fn a_car_falls_to_its_limit_and_stays_there_without_a_bounce() {
    for coordinates in BOTH {
        for law in all_laws() {
            let spec = lift(|spec| spec.joints[0].limits = vec![(-0.1, 1.0)]);
            let model = spec.build(coordinates).expect("a lift");
            let mut state = model.state();
            let data = advance(&model, &settings(law), &mut state, 40);
            assert!(
                (height(&state) + 0.1).abs() < 1e-2 * slack(&law),
                "{} {:?}",
                law.name(),
                state.q
            );
            assert!(speed(&state).abs() < slack(&law), "{} {:?}", law.name(), state.v);
            let [(Origin::Limit { limit: 0, upper: false }, p)] = data.bounded_impulses()[..]
            else {
                panic!("{:?}", data.bounded_impulses());
            };
            assert!((p - 2.0 * G * H).abs() < slack(&law) * p, "{} {p}", law.name());
        }
    }
}

#[test]
fn a_limit_that_nothing_was_near_is_found_when_another_body_pushes_through_it() {
    // the ball hits the car, which was at rest in the middle of a short way
    let mut spec = lift(|spec| spec.joints[0].limits = vec![(-1e-3, 1e-3)]);
    spec.gravity = Vec3::zeros();
    spec.material("steel", Surface::rigid(0.0));
    spec.body("ball", Inertia::principal(100.0, [1.0; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.1 }, "steel");
    spec.shape("car", FrameSpec::of("car"), Shape::Sphere { radius: 0.1 }, "steel");
    let model = spec.build(Coordinates::Generalized).expect("a lift and a ball");
    let mut state = model.state();
    state.q[3] = -0.201;
    state.v[3] = 1.0;
    advance(&model, &settings(Law::Cone(Cone::default())), &mut state, 3);
    assert!(state.q[0] <= 1e-3 + 1e-12, "{:?}", state.q);
    assert!(state.v[0].abs() < 1e-10 && state.v[3].abs() < 1e-10, "{:?}", state.v);
}

#[test]
fn a_hinge_with_friction_sticks_up_to_its_torque_and_loses_it_when_it_turns() {
    // m g l/2 sin θ against τ: at rest where it is less, else θ̈ = (τ − m g l/2 sin θ)/(m l²/3) in the first step
    let (inertia, weight) = (1.0 / 3.0, G * 0.5);
    for coordinates in BOTH {
        for law in all_laws() {
            let spec = pendulum(|spec| spec.joints[0].friction = vec![2.0]);
            let model = spec.build(coordinates).expect("a pendulum");
            let generalized = spec.build(Coordinates::Generalized).expect("a pendulum");
            for angle in [0.3_f64, 0.5, -0.8] {
                let mut start = generalized.state();
                start.q[0] = angle;
                let mut state = model.state_from(&generalized, &start).expect("the same");
                advance(&model, &settings(law), &mut state, 1);
                let end = generalized.state_from(&model, &state).expect("the same");
                let torque = -weight * angle.sin();
                let expected = if torque.abs() <= 2.0 {
                    0.0
                } else {
                    H * (torque - 2.0 * torque.signum()) / inertia
                };
                // in maximal coordinates the joint closes at the end of the step, where it has turned a little
                let allowed =
                    if coordinates == Coordinates::Maximal { 3e-4 * expected.abs() } else { 0.0 };
                assert!(
                    (end.v[0] - expected).abs() <= slack(&law) + allowed,
                    "{} {angle} {} {expected}",
                    law.name(),
                    end.v[0]
                );
            }
        }
    }
}

#[test]
fn a_motor_lifts_at_its_rate_or_with_its_largest_force() {
    for coordinates in BOTH {
        for law in all_laws() {
            for (max, follows) in [(30.0, true), (15.0, false)] {
                let spec = lift(|spec| {
                    let wanted = stiction_sim::model::Law::rate(0.0, 0.5);
                    spec.motor("winch", "rail", wanted, max);
                });
                let model = spec.build(coordinates).expect("a lift");
                let mut state = model.state();
                let data = advance(&model, &settings(law), &mut state, 1);
                // 2 kg weigh 19.62 N; 30 N reach 0.5 m/s only after a while
                let v = H * (max / 2.0 - G);
                assert!(
                    (speed(&state) - v).abs() < slack(&law),
                    "{} {}",
                    law.name(),
                    speed(&state)
                );
                let p = data.bounded_impulses()[0].1;
                assert!((p - H * max).abs() < slack(&law), "{} {p}", law.name());
                advance(&model, &settings(law), &mut state, 20);
                if follows {
                    assert!((speed(&state) - 0.5).abs() < slack(&law), "{}", law.name());
                } else {
                    assert!(
                        (speed(&state) - 21.0 * v).abs() < 20.0 * slack(&law),
                        "{}",
                        law.name()
                    );
                }
            }
        }
    }
}

#[test]
fn a_motor_that_follows_positions_makes_up_for_what_it_lost() {
    let spec = lift(|spec| {
        let wanted = stiction_sim::model::Law::Polynomial([0.2, 0.0, 0.0, 0.0]);
        spec.motor("winch", "rail", wanted, 100.0).follows = Follows::Position;
    });
    for coordinates in BOTH {
        let model = spec.build(coordinates).expect("a lift");
        let mut state = model.state();
        advance(&model, &settings(Law::Cone(Cone::default())), &mut state, 400);
        assert!((height(&state) - 0.2).abs() < 1e-12 && speed(&state).abs() < 1e-10, "{state:?}");
    }
}

#[test]
fn a_box_on_a_driven_platform_feels_both() {
    // friction of the box on the car is a contact, the car's own a bounded row: 3 kg on a rail along x
    let mut spec = ModelSpec::new();
    spec.material("rough", Surface::rigid(0.5));
    spec.body("car", Inertia::principal(2.0, [0.1; 3]));
    spec.body("box", Inertia::principal(1.0, [0.1; 3]));
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("car")).friction = vec![4.0];
    let slab = Shape::Box { half: Vec3::new(2.0, 1.0, 0.1) };
    spec.shape("slab", FrameSpec::of("car").at(0.0, 0.0, -0.1), slab, "rough");
    let cube = Shape::Box { half: Vec3::new(0.1, 0.1, 0.1) };
    spec.shape("cube", FrameSpec::of("box"), cube, "rough");
    let model = spec.build(Coordinates::Generalized).expect("a car and a box");
    for law in [
        Law::Cone(Cone::default()),
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom::default()),
    ] {
        // both at 1 m/s: the rail brakes with 4 N, the box needs 4/3 N of its 4.9 N and goes with the car
        let mut state = model.state();
        state.q[3] = 0.1;
        (state.v[0], state.v[1]) = (1.0, 1.0);
        advance(&model, &settings(law), &mut state, 30);
        let v = 1.0 - 0.3 * 4.0 / 3.0;
        assert!((state.v[0] - v).abs() < 1e-8, "{} {:?}", law.name(), state.v);
        assert!((state.v[1] - v).abs() < 1e-8, "{} {:?}", law.name(), state.v);
    }
}

#[test]
fn methods_for_smooth_motion_refuse_what_they_cannot_keep() {
    for spec in [
        lift(|spec| spec.joints[0].limits = vec![(-0.1, 1.0)]),
        lift(|spec| spec.joints[0].friction = vec![1.0]),
    ] {
        let model = spec.build(Coordinates::Generalized).expect("a lift");
        let settings = StepSettings { method: Method::Symmetric, ..Default::default() };
        let (mut state, mut data) = (model.state(), Data::new(&model));
        let result = step(&model, &settings, &Input::default(), &mut state, &mut data);
        assert_eq!(result, Err(StepError::ContactNeedsEuler));
    }
}

#[test]
fn a_step_repeated_from_a_saved_state_has_the_same_bits() {
    let spec = pendulum(|spec| {
        spec.joints[0].friction = vec![0.7];
        spec.joints[0].limits = vec![(-0.4, 0.6)];
    });
    let model = spec.build(Coordinates::Generalized).expect("a pendulum");
    let mut state = model.state();
    state.v[0] = 3.0;
    advance(&model, &settings(Law::Cone(Cone::default())), &mut state, 25);
    let mut saved = State::from_bytes(&state.to_bytes()).expect("a state");
    advance(&model, &settings(Law::Cone(Cone::default())), &mut state, 25);
    advance(&model, &settings(Law::Cone(Cone::default())), &mut saved, 25);
    assert_eq!(state, saved);
    assert!(state.q[0] <= 0.6 + 1e-12 && state.q[0] >= -0.4 - 1e-12);
}
