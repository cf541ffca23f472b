//! The central path of Coulomb's law: impulses and velocities inside their cones, all contacts changing at once, round every fold.
//!
//! # Method
//!
//! Coulomb's law is a normal row and a pair of second-order cones, with the slip speed s as an unknown of its own:
//!
//! ```text
//!  0 ≤ p_n ⊥ u_n ≥ 0 ,      (μ p_n, p_t) ⊥ (s, u_t) ,  both in the cone ‖·_t‖ ≤ ·_0
//!
//!  u = Hᵀ x + ε r + q + t d ,    x = H r ,      p_n u_n = c_n t ,    (μ p_n, p_t) ∘ (s, u_t) = (c_f t, 0)
//! ```
//!
//! At t = 1 a point is given and d, c made for it; t = 0 is the law. Steps go along the tangent of the curve and come back to it across the tangent, so t may
//! rise: it does where the determinant of `I + H D Hᵀ` is negative. Where t is small the curve is near the straight pieces of Lemke's path, with all its folds; but at a
//! fold it turns back to larger t, where there are few.
//!
//! # Cost
//!
//! A factorization and two solves a correction, two or three of them a step, some ten steps a fold.
//!
//! # When it fails
//!
//! Nothing bounds the number of folds. A step that becomes too short is [`Status::Stalled`], and a path that has come back to its beginning
//! [`Status::Diverged`]: another beginning has another path.
//!
//! Theory: `docs/theory/velocity-space.md`.

mod contact;
mod place;
#[cfg(test)]
mod tests;
mod undecided;

use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::{Triple, block_times, norm};
use crate::report::{Status, Stop};
use contact::{Contact, Lack, Linear, Parts};
use place::Place;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CentralSettings {
    /// Impulses at the beginning, over those that stop the largest velocity of all at each contact.
    pub(super) impulse: f64,
    /// Slip speeds at the beginning, over the largest velocity of all. The larger, the later friction comes to its bounds.
    pub(super) slip: f64,
}

/// A change by this part of a contact is the longest step.
const LONGEST: f64 = 0.9;
const FIRST: f64 = 0.3;
/// Steps below this length may go round any corner, and those below the other one begin beside the path.
const SHARP: f64 = 1e-2;
const SHORT: f64 = 1e-3;
/// Corrections that bring such a place back to the path, how long the last of them may be, and the step after it.
const SETTLING: usize = 20;
const SETTLED: f64 = 1e-5;
const AFTER_SETTLING: f64 = 0.03;
/// Corrections of a step; the last one is at most `NEAR`, and half of a step that is short, the first at most `FAR`, and each at most `FALL` of the one before.
const CORRECTIONS: usize = 4;
const NEAR: f64 = 0.02;
const FAR: f64 = 0.8;
const FALL: f64 = 0.5;
/// How much longer the next step is after so many corrections.
const GROWTH: [f64; CORRECTIONS] = [1.6, 1.25, 0.8, 0.8];
/// The cosine of the angle by which the path may turn in a step.
const TURN: f64 = 0.5;
/// From here on the path leads back.
const BEYOND: f64 = 100.0;
/// Impulses of the beginning are larger by up to this part, contact by contact in golden sections. Where all are alike a pile that a mirror leaves as it is
/// has a path that is its own mirror image, and that ends where it would have to choose a side.
const UNEVEN: f64 = 0.3;
const GOLDEN: f64 = 0.618_033_988_749_894_9;

#[derive(Clone, Debug, Default)]
pub(super) struct CentralWork {
    /// Factorizations so far.
    pub(super) steps: usize,
    /// Length of the next step, and whether it follows a settling.
    length: f64,
    has_settled: bool,
    at: Place,
    next: Place,
    /// Back to the path, and along it per unit of log t.
    back: Place,
    along: Place,
    /// The tangent of length 1 by which the path came here, and its parts.
    tangent: Place,
    tangent_parts: Vec<Parts>,
    back_parts: Vec<Parts>,
    along_parts: Vec<Parts>,
    /// c and d of the path.
    product: Vec<[f64; 2]>,
    cover: Vec<Triple>,
    linear: Vec<Linear>,
    lack: Vec<Lack>,
    /// Velocities beside those of the motion.
    du: Vec<Triple>,
    D: Vec<Block>,
}

impl CentralWork {
    /// The place at t = 1, and the path through it.
    pub(super) fn begin(&mut self, problem: &impl Space, settings: &CentralSettings) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        for place in
            [&mut self.at, &mut self.next, &mut self.back, &mut self.along, &mut self.tangent]
        {
            place.clear(k, n);
        }
        for parts in [&mut self.tangent_parts, &mut self.back_parts, &mut self.along_parts] {
            parts.clear();
            parts.resize(k, [0.0; 8]);
        }
        let size = problem.q().iter().fold(0.0, |m: f64, q| m.max(norm(q)));
        self.product.clear();
        for c in 0..k {
            let share = 1.0 + UNEVEN * (c as f64 * GOLDEN).fract();
            let impulse = share * settings.impulse * problem.mass(c) * size;
            let slip = settings.slip * size;
            self.at.contacts[c] = Contact { r: [impulse, 0.0, 0.0], u: [size, 0.0, 0.0], s: slip };
            self.product.push([impulse * size, problem.mu()[c] * impulse * slip]);
            problem.add_motion(c, &[impulse, 0.0, 0.0], &mut self.at.x);
        }
        // along the path is per unit of log t
        (self.at.t, self.along.t) = (1.0, 1.0);
        self.cover.clear();
        let u_off = |c: usize| off(problem, &self.at, c, &[0.0; 3]);
        self.cover.extend((0..k).map(u_off));
        self.linear.resize(k, Linear::default());
        self.lack.resize(k, Lack::default());
        self.du.resize(k, [0.0; 3]);
        self.D.resize(k, [0.0; 9]);
        (self.steps, self.length, self.has_settled) = (0, FIRST, false);
    }

    pub(super) fn t(&self) -> f64 {
        self.at.t
    }

    pub(super) fn impulses(&self) -> impl Iterator<Item = Triple> + '_ {
        self.at.contacts.iter().map(|contact| contact.r)
    }

    /// Along the path to this t, with so many factorizations in all.
    pub(super) fn follow(
        &mut self,
        problem: &impl Space,
        (end, max_steps): (f64, usize),
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> Status {
        if self.steps == 0 {
            factor.analyse(problem);
            self.next.copy(&self.at);
            if !self.linearize(problem, factor) {
                return Status::Stalled;
            }
            self.keep_tangent(-factor.sign());
        }
        while self.at.t > end {
            if self.steps >= max_steps {
                return Status::IterationLimit;
            }
            if stop() {
                return Status::Stopped;
            }
            match self.step(problem, factor) {
                Some(corrections) => {
                    self.length = (GROWTH[corrections] * self.length).min(LONGEST);
                    self.has_settled = false;
                }
                None => self.length *= 0.5,
            }
            if !(self.length >= SHORT) {
                // from a place on the path no step is as short as that
                if self.has_settled || !self.settle(problem, factor) {
                    return Status::Stalled;
                }
                self.has_settled = true;
            }
            if !(self.at.t <= BEYOND) {
                return Status::Diverged;
            }
        }
        Status::Solved
    }

    /// Along the tangent, then back to the path. The corrections that this took; none, and nothing has moved, if it does not lead back, or not forwards.
    fn step(&mut self, problem: &impl Space, factor: &mut Factor) -> Option<usize> {
        let steepest = self
            .tangent_parts
            .as_flattened()
            .iter()
            .fold(self.tangent.t.abs(), |m, p| m.max(p.abs()));
        self.next.copy(&self.at);
        self.next.add(&self.tangent, self.length / steepest);
        let turn = if self.length < SHARP { 0.0 } else { TURN };
        let near = NEAR.min(0.5 * self.length);
        let mut last = FAR / FALL;
        for correction in 0..CORRECTIONS {
            if !self.is_inside(problem) || !self.linearize(problem, factor) {
                return None;
            }
            let (slide, length) = self.across();
            if !(length <= FALL * last) {
                return None;
            }
            self.next.add(&self.back, 1.0);
            self.next.add(&self.along, slide);
            last = length;
            if length <= near {
                return self.arrive(problem, -factor.sign(), turn).then_some(correction);
            }
        }
        None
    }

    /// Steps that become short may begin beside the path: back to it, however slowly, and on with the tangent there, round a corner that is sharper than steps can be.
    fn settle(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        self.next.copy(&self.at);
        for _ in 0..SETTLING {
            if !self.is_inside(problem) || !self.linearize(problem, factor) {
                return false;
            }
            let (slide, length) = self.across();
            let part = (0.5 / length).min(1.0);
            self.next.add(&self.back, part);
            self.next.add(&self.along, part * slide);
            if length <= SETTLED {
                self.length = AFTER_SETTLING;
                return self.arrive(problem, -factor.sign(), 0.0);
            }
        }
        false
    }

    fn is_inside(&self, problem: &impl Space) -> bool {
        let mut contacts = self.next.contacts.iter().zip(problem.mu());
        self.next.t > 0.0 && contacts.all(|(contact, mu)| contact.is_inside(*mu))
    }

    /// The next place is taken, if it is on the path, ahead.
    fn arrive(&mut self, problem: &impl Space, sense: f64, turn: f64) -> bool {
        let (mut dot, mut square) = (self.tangent.t, 1.0);
        for (along, tangent) in
            self.along_parts.as_flattened().iter().zip(self.tangent_parts.as_flattened())
        {
            dot += along * tangent;
            square += along * along;
        }
        // both say in which sense the path goes on
        if !(sense * dot >= turn * square.sqrt()) || !self.is_inside(problem) {
            return false;
        }
        std::mem::swap(&mut self.at, &mut self.next);
        self.keep_tangent(sense);
        true
    }

    /// The tangent of length 1, t falling or rising.
    fn keep_tangent(&mut self, sense: f64) {
        let square: f64 = self.along_parts.as_flattened().iter().map(|p| p * p).sum();
        let part = sense / (1.0 + square).sqrt();
        for (tangent, along) in self.tangent.contacts.iter_mut().zip(&self.along.contacts) {
            *tangent = Contact::default();
            tangent.add(along, part);
        }
        self.tangent.x.iter_mut().zip(&self.along.x).for_each(|(t, x)| *t = part * x);
        self.tangent.t = part;
        for (tangent, along) in self.tangent_parts.iter_mut().zip(&self.along_parts) {
            *tangent = along.map(|p| part * p);
        }
    }

    /// The way along the path that makes the correction one across the tangent, and the largest part of a contact that it then changes.
    fn across(&self) -> (f64, f64) {
        let (mut back_dot, mut along_dot) = (0.0, self.tangent.t);
        let parts = || {
            let both = self.back_parts.as_flattened().iter().zip(self.along_parts.as_flattened());
            both.zip(self.tangent_parts.as_flattened())
        };
        for ((back, along), tangent) in parts() {
            back_dot += back * tangent;
            along_dot += along * tangent;
        }
        let slide = -back_dot / along_dot;
        let mut length = slide.abs();
        for ((back, along), _) in parts() {
            let part = (back + slide * along).abs();
            // NaN stays
            length = if part <= length { length } else { part };
        }
        (slide, length)
    }

    /// Newton's matrix at the next place; the way back to the path, and that along it.
    fn linearize(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        self.steps += 1;
        let (mu, eps, t) = (problem.mu(), problem.eps(), self.next.t);
        for (c, at) in self.next.contacts.iter().enumerate() {
            self.linear[c] = Linear::new(at, mu[c], &eps[c]);
            self.D[c] = self.linear[c].D;
        }
        if !factor.factor(problem, &self.D, false) {
            return false;
        }
        // what the equations, x and u lack
        self.back.x.iter_mut().zip(&self.next.x).for_each(|(back, x)| *back = -x);
        for (c, at) in self.next.contacts.iter().enumerate() {
            self.lack[c] = at.lack(mu[c], self.product[c].map(|p| p * t));
            self.du[c] = off(problem, &self.next, c, &self.cover[c].map(|d| t * d)).map(|u| -u);
            problem.add_motion(c, &at.r, &mut self.back.x);
        }
        let system = (problem, &*self.linear, &self.next);
        solve(system, (&self.lack, &self.du), factor, &mut self.back);
        // what they lack at a larger t
        for c in 0..problem.contacts() {
            let [normal, slip] = self.product[c].map(|p| p * t);
            self.lack[c] = Lack { normal, slip, tangent: [0.0; 2] };
            self.du[c] = self.cover[c].map(|d| t * d);
        }
        self.along.x.fill(0.0);
        solve(system, (&self.lack, &self.du), factor, &mut self.along);
        for (c, at) in self.next.contacts.iter().enumerate() {
            self.back_parts[c] = at.parts(mu[c], &self.back.contacts[c]);
            self.along_parts[c] = at.parts(mu[c], &self.along.contacts[c]);
        }
        true
    }
}

/// `u − Hᵀ x − ε r − q − t d`.
fn off(problem: &impl Space, place: &Place, c: usize, cover: &Triple) -> Triple {
    let (v, eps, q) = (problem.velocity(c, &place.x), &problem.eps()[c], &problem.q()[c]);
    let Contact { r, u, .. } = &place.contacts[c];
    std::array::from_fn(|i| u[i] - v[i] - eps[i] * r[i] - q[i] - cover[i])
}

/// The change by which the equations get what they lack, and velocities `du` beside those of the motion; `change.x` is what x lacks on entry.
fn solve<S: Space>(
    (problem, linear, at): (&S, &[Linear], &Place),
    (lack, du): (&[Lack], &[Triple]),
    factor: &mut Factor,
    change: &mut Place,
) {
    for c in 0..problem.contacts() {
        let free = linear[c].answer(&lack[c]);
        let pull = block_times(&linear[c].D, &du[c]);
        let r: Triple = std::array::from_fn(|i| free[i] - pull[i]);
        change.contacts[c].r = r;
        problem.add_motion(c, &r, &mut change.x);
    }
    factor.solve(&mut change.x);
    let x = &change.x;
    for c in 0..problem.contacts() {
        let v = problem.velocity(c, x);
        let pull = block_times(&linear[c].D, &v);
        let mut step = Contact { r: change.contacts[c].r, ..Default::default() };
        for i in 0..3 {
            step.r[i] -= pull[i];
            step.u[i] = v[i] + problem.eps()[c][i] * step.r[i] + du[c][i];
        }
        step.s = linear[c].slip(&at.contacts[c], problem.mu()[c], &lack[c], &step);
        change.contacts[c] = step;
    }
}
