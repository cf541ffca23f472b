//! Complementarity problems and friction cones: solvers, one independent judge, and proofs.
#![allow(non_snake_case)]

pub mod block_pivoting;
pub mod cone;
pub mod enumeration;
pub mod families;
pub mod farkas;
pub mod friction;
pub mod islands;
pub mod judge;
pub mod keller;
pub mod lemke;
pub mod linalg;
pub mod matrix;
mod measure;
pub mod murty;
pub mod newton;
pub mod nncg;
pub mod pgs;
pub mod problem;
pub mod prox;
pub mod pyramid;
pub mod report;
pub mod solve;
#[cfg(test)]
mod testing;

pub use friction::{FrictionProblem, GlobalFrictionProblem};
pub use matrix::{Csc, MatX, Matrix};
pub use problem::{BoxLcp, ProblemError};
pub use report::{Report, Status, Stop, Unfit, never};
pub use solve::{
    FrictionAnswer, FrictionSolver, LcpAnswer, LcpSolver, Link, Verdict, solve_friction, solve_lcp,
};
