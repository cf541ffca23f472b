//! Defects that were there once, each with the smallest mechanism that showed it.

use allocation_counter::measure;
use stiction_sim::constraint::project::assemble;
use stiction_sim::dynamics::{constrained_accelerations, reactions};
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, SpringKind};
use stiction_sim::{
    BodyId, Coordinates, Data, Drift, Inertia, Input, Loads, Method, Model, ModelSpec, Pose, Quat,
    Situation, State, StepError, StepSettings, Stiffness, Vec3, step,
};

const METHODS: [Method; 3] = [Method::Euler, Method::Symmetric, Method::Extrapolated];

fn hinge() -> JointKind {
    JointKind::Revolute { axis: Vec3::y() }
}

/// A pendulum whose hinge is `x` [m] away from the origin.
fn pendulum(x: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    let inertia = Inertia::principal(1.0, [0.1, 0.2, 0.25]);
    spec.body("bob", inertia.moved(&Pose::translation(0.1, 0.0, -0.5)));
    let (parent, child) = (FrameSpec::world().at(x, 0.3, 0.1), FrameSpec::of("bob"));
    spec.joint("hinge", hinge(), parent, child.at(0.013, 0.07, 0.11));
    spec
}

/// The maximal model and its state where the hinge is at 0.4 rad with this rate [rad/s].
fn maximal(spec: &ModelSpec, rate: f64) -> (Model, State) {
    let tree = spec.build(Coordinates::Generalized).expect("a tree");
    let mut state = tree.state();
    (state.q[0], state.v[0]) = (0.4, rate);
    let model = spec.build(Coordinates::Maximal).expect("bodies");
    let state = model.state_from(&tree, &state).expect("the same mechanism");
    (model, state)
}

fn run(model: &Model, settings: &StepSettings, state: &mut State, steps: usize) {
    let mut data = Data::new(model);
    for i in 0..steps {
        if let Err(error) = step(model, settings, &Input::default(), state, &mut data) {
            panic!("step {i} of {settings:?}: {error}");
        }
    }
}

#[test]
fn slow_motion_and_short_steps_close_to_the_rounding_of_places() {
    let mut weightless = pendulum(0.37);
    weightless.gravity = Vec3::zeros();
    for method in METHODS {
        let settings = StepSettings { method, ..StepSettings::default() };
        let (model, mut state) = maximal(&weightless, 1e-9);
        run(&model, &settings, &mut state, 100);
        for h in [1e-5, 1e-7, 1e-9] {
            let (model, mut state) = maximal(&pendulum(0.37), 0.0);
            run(&model, &StepSettings { h, ..settings }, &mut state, 50);
        }
    }
}

#[test]
fn a_mechanism_far_from_the_origin_closes() {
    for (method, drift) in [
        (Method::Euler, Drift::Close),
        (Method::Euler, Drift::Project),
        (Method::Symmetric, Drift::Close),
        (Method::Extrapolated, Drift::Close),
    ] {
        for x in [1e3, 1e4, 1e6] {
            let (model, mut state) = maximal(&pendulum(x), 1.0);
            let settings = StepSettings { method, drift, ..StepSettings::default() };
            run(&model, &settings, &mut state, 50);
        }
    }
}

#[test]
fn a_mechanism_at_the_origin_of_everything_closes() {
    let mut spec = ModelSpec::new();
    spec.body("wheel", Inertia::principal(1.3, [0.1, 0.2, 0.25]));
    spec.joint("axle", hinge(), FrameSpec::world(), FrameSpec::of("wheel"));
    spec.body("slider", Inertia::principal(0.7, [0.1, 0.2, 0.25]));
    let rail = JointKind::Prismatic { axis: Vec3::new(0.6, 0.0, 0.8) };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("slider"));
    let law = Law::Sine { offset: 0.0, amplitude: 0.3, omega: 7.0, phase: 0.0 };
    let coordinate = CoordinateSpec::of("rail");
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = spec.build(coordinates).expect("a wheel and a slider");
        for method in METHODS {
            for drift in [Drift::Close, Drift::Project] {
                let mut state = model.state();
                let settings = StepSettings { method, drift, ..StepSettings::default() };
                run(&model, &settings, &mut state, 1000);
            }
        }
    }
}

#[test]
fn a_step_that_leaves_the_constraints_open_is_an_error() {
    let (model, state) = maximal(&pendulum(0.0), 0.0);
    for method in METHODS {
        for size in [1e10, 1e20, 1e150] {
            let push = |s: &Situation, loads: &mut Loads| {
                let (f, zero) = (Vec3::new(size, 0.0, 0.0), Vec3::zeros());
                loads.push(s.data, BodyId(0), &zero, &f, &zero);
            };
            let input = Input { force: Some(&push), ..Input::default() };
            let settings = StepSettings { method, ..StepSettings::default() };
            let mut next = state.clone();
            let result = step(&model, &settings, &input, &mut next, &mut Data::new(&model));
            assert!(result.is_err(), "{method:?} {size}: {result:?}");
            assert_eq!(next, state);
        }
    }
}

#[test]
fn the_projection_takes_a_few_rounds_and_not_all_there_are() {
    let (model, mut state) = maximal(&pendulum(0.37), 2.0);
    let settings = StepSettings { drift: Drift::Project, ..StepSettings::default() };
    let mut data = Data::new(&model);
    for _ in 0..100 {
        let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
        // quadratic convergence from 1e-6 m
        assert!(report.expect("closes").rounds <= 4);
    }
}

#[test]
fn data_can_be_used_again_after_an_error() {
    let mut spec = ModelSpec::new();
    spec.body("bob", Inertia::principal(1.0, [0.1, 0.2, 0.25]));
    let kind = SpringKind::Points { a: FrameSpec::world(), b: FrameSpec::of("bob"), rest: 1.0 };
    spec.spring("coil", kind, 10.0, 0.1);
    let model = spec.build(Coordinates::Generalized).expect("a bob on a spring");
    for method in METHODS {
        for stiffness in [Stiffness::Explicit, Stiffness::LinearlyImplicit] {
            let settings = StepSettings { method, stiffness, ..StepSettings::default() };
            let (mut data, mut a) = (Data::new(&model), vec![0.0; model.nv()]);
            let mut state = model.state();
            let input = Input::default();
            let error = step(&model, &settings, &input, &mut state, &mut data);
            assert!(matches!(error, Err(StepError::Singular(_))), "{error:?}");
            let error = constrained_accelerations(&model, &input, &state, &mut data, &mut a);
            assert!(matches!(error, Err(StepError::Singular(_))), "{error:?}");

            state.q[0] = 1.5;
            let mut fresh = state.clone();
            step(&model, &settings, &input, &mut state, &mut data).expect("stretched");
            step(&model, &settings, &input, &mut fresh, &mut Data::new(&model)).expect("stretched");
            assert_eq!(state, fresh);
            constrained_accelerations(&model, &input, &state, &mut data, &mut a).expect("too");
        }
    }
}

#[test]
fn reactions_are_the_same_when_asked_for_twice() {
    let mut spec = pendulum(0.0);
    let (a, b) = (FrameSpec::world().at(1.0, 1.0, 1.0), FrameSpec::of("bob").at(0.3, 0.2, -1.0));
    spec.constraint("rod", ConstraintKind::Distance { a, b, length: 1.7 });
    let model = spec.build(Coordinates::Generalized).expect("a pendulum on a rod");
    let (mut state, mut data) = (model.state(), Data::new(&model));
    assemble(&model, &mut state, &mut data).expect("the rod reaches");
    let mut a = vec![0.0; model.nv()];
    let input = Input::default();
    constrained_accelerations(&model, &input, &state, &mut data, &mut a).expect("one row");
    let once = reactions(&model, &mut data, &a);
    assert!(once[0].F.f.norm() > 1.0);
    assert_eq!(once, reactions(&model, &mut data, &a));
}

#[test]
fn a_screw_that_closes_a_loop_begins_with_the_turns_of_its_shift() {
    let mut spec = ModelSpec::new();
    spec.body("nut", Inertia::principal(1.0, [0.1, 0.2, 0.25]));
    let (rod, nut) = (FrameSpec::world, || FrameSpec::of("nut"));
    spec.joint("bearing", JointKind::Cylindrical { axis: Vec3::z() }, rod(), nut());
    let kind = JointKind::Screw { axis: Vec3::z(), pitch: 0.1 };
    spec.constraint("thread", ConstraintKind::Joint { kind, a: rod(), b: nut() });
    let model = spec.build(Coordinates::Generalized).expect("a nut");
    let (mut state, mut data) = (model.state(), Data::new(&model));
    (state.q[0], state.q[1]) = (20.0, 2.0);
    let settings = StepSettings::default();
    step(&model, &settings, &Input::default(), &mut state, &mut data).expect("on its thread");
    // one step under gravity moves by less than g h²
    assert!((state.q[0] - 20.0).abs() < 1e-4 && (state.q[1] - 2.0).abs() < 1e-5, "{state:?}");
}

#[test]
fn steps_that_count_turns_allocate_nothing() {
    let mut spec = pendulum(0.0);
    let coordinate = CoordinateSpec::of("hinge");
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law: Law::rate(0.0, 5.0) });
    let model = spec.build(Coordinates::Maximal).expect("a driven pendulum");
    for method in METHODS {
        let settings = StepSettings { method, ..StepSettings::default() };
        let (mut state, mut data) = (model.state(), Data::new(&model));
        assemble(&model, &mut state, &mut data).expect("it begins at zero");
        let mut one = || step(&model, &settings, &Input::default(), &mut state, &mut data);
        one().expect("closes");
        let allocations = measure(|| {
            one().expect("closes");
        });
        assert_eq!(allocations.count_total, 0, "{method:?}");
    }
}

#[test]
fn a_weld_holds_in_one_orientation_only() {
    let mut spec = ModelSpec::new();
    spec.body("body", Inertia::principal(1.0, [0.1, 0.2, 0.25]));
    let kind =
        |kind| ConstraintKind::Joint { kind, a: FrameSpec::world(), b: FrameSpec::of("body") };
    let turns = [[1.2, 1.1, 0.9], [2.0, 0.1, 0.0], [1.209, 1.209, 1.209]];
    for (joint, about_z) in [
        (JointKind::Fixed, false),
        (JointKind::Revolute { axis: Vec3::z() }, true),
        (JointKind::Prismatic { axis: Vec3::z() }, false),
        (JointKind::Cylindrical { axis: Vec3::z() }, true),
        (JointKind::Planar, true),
    ] {
        let mut spec = spec.clone();
        spec.constraint("weld", kind(joint));
        let model = spec.build(Coordinates::Generalized).expect("a body and a weld");
        for turn in turns {
            let (mut state, mut data) = (model.state(), Data::new(&model));
            let quat = Quat::exp(&Vec3::from(turn));
            state.q[3..7].copy_from_slice(&quat.to_wxyz());
            assemble(&model, &mut state, &mut data).expect("closes");
            let R = Quat::from_wxyz(&state.q[3..7]).to_matrix();
            assert!((R[(2, 2)] - 1.0).abs() < 1e-12, "{joint:?} from {turn:?}: {R}");
            assert!(about_z || (R[(0, 0)] - 1.0).abs() < 1e-12, "{joint:?} from {turn:?}: {R}");
        }
        // exactly turned around: no step may take it for closed
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.q[3..7].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
        let settings = StepSettings { h: 1e-3, ..Default::default() };
        if let Ok(report) = step(&model, &settings, &Input::default(), &mut state, &mut data) {
            let R = Quat::from_wxyz(&state.q[3..7]).to_matrix();
            assert!(report.misalignment < 1e-8 && R[(2, 2)] > 0.0, "{joint:?}: {report:?}");
        }
    }
}

#[test]
fn a_drive_may_begin_beyond_half_a_turn_in_both_sets() {
    let mut spec = ModelSpec::new();
    spec.body("wheel", Inertia::principal(1.0, [0.1, 0.2, 0.25]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    spec.joint("axle", hinge, FrameSpec::world(), FrameSpec::of("wheel"));
    let (coordinate, law) = (CoordinateSpec::of("axle"), Law::rate(14.0, 1.0));
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = spec.build(coordinates).expect("a driven wheel");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        assemble(&model, &mut state, &mut data).expect("the wheel turns to where the law is");
        let settings = StepSettings { h: 0.01, ..Default::default() };
        for _ in 0..700 {
            let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
            assert!(report.expect("drives").misalignment < 1e-11, "{coordinates:?}");
        }
    }
}

#[test]
fn a_damper_without_rest_length_does_not_care_which_end_is_first() {
    let run = |a: &str, b: &str, stiffness: f64| {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::zeros();
        for name in ["spinning", "resting"] {
            spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
        }
        let kind = SpringKind::Points { a: FrameSpec::of(a), b: FrameSpec::of(b), rest: 0.0 };
        spec.spring("damper", kind, stiffness, 1.0);
        let model = spec.build(Coordinates::Generalized).expect("two bodies");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.q[7] = 1.0;
        (state.v[5], state.v[7]) = (1.0, 0.5);
        let settings = StepSettings { h: 0.01, ..Default::default() };
        for _ in 0..100 {
            step(&model, &settings, &Input::default(), &mut state, &mut data).expect("steps");
        }
        state
    };
    for stiffness in [0.0, 3.0] {
        let one = run("spinning", "resting", stiffness);
        let other = run("resting", "spinning", stiffness);
        for (x, y) in one.v.iter().zip(&other.v) {
            assert!((x - y).abs() < 1e-13, "{one:?}\n{other:?}");
        }
        // a damper pulls along the line: the spin stays
        assert!(stiffness > 0.0 || (one.v[5] - 1.0).abs() < 1e-13);
    }
}
