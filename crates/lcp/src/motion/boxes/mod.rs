//! Contacts whose impulses lie between bounds, in velocity space: box friction, polygons of friction, rows between bounds.
//!
//! ```text
//!  x = H r ,    u = Hᵀ x + ε r + q ,      r ∈ B ,   −u in the normal cone of B at r
//! ```
//!
//! B is a box that is known ([`Bounds::Fixed`]: a convex quadratic program), or friction bounded by the normal impulse of the same
//! contact ([`Bounds::Axes`], [`Bounds::Polygon`]: a linear complementarity problem), where −u_t is in the normal cone of the section
//! at r_n and the normal row is complementary by itself.
//!
//! Theory: `docs/theory/boxes.md`.

mod auto;
mod cones;
mod error;
mod faces;
mod gradient;
mod interior_point;
mod newton;
mod pivots;
mod problem;
mod section;
#[cfg(test)]
mod tests;

pub use auto::{BoxLink, BoxReport, BoxWork, solve_boxes};
pub use problem::{Bounds, BoxProblem};
