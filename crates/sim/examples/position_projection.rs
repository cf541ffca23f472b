//! Positions kept on their constraints and out of overlaps by projection: what it does to the energy if nobody asks, and what
//! it does here. Columns: the energy at the end less that of the beginning, what the projections of single steps gave and what
//! they took, the widest gap of a joint, the deepest overlap.
//!
//! `cargo run --release -p stiction-sim --example position_projection -- 100000`: so many steps of each mechanism, or 10000.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it does")]

use std::error::Error;

use stiction_sim::constraint::project::assemble;
use stiction_sim::constraint::rows::At;
use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::energy::mechanical_energy;
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Shape, Surface,
};
use stiction_sim::{
    Coordinates, Data, Drift, Inertia, Input, Model, ModelSpec, Pose, Quat, State, StepSettings,
    Vec3, step,
};

type Any<T> = Result<T, Box<dyn Error>>;

/// How positions are kept.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Drift(Drift),
    /// Nothing in the step; then positions and velocities are projected, and nobody pays.
    Unpaid,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    /// [J]
    change: f64,
    given: f64,
    taken: f64,
    /// [m]
    gap: f64,
    overlap: f64,
}

struct Scene {
    name: &'static str,
    model: Model,
    state: State,
    h: f64,
    steps: usize,
}

fn energy(model: &Model, state: &State, data: &mut Data) -> Any<f64> {
    Ok(mechanical_energy(model, At::from(state), &state.v, data)?)
}

fn run(scene: &Scene, way: Way) -> Any<Seen> {
    let Scene { model, h, steps, .. } = scene;
    let (mut state, mut data) = (scene.state.clone(), Data::new(model));
    let drift = if let Way::Drift(drift) = way { drift } else { Drift::Free };
    let contact = ContactSettings { normal: NormalRow::Velocity, ..Default::default() };
    let settings = StepSettings { h: *h, drift, contact, ledger: true, ..Default::default() };
    let start = energy(model, &state, &mut data)?;
    let mut seen = Seen::default();
    for _ in 0..*steps {
        let report = step(model, &settings, &Input::default(), &mut state, &mut data)?;
        let mut gap = report.gap;
        let mut work = report.ledger.map_or(0.0, |ledger| ledger.projection);
        if way == Way::Unpaid {
            let before = energy(model, &state, &mut data)?;
            gap = assemble(model, &mut state, &mut data)?.gap;
            work = energy(model, &state, &mut data)? - before;
        }
        seen.gap = seen.gap.max(gap);
        seen.given += work.max(0.0);
        seen.taken -= work.min(0.0);
        let at_start = report.contact.map_or(0.0, |contact| contact.overlap);
        seen.overlap = seen.overlap.max(report.projection.map_or(at_start, |p| p.overlap));
    }
    seen.change = energy(model, &state, &mut data)? - start;
    Ok(seen)
}

/// A bar of 1 kg per metre along x of its frame, from its first hinge on.
fn bar(length: f64) -> Inertia {
    let across = length * length * length / 12.0;
    let middle = Pose::translation(0.5 * length, 0.0, 0.0);
    Inertia::principal(length, [1e-3 * across, across, across]).moved(&middle)
}

/// Bars on hinges, the first one level, every body free and every joint a constraint; the last one hangs on the world if
/// `closed` says where. The first one is driven at `rate` [rad/s] if that is not 0.
fn bars(name: &'static str, lengths: &[f64], closed: Option<Vec3>, rate: f64) -> Any<Scene> {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let mut end = FrameSpec::world();
    for (i, &length) in lengths.iter().enumerate() {
        let body = format!("bar {i}");
        spec.body(&body, bar(length));
        spec.joint(&body, hinge, end.turned(Quat::exp(&(Vec3::y() * 0.4))), FrameSpec::of(&body));
        end = FrameSpec::of(&body).at(length, 0.0, 0.0);
    }
    if let Some(p) = closed {
        let kind = JointKind::Ball;
        spec.constraint(
            "loop",
            ConstraintKind::Joint { kind, a: FrameSpec::world().at(p.x, p.y, p.z), b: end },
        );
    }
    if rate != 0.0 {
        let (coordinate, law) = (CoordinateSpec::of("bar 0"), Law::rate(0.0, rate));
        spec.constraint("motor", ConstraintKind::Drive { coordinate, law });
    }
    let tree = spec.build(Coordinates::Generalized)?;
    let (mut state, mut data) = (tree.state(), Data::new(&tree));
    assemble(&tree, &mut state, &mut data)?;
    let model = spec.build(Coordinates::Maximal)?;
    let state = model.state_from(&tree, &state)?;
    let steps = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    Ok(Scene { name, model, state, h: 1e-3, steps })
}

fn with_shapes(
    name: &'static str,
    spec: &ModelSpec,
    q: &[f64],
    v: &[f64],
    steps: usize,
) -> Any<Scene> {
    let model = spec.build(Coordinates::Generalized)?;
    let mut state = model.state();
    state.q[..q.len()].copy_from_slice(q);
    state.v[..v.len()].copy_from_slice(v);
    Ok(Scene { name, model, state, h: 1e-3, steps })
}

fn ball(spec: &mut ModelSpec, mu: f64) {
    spec.material("stuff", Surface::rigid(mu));
    spec.body("ball", Inertia::principal(1.0, [0.4 * 0.01; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.1 }, "stuff");
}

/// A ball that rolls down a sphere of 1 m.
fn on_sphere() -> Any<Scene> {
    let mut spec = ModelSpec::new();
    ball(&mut spec, 0.5);
    spec.shape("hill", FrameSpec::world(), Shape::Sphere { radius: 1.0 }, "stuff");
    with_shapes("ball on a sphere", &spec, &[0.0, 0.0, 1.1], &[0.3, 0.0, 0.0, 0.0, 3.0, 0.0], 1000)
}

/// A ball that slides to and fro in a bowl z = (x² + y²)/2 of triangles.
fn in_bowl() -> Any<Scene> {
    let mut spec = ModelSpec::new();
    ball(&mut spec, 0.0);
    let (n, spacing) = (41, 0.05);
    let place = |i: usize| (i as f64 - 20.0) * spacing;
    let height = |x: f64, y: f64| 0.5 * (x * x + y * y);
    let heights = (0..n * n).map(|i| height(place(i % n), place(i / n))).collect();
    let bowl = Shape::HeightField { nx: n, ny: n, spacing: [spacing; 2], heights };
    spec.shape("bowl", FrameSpec::world(), bowl, "stuff");
    with_shapes("ball in a bowl", &spec, &[0.5, 0.0, 0.23], &[0.0, 0.7, 0.0], 5000)
}

/// A box that tumbles over the ground.
fn tumbling() -> Any<Scene> {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.3));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("box", Inertia::principal(1.0, [0.02, 0.03, 0.04]));
    let half = Vec3::new(0.3, 0.2, 0.1);
    spec.shape("box", FrameSpec::of("box"), Shape::Box { half }, "stuff");
    with_shapes("box that tumbles", &spec, &[0.0, 0.0, 0.6], &[2.0, 0.3, 0.0, 1.0, 6.0, 2.0], 3000)
}

fn stack() -> Any<Scene> {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    let mut q = Vec::new();
    for i in 0..5 {
        let body = format!("box {i}");
        spec.body(&body, Inertia::principal(1.0, [0.04 / 6.0; 3]));
        spec.shape(
            &body,
            FrameSpec::of(&body),
            Shape::Box { half: Vec3::from_element(0.1) },
            "stuff",
        );
        q.extend([0.0, 0.0, 0.1 + 0.2 * f64::from(i), 1.0, 0.0, 0.0, 0.0]);
    }
    with_shapes("stack of five", &spec, &q, &[], 2000)
}

fn main() -> Any<()> {
    let closed = Some(Vec3::new(1.0, 0.0, 0.0));
    let joints = [
        bars("pendulum", &[1.0], None, 0.0)?,
        bars("double pendulum", &[1.0, 0.7], None, 0.0)?,
        bars("four-bar", &[0.4, 1.2, 0.8], closed, 0.0)?,
        bars("four-bar, 3 rad/s", &[0.4, 1.2, 0.8], closed, 3.0)?,
        bars("four-bar, 12 rad/s", &[0.4, 1.2, 0.8], closed, 12.0)?,
    ];
    let contacts = [on_sphere()?, in_bowl()?, tumbling()?, stack()?];
    let ways = [
        ("free", Way::Drift(Drift::Free)),
        ("unpaid", Way::Unpaid),
        ("project", Way::Drift(Drift::Project)),
        ("close", Way::Drift(Drift::Close)),
    ];
    println!(
        "scene              way       ΔE [J]      given [J]   taken [J]   gap [m]   overlap [m]"
    );
    for scene in joints.iter().chain(&contacts) {
        for (name, way) in ways {
            let is_joint = scene.model.nv() > 0 && joints.iter().any(|own| own.name == scene.name);
            if !is_joint && (way == Way::Unpaid || way == Way::Drift(Drift::Close)) {
                continue;
            }
            let Seen { change, given, taken, gap, overlap } = run(scene, way)?;
            println!(
                "{:18} {name:8} {change:12.3e} {given:12.1e} {taken:11.3e} {gap:9.1e} {overlap:10.1e}",
                scene.name
            );
            if way == Way::Drift(Drift::Project) {
                // rounding of some ten joules, a hundred thousand times
                assert!(
                    given < 1e-9 && (gap < 1e-12 || scene.name.contains("rad/s")),
                    "{}",
                    scene.name
                );
            }
        }
    }
    Ok(())
}
