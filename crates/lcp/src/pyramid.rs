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
//! Newton of [`cone::alart_curnier`](crate::cone::alart_curnier) solves; p_t is then split among the
//! two facets around it, and `s = max_j (−e_j·u_t)`.
//!
//! Lemke's path on piles at rest has tens of thousands of pivots; this takes about a hundred
//! factorizations, or leaves Lemke a basis to start from.
//!
//! Theory: `docs/theory/pyramid.md`.

use crate::cone::alart_curnier::{
    AlartCurnierSettings, AlartCurnierWorkspace, solve_with_sections,
};
use crate::cone::section::Section;
use crate::friction::FrictionProblem;
use crate::matrix::Matrix;
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};

/// One contact's rows in the LCP.
#[derive(Clone, Debug, PartialEq)]
struct Contact {
    normal: usize,
    /// Rows of the facets with their directions in the plane, counter-clockwise.
    facets: Vec<(usize, [f64; 2])>,
    slip: usize,
    mu: f64,
    /// Facet rows that serve as axes of the plane; one where the contact is planar.
    axes: Vec<usize>,
}

/// The contacts of a pyramid LCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    contacts: Vec<Contact>,
    dim: usize,
}

/// Finds the pyramid structure of an LCP, if every row belongs to it.
pub fn recognise(problem: &BoxLcp) -> Option<Pyramid> {
    if !problem.is_lcp() {
        return None;
    }
    let n = problem.n();
    let A = problem.A();
    // a pyramid has a slip row: most other problems are told by their diagonal alone
    if n < 4 || (0..n).all(|i| A.get(i, i) != 0.0) {
        return None;
    }
    let rows = A.transpose();
    let mut used = vec![false; n];
    let mut contacts = Vec::new();
    for slip in (0..n).filter(|&i| A.get(i, i) == 0.0) {
        let Some((normal, facets, mu)) = slip_row(A, &rows, slip, problem.b()[slip]) else {
            continue;
        };
        let mut mine = vec![slip, normal];
        mine.extend(&facets);
        if mine.iter().any(|&i| used[i]) {
            return None;
        }
        for &i in &mine {
            used[i] = true;
        }
        contacts.push(place_facets(A, slip, normal, facets, mu)?);
    }
    let dim = 1 + contacts.first()?.axes.len();
    let uniform = contacts.iter().all(|c| c.axes.len() + 1 == dim);
    (used.into_iter().all(|u| u) && uniform).then_some(Pyramid { contacts, dim })
}

/// Row `slip` reads `μ p_n − Σβ` and its column is one on the same facets: (normal, facets, μ).
fn slip_row(A: &Matrix, rows: &Matrix, slip: usize, b: f64) -> Option<(usize, Vec<usize>, f64)> {
    let (mut normal, mut mu, mut facets) = (None, 0.0, Vec::new());
    let mut fits = b == 0.0;
    rows.for_column(slip, |j, a| {
        if a == -1.0 {
            facets.push(j);
        } else if a > 0.0 && normal.is_none() {
            (normal, mu) = (Some(j), a);
        } else if a != 0.0 {
            fits = false;
        }
    });
    let mut ones = 0;
    A.for_column(slip, |i, a| {
        if a == 1.0 && facets.binary_search(&i).is_ok() {
            ones += 1;
        } else if a != 0.0 {
            fits = false;
        }
    });
    (fits && ones == facets.len() && ones >= 2).then_some((normal?, facets, mu))
}

/// Directions of the facets in their plane, from the local block `W_dd` of rank one or two.
fn place_facets(
    A: &Matrix,
    slip: usize,
    normal: usize,
    facets: Vec<usize>,
    mu: f64,
) -> Option<Contact> {
    let w = |i: usize, j: usize| A.get(facets[i], facets[j]);
    let d = facets.len();
    let first = (0..d).max_by(|&i, &j| w(i, i).total_cmp(&w(j, j)))?;
    if !(w(first, first) > 0.0) {
        return None;
    }
    let rest = |j: usize| w(j, j) - w(first, j) * w(j, first) / w(first, first);
    let second = (0..d).max_by(|&i, &j| rest(i).total_cmp(&rest(j)))?;
    if d == 2 {
        // planar: the facets must be opposite
        let opposite = 1 - first;
        let sum = w(first, first) + w(opposite, first);
        let axes = vec![facets[first]];
        let facets = vec![(facets[first], [1.0, 0.0]), (facets[opposite], [-1.0, 0.0])];
        let is_opposite = sum.abs() <= 1e-9 * w(first, first);
        return is_opposite.then_some(Contact { normal, facets, slip, mu, axes });
    }
    if !(rest(second) > 1e-9 * w(second, second)) {
        return None;
    }
    let det = w(first, first) * w(second, second) - w(first, second) * w(second, first);
    let mut placed: Vec<(usize, [f64; 2])> = (0..d)
        .map(|j| {
            let (p, q) = (w(first, j), w(second, j));
            let x = (w(second, second) * p - w(first, second) * q) / det;
            let y = (w(first, first) * q - w(second, first) * p) / det;
            (facets[j], [x, y])
        })
        .collect();
    placed.sort_by(|(_, a), (_, b)| turn(a, b));
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let convex = (0..d).all(|j| {
        let (a, b, c) = (placed[j].1, placed[(j + 1) % d].1, placed[(j + 2) % d].1);
        cross(a, b) > 1e-9 && cross([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]) > 0.0
    });
    let axes = vec![facets[first], facets[second]];
    convex.then_some(Contact { normal, facets: placed, slip, mu, axes })
}

/// Order by angle from the first axis, counter-clockwise.
fn turn(a: &[f64; 2], b: &[f64; 2]) -> std::cmp::Ordering {
    let half = |x: &[f64; 2]| u8::from(x[1] < -1e-12 || (x[1].abs() <= 1e-12 && x[0] < 0.0));
    let cross = a[0] * b[1] - a[1] * b[0];
    half(a).cmp(&half(b)).then(0.0_f64.total_cmp(&cross))
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
    let report = solve_with_sections(&reduced, &sections, (settings, work), stop, &mut r);
    pyramid.write(problem, &r, z);
    report
}

impl Pyramid {
    pub fn contacts(&self) -> usize {
        self.contacts.len()
    }

    /// The problem in (n, t1, t2) and the polygon of each contact.
    fn reduce(&self, problem: &BoxLcp) -> Option<(FrictionProblem, Vec<Section>)> {
        let rows: Vec<usize> = self
            .contacts
            .iter()
            .flat_map(|c| [c.normal].into_iter().chain(c.axes.clone()))
            .collect();
        let W = problem.A().select(&rows, &rows);
        let q = rows.iter().map(|&i| problem.b()[i]).collect();
        let mu = self.contacts.iter().map(|c| c.mu).collect();
        let sections = self
            .contacts
            .iter()
            .map(|c| match c.facets.len() {
                2 => Section::Disc { mu: c.mu },
                _ => {
                    let corner = |e: &[f64; 2]| [c.mu * e[0], c.mu * e[1]];
                    Section::Polygon { corners: c.facets.iter().map(|(_, e)| corner(e)).collect() }
                }
            })
            .collect();
        Some((FrictionProblem::new(self.dim, W, q, mu).ok()?, sections))
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
            let fastest = c.facets.iter().fold(0.0_f64, |m, &(i, _)| m.max(-w[i]));
            z[c.slip] = fastest;
        }
    }
}

/// `p_t = β_j e_j + β_k e_k` with the neighbouring facets around it.
fn split(c: &Contact, p_t: [f64; 2], z: &mut [f64]) {
    if c.facets.len() == 2 {
        z[c.facets[0].0] = p_t[0].max(0.0);
        z[c.facets[1].0] = (-p_t[0]).max(0.0);
        return;
    }
    let mut best = (f64::NEG_INFINITY, 0, 0, [0.0; 2]);
    for j in 0..c.facets.len() {
        let k = (j + 1) % c.facets.len();
        let (a, b) = (c.facets[j].1, c.facets[k].1);
        let det = a[0] * b[1] - a[1] * b[0];
        let beta = [(p_t[0] * b[1] - p_t[1] * b[0]) / det, (a[0] * p_t[1] - a[1] * p_t[0]) / det];
        let lower = beta[0].min(beta[1]);
        if lower > best.0 {
            best = (lower, c.facets[j].0, c.facets[k].0, beta);
        }
    }
    let (_, j, k, beta) = best;
    // on a corner of the polygon the second share is rounding
    let clean = |x: f64, other: f64| if x > 1e-14 * other.abs() { x } else { 0.0 };
    z[j] = clean(beta[0], beta[1]);
    z[k] = clean(beta[1], beta[0]);
}
