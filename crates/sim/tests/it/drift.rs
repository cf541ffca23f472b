//! The drift of whole mechanisms from outside: units, memory, what is kept.

use stiction_sim::drift::drift;
use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, Pose, Quat, Vec3};

/// A pendulum of three bodies on a universal, a ball and a revolute joint, a free body, and a wheel; lengths
/// times `metre`, masses times `kilogram`.
fn mechanism(metre: f64, kilogram: f64) -> Model {
    let mut spec = ModelSpec::new();
    let frame = Pose::from_parts(Vec3::new(0.1, -0.1, -0.4), Quat::exp(&Vec3::new(0.3, -0.4, 0.2)));
    let mut inertia = Inertia::principal(1.5, [0.2, 0.3, 0.4]).moved(&frame);
    inertia.mass *= kilogram;
    inertia.com *= metre;
    inertia.I_com *= kilogram * metre * metre;
    for body in ["upper", "middle", "lower", "stone", "wheel"] {
        spec.body(body, inertia);
    }
    let end = |body: &str| FrameSpec::of(body).at(0.0, 0.25 * metre, -0.75 * metre);
    let universal = JointKind::Universal { first: Vec3::x(), second: Vec3::y() };
    let hinge = JointKind::Revolute { axis: Vec3::x() };
    spec.joint("shoulder", universal, FrameSpec::world(), FrameSpec::of("upper"));
    spec.joint("elbow", JointKind::Ball, end("upper"), FrameSpec::of("middle"));
    spec.joint("wrist", hinge, end("middle"), FrameSpec::of("lower"));
    spec.joint("axle", hinge, FrameSpec::world(), FrameSpec::of("wheel"));
    spec.build(Coordinates::Generalized).expect("a mechanism")
}

/// Which velocities are lengths per time: those of the stone, whose joint is stated last of all.
fn is_length(model: &Model, i: usize) -> bool {
    let stone = model.body("stone").expect("a stone").0 as usize;
    let start = model.bodies()[stone].v0;
    (start..start + 3).contains(&i)
}

/// A hundred steps in units of 2^m metres, 2^s seconds, 2^kg kilograms; v in the old units again, and all
/// positions that are no lengths.
fn in_units([m, s, kg]: [i32; 3]) -> (Vec<f64>, Vec<f64>) {
    let (metre, second) = (2f64.powi(m), 2f64.powi(s));
    let model = mechanism(metre, 2f64.powi(kg));
    let mut data = Data::new(&model);
    let mut state = model.state();
    let unit = |i: usize| if is_length(&model, i) { metre / second } else { 1.0 / second };
    for i in 0..model.nv() {
        state.v[i] = (0.5 + 0.1 * i as f64) * unit(i);
    }
    for _ in 0..100 {
        drift(&model, &mut data, &mut state.q, &mut state.v, 0.01 * second).expect("converges");
    }
    let v = state.v.iter().enumerate().map(|(i, v)| v / unit(i)).collect();
    let stone = model.body("stone").expect("a stone").0 as usize;
    let start = model.bodies()[stone].q0;
    state.q[start..start + 3].iter_mut().for_each(|q| *q /= metre);
    (state.q, v)
}

#[test]
fn units_that_are_powers_of_two_change_no_bit() {
    let expected = in_units([0, 0, 0]);
    for i in 0..64 {
        let exponents = [i % 4, i / 4 % 4, i / 16].map(|k| [-20, -10, 10, 20][k as usize]);
        assert_eq!(expected, in_units(exponents), "{exponents:?}");
    }
}

#[test]
fn a_drift_allocates_nothing() {
    let model = mechanism(1.0, 1.0);
    let mut data = Data::new(&model);
    let mut state = model.state();
    state.v.fill(0.7);
    let info = allocation_counter::measure(|| {
        for _ in 0..10 {
            let report = drift(&model, &mut data, &mut state.q, &mut state.v, 0.01);
            assert!(report.expect("converges").iterations > 1);
        }
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn afterwards_the_data_belong_to_no_state() {
    let model = mechanism(1.0, 1.0);
    let mut data = Data::new(&model);
    let mut state = model.state();
    drift(&model, &mut data, &mut state.q, &mut state.v, 0.01).expect("converges");
    assert_eq!(data.stage(), stiction_sim::Stage::Nothing);
}
