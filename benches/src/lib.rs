//! What the benches share: scenes, problem files, mechanisms, the clock.
#![allow(non_snake_case)]

pub mod clock;
pub mod file;
pub mod mechanisms;
pub mod scenes;
