//! A toy woodpecker pecks its way down a pole: a sleeve with clearance jams and comes free, a bird swings on it by a spring,
//! and its beak hits the pole. Impacts and friction make a steady descent of it; shorter steps agree on time and drop of a cycle.
//!
//! `cargo run --release -p stiction-sim --example woodpecker`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use stiction_sim::located::EventKind;
use stiction_sim::model::{CoordinateSpec, FrameSpec, JointKind, Shape, SpringKind, Surface};
use stiction_sim::{
    Coordinates, Data, Geometry, Inertia, Input, LocatedSettings, Model, ModelSpec, Quat,
    StepSettings, Vec3, step_located,
};

/// Sleeve and bird [kg], [kg·m²].
const SLEEVE: (f64, f64) = (0.0003, 5e-9);
const BIRD: (f64, f64) = (0.0045, 7e-7);
/// Of the spring between them [N·m/rad].
const STIFFNESS: f64 = 0.0056;
/// Half the width of the pole; half the width and height of the hole in the sleeve [m].
const POLE: f64 = 0.0025;
const HOLE: (f64, f64) = (0.0031, 0.0058);
/// From the sleeve's middle to the spring, from there to the bird, from the bird back to its beak, and up [m].
const TO_SPRING: f64 = 0.010;
const TO_BIRD: f64 = 0.015;
const BEAK: (f64, f64) = (-0.0201, 0.02);
/// Every contact; and how much of its normal impulse the beak gets back.
const FRICTION: f64 = 0.3;
const RESTITUTION: f64 = 0.5;

fn toy() -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.material("wood", Surface::rigid(FRICTION));
    spec.material("beak", Surface::rigid(FRICTION));
    spec.pair("wood", "beak", Surface { e: RESTITUTION, ..Surface::rigid(FRICTION) });
    // the bird is on the side of x: the pole is everything with x ≤ its half width
    let towards_x = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let face = FrameSpec::world().at(POLE, 0.0, 0.0).turned(towards_x);
    spec.shape("pole", face, Shape::HalfSpace, "wood");

    // what slides and what tilts on it share the sleeve's mass
    spec.body("slide", Inertia::principal(0.5 * SLEEVE.0, [SLEEVE.1; 3]));
    spec.body("sleeve", Inertia::principal(0.5 * SLEEVE.0, [SLEEVE.1; 3]));
    spec.body("bird", Inertia::principal(BIRD.0, [BIRD.1; 3]));
    let (up, tilt) =
        (JointKind::Prismatic { axis: Vec3::z() }, JointKind::Revolute { axis: -Vec3::y() });
    spec.joint("height", up, FrameSpec::world(), FrameSpec::of("slide"));
    spec.joint("tilt", tilt, FrameSpec::of("slide"), FrameSpec::of("sleeve"));
    let spring = FrameSpec::of("sleeve").at(TO_SPRING, 0.0, 0.0);
    spec.joint("bend", tilt, spring, FrameSpec::of("bird").at(-TO_BIRD, 0.0, 0.0));
    let coil = SpringKind::Coordinate { coordinate: CoordinateSpec::of("bend"), rest: 0.0 };
    spec.spring("coil", coil, STIFFNESS, 0.0);

    let edges = [-HOLE.1, HOLE.1].map(|z| Vec3::new(HOLE.0, 0.0, z));
    spec.shape("edges", FrameSpec::of("sleeve"), Shape::Points(edges.to_vec()), "wood");
    let beak = FrameSpec::of("bird").at(BEAK.0, 0.0, BEAK.1);
    spec.shape("beak", beak, Shape::Points(vec![Vec3::zeros()]), "beak");
    Ok(spec.build(Coordinates::Generalized)?)
}

/// Times [s] and heights [m] at which the beak hits the pole within 1.6 s.
fn pecks(h: f64, extrapolate: bool) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let model = toy()?;
    let (mut state, mut data) = (model.state(), Data::new(&model));
    // the sleeve nearly jammed, the bird on its way down
    state.q.copy_from_slice(&[0.0, -0.1, -0.18]);
    state.v.copy_from_slice(&[-0.34, 0.0, -7.5]);
    let step = StepSettings { h, geometry: Geometry::Middle, ..Default::default() };
    let settings = LocatedSettings { step, extrapolate, ..Default::default() };
    let mut pecks = Vec::new();
    while state.time < 1.6 {
        let report = step_located(&model, &settings, &Input::default(), &mut state, &mut data)?;
        for event in &report.events {
            let EventKind::Impact { strikes, .. } = &event.kind else { continue };
            // shapes in their order: pole, edges, beak
            if strikes.iter().any(|strike| strike.key.shape_b == 2) {
                let back = state.time - event.time;
                pecks.push((event.time, state.q[0] - back * state.v[0]));
            }
        }
    }
    Ok(pecks)
}

/// Mean time [s] and drop [m] of the last five cycles.
fn cycle(pecks: &[(f64, f64)]) -> Result<(f64, f64), Box<dyn Error>> {
    let [first, .., last] = pecks.last_chunk::<6>().ok_or("it pecks more than six times")?;
    Ok(((last.0 - first.0) / 5.0, (first.1 - last.1) / 5.0))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("step [ms]   extrapolated   cycle [ms]   drop [mm]   speed [mm/s]");
    let mut times = Vec::new();
    for (h, extrapolate) in
        [(2e-4, false), (1e-4, false), (5e-5, false), (4e-4, true), (2e-4, true), (1e-4, true)]
    {
        let (time, drop) = cycle(&pecks(h, extrapolate)?)?;
        times.push(time);
        let [h, time, drop, speed] = [h, time, drop, drop / time].map(|x| 1e3 * x);
        println!("{h:9.3} {extrapolate:14} {time:12.3} {drop:11.3} {speed:14.2}");
    }
    // first order, taken to h = 0 by hand, is where the extrapolated steps are already
    let limit = 2.0 * times[2] - times[1];
    println!("\ncycle for h → 0: {:.3} ms", 1e3 * limit);
    assert!((limit / times[5] - 1.0).abs() < 1e-4, "{times:?}");
    Ok(())
}
