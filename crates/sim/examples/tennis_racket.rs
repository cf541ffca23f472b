//! A racket thrown with a spin about its middle axis turns over and back again. Its angular velocity
//! returns after `4 K(k)/Ω`, with K the complete elliptic integral of the first kind. For principal
//! moments I₁ < I₂ < I₃, L² = Σ Iᵢ² ωᵢ² and 2E = Σ Iᵢ ωᵢ²,
//!
//! ```text
//!  {high, low} = {(I₃ − I₂)(L² − 2E I₁), (I₂ − I₁)(2E I₃ − L²)}             the larger, the smaller
//!  Ω² = high/(I₁ I₂ I₃),   k² = low/high,   K(k) = (π/2)/agm(1, √(1 − k²))
//! ```
//!
//! Where the two are equal, k = 1 and the period is infinite: a spin exactly about the middle axis never
//! turns over.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use std::error::Error;
use std::f64::consts::FRAC_PI_2;

use stiction_sim::tree::{energy, kinematics};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, Model, ModelSpec, State, StepSettings, Vec3, step,
};

/// About the handle, across it in the plane of the strings, through the strings [kg·m²]. A flat body has
/// I₃ = I₁ + I₂.
const MOMENTS: [f64; 3] = [0.0015, 0.0155, 0.017];
/// [kg]
const MASS: f64 = 0.3;
/// Spin [rad/s]: one and a half turns a second about the middle axis, a little about the others.
const SPIN: [f64; 3] = [0.1, 10.0, 0.05];

/// Complete elliptic integral of the first kind, from k².
fn K(k2: f64) -> f64 {
    let (mut a, mut g) = (1.0, (1.0 - k2).sqrt());
    // the number of good digits doubles each time
    for _ in 0..10 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    FRAC_PI_2 / a
}

fn period() -> f64 {
    let ([I1, I2, I3], w) = (MOMENTS, SPIN);
    let L2 = (I1 * w[0]).powi(2) + (I2 * w[1]).powi(2) + (I3 * w[2]).powi(2);
    let E2 = I1 * w[0] * w[0] + I2 * w[1] * w[1] + I3 * w[2] * w[2];
    let (a, b) = ((I3 - I2) * (L2 - E2 * I1), (I2 - I1) * (E2 * I3 - L2));
    let (high, low) = (a.max(b), a.min(b));
    4.0 * K(low / high) / (high / (I1 * I2 * I3)).sqrt()
}

/// Steps on until the spin about the middle axis passes zero upwards, the last step cut to end there.
/// Returns the time that took [s].
fn turn_over(
    model: &Model,
    h: f64,
    state: &mut State,
    data: &mut Data,
) -> Result<f64, Box<dyn Error>> {
    let settings = |h| StepSettings { h, method: Method::Symmetric, ..Default::default() };
    let mut time = 0.0;
    loop {
        let start = state.clone();
        step(model, &settings(h), &Input::default(), state, data)?;
        if start.v[4] < 0.0 && state.v[4] >= 0.0 {
            let (mut low, mut high) = (0.0, h);
            while high - low > 1e-14 {
                let middle = 0.5 * (low + high);
                state.clone_from(&start);
                step(model, &settings(middle), &Input::default(), state, data)?;
                *(if state.v[4] < 0.0 { &mut low } else { &mut high }) = middle;
            }
            state.clone_from(&start);
            step(model, &settings(high), &Input::default(), state, data)?;
            return Ok(time + high);
        }
        time += h;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.body("racket", Inertia::principal(MASS, MOMENTS));
    let model = spec.build(Coordinates::Generalized)?;
    let mut data = Data::new(&model);
    let exact = period();
    println!("4K(k)/Ω = {exact:.12} s");

    let mut errors = Vec::new();
    for h in [4e-4, 2e-4, 1e-4] {
        let mut state = model.state();
        // a free joint: velocity of the origin in the world, angular velocity in the body
        state.v[3..].copy_from_slice(&SPIN);
        kinematics::update(&model, &state.q, &state.v, &mut data);
        let L = energy::angular_momentum(&model, &data, &Vec3::zeros());
        turn_over(&model, h, &mut state, &mut data)?;
        let found = turn_over(&model, h, &mut state, &mut data)?;
        kinematics::update(&model, &state.q, &state.v, &mut data);
        let L_end = energy::angular_momentum(&model, &data, &Vec3::zeros());
        let (error, turned) = (found / exact - 1.0, (L_end - L).norm() / L.norm());
        println!("h = {h}: {found:.12} s, off by {error:+.1e}; angular momentum by {turned:.0e}");
        // some thousand roundings
        assert!(turned <= 1e-12, "angular momentum stays where it is in space");
        errors.push(error);
    }
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "second order: {orders:?}");
    assert!(errors[2].abs() <= 1e-7, "the racket turns over in time");
    Ok(())
}
