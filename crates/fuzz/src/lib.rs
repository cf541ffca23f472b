//! Mutated files through every reader.
//!
//! A [`Target`] is a reader with small valid files and the words of its format. [`fuzz`] changes the files at random, from a
//! seed, and gives them to the reader. A reader may refuse anything; it fails by a panic, by more memory than its bound, or
//! by not coming to an end. Files that bring a message which was not seen before are kept and changed further.
//!
//! An input that fails is made smaller and written to `target/fuzz`; the message names seed and number, which make it again.
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

mod changes;
mod fuzz;
mod numbers;
mod random;
mod shrink;
pub mod targets;
mod trial;

pub use fuzz::{Found, Report, fuzz};
pub use trial::{Failure, Target};
