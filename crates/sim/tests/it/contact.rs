//! Steps with contact: joints beside contacts, normal rows, saved states, errors. The laws are in `laws_*`.

use crate::scenes::{block, ground, run, settings};
use stiction_sim::contact::law::{Cone, Law, Pyramid};
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{FrameSpec, JointKind, Shape};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, ModelSpec, Quat, State, StepError, StepSettings,
    Vec3, VecX, step,
};

#[test]
fn the_contact_problem_of_a_step_can_be_read() {
    let (model, mut state) = block(0.3, 0.4);
    state.v[..6].copy_from_slice(&[0.3, -0.2, 0.0, 0.0, 0.0, 0.5]);
    let mut data = Data::new(&model);
    let input = Input::default();
    step(&model, &settings(1e-2), &input, &mut state, &mut data).expect("a step");
    let space = data.contact_space().expect("a model with shapes");
    assert_eq!((space.k(), space.h), (4, 1e-2));
    // u = W p + u_free, and u = J v⁺
    let (p, u) = (data.contact_impulses(), data.contact_velocities());
    let mut from_p = vec![0.0; 12];
    space.W.affine(p, &space.u_free, &mut from_p);
    let J = data.contact_jacobian();
    let from_v = &J * VecX::from_column_slice(&state.v);
    for i in 0..12 {
        assert!((u[i] - from_p[i]).abs() < 1e-14, "{u:?} {from_p:?}");
        assert!((u[i] - from_v[i]).abs() < 1e-13, "{u:?} {from_v}");
    }
    assert_eq!(J.shape(), (12, 6));
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

#[test]
fn what_overlaps_at_the_start_is_told_and_parted_or_refused_as_the_settings_say() {
    let (model, mut start) = block(0.5, 0.0);
    start.q[2] -= 0.01;
    let mut state = start.clone();
    let report = run(&model, &settings(1e-2), &mut state, 1);
    assert!((report.contact.expect("contacts").overlap - 0.01).abs() < 1e-15);
    assert!((state.v[2] - 1.0).abs() < 1e-9 && (state.q[2] - 0.5).abs() < 1e-11, "{state:?}");

    let mut slow = settings(1e-2);
    slow.contact.max_recovery = 0.1;
    let mut state = start.clone();
    run(&model, &slow, &mut state, 5);
    assert!((state.v[2] - 0.1).abs() < 1e-9 && (state.q[2] - 0.495).abs() < 1e-10, "{state:?}");

    let mut strict = settings(1e-2);
    strict.contact.max_overlap = 1e-3;
    let mut state = start.clone();
    let result = step(&model, &strict, &Input::default(), &mut state, &mut Data::new(&model));
    let error = result.expect_err("an overlap");
    assert_eq!(error.to_string(), "shapes `ground` and `block` overlap by 0.010000000000000009 m");
    assert_eq!(state, start);
}

#[test]
fn a_plate_on_ten_thousand_points_rests_on_a_few_of_them() {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    spec.body("plate", Inertia::principal(3.0, [0.4; 3]));
    // a shallow bowl: the middle touches nothing until the plate tips
    let at = |i: usize| (i as f64 - 49.5) / 49.5;
    let bowl = |x: f64, y: f64| Vec3::new(x, y, 1e-3 * (1.0 - (x * x + y * y) / 2.0) - 0.1);
    let points = (0..10_000).map(|i| bowl(at(i % 100), at(i / 100))).collect();
    spec.shape("points", FrameSpec::of("plate"), Shape::Points(points), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a plate");
    let mut state = model.state();
    state.q[2] = 0.1;
    let mut data = Data::new(&model);
    for _ in 0..20 {
        let report = step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data)
            .expect("a certified step");
        let contact = report.contact.expect("contacts");
        assert!(contact.certified && contact.contacts >= 4);
    }
    let pressed: f64 = data.contact_impulses().chunks_exact(3).map(|p| p[0]).sum();
    assert!((pressed - 3.0 * 9.81e-3).abs() < 1e-10, "{pressed}");
    assert!((state.q[2] - 0.1).abs() < 1e-10 && data.contacts().len() < 200, "{state:?}");

    // thrown with a spin so that other points come down first
    (state.v[3], state.v[4], state.v[0]) = (2.0, -1.0, 1.0);
    for i in 0..200 {
        let report = step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_none_or(|contact| contact.certified && contact.overlap < 1e-4));
    }
}
