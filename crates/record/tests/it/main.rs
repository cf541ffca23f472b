//! Recordings written and read back, whole, cut and damaged.

mod access;
mod damage;
mod export;
mod round_trip;
mod sample;
