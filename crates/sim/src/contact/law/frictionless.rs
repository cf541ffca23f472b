//! No friction: normals only.
//!
//! ```text
//!  w_n = (W_nn + ε_n) p_n + u_n,free + d_n      0 ≤ w_n ⊥ p_n ≥ 0
//! ```
//!
//! Symmetric and positive semidefinite: a quadratic program. Theory: `docs/theory/law-frictionless.md`.

use super::assembled::{Rows, normals};
use super::{Assembled, LawError};
use crate::contact::space::ContactSpace;

/// Unknowns: p_n of every contact.
pub fn assemble(space: &ContactSpace) -> Result<Assembled, LawError> {
    let mut rows = Rows::new(space, normals(space.k()).collect(), 0);
    for (i, c) in space.contacts.iter().enumerate() {
        rows.relax(i, (c.eps_n, c.d_n));
    }
    rows.lcp()
}
