//! Impulses of bilateral rows: `(J M⁻¹ Jᵀ + ε) p = r`, for any rank.
//!
//! # Method
//!
//! With `M = Lᵀ D L` and `y_k = L⁻ᵀ J_kᵀ` the matrix of the rows is the Gram matrix of the y in the inner
//! product of D⁻¹; a compliance ε_k is one more coordinate that only row k has, with weight ε_k.
//! Gram–Schmidt, each row twice, gives `W = Rᵀ diag(δ) R` without ever forming W, so that the rank is read
//! off vectors and not off their squares. What is left of a row when those before it are taken off is measured
//! by the length the row could have with its wrench turned: in a plane the row across the plane is all
//! rounding. Rows are taken in their order if enough is left of them, and wait otherwise (`LEVELS`): a row that
//! is nearly nothing must not come first and make a good one depend on its rounding. Rows of which less than
//! [`DEPENDENT`] is left to the end depend on the others: they are redundant, get no impulse, and are
//! reported. No square root is taken and every sum is of one unit, so units that differ by powers of two give
//! the same bits.
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

use crate::constraint::end::EndSolver;
use crate::constraint::rows::{Answer, Row, RowSet};
use crate::tree::matrix::TreeFactor;
use crate::tree::pattern::TreePattern;

/// The sine of the angle between a row and the span of those before it below which the row is redundant.
/// Rounding leaves 1e-15 times the condition of the tree's factors; mass ratios of 1e12 leave 1e-6.
pub const DEPENDENT: f64 = 1e-9;

/// What must be left of a row for it to be taken, in the first round and in later ones.
const LEVELS: [f64; 6] = [1e-1, WEAK, 1e-4, 1e-6, 1e-8, DEPENDENT];

/// A row of which less than this is left may soon be redundant, or have changed its sign.
const WEAK: f64 = 1e-2;

/// Memory for the factors of a set of rows.
#[derive(Clone, Debug, Default)]
pub struct RowSolver {
    pub(super) m: usize,
    /// nv + m
    length: usize,
    /// The orthogonalized rows, one after the other, and where each differs from zero.
    Q: Vec<f64>,
    spans: Vec<Spans>,
    /// 1/D for the velocities, ε for the rows' own coordinates.
    weight: Vec<f64>,
    /// Unit upper triangle if rows and columns are put in `order`; row-major.
    R: Vec<f64>,
    /// The independent rows as they were taken.
    order: Vec<usize>,
    /// How many of them had more than [`WEAK`] left.
    strong: usize,
    /// For each row its greatest squared length, and how many of `order` have been taken off it.
    full: Vec<f64>,
    seen: Vec<usize>,
    /// Squared lengths of the orthogonalized rows; zero where a row is redundant.
    pub(super) delta: Vec<f64>,
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
        self.order.len()
    }

    /// Whether a row depends on earlier ones.
    pub fn is_redundant(&self, row: usize) -> bool {
        self.delta[row] == 0.0
    }

    /// Makes room for m rows over nv velocities, so that a later [`RowSolver::factor`] allocates nothing.
    pub(super) fn reserve(&mut self, m: usize, nv: usize) {
        make_room(&mut self.Q, m * (nv + m));
        make_room(&mut self.spans, m);
        make_room(&mut self.weight, nv + m);
        make_room(&mut self.R, m * m);
        make_room(&mut self.order, m);
        make_room(&mut self.full, m);
        make_room(&mut self.seen, m);
        make_room(&mut self.delta, m);
    }

    /// Whether less than [`WEAK`] was left of an independent row.
    pub(super) fn has_weak_rows(&self) -> bool {
        self.strong < self.order.len()
    }

    /// The square of the greatest length that a row could have with its wrench turned: `|θ̇|² ≤ full · vᵀMv`.
    pub(super) fn full(&self, row: usize) -> f64 {
        self.full[row]
    }

    /// Orthogonalizes the rows; `eps` holds the compliance of each.
    pub fn factor(&mut self, pattern: &TreePattern, M: &TreeFactor, rows: &RowSet, eps: &[f64]) {
        self.begin(pattern, M, rows, eps);
        for level in LEVELS {
            for k in 0..self.m {
                if self.delta[k] > 0.0 {
                    continue;
                }
                self.take_off(k, self.seen[k]);
                if self.square(k) > level * level * self.full[k] {
                    // once more, for what rounding has left
                    self.take_off(k, 0);
                    self.delta[k] = self.square(k);
                    self.order.push(k);
                }
            }
            if level >= WEAK {
                self.strong = self.order.len();
            }
        }
    }

    /// The rows as they are.
    fn begin(&mut self, pattern: &TreePattern, M: &TreeFactor, rows: &RowSet, eps: &[f64]) {
        let (m, nv) = (rows.len(), pattern.n());
        (self.m, self.length) = (m, nv + m);
        resize(&mut self.Q, m * self.length);
        resize(&mut self.R, m * m);
        resize(&mut self.delta, m);
        resize(&mut self.full, m);
        self.seen.clear();
        self.seen.resize(m, 0);
        self.order.clear();
        self.spans.clear();
        self.weight.clear();
        self.weight.extend((0..nv).map(|i| 1.0 / M.pivot(pattern, i)));
        self.weight.extend_from_slice(eps);
        for k in 0..m {
            let y = &mut self.Q[k * self.length..(k + 1) * self.length];
            y[..nv].copy_from_slice(rows.jacobian(k));
            M.solve_transposed(pattern, &mut y[..nv]);
            y[nv + k] = 1.0;
            self.spans.push(Spans::new(&y[..nv], k, eps[k]));
            let reach = rows.reach(k).iter().zip(&self.weight);
            let reach: f64 = reach.map(|(reach, weight)| weight * reach * reach).sum();
            let own = self.square(k);
            self.full[k] = if own > reach { own } else { reach };
        }
    }

    /// Makes row k orthogonal to those of `order` from `first` on.
    fn take_off(&mut self, k: usize, first: usize) {
        let (m, length) = (self.m, self.length);
        let mut span = std::mem::take(&mut self.spans[k]);
        for &j in &self.order[first..] {
            let [q, y] = two_rows(&mut self.Q, length, j, k);
            let r = span.dot(&self.spans[j], &self.weight, y, q) / self.delta[j];
            if r != 0.0 {
                span.subtract(y, r, &self.spans[j], q);
                self.R[j * m + k] += r;
            }
        }
        self.spans[k] = span;
        self.seen[k] = self.order.len();
    }

    fn square(&self, k: usize) -> f64 {
        let y = row_of(&self.Q, self.length, k);
        self.spans[k].dot(&self.spans[k], &self.weight, y, y)
    }

    /// Rows in all.
    pub(super) fn len(&self) -> usize {
        self.m
    }

    /// The independent rows as they were taken.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where an orthogonalized row differs from zero: velocities, then nv + the rows' own coordinates.
    pub(super) fn coordinates(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let q = row_of(&self.Q, self.length, row);
        let Spans(ranges) = &self.spans[row];
        ranges.iter().cloned().flatten().filter(|c| q[*c] != 0.0)
    }

    /// Makes y, a row `L⁻ᵀ Jᵀ` over the same mass matrix with nv + m entries, orthogonal to the independent rows in these places of
    /// their order: what its impulse can do without breaking one.
    pub(crate) fn take_out(&self, places: impl Iterator<Item = usize> + Clone, y: &mut [f64]) {
        // twice, for what rounding has left
        for _ in 0..2 {
            for j in places.clone().map(|place| self.order[place]) {
                let q = row_of(&self.Q, self.length, j);
                let Spans(ranges) = &self.spans[j];
                let mut r = 0.0;
                for range in ranges {
                    let qy = q[range.clone()].iter().zip(&y[range.clone()]);
                    r += self.weight[range.clone()]
                        .iter()
                        .zip(qy)
                        .map(|(w, (q, y))| w * q * y)
                        .sum::<f64>();
                }
                r /= self.delta[j];
                for range in ranges {
                    for (y, q) in y[range.clone()].iter_mut().zip(&q[range.clone()]) {
                        *y -= r * q;
                    }
                }
            }
        }
    }

    /// `p ← W⁻¹ r` on the independent rows, zero on the redundant ones.
    pub fn solve(&self, r: &[f64], p: &mut [f64]) {
        p.copy_from_slice(r);
        self.solve_transposed(p);
        for (p, delta) in p.iter_mut().zip(&self.delta) {
            if *delta > 0.0 {
                *p /= delta;
            }
        }
        self.solve_upper(p);
    }

    /// `x ← R⁻ᵀ x` on the independent rows, zero on the redundant ones.
    pub(super) fn solve_transposed(&self, x: &mut [f64]) {
        for (place, &k) in self.order.iter().enumerate() {
            for &j in &self.order[..place] {
                x[k] -= self.R[j * self.m + k] * x[j];
            }
        }
        for (x, delta) in x.iter_mut().zip(&self.delta) {
            if *delta == 0.0 {
                *x = 0.0;
            }
        }
    }

    /// `x ← R⁻¹ x`, with zeros on the redundant rows.
    pub(super) fn solve_upper(&self, x: &mut [f64]) {
        for (place, &j) in self.order.iter().enumerate().rev() {
            let later = self.order[place + 1..].iter();
            x[j] -= later.map(|&k| self.R[j * self.m + k] * x[k]).sum::<f64>();
        }
    }

    /// Inner product of the orthogonalized row i with row j of another set over the same mass matrix.
    pub(super) fn product(&self, i: usize, other: &RowSolver, j: usize) -> f64 {
        let (q, y) = (row_of(&self.Q, self.length, i), row_of(&other.Q, other.length, j));
        self.spans[i].dot(&other.spans[j], &self.weight, q, y)
    }
}

fn row_of(Q: &[f64], length: usize, k: usize) -> &[f64] {
    &Q[k * length..(k + 1) * length]
}

/// Two different rows, the second to be written.
fn two_rows(Q: &mut [f64], length: usize, i: usize, j: usize) -> [&mut [f64]; 2] {
    let (low, high) = Q.split_at_mut(i.max(j) * length);
    let (low, high) = (&mut low[i.min(j) * length..][..length], &mut high[..length]);
    if i < j { [low, high] } else { [high, low] }
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
        self.read_residuals(rows, v);
        solver.solve(&self.residual, &mut self.correction);
        self.push(pattern, M, rows, v)
    }

    /// The same where the rows `next` of the end of the step say how to: finds the impulses that change the
    /// rates of these by −θ/h if they are rigid.
    pub(crate) fn correct_at_end(
        &mut self,
        (pattern, M): (&TreePattern, &TreeFactor),
        (rows, solver): (&RowSet, &RowSolver),
        (next, at_end): (&RowSet, &mut EndSolver),
        h: f64,
        v: &mut [f64],
    ) -> f64 {
        self.read_residuals(rows, v);
        let rigid = |row: &Row| row.answer == Answer::Rigid;
        for (i, row) in next.rows.iter().enumerate().filter(|(_, row)| rigid(row)) {
            self.residual[i] = -row.theta / h;
        }
        at_end.factor(pattern, M, (next, &self.eps), solver);
        at_end.solve(solver, &self.residual, &mut self.correction);
        let change = self.push(pattern, M, rows, v);
        // what the rows of the beginning would have had to be offset by
        for (i, _) in rows.rows.iter().enumerate().filter(|(_, row)| rigid(row)) {
            self.d[i] = -(rows.rate(i, v) + self.eps[i] * self.p[i]);
        }
        change
    }

    /// `−(J v + ε p + d)`.
    fn read_residuals(&mut self, rows: &RowSet, v: &[f64]) {
        for i in 0..rows.len() {
            self.residual[i] = -(rows.rate(i, v) + self.eps[i] * self.p[i] + self.d[i]);
        }
    }

    /// Adds the correction to p, and what it does to v.
    fn push(&mut self, pattern: &TreePattern, M: &TreeFactor, rows: &RowSet, v: &mut [f64]) -> f64 {
        resize(&mut self.dv, v.len());
        for (i, &dp) in self.correction.iter().enumerate() {
            self.p[i] += dp;
            let (span, J) = rows.entries(i);
            self.dv[span].iter_mut().zip(J).for_each(|(dv, J)| *dv += J * dp);
        }
        M.solve(pattern, &mut self.dv);
        for (v, dv) in v.iter_mut().zip(&self.dv) {
            *v += dv;
        }
        let corrections = self.correction.iter().enumerate();
        corrections.map(|(i, dp)| dp * (rows.rate(i, &self.dv) + self.eps[i] * dp)).sum()
    }
}

/// Room for n entries.
pub(super) fn make_room<T>(vector: &mut Vec<T>, n: usize) {
    vector.reserve(n.saturating_sub(vector.len()));
}

/// n zeros.
pub(super) fn resize(vector: &mut Vec<f64>, n: usize) {
    vector.clear();
    vector.resize(n, 0.0);
}
