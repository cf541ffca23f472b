//! The convex relaxation of Coulomb's law: the cone law without De Saxcé's shift.
//!
//! ```text
//!  p ∈ K = { ‖p_t‖ ≤ μ p_n } ,   (u_n + ε_n p_n + d_n, u_t) ∈ K* = { u_n ≥ μ‖u_t‖ } ,   p ⊥ (…)
//! ```
//!
//! The optimality condition of `min ½ pᵀ(W + ε)p + bᵀp` over the cones. **Not Coulomb's law where a contact slips:**
//! the normal row reads `u_n + d_n ≥ μ‖u_t‖`, so what slides separates. With `d_n = φ/h` the gap settles at
//! `h μ ‖u_t‖`. Where nothing slips the two laws agree. Theory: `docs/theory/law-convex.md`.

use stiction_lcp::FrictionProblem;

use super::{Assembled, LawError, LawProblem, V_STICK, embed};
use crate::contact::space::{BoundedRow, ContactSpace, Sides};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convex {
    /// μ_s below this slip speed at the beginning of the step, μ_k from there [m/s].
    pub v_stick: f64,
}

impl Default for Convex {
    fn default() -> Self {
        Self { v_stick: V_STICK }
    }
}

/// Unknowns: (p_n, p_t1, p_t2) of every contact, and three for each bounded row.
///
/// Guides are refused: no convex cone holds both signs of p_n.
pub fn assemble(space: &ContactSpace, settings: &Convex) -> Result<Assembled, LawError> {
    if let Some(contact) = space.contacts.iter().position(|c| c.sides == Sides::Both) {
        let rule = "of one side: the convex law has no guides";
        return Err(LawError::Contact { contact, name: "sides", rule });
    }
    let readings = embed::readings(space, &vec![1.0; space.k()]);
    let weight = |(i, row): (usize, &BoundedRow)| {
        let half = 0.5 * row.range().unwrap_or(0.0);
        let j = 3 * space.k() + i;
        1.0 + NARROWING * half * half * space.W.get(j, j)
    };
    let weights: Vec<f64> = space.rows.iter().enumerate().map(weight).collect();
    let problem = embed::friction_problem(space, settings.v_stick, &readings, &weights)?;
    let idle = embed::idle_normals(space).collect();
    let mut assembled = Assembled::cone(LawProblem::Convex(problem), readings, Vec::new());
    assembled.idle = idle;
    Ok(assembled)
}

/// Each round of narrowing brings a bound nearer by this factor.
const NARROWING: f64 = 100.0;
/// Rounds are enough to come from 1 to rounding.
pub(super) const ROUNDS: usize = 10;

/// The convex law also widens the bounds of two-sided rows, to `μ (1 + μ|u_t|/w)` where they slip. Returns the problem in
/// which normals press with so much less that it comes out as μ at the velocities of the answer r, or nothing where it does.
/// `idle`: the normals that press with 1.
pub(super) fn narrow(
    problem: &FrictionProblem,
    idle: &[usize],
    r: &[f64],
) -> Option<FrictionProblem> {
    let mut u = vec![0.0; problem.n()];
    problem.W().affine(r, problem.q(), &mut u);
    let mut q = problem.q().to_vec();
    let mut wide = false;
    for &n in idle {
        wide |= !((r[n] - 1.0).abs() <= 1e-13);
        q[n] = problem.mu()[n / 3] * u[n + 1].abs() - problem.W().get(n, n);
    }
    if !wide {
        return None;
    }
    FrictionProblem::new(3, problem.W().clone(), q, problem.mu().to_vec()).ok()
}
