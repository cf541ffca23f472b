//! Proximal Newton for exact Coulomb friction, in velocity space.
//!
//! # Method
//!
//! Coulomb's law is a fixed point, `r = Π(r − κ m u)`, with Π the map of Alart and Curnier (1991): open where `z_n ≤ 0`, stick where
//! `‖z_t‖ ≤ μ z_n`, else slip with `r_t = μ z_n z_t/‖z_t‖`. With the centre c of `r = Π(c − κ m u)` held, this is contact of compliance
//! 1/(κ m) and
//!
//! ```text
//!  F(x) = x − H r(x) = 0 ,     r(x) = Π((c − κ m (Hᵀ x + q)) / (1 + κ m ε)) ,     F' = I + H D Hᵀ
//! ```
//!
//! which semismooth Newton solves with ‖F‖, an energy, as merit. Then c ← r (a proximal-point step) and κ grows where Newton had it
//! easy, shrinks where it failed. At c = r the law is exact. The matrix is regular whatever the rank of H as long as nothing slips.
//!
//! # Cost
//!
//! One factorization a step.
//!
//! # When it fails
//!
//! Strongly mixed stick and slip: pieces of opposite determinant (folds) stop the descent, [`Status::Stalled`]. The best iterate is the answer.
//!
//! Theory: `docs/theory/velocity-space.md`.

use super::error::{Measure, error};
use super::factor::{Block, Factor};
use super::mode::{Mode, derivative, respond, shifted_by};
use super::path::{PathSettings, PathWork, follow};
use super::space::Space;
use crate::cone::Triple;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NewtonSettings {
    /// Solved when the judge's number, as computed here, is at most this; it goes on to `aim` while that costs little.
    pub(super) tol: f64,
    pub(super) aim: f64,
    /// Newton steps in all.
    pub(super) max_steps: usize,
    /// κ of the first inner problem, in units of each contact's own mass; growth where it was easy, and the largest.
    pub(super) stiffness: f64,
    pub(super) growth: f64,
    pub(super) max_stiffness: f64,
    /// Steps for one inner problem.
    pub(super) max_inner: usize,
    /// Corners of the path that is followed where an inner problem fails; 0: none is.
    pub(super) max_corners: usize,
}

impl NewtonSettings {
    pub(super) const DEFAULT: Self = Self {
        tol: 1e-14,
        aim: 1e-14,
        max_steps: 500,
        stiffness: 1.0,
        growth: 1.5,
        max_stiffness: 1e4,
        max_inner: 15,
        max_corners: 0,
    };
}

/// An inner problem is solved when its merit is at most this part of that of the way from the centre.
const INNER: f64 = 1e-2;
/// Planar corners for the price of a step.
const CHEAP_CORNERS: usize = 4;
/// Paths that go back beyond this part of the shift are given up.
const FARTHEST: f64 = 1.5;
/// Shifts are the same if the cosine between them, squared, is at least this.
const PARALLEL: f64 = 0.98;
/// Below this error an iteration without progress is at its rounding floor.
const NEARLY: f64 = 1e-11;

#[derive(Clone, Debug, Default)]
pub(super) struct NewtonWork {
    pub(super) mass: Vec<f64>,
    centre: Vec<Triple>,
    x_centre: Vec<f64>,
    x: Vec<f64>,
    pub(super) r: Vec<Triple>,
    /// The arguments of Π at x.
    z: Vec<Triple>,
    /// −F, then the step.
    pub(super) dx: Vec<f64>,
    from: Vec<f64>,
    step: Vec<f64>,
    moved: Vec<f64>,
    D: Vec<Block>,
    best: Vec<Triple>,
    /// `(r − c)/(κ m)` of the last inner problem: the velocities by which r misses rigid contact.
    shift: Vec<Triple>,
    /// `(r − c)/(κ m)` alone.
    drift: Vec<Triple>,
    measure: Measure,
    path: PathWork,
}

/// Proximal Newton from the impulses `r`, which are the answer on return.
pub(super) fn newton(
    problem: &impl Space,
    settings: &NewtonSettings,
    (work, factor): (&mut NewtonWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    work.prepare(problem, r);
    let (status, steps) = work.proximal_point(problem, settings, factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, steps, steps)
}

impl NewtonWork {
    pub(super) fn prepare(&mut self, problem: &impl Space, r: &[Triple]) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        self.mass.clear();
        self.mass.extend((0..k).map(|c| problem.mass(c)));
        self.centre.clear();
        self.centre.extend_from_slice(r);
        for list in [&mut self.r, &mut self.z, &mut self.best, &mut self.shift, &mut self.drift] {
            list.clear();
            list.extend_from_slice(r);
        }
        let lists = [
            &mut self.x_centre,
            &mut self.x,
            &mut self.dx,
            &mut self.from,
            &mut self.step,
            &mut self.moved,
        ];
        for list in lists {
            list.clear();
            list.resize(n, 0.0);
        }
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
    }

    fn proximal_point(
        &mut self,
        problem: &impl Space,
        settings: &NewtonSettings,
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let mut kappa = settings.stiffness;
        let (mut steps, mut idle, mut has_shift) = (0, 0, false);
        let (mut lowest, mut floor) = error(problem, &self.r, &mut self.measure);
        while !(lowest <= settings.aim.max(floor)) {
            if stop() {
                return (Status::Stopped, steps);
            }
            if steps >= settings.max_steps {
                let is_solved = lowest <= settings.tol;
                return (if is_solved { Status::Solved } else { Status::IterationLimit }, steps);
            }
            self.centre.copy_from_slice(&self.r);
            problem.motion(&self.r, &mut self.x_centre);
            self.x.copy_from_slice(&self.x_centre);
            let (mut converged, taken) = self.inner(problem, kappa, settings, factor);
            steps += taken;
            if !converged && has_shift && settings.max_corners > 0 {
                let (arrived, corners) = self.follow_path(problem, kappa, settings, (factor, stop));
                converged = arrived;
                // planar corners are solves, not factorizations
                steps += if problem.dim() == 2 { corners.div_ceil(CHEAP_CORNERS) } else { corners };
                self.dx.fill(0.0);
            }
            if !converged {
                self.r.copy_from_slice(&self.centre);
                kappa /= 3.0;
                if kappa < 1e-6 {
                    return (Status::Stalled, steps);
                }
                continue;
            }
            let (used, drift) = (kappa, self.set_shift(problem, kappa, has_shift));
            has_shift = true;
            if taken <= 3 {
                kappa = (kappa * settings.growth).min(settings.max_stiffness);
            } else if taken > 6 {
                kappa *= 0.5;
            }
            let (next, next_floor) = error(problem, &self.r, &mut self.measure);
            idle = if next < 0.5 * lowest { 0 } else { idle + 1 };
            if next < lowest {
                (lowest, floor) = (next, next_floor);
                self.best.copy_from_slice(&self.r);
            }
            if (lowest < NEARLY && idle >= 8) || (lowest <= settings.tol && idle >= 2) {
                break;
            }
            if let Some(ratio) = drift
                && taken <= 2
                && idle >= 2
            {
                self.jump(problem, (used, ratio));
                has_shift = false;
            }
        }
        (Status::Solved, steps)
    }

    /// Solves the inner problem by the path that leads to it from the centre.
    fn follow_path(
        &mut self,
        problem: &impl Space,
        kappa: f64,
        settings: &NewtonSettings,
        (factor, stop): (&mut Factor, Stop<'_>),
    ) -> (bool, usize) {
        self.r.copy_from_slice(&self.centre);
        let path = PathSettings {
            stiffness: kappa,
            max_corners: settings.max_corners,
            farthest: FARTHEST,
            is_backward: false,
        };
        let memory = (&mut self.path, factor);
        let report = follow(problem, &path, memory, (&self.shift, stop), &mut self.r);
        (report.status == Status::Solved, report.factorizations)
    }

    /// The shift of the inner problem just solved, with which r is exact at its own velocities (`dx` is what x misses of them), and the drift;
    /// how much of the last one is left in it, where it has hardly turned.
    fn set_shift(&mut self, problem: &impl Space, kappa: f64, has_last: bool) -> Option<f64> {
        let (mut old, mut both, mut new) = (0.0, 0.0, 0.0);
        for c in 0..self.r.len() {
            let s = kappa * self.mass[c];
            let missed = problem.velocity(c, &self.dx);
            for i in 0..3 {
                let d = (self.r[c][i] - self.centre[c][i]) / s;
                let last = std::mem::replace(&mut self.drift[c][i], d);
                self.shift[c][i] = d - missed[i];
                let m = self.mass[c];
                (old, both, new) = (old + m * last * last, both + m * last * d, new + m * d * d);
            }
        }
        let is_same = has_last && both > 0.0 && both * both >= PARALLEL * old * new;
        is_same.then_some(both / old)
    }

    /// Where impulses drift, step by step in one direction, they go on until they would stop, or until a contact comes to the end of its mode.
    fn jump(&mut self, problem: &impl Space, (kappa, ratio): (f64, f64)) {
        let mut length = if ratio < 1.0 { kappa * ratio / (1.0 - ratio) } else { f64::INFINITY };
        for c in 0..self.r.len() {
            let way = self.drift[c].map(|d| self.mass[c] * d);
            length = length.min(to_end(&self.r[c], &way, problem.mu()[c]));
        }
        if !(length > kappa && length.is_finite()) {
            return;
        }
        for c in 0..self.r.len() {
            for i in 0..3 {
                self.r[c][i] += length * self.mass[c] * self.drift[c][i];
            }
        }
    }

    /// Solves F = 0 for the centre and κ; says whether it converged, and the steps taken.
    pub(super) fn inner(
        &mut self,
        problem: &impl Space,
        kappa: f64,
        settings: &NewtonSettings,
        factor: &mut Factor,
    ) -> (bool, usize) {
        let mut merit = self.evaluate(problem, kappa);
        let scale = problem.square(&self.x).max(self.size(problem, kappa));
        for step in 1..=settings.max_inner {
            self.linearize(problem, kappa);
            if !factor.factor(problem, &self.D, false) {
                return (false, step);
            }
            factor.solve(&mut self.dx);
            let Some(lower) = self.search_line(problem, kappa, merit) else {
                // rounding stops the descent just before the solution
                return (merit <= 1e-24 * scale, step);
            };
            merit = lower;
            for ((m, x), c) in self.moved.iter_mut().zip(&self.x).zip(&self.x_centre) {
                *m = x - c;
            }
            let moved = problem.square(&self.moved);
            if merit <= 1e-28 * scale || merit <= INNER * moved {
                return (true, step);
            }
        }
        (false, settings.max_inner)
    }

    /// z, r and −F at x; `‖F‖²`.
    fn evaluate(&mut self, problem: &impl Space, kappa: f64) -> f64 {
        let Self { centre, mass, x, z, r, .. } = self;
        problem.each_velocity(x, |c, v| {
            let mu = problem.mu()[c];
            z[c] = shifted_by(problem, c, (&centre[c], kappa * mass[c]), &v);
            r[c] = respond(Mode::of(&z[c], mu), &z[c], mu);
        });
        problem.motion(&self.r, &mut self.dx);
        self.dx.iter_mut().zip(&self.x).for_each(|(d, x)| *d -= x);
        problem.square(&self.dx)
    }

    /// What κ m q would move: the size of the terms of F where x is still zero.
    fn size(&self, problem: &impl Space, kappa: f64) -> f64 {
        let softness = kappa.min(1.0);
        let of = |c: usize| {
            let q = &problem.q()[c];
            self.mass[c] * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
        };
        softness * softness * (0..self.r.len()).map(of).sum::<f64>()
    }

    /// The blocks D of F' where it was evaluated last.
    fn linearize(&mut self, problem: &impl Space, kappa: f64) {
        for (c, z) in self.z.iter().enumerate() {
            let s = kappa * self.mass[c];
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * problem.eps()[c][i]));
            let mu = problem.mu()[c];
            self.D[c] = derivative(Mode::of(z, mu), z, mu, &slope);
        }
    }

    /// Moves x along the step as far as the merit falls, halving the way; gives the new merit.
    fn search_line(&mut self, problem: &impl Space, kappa: f64, merit: f64) -> Option<f64> {
        self.from.copy_from_slice(&self.x);
        self.step.copy_from_slice(&self.dx);
        let mut length = 1.0;
        for _ in 0..15 {
            for ((x, from), d) in self.x.iter_mut().zip(&self.from).zip(&self.step) {
                *x = from + length * d;
            }
            let next = self.evaluate(problem, kappa);
            if next < (1.0 - 1e-4 * length) * merit {
                return Some(next);
            }
            length *= 0.5;
        }
        self.x.copy_from_slice(&self.from);
        self.evaluate(problem, kappa);
        None
    }
}

/// How far r may go along the way before it leaves its cone, or its face of the cone.
fn to_end(r: &Triple, way: &Triple, mu: f64) -> f64 {
    let mut length = f64::INFINITY;
    if way[0] < 0.0 {
        length = -r[0] / way[0];
    }
    // ‖r_t + l w_t‖² − μ² (r_n + l w_n)² = a l² + 2 b l + c; on the cone or within rounding of it the way along it counts
    let a = way[1] * way[1] + way[2] * way[2] - mu * mu * way[0] * way[0];
    let b = r[1] * way[1] + r[2] * way[2] - mu * mu * r[0] * way[0];
    let c = r[1] * r[1] + r[2] * r[2] - mu * mu * r[0] * r[0];
    if c < -1e-9 * mu * mu * r[0] * r[0] {
        let discriminant = b * b - a * c;
        if discriminant >= 0.0 {
            let s = -(b + if b >= 0.0 { discriminant.sqrt() } else { -discriminant.sqrt() });
            for root in [s / a, c / s] {
                if root > 0.0 && root < length {
                    length = root;
                }
            }
        }
    }
    length
}
