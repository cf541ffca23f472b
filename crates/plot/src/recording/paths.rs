//! Where bodies went: from above and from the side, a metre as long on every axis.

use super::{Run, behind, chosen, line, title};
use crate::{Arrangement, Axis, Figure, Line, Panel, Scale, Stroke};

/// Of a panel between its axes, at most and at least [px].
const MOST: f64 = 360.0;
const LEAST: f64 = 110.0;
const NAMES: [&str; 3] = ["x [m]", "y [m]", "z [m]"];

/// Paths of the bodies' origins: rings where they begin, dots where they end.
pub fn paths(run: &Run) -> Figure {
    let lengths: Vec<f64> = run.positions.iter().map(|path| length(path)).collect();
    let moves = lengths.iter().filter(|length| **length > 0.0).count();
    let (named, others) = chosen(&lengths);
    let all: Vec<&[[f64; 3]]> = run.positions.iter().map(Vec::as_slice).collect();
    let panels = views(&all, |i, j| {
        let points = |b: usize| run.positions[b].iter().map(|p| (p[i], p[j])).collect::<Vec<_>>();
        let mut lines = behind(lengths.len(), others.iter().map(|&b| points(b)).collect());
        for &(b, colour) in &named {
            lines.extend(with_ends(&run.names.bodies[b], colour, points(b)));
        }
        lines
    });
    let what = match (moves, lengths.len()) {
        (m, n) if n > 8 => format!("paths of {n} bodies, {m} of which move"),
        (_, 1) => "path of the body".to_string(),
        _ => "paths of the bodies".to_string(),
    };
    Figure { title: title(run, &what), arrangement: Arrangement::Row, panels }
}

/// The views from above and from the side, of lines over two of the axes x, y, z, with room for all paths.
pub(super) fn views(
    paths: &[&[[f64; 3]]],
    lines: impl Fn(usize, usize) -> Vec<Line>,
) -> Vec<Panel> {
    let ranges = [0, 1, 2].map(|k| {
        let values = paths.iter().flat_map(|path| path.iter().map(|position| position[k]));
        Axis::fit(NAMES[k], Scale::Linear, values).range
    });
    let spans = [0, 1, 2].map(|k| span(paths, k));
    let scale = scale(&spans);
    let view = |(title, i, j): (&str, usize, usize)| {
        let (width, x) = side(ranges[i], scale);
        let (height, y) = side(ranges[j], scale);
        let (x, y) = (Axis::linear(NAMES[i], x), Axis::linear(NAMES[j], y));
        Panel { title: title.to_string(), size: (width, height), x, y, lines: lines(i, j) }
    };
    // the side from which more is seen
    let along = if spans[1] > spans[0] { 1 } else { 0 };
    [("from above", 0, 1), ("from the side", along, 2)].map(view).to_vec()
}

/// A path with a ring at its beginning and a dot at its end.
pub(super) fn with_ends(name: &str, colour: usize, points: Vec<(f64, f64)>) -> [Line; 3] {
    let finite = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
    let first: Vec<_> = points.iter().find(finite).copied().into_iter().collect();
    let last: Vec<_> = points.iter().rev().find(finite).copied().into_iter().collect();
    let mark = |stroke, points| Line { label: String::new(), colour, stroke, points };
    [line(name, colour, points), mark(Stroke::Rings, first), mark(Stroke::Dots, last)]
}

/// [m]
pub(super) fn length(path: &[[f64; 3]]) -> f64 {
    let finite: Vec<&[f64; 3]> = path.iter().filter(|p| p.iter().all(|x| x.is_finite())).collect();
    let apart = |pair: &[&[f64; 3]]| {
        let [x, y, z] = [0, 1, 2].map(|k| pair[1][k] - pair[0][k]);
        libm::sqrt(x * x + y * y + z * z)
    };
    finite.windows(2).map(apart).sum()
}

/// Extent of all paths along an axis [m].
fn span(paths: &[&[[f64; 3]]], k: usize) -> f64 {
    let all = paths.iter().flat_map(|path| path.iter());
    let finite = all.map(|p| p[k]).filter(|x| x.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    (high - low).max(0.0)
}

/// Pixels for each metre: the longest extent, with its margins, fills a panel.
fn scale(spans: &[f64; 3]) -> f64 {
    let longest = spans.iter().copied().fold(0.0, f64::max) * 1.1;
    if longest > 0.0 && longest.is_finite() { MOST / longest } else { MOST }
}

/// The side of a panel [px] and the range of its axis, which is widened about its middle until the side is long enough.
fn side((low, high): (f64, f64), scale: f64) -> (f64, (f64, f64)) {
    let side = (scale * (high - low)).clamp(LEAST, MOST);
    let middle = 0.5 * low + 0.5 * high;
    let half = 0.5 * side / scale;
    (side, (middle - half, middle + half))
}
