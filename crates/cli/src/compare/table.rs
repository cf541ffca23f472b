//! Runs side by side. Differences are from the first.

use std::fmt::Write;

use serde_json::{Value, json};

use super::Outcome;
use crate::print::{self, short};
use crate::run::tally::Ended;

const HEAD: [&str; 9] = [
    "run",
    "steps",
    "certified",
    "worst residual",
    "iterations",
    "path apart [m]",
    "impulse apart [N·s]",
    "energy lost [J]",
    "time",
];

pub(super) fn rows(outcomes: &[Outcome]) -> Vec<[String; 9]> {
    let mut rows = vec![HEAD.map(str::to_string)];
    for (k, outcome) in outcomes.iter().enumerate() {
        let (tally, first) = (&outcome.tally, &outcomes[0].samples);
        let difference = |x: f64| if k == 0 { "–".to_string() } else { short(x) };
        rows.push([
            outcome.variant.name.clone(),
            tally.steps.to_string(),
            tally.certified.to_string(),
            short(tally.residual.value),
            tally.iterations.to_string(),
            difference(outcome.samples.path_difference(first)),
            difference(outcome.samples.impulse_difference(first)),
            print::joules(lost(outcome)),
            print::duration(tally.wall),
        ]);
    }
    rows
}

/// Of kinetic and potential energy together [J].
fn lost(outcome: &Outcome) -> f64 {
    let [[k0, p0], [k1, p1]] = outcome.tally.energy;
    (k0 + p0) - (k1 + p1)
}

pub(crate) fn text(title: &str, outcomes: &[Outcome]) -> String {
    let rows = rows(outcomes);
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = format!("{title}\n\n");
    for row in &rows {
        let _ = write!(text, "  {:<w$}", row[0], w = widths[0]);
        for (cell, w) in row.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>w$}");
        }
        text.push('\n');
    }
    for outcome in outcomes {
        let name = &outcome.variant.name;
        match &outcome.tally.ended {
            Ended::Done => {}
            Ended::Interrupted => {
                let _ = writeln!(text, "\n  {name}: interrupted");
            }
            Ended::Stopped { step, error } => {
                let _ = writeln!(text, "\n  {name}: step {step} has no next state: {error}");
            }
        }
    }
    text
}

pub(crate) fn json(outcomes: &[Outcome]) -> String {
    let object = |outcome: &Outcome| -> Value {
        let (tally, first) = (&outcome.tally, &outcomes[0].samples);
        json!({
            "run": outcome.variant.name,
            "law": outcome.variant.law.name(),
            "solver": outcome.variant.solver.name(),
            "h": outcome.variant.h,
            "steps": tally.steps,
            "certified": tally.certified,
            "worst_residual": tally.residual.value,
            "iterations": tally.iterations,
            "path_difference_m": outcome.samples.path_difference(first),
            "impulse_difference_ns": outcome.samples.impulse_difference(first),
            "energy_lost_j": lost(outcome),
            "end_positions_m": outcome.samples.positions.last(),
            "wall_s": tally.wall.as_secs_f64(),
        })
    };
    print::line(&outcomes.iter().map(object).collect::<Vec<_>>())
}

/// The table for other programs.
pub(super) fn csv(outcomes: &[Outcome]) -> String {
    let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |row: &[String; 9]| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    rows(outcomes).iter().map(line).collect()
}
