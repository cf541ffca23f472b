//! What the sources report, made anew: tables, pictures, and whether the numbers agree.
//!
//! Each item runs scenes through [`stiction_sim`] and compares what comes out with numbers that the source states, that an
//! independent calculation gave, or that a derivation in `docs/theory` predicts. An item passes by its comparisons alone.
//!
//! | item | source | what |
//! |---|---|---|
//! | [`r1`] | [PKF17] figure 4, table 1 | box on the ground under five friction laws, order of convergence |
//! | [`r2`] | [PKF17] | rank of the lead matrices, which solver solves which law |
//! | [`r3`] | [AP] | the cannonball table: piles of 10 to 210 balls, their first step from rest |
//! | [`r4`] | [AP] | stiff dampers and springs between two masses: stability, the limit is a joint |
//! | [`r5`] | [AP] | the energy inequality of stiff springs and dampers; velocities that stay bounded |
//! | [`r6`] | [AP] | sliding rods without forces, and the steps that have impulses |
//! | [`r7`] | [AP] | impacts: two solves against the closed form, energy inside and outside of its assumptions |
//! | [`r8`] | [SNT] 4.1 | for which r the prox fixed point contracts |
//! | [`r9`] | [SNT] 4.2 | prox fixed point beside all solutions: two, and none |
//! | [`r10`] | [DART] figure 1b | standard, mixed and force form of a contact problem, its stabilizations |
#![allow(non_snake_case)]
#![allow(rustdoc::broken_intra_doc_links, reason = "keys of sources and units stand in brackets")]

pub mod item;
pub mod page;
pub mod r1;
pub mod r10;
pub mod r2;
pub mod r3;
pub mod r4;
pub mod r5;
pub mod r6;
pub mod r7;
pub mod r8;
pub mod r9;
mod scene;

pub use item::{Check, Item, Picture, Table};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Everything that the page shows.
    Whole,
    /// The same comparisons on fewer or shorter runs: for tests.
    Reduced,
}

/// The items, in the order of the page.
pub const IDS: [&str; 10] = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10"];

/// Processor time, from any beginning on [s]. What is measured with it goes into tables and pictures, never into a comparison.
pub type Clock<'a> = &'a dyn Fn() -> f64;

/// The [`Clock`] that stands still: its times are zero.
pub fn still() -> f64 {
    0.0
}

/// Runs one item of [`IDS`]; nothing for another name.
pub fn reproduce(id: &str, effort: Effort, clock: Clock<'_>) -> Option<Item> {
    match id {
        "R1" => Some(r1::item(effort)),
        "R2" => Some(r2::item(effort)),
        "R3" => Some(r3::item(effort, clock)),
        "R4" => Some(r4::item(effort)),
        "R5" => Some(r5::item(effort)),
        "R6" => Some(r6::item(effort)),
        "R7" => Some(r7::item(effort)),
        "R8" => Some(r8::item(effort)),
        "R9" => Some(r9::item(effort)),
        "R10" => Some(r10::item(effort)),
        _ => None,
    }
}
