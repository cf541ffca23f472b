//! The friction pyramid: k directions `e_j` at equal angles from t1, friction `p_t = Σ β_j e_j`, β ≥ 0.
//!
//! ```text
//!  ⎡w_n⎤   ⎡ W_nn + ε_n  W_nd   0 ⎤ ⎡p_n⎤   ⎡ u_n,free + d_n ⎤
//!  ⎢w_d⎥ = ⎢ W_dn        W_dd   1 ⎥ ⎢ β ⎥ + ⎢ Dᵀ v_free      ⎥      0 ≤ w ⊥ (p_n, β, s) ≥ 0
//!  ⎣w_s⎦   ⎣  μ          −1ᵀ    0 ⎦ ⎣ s ⎦   ⎣ 0              ⎦
//! ```
//!
//! s is the slip speed [m/s]. The note behind DART writes the same with forces f = p/h: its first two columns grow
//! by h (eq. 14), and its scaling multiplies the ones and μ by h, which changes s and w_s only. W_dd has rank 2, so the
//! matrix is rank-deficient from three directions on and β is not unique; p_t is what counts.
//! Theory: `docs/theory/law-pyramid.md`.

use super::assembled::{Rows, Share, normals};
use super::directions::direction;
use super::{Assembled, LawError, V_STICK, coefficient};
use crate::contact::space::{ContactData, ContactSpace};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pyramid {
    /// Directions k ≥ 3; opposite pairs when k is even.
    pub facets: usize,
    pub rows: NormalRows,
    pub stabilization: Stabilization,
    /// μ_s below this slip speed at the beginning of the step, μ_k from there [m/s].
    pub v_stick: f64,
}

/// The offset d_n of the normal rows; their compliance ε_n is the contact's own in all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalRows {
    /// d_n of the contact.
    Given,
    /// φ/h: the gap at the end of the step is not negative; contacts may be open.
    StewartTrinkle,
    /// 0: contacts on the list do not approach.
    AnitescuPotra,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilization {
    None,
    /// `A_ii ← (1 + ε) A_ii`. **Changes the answer** by a part of about ε: normals give way and friction creeps.
    Diagonal {
        eps: f64,
    },
    /// Unknowns are forces; p = h f is the same.
    Forces,
    /// Forces, and the last row and column of each contact times h; p is the same.
    ScaledForces,
}

impl Default for Pyramid {
    fn default() -> Self {
        Self {
            facets: 8,
            rows: NormalRows::Given,
            stabilization: Stabilization::None,
            v_stick: V_STICK,
        }
    }
}

/// Unknowns: p_n of every contact, β contact by contact, s of every contact.
pub fn assemble(space: &ContactSpace, settings: &Pyramid) -> Result<Assembled, LawError> {
    let (k, d) = (space.k(), settings.facets);
    let facets = (0..k).flat_map(|contact| {
        (0..d).map(move |j| {
            let [x, y] = direction(j, d);
            Share { contact, direction: [0.0, x, y] }
        })
    });
    let impulses = k + k * d;
    let mut rows = Rows::new(space, normals(k).chain(facets).collect(), k);
    for (i, c) in space.contacts.iter().enumerate() {
        rows.relax(i, (c.eps_n, offset(c, space.h, settings.rows)));
    }
    match settings.stabilization {
        Stabilization::None => {}
        Stabilization::Diagonal { eps } => rows.stiffen_diagonal(eps),
        Stabilization::Forces | Stabilization::ScaledForces => rows.in_forces(space.h, impulses),
    }
    let one = if settings.stabilization == Stabilization::ScaledForces { space.h } else { 1.0 };
    for (i, c) in space.contacts.iter().enumerate() {
        let s = impulses + i;
        rows.add(s, i, one * coefficient(c, settings.v_stick));
        for beta in k + i * d..k + (i + 1) * d {
            rows.add(beta, s, one);
            rows.add(s, beta, -one);
        }
    }
    rows.lcp()
}

fn offset(contact: &ContactData, h: f64, rows: NormalRows) -> f64 {
    match rows {
        NormalRows::Given => contact.d_n,
        NormalRows::StewartTrinkle => contact.phi / h,
        NormalRows::AnitescuPotra => 0.0,
    }
}
