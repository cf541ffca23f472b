//! Maps: a pale rectangle for each point of a grid.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::trace::Place;

/// Rectangles about the places.
pub(crate) fn draw(
    text: &mut String,
    colour: usize,
    (width, height): (f64, f64),
    places: &[Place],
) {
    let _ = write!(text, "<path class=\"f{colour}\" fill-opacity=\"0.22\" d=\"");
    for (x, y) in places.iter().flatten() {
        let (left, top) = (x - 0.5 * width, y - 0.5 * height);
        let _ = write!(text, "M{left:.1} {top:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    }
    text.push_str("\"/>\n");
}

/// The place with most room for a word around it: as many cells to the left as to the right, and a third of that above and
/// below.
pub(crate) fn roomiest(places: &[Place], (width, height): (f64, f64)) -> Place {
    // to a tenth of a pixel, as they are drawn
    let sorted = |list: &mut Vec<i64>| {
        list.sort_unstable();
        list.dedup();
    };
    let key = |(x, y): (f64, f64)| ((10.0 * x).round() as i64, (10.0 * y).round() as i64);
    let keys: BTreeSet<(i64, i64)> = places.iter().copied().flatten().map(key).collect();
    let (mut xs, mut ys): (Vec<i64>, Vec<i64>) = keys.iter().copied().unzip();
    sorted(&mut xs);
    sorted(&mut ys);
    let has = |i: Option<usize>, j: Option<usize>| {
        let at = i.and_then(|i| xs.get(i)).zip(j.and_then(|j| ys.get(j)));
        at.is_some_and(|(x, y)| keys.contains(&(*x, *y)))
    };
    let free = |i: usize, j: usize| {
        let beside = |k: &usize| has(i.checked_sub(*k), Some(j)) && has(Some(i + k), Some(j));
        let over = |k: &usize| has(Some(i), j.checked_sub(*k)) && has(Some(i), Some(j + k));
        let across = (1..).take_while(beside).count() as f64 * width;
        let along = (1..).take_while(over).count() as f64 * height;
        // of places that are as good, the one in the middle
        across.min(3.0 * along) + 1e-3 * (across + along)
    };
    let room = |&(x, y): &(f64, f64)| {
        let (x, y) = key((x, y));
        xs.binary_search(&x).ok().zip(ys.binary_search(&y).ok()).map_or(0.0, |(i, j)| free(i, j))
    };
    places.iter().copied().flatten().max_by(|p, q| room(p).total_cmp(&room(q)))
}
