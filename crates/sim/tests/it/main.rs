//! The crate from outside.
#![allow(non_snake_case)]

mod bad_input;
mod mutations;
mod sample;
mod state;
