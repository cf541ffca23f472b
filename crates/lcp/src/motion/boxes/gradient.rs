//! Accelerated projected gradient for known bounds, in velocity space.
//!
//! # Method
//!
//! `r ← mid(lower, upper, y − (m/L) u(y))` with the contact masses m as metric, momentum after Nesterov, restarted where it points uphill, and L the
//! least so far with `½ dᵀ W d ≤ ½ L dᵀ d/m` for the step d. Motions of r are kept, those of y are combinations of them.
//!
//! # Cost
//!
//! Two passes over H an iteration, no factorization: for islands whose factors cost more than hundreds of passes.
//!
//! # When it fails
//!
//! Slowly: tall piles and mass ratios take thousands of passes, [`Status::IterationLimit`]. The last iterate is the answer.

use super::error::{Measure, error};
use super::problem::View;
use super::section::respond;
use crate::cone::Triple;
use crate::motion::space::Space;
use crate::report::{Report, Status, Stop};

/// Iterations between looks at the error.
const LOOK_EVERY: usize = 20;
/// L falls by this factor an iteration, so that it can follow the problem.
const EASE: f64 = 0.97;

#[derive(Clone, Debug, Default)]
pub(super) struct GradientWork {
    mass: Vec<f64>,
    y: Vec<Triple>,
    next: Vec<Triple>,
    /// Motions of r, of y, and of the next r.
    x: Vec<f64>,
    x_y: Vec<f64>,
    x_next: Vec<f64>,
    measure: Measure,
}

/// From the impulses `r`, which are the answer on return. Solved at an error of at most `tol`.
pub(super) fn gradient(
    problem: View<'_>,
    (max_iterations, tol): (usize, f64),
    work: &mut GradientWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    work.prepare(problem, r);
    let (mut L, mut momentum) = (1.0, 1.0_f64);
    for iteration in 0..max_iterations {
        if iteration % LOOK_EVERY == 0 {
            if error(problem, r, &mut work.measure) <= tol {
                return Report::new(Status::Solved, iteration, 0);
            }
            if stop() {
                return Report::new(Status::Stopped, iteration, 0);
            }
        }
        L = work.step(problem, EASE * L);
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let beta = if work.is_uphill(r) { 0.0 } else { (momentum - 1.0) / faster };
        momentum = if beta == 0.0 { 1.0 } else { faster };
        work.advance(beta, r);
    }
    Report::new(Status::IterationLimit, max_iterations, 0)
}

impl GradientWork {
    fn prepare(&mut self, problem: View<'_>, r: &mut [Triple]) {
        let rows = problem.rows;
        self.mass.clear();
        self.mass.extend((0..r.len()).map(|c| rows.mass(c)));
        for (r, bounds) in r.iter_mut().zip(problem.bounds) {
            *r = respond(bounds, problem.directions, r).0;
        }
        for list in [&mut self.y, &mut self.next] {
            list.clear();
            list.extend_from_slice(r);
        }
        self.x.clear();
        self.x.resize(rows.coordinates(), 0.0);
        rows.motion(r, &mut self.x);
        self.x_y.clone_from(&self.x);
        self.x_next.clone_from(&self.x);
    }

    /// The next r from y; the L that it took, at least the one given.
    fn step(&mut self, problem: View<'_>, mut L: f64) -> f64 {
        let rows = problem.rows;
        loop {
            let (mut metric, mut compliance) = (0.0, 0.0);
            for c in 0..self.y.len() {
                let (v, y) = (rows.velocity(c, &self.x_y), &self.y[c]);
                let (q, eps, m) = (&rows.q()[c], &rows.eps()[c], self.mass[c]);
                let z: Triple =
                    std::array::from_fn(|i| y[i] - m / L * (v[i] + eps[i] * y[i] + q[i]));
                let next = respond(&problem.bounds[c], problem.directions, &z).0;
                for i in 0..3 {
                    let d = next[i] - y[i];
                    metric += d * d / m;
                    compliance += eps[i] * d * d;
                }
                self.next[c] = next;
            }
            rows.motion(&self.next, &mut self.x_next);
            let moved = self.x_next.iter().zip(&self.x_y).map(|(a, b)| (a - b) * (a - b));
            let needed = (moved.sum::<f64>() + compliance) / metric;
            if !(needed > L) {
                return L;
            }
            L = needed.max(1.2 * L);
        }
    }

    /// The way from y to the next r points against that from r.
    fn is_uphill(&self, r: &[Triple]) -> bool {
        let mut sum = 0.0;
        for c in 0..r.len() {
            for i in 0..3 {
                sum +=
                    (self.y[c][i] - self.next[c][i]) * (self.next[c][i] - r[c][i]) / self.mass[c];
            }
        }
        sum > 0.0
    }

    /// r is the next one, and y goes on by beta of the way.
    fn advance(&mut self, beta: f64, r: &mut [Triple]) {
        for c in 0..r.len() {
            let next = self.next[c];
            self.y[c] = std::array::from_fn(|i| next[i] + beta * (next[i] - r[c][i]));
            r[c] = next;
        }
        for ((x, x_y), next) in self.x.iter_mut().zip(&mut self.x_y).zip(&self.x_next) {
            *x_y = next + beta * (next - *x);
            *x = *next;
        }
    }
}
