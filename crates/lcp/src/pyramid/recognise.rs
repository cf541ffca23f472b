//! The rows of friction pyramids in an LCP.

use super::{Contact, Pyramid, Slider};
use crate::matrix::Matrix;
use crate::problem::BoxLcp;

/// Finds the pyramid structure of an LCP, if every row belongs to it: the rows that no slip row names are
/// normals without friction.
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
    let mut claim = |row: usize| !std::mem::replace(&mut used[row], true);
    let (mut contacts, mut sliders) = (Vec::new(), Vec::new());
    for slip in (0..n).filter(|&i| A.get(i, i) == 0.0) {
        let (normal, facets, mu) = slip_row(A, &rows, slip, problem.b()[slip])?;
        if !(claim(slip) && facets.iter().all(|&i| claim(i)) && normal.is_none_or(&mut claim)) {
            return None;
        }
        match normal {
            Some(normal) => contacts.push(place_facets(A, slip, normal, facets, mu)?),
            None => sliders.push(Slider { facets, slip }),
        }
    }
    for normal in (0..n).filter(|&i| !used[i]) {
        if !(A.get(normal, normal) > 0.0) {
            return None;
        }
        contacts.push(Contact {
            normal,
            facets: Vec::new(),
            slip: normal,
            mu: 0.0,
            axes: Vec::new(),
        });
    }
    let axes = contacts.iter().map(|c| c.axes.len()).max()?;
    Some(Pyramid { contacts, sliders, dim: 1 + axes.max(1) })
}

/// Row `slip` reads `μ p_n − Σβ` and its column is one on the same facets: (normal, facets, μ); no normal
/// where μ = 0.
fn slip_row(
    A: &Matrix,
    rows: &Matrix,
    slip: usize,
    b: f64,
) -> Option<(Option<usize>, Vec<usize>, f64)> {
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
    (fits && ones == facets.len() && ones >= 2).then_some((normal, facets, mu))
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
