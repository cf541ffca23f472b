//! Exact Coulomb friction.
//!
//! ```text
//!  ⎡u_n⎤   ⎡ W_nn + ε_n  W_nt ⎤ ⎡p_n⎤   ⎡ u_n,free + d_n ⎤
//!  ⎢   ⎥ = ⎢                  ⎥ ⎢   ⎥ + ⎢                ⎥
//!  ⎣u_t⎦   ⎣ W_tn        W_tt ⎦ ⎣p_t⎦   ⎣ u_t,free       ⎦
//!
//!  p ∈ K = { ‖p_t‖ ≤ μ p_n } ,   (u_n + μ‖u_t‖, u_t) ∈ K* ,   p ⊥ (…)
//! ```
//!
//! As prox: `p_n = prox_{≥0}(p_n − r u_n)`, `p_t = prox_{disc(μ p_n)}(p_t − r u_t)`, for any r > 0.
//! Bristles are not used: friction is as rigid as W. Theory: `docs/theory/law-cone.md`.

use stiction_lcp::{Csc, FrictionProblem, Matrix};

use super::{Assembled, LawError, LawProblem, V_STICK, coefficient};
use crate::contact::space::ContactSpace;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// μ_s below this slip speed at the beginning of the step, μ_k from there [m/s].
    pub v_stick: f64,
}

impl Default for Cone {
    fn default() -> Self {
        Self { v_stick: V_STICK }
    }
}

/// Unknowns: (p_n, p_t1, p_t2) of every contact.
pub fn assemble(space: &ContactSpace, settings: &Cone) -> Result<Assembled, LawError> {
    let problem = friction_problem(space, settings.v_stick)?;
    Ok(Assembled::cone(LawProblem::Friction(problem), space.k()))
}

/// W with ε_n, q with d_n, and one coefficient per contact.
pub(super) fn friction_problem(
    space: &ContactSpace,
    v_stick: f64,
) -> Result<FrictionProblem, LawError> {
    let mut q = space.u_free.clone();
    for (c, contact) in space.contacts.iter().enumerate() {
        q[3 * c] += contact.d_n;
    }
    let mu = space.contacts.iter().map(|c| coefficient(c, v_stick)).collect();
    Ok(FrictionProblem::new(3, relaxed(space), q, mu)?)
}

/// `W + diag(ε_n)`.
fn relaxed(space: &ContactSpace) -> Matrix {
    let eps = || space.contacts.iter().enumerate().map(|(c, contact)| (3 * c, contact.eps_n));
    match &space.W {
        Matrix::Dense(W) => {
            let mut W = W.clone();
            eps().for_each(|(i, eps_i)| W[(i, i)] += eps_i);
            Matrix::from(W)
        }
        Matrix::Sparse(W) => {
            let mut entries: Vec<_> = eps().map(|(i, eps_i)| (i, i, eps_i)).collect();
            for j in 0..W.ncols() {
                let (row, value) = W.column(j);
                entries.extend(row.iter().zip(value).map(|(&i, &w)| (i, j, w)));
            }
            Matrix::from(Csc::from_triplets((W.nrows(), W.ncols()), &mut entries))
        }
    }
}
