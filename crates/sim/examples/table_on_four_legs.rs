//! A table on four legs: what each leg carries is not determined, and the intervals say how far; three legs are.
//!
//! `cargo run --release -p stiction-sim --example table_on_four_legs`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use stiction_sim::contact::indeterminacy;
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Coordinates, Data, Inertia, Input, ModelSpec, StepSettings, Vec3, step};

const H: f64 = 1e-3; // s
const WEIGHT: f64 = 10.0 * 9.81; // N

/// Prints the force of each leg and its interval, in N; returns the intervals.
fn table(legs: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.material("wood", Surface::rigid(0.5));
    spec.shape("floor", FrameSpec::world(), Shape::HalfSpace, "wood");
    spec.body("table", Inertia::principal(10.0, [1.0; 3]));
    let feet = legs.iter().map(|[x, y]| Vec3::new(*x, *y, -0.7)).collect();
    spec.shape("feet", FrameSpec::of("table"), Shape::Points(feet), "wood");
    let model = spec.build(Coordinates::Generalized)?;
    let (mut state, mut data) = (model.state(), Data::new(&model));
    state.q[2] = 0.7;
    let settings = StepSettings { h: H, ..Default::default() };
    step(&model, &settings, &Input::default(), &mut state, &mut data)?;

    let known = indeterminacy(&data, &settings.contact.law)?;
    let mut intervals = Vec::new();
    println!("leg            found [N]   from [N]     to [N]");
    for (i, p) in data.contact_impulses().chunks_exact(3).enumerate() {
        let interval = [known.intervals[i][0].min / H, known.intervals[i][0].max / H];
        let (force, [from, to]) = (p[0] / H, interval);
        println!("{:12} {force:11.3} {from:10.3} {to:10.3}", format!("{:?}", legs[i]));
        intervals.push(interval);
    }
    println!();
    Ok(intervals)
}

fn main() -> Result<(), Box<dyn Error>> {
    let square = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    // two legs across from each other carry all of it, or none
    for [from, to] in table(&square)? {
        assert!(from.abs() < 1e-6 * WEIGHT && (to - 0.5 * WEIGHT).abs() < 1e-6 * WEIGHT);
    }
    // statics of three legs: a third each
    let (s, c) = (std::f64::consts::PI / 3.0).sin_cos();
    for [from, to] in table(&[[1.0, 0.0], [-c, s], [-c, -s]])? {
        let third = WEIGHT / 3.0;
        assert!((from - third).abs() < 1e-6 * WEIGHT && (to - third).abs() < 1e-6 * WEIGHT);
    }
    Ok(())
}
