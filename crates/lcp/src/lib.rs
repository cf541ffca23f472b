//! Complementarity problems and friction cones: solvers, one independent judge, and proofs.
#![allow(non_snake_case)]

pub mod enumeration;
pub mod families;
pub mod farkas;
pub mod friction;
pub mod judge;
pub mod linalg;
pub mod matrix;
pub mod problem;
pub mod report;
pub mod solve;

pub use friction::{FrictionProblem, GlobalFrictionProblem};
pub use matrix::{Csc, MatX, Matrix};
pub use problem::{BoxLcp, ProblemError};
pub use report::{Report, Status, Stop, Unfit, never};
pub use solve::{
    FrictionAnswer, FrictionSolver, LcpAnswer, LcpSolver, Link, Verdict, solve_friction, solve_lcp,
};
