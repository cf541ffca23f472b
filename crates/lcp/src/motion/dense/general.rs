//! Matrices that are not symmetric: rows are exchanged among the pivots.
//!
//! Columns are brought up to date one by one, when their turn comes, by all columns of the panel before them: each number is then read and
//! written once for four of these. The terms are subtracted in the order of the columns, as if each column were taken from all others at once.

use super::{PANEL, TOGETHER, subtract, update, with_four, with_three, with_two};
use crate::wide::{Loops, wide};

/// Rows of U that a solve takes together: nodes are three wide, or six.
const ROWS: usize = 3;

/// `A` is n × n by columns. Eliminates the first `pivots` columns, `P A = L U`, with rows exchanged among the pivots alone: `swaps[k]` is the row that
/// came to place k. L below the diagonal, U above, then the Schur complement. False where no pivot is left.
pub(in crate::motion) fn eliminate(
    A: &mut [f64],
    n: usize,
    pivots: usize,
    swaps: &mut [usize],
) -> bool {
    wide(Elimination { A, n, pivots, swaps })
}

struct Elimination<'a> {
    A: &'a mut [f64],
    n: usize,
    pivots: usize,
    swaps: &'a mut [usize],
}

impl Loops for Elimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        by_panels(self.A, self.n, self.pivots, self.swaps)
    }
}

#[inline(always)]
pub(super) fn by_panels(A: &mut [f64], n: usize, pivots: usize, swaps: &mut [usize]) -> bool {
    let mut first = 0;
    while first < pivots {
        let end = (first + PANEL).min(pivots);
        if !eliminate_panel(A, (n, pivots), (first, end), swaps) {
            return false;
        }
        let (panel, rest) = A.split_at_mut(end * n);
        let panel = &panel[first * n..];
        for column in rest.chunks_exact_mut(n) {
            substitute(&mut column[first..end], panel, (n, first));
            let (u, target) = column.split_at_mut(end);
            update(target, panel, (n, end), (first, end), |k| u[k]);
        }
        first = end;
    }
    true
}

/// Columns `first..end`, with rows exchanged in all columns. False where no pivot is left.
#[inline(always)]
fn eliminate_panel(
    A: &mut [f64],
    (n, pivots): (usize, usize),
    (first, end): (usize, usize),
    swaps: &mut [usize],
) -> bool {
    for k in first..end {
        let (before, column) = A.split_at_mut(k * n);
        let (before, column) = (&before[first * n..], &mut column[..n]);
        substitute(&mut column[first..k], before, (n, first));
        let (u, target) = column.split_at_mut(k);
        subtract_in_turn(target, before, (n, k), &u[first..]);
        let best = k + place_of_largest(&column[k..pivots]);
        swaps[k] = best;
        if best != k {
            A.chunks_exact_mut(n).for_each(|column| column.swap(k, best));
        }
        let column = &mut A[k * n + k..(k + 1) * n];
        let d = column[0];
        if !(d != 0.0 && d.is_finite()) {
            return false;
        }
        let inverse = 1.0 / d;
        column[1..].iter_mut().for_each(|a| *a *= inverse);
    }
    true
}

/// The last one of the largest numbers. What is not a number stays among the pivots and is found there in the end.
#[inline(always)]
fn place_of_largest(numbers: &[f64]) -> usize {
    let (mut place, mut largest) = (0, 0.0);
    for (i, a) in numbers.iter().enumerate() {
        if !(a.abs() < largest) {
            (place, largest) = (i, a.abs());
        }
    }
    place
}

/// `u ← L⁻¹ u` with the columns of the panel, n long, whose diagonals begin in row `first`.
#[inline(always)]
fn substitute(u: &mut [f64], panel: &[f64], (n, first): (usize, usize)) {
    let mut k = 0;
    while k < u.len() {
        let l = |m: usize, i: usize| panel[(k + m) * n + first + k + i];
        let count = TOGETHER.min(u.len() - k);
        let (now, rest) = u[k..].split_at_mut(count);
        // in registers: each waits for the one before
        match now {
            [a, b, c, d] => {
                *b -= l(0, 1) * *a;
                *c = (*c - l(0, 2) * *a) - l(1, 2) * *b;
                *d = ((*d - l(0, 3) * *a) - l(1, 3) * *b) - l(2, 3) * *c;
            }
            [a, b, c] => {
                *b -= l(0, 1) * *a;
                *c = (*c - l(0, 2) * *a) - l(1, 2) * *b;
            }
            [a, b] => *b -= l(0, 1) * *a,
            _ => {}
        }
        if !rest.is_empty() {
            subtract_in_turn(rest, &panel[k * n..], (n, first + k + count), now);
        }
        k += count;
    }
}

/// `target −= factors[k] · column k of the panel, from row on`, one column after the other.
#[inline(always)]
fn subtract_in_turn(target: &mut [f64], panel: &[f64], (n, row): (usize, usize), factors: &[f64]) {
    let column = |k: usize| &panel[k * n + row..(k + 1) * n];
    let (fours, rest) = factors.as_chunks::<4>();
    let mut k = 0;
    for f in fours {
        let columns = [column(k), column(k + 1), column(k + 2), column(k + 3)];
        four_in_turn(target, columns, f);
        k += 4;
    }
    match rest {
        [f, g, h] => {
            let columns = [column(k), column(k + 1), column(k + 2)];
            with_three(target, columns, |t, a, b, c| ((t - f * a) - g * b) - h * c);
        }
        [f, g] => {
            with_two(target, [column(k), column(k + 1)], |t, a, b| (t - f * a) - g * b);
        }
        [f] => subtract(target, column(k), *f),
        _ => {}
    }
}

#[inline(always)]
fn four_in_turn(target: &mut [f64], columns: [&[f64]; 4], f: &[f64; 4]) {
    with_four(target, columns, |t, a, b, c, d| (((t - f[0] * a) - f[1] * b) - f[2] * c) - f[3] * d);
}

/// `x ← U⁻¹ x` of the first `pivots` rows, the rest of x being known: U on and above the diagonal of the columns, n long, and by rows beyond.
pub(in crate::motion) fn solve_upper(
    columns: &[f64],
    rows: &[f64],
    (n, pivots): (usize, usize),
    x: &mut [f64],
) {
    let (x, known) = x.split_at_mut(pivots);
    subtract_rows(x, rows, &known[..n - pivots]);
    let mut end = pivots;
    while end > 0 {
        let first = end.saturating_sub(TOGETHER);
        for k in (first..end).rev() {
            let column = &columns[k * n..(k + 1) * n];
            x[k] /= column[k];
            let x_k = x[k];
            (first..k).for_each(|i| x[i] -= column[i] * x_k);
        }
        let (head, done) = x.split_at_mut(first);
        let column = |k: usize| &columns[(first + k) * n..(first + k + 1) * n];
        if let [a, b, c, d, ..] = done[..end - first] {
            let columns = [column(3), column(2), column(1), column(0)];
            four_in_turn(head, columns, &[d, c, b, a]);
        }
        end = first;
    }
}

/// `x[k] −= row k · known`, for rows of the length of what is known.
fn subtract_rows(x: &mut [f64], rows: &[f64], known: &[f64]) {
    if known.is_empty() {
        return;
    }
    let length = known.len();
    let (threes, rest) = x.as_chunks_mut::<ROWS>();
    let (of_threes, of_rest) = rows.split_at(ROWS * length * threes.len());
    for (x, rows) in threes.iter_mut().zip(of_threes.chunks_exact(ROWS * length)) {
        let row = |k: usize| &rows[k * length..(k + 1) * length];
        let sums = products([row(0), row(1), row(2)], known);
        (0..ROWS).for_each(|k| x[k] -= sums[k]);
    }
    for (x, row) in rest.iter_mut().zip(of_rest.chunks_exact(length)) {
        let [sum] = products([row], known);
        *x -= sum;
    }
}

/// Products of rows with x, each by four sums.
#[inline(always)]
pub(super) fn products<const K: usize>(rows: [&[f64]; K], x: &[f64]) -> [f64; K] {
    let (fours, last) = x.as_chunks::<4>();
    let rows = rows.map(|row| row[..x.len()].as_chunks::<4>());
    let of_fours = rows.map(|(fours_of, _)| &fours_of[..fours.len()]);
    let mut sums = [[0.0; 4]; K];
    for (i, x) in fours.iter().enumerate() {
        for k in 0..K {
            (0..4).for_each(|l| sums[k][l] += of_fours[k][i][l] * x[l]);
        }
    }
    std::array::from_fn(|k| {
        let rest: f64 = rows[k].1.iter().zip(last).map(|(a, b)| a * b).sum();
        (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]) + rest
    })
}
