//! From the convex law to Coulomb's, round the folds: slip that dilates less and less.
//!
//! # Method
//!
//! With the centre c and the stiffness κ of a proximal step held, and Π_λ the map of `dilatant.rs`,
//!
//! ```text
//!  F(x, λ) = x − H Π_λ((c − κ m (Hᵀ x + q)) / (1 + κ m ε)) = 0 ,      λ from 1 to 0
//! ```
//!
//! has one answer at λ = 1, which Newton finds, and bounded ones at every λ. So the path from it cannot come back to λ = 1, nor leave, and
//! ends at λ = 0: an answer of the proximal step under Coulomb's law, where Newton alone stops at folds. It consists of smooth pieces, one for each set of modes.
//! Each is followed along its tangent and back to it by Newton, across the tangent, so that folds within a piece are gone round too; at a
//! corner the contact that changes its mode is brought exactly to the boundary.
//!
//! # Cost
//!
//! One factorization for each corner and for each step between corners.
//!
//! # When it fails
//!
//! The way is longer than `max_steps` (stiff contact has more folds), or two corners fall together.
//!
//! Theory: `docs/theory/velocity-space.md`.

use super::corner::{Boundary, to_cone};
use super::dilatant::{beyond, derivative, gap, gap_rate, mode_of, rate_by_lambda, respond};
use super::factor::{Block, Factor};
use super::mode::{Mode, shifted};
use super::space::Space;
use crate::cone::{Triple, length};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DilatancySettings {
    /// κ of the proximal step.
    pub(super) stiffness: f64,
    /// Factorizations at most.
    pub(super) max_steps: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DilatancyWork {
    s: Vec<f64>,
    centre: Vec<Triple>,
    mode: Vec<Mode>,
    D: Vec<Block>,
    /// The point of the path, and where its step began.
    x: Vec<f64>,
    lambda: f64,
    from: Vec<f64>,
    /// Its direction, of length 1 with x measured in `unit`, and the last one.
    way: Vec<f64>,
    lambda_way: f64,
    last_way: Vec<f64>,
    unit: f64,
    /// −F, then a Newton step.
    rest: Vec<f64>,
    z: Vec<Triple>,
    z_way: Vec<Triple>,
    r: Vec<Triple>,
}

/// A boundary that a contact has come to; how fast its gap grew then.
#[derive(Clone, Copy)]
struct Corner {
    contact: usize,
    boundary: Boundary,
    rate: f64,
}

/// A step along the tangent: how far, to which corner, or to the end.
#[derive(Clone, Copy)]
struct Step {
    length: f64,
    corner: Option<(usize, Boundary)>,
    is_end: bool,
}

/// Newton steps with one matrix, and shorter steps along the tangent where they do not arrive.
const CORRECTIONS: usize = 8;
const ATTEMPTS: usize = 12;
/// Newton steps for the convex law.
const CONVEX_STEPS: usize = 60;
/// F over x on the path, and what is let pass where Newton gets no farther.
const ON_PATH: f64 = 1e-11;
const NEARLY_ON_PATH: f64 = 1e-8;
/// Longest step, and how far the direction of a slip may turn in one.
const LONGEST: f64 = 0.3;
const TURN: f64 = 0.5;

/// Solves the proximal step with the centre `r` under Coulomb's law; r is its answer where the path arrives.
pub(super) fn dilatancy_path(
    problem: &impl Space,
    settings: &DilatancySettings,
    (work, factor): (&mut DilatancyWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    work.prepare(problem, settings, r);
    let (status, steps) = match work.solve_convex(problem, factor) {
        (true, taken) => work.follow(problem, settings.max_steps, (factor, stop), taken),
        (false, taken) => (Status::Stalled, taken),
    };
    r.copy_from_slice(&work.r);
    Report::new(status, steps, steps)
}

impl DilatancyWork {
    fn prepare(&mut self, problem: &impl Space, settings: &DilatancySettings, r: &[Triple]) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        self.s.clear();
        self.s.extend((0..k).map(|c| settings.stiffness * problem.mass(c)));
        for list in [&mut self.centre, &mut self.r, &mut self.z, &mut self.z_way] {
            list.clear();
            list.extend_from_slice(r);
        }
        let lists =
            [&mut self.x, &mut self.from, &mut self.way, &mut self.last_way, &mut self.rest];
        for list in lists {
            list.clear();
            list.resize(n, 0.0);
        }
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
        self.mode.clear();
        self.mode.resize(k, Mode::Open);
        problem.motion(r, &mut self.x);
        let size = square(&self.x).sqrt();
        self.unit = if size > 0.0 { size } else { 1.0 };
        self.lambda = 1.0;
    }

    /// Newton with free modes at λ = 1. Says whether it arrived, and the factorizations.
    fn solve_convex(&mut self, problem: &impl Space, factor: &mut Factor) -> (bool, usize) {
        let mut size = self.evaluate_freely(problem);
        for taken in 0..CONVEX_STEPS {
            if size <= ON_PATH {
                return (true, taken);
            }
            if !self.factor(problem, factor) {
                return (false, taken + 1);
            }
            factor.solve(&mut self.rest);
            self.from.copy_from_slice(&self.x);
            self.way.copy_from_slice(&self.rest);
            let (mut length, mut lower) = (1.0, f64::INFINITY);
            while !(lower < (1.0 - 1e-4 * length) * size) && length > 1e-6 {
                for ((x, from), d) in self.x.iter_mut().zip(&self.from).zip(&self.way) {
                    *x = from + length * d;
                }
                lower = self.evaluate_freely(problem);
                length *= 0.5;
            }
            if !(lower < size) {
                return (size <= NEARLY_ON_PATH, taken + 1);
            }
            size = lower;
        }
        (size <= NEARLY_ON_PATH, CONVEX_STEPS)
    }

    fn evaluate_freely(&mut self, problem: &impl Space) -> f64 {
        self.shift(problem);
        for (c, mode) in self.mode.iter_mut().enumerate() {
            *mode = mode_of(&self.z[c], problem.mu()[c], self.lambda);
        }
        self.evaluate(problem)
    }

    fn shift(&mut self, problem: &impl Space) {
        for (c, z) in self.z.iter_mut().enumerate() {
            *z = shifted(problem, c, (&self.centre[c], self.s[c]), &self.x);
        }
    }

    /// z, r and −F at the point, modes held; the size of F beside x.
    fn evaluate(&mut self, problem: &impl Space) -> f64 {
        self.shift(problem);
        for (c, r) in self.r.iter_mut().enumerate() {
            *r = respond(self.mode[c], &self.z[c], problem.mu()[c], self.lambda);
        }
        problem.motion(&self.r, &mut self.rest);
        self.rest.iter_mut().zip(&self.x).for_each(|(f, x)| *f -= x);
        square(&self.rest).sqrt() / self.unit
    }

    /// ∂z of a change of x.
    fn change(&self, problem: &impl Space, c: usize, dx: &[f64]) -> Triple {
        let (u, eps, s) = (problem.velocity(c, dx), &problem.eps()[c], self.s[c]);
        std::array::from_fn(|i| -s * u[i] / (1.0 + s * eps[i]))
    }

    fn factor(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        for c in 0..self.z.len() {
            let (s, eps) = (self.s[c], &problem.eps()[c]);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
            self.D[c] = derivative(self.mode[c], &self.z[c], problem.mu()[c], self.lambda, &slope);
        }
        factor.factor(problem, &self.D, false)
    }

    fn follow(
        &mut self,
        problem: &impl Space,
        max_steps: usize,
        (factor, stop): (&mut Factor, Stop<'_>),
        taken: usize,
    ) -> (Status, usize) {
        self.way.fill(0.0);
        self.lambda_way = -1.0;
        let mut corner = None;
        for steps in taken..max_steps {
            if stop() {
                return (Status::Stopped, steps);
            }
            self.shift(problem);
            if !self.factor(problem, factor) || !self.set_way(problem, factor, corner) {
                return (Status::Singular, steps + 1);
            }
            let Some(step) = self.advance(problem, factor, corner) else {
                return (Status::Stalled, steps + 1);
            };
            if step.is_end {
                return (Status::Solved, steps + 1);
            }
            if self.lambda > 1.0 + NEARLY_ON_PATH {
                return (Status::Ray, steps + 1);
            }
            corner = step.corner.map(|(contact, boundary)| {
                let rate = self.rate_of(problem, contact, boundary);
                self.mode[contact] = beyond(boundary, self.mode[contact]);
                Corner { contact, boundary, rate }
            });
        }
        (Status::IterationLimit, max_steps)
    }

    /// The direction of the path: over a corner into the piece that was entered, else on.
    fn set_way(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        corner: Option<Corner>,
    ) -> bool {
        std::mem::swap(&mut self.way, &mut self.last_way);
        self.way.fill(0.0);
        for c in 0..self.z.len() {
            let rate = rate_by_lambda(self.mode[c], &self.z[c], problem.mu()[c], self.lambda);
            if rate != [0.0; 3] {
                problem.add_motion(c, &rate, &mut self.way);
            }
        }
        factor.solve(&mut self.way);
        let norm = (1.0 + square(&self.way) / (self.unit * self.unit)).sqrt();
        self.way.iter_mut().for_each(|w| *w /= norm);
        let last = std::mem::replace(&mut self.lambda_way, 1.0 / norm);
        for c in 0..self.z.len() {
            self.z_way[c] = self.change(problem, c, &self.way);
        }
        let is_on = match corner {
            Some(Corner { contact, boundary, rate }) => {
                self.rate_of(problem, contact, boundary) * rate > 0.0
            }
            None => {
                let along = dot(&self.way, &self.last_way) / (self.unit * self.unit);
                along + self.lambda_way * last > 0.0
            }
        };
        if !is_on {
            self.lambda_way = -self.lambda_way;
            self.way.iter_mut().for_each(|w| *w = -*w);
            self.z_way.iter_mut().for_each(|z| *z = z.map(|z| -z));
        }
        norm.is_finite()
    }

    fn rate_of(&self, problem: &impl Space, c: usize, boundary: Boundary) -> f64 {
        let lambda = (self.lambda, self.lambda_way);
        gap_rate(boundary, (&self.z[c], &self.z_way[c]), problem.mu()[c], lambda)
    }

    /// Along the tangent to the next corner, or as far as Newton finds back to the path. None where it does not.
    fn advance(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        corner: Option<Corner>,
    ) -> Option<Step> {
        let mut step = self.longest_step(problem, corner);
        self.from.copy_from_slice(&self.x);
        let lambda = self.lambda;
        for _ in 0..ATTEMPTS {
            for ((x, from), w) in self.x.iter_mut().zip(&self.from).zip(&self.way) {
                *x = from + step.length * w;
            }
            self.lambda = if step.is_end { 0.0 } else { lambda + step.length * self.lambda_way };
            if self.correct(problem, factor, &step) {
                return Some(step);
            }
            step = Step { length: 0.25 * step.length, corner: None, is_end: false };
        }
        None
    }

    fn longest_step(&self, problem: &impl Space, last: Option<Corner>) -> Step {
        let mut step = Step { length: LONGEST, corner: None, is_end: false };
        for c in 0..self.z.len() {
            let (z, way, mu) = (&self.z[c], &self.z_way[c], problem.mu()[c]);
            let is_last = |boundary: Boundary| {
                last.is_some_and(|last| last.contact == c && last.boundary == boundary)
            };
            if self.mode[c] != Mode::Stick && !is_last(Boundary::Normal) {
                let rate = self.rate_of(problem, c, Boundary::Normal);
                let leaves = if self.mode[c] == Mode::Open { rate > 0.0 } else { rate < 0.0 };
                let length = (-gap(Boundary::Normal, z, mu, self.lambda) / rate).max(0.0);
                if leaves && length < step.length {
                    step = Step { length, corner: Some((c, Boundary::Normal)), is_end: false };
                }
            }
            if self.mode[c] != Mode::Open
                && !is_last(Boundary::Cone)
                && let Some(length) = to_cone(z, way, mu, self.mode[c] == Mode::Slip)
                && length < step.length
            {
                step = Step { length, corner: Some((c, Boundary::Cone)), is_end: false };
            }
            if self.mode[c] == Mode::Slip && problem.dim() == 3 {
                let size = length(z[1], z[2]);
                let across = (z[1] * way[2] - z[2] * way[1]).abs() / size;
                let length = TURN * size / across.max(f64::MIN_POSITIVE);
                if length < step.length {
                    step = Step { length, corner: None, is_end: false };
                }
            }
        }
        if self.lambda_way < 0.0 && -self.lambda / self.lambda_way <= step.length {
            let length = -self.lambda / self.lambda_way;
            step = Step { length, corner: None, is_end: true };
        }
        step
    }

    /// Newton with the matrix at hand: onto the corner, else across the tangent, at the end with λ = 0.
    fn correct(&mut self, problem: &impl Space, factor: &mut Factor, step: &Step) -> bool {
        let mut last = f64::INFINITY;
        for correction in 0..=CORRECTIONS {
            let size = self.evaluate(problem);
            if size <= ON_PATH {
                return true;
            }
            if !(size < 0.5 * last) || correction == CORRECTIONS {
                return size <= NEARLY_ON_PATH;
            }
            last = size;
            factor.solve(&mut self.rest);
            let ahead = match step.corner {
                _ if step.is_end => 0.0,
                Some((c, boundary)) => self.to_boundary(problem, c, boundary),
                None => -dot(&self.way, &self.rest) / (self.unit * self.unit),
            };
            for ((x, d), w) in self.x.iter_mut().zip(&self.rest).zip(&self.way) {
                *x += d + ahead * w;
            }
            self.lambda += ahead * self.lambda_way;
        }
        false
    }

    /// How far along the tangent the boundary is after the Newton step `rest`.
    fn to_boundary(&self, problem: &impl Space, c: usize, boundary: Boundary) -> f64 {
        let (z, mu) = (&self.z[c], problem.mu()[c]);
        let dz = self.change(problem, c, &self.rest);
        let gap = gap(boundary, z, mu, self.lambda)
            + gap_rate(boundary, (z, &dz), mu, (self.lambda, 0.0));
        let ahead = -gap / self.rate_of(problem, c, boundary);
        if ahead.is_finite() { ahead } else { 0.0 }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, disk_pile};
    use crate::motion::mode;
    use crate::never;

    /// Where the path ends, the impulses are those of Coulomb's law with the compliance of the proximal step, at their own velocities.
    #[test]
    fn the_end_is_the_proximal_step_of_coulombs_law() {
        let (mut solved, mut dilates) = (0, 0);
        for (rows, v, stiffness) in
            [(4, 0.1, 10.0), (5, 0.2, 100.0), (6, 0.3, 300.0), (6, 0.1, 1000.0)]
        {
            let settings =
                PileSettings { mu: 0.4, v_ground: [v, 0.0, 0.0], ..PileSettings::default() };
            let problem = disk_pile(rows, &settings);
            let mut r = vec![[0.0; 3]; problem.contacts()];
            let settings = DilatancySettings { stiffness, max_steps: 5000 };
            let (mut work, mut factor) = (DilatancyWork::default(), Factor::default());
            let memory = (&mut work, &mut factor);
            let report = dilatancy_path(&problem, &settings, memory, &never, &mut r);
            assert_eq!(report.status, Status::Solved, "{rows} rows, κ = {stiffness}");
            let mut x = vec![0.0; problem.coordinates()];
            problem.motion(&r, &mut x);
            for (c, r_c) in r.iter().enumerate() {
                let z = shifted(&problem, c, (&[0.0; 3], stiffness * Space::mass(&problem, c)), &x);
                let mu = problem.mu()[c];
                let expected = mode::respond(Mode::of(&z, mu), &z, mu);
                let size = 1.0 + length(z[0], z[1]);
                for i in 0..3 {
                    assert!(
                        (r_c[i] - expected[i]).abs() <= 1e-6 * size,
                        "{c}: {r_c:?} {expected:?}"
                    );
                }
            }
            solved += 1;
            dilates += usize::from(report.iterations > 5);
        }
        assert!(solved == 4 && dilates >= 2, "{dilates} paths had corners");
    }
}
