//! Farkas vectors: of a single row, rounded to whole numbers, and whether a vector refutes.

use super::twofold::Twofold;
use crate::judge::Mode;
use crate::linalg::DenseLu;
use crate::problem::BoxLcp;

/// Bounds of z_i and w_i under a mode.
pub(super) fn limits(problem: &BoxLcp, mode: Mode, i: usize) -> ([f64; 2], [f64; 2]) {
    let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
    const INF: f64 = f64::INFINITY;
    match mode {
        Mode::Between => ([lower, upper], [0.0, 0.0]),
        Mode::AtLower => ([lower, lower], [0.0, INF]),
        Mode::AtUpper => ([upper, upper], [-INF, 0.0]),
        Mode::Any => {
            // w > 0 needs a lower bound to be at, w < 0 an upper one
            let w_lower = if upper.is_finite() { -INF } else { 0.0 };
            let w_upper = if lower.is_finite() { INF } else { 0.0 };
            ([lower, upper], [w_lower, w_upper])
        }
    }
}

/// A contradiction of one row with the bounds of z.
pub(crate) fn single_row(problem: &BoxLcp, modes: &[Mode]) -> Option<Vec<f64>> {
    let n = problem.n();
    // range of each w over the bounds of z
    let (mut least, mut most) = (problem.b().to_vec(), problem.b().to_vec());
    for j in 0..n {
        let ([lower, upper], _) = limits(problem, modes[j], j);
        problem.A().for_column(j, |i, a_ij| {
            if a_ij != 0.0 {
                let (p, q) = (a_ij * lower, a_ij * upper);
                least[i] += p.min(q);
                most[i] += p.max(q);
            }
        });
    }
    for i in 0..n {
        let (_, [w_lower, w_upper]) = limits(problem, modes[i], i);
        for (excluded, sign) in [(most[i] < w_lower, 1.0), (least[i] > w_upper, -1.0)] {
            if excluded {
                let mut y = vec![0.0; n];
                y[i] = sign;
                if contradiction(problem, modes, &y).is_some() {
                    return Some(y);
                }
            }
        }
    }
    None
}

/// `y` times a number such that all entries are small whole numbers, if that refutes exactly.
fn whole_multiple(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<Vec<f64>> {
    let sizes = || y.iter().map(|y_i| y_i.abs()).filter(|&y_i| y_i > 0.0);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    for unit in [least, most] {
        for factor in 1..=12 {
            let scale = f64::from(factor) / unit;
            let near = |x: f64| (x - x.round()).abs() <= 1e-9 * x.abs().max(1.0);
            if y.iter().all(|y_i| (y_i * scale).abs() < 1e6 && near(y_i * scale)) {
                let whole: Vec<f64> = y.iter().map(|y_i| (y_i * scale).round()).collect();
                if contradiction(problem, modes, &whole) == Some(0.0) {
                    return Some(whole);
                }
            }
        }
    }
    None
}

/// An entry of `Aᵀy` up to this times n + 2 and the size of its terms is zero but for the rounding of
/// y and A. A little less than the judge allows; both add exactly.
const ROUNDED: f64 = 0.45 * f64::EPSILON;

/// Whether y refutes, by a margin that no rounding bridges; the largest entry of `Aᵀy` that had to
/// be taken for zero.
fn contradiction(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<f64> {
    let (mut sum, mut terms, mut neglected) = (0.0, 0.0, 0.0_f64);
    for (i, &y_i) in y.iter().enumerate() {
        let (_, [w_lower, w_upper]) = limits(problem, modes[i], i);
        let support = if y_i > 0.0 { w_lower } else { w_upper };
        if y_i != 0.0 && support.is_infinite() {
            return None;
        }
        sum += problem.b()[i] * y_i;
        terms += (problem.b()[i] * y_i).abs();
    }
    let rounded = ROUNDED * (y.len() + 2) as f64;
    for j in 0..y.len() {
        let (mut precise, mut slope_terms) = (Twofold::default(), 0.0_f64);
        problem.A().for_column(j, |i, a_ij| {
            if a_ij != 0.0 && y[i] != 0.0 {
                precise = precise.plus_product(a_ij, Twofold::of(y[i]));
                slope_terms += (a_ij * y[i]).abs();
            }
        });
        let slope = precise.value();
        if slope == 0.0 {
            continue;
        }
        let ([lower, upper], _) = limits(problem, modes[j], j);
        let end = if slope > 0.0 { upper } else { lower };
        if end.is_finite() {
            sum += slope * end;
            terms += (slope * end).abs();
        } else if slope.abs() <= rounded * slope_terms {
            neglected = neglected.max(slope.abs());
        } else {
            return None;
        }
    }
    (sum < -2e-9 * terms).then_some(neglected)
}

/// y, or a small whole multiple, or y with its last digits changed: whichever refutes first.
pub(crate) fn refuting(problem: &BoxLcp, modes: &[Mode], y: Vec<f64>) -> Option<Vec<f64>> {
    if let Some(whole) = whole_multiple(problem, modes, &y) {
        return Some(whole);
    }
    if contradiction(problem, modes, &y).is_some() {
        return Some(y);
    }
    let y = polished(problem, modes, &y)?;
    contradiction(problem, modes, &y).map(|_| y)
}

/// A slope within this part of its terms is meant to be zero …
const MEANT_ZERO: f64 = 1e-9;
/// … and combinations of columns below the root of this are rounding: they are not corrected.
const DAMPING: f64 = 1e-12;

/// `Σ a_ij y_i (1 + ε_i) = 0` of one column j, divided by the size of its terms.
struct Equation {
    column: usize,
    terms: f64,
    /// Place of i in the support of y, and `a_ij y_i / terms`.
    entries: Vec<(usize, f64)>,
}

/// The vector next to y, entry by entry, with the least slopes where they are meant to be zero.
///
/// Where A is singular but for its own rounding, a basis meets some of these equations exactly and
/// leaves the whole error, enlarged, to the others. Damped least squares shares it out.
fn polished(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<Vec<f64>> {
    let support: Vec<usize> = (0..y.len()).filter(|&i| y[i] != 0.0).collect();
    let mut place = vec![usize::MAX; y.len()];
    for (k, &i) in support.iter().enumerate() {
        place[i] = k;
    }
    let mut equations: Vec<Equation> = Vec::new();
    for j in 0..y.len() {
        let ([lower, upper], _) = limits(problem, modes[j], j);
        let (mut slope, mut terms, mut entries) = (0.0, 0.0, Vec::new());
        problem.A().for_column(j, |i, a_ij| {
            let term = a_ij * y[i];
            if term != 0.0 {
                slope += term;
                terms += term.abs();
                entries.push((place[i], term));
            }
        });
        if (lower.is_infinite() || upper.is_infinite()) && slope.abs() <= MEANT_ZERO * terms {
            entries.iter_mut().for_each(|(_, term)| *term /= terms);
            equations.push(Equation { column: j, terms, entries });
        }
    }
    let mut lu = DenseLu::default();
    lu.reset(support.len());
    for Equation { entries, .. } in &equations {
        for &(l, g_l) in entries {
            let column = lu.column_mut(l);
            entries.iter().for_each(|&(k, g_k)| column[k] += g_k * g_l);
        }
    }
    (0..support.len()).for_each(|k| lu.column_mut(k)[k] += DAMPING);
    lu.factor(0.0);
    let mut precise: Vec<Twofold> = y.iter().map(|&y_i| Twofold::of(y_i)).collect();
    let mut change = vec![0.0; support.len()];
    for _ in 0..3 {
        change.fill(0.0);
        for Equation { column, terms, entries } in &equations {
            let mut slope = Twofold::default();
            problem.A().for_column(*column, |i, a_ij| slope = slope.plus_product(a_ij, precise[i]));
            let error = slope.value() / terms;
            entries.iter().for_each(|&(k, g_k)| change[k] -= error * g_k);
        }
        lu.solve(&mut change);
        for (&i, epsilon) in support.iter().zip(&change) {
            precise[i] = precise[i].plus(epsilon * y[i]);
        }
    }
    let y: Vec<f64> = precise.iter().map(|y_i| y_i.value()).collect();
    y.iter().all(|y_i| y_i.is_finite()).then_some(y)
}
