//! Symmetric matrices with the pattern of a tree, and their factorization `M = Lᵀ D L`.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 6.5. Eliminating from the leaves to the
//! root causes no fill: L has the pattern of M. Each row is stored from the root to the diagonal, and
//! the row of an ancestor is a prefix of it (see [`TreePattern`]), so every inner loop runs over
//! neighbouring numbers. Cost: Σ depth² for the factorization, Σ depth for a solve. No square roots.

use crate::math::MatX;
use crate::tree::pattern::TreePattern;

/// Entries of a symmetric matrix, row by row: ancestors from the root, then the diagonal.
#[derive(Clone, Debug)]
pub struct TreeMatrix {
    pub(crate) values: Vec<f64>,
}

/// `M = Lᵀ D L`: L has a unit diagonal, D is diagonal and positive.
#[derive(Clone, Debug)]
pub struct TreeFactor {
    /// Rows as in [`TreeMatrix`]: L below the diagonal, D on it.
    pub(crate) values: Vec<f64>,
}

/// The pivot of this velocity is not positive: the matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositiveDefinite(pub usize);

impl TreeMatrix {
    pub fn new(pattern: &TreePattern) -> Self {
        Self { values: vec![0.0; pattern.ancestors.len()] }
    }

    pub fn row(&self, pattern: &TreePattern, i: usize) -> &[f64] {
        &self.values[pattern.start[i]..pattern.start[i + 1]]
    }

    pub(crate) fn diagonal(&self, pattern: &TreePattern, i: usize) -> f64 {
        self.row(pattern, i)[pattern.row(i).len() - 1]
    }

    pub fn row_mut(&mut self, pattern: &TreePattern, i: usize) -> &mut [f64] {
        &mut self.values[pattern.start[i]..pattern.start[i + 1]]
    }

    /// Both triangles, zeros included.
    pub fn to_dense(&self, pattern: &TreePattern) -> MatX {
        let mut dense = MatX::zeros(pattern.n(), pattern.n());
        for i in 0..pattern.n() {
            for (&j, &m) in pattern.row(i).iter().zip(self.row(pattern, i)) {
                dense[(i, j as usize)] = m;
                dense[(j as usize, i)] = m;
            }
        }
        dense
    }

    /// `y ← M x`.
    pub fn multiply(&self, pattern: &TreePattern, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for i in 0..pattern.n() {
            let mut sum = 0.0;
            for (&j, &m) in pattern.row(i).iter().zip(self.row(pattern, i)) {
                let j = j as usize;
                sum += m * x[j];
                if j != i {
                    y[j] += m * x[i];
                }
            }
            y[i] += sum;
        }
    }
}

impl TreeFactor {
    pub fn new(pattern: &TreePattern) -> Self {
        Self { values: vec![0.0; pattern.ancestors.len()] }
    }

    /// Factors `M + diag(added)`.
    pub fn factor(
        &mut self,
        pattern: &TreePattern,
        M: &TreeMatrix,
        added: &[f64],
    ) -> Result<(), NotPositiveDefinite> {
        self.values.copy_from_slice(&M.values);
        for k in 0..pattern.n() {
            self.values[pattern.start[k + 1] - 1] += added[k];
        }
        for k in (0..pattern.n()).rev() {
            let (above, row_k) = self.values.split_at_mut(pattern.start[k]);
            let depth = pattern.depth(k);
            let row_k = &mut row_k[..=depth];
            let pivot = row_k[depth];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(NotPositiveDefinite(k));
            }
            let ancestors = pattern.row(k);
            // from the nearest ancestor up: row_k keeps its values to the left
            for place in (0..depth).rev() {
                if row_k[place] == 0.0 {
                    continue;
                }
                let l = row_k[place] / pivot;
                let i = ancestors[place] as usize;
                let row_i = &mut above[pattern.start[i]..=pattern.start[i] + place];
                take_multiple(row_i, l, &row_k[..=place]);
                row_k[place] = l;
            }
        }
        Ok(())
    }

    /// Row i of L without its diagonal, the ancestors of i from the root on.
    #[inline]
    pub(crate) fn row_below(&self, pattern: &TreePattern, i: usize) -> &[f64] {
        &self.values[pattern.start[i]..pattern.start[i + 1] - 1]
    }

    /// Entry k of D.
    pub fn pivot(&self, pattern: &TreePattern, k: usize) -> f64 {
        self.values[pattern.start[k + 1] - 1]
    }

    /// `x ← L⁻ᵀ x`: leaves to root.
    pub fn solve_transposed(&self, pattern: &TreePattern, x: &mut [f64]) {
        for i in (0..pattern.n()).rev() {
            self.eliminate(pattern, i, x);
        }
    }

    /// The part of [`TreeFactor::solve_transposed`] that velocity i has in it: of those that x has, and their ancestors, in
    /// descending order, it is the whole.
    #[inline]
    pub(crate) fn eliminate(&self, pattern: &TreePattern, i: usize, x: &mut [f64]) {
        let x_i = x[i];
        if x_i == 0.0 {
            return;
        }
        let row = pattern.start[i]..pattern.start[i + 1] - 1;
        for (&j, l) in pattern.ancestors[row.clone()].iter().zip(&self.values[row]) {
            x[j as usize] -= l * x_i;
        }
    }

    /// The same for three x at once.
    #[inline]
    pub(crate) fn eliminate_three(&self, pattern: &TreePattern, i: usize, x: &mut [[f64; 3]]) {
        let x_i = x[i];
        if x_i == [0.0; 3] {
            return;
        }
        let row = pattern.start[i]..pattern.start[i + 1] - 1;
        for (&j, l) in pattern.ancestors[row.clone()].iter().zip(&self.values[row]) {
            let x_j = &mut x[j as usize];
            (0..3).for_each(|a| x_j[a] -= l * x_i[a]);
        }
    }

    /// `x ← D⁻¹ x`.
    pub fn solve_diagonal(&self, pattern: &TreePattern, x: &mut [f64]) {
        for i in 0..pattern.n() {
            x[i] /= self.pivot(pattern, i);
        }
    }

    /// `x ← L⁻¹ x`: root to leaves.
    pub fn solve_lower(&self, pattern: &TreePattern, x: &mut [f64]) {
        for i in 0..pattern.n() {
            let row = pattern.start[i]..pattern.start[i + 1] - 1;
            let mut sum = 0.0;
            for (&j, l) in pattern.ancestors[row.clone()].iter().zip(&self.values[row]) {
                sum += l * x[j as usize];
            }
            x[i] -= sum;
        }
    }

    /// `xᵀ M x = Σ D_i (L x)_i²`.
    pub fn square(&self, pattern: &TreePattern, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..pattern.n() {
            let row = pattern.start[i]..pattern.start[i + 1] - 1;
            let mut y = x[i];
            for (&j, l) in pattern.ancestors[row.clone()].iter().zip(&self.values[row]) {
                y += l * x[j as usize];
            }
            sum += self.pivot(pattern, i) * y * y;
        }
        sum
    }

    /// `x ← M⁻¹ x`.
    pub fn solve(&self, pattern: &TreePattern, x: &mut [f64]) {
        self.solve_transposed(pattern, x);
        self.solve_diagonal(pattern, x);
        self.solve_lower(pattern, x);
    }
}

/// `a −= l b`, two at a time: rows are short.
#[inline(always)]
fn take_multiple(a: &mut [f64], l: f64, b: &[f64]) {
    let ((a, a_last), (b, b_last)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
    for (a, b) in a.iter_mut().zip(b) {
        *a = [a[0] - l * b[0], a[1] - l * b[1]];
    }
    if let ([a], [b]) = (a_last, b_last) {
        *a -= l * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of seven velocities with two branches, and a positive definite matrix on it.
    fn example() -> (TreePattern, TreeMatrix) {
        let parent = [None, Some(0), Some(1), Some(1), Some(3), Some(0), None];
        let pattern = TreePattern::new(&parent);
        let mut M = TreeMatrix::new(&pattern);
        for i in 0..7 {
            let depth = pattern.depth(i);
            for (place, m) in M.row_mut(&pattern, i).iter_mut().enumerate() {
                *m = if place == depth { 5.0 + i as f64 } else { 0.3 + 0.1 * (place + i) as f64 };
            }
        }
        (pattern, M)
    }

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        let (pattern, M) = example();
        let mut F = TreeFactor::new(&pattern);
        let added = [0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.25];
        F.factor(&pattern, &M, &added).expect("positive definite");
        let n = pattern.n();
        let mut L = MatX::identity(n, n);
        let mut D = MatX::zeros(n, n);
        for i in 0..n {
            for (place, &j) in pattern.row(i).iter().enumerate() {
                if j as usize != i {
                    L[(i, j as usize)] = F.values[pattern.start[i] + place];
                }
            }
            D[(i, i)] = F.pivot(&pattern, i);
        }
        let mut expected = M.to_dense(&pattern);
        for i in 0..n {
            expected[(i, i)] += added[i];
        }
        assert!((L.transpose() * D * L - expected).amax() < 1e-14);
    }

    #[test]
    fn solve_undoes_multiply() {
        let (pattern, M) = example();
        let mut F = TreeFactor::new(&pattern);
        F.factor(&pattern, &M, &[0.0; 7]).expect("positive definite");
        let x = [1.0, -2.0, 0.5, 3.0, -1.0, 0.25, 4.0];
        let mut y = [0.0; 7];
        M.multiply(&pattern, &x, &mut y);
        let square: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        assert!((F.square(&pattern, &x) - square).abs() < 1e-13 * square);
        F.solve(&pattern, &mut y);
        for (x, y) in x.iter().zip(&y) {
            assert!((x - y).abs() < 1e-14);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_named_by_its_velocity() {
        let (pattern, mut M) = example();
        let mut F = TreeFactor::new(&pattern);
        *M.row_mut(&pattern, 4).last_mut().expect("diagonal") = -1.0;
        assert_eq!(F.factor(&pattern, &M, &[0.0; 7]), Err(NotPositiveDefinite(4)));
        *M.row_mut(&pattern, 4).last_mut().expect("diagonal") = f64::NAN;
        assert_eq!(F.factor(&pattern, &M, &[0.0; 7]), Err(NotPositiveDefinite(4)));
    }
}
