//! The crate from outside.
#![allow(non_snake_case)]

mod bad_input;
mod convert;
mod mutations;
mod sample;
mod state;
