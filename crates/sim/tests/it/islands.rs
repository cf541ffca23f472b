//! Bodies that do not feel each other: each moves as if it were alone, whatever the others weigh and however fast they are.

use crate::scenes::{
    add_box, build, ground, largest_difference, place, run, run_on, settings, with_law,
};
use stiction_sim::contact::law::{Cone, Law, Phantom, Pyramid};
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{self, FrameSpec, JointKind, Shape};
use stiction_sim::{
    Data, Inertia, Input, Model, ModelSpec, Quat, State, StepError, StepSettings, Vec3, step,
};

fn laws() -> [Law; 4] {
    [
        Law::Cone(Cone::default()),
        Law::Phantom(Phantom::default()),
        Law::Pyramid(Pyramid::default()),
        Law::Frictionless,
    ]
}

/// Cubes of edge 1 m on level ground, of these masses [kg] and at these places along x [m].
fn cubes(masses: &[f64], x: &[f64]) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    for (i, &mass) in masses.iter().enumerate() {
        add_box(&mut spec, &format!("box {i}"), mass, Vec3::repeat(1.0));
    }
    let (model, mut state) = build(&spec);
    for (i, &x) in x.iter().enumerate() {
        place(&mut state, i, Vec3::new(x, 0.0, 0.5), Quat::IDENTITY);
    }
    (model, state)
}

#[test]
fn a_box_at_rest_does_not_sink_beside_one_at_a_million_kilometres_a_second() {
    for law in laws() {
        for normal in [NormalRow::Position, NormalRow::Velocity] {
            // farther apart than the fast one comes in the time that a step looks ahead
            let (model, mut state) = cubes(&[1.0, 1.0], &[0.0, 1e9]);
            state.v[6] = 1e9;
            let contact = ContactSettings { law, normal, ..Default::default() };
            // what the other one would fall by, g h, is 1e-11 of that speed: less than the tolerance
            let settings = StepSettings { contact, ..settings(1e-3) };
            run(&model, &settings, &mut state, 10);
            let name = law.name();
            assert!(state.v[..6].iter().all(|v| v.abs() <= 1e-12), "{name}: {:?}", &state.v[..6]);
            assert!((state.q[2] - 0.5).abs() <= 1e-12, "{name}: {}", state.q[2]);
        }
    }
}

#[test]
fn boxes_of_a_million_tons_and_of_a_microgram_stand_side_by_side() {
    for law in laws() {
        let masses = [1e9, 1e-9, 1.0];
        let (model, mut state) = cubes(&masses, &[0.0, 3.0, 6.0]);
        let start = state.q.clone();
        let mut data = Data::new(&model);
        run_on(&model, &with_law(1e-2, law), &mut state, &mut data, 20);
        let name = law.name();
        assert!(state.v.iter().all(|v| v.abs() <= 1e-12), "{name}: {:?}", state.v);
        assert!(largest_difference(&state.q, &start) <= 1e-12, "{name}: {:?}", state.q);
        // each carries its own weight: 9.81 m/s² over 10 ms
        let mut carried = [0.0; 3];
        for (contact, p) in data.contacts().iter().zip(data.contact_impulses().chunks_exact(3)) {
            let body = contact.b.or(contact.a).expect("a body");
            carried[body] += p[0].abs();
        }
        for (p, mass) in carried.iter().zip(masses) {
            assert!((p / (mass * 9.81 * 1e-2) - 1.0).abs() < 1e-12, "{name}: {carried:?}");
        }
    }
}

/// Puts cube i at its place in a field of ten by ten, sliding and spinning its own way, all equally fast.
fn send(state: &mut State, body: usize, i: usize) {
    let (x, y, turn) = ((i % 10) as f64, (i / 10) as f64, 0.1 * i as f64);
    let quat = Quat::exp(&Vec3::new(0.0, 0.0, turn));
    place(state, body, Vec3::new(3.0 * x, 3.0 * y, 0.5), quat);
    let v = [(3.0 * turn).cos(), (3.0 * turn).sin(), 0.0, 0.0, 0.0, 0.5];
    state.v[6 * body..6 * body + 6].copy_from_slice(&v);
}

#[test]
fn a_hundred_boxes_move_as_a_hundred_scenes_of_one() {
    for law in laws() {
        let (n, steps) = (100, 40);
        let (model, mut together) = cubes(&vec![1.0; n], &[]);
        (0..n).for_each(|i| send(&mut together, i, i));
        run(&model, &with_law(5e-3, law), &mut together, steps);
        for i in 0..n {
            let (model, mut alone) = cubes(&[1.0], &[]);
            send(&mut alone, 0, i);
            run(&model, &with_law(5e-3, law), &mut alone, steps);
            // to the last bit: W, islands and what the solvers start from are the same
            assert_eq!(together.q[7 * i..7 * i + 7], alone.q, "{}, box {i}", law.name());
            assert_eq!(together.v[6 * i..6 * i + 6], alone.v, "{}, box {i}", law.name());
        }
    }
}

/// A ball between a floor and a ceiling that are nearer than its diameter, and a box outside of the ceiling's reach.
fn ball_that_does_not_fit(spec: &mut ModelSpec) {
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    // tilted, so that it is high above the box
    let tilt = Quat::exp(&Vec3::new(0.0, std::f64::consts::PI + 0.5, 0.0));
    let ceiling = FrameSpec::world().at(0.0, 0.0, 0.9).turned(tilt);
    spec.shape("ceiling", ceiling, Shape::HalfSpace, "stuff");
}

#[test]
fn one_body_without_a_certificate_stops_a_strict_step_and_spoils_no_other() {
    let scene = |has_ball: bool| {
        let mut spec = ModelSpec::new();
        ground(&mut spec, 0.5, 0.0);
        add_box(&mut spec, "box", 1.0, Vec3::repeat(1.0));
        if has_ball {
            ball_that_does_not_fit(&mut spec);
        }
        let (model, mut state) = build(&spec);
        place(&mut state, 0, Vec3::new(-30.0, 0.0, 0.5), Quat::IDENTITY);
        state.v[0] = 1.0;
        if has_ball {
            place(&mut state, 1, Vec3::new(0.0, 0.0, 0.45), Quat::IDENTITY);
        }
        (model, state)
    };
    let (model, start) = scene(true);
    let (mut state, mut data) = (start.clone(), Data::new(&model));
    let error = step(&model, &settings(1e-2), &Input::default(), &mut state, &mut data);
    assert!(matches!(error, Err(StepError::Uncertified(_))), "{error:?}");
    assert_eq!(state, start);

    let contact = ContactSettings { strictness: Strictness::Lenient, ..Default::default() };
    let lenient = StepSettings { contact, ..settings(1e-2) };
    let report = step(&model, &lenient, &Input::default(), &mut state, &mut data).expect("goes on");
    assert!(!report.contact.expect("touches").certified);
    let (model, mut alone) = scene(false);
    let report = run(&model, &lenient, &mut alone, 1);
    assert!(report.contact.expect("touches").certified);
    let apart = largest_difference(&state.v[..6], &alone.v);
    assert!(apart <= 1e-12, "{apart:e}");
}

#[test]
fn a_motor_of_a_giga_newton_elsewhere_costs_a_box_nothing() {
    let scene = |has_motor: bool| {
        let mut spec = ModelSpec::new();
        ground(&mut spec, 0.5, 0.0);
        add_box(&mut spec, "box", 1.0, Vec3::repeat(1.0));
        if has_motor {
            spec.body("car", Inertia::principal(2.0, [0.1; 3]));
            let rail = JointKind::Prismatic { axis: Vec3::z() };
            spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("car"));
            spec.motor("motor", "rail", model::Law::rate(0.0, 0.1), 1e9);
        }
        let (model, mut state) = build(&spec);
        (state.q[2], state.v[0]) = (0.5, 1.0);
        run(&model, &settings(1e-2), &mut state, 20);
        state
    };
    let (beside, alone) = (scene(true), scene(false));
    assert!(largest_difference(&beside.v[..6], &alone.v[..6]) <= 1e-12);
    assert!((beside.v[6] - 0.1).abs() <= 1e-12, "{}", beside.v[6]);
}
