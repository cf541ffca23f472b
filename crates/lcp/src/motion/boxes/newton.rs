//! Proximal Newton between bounds, in velocity space: what is left to it where pivoting by blocks (`pivots.rs`) does not end.
//!
//! # Method
//!
//! The law is a fixed point, `r = Π(r − κ m u)`, with Π of `section.rs`. With the centre c of `r = Π(c − κ m u)` held, it is contact of
//! compliance 1/(κ m) and
//!
//! ```text
//!  F(x) = x − H r(x) = 0 ,     r(x) = Π((c − κ m (Hᵀ x + q)) / (1 + κ m ε)) ,     F' = I + H D Hᵀ
//! ```
//!
//! Π is linear on each set of active bounds, so a Newton step is the exact answer for the active set at hand, and the next active set is
//! read off it. Where the bounds are known F is the gradient of a convex function of x: the step is cut where that function is least
//! along it, and Newton ends at the one solution after finitely many sets. Elsewhere ‖F‖, an energy, has to fall. Then c ← r, a proximal
//! point step. At c = r the law is exact. The matrix is regular whatever the rank of H; an active set that comes back needs
//! no new factors.
//!
//! # Cost
//!
//! A factorization for each new active set and κ: tens.
//!
//! # When it fails
//!
//! With known bounds: at the iteration limit or at rounding alone. With friction bounded by the normal impulse, pieces of opposite
//! determinant stop the descent, [`Status::Stalled`]. The best iterate is the answer.

use super::error::{Measure, error};
use super::problem::View;
use super::section::respond;
use crate::cone::Triple;
use crate::motion::factor::{Block, Factor};
use crate::motion::space::Space;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NewtonSettings {
    /// Solved when the judge's number, as computed here, is at most this, or at most `good` and falls no more.
    pub(super) tol: f64,
    pub(super) good: f64,
    /// Factorizations in all.
    pub(super) max_factorizations: usize,
    /// κ of the first inner problem, in units of each contact's own mass.
    pub(super) stiffness: f64,
}

/// κ grows by this factor from one inner problem to the next, up to the largest. With friction that the normal impulse bounds it grows
/// slowly, and only where the last problem was easy.
const GROWTH: f64 = 10.0;
const SLOW_GROWTH: f64 = 1.5;
const STIFFEST: f64 = 1e6;
/// Below it nothing moves any more.
const SOFTEST: f64 = 1e-6;
/// Rounding, in units of the velocities.
const NOISE: f64 = 1e-16;
/// Newton steps for one inner problem.
const MAX_INNER: usize = 60;
/// Inner problems of a convex problem, or of any at the largest κ, without progress before it is given up.
const PATIENCE: usize = 8;
/// Steps for each factorization allowed: with an active set that comes back they need no new factors.
const STEPS: usize = 10;
/// An inner problem is solved when ‖F‖² is at most this part of the way from the centre.
const INNER: f64 = 1e-6;
/// The slope at the end of a step that is good enough, as a part of that at its beginning.
const FLAT: f64 = 0.1;

#[derive(Clone, Debug, Default)]
pub(super) struct NewtonWork {
    mass: Vec<f64>,
    centre: Vec<Triple>,
    x: Vec<f64>,
    r: Vec<Triple>,
    /// `Hᵀ x` and its change along the step.
    v: Vec<Triple>,
    dv: Vec<Triple>,
    /// −F, then the step.
    dx: Vec<f64>,
    from: Vec<f64>,
    step: Vec<f64>,
    D: Vec<Block>,
    /// Of the factors at hand; empty where there are none.
    factored: Vec<Block>,
    best: Vec<Triple>,
    measure: Measure,
    factorizations: usize,
}

/// Proximal Newton from the impulses `r`, which are the answer on return.
pub(super) fn newton(
    problem: View<'_>,
    settings: &NewtonSettings,
    (work, factor): (&mut NewtonWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem.rows);
    work.prepare(problem, r);
    let (status, steps) = work.proximal_point(problem, settings, factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, steps, work.factorizations)
}

impl NewtonWork {
    fn prepare(&mut self, problem: View<'_>, r: &[Triple]) {
        let (rows, k) = (problem.rows, problem.bounds.len());
        self.mass.clear();
        self.mass.extend((0..k).map(|c| rows.mass(c)));
        for list in [&mut self.centre, &mut self.r, &mut self.best] {
            list.clear();
            list.extend_from_slice(r);
        }
        for list in [&mut self.v, &mut self.dv] {
            list.clear();
            list.resize(k, [0.0; 3]);
        }
        for list in [&mut self.x, &mut self.dx, &mut self.from] {
            list.clear();
            list.resize(rows.coordinates(), 0.0);
        }
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
        self.factored.clear();
        self.factorizations = 0;
    }

    fn proximal_point(
        &mut self,
        problem: View<'_>,
        settings: &NewtonSettings,
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let (mut kappa, mut steps, mut idle) = (settings.stiffness, 0, 0);
        let mut lowest = error(problem, &self.r, &mut self.measure);
        problem.rows.motion(&self.r, &mut self.x);
        while !(lowest <= settings.tol) {
            if stop() {
                return (Status::Stopped, steps);
            }
            let limit = settings.max_factorizations;
            if self.factorizations >= limit || steps >= STEPS * limit {
                return (Status::IterationLimit, steps);
            }
            let (converged, taken) = self.inner(problem, kappa, settings, factor);
            // an inner problem that is solved where it begins counts, too
            steps += taken.max(1);
            let next = error(problem, &self.r, &mut self.measure);
            idle = if next < 0.5 * lowest { 0 } else { idle + 1 };
            if next < lowest {
                lowest = next;
                self.best.copy_from_slice(&self.r);
            }
            let is_last = problem.is_convex() || !(SOFTEST..STIFFEST).contains(&kappa);
            if (idle >= PATIENCE && is_last) || (idle > 0 && lowest <= settings.good) {
                let is_good = lowest <= settings.good;
                return (if is_good { Status::Solved } else { Status::Stalled }, steps);
            }
            if converged {
                self.centre.copy_from_slice(&self.r);
                if problem.is_convex() {
                    kappa = (kappa * GROWTH).min(STIFFEST);
                } else if taken <= 3 {
                    kappa = (kappa * SLOW_GROWTH).min(STIFFEST);
                } else if taken > 6 {
                    kappa *= 0.5;
                }
            } else {
                kappa /= 3.0;
                self.r.copy_from_slice(&self.centre);
            }
            problem.rows.motion(&self.r, &mut self.x);
        }
        (Status::Solved, steps)
    }

    /// Solves F = 0 for the centre and κ; says whether it converged, and the steps taken.
    fn inner(
        &mut self,
        problem: View<'_>,
        kappa: f64,
        settings: &NewtonSettings,
        factor: &mut Factor,
    ) -> (bool, usize) {
        let is_convex = problem.is_convex();
        let mut merit = self.evaluate(problem, kappa);
        let scale = self.x.iter().map(|x| x * x).sum::<f64>().max(merit);
        // stiff contact makes impulses of the last bits of velocities
        let floor = (NOISE * (1.0 + kappa)).powi(2) * scale;
        for step in 1..=MAX_INNER {
            if merit <= floor {
                return (true, step - 1);
            }
            self.linearize(problem, kappa);
            let is_known = self.D == self.factored;
            if !is_known && self.factorizations >= settings.max_factorizations {
                return (false, step - 1);
            }
            if !is_known && !self.factor(problem, factor) {
                return (false, step);
            }
            factor.solve(&mut self.dx);
            self.from.copy_from_slice(&self.x);
            let length = if is_convex {
                self.least_along(problem, kappa)
            } else {
                self.search_line(problem, kappa, merit)
            };
            let Some(length) = length else { return (merit <= 1e4 * floor, step) };
            let step_square: f64 = self.dx.iter().map(|d| d * d).sum();
            self.move_along(length);
            merit = self.evaluate(problem, kappa);
            if length == 1.0 && merit <= INNER * step_square.min(scale) {
                return (true, step);
            }
        }
        (false, MAX_INNER)
    }

    /// `(c − s (Hᵀ x + q)) / (1 + s ε)` by the velocities v.
    fn shifted(&self, problem: View<'_>, c: usize, s: f64) -> Triple {
        shifted(problem, (c, s), &self.centre[c], &self.v[c])
    }

    /// v, r and −F at x; `‖F‖²`.
    fn evaluate(&mut self, problem: View<'_>, kappa: f64) -> f64 {
        let rows = problem.rows;
        for c in 0..self.r.len() {
            self.v[c] = rows.velocity(c, &self.x);
            let z = self.shifted(problem, c, kappa * self.mass[c]);
            self.r[c] = respond(&problem.bounds[c], problem.directions, &z).0;
        }
        rows.motion(&self.r, &mut self.dx);
        self.dx.iter_mut().zip(&self.x).for_each(|(d, x)| *d -= x);
        self.dx.iter().map(|d| d * d).sum()
    }

    fn linearize(&mut self, problem: View<'_>, kappa: f64) {
        for c in 0..self.r.len() {
            let z = self.shifted(problem, c, kappa * self.mass[c]);
            let (_, J) = respond(&problem.bounds[c], problem.directions, &z);
            self.set_block(problem, c, &J, kappa);
        }
    }

    /// D of a contact.
    fn set_block(&mut self, problem: View<'_>, c: usize, J: &Block, kappa: f64) {
        let (s, eps) = (kappa * self.mass[c], &problem.rows.eps()[c]);
        self.D[c] = std::array::from_fn(|k| J[k] * (s / (1.0 + s * eps[k % 3])));
    }

    fn factor(&mut self, problem: View<'_>, factor: &mut Factor) -> bool {
        self.factorizations += 1;
        self.factored.clear();
        let is_regular = factor.factor(problem.rows, &self.D, problem.is_convex());
        if is_regular {
            self.factored.extend_from_slice(&self.D);
        }
        is_regular
    }

    fn move_along(&mut self, length: f64) {
        for ((x, from), d) in self.x.iter_mut().zip(&self.from).zip(&self.dx) {
            *x = from + length * d;
        }
    }

    /// Where the convex function of x is least along the step: 1, or less. None where it does not fall.
    fn least_along(&mut self, problem: View<'_>, kappa: f64) -> Option<f64> {
        for c in 0..self.dv.len() {
            self.dv[c] = problem.rows.velocity(c, &self.dx);
        }
        let across: f64 = self.from.iter().zip(&self.dx).map(|(x, d)| x * d).sum();
        let square: f64 = self.dx.iter().map(|d| d * d).sum();
        let slope = |length: f64| {
            let mut slope = across + length * square;
            for c in 0..self.dv.len() {
                let (v, dv) = (&self.v[c], &self.dv[c]);
                let at = std::array::from_fn(|i| v[i] + length * dv[i]);
                let z = shifted(problem, (c, kappa * self.mass[c]), &self.centre[c], &at);
                let (r, _) = respond(&problem.bounds[c], problem.directions, &z);
                slope -= dv[0] * r[0] + dv[1] * r[1] + dv[2] * r[2];
            }
            slope
        };
        let first = slope(0.0);
        if !(first < 0.0) {
            return None;
        }
        let last = slope(1.0);
        if last <= -FLAT * first {
            return Some(1.0);
        }
        // regula falsi, after Illinois
        let (mut low, mut high) = ((0.0, first), (1.0, last));
        for _ in 0..30 {
            let length = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let here = slope(length);
            if here.abs() <= -FLAT * first {
                return Some(length);
            }
            if here > 0.0 {
                high = (length, here);
                low.1 *= 0.5;
            } else {
                low = (length, here);
                high.1 *= 0.5;
            }
        }
        (low.0 > 0.0).then_some(low.0)
    }

    /// How far ‖F‖ falls along the step, halving the way.
    fn search_line(&mut self, problem: View<'_>, kappa: f64, merit: f64) -> Option<f64> {
        self.step.clone_from(&self.dx);
        let mut length = 1.0;
        for _ in 0..15 {
            self.dx.copy_from_slice(&self.step);
            self.move_along(length);
            let is_lower = self.evaluate(problem, kappa) < (1.0 - 1e-4 * length) * merit;
            self.dx.copy_from_slice(&self.step);
            if is_lower {
                return Some(length);
            }
            length *= 0.5;
        }
        self.x.copy_from_slice(&self.from);
        None
    }
}

fn shifted(problem: View<'_>, (c, s): (usize, f64), centre: &Triple, v: &Triple) -> Triple {
    let (q, eps) = (&problem.rows.q()[c], &problem.rows.eps()[c]);
    std::array::from_fn(|i| (centre[i] - s * (v[i] + q[i])) / (1.0 + s * eps[i]))
}
