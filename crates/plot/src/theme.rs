//! Colours on a light and on a dark card, as a style sheet.

use std::fmt::Write;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
    /// As the reader's browser has it; programs that do not know of it show the light one.
    #[default]
    Auto,
}

/// Colours of the palette.
pub(crate) const COLOURS: usize = 9;
/// The colour of what stands in the background.
pub const GREY: usize = 5;
/// Colours in the order in which lines take them. Who has more lines than these names eight and draws the rest in [`GREY`].
pub const NAMED: [usize; 8] = [0, 1, 2, 3, 4, 6, 7, 8];

struct Colours {
    card: &'static str,
    ink: &'static str,
    faint: &'static str,
    grid: &'static str,
    minor: &'static str,
    palette: [&'static str; COLOURS],
}

/// Blue, vermilion, green, purple, brown, grey, navy, wine, teal: after Okabe and Ito, moved until eight of them are apart for
/// those who see no red or no green too, and dark enough for text.
const LIGHT: Colours = Colours {
    card: "#ffffff",
    ink: "#24292f",
    faint: "#626b75",
    grid: "#e1e4e8",
    minor: "#f0f2f4",
    palette: [
        "#0a58d6", "#bd5900", "#0a8656", "#ae42ac", "#7d4115", "#656d76", "#011472", "#4d1723",
        "#457d7d",
    ],
};

/// The same places of the palette, light enough for text.
const DARK: Colours = Colours {
    card: "#14171b",
    ink: "#e6e9ed",
    faint: "#98a1ab",
    grid: "#2b3036",
    minor: "#1f2328",
    palette: [
        "#4a88fb", "#ea9118", "#1da85c", "#c56bb9", "#f8ee24", "#8b949e", "#84bdff", "#fec9ac",
        "#77eff1",
    ],
};

impl Theme {
    /// The class of the picture: its styles touch nothing else on a page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Light => "stiction-plot-light",
            Self::Dark => "stiction-plot-dark",
            Self::Auto => "stiction-plot-auto",
        }
    }

    pub(crate) fn styles(self) -> String {
        let root = self.class();
        let mut sheet = format!(
            ".{root} .title{{font-size:18px;font-weight:600}}\n\
             .{root} .halo{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}\n\
             .{root} .grid,.{root} .minor,.{root} .leader{{fill:none;stroke-width:1px}}\n\
             .{root} .leader{{stroke-width:.7px}}\n"
        );
        match self {
            Self::Light => LIGHT.write(&mut sheet, root),
            Self::Dark => DARK.write(&mut sheet, root),
            Self::Auto => {
                LIGHT.write(&mut sheet, root);
                sheet.push_str("@media (prefers-color-scheme: dark) {\n");
                DARK.write(&mut sheet, root);
                sheet.push_str("}\n");
            }
        }
        sheet
    }
}

impl Colours {
    fn write(&self, sheet: &mut String, root: &str) {
        let Self { card, ink, faint, grid, minor, palette } = self;
        for (i, colour) in palette.iter().enumerate() {
            let _ = writeln!(
                sheet,
                ".{root} .f{i}{{fill:{colour}}} .{root} .s{i}{{fill:none;stroke:{colour};stroke-linejoin:round;stroke-linecap:round}}"
            );
        }
        let _ = writeln!(
            sheet,
            ".{root} .card{{fill:{card}}} .{root} .ink{{fill:{ink}}} .{root} .faint{{fill:{faint}}}\n\
             .{root} .grid{{stroke:{grid}}} .{root} .minor{{stroke:{minor}}} .{root} .leader{{stroke:{faint}}}\n\
             .{root} .halo{{stroke:{card}}} .{root} .hollow{{fill:{card}}}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|i| {
            let c = f64::from(u8::from_str_radix(&colour[i..i + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        })
    }

    /// The ratio of the Web Content Accessibility Guidelines.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let [r, g, b] = linear(colour);
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    /// CIE L*a*b* of linear RGB.
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
        let f = |t: f64| if t > 0.008856 { libm::cbrt(t) } else { 7.787 * t + 16.0 / 116.0 };
        [116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))]
    }

    /// As seen without red or without green receptors (Viénot, Brettel and Mollon 1999, linear RGB).
    fn seen([r, g, b]: [f64; 3], [keep, blue]: [f64; 2]) -> [f64; 3] {
        let yellow = keep * r + (1.0 - keep) * g;
        [yellow, yellow, (b + blue * (r - g)).max(0.0)]
    }

    #[test]
    fn every_colour_can_be_read_as_text_on_its_card() {
        for colours in [&LIGHT, &DARK] {
            for colour in colours.palette.iter().chain([&colours.ink, &colours.faint]) {
                let contrast = contrast(colour, colours.card);
                assert!(contrast >= 4.5, "{colour} on {}: {contrast}", colours.card);
            }
        }
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    }

    #[test]
    fn colours_of_lines_are_apart_for_the_colour_blind_too() {
        let eyes = [None, Some([0.11238, 0.00401]), Some([0.29275, -0.02234])];
        for colours in [&LIGHT, &DARK] {
            for eye in eyes {
                let view = |i: usize| {
                    let colour = linear(colours.palette[i]);
                    lab(eye.map_or(colour, |eye| seen(colour, eye)))
                };
                for (n, i) in NAMED.into_iter().enumerate() {
                    for j in NAMED.into_iter().take(n) {
                        let (a, b) = (view(i), view(j));
                        let apart = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>();
                        assert!(apart.sqrt() > 20.0, "{i} and {j} for {eye:?}: {}", apart.sqrt());
                    }
                }
            }
        }
    }

    #[test]
    fn auto_has_both_and_fixed_themes_have_one() {
        let both = Theme::Auto.styles();
        assert!(both.contains(LIGHT.card) && both.contains(DARK.card) && both.contains("@media"));
        assert!(!Theme::Light.styles().contains(DARK.card));
        assert!(!Theme::Dark.styles().contains(LIGHT.card));
    }
}
