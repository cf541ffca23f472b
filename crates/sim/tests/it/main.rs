//! The crate from outside: what a user of the library can rely on.
#![allow(non_snake_case)]

mod allocation;
mod armature;
mod bad_input;
mod bounded;
mod collide;
mod contact;
mod convert;
mod drift;
mod flight;
mod geometry;
mod guides;
mod laws_andrews;
mod laws_arch;
mod laws_contact;
mod laws_flight;
mod laws_frames;
mod laws_loops;
mod laws_measure;
mod laws_momentum;
mod laws_pendulum;
mod laws_polygons;
mod laws_reversal;
mod laws_slide;
mod laws_springs;
mod laws_stacks;
mod laws_statics;
mod laws_tops;
mod laws_units;
mod mechanisms;
mod mutations;
mod oracles;
mod regressions;
mod sample;
mod scenes;
mod state;
