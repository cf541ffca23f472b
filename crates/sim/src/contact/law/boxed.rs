//! The box law: friction along t1 and t2, each bounded by μ h λ_n with the normal force of the last step.
//!
//! ```text
//!  ⎡w_n⎤   ⎡ W_nn + ε_n  W_nt       ⎤ ⎡p_n⎤   ⎡ u_n,free + d_n ⎤      0 ≤ p_n < ∞
//!  ⎢   ⎥ = ⎢                        ⎥ ⎢   ⎥ + ⎢                ⎥
//!  ⎣w_t⎦   ⎣ W_tn        W_tt + ε_t ⎦ ⎣p_t⎦   ⎣ u_t,free + d_t ⎦      −μ h |λ_n| ≤ p_t ≤ μ h |λ_n|
//! ```
//!
//! Symmetric: with bounds that are known, a quadratic program. ε_t, d_t are the bristle's. A contact that was open in
//! the last step has no friction in this one. Theory: `docs/theory/law-box.md`.

use super::assembled::{Rows, Share, bounded, least};
use super::bristle::Plane;
use super::{Assembled, LawError, V_STICK, coefficient};
use crate::contact::space::{ContactData, ContactSpace};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxLaw {
    /// μ_s below this slip speed at the beginning of the step, μ_k from there [m/s].
    pub v_stick: f64,
}

impl Default for BoxLaw {
    fn default() -> Self {
        Self { v_stick: V_STICK }
    }
}

/// Unknowns: (p_n, p_t1, p_t2) of every contact, p of every bounded row.
pub fn assemble(space: &ContactSpace, settings: &BoxLaw) -> Result<Assembled, LawError> {
    assemble_lagged(space, |c| Plane::fixed(c, space.h, coefficient(c, settings.v_stick)))
}

/// The box problem with the axes that `plane` gives to each contact.
pub(super) fn assemble_lagged(
    space: &ContactSpace,
    plane: impl Fn(&ContactData) -> Plane,
) -> Result<Assembled, LawError> {
    let planes: Vec<Plane> = space.contacts.iter().map(plane).collect();
    let shares = planes.iter().enumerate().flat_map(|(block, plane)| {
        let along = |[x, y]: [f64; 2]| Share { block, direction: [0.0, x, y] };
        let normal = Share { block, direction: [1.0, 0.0, 0.0] };
        [normal, along(plane.axes[0]), along(plane.axes[1])]
    });
    let mut rows = Rows::new(space, shares.chain(bounded(space)).collect(), 0);
    let (mut lower, mut upper) = (vec![0.0; space.m()], vec![f64::INFINITY; space.m()]);
    for (i, (c, plane)) in space.contacts.iter().zip(&planes).enumerate() {
        rows.relax(3 * i, (c.eps_n, c.d_n));
        lower[3 * i] = least(c);
        for a in 0..2 {
            rows.relax(3 * i + 1 + a, (plane.eps[a], plane.d[a]));
            let bound = plane.mu[a] * space.h * c.lambda_n.abs();
            (lower[3 * i + 1 + a], upper[3 * i + 1 + a]) = (-bound, bound);
        }
    }
    rows.keep_bounds(space, 3 * space.k(), (&mut lower, &mut upper));
    rows.boxed(lower, upper)
}
