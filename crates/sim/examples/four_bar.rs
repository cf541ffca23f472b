//! A four-bar linkage whose loop is closed by a constraint, driven through a hundred turns. The rocker
//! follows Freudenstein's equation,
//!
//! ```text
//!  K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄)
//!  K₁ = d/a,   K₂ = d/c,   K₃ = (a² − b² + c² + d²)/(2 a c)
//! ```
//!
//! with a the crank (angle θ₂), b the coupler, c the rocker (θ₄), d the ground. In space four parallel
//! hinges lock three things twice: the redundant rows are found, reported, and get no force.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use std::error::Error;
use std::f64::consts::{FRAC_PI_3, TAU};

use stiction_sim::constraint::project::assemble;
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law};
use stiction_sim::tree::kinematics;
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelSpec, Pose, Quat, State, StepSettings, Vec3,
    step,
};

/// Lengths [m]: s + l = 0.4 + 1.2 is less than p + q = 0.8 + 1.0, so the crank turns fully (Grashof).
const CRANK: f64 = 0.4;
const COUPLER: f64 = 1.2;
const ROCKER: f64 = 0.8;
const GROUND: f64 = 1.0;
/// One turn a second, in steps of 3°.
const RATE: f64 = TAU;
const STEPS_PER_TURN: u32 = 120;
const TURNS: u32 = 100;

const HINGE: JointKind = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };

/// A bar of 1 kg per metre along x of its frame, which sits on the bar's first hinge.
fn bar(length: f64) -> Inertia {
    let across = length * length * length / 12.0;
    let middle = Pose::translation(0.5 * length, 0.0, 0.0);
    Inertia::principal(length, [1e-3 * across, across, across]).moved(&middle)
}

fn turned(angle: f64) -> Quat {
    Quat::exp(&(Vec3::z() * angle))
}

/// The angles in which the bars are stated are rough: the loop is open by some centimetres.
fn four_bar(coordinates: Coordinates) -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::new(0.0, -9.81, 0.0);
    for (name, length) in [("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)] {
        spec.body(name, bar(length));
    }
    let ground = FrameSpec::world().turned(turned(FRAC_PI_3));
    spec.joint("A", HINGE, ground, FrameSpec::of("crank"));
    let pin = FrameSpec::of("crank").at(CRANK, 0.0, 0.0).turned(turned(-0.7));
    spec.joint("B", HINGE, pin, FrameSpec::of("coupler"));
    let ground = FrameSpec::world().at(GROUND, 0.0, 0.0).turned(turned(1.2));
    spec.joint("D", HINGE, ground, FrameSpec::of("rocker"));
    // the loop
    let (a, b) = (FrameSpec::of("coupler").at(COUPLER, 0.0, 0.0), FrameSpec::of("rocker"));
    let b = b.at(ROCKER, 0.0, 0.0);
    spec.constraint("C", ConstraintKind::Joint { kind: HINGE, a, b });
    let (coordinate, law) = (CoordinateSpec::of("A"), Law::rate(0.0, RATE));
    spec.constraint("drive", ConstraintKind::Drive { coordinate, law });
    Ok(spec.build(coordinates)?)
}

/// How far a state is from Freudenstein's equation.
fn residual(model: &Model, state: &State, data: &mut Data) -> f64 {
    kinematics::update_positions(model, &state.q, data);
    let direction = |name: &str| {
        let body = model.body(name).expect("a bar of the model");
        kinematics::pose(model, data, body).R.column(0).into_owned()
    };
    let (crank, rocker) = (direction("crank"), direction("rocker"));
    let (K1, K2) = (GROUND / CRANK, GROUND / ROCKER);
    let squares = CRANK * CRANK - COUPLER * COUPLER + ROCKER * ROCKER + GROUND * GROUND;
    let K3 = squares / (2.0 * CRANK * ROCKER);
    // cos(θ₂ − θ₄) = cos θ₂ cos θ₄ + sin θ₂ sin θ₄
    (K1 * rocker.x - K2 * crank.x + K3 - crank.dot(&rocker)).abs()
}

fn main() -> Result<(), Box<dyn Error>> {
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = four_bar(coordinates)?;
        let (mut state, mut data) = (model.state(), Data::new(&model));
        let stated = residual(&model, &state, &mut data);
        let closed = assemble(&model, &mut state, &mut data)?;
        println!("{coordinates:?}: {} velocities", model.nv());
        println!("  stated {stated:.1e} off the equation; gap after assembly {:.0e} m", closed.gap);

        let h = 1.0 / f64::from(STEPS_PER_TURN);
        let settings = StepSettings { h, ..Default::default() };
        let (mut worst, mut gap) = (0.0, 0.0);
        for _ in 0..TURNS * STEPS_PER_TURN {
            let report = step(&model, &settings, &Input::default(), &mut state, &mut data)?;
            // the drive leaves nothing free: as many independent rows as velocities
            assert_eq!((report.rank, report.rows - report.rank), (model.nv(), 3));
            gap = f64::max(gap, report.gap);
            worst = f64::max(worst, residual(&model, &state, &mut data));
        }
        let redundant = closed.rows - closed.rank;
        println!("  {} rows, {redundant} of them redundant", closed.rows);
        println!("  {TURNS} turns: closure {gap:.0e} m, Freudenstein's equation {worst:.0e}");
        assert!(stated > 1e-2, "the loop was open before");
        assert!(gap <= 1e-12, "the loop stays closed: {gap}");
        assert!(worst <= 1e-11, "the rocker follows the crank: {worst}");
    }
    Ok(())
}
