//! The mechanics of a step seen from its contacts: the same for every friction law.
//!
//! ```text
//!  u = W p + u_free          per contact the rows n, t1, t2
//! ```
//!
//! u is the velocity of body B against body A at the contact, n from A into B, and p the impulse on B. Everything
//! that is not contact (masses, forces, joints, springs) is in W and u_free. What a law adds to the rows,
//! compliance ε and offset d, stands beside them:
//!
//! ```text
//!  0 ≤ p_n  ⊥  u_n + ε_n p_n + d_n ≥ 0
//! ```

use stiction_lcp::Matrix;

use crate::model::Relaxation;

/// The contacts of a step.
#[derive(Clone, Debug)]
pub struct ContactSpace {
    /// Step length [s].
    pub h: f64,
    /// Delassus matrix `J M̂⁻¹ Jᵀ`, joints eliminated, 3k × 3k [1/kg].
    pub W: Matrix,
    /// Velocity at the contacts without contact impulses, 3k [m/s].
    pub u_free: Vec<f64>,
    pub contacts: Vec<ContactData>,
}

/// What a law may know about one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactData {
    /// Gap at the beginning of the step, negative inside [m].
    pub phi: f64,
    /// Compliance of the normal row [1/kg]: zero for hard contact, `1/(k h² + b h)` for a relaxed one [PKF17 eq. 40].
    pub eps_n: f64,
    /// Offset of the normal row [m/s]: 0, `phi/h`, or `eps_n h k phi` [PKF17 eq. 41].
    pub d_n: f64,
    /// Static and kinetic coefficient.
    pub mu_s: f64,
    pub mu_k: f64,
    /// Stiffness and damping of the bristles of the laws that have them [N/m, N·s/m].
    pub bristle: Option<Relaxation>,
    /// Tangential velocity (t1, t2) at the beginning of the step [m/s].
    pub u_t: [f64; 2],
    /// Normal force of the last step, and friction force of the last step along t1, t2 of this one [N].
    pub lambda_n: f64,
    pub lambda_t: [f64; 2],
}

impl ContactSpace {
    /// Contacts.
    pub fn k(&self) -> usize {
        self.contacts.len()
    }
}
