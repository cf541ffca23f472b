//! The scenes in `scenes/`: each one loads, runs with a certificate for every step, and ends where physics says.

mod files;
mod friction;
mod impacts;
mod mechanisms;
mod paradox;
mod robots;
mod stacks;
mod stiff;
mod toys;

use std::path::PathBuf;

use stiction_scene::{LoadOptions, Scene, Simulation, Stepped, load};
use stiction_sim::constraint::rows::At;
use stiction_sim::energy::mechanical_energy;
use stiction_sim::tree::kinematics;
use stiction_sim::{BodyId, Motion, Pose, Vec3};

/// Gravity [m/s²].
const G: f64 = 9.81;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// A shipped scene with some settings changed.
fn scene(file: &str, set: &[&str]) -> Scene {
    let set = set.iter().map(|text| text.to_string()).collect();
    let options = LoadOptions { set, ..LoadOptions::default() };
    load(&folder().join(file), &options).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
        panic!("{file}:\n{}", lines.join("\n"));
    })
}

/// A scene under way.
struct Run {
    file: String,
    sim: Simulation,
    /// Of the whole run, and how many are taken.
    steps: u64,
    taken: u64,
}

impl Run {
    fn new(file: &str, set: &[&str]) -> Self {
        let scene = scene(file, set);
        let sim = Simulation::new(&scene).unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
        Self { file: file.to_string(), sim, steps: scene.steps, taken: 0 }
    }

    /// One step, with its certificate.
    fn step(&mut self) -> Stepped {
        let stepped = self.sim.step();
        let stepped =
            stepped.unwrap_or_else(|error| panic!("{}, step {}: {error}", self.file, self.taken));
        assert!(stepped.certified, "{}, step {}: {stepped:?}", self.file, self.taken);
        self.taken += 1;
        stepped
    }

    /// All steps; `see` is shown each one.
    fn watch(mut self, mut see: impl FnMut(&mut Self, &Stepped)) -> Self {
        while self.taken < self.steps {
            let stepped = self.step();
            see(&mut self, &stepped);
        }
        self
    }

    fn finish(self) -> Self {
        self.watch(|_, _| {})
    }

    fn h(&self) -> f64 {
        self.sim.stepping.step().h
    }

    fn body(&self, name: &str) -> BodyId {
        self.sim.model.body(name).unwrap_or_else(|| panic!("{}: no body `{name}`", self.file))
    }

    fn update(&mut self) {
        let Simulation { model, state, data, .. } = &mut self.sim;
        kinematics::update(model, &state.q, &state.v, data);
    }

    fn pose(&mut self, name: &str) -> Pose {
        self.update();
        kinematics::pose(&self.sim.model, &self.sim.data, self.body(name))
    }

    fn place(&mut self, name: &str) -> Vec3 {
        self.pose(name).p
    }

    fn velocity(&mut self, name: &str) -> Motion {
        self.update();
        kinematics::velocity(&self.sim.model, &self.sim.data, self.body(name))
    }

    /// First position and velocity of a joint.
    fn joint(&self, name: &str) -> (f64, f64) {
        let model = &self.sim.model;
        let joint = model.joint(name).unwrap_or_else(|| panic!("{}: no joint `{name}`", self.file));
        let (q, v) = (model.q_range(joint), model.v_range(joint));
        let (q, v) = (q.expect("of the tree").start, v.expect("of the tree").start);
        (self.sim.state.q[q], self.sim.state.v[v])
    }

    /// [J]
    fn energy(&mut self) -> f64 {
        let Simulation { model, state, data, .. } = &mut self.sim;
        mechanical_energy(model, At::from(&*state), &state.v, data).expect("an energy")
    }

    /// The largest difference of a position from what it was.
    fn drift(&self, start: &[f64]) -> f64 {
        let differences = self.sim.state.q.iter().zip(start).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, nan_max)
    }

    fn fastest(&self) -> f64 {
        self.sim.state.v.iter().map(|v| v.abs()).fold(0.0, nan_max)
    }
}

/// The larger one; a NaN is larger than anything.
fn nan_max(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Whether two numbers are nearer than a limit; false for NaN.
fn near(a: f64, b: f64, limit: f64) -> bool {
    (a - b).abs() <= limit
}
