//! Names of lines: at their ends, apart from each other, and where there is room.

use crate::text;
use crate::theme::COLOURS;
use crate::trace::Area;

/// Height of a line of text, and its font size [px].
pub(crate) const TEXT: f64 = 15.0;
pub(crate) const SIZE: f64 = 13.0;
/// Names wider than this are shortened [px].
pub(crate) const WIDEST: f64 = 320.0;
/// From an end to its name [px].
const BEHIND: f64 = 10.0;
/// Side of the squares in which room is reckoned [px].
const CELL: f64 = 3.0;

/// A name and where it stands [px].
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    pub(crate) colour: usize,
    pub(crate) end: (f64, f64),
    /// Left end, half height.
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Label {
    pub(crate) fn new(text: &str, colour: usize, end: (f64, f64)) -> Self {
        let text = text::shortened(text, SIZE, WIDEST);
        Self { text, colour, end, x: end.0 + BEHIND, y: end.1 }
    }

    pub(crate) fn width(&self) -> f64 {
        text::width(&self.text, SIZE)
    }

    /// Of its text in the style sheet.
    pub(crate) fn class(&self) -> String {
        format!("f{} halo", self.colour % COLOURS)
    }

    /// From the end to the name, where the two are apart.
    pub(crate) fn leader(&self) -> Option<((f64, f64), (f64, f64))> {
        let left = (self.x - 3.0, self.y);
        let right = (self.x + self.width() + 3.0, self.y);
        let middle = (self.x + 0.5 * self.width(), self.y);
        let to = [left, right, (middle.0, self.y - 8.0), (middle.0, self.y + 8.0)]
            .into_iter()
            .min_by(|a, b| apart(*a, self.end).total_cmp(&apart(*b, self.end)))?;
        let from = self.end;
        let distance = apart(from, to);
        // from beside the dot that may be there
        let start = |t: f64| (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        (distance > BEHIND + 4.0).then(|| (start(5.0 / distance), to))
    }
}

fn apart(a: (f64, f64), b: (f64, f64)) -> f64 {
    libm::hypot(a.0 - b.0, a.1 - b.1)
}

/// Which squares of an area are drawn on.
pub(crate) struct Room {
    area: Area,
    columns: usize,
    rows: usize,
    taken: Vec<bool>,
}

impl Room {
    pub(crate) fn new(area: Area) -> Self {
        let columns = (area.width / CELL) as usize + 1;
        let rows = (area.height / CELL) as usize + 1;
        Self { area, columns, rows, taken: vec![false; columns * rows] }
    }

    fn cell(&self, (x, y): (f64, f64)) -> Option<usize> {
        let (i, j) = ((x - self.area.x) / CELL, (y - self.area.y) / CELL);
        let inside = i >= 0.0 && j >= 0.0 && i < self.columns as f64 && j < self.rows as f64;
        inside.then(|| j as usize * self.columns + i as usize)
    }

    fn take(&mut self, place: (f64, f64)) {
        if let Some(cell) = self.cell(place) {
            self.taken[cell] = true;
        }
    }

    /// What a stroke covers.
    pub(crate) fn take_stroke(&mut self, stroke: &[(f64, f64)]) {
        for pair in stroke.windows(2) {
            let steps = libm::ceil(apart(pair[0], pair[1]) / CELL).max(1.0);
            for i in 0..=steps as usize {
                let t = i as f64 / steps;
                let along = |a: f64, b: f64| a + t * (b - a);
                self.take((along(pair[0].0, pair[1].0), along(pair[0].1, pair[1].1)));
            }
        }
        if let [only] = stroke {
            self.take(*only);
        }
    }

    /// What a dot of this radius covers.
    pub(crate) fn take_dot(&mut self, (x, y): (f64, f64), radius: f64) {
        self.take_box((x - radius, y - radius), (2.0 * radius, 2.0 * radius));
    }

    fn take_box(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        for place in grid((x, y), (width, height)) {
            self.take(place);
        }
    }

    /// Squares of a box that are taken; those outside of the area are.
    fn taken_in(&self, corner: (f64, f64), size: (f64, f64)) -> usize {
        let taken = |place: (f64, f64)| self.cell(place).is_none_or(|cell| self.taken[cell]);
        grid(corner, size).filter(|place| taken(*place)).count()
    }
}

fn grid((x, y): (f64, f64), (width, height): (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    let (columns, rows) = ((width / CELL) as usize + 1, (height / CELL) as usize + 1);
    let at = move |k: usize| (x + (k % columns) as f64 * CELL, y + (k / columns) as f64 * CELL);
    (0..columns * rows).map(at)
}

/// Places names: those of lines that end at the right border behind it, others within the area where nothing is drawn, or
/// behind the border where there is no such place. Names that find no place at all are taken out.
pub(crate) fn place(labels: &mut Vec<Label>, area: &Area, room: &mut Room) {
    let mut outside = Vec::new();
    let mut inside = Vec::new();
    for mut label in labels.drain(..) {
        let at_border = label.end.0 > area.right() - 8.0;
        match (at_border, !at_border && settle(&mut label, room)) {
            (_, true) => inside.push(label),
            (_, false) => outside.push(label),
        }
    }
    outside.iter_mut().for_each(|label| label.x = area.right() + BEHIND);
    spread(&mut outside, (area.y, area.bottom()));
    labels.append(&mut inside);
    labels.append(&mut outside);
}

/// Finds the nearest free place around the end; false: there is none.
fn settle(label: &mut Label, room: &mut Room) -> bool {
    let (width, (x, y)) = (label.width(), label.end);
    let mut best: Option<(f64, (f64, f64))> = None;
    for distance in [BEHIND, 16.0, 24.0, 36.0, 52.0, 72.0] {
        let d = 0.75 * distance;
        let places = [
            (x + distance, y),
            (x + d, y - d),
            (x + d, y + d),
            (x - 0.5 * width, y - distance - 2.0),
            (x - 0.5 * width, y + distance + 2.0),
            (x - distance - width, y),
            (x - d - width, y - d),
            (x - d - width, y + d),
        ];
        for (rank, place) in places.into_iter().enumerate() {
            let corner = (place.0 - 2.0, place.1 - 0.5 * TEXT);
            let covered = room.taken_in(corner, (width + 4.0, TEXT));
            let cost = 6.0 * covered as f64 + distance + rank as f64;
            let allowed = covered as f64 * CELL * CELL <= 0.04 * width * TEXT;
            if allowed && best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
    }
    if let Some((_, place)) = best {
        (label.x, label.y) = place;
        room.take_box((label.x - 3.0, label.y - 0.5 * TEXT), (width + 6.0, TEXT));
    }
    best.is_some()
}

/// Moves names of a column apart, each as little as can be, within the height; takes out those that do not fit in it.
pub(crate) fn spread(labels: &mut Vec<Label>, (top, bottom): (f64, f64)) {
    let most = ((bottom - top) / TEXT + 1.0).max(1.0) as usize;
    if labels.len() > most {
        let left_out = labels.len() - (most - 1);
        labels.truncate(most);
        let last = &mut labels[most - 1];
        last.text = format!("and {left_out} more");
    }
    labels.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
    // groups that touch: first name, names, and where the first would best stand
    let mut groups: Vec<(usize, usize, f64)> = Vec::new();
    let best = |first: usize, count: usize| {
        let wish = |i: usize| labels[first + i].end.1 - TEXT * i as f64;
        let mean = (0..count).map(wish).sum::<f64>() / count as f64;
        mean.clamp(top, (bottom - TEXT * (count - 1) as f64).max(top))
    };
    for i in 0..labels.len() {
        let mut group = (i, 1, best(i, 1));
        while let Some(&(first, count, y)) = groups.last() {
            if y + TEXT * count as f64 <= group.2 {
                break;
            }
            groups.pop();
            group = (first, count + group.1, best(first, count + group.1));
        }
        groups.push(group);
    }
    for (first, count, y) in groups {
        for i in 0..count {
            labels[first + i].y = y + TEXT * i as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 0.0, y: 0.0, width: 400.0, height: 400.0 };

    fn at(x: f64, y: f64) -> Label {
        Label::new("cone", 0, (x, y))
    }

    #[test]
    fn names_that_would_touch_are_moved_apart() {
        let mut labels = vec![at(400.0, 50.0), at(400.0, 50.0), at(400.0, 51.0), at(400.0, 300.0)];
        spread(&mut labels, (0.0, 400.0));
        assert!(labels.windows(2).all(|pair| pair[1].y - pair[0].y > TEXT - 1e-9));
        assert_eq!(labels[3].y, 300.0);
        assert!((labels[1].y - 50.3).abs() < 0.1, "{labels:?}");
    }

    #[test]
    fn names_stay_within_the_height_and_say_how_many_are_left_out() {
        let mut labels = vec![at(400.0, 399.0); 40];
        spread(&mut labels, (0.0, 400.0));
        assert_eq!(labels.len(), 27);
        assert!(labels.iter().all(|label| (0.0..=400.0).contains(&label.y)));
        assert!(labels.iter().any(|label| label.text == "and 14 more"));
    }

    #[test]
    fn a_name_within_the_area_covers_no_line() {
        let mut room = Room::new(AREA);
        // a line to the right of the end
        room.take_stroke(&[(200.0, 200.0), (390.0, 200.0)]);
        let mut labels = vec![at(200.0, 200.0)];
        place(&mut labels, &AREA, &mut room);
        let label = &labels[0];
        let beside = (label.y - 200.0).abs() > 0.5 * TEXT || label.x + label.width() < 200.0;
        assert!(beside && label.x > 100.0 && label.x < 300.0, "{label:?}");
    }

    #[test]
    fn a_name_without_room_goes_behind_the_border() {
        let mut room = Room::new(AREA);
        for i in 0..133 {
            let y = 3.0 * f64::from(i) + 1.0;
            room.take_stroke(&[(0.0, y), (400.0, y)]);
        }
        let mut labels = vec![at(200.0, 200.0)];
        place(&mut labels, &AREA, &mut room);
        assert!(labels[0].x > 400.0 && labels[0].leader().is_some());
    }
}
