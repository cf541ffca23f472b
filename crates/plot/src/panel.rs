//! A panel: lines over round ticks, each with its name at its end.

use std::fmt::Write;

use crate::axis::{Axis, Ticks};
use crate::labels::{self, Label, Room, SIZE};
use crate::line::{Drawn, Line, Stroke};
use crate::text::{self, markup};
use crate::trace::{Area, Place};

#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    /// Of the area between the axes [px].
    pub size: (f64, f64),
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
}

/// A panel with its ticks, and the room they need.
pub(crate) struct Layout<'a> {
    panel: &'a Panel,
    x: Ticks,
    y: Ticks,
    /// Of the numbers beside the y axis [px].
    pub(crate) left: f64,
}

/// Of numbers below the x axis and its label [px].
pub(crate) const BELOW: f64 = 46.0;
/// Of the label of the y axis, and of a title above it [px].
pub(crate) const ABOVE: f64 = 26.0;
pub(crate) const TITLE: f64 = 20.0;

impl Panel {
    pub(crate) fn layout(&self) -> Layout<'_> {
        let (width, height) = self.size;
        let mut count = width / 42.0;
        let mut x = self.x.ticks(count);
        // numbers that would touch: fewer of them
        while count > 2.0 && crowded(&x, width) {
            count *= 0.7;
            x = self.x.ticks(count);
        }
        let y = self.y.ticks(height / 36.0);
        let widest = y.major.iter().map(|tick| text::width(&tick.1, SIZE)).fold(0.0, f64::max);
        Layout { panel: self, x, y, left: (widest + 10.0).max(24.0) }
    }
}

fn crowded(ticks: &Ticks, width: f64) -> bool {
    let half = |tick: &(f64, String)| 0.5 * text::width(&tick.1, SIZE);
    let touch = |pair: &[(f64, String)]| {
        width * (pair[1].0 - pair[0].0) < half(&pair[0]) + half(&pair[1]) + 8.0
    };
    ticks.major.windows(2).any(touch)
}

/// For a line's share of the points: those in the background get few.
fn weight(line: &Line) -> usize {
    let points = line.points.len().min(4000);
    if line.stroke == Stroke::Thin { points } else { 20 * points }
}

impl Layout<'_> {
    /// Draws the panel with the upper left corner of its area there; returns how far it reaches to the right [px]. Lines
    /// have about `budget` points altogether.
    pub(crate) fn draw(&self, svg: &mut String, (x, y): (f64, f64), budget: usize) -> f64 {
        let (width, height) = self.panel.size;
        let area = Area { x, y, width, height };
        let all: usize = self.panel.lines.iter().map(weight).sum();
        let share = |line: &Line| (budget * weight(line) / all.max(1)).max(64);
        let drawn: Vec<Drawn<'_>> = (self.panel.lines.iter())
            .map(|line| Drawn { line, places: self.places(line, &area), area, budget: share(line) })
            .collect();
        if drawn.iter().all(Drawn::is_empty) {
            self.draw_empty(svg, &area);
            return area.right();
        }
        self.draw_axes(svg, &area);
        let mut room = Room::new(area);
        let mut names: Vec<Label> = Vec::new();
        let mut centred: Vec<Label> = Vec::new();
        for drawn in &drawn {
            let (end, line) = (drawn.draw(svg, &mut room), drawn.line);
            if let (Some(end), false) = (end, line.label.is_empty()) {
                let in_cells = matches!(line.stroke, Stroke::Cells { .. });
                let list = if in_cells { &mut centred } else { &mut names };
                list.push(Label::new(&line.label, line.colour, end));
            }
        }
        labels::place(&mut names, &area, &mut room);
        for label in &centred {
            word(svg, (label.end.0, label.end.1 + 4.5), (&label.class(), "middle"), &label.text);
        }
        let mut right = area.right();
        for label in &names {
            draw_label(svg, label);
            right = right.max(label.x + label.width());
        }
        let last = self.x.major.last();
        let half = last.map_or(0.0, |tick| x + width * tick.0 + 0.5 * text::width(&tick.1, SIZE));
        right.max(half)
    }

    /// A frame that says so, without numbers.
    fn draw_empty(&self, svg: &mut String, area: &Area) {
        let Area { x, y, width, height } = *area;
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z\"/>"
        );
        word(svg, (x + 0.5 * width, y + 0.5 * height + 4.5), ("faint", "middle"), "no data");
        let without =
            Layout { panel: self.panel, x: Ticks::default(), y: Ticks::default(), ..*self };
        without.draw_words(svg, area);
    }

    fn places(&self, line: &Line, area: &Area) -> Vec<Place> {
        let at = |&(x, y): &(f64, f64)| {
            let place = (
                area.x + area.width * self.panel.x.place(x),
                area.y + area.height * (1.0 - self.panel.y.place(y)),
            );
            (place.0.is_finite() && place.1.is_finite()).then_some(place)
        };
        line.points.iter().map(at).collect()
    }

    fn draw_axes(&self, svg: &mut String, area: &Area) {
        let Area { x, y, width, height } = *area;
        let _ = write!(svg, "<path class=\"minor\" d=\"");
        for place in &self.x.minor {
            let _ = write!(svg, "M{:.1} {y:.1}v{height:.1}", x + width * place);
        }
        for place in &self.y.minor {
            let _ = write!(svg, "M{x:.1} {:.1}h{width:.1}", y + height * (1.0 - place));
        }
        let _ = write!(svg, "\"/>\n<path class=\"grid\" d=\"");
        for (place, _) in &self.x.major {
            let _ = write!(svg, "M{:.1} {y:.1}v{height:.1}", x + width * place);
        }
        for (place, _) in &self.y.major {
            let _ = write!(svg, "M{x:.1} {:.1}h{width:.1}", y + height * (1.0 - place));
        }
        svg.push_str("\"/>\n");
        for (place, name) in &self.x.major {
            word(svg, (x + width * place, y + height + 18.0), ("faint", "middle"), name);
        }
        for (place, name) in &self.y.major {
            word(svg, (x - 8.0, y + height * (1.0 - place) + 4.5), ("faint", "end"), name);
        }
        self.draw_words(svg, area);
    }

    /// The title and what the axes show.
    fn draw_words(&self, svg: &mut String, area: &Area) {
        let Area { x, y, width, height } = *area;
        let panel = self.panel;
        let left = x - self.left + 2.0;
        let across = width + self.left;
        if !panel.title.is_empty() {
            let title = text::shortened(&panel.title, SIZE, across);
            word(svg, (left, y - ABOVE - 9.0), ("ink", "start"), &title);
        }
        let label = |axis: &Axis, ticks: &Ticks| {
            let note = text::width(&ticks.note, SIZE);
            text::shortened(&axis.label, SIZE, across - note) + &ticks.note
        };
        word(svg, (left, y - 14.0), ("faint", "start"), &label(&panel.y, &self.y));
        let middle = x + 0.5 * width;
        word(svg, (middle, y + height + 38.0), ("faint", "middle"), &label(&panel.x, &self.x));
    }
}

/// A text at a place, in a class, with an anchor.
pub(crate) fn word(
    svg: &mut String,
    (x, y): (f64, f64),
    (class, anchor): (&str, &str),
    text: &str,
) {
    let text = markup(text);
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

fn draw_label(svg: &mut String, label: &Label) {
    if let Some((from, to)) = label.leader() {
        let _ = writeln!(
            svg,
            "<path class=\"leader\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }
    word(svg, (label.x, label.y + 4.5), (&label.class(), "start"), &label.text);
}
