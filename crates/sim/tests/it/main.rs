//! The crate from outside: mechanisms with known answers.
#![allow(non_snake_case)]

mod drift;
mod flight;
