//! Primal–dual interior point for friction cones.
//!
//! Theory: `docs/theory/interior-point.md`.
//!
//! # Problem
//!
//! ```text
//!  z = W r + q + s n ,     r ∈ K_μ ,  z ∈ K_μ* ,  r·z = 0      per contact
//! ```
//!
//! [`ConeLaw::Convex`]: s is given (zero: the convex relaxation, whose solution is Coulomb's where
//! nothing slips; the judge tells). [`ConeLaw::Coulomb`]: `s = μ‖u_t‖` follows the iterate.
//!
//! # Method
//!
//! Each contact is scaled, `r = a (y_n, μ y_t)`, so that its cone is the second-order cone
//! `‖y_t‖ ≤ y_n` and its block of W is about 1; a contact with μ = 0 keeps its normal row only. Then
//! Mehrotra's predictor and corrector with Nesterov–Todd scaling S, one matrix for both:
//!
//! ```text
//!  (W' + S⁻²) dy = S⁻¹ [λ \ (σ ν e − λ∘λ − d̃y∘d̃z)] + z' − z ,       dz = W' dy + z' − z
//! ```
//!
//! z' is what z should be. In Coulomb's law the scaled shift is simply `‖z'_t‖`; its derivative adds
//! `d·(rows t)` to the normal rows of W', d the slip direction.
//!
//! # Cost
//!
//! 10 to 40 factorizations of one dense matrix.
//!
//! # When it fails
//!
//! No feasible point: y grows, [`Status::Diverged`]. Coulomb's law is not convex: with mixed stick and
//! slip the steps may become short, [`Status::Stalled`]. The best iterate is the answer in all cases.

use super::blocks::{Blocks, bounded, zeros};
use super::lorentz::{Scaling, dot, product, quotient, step_to_boundary};
use super::{Triple, length, norm, project_cone};
use crate::friction::FrictionProblem;
use crate::linalg::DenseLu;
use crate::report::{Report, Status, Stop, Unfit};

/// Which law the shift s says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConeLaw {
    /// s as given: a convex problem. `Solved` then speaks of that problem, not of Coulomb's law.
    Convex,
    /// s = μ‖u_t‖.
    Coulomb,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPointSettings {
    /// Iterations (factorizations) at most. Default 100.
    pub max_iterations: usize,
    /// Solved when the error, a velocity relative to ‖q‖, is at most this (or rounding alone makes it
    /// larger). ≥ 0; default 1e-12.
    pub tol: f64,
    /// Default [`ConeLaw::Coulomb`].
    pub law: ConeLaw,
    /// How much of the way to the boundary of the cones a step may go. In (0, 1); default 0.99.
    pub fraction: f64,
    /// Problems with more rows are refused: the matrix is dense. Default 2000.
    pub max_rows: usize,
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            tol: 1e-12,
            law: ConeLaw::Coulomb,
            fraction: 0.99,
            max_rows: 2000,
        }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct InteriorPointWorkspace {
    blocks: Blocks,
    /// Rows of contact c in the linear system: `offset[c]..offset[c + 1]`.
    offset: Vec<usize>,
    /// `r = a (y_n, μ y_t)`.
    a: Vec<f64>,
    /// Given shift of each contact, in the units of `blocks`.
    shift: Vec<f64>,
    y: Vec<Triple>,
    z: Vec<Triple>,
    /// What z should be, `W' y + q'` and the shift; then the slip directions `z'_t / ‖z'_t‖`.
    z_due: Vec<Triple>,
    slip: Vec<[f64; 2]>,
    scaling: Vec<Scaling>,
    dy: Vec<Triple>,
    dz: Vec<Triple>,
    right: Vec<Triple>,
    r: Vec<Triple>,
    u: Vec<Triple>,
    best: Vec<Triple>,
    lu: DenseLu,
    x: Vec<f64>,
    x_residual: Vec<f64>,
}

/// Interior point with no given shift. `r` holds the warm start on entry (used only if it is a
/// solution already) and the answer on return; `iterations` counts steps.
///
/// # Panics
///
/// If `r` has the wrong length.
pub fn interior_point(
    problem: &FrictionProblem,
    settings: &InteriorPointSettings,
    work: &mut InteriorPointWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    interior_point_shifted((problem, &[]), settings, work, stop, r)
}

/// Interior point with `shift[c]` [m/s] added to the normal velocity of contact c: the inner problem
/// of an outer loop over De Saxcé's shift. An empty slice is no shift; under [`ConeLaw::Coulomb`] a
/// given shift is not read.
///
/// # Panics
///
/// If `r` or a shift that is not empty has the wrong length.
pub fn interior_point_shifted(
    (problem, shift): (&FrictionProblem, &[f64]),
    settings: &InteriorPointSettings,
    work: &mut InteriorPointWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    assert!(shift.is_empty() || shift.len() == problem.contacts(), "one shift per contact");
    assert_eq!(r.len(), problem.n(), "warm start has the wrong length");
    if problem.n() > settings.max_rows {
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        return Report::new(Status::NotApplicable(unfit), 0, 0);
    }
    work.blocks.load(problem, r, &mut work.r);
    work.prepare(shift);
    let (status, iterations) = work.iterate(settings, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, iterations, iterations)
}

impl InteriorPointWorkspace {
    fn prepare(&mut self, shift: &[f64]) {
        let k = self.blocks.contacts();
        let vectors = [&mut self.y, &mut self.z, &mut self.z_due, &mut self.dy, &mut self.dz];
        for x in vectors.into_iter().chain([&mut self.right, &mut self.u]) {
            zeros(x, k);
        }
        self.best.clone_from(&self.r);
        self.slip.clear();
        self.slip.resize(k, [0.0; 2]);
        self.scaling.clear();
        self.scaling.resize(k, Scaling::default());
        self.shift.clear();
        self.shift.resize(k, 0.0);
        for (here, given) in self.shift.iter_mut().zip(shift) {
            *here = self.blocks.velocity_here(if given.is_finite() { *given } else { 0.0 });
        }
        self.offset.clear();
        self.offset.push(0);
        self.a.clear();
        let mut rows = 0;
        for c in 0..k {
            let mu = self.blocks.mu[c];
            rows += if mu > 0.0 { self.blocks.dim() } else { 1 };
            self.offset.push(rows);
            self.a.push(self.blocks.mass[c].sqrt() / mu.max(1.0));
        }
        self.x.clear();
        self.x.resize(rows, 0.0);
        self.x_residual.clear();
        self.x_residual.resize(rows, 0.0);
    }

    fn iterate(&mut self, settings: &InteriorPointSettings, stop: Stop<'_>) -> (Status, usize) {
        let mut best_error = f64::INFINITY;
        self.blocks.velocity(&self.r, &mut self.u);
        if self.accepts(settings, &mut best_error) {
            return (Status::Solved, 0);
        }
        // both points on the axis: z as large as the velocities that must be stopped
        let size = self.blocks.q.iter().fold(0.0, |m: f64, q| m.max(norm(q)));
        for c in 0..self.blocks.contacts() {
            let head = (self.blocks.mass[c].sqrt() * size).max(1e-3);
            self.y[c] = [head, 0.0, 0.0];
            self.z[c] = [head, 0.0, 0.0];
        }
        let mut short = 0;
        for iteration in 0..settings.max_iterations {
            if stop() {
                return (Status::Stopped, iteration);
            }
            self.update_due(settings.law);
            if self.accepts(settings, &mut best_error) {
                return (Status::Solved, iteration);
            }
            if !bounded(&self.y) {
                return (Status::Diverged, iteration);
            }
            let Some(alpha) = self.step(settings) else {
                return (Status::Stalled, iteration);
            };
            short = if alpha < 1e-3 { short + 1 } else { 0 };
            if short > 10 {
                return (Status::Stalled, iteration + 1);
            }
        }
        self.update_due(settings.law);
        let solved = self.accepts(settings, &mut best_error);
        let status = if solved { Status::Solved } else { Status::IterationLimit };
        (status, settings.max_iterations)
    }

    /// r and u of the iterate, z' and the slip directions.
    fn update_due(&mut self, law: ConeLaw) {
        for c in 0..self.blocks.contacts() {
            let (a, mu, y) = (self.a[c], self.blocks.mu[c], &self.y[c]);
            self.r[c] = [a * y[0], a * mu * y[1], a * mu * y[2]];
        }
        self.blocks.velocity(&self.r, &mut self.u);
        for c in 0..self.blocks.contacts() {
            let (a, mu, u) = (self.a[c], self.blocks.mu[c], &self.u[c]);
            let tail = [a * mu * u[1], a * mu * u[2]];
            let size = length(tail[0], tail[1]);
            let shift = match law {
                ConeLaw::Convex => a * self.shift[c],
                ConeLaw::Coulomb => size,
            };
            self.slip[c] = match law {
                ConeLaw::Coulomb if size > 0.0 => [tail[0] / size, tail[1] / size],
                ConeLaw::Coulomb | ConeLaw::Convex => [0.0; 2],
            };
            self.z_due[c] = [a * u[0] + shift, tail[0], tail[1]];
        }
    }

    /// Whether the iterate solves the law asked for; keeps the best.
    fn accepts(&mut self, settings: &InteriorPointSettings, best_error: &mut f64) -> bool {
        let error = match settings.law {
            ConeLaw::Coulomb => self.blocks.error(&self.r, &self.u),
            ConeLaw::Convex => self.convex_error(),
        };
        if error < *best_error {
            *best_error = error;
            self.best.clone_from(&self.r);
        }
        self.blocks.accepts(error, settings.tol, &self.r)
    }

    fn convex_error(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.blocks.contacts() {
            let (m, r, u) = (self.blocks.mass[c], &self.r[c], &self.u[c]);
            let x = [r[0] - m * (u[0] + self.shift[c]), r[1] - m * u[1], r[2] - m * u[2]];
            let p = project_cone(&x, self.blocks.mu[c]);
            let e = norm(&[r[0] - p[0], r[1] - p[1], r[2] - p[2]]) / m;
            sum += e * e;
        }
        let error = sum.sqrt() / self.blocks.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// Predictor, corrector, step; its length. None when the points have left the cones.
    fn step(&mut self, settings: &InteriorPointSettings) -> Option<f64> {
        let k = self.blocks.contacts();
        let mut gap = 0.0;
        for c in 0..k {
            self.scaling[c] = Scaling::new(&self.y[c], &self.z[c])?;
            gap += dot(&self.y[c], &self.z[c]);
        }
        self.factor();

        // predictor: S⁻¹(λ \ −λ∘λ) = −z
        for c in 0..k {
            self.right[c] = self.z[c].map(|z| -z);
        }
        self.direction();
        let alpha = self.longest_step(1.0);
        let mut gap_affine = 0.0;
        for c in 0..k {
            let y: Triple = std::array::from_fn(|i| self.y[c][i] + alpha * self.dy[c][i]);
            let z: Triple = std::array::from_fn(|i| self.z[c][i] + alpha * self.dz[c][i]);
            gap_affine += dot(&y, &z);
        }
        let sigma = (gap_affine / gap).clamp(0.0, 1.0);
        let centre = sigma * sigma * sigma * gap / k as f64;

        // corrector
        for c in 0..k {
            let scaling = &self.scaling[c];
            let lambda = scaling.apply(&self.z[c]);
            let second = product(&scaling.apply_inverse(&self.dy[c]), &scaling.apply(&self.dz[c]));
            let first = product(&lambda, &lambda);
            let mut v: Triple = std::array::from_fn(|i| -first[i] - second[i]);
            v[0] += centre;
            self.right[c] = scaling.apply_inverse(&quotient(&v, &lambda));
        }
        self.direction();
        let alpha = settings.fraction * self.longest_step(1.0 / settings.fraction);
        if !(alpha > 1e-12) {
            return None;
        }
        for c in 0..k {
            for i in 0..3 {
                self.y[c][i] += alpha * self.dy[c][i];
                self.z[c][i] += alpha * self.dz[c][i];
            }
        }
        Some(alpha)
    }

    fn longest_step(&self, limit: f64) -> f64 {
        let mut alpha = limit;
        for c in 0..self.blocks.contacts() {
            alpha = step_to_boundary(&self.y[c], &self.dy[c], alpha);
            alpha = step_to_boundary(&self.z[c], &self.dz[c], alpha);
        }
        if alpha.is_finite() { alpha } else { 0.0 }
    }

    /// Block (c, d) of W', the derivative of z' by y.
    fn scaled_block(&self, W: &[f64; 9], c: usize, d: usize) -> [f64; 9] {
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

    /// Fills and factors `W' + S⁻²`. With [`Self::back_substitute`] the only place that knows how the
    /// matrix is stored.
    fn factor(&mut self) {
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

    /// `(W' + S⁻²) dy = right + z − z'`, `dz = W' dy − (z − z')`, with one step of refinement.
    fn direction(&mut self) {
        let k = self.blocks.contacts();
        for c in 0..k {
            for i in 0..self.offset[c + 1] - self.offset[c] {
                self.x[self.offset[c] + i] = self.right[c][i] + self.z[c][i] - self.z_due[c][i];
            }
        }
        self.x_residual.copy_from_slice(&self.x);
        self.lu.solve(&mut self.x);
        for c in 0..k {
            self.dy[c] = self.scattered(&self.x, c);
        }
        self.multiply();
        for c in 0..k {
            let h = super::block_times(&self.scaling[c].inverse_square(), &self.dy[c]);
            for i in 0..self.offset[c + 1] - self.offset[c] {
                self.x_residual[self.offset[c] + i] -= self.dz[c][i] + h[i];
            }
        }
        let mut correction = std::mem::take(&mut self.x_residual);
        self.lu.solve(&mut correction);
        for c in 0..k {
            let d = self.scattered(&correction, c);
            for i in 0..3 {
                self.dy[c][i] += d[i];
            }
        }
        self.x_residual = correction;
        self.multiply();
        for c in 0..k {
            for i in 0..self.offset[c + 1] - self.offset[c] {
                self.dz[c][i] -= self.z[c][i] - self.z_due[c][i];
            }
        }
    }

    fn scattered(&self, x: &[f64], c: usize) -> Triple {
        let mut out = [0.0; 3];
        let rows = self.offset[c]..self.offset[c + 1];
        out[..rows.len()].copy_from_slice(&x[rows]);
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
                let x = super::block_times(W, &dy);
                w = [w[0] + x[0], w[1] + x[1], w[2] + x[2]];
            }
            let (a, mu) = (self.a[c], self.blocks.mu[c]);
            w = [a * w[0], a * mu * w[1], a * mu * w[2]];
            w[0] += self.slip[c][0] * w[1] + self.slip[c][1] * w[2];
            self.dz[c] = w;
        }
    }
}
