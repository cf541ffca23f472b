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
//!
//! A guide (a bead on a wire, a slider in a slot) is a contact with both sides: p_n may have either sign, the row is an
//! equation, and friction is bounded by μ|p_n| [SNT eq. 4, 6].
//!
//! After the contacts come rows of one number each, between bounds that are known beforehand: joint limits, motors,
//! joint friction.
//!
//! ```text
//!  lower ≤ p ≤ upper ,    w = u + ε p + d :   w ≥ 0 at the lower bound, w ≤ 0 at the upper one, w = 0 between
//! ```

use std::ops::Range;

use super::delassus::Delassus;
use crate::model::Relaxation;

/// The contacts of a step.
#[derive(Clone, Debug)]
pub struct ContactSpace {
    /// Step length [s].
    pub h: f64,
    /// Delassus matrix `J M̂⁻¹ Jᵀ`, joints eliminated: 3k rows of contacts, then the bounded ones [1/kg, or 1/(kg·m²)
    /// for rows that are angles].
    pub W: Delassus,
    /// Velocity of the rows without the impulses of this problem [m/s, or rad/s].
    pub u_free: Vec<f64>,
    pub contacts: Vec<ContactData>,
    pub rows: Vec<BoundedRow>,
}

/// A row of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedRow {
    /// Compliance [1/kg, or 1/(kg·m²)] and offset [m/s, or rad/s].
    pub eps: f64,
    pub d: f64,
    /// Bounds of the impulse [N·s, or N·m·s]: not both infinite, lower ≤ upper.
    pub lower: f64,
    pub upper: f64,
    /// Force of the last step [N, or N·m].
    pub lambda: f64,
}

/// Which way a contact can push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Away from each other: `p_n ≥ 0`.
    One,
    /// Both ways: a guide.
    Both,
}

/// Where friction can act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// In the plane of t1 and t2.
    Plane,
    /// Along t1 alone: planar motion, slots.
    Line,
}

/// What a law may know about one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactData {
    pub sides: Sides,
    pub tangents: Tangents,
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
    /// Normal force of the last step (negative only with both sides), and friction force of the last step along t1, t2 of this one [N].
    pub lambda_n: f64,
    pub lambda_t: [f64; 2],
}

impl BoundedRow {
    /// `upper − lower`, where both are finite.
    pub fn range(&self) -> Option<f64> {
        (self.lower.is_finite() && self.upper.is_finite()).then_some(self.upper - self.lower)
    }
}

impl ContactSpace {
    /// Contacts.
    pub fn k(&self) -> usize {
        self.contacts.len()
    }

    /// Rows in all: three for each contact, one for each bounded row.
    pub fn m(&self) -> usize {
        3 * self.contacts.len() + self.rows.len()
    }

    /// Blocks of rows: the contacts, then the bounded rows.
    pub(crate) fn blocks(&self) -> usize {
        self.contacts.len() + self.rows.len()
    }

    /// The block of a row.
    pub(crate) fn block_of(&self, row: usize) -> usize {
        let k = self.k();
        if row < 3 * k { row / 3 } else { row - 2 * k }
    }

    /// The rows of a block.
    pub(crate) fn rows_of(&self, block: usize) -> Range<usize> {
        let k = self.k();
        if block < k { 3 * block..3 * block + 3 } else { 2 * k + block..2 * k + block + 1 }
    }
}
