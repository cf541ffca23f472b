//! Dense kernels on columns: elimination of the first columns of a front, and solves with them.

/// Columns that are eliminated before the rest of the front is brought up to date.
const PANEL: usize = 16;
/// Columns that a solve takes together.
const TOGETHER: usize = 4;

/// `A` is n × n by columns, its lower triangle alone being read and written. Eliminates the first `pivots` columns, `A = L D Lᵀ`: their
/// columns become L below the diagonal and D on it, the rest the Schur complement. False at a pivot that is not positive.
pub(super) fn eliminate_symmetric(A: &mut [f64], n: usize, pivots: usize) -> bool {
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

/// The same for a matrix that is not symmetric, `P A = L U`, with rows exchanged among the pivots alone: `swaps[k]` is the row that came
/// to place k. False where no pivot is left.
pub(super) fn eliminate(A: &mut [f64], n: usize, pivots: usize, swaps: &mut [usize]) -> bool {
    let mut first = 0;
    while first < pivots {
        let end = (first + PANEL).min(pivots);
        for k in first..end {
            let best = (k..pivots)
                .max_by(|&i, &j| A[k * n + i].abs().total_cmp(&A[k * n + j].abs()))
                .unwrap_or(k);
            swaps[k] = best;
            if best != k {
                (0..n).for_each(|j| A.swap(j * n + k, j * n + best));
            }
            let d = A[k * n + k];
            if !(d != 0.0 && d.is_finite()) {
                return false;
            }
            let inverse = 1.0 / d;
            let (head, tail) = A.split_at_mut((k + 1) * n);
            let column = &mut head[k * n + k + 1..];
            column.iter_mut().for_each(|a| *a *= inverse);
            for j in k + 1..end {
                let from = (j - k - 1) * n;
                let u = tail[from + k];
                if u != 0.0 {
                    subtract(&mut tail[from + k + 1..from + n], column, u);
                }
            }
        }
        // rows of U, then the rest
        let (panel, rest) = A.split_at_mut(end * n);
        let panel = &panel[first * n..];
        for j in end..n {
            let column = &mut rest[(j - end) * n..(j - end + 1) * n];
            for k in first..end {
                let u = column[k];
                if u != 0.0 {
                    let l = &panel[(k - first) * n..(k - first + 1) * n];
                    subtract(&mut column[k + 1..end], &l[k + 1..end], u);
                }
            }
            let (u, target) = column.split_at_mut(end);
            update(target, panel, (n, end), (first, end), |k| u[k]);
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
            (first..end).for_each(|k| sums[k - first] = dot(column(k), &x[end..n]));
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

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for i in 0..4 {
            sum[i] += a[i] * b[i];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

/// `target −= Σ_k factor(k) · column k of the panel, from row on`.
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
        let (a, b, c, d) = (column(k), column(k + 1), column(k + 2), column(k + 3));
        let rows = target.iter_mut().zip(a).zip(b).zip(c).zip(d);
        for ((((t, a), b), c), d) in rows {
            *t -= (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d);
        }
        k += 4;
    }
    if k + 2 <= end {
        let f = [factor(k), factor(k + 1)];
        for ((t, a), b) in target.iter_mut().zip(column(k)).zip(column(k + 1)) {
            *t -= f[0] * a + f[1] * b;
        }
        k += 2;
    }
    if k < end {
        subtract(target, column(k), factor(k));
    }
}

/// `target −= factor · column`.
fn subtract(target: &mut [f64], column: &[f64], factor: f64) {
    for (t, c) in target.iter_mut().zip(column) {
        *t -= factor * c;
    }
}
