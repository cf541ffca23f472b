//! Can a fixed step be used, which solves one problem per step, where bodies bounce? Errors of fixed steps and of steps that
//! locate their impacts, on the same scenes.
//!
//! ```text
//!  cargo run --release -p stiction-sim --example fixed_or_located
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::impact::{ImpactLaw, ImpactSettings};
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Geometry, Inertia, Input, LocatedSettings, Model, ModelSpec, Quat, State,
    StepSettings, Vec3, step, step_located,
};

type Error = Box<dyn std::error::Error>;

/// A way to step, by its name.
#[derive(Clone, Copy)]
enum Way {
    Fixed(Geometry, NormalRow),
    Located { extrapolate: bool },
}

const WAYS: [(&str, Way); 4] = [
    ("fixed, gaps in the rows", Way::Fixed(Geometry::Begin, NormalRow::Position)),
    ("fixed, Moreau–Jean", Way::Fixed(Geometry::Middle, NormalRow::Velocity)),
    ("located", Way::Located { extrapolate: false }),
    ("located, extrapolated", Way::Located { extrapolate: true }),
];

/// A scene with its duration [s].
struct Scene {
    name: &'static str,
    model: Model,
    start: State,
    duration: f64,
}

fn main() -> Result<(), Error> {
    for scene in [ball()?, throw()?, pendulum()?] {
        println!(
            "{} for {} s: error at the end, and problems solved per step",
            scene.name, scene.duration
        );
        let exact = run(&scene, Way::Located { extrapolate: true }, 1 << 14)?.0;
        println!("{:>26} {:>16} {:>16} {:>16}", "", "h = T/64", "T/256", "T/1024");
        for (name, way) in WAYS {
            print!("{name:>26}");
            for n in [64, 256, 1024] {
                let (end, solves) = run(&scene, way, n)?;
                let off =
                    end.q.iter().zip(&exact.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                print!(" {off:>9.1e} ({:.2})", solves as f64 / n as f64);
            }
            println!();
        }
    }
    Ok(())
}

/// The end of a run of n steps, and how many problems it solved.
fn run(scene: &Scene, way: Way, n: usize) -> Result<(State, usize), Error> {
    let (mut state, mut data) = (scene.start.clone(), Data::new(&scene.model));
    let h = scene.duration / n as f64;
    let mut solves = 0;
    for _ in 0..n {
        match way {
            Way::Fixed(geometry, normal) => {
                let contact = ContactSettings { normal, ..Default::default() };
                let settings = StepSettings { h, geometry, contact, ..Default::default() };
                step(&scene.model, &settings, &Input::default(), &mut state, &mut data)?;
                solves += 1;
            }
            Way::Located { extrapolate } => {
                // rows of fixed steps restore by Newton's law
                let impact = ImpactSettings { law: ImpactLaw::Newton, ..Default::default() };
                let mut settings = LocatedSettings { extrapolate, impact, ..Default::default() };
                settings.step.h = h;
                let input = Input::default();
                let report = step_located(&scene.model, &settings, &input, &mut state, &mut data)?;
                solves += report.trials + report.events.len();
            }
        }
    }
    Ok((state, solves))
}

fn spec(e: f64, mu: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface { e, ..Surface::rigid(mu) });
    spec
}

fn ball() -> Result<Scene, Error> {
    let mut spec = spec(0.8, 0.0);
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    let model = spec.build(Coordinates::Generalized)?;
    let mut start = model.state();
    start.q[2] = 1.5;
    Ok(Scene { name: "a ball that bounces, e = 0.8", model, start, duration: 3.0 })
}

fn throw() -> Result<Scene, Error> {
    let mut spec = spec(0.5, 0.3);
    let slope = Quat::exp(&Vec3::new(0.0, 0.2, 0.0));
    spec.shape("slope", FrameSpec::world().turned(slope), Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.08, 0.1, 0.12]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    let model = spec.build(Coordinates::Generalized)?;
    let mut start = model.state();
    start.q[2] = 1.2;
    start.v.copy_from_slice(&[2.0, 0.5, 0.0, 1.0, -6.0, 2.0]);
    Ok(Scene { name: "a spinning ball thrown on a slope", model, start, duration: 1.0 })
}

fn pendulum() -> Result<Scene, Error> {
    let mut spec = spec(0.6, 0.0);
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    for name in ["upper", "lower"] {
        spec.body(name, Inertia::principal(1.0, [0.02; 3]));
    }
    let top = |name: &str| FrameSpec::of(name).at(0.0, 0.0, 1.0);
    spec.joint("shoulder", hinge.clone(), FrameSpec::world(), top("upper"));
    spec.joint("elbow", hinge, FrameSpec::of("upper"), top("lower"));
    spec.shape("fist", FrameSpec::of("lower"), Shape::Sphere { radius: 0.1 }, "stuff");
    let across = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let wall = FrameSpec::world().at(-0.3, 0.0, 0.0).turned(across);
    spec.shape("wall", wall, Shape::HalfSpace, "stuff");
    let model = spec.build(Coordinates::Generalized)?;
    let mut start = model.state();
    start.q.copy_from_slice(&[-1.0, -0.5]);
    Ok(Scene { name: "a double pendulum against a wall", model, start, duration: 1.0 })
}
