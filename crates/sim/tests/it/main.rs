//! The crate from outside: what a user of the library can rely on.
#![allow(non_snake_case)]

mod allocation;
mod armature;
mod bad_input;
mod collide;
mod convert;
mod drift;
mod flight;
mod mutations;
mod oracles;
mod regressions;
mod sample;
mod state;
