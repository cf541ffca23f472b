//! What a solver says of itself. Whether the problem is solved is the judge's word, not the solver's.

/// How a solver stopped. Not an error: `z` is usable in every case, and only the judge certifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The solver's own stopping test was met.
    Solved,
    /// The budget of iterations, pivots or factorizations is used up.
    IterationLimit,
    /// The caller's `stop` asked for it.
    Stopped,
    /// Lemke's path ends in a secondary ray. Not a proof that no solution exists.
    Ray,
    /// A matrix that must be factored is singular, and no way around was left.
    Singular,
    /// The iteration no longer makes progress.
    Stalled,
    /// The iterates grow without bound.
    Diverged,
    /// The method is not made for this problem; `z` is the warm start.
    NotApplicable(Unfit),
}

/// What a method cannot treat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Row i has `A_ii ≤ 0`.
    NonPositiveDiagonal(usize),
    /// Row i has two finite bounds.
    TwoSidedBounds(usize),
    /// Row i is free.
    FreeRow(usize),
    /// The matrix is not symmetric.
    NotSymmetric,
    /// More rows than the method's limit.
    TooLarge { limit: usize },
}

/// Counts of one solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub status: Status,
    /// Pivots, sweeps or Newton steps, as the solver's page says.
    pub iterations: usize,
    /// Matrices factored from scratch.
    pub factorizations: usize,
    /// How many of them were singular and survived; counted by block pivoting alone.
    pub singular: usize,
}

impl Report {
    pub fn new(status: Status, iterations: usize, factorizations: usize) -> Self {
        Self { status, iterations, factorizations, singular: 0 }
    }
}

/// Asked now and then by every solver: `true` ends the solve with [`Status::Stopped`]. The library
/// has no clock; a caller with a deadline passes one here.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// The [`Stop`] that never stops.
pub fn never() -> bool {
    false
}
