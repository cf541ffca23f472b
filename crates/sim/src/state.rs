//! Everything the next step depends on besides the model, the settings and the input.
//!
//! A State is small and plain: saved and loaded again it reproduces the future bit for bit.

/// Where the mechanism is and how it moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// [s]
    pub time: f64,
    /// Positions, in the order and units of [`crate::joint`].
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    pub memory: Memory,
}

/// What a step leaves to the next one besides q and v.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Joint angles that are measured between bodies, with all their turns [rad]. Empty entries are
    /// `None`: the principal value counts.
    pub angles: Vec<Option<f64>>,
}

impl Memory {
    pub fn new(angles: usize) -> Self {
        Self { angles: vec![None; angles] }
    }
}
