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
//! matrix is rank-deficient from three directions on and β is not unique; p_t is what counts. Where friction acts on a
//! line, two directions are enough. Guides: p_n is free, and `|p_n| = 2p⁺ − p_n` with `0 ≤ p⁺ ⊥ p⁺ − p_n ≥ 0` stands for p_n
//! in the last row [SNT eq. 4].
//! Theory: `docs/theory/law-pyramid.md`.

use super::assembled::{Rows, Share, least, normals, split};
use super::directions::direction;
use super::{Assembled, LawError, V_STICK, coefficient};
use crate::contact::space::{ContactData, ContactSpace, Sides, Tangents};

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

/// Unknowns: p_n of every contact, β contact by contact, bounded rows, s of every contact, p⁺ of guides, slacks.
pub fn assemble(space: &ContactSpace, settings: &Pyramid) -> Result<Assembled, LawError> {
    let k = space.k();
    let facets: Vec<Share> = (0..k).flat_map(|i| facets_of(space, settings, i)).collect();
    let guides: Vec<usize> = (0..k).filter(|&i| space.contacts[i].sides == Sides::Both).collect();
    let slacks = space.rows.iter().filter(|row| row.range().is_some()).count();
    let (rows0, s0) = (k + facets.len(), k + facets.len() + space.rows.len());
    let (plus0, others) = (s0 + k, k + guides.len() + slacks);
    let shares = normals(k).chain(facets.iter().copied()).chain(split(space));
    let mut rows = Rows::new(space, shares.collect(), others);
    for (i, c) in space.contacts.iter().enumerate() {
        rows.relax(i, (c.eps_n, offset(c, space.h, settings.rows)));
    }
    rows.shift_bounds(space, rows0);
    match settings.stabilization {
        Stabilization::None => {}
        Stabilization::Diagonal { eps } => rows.stiffen_diagonal(eps),
        Stabilization::Forces | Stabilization::ScaledForces => rows.in_forces(space.h, s0),
    }
    rows.add_slacks(space, rows0, plus0 + guides.len());
    let one = if settings.stabilization == Stabilization::ScaledForces { space.h } else { 1.0 };
    for (i, c) in space.contacts.iter().enumerate() {
        let mu = one * coefficient(c, settings.v_stick);
        match guides.binary_search(&i) {
            Err(_) => rows.add(s0 + i, i, mu),
            Ok(g) => {
                rows.add(s0 + i, plus0 + g, 2.0 * mu);
                rows.add(s0 + i, i, -mu);
                rows.add(plus0 + g, plus0 + g, 1.0);
                rows.add(plus0 + g, i, -1.0);
            }
        }
    }
    for (j, facet) in facets.iter().enumerate() {
        rows.add(k + j, s0 + facet.block, one);
        rows.add(s0 + facet.block, k + j, -one);
    }
    let size = s0 + others;
    let mut lower = vec![0.0; size];
    (0..k).for_each(|i| lower[i] = least(&space.contacts[i]));
    rows.boxed(lower, vec![f64::INFINITY; size])
}

fn facets_of(space: &ContactSpace, settings: &Pyramid, block: usize) -> Vec<Share> {
    let along = |[x, y]: [f64; 2]| Share { block, direction: [0.0, x, y] };
    match space.contacts[block].tangents {
        Tangents::Line => vec![along([1.0, 0.0]), along([-1.0, 0.0])],
        Tangents::Plane => {
            (0..settings.facets).map(|j| along(direction(j, settings.facets))).collect()
        }
    }
}

fn offset(contact: &ContactData, h: f64, rows: NormalRows) -> f64 {
    match rows {
        NormalRows::Given => contact.d_n,
        NormalRows::StewartTrinkle => contact.phi / h,
        NormalRows::AnitescuPotra => 0.0,
    }
}
