//! A line and how it is drawn.

use std::fmt::Write;

use crate::cells;
use crate::labels::Room;
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

/// A line on its way into the picture.
pub(crate) struct Drawn<'a> {
    pub(crate) line: &'a Line,
    pub(crate) places: Vec<Place>,
    pub(crate) area: Area,
    pub(crate) budget: usize,
}

impl Drawn<'_> {
    /// Draws what lies within the axes; returns where the line ends, or for cells where their name stands.
    pub(crate) fn draw(&self, svg: &mut String, room: &mut Room) -> Option<(f64, f64)> {
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

    /// Nothing of it lies within the axes.
    pub(crate) fn is_empty(&self) -> bool {
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
