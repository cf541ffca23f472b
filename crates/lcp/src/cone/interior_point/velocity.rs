//! The linear system in velocities, for symmetric W.
//!
//! With `W' = B Bᵀ` (B has as many columns as W has rank: the degrees of freedom) and `w = Bᵀ y`,
//! the velocities are `B w + q'`, computed without the cancellation of large impulses, and
//!
//! ```text
//!  (I + Bᵀ S² C B) dw = Bᵀ S² (right + off) − (w − Bᵀ y) ,   dz = C B dw − off ,
//!  dy = S² (right − dz) ,
//! ```
//!
//! C adds the slip direction to the normal rows (C = I in the convex law). The matrix is far from
//! singular however redundant the contacts are, which is why mass ratios stop hurting.

use super::InteriorPointWorkspace;
use crate::cone::blocks::zeros;
use crate::cone::{Triple, block_times, norm};

/// Solves with one factorization at most.
const MAX_REFINEMENTS: usize = 6;

/// `W' = B Bᵀ`, B row by row with `stride` entries each, of which `rank` are used.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    b: Vec<f64>,
    stride: usize,
    rank: usize,
    /// Diagonal of what is left of W'.
    left: Vec<f64>,
    column: Vec<f64>,
    done: Vec<bool>,
    pub(super) w: Vec<f64>,
    pub(super) dw: Vec<f64>,
    step: Vec<f64>,
    /// One row of `S² C B` of a contact, three times.
    rows: [Vec<f64>; 3],
}

impl Root {
    fn row(&self, i: usize) -> &[f64] {
        &self.b[i * self.stride..i * self.stride + self.rank]
    }
}

impl InteriorPointWorkspace {
    /// Cholesky factor of W' with diagonal pivoting, stopped at rounding.
    pub(super) fn factor_root(&mut self) {
        self.slip.fill([0.0; 2]); // W' itself, without the slip directions
        let n = self.x.len();
        let mut root = std::mem::take(&mut self.root);
        root.stride = n;
        root.rank = 0;
        root.b.clear();
        root.b.resize(n * n, 0.0);
        root.left.clear();
        root.left.resize(n, 0.0);
        root.column.clear();
        root.column.resize(n, 0.0);
        root.done.clear();
        root.done.resize(n, false);
        for c in 0..self.blocks.contacts() {
            let B = self.scaled_block(&self.blocks.diagonal[c], c, c);
            for i in 0..self.offset[c + 1] - self.offset[c] {
                root.left[self.offset[c] + i] = B[4 * i];
            }
        }
        let largest = root.left.iter().fold(0.0, |m: f64, x| m.max(*x));
        while root.rank < n {
            let (mut pivot, mut best) = (n, 4.0 * f64::EPSILON * largest);
            for i in 0..n {
                if !root.done[i] && root.left[i] > best {
                    (pivot, best) = (i, root.left[i]);
                }
            }
            if pivot == n {
                break;
            }
            self.scaled_column(pivot, &mut root.column);
            let k = root.rank;
            let inverse = 1.0 / best.sqrt();
            for i in 0..n {
                if root.done[i] {
                    continue;
                }
                let (b_i, b_p) = (&root.b[i * n..i * n + k], &root.b[pivot * n..pivot * n + k]);
                let known: f64 = b_i.iter().zip(b_p).map(|(x, y)| x * y).sum();
                let entry = (root.column[i] - known) * inverse;
                root.b[i * n + k] = entry;
                if i != pivot {
                    root.left[i] -= entry * entry;
                }
            }
            root.b[pivot * n + k] = best.sqrt();
            root.done[pivot] = true;
            root.rank += 1;
        }
        for x in [&mut root.w, &mut root.dw, &mut root.step].into_iter().chain(&mut root.rows) {
            x.clear();
            x.resize(root.rank, 0.0);
        }
        self.root = root;
        self.momentum_of_y();
    }

    /// Row `i` of W', which is its column as well.
    fn scaled_column(&self, i: usize, column: &mut [f64]) {
        column.fill(0.0);
        let c = self.offset.partition_point(|&start| start <= i) - 1;
        let row = i - self.offset[c];
        let (columns, blocks) = self.blocks.row(c);
        let own = std::iter::once((&c, &self.blocks.diagonal[c]));
        for (&d, W) in columns.iter().zip(blocks).chain(own) {
            let B = self.scaled_block(W, c, d);
            for j in 0..self.offset[d + 1] - self.offset[d] {
                column[self.offset[d] + j] = B[3 * row + j];
            }
        }
    }

    /// `w = Bᵀ y`.
    fn momentum_of_y(&mut self) {
        let mut w = std::mem::take(&mut self.root.w);
        w.fill(0.0);
        self.add_transposed(&self.y, &mut w);
        self.root.w = w;
    }

    /// `out ← out + Bᵀ x`.
    fn add_transposed(&self, x: &[Triple], out: &mut [f64]) {
        for c in 0..self.blocks.contacts() {
            for i in 0..self.offset[c + 1] - self.offset[c] {
                let x_i = x[c][i];
                for (out, b) in out.iter_mut().zip(self.root.row(self.offset[c] + i)) {
                    *out += b * x_i;
                }
            }
        }
    }

    /// `B w` of contact c.
    pub(super) fn root_times(&self, c: usize, w: &[f64]) -> Triple {
        let mut out = [0.0; 3];
        for i in 0..self.offset[c + 1] - self.offset[c] {
            let row = self.root.row(self.offset[c] + i);
            out[i] = row.iter().zip(w).map(|(b, w)| b * w).sum();
        }
        out
    }

    /// Fills and factors `I + Bᵀ S² C B`.
    pub(super) fn factor_velocities(&mut self) {
        let (mut lu, mut rows) =
            (std::mem::take(&mut self.lu), std::mem::take(&mut self.root.rows));
        let rank = self.root.rank;
        lu.reset(rank);
        for j in 0..rank {
            lu.set(j, j, 1.0);
        }
        for c in 0..self.blocks.contacts() {
            let size = self.offset[c + 1] - self.offset[c];
            let mut G = self.scaling[c].square();
            for i in 0..3 {
                G[3 * i + 1] += G[3 * i] * self.slip[c][0];
                G[3 * i + 2] += G[3 * i] * self.slip[c][1];
            }
            for i in 0..size {
                rows[i].fill(0.0);
                for k in 0..size {
                    let row = self.root.row(self.offset[c] + k);
                    for (out, b) in rows[i].iter_mut().zip(row) {
                        *out += G[3 * i + k] * b;
                    }
                }
            }
            for j in 0..rank {
                let column = lu.column_mut(j);
                for i in 0..size {
                    let x = rows[i][j];
                    if x != 0.0 {
                        for (out, b) in column.iter_mut().zip(self.root.row(self.offset[c] + i)) {
                            *out += b * x;
                        }
                    }
                }
            }
        }
        lu.factor(0.0);
        (self.lu, self.root.rows) = (lu, rows);
    }

    /// The direction, refined: S² of a slipping contact spans many orders of magnitude.
    pub(super) fn direction_in_velocities(&mut self) {
        let k = self.blocks.contacts();
        let (mut dw, mut step) =
            (std::mem::take(&mut self.root.dw), std::mem::take(&mut self.root.step));
        dw.fill(0.0);
        zeros(&mut self.dy, k);
        for c in 0..k {
            self.dz[c] = self.off[c].map(|off| -off);
        }
        let mut last = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            // what is left of both equations
            for (step, (w, dw)) in step.iter_mut().zip(self.root.w.iter().zip(&dw)) {
                *step = -w - dw;
            }
            self.add_transposed(&self.y, &mut step);
            self.add_transposed(&self.dy, &mut step);
            for c in 0..k {
                let h = block_times(&self.scaling[c].inverse_square(), &self.dy[c]);
                self.rest[c] = std::array::from_fn(|i| self.right[c][i] - h[i] - self.dz[c][i]);
                self.change[c] =
                    self.padded(c, block_times(&self.scaling[c].square(), &self.rest[c]));
            }
            self.add_transposed(&self.change, &mut step);
            self.lu.solve(&mut step);
            let (mut correction, mut size) = (0.0_f64, 0.0_f64);
            for c in 0..k {
                let mut dz = self.root_times(c, &step);
                dz[0] += self.slip[c][0] * dz[1] + self.slip[c][1] * dz[2];
                let rest = std::array::from_fn(|i| self.rest[c][i] - dz[i]);
                self.rest[c] = dz;
                self.change[c] = self.padded(c, block_times(&self.scaling[c].square(), &rest));
                correction = correction.max(norm(&self.change[c]));
                size = size.max(norm(&self.dy[c]));
            }
            // stop when it no longer helps, and do not take what is worse
            if correction.is_nan() || correction >= 0.5 * last {
                break;
            }
            last = correction;
            for c in 0..k {
                for i in 0..3 {
                    self.dy[c][i] += self.change[c][i];
                    self.dz[c][i] += self.rest[c][i];
                }
            }
            for (dw, step) in dw.iter_mut().zip(&step) {
                *dw += step;
            }
            if correction <= 1e-14 * size {
                break;
            }
        }
        (self.root.dw, self.root.step) = (dw, step);
    }

    /// Zero beyond the rows that contact c has.
    fn padded(&self, c: usize, mut x: Triple) -> Triple {
        x[self.offset[c + 1] - self.offset[c]..].fill(0.0);
        x
    }
}
