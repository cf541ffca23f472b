//! Recordings of runs.
//!
//! A run leaves a [`Header`] that says what moves, and a [`Frame`] for each step that is kept. This crate knows numbers and
//! names, nothing of models: who steps fills the frames. [`Recorder`] writes them to an MCAP file,
//! [`Recording`] reads them, also from a file that was cut.

// units in brackets, `[m]`, are no links
#![allow(rustdoc::broken_intra_doc_links)]

mod container;
mod crc;
mod error;
pub mod export;
pub mod frame;
pub mod header;
mod message;
mod pictures;
mod proto;
mod recorder;
mod recording;
mod scan;
pub mod schema;

pub use error::RecordError;
pub use frame::{Certificate, Contact, Energy, Frame, Impact, Mode};
pub use header::{BodyInfo, Coordinate, Geometry, Header, ShapeInfo};
pub use message::KeyFrame;
pub use recorder::{Recorder, RecorderSettings};
pub use recording::{Frames, Recording};
pub use scan::Cut;
