//! What the benches and `stiction bench` share: scenes, problem files, mechanisms, the clock.
// units in brackets are no links
#![allow(rustdoc::broken_intra_doc_links)]
#![allow(non_snake_case)]

pub mod clock;
pub mod corpus;
pub mod file;
pub mod mechanisms;
pub mod scale;
pub mod scenes;
