//! Factorizations that survive a singular matrix and allocate nothing the second time.

mod dense_lu;
mod sparse_lu;

pub use dense_lu::DenseLu;
pub use sparse_lu::SparseLu;
