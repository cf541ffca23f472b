//! Primal–dual interior point for bounds, in velocity space.
//!
//! ```text
//!  Hᵀ x + ε r + q = Σ a_f λ_f ,    x = H r ,    s_f = a_f·r + b_f ,    s_f λ_f = ν ,    s, λ > 0
//! ```
//!
//! The optimality conditions of `min ½ rᵀ(W + ε)r + qᵀr` within the bounds: a quadratic program whose faces f touch one contact each. Of friction
//! that is bounded by the normal impulse this is the convex relaxation, whose answer obeys the law where nothing slips. Mehrotra's
//! predictor and corrector; with `K = ε + Σ (λ/s) a aᵀ` and `D = K⁻¹`, 3 × 3 a contact, one matrix for both:
//!
//! ```text
//!  (I + H D Hᵀ) dx = H D g + H r − x ,      dr = D (g − Hᵀ dx)
//! ```
//!
//! # Cost
//!
//! 10 to 30 factorizations.
//!
//! # When it fails
//!
//! No feasible point: r grows, [`Status::Diverged`]. Rounding ends it, [`Status::Stalled`]. The best iterate is the answer in all cases.

use super::error::{Measure, error};
use super::faces::Faces;
use super::problem::{Bounds, View};
use super::section::respond;
use crate::cone::Triple;
use crate::motion::factor::{Block, Factor};
use crate::motion::space::Space;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InteriorSettings {
    /// Factorizations at most.
    pub(super) max_iterations: usize,
    /// Solved when the error of the law, a velocity relative to the largest of q, is at most this.
    pub(super) tol: f64,
}

/// How much of the way to the boundary a step may go.
const FRACTION: f64 = 0.99;
/// Steps without a better answer before it is given up.
const PATIENCE: usize = 5;
/// Impulses start this much larger than what stops the free velocities: heavy loads are found faster from above.
const IMPULSES_FIRST: f64 = 100.0;
/// The gap is asked to shrink at most by this factor a step.
const CENTRING: f64 = 0.02;
/// Stiffness of rows without bounds, in units of the contact's mass.
const STIFFEST: f64 = 1e10;
/// A gap below this part of that of the start has nothing more to tell.
const LEAST_GAP: f64 = 1e-26;

#[derive(Clone, Debug, Default)]
pub(super) struct InteriorWork {
    faces: Faces,
    mass: Vec<f64>,
    s: Vec<f64>,
    lambda: Vec<f64>,
    ds: Vec<f64>,
    dlambda: Vec<f64>,
    /// `a·r + b − s`.
    off: Vec<f64>,
    /// What `s λ` is to become, less what it is.
    target: Vec<f64>,
    r: Vec<Triple>,
    dr: Vec<Triple>,
    /// `Σ a λ − Hᵀ x − ε r − q`.
    rest: Vec<Triple>,
    g: Vec<Triple>,
    x: Vec<f64>,
    dx: Vec<f64>,
    off_x: Vec<f64>,
    D: Vec<Block>,
    trial: Vec<Triple>,
    best: Vec<Triple>,
    measure: Measure,
}

/// The answer is in `r` on return.
pub(super) fn interior_point(
    problem: View<'_>,
    settings: &InteriorSettings,
    (work, factor): (&mut InteriorWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem.rows);
    work.prepare(problem);
    let (status, iterations) = work.iterate(problem, settings, factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, iterations, iterations)
}

impl InteriorWork {
    fn prepare(&mut self, problem: View<'_>) {
        let (rows, k) = (problem.rows, problem.bounds.len());
        self.faces.load(problem);
        self.mass.clear();
        self.mass.extend((0..k).map(|c| rows.mass(c)));
        for list in [
            &mut self.r,
            &mut self.dr,
            &mut self.rest,
            &mut self.g,
            &mut self.trial,
            &mut self.best,
        ] {
            list.clear();
            list.resize(k, [0.0; 3]);
        }
        for list in [&mut self.x, &mut self.dx, &mut self.off_x] {
            list.clear();
            list.resize(rows.coordinates(), 0.0);
        }
        for list in [
            &mut self.s,
            &mut self.lambda,
            &mut self.ds,
            &mut self.dlambda,
            &mut self.off,
            &mut self.target,
        ] {
            list.clear();
            list.resize(self.faces.face.len(), 0.0);
        }
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
        let size = rows.q().iter().flatten().fold(0.0, |m: f64, q| m.max(q.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        for c in 0..k {
            self.start(problem, c, size);
        }
        rows.motion(&self.r, &mut self.x);
    }

    /// Impulses of a contact between their bounds, slacks and multipliers of about one product.
    fn start(&mut self, problem: View<'_>, c: usize, size: f64) {
        let head = IMPULSES_FIRST * self.mass[c] * size;
        self.r[c] = self.faces.at[c];
        match problem.bounds[c] {
            Bounds::Fixed { lower, upper } => {
                for i in 0..3 {
                    self.r[c][i] = match (lower[i].is_finite(), upper[i].is_finite()) {
                        (true, true) => 0.5 * (lower[i] + upper[i]),
                        (true, false) => lower[i] + head,
                        (false, true) => upper[i] - head,
                        (false, false) => 0.0,
                    };
                }
            }
            Bounds::Axes { .. } | Bounds::Polygon { .. } => self.r[c][0] = head,
        }
        for f in self.faces.of(c) {
            let face = &self.faces.face[f];
            let s = face.along(&self.r[c]) + face.b;
            let least = 1e-4 * head;
            self.s[f] = if s > least { s } else { least };
            self.lambda[f] = (head * size / self.s[f]).min(IMPULSES_FIRST * size);
        }
    }

    fn iterate(
        &mut self,
        problem: View<'_>,
        settings: &InteriorSettings,
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let (mut lowest, mut least_gap) = (f64::INFINITY, f64::INFINITY);
        let (mut patience, first_gap) = (PATIENCE, self.gap());
        for iteration in 0..settings.max_iterations {
            if stop() {
                return (Status::Stopped, iteration);
            }
            let (error, gap) = (self.answer(problem), self.gap());
            if !gap.is_finite() {
                return (Status::Diverged, iteration);
            }
            let is_better = error < 0.9 * lowest || gap < 0.9 * least_gap;
            least_gap = least_gap.min(gap);
            if error < lowest || iteration == 0 {
                lowest = error;
                self.best.copy_from_slice(&self.trial);
            }
            if lowest <= settings.tol {
                return (Status::Solved, iteration);
            }
            patience = if is_better { PATIENCE } else { patience - 1 };
            let is_over = patience == 0 || gap <= LEAST_GAP * first_gap;
            if is_over || self.step(problem, factor).is_none() {
                return (Status::Stalled, iteration + 1);
            }
        }
        (Status::IterationLimit, settings.max_iterations)
    }

    /// The iterate brought within its bounds, and the error of it.
    fn answer(&mut self, problem: View<'_>) -> f64 {
        for (c, bounds) in problem.bounds.iter().enumerate() {
            self.trial[c] = respond(bounds, problem.directions, &self.r[c]).0;
        }
        error(problem, &self.trial, &mut self.measure)
    }

    fn gap(&self) -> f64 {
        self.s.iter().zip(&self.lambda).map(|(s, lambda)| s * lambda).sum()
    }

    /// Predictor, corrector, step; its length. None when there is none.
    fn step(&mut self, problem: View<'_>, factor: &mut Factor) -> Option<f64> {
        self.linearize(problem);
        if !factor.factor(problem.rows, &self.D, true) {
            return None;
        }
        let gap = self.gap();
        for f in 0..self.s.len() {
            self.target[f] = -self.s[f] * self.lambda[f];
        }
        self.direction(problem, factor);
        let [primal, dual] = self.longest_steps(1.0);
        let moved = |f: usize| {
            (self.s[f] + primal * self.ds[f]) * (self.lambda[f] + dual * self.dlambda[f])
        };
        let gap_affine: f64 = (0..self.s.len()).map(moved).sum();
        let sigma = (gap_affine / gap).clamp(0.0, 1.0);
        let centre = (sigma * sigma * sigma).max(CENTRING) * gap / self.s.len().max(1) as f64;
        for f in 0..self.s.len() {
            self.target[f] += centre - self.ds[f] * self.dlambda[f];
        }
        self.direction(problem, factor);
        let [primal, dual] = self.longest_steps(1.0 / FRACTION);
        let alpha = FRACTION * primal.min(dual);
        if !(alpha > 1e-12) {
            return None;
        }
        for f in 0..self.s.len() {
            self.s[f] += alpha * self.ds[f];
            self.lambda[f] += alpha * self.dlambda[f];
        }
        for (r, dr) in self.r.iter_mut().zip(&self.dr) {
            (0..3).for_each(|i| r[i] += alpha * dr[i]);
        }
        self.x.iter_mut().zip(&self.dx).for_each(|(x, dx)| *x += alpha * dx);
        Some(alpha)
    }

    /// D, and what is left of the equations.
    fn linearize(&mut self, problem: View<'_>) {
        let rows = problem.rows;
        rows.motion(&self.r, &mut self.off_x);
        self.off_x.iter_mut().zip(&self.x).for_each(|(off, x)| *off -= x);
        for c in 0..self.r.len() {
            let (v, eps, q) = (rows.velocity(c, &self.x), &rows.eps()[c], &rows.q()[c]);
            let r = &self.r[c];
            let mut rest: Triple = std::array::from_fn(|i| -(v[i] + eps[i] * r[i] + q[i]));
            let mut K = [0.0; 9];
            for i in 0..3 {
                K[4 * i] = eps[i] + 1.0 / (STIFFEST * self.mass[c]);
            }
            for f in self.faces.of(c) {
                let face = &self.faces.face[f];
                self.off[f] = face.along(r) + face.b - self.s[f];
                let weight = self.lambda[f] / self.s[f];
                for i in 0..3 {
                    rest[i] += face.a[i] * self.lambda[f];
                    let w = weight * face.a[i];
                    (0..3).for_each(|j| K[3 * i + j] += w * face.a[j]);
                }
            }
            self.rest[c] = rest;
            self.D[c] = inverse_of(&mut K, &self.faces.can_move[c]);
        }
    }

    /// dx, dr, ds and dλ for the targets.
    fn direction(&mut self, problem: View<'_>, factor: &mut Factor) {
        let rows = problem.rows;
        self.dx.copy_from_slice(&self.off_x);
        for c in 0..self.r.len() {
            let mut g = self.rest[c];
            for f in self.faces.of(c) {
                let push = (self.target[f] - self.lambda[f] * self.off[f]) / self.s[f];
                (0..3).for_each(|i| g[i] += self.faces.face[f].a[i] * push);
            }
            self.g[c] = g;
            rows.add_motion(c, &times(&self.D[c], &g), &mut self.dx);
        }
        factor.solve(&mut self.dx);
        for c in 0..self.r.len() {
            let (v, g) = (rows.velocity(c, &self.dx), &self.g[c]);
            let dr = times(&self.D[c], &[g[0] - v[0], g[1] - v[1], g[2] - v[2]]);
            for f in self.faces.of(c) {
                self.ds[f] = self.faces.face[f].along(&dr) + self.off[f];
                self.dlambda[f] = (self.target[f] - self.lambda[f] * self.ds[f]) / self.s[f];
            }
            self.dr[c] = dr;
        }
    }

    /// How far s and λ stay positive.
    fn longest_steps(&self, limit: f64) -> [f64; 2] {
        let longest = |x: &[f64], dx: &[f64]| {
            let mut alpha = limit;
            for (x, dx) in x.iter().zip(dx) {
                if *dx < 0.0 && -x / dx < alpha {
                    alpha = -x / dx;
                }
            }
            if alpha.is_finite() { alpha } else { 0.0 }
        };
        [longest(&self.s, &self.ds), longest(&self.lambda, &self.dlambda)]
    }
}

fn times(A: &Block, x: &Triple) -> Triple {
    std::array::from_fn(|i| A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2])
}

/// The inverse of a symmetric positive block on the rows that can move, zeros elsewhere.
fn inverse_of(K: &mut Block, can_move: &[bool; 3]) -> Block {
    for i in (0..3).filter(|&i| !can_move[i]) {
        for j in 0..3 {
            (K[3 * i + j], K[3 * j + i]) = (0.0, 0.0);
        }
        K[4 * i] = 1.0;
    }
    // K = L d Lᵀ
    let d0 = K[0];
    let (l1, l2) = (K[3] / d0, K[6] / d0);
    let d1 = K[4] - l1 * K[3];
    let l21 = (K[7] - l2 * K[3]) / d1;
    let d2 = K[8] - l2 * K[6] - l21 * (K[7] - l2 * K[3]);
    let mut inverse = [0.0; 9];
    for j in 0..3 {
        let mut y = [0.0; 3];
        y[j] = 1.0;
        y[1] -= l1 * y[0];
        y[2] -= l2 * y[0] + l21 * y[1];
        let z2 = y[2] / d2;
        let z1 = y[1] / d1 - l21 * z2;
        let z0 = y[0] / d0 - l1 * z1 - l2 * z2;
        (inverse[j], inverse[3 + j], inverse[6 + j]) = (z0, z1, z2);
    }
    for i in (0..3).filter(|&i| !can_move[i]) {
        inverse[4 * i] = 0.0;
    }
    inverse
}
