//! Which variable leaves: the ratio tests.

use super::basis::{Basis, Variable};
use crate::problem::BoxLcp;

/// Pivots below this part of the largest entry of the column are not taken.
const PIVOT: f64 = 1e-11;
/// Ratios this close count as equal, relatively.
const TIE: f64 = 1e-12;

fn largest(y: &[f64]) -> f64 {
    y.iter().fold(0.0_f64, |m, y_i| m.max(y_i.abs()))
}

/// The pivot in this slot is small against its column.
pub(super) fn is_small(y: &[f64], slot: usize) -> bool {
    y[slot].abs() < 1e-6 * largest(y)
}

/// Two passes after Harris: the first finds how far one can go if every value may fall short by a
/// hair, the second takes the largest pivot within that distance; z₀ whenever it is among them.
pub(super) fn largest_pivot(basis: &Basis, y: &[f64]) -> Option<usize> {
    let smallest = PIVOT * largest(y);
    let x = basis.values();
    let slack = TIE + 1e-15 * largest(x);
    let mut step = f64::INFINITY;
    for (slot, &y_i) in y.iter().enumerate() {
        if y_i > smallest && !basis.is_free(slot) {
            step = step.min((x[slot].max(0.0) + slack) / y_i);
        }
    }
    if step == f64::INFINITY {
        return None;
    }
    let mut best = None;
    let mut pivot = 0.0;
    for (slot, &y_i) in y.iter().enumerate() {
        if y_i > smallest && !basis.is_free(slot) && x[slot] <= step * y_i {
            if basis.variable(slot) == Variable::Artificial {
                return Some(slot);
            }
            if y_i > pivot {
                (best, pivot) = (Some(slot), y_i);
            }
        }
    }
    best
}

/// Lexicographic rule: ties of the first column are broken by the columns of `B⁻¹`, one by one.
pub(super) fn lexicographic(
    problem: &BoxLcp,
    basis: &mut Basis,
    y: &[f64],
    ties: &mut Vec<usize>,
    column: &mut Vec<f64>,
) -> Option<usize> {
    let smallest = PIVOT * largest(y);
    ties.clear();
    ties.extend((0..y.len()).filter(|&slot| y[slot] > smallest && !basis.is_free(slot)));
    keep_least(ties, |slot| basis.values()[slot] / y[slot]);
    if let Some(&slot) = ties.iter().find(|&&s| basis.variable(s) == Variable::Artificial) {
        return Some(slot);
    }
    let mut c = 0;
    while ties.len() > 1 && c < problem.n() {
        basis.direction(problem, Variable::Slack(c), column);
        keep_least(ties, |slot| column[slot] / y[slot]);
        c += 1;
    }
    ties.first().copied()
}

/// Keeps the slots whose ratio is within a hair of the least, in units in which b is about 1.
fn keep_least(slots: &mut Vec<usize>, ratio: impl Fn(usize) -> f64) {
    let least = slots.iter().fold(f64::INFINITY, |m, &s| m.min(ratio(s)));
    slots.retain(|&s| ratio(s) <= least + TIE * least.abs().max(1.0));
}
