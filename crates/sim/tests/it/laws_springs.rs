//! Stiff springs and dampers (Q): explicit and linearly implicit against their discrete formulas, and the limit to joints.

use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, SpringKind};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelSpec, State, StepSettings, Stiffness, Vec3, step,
};

const BOTH: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];

/// A mass of 1 kg that slides along x, held to the origin by a spring.
fn oscillator(k: f64, coordinates: Coordinates) -> Model {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("mass", Inertia::principal(1.0, [0.1; 3]));
    let slide = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("slide", slide, FrameSpec::world(), FrameSpec::of("mass"));
    let coordinate = stiction_sim::model::CoordinateSpec::of("slide");
    spec.spring("spring", SpringKind::Coordinate { coordinate, rest: 0.0 }, k, 0.0);
    spec.build(coordinates).expect("an oscillator")
}

fn run(model: &Model, settings: &StepSettings, state: &mut State, n: usize) {
    let mut data = Data::new(model);
    for _ in 0..n {
        step(model, settings, &Input::default(), state, &mut data).expect("a step");
    }
}

#[test]
fn an_explicit_spring_swings_by_its_discrete_frequency() {
    // x_{n+1} − 2 x_n + x_{n−1} = −(ωh)² x_n: cos ω_d h = 1 − (ωh)²/2
    for coordinates in BOTH {
        for wh in [1e-3, 0.1, 1.0, 1.9] {
            let h = 0.01;
            let model = oscillator((wh / h) * (wh / h), coordinates);
            let settings = StepSettings { h, stiffness: Stiffness::Explicit, ..Default::default() };
            let mut state = model.state();
            state.v[0] = 1.0;
            let angle = (1.0 - 0.5 * wh * wh).acos();
            // x_0 = 0, x_1 = h (1 − 0) ⇒ x_n = h sin(n angle)/sin(angle)
            for n in 1..=50 {
                run(&model, &settings, &mut state, 1);
                let expected = h * (n as f64 * angle).sin() / angle.sin();
                let x = state.q[0];
                assert!(
                    (x - expected).abs() <= 1e-10 * h / angle.sin(),
                    "{wh} {n}: {x} {expected}"
                );
            }
        }
    }
}

#[test]
fn an_implicit_spring_loses_the_factor_of_its_formula_at_any_stiffness() {
    // (v, ωx) is turned and divided by √(1 + (ωh)²)
    for coordinates in BOTH {
        for exponent in -3..=6 {
            let wh = 10_f64.powi(exponent);
            let h = 0.01;
            let w = wh / h;
            let model = oscillator(w * w, coordinates);
            let settings = StepSettings { h, ..Default::default() };
            let mut state = model.state();
            (state.q[0], state.v[0]) = (0.3 / w, 0.7);
            let (mut x, mut v) = (state.q[0], state.v[0]);
            for n in 1..=5 {
                let before = (w * x).hypot(v);
                run(&model, &settings, &mut state, 1);
                v = (v - h * w * w * x) / (1.0 + wh * wh);
                x += h * v;
                // against the formula, and the formula against its factor
                let size = (w * x).hypot(v);
                assert!((size * (1.0 + wh * wh).sqrt() / before - 1.0).abs() < 1e-10);
                assert!((state.v[0] - v).abs() <= 1e-10 * size, "{wh} {n}: {} {v}", state.v[0]);
                assert!((w * (state.q[0] - x)).abs() <= 1e-10 * before, "{wh} {n}: {}", state.q[0]);
            }
        }
    }
}

#[test]
fn a_hanging_mass_sags_by_its_weight_over_the_stiffness() {
    for k in [10.0, 1e4, 1e8] {
        let mut spec = ModelSpec::new();
        spec.body("mass", Inertia::principal(2.0, [0.1; 3]));
        let (a, b) = (FrameSpec::world().at(0.0, 0.0, 1.0), FrameSpec::of("mass"));
        spec.spring("spring", SpringKind::Points { a, b, rest: 1.0 }, k, 2.0 * (2.0 * k).sqrt());
        let model = spec.build(Coordinates::Generalized).expect("a mass on a spring");
        let mut state = model.state();
        run(&model, &StepSettings { h: 0.02, ..Default::default() }, &mut state, 4000);
        let sag = 2.0 * 9.81 / k;
        assert!((state.q[2] + sag).abs() <= 1e-10 * sag.max(1e-3), "{k}: {} {sag}", state.q[2]);
    }
}

/// Two masses side by side that are pushed apart by their velocities, with what connects them.
fn two_masses(connect: impl Fn(&mut ModelSpec)) -> Model {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    for name in ["left", "right"] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
    }
    connect(&mut spec);
    spec.build(Coordinates::Generalized).expect("two masses")
}

/// After 100 steps of 10 ms from a distance of 1 m, spinning about each other.
fn whirl(model: &Model) -> State {
    let mut state = model.state();
    state.q[7] = 1.0;
    (state.v[1], state.v[7]) = (0.2, 1.0);
    run(model, &StepSettings { h: 0.01, ..Default::default() }, &mut state, 100);
    state
}

#[test]
fn stiff_springs_and_dampers_become_joints_with_an_error_like_one_over_their_stiffness() {
    let ends = || (FrameSpec::of("left"), FrameSpec::of("right"));
    let rod = two_masses(|spec| {
        let (a, b) = ends();
        spec.constraint("rod", ConstraintKind::Distance { a, b, length: 1.0 });
    });
    // the rod of the linearly implicit limit: ∇φᵀv = −φ/h, one solve a step
    let stabilized = {
        let mut state = rod.state();
        state.q[7] = 1.0;
        (state.v[1], state.v[7]) = (0.2, 1.0);
        let drift = stiction_sim::Drift::Stabilize { beta: 1.0 };
        run(&rod, &StepSettings { h: 0.01, drift, ..Default::default() }, &mut state, 100);
        state
    };
    let mut last = f64::NAN;
    for k in [1e6, 1e8, 1e10, 1e12] {
        let spring = two_masses(|spec| {
            let (a, b) = ends();
            spec.spring("rod", SpringKind::Points { a, b, rest: 1.0 }, k, 0.0);
        });
        let state = whirl(&spring);
        let error =
            state.q.iter().zip(&stabilized.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(!(error / last > 0.011) || error < 1e-11, "k = {k}: {error} after {last}");
        last = error;
    }
    assert!(last < 1e-9, "{last}");
    // a damper alone keeps the distance to which it is stiff
    for delta in [1e4, 1e8, 1e12] {
        let damper = two_masses(|spec| {
            let (a, b) = ends();
            spec.spring("damper", SpringKind::Points { a, b, rest: 1.0 }, 0.0, delta);
        });
        let state = whirl(&damper);
        let apart =
            Vec3::from_column_slice(&state.q[7..10]) - Vec3::from_column_slice(&state.q[..3]);
        let speed =
            Vec3::from_column_slice(&state.v[6..9]) - Vec3::from_column_slice(&state.v[..3]);
        // along the line of the step's beginning nothing opens beyond the force over δ
        let before = apart - speed * 0.01;
        assert!(before.normalize().dot(&speed).abs() <= 10.0 / delta + 1e-13, "{delta}");
    }
}
