//! One HTML file that plays a recording back: no server, no network.
//!
//! A [`Track`] takes the frames of a run one by one and keeps as many of them as fit a page: a long recording is never whole
//! in memory. What is left out is counted, and the worst of it goes into the picture that follows, so that no uncertified
//! step gets lost.

// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

pub mod drawing;
mod encode;
mod page;
pub mod picture;
pub mod track;

pub use track::{Track, TrackSettings};
