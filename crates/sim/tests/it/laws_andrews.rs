//! Andrews' squeezer, law P: seven bars in a plane, three loops through one point, driven by a constant torque against a
//! spring. Numbers and solution as published in the collections of test problems for differential-algebraic equations.

use std::f64::consts::TAU;

use stiction_sim::constraint::project::assemble;
use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, SpringKind};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, JointLoad, Mat3, Method, Model, ModelSpec, StepSettings,
    Vec3, step,
};

/// Joint, angle at t = 0 and at t = 0.03 s [rad].
const ANGLES: [(&str, f64, f64); 7] = [
    ("beta", -0.061_713_890_014_276_45, 15.810_771_196_299_04),
    ("Theta", 0.0, -15.756_371_059_842_98),
    ("gamma", 0.455_279_819_163_070_4, 0.040_822_240_130_731_01),
    ("phi", 0.222_668_390_165_885_9, -0.534_730_116_322_694_8),
    ("delta", 0.487_364_979_543_842_6, 0.524_409_965_880_530_4),
    ("Omega", -0.222_668_390_165_885_9, 0.534_730_116_322_694_8),
    ("epsilon", 1.230_547_444_549_821_2, 1.048_080_741_042_263),
];

/// A bar whose moment about z [kg·m²] and centre [m] are given.
fn bar(spec: &mut ModelSpec, name: &str, mass: f64, I: f64, [x, y]: [f64; 2]) {
    let moments = Vec3::new(0.6 * I, 0.6 * I, I);
    let com = Vec3::new(x, y, 0.0);
    spec.body(name, Inertia { mass, com, I_com: Mat3::from_diagonal(&moments) });
}

fn squeezer() -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    bar(&mut spec, "K1", 0.04325, 2.194e-6, [0.92e-3, 0.0]);
    bar(&mut spec, "K2", 0.00365, 4.410e-7, [-11.5e-3, 0.0]);
    bar(&mut spec, "K3", 0.02373, 5.255e-6, [10.43e-3, -18.74e-3]);
    bar(&mut spec, "K5", 0.07050, 1.169e-5, [-9.16e-3, 23.08e-3]);
    bar(&mut spec, "K4", 0.00706, 5.667e-7, [0.0, -5.79e-3]);
    bar(&mut spec, "K7", 0.05498, 1.912e-5, [-4.49e-3, -12.28e-3]);
    bar(&mut spec, "K6", 0.00706, 5.667e-7, [5.79e-3, 0.0]);

    let hinge = JointKind::Revolute { axis: Vec3::z() };
    let ground = |x: f64, y: f64| FrameSpec::world().at(x, y, 0.0);
    let on = |body: &str, x: f64, y: f64| FrameSpec::of(body).at(x, y, 0.0);
    let (A, B) = (ground(-0.06934, -0.00227), ground(-0.03635, 0.03273));
    spec.joint("beta", hinge, ground(0.0, 0.0), on("K1", 0.0, 0.0));
    spec.joint("Theta", hinge, on("K1", 7e-3, 0.0), on("K2", 0.0, 0.0));
    spec.joint("gamma", hinge, B, on("K3", 0.0, 0.0));
    spec.joint("delta", hinge, A.clone(), on("K5", 0.0, 0.0));
    spec.joint("phi", hinge, on("K5", 40e-3, 0.0), on("K4", 0.0, 0.0));
    spec.joint("epsilon", hinge, A, on("K7", 0.0, 0.0));
    spec.joint("Omega", hinge, on("K7", 0.0, -40e-3), on("K6", 0.0, 0.0));
    // four bars meet in one point
    let ends = [on("K3", 0.0, -35e-3), on("K4", 0.0, -20e-3), on("K6", 20e-3, 0.0)];
    for (name, b) in ["P3", "P4", "P6"].into_iter().zip(ends) {
        let a = on("K2", -28e-3, 0.0);
        spec.constraint(name, ConstraintKind::Joint { kind: hinge, a, b });
    }
    let (a, b) = (ground(0.014, 0.072), on("K3", 20e-3, -18e-3));
    spec.spring("spring", SpringKind::Points { a, b, rest: 0.07785 }, 4530.0, 0.0);
    spec
}

/// The largest error of an angle at t = 0.03 s after n steps, turns aside [rad].
fn error(model: &Model, generalized: &Model, n: usize) -> f64 {
    let q_of = |name: &str| {
        let joint = generalized.joint(name).expect("a joint");
        generalized.q_range(joint).expect("of the tree").start
    };
    let mut start = generalized.state();
    for (name, angle, _) in ANGLES {
        start.q[q_of(name)] = angle;
    }
    let mut state = model.state_from(generalized, &start).expect("the same mechanism");
    let mut data = Data::new(model);
    assemble(model, &mut state, &mut data).expect("the published state closes");
    let torque =
        [JointLoad { joint: model.joint("beta").expect("a crank"), index: 0, force: 0.033 }];
    let input = Input { joints: &torque, ..Default::default() };
    let settings =
        StepSettings { h: 0.03 / n as f64, method: Method::Extrapolated, ..Default::default() };
    for _ in 0..n {
        let report = step(model, &settings, &input, &mut state, &mut data).expect("a step");
        // three loops of a plane in space: six of fifteen rows are independent
        assert_eq!(report.rows - report.rank, 9);
        assert!(report.gap <= 1e-14, "{report:?}");
    }
    let end = generalized.state_from(model, &state).expect("the same mechanism");
    let errors = ANGLES.map(|(name, _, angle)| {
        let off = end.q[q_of(name)] - angle;
        (off - TAU * (off / TAU).round()).abs()
    });
    errors.into_iter().fold(0.0, f64::max)
}

#[test]
fn andrews_squeezer_ends_as_published() {
    let generalized = squeezer().build(Coordinates::Generalized).expect("a squeezer");
    let maximal = squeezer().build(Coordinates::Maximal).expect("a squeezer");
    for model in [&generalized, &maximal] {
        let error = error(model, &generalized, 800);
        assert!(error <= 1e-6, "{:?}: {error}", model.coordinates());
    }
}
