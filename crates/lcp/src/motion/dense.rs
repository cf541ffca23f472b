//! Dense kernels on columns: elimination of the first columns of a front.

/// Columns that are eliminated before the rest of the front is brought up to date.
const PANEL: usize = 16;

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
    while k < end {
        subtract(target, column(k), factor(k));
        k += 1;
    }
}

/// `target −= factor · column`.
fn subtract(target: &mut [f64], column: &[f64], factor: f64) {
    for (t, c) in target.iter_mut().zip(column) {
        *t -= factor * c;
    }
}
