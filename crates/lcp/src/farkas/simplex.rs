//! A small dense simplex method for bounded variables: finds a point of
//!
//! ```text
//!  w = A z + b,   l ≤ (z, w) ≤ u
//! ```
//!
//! or the multipliers of the rows that show there is none, and moves a point along the polyhedron.
//!
//! # Method
//!
//! Dictionary `x_B = T x_N + const`, at first w in terms of z. Phase 1 minimizes the sum of
//! infeasibilities without artificial variables; a step passes bounds as long as the sum falls. After
//! a run of steps that gain nothing Bland's rule takes over. The dictionary is computed anew from A
//! (LU of the basic part) every so often and before each verdict.
//!
//! # Cost
//!
//! n² per pivot, about n pivots; n³ per renewal.

use crate::linalg::DenseLu;

/// A violation of a bound below this counts as none, against values of size 1.
const FEASIBLE: f64 = 1e-11;
/// A reduced cost below this part of its terms is zero.
const OPTIMAL: f64 = 3e-13;
/// An entry below this, and below this part of its column, is no pivot.
const PIVOT: f64 = 1e-9;
/// Pivots between two renewals of the dictionary.
const RENEW: usize = 100;
/// Steps without gain before Bland's rule.
const PATIENCE: usize = 30;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing more to gain: phase 1 found no point, or the variable is at its extreme.
    Optimal,
    /// Phase 1: a point. Moving: the variable passed the value asked for.
    Reached,
    /// The variable grows without bound.
    Unbounded,
    /// Numbers went bad, or the budget is used up.
    Failed,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Simplex {
    n: usize,
    /// Column by column.
    A: Vec<f64>,
    b: Vec<f64>,
    /// Of z (0..n) and w (n..2n).
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) x: Vec<f64>,
    /// Row by row: the change of `basic[r]` with `nonbasic[c]`.
    T: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Reduced costs of the last pricing, then the multipliers of the rows.
    cost: Vec<f64>,
    lu: DenseLu,
    breaks: Vec<Break>,
    /// Change of z per unit of the entering variable, when a move was unbounded.
    pub(super) ray: Vec<f64>,
    pub(super) pivots: usize,
}

/// Where a basic variable meets a bound along a step.
#[derive(Clone, Copy, Debug)]
struct Break {
    t: f64,
    rate: f64,
    row: usize,
    bound: f64,
}

impl Simplex {
    /// Takes the matrix; `entry(j, column)` fills column j.
    pub(super) fn load(&mut self, b: &[f64], mut entry: impl FnMut(usize, &mut [f64])) {
        let n = b.len();
        self.n = n;
        self.A.clear();
        self.A.resize(n * n, 0.0);
        for j in 0..n {
            entry(j, &mut self.A[j * n..(j + 1) * n]);
        }
        self.b.clear();
        self.b.extend_from_slice(b);
        self.x.resize(2 * n, 0.0);
        self.lower.resize(2 * n, 0.0);
        self.upper.resize(2 * n, 0.0);
        self.pivots = 0;
    }

    /// The basis of all w, each z at its bound nearest to zero.
    pub(super) fn restart(&mut self) {
        let n = self.n;
        self.basic.clear();
        self.basic.extend(n..2 * n);
        self.nonbasic.clear();
        self.nonbasic.extend(0..n);
        self.T.clear();
        for i in 0..n {
            self.T.extend((0..n).map(|j| self.A[j * n + i]));
        }
        for j in 0..n {
            self.x[j] = 0.0_f64.max(self.lower[j]).min(self.upper[j]);
        }
        for i in 0..n {
            self.x[n + i] = self.row_value(i);
        }
    }

    fn row_value(&self, i: usize) -> f64 {
        self.b[i] + (0..self.n).map(|j| self.A[j * self.n + i] * self.x[j]).sum::<f64>()
    }

    /// −1 below the lower bound, +1 above the upper, else 0.
    fn side(&self, v: usize) -> f64 {
        let tolerance = FEASIBLE * self.x[v].abs().max(1.0);
        if self.x[v] < self.lower[v] - tolerance {
            -1.0
        } else if self.x[v] > self.upper[v] + tolerance {
            1.0
        } else {
            0.0
        }
    }

    /// Phase 1.
    pub(super) fn find_point(&mut self) -> Outcome {
        self.search(None)
    }

    /// Moves a point of the polyhedron so that `sign · x_v` grows until it passes `enough`.
    pub(super) fn push(&mut self, v: usize, sign: f64, enough: f64) -> Outcome {
        self.search(Some((v, sign, enough)))
    }

    fn search(&mut self, goal: Option<(usize, f64, f64)>) -> Outcome {
        let (mut idle, mut since_renewal) = (0, 0);
        for _ in 0..50 * (self.n + 10) {
            match goal {
                Some((v, sign, enough)) if sign * self.x[v] > enough => return Outcome::Reached,
                None if self.basic.iter().all(|&v| self.side(v) == 0.0) => {
                    if since_renewal == 0 {
                        return Outcome::Reached;
                    }
                    if !self.renew() {
                        return Outcome::Failed;
                    }
                    since_renewal = 0;
                    continue;
                }
                _ => {}
            }
            self.price(goal.map(|(v, sign, _)| (v, sign)));
            let Some((column, direction)) = self.entering(idle > PATIENCE) else {
                if since_renewal == 0 {
                    return Outcome::Optimal;
                }
                if !self.renew() {
                    return Outcome::Failed;
                }
                since_renewal = 0;
                continue;
            };
            let textbook = goal.is_some() || idle > PATIENCE;
            match self.advance(column, direction, textbook) {
                Some(gain) => idle = if gain > 0.0 { 0 } else { idle + 1 },
                None if goal.is_some() => {
                    self.note_ray(column, direction);
                    return Outcome::Unbounded;
                }
                None => return Outcome::Failed,
            }
            since_renewal += 1;
            if since_renewal >= RENEW {
                if !self.renew() {
                    return Outcome::Failed;
                }
                since_renewal = 0;
            }
        }
        Outcome::Failed
    }

    /// Reduced costs: of the sum of infeasibilities, or of `−sign · x_v`. Those that are zero
    /// within rounding become so.
    fn price(&mut self, goal: Option<(usize, f64)>) {
        let n = self.n;
        self.cost.clear();
        self.cost.resize(2 * n, 0.0);
        let (cost, y) = self.cost.split_at_mut(n);
        for r in 0..n {
            let v = self.basic[r];
            let weight = match goal {
                Some((target, sign)) if target == v => -sign,
                Some(_) => 0.0,
                None => {
                    let tolerance = FEASIBLE * self.x[v].abs().max(1.0);
                    let below = self.x[v] < self.lower[v] - tolerance;
                    let above = self.x[v] > self.upper[v] + tolerance;
                    f64::from(above) - f64::from(below)
                }
            };
            if weight != 0.0 {
                for (c, &t) in self.T[r * n..(r + 1) * n].iter().enumerate() {
                    cost[c] += weight * t;
                }
                if v >= n {
                    y[v - n] = weight;
                }
            }
        }
        // the cost of w_i is y_i, that of z_j is −(Aᵀy)_j: rounding is measured by their terms
        let mut largest = y.iter().fold(0.0_f64, |m, y_i| m.max(y_i.abs()));
        for c in 0..n {
            if self.nonbasic[c] >= n {
                y[self.nonbasic[c] - n] = cost[c];
                largest = largest.max(cost[c].abs());
            }
        }
        for c in 0..n {
            let v = self.nonbasic[c];
            let size = if v < n {
                let column = &self.A[v * n..(v + 1) * n];
                column.iter().zip(&*y).map(|(a, y_i)| (a * y_i).abs()).sum()
            } else {
                largest
            };
            if cost[c].abs() <= OPTIMAL * size {
                cost[c] = 0.0;
            }
        }
        if let Some((target, sign)) = goal
            && let Some(c) = self.nonbasic.iter().position(|&v| v == target)
        {
            cost[c] = -sign;
        }
    }

    /// A nonbasic column whose move gains, and the direction of the move.
    fn entering(&self, bland: bool) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for c in 0..self.n {
            let (v, d) = (self.nonbasic[c], self.cost[c]);
            let up = d < 0.0 && self.x[v] < self.upper[v];
            let down = d > 0.0 && self.x[v] > self.lower[v];
            if !(up || down) {
                continue;
            }
            let better = best.is_none_or(|(other, _)| {
                if bland { v < self.nonbasic[other] } else { d.abs() > self.cost[other].abs() }
            });
            if better {
                best = Some((c, if up { 1.0 } else { -1.0 }));
            }
        }
        best
    }

    /// One step along a column; the gain, or `None` if nothing stops it. A textbook step stops at
    /// the first bound, another passes bounds while the sum of infeasibilities falls.
    fn advance(&mut self, column: usize, direction: f64, textbook: bool) -> Option<f64> {
        let n = self.n;
        let largest = (0..n).fold(0.0_f64, |m, r| m.max(self.T[r * n + column].abs()));
        let mut breaks = std::mem::take(&mut self.breaks);
        breaks.clear();
        for r in 0..n {
            let rate = direction * self.T[r * n + column];
            if rate.abs() > PIVOT * largest.max(1.0) {
                self.breaks_of(r, rate, &mut breaks);
            }
        }
        breaks.sort_by(|p, q| {
            p.t.total_cmp(&q.t).then(if textbook {
                self.basic[p.row].cmp(&self.basic[q.row])
            } else {
                q.rate.abs().total_cmp(&p.rate.abs())
            })
        });
        let mut chosen = None;
        let mut slope = -self.cost[column].abs();
        for candidate in &breaks {
            slope += candidate.rate.abs();
            // a tiny pivot is taken only if no better one was passed on the way
            if chosen.is_none() || candidate.rate.abs() >= 1e-7 * largest {
                chosen = Some(*candidate);
            }
            if textbook || slope >= 0.0 {
                break;
            }
        }
        self.breaks = breaks;
        let entering = self.nonbasic[column];
        let range = self.upper[entering] - self.lower[entering];
        let t_flip = if range.is_finite() {
            let end = if direction > 0.0 { self.upper[entering] } else { self.lower[entering] };
            (end - self.x[entering]).abs()
        } else {
            f64::INFINITY
        };
        let t = chosen.map_or(f64::INFINITY, |b| b.t).min(t_flip);
        if !t.is_finite() {
            return None;
        }
        self.x[entering] += direction * t;
        for r in 0..n {
            self.x[self.basic[r]] += direction * t * self.T[r * n + column];
        }
        match chosen {
            Some(stop) if stop.t < t_flip || t_flip.is_infinite() => {
                self.x[self.basic[stop.row]] = stop.bound;
                self.pivot(stop.row, column);
            }
            _ => {
                self.x[entering] =
                    if direction > 0.0 { self.upper[entering] } else { self.lower[entering] };
            }
        }
        Some(t * self.cost[column].abs())
    }

    /// Bounds that a basic variable meets when it changes at this rate.
    fn breaks_of(&self, row: usize, rate: f64, breaks: &mut Vec<Break>) {
        let v = self.basic[row];
        let (x, lower, upper) = (self.x[v], self.lower[v], self.upper[v]);
        let side = self.side(v);
        let mut meet = |bound: f64| {
            if bound.is_finite() {
                breaks.push(Break { t: ((bound - x) / rate).max(0.0), rate, row, bound });
            }
        };
        if rate > 0.0 {
            if side < 0.0 {
                meet(lower);
            }
            if side <= 0.0 {
                meet(upper);
            }
        } else {
            if side > 0.0 {
                meet(upper);
            }
            if side >= 0.0 {
                meet(lower);
            }
        }
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let n = self.n;
        let inverse = 1.0 / self.T[row * n + column];
        for x in &mut self.T[row * n..(row + 1) * n] {
            *x *= -inverse;
        }
        self.T[row * n + column] = inverse;
        let (above, rest) = self.T.split_at_mut(row * n);
        let (pivot_row, below) = rest.split_at_mut(n);
        for other in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let factor = other[column];
            if factor != 0.0 {
                other[column] = 0.0;
                for (x, p) in other.iter_mut().zip(&*pivot_row) {
                    *x += factor * p;
                }
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.pivots += 1;
    }

    /// Computes T and the basic values from A. False if the basis is singular.
    fn renew(&mut self) -> bool {
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
        for c in 0..n {
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
    pub(super) fn multipliers(&mut self, y: &mut Vec<f64>) {
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
        // correct y on the rows I so that Aᵀy is the side of each basic z to the last bit or so
        self.lu.reset(J.len());
        for (r, &j) in J.iter().enumerate() {
            for (c, &i) in I.iter().enumerate() {
                self.lu.set(r, c, self.A[j * n + i]);
            }
        }
        self.lu.factor(1e-13);
        for _ in 0..2 {
            let mut error: Vec<f64> = J
                .iter()
                .map(|&j| {
                    let c_j: f64 = (0..n).map(|i| self.A[j * n + i] * y[i]).sum();
                    self.side(j) - c_j
                })
                .collect();
            self.lu.solve(&mut error);
            for (p, &i) in I.iter().enumerate() {
                y[i] += error[p];
            }
        }
    }

    fn note_ray(&mut self, column: usize, direction: f64) {
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
