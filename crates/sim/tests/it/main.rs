//! The crate from outside: what a user of the library can rely on.
#![allow(non_snake_case)]

mod allocation;
mod flight;
