//! Problem files: JSON text → a typed, checked problem. The format is described in
//! `docs/format.md`.
//!
//! Nothing is allocated by a claimed size: shapes are compared with the lengths of lists that the
//! file really holds before a matrix is made of them.

mod error;
mod fields;
mod json;
mod matrix;
mod mixed;
mod read;
#[cfg(test)]
mod shipped;
mod write;

pub(crate) use error::{InputError, Problematic};
pub(crate) use read::read;
pub(crate) use write::problem as problem_text;

use stiction_lcp::{BoxLcp, FrictionProblem, GlobalFrictionProblem};

/// What a file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Lcp,
    Mlcp,
    Box,
    Fc2d,
    Fc3d,
    Gfc2d,
    Gfc3d,
    /// Rolling friction, local and global form: recognised, and refused.
    Rfc3d,
    Grfc3d,
}

impl Kind {
    pub(crate) const ALL: [Self; 9] = [
        Self::Lcp,
        Self::Mlcp,
        Self::Box,
        Self::Fc2d,
        Self::Fc3d,
        Self::Gfc2d,
        Self::Gfc3d,
        Self::Rfc3d,
        Self::Grfc3d,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lcp => "lcp",
            Self::Mlcp => "mlcp",
            Self::Box => "box",
            Self::Fc2d => "fc2d",
            Self::Fc3d => "fc3d",
            Self::Gfc2d => "gfc2d",
            Self::Gfc3d => "gfc3d",
            Self::Rfc3d => "rfc3d",
            Self::Grfc3d => "grfc3d",
        }
    }

    pub(crate) fn is_supported(self) -> bool {
        !matches!(self, Self::Rfc3d | Self::Grfc3d)
    }
}

/// A file that was read: who it is, what it asks, what it says of the answer.
#[derive(Debug)]
pub(crate) struct ProblemFile {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) problem: Problem,
    pub(crate) expected: Expected,
}

#[derive(Debug)]
pub(crate) enum Problem {
    Linear(LinearProblem),
    Friction(FrictionProblem),
    Global(GlobalFrictionProblem),
}

/// A square problem whose row i belongs to its variable i.
#[derive(Debug)]
pub(crate) struct LinearProblem {
    pub(crate) problem: BoxLcp,
    /// Which variable each column of the file became; `None` where the order is the file's.
    pub(crate) place: Option<Vec<usize>>,
}

impl LinearProblem {
    /// The answer in the order of the file's columns.
    pub(crate) fn in_file_order(&self, z: Vec<f64>) -> Vec<f64> {
        match &self.place {
            None => z,
            Some(place) => place.iter().map(|&i| z[i]).collect(),
        }
    }
}

/// What the file says of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing.
    Unsaid,
    /// A solution exists.
    Solution,
    /// No solution exists.
    None,
}
