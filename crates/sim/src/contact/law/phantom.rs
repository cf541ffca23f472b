//! The phantom-inertia law [PKF17 eq. 28–30, 35–38]: bounds along k directions, coupled by ρ.
//!
//! ```text
//!  ⎡ 0  ⎤   ⎡ W_tt + ε_t  W_tn        −E   E ⎤ ⎡p_t ⎤   ⎡ u_t,free + d_t ⎤      p_t free
//!  ⎢w_n ⎥   ⎢ W_nt        W_nn + ε_n   0   0 ⎥ ⎢p_n ⎥   ⎢ u_n,free + d_n ⎥      0 ≤ p_n  ⊥ w_n  ≥ 0
//!  ⎢σ_lo⎥ = ⎢  Eᵀ          μ           0   ρ ⎥ ⎢w_up⎥ + ⎢ 0              ⎥      0 ≤ w_up ⊥ σ_lo ≥ 0
//!  ⎣σ_up⎦   ⎣ −Eᵀ          μ           ρ   0 ⎦ ⎣w_lo⎦   ⎣ 0              ⎦      0 ≤ w_lo ⊥ σ_up ≥ 0
//! ```
//!
//! E holds the unit directions as columns. The pairs cross: w_up with σ_lo, w_lo with σ_up. Both w of a direction cannot be
//! positive (σ_lo + σ_up = 2μp_n + ρ(w_up + w_lo) would be 0), so ρ does not enter the motion: the law is the polygon
//! `|e_j·p_t| ≤ μ p_n`. Sticking: k directions over the half circle, μ_s. Sliding: E = I on the axes along and across
//! the slip, μ_k. Guides: p_n is free, and `|p_n| = 2p⁺ − p_n` with `0 ≤ p⁺ ⊥ p⁺ − p_n ≥ 0` stands for p_n in the bounds
//! [SNT eq. 4]. Theory: `docs/theory/law-phantom.md`.

use super::assembled::{Rows, Share, least, normals, split};
use super::bristle::{Lateral, Plane};
use super::directions::direction;
use super::{Assembled, LawError, V_STICK};
use crate::contact::space::{ContactSpace, Sides};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phantom {
    /// Directions k ≥ 2 of a sticking contact.
    pub directions: usize,
    /// Phantom inertia ρ [kg]. 0 gives the rank-deficient problem that the law was made to avoid.
    pub rho: f64,
    /// Slip speed at the beginning of the step from which a contact slides [m/s].
    pub v_stick: f64,
    /// Friction across the direction of sliding.
    pub lateral: Lateral,
}

impl Default for Phantom {
    fn default() -> Self {
        Self {
            directions: 2,
            rho: 1.0,
            v_stick: V_STICK,
            lateral: Lateral::Relaxed { lambda_min: 1e-6 },
        }
    }
}

/// One direction of one contact: bound `mu` p_n on `e·(p_1, p_2)`, in the axes of the contact's plane.
struct Bound {
    contact: usize,
    e: [f64; 2],
    mu: f64,
}

/// Unknowns: p_t contact by contact (along the axes of its plane), p_n of every contact, bounded rows, w_up, w_lo, p⁺ of
/// guides, slacks.
pub fn assemble(space: &ContactSpace, settings: &Phantom) -> Result<Assembled, LawError> {
    let (k, v_stick) = (space.k(), settings.v_stick);
    let turned = |c| Plane::turned(c, space.h, v_stick, settings.lateral);
    let planes: Vec<Plane> = space.contacts.iter().map(turned).collect();
    let bounds: Vec<Bound> = (0..k).flat_map(|i| bounds_of(i, &planes[i], settings)).collect();
    let guides: Vec<usize> = (0..k).filter(|&i| space.contacts[i].sides == Sides::Both).collect();
    let tangents = planes.iter().enumerate().flat_map(|(block, plane)| {
        plane.axes.map(|[x, y]| Share { block, direction: [0.0, x, y] })
    });
    let slacks = space.rows.iter().filter(|row| row.range().is_some()).count();
    let others = 2 * bounds.len() + guides.len() + slacks;
    let shares = tangents.chain(normals(k)).chain(split(space));
    let mut rows = Rows::new(space, shares.collect(), others);
    for (i, (c, plane)) in space.contacts.iter().zip(&planes).enumerate() {
        rows.relax(2 * i, (plane.eps[0], plane.d[0]));
        rows.relax(2 * i + 1, (plane.eps[1], plane.d[1]));
        rows.relax(2 * k + i, (c.eps_n, c.d_n));
    }
    let up0 = space.m();
    let plus0 = up0 + 2 * bounds.len();
    rows.shift_bounds(space, 3 * k);
    rows.add_slacks(space, 3 * k, plus0 + guides.len());
    for (j, bound) in bounds.iter().enumerate() {
        let plus = guides.binary_search(&bound.contact).ok().map(|g| plus0 + g);
        add_bound(&mut rows, bound, (2 * k, plus), [up0 + j, up0 + bounds.len() + j], settings.rho);
    }
    for (g, &i) in guides.iter().enumerate() {
        rows.add(plus0 + g, plus0 + g, 1.0);
        rows.add(plus0 + g, 2 * k + i, -1.0);
    }
    let size = up0 + others;
    let mut lower = vec![0.0; size];
    lower[..2 * k].fill(f64::NEG_INFINITY);
    (0..k).for_each(|i| lower[2 * k + i] = least(&space.contacts[i]));
    let mut assembled = rows.boxed(lower, vec![f64::INFINITY; size])?;
    if space.rows.is_empty() && guides.is_empty() {
        assembled.start = start(space, &planes, &bounds);
    }
    Ok(assembled)
}

/// The rows of w_up and w_lo of one direction. `plus`: the unknown p⁺ of a guide.
fn add_bound(
    rows: &mut Rows,
    bound: &Bound,
    (normals, plus): (usize, Option<usize>),
    [up, lo]: [usize; 2],
    rho: f64,
) {
    for a in 0..2 {
        let t = 2 * bound.contact + a;
        rows.add(t, up, -bound.e[a]);
        rows.add(t, lo, bound.e[a]);
        rows.add(up, t, bound.e[a]);
        rows.add(lo, t, -bound.e[a]);
    }
    let n = normals + bound.contact;
    for row in [up, lo] {
        match plus {
            None => rows.add(row, n, bound.mu),
            Some(plus) => {
                rows.add(row, plus, 2.0 * bound.mu);
                rows.add(row, n, -bound.mu);
            }
        }
    }
    rows.add(up, lo, rho);
    rows.add(lo, up, rho);
}

/// What pressed goes on pressing, what slides goes on sliding: pivoting by blocks finds the answer from there in a
/// few rounds, and cycles from nothing.
fn start(space: &ContactSpace, planes: &[Plane], bounds: &[Bound]) -> Vec<f64> {
    let k = space.k();
    let mut z = vec![0.0; 3 * k + 2 * bounds.len()];
    let presses = |i: usize| {
        let c = &space.contacts[i];
        c.lambda_n > 0.0 || space.u_free[3 * i] + c.d_n < 0.0
    };
    (0..k).filter(|&i| presses(i)).for_each(|i| z[2 * k + i] = 1.0);
    for (j, bound) in bounds.iter().enumerate() {
        let (i, plane) = (bound.contact, &planes[bound.contact]);
        let is_along = bound.e[0] == 1.0;
        let is_held = !is_along && bound.mu > 0.0;
        if !plane.is_sliding || (presses(i) && is_held) {
            continue;
        }
        let [x, y] = plane.axes[usize::from(!is_along)];
        let u_free = x * space.u_free[3 * i + 1] + y * space.u_free[3 * i + 2];
        let is_up = (presses(i) && is_along) || u_free > 0.0;
        z[3 * k + j + if is_up { 0 } else { bounds.len() }] = 1.0;
    }
    z
}

fn bounds_of(contact: usize, plane: &Plane, settings: &Phantom) -> Vec<Bound> {
    if plane.is_bound_by_axes {
        let axis = |e, a: usize| Bound { contact, e, mu: plane.mu[a] };
        return vec![axis([1.0, 0.0], 0), axis([0.0, 1.0], 1)];
    }
    let k = settings.directions;
    (0..k).map(|j| Bound { contact, e: direction(j, 2 * k), mu: plane.mu[0] }).collect()
}
