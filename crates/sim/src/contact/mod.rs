//! Contact: one problem for all friction laws.
//!
//! `rows` are the contacts' Jacobian and Delassus matrix, `space` the mechanics of a step seen from its contacts; a law of `law`
//! turns it into a complementarity problem or a cone problem of `stiction-lcp` and reads the impulses off the answer. `solve`
//! does all this within a step, `memory` is what it leaves to the next one, `wrench` what the bodies feel of it.

pub mod law;
pub mod memory;
pub mod rows;
pub mod solve;
pub mod space;
pub mod wrench;

pub use memory::ContactMemory;
pub use solve::{ContactReport, ContactSettings, NormalRow, Strictness};
pub use wrench::ContactForce;
