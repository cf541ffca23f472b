//! A panel: lines over round ticks, each with its name at its end.

use std::fmt::Write;

use crate::axis::{Axis, Ticks};
use crate::cells;
use crate::labels::{self, Label, Room, SIZE};
use crate::text::{self, markup};
use crate::theme::COLOURS;
use crate::trace::{self, Area, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    Solid,
    /// Under others that run along it.
    Wide,
    /// For the many behind the few.
    Thin,
    /// Under a line that sums it up.
    Pale,
    Dashed,
    Dotted,
    /// A dot at each point, joined by a thin line.
    Marked,
    Dots,
    Rings,
    Crosses,
    /// A pale rectangle from the first point to the last; beyond the axes it is cut.
    Shade,
    /// A pale rectangle about each point, of this size [px]; the name stands where they leave most room.
    Cells {
        width: u32,
        height: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Line {
    /// At its end; empty: none.
    pub label: String,
    /// Place in the palette.
    pub colour: usize,
    pub stroke: Stroke,
    /// A point that is not finite, or has no place on a logarithmic axis, is a gap.
    pub points: Vec<(f64, f64)>,
}

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

impl Layout<'_> {
    /// Draws the panel with the upper left corner of its area there; returns how far it reaches to the right [px]. Lines
    /// have about `budget` points altogether.
    pub(crate) fn draw(&self, svg: &mut String, (x, y): (f64, f64), budget: usize) -> f64 {
        let (width, height) = self.panel.size;
        let area = Area { x, y, width, height };
        let share = budget / self.panel.lines.len().max(1);
        let drawn: Vec<Drawn<'_>> = (self.panel.lines.iter())
            .map(|line| Drawn { line, places: self.places(line, &area), area, budget: share })
            .collect();
        if drawn.iter().all(Drawn::is_empty) {
            self.draw_empty(svg, &area);
            return area.right();
        }
        self.draw_axes(svg, &area);
        let mut room = Room::new(area);
        let mut names: Vec<Label> = Vec::new();
        for drawn in &drawn {
            let (end, line) = (drawn.draw(svg, &mut room), drawn.line);
            if let (Some(end), false) = (end, line.label.is_empty()) {
                names.push(Label::new(&line.label, line.colour, end));
            }
        }
        // names of maps stand in the middle of their cells
        let fixed = |label: &Label| {
            let cells = |line: &&Line| matches!(line.stroke, Stroke::Cells { .. });
            self.panel.lines.iter().filter(cells).any(|line| line.label == label.text)
        };
        let (centred, mut free): (Vec<Label>, Vec<Label>) = names.into_iter().partition(fixed);
        labels::place(&mut free, &area, &mut room);
        for label in &centred {
            word(
                svg,
                (label.end.0, label.y + 4.5),
                (&format!("f{} halo", label.colour % COLOURS), "middle"),
                &label.text,
            );
        }
        let mut right = area.right();
        for label in &free {
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
    let class = format!("f{} halo", label.colour % COLOURS);
    word(svg, (label.x, label.y + 4.5), (&class, "start"), &label.text);
}

/// A line on its way into the picture.
struct Drawn<'a> {
    line: &'a Line,
    places: Vec<Place>,
    area: Area,
    budget: usize,
}

impl Drawn<'_> {
    /// Draws what lies within the axes; returns where the line ends, or for cells where their name stands.
    fn draw(&self, svg: &mut String, room: &mut Room) -> Option<(f64, f64)> {
        match self.line.stroke {
            Stroke::Solid => self.stroke(svg, room, "1.8", ""),
            Stroke::Wide => self.stroke(svg, room, "6", " stroke-opacity=\"0.35\""),
            Stroke::Thin => self.stroke(svg, room, "0.8", " stroke-opacity=\"0.6\""),
            Stroke::Pale => self.stroke(svg, room, "1", " stroke-opacity=\"0.25\""),
            Stroke::Dashed => self.stroke(svg, room, "1.8", " stroke-dasharray=\"8 5\""),
            Stroke::Dotted => self.stroke(svg, room, "2.2", " stroke-dasharray=\"2 4\""),
            Stroke::Marked => {
                self.stroke(svg, room, "1", "");
                self.marks(svg, room, "6.4")
            }
            Stroke::Dots => self.marks(svg, room, "6.4"),
            Stroke::Rings => self.rings(svg, room),
            Stroke::Crosses => self.crosses(svg, room),
            Stroke::Shade => self.shade(svg),
            Stroke::Cells { width, height } => {
                let size = (f64::from(width), f64::from(height));
                let inside = |place: &Place| place.filter(|&p| self.area.holds(p));
                let places: Vec<Place> = self.places.iter().map(inside).collect();
                cells::draw(svg, self.colour(), size, &places);
                cells::roomiest(&places, size)
            }
        }
    }

    fn colour(&self) -> usize {
        self.line.colour % COLOURS
    }

    fn is_empty(&self) -> bool {
        self.line.stroke == Stroke::Shade || self.end().is_none()
    }

    fn end(&self) -> Option<(f64, f64)> {
        self.places.iter().rev().flatten().copied().find(|&place| self.area.holds(place))
    }

    fn stroke(
        &self,
        svg: &mut String,
        room: &mut Room,
        width: &str,
        more: &str,
    ) -> Option<(f64, f64)> {
        let strokes = trace::strokes(&self.places, &self.area, self.budget);
        strokes.iter().for_each(|stroke| room.take_stroke(stroke));
        let (lines, points): (Vec<_>, Vec<_>) = strokes.into_iter().partition(|s| s.len() > 1);
        if !lines.is_empty() {
            let d = trace::path(&lines);
            let _ = writeln!(
                svg,
                "<path class=\"s{}\" stroke-width=\"{width}\"{more} d=\"{d}\"/>",
                self.colour()
            );
        }
        if !points.is_empty() {
            let d = trace::path(&points);
            let _ =
                writeln!(svg, "<path class=\"s{}\" stroke-width=\"5\" d=\"{d}\"/>", self.colour());
        }
        self.end()
    }

    /// Round dots: strokes of no length.
    fn marks(&self, svg: &mut String, room: &mut Room, size: &str) -> Option<(f64, f64)> {
        let dots = self.scattered(room);
        let d = trace::path(&dots.iter().map(|&dot| vec![dot]).collect::<Vec<_>>());
        let _ =
            writeln!(svg, "<path class=\"s{}\" stroke-width=\"{size}\" d=\"{d}\"/>", self.colour());
        self.end()
    }

    fn rings(&self, svg: &mut String, room: &mut Room) -> Option<(f64, f64)> {
        for (x, y) in self.scattered(room) {
            let _ = writeln!(
                svg,
                "<circle class=\"s{} hollow\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" stroke-width=\"1.5\"/>",
                self.colour()
            );
        }
        self.end()
    }

    fn crosses(&self, svg: &mut String, room: &mut Room) -> Option<(f64, f64)> {
        let mut d = String::new();
        for (x, y) in self.scattered(room) {
            let _ = write!(d, "M{:.1} {:.1}l7 7m0-7l-7 7", x - 3.5, y - 3.5);
        }
        let _ =
            writeln!(svg, "<path class=\"s{}\" stroke-width=\"1.8\" d=\"{d}\"/>", self.colour());
        self.end()
    }

    /// A third of the budget: a dot takes more of a file than a point of a line.
    fn scattered(&self, room: &mut Room) -> Vec<(f64, f64)> {
        let dots = trace::scattered(&self.places, &self.area, self.budget / 3 + 1);
        dots.iter().for_each(|&dot| room.take_dot(dot, 4.0));
        dots
    }

    fn shade(&self, svg: &mut String) -> Option<(f64, f64)> {
        let mut corners = self.places.iter().copied().flatten();
        let (a, b) = (corners.next()?, corners.last()?);
        let clamp = |(x, y): (f64, f64)| {
            (x.clamp(self.area.x, self.area.right()), y.clamp(self.area.y, self.area.bottom()))
        };
        let (a, b) = (clamp(a), clamp(b));
        let (left, top) = (a.0.min(b.0), a.1.min(b.1));
        let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        if width > 0.0 && height > 0.0 {
            let _ = writeln!(
                svg,
                "<rect class=\"f{}\" fill-opacity=\"0.12\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
                self.colour()
            );
        }
        None
    }
}
