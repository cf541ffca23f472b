//! R1: the box on the ground under five friction laws, [PKF17] figure 4 and table 1.

mod convergence;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::contact::law::Law;

use crate::Effort;
use crate::item::{Item, Table};
use crate::scene::{Named, Run, Scene, Softness, distance, laws};

const TEXT: &str = "\
A cube of 1 kg and 1 m slides on its four lower corners (5 m/s along y, one turn a second about z, μ = 1) until it stops. \
Normals are relaxed in all laws (k_n, b_n of table 1); box, hybrid and phantom have bristles (k_t, b_t); pyramid and box use the world's x and y; \
hybrid and phantom turn to each corner's slip above 1 mm/s. The first step finds λ_n = m g/4 and λ_t = 0 in its memory. Asked is the end pose \
of an independent calculation, to ±0.005 m and rad, and the ordering that the paper reads off its figure 4: phantom is the closest to hybrid, and \
both are closer to Coulomb's law than pyramid(4) and box.";

/// End poses (x, y, yaw) at h = 1 ms of an independent calculation, in the order of [`laws`]; for the cone the limit h → 0.
const STATED: [[f64; 3]; 5] = [
    [0.078, 1.617, 1.867],
    [0.830, 1.349, 2.266],
    [0.438, 1.582, 1.952],
    [0.440, 1.581, 1.951],
    COULOMB,
];
/// Exact Coulomb friction, h → 0, by two independent integrations that agree to 2e-4.
const COULOMB: [f64; 3] = [0.4407, 1.5840, 1.9535];
/// To which the end poses are asked [m, rad].
const NEAR: f64 = 0.005;
/// How much a path must be closer to call it so: ten times, far beyond what the step length moves.
const CLOSER: f64 = 0.1;

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R1", "Box on the ground under five friction laws", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

/// The runs of all laws with one step length.
struct Runs {
    h: f64,
    laws: [Named; 5],
    runs: Vec<Run>,
}

impl Runs {
    fn new(scene: &Scene, h: f64) -> Result<Self, Box<dyn std::error::Error>> {
        let laws = laws();
        let runs = laws.iter().map(|named| scene.run(named.law, h)).collect::<Result<_, _>>()?;
        Ok(Self { h, laws, runs })
    }

    fn milliseconds(&self) -> String {
        format!("{} ms", 1e3 * self.h)
    }

    fn is_exact(&self, i: usize) -> bool {
        matches!(self.laws[i].law, Law::Cone(_))
    }
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::new(Softness::TABLE_1)?;
    let all = [Runs::new(&scene, 1e-2)?, Runs::new(&scene, 1e-3)?];
    for runs in &all {
        poses(item, runs);
        certificates(item, runs);
    }
    for (i, (named, stated)) in all[1].laws.iter().zip(STATED).enumerate() {
        let end = all[1].runs[i].end();
        for (a, axis) in ["x", "y", "yaw"].into_iter().enumerate() {
            item.near(format!("{}, 1 ms: {axis} at the end", named.name), end[a], stated[a], NEAR);
        }
    }
    for runs in &all {
        ordering(item, runs);
    }
    item.picture(
        "r1-paths",
        "Paths of the centre under five laws, h = 10 ms and 1 ms",
        paths(&all),
    );
    convergence::fill(item, &scene, effort)
}

fn poses(item: &mut Item, runs: &Runs) {
    let caption = format!("End poses, h = {}.", runs.milliseconds());
    let head = ["law", "x [m]", "y [m]", "yaw [rad]", "steps", "stated at 1 ms", "off"];
    let mut table = Table::new(caption, &head);
    for (i, (named, run)) in runs.laws.iter().zip(&runs.runs).enumerate() {
        let end = run.end();
        let off = (0..3).map(|a| (end[a] - STATED[i][a]).abs()).fold(0.0, f64::max);
        let [x, y, yaw] = end.map(|x| format!("{x:.4}"));
        let [a, b, c] = STATED[i];
        let note = if runs.is_exact(i) { " (h → 0)" } else { "" };
        let stated = format!("{a}, {b}, {c}{note}");
        let steps = run.steps().to_string();
        table.row(vec![named.name.into(), x, y, yaw, steps, stated, format!("{off:.4}")]);
        for (a, axis) in ["x", "y", "yaw"].into_iter().enumerate() {
            item.figure(format!("{}_{}ms_{axis}", named.name, 1e3 * runs.h), end[a]);
        }
    }
    item.tables.push(table);
}

fn certificates(item: &mut Item, runs: &Runs) {
    let caption = format!(
        "Certificates and whole paths, h = {}: distances are the largest at the same time, a metre counting as a radian.",
        runs.milliseconds()
    );
    let head =
        ["law", "certified", "worst residual", "from Coulomb", "path to cone", "path to hybrid"];
    let mut table = Table::new(caption, &head);
    for (named, run) in runs.laws.iter().zip(&runs.runs) {
        let what = |what: &str| format!("{}, {}: {what}", named.name, runs.milliseconds());
        item.is(what("comes to rest"), run.rests);
        item.equal(what("steps certified"), run.certified, run.steps());
        // a hundred times the tolerance 1e-10 of the step's problem: the judge adds up the rows of a contact
        item.at_most(what("worst residual of a step"), run.residual, 1e-8);
        table.row(vec![
            named.name.into(),
            format!("{} of {}", run.certified, run.steps()),
            format!("{:.1e}", run.residual),
            format!("{:.1e}", run.coulomb),
            format!("{:.4}", run.apart(&runs.runs[4])),
            format!("{:.4}", run.apart(&runs.runs[2])),
        ]);
    }
    item.tables.push(table);
}

/// The claims of figure 4, of end poses and of whole paths.
fn ordering(item: &mut Item, runs: &Runs) {
    let [pyramid, boxed, hybrid, phantom, cone] = [0, 1, 2, 3, 4].map(|i| &runs.runs[i]);
    let h = runs.milliseconds();
    let ends: fn(&Run, &Run) -> f64 = |a, b| distance(a.end(), b.end());
    for (what, apart) in [("ends", ends), ("paths", Run::apart)] {
        let nearest = apart(pyramid, hybrid).min(apart(boxed, hybrid));
        item.at_most(
            format!("{h}: {what}, phantom from hybrid, beside the nearest other"),
            apart(phantom, hybrid) / nearest,
            CLOSER,
        );
        let others = apart(pyramid, cone).min(apart(boxed, cone));
        for (name, run) in [("hybrid", hybrid), ("phantom", phantom)] {
            item.at_most(
                format!("{h}: {what}, {name} from cone, beside the nearer of pyramid(4) and box"),
                apart(run, cone) / others,
                CLOSER,
            );
        }
    }
}

fn paths(all: &[Runs]) -> String {
    let strokes = [Stroke::Solid, Stroke::Solid, Stroke::Dashed, Stroke::Dotted, Stroke::Wide];
    let panel = |runs: &Runs| {
        // the cone lies under hybrid and phantom
        let lines = [4, 0, 1, 2, 3].map(|i| Line {
            label: runs.laws[i].name.to_string(),
            colour: [1, 2, 3, 0, 5][i],
            stroke: strokes[i],
            points: runs.runs[i].path.iter().map(|pose| (pose[0], pose[1])).collect(),
        });
        Panel {
            title: format!("h = {}", runs.milliseconds()),
            // a metre is as long in x as in y
            size: (275.0, 495.0),
            x: Axis::linear("x [m]", (-0.05, 0.95)),
            y: Axis::linear("y [m]", (0.0, 1.8)),
            lines: lines.to_vec(),
        }
    };
    svg(
        "Box on the ground: path of the centre until it stops",
        &all.iter().map(panel).collect::<Vec<_>>(),
    )
}
