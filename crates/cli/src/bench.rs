//! How long the steps of a fixed set of scenes take: a table, or JSON. Processor time, and the judge's word beside it.

use serde::Serialize;
use stiction_bench::scale::{Course, Measured, SCENES, Scene, World, measure};
use stiction_sim::contact::law::LawSolver;

use crate::args::BenchArgs;
use crate::print;
use crate::{Ending, Output};

pub(crate) fn bench(args: &BenchArgs) -> Output {
    let chosen: Vec<&Scene> = SCENES
        .iter()
        .filter(|scene| args.scenes.is_empty() || args.scenes.contains(&scene.name))
        .collect();
    if args.describe {
        return described(&chosen);
    }
    let mut rows = Vec::new();
    let mut ending = Ending::Done;
    for scene in chosen {
        let steps = args.steps.unwrap_or(scene.steps);
        let course = Course { steps, rounds: args.rounds, law: args.law, solver: LawSolver::Auto };
        let measured = match measure(&(scene.build)(), course) {
            Ok(measured) => measured,
            Err(error) => return Output::bad_input(format!("bench: {}: {error}", scene.name)),
        };
        if !measured.is_certified(course) {
            ending = Ending::Unmet;
        }
        rows.push(Row { scene: scene.name, measured });
    }
    let text = if args.json { print::line(&rows) } else { table(&rows) };
    Output { ending, ..Output::said(text) }
}

#[derive(Serialize)]
struct Row {
    scene: &'static str,
    #[serde(flatten)]
    measured: Measured,
}

#[derive(Serialize)]
struct Description {
    scene: &'static str,
    about: &'static str,
    steps: usize,
    world: World,
}

fn described(chosen: &[&Scene]) -> Output {
    let describe = |scene: &&Scene| Description {
        scene: scene.name,
        about: scene.about,
        steps: scene.steps,
        world: (scene.build)(),
    };
    let all: Vec<Description> = chosen.iter().map(describe).collect();
    Output::said(print::line(&all))
}

const HEAD: [&str; 10] = [
    "scene",
    "bodies",
    "contacts",
    "cold",
    "warm",
    "certified",
    "residual",
    "iterations",
    "links",
    "overlap",
];

fn table(rows: &[Row]) -> String {
    let mut cells = vec![HEAD.map(String::from)];
    cells.extend(rows.iter().map(Row::cells));
    let mut widths = [0; HEAD.len()];
    for line in &cells {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in &cells {
        let line: Vec<String> =
            line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    for Row { scene, measured } in rows {
        if let Some(error) = &measured.error {
            text.push_str(&format!("{scene}: after {} steps: {error}\n", measured.certified));
        }
    }
    text
}

impl Row {
    fn cells(&self) -> [String; HEAD.len()] {
        let m = &self.measured;
        let time = |ms: Option<f64>| ms.map_or("–".to_string(), |ms| format!("{ms:.3} ms"));
        let links = match (m.cold_link, m.warm_link) {
            ("", "") => "–".to_string(),
            (cold, warm) if cold == warm => cold.to_string(),
            (cold, warm) => format!("{cold}, {warm}"),
        };
        [
            self.scene.to_string(),
            m.bodies.to_string(),
            m.contacts.to_string(),
            time(m.cold_ms),
            time(m.warm_ms),
            format!("{} of {}", m.certified, m.steps + usize::from(m.cold_ms.is_some())),
            format!("{:.1e}", m.residual),
            format!("{}, {:.1}", m.cold_iterations, m.warm_iterations),
            links,
            format!("{:.1e} m", m.overlap),
        ]
    }
}
