//! Plots as SVG and PNG, light and dark.
//!
//! A [`Figure`] has panels, a panel has lines over two axes. Each line has its name at its end, in its colour; names that would
//! touch are moved apart and joined to their ends by a thin line. The palette is Okabe and Ito's, changed until its colours
//! can be read as text on either background. [`recording`] makes the figures of a run. PNG needs the feature `png`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]

mod axis;
mod cells;
mod figure;
mod labels;
mod line;
mod panel;
#[cfg(feature = "png")]
mod png;
pub mod recording;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod trace;

pub use axis::{Axis, Scale};
pub use figure::{Arrangement, Figure, svg};
pub use line::{Line, Stroke};
pub use panel::Panel;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use theme::{GREY, NAMED, Theme};
