//! The crate from outside: what a user of the library can rely on.
#![allow(non_snake_case)]

mod allocation;
mod armature;
mod bad_input;
mod collide;
mod contact;
mod convert;
mod drift;
mod flight;
mod laws_andrews;
mod laws_flight;
mod laws_frames;
mod laws_loops;
mod laws_momentum;
mod laws_pendulum;
mod laws_reversal;
mod laws_springs;
mod laws_tops;
mod laws_units;
mod ledger;
mod mechanisms;
mod mutations;
mod oracles;
mod regressions;
mod sample;
mod state;
mod wrench;
