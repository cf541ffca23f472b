//! Where on its way the Euler step looks: at its beginning, in the middle, at its end.

use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Drift, Geometry, Inertia, Input, Model, ModelSpec, State, StepError,
    StepSettings, Vec3, step,
};

const G: f64 = 9.81;
const MU: f64 = 0.4;

/// A cube of 1 kg and 1 m on the ground, on its four lower corners.
fn block() -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(MU));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("block", Inertia::principal(1.0, [1.0 / 6.0; 3]));
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    spec.shape("corners", FrameSpec::of("block"), Shape::Points(corners), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a block");
    let mut state = model.state();
    state.q[2] = 0.5;
    (model, state)
}

/// Two rods that swing, from 90° each.
fn pendulum() -> (Model, State) {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    for (name, parent) in [("upper", FrameSpec::world()), ("lower", FrameSpec::of("upper"))] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
        let parent = if parent.body.is_some() { parent.at(0.0, 0.0, -0.5) } else { parent };
        spec.joint(name, hinge, parent, FrameSpec::of(name).at(0.0, 0.0, 0.5));
    }
    let model = spec.build(Coordinates::Generalized).expect("a pendulum");
    let mut state = model.state();
    (state.q[0], state.q[1]) = (1.0, 0.5);
    (model, state)
}

fn run(model: &Model, settings: &StepSettings, state: &State, n: usize) -> State {
    let (mut state, mut data) = (state.clone(), Data::new(model));
    for i in 0..n {
        step(model, settings, &Input::default(), &mut state, &mut data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
    }
    state
}

fn at(h: f64, geometry: Geometry) -> StepSettings {
    StepSettings { h, geometry, ..Default::default() }
}

#[test]
fn the_three_are_one_sequence_begun_at_different_places() {
    let h = 1e-2;
    let (model, mut start) = block();
    (start.v[0], start.v[1]) = (1.0, 0.3);
    let begin = run(&model, &at(h, Geometry::Begin), &start, 20);
    for (geometry, share) in [(Geometry::Middle, 0.5), (Geometry::End, 1.0)] {
        let mut shifted = start.clone();
        (0..3).for_each(|i| shifted.q[i] -= share * h * start.v[i]);
        let end = run(&model, &at(h, geometry), &shifted, 20);
        for i in 0..3 {
            assert!((end.v[i] - begin.v[i]).abs() < 1e-12, "{geometry:?} {:?}", end.v);
            let there = begin.q[i] - share * h * begin.v[i];
            assert!((end.q[i] - there).abs() < 1e-12, "{geometry:?} {:?}", end.q);
        }
    }
}

#[test]
fn a_block_stops_at_v_squared_over_two_mu_g_up_to_second_order_from_the_middle() {
    let (model, mut start) = block();
    start.v[0] = 1.0;
    let d = 1.0 / (2.0 * MU * G);
    for h in [2e-2, 1e-2, 3e-3] {
        let n = (0.3 / h) as usize;
        let off = |geometry| run(&model, &at(h, geometry), &start, n).q[0] - d;
        // the last step of the slide is cut short: up to μ g h²/8
        assert!(off(Geometry::Middle).abs() <= MU * G * h * h / 8.0 + 1e-10, "{h}");
        assert!((off(Geometry::Begin) + 0.5 * h).abs() <= MU * G * h * h / 8.0 + 1e-10, "{h}");
        assert!((off(Geometry::End) - 0.5 * h).abs() <= MU * G * h * h / 8.0 + 1e-10, "{h}");
    }
}

#[test]
fn smooth_motion_is_of_second_order_from_the_middle_and_of_first_from_the_ends() {
    // a hanging mass on a spring has no velocity products: leapfrog
    let mut spec = ModelSpec::new();
    spec.body("mass", Inertia::principal(1.0, [0.1; 3]));
    let rail = JointKind::Prismatic { axis: Vec3::z() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("mass"));
    let model = spec.build(Coordinates::Generalized).expect("a mass");
    let stiff = |situation: &stiction_sim::force::Situation<'_>,
                 loads: &mut stiction_sim::force::Loads| {
        loads.tau[0] += 9.81 - 40.0 * situation.state.q[0];
    };
    let input = Input { force: Some(&stiff), ..Default::default() };
    let error = |h: f64, geometry: Geometry| {
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.q[0] = 1.0;
        for _ in 0..(1.0 / h).round() as usize {
            step(&model, &at(h, geometry), &input, &mut state, &mut data).expect("smooth");
        }
        (state.q[0] - 40.0_f64.sqrt().cos()).abs()
    };
    let ratio = |geometry| error(1e-2, geometry) / error(5e-3, geometry);
    assert!((ratio(Geometry::Middle) - 4.0).abs() < 0.1, "{}", ratio(Geometry::Middle));
    for geometry in [Geometry::Begin, Geometry::End] {
        assert!((ratio(geometry) - 2.0).abs() < 0.2, "{geometry:?} {}", ratio(geometry));
    }
}

#[test]
fn projection_is_for_steps_that_look_at_their_beginning() {
    let (model, mut state) = pendulum();
    let settings = StepSettings { drift: Drift::Project, ..at(1e-2, Geometry::Middle) };
    let before = state.clone();
    let result = step(&model, &settings, &Input::default(), &mut state, &mut Data::new(&model));
    assert!(matches!(result, Err(StepError::Setting(error)) if error.name == "geometry"));
    assert_eq!(state, before);
}
