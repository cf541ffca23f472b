//! What a user of the library can rely on, through its public functions.
#![allow(non_snake_case)]

mod allocation;
