//! The double pendulum let go with both arms horizontal: errors after one second against a reference
//! solution, for the three methods in both sets of coordinates. Halving h divides them by 2, 4 and 16.
//!
//! Two point masses of 1 kg on arms of 1 m, angles from straight down:
//!
//! ```text
//!  2 θ̈₁ + θ̈₂ cos(θ₁ − θ₂) + θ̇₂² sin(θ₁ − θ₂) + 2 g sin θ₁ = 0
//!    θ̈₂ + θ̈₁ cos(θ₁ − θ₂) − θ̇₁² sin(θ₁ − θ₂) +   g sin θ₂ = 0
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::tree::kinematics;
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, Model, ModelSpec, State, StepSettings, Vec3, step,
};

/// θ₁, θ₂ [rad], θ̇₁, θ̇₂ [rad/s] at t = 1 s, by an integration of the equations above to 16 digits.
const REFERENCE: [f64; 4] =
    [-0.6250876998063906, -1.034585085680012, -3.922279572887977, -1.303099248696331];

/// A bob is a thin pin along the axis of the joints: a point mass for all that happens in the plane but
/// this moment of inertia [kg·m²], which moves the reference by 2e-12.
const PIN: f64 = 1e-13;

/// At q = 0 both arms point along x; a turn about −y lifts them.
fn pendulum(coordinates: Coordinates) -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: -Vec3::y() };
    // the frame of each body is on its bob, the hinge one metre before it
    spec.body("upper", Inertia::principal(1.0, [1.0, PIN, 1.0]));
    spec.joint("shoulder", hinge, FrameSpec::world(), FrameSpec::of("upper").at(-1.0, 0.0, 0.0));
    spec.body("lower", Inertia::principal(1.0, [1.0, PIN, 1.0]));
    let child = FrameSpec::of("lower").at(-1.0, 0.0, 0.0);
    spec.joint("elbow", hinge, FrameSpec::of("upper"), child);
    Ok(spec.build(coordinates)?)
}

/// θ₁, θ₂, θ̇₁, θ̇₂, read off the bodies so that the coordinates do not matter.
fn angles_and_rates(model: &Model, state: &State, data: &mut Data) -> [f64; 4] {
    kinematics::update(model, &state.q, &state.v, data);
    let mut result = [0.0; 4];
    for (i, name) in ["upper", "lower"].into_iter().enumerate() {
        let body = model.body(name).expect("a body of the model");
        let along = kinematics::pose(model, data, body).R.column(0).into_owned();
        result[i] = along.x.atan2(-along.z);
        result[i + 2] = -kinematics::velocity(model, data, body).w.y;
    }
    result
}

/// The largest error at t = 1 s, and the largest gap of a joint on the way [m].
fn run(model: &Model, method: Method, steps: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let settings = StepSettings { h: 1.0 / f64::from(steps), method, ..Default::default() };
    let (mut state, mut data) = (model.state(), Data::new(model));
    let mut gap: f64 = 0.0;
    for _ in 0..steps {
        gap = gap.max(step(model, &settings, &Input::default(), &mut state, &mut data)?.gap);
    }
    let found = angles_and_rates(model, &state, &mut data);
    let errors = found.iter().zip(&REFERENCE).map(|(x, reference)| (x - reference).abs());
    Ok((errors.fold(0.0, f64::max), gap))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("coordinates  method        h = 1/100  h = 1/200  order  joint gap");
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = pendulum(coordinates)?;
        let methods = [(Method::Euler, 1.0), (Method::Symmetric, 2.0), (Method::Extrapolated, 4.0)];
        for (method, expected) in methods {
            let (coarse, _) = run(&model, method, 100)?;
            let (fine, gap) = run(&model, method, 200)?;
            let order = (coarse / fine).log2();
            let name = (format!("{coordinates:?}"), format!("{method:?}"));
            println!(
                "{:<12} {:<12} {coarse:10.1e} {fine:10.1e} {order:6.2} {gap:10.0e}",
                name.0, name.1
            );
            assert!((order - expected).abs() < 0.15, "{method:?} is of order {expected}");
            // the end of a step is found to 1e-15 of the velocities in the metric of M, in which the
            // turning of a pin weighs √PIN: 1e-15/√PIN · 4 rad/s · h
            assert!(gap <= 1e-10, "the joints hold: {gap}");
        }
    }
    Ok(())
}
