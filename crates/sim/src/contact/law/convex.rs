//! The convex relaxation of Coulomb's law: the cone law without De Saxcé's shift.
//!
//! ```text
//!  p ∈ K = { ‖p_t‖ ≤ μ p_n } ,   (u_n + ε_n p_n + d_n, u_t) ∈ K* = { u_n ≥ μ‖u_t‖ } ,   p ⊥ (…)
//! ```
//!
//! The optimality condition of `min ½ pᵀ(W + ε)p + bᵀp` over the cones. **Not Coulomb's law where a contact slips:**
//! the normal row reads `u_n + d_n ≥ μ‖u_t‖`, so what slides separates. With `d_n = φ/h` the gap settles at
//! `h μ ‖u_t‖`. Where nothing slips the two laws agree. Theory: `docs/theory/law-convex.md`.

use super::cone::friction_problem;
use super::{Assembled, LawError, LawProblem, V_STICK};
use crate::contact::space::ContactSpace;

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

/// Unknowns: (p_n, p_t1, p_t2) of every contact.
pub fn assemble(space: &ContactSpace, settings: &Convex) -> Result<Assembled, LawError> {
    let problem = friction_problem(space, settings.v_stick)?;
    Ok(Assembled::cone(LawProblem::Convex(problem), space.k()))
}
