//! The table of a folder: solver × set.

use std::fmt::Write;
use std::time::Duration;

use super::{duration, short};
use crate::batch::{Outcome, Run, Tally};
use crate::solve::Status;

/// Counts of one solver on one set.
#[derive(Default)]
struct Line {
    solver: String,
    set: String,
    problems: usize,
    certified: usize,
    proved: usize,
    uncertified: usize,
    false_claims: usize,
    refused: usize,
    time: Duration,
}

impl Line {
    fn count(&mut self, run: &Run) {
        self.problems += 1;
        match &run.outcome {
            Outcome::Refused(_) | Outcome::Broken(_) => self.refused += 1,
            Outcome::Solved { solved, .. } => {
                self.time += solved.time;
                self.false_claims += usize::from(solved.is_false_claim);
                match solved.status {
                    Status::Certified => self.certified += 1,
                    Status::NoSolution => self.proved += 1,
                    Status::Uncertified => self.uncertified += 1,
                }
            }
        }
    }

    fn cells(&self) -> [String; 9] {
        let count = |n: usize| if n == 0 { "·".to_string() } else { n.to_string() };
        [
            self.solver.clone(),
            self.set.clone(),
            self.problems.to_string(),
            count(self.certified),
            count(self.proved),
            count(self.uncertified),
            count(self.false_claims),
            count(self.refused),
            duration(self.time),
        ]
    }
}

const HEAD: [&str; 9] = [
    "solver",
    "set",
    "problems",
    "solved",
    "certified none",
    "uncertified",
    "false claims",
    "refused",
    "time",
];

/// The table, then by name whatever is not settled.
pub(crate) fn summary(runs: &[Run], tally: &Tally) -> String {
    let mut text = table(&lines(runs));
    listing(&mut text, "uncertified", runs, |run| match &run.outcome {
        Outcome::Solved { solved, .. } if solved.status == Status::Uncertified => {
            Some(format!("residual {}", short(solved.residual)))
        }
        _ => None,
    });
    listing(&mut text, "false claims", runs, |run| match &run.outcome {
        Outcome::Solved { solved, .. } if solved.is_false_claim => {
            Some(format!("residual {}", short(solved.residual)))
        }
        _ => None,
    });
    listing(&mut text, "refused to solve, though the file expects a solution", runs, |run| {
        run.is_false_refusal().then(|| "proof accepted".to_string())
    });
    listing(&mut text, "not solved yet, or no problem at all", runs, |run| match &run.outcome {
        Outcome::Refused(_) => Some("rolling friction".to_string()),
        Outcome::Broken(_) => Some("bad input, see above".to_string()),
        Outcome::Solved { .. } => None,
    });
    if tally.unfit > 0 {
        let _ = writeln!(text, "\n{} files of kinds that this solver is not for", tally.unfit);
    }
    text
}

/// Lines in the order of first appearance of their solver, sets by name, a total for each solver.
fn lines(runs: &[Run]) -> Vec<Line> {
    let mut solvers: Vec<&str> = Vec::new();
    for run in runs {
        if !solvers.contains(&run.asked) {
            solvers.push(run.asked);
        }
    }
    let mut lines = Vec::new();
    for solver in solvers {
        let own: Vec<&Run> = runs.iter().filter(|run| run.asked == solver).collect();
        let mut sets: Vec<&str> = own.iter().map(|run| run.set.as_str()).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut total =
            Line { solver: solver.to_string(), set: "all sets".into(), ..Line::default() };
        own.iter().for_each(|run| total.count(run));
        let is_single = sets.len() == 1;
        for set in sets {
            let mut line =
                Line { solver: solver.to_string(), set: set.to_string(), ..Line::default() };
            own.iter().filter(|run| run.set == set).for_each(|run| line.count(run));
            lines.push(line);
        }
        if !is_single {
            lines.push(total);
        }
    }
    lines
}

fn table(lines: &[Line]) -> String {
    let rows: Vec<[String; 9]> = lines.iter().map(Line::cells).collect();
    let mut width = HEAD.map(|title| title.chars().count());
    for row in &rows {
        for (k, cell) in row.iter().enumerate() {
            width[k] = width[k].max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut write = |cells: &[String; 9]| {
        let padded = cells.iter().enumerate().map(|(k, cell)| {
            // names to the left, numbers to the right
            if k < 2 {
                format!("{cell:<w$}", w = width[k])
            } else {
                format!("{cell:>w$}", w = width[k])
            }
        });
        let _ = writeln!(text, "{}", padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    write(&HEAD.map(String::from));
    write(&width.map(|w| "─".repeat(w)));
    rows.iter().for_each(write);
    text
}

/// A title and one line for each run that `note` speaks of; nothing if it speaks of none.
fn listing(text: &mut String, title: &str, runs: &[Run], note: impl Fn(&Run) -> Option<String>) {
    let named: Vec<(String, &str, String)> = runs
        .iter()
        .filter_map(|run| Some((format!("{}/{}", run.set, run.name), run.asked, note(run)?)))
        .collect();
    if named.is_empty() {
        return;
    }
    let name_width = named.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let solver_width = named.iter().map(|(_, solver, _)| solver.len()).max().unwrap_or(0);
    let _ = writeln!(text, "\n{title} ({})", named.len());
    for (name, solver, note) in named {
        let _ = writeln!(text, "  {name:<name_width$}  {solver:<solver_width$}  {note}");
    }
}
