//! What the benches share: the scenes, problem files, the clock.
#![allow(non_snake_case)]

pub mod clock;
pub mod file;
pub mod scenes;
