//! Complementarity problems and friction cones: solvers, one independent judge, and proofs.
//!
//! # The problems
//!
//! Given A and b, a *linear complementarity problem* asks for z and `w = A z + b` with
//!
//! ```text
//!  0 ≤ z ⊥ w ≥ 0
//! ```
//!
//! [`BoxLcp`] states it with bounds `lower ≤ z ≤ upper`: w ≥ 0 at the lower bound, w ≤ 0 at the upper
//! one, w = 0 between. Infinite bounds make a mixed problem. [`FrictionProblem`] asks for impulses r
//! and velocities `u = W r + q` that obey Coulomb's law exactly at every contact, rows (n, t1, t2):
//!
//! ```text
//!  0 ≤ r_n ⊥ u_n ≥ 0,   ‖r_t‖ ≤ μ r_n,   r_t = −μ r_n u_t/‖u_t‖ where u_t ≠ 0
//! ```
//!
//! [`GlobalFrictionProblem`] is the same before the masses are eliminated.
//!
//! # An answer and its certificate
//!
//! ```
//! use stiction_lcp::{BoxLcp, LcpSolver, MatX, Verdict, never, solve_lcp};
//!
//! let A = MatX::from_row_slice(2, 2, &[2., 1., 1., 2.]);
//! let problem = BoxLcp::lcp(A, vec![-4., 1.])?;
//! let answer = solve_lcp(&problem, LcpSolver::Auto, 1e-12, &never);
//! assert_eq!(answer.verdict, Verdict::Certified);
//! assert_eq!(answer.z, [2., 0.]);
//! # Ok::<(), stiction_lcp::ProblemError>(())
//! ```
//!
//! A solver returns what it did; whether the problem is solved is the word of the [`judge`], which
//! shares no code with any solver. The end is one of three: certified, a proof that no solution
//! exists ([`judge::check_proof`]), or honestly uncertified with the best residual.
//!
//! # Which solver
//!
//! | solver | for | when not |
//! |---|---|---|
//! | [`solve_lcp`], [`solve_friction`] with `Auto` | everything: a chain of the ones below that ends in a verdict | a time step that must not allocate |
//! | [`lemke`](lemke::lemke) | copositive matrices, linear programs, friction pyramids; rays | two-sided bounds; thousands of pivots at rest |
//! | [`block_pivoting`](block_pivoting::block_pivoting) | P-matrices of any size, mixed and box: a handful of factorizations | singular blocks |
//! | [`murty`](murty::murty) | P-matrices, small; the simplest that cannot cycle | 2ⁿ steps are possible |
//! | [`keller`](keller::keller) | symmetric positive semidefinite, boxes: contact without friction | unsymmetric matrices |
//! | [`pgs`](pgs::pgs) | a rough answer in a fixed time | accuracy, mass ratios |
//! | [`nncg`](nncg::nncg) | the same, with conjugate directions: long chains | unsymmetric matrices |
//! | [`prox`](prox::prox) | monotone problems without any factorization | accuracy |
//! | [`newton`](newton::newton) | a good start, or solutions off Lemke's path | several hundred rows: it is dense |
//! | [`enumerate`](enumeration::enumerate) | all solutions, or the proof that there is none | more than about 20 rows |
//! | [`pyramid_newton`](pyramid::pyramid_newton) | friction pyramids of many contacts | other LCPs |
//! | [`cone::nsgs`](cone::nsgs()) | friction, loosely coupled; any W | mass ratios |
//! | [`cone::prox`](cone::prox()) | friction, the simplest; says when it diverges | accuracy |
//! | [`cone::apgd`](cone::apgd()) | friction, large resting piles | unsymmetric W |
//! | [`cone::interior_point`](cone::interior_point()) | friction with mass ratios, at rest | slip at high accuracy |
//! | [`cone::alart_curnier`](cone::alart_curnier()) | friction to machine precision, redundant contacts | strongly mixed stick and slip |
//!
//! Every solver is a function `(problem, settings, workspace, stop, z) → Report`, with `z` the warm
//! start and the answer; a second solve of the same size with the same workspace allocates nothing.
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
pub mod motion;
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
mod wide;

pub use cone::Triple;
pub use friction::{FrictionProblem, GlobalFrictionProblem};
pub use matrix::{Csc, MatX, Matrix};
pub use problem::{BoxLcp, ProblemError};
pub use report::{Report, Status, Stop, Unfit, never};
pub use solve::{
    FrictionAnswer, FrictionSolver, LcpAnswer, LcpSolver, Link, Verdict, solve_friction,
    solve_friction_evenly, solve_global_friction, solve_lcp,
};
