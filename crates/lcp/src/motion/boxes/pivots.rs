//! Block pivoting in velocity space: active sets, each from the last one, one factorization each.
//!
//! # Method
//!
//! Each row is between its bounds, or at one of them, as `r − m u` says, m the mass that its contact feels: near an answer that is the larger of what
//! it presses and what it parts. On such a piece `r = J z + b` the proximal steps of `newton.rs` are linear and share one
//! matrix; three of them, refined, solve for the piece to rounding. Impulses beyond a bound and velocities of the wrong sign then make the
//! next active set: block principal pivoting, on a matrix that redundant contacts do not make singular.
//!
//! # Cost
//!
//! One factorization a set; 1 to 3 sets where those of the last step nearly hold.
//!
//! # When it fails
//!
//! Sets that come back, or do not lower the error: given up soon, [`Status::Stalled`]. The best iterate, brought within its bounds, is the
//! answer.

use super::error::{Measure, error};
use super::problem::View;
use super::section::respond;
use crate::cone::Triple;
use crate::motion::factor::{Block, Factor};
use crate::motion::space::Space;
use crate::report::{Report, Status, Stop};

/// κ, in units of each contact's mass.
const STIFF: f64 = 1e5;
/// Proximal steps, each with this many solves.
const STEPS: usize = 3;
const SOLVES: usize = 2;
/// Sets in a row that do not lower the error.
const PATIENCE: usize = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct PivotWork {
    mass: Vec<f64>,
    /// `r = J z + b` of the present set.
    J: Vec<Block>,
    b: Vec<Triple>,
    last: Vec<Block>,
    D: Vec<Block>,
    x: Vec<f64>,
    rest: Vec<f64>,
    centre: Vec<Triple>,
    r: Vec<Triple>,
    trial: Vec<Triple>,
    best: Vec<Triple>,
    measure: Measure,
}

/// Pivots from the impulses `r`, which are the answer on return. Solved at an error of at most `tol`.
pub(super) fn pivots(
    problem: View<'_>,
    (max_sets, tol): (usize, f64),
    (work, factor): (&mut PivotWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem.rows);
    work.prepare(problem, r);
    let (status, sets) = work.run(problem, (max_sets, tol), factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, sets, sets)
}

impl PivotWork {
    fn prepare(&mut self, problem: View<'_>, r: &[Triple]) {
        let (rows, k) = (problem.rows, problem.bounds.len());
        self.mass.clear();
        self.mass.extend((0..k).map(|c| rows.mass(c)));
        for list in [&mut self.centre, &mut self.r, &mut self.trial, &mut self.best, &mut self.b] {
            list.clear();
            list.extend_from_slice(r);
        }
        for list in [&mut self.J, &mut self.D] {
            list.clear();
            list.resize(k, [0.0; 9]);
        }
        self.last.clear();
        for list in [&mut self.x, &mut self.rest] {
            list.clear();
            list.resize(rows.coordinates(), 0.0);
        }
    }

    fn run(
        &mut self,
        problem: View<'_>,
        (max_sets, tol): (usize, f64),
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let (mut lowest, mut patience) = (self.judge(problem), PATIENCE);
        for set in 0..max_sets {
            if stop() {
                return (Status::Stopped, set);
            }
            problem.rows.motion(&self.r, &mut self.x);
            self.choose(problem);
            if self.J == self.last {
                return (Status::Stalled, set);
            }
            self.last.clone_from(&self.J);
            if !factor.factor(problem.rows, &self.D, problem.is_convex()) {
                return (Status::Singular, set + 1);
            }
            self.settle(problem, factor);
            let error = self.judge(problem);
            patience = if error < 0.7 * lowest { PATIENCE } else { patience - 1 };
            if error < lowest {
                lowest = error;
                self.best.copy_from_slice(&self.trial);
            }
            if lowest <= tol {
                return (Status::Solved, set + 1);
            }
            if patience == 0 {
                return (Status::Stalled, set + 1);
            }
        }
        (Status::IterationLimit, max_sets)
    }

    /// The error of r brought within its bounds, which is left in `trial`.
    fn judge(&mut self, problem: View<'_>) -> f64 {
        for ((trial, r), bounds) in self.trial.iter_mut().zip(&self.r).zip(problem.bounds) {
            *trial = respond(bounds, problem.directions, r).0;
        }
        error(problem, &self.trial, &mut self.measure)
    }

    /// The active set of r and x.
    fn choose(&mut self, problem: View<'_>) {
        for c in 0..self.r.len() {
            let m = self.mass[c];
            let z = shifted(problem, (c, m), &self.r[c], &self.x);
            let (at, J) = respond(&problem.bounds[c], problem.directions, &z);
            self.b[c] =
                std::array::from_fn(|i| at[i] - (0..3).map(|j| J[3 * i + j] * z[j]).sum::<f64>());
            let (s, eps) = (STIFF * m, &problem.rows.eps()[c]);
            self.D[c] = std::array::from_fn(|k| J[k] * (s / (1.0 + s * eps[k % 3])));
            self.J[c] = J;
            // what has no part in J is exact
            for i in 0..3 {
                if J[3 * i..3 * i + 3] == [0.0; 3] {
                    self.b[c][i] = at[i];
                } else if J[4 * i] == 1.0 {
                    self.b[c][i] = 0.0;
                }
            }
        }
    }

    /// Impulses of the set, to rounding.
    fn settle(&mut self, problem: View<'_>, factor: &mut Factor) {
        for _ in 0..STEPS {
            self.centre.copy_from_slice(&self.r);
            for _ in 0..SOLVES {
                self.update_impulses(problem);
                problem.rows.motion(&self.r, &mut self.rest);
                self.rest.iter_mut().zip(&self.x).for_each(|(rest, x)| *rest -= x);
                factor.solve(&mut self.rest);
                self.x.iter_mut().zip(&self.rest).for_each(|(x, dx)| *x += dx);
            }
            self.update_impulses(problem);
            problem.rows.motion(&self.r, &mut self.x);
        }
    }

    /// The impulses of the set at x.
    fn update_impulses(&mut self, problem: View<'_>) {
        for c in 0..self.r.len() {
            let (s, J, b) = (STIFF * self.mass[c], &self.J[c], &self.b[c]);
            let z = shifted(problem, (c, s), &self.centre[c], &self.x);
            self.r[c] = std::array::from_fn(|i| {
                J[3 * i] * z[0] + J[3 * i + 1] * z[1] + J[3 * i + 2] * z[2] + b[i]
            });
        }
    }
}

/// `(c − s (Hᵀ x + q)) / (1 + s ε)`.
fn shifted(problem: View<'_>, (c, s): (usize, f64), centre: &Triple, x: &[f64]) -> Triple {
    let (v, q, eps) = (problem.rows.velocity(c, x), &problem.rows.q()[c], &problem.rows.eps()[c]);
    std::array::from_fn(|i| (centre[i] - s * (v[i] + q[i])) / (1.0 + s * eps[i]))
}
