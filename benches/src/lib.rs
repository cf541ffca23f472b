//! What the benches and `stiction bench` share: scenes, problem files, mechanisms, the clock.
#![allow(non_snake_case)]

pub mod clock;
pub mod corpus;
pub mod file;
pub mod mechanisms;
pub mod scale;
pub mod scenes;
