//! Recordings of runs.
//!
//! A run leaves a [`Header`] that says what moves, and a [`Frame`] for each step that is kept. This crate knows numbers and
//! names, nothing of models: who steps fills the frames. [`Recorder`] writes them to an MCAP file, [`Recording`] reads them,
//! also from a file that was cut, and [`export`] makes tables and arrays of them.
//!
//! # The file
//!
//! An MCAP file without compression. Messages are protocol buffers and their descriptors are in the file: the `mcap` tools and
//! Foxglove read it as it is. The clock of the file is simulated time in nanoseconds, from 0.
//!
//! | where | what |
//! |---|---|
//! | attachment `header.json` | [`Header`] as JSON, without the scene |
//! | attachment `scene.toml` | the scene with every default spelled out |
//! | metadata `stiction` | title, version, command, file, hash and seed of the scene |
//! | metadata `summary` | what the run came to; absent in a file that was cut |
//! | `/stiction/step`, `/contacts`, `/certificate`, `/energy`, `/impacts` | the frames, as [`schema::STICTION`] says |
//! | `/stiction/state` | whole states of the simulator, to go on from |
//! | `/tf`, `/shapes`, `/impulses` | what Foxglove draws: transforms, shapes on them, arrows |
//!
//! Messages of one frame have one sequence number, and its step comes last. Header and scene come first, so that a cut file
//! has them; each chunk holds whole frames and is handed to the system at once.
//!
//! ```
//! use stiction_record::{BodyInfo, Frame, Header, Recorder, RecorderSettings, Recording};
//!
//! let header = Header { bodies: vec![BodyInfo { name: "box".into(), mass: 1.0 }], ..Header::default() };
//! let mut recorder = Recorder::new(Vec::new(), &header, &RecorderSettings::default())?;
//! let mut frame = Frame { poses: vec![[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]], ..Frame::default() };
//! for step in 0..100 {
//!     (frame.step, frame.time) = (step, 0.01 * step as f64);
//!     recorder.frame(&frame)?;
//! }
//! let bytes = recorder.finish(&Default::default())?;
//!
//! let recording = Recording::from_bytes(bytes)?;
//! assert_eq!(recording.frame_count(), 100);
//! assert_eq!(recording.frame(42)?.time, 0.42);
//! assert_eq!(recording.frame_at(0.425)?.step, 42);
//! # Ok::<(), stiction_record::RecordError>(())
//! ```
// units in brackets, `[m]`, are no links
#![allow(rustdoc::broken_intra_doc_links)]

mod container;
mod crc;
mod error;
pub mod export;
pub mod frame;
mod frames;
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
pub use frames::Frames;
pub use header::{BodyInfo, Coordinate, Geometry, Header, ShapeInfo};
pub use message::KeyFrame;
pub use recorder::{Recorder, RecorderSettings};
pub use recording::Recording;
pub use scan::Cut;
