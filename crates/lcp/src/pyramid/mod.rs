//! Friction pyramids (Stewart and Trinkle 1996) by Newton on the polygon.
//!
//! A pyramid's LCP has, per contact, a normal row, d facet rows and a slip row,
//!
//! ```text
//!  ⎡w_n⎤   ⎡ W_nn  W_nd   0 ⎤ ⎡p_n⎤   ⎡b_n⎤
//!  ⎢w_d⎥ = ⎢ W_dn  W_dd   1 ⎥ ⎢ β ⎥ + ⎢b_d⎥      0 ≤ w ⊥ (p_n, β, s) ≥ 0
//!  ⎣w_s⎦   ⎣  μ    −1ᵀ    0 ⎦ ⎣ s ⎦   ⎣ 0 ⎦
//! ```
//!
//! and is rank-deficient: the d facets lie in a plane. [`recognise`] finds these rows in any LCP and
//! the coordinates of the facets in that plane, two of them being its axes. What remains is contact
//! with three rows and the polygon with corners `μ e_j` in place of the disc, which the proximal
//! Newton of [`cone::alart_curnier`](mod@crate::cone::alart_curnier) solves; p_t is then split among the
//! two facets around it, and `s = max_j (−e_j·u_t)`.
//!
//! Lemke's path on piles at rest has tens of thousands of pivots; this takes about a hundred
//! factorizations. Its start is the end of an interior path ([`pyramid_interior`]).
//!
//! Theory: `docs/theory/pyramid.md`.

mod interior;
mod recognise;
#[cfg(test)]
mod tests;

pub use interior::{InteriorSettings, InteriorWorkspace, pyramid_interior};
pub use recognise::recognise;

use crate::cone::alart_curnier::{
    AlartCurnierSettings, AlartCurnierWorkspace, solve_with_sections,
};
use crate::cone::section::Section;
use crate::cone::{ApgdSettings, ApgdWorkspace, apgd};
use crate::friction::FrictionProblem;
use crate::matrix::{Csc, Matrix};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};

/// One contact's rows in the LCP.
#[derive(Clone, Debug, PartialEq)]
struct Contact {
    normal: usize,
    /// Rows of the facets with their directions in the plane, counter-clockwise. None: no friction.
    facets: Vec<(usize, [f64; 2])>,
    slip: usize,
    mu: f64,
    /// Facet rows that serve as axes of the plane; one where the contact is planar.
    axes: Vec<usize>,
}

/// Facets and slip of a contact with μ = 0: β = 0, and s follows from the velocity.
#[derive(Clone, Debug, PartialEq)]
struct Slider {
    facets: Vec<usize>,
    slip: usize,
}

/// The contacts of a pyramid LCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    contacts: Vec<Contact>,
    sliders: Vec<Slider>,
    /// Rows per contact of the reduced problem: 2 or 3.
    dim: usize,
}

/// Solves a recognised pyramid. `z` is warm start and answer, in the LCP's rows.
pub fn pyramid_newton(
    problem: &BoxLcp,
    pyramid: &Pyramid,
    (settings, work): (&AlartCurnierSettings, &mut AlartCurnierWorkspace),
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    let Some((reduced, sections)) = pyramid.reduce(problem) else {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(0)), 0, 0);
    };
    let mut r = pyramid.read(z);
    let report =
        solve_with_sections(&reduced, sections.into_iter(), (settings, work), stop, &mut r);
    pyramid.write(problem, &r, z);
    report
}

/// A start for [`pyramid_newton`]: accelerated gradient on the disc in place of the polygon.
pub fn pyramid_gradient(
    problem: &BoxLcp,
    pyramid: &Pyramid,
    (settings, work): (&ApgdSettings, &mut ApgdWorkspace),
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    let Some((reduced, _)) = pyramid.reduce(problem) else {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(0)), 0, 0);
    };
    let mut r = pyramid.read(z);
    let report = apgd(&reduced, settings, work, stop, &mut r);
    pyramid.write(problem, &r, z);
    report
}

impl Pyramid {
    pub fn contacts(&self) -> usize {
        self.contacts.len()
    }

    /// The problem in (n, t1, t2) and the polygon of each contact.
    fn reduce(&self, problem: &BoxLcp) -> Option<(FrictionProblem, Vec<Section>)> {
        let rows: Vec<Option<usize>> = self.contacts.iter().flat_map(|c| self.rows_of(c)).collect();
        let W = reduced_matrix(problem.A(), &rows, self.dim);
        let q = rows.iter().map(|row| row.map_or(0.0, |i| problem.b()[i])).collect();
        let mu = self.contacts.iter().map(|c| c.mu).collect();
        let sections = self
            .contacts
            .iter()
            .map(|c| match c.facets.len() {
                0 | 2 => Section::Disc { mu: c.mu },
                _ => {
                    let corner = |e: &[f64; 2]| [c.mu * e[0], c.mu * e[1]];
                    Section::Polygon { corners: c.facets.iter().map(|(_, e)| corner(e)).collect() }
                }
            })
            .collect();
        Some((FrictionProblem::new(self.dim, W, q, mu).ok()?, sections))
    }

    /// Rows of the LCP that are the reduced rows of a contact; none where it has no such axis.
    fn rows_of(&self, c: &Contact) -> impl Iterator<Item = Option<usize>> + use<> {
        let (mut rows, count) = (vec![Some(c.normal)], self.dim);
        rows.extend(c.axes.iter().copied().map(Some));
        rows.resize(count, None);
        rows.into_iter()
    }

    fn read(&self, z: &[f64]) -> Vec<f64> {
        let mut r = Vec::with_capacity(self.dim * self.contacts.len());
        for c in &self.contacts {
            r.push(z[c.normal]);
            for a in 0..self.dim - 1 {
                r.push(c.facets.iter().map(|&(i, e)| e[a] * z[i]).sum());
            }
        }
        r
    }

    fn write(&self, problem: &BoxLcp, r: &[f64], z: &mut [f64]) {
        z.fill(0.0);
        for (c, r_c) in self.contacts.iter().zip(r.chunks_exact(self.dim)) {
            z[c.normal] = r_c[0].max(0.0);
            let p_t = [r_c[1], r_c.get(2).copied().unwrap_or(0.0)];
            split(c, p_t, z);
        }
        let mut w = vec![0.0; z.len()];
        problem.A().affine(z, problem.b(), &mut w);
        for c in &self.contacts {
            if !c.facets.is_empty() {
                z[c.slip] = c.facets.iter().fold(0.0, |m: f64, &(i, _)| m.max(-w[i]));
            }
        }
        for slider in &self.sliders {
            z[slider.slip] = slider.facets.iter().fold(0.0, |m: f64, &i| m.max(-w[i]));
        }
    }
}

/// `A[rows, rows]`; a row that is missing is coupled to nothing and has the diagonal of its contact's normal.
fn reduced_matrix(A: &Matrix, rows: &[Option<usize>], dim: usize) -> Matrix {
    if let Some(all) = rows.iter().copied().collect::<Option<Vec<usize>>>() {
        return A.select(&all, &all);
    }
    let mut place = vec![usize::MAX; A.nrows()];
    for (new, old) in rows.iter().enumerate() {
        if let Some(old) = *old {
            place[old] = new;
        }
    }
    let mut triplets = Vec::new();
    for (j, old) in rows.iter().enumerate() {
        match *old {
            Some(old) => A.for_column(old, |i, a| {
                if place[i] != usize::MAX && a != 0.0 {
                    triplets.push((place[i], j, a));
                }
            }),
            None => {
                let normal = rows[j - j % dim].map_or(1.0, |i| A.get(i, i));
                triplets.push((j, j, normal));
            }
        }
    }
    Csc::from_triplets((rows.len(), rows.len()), &mut triplets).into()
}

/// `p_t = β_j e_j + β_k e_k` with the neighbouring facets around it.
fn split(c: &Contact, p_t: [f64; 2], z: &mut [f64]) {
    if c.facets.is_empty() {
        return;
    }
    if c.facets.len() == 2 {
        z[c.facets[0].0] = p_t[0].max(0.0);
        z[c.facets[1].0] = (-p_t[0]).max(0.0);
        return;
    }
    let (j, k, beta) = around(c, p_t);
    let (j, k) = (c.facets[j].0, c.facets[k].0);
    // on a corner of the polygon the second share is rounding
    let clean = |x: f64, other: f64| if x > 1e-14 * other.abs() { x } else { 0.0 };
    z[j] = clean(beta[0], beta[1]);
    z[k] = clean(beta[1], beta[0]);
}

/// Places of the neighbouring facets around p_t, and its shares in their directions.
fn around(c: &Contact, p_t: [f64; 2]) -> (usize, usize, [f64; 2]) {
    let mut best = (f64::NEG_INFINITY, 0, 0, [0.0; 2]);
    for j in 0..c.facets.len() {
        let k = (j + 1) % c.facets.len();
        let (a, b) = (c.facets[j].1, c.facets[k].1);
        let det = a[0] * b[1] - a[1] * b[0];
        let beta = [(p_t[0] * b[1] - p_t[1] * b[0]) / det, (a[0] * p_t[1] - a[1] * p_t[0]) / det];
        let lower = beta[0].min(beta[1]);
        if lower > best.0 {
            best = (lower, j, k, beta);
        }
    }
    (best.1, best.2, best.3)
}
