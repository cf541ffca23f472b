//! Identities between the algorithms, on random trees of all joints.

mod balances;
mod frames;
mod units;
