//! Laws of bodies without joints: free fall (A), the symmetric top and the racket through `step` (M, M2), Kepler's ellipse (N).

use std::f64::consts::{PI, TAU};

use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::tree::{energy, kinematics};
use stiction_sim::{
    BodyId, Coordinates, Data, Inertia, Input, Loads, Method, Model, ModelSpec, Quat, Situation,
    State, StepSettings, Vec3, step,
};

const METHODS: [Method; 3] = [Method::Euler, Method::Symmetric, Method::Extrapolated];
const G: f64 = 9.81;

fn one_body(kind: JointKind, gravity: Vec3, inertia: Inertia) -> Model {
    let mut spec = ModelSpec::new();
    spec.gravity = gravity;
    spec.body("body", inertia);
    spec.joint("joint", kind, FrameSpec::world(), FrameSpec::of("body"));
    spec.build(Coordinates::Generalized).expect("a body")
}

fn go(model: &Model, method: Method, h: f64, n: usize, input: &Input<'_>, state: &mut State) {
    let settings = StepSettings { h, method, ..Default::default() };
    let mut data = Data::new(model);
    for _ in 0..n {
        step(model, &settings, input, state, &mut data).expect("a step");
    }
}

#[test]
fn a_body_falls_by_the_discrete_and_by_the_continuous_formula() {
    let (h, n, v0) = (1e-3, 1000, 3.0);
    let t = h * n as f64;
    let inertia = Inertia::principal(2.0, [0.3, 0.4, 0.5]);
    for method in METHODS {
        // free with spin: z is the third position; planar in a plane that is turned upright; prismatic along z
        let upright = Quat::exp(&Vec3::new(0.5 * PI, 0.0, 0.0));
        let free = (one_body(JointKind::Free, Vec3::new(0.0, 0.0, -G), inertia), 2);
        let slide = JointKind::Prismatic { axis: Vec3::z() };
        let slider = (one_body(slide, Vec3::new(0.0, 0.0, -G), inertia), 0);
        let mut spec = ModelSpec::new();
        spec.body("body", inertia);
        let plane = FrameSpec::world().turned(upright);
        spec.joint("plane", JointKind::Planar, plane, FrameSpec::of("body").turned(upright));
        let planar = (spec.build(Coordinates::Generalized).expect("a plane"), 1);
        for (model, z) in [free, slider, planar] {
            let mut state = model.state();
            state.v[z] = v0;
            if model.nv() == 6 {
                state.v[3..].copy_from_slice(&[5.0, -7.0, 3.0]);
            }
            go(&model, method, h, n, &Input::default(), &mut state);
            let (q, v) = (state.q[z], state.v[z]);
            assert!((v - (v0 - G * t)).abs() <= 1e-13 * n as f64, "{method:?}: {v}");
            let continuous = v0 * t - 0.5 * G * t * t;
            let discrete = match method {
                Method::Euler => v0 * t - 0.5 * G * t * (t + h),
                // half a kick on each side: the parabola itself
                Method::Symmetric | Method::Extrapolated => continuous,
            };
            assert!((q - discrete).abs() <= 1e-12, "{method:?}: {q} {discrete}");
            assert!((q - continuous).abs() <= 0.5 * G * t * h * (1.0 + 1e-9));
        }
    }
}

#[test]
fn a_symmetric_top_precesses_exactly_through_every_method() {
    // space rate L/I₁ about L; body rate (I₃ − I₁) ω₃/I₁
    let (I_1, I_3) = (0.3, 0.45);
    let model = one_body(JointKind::Free, Vec3::zeros(), Inertia::principal(1.0, [I_1, I_1, I_3]));
    let (w_1, w_3) = (1.0, 2.0);
    for method in METHODS {
        let mut state = model.state();
        state.v[3..].copy_from_slice(&[w_1, 0.0, w_3]);
        let (h, n) = (0.01, 1000);
        go(&model, method, h, n, &Input::default(), &mut state);
        let phase = (I_3 - I_1) * w_3 / I_1 * h * n as f64;
        let expected = [w_1 * phase.cos(), w_1 * phase.sin(), w_3];
        for (w, expected) in state.v[3..].iter().zip(expected) {
            assert!((w - expected).abs() < 1e-11, "{method:?}: {:?}", state.v);
        }
        // the axis of figure goes round L at L/I₁
        let L = Vec3::new(I_1 * w_1, 0.0, I_3 * w_3);
        let turn = Quat::exp(&(L / I_1 * (h * n as f64)));
        let axis = turn.to_matrix() * Vec3::z();
        let found = Quat::from_wxyz(&state.q[3..7]).to_matrix() * Vec3::z();
        assert!((axis - found).amax() < 1e-11, "{method:?}: {axis} {found}");
    }
}

/// Angular momentum [kg·m²/s] and energy [J].
fn integrals(model: &Model, state: &State) -> (Vec3, f64) {
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    let L = energy::angular_momentum(model, &data, &Vec3::zeros());
    (L, energy::kinetic(model, &data, &state.v))
}

#[test]
fn a_top_keeps_its_momentum_and_shows_no_trend_of_energy() {
    // a symmetric top to the 1e-12 of the law; where the middle axis flips, every turn rounds w the same way and a
    // part of the rounding adds up: 1.2e-12 was measured
    for (moments, w, allowed) in
        [([0.3, 0.3, 0.45], [1.0, 0.4, 2.0], 1e-12), ([0.2, 0.3, 0.45], [0.1, 3.0, 0.2], 2e-12)]
    {
        for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
            let mut spec = ModelSpec::new();
            spec.gravity = Vec3::zeros();
            spec.body("top", Inertia::principal(1.0, moments));
            let model = spec.build(coordinates).expect("a top");
            for method in [Method::Euler, Method::Symmetric] {
                let settings = StepSettings { h: 5e-3, method, ..Default::default() };
                let (mut state, mut data) = (model.state(), Data::new(&model));
                state.v[3..].copy_from_slice(&w);
                let (L_0, E_0) = integrals(&model, &state);
                let mut energies = Vec::new();
                for _ in 0..100_000 {
                    step(&model, &settings, &Input::default(), &mut state, &mut data)
                        .expect("a step");
                    let w = state.v[3..].iter().zip(moments);
                    energies.push(0.5 * w.map(|(w, I)| I * w * w).sum::<f64>() / E_0 - 1.0);
                }
                let (L, _) = integrals(&model, &state);
                assert!(
                    (L - L_0).norm() <= allowed * L_0.norm(),
                    "{method:?}: {}",
                    (L - L_0).norm()
                );
                let largest = |e: &[f64]| e.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
                let (first, last) = (largest(&energies[..20_000]), largest(&energies[80_000..]));
                assert!(first < 1e-3, "{first}");
                // the swing stays what it was, or is rounding
                assert!((first - last).abs() <= 0.01 * first + 2e-12, "{method:?}: {first} {last}");
            }
        }
    }
}

/// The attraction of a unit centre: f = −m r/|r|³.
fn attraction(situation: &Situation<'_>, loads: &mut Loads) {
    let body = BodyId(0);
    let p = kinematics::pose(situation.model, situation.data, body).p;
    let f = -p / p.norm().powi(3);
    loads.push(situation.data, body, &p, &f, &Vec3::zeros());
}

/// Angular momentum about the centre and energy per mass.
fn kepler_integrals(p: [f64; 2], v: [f64; 2]) -> (f64, f64) {
    let r = p[0].hypot(p[1]);
    (p[0] * v[1] - p[1] * v[0], 0.5 * (v[0] * v[0] + v[1] * v[1]) - 1.0 / r)
}

#[test]
fn keplers_ellipse_keeps_its_areas_and_shows_no_trend_of_energy() {
    // a = 1, eccentricity 0.6: starts at the pericentre; the period is 2π
    let (e, turns) = (0.6_f64, 100);
    let inertia = Inertia::principal(1.0, [0.1; 3]);
    for kind in [JointKind::Free, JointKind::Planar] {
        let model = one_body(kind, Vec3::zeros(), inertia);
        let input = Input { force: Some(&attraction), ..Default::default() };
        for method in [Method::Euler, Method::Symmetric] {
            let per_turn = 2000;
            let settings = StepSettings { h: TAU / per_turn as f64, method, ..Default::default() };
            let (mut state, mut data) = (model.state(), Data::new(&model));
            state.q[0] = 1.0 - e;
            state.v[1] = ((1.0 + e) / (1.0 - e)).sqrt();
            let (L_0, E_0) = kepler_integrals([1.0 - e, 0.0], [0.0, state.v[1]]);
            // one mean of the energy's error for each turn: what is left of it is trend
            let (mut means, mut largest) = (Vec::new(), 0.0_f64);
            for _ in 0..turns {
                let mut sum = 0.0;
                for _ in 0..per_turn {
                    step(&model, &settings, &input, &mut state, &mut data).expect("a step");
                    let (p, v) = ([state.q[0], state.q[1]], [state.v[0], state.v[1]]);
                    let (L, E) = kepler_integrals(p, v);
                    assert!((L - L_0).abs() <= 1e-12, "{method:?}: {}", L - L_0);
                    sum += E - E_0;
                    largest = largest.max((E - E_0).abs());
                }
                means.push(sum / per_turn as f64);
            }
            // the ellipse turns slowly, so that the pericentre falls between other steps: compare mean turns
            let first: f64 = means[..20].iter().sum::<f64>() / 20.0;
            let last: f64 = means[turns - 20..].iter().sum::<f64>() / 20.0;
            assert!(largest > 1e-9 && largest < 0.05, "{largest}");
            let slope = (last - first).abs() / (turns - 20) as f64;
            assert!(slope < 1e-3 * largest, "{method:?}: {slope} of {largest}");
        }
    }
}

#[test]
fn the_phase_of_keplers_ellipse_errs_with_the_square_of_the_step() {
    let (e, turns) = (0.6_f64, 3);
    let model = one_body(JointKind::Free, Vec3::zeros(), Inertia::principal(1.0, [0.1; 3]));
    let input = Input { force: Some(&attraction), ..Default::default() };
    let error = |per_turn: usize| {
        let mut state = model.state();
        state.q[0] = 1.0 - e;
        state.v[1] = ((1.0 + e) / (1.0 - e)).sqrt();
        go(&model, Method::Symmetric, TAU / per_turn as f64, turns * per_turn, &input, &mut state);
        (state.q[0] - (1.0 - e)).hypot(state.q[1])
    };
    let (coarse, fine) = (error(4000), error(8000));
    assert!((3.8..=4.2).contains(&(coarse / fine)), "{coarse} {fine}");
}
