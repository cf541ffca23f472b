//! The finish where nothing slips: conjugate gradients on the contacts that press.
//!
//! Theory: `docs/theory/velocity-space-first-order.md`.
//!
//! # Method
//!
//! Where all contacts S that press stick, and the others are open, their impulses solve `W_SS r_S = −q_S`: singular where
//! contacts are redundant, but consistent. Conjugate gradients from an iterate, with the contact masses as
//! preconditioner, end at the solution nearest to it. If that lies in the cones, it obeys Coulomb's law. The direction's motion is kept
//! current, so that an iteration is one pass over H.
//!
//! # When it fails
//!
//! The nearest solution leaves the cones by more than the iterate was wrong: given up as soon as that shows.

use super::MotionProblem;
use super::apgd::{dot, error, motion, project};
use super::root::Root;
use crate::cone::Triple;

/// Memory, reused by every try.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceWorkspace {
    r: Vec<Triple>,
    direction: Vec<Triple>,
    residual: Vec<Triple>,
    /// Motion of the direction, and of the next one before it is made conjugate.
    s: Vec<f64>,
    s_next: Vec<f64>,
}

impl FaceWorkspace {
    pub(super) fn answer(&self) -> &[Triple] {
        &self.r
    }
}

pub(super) struct Face<'a> {
    pub(super) problem: &'a MotionProblem,
    pub(super) mass: &'a [f64],
    pub(super) q_norm: f64,
}

/// Iterations between looks at the cones.
const LOOK_EVERY: usize = 8;
const MAX_ITERATIONS: usize = 2000;

impl Face<'_> {
    /// Tries to finish from an iterate of known error: the error of what is left in the workspace, in the units of
    /// ‖q‖, and the passes over H that it took.
    pub(super) fn finish<R: Root>(
        &self,
        root: &R,
        (start, start_error): (&[Triple], f64),
        goal: f64,
        work: &mut FaceWorkspace,
    ) -> (f64, usize) {
        work.r.clear();
        work.r.extend_from_slice(start);
        for triples in [&mut work.direction, &mut work.residual] {
            triples.clear();
            triples.resize(start.len(), [0.0; 3]);
        }
        for x in [&mut work.s, &mut work.s_next] {
            x.clear();
            x.resize(self.problem.coordinates(), 0.0);
        }
        let passes = self.conjugate_gradients(root, start_error, goal, work);
        for (r_c, mu) in work.r.iter_mut().zip(self.problem.mu()) {
            *r_c = project(r_c, *mu);
        }
        motion(root, &work.r, &mut work.s);
        (error(root, self.problem, &work.r, &work.s) / self.q_norm, passes + 3)
    }

    fn conjugate_gradients<R: Root>(
        &self,
        root: &R,
        start_error: f64,
        goal: f64,
        work: &mut FaceWorkspace,
    ) -> usize {
        motion(root, &work.r, &mut work.s_next);
        let (mut gamma, _) = self.first_residual(root, work);
        std::mem::swap(&mut work.s, &mut work.s_next);
        for iteration in 1..MAX_ITERATIONS {
            let curvature = work.s.iter().map(|s| s * s).sum::<f64>() + self.compliance(work);
            let alpha = gamma / curvature;
            if !(alpha > 0.0 && alpha < f64::INFINITY) {
                return iteration;
            }
            let (gamma_next, size) = self.pass(root, alpha, work);
            let size = size.sqrt() / self.q_norm;
            if size <= 0.1 * goal {
                return iteration;
            }
            if iteration % LOOK_EVERY == 0 && !(self.outside(&work.r) < 0.5 * start_error.max(size))
            {
                return iteration;
            }
            let beta = gamma_next / gamma;
            gamma = gamma_next;
            for (s, next) in work.s.iter_mut().zip(&work.s_next) {
                *s = next + beta * *s;
            }
            for (c, p) in work.direction.iter_mut().enumerate() {
                let m = self.mass[c];
                *p = std::array::from_fn(|i| m * work.residual[c][i] + beta * p[i]);
            }
        }
        MAX_ITERATIONS
    }

    /// The residual −u of the contacts that press, given the motion in `s_next`; directions and their motion (left in
    /// `s_next`). `residual·m residual` and `residual²`.
    fn first_residual<R: Root>(&self, root: &R, work: &mut FaceWorkspace) -> (f64, f64) {
        work.s.fill(0.0);
        let (mut gamma, mut size) = (0.0, 0.0);
        for (c, r) in work.r.iter().enumerate().filter(|(_, r)| r[0] > 0.0) {
            let (v, q, eps) =
                (root.velocity(c, &work.s_next), &self.problem.q()[c], &self.problem.eps()[c]);
            let residual: Triple = std::array::from_fn(|i| -(v[i] + q[i] + eps[i] * r[i]));
            let square = dot(&residual, &residual);
            gamma += self.mass[c] * square;
            size += square;
            work.residual[c] = residual;
            work.direction[c] = residual.map(|x| self.mass[c] * x);
            root.add_motion(c, &work.direction[c], &mut work.s);
        }
        std::mem::swap(&mut work.s, &mut work.s_next);
        (gamma, size)
    }

    /// One step along the direction: residuals after it, and the motion of `m residual` in `s_next`.
    fn pass<R: Root>(&self, root: &R, alpha: f64, work: &mut FaceWorkspace) -> (f64, f64) {
        work.s_next.fill(0.0);
        let (mut gamma, mut size) = (0.0, 0.0);
        for (c, p) in work.direction.iter().enumerate() {
            if *p == [0.0; 3] {
                continue;
            }
            let (v, eps, m) = (root.velocity(c, &work.s), &self.problem.eps()[c], self.mass[c]);
            let residual = &mut work.residual[c];
            for i in 0..3 {
                work.r[c][i] += alpha * p[i];
                residual[i] -= alpha * (v[i] + eps[i] * p[i]);
            }
            let square = dot(residual, residual);
            gamma += m * square;
            size += square;
            let z = residual.map(|x| m * x);
            root.add_motion(c, &z, &mut work.s_next);
        }
        (gamma, size)
    }

    fn compliance(&self, work: &FaceWorkspace) -> f64 {
        let squares = |(eps, p): (&Triple, &Triple)| {
            eps[0] * p[0] * p[0] + eps[1] * p[1] * p[1] + eps[2] * p[2] * p[2]
        };
        self.problem.eps().iter().zip(&work.direction).map(squares).sum()
    }

    /// How far the impulses are from their cones, relative to ‖q‖.
    fn outside(&self, r: &[Triple]) -> f64 {
        let mut sum = 0.0;
        for (r_c, mu) in r.iter().zip(self.problem.mu()) {
            let p = project(r_c, *mu);
            let d = [r_c[0] - p[0], r_c[1] - p[1], r_c[2] - p[2]];
            sum += dot(&d, &d);
        }
        sum.sqrt() / self.q_norm
    }
}
