//! Farkas vectors: of a single row, rounded to whole numbers, and whether a vector refutes.

use crate::judge::Mode;
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
pub(super) fn whole_multiple(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<Vec<f64>> {
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

/// Whether y refutes, by a margin that no rounding bridges; the largest entry of `Aᵀy` that had to
/// be taken for zero.
pub(crate) fn contradiction(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<f64> {
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
    for j in 0..y.len() {
        let (mut slope, mut slope_terms) = (0.0_f64, 0.0_f64);
        problem.A().for_column(j, |i, a_ij| {
            slope += a_ij * y[i];
            slope_terms += (a_ij * y[i]).abs();
        });
        if slope == 0.0 {
            continue;
        }
        let ([lower, upper], _) = limits(problem, modes[j], j);
        let end = if slope > 0.0 { upper } else { lower };
        if end.is_finite() {
            sum += slope * end;
            terms += (slope * end).abs();
        } else if slope.abs() <= 0.5e-12 * slope_terms {
            neglected = neglected.max(slope.abs());
        } else {
            return None;
        }
    }
    (sum < -2e-9 * terms).then_some(neglected)
}
