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
//! factorizations, or leaves Lemke a basis to start from.
//!
//! Theory: `docs/theory/pyramid.md`.

use crate::cone::alart_curnier::{
    AlartCurnierSettings, AlartCurnierWorkspace, solve_with_sections,
};
use crate::cone::section::Section;
use crate::cone::{ApgdSettings, ApgdWorkspace, apgd};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::scenes::{self, Interface, SceneSettings};
    use crate::families::{Scene, positive};
    use crate::judge::Judge;
    use crate::lemke::{LemkeSettings, LemkeWorkspace, lemke};
    use crate::matrix::MatX;
    use crate::report::never;

    fn scenes_of(contacts: usize, settings: &SceneSettings) -> [(&'static str, Scene); 4] {
        [
            ("pile", scenes::pile(contacts, settings)),
            ("towers", scenes::towers(contacts, 3, settings)),
            ("wall of two", scenes::wall(contacts, Interface::Two, settings)),
            ("wall of four", scenes::wall(contacts, Interface::Four, settings)),
        ]
    }

    /// Newton's answer and the judge's scaled residual of it.
    fn solve(problem: &BoxLcp, pyramid: &Pyramid) -> (Vec<f64>, Report) {
        let mut z = vec![0.0; problem.n()];
        let settings = AlartCurnierSettings::default();
        let mut work = AlartCurnierWorkspace::default();
        let report = pyramid_newton(problem, pyramid, (&settings, &mut work), &never, &mut z);
        (z, report)
    }

    fn dense(problem: &BoxLcp) -> MatX {
        MatX::from_fn(problem.n(), problem.n(), |i, j| problem.A().get(i, j))
    }

    #[test]
    fn the_contacts_of_scenes_are_found() {
        for contacts in [1, 3, 10] {
            for facets in [3, 4, 6, 8] {
                for (name, scene) in scenes_of(contacts, &SceneSettings::shaken(1)) {
                    let problem = scene.pyramid(facets);
                    let pyramid = recognise(&problem);
                    let found = pyramid.as_ref().map(Pyramid::contacts);
                    assert_eq!(found, Some(contacts), "{name}, {facets} facets");
                    let pyramid = pyramid.unwrap();
                    assert!(pyramid.contacts.iter().all(|c| c.facets.len() == facets));
                    assert!(pyramid.contacts.iter().all(|c| c.mu == SceneSettings::default().mu));
                }
            }
        }
    }

    #[test]
    fn rows_in_another_order_are_found_too() {
        let problem = scenes::pile(4, &SceneSettings::shaken(2)).pyramid(4);
        let order = crate::families::Rng::new(5).order(problem.n());
        let shuffled = problem.select(&order);
        let pyramid = recognise(&shuffled).unwrap();
        assert_eq!(pyramid.contacts(), 4);
        let (z, _) = solve(&shuffled, &pyramid);
        assert!(Judge::default().lcp(&shuffled, &z).accepts(1e-12));
    }

    #[test]
    fn other_problems_are_refused() {
        for seed in 0..20 {
            let n = 6 + seed as usize;
            assert_eq!(recognise(&positive::nonsymmetric(n, seed).problem), None);
            assert_eq!(recognise(&positive::k_matrix(n, seed).problem), None);
        }
        assert_eq!(recognise(&BoxLcp::lcp(MatX::zeros(0, 0), vec![]).unwrap()), None);
        assert_eq!(recognise(&BoxLcp::lcp(MatX::zeros(6, 6), vec![-1.0; 6]).unwrap()), None);
        let pyramid = scenes::pile(1, &SceneSettings::shaken(2)).pyramid(4);
        let b = pyramid.b().to_vec();
        assert_eq!(recognise(&BoxLcp::mixed(pyramid.A().clone(), b, &[0]).unwrap()), None);
    }

    #[test]
    fn one_altered_entry_of_a_slip_row_is_enough_to_be_refused() {
        let problem = scenes::pile(2, &SceneSettings::shaken(2)).pyramid(4);
        let (A, n) = (dense(&problem), problem.n());
        let slips = n - 2..n; // unknowns are [all p_n; all β; all s]
        for slip in slips.clone() {
            for j in 0..n {
                for (row, column) in [(slip, j), (j, slip)] {
                    // another positive μ is still a pyramid
                    if A[(row, column)] > 0.0 && row == slip {
                        continue;
                    }
                    let mut altered = A.clone();
                    altered[(row, column)] -= 0.25;
                    let altered = BoxLcp::lcp(altered, problem.b().to_vec()).unwrap();
                    assert_eq!(recognise(&altered), None, "entry ({row}, {column})");
                }
            }
            let mut b = problem.b().to_vec();
            b[slip] = 0.1;
            assert_eq!(recognise(&BoxLcp::lcp(A.clone(), b).unwrap()), None);
        }
    }

    #[test]
    fn piles_and_walls_are_solved_to_rounding() {
        for contacts in [1, 2, 7, 16, 25] {
            for settings in [SceneSettings::default(), SceneSettings::shaken(1)] {
                for (name, scene) in scenes_of(contacts, &settings) {
                    let problem = scene.pyramid(4);
                    let (z, report) = solve(&problem, &recognise(&problem).unwrap());
                    let residual = Judge::default().lcp(&problem, &z);
                    let place = format!("{name} of {contacts}, {settings:?}: {report:?}");
                    assert!(residual.accepts(1e-12), "{place} {residual:?}");
                }
            }
        }
    }

    /// A unit mass in the plane, unknowns (p_n, β⁺, β⁻, s), that would move with velocity (n, t).
    fn planar_point(mu: f64, (n, t): (f64, f64)) -> BoxLcp {
        #[rustfmt::skip]
        let A = MatX::from_row_slice(4, 4, &[
            1., 0., 0., 0.,
            0., 1., -1., 1.,
            0., -1., 1., 1.,
            mu, -1., -1., 0.,
        ]);
        BoxLcp::lcp(A, vec![n, t, -t, 0.]).unwrap()
    }

    #[test]
    fn in_the_plane_two_facets_are_enough() {
        let cases = [
            ("opens", (1.0, 0.0), [0., 0., 0., 0.]),
            ("sticks", (-2., 0.5), [2., 0., 0.5, 0.]),
            ("slips", (-2., 3.), [2., 0., 1., 2.]),
            ("slips back", (-2., -3.), [2., 1., 0., 2.]),
        ];
        for (name, velocity, expected) in cases {
            let problem = planar_point(0.5, velocity);
            let pyramid = recognise(&problem).unwrap();
            assert_eq!((pyramid.contacts(), pyramid.dim), (1, 2));
            let (z, report) = solve(&problem, &pyramid);
            assert_eq!(report.status, Status::Solved, "{name}");
            assert!((0..4).all(|i| (z[i] - expected[i]).abs() < 1e-13), "{name}: {z:?}");
        }
        // facets that are not opposite are no contact of the plane
        let mut A = dense(&planar_point(0.5, (-2., 3.)));
        A[(1, 2)] = 0.5;
        A[(2, 1)] = 0.5;
        assert_eq!(recognise(&BoxLcp::lcp(A, vec![-2., 3., -3., 0.]).unwrap()), None);
    }

    #[test]
    fn newton_and_lemke_agree_where_the_solution_is_unique() {
        // one contact of a sphere, three facets: no two ways to split an impulse
        for seed in 0..50 {
            let problem = scenes::pile(1, &SceneSettings::shaken(seed)).pyramid(3);
            let (z, report) = solve(&problem, &recognise(&problem).unwrap());
            assert_eq!(report.status, Status::Solved, "seed {seed}");
            let mut by_lemke = vec![0.0; problem.n()];
            let mut work = LemkeWorkspace::default();
            lemke(&problem, &LemkeSettings::default(), &mut work, &never, &mut by_lemke);
            let scale = by_lemke.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for i in 0..problem.n() {
                let apart = (z[i] - by_lemke[i]).abs();
                assert!(apart < 1e-12 * scale, "seed {seed}: {z:?} {by_lemke:?}");
            }
        }
    }
}
