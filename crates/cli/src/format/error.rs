//! Why a file is not a problem: the file, the place in it, what was expected there.

use std::fmt;
use std::path::{Path, PathBuf};

use stiction_lcp::ProblemError;

/// One clear line about bad input.
#[derive(Debug)]
pub(crate) struct InputError {
    pub(crate) file: PathBuf,
    pub(crate) what: Problematic,
}

#[derive(Debug)]
pub(crate) enum Problematic {
    /// The file or folder cannot be read.
    Unreadable(std::io::Error),
    /// A pipe, a device: it may have no end.
    NotAFile,
    TooLarge {
        limit: u64,
    },
    /// A byte that is not UTF-8.
    NotText {
        line: usize,
        column: usize,
    },
    /// Not JSON, or JSON with a key twice.
    Syntax {
        line: usize,
        column: usize,
        message: String,
    },
    /// JSON, but not what the format asks for at this key.
    Key {
        path: String,
        expected: String,
        found: String,
    },
    /// A problem class that is recognised and not solved.
    Unsupported {
        kind: &'static str,
    },
    /// A folder without a single problem file.
    NoProblems,
}

impl Problematic {
    pub(crate) fn in_file(self, file: &Path) -> InputError {
        InputError { file: file.to_path_buf(), what: self }
    }

    pub(crate) fn key(
        path: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Key { path: path.into(), expected: expected.into(), found: found.into() }
    }
}

/// The key of a matrix of the library: w = A z + b is `M`, `q` in the file, and so is u = W r + q;
/// the mass matrix M is `Mass`.
fn matrix_key(what: &'static str) -> &'static str {
    match what {
        "A" | "W" => "M",
        "M" => "Mass",
        other => other,
    }
}

impl From<ProblemError> for Problematic {
    fn from(error: ProblemError) -> Self {
        match error {
            ProblemError::NegativeFriction { contact, mu } => {
                Self::key(format!("mu[{contact}]"), "a number ≥ 0", mu.to_string())
            }
            ProblemError::BoundsCross { index, lower, upper } => Self::key(
                format!("lower[{index}]"),
                format!("at most upper[{index}] = {upper}"),
                lower.to_string(),
            ),
            ProblemError::MatrixEntry { what, row, column } => Self::key(
                matrix_key(what),
                "finite entries",
                format!("entry ({row}, {column}) that is not"),
            ),
            ProblemError::SingularMass => {
                Self::key("Mass", "an invertible matrix", "a singular one")
            }
            ProblemError::NearlySingularMass => Self::key(
                "Mass",
                "an invertible matrix",
                "one that is singular but for rounding (no digit of its inverse is certain)",
            ),
            ProblemError::MassTooSmall => Self::key(
                "Mass",
                "a matrix with finite Hᵀ Mass⁻¹ H and Hᵀ Mass⁻¹ q",
                "one so small that they overflow",
            ),
            other => Self::key("M", "a consistent problem", other.to_string()),
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.what {
            Problematic::Unreadable(error) => write!(f, "{file}: cannot be read: {error}"),
            Problematic::NotAFile => {
                write!(f, "{file}: expected a regular file, found a pipe, a device or the like")
            }
            Problematic::TooLarge { limit } => {
                let limit = limit >> 30;
                write!(f, "{file}: expected a file of at most {limit} GiB, found a larger one")
            }
            Problematic::NotText { line, column } => {
                write!(f, "{file}:{line}:{column}: expected UTF-8 text, found another byte")
            }
            Problematic::Syntax { line, column, message } => {
                write!(f, "{file}:{line}:{column}: expected JSON: {message}")
            }
            Problematic::Key { path, expected, found } => {
                write!(f, "{file}: {path}: expected {expected}, found {found}")
            }
            Problematic::Unsupported { kind } => {
                write!(
                    f,
                    "{file}: kind: rolling friction (`{kind}`) is not solved yet; expected "
                )?;
                write!(f, "one of lcp, mlcp, box, fc2d, fc3d, gfc2d, gfc3d")
            }
            Problematic::NoProblems => {
                write!(f, "{file}: expected a folder with problem files (*.json), found none")
            }
        }
    }
}

impl std::error::Error for InputError {}
