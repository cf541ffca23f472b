//! Impulses along the rows of the beginning of a step that change the rates of the rows at its end.
//!
//! ```text
//!  J⁺ M⁻¹ Jᵀ p = r                                J = Rᵀ Q,  J⁺ = R⁺ᵀ Q⁺  (see `solve`)
//!  G c = R⁺⁻ᵀ r,  p = R⁻¹ c                       G = Q⁺ D⁻¹ Qᵀ
//! ```
//!
//! Where a mechanism passes a position in which it could branch, as a parallelogram with all its bars in one
//! line, a row changes its sign in between: with J in place of J⁺ the rounds of `close` would go the
//! wrong way. G holds cosines between the rows of the two moments. It is eliminated with the largest cosine
//! of all that are left as the pivot, so units do not matter, and any ranks will do.

use crate::constraint::rows::RowSet;
use crate::constraint::solve::{DEPENDENT, RowSolver, make_room, resize};
use crate::tree::matrix::TreeFactor;
use crate::tree::pattern::TreePattern;

/// Memory for the factors; it does not grow once it has seen its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndSolver {
    next: RowSolver,
    /// Row-major; the multipliers of the elimination stand where it made zeros.
    G: Vec<f64>,
    /// Row and column of each pivot.
    pivots: Vec<(usize, usize)>,
    rows_left: Vec<usize>,
    columns_left: Vec<usize>,
    s: Vec<f64>,
}

impl EndSolver {
    /// Makes room for m rows over nv velocities: the first use may come in any step, and none allocates.
    pub(crate) fn reserve(&mut self, m: usize, nv: usize) {
        self.next.reserve(m, nv);
        make_room(&mut self.G, m * m);
        make_room(&mut self.pivots, m);
        make_room(&mut self.rows_left, m);
        make_room(&mut self.columns_left, m);
        make_room(&mut self.s, m);
    }

    /// Orthogonalizes the rows of the end, whose compliances are `eps`, and factors G. `first` holds the rows
    /// of the beginning.
    pub(crate) fn factor(
        &mut self,
        pattern: &TreePattern,
        M: &TreeFactor,
        (rows, eps): (&RowSet, &[f64]),
        first: &RowSolver,
    ) {
        self.next.factor(pattern, M, rows, eps);
        let m = first.m;
        resize(&mut self.G, m * m);
        for i in 0..m {
            for j in 0..m {
                if self.next.delta[i] > 0.0 && first.delta[j] > 0.0 {
                    self.G[i * m + j] = self.next.product(i, first, j);
                }
            }
        }
        self.pivots.clear();
        self.rows_left.clear();
        self.rows_left.extend((0..m).filter(|&i| self.next.delta[i] > 0.0));
        self.columns_left.clear();
        self.columns_left.extend((0..m).filter(|&j| first.delta[j] > 0.0));
        while let Some((row, column)) = self.largest(first) {
            self.rows_left.retain(|&i| i != row);
            self.columns_left.retain(|&j| j != column);
            self.eliminate(m, row, column);
            self.pivots.push((row, column));
        }
    }

    /// The largest cosine that is left, if it is one.
    fn largest(&self, first: &RowSolver) -> Option<(usize, usize)> {
        let (mut found, mut best) = (None, DEPENDENT * DEPENDENT);
        for &i in &self.rows_left {
            for &j in &self.columns_left {
                let g = self.G[i * first.m + j];
                let squared = g * g / (self.next.delta[i] * first.delta[j]);
                if squared > best {
                    (found, best) = (Some((i, j)), squared);
                }
            }
        }
        found
    }

    fn eliminate(&mut self, m: usize, row: usize, column: usize) {
        for &i in &self.rows_left {
            let l = self.G[i * m + column] / self.G[row * m + column];
            self.G[i * m + column] = l;
            for &j in &self.columns_left {
                self.G[i * m + j] -= l * self.G[row * m + j];
            }
        }
    }

    /// The p along the rows of the beginning that change the rates of those of the end by r.
    pub(crate) fn solve(&mut self, first: &RowSolver, r: &[f64], p: &mut [f64]) {
        let m = first.m;
        self.s.clear();
        self.s.extend_from_slice(r);
        self.next.solve_transposed(&mut self.s);
        for (done, &(row, column)) in self.pivots.iter().enumerate() {
            for &(i, _) in &self.pivots[done + 1..] {
                self.s[i] -= self.G[i * m + column] * self.s[row];
            }
        }
        p.fill(0.0);
        for (done, &(row, column)) in self.pivots.iter().enumerate().rev() {
            let later = self.pivots[done + 1..].iter();
            let rest: f64 = later.map(|&(_, j)| self.G[row * m + j] * p[j]).sum();
            p[column] = (self.s[row] - rest) / self.G[row * m + column];
        }
        first.solve_upper(p);
    }
}
