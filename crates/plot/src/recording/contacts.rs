//! What passes between shapes: gaps and forces of each pair that touched.

use super::{
    Pair, Run, WIDE, behind, chosen, fit, line, over_time, peak, time_axis, title, without_peaks,
};
use crate::{Arrangement, Axis, Figure, Line, Panel, Scale, Stroke};

/// Of panels of contacts [px].
const SIZE: (f64, f64) = (WIDE.0, 340.0);

/// The gap of each pair over time; below zero, where shapes overlap, is shaded.
pub fn gaps(run: &Run) -> Figure {
    let least = |pair: &Pair| -pair.gap.iter().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = run.pairs.iter().map(least).collect();
    let (named, others) = chosen(&weights);
    let series = |i: usize| over_time(run, &run.pairs[i].gap);
    let mut lines = behind(weights.len(), others.into_iter().map(series).collect());
    lines.extend(named.into_iter().map(|(i, c)| line(run.pair_name(&run.pairs[i]), c, series(i))));
    let y = fit("gap [m]", Scale::Linear, &lines);
    let x = time_axis(std::slice::from_ref(run));
    if y.range.0 < 0.0 {
        lines.insert(0, shaded(&x, &y));
    }
    let panel = Panel { title: "below zero: overlap".into(), size: SIZE, x, y, lines };
    figure(run, "gaps of shapes that touched", vec![panel])
}

/// Everything below zero.
fn shaded(x: &Axis, y: &Axis) -> Line {
    let points = vec![(x.range.0, y.range.0), (x.range.1, 0.0)];
    Line { label: String::new(), colour: 1, stroke: Stroke::Shade, points }
}

/// Normal forces of each pair over time as lines, and friction, dashed, in the same colour.
pub fn forces(run: &Run) -> Figure {
    let weights: Vec<f64> = run.pairs.iter().map(|pair| peak(&pair.normal)).collect();
    let (named, others) = chosen(&weights);
    let grey = others.into_iter().map(|i| over_time(run, &run.pairs[i].normal));
    let mut lines = behind(weights.len(), grey.collect());
    for (i, colour) in named {
        let pair = &run.pairs[i];
        let friction = line("", colour, over_time(run, &pair.friction));
        lines.push(Line { stroke: Stroke::Dashed, ..friction });
        lines.push(line(run.pair_name(pair), colour, over_time(run, &pair.normal)));
    }
    let y = fit("force [N]", Scale::Linear, &lines);
    let x = time_axis(std::slice::from_ref(run));
    let title = "solid: normal, dashed: friction".to_string();
    let all = Panel { title, size: WIDE, x, y, lines };
    let usual = without_peaks(&all);
    figure(run, "contact forces", [all].into_iter().chain(usual).collect())
}

fn figure(run: &Run, what: &str, panels: Vec<Panel>) -> Figure {
    Figure { title: title(run, what), arrangement: Arrangement::Column, panels }
}
