//! `A = L U` of a sparse matrix, column by column (Gilbert and Peierls 1988).
//!
//! Each column solves a triangular system whose pattern is found first by depth-first search, so
//! that the cost is that of the arithmetic. The search passes over what symmetric pruning (Eisenstat
//! and Liu 1993) shows to be reached anyway. The columns come in a given order (fill); the pivot row
//! is the column's own if it is large enough, else the largest. Columns without a pivot are left
//! out as in [`super::DenseLu`].

/// A pivot on the diagonal is taken when at least this part of the largest candidate.
const DIAGONAL_PREFERENCE: f64 = 0.1;
const NONE: u32 = u32::MAX;

/// Columns of triangular factors: `start[k]..start[k + 1]` are the entries of column k.
#[derive(Clone, Debug, Default)]
struct Columns {
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<f64>,
}

impl Columns {
    fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.row.clear();
        self.value.clear();
    }

    fn push(&mut self, row: u32, value: f64) {
        self.row.push(row);
        self.value.push(value);
    }

    fn close(&mut self) {
        self.start.push(self.row.len());
    }

    fn column(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.row[range.clone()], &self.value[range])
    }
}

#[derive(Clone, Debug, Default)]
pub struct SparseLu {
    n: usize,
    /// Strictly lower columns; rows are given by the matrix while factoring, by position after.
    l: Columns,
    /// Strictly upper columns, rows by position.
    u: Columns,
    /// Of column k of L the search looks at the entries before this place only.
    search_end: Vec<usize>,
    diagonal: Vec<f64>,
    /// Position → column of the matrix.
    order: Vec<u32>,
    /// Position → row of the matrix.
    pivot_row: Vec<u32>,
    /// Row of the matrix → position, `NONE` before it is a pivot row.
    position: Vec<u32>,
    dependent: Vec<usize>,
    x: Vec<f64>,
    mark: Vec<u32>,
    /// Depth-first search: (position, next entry to look at).
    stack: Vec<(u32, usize)>,
    /// Positions reached, in reverse topological order.
    reached: Vec<u32>,
    /// Rows reached that are not pivot rows yet.
    candidates: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl SparseLu {
    pub fn n(&self) -> usize {
        self.n
    }

    /// Columns found to depend on those eliminated before them in the last `factor`.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// 1 or −1 with the sign of the determinant, 0 if a column is dependent.
    pub fn determinant_sign(&self) -> f64 {
        if !self.dependent.is_empty() {
            return 0.0;
        }
        let negative = self.diagonal.iter().filter(|&&d| d < 0.0).count();
        let mut is_even = negative.is_multiple_of(2);
        // the permutation column → row, by its cycles
        let mut seen = vec![false; self.n];
        for k in 0..self.n {
            let mut at = k;
            while !seen[at] {
                seen[at] = true;
                at = self.position[self.order[at] as usize] as usize;
                is_even ^= at != k;
            }
        }
        if is_even { 1.0 } else { -1.0 }
    }

    /// Entries of both factors.
    pub fn stored(&self) -> usize {
        self.l.row.len() + self.u.row.len() + self.n
    }

    /// Factors the n × n matrix whose column j is given by `column(j, entries)` as (row, value), no
    /// row twice. Row j is the preferred pivot of column j. A pivot at most `tolerance` times the
    /// largest entry of its column makes the column dependent.
    pub fn factor(
        &mut self,
        order: impl Iterator<Item = usize>,
        tolerance: f64,
        mut column: impl FnMut(usize, &mut Vec<(u32, f64)>),
    ) {
        self.order.clear();
        self.order.extend(order.map(|j| j as u32));
        let n = self.order.len();
        self.n = n;
        self.l.clear();
        self.u.clear();
        self.diagonal.clear();
        self.search_end.clear();
        self.pivot_row.clear();
        self.dependent.clear();
        self.position.clear();
        self.position.resize(n, NONE);
        self.mark.clear();
        self.mark.resize(n, NONE);
        self.x.clear();
        self.x.resize(n, 0.0);
        for k in 0..n {
            let j = self.order[k];
            let mut entries = std::mem::take(&mut self.entries);
            entries.clear();
            column(j as usize, &mut entries);
            let size = self.scatter(k as u32, &entries);
            self.entries = entries;
            self.eliminate();
            self.choose_pivot(k, j, tolerance * size);
        }
        self.finish();
    }

    /// Puts a column into `x`, finds the positions and rows it reaches; gives its largest entry.
    fn scatter(&mut self, stamp: u32, entries: &[(u32, f64)]) -> f64 {
        self.reached.clear();
        self.candidates.clear();
        let mut size = 0.0_f64;
        for &(i, a) in entries {
            self.x[i as usize] = a;
            size = size.max(a.abs());
            if self.mark[i as usize] != stamp {
                self.search(stamp, i);
            }
        }
        size
    }

    fn search(&mut self, stamp: u32, row: u32) {
        self.mark[row as usize] = stamp;
        let root = self.position[row as usize];
        if root == NONE {
            self.candidates.push(row);
            return;
        }
        self.stack.push((root, self.l.start[root as usize]));
        while let Some((p, next)) = self.stack.last_mut() {
            let end = self.search_end[*p as usize];
            let mut descend = None;
            while *next < end {
                let i = self.l.row[*next] as usize;
                *next += 1;
                if self.mark[i] != stamp {
                    self.mark[i] = stamp;
                    if self.position[i] == NONE {
                        self.candidates.push(i as u32);
                    } else {
                        descend = Some(self.position[i]);
                        break;
                    }
                }
            }
            match descend {
                Some(q) => self.stack.push((q, self.l.start[q as usize])),
                None => {
                    self.reached.push(*p);
                    self.stack.pop();
                }
            }
        }
    }

    /// Solves `L x = column` on the pattern found.
    fn eliminate(&mut self) {
        for &p in self.reached.iter().rev() {
            let x_p = self.x[self.pivot_row[p as usize] as usize];
            if x_p != 0.0 {
                let (rows, values) = self.l.column(p as usize);
                for (&i, &l) in rows.iter().zip(values) {
                    self.x[i as usize] -= l * x_p;
                }
            }
        }
    }

    fn choose_pivot(&mut self, k: usize, j: u32, threshold: f64) {
        for &p in &self.reached {
            let row = self.pivot_row[p as usize] as usize;
            if self.x[row] != 0.0 {
                self.u.push(p, self.x[row]);
            }
            self.x[row] = 0.0;
        }
        self.u.close();
        let (mut best, mut row, mut own) = (0.0, NONE, 0.0);
        for &i in &self.candidates {
            let size = self.x[i as usize].abs();
            if size > best {
                (best, row) = (size, i);
            }
            if i == j {
                own = size;
            }
        }
        if !(best > threshold && best.is_finite()) {
            self.dependent.push(j as usize);
            self.diagonal.push(0.0);
            self.pivot_row.push(NONE);
            for &i in &self.candidates {
                self.x[i as usize] = 0.0;
            }
            self.l.close();
            self.search_end.push(self.l.row.len());
            return;
        }
        if own >= DIAGONAL_PREFERENCE * best {
            row = j;
        }
        let pivot = self.x[row as usize];
        self.diagonal.push(pivot);
        self.pivot_row.push(row);
        self.position[row as usize] = k as u32;
        for &i in &self.candidates {
            let x_i = self.x[i as usize];
            self.x[i as usize] = 0.0;
            // zeros by cancellation stay: pruning relies on the pattern
            if i != row {
                self.l.push(i, x_i / pivot);
            }
        }
        self.l.close();
        self.search_end.push(self.l.row.len());
        self.prune(row);
    }

    /// A column that column k needs and that reaches k's pivot row reaches everything else through
    /// k: of its entries only those in pivot rows matter to later searches.
    fn prune(&mut self, pivot_row: u32) {
        for &p in &self.reached {
            let (start, end) = (self.l.start[p as usize], self.l.start[p as usize + 1]);
            if self.search_end[p as usize] != end || !self.l.row[start..end].contains(&pivot_row) {
                continue;
            }
            let mut kept = start;
            for at in start..end {
                if self.position[self.l.row[at] as usize] != NONE {
                    self.l.row.swap(kept, at);
                    self.l.value.swap(kept, at);
                    kept += 1;
                }
            }
            self.search_end[p as usize] = kept;
        }
    }

    /// Gives left-over rows to dependent columns and turns rows of L into positions.
    fn finish(&mut self) {
        let mut row = 0;
        for k in 0..self.n {
            if self.pivot_row[k] == NONE {
                while self.position[row] != NONE {
                    row += 1;
                }
                self.pivot_row[k] = row as u32;
                self.position[row] = k as u32;
            }
        }
        for i in &mut self.l.row {
            *i = self.position[*i as usize];
        }
    }

    /// `x ← A⁻¹ x`; unknowns of dependent columns become zero. Zeros of x cost nothing.
    pub fn solve(&mut self, x: &mut [f64]) {
        assert_eq!(x.len(), self.n, "right-hand side has the wrong length");
        let y = &mut self.x;
        for (y_k, &row) in y.iter_mut().zip(&self.pivot_row) {
            *y_k = x[row as usize];
        }
        for k in 0..self.n {
            let y_k = y[k];
            if y_k != 0.0 {
                let (rows, values) = self.l.column(k);
                for (&i, &l) in rows.iter().zip(values) {
                    y[i as usize] -= l * y_k;
                }
            }
        }
        for k in (0..self.n).rev() {
            if y[k] == 0.0 {
                continue;
            }
            let d = self.diagonal[k];
            let y_k = if d == 0.0 { 0.0 } else { y[k] / d };
            y[k] = y_k;
            if y_k != 0.0 {
                let (rows, values) = self.u.column(k);
                for (&i, &u) in rows.iter().zip(values) {
                    y[i as usize] -= u * y_k;
                }
            }
        }
        for (y_k, &j) in y.iter_mut().zip(&self.order) {
            x[j as usize] = *y_k;
            *y_k = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::minimum_degree;
    use crate::matrix::{Csc, Matrix};

    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    fn sparse(n: usize, per_column: usize, seed: u64) -> Matrix {
        let mut next = random(seed);
        let mut triplets: Vec<_> =
            (0..n).map(|i| (i, i, if i % 5 == 0 { 0.0 } else { 1.0 })).collect();
        for j in 0..n {
            for _ in 0..per_column {
                triplets.push((((next() + 0.5) * n as f64) as usize % n, j, next()));
            }
        }
        Csc::from_triplets((n, n), &mut triplets).into()
    }

    fn factored(A: &Matrix, tolerance: f64) -> SparseLu {
        let mut lu = SparseLu::default();
        lu.factor(minimum_degree(A).into_iter(), tolerance, |j, entries| {
            A.for_column(j, |i, a| entries.push((i as u32, a)));
        });
        lu
    }

    #[test]
    fn it_solves_what_it_factored() {
        for n in [1, 2, 5, 20, 100, 300] {
            let A = sparse(n, 4, n as u64);
            let mut lu = factored(&A, 1e-14);
            if !lu.dependent().is_empty() {
                continue; // a structurally singular draw
            }
            let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let mut y = vec![0.0; n];
            A.affine(&x, &vec![0.0; n], &mut y);
            lu.solve(&mut y);
            let error = x.iter().zip(&y).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-8, "n = {n}: {error}");
        }
    }

    #[test]
    fn entries_that_cancel_do_not_hide_what_is_behind_them() {
        // a Delassus matrix is full of zeros by cancellation, and of redundant rows
        for contacts in [10, 40, 90] {
            let scene = crate::families::scenes::pile(contacts, &Default::default());
            let problem = scene.friction();
            let n = problem.n();
            let mut lu = SparseLu::default();
            lu.factor(minimum_degree(problem.W()).into_iter(), 1e-14, |j, entries| {
                problem.W().for_column(j, |i, w| {
                    entries.push((i as u32, if i == j { w + 0.01 } else { w }));
                });
            });
            let x: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
            let mut y: Vec<f64> = x.iter().map(|x_i| 0.01 * x_i).collect();
            let b = y.clone();
            problem.W().affine(&x, &b, &mut y);
            lu.solve(&mut y);
            let error = x.iter().zip(&y).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-9, "{contacts} contacts: {error}");
        }
    }

    #[test]
    fn the_sign_of_the_determinant_is_that_of_dense_elimination() {
        let mut negative = 0;
        for seed in 0..40 {
            let A = sparse(12, 3, seed);
            let sign = factored(&A, 1e-14).determinant_sign();
            let det = crate::MatX::from_fn(12, 12, |i, j| A.get(i, j)).determinant();
            assert_eq!(sign, if det.abs() < 1e-12 { 0.0 } else { det.signum() }, "seed {seed}");
            negative += usize::from(sign < 0.0);
        }
        assert!(negative > 5);
    }

    #[test]
    fn a_consistent_singular_system_is_solved() {
        // the last column repeats the first
        let n = 30;
        let A = sparse(n, 5, 3);
        let mut triplets = Vec::new();
        for j in 0..n {
            A.for_column(if j == n - 1 { 0 } else { j }, |i, a| triplets.push((i, j, a)));
        }
        let A: Matrix = Csc::from_triplets((n, n), &mut triplets).into();
        let mut lu = factored(&A, 1e-12);
        assert_eq!(lu.dependent().len(), 1);
        let mut b = vec![0.0; n];
        A.affine(&vec![1.0; n], &vec![0.0; n], &mut b);
        let mut x = b.clone();
        lu.solve(&mut x);
        let mut back = vec![0.0; n];
        A.affine(&x, &vec![0.0; n], &mut back);
        assert!(back.iter().zip(&b).all(|(p, q)| (p - q).abs() < 1e-9));
    }
}
