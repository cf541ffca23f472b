//! No friction: normals only.
//!
//! ```text
//!  w_n = (W_nn + ε_n) p_n + u_n,free + d_n      0 ≤ w_n ⊥ p_n ≥ 0        (guides: w_n = 0)
//! ```
//!
//! Symmetric and positive semidefinite: a quadratic program. Theory: `docs/theory/law-frictionless.md`.

use super::assembled::{Rows, bounded, least, normals};
use super::{Assembled, LawError};
use crate::contact::space::ContactSpace;

/// Unknowns: p_n of every contact, p of every bounded row.
pub fn assemble(space: &ContactSpace) -> Result<Assembled, LawError> {
    let k = space.k();
    let mut rows = Rows::new(space, normals(k).chain(bounded(space)).collect(), 0);
    let n = k + space.rows.len();
    let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
    for (i, c) in space.contacts.iter().enumerate() {
        rows.relax(i, (c.eps_n, c.d_n));
        lower[i] = least(c);
    }
    rows.keep_bounds(space, k, (&mut lower, &mut upper));
    rows.boxed(lower, upper)
}
