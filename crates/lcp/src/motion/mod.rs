//! Frictional contact in velocity space: the Delassus matrix by its root, never made.
//!
//! ```text
//!  x = H r ,    u = Hᵀ x + ε r + q          W = Hᵀ H + diag(ε)
//! ```
//!
//! x is what the impulses r do to the velocities, in coordinates in which the mass matrix is the
//! identity: with `M = Lᵀ L` and Jacobian J, `H = L⁻ᵀ Jᵀ`. Coordinates belong to *nodes* (a body, a joint),
//! and a contact touches few of them. So a product with W costs the contacts, not the entries of W, and the
//! matrix of a Newton step,
//!
//! ```text
//!  I + H D Hᵀ ,    D of 3 × 3 blocks, one per contact
//! ```
//!
//! has the pattern of the graph of nodes and is regular whatever the rank of H: redundant contacts
//! and mass ratios do not hurt it.
//!
//! Theory: `docs/theory/velocity-space.md`.

pub mod apgd;
mod auto;
pub mod boxes;
mod central;
mod cluster;
mod corner;
mod dense;
mod dilatant;
mod energy;
mod error;
mod face;
mod factor;
mod few;
mod fronts;
mod in_plane;
mod interior_point;
mod islands;
mod lagged;
mod lanes;
mod local;
mod low_rank;
mod metric;
mod mode;
mod newton;
mod path;
mod planar;
mod polish;
mod problem;
mod reflections;
mod root;
mod sides;
mod space;
mod sweeps;
#[cfg(test)]
pub(crate) mod tests;
mod twice;
mod two_parts;
mod walk;

pub use auto::solve_local;
pub use auto::{MotionLink, MotionReport, MotionWork, solve_motion, solve_motion_near};
pub use islands::islands;
pub use problem::MotionProblem;
pub(crate) use sweeps::first_sweeps;
pub use two_parts::with_second_part;
