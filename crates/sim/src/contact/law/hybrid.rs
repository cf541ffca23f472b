//! The hybrid law: the box law with its directions turned to the sliding velocity.
//!
//! ```text
//!  T = [n  e_t  e_l] per contact,   (TᵀW T + ε) z + Tᵀu_free + d = w ,    |z_t|, |z_l| ≤ μ h λ_n
//! ```
//!
//! Across the slip the row is relaxed by [PKF17 eq. 43], `ε_l = ‖u_t‖/(μ_k λ_n h)`: its force is Coulomb's, linearized.
//! Below `v_stick` the axes are t1, t2 with bristles. Theory: `docs/theory/law-hybrid.md`.

use super::boxed::assemble_lagged;
use super::bristle::{Lateral, Plane};
use super::{Assembled, LawError, V_STICK};
use crate::contact::space::ContactSpace;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    /// Slip speed at the beginning of the step from which a contact slides [m/s].
    pub v_stick: f64,
    /// Least normal force in eq. 43 [N].
    pub lambda_min: f64,
}

impl Default for Hybrid {
    fn default() -> Self {
        Self { v_stick: V_STICK, lambda_min: 1e-6 }
    }
}

/// Unknowns: (p_n, p along the first axis, p along the second) of every contact.
pub fn assemble(space: &ContactSpace, settings: &Hybrid) -> Result<Assembled, LawError> {
    let lateral = Lateral::Relaxed { lambda_min: settings.lambda_min };
    assemble_lagged(space, |c| Plane::turned(c, space.h, settings.v_stick, lateral))
}
