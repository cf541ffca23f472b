//! The path round folds where contacts are planar: straight pieces, and a change of rank one at each corner.
//!
//! # Method
//!
//! The path of `path.rs`, `F(x, t) = x − H Π(ẑ) = 0`, `ẑ = (c − s (Hᵀ x + q + t d))/(1 + s ε)`, t from 1 to 0. In the plane a slip cannot turn, so a
//! contact has four pieces, each bounded by at most two straight *sides*, linear functions of its z that are positive inside:
//!
//! ```text
//!  open      r = 0                 −z_n
//!  stick     r = z                 μ z_n − z_t ,   μ z_n + z_t
//!  slip τ    r = z_n (1, τ μ)      z_n ,           τ z_t − μ z_n          τ = ±1
//! ```
//!
//! The pieces are kept, not found anew from z: rounding cannot change them, and they stay what they are where c, s and d
//! change while r is exact with d. So steps of the same stiffness that change no piece need no factorization.
//!
//! # Cost
//!
//! A solve for each corner; a factorization for each 40.
//!
//! Theory: `docs/theory/velocity-space.md`.

mod piece;
#[cfg(test)]
mod tests;

use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::Triple;
use crate::report::Status;
use piece::{Pair, Piece, beyond, change, exact, sides};

/// Changes before the matrix is factored anew.
const CHANGES: usize = 40;
/// A change after which the inverse is this many times larger is not trusted.
const LARGEST_GROWTH: f64 = 1e9;
/// Contacts without impulse are lifted by this part of the mean velocity.
const LIFT: f64 = 0.01;

/// A point of the path.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) x: Vec<f64>,
    pub(super) piece: Vec<Piece>,
    /// The impulses that are the centre, and the shift with which they are exact.
    pub(super) r: Vec<Pair>,
    pub(super) d: Vec<Pair>,
}

impl Place {
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.x.clone_from(&other.x);
        self.piece.clone_from(&other.piece);
        self.r.clone_from(&other.r);
        self.d.clone_from(&other.d);
    }
}

#[derive(Clone, Debug, Default)]
struct Change {
    contact: usize,
    g: Pair,
    y: Vec<f64>,
    /// `1 + g C_c y`.
    pivot: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PlanarPath {
    pub(super) at: Place,
    t: f64,
    /// s and `s/(1 + s ε)` of each row, and the part of ẑ that neither x nor t moves.
    s: Vec<f64>,
    slope: Vec<Pair>,
    fixed: Vec<Pair>,
    z: Vec<Pair>,
    side: Vec<[Pair; 2]>,
    /// Direction of the path, with t's part and what it does to z.
    way: Vec<f64>,
    t_way: f64,
    z_way: Vec<Pair>,
    /// −F, then a step.
    rest: Vec<f64>,
    impulse: Vec<Triple>,
    D: Vec<Block>,
    change: Vec<Change>,
    changes: usize,
    is_factored: bool,
    pub(super) corners: usize,
    pub(super) factorizations: usize,
}

impl PlanarPath {
    /// At impulses r, with the smallest shift that makes them exact.
    pub(super) fn begin(&mut self, problem: &impl Space, r: &[Triple]) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        self.at.x.clear();
        self.at.x.resize(n, 0.0);
        problem.motion(r, &mut self.at.x);
        for list in [&mut self.way, &mut self.rest] {
            list.clear();
            list.resize(n, 0.0);
        }
        for list in [&mut self.slope, &mut self.fixed, &mut self.z, &mut self.z_way] {
            list.clear();
            list.resize(k, [0.0; 2]);
        }
        self.s.clear();
        self.s.resize(k, 0.0);
        self.side.clear();
        self.side.resize(k, [[0.0; 2]; 2]);
        self.impulse.clear();
        self.impulse.resize(k, [0.0; 3]);
        self.D.clear();
        self.D.resize(k, [0.0; 9]);
        self.at.piece.clear();
        self.at.r.clear();
        self.at.d.clear();
        let square: f64 = problem.q().iter().map(|q| q[0] * q[0] + q[1] * q[1]).sum();
        let mean = (square / k as f64).sqrt();
        for (c, r) in r.iter().enumerate() {
            let (v, q, eps) = (problem.velocity(c, &self.at.x), &problem.q()[c], &problem.eps()[c]);
            let u: Pair = std::array::from_fn(|i| v[i] + q[i] + eps[i] * r[i]);
            let (piece, d) = exact(&[r[0], r[1]], &u, problem.mu()[c], LIFT * mean);
            self.at.piece.push(piece);
            self.at.d.push(d);
            self.at.r.push([r[0], r[1]]);
        }
        self.is_factored = false;
        (self.corners, self.factorizations) = (0, 0);
    }

    /// Another place, of the same problem.
    pub(super) fn go_to(&mut self, place: &Place) {
        self.at.copy_from(place);
        self.is_factored = false;
    }

    /// One proximal step of stiffness κ from the place, in at most so many corners, never back beyond `farthest` t. The place is the new one where it arrives, with
    /// the shift that is left; else it must be set.
    pub(super) fn step(
        &mut self,
        problem: &impl Space,
        kappa: f64,
        (max_corners, farthest): (usize, f64),
        factor: &mut Factor,
    ) -> Status {
        self.set_centre(problem, kappa);
        self.t = 1.0;
        if !self.is_factored || self.changes > CHANGES / 2 {
            if !self.refactor(problem, factor) {
                return Status::Singular;
            }
        } else {
            self.shift(problem);
        }
        let status = self.follow(problem, (max_corners, farthest), factor);
        if status == Status::Solved {
            for c in 0..self.z.len() {
                let (r, s) = (self.response(problem, c), self.s[c]);
                self.at.d[c] = std::array::from_fn(|i| (r[i] - self.at.r[c][i]) / s);
                self.at.r[c] = r;
            }
        }
        status
    }

    fn set_centre(&mut self, problem: &impl Space, kappa: f64) {
        for c in 0..self.s.len() {
            let s = kappa * problem.mass(c);
            let (r, q, eps) = (&self.at.r[c], &problem.q()[c], &problem.eps()[c]);
            self.is_factored &= self.s[c] == s;
            self.s[c] = s;
            self.slope[c] = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
            self.fixed[c] = std::array::from_fn(|i| (r[i] - s * q[i]) / (1.0 + s * eps[i]));
            self.side[c] = sides(self.at.piece[c], problem.mu()[c]);
        }
    }

    /// ẑ at x and t.
    fn shift(&mut self, problem: &impl Space) {
        let Self { at, t, slope, fixed, z, .. } = self;
        problem.each_velocity(&at.x, |c, v| {
            let (d, fixed, slope) = (&at.d[c], &fixed[c], &slope[c]);
            z[c] = std::array::from_fn(|i| fixed[i] - slope[i] * (v[i] + *t * d[i]));
        });
    }

    fn response(&self, problem: &impl Space, c: usize) -> Pair {
        let z = &self.z[c];
        match self.at.piece[c] {
            Piece::Open => [0.0; 2],
            Piece::Stick => *z,
            Piece::Slip(tau) => [z[0], tau * problem.mu()[c] * z[0]],
        }
    }

    /// Factors F_x, and brings x back to the path.
    fn refactor(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        for c in 0..self.z.len() {
            let (S, mu) = (&self.slope[c], problem.mu()[c]);
            self.D[c] = match self.at.piece[c] {
                Piece::Open => [0.0; 9],
                Piece::Stick => [S[0], 0.0, 0.0, 0.0, S[1], 0.0, 0.0, 0.0, 0.0],
                Piece::Slip(tau) => [S[0], 0.0, 0.0, tau * mu * S[0], 0.0, 0.0, 0.0, 0.0, 0.0],
            };
        }
        self.changes = 0;
        self.factorizations += 1;
        self.is_factored = factor.factor(problem, &self.D, false);
        if !self.is_factored {
            return false;
        }
        self.shift(problem);
        for c in 0..self.z.len() {
            let r = self.response(problem, c);
            self.impulse[c] = [r[0], r[1], 0.0];
        }
        problem.motion(&self.impulse, &mut self.rest);
        self.rest.iter_mut().zip(&self.at.x).for_each(|(f, x)| *f -= x);
        factor.solve(&mut self.rest);
        self.at.x.iter_mut().zip(&self.rest).for_each(|(x, d)| *x += d);
        self.shift(problem);
        true
    }

    /// From t = 1 to t = 0.
    fn follow(
        &mut self,
        problem: &impl Space,
        (max_corners, farthest): (usize, f64),
        factor: &mut Factor,
    ) -> Status {
        self.set_way(problem, factor);
        self.turn_round();
        let mut entered = (usize::MAX, 0);
        for _ in 0..max_corners {
            self.corners += 1;
            let (mut length, (c, side)) = self.next_corner(entered);
            let is_end = self.t_way < 0.0 && -self.t / self.t_way <= length;
            if is_end {
                length = -self.t / self.t_way;
            }
            if !length.is_finite() {
                return Status::Ray;
            }
            self.at.x.iter_mut().zip(&self.way).for_each(|(x, w)| *x += length * w);
            for (z, w) in self.z.iter_mut().zip(&self.z_way) {
                *z = [z[0] + length * w[0], z[1] + length * w[1]];
            }
            self.t += length * self.t_way;
            if is_end {
                return Status::Solved;
            }
            if !(self.t <= farthest) {
                return Status::Ray;
            }
            let Some(side) = self.cross(problem, factor, (c, side)) else {
                return Status::Singular;
            };
            entered = (c, side);
        }
        Status::IterationLimit
    }

    /// The first side that is come to: how far, and which of which contact.
    fn next_corner(&self, entered: (usize, usize)) -> (f64, (usize, usize)) {
        let (mut least, mut found) = (f64::INFINITY, (usize::MAX, 0));
        for (c, ((z, way), sides)) in self.z.iter().zip(&self.z_way).zip(&self.side).enumerate() {
            for (i, side) in sides.iter().enumerate() {
                let rate = side[0] * way[0] + side[1] * way[1];
                let inside = side[0] * z[0] + side[1] * z[1];
                // both at once: the first alone is a matter of chance, and this one is rare
                let is_nearer = (rate < 0.0) & (inside < -least * rate);
                if is_nearer && (c, i) != entered {
                    (least, found) = ((-inside / rate).max(0.0), (c, i));
                }
            }
        }
        (least, found)
    }

    /// Over a corner: the contact's piece and the direction are those beyond. The side that was entered; None where the matrix is singular.
    fn cross(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        (c, side): (usize, usize),
    ) -> Option<usize> {
        let mu = problem.mu()[c];
        let before = self.at.piece[c];
        let (piece, entered) = beyond(before, side, &self.z[c]);
        self.at.piece[c] = piece;
        self.side[c] = sides(piece, mu);
        let (a, g) = change(before, piece, mu, &self.slope[c]);
        if !self.turn(problem, factor, (c, &a, g)) || self.changes > CHANGES {
            if !self.refactor(problem, factor) {
                return None;
            }
            self.set_way(problem, factor);
        } else {
            self.set_z_way(problem);
        }
        let (side, way) = (&self.side[c][entered], &self.z_way[c]);
        if side[0] * way[0] + side[1] * way[1] < 0.0 {
            self.turn_round();
        }
        Some(entered)
    }

    /// `F_x ẋ = −H D d`, ṫ = 1.
    fn set_way(&mut self, problem: &impl Space, factor: &mut Factor) {
        let mut way = std::mem::take(&mut self.way);
        way.fill(0.0);
        for (c, d) in self.at.d.iter().enumerate() {
            let (S, mu) = (&self.slope[c], problem.mu()[c]);
            let v = match self.at.piece[c] {
                Piece::Open => continue,
                Piece::Stick => [S[0] * d[0], S[1] * d[1]],
                Piece::Slip(tau) => [S[0] * d[0], tau * mu * S[0] * d[0]],
            };
            problem.add_motion(c, &[-v[0], -v[1], 0.0], &mut way);
        }
        self.solve(problem, factor, &mut way);
        (self.way, self.t_way) = (way, 1.0);
        self.set_z_way(problem);
    }

    /// The direction, of length 1, and what it does to z.
    fn set_z_way(&mut self, problem: &impl Space) {
        let square: f64 = self.way.iter().map(|w| w * w).sum();
        let scale = 1.0 / (self.t_way * self.t_way + square).sqrt();
        self.way.iter_mut().for_each(|w| *w *= scale);
        self.t_way *= scale;
        let Self { at, slope, way, t_way, z_way, .. } = self;
        problem.each_velocity(way, |c, v| {
            let (d, slope) = (&at.d[c], &slope[c]);
            z_way[c] = std::array::from_fn(|i| -slope[i] * (v[i] + *t_way * d[i]));
        });
    }

    fn turn_round(&mut self) {
        self.t_way = -self.t_way;
        self.way.iter_mut().for_each(|w| *w = -*w);
        self.z_way.iter_mut().for_each(|w| *w = [-w[0], -w[1]]);
    }

    /// `x ← F_x⁻¹ x` with all changes since the factorization.
    fn solve(&self, problem: &impl Space, factor: &mut Factor, x: &mut [f64]) {
        factor.solve(x);
        for change in &self.change[..self.changes] {
            let v = problem.velocity(change.contact, x);
            let rate = (change.g[0] * v[0] + change.g[1] * v[1]) / change.pivot;
            x.iter_mut().zip(&change.y).for_each(|(x, y)| *x -= rate * y);
        }
    }

    /// The block of contact c has changed by `a gᵀ`: so does the direction. False where the matrix must be factored.
    fn turn(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        (contact, a, g): (usize, &Pair, Pair),
    ) -> bool {
        if self.change.len() == self.changes {
            self.change.push(Change::default());
        }
        let mut y = std::mem::take(&mut self.change[self.changes].y);
        y.clear();
        y.resize(self.way.len(), 0.0);
        problem.add_motion(contact, &[a[0], a[1], 0.0], &mut y);
        self.solve(problem, factor, &mut y);
        let along = |v: &Triple| g[0] * v[0] + g[1] * v[1];
        let response = along(&problem.velocity(contact, &y));
        let (pivot, d) = (1.0 + response, &self.at.d[contact]);
        let rate =
            along(&problem.velocity(contact, &self.way)) + self.t_way * (g[0] * d[0] + g[1] * d[1]);
        for (w, y) in self.way.iter_mut().zip(&y) {
            *w = pivot * *w - rate * y;
        }
        self.t_way *= pivot;
        self.change[self.changes] = Change { contact, g, y, pivot };
        self.changes += 1;
        pivot.abs() * LARGEST_GROWTH > 1.0 + response.abs()
    }
}
