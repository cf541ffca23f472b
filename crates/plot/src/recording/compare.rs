//! Several runs of a scene over each other.

use super::energy::total;
use super::paths::{length, with_ends};
use super::residuals::tolerance;
use super::{Named, Run, WIDE, fit, line, over_time, peak, time_axis};
use crate::{Arrangement, Axis, Figure, GREY, Line, NAMED, Panel, Scale};

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
        let views = [(0, 1), (0, 2)].map(|(i, j)| view(runs, body, i, j));
        let what = format!("path of {name}");
        figures.push(named("compare-paths", &what, views.to_vec(), Arrangement::Row));
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
        let forces = vec![
            over(runs, "sum of normal forces [N]", Scale::Linear, |run| sum(run, |p| &p.normal)),
            over(runs, "sum of friction forces [N]", Scale::Linear, |run| {
                sum(run, |p| &p.friction)
            }),
        ];
        figures.push(named("compare-forces", "contact forces", forces, Arrangement::Column));
    }
    let mut residuals = over(runs, "residual", Scale::Log, |run| run.residual.clone());
    let tol = runs.first().map_or(0.0, |run| run.names.tol);
    residuals.lines.extend(tolerance(&residuals.x, tol));
    residuals.y = fit("residual", Scale::Log, &residuals.lines);
    figures.push(named("compare-residuals", "residuals", vec![residuals], Arrangement::Column));
    figures
}

fn colour(i: usize) -> usize {
    NAMED.get(i).copied().unwrap_or(GREY)
}

/// One number of each run over time.
fn over(runs: &[Run], label: &str, scale: Scale, of: impl Fn(&Run) -> Vec<f64>) -> Panel {
    let one = |(i, run): (usize, &Run)| line(&run.names.label, colour(i), over_time(run, &of(run)));
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

fn view(runs: &[Run], body: usize, i: usize, j: usize) -> Panel {
    let mut lines = Vec::new();
    for (r, run) in runs.iter().enumerate() {
        let points = run.positions[body].iter().map(|p| (p[i], p[j])).collect();
        lines.extend(with_ends(&run.names.label, colour(r), points));
    }
    let names = ["x [m]", "y [m]", "z [m]"];
    let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let x = Axis::fit(names[i], Scale::Linear, values);
    let y = fit(names[j], Scale::Linear, &lines);
    Panel { title: String::new(), size: (320.0, 300.0), x, y, lines }
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
        lines.push(line(&run.names.label, colour(r), over_time(run, &apart)));
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
