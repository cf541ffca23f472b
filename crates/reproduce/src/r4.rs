//! R4 [AP]: two masses, a stiff damper or spring between them, friction below them.

use std::error::Error;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::model::{ConstraintKind, FrameSpec, Shape, SpringKind, Surface};
use stiction_sim::{
    BodyLoad, Coordinates, Data, Inertia, Input, Model, ModelSpec, StepSettings, Stiffness, Vec3,
    step,
};

use crate::{Effort, Item, Table};

const MU: f64 = 0.4;
const APART: f64 = 3.0; // m
const H: f64 = 0.05; // s
const TIME: f64 = 10.0; // s

const TEXT: &str = "Two cubes of 1 kg, 3 m apart, stand on the ground with μ = 0.4; F = 20 cos t pulls at the left one for 10 s, h = 0.05 s. Between them a damper δ, or a spring γ that is 3 m long. With explicit forces the relative velocity is multiplied by 1 − 2hδ/m in each step: −1 at δ = 20, −9 at δ = 100. The linearly implicit step is to be stable for all δ and γ, and to approach the motion with a rigid rod in their place like 1/δ and 1/γ.";

/// What is between the two cubes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    Damper(f64),
    Spring(f64),
    Rod,
}

/// What a run came to.
struct Run {
    /// Places of both cubes after each step [m].
    places: Vec<[f64; 2]>,
    /// Largest relative speed on the way [m/s].
    fastest: f64,
    /// How near the first explicit step said it was to instability.
    load: f64,
    /// Why it ended before its time.
    ended: Option<String>,
}

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R4", "Stiff dampers and springs between two masses", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(&*error);
    }
    item
}

fn model(link: Link) -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(MU));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    for name in ["left", "right"] {
        spec.body(name, Inertia::principal(1.0, [1.0 / 6.0; 3]));
        let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
        let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
        spec.shape(name, FrameSpec::of(name), Shape::Points(corners), "stuff");
    }
    let (a, b) = (FrameSpec::of("left"), FrameSpec::of("right"));
    match link {
        Link::Damper(delta) => {
            spec.spring("link", SpringKind::Points { a, b, rest: APART }, 0.0, delta);
        }
        Link::Spring(gamma) => {
            spec.spring("link", SpringKind::Points { a, b, rest: APART }, gamma, 0.0);
        }
        Link::Rod => {
            spec.constraint("link", ConstraintKind::Distance { a, b, length: APART });
        }
    }
    Ok(spec.build(Coordinates::Generalized)?)
}

fn run(link: Link, stiffness: Stiffness) -> Result<Run, Box<dyn Error>> {
    let model = model(link)?;
    let (mut state, mut data) = (model.state(), Data::new(&model));
    (state.q[2], state.q[7], state.q[9]) = (0.5, APART, 0.5);
    let body = model.body("left").ok_or("no left cube")?;
    let settings = StepSettings { h: H, stiffness, ..Default::default() };
    let mut run = Run { places: Vec::new(), fastest: 0.0, load: 0.0, ended: None };
    for i in 0..(TIME / H).round() as usize {
        let pull = 20.0 * (i as f64 * H).cos();
        let f = Vec3::new(pull, 0.0, 0.0);
        let load = BodyLoad { body, p_UoQ_U: Vec3::zeros(), f, t: Vec3::zeros() };
        let input = Input { bodies: &[load], ..Default::default() };
        match step(&model, &settings, &input, &mut state, &mut data) {
            // later an exploding run is somewhere else
            Ok(report) if i == 0 => run.load = report.explicit_load,
            Ok(_) => {}
            Err(error) => {
                run.ended = Some(format!("after {:.2} s: {error}", i as f64 * H));
                break;
            }
        }
        run.places.push([state.q[0], state.q[7]]);
        run.fastest = run.fastest.max((state.v[6] - state.v[0]).abs());
    }
    Ok(run)
}

/// The largest distance between two runs at the same time [m]; infinite if one has ended early.
fn apart(a: &Run, b: &Run) -> f64 {
    if a.places.len() != b.places.len() {
        return f64::INFINITY;
    }
    let pairs = a.places.iter().zip(&b.places);
    pairs.map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs())).fold(0.0, f64::max)
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    stability(item)?;
    let rod = run(Link::Rod, Stiffness::LinearlyImplicit)?;
    item.is("with a rod in the place of the link all steps are certified", rod.ended.is_none());
    let decades = if effort == Effort::Whole { 2..=8 } else { 4..=7 };
    let mut lines = Vec::new();
    for (name, colour, link) in [
        ("damper δ", 0, Link::Damper as fn(f64) -> Link),
        ("spring γ", 1, Link::Spring as fn(f64) -> Link),
    ] {
        let mut points = Vec::new();
        for decade in decades.clone() {
            let strength = 10f64.powi(decade);
            let run = run(link(strength), Stiffness::LinearlyImplicit)?;
            item.is(format!("{name} = 1e{decade}: all steps are certified"), run.ended.is_none());
            points.push((strength, apart(&run, &rod)));
        }
        let (first, last) = (points[points.len() - 3], points[points.len() - 1]);
        let slope = (last.1 / first.1).log10() / (last.0 / first.0).log10();
        item.near(format!("{name}: slope towards the rod"), slope, -1.0, 0.05);
        item.figure(format!("slope_{}", &name[..6]), slope);
        item.figure(format!("apart_{}", &name[..6]), last.1);
        lines.push(Line { label: name.into(), colour, stroke: Stroke::Dots, points });
    }
    picture(item, lines);
    Ok(())
}

/// δ of the source, explicit and linearly implicit.
fn stability(item: &mut Item) -> Result<(), Box<dyn Error>> {
    let caption = "Largest relative speed of the two cubes [m/s], and what ended a run.";
    let head = ["δ", "explicit", "load", "ended", "linearly implicit"];
    let mut table = Table::new(caption, &head);
    for delta in [20.0, 100.0, 1e4, 1e8] {
        let [explicit, implicit] = [
            run(Link::Damper(delta), Stiffness::Explicit)?,
            run(Link::Damper(delta), Stiffness::LinearlyImplicit)?,
        ];
        let factor = 1.0 - 2.0 * H * delta;
        // load 1 is where the factor is −1
        item.near(
            format!("δ = {delta:e}: load said"),
            explicit.load,
            (1.0 - factor) / 2.0,
            1e-9 * delta,
        );
        item.is(format!("δ = {delta:e}: implicit run ends in time"), implicit.ended.is_none());
        item.at_most(format!("δ = {delta:e}: implicit relative speed"), implicit.fastest, 1.1);
        if delta > 20.0 {
            let exploded = explicit.ended.is_some() || explicit.fastest > 1e3;
            item.is(format!("δ = {delta:e}: explicit run is unstable"), exploded);
        }
        table.row(vec![
            format!("{delta:e}"),
            format!("{:.3e}", explicit.fastest),
            format!("{:.3e}", explicit.load),
            explicit.ended.unwrap_or_else(|| "–".into()),
            format!("{:.3e}", implicit.fastest),
        ]);
    }
    item.tables.push(table);
    Ok(())
}

fn picture(item: &mut Item, lines: Vec<Line>) {
    let all = || lines.iter().flat_map(|line| line.points.iter());
    let lowest = all().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let highest = all().map(|point| point.1).fold(0.0, f64::max);
    let strengths = all().map(|point| point.0);
    let (x0, x1) = strengths.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let panel = Panel {
        title: "largest distance from the motion with a rod".into(),
        size: (560.0, 360.0),
        x: Axis::log("δ [N·s/m], γ [N/m]", (x0 / 2.0, x1 * 2.0)),
        y: Axis::log("[m]", (lowest / 3.0, highest * 3.0)),
        lines,
    };
    let text = svg("Stiff links become joints", &[panel]);
    item.picture(
        "r4-stiff",
        "Linearly implicit dampers and springs against a rigid rod: slope −1.",
        text,
    );
}
