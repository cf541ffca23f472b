//! Steps with contact: closed forms of one body, stacks, joints beside contacts, errors.

use stiction_sim::contact::law::{Cone, Law, Pyramid};
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, Model, ModelSpec, Quat, State, StepError,
    StepReport, StepSettings, Vec3, step,
};

const G: f64 = 9.81;

/// A ground that is tilted by `angle` [rad] about y, so that downhill is +x of the slope.
fn ground(spec: &mut ModelSpec, mu: f64, angle: f64) {
    spec.material("stuff", Surface::rigid(mu));
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    spec.shape("ground", FrameSpec::world().turned(quat), Shape::HalfSpace, "stuff");
}

/// A cube of 1 kg and edge 1 m on the slope, touching with its four lower corners.
fn block(mu: f64, angle: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, angle);
    spec.body("block", Inertia::principal(1.0, [1.0 / 6.0; 3]));
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    spec.shape("corners", FrameSpec::of("block"), Shape::Points(corners), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a block on a slope");
    let mut state = model.state();
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    let centre = quat.to_matrix() * Vec3::new(0.0, 0.0, 0.5);
    state.q[..3].copy_from_slice(centre.as_slice());
    state.q[3..7].copy_from_slice(&quat.to_wxyz());
    (model, state)
}

fn settings(h: f64) -> StepSettings {
    StepSettings { h, ..Default::default() }
}

/// n certified steps; the report of the last.
fn run(model: &Model, settings: &StepSettings, state: &mut State, n: usize) -> StepReport {
    let mut data = Data::new(model);
    let mut report = StepReport::default();
    for i in 0..n {
        report = step(model, settings, &Input::default(), state, &mut data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_none_or(|contact| contact.certified), "step {i}: {report:?}");
    }
    report
}

#[test]
fn a_block_below_the_critical_angle_does_not_move() {
    let (model, start) = block(0.5, 0.4636);
    let mut state = start.clone();
    run(&model, &settings(1e-2), &mut state, 2000);
    for (q, q0) in state.q.iter().zip(&start.q) {
        assert!((q - q0).abs() <= 1e-10, "{:?}", state.q);
    }
}

#[test]
fn a_block_above_it_slides_by_the_discrete_formula() {
    let (mu, angle, h, n) = (0.3_f64, 0.6_f64, 5e-3, 200);
    let (model, start) = block(mu, angle);
    let mut state = start.clone();
    run(&model, &settings(h), &mut state, n);
    let t = h * n as f64;
    let a = G * (angle.sin() - mu * angle.cos());
    let down = Vec3::new(angle.cos(), 0.0, -angle.sin());
    let moved = Vec3::from_column_slice(&state.q[..3]) - Vec3::from_column_slice(&start.q[..3]);
    assert!((moved - down * (0.5 * a * t * (t + h))).amax() < 1e-9, "{moved}");
    let v = Vec3::from_column_slice(&state.v[..3]);
    assert!((v - down * (a * t)).amax() < 1e-9, "{v}");
}

#[test]
fn a_sliding_block_stops_where_it_must_whatever_its_direction() {
    // d = v₀²/(2 μ g) − v₀ h/2 up to μ g h²/8
    let (mu, h, v0) = (0.4, 1e-2, 2.0_f64);
    let expected = v0 * v0 / (2.0 * mu * G) - 0.5 * v0 * h;
    for direction in [0.0_f64, 0.3, 0.9, 2.5] {
        let (model, mut state) = block(mu, 0.0);
        let (s, c) = direction.sin_cos();
        (state.v[0], state.v[1]) = (v0 * c, v0 * s);
        run(&model, &settings(h), &mut state, 80);
        let along = state.q[0] * c + state.q[1] * s;
        let across = state.q[1] * c - state.q[0] * s;
        assert!((along - expected).abs() <= mu * G * h * h / 8.0 + 1e-10, "{direction}: {along}");
        assert!(across.abs() < 1e-10, "{direction}: {across}");
        assert!(state.v.iter().all(|v| v.abs() < 1e-12), "{:?}", state.v);
        // and it does not rise from the ground
        assert!((state.q[2] - 0.5).abs() < 1e-9);
    }
}

#[test]
fn a_sliding_sphere_comes_to_roll_at_five_sevenths() {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.2, 0.0);
    let radius = 0.3;
    spec.body("ball", Inertia::principal(2.0, [0.4 * 2.0 * radius * radius; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius }, "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a ball");
    for h in [1e-2, 1e-3] {
        let mut state = model.state();
        state.q[2] = radius;
        state.v[0] = 3.0;
        run(&model, &settings(h), &mut state, (0.6 / h) as usize);
        assert!((state.v[0] - 15.0 / 7.0).abs() < 1e-11, "{}", state.v[0]);
        assert!((state.v[0] - radius * state.v[4]).abs() < 1e-11, "rolls");
    }
}

#[test]
fn a_tower_with_ten_thousand_times_its_weight_on_top_stands() {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    for (i, mass) in [1.0, 100.0, 10_000.0].into_iter().enumerate() {
        let name = format!("box {i}");
        spec.body(&name, Inertia::principal(mass, [mass / 6.0; 3]));
        let half = Vec3::new(0.5, 0.5, 0.5);
        spec.shape(&name, FrameSpec::of(&name), Shape::Box { half }, "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("a tower");
    let mut state = model.state();
    for i in 0..3 {
        state.q[7 * i + 2] = 0.5 + i as f64;
    }
    let start = state.clone();
    run(&model, &settings(1e-2), &mut state, 100);
    for (q, q0) in state.q.iter().zip(&start.q) {
        assert!((q - q0).abs() <= 1e-6, "{:?}", state.q);
    }
}

#[test]
fn a_pendulum_on_the_ground_rests_the_same_in_both_sets_of_coordinates() {
    // an arm of 1 m on a hinge 0.5 m above the ground, its tip a ball that lies on the ground
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.4, 0.0);
    spec.body("arm", Inertia::principal(1.0, [0.1, 0.1, 0.01]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let pivot = FrameSpec::world().at(0.0, 0.0, 0.5);
    spec.joint("hinge", hinge, pivot, FrameSpec::of("arm").at(-0.5, 0.0, 0.0));
    let tip = FrameSpec::of("arm").at(0.5, 0.0, 0.0);
    spec.shape("tip", tip, Shape::Sphere { radius: 0.1 }, "stuff");
    let generalized = spec.build(Coordinates::Generalized).expect("an arm");
    let maximal = spec.build(Coordinates::Maximal).expect("an arm");

    let mut forces = Vec::new();
    for model in [&generalized, &maximal] {
        let mut state = model.state_from(&generalized, &generalized.state()).expect("converts");
        let mut data = Data::new(model);
        for _ in 0..300 {
            let report = step(model, &settings(5e-3), &Input::default(), &mut state, &mut data);
            let report = report.expect("certified");
            assert!(report.gap < 1e-10, "{report:?}");
        }
        assert_eq!(data.contacts().len(), 1);
        assert!(data.contacts()[0].gap.abs() < 1e-9, "{:?}", data.contacts());
        assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", state.v);
        forces.push(data.contact_impulses()[0] / 5e-3);
    }
    // moments about the hinge: the tip is at (√(1 − 0.4²), 0, −0.4); friction is what statics leave open
    assert!(forces[0] > 1.0 && forces[1] > 1.0, "{forces:?}");
}

#[test]
fn every_law_holds_a_block_at_rest() {
    for law in [Law::Frictionless, Law::Pyramid(Pyramid::default()), Law::Cone(Cone::default())] {
        let (model, start) = block(0.5, 0.0);
        let mut state = start.clone();
        let contact = ContactSettings { law, ..Default::default() };
        let report = run(&model, &StepSettings { contact, ..settings(1e-2) }, &mut state, 100);
        let contact = report.contact.expect("touches");
        assert_eq!(contact.contacts, 4, "{}", law.name());
        for (q, q0) in state.q.iter().zip(&start.q) {
            assert!((q - q0).abs() <= 1e-10, "{}: {:?}", law.name(), state.q);
        }
    }
}

#[test]
fn a_fall_ends_on_the_ground_in_one_step_and_stays_there() {
    for normal in [NormalRow::Position, NormalRow::Velocity] {
        let (model, mut state) = block(0.5, 0.0);
        state.q[2] = 0.8;
        let contact = ContactSettings { normal, ..Default::default() };
        let h = 1e-3;
        run(&model, &StepSettings { contact, ..settings(h) }, &mut state, 600);
        let depth = 0.5 - state.q[2];
        match normal {
            // the gap closes exactly
            NormalRow::Position => assert!(depth.abs() < 1e-10, "{depth}"),
            // contacts act once they touch: at most the way of a step too late
            NormalRow::Velocity => assert!((0.0..=2.5 * h).contains(&depth), "{depth}"),
        }
        assert!(state.v.iter().all(|v| v.abs() < 1e-10), "{:?}", state.v);
    }
}

#[test]
fn a_saved_state_goes_on_with_equal_bits() {
    let (model, mut state) = block(0.3, 0.5);
    (state.v[1], state.v[5]) = (1.0, 2.0);
    run(&model, &settings(5e-3), &mut state, 20);
    let mut restored = State::from_bytes(&state.to_bytes()).expect("a saved state");
    run(&model, &settings(5e-3), &mut state, 20);
    run(&model, &settings(5e-3), &mut restored, 20);
    assert_eq!(state, restored);
}

#[test]
fn a_step_without_a_certificate_leaves_the_state_unless_told_otherwise() {
    // a ball between a floor and a ceiling that are nearer than its diameter: both want it to part from them
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    let ceiling = FrameSpec::world().at(0.0, 0.0, 0.9).turned(Quat::exp(&Vec3::new(3.0, 0.0, 0.0)));
    spec.shape("ceiling", ceiling, Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a ball that does not fit");
    let mut state = model.state();
    state.q[2] = 0.45;
    let before = state.clone();
    let mut data = Data::new(&model);
    let error = step(&model, &settings(1e-2), &Input::default(), &mut state, &mut data);
    assert!(matches!(error, Err(StepError::Uncertified(_))), "{error:?}");
    assert_eq!(state, before);

    // as an LCP it is refuted
    let law = Law::Pyramid(Pyramid::default());
    let contact = ContactSettings { law, ..Default::default() };
    let pyramid = StepSettings { contact, ..settings(1e-2) };
    let error = step(&model, &pyramid, &Input::default(), &mut state, &mut data);
    assert_eq!(error, Err(StepError::NoSolution));
    assert_eq!(state, before);

    let contact = ContactSettings { strictness: Strictness::Lenient, ..Default::default() };
    let lenient = StepSettings { contact, ..settings(1e-2) };
    let report = step(&model, &lenient, &Input::default(), &mut state, &mut data);
    assert!(!report.expect("goes on").contact.expect("touches").certified);
    assert!(state.time > before.time);
}

#[test]
fn methods_for_smooth_motion_refuse_shapes() {
    let (model, mut state) = block(0.5, 0.0);
    for method in [Method::Symmetric, Method::Extrapolated] {
        let smooth = StepSettings { method, ..settings(1e-2) };
        let mut data = Data::new(&model);
        let error = step(&model, &smooth, &Input::default(), &mut state, &mut data);
        assert_eq!(error, Err(StepError::ContactNeedsEuler));
    }
}
