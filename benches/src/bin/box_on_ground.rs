//! The box on the ground of [PKF17], table 1: where it comes to rest, and how long the steps take.
//!
//! A cube of 1 kg and 1 m slides at 5 m/s along y and spins at 2π rad/s on its four lower corners, μ = 1, until friction
//! has stopped it. Answers each line `LAW H TIME` with one JSON object; seconds are processor time of one thread.
#![allow(rustdoc::broken_intra_doc_links, reason = "keys of sources and units stand in brackets")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]

use std::f64::consts::TAU;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use cpu_time::ThreadTime;
use serde_json::{Value, json};
use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{BoxLaw, Cone, Hybrid, Lateral, Law, Phantom, Pyramid};
use stiction_sim::model::{FrameSpec, Relaxation, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Geometry, Inertia, Input, Model, ModelSpec, State, StepSettings, Vec3, step,
};

const GRAVITY: f64 = 9.81;
/// Table 1 of [PKF17]: the normals' and the bristles' stiffness and damping.
const NORMAL: Relaxation = Relaxation { k: 1e10, b: 1e8 };
const BRISTLE: Relaxation = Relaxation { k: 1e8, b: 1e5 };
/// Least normal force of eq. 43 [N].
const LAMBDA_MIN: f64 = 1e-3 * GRAVITY;

/// Reads lines `LAW H TIME`, the step length and the simulated time in seconds, from the standard input.
#[derive(Parser)]
#[command(about = "A box slides and spins on the ground until it rests")]
struct Cli;

/// A friction law, with the normals of table 1 unless it says rigid.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Setting {
    Cone,
    ConeMiddle,
    ConeRigid,
    Phantom,
    PhantomMiddle,
    Hybrid,
    Box,
    Pyramid4,
    Pyramid8,
}

impl Setting {
    fn law(self) -> Law {
        let pyramid = |facets| Law::Pyramid(Pyramid { facets, ..Default::default() });
        let lateral = Lateral::Relaxed { lambda_min: LAMBDA_MIN };
        match self {
            Self::Cone | Self::ConeMiddle | Self::ConeRigid => Law::Cone(Cone::default()),
            Self::Phantom | Self::PhantomMiddle => {
                Law::Phantom(Phantom { lateral, ..Default::default() })
            }
            Self::Hybrid => Law::Hybrid(Hybrid { lambda_min: LAMBDA_MIN, ..Default::default() }),
            Self::Box => Law::Box(BoxLaw::default()),
            Self::Pyramid4 => pyramid(4),
            Self::Pyramid8 => pyramid(8),
        }
    }

    fn geometry(self) -> Geometry {
        match self {
            Self::ConeMiddle | Self::PhantomMiddle => Geometry::Middle,
            _ => Geometry::Begin,
        }
    }

    fn surface(self) -> Surface {
        let compliance = if matches!(self, Self::ConeRigid) { None } else { Some(NORMAL) };
        Surface { compliance, ..Surface::rigid(1.0) }
    }
}

fn main() -> ExitCode {
    Cli::parse();
    match answer_lines() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer_lines() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[setting, h, time] = &words[..] else {
            return Err(io::Error::other(format!("not LAW H TIME: {line}")));
        };
        let setting = Setting::from_str(setting, false).map_err(io::Error::other)?;
        let number = |word: &str| word.parse::<f64>().map_err(io::Error::other);
        println!("{}", run(setting, number(h)?, number(time)?)?);
        io::stdout().flush()?;
    }
    Ok(())
}

fn model(surface: Surface) -> io::Result<Model> {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
    spec.material("stuff", surface);
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("box", Inertia::principal(1.0, [1.0 / 6.0; 3]));
    let corners = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    spec.shape("corners", FrameSpec::of("box"), Shape::Points(corners), "stuff");
    spec.build(Coordinates::Generalized).map_err(io::Error::other)
}

/// The box has stood, and its corners remember their weight; now it is given its velocity.
fn start(model: &Model, settings: &StepSettings, data: &mut Data) -> io::Result<State> {
    let mut state = model.state();
    state.q[2] = 0.5;
    let mut stood = state.clone();
    step(model, settings, &Input::default(), &mut stood, data).map_err(io::Error::other)?;
    state.memory = stood.memory;
    state.v[1] = 5.0;
    state.v[5] = TAU;
    Ok(state)
}

fn run(setting: Setting, h: f64, time: f64) -> io::Result<Value> {
    let model = model(setting.surface())?;
    let contact =
        ContactSettings { law: setting.law(), bristle: Some(BRISTLE), ..Default::default() };
    let settings = StepSettings { h, contact, geometry: setting.geometry(), ..Default::default() };
    let mut data = Data::new(&model);
    let mut state = start(&model, &settings, &mut data)?;
    let steps = (time / h).round() as usize;
    let mut iterations = 0;
    let clock = ThreadTime::now();
    for i in 0..steps {
        let report =
            step(&model, &settings, &Input::default(), &mut state, &mut data).map_err(|error| {
                io::Error::other(format!("{setting:?}, h = {h}, step {i}: {error}"))
            })?;
        iterations += report.contact.map_or(0, |contact| contact.iterations);
    }
    let seconds = clock.elapsed().as_secs_f64();
    // of a box that lies flat
    let yaw = 2.0 * state.q[6].atan2(state.q[3]);
    Ok(json!({
        "x": state.q[0], "y": state.q[1], "z": state.q[2], "yaw": yaw,
        "steps": steps, "iterations": iterations, "seconds": seconds,
    }))
}
