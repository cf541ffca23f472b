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
//! Guides: `u_n = 0`, p_n of either sign, disc(μ|p_n|). Bristles are not used: friction is as rigid as W.
//! Theory: `docs/theory/law-cone.md`.

use super::{Assembled, LawError, LawProblem, V_STICK, embed};
use crate::contact::space::{ContactData, ContactSpace};

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

/// Unknowns: (p_n, p_t1, p_t2) of every contact, and three for each bounded row. Guides press on the side that they pressed
/// on in the last step.
pub fn assemble(space: &ContactSpace, settings: &Cone) -> Result<Assembled, LawError> {
    assemble_on(space, settings, &last_impulses(space))
}

/// With guides pressing as they do at the impulses p, from which a solver may start.
pub(super) fn assemble_on(
    space: &ContactSpace,
    settings: &Cone,
    p: &[f64],
) -> Result<Assembled, LawError> {
    let readings = embed::readings(space, &embed::sides(space, p));
    let problem =
        embed::friction_problem(space, settings.v_stick, &readings, &vec![1.0; space.rows.len()])?;
    let is_warm = p.iter().any(|p_i| *p_i != 0.0);
    let start = if is_warm { embed::cones(space, &readings, p) } else { Vec::new() };
    Ok(Assembled::cone(LawProblem::Friction(problem), readings, start))
}

/// The forces of the last step, over this one [N·s].
fn last_impulses(space: &ContactSpace) -> Vec<f64> {
    let forces = |c: &ContactData| [c.lambda_n, c.lambda_t[0], c.lambda_t[1]];
    let contacts = space.contacts.iter().flat_map(forces);
    let rows = space.rows.iter().map(|row| row.lambda);
    contacts.chain(rows).map(|force| space.h * force).collect()
}
