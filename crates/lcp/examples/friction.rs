//! A block on a slope, one time step: it sticks while tan θ < μ and slides beyond.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use stiction_lcp::{
    FrictionProblem, FrictionSolver, MatX, ProblemError, Verdict, never, solve_friction,
};

/// Mass [kg], gravity [m/s²], step [s], friction.
const M: f64 = 2.0;
const G: f64 = 9.81;
const H: f64 = 0.01;
const MU: f64 = 0.5;
/// Asked of the judge's residual, which is relative to ‖q‖, here below 0.1 m/s.
const TOL: f64 = 1e-12;

/// Velocity down the slope after one step from rest [m/s].
fn slides_with(tan: f64) -> Result<f64, ProblemError> {
    let cos = 1.0 / (1.0 + tan * tan).sqrt();
    let sin = tan * cos;
    // u = W r + q with rows (normal, down the slope, across): q is where gravity alone leads
    let W = MatX::identity(3, 3) / M;
    let problem = FrictionProblem::new(3, W, vec![-H * G * cos, H * G * sin, 0.0], vec![MU])?;
    let answer = solve_friction(&problem, FrictionSolver::Auto, TOL, &never);
    assert_eq!(answer.verdict, Verdict::Certified);
    println!("tan θ = {tan}: impulse {:?} N·s, velocity {:?} m/s", answer.r, answer.u);
    Ok(answer.u[1])
}

fn main() -> Result<(), ProblemError> {
    let below = slides_with(MU - 1e-3)?;
    assert!(below.abs() < TOL, "below the angle of friction it sticks");

    let tan = MU + 1e-3;
    let above = slides_with(tan)?;
    // v = h g (sin θ − μ cos θ)
    let expected = H * G * (tan - MU) / (1.0 + tan * tan).sqrt();
    assert!((above - expected).abs() < TOL, "above it slides by what friction cannot hold");
    Ok(())
}
