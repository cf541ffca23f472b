//! Pictures: lines and dots over round ticks, as SVG on a white card that reads in light and in dark.
//!
//! Each line has its name at its end, in its colour; names that would touch are moved apart and joined to their ends by a
//! thin line. The palette is Okabe and Ito's, darkened until text in it can be read on white.

mod cells;
#[cfg(test)]
mod tests;

use std::fmt::Write;

const PALETTE: [&str; 6] = ["#0072b2", "#c24e00", "#007f5c", "#a3457f", "#946500", "#57606a"];
const INK: &str = "#24292f";
const FAINT: &str = "#6e7781";
const GRID: &str = "#e4e7eb";
/// Height of a line of small text, and what a character of it is wide on average [px].
const TEXT: f64 = 15.0;
const CHARACTER: f64 = 6.6;
const LEFT: f64 = 66.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 52.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// By powers of ten; what is not positive is left out.
    Log,
}

#[derive(Clone, Debug)]
pub struct Axis {
    pub label: &'static str,
    pub scale: Scale,
    pub range: (f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    Solid,
    /// Under others that run along it.
    Wide,
    Dashed,
    Dotted,
    /// A dot at each point, joined by a thin line.
    Marked,
    Dots,
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

/// A name and where it stands [px].
struct Label<'a> {
    text: &'a str,
    colour: usize,
    end: (f64, f64),
    y: f64,
}

/// Panels side by side under a title.
pub fn svg(title: &str, panels: &[Panel]) -> String {
    let mut body = String::new();
    let (mut x, mut height) = (14.0, 0.0_f64);
    for panel in panels {
        let (width, text) = panel.draw(x + LEFT, TOP + 40.0);
        body.push_str(&text);
        x += LEFT + width + 14.0;
        height = height.max(TOP + 40.0 + panel.size.1 + BOTTOM);
    }
    let width = x.max(40.0 + 10.5 * title.chars().count() as f64);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"'Helvetica Neue', Helvetica, Arial, sans-serif\">\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"white\"/>\n\
         <text x=\"24\" y=\"34\" font-size=\"18\" font-weight=\"600\" fill=\"{INK}\">{}</text>\n{body}</svg>\n",
        escaped(title)
    )
}

impl Axis {
    pub fn linear(label: &'static str, range: (f64, f64)) -> Self {
        Self { label, scale: Scale::Linear, range }
    }

    pub fn log(label: &'static str, range: (f64, f64)) -> Self {
        Self { label, scale: Scale::Log, range }
    }

    /// From 0 to 1 along the axis; NaN where there is no place.
    fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => libm::log10(value / low) / libm::log10(high / low),
        }
    }

    /// Round values within the range, at most about `count`, each with its text.
    fn ticks(&self, count: f64) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        let (low, high, most) = match self.scale {
            Scale::Linear => (low, high, 1e-300),
            Scale::Log => (libm::log10(low), libm::log10(high), 1.0),
        };
        let step = round_step((high - low) / count).max(most);
        let decimals = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
        let first = libm::ceil(low / step - 1e-9) as i64;
        let last = libm::floor(high / step + 1e-9) as i64;
        let tick = |i: i64| match self.scale {
            Scale::Linear => (i as f64 * step, format!("{:.decimals$}", i as f64 * step)),
            Scale::Log => {
                let power = (i as f64 * step) as i64;
                (libm::pow(10.0, power as f64), power_of_ten(power))
            }
        };
        (first..=last).map(tick).collect()
    }
}

/// The least of 1, 2, 5, 10, … times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(step)));
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

fn power_of_ten(power: i64) -> String {
    match power {
        0 => "1".to_string(),
        1 => "10".to_string(),
        _ => {
            let digit = |c: char| match c.to_digit(10) {
                Some(d) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize],
                None => '⁻',
            };
            format!("10{}", power.to_string().chars().map(digit).collect::<String>())
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

impl Panel {
    /// The panel with the upper left corner of its area at (x0, y0): how wide it is with its labels, and its SVG.
    fn draw(&self, x0: f64, y0: f64) -> (f64, String) {
        let mut text = String::new();
        self.draw_axes(&mut text, x0, y0);
        let mut labels = Vec::new();
        for line in &self.lines {
            let ends = self.draw_line(&mut text, line, (x0, y0));
            if let (Some(end), false) = (ends, line.label.is_empty()) {
                labels.push(Label { text: &line.label, colour: line.colour, end, y: end.1 });
            }
        }
        spread(&mut labels, (y0, y0 + self.size.1));
        let mut right = x0 + self.size.0;
        for label in &labels {
            let (x, y) = (label.end.0 + 12.0, label.y);
            if (label.y - label.end.1).abs() > 3.0 {
                let (x1, y1) = label.end;
                let _ = writeln!(
                    text,
                    "<line x1=\"{:.1}\" y1=\"{y1:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{FAINT}\" stroke-width=\"0.7\"/>",
                    x1 + 4.0,
                    x - 2.0
                );
            }
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"13\" fill=\"{}\">{}</text>",
                y + 4.5,
                PALETTE[label.colour % PALETTE.len()],
                escaped(label.text)
            );
            right = right.max(x + CHARACTER * label.text.chars().count() as f64);
        }
        (right - x0 + 10.0, text)
    }

    fn draw_axes(&self, text: &mut String, x0: f64, y0: f64) {
        let (width, height) = self.size;
        let mut word = |x: f64, y: f64, anchor: &str, fill: &str, word: &str| {
            let word = escaped(word);
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"13\" fill=\"{fill}\" text-anchor=\"{anchor}\">{word}</text>"
            );
        };
        word(x0, y0 - 30.0, "start", INK, &self.title);
        word(x0 - 8.0, y0 - 12.0, "start", FAINT, self.y.label);
        word(x0 + width / 2.0, y0 + height + 40.0, "middle", FAINT, self.x.label);
        let (x_ticks, y_ticks) = (self.x.ticks(width / 55.0), self.y.ticks(height / 40.0));
        for (value, name) in &x_ticks {
            word(x0 + width * self.x.place(*value), y0 + height + 20.0, "middle", FAINT, name);
        }
        for (value, name) in &y_ticks {
            word(x0 - 8.0, y0 + height * (1.0 - self.y.place(*value)) + 4.5, "end", FAINT, name);
        }
        let mut rule = |x1: f64, y1: f64, x2: f64, y2: f64| {
            let _ = writeln!(
                text,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{GRID}\"/>"
            );
        };
        for (value, _) in &x_ticks {
            let x = x0 + width * self.x.place(*value);
            rule(x, y0, x, y0 + height);
        }
        for (value, _) in &y_ticks {
            let y = y0 + height * (1.0 - self.y.place(*value));
            rule(x0, y, x0 + width, y);
        }
    }

    /// Draws what lies within the axes; returns where the line ends.
    fn draw_line(
        &self,
        text: &mut String,
        line: &Line,
        (x0, y0): (f64, f64),
    ) -> Option<(f64, f64)> {
        let colour = PALETTE[line.colour % PALETTE.len()];
        let at = |&(x, y): &(f64, f64)| {
            let (x, y) = (self.x.place(x), self.y.place(y));
            let inside = |p: f64| (-1e-9..=1.0 + 1e-9).contains(&p);
            let point = (x0 + self.size.0 * x, y0 + self.size.1 * (1.0 - y));
            (inside(x) && inside(y)).then_some(point)
        };
        let places: Vec<Option<(f64, f64)>> = line.points.iter().map(at).collect();
        if matches!(line.stroke, Stroke::Dots | Stroke::Marked) {
            for (x, y) in places.iter().flatten() {
                let _ = writeln!(
                    text,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\"/>"
                );
            }
        }
        let (width, dash, opacity) = match line.stroke {
            Stroke::Solid => (1.8, "", 1.0),
            Stroke::Wide => (6.0, "", 0.35),
            Stroke::Dashed => (1.8, "8 5", 1.0),
            Stroke::Dotted => (2.2, "2 4", 1.0),
            Stroke::Marked => (1.0, "", 1.0),
            Stroke::Dots => return places.into_iter().flatten().last(),
            Stroke::Cells { width, height } => {
                let size = (f64::from(width), f64::from(height));
                cells::draw(text, colour, size, &places);
                // names begin 12 px behind where they are put
                let half = 0.5 * CHARACTER * line.label.chars().count() as f64 + 12.0;
                return cells::roomiest(&places, size).map(|(x, y)| (x - half, y));
            }
        };
        for piece in places.split(Option::is_none).filter(|piece| piece.len() > 1) {
            let points = piece.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}"));
            let _ = writeln!(
                text,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 stroke-dasharray=\"{dash}\" stroke-opacity=\"{opacity}\" stroke-linejoin=\"round\"/>",
                points.collect::<Vec<_>>().join(" ")
            );
        }
        places.into_iter().flatten().last()
    }
}

/// Moves names that would touch apart, each as far as the other, within the height of the panel.
fn spread(labels: &mut [Label<'_>], (top, bottom): (f64, f64)) {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let width = |label: &Label<'_>| CHARACTER * label.text.chars().count() as f64 + 14.0;
    for _ in 0..200 {
        for i in 0..labels.len() {
            for j in i + 1..labels.len() {
                let across = labels[j].end.0 - labels[i].end.0;
                let beside = across < -width(&labels[j]) || across > width(&labels[i]);
                let missing = TEXT + labels[i].y - labels[j].y;
                if !beside && missing > 0.0 {
                    labels[i].y -= missing / 2.0;
                    labels[j].y += missing / 2.0;
                }
            }
        }
        labels.iter_mut().for_each(|label| label.y = label.y.clamp(top, bottom));
    }
}
