//! `A = L Lᵀ` of a principal submatrix that grows and shrinks by a row at a time, O(c²) each.

#[derive(Clone, Debug, Default)]
pub(super) struct Cholesky {
    /// Row i of L begins at `i * stride`.
    l: Vec<f64>,
    stride: usize,
    rows: usize,
}

impl Cholesky {
    /// Becomes empty, with room for n rows.
    pub(super) fn reset(&mut self, n: usize) {
        self.l.clear();
        self.l.resize(n * n, 0.0);
        (self.stride, self.rows) = (n, 0);
    }

    /// Appends the row `a` (against the rows before it) with this diagonal. False, and nothing is
    /// changed, if what is left of the diagonal is at most `tolerance` times the diagonal.
    pub(super) fn append(
        &mut self,
        a: impl Iterator<Item = f64>,
        diagonal: f64,
        tolerance: f64,
    ) -> bool {
        let (rows, stride) = (self.rows, self.stride);
        let (before, row) = self.l.split_at_mut(rows * stride);
        let mut rest = diagonal;
        for (j, a_j) in a.take(rows).enumerate() {
            let l_j = &before[j * stride..=j * stride + j];
            let sum: f64 = l_j[..j].iter().zip(&row[..j]).map(|(l, x)| l * x).sum();
            row[j] = (a_j - sum) / l_j[j];
            rest -= row[j] * row[j];
        }
        let independent = rest > tolerance * diagonal && rest > 0.0;
        if independent {
            row[rows] = rest.sqrt();
            self.rows += 1;
        }
        independent
    }

    /// Takes out row and column k, later ones move up.
    pub(super) fn remove(&mut self, k: usize) {
        let stride = self.stride;
        for i in k + 1..self.rows {
            self.l.copy_within(i * stride..=i * stride + i, (i - 1) * stride);
        }
        self.rows -= 1;
        // rows from k on now have one entry beyond the diagonal: rotate it away, column by column
        for j in k..self.rows {
            let (x, y) = (self.l[j * stride + j], self.l[j * stride + j + 1]);
            let r = x.hypot(y);
            let (c, s) = (x / r, y / r);
            for i in j..self.rows {
                let (x, y) = (self.l[i * stride + j], self.l[i * stride + j + 1]);
                self.l[i * stride + j] = c * x + s * y;
                self.l[i * stride + j + 1] = c * y - s * x;
            }
        }
    }

    /// `x ← A⁻¹ x`.
    pub(super) fn solve(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.rows, "right-hand side has the wrong length");
        for i in 0..self.rows {
            let row = &self.l[i * self.stride..=i * self.stride + i];
            let sum: f64 = row[..i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - sum) / row[i];
        }
        for i in (0..self.rows).rev() {
            let row = &self.l[i * self.stride..=i * self.stride + i];
            x[i] /= row[i];
            let x_i = x[i];
            for (x_j, l) in x[..i].iter_mut().zip(row) {
                *x_j -= l * x_i;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, gram};

    #[test]
    fn growing_and_shrinking_equals_factoring_afresh() {
        let mut random = Random::new(1);
        let A = gram(9, 9, 0.1, &mut random);
        let mut factor = Cholesky::default();
        factor.reset(9);
        let mut rows: Vec<usize> = Vec::new();
        for (add, take) in [(4, None), (0, Some(0)), (7, None), (2, Some(3)), (8, Some(1))] {
            assert!(factor.append(rows.iter().map(|&i| A[(i, add)]), A[(add, add)], 1e-12));
            rows.push(add);
            if let Some(k) = take {
                factor.remove(k.min(rows.len() - 1));
                rows.remove(k.min(rows.len() - 1));
            }
            let mut x: Vec<f64> =
                rows.iter().map(|&i| rows.iter().map(|&j| A[(i, j)] * j as f64).sum()).collect();
            factor.solve(&mut x);
            let close = x.iter().zip(&rows).all(|(x, &j)| (x - j as f64).abs() < 1e-12);
            assert!(close, "{rows:?}: {x:?}");
        }
    }

    #[test]
    fn a_dependent_row_is_refused() {
        let mut factor = Cholesky::default();
        factor.reset(2);
        assert!(factor.append([].into_iter(), 4.0, 1e-12));
        assert!(!factor.append([2.0].into_iter(), 1.0, 1e-12));
        assert!(!factor.append([2.0].into_iter(), f64::NAN, 1e-12));
        assert!(factor.append([2.0].into_iter(), 2.0, 1e-12));
    }
}
