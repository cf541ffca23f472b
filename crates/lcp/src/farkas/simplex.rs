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

mod basis;

use crate::linalg::DenseLu;

/// A violation of a bound below this counts as none, against values of size 1.
const FEASIBLE: f64 = 1e-11;
/// A reduced cost below this part of its terms is zero.
const OPTIMAL: f64 = 3e-13;
/// A step that lowers the sum of infeasibilities by less, against values of size 1, is idle.
const GAIN: f64 = 1e-14;
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
    /// Columns of A from here on are zero, and their z fixed: they never enter.
    width: usize,
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
    rounding: f64,
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

/// Which bound ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The last one up to which the sum of infeasibilities falls.
    Longest,
    /// The first one, give or take the tolerance: the largest pivot among them.
    Nearest,
    /// The first one, lowest index among ties.
    Bland,
}

fn first_break(breaks: &[Break], index: impl Fn(&Break) -> usize) -> Option<Break> {
    breaks.iter().copied().min_by(|p, q| p.t.total_cmp(&q.t).then(index(p).cmp(&index(q))))
}

fn sturdiest_break(breaks: &[Break]) -> Option<Break> {
    // Harris: no bound is passed by more than the tolerance
    let limit = breaks.iter().map(|b| b.t + FEASIBLE / b.rate.abs()).fold(f64::INFINITY, f64::min);
    let within = breaks.iter().copied().filter(|b| b.t <= limit);
    within.max_by(|p, q| p.rate.abs().total_cmp(&q.rate.abs()))
}

impl Simplex {
    /// Takes the matrix; `entry(j, column)` fills column j.
    pub(super) fn load(&mut self, b: &[f64], entry: impl FnMut(usize, &mut [f64])) {
        self.load_narrow(b.len(), b, entry);
    }

    /// A matrix of fewer columns than rows.
    pub(super) fn load_narrow(
        &mut self,
        width: usize,
        b: &[f64],
        mut entry: impl FnMut(usize, &mut [f64]),
    ) {
        let n = b.len();
        (self.n, self.width) = (n, width);
        self.A.clear();
        self.A.resize(n * n, 0.0);
        for j in 0..width {
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

    /// Phase 1. A reduced cost counts as zero below `rounding` times what it would be if all
    /// multipliers were as large as the largest: where they vanish its terms are rounding as well.
    pub(super) fn find_point(&mut self, rounding: f64) -> Outcome {
        self.rounding = rounding;
        self.search(None)
    }

    /// Moves a point of the polyhedron so that `sign · x_v` grows until it passes `enough`.
    pub(super) fn push(&mut self, v: usize, sign: f64, enough: f64) -> Outcome {
        self.rounding = 0.0;
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
            let rule = match goal {
                _ if idle > PATIENCE => Rule::Bland,
                Some(_) => Rule::Nearest,
                None => Rule::Longest,
            };
            let mut gain = None;
            while let Some((column, direction)) = self.entering(rule == Rule::Bland) {
                gain = self.advance(column, direction, rule);
                if gain.is_some() {
                    break;
                }
                if goal.is_some() {
                    self.note_ray(column, direction);
                    return Outcome::Unbounded;
                }
                // a sum of infeasibilities does not fall for ever: this cost was rounding
                self.cost[column] = 0.0;
            }
            let Some(gain) = gain else {
                if since_renewal == 0 {
                    return Outcome::Optimal;
                }
                if !self.renew() {
                    return Outcome::Failed;
                }
                since_renewal = 0;
                continue;
            };
            idle = if gain > GAIN { 0 } else { idle + 1 };
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
                for (c, &t) in self.T[r * n..r * n + self.width].iter().enumerate() {
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
        for c in 0..self.width {
            let v = self.nonbasic[c];
            let rounding = if v < n {
                let column = &self.A[v * n..(v + 1) * n];
                let (mut terms, mut sum) = (0.0, 0.0);
                for (a, y_i) in column.iter().zip(&*y) {
                    terms += (a * y_i).abs();
                    sum += a.abs();
                }
                (OPTIMAL * terms).max(self.rounding * largest * sum)
            } else {
                OPTIMAL * largest
            };
            if cost[c].abs() <= rounding {
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
        for c in 0..self.width {
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

    /// One step along a column; the gain, or `None` if nothing stops it.
    fn advance(&mut self, column: usize, direction: f64, rule: Rule) -> Option<f64> {
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
        let chosen = match rule {
            Rule::Bland => first_break(&breaks, |b| self.basic[b.row]),
            Rule::Nearest => sturdiest_break(&breaks),
            Rule::Longest => self.longest_step(&mut breaks, self.cost[column].abs(), largest),
        };
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

    /// The last bound up to which the sum of infeasibilities falls. A tiny pivot is taken only if no
    /// better one was passed on the way.
    fn longest_step(&self, breaks: &mut [Break], gain: f64, largest: f64) -> Option<Break> {
        breaks.sort_by(|p, q| p.t.total_cmp(&q.t).then(q.rate.abs().total_cmp(&p.rate.abs())));
        let mut chosen = None;
        let mut slope = -gain;
        for candidate in breaks.iter() {
            slope += candidate.rate.abs();
            if chosen.is_none() || candidate.rate.abs() >= 1e-7 * largest {
                chosen = Some(*candidate);
            }
            if slope >= 0.0 {
                break;
            }
        }
        chosen
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
        let (n, width) = (self.n, self.width);
        let inverse = 1.0 / self.T[row * n + column];
        for x in &mut self.T[row * n..row * n + width] {
            *x *= -inverse;
        }
        self.T[row * n + column] = inverse;
        let (above, rest) = self.T.split_at_mut(row * n);
        let (pivot_row, below) = rest.split_at_mut(n);
        for other in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let factor = other[column];
            if factor != 0.0 {
                other[column] = 0.0;
                for (x, p) in other.iter_mut().zip(&pivot_row[..width]) {
                    *x += factor * p;
                }
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.pivots += 1;
    }
}
