//! Primal–dual interior point for the convex law, in velocity space.
//!
//! ```text
//!  z = A (Hᵀ x + ε r + q + s n) ,   x = H r ,   r = A y ,      y, z ∈ second-order cone,  y ∘ z = ν e
//! ```
//!
//! A scales each contact so that its cone is `‖y_t‖ ≤ y_n` and its block of W about 1; s is a given shift of the normal velocity (zero: the
//! convex relaxation, whose answer is Coulomb's where nothing slips). Mehrotra's predictor and corrector with Nesterov–Todd
//! scaling S; with `G = (S⁻² + A ε A)⁻¹`, one matrix for both:
//!
//! ```text
//!  (I + H A G A Hᵀ) dx = H A G ρ + H r − x ,    dy = G (ρ − A Hᵀ dx) ,   dz = A Hᵀ dx + A ε A dy + z' − z
//! ```
//!
//! z' is what z should be. The matrix is positive definite whatever the rank of H and the masses.
//!
//! # Cost
//!
//! 10 to 15 factorizations where all rests, up to 50 elsewhere. What is left is for `polish.rs` and `newton.rs`.
//!
//! # When it fails
//!
//! No feasible point: y grows, [`Status::Diverged`]. Rounding ends it, [`Status::Stalled`]. The best iterate is the answer in all cases.

use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::lorentz::{Scaling, dot, product, quotient, step_to_boundary};
use crate::cone::{Triple, norm, project_cone};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InteriorSettings {
    /// Factorizations at most.
    pub(super) max_iterations: usize,
    /// Solved when the error of the convex law, a velocity relative to ‖q‖, is at most this.
    pub(super) tol: f64,
    /// The gap is asked to shrink at most by this factor a step.
    pub(super) centring: f64,
}

/// How much of the way to the boundary a step may go.
const FRACTION: f64 = 0.99;
/// Steps without a better answer before it is given up.
const PATIENCE: usize = 6;
/// Impulses start this much larger than velocities: loads are found faster from above, those of heavy bodies on light ones
/// from far above.
const IMPULSES_FIRST: f64 = 10.0;
const HEAVY_IMPULSES_FIRST: f64 = 100.0;
/// Ratio of the masses of contacts from which on bodies are heavy and light.
const HEAVY: f64 = 10.0;

#[derive(Clone, Debug, Default)]
pub(super) struct InteriorWork {
    /// `r = A y`: on the normal, on the tangents.
    a: Vec<[f64; 2]>,
    mass: Vec<f64>,
    y: Vec<Triple>,
    z: Vec<Triple>,
    x: Vec<f64>,
    /// `z − z'`, and `H r − x`.
    off: Vec<Triple>,
    off_x: Vec<f64>,
    scaling: Vec<Scaling>,
    G: Vec<Block>,
    D: Vec<Block>,
    right: Vec<Triple>,
    dx: Vec<f64>,
    dy: Vec<Triple>,
    dz: Vec<Triple>,
    r: Vec<Triple>,
    best: Vec<Triple>,
}

/// Interior point with shifts of the normal velocities, from where the memory is: where [`InteriorWork::begin`] or the last call left it. `r` is the
/// answer on return.
pub(super) fn interior_point(
    (problem, shift): (&impl Space, &[f64]),
    settings: &InteriorSettings,
    (work, factor): (&mut InteriorWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    let (status, iterations) = work.iterate((problem, shift), settings, factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, iterations, iterations)
}

impl InteriorWork {
    /// The point to begin at.
    pub(super) fn begin(&mut self, problem: &impl Space) {
        let k = problem.contacts();
        for list in [
            &mut self.y,
            &mut self.z,
            &mut self.off,
            &mut self.right,
            &mut self.dy,
            &mut self.dz,
            &mut self.r,
            &mut self.best,
        ] {
            list.clear();
            list.resize(k, [0.0; 3]);
        }
        for list in [&mut self.x, &mut self.off_x, &mut self.dx] {
            list.clear();
            list.resize(problem.coordinates(), 0.0);
        }
        for list in [&mut self.G, &mut self.D] {
            list.clear();
            list.resize(k, [0.0; 9]);
        }
        self.scaling.clear();
        self.scaling.resize(k, Scaling::default());
        self.a.clear();
        self.mass.clear();
        for c in 0..k {
            let mass = problem.mass(c);
            let mu = problem.mu()[c];
            let a = mass.sqrt() / mu.max(1.0);
            self.mass.push(mass);
            self.a.push([a, a * mu]);
        }
        // both points on the axis: z as large as the velocities that must be stopped
        let size = problem.q().iter().fold(0.0, |m: f64, q| m.max(norm(q)));
        let least = self.mass.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = self.mass.iter().copied().fold(0.0, f64::max);
        let is_even = largest <= HEAVY * least;
        let impulses_first = if is_even { IMPULSES_FIRST } else { HEAVY_IMPULSES_FIRST };
        for c in 0..k {
            let head = (self.mass[c].sqrt() * size).max(1e-3 * size);
            self.y[c] = [impulses_first * head, 0.0, 0.0];
            self.z[c] = [head, 0.0, 0.0];
        }
        self.update_impulses();
        problem.motion(&self.r, &mut self.x);
    }

    fn iterate(
        &mut self,
        problem: (&impl Space, &[f64]),
        settings: &InteriorSettings,
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let (mut best_error, mut least_gap) = (f64::INFINITY, f64::INFINITY);
        let mut patience = PATIENCE;
        for iteration in 0..settings.max_iterations {
            if stop() {
                return (Status::Stopped, iteration);
            }
            let error = self.update_due(problem);
            let gap = self.gap();
            if !(gap.is_finite() && error.is_finite()) {
                return (Status::Diverged, iteration);
            }
            let is_better = error < 0.9 * best_error || gap < 0.9 * least_gap;
            least_gap = least_gap.min(gap);
            if error < best_error {
                best_error = error;
                self.best.copy_from_slice(&self.r);
            }
            if best_error <= settings.tol {
                return (Status::Solved, iteration);
            }
            patience = if is_better { PATIENCE } else { patience - 1 };
            if patience == 0 || self.step(problem.0, settings, factor).is_none() {
                return (Status::Stalled, iteration + 1);
            }
        }
        (Status::IterationLimit, settings.max_iterations)
    }

    fn gap(&self) -> f64 {
        self.y.iter().zip(&self.z).map(|(y, z)| dot(y, z)).sum()
    }

    fn update_impulses(&mut self) {
        for ((r, y), a) in self.r.iter_mut().zip(&self.y).zip(&self.a) {
            *r = [a[0] * y[0], a[1] * y[1], a[1] * y[2]];
        }
    }

    /// r, `z − z'`, `H r − x`, and the error of the convex law at r.
    fn update_due(&mut self, (problem, shift): (&impl Space, &[f64])) -> f64 {
        self.update_impulses();
        problem.motion(&self.r, &mut self.off_x);
        let (mut sum, mut q_norm) = (0.0, 0.0);
        for c in 0..problem.contacts() {
            let (r, q, eps) = (&self.r[c], &problem.q()[c], &problem.eps()[c]);
            let lift = shift.get(c).copied().unwrap_or(0.0);
            let offset: Triple =
                std::array::from_fn(|i| eps[i] * r[i] + q[i] + if i == 0 { lift } else { 0.0 });
            // the error at r itself, the step from x
            let u = problem.velocity(c, &self.off_x);
            let m = self.mass[c];
            let p = project_cone(
                &std::array::from_fn(|i| r[i] - m * (u[i] + offset[i])),
                problem.mu()[c],
            );
            let e: f64 = (0..3).map(|i| (r[i] - p[i]) * (r[i] - p[i])).sum();
            (sum, q_norm) = (sum + e / (m * m), q_norm + dot(q, q));
            let v = problem.velocity(c, &self.x);
            for i in 0..3 {
                let a = self.a[c][i.min(1)];
                self.off[c][i] = self.z[c][i] - a * (v[i] + offset[i]);
            }
        }
        self.off_x.iter_mut().zip(&self.x).for_each(|(off, x)| *off -= x);
        (sum / if q_norm > 0.0 { q_norm } else { 1.0 }).sqrt()
    }

    /// Predictor, corrector, step; its length. None when the points have left the cones.
    fn step<S: Space>(
        &mut self,
        problem: &S,
        settings: &InteriorSettings,
        factor: &mut Factor,
    ) -> Option<f64> {
        let k = problem.contacts();
        for c in 0..k {
            self.scaling[c] = Scaling::new(&self.y[c], &self.z[c])?;
            let eps = &problem.eps()[c];
            let a = |i: usize| self.a[c][i.min(1)];
            self.G[c] = if *eps == [0.0; 3] {
                self.scaling[c].square()
            } else {
                let mut K = self.scaling[c].inverse_square();
                (0..3).for_each(|i| K[4 * i] += a(i) * eps[i] * a(i));
                inverse(&K)?
            };
            self.D[c] = std::array::from_fn(|i| a(i / 3) * self.G[c][i] * a(i % 3));
        }
        if !factor.factor(problem, &self.D, S::IS_SYMMETRIC) {
            return None;
        }
        let gap = self.gap();
        // predictor: S⁻¹(λ \ −λ∘λ) = −z
        for c in 0..k {
            self.right[c] = self.z[c].map(|z| -z);
        }
        self.direction(problem, factor);
        let alpha = self.longest_step(1.0);
        let mut gap_affine = 0.0;
        for c in 0..k {
            let y: Triple = std::array::from_fn(|i| self.y[c][i] + alpha * self.dy[c][i]);
            let z: Triple = std::array::from_fn(|i| self.z[c][i] + alpha * self.dz[c][i]);
            gap_affine += dot(&y, &z);
        }
        let sigma = (gap_affine / gap).clamp(0.0, 1.0);
        let centre = (sigma * sigma * sigma).max(settings.centring) * gap / k as f64;
        for c in 0..k {
            let scaling = &self.scaling[c];
            let lambda = scaling.apply(&self.z[c]);
            let second = product(&scaling.apply_inverse(&self.dy[c]), &scaling.apply(&self.dz[c]));
            let first = product(&lambda, &lambda);
            let mut v: Triple = std::array::from_fn(|i| -first[i] - second[i]);
            v[0] += centre;
            self.right[c] = scaling.apply_inverse(&quotient(&v, &lambda));
        }
        self.direction(problem, factor);
        let alpha = FRACTION * self.longest_step(1.0 / FRACTION);
        if !(alpha > 1e-12) {
            return None;
        }
        for c in 0..k {
            for i in 0..3 {
                self.y[c][i] += alpha * self.dy[c][i];
                self.z[c][i] += alpha * self.dz[c][i];
            }
        }
        self.x.iter_mut().zip(&self.dx).for_each(|(x, dx)| *x += alpha * dx);
        Some(alpha)
    }

    /// dx, dy and dz for the right side `S⁻¹ (λ \ …)`.
    fn direction(&mut self, problem: &impl Space, factor: &mut Factor) {
        self.dx.copy_from_slice(&self.off_x);
        for c in 0..problem.contacts() {
            let rho: Triple = std::array::from_fn(|i| self.right[c][i] + self.off[c][i]);
            let [n, t] = self.a[c];
            let g = times(&self.G[c], &rho);
            problem.add_motion(c, &[n * g[0], t * g[1], t * g[2]], &mut self.dx);
        }
        factor.solve(&mut self.dx);
        for c in 0..problem.contacts() {
            let v = problem.velocity(c, &self.dx);
            let a = |i: usize| self.a[c][i.min(1)];
            let eps = &problem.eps()[c];
            let rho: Triple =
                std::array::from_fn(|i| self.right[c][i] + self.off[c][i] - a(i) * v[i]);
            let dy = times(&self.G[c], &rho);
            self.dz[c] =
                std::array::from_fn(|i| a(i) * (v[i] + eps[i] * a(i) * dy[i]) - self.off[c][i]);
            self.dy[c] = dy;
        }
    }

    fn longest_step(&self, limit: f64) -> f64 {
        let mut alpha = limit;
        for c in 0..self.y.len() {
            alpha = step_to_boundary(&self.y[c], &self.dy[c], alpha);
            alpha = step_to_boundary(&self.z[c], &self.dz[c], alpha);
        }
        if alpha.is_finite() { alpha } else { 0.0 }
    }
}

fn times(A: &Block, x: &Triple) -> Triple {
    std::array::from_fn(|i| A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2])
}

/// Of a symmetric block, by cofactors; none if it has no inverse.
fn inverse(A: &Block) -> Option<Block> {
    let cofactor = |i: usize, j: usize| {
        let at = |a: usize, b: usize| A[3 * ((i + a) % 3) + (j + b) % 3];
        at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
    };
    let det = A[0] * cofactor(0, 0) + A[1] * cofactor(0, 1) + A[2] * cofactor(0, 2);
    let inverse: Block = std::array::from_fn(|k| cofactor(k % 3, k / 3) / det);
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}
