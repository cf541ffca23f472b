//! Recordings of runs.
//!
//! A run leaves a [`Header`] that says what moves, and a [`Frame`] for each step that is kept. This crate knows numbers and
//! names, nothing of models: who steps fills the frames.

pub mod frame;
pub mod header;

pub use frame::{Certificate, Contact, Energy, Frame, Impact, Mode};
pub use header::{BodyInfo, Coordinate, Geometry, Header, ShapeInfo};
