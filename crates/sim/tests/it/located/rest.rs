//! What is dropped comes to rest, and no energy is gained on the way.

use stiction_sim::energy::mechanical_energy;
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Data, Geometry, Inertia, LocatedSettings, Model, ModelSpec, Quat, State, Vec3};

use super::{Course, at, run_located};
use crate::sample::Rng;
use crate::scenes::{G, build, cuboid_inertia, place};

fn world(e: f64, mu: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("wood", Surface { e, ..Surface::rigid(mu) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "wood");
    spec
}

fn add_box(spec: &mut ModelSpec, name: &str, edges: Vec3) {
    spec.body(name, cuboid_inertia(1.0, edges));
    spec.shape(name, FrameSpec::of(name), Shape::Box { half: 0.5 * edges }, "wood");
}

fn energy(model: &Model, state: &State, data: &mut Data) -> f64 {
    mechanical_energy(model, state.into(), &state.v, data).expect("an energy")
}

/// Runs until `end` and sees that energy does not rise from step to step by more than `slack` [J].
fn fall(
    model: &Model,
    settings: &LocatedSettings,
    state: &mut State,
    end: f64,
    slack: f64,
) -> Course {
    let mut data = Data::new(model);
    let mut course = Course::default();
    let mut before = energy(model, state, &mut data);
    while state.time < end {
        let more = run_located(model, settings, state, &mut data, 1);
        let after = energy(model, state, &mut data);
        assert!(
            after <= before + slack,
            "energy rises by {:e} J at {} s",
            after - before,
            state.time
        );
        before = after;
        course.steps += more.steps;
        course.trials += more.trials;
        course.events.extend(more.events);
    }
    course
}

fn fastest(state: &State) -> f64 {
    state.v.iter().fold(0.0, |m: f64, v| if v.abs() <= m { m } else { v.abs() })
}

#[test]
fn a_box_comes_to_rest_from_flat_from_an_edge_and_from_a_corner() {
    let flat = Quat::IDENTITY;
    let edge = Quat::exp(&Vec3::new(0.3, 0.0, 0.0));
    let corner = Quat::exp(&Vec3::new(0.4, 0.5, 0.1));
    for quat in [flat, edge, corner] {
        for e in [0.0, 0.3, 0.6] {
            for mu in [0.0, 0.4] {
                let mut spec = world(e, mu);
                add_box(&mut spec, "box", Vec3::new(0.4, 0.3, 0.2));
                let (model, mut state) = build(&spec);
                place(&mut state, 0, Vec3::new(0.0, 0.0, 0.6), quat);
                // the geometry in the middle keeps energy to second order where a body rocks
                let course = fall(&model, &at(5e-3, Geometry::Middle), &mut state, 4.0, 2e-3);
                let what = format!("{quat:?} e {e} μ {mu}: {} events", course.events.len());
                assert!(course.events.len() < 3000, "{what}");
                // on one of its sides
                let off = [0.1, 0.15, 0.2].map(|z| (state.q[2] - z).abs());
                assert!(off.iter().any(|off| *off < 1e-6), "{what}: {:?}", state.q);
                let v = if mu > 0.0 { fastest(&state) } else { state.v[2].abs() };
                assert!(v < 1e-6, "{what}: {:?}", state.v);
            }
        }
    }
}

#[test]
fn a_hundred_balls_that_fall_at_once_know_nothing_of_each_other() {
    for spread in [0.0, 1e-9, 1e-3] {
        let mut spec = world(0.5, 0.3);
        for i in 0..100 {
            let name = format!("ball {i}");
            spec.body(&name, Inertia::principal(1.0, [1e-3; 3]));
            spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.05 }, "wood");
        }
        let (model, mut state) = build(&spec);
        let mut rng = Rng(3);
        let mut heights = Vec::new();
        for i in 0..100 {
            heights.push(0.3 + rng.between(0.0, spread));
            let (x, y) = (0.2 * (i % 10) as f64, 0.2 * (i / 10) as f64);
            place(&mut state, i, Vec3::new(x, y, 0.05 + heights[i]), Quat::IDENTITY);
        }
        let mut data = Data::new(&model);
        let settings = at(1e-2, Geometry::Middle);
        let course = run_located(&model, &settings, &mut state, &mut data, 27);
        // hit at √(2H/g) = 0.247 s, back up with half the speed
        for (i, H) in heights.iter().enumerate() {
            let (t, v) = ((2.0 * H / G).sqrt(), (2.0 * H * G).sqrt());
            let s = 0.27 - t;
            let z = 0.5 * v * s - 0.5 * G * s * s;
            assert!((state.q[7 * i + 2] - 0.05 - z).abs() < 1e-9, "spread {spread}, ball {i}");
        }
        let at_once = course.impacts();
        assert!(if spread == 0.0 { at_once == 1 } else { at_once <= 100 }, "{spread}: {at_once}");
    }
}

#[test]
fn a_stack_of_boxes_that_is_dropped_stands() {
    for e in [0.0, 0.3] {
        let mut spec = world(e, 0.5);
        for i in 0..3 {
            add_box(&mut spec, &format!("box {i}"), Vec3::repeat(0.2));
        }
        let (model, mut state) = build(&spec);
        for i in 0..3 {
            place(&mut state, i, Vec3::new(0.0, 0.0, 0.3 + 0.25 * i as f64), Quat::IDENTITY);
        }
        let course = fall(&model, &at(5e-3, Geometry::Middle), &mut state, 3.0, 1e-6);
        assert!(course.events.len() < 5000, "e {e}: {} events", course.events.len());
        for i in 0..3 {
            let z = state.q[7 * i + 2] - (0.1 + 0.2 * i as f64);
            assert!(z.abs() < 1e-6, "e {e}: box {i} is {z} off");
        }
        assert!(fastest(&state) < 1e-6, "e {e}: {:?}", state.v);
    }
}

#[test]
fn dominoes_fall_over_one_after_the_other_however_they_are_pushed() {
    let mut spec = world(0.0, 0.4);
    for i in 0..4 {
        add_box(&mut spec, &format!("domino {i}"), Vec3::new(0.02, 0.1, 0.2));
    }
    let (model, start) = build(&spec);
    // pushes that differ by rounding end in other answers: where faces meet, the one that contacts are found on changes
    for k in 0..4 {
        let mut state = start.clone();
        for i in 0..4 {
            place(&mut state, i, Vec3::new(0.1 * i as f64, 0.0, 0.1), Quat::IDENTITY);
        }
        // the first is pushed at its top
        (state.v[0], state.v[4]) = (0.3 + 1e-12 * k as f64, 3.0);
        let course = fall(&model, &at(2e-3, Geometry::Middle), &mut state, 1.5, 2e-4);
        assert!(course.impacts() >= 3, "push {k}: {} impacts", course.impacts());
        for i in 0..4 {
            let quat = Quat::from_wxyz(&state.q[7 * i + 3..7 * i + 7]);
            let up = quat.to_matrix() * Vec3::z();
            assert!(up.z < 0.9, "push {k}: domino {i} stands: {up}");
        }
    }
}
