//! Pictures as PNG, with fonts of our own: text is there on a machine without any.

use std::fmt;
use std::sync::{Arc, OnceLock};

use resvg::{tiny_skia, usvg};
use usvg::fontdb::Database;

/// Why there is no PNG.
#[derive(Debug)]
pub enum PngError {
    /// The text is not an SVG that can be drawn.
    Svg(usvg::Error),
    /// More than 2²⁶ pixels, or none.
    Size { width: f32, height: f32 },
    /// The pixels could not be packed.
    Packing(String),
}

/// An 8192 × 8192 picture: 256 MB while it is drawn.
const MOST_PIXELS: f32 = 67_108_864.0;

/// The picture with `scale` pixels for each unit of the SVG. `Theme::Auto` gives the light one.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let family = FAMILY.to_string();
    let mut options =
        usvg::Options { font_family: family, fontdb: fonts(), ..usvg::Options::default() };
    options.font_resolver.select_font = Box::new(|font, database| {
        let families = [usvg::fontdb::Family::Name(FAMILY)];
        let weight = usvg::fontdb::Weight(font.weight());
        database.query(&usvg::fontdb::Query { families: &families, weight, ..Default::default() })
    });
    let tree = usvg::Tree::from_str(svg, &options).map_err(PngError::Svg)?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).ceil(), (size.height() * scale).ceil());
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(PngError::Size { width, height });
    }
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32)
        .ok_or(PngError::Size { width, height })?;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Packing(error.to_string()))
}

const FAMILY: &str = "Noto Sans";

/// Read once: the tables of the fonts are the same for all pictures.
fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let read = || {
        let mut database = Database::new();
        database.load_font_source(usvg::fontdb::Source::Binary(Arc::new(notosans::REGULAR_TTF)));
        database.load_font_source(usvg::fontdb::Source::Binary(Arc::new(notosans::BOLD_TTF)));
        Arc::new(database)
    };
    FONTS.get_or_init(read).clone()
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Svg(error) => write!(f, "the picture is not an SVG that can be drawn: {error}"),
            Self::Size { width, height } => write!(
                f,
                "a picture of {width} × {height} pixels: expected at least one pixel and at most {MOST_PIXELS}"
            ),
            Self::Packing(error) => write!(f, "the pixels could not be packed: {error}"),
        }
    }
}

impl std::error::Error for PngError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Panel, svg};

    /// Pixels of a PNG that are not of the card: decoded by the crate that draws.
    fn drawn(png: &[u8]) -> usize {
        let pixels = tiny_skia::Pixmap::decode_png(png).unwrap();
        let card = pixels.pixel(pixels.width() / 2, 3).unwrap();
        pixels.pixels().iter().filter(|pixel| **pixel != card).count()
    }

    #[test]
    fn text_is_drawn_without_fonts_of_the_system() {
        let word = |text: &str| {
            let axis = || Axis::linear(text, (0.0, 1.0));
            let figure = {
                let (x, y, title) = (axis(), axis(), String::new());
                svg(text, &[Panel { title, size: (100.0, 100.0), x, y, lines: Vec::new() }])
            };
            drawn(&png(&figure, 1.0).unwrap())
        };
        let (none, greek) = (word(""), word("μ θ ω λ 10⁻³ → ≥ ∞ · −"));
        assert!(greek > none + 1000, "{none} {greek}");
    }

    #[test]
    fn what_is_not_a_picture_is_an_error() {
        assert!(matches!(png("no SVG", 1.0), Err(PngError::Svg(_))));
        let picture = svg("", &[]);
        for scale in [0.0, -1.0, f32::NAN, 1e6] {
            assert!(matches!(png(&picture, scale), Err(PngError::Size { .. })), "{scale}");
        }
    }
}
