//! A figure: panels under a title, as SVG.

use std::fmt::Write;

use crate::panel::{ABOVE, BELOW, Layout, Panel, TITLE, word};
use crate::text;
use crate::theme::Theme;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// Side by side.
    #[default]
    Row,
    /// One below the other, their y axes in a line.
    Column,
}

#[derive(Clone, Debug, Default)]
pub struct Figure {
    pub title: String,
    pub arrangement: Arrangement,
    pub panels: Vec<Panel>,
}

/// Around everything, and between panels [px].
const PAD: f64 = 22.0;
const BETWEEN: f64 = 26.0;
/// Down to the first panel [px].
const HEAD: f64 = 52.0;
/// Points of all lines together: an SVG stays below 300 kB.
const POINTS: usize = 24_000;
/// Titles are shortened to the width of the figure, or to this where it is less [px].
const NARROW: f64 = 360.0;

/// By which titles are measured [px]: bold letters are wider than their 18 px, by a fifth in the widest of common fonts.
const TITLE_SIZE: f64 = 21.5;

/// Panels side by side under a title, for light and dark.
pub fn svg(title: &str, panels: &[Panel]) -> String {
    let figure =
        Figure { title: title.to_string(), arrangement: Arrangement::Row, panels: panels.to_vec() };
    figure.svg(Theme::Auto)
}

impl Figure {
    pub fn svg(&self, theme: Theme) -> String {
        let mut body = String::new();
        let (width, height) = self.draw(&mut body);
        let needed = text::width(&self.title, TITLE_SIZE).min(NARROW) + 2.0 * PAD;
        let (width, height) = (width.max(needed).ceil(), height.ceil());
        let title = text::shortened(&self.title, TITLE_SIZE, width - 2.0 * PAD);
        let mut svg = String::with_capacity(body.len() + 3000);
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"'Helvetica Neue', Helvetica, Arial, 'Noto Sans', sans-serif\" font-size=\"13\">",
            theme.class()
        );
        let _ = writeln!(svg, "<title>{}</title>", text::escaped(&self.title));
        let _ = writeln!(svg, "<style>\n{}</style>", theme.styles());
        let _ =
            writeln!(svg, "<rect class=\"card\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>");
        word(&mut svg, (PAD, 34.0), ("ink title", "start"), &title);
        svg.push_str(&body);
        svg.push_str("</svg>\n");
        svg
    }

    /// Draws the panels; returns the size of the whole [px].
    fn draw(&self, body: &mut String) -> (f64, f64) {
        let mut layouts: Vec<Layout<'_>> = self.panels.iter().map(Panel::layout).collect();
        if self.arrangement == Arrangement::Column {
            let leftmost = layouts.iter().map(|layout| layout.left).fold(0.0, f64::max);
            layouts.iter_mut().for_each(|layout| layout.left = leftmost);
        }
        let budget = POINTS / self.panels.len().max(1);
        let titled = self.panels.iter().any(|panel| !panel.title.is_empty());
        let (mut width, mut height) = (2.0 * PAD, HEAD + PAD);
        let (mut x, mut y) = (PAD, HEAD);
        for (layout, panel) in layouts.iter().zip(&self.panels) {
            let has_title = match self.arrangement {
                Arrangement::Row => titled,
                Arrangement::Column => !panel.title.is_empty(),
            };
            let above = ABOVE + if has_title { TITLE } else { 0.0 };
            let right = layout.draw(body, (x + layout.left, y + above), budget);
            let bottom = y + above + panel.size.1 + BELOW;
            width = width.max(right + PAD);
            height = height.max(bottom + PAD - 8.0);
            match self.arrangement {
                Arrangement::Row => x = right + BETWEEN,
                Arrangement::Column => y = bottom + 16.0,
            }
        }
        (width, height)
    }
}
