//! Contact: one problem for all friction laws.
//!
//! `rows` are the contacts' Jacobian and Delassus matrix, `space` the mechanics of a step seen from its contacts; a law of `law`
//! turns it into a complementarity problem or a cone problem of `stiction-lcp` and reads the impulses off the answer. `solve`
//! does all this within a step, `memory` is what it leaves to the next one, `wrench` what the bodies feel of it. `indeterminacy` says
//! afterwards which of the impulses the law leaves open.

mod again;
mod assemble;
pub mod delassus;
mod detect;
mod early;
pub(crate) mod guides;
pub mod indeterminacy;
pub(crate) mod islands;
pub mod law;
mod level;
pub(crate) mod list;
pub mod memory;
pub(crate) mod reach;
mod rest;
pub mod rows;
pub mod settings;
mod solve;
pub mod space;
mod spare;
pub(crate) mod sparse;
mod ways;
pub(crate) mod work;
pub mod wrench;

pub use indeterminacy::{Indeterminacy, IndeterminacyError, Interval, indeterminacy};
pub use memory::ContactMemory;
pub use settings::{ContactReport, ContactSettings, NormalRow, Strictness};
pub use wrench::ContactForce;
