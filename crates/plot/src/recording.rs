//! Figures of a run, from plain numbers.
//!
//! Who steps or reads a recording fills a [`Run`] step by step; each function here makes one figure of it. With more than
//! eight lines the eight that matter most have names and colours, and the rest is grey.

mod compare;
mod contacts;
mod convergence;
mod energy;
mod paths;
mod phase;
mod residuals;
mod run;
#[cfg(test)]
mod tests;

pub use compare::compare;
pub use contacts::{forces, gaps};
pub use convergence::{Curve, convergence, slope};
pub use energy::energy;
pub use paths::paths;
pub use phase::phase;
pub use residuals::residuals;
pub use run::{Coordinate, Names, Pair, Run, Step, Touch};

use crate::labels::SIZE;
use crate::text;
use crate::{Axis, Figure, GREY, Line, NAMED, Panel, Scale, Stroke};

/// A figure and what its file is called.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: &'static str,
    pub figure: Figure,
}

/// All figures of a run that have something to show.
pub fn standard(run: &Run) -> Vec<Named> {
    let mut figures = Vec::new();
    let mut add = |name: &'static str, shown: bool, figure: fn(&Run) -> Figure| {
        let figure = shown.then(|| figure(run)).filter(|figure| !figure.panels.is_empty());
        figures.extend(figure.map(|figure| Named { name, figure }));
    };
    add("paths", !run.positions.is_empty(), paths);
    add("energy", true, energy);
    add("gaps", !run.pairs.is_empty(), gaps);
    add("forces", !run.pairs.is_empty(), forces);
    add("residuals", true, residuals);
    add("phase", !run.q.is_empty() && !run.v.is_empty(), |run| phase(run, &[]));
    figures
}

/// Of panels over time [px].
const WIDE: (f64, f64) = (620.0, 250.0);
/// Lines in grey behind those with names.
const OTHERS: usize = 200;

fn title(run: &Run, what: &str) -> String {
    if run.names.title.is_empty() {
        what.to_string()
    } else {
        format!("{}: {what}", run.names.title)
    }
}

fn time_axis(runs: &[Run]) -> Axis {
    Axis::tight("time [s]", runs.iter().flat_map(|run| run.time.iter().copied()))
}

fn fit(label: &str, scale: Scale, lines: &[Line]) -> Axis {
    let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    Axis::fit(label, scale, values)
}

fn over_time(run: &Run, values: &[f64]) -> Vec<(f64, f64)> {
    run.time.iter().copied().zip(values.iter().copied()).collect()
}

/// Names of robots' parts are long: their beginning and end remain.
fn line(label: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Line {
    let label = text::shortened(&label.into(), SIZE, 170.0);
    Line { label, colour, stroke: Stroke::Solid, points }
}

/// A line of many points in which the large ones matter: all of it pale, and over it the largest of each of 300 parts.
fn with_largest(label: &str, colour: usize, points: Vec<(f64, f64)>) -> Vec<Line> {
    let largest = line(label, colour, largest(&points));
    let is_all = largest.points.len() == points.len();
    let all = Line { stroke: Stroke::Pale, ..line("", colour, points) };
    if is_all { vec![largest] } else { vec![all, largest] }
}

/// Of many points the largest of each of 300 parts; of few all.
fn largest(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PARTS: usize = 300;
    if points.len() <= 2 * PARTS {
        return points.to_vec();
    }
    let largest = |i: usize| {
        let part = &points[i * points.len() / PARTS..(i + 1) * points.len() / PARTS];
        let finite = part.iter().filter(|point| point.1.is_finite());
        finite.max_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or((f64::NAN, f64::NAN))
    };
    let mut largest: Vec<(f64, f64)> = (0..PARTS).map(largest).collect();
    // the line ends where the run does
    if let (Some(last), Some(end)) = (largest.last_mut(), points.last()) {
        last.0 = end.0;
    }
    largest
}

/// The panel with a range in which all but its few peaks are; None where that would show nothing more.
fn without_peaks(panel: &Panel) -> Option<Panel> {
    let points = panel.lines.iter().flat_map(|line| &line.points);
    let mut sizes: Vec<f64> =
        points.map(|point| point.1.abs()).filter(|y| y.is_finite() && *y > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let usual = *sizes.get(sizes.len() * 95 / 100)?;
    let mut panel = panel.clone();
    let shown = 2.0 * usual;
    let values = || panel.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let low = values().fold(0.0, f64::min).max(-shown) - 0.05 * shown;
    let most = panel.y.range.1;
    panel.y.range = (low, shown);
    panel.title = "the same without peaks".to_string();
    (most > 5.0 * shown).then_some(panel)
}

/// Largest finite size of a series; 0 without any.
fn peak(values: &[f64]) -> f64 {
    values.iter().filter(|v| v.is_finite()).fold(0.0, |most, v| most.max(v.abs()))
}

/// Which of the lines have names, with their colours, and which are grey: those of greatest weight first. A weight that is
/// NaN is less than any.
fn chosen(weights: &[f64]) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let weight = |i: usize| if weights[i].is_nan() { f64::NEG_INFINITY } else { weights[i] };
    order.sort_by(|&i, &j| weight(j).total_cmp(&weight(i)));
    let others: Vec<usize> = order.iter().copied().skip(NAMED.len()).collect();
    let stride = others.len().div_ceil(OTHERS).max(1);
    let mut named: Vec<usize> = order.into_iter().take(NAMED.len()).collect();
    // colours in the order of the scene, not of the weights
    named.sort_unstable();
    let named = named.into_iter().zip(NAMED).collect();
    (named, others.into_iter().step_by(stride).collect())
}

/// Thin grey lines, the last of which says how many there are.
fn behind(all: usize, lines: Vec<Vec<(f64, f64)>>) -> Vec<Line> {
    let (count, drawn) = (all.saturating_sub(NAMED.len()), lines.len());
    let label = match count == drawn {
        true => format!("{count} more"),
        false => format!("{drawn} of {count} more"),
    };
    let mut lines: Vec<Line> = lines
        .into_iter()
        .map(|points| Line { label: String::new(), colour: GREY, stroke: Stroke::Thin, points })
        .collect();
    if let Some(last) = lines.last_mut() {
        last.label = label;
    }
    lines
}
