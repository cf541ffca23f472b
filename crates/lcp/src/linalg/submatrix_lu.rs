//! Factors of a square submatrix `A[rows, columns]`, possibly with one border column, dense or
//! sparse as its size and the storage of A suggest.

use super::{DenseLu, SparseLu, minimum_degree};
use crate::matrix::Matrix;

/// Below this many rows, or above this part of entries stored, the dense kernel wins.
const DENSE_ROWS: usize = 48;
const DENSE_PART: f64 = 0.15;
const NONE: u32 = u32::MAX;

/// Factors of submatrices of one matrix A. The elimination order of the whole of A is found once
/// per pattern and serves every submatrix.
#[derive(Clone, Debug, Default)]
pub struct SubmatrixLu {
    dense: DenseLu,
    sparse: SparseLu,
    uses_sparse: bool,
    /// Rank of each index of A in its elimination order, and the pattern it belongs to.
    rank: Vec<u32>,
    pattern: Option<Matrix>,
    /// Row of A → row of the submatrix.
    place: Vec<u32>,
    /// Columns of the submatrix in elimination order.
    order: Vec<usize>,
}

/// What to factor: `A[rows, columns]`, then one more column `border` (one entry per row) if given.
/// `scale` = (s, unit) multiplies rows and columns: entry (i, j) is `s_i A_ij (s_j / unit)`.
pub struct Submatrix<'a> {
    pub A: &'a Matrix,
    pub rows: &'a [usize],
    pub columns: &'a [usize],
    pub border: Option<&'a [f64]>,
    pub scale: Option<(&'a [f64], f64)>,
}

impl SubmatrixLu {
    /// Finds the elimination order of A unless the pattern is the one of the last call.
    pub fn analyse(&mut self, A: &Matrix) {
        if !is_worth_sparse(A, A.nrows()) {
            return;
        }
        if self.pattern.as_ref().is_some_and(|pattern| same_pattern(pattern, A)) {
            return;
        }
        self.rank.clear();
        self.rank.resize(A.ncols(), 0);
        for (k, j) in minimum_degree(A).into_iter().enumerate() {
            self.rank[j] = k as u32;
        }
        self.pattern = Some(A.clone());
    }

    /// Factors. Columns with pivots at most `tolerance` times their largest entry are dependent.
    pub fn factor(&mut self, sub: &Submatrix<'_>, tolerance: f64) {
        let n = sub.rows.len();
        let bordered = sub.columns.len() + usize::from(sub.border.is_some());
        assert_eq!(n, bordered, "a submatrix to factor must be square");
        self.place.clear();
        self.place.resize(sub.A.nrows(), NONE);
        for (new, &old) in sub.rows.iter().enumerate() {
            self.place[old] = new as u32;
        }
        self.uses_sparse = is_worth_sparse(sub.A, n);
        if self.uses_sparse {
            self.factor_sparse(sub, tolerance);
        } else {
            self.factor_dense(sub, tolerance);
        }
    }

    fn factor_dense(&mut self, sub: &Submatrix<'_>, tolerance: f64) {
        // room for the largest submatrix that comes here, so that the next one does not allocate
        let all = sub.A.nrows();
        self.dense.reserve(if is_worth_sparse(sub.A, all) { DENSE_ROWS } else { all });
        self.dense.reset(sub.rows.len());
        for (new_j, &j) in sub.columns.iter().enumerate() {
            let (place, column) = (&self.place, self.dense.column_mut(new_j));
            let scale_j = sub.scale.map_or(1.0, |(s, unit)| s[j] / unit);
            sub.A.for_column(j, |i, a_ij| {
                if place[i] != NONE {
                    column[place[i] as usize] =
                        sub.scale.map_or(1.0, |(s, _)| s[i]) * a_ij * scale_j;
                }
            });
        }
        if let Some(border) = sub.border {
            self.dense.column_mut(sub.columns.len()).copy_from_slice(border);
        }
        self.dense.factor(tolerance);
    }

    fn factor_sparse(&mut self, sub: &Submatrix<'_>, tolerance: f64) {
        self.analyse(sub.A);
        self.order.clear();
        self.order.extend(0..sub.columns.len());
        let rank = &self.rank;
        self.order.sort_unstable_by_key(|&new_j| rank[sub.columns[new_j]]);
        if sub.border.is_some() {
            self.order.push(sub.columns.len());
        }
        let place = &self.place;
        self.sparse.factor(self.order.iter().copied(), tolerance, |new_j, entries| {
            let Some(&j) = sub.columns.get(new_j) else {
                let border = sub.border.unwrap_or(&[]);
                entries.extend(border.iter().enumerate().map(|(i, &x)| (i as u32, x)));
                return;
            };
            let scale_j = sub.scale.map_or(1.0, |(s, unit)| s[j] / unit);
            sub.A.for_column(j, |i, a_ij| {
                if place[i] != NONE {
                    let a = sub.scale.map_or(1.0, |(s, _)| s[i]) * a_ij * scale_j;
                    entries.push((place[i], a));
                }
            });
        });
    }

    /// Columns of the submatrix that depend on others.
    pub fn dependent(&self) -> &[usize] {
        if self.uses_sparse { self.sparse.dependent() } else { self.dense.dependent() }
    }

    /// `x ← (submatrix)⁻¹ x`; x is indexed by rows before and by columns after.
    pub fn solve(&mut self, x: &mut [f64]) {
        if self.uses_sparse { self.sparse.solve(x) } else { self.dense.solve(x) }
    }
}

fn is_worth_sparse(A: &Matrix, rows: usize) -> bool {
    let part = A.stored() as f64 / (A.nrows() as f64 * A.ncols() as f64).max(1.0);
    A.is_sparse() && rows > DENSE_ROWS && part < DENSE_PART
}

/// The same entries are stored, and the same of them are zeros: elimination orders pass these over.
fn same_pattern(p: &Matrix, q: &Matrix) -> bool {
    match (p, q) {
        (Matrix::Sparse(p), Matrix::Sparse(q)) => {
            let is_same = |j: usize| {
                let ((rows, values), (others, other)) = (p.column(j), q.column(j));
                let mut pairs = values.iter().zip(other);
                rows == others && pairs.all(|(a, b)| (*a == 0.0) == (*b == 0.0))
            };
            p.nrows() == q.nrows() && p.ncols() == q.ncols() && (0..p.ncols()).all(is_same)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csc;

    #[test]
    fn an_order_is_that_of_the_matrix_at_hand_whatever_came_before() {
        // an arrow whose shaft is stored, once with numbers and once with zeros
        let n = 60;
        let arrow = |shaft: f64| {
            let mut entries: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
            entries.extend((1..n).flat_map(|i| [(0, i, shaft), (i, 0, shaft)]));
            Matrix::from(Csc::from_triplets((n, n), &mut entries))
        };
        let mut fresh = SubmatrixLu::default();
        fresh.analyse(&arrow(1.0));
        let mut used = SubmatrixLu::default();
        used.analyse(&arrow(0.0));
        assert_ne!(used.rank, fresh.rank);
        used.analyse(&arrow(1.0));
        assert_eq!(used.rank, fresh.rank);
    }
}
