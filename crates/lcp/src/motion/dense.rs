//! Dense kernels on columns: elimination of the first columns of a front, and solves with them. Here those of symmetric matrices, and
//! what others share with them.

mod general;

pub(super) use general::{eliminate, solve_upper};

use crate::wide::{Loops, wide};
use general::products;

/// Columns that are eliminated before the rest of the front is brought up to date.
const PANEL: usize = 16;
/// Columns that a solve takes together.
const TOGETHER: usize = 4;

/// `A` is n × n by columns, its lower triangle alone being read and written. Eliminates the first `pivots` columns, `A = L D Lᵀ`: their
/// columns become L below the diagonal and D on it, the rest the Schur complement. False at a pivot that is not positive.
pub(super) fn eliminate_symmetric(A: &mut [f64], n: usize, pivots: usize) -> bool {
    wide(SymmetricElimination { A, n, pivots })
}

struct SymmetricElimination<'a> {
    A: &'a mut [f64],
    n: usize,
    pivots: usize,
}

impl Loops for SymmetricElimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        symmetric_by_panels(self.A, self.n, self.pivots)
    }
}

#[inline(always)]
fn symmetric_by_panels(A: &mut [f64], n: usize, pivots: usize) -> bool {
    let mut first = 0;
    while first < pivots {
        let end = (first + PANEL).min(pivots);
        for k in first..end {
            let d = A[k * n + k];
            if !(d > 0.0 && d.is_finite()) {
                return false;
            }
            let (head, tail) = A.split_at_mut((k + 1) * n);
            let column = &mut head[k * n + k + 1..];
            for j in k + 1..end {
                let l = column[j - k - 1] / d;
                if l != 0.0 {
                    let target = &mut tail[(j - k - 1) * n + j..(j - k - 1) * n + n];
                    subtract(target, &column[j - k - 1..], l);
                }
            }
            let inverse = 1.0 / d;
            column.iter_mut().for_each(|a| *a *= inverse);
        }
        let (panel, rest) = A.split_at_mut(end * n);
        let panel = &panel[first * n..];
        for j in end..n {
            let target = &mut rest[(j - end) * n + j..(j - end) * n + n];
            let factor = |k: usize| panel[(k - first) * n + j] * panel[(k - first) * n + k];
            update(target, panel, (n, j), (first, end), factor);
        }
        first = end;
    }
    true
}

/// `x ← L⁻¹ x` of the first `pivots` columns, L with ones on its diagonal; what they take from the rest of x is taken.
pub(super) fn solve_lower(L: &[f64], n: usize, pivots: usize, x: &mut [f64]) {
    let mut first = 0;
    while first < pivots {
        let end = (first + TOGETHER).min(pivots);
        for k in first..end {
            let x_k = x[k];
            (k + 1..end).for_each(|i| x[i] -= L[k * n + i] * x_k);
        }
        let (x, rest) = x.split_at_mut(end);
        update(rest, &L[first * n..end * n], (n, end), (first, end), |k| x[k]);
        first = end;
    }
}

/// `x ← L⁻ᵀ D⁻¹ x` of the first `pivots` columns, the rest of x being known; D on the diagonal of L.
pub(super) fn solve_transposed(L: &[f64], n: usize, pivots: usize, x: &mut [f64]) {
    let mut end = pivots;
    while end > 0 {
        let first = (end - 1) / TOGETHER * TOGETHER;
        let column = |k: usize| &L[k * n + end..(k + 1) * n];
        let mut sums = [0.0; TOGETHER];
        if end - first == TOGETHER {
            sums = dots([0, 1, 2, 3].map(|i| column(first + i)), &x[end..n]);
        } else {
            (first..end).for_each(|k| [sums[k - first]] = products([column(k)], &x[end..n]));
        }
        for k in (first..end).rev() {
            let own: f64 = (k + 1..end).map(|i| L[k * n + i] * x[i]).sum();
            x[k] = x[k] / L[k * n + k] - (sums[k - first] + own);
        }
        end = first;
    }
}

/// Of four columns with x.
fn dots(columns: [&[f64]; 4], x: &[f64]) -> [f64; 4] {
    let mut sums = [[0.0; 2]; 4];
    let [a, b, c, d] = columns.map(|column| &column[..x.len()]);
    let pairs = x.len() / 2 * 2;
    for i in (0..pairs).step_by(2) {
        for l in 0..2 {
            sums[0][l] += a[i + l] * x[i + l];
            sums[1][l] += b[i + l] * x[i + l];
            sums[2][l] += c[i + l] * x[i + l];
            sums[3][l] += d[i + l] * x[i + l];
        }
    }
    let last = |column: &[f64]| if pairs < x.len() { column[pairs] * x[pairs] } else { 0.0 };
    let last = [a, b, c, d].map(last);
    std::array::from_fn(|k| (sums[k][0] + sums[k][1]) + last[k])
}

/// `target −= Σ_k factor(k) · column k of the panel, from row on`.
#[inline(always)]
fn update(
    target: &mut [f64],
    panel: &[f64],
    (n, row): (usize, usize),
    (first, end): (usize, usize),
    factor: impl Fn(usize) -> f64,
) {
    let column = |k: usize| &panel[(k - first) * n + row..(k - first + 1) * n];
    let mut k = first;
    while k + 4 <= end {
        let f = [factor(k), factor(k + 1), factor(k + 2), factor(k + 3)];
        let columns = [column(k), column(k + 1), column(k + 2), column(k + 3)];
        with_four(target, columns, |t, a, b, c, d| {
            t - ((f[0] * a + f[1] * b) + (f[2] * c + f[3] * d))
        });
        k += 4;
    }
    match end - k {
        3 => {
            let f = [factor(k), factor(k + 1), factor(k + 2)];
            let columns = [column(k), column(k + 1), column(k + 2)];
            with_three(target, columns, |t, a, b, c| (t - (f[0] * a + f[1] * b)) - f[2] * c);
        }
        2 => {
            let f = [factor(k), factor(k + 1)];
            with_two(target, [column(k), column(k + 1)], |t, a, b| t - (f[0] * a + f[1] * b));
        }
        1 => subtract(target, column(k), factor(k)),
        _ => {}
    }
}

/// Each number of the target becomes one of itself and of those beside it in four columns.
#[inline(always)]
fn with_four(
    target: &mut [f64],
    columns: [&[f64]; 4],
    next: impl Fn(f64, f64, f64, f64, f64) -> f64,
) {
    let [a, b, c, d] = columns;
    for ((((t, a), b), c), d) in target.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *t = next(*t, *a, *b, *c, *d);
    }
}

/// The same with three columns.
#[inline(always)]
fn with_three(target: &mut [f64], columns: [&[f64]; 3], next: impl Fn(f64, f64, f64, f64) -> f64) {
    let [a, b, c] = columns;
    for (((t, a), b), c) in target.iter_mut().zip(a).zip(b).zip(c) {
        *t = next(*t, *a, *b, *c);
    }
}

/// The same with two columns.
#[inline(always)]
fn with_two(target: &mut [f64], columns: [&[f64]; 2], next: impl Fn(f64, f64, f64) -> f64) {
    let [a, b] = columns;
    for ((t, a), b) in target.iter_mut().zip(a).zip(b) {
        *t = next(*t, *a, *b);
    }
}

/// `target −= factor · column`.
#[inline(always)]
fn subtract(target: &mut [f64], column: &[f64], factor: f64) {
    for (t, c) in target.iter_mut().zip(column) {
        *t -= factor * c;
    }
}

#[cfg(test)]
mod tests {
    use super::general::by_panels;
    use super::*;
    use crate::testing::Random;

    /// Columns of other lengths than registers, and more of them than a panel has.
    #[test]
    fn wider_registers_change_no_bit() {
        for (seed, (n, pivots)) in [(7, 5), (30, 12), (61, 61), (97, 40)].into_iter().enumerate() {
            let mut A = Random::new(seed as u64).vector(n * n);
            (0..n).for_each(|k| A[k * n + k] += n as f64);
            let mut plain = A.clone();
            assert!(symmetric_by_panels(&mut plain, n, pivots));
            let mut wide = A.clone();
            assert!(eliminate_symmetric(&mut wide, n, pivots));
            assert!(plain == wide, "symmetric, {n}");
            let (mut swaps, mut wide_swaps) = (vec![0; pivots], vec![0; pivots]);
            let mut plain = A.clone();
            assert!(by_panels(&mut plain, n, pivots, &mut swaps));
            assert!(eliminate(&mut A, n, pivots, &mut wide_swaps));
            assert!(plain == A && swaps == wide_swaps, "general, {n}");
        }
    }
}
