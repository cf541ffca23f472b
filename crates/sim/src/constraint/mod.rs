//! Bilateral rows: joints that the tree does not carry, loops, couplings, drives, implicit springs.
//!
//! ```text
//!  J v⁺ + ε p + d = 0          one row each: rate, compliance, offset          [m/s or rad/s]
//! ```
//!
//! `measure` knows geometry, `rows` turns a model into rows (`bounded`: those that are solved with the contacts), `solve` finds their impulses (`inner`: springs that need no row), `project` brings
//! positions and velocities onto them. Theory: `docs/theory/constraints.md`.

pub(crate) mod bounded;
pub(crate) mod close;
pub(crate) mod end;
pub(crate) mod inner;
pub(crate) mod joint_rows;
pub(crate) mod measure;
pub(crate) mod parts;
pub mod project;
pub mod rows;
pub mod solve;
