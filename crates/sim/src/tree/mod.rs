//! Algorithms on the tree of bodies, one file each.

pub mod aba;
pub mod crba;
pub mod energy;
pub mod jacobian;
pub mod kinematics;
pub mod matrix;
pub mod pattern;
pub mod rnea;
#[cfg(test)]
mod tests;
