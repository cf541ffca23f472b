//! What is computed from the basis by an LU factorization: the dictionary, the multipliers, a ray.

use super::super::twofold::Twofold;
use super::Simplex;

/// Corrections of the multipliers: each wins about as many digits as the basis leaves.
const CORRECTIONS: usize = 5;

impl Simplex {
    /// Computes T and the basic values from A. False if the basis is singular.
    pub(super) fn renew(&mut self) -> bool {
        let n = self.n;
        let J: Vec<usize> = self.basic.iter().copied().filter(|&v| v < n).collect();
        let I: Vec<usize> = self.nonbasic.iter().filter(|&&v| v >= n).map(|v| v - n).collect();
        let k = J.len();
        self.lu.reset(k);
        for (c, &j) in J.iter().enumerate() {
            for (r, &i) in I.iter().enumerate() {
                self.lu.set(r, c, self.A[j * n + i]);
            }
        }
        self.lu.factor(1e-13);
        if !self.lu.dependent().is_empty() {
            return false;
        }
        let place: Vec<usize> = (0..n).filter(|&r| self.basic[r] < n).collect();
        let mut dz = vec![0.0; k];
        for c in 0..self.width {
            let v = self.nonbasic[c];
            for (r, &i) in I.iter().enumerate() {
                dz[r] = if v < n { -self.A[v * n + i] } else { f64::from(v == n + i) };
            }
            self.lu.solve(&mut dz);
            for r in 0..n {
                let u = self.basic[r];
                if u >= n {
                    let own = if v < n { self.A[v * n + u - n] } else { 0.0 };
                    let through: f64 = (0..k).map(|p| self.A[J[p] * n + u - n] * dz[p]).sum();
                    self.T[r * n + c] = own + through;
                }
            }
            for (p, &r) in place.iter().enumerate() {
                self.T[r * n + c] = dz[p];
            }
        }
        // basic z from the rows whose w is known, corrected twice
        for _ in 0..3 {
            for (r, &i) in I.iter().enumerate() {
                dz[r] = self.x[n + i] - self.row_value(i);
            }
            self.lu.solve(&mut dz);
            for (p, &j) in J.iter().enumerate() {
                self.x[j] += dz[p];
            }
        }
        for r in 0..n {
            if self.basic[r] >= n {
                self.x[self.basic[r]] = self.row_value(self.basic[r] - n);
            }
        }
        self.x.iter().all(|x| x.is_finite())
    }

    /// After phase 1 ended `Optimal`: the multipliers `y_i` of the rows, `Aᵀy` zero on basic z.
    pub(in crate::farkas) fn multipliers(&mut self, y: &mut Vec<f64>) {
        let n = self.n;
        y.clear();
        y.resize(n, 0.0);
        let mut I = Vec::new();
        for c in 0..n {
            let v = self.nonbasic[c];
            if v >= n {
                y[v - n] = self.cost[c];
                I.push(v - n);
            }
        }
        let mut J = Vec::new();
        for r in 0..n {
            let v = self.basic[r];
            if v >= n {
                y[v - n] = -self.side(v);
            } else {
                J.push(v);
            }
        }
        // correct y on the rows I so that Aᵀy is the side of each basic z, y being rounded at last
        self.lu.reset(J.len());
        for (r, &j) in J.iter().enumerate() {
            for (c, &i) in I.iter().enumerate() {
                self.lu.set(r, c, self.A[j * n + i]);
            }
        }
        self.lu.factor(1e-13);
        let mut precise: Vec<Twofold> = y.iter().map(|&y_i| Twofold::of(y_i)).collect();
        let mut error = vec![0.0; J.len()];
        for _ in 0..CORRECTIONS {
            for (error_p, &j) in error.iter_mut().zip(&J) {
                let column = self.A[j * n..(j + 1) * n].iter().zip(&precise);
                let rest = column.fold(Twofold::of(self.side(j)), |sum, (a, y_i)| {
                    if *a == 0.0 { sum } else { sum.plus_product(-a, *y_i) }
                });
                *error_p = rest.value();
            }
            self.lu.solve(&mut error);
            for (&i, error_p) in I.iter().zip(&error) {
                precise[i] = precise[i].plus(*error_p);
            }
        }
        for (y_i, precise_i) in y.iter_mut().zip(&precise) {
            *y_i = precise_i.value();
        }
    }

    /// Keeps the direction of a step that nothing stops.
    pub(super) fn note_ray(&mut self, column: usize, direction: f64) {
        let n = self.n;
        self.ray.clear();
        self.ray.resize(n, 0.0);
        if self.nonbasic[column] < n {
            self.ray[self.nonbasic[column]] = direction;
        }
        for r in 0..n {
            if self.basic[r] < n {
                self.ray[self.basic[r]] = direction * self.T[r * n + column];
            }
        }
    }
}
