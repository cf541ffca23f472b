//! Several runs of a scene over each other.

use super::energy::total;
use super::paths::{length, views, with_ends};
use super::residuals::tolerance;
use super::{Named, Run, WIDE, fit, largest, line, over_time, peak, time_axis, without_peaks};
use crate::{Arrangement, Figure, GREY, Line, NAMED, Panel, Scale, Stroke};

/// Runs over each other, each with its label: the path of the body on which they differ most, how far all bodies are from
/// those of the first run, energy, forces, residuals. The first eight runs have colours.
pub fn compare(title: &str, runs: &[Run]) -> Vec<Named> {
    let named = |name, what: &str, panels, arrangement| Named {
        name,
        figure: Figure { title: format!("{title}: {what}"), arrangement, panels },
    };
    let mut figures = Vec::new();
    if let Some(body) = most_different(runs) {
        let name = runs[0].names.bodies.get(body).cloned().unwrap_or_default();
        let views = body_views(runs, body);
        let what = format!("path of {name}");
        figures.push(named("compare-paths", &what, views, Arrangement::Row));
        let apart = vec![differences(runs)];
        let what = format!("distance from {}", runs[0].names.label);
        figures.push(named("compare-distances", &what, apart, Arrangement::Row));
    }
    let energies = vec![
        over(runs, "total energy [J]", Scale::Linear, total),
        over(runs, "kinetic energy [J]", Scale::Linear, |run| run.kinetic.clone()),
    ];
    figures.push(named("compare-energy", "energy", energies, Arrangement::Column));
    if runs.iter().any(|run| !run.pairs.is_empty()) {
        let normal =
            over(runs, "sum of normal forces [N]", Scale::Linear, |run| sum(run, |p| &p.normal));
        let friction = over(runs, "sum of friction forces [N]", Scale::Linear, |run| {
            sum(run, |p| &p.friction)
        });
        let usual = without_peaks(&normal);
        let forces = [normal].into_iter().chain(usual).chain([friction]).collect();
        figures.push(named("compare-forces", "contact forces", forces, Arrangement::Column));
    }
    let mut residuals = over(runs, "residual", Scale::Log, |run| run.residual.clone());
    residuals.lines.iter_mut().for_each(|line| line.points = largest(&line.points));
    let tol = runs.first().map_or(0.0, |run| run.names.tol);
    residuals.lines.extend(tolerance(&residuals.x, tol));
    residuals.y = fit("residual, largest of each part of the run", Scale::Log, &residuals.lines);
    figures.push(named("compare-residuals", "residuals", vec![residuals], Arrangement::Column));
    figures
}

fn colour(i: usize) -> usize {
    NAMED.get(i).copied().unwrap_or(GREY)
}

/// The first lies under the others; those that run along each other are seen through their dashes.
fn stroke(i: usize) -> Stroke {
    match i {
        0 => Stroke::Wide,
        _ => [Stroke::Dotted, Stroke::Solid, Stroke::Dashed][i % 3],
    }
}

/// One number of each run over time.
fn over(runs: &[Run], label: &str, scale: Scale, of: impl Fn(&Run) -> Vec<f64>) -> Panel {
    let one = |(i, run): (usize, &Run)| {
        let points = over_time(run, &of(run));
        Line { stroke: stroke(i), ..line(&run.names.label, colour(i), points) }
    };
    let lines: Vec<Line> = runs.iter().enumerate().map(one).collect();
    let y = fit(label, scale, &lines);
    Panel { title: String::new(), size: WIDE, x: time_axis(runs), y, lines }
}

fn sum(run: &Run, of: fn(&super::Pair) -> &Vec<f64>) -> Vec<f64> {
    let finite = |place: usize| run.pairs.iter().map(move |pair| of(pair)[place]);
    (0..run.time.len()).map(|place| finite(place).filter(|f| f.is_finite()).sum()).collect()
}

/// The body whose ends lie farthest apart; of equal ones that with the longest path. None without bodies.
fn most_different(runs: &[Run]) -> Option<usize> {
    let bodies = runs.iter().map(|run| run.positions.len()).min()?;
    let end = |run: &Run, b: usize| run.positions[b].last().copied().unwrap_or([f64::NAN; 3]);
    let apart = |b: usize| {
        let from = |run: &Run| distance(end(run, b), end(&runs[0], b));
        peak(&runs.iter().map(from).collect::<Vec<f64>>())
    };
    let weight = |b: usize| (apart(b), length(&runs[0].positions[b]));
    let order = |a: &usize, b: &usize| {
        let (a, b) = (weight(*a), weight(*b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    (0..bodies).rev().max_by(order)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|k| a[k] - b[k]);
    libm::sqrt(x * x + y * y + z * z)
}

/// The paths of a body, from above and from the side.
fn body_views(runs: &[Run], body: usize) -> Vec<Panel> {
    let all: Vec<&[[f64; 3]]> = runs.iter().map(|run| run.positions[body].as_slice()).collect();
    views(&all, |i, j| {
        let mut lines = Vec::new();
        for (r, path) in all.iter().enumerate() {
            let points = path.iter().map(|p| (p[i], p[j])).collect();
            let [mut path, start, end] = with_ends(&runs[r].names.label, colour(r), points);
            path.stroke = stroke(r);
            lines.extend([path, start, end]);
        }
        lines
    })
}

/// Largest distance of a body from where the first run has it at the same time.
fn differences(runs: &[Run]) -> Panel {
    let mut lines = Vec::new();
    for (r, run) in runs.iter().enumerate().skip(1) {
        let at = |place: usize| {
            let bodies = run.positions.iter().zip(&runs[0].positions);
            let apart = bodies.map(|(p, first)| {
                distance(p[place], at_time(&runs[0].time, first, run.time[place]))
            });
            peak(&apart.collect::<Vec<f64>>())
        };
        let apart: Vec<f64> = (0..run.time.len()).map(at).collect();
        let apart = line(&run.names.label, colour(r), over_time(run, &apart));
        lines.push(Line { stroke: stroke(r), ..apart });
    }
    let y = fit("largest distance of a body [m]", Scale::Log, &lines);
    Panel { title: String::new(), size: WIDE, x: time_axis(runs), y, lines }
}

/// A path at a time, straight between its places; NaN outside of it.
fn at_time(times: &[f64], path: &[[f64; 3]], time: f64) -> [f64; 3] {
    let after = times.partition_point(|t| *t < time);
    if times.get(after) == Some(&time) {
        return path[after];
    }
    if after == 0 || after == times.len() {
        return [f64::NAN; 3];
    }
    let share = (time - times[after - 1]) / (times[after] - times[after - 1]);
    [0, 1, 2].map(|k| path[after - 1][k] + share * (path[after][k] - path[after - 1][k]))
}
