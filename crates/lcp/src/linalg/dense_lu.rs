//! `P A = L U` of a dense matrix, partial pivoting, blocked.
//!
//! A column without an acceptable pivot is *dependent*: it is left out, its unknown is zero in every
//! solve, and the equation left over with it is not enforced. A consistent singular system is thus
//! solved, an inconsistent one shows in the residual.
//!
//! Cost: 2n³/3. Panels of eight columns, so that each trailing column is read once per eight ranks.

const PANEL: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    n: usize,
    /// L below the diagonal, U on and above, column by column.
    a: Vec<f64>,
    /// Row exchanged with row k at step k.
    pivot: Vec<usize>,
    dependent: Vec<usize>,
    column_size: Vec<f64>,
}

impl DenseLu {
    pub fn new(n: usize) -> Self {
        let mut lu = Self::default();
        lu.reserve(n);
        lu
    }

    /// Forgets the factors; matrices of up to n rows need no allocation afterwards.
    pub fn reserve(&mut self, n: usize) {
        self.reset(0);
        self.a.reserve(n * n);
        self.pivot.clear();
        self.pivot.reserve(n);
        self.dependent.clear();
        self.dependent.reserve(n);
        self.column_size.clear();
        self.column_size.reserve(n);
    }

    pub fn n(&self) -> usize {
        self.n
    }

    /// Columns found to depend on those before them in the last `factor`.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// Becomes an n × n matrix of zeros, to be filled by [`DenseLu::set`] and factored.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
    }

    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.a[j * self.n + i] = value;
    }

    /// Column j, to be filled before `factor`.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        let n = self.n;
        &mut self.a[j * n..(j + 1) * n]
    }

    /// Factors in place. A pivot at most `tolerance` times the largest entry of its column before
    /// elimination makes the column dependent.
    pub fn factor(&mut self, tolerance: f64) {
        let n = self.n;
        self.dependent.clear();
        self.pivot.clear();
        self.column_size.clear();
        for j in 0..n {
            let size = self.a[j * n..(j + 1) * n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            self.column_size.push(size);
        }
        let mut k0 = 0;
        while k0 < n {
            let k1 = (k0 + PANEL).min(n);
            self.factor_panel(k0, k1, tolerance);
            for j in k1..n {
                self.update_column(j, k0, k1);
            }
            k0 = k1;
        }
    }

    fn factor_panel(&mut self, k0: usize, k1: usize, tolerance: f64) {
        let n = self.n;
        for k in k0..k1 {
            let column = &self.a[k * n..(k + 1) * n];
            let (mut best, mut row) = (0.0, k);
            for (i, x) in column.iter().enumerate().skip(k) {
                if x.abs() > best {
                    (best, row) = (x.abs(), i);
                }
            }
            self.pivot.push(row);
            if !(best > tolerance * self.column_size[k]) {
                self.dependent.push(k);
                self.pivot[k] = k;
                self.a[k * n + k..(k + 1) * n].fill(0.0);
                continue;
            }
            if row != k {
                // the whole row within the panel and to its left; later columns when updated
                for j in 0..k1 {
                    self.a.swap(j * n + k, j * n + row);
                }
            }
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let l = &mut left[k * n..];
            let inverse = 1.0 / l[k];
            for x in &mut l[k + 1..] {
                *x *= inverse;
            }
            for j in k + 1..k1 {
                let y = &mut right[(j - k - 1) * n..(j - k) * n];
                let u = y[k];
                if u != 0.0 {
                    for (y_i, l_i) in y[k + 1..].iter_mut().zip(&l[k + 1..]) {
                        *y_i -= l_i * u;
                    }
                }
            }
        }
    }

    /// Applies exchanges and eliminations k0..k1 to column j.
    fn update_column(&mut self, j: usize, k0: usize, k1: usize) {
        let n = self.n;
        let (left, right) = self.a.split_at_mut(j * n);
        let y = &mut right[..n];
        for k in k0..k1 {
            y.swap(k, self.pivot[k]);
        }
        let mut u = [0.0; PANEL];
        for k in k0..k1 {
            u[k - k0] = y[k];
            let l = &left[k * n..(k + 1) * n];
            for i in k + 1..k1 {
                y[i] -= l[i] * u[k - k0];
            }
        }
        if k1 - k0 == PANEL {
            let l: [&[f64]; PANEL] =
                std::array::from_fn(|p| &left[(k0 + p) * n + k1..(k0 + p + 1) * n]);
            let y = &mut y[k1..];
            for (i, y_i) in y.iter_mut().enumerate() {
                let a = l[0][i] * u[0] + l[1][i] * u[1] + (l[2][i] * u[2] + l[3][i] * u[3]);
                let b = l[4][i] * u[4] + l[5][i] * u[5] + (l[6][i] * u[6] + l[7][i] * u[7]);
                *y_i -= a + b;
            }
        } else {
            for k in k0..k1 {
                let l = &left[k * n + k1..(k + 1) * n];
                for (y_i, l_i) in y[k1..].iter_mut().zip(l) {
                    *y_i -= l_i * u[k - k0];
                }
            }
        }
    }

    /// `x ← A⁻¹ x`; unknowns of dependent columns become zero.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        assert_eq!(x.len(), n, "right-hand side has the wrong length");
        for k in 0..n {
            x.swap(k, self.pivot[k]);
        }
        for k in 0..n {
            let x_k = x[k];
            if x_k != 0.0 {
                let l = &self.a[k * n + k + 1..(k + 1) * n];
                for (x_i, l_i) in x[k + 1..].iter_mut().zip(l) {
                    *x_i -= l_i * x_k;
                }
            }
        }
        for k in (0..n).rev() {
            let u = &self.a[k * n..k * n + k + 1];
            let x_k = if u[k] == 0.0 { 0.0 } else { x[k] / u[k] };
            x[k] = x_k;
            if x_k != 0.0 {
                for (x_i, u_i) in x[..k].iter_mut().zip(u) {
                    *x_i -= u_i * x_k;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(n: usize, seed: u64) -> (Vec<f64>, DenseLu) {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let a: Vec<f64> = (0..n * n).map(|_| random()).collect();
        let mut lu = DenseLu::default();
        lu.reset(n);
        for j in 0..n {
            lu.column_mut(j).copy_from_slice(&a[j * n..(j + 1) * n]);
        }
        (a, lu)
    }

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        let n = x.len();
        (0..n).map(|i| (0..n).map(|j| a[j * n + i] * x[j]).sum()).collect()
    }

    #[test]
    fn it_solves_what_it_factored() {
        for n in [1, 2, 7, 8, 9, 16, 23, 64, 101] {
            let (a, mut lu) = filled(n, n as u64);
            lu.factor(1e-14);
            let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let mut y = times(&a, &x);
            lu.solve(&mut y);
            let error = x.iter().zip(&y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
            assert!(error < 1e-8, "n = {n}: {error}");
        }
    }

    #[test]
    fn a_consistent_singular_system_is_solved() {
        let n = 12;
        let (mut a, mut lu) = filled(n, 5);
        for i in 0..n {
            a[7 * n + i] = a[2 * n + i] - 2.0 * a[4 * n + i]; // column 7 depends on 2 and 4
        }
        for j in 0..n {
            lu.column_mut(j).copy_from_slice(&a[j * n..(j + 1) * n]);
        }
        lu.factor(1e-12);
        assert_eq!(lu.dependent(), [7]);
        let y = times(&a, &[1.0; 12]);
        let mut x = y.clone();
        lu.solve(&mut x);
        assert_eq!(x[7], 0.0);
        let back = times(&a, &x);
        assert!(back.iter().zip(&y).all(|(p, q)| (p - q).abs() < 1e-9), "{back:?} {y:?}");
    }
}
