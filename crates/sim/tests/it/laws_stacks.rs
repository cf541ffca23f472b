//! Stacks with large mass ratios, a pinch grasp, a moving ground: scenes that other simulators get wrong.

use crate::scenes::{
    G, add_box, add_points, build, cuboid_inertia, largest_difference, nan_max, run, settings,
    tower,
};
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Shape, Surface,
};
use stiction_sim::{
    Data, Inertia, Input, JointLoad, Model, ModelSpec, State, StepSettings, Vec3, step,
};

/// The largest part of an edge by which boxes of a tower overlap.
fn overlap(state: &State, n: usize) -> f64 {
    let z = |i: usize| state.q[7 * i + 2];
    let below = |i: usize| if i == 0 { z(0) - 0.5 } else { z(i) - z(i - 1) - 1.0 };
    (0..n).map(|i| -below(i)).fold(0.0, nan_max)
}

/// Runs a tower of these masses [kg], the lowest first, and checks it after every step.
fn stand_of(masses: &[f64], settings: &StepSettings, steps: usize) {
    let (model, start) = tower(0.5, masses);
    let (mut state, mut data) = (start.clone(), Data::new(&model));
    for i in 0..steps {
        let report = step(&model, settings, &Input::default(), &mut state, &mut data);
        let report = report.unwrap_or_else(|error| panic!("{masses:?}, step {i}: {error}"));
        assert!(report.contact.is_some_and(|contact| contact.certified), "step {i}");
        let (drift, overlap) =
            (largest_difference(&state.q, &start.q), overlap(&state, masses.len()));
        assert!(drift <= 1e-3 && overlap <= 1e-6, "{masses:?}, step {i}: {drift}, {overlap}");
    }
}

/// A tower of ten with masses that grow by a factor from level to level.
fn stand(factor: i32, settings: &StepSettings, steps: usize) {
    let masses: Vec<f64> = (0..10).map(|i| f64::from(factor).powi(i)).collect();
    stand_of(&masses, settings, steps);
}

#[test]
fn a_tower_with_ten_thousand_times_its_weight_on_top_stands() {
    let (model, start) = tower(0.5, &[1.0, 100.0, 10_000.0]);
    let mut state = start.clone();
    run(&model, &settings(1e-2), &mut state, 100);
    let moved = largest_difference(&state.q, &start.q);
    assert!(moved <= 1e-10, "{moved}");
}

#[test]
fn a_tower_of_ten_that_doubles_in_weight_from_level_to_level_stands_for_five_seconds() {
    stand(2, &settings(1e-2), 500);
}

#[test]
#[ignore = "three seconds of processor time"]
fn a_tower_of_ten_that_doubles_in_weight_stands_with_smaller_steps_too() {
    stand(2, &settings(5e-3), 1000);
}

/// A billion to one: impulses of 1e8 N·s are known to 1e-8 N·s in one number, and the velocity of the lowest box of 1 kg to 1e-8 m/s times
/// four for its corners, where free fall makes 0.1 m/s in a step: 1e-10 takes two numbers.
#[test]
fn a_tower_of_ten_with_a_billion_times_its_weight_on_top_stands() {
    stand(10, &settings(1e-2), 200);
}

#[test]
fn a_tower_of_ten_with_a_million_times_its_weight_on_top_stands() {
    let masses: Vec<f64> = (0..10).map(|i| 10_f64.powf(2.0 * f64::from(i) / 3.0)).collect();
    stand_of(&masses, &settings(1e-2), 100);
}

#[test]
fn towers_of_masses_in_any_order_stand() {
    for order in [
        [3, 9, 0, 6, 1, 8, 2, 7, 5, 4],
        [9, 0, 8, 1, 7, 2, 6, 3, 5, 4],
        [0, 9, 1, 8, 2, 7, 3, 6, 4, 5],
    ] {
        for factor in [4.64, 10.0] {
            let masses = order.map(|i| f64::powi(factor, i));
            stand_of(&masses, &settings(1e-2), 50);
        }
    }
}

#[test]
#[ignore = "minutes of processor time"]
fn a_tower_of_ten_with_a_billion_times_its_weight_on_top_stands_for_five_seconds() {
    stand(10, &settings(1e-2), 500);
    stand(10, &settings(5e-3), 1000);
}

/// Two fingers on rails along x that press a cube of 1 kg from both sides, with their forces [N].
fn pinch(mu: f64, force: f64) -> (Model, State, [JointLoad; 2]) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(mu));
    add_box(&mut spec, "cube", 1.0, Vec3::repeat(0.1));
    let edges = Vec3::new(0.02, 0.04, 0.04);
    for (name, x) in [("left", -0.06), ("right", 0.06)] {
        spec.body(name, cuboid_inertia(0.2, edges));
        let rail = JointKind::Prismatic { axis: Vec3::x() };
        spec.joint(name, rail, FrameSpec::world().at(x, 0.0, 0.0), FrameSpec::of(name));
        spec.shape(name, FrameSpec::of(name), Shape::Box { half: 0.5 * edges }, "stuff");
    }
    let (model, state) = build(&spec);
    let load =
        |name, force| JointLoad { joint: model.joint(name).expect("a rail"), index: 0, force };
    let loads = [load("left", force), load("right", -force)];
    (model, state, loads)
}

/// Holds the cube for n steps of 10 ms; returns the largest drift of anything [m or 1].
fn hold(force: f64, n: usize) -> f64 {
    let (model, start, loads) = pinch(0.5, force);
    let input = Input { joints: &loads, ..Default::default() };
    let (mut state, mut data) = (start.clone(), Data::new(&model));
    for i in 0..n {
        let report = step(&model, &settings(1e-2), &input, &mut state, &mut data);
        let report = report.unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_some_and(|contact| contact.certified), "step {i}");
        // the corners of both fingers, and no others
        assert_eq!(data.contacts().len(), 8, "step {i}");
    }
    largest_difference(&state.q, &start.q)
}

/// What two fingers must press with at least to hold 1 kg at μ = 0.5 [N].
const LEAST: f64 = 0.5 * G / 0.5;

#[test]
fn a_pinched_cube_does_not_creep() {
    let drift = hold(2.0 * LEAST, 5_000);
    assert!(drift <= 1e-9, "{drift}");
}

#[test]
#[ignore = "half a minute of processor time"]
fn a_pinched_cube_does_not_creep_in_a_hundred_thousand_steps() {
    let drift = hold(2.0 * LEAST, 100_000);
    assert!(drift <= 1e-9, "{drift}");
}

#[test]
fn a_cube_pinched_too_weakly_falls_as_friction_lets_it() {
    // 2 μ F = 0.9 m g: it falls with 0.1 g, by ½ a t (t + h)
    let (n, h) = (10, 1e-2);
    let t = n as f64 * h;
    let drift = hold(0.9 * LEAST, n);
    assert!((drift - 0.5 * 0.1 * G * t * (t + h)).abs() <= 1e-9, "{drift}");
}

/// A ground on a rail along x that is driven at this speed, with a stool that slides and turns on its three feet and
/// a ball that lands and comes to roll, all moving with the ground besides. Four feet would share their load in many ways.
fn train(speed: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.3));
    spec.body("ground", cuboid_inertia(10.0, Vec3::repeat(1.0)));
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("ground"));
    let drive = ConstraintKind::Drive {
        coordinate: CoordinateSpec::of("rail"),
        law: Law::rate(0.0, speed),
    };
    spec.constraint("drive", drive);
    spec.shape("ground", FrameSpec::of("ground"), Shape::HalfSpace, "stuff");
    let feet = [[0.3, 0.0], [-0.2, 0.25], [-0.2, -0.25]];
    let feet = feet.map(|[x, y]| Vec3::new(x, y, -0.15)).to_vec();
    add_points(&mut spec, "stool", cuboid_inertia(2.0, Vec3::new(0.6, 0.4, 0.3)), feet);
    spec.body("ball", Inertia::principal(1.0, [0.4 * 0.04; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.2 }, "stuff");
    let (model, mut state) = build(&spec);
    let body = |name: &str| &model.bodies()[model.body(name).expect("a body").0 as usize];
    let mut start = |name: &str, p: [f64; 3], v: [f64; 6]| {
        let (q0, v0) = (body(name).q0, body(name).v0);
        state.q[q0..q0 + 3].copy_from_slice(&p);
        state.v[v0..v0 + 6].copy_from_slice(&v);
        state.v[v0] += speed;
    };
    start("stool", [0.0, 0.0, 0.15], [2.0, 1.0, 0.0, 0.0, 0.0, 1.5]);
    start("ball", [3.0, 1.0, 0.25], [1.0, -2.0, 0.0, 0.0, 0.0, 0.0]);
    state.v[body("ground").v0] = speed;
    (model, state)
}

#[test]
fn contacts_in_a_fast_train_are_those_of_one_that_stands() {
    let h = 2e-3;
    for speed in [10.0, 1e4] {
        // 1e4 m/s are known to 1e-12 m/s
        for (n, limit) in [(1, 2e-12), (100, 1e-9)] {
            let [still, moving] = [0.0, speed].map(|speed| {
                let (model, mut state) = train(speed);
                run(&model, &settings(h), &mut state, n);
                for body in model.bodies() {
                    state.q[body.q0] -= speed * (n as f64 * h);
                    state.v[body.v0] -= speed;
                }
                state
            });
            let error = largest_difference(&still.q, &moving.q)
                .max(largest_difference(&still.v, &moving.v));
            assert!(error <= limit, "{speed} m/s, {n} steps: {error}");
        }
    }
}
