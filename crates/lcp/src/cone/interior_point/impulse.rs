//! The linear system in impulses, `(W' + S⁻²) dy = …`: any W, symmetric or not.

use super::InteriorPointWorkspace;
use crate::cone::blocks::zeros;
use crate::cone::{Triple, block_times, norm};

/// Solves with one factorization at most.
const MAX_REFINEMENTS: usize = 10;

impl InteriorPointWorkspace {
    /// Block (c, d) of W', the derivative of z' by y.
    pub(super) fn scaled_block(&self, W: &[f64; 9], c: usize, d: usize) -> [f64; 9] {
        let (left, right) = (self.a[c], self.a[d]);
        let (mu, nu) = (self.blocks.mu[c], self.blocks.mu[d]);
        let mut B = [0.0; 9];
        for j in 0..3 {
            let column = if j == 0 { right } else { right * nu };
            B[j] = left * W[j] * column;
            B[3 + j] = left * mu * W[3 + j] * column;
            B[6 + j] = left * mu * W[6 + j] * column;
            B[j] += self.slip[c][0] * B[3 + j] + self.slip[c][1] * B[6 + j];
        }
        B
    }

    /// Fills and factors `W' + S⁻²`.
    pub(super) fn factor_impulses(&mut self) {
        let mut lu = std::mem::take(&mut self.lu);
        lu.reset(self.x.len());
        let mut set = |c: usize, d: usize, B: &[f64; 9]| {
            for j in 0..self.offset[d + 1] - self.offset[d] {
                for i in 0..self.offset[c + 1] - self.offset[c] {
                    lu.set(self.offset[c] + i, self.offset[d] + j, B[3 * i + j]);
                }
            }
        };
        for c in 0..self.blocks.contacts() {
            let (columns, blocks) = self.blocks.row(c);
            for (&d, W) in columns.iter().zip(blocks) {
                set(c, d, &self.scaled_block(W, c, d));
            }
            let mut B = self.scaled_block(&self.blocks.diagonal[c], c, c);
            let H = self.scaling[c].inverse_square();
            for (b, h) in B.iter_mut().zip(H) {
                *b += h;
            }
            set(c, c, &B);
        }
        lu.factor(0.0);
        self.lu = lu;
    }

    /// `(W' + S⁻²) dy = right + z − z'`, `dz = W' dy − (z − z')`.
    ///
    /// Redundant contacts make W' singular, and S⁻² vanishes with the gap where contacts stick: the
    /// matrix is as good as singular near the end, and only refinement keeps the direction true.
    pub(super) fn direction_in_impulses(&mut self) {
        let k = self.blocks.contacts();
        zeros(&mut self.dy, k);
        zeros(&mut self.dz, k);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            for c in 0..k {
                let h = block_times(&self.scaling[c].inverse_square(), &self.dy[c]);
                for i in 0..self.offset[c + 1] - self.offset[c] {
                    self.x[self.offset[c] + i] =
                        self.right[c][i] + self.off[c][i] - (self.dz[c][i] + h[i]);
                }
            }
            self.lu.solve(&mut self.x);
            let (mut correction, mut size) = (0.0_f64, 0.0_f64);
            for c in 0..k {
                let d = self.scattered(c);
                correction = correction.max(norm(&d));
                size = size.max(norm(&self.dy[c]));
            }
            // stop when it no longer helps, and do not take what is worse
            if correction.is_nan() || correction >= 0.5 * last {
                break;
            }
            last = correction;
            for c in 0..k {
                let d = self.scattered(c);
                for i in 0..3 {
                    self.dy[c][i] += d[i];
                }
            }
            self.multiply();
            if correction <= 1e-12 * size {
                break;
            }
        }
        for c in 0..k {
            for i in 0..self.offset[c + 1] - self.offset[c] {
                self.dz[c][i] -= self.off[c][i];
            }
        }
    }

    /// The rows of contact c in x.
    pub(super) fn scattered(&self, c: usize) -> Triple {
        let mut out = [0.0; 3];
        let rows = self.offset[c]..self.offset[c + 1];
        out[..rows.len()].copy_from_slice(&self.x[rows]);
        out
    }

    /// `dz = W' dy`.
    fn multiply(&mut self) {
        for c in 0..self.blocks.contacts() {
            let mut w = [0.0; 3];
            let (columns, blocks) = self.blocks.row(c);
            let own = std::iter::once((&c, &self.blocks.diagonal[c]));
            for (&d, W) in columns.iter().zip(blocks).chain(own) {
                let (a, mu) = (self.a[d], self.blocks.mu[d]);
                let dy = [a * self.dy[d][0], a * mu * self.dy[d][1], a * mu * self.dy[d][2]];
                let x = block_times(W, &dy);
                w = [w[0] + x[0], w[1] + x[1], w[2] + x[2]];
            }
            let (a, mu) = (self.a[c], self.blocks.mu[c]);
            w = [a * w[0], a * mu * w[1], a * mu * w[2]];
            w[0] += self.slip[c][0] * w[1] + self.slip[c][1] * w[2];
            self.dz[c] = w;
        }
    }
}
