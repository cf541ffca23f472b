//! Factorizations that survive a singular matrix and allocate nothing the second time; products with equal bits everywhere.

mod dense_lu;
mod ordering;
mod pair;
mod product;
mod sparse_lu;
mod submatrix_lu;

pub use dense_lu::DenseLu;
pub use ordering::minimum_degree;
pub(crate) use pair::Pair;
pub use product::{gram, product};
pub use sparse_lu::SparseLu;
pub use submatrix_lu::{Submatrix, SubmatrixLu};
