//! Impulses of bilateral rows: `(J M⁻¹ Jᵀ + ε) p = r`, for any rank.
//!
//! # Method
//!
//! With `M = Lᵀ D L` and `y_k = L⁻ᵀ J_kᵀ` the matrix of the rows is the Gram matrix of the y in the inner
//! product of D⁻¹; a compliance ε_k is one more coordinate that only row k has, with weight ε_k.
//! Gram–Schmidt, each row twice, gives `W = Rᵀ diag(δ) R` without ever forming W, so that the rank is read
//! off vectors and not off their squares. A row whose remainder is below [`DEPENDENT`] of its own length
//! depends on the rows before it: it is redundant, gets no impulse, and is reported. No square root is
//! taken and every sum is of one unit, so units that differ by powers of two give the same bits.
//!
//! # Cost
//!
//! At most m² (nv + m) for m rows; rows that share no velocities and no rows between them cost nothing
//! together. No allocation when m and nv have not grown.
//!
//! # When it fails
//!
//! Redundant rows that contradict each other cannot all hold: the residual of the dropped ones says so.

use std::ops::Range;

use crate::constraint::rows::RowSet;
use crate::tree::matrix::TreeFactor;
use crate::tree::pattern::TreePattern;

/// The sine of the angle between a row and the span of those before it below which the row is redundant.
/// Rounding leaves 1e-15 times the condition of the tree's factors; mass ratios of 1e12 leave 1e-6.
pub const DEPENDENT: f64 = 1e-9;

/// Memory for the factors of a set of rows.
#[derive(Clone, Debug, Default)]
pub struct RowSolver {
    m: usize,
    /// nv + m
    length: usize,
    /// The orthogonalized rows, one after the other, and where each differs from zero.
    Q: Vec<f64>,
    spans: Vec<Spans>,
    /// 1/D for the velocities, ε for the rows' own coordinates.
    weight: Vec<f64>,
    /// Unit upper triangle, row-major.
    R: Vec<f64>,
    /// Squared lengths of the orthogonalized rows; zero where a row is redundant.
    delta: Vec<f64>,
    rank: usize,
}

/// Where a row differs from zero: a range of velocities and a range of the rows' own coordinates.
#[derive(Clone, Debug, Default)]
struct Spans([Range<usize>; 2]);

impl Spans {
    /// Of row k, whose own coordinate is at nv + k and counts if the row is compliant.
    fn new(y: &[f64], k: usize, eps: f64) -> Self {
        let nv_part = match y.iter().position(|y| *y != 0.0) {
            Some(first) => first..y.iter().rposition(|y| *y != 0.0).map_or(first, |last| last + 1),
            None => 0..0,
        };
        let own = y.len() + k;
        Self([nv_part, if eps > 0.0 { own..own + 1 } else { own..own }])
    }

    /// `Σ weight x y`, where x is this row and y another.
    fn dot(&self, other: &Self, weight: &[f64], x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (a, b) in self.0.iter().zip(&other.0) {
            let both = a.start.max(b.start)..a.end.min(b.end);
            if both.start < both.end {
                let xy = x[both.clone()].iter().zip(&y[both.clone()]);
                sum += weight[both].iter().zip(xy).map(|(w, (x, y))| w * x * y).sum::<f64>();
            }
        }
        sum
    }

    /// `y ← y − r q`, where y is this row and q another.
    fn subtract(&mut self, y: &mut [f64], r: f64, other: &Self, q: &[f64]) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            if other.start >= other.end {
                continue;
            }
            for (y, q) in y[other.clone()].iter_mut().zip(&q[other.clone()]) {
                *y -= r * q;
            }
            *own = if own.start >= own.end {
                other.clone()
            } else {
                own.start.min(other.start)..own.end.max(other.end)
            };
        }
    }
}

impl RowSolver {
    /// Rows that do not depend on earlier ones.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Whether a row depends on earlier ones.
    pub fn is_redundant(&self, row: usize) -> bool {
        self.delta[row] == 0.0
    }

    /// Orthogonalizes the rows; `eps` holds the compliance of each.
    pub fn factor(&mut self, pattern: &TreePattern, M: &TreeFactor, rows: &RowSet, eps: &[f64]) {
        let (m, nv) = (rows.len(), pattern.n());
        (self.m, self.length, self.rank) = (m, nv + m, 0);
        resize(&mut self.Q, m * self.length);
        resize(&mut self.R, m * m);
        resize(&mut self.delta, m);
        self.weight.clear();
        self.weight.extend((0..nv).map(|i| 1.0 / M.pivot(pattern, i)));
        self.weight.extend_from_slice(eps);
        self.spans.clear();
        for k in 0..m {
            let (done, rest) = self.Q.split_at_mut(k * self.length);
            let y = &mut rest[..self.length];
            y[..nv].copy_from_slice(rows.jacobian(k));
            M.solve_transposed(pattern, &mut y[..nv]);
            y[nv + k] = 1.0;
            let mut spans = Spans::new(&y[..nv], k, eps[k]);
            let full = spans.dot(&spans, &self.weight, y, y);
            for _ in 0..2 {
                for (j, q_j) in done.chunks_exact(self.length).enumerate() {
                    if self.delta[j] > 0.0 {
                        let r = spans.dot(&self.spans[j], &self.weight, y, q_j) / self.delta[j];
                        if r != 0.0 {
                            spans.subtract(y, r, &self.spans[j], q_j);
                            self.R[j * m + k] += r;
                        }
                    }
                }
            }
            let left = spans.dot(&spans, &self.weight, y, y);
            if left > DEPENDENT * DEPENDENT * full {
                self.delta[k] = left;
                self.rank += 1;
            }
            self.spans.push(spans);
        }
    }

    /// `p ← W⁻¹ r` on the independent rows, zero on the redundant ones.
    pub fn solve(&self, r: &[f64], p: &mut [f64]) {
        let m = self.m;
        p.copy_from_slice(r);
        for k in 0..m {
            if self.delta[k] == 0.0 {
                p[k] = 0.0;
                continue;
            }
            for j in 0..k {
                p[k] -= self.R[j * m + k] * p[j];
            }
        }
        for k in 0..m {
            if self.delta[k] > 0.0 {
                p[k] /= self.delta[k];
            }
        }
        for j in (0..m).rev() {
            if self.delta[j] > 0.0 {
                let row = &self.R[j * m..(j + 1) * m];
                p[j] -= (j + 1..m).map(|k| row[k] * p[k]).sum::<f64>();
            }
        }
    }
}

/// Rows with their answers for one step: `J v + ε p + d = 0`.
#[derive(Clone, Debug, Default)]
pub struct RowImpulses {
    pub(crate) eps: Vec<f64>,
    pub(crate) d: Vec<f64>,
    /// [N·s or N·m·s]
    pub(crate) p: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    dv: Vec<f64>,
}

impl RowImpulses {
    /// For m rows: nothing compliant, no offsets, no impulses.
    pub(crate) fn reset(&mut self, m: usize) {
        resize(&mut self.eps, m);
        resize(&mut self.d, m);
        resize(&mut self.p, m);
        resize(&mut self.residual, m);
        resize(&mut self.correction, m);
    }

    /// Changes p and v such that `J v + ε p + d = 0`, where `v = v_free + M⁻¹ Jᵀ p` all along.
    ///
    /// Returns the square of the change in the metric of M, `Δvᵀ M Δv` + Δpᵀ ε Δp [J].
    pub(crate) fn correct(
        &mut self,
        pattern: &TreePattern,
        M: &TreeFactor,
        rows: &RowSet,
        solver: &RowSolver,
        v: &mut [f64],
    ) -> f64 {
        for i in 0..rows.len() {
            self.residual[i] = -(rows.rate(i, v) + self.eps[i] * self.p[i] + self.d[i]);
        }
        solver.solve(&self.residual, &mut self.correction);
        resize(&mut self.dv, v.len());
        for (i, &dp) in self.correction.iter().enumerate() {
            self.p[i] += dp;
            for (dv, J) in self.dv.iter_mut().zip(rows.jacobian(i)) {
                *dv += J * dp;
            }
        }
        M.solve(pattern, &mut self.dv);
        for (v, dv) in v.iter_mut().zip(&self.dv) {
            *v += dv;
        }
        // W Δp = residual on the independent rows
        self.correction.iter().zip(&self.residual).map(|(dp, r)| dp * r).sum()
    }
}

/// n zeros.
fn resize(vector: &mut Vec<f64>, n: usize) {
    vector.clear();
    vector.resize(n, 0.0);
}
