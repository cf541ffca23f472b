//! What can go wrong with a file.

use std::fmt;

/// Why a recording could not be written or read.
#[derive(Debug)]
pub enum RecordError {
    /// The system refused; `doing` says what was attempted.
    Io { doing: &'static str, error: std::io::Error },
    /// The bytes at `offset` of the file are not what they should be.
    Damaged { offset: u64, what: String },
    /// The file is sound, as far as that was read, but no recording of a run.
    Foreign { what: String },
    /// There is no such frame.
    NoFrame { index: u64, frames: u64 },
    /// What was to be written could not be read back.
    Unreadable { what: String },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, error } => write!(f, "{doing}: {error}"),
            Self::Damaged { offset, what } => write!(f, "byte {offset}: {what}"),
            Self::Foreign { what } => write!(f, "not a recording: {what}"),
            Self::NoFrame { index, frames } => {
                write!(f, "frame {index} was asked for; the recording has {frames}")
            }
            Self::Unreadable { what } => write!(f, "cannot be recorded: {what}"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

pub(crate) fn damaged(offset: u64, what: impl Into<String>) -> RecordError {
    RecordError::Damaged { offset, what: what.into() }
}
