//! Proximal Newton on slip that parts, by what it parted in the last step.
//!
//! # Method
//!
//! Let a contact that slips at the speed σ part at `λ μ (σ − σ')`, with σ' its slip in the last step. Where the steps come to rest σ = σ' and this is Coulomb's
//! law, whatever λ is. Within a step σ' is a number, added to the normal velocity, and the law is that of `dilatant.rs`: convex for
//! λ = 1, where Newton cannot fail, and Coulomb's own for λ = 0, where folds stop it. Halfway folds are rare with a κ of hundreds, and
//! what the lag leaves falls from step to step.
//!
//! ```text
//!  r = Π_λ(z) ,    z = (c − s (Hᵀ x + q + λ μ σ' n)) / (1 + s ε) ,    F(x) = x − H r = 0 ,      then c ← r, σ' ← ‖u_t‖
//! ```
//!
//! # Cost
//!
//! One factorization a Newton step, four or five of them a proximal step.
//!
//! # When it fails
//!
//! An answer repels the steps where a unit of normal velocity changes slips by 1/(2 λ μ) or more and in their own sense: they wander about it. So they are
//! for coming near, and `newton.rs` or `walk.rs` must arrive.
//!
//! Theory: `docs/theory/velocity-space.md`.

use super::dilatant::{derivative, mode_of, respond};
use super::error::{Measure, error};
use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::{Triple, length};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaggedSettings {
    /// λ, above 0 and at most 1.
    pub(super) dilatancy: f64,
    /// κ of the first step.
    pub(super) stiffness: f64,
}

/// A step is solved when F is at most this part of the way from the centre, or this part of x.
const INNER: f64 = 1e-2;
const ROUNDING: f64 = 1e-13;
/// Newton steps for one of them; with at most so many it was easy, with more than the other number hard, and κ changes by this factor, up to the last one.
const MAX_INNER: usize = 30;
const EASY: usize = 3;
const HARD: usize = 6;
const GROWTH: f64 = 1.2;
const STIFFEST: f64 = 1e4;
/// κ falls to this part of itself where a step fails; below the other number the steps are at their end.
const FALL: f64 = 1.0 / 3.0;
const SOFTEST: f64 = 1e-6;
/// Halvings of a Newton step.
const HALVINGS: usize = 12;

#[derive(Clone, Debug, Default)]
pub(super) struct LaggedWork {
    /// Newton steps taken so far.
    pub(super) steps: usize,
    /// The impulses.
    pub(super) r: Vec<Triple>,
    lambda: f64,
    kappa: f64,
    centre: Vec<Triple>,
    x_centre: Vec<f64>,
    /// `λ μ σ'`.
    shift: Vec<f64>,
    s: Vec<f64>,
    z: Vec<Triple>,
    x: Vec<f64>,
    from: Vec<f64>,
    /// −F, then the Newton step, and the part of it that is tried.
    dx: Vec<f64>,
    step: Vec<f64>,
    D: Vec<Block>,
    measure: Measure,
}

impl LaggedWork {
    /// At impulses r, with the slips that they leave.
    pub(super) fn begin(&mut self, problem: &impl Space, settings: &LaggedSettings, r: &[Triple]) {
        (self.lambda, self.kappa, self.steps) = (settings.dilatancy, settings.stiffness, 0);
        let lists = [&mut self.x_centre, &mut self.x, &mut self.from, &mut self.dx, &mut self.step];
        for list in lists {
            list.clear();
            list.resize(problem.coordinates(), 0.0);
        }
        for list in [&mut self.r, &mut self.centre, &mut self.z] {
            list.clear();
            list.extend_from_slice(r);
        }
        for list in [&mut self.shift, &mut self.s] {
            list.clear();
            list.resize(r.len(), 0.0);
        }
        self.D.clear();
        self.D.resize(r.len(), [0.0; 9]);
        problem.motion(&self.r, &mut self.x);
        self.follow(problem);
    }

    /// κ has fallen so far that further steps would not move.
    pub(super) fn is_stuck(&self) -> bool {
        !(self.kappa >= SOFTEST)
    }

    /// One proximal step: the error of Coulomb's law at its end. None where Newton does not arrive: the impulses are as they were then, and the next step is softer.
    pub(super) fn step(&mut self, problem: &impl Space, factor: &mut Factor) -> Option<f64> {
        self.centre.copy_from_slice(&self.r);
        for (c, s) in self.s.iter_mut().enumerate() {
            *s = self.kappa * problem.mass(c);
        }
        problem.motion(&self.r, &mut self.x_centre);
        self.x.copy_from_slice(&self.x_centre);
        let before = self.steps;
        let has_arrived = self.newton(problem, factor);
        // steps that come to rest must end as well
        self.steps = self.steps.max(before + 1);
        if !has_arrived {
            self.r.copy_from_slice(&self.centre);
            self.kappa *= FALL;
            return None;
        }
        match self.steps - before {
            0..=EASY => self.kappa = (GROWTH * self.kappa).min(STIFFEST),
            taken if taken > HARD => self.kappa /= GROWTH,
            _ => {}
        }
        problem.motion(&self.r, &mut self.x);
        self.follow(problem);
        Some(error(problem, &self.r, &mut self.measure).0)
    }

    /// Slips become those of the velocities at x.
    fn follow(&mut self, problem: &impl Space) {
        for (c, shift) in self.shift.iter_mut().enumerate() {
            let (v, q, eps) = (problem.velocity(c, &self.x), &problem.q()[c], &problem.eps()[c]);
            let u: Triple = std::array::from_fn(|i| v[i] + q[i] + eps[i] * self.r[c][i]);
            *shift = self.lambda * problem.mu()[c] * length(u[1], u[2]);
        }
    }

    /// F = 0 from x on.
    fn newton(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        let mut merit = self.evaluate(problem);
        for taken in 0..MAX_INNER {
            for ((m, x), c) in self.step.iter_mut().zip(&self.x).zip(&self.x_centre) {
                *m = x - c;
            }
            let (moved, size) = (problem.square(&self.step), problem.square(&self.x));
            if (taken > 0 && merit <= INNER * INNER * moved) || merit <= ROUNDING * ROUNDING * size
            {
                return true;
            }
            self.linearize(problem);
            self.steps += 1;
            if !factor.factor(problem, &self.D, false) {
                return false;
            }
            factor.solve(&mut self.dx);
            match self.search_line(problem, merit) {
                Some(lower) => merit = lower,
                None => return false,
            }
        }
        false
    }

    /// z, r and −F at x; `‖F‖²`.
    fn evaluate(&mut self, problem: &impl Space) -> f64 {
        let Self { s, centre, shift, x, z, r, lambda, .. } = self;
        problem.each_velocity(x, |c, v| {
            let (q, eps, mu) = (&problem.q()[c], &problem.eps()[c], problem.mu()[c]);
            let (s, centre, lift) = (s[c], &centre[c], [shift[c], 0.0, 0.0]);
            z[c] = std::array::from_fn(|i| {
                (centre[i] - s * (v[i] + q[i] + lift[i])) / (1.0 + s * eps[i])
            });
            r[c] = respond(mode_of(&z[c], mu, *lambda), &z[c], mu, *lambda);
        });
        problem.motion(&self.r, &mut self.dx);
        self.dx.iter_mut().zip(&self.x).for_each(|(d, x)| *d -= x);
        problem.square(&self.dx)
    }

    /// The blocks D of F' at x.
    fn linearize(&mut self, problem: &impl Space) {
        for (c, z) in self.z.iter().enumerate() {
            let (s, mu, eps) = (self.s[c], problem.mu()[c], &problem.eps()[c]);
            let slope = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
            let mode = mode_of(z, mu, self.lambda);
            self.D[c] = derivative(mode, z, mu, self.lambda, &slope);
        }
    }

    /// Moves x along the step as far as the merit falls, halving the way; gives the new merit.
    fn search_line(&mut self, problem: &impl Space, merit: f64) -> Option<f64> {
        self.from.copy_from_slice(&self.x);
        self.step.copy_from_slice(&self.dx);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            for ((x, from), d) in self.x.iter_mut().zip(&self.from).zip(&self.step) {
                *x = from + length * d;
            }
            let next = self.evaluate(problem);
            if next < (1.0 - 1e-4 * length) * merit {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{Jostle, PileSettings, disk_pile, jostled, sphere_pyramid};
    use crate::judge::Judge;
    use crate::motion::MotionProblem;

    fn shaken(problem: &MotionProblem, seed: u64) -> MotionProblem {
        jostled(problem, &Jostle { seed, speed: 0.05, ..Jostle::default() })
    }

    /// The lowest error of so many steps from zero, which is the judge's number.
    fn lowest(problem: &MotionProblem, dilatancy: f64, steps: usize) -> f64 {
        let (mut work, mut factor) = (LaggedWork::default(), Factor::default());
        factor.analyse(problem);
        let settings = LaggedSettings { dilatancy, stiffness: 200.0 };
        work.begin(problem, &settings, &vec![[0.0; 3]; problem.contacts()]);
        let mut lowest = f64::INFINITY;
        for _ in 0..steps {
            let Some(error) = work.step(problem, &mut factor) else { continue };
            let judged = Judge::default().motion(problem, &work.r).scaled;
            assert!((error - judged).abs() < 1e-6 * judged + 1e-14, "{error} {judged}");
            lowest = lowest.min(error);
        }
        lowest
    }

    /// Nothing to do is a step as well: whoever counts them comes to an end.
    #[test]
    fn every_step_counts() {
        let problem = disk_pile(2, &PileSettings { gravity: 0.0, ..PileSettings::default() });
        let (mut work, mut factor) = (LaggedWork::default(), Factor::default());
        factor.analyse(&problem);
        let settings = LaggedSettings { dilatancy: 0.5, stiffness: 200.0 };
        work.begin(&problem, &settings, &vec![[0.0; 3]; problem.contacts()]);
        for steps in 1..5 {
            work.step(&problem, &mut factor);
            assert!(work.steps >= steps);
        }
    }

    #[test]
    fn lagging_slips_come_near_answers_whatever_the_dilatancy() {
        let settings = PileSettings { v_ground: [0.15, 0.0, 0.0], ..PileSettings::default() };
        for (problem, seed) in [(disk_pile(7, &settings), 1), (sphere_pyramid(3, &settings), 2)] {
            let problem = shaken(&problem, seed);
            for (dilatancy, near) in [(0.2, 1e-4), (0.5, 1e-4), (1.0, 1e-2)] {
                let lowest = lowest(&problem, dilatancy, 150);
                assert!(lowest < near, "λ = {dilatancy}, seed {seed}: {lowest}");
            }
        }
    }

    /// A single sphere that slides: what the lag leaves falls by the same factor in every step, and the answer is that of Coulomb's law.
    #[test]
    fn one_contact_that_slips_comes_to_rest_at_coulombs_law() {
        let mut problem = MotionProblem::default();
        problem.clear(3, [3]);
        problem.push_span(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        problem.end_contact([0.0; 3], [-1.0, 2.0, 0.0], 0.5);
        let (mut work, mut factor) = (LaggedWork::default(), Factor::default());
        factor.analyse(&problem);
        let settings = LaggedSettings { dilatancy: 0.5, stiffness: 200.0 };
        work.begin(&problem, &settings, &[[0.0; 3]]);
        let last = (0..60).filter_map(|_| work.step(&problem, &mut factor)).last();
        assert!(last.is_some_and(|error| error < 1e-12), "{last:?}");
        let expected = [1.0, -0.5, 0.0];
        assert!((0..3).all(|i| (work.r[0][i] - expected[i]).abs() < 1e-11), "{:?}", work.r[0]);
    }
}
