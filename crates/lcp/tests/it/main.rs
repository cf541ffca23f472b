//! The crate from outside: what must hold whichever solver answers.
#![allow(non_snake_case)]

mod allocation;
mod matrix;
mod properties;
mod solvers;
