//! Path following: from an answer of softer contact to one of stiff contact, round the folds.
//!
//! # Method
//!
//! Proximal Newton leaves impulses r with `r = Π(c − κ m u)`. They are exact for velocities that are shifted by `d = (r − c)/(κ m)`. With r
//! as the new centre, a stiff s and the shift taken away little by little,
//!
//! ```text
//!  F(x, t) = x − H r(x, t) = 0 ,      r(x, t) = Π((c − s (Hᵀ x + q + t d)) / (1 + s ε)) ,      t from 1 to 0
//! ```
//!
//! the answer moves on a path of smooth pieces, one for each set of modes. Newton for t = 0 fails where det F' changes its sign between
//! pieces (folds): there the path turns back in t. Followed piece by piece, with one contact changing its mode at each
//! corner, it goes round the fold as Lemke's path does. Pieces are straight where nothing slips in space; elsewhere steps are short and
//! Newton brings them back to the path.
//!
//! # Cost
//!
//! One factorization for each corner; where contacts are planar and pieces straight, one for 24 corners and a solve for each.
//!
//! # When it fails
//!
//! The path comes back to t = 1 or does not end in time.

use super::corner::{Boundary, to_cone};
use super::factor::{Block, Factor};
use super::low_rank::LowRank;
use super::mode::{Mode, derivative, respond, shifted};
use super::space::Space;
use crate::cone::{Triple, length};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathSettings {
    /// κ of the contacts at the end.
    pub(super) stiffness: f64,
    /// Corners at most.
    pub(super) max_corners: usize,
    /// A path that goes back beyond this t is given up.
    pub(super) farthest: f64,
    /// It starts towards larger t.
    pub(super) is_backward: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PathWork {
    s: Vec<f64>,
    centre: Vec<Triple>,
    d: Vec<Triple>,
    mode: Vec<Mode>,
    D: Vec<Block>,
    x: Vec<f64>,
    /// Direction of the path, and t's part of it.
    way: Vec<f64>,
    last_way: Vec<f64>,
    rest: Vec<f64>,
    z: Vec<Triple>,
    z_way: Vec<Triple>,
    r: Vec<Triple>,
    /// The impulses at the least t.
    best: Vec<Triple>,
    low_rank: LowRank,
}

/// Newton steps back to the path, at most.
const CORRECTIONS: usize = 3;
/// How far the direction of a slip may turn in one step.
const TURN: f64 = 0.05;

/// Follows the path from `r` with the shift `d` [m/s] to no shift; where it arrives, r is the answer.
pub(super) fn follow(
    problem: &impl Space,
    settings: &PathSettings,
    (work, factor): (&mut PathWork, &mut Factor),
    (d, stop): (&[Triple], Stop<'_>),
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    work.prepare(problem, settings, d, r);
    let (status, corners) = work.run(problem, settings, factor, stop);
    r.copy_from_slice(&work.best);
    Report::new(status, corners, corners)
}

impl PathWork {
    fn prepare(
        &mut self,
        problem: &impl Space,
        settings: &PathSettings,
        d: &[Triple],
        r: &[Triple],
    ) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        self.s.clear();
        self.s.extend((0..k).map(|c| settings.stiffness * problem.mass(c)));
        for (list, from) in [(&mut self.centre, r), (&mut self.d, d), (&mut self.best, r)] {
            list.clear();
            list.extend_from_slice(from);
        }
        for list in [&mut self.z, &mut self.z_way, &mut self.r] {
            list.clear();
            list.resize(k, [0.0; 3]);
        }
        for list in [&mut self.x, &mut self.way, &mut self.last_way, &mut self.rest] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
        problem.motion(r, &mut self.x);
        self.mode.clear();
        self.mode.resize(k, Mode::Open);
        self.shift(problem, 1.0);
        for c in 0..k {
            let z = &self.z[c];
            self.mode[c] = Mode::of(z, problem.mu()[c]);
        }
    }

    /// z at x and t.
    fn shift(&mut self, problem: &impl Space, t: f64) {
        for c in 0..self.z.len() {
            self.z[c] = shifted(problem, c, (&self.centre[c], self.s[c]), &self.x);
            for i in 0..3 {
                let s = self.s[c];
                self.z[c][i] -= s * t * self.d[c][i] / (1.0 + s * problem.eps()[c][i]);
            }
        }
    }

    fn run(
        &mut self,
        problem: &impl Space,
        settings: &PathSettings,
        factor: &mut Factor,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let (mut t, mut least) = (1.0, 1.0);
        // which contact was last to change, and whether its distance from the boundary then grew
        let mut corner: Option<(usize, Boundary, f64)> = None;
        let mut t_way: f64 = -1.0;
        let mut is_turned = false;
        for corners in 0..settings.max_corners {
            if stop() {
                return (Status::Stopped, corners);
            }
            self.last_way.copy_from_slice(&self.way);
            let direction =
                if is_turned { Some(t_way) } else { self.factored_way(problem, factor) };
            let Some(mut direction) = direction.filter(|direction| direction.is_finite()) else {
                return (Status::Singular, corners);
            };
            self.set_z_way(problem, direction);
            // into the piece that was entered; at first towards t = 0
            let forward = match corner {
                None if corners == 0 => (direction < 0.0) != settings.is_backward,
                // within a piece the path bends, but does not turn back
                None => dot(&self.way, &self.last_way) + t_way * direction > 0.0,
                Some((c, boundary, rate)) => {
                    boundary.rate(&self.z[c], &self.z_way[c], problem.mu()[c]) * rate > 0.0
                }
            };
            if !forward {
                direction = -direction;
                self.way.iter_mut().for_each(|w| *w = -*w);
                self.z_way.iter_mut().for_each(|z| *z = z.map(|z| -z));
            }
            t_way = direction;
            let (mut length, mut next) = self.next_corner(problem, corner);
            let turn = self.longest_turn(problem);
            if turn < length {
                (length, next) = (turn, None);
            }
            let to_end = if t_way < 0.0 { -t / t_way } else { f64::INFINITY };
            let is_end = to_end <= length;
            let length = if is_end { to_end } else { length };
            if !length.is_finite() {
                return (Status::Ray, corners);
            }
            self.x.iter_mut().zip(&self.way).for_each(|(x, w)| *x += length * w);
            t += length * t_way;
            self.correct(problem, factor, t);
            if t < least || is_end {
                least = t;
                self.best.copy_from_slice(&self.r);
            }
            if is_end {
                return (Status::Solved, corners + 1);
            }
            if t > settings.farthest {
                return (Status::Ray, corners);
            }
            corner = None;
            is_turned = false;
            if let Some((c, boundary)) = next {
                let rate = boundary.rate(&self.z[c], &self.z_way[c], problem.mu()[c]);
                self.mode[c] = boundary.other_side(self.mode[c], rate, &self.z[c], problem.mu()[c]);
                corner = Some((c, boundary, rate));
                is_turned = self.turn_way(problem, factor, c, &mut t_way);
            }
        }
        (Status::IterationLimit, settings.max_corners)
    }

    /// Factors F_x and sets the direction of the path, of length 1 with t's part, which it gives.
    fn factored_way(&mut self, problem: &impl Space, factor: &mut Factor) -> Option<f64> {
        for c in 0..self.z.len() {
            self.D[c] = self.block(problem, c);
        }
        if !factor.factor(problem, &self.D, false) {
            return None;
        }
        self.low_rank.clear();
        // F_x ẋ = −F_t ṫ, F_t = H D d
        self.way.fill(0.0);
        for c in 0..self.d.len() {
            let v = times(&self.D[c], &self.d[c]);
            problem.add_motion(c, &v.map(|v| -v), &mut self.way);
        }
        factor.solve(&mut self.way);
        let norm = (1.0 + square(&self.way)).sqrt();
        self.way.iter_mut().for_each(|w| *w /= norm);
        Some(1.0 / norm)
    }

    /// The same after contact c has changed its mode, by a change of low rank. False where the matrix must be factored.
    fn turn_way(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        c: usize,
        t_way: &mut f64,
    ) -> bool {
        // slips that turn change all blocks
        if problem.dim() != 2 {
            return false;
        }
        let after = self.block(problem, c);
        let before = std::mem::replace(&mut self.D[c], after);
        let at = (self.way.as_slice(), *t_way, &self.d[c]);
        let Some(turn) = self.low_rank.change(problem, factor, (c, &before, &after), at) else {
            return false;
        };
        self.last_way.copy_from_slice(&self.way);
        for (w, y) in self.way.iter_mut().zip(turn.y) {
            *w = turn.pivot * *w - turn.rate * y;
        }
        *t_way *= turn.pivot;
        let norm = (*t_way * *t_way + square(&self.way)).sqrt();
        self.way.iter_mut().for_each(|w| *w /= norm);
        *t_way /= norm;
        true
    }

    fn block(&self, problem: &impl Space, c: usize) -> Block {
        let (s, eps) = (self.s[c], &problem.eps()[c]);
        let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
        derivative(self.mode[c], &self.z[c], problem.mu()[c], &slope)
    }

    fn set_z_way(&mut self, problem: &impl Space, t_way: f64) {
        for c in 0..self.z.len() {
            let (u, eps) = (problem.velocity(c, &self.way), &problem.eps()[c]);
            let (s, d) = (self.s[c], &self.d[c]);
            self.z_way[c] =
                std::array::from_fn(|i| -s * (u[i] + t_way * d[i]) / (1.0 + s * eps[i]));
        }
    }

    /// The first contact that changes its mode on the way: how far, which, and at which boundary.
    fn next_corner(
        &self,
        problem: &impl Space,
        last: Option<(usize, Boundary, f64)>,
    ) -> (f64, Option<(usize, Boundary)>) {
        let (mut least, mut found) = (f64::INFINITY, None);
        for c in 0..self.z.len() {
            let (z, way, mu) = (&self.z[c], &self.z_way[c], problem.mu()[c]);
            let is_last =
                |boundary: Boundary| last.is_some_and(|(l, at, _)| l == c && at == boundary);
            if !is_last(Boundary::Normal) {
                let leaves = if self.mode[c] == Mode::Open { way[0] > 0.0 } else { way[0] < 0.0 };
                let length = (-z[0] / way[0]).max(0.0);
                if leaves && length < least {
                    (least, found) = (length, Some((c, Boundary::Normal)));
                }
            }
            if self.mode[c] != Mode::Open && !is_last(Boundary::Cone) {
                let is_outside = self.mode[c] == Mode::Slip;
                if let Some(length) = to_cone(z, way, mu, is_outside)
                    && length < least
                {
                    (least, found) = (length, Some((c, Boundary::Cone)));
                }
            }
        }
        (least, found)
    }

    /// How far slips may turn.
    fn longest_turn(&self, problem: &impl Space) -> f64 {
        if problem.dim() == 2 {
            return f64::INFINITY;
        }
        let mut least = f64::INFINITY;
        for c in (0..self.z.len()).filter(|&c| self.mode[c] == Mode::Slip) {
            let (z, way) = (&self.z[c], &self.z_way[c]);
            let size = length(z[1], z[2]);
            let across = (z[1] * way[2] - z[2] * way[1]).abs() / size;
            least = least.min(TURN * size / across.max(f64::MIN_POSITIVE));
        }
        least
    }

    /// Brings x back to the path at t, modes held; r is that of the modes.
    fn correct(&mut self, problem: &impl Space, factor: &mut Factor, t: f64) {
        for solve in 0.. {
            self.shift(problem, t);
            for c in 0..self.z.len() {
                self.r[c] = respond(self.mode[c], &self.z[c], problem.mu()[c]);
            }
            if solve == CORRECTIONS {
                return;
            }
            problem.motion(&self.r, &mut self.rest);
            self.rest.iter_mut().zip(&self.x).for_each(|(f, x)| *f -= x);
            if square(&self.rest) <= 1e-22 * square(&self.x) {
                return;
            }
            self.low_rank.solve(problem, factor, &mut self.rest);
            self.x.iter_mut().zip(&self.rest).for_each(|(x, d)| *x += d);
        }
    }
}

fn times(A: &Block, x: &Triple) -> Triple {
    std::array::from_fn(|i| A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2])
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
