//! Phase portraits: a velocity over its coordinate.

use super::paths::with_ends;
use super::{Run, peak, title};
use crate::{Arrangement, Axis, Figure, NAMED, Panel, Scale};

/// Panels of a figure.
const MOST: usize = 3;

/// Portraits of up to three coordinates, by their places in [`Names::q`](super::Names::q); without any, of those that move fastest.
/// A coordinate and a velocity belong together by their name, or by their place where there are as many of both.
pub fn phase(run: &Run, which: &[usize]) -> Figure {
    let mut pairs: Vec<(usize, usize)> = (0..run.q.len()).filter_map(|i| partner(run, i)).collect();
    if which.is_empty() {
        let speed = |pair: &(usize, usize)| peak(&run.v[pair.1]);
        pairs.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
        pairs.truncate(MOST);
        pairs.sort_unstable();
    } else {
        pairs.retain(|(i, _)| which.contains(i));
        pairs.truncate(MOST);
    }
    let panels: Vec<Panel> =
        pairs.iter().zip(NAMED).map(|(&(i, j), colour)| portrait(run, i, j, colour)).collect();
    Figure { title: title(run, "phase portraits"), arrangement: Arrangement::Row, panels }
}

/// The coordinate with its velocity.
fn partner(run: &Run, i: usize) -> Option<(usize, usize)> {
    let name = &run.names.q[i].name;
    let same = run.names.v.iter().take(run.v.len()).position(|v| v.name == *name);
    let as_many = run.names.q.len() == run.names.v.len() && i < run.v.len();
    same.or(as_many.then_some(i)).map(|j| (i, j))
}

fn portrait(run: &Run, i: usize, j: usize, colour: usize) -> Panel {
    let (q, v) = (&run.names.q[i], &run.names.v[j]);
    let points = run.q[i].iter().copied().zip(run.v[j].iter().copied()).collect();
    Panel {
        title: String::new(),
        size: (270.0, 270.0),
        x: Axis::fit(format!("{} [{}]", q.name, q.unit), Scale::Linear, run.q[i].iter().copied()),
        y: Axis::fit(
            format!("velocity of {} [{}]", v.name, v.unit),
            Scale::Linear,
            run.v[j].iter().copied(),
        ),
        lines: with_ends("", colour, points).to_vec(),
    }
}
