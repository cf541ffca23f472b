//! Recordings as tables and arrays for other programs: CSV, Parquet, NPZ.
//!
//! Tables are described once, in [`table`]; a recording is read along and never held in memory.

mod csv;
mod npz;
mod parquet;
pub mod table;
mod thrift;
mod zip;

pub use csv::csv;
pub use npz::npz;
pub use parquet::parquet;
pub use table::Table;

use crate::error::RecordError;

fn writing(error: std::io::Error) -> RecordError {
    RecordError::Io { doing: "writing the export", error }
}
