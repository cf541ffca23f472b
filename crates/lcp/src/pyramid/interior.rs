//! Interior path of a friction pyramid: where all contacts would like to be, in a few factorizations.
//!
//! # Method
//!
//! The rows of [`super`] with `w_n = u_n − δ μ s` (δ: `dilation`). With δ = 1 the matrix is monotone: sliding lifts a
//! contact, and (p, s) solves a convex problem. Its path
//!
//! ```text
//!  w = A z + b + t d,   z_i w_i = t c_i,   t: 1 → 0
//! ```
//!
//! leads from any positive start to a solution, and 10 to 25 Newton steps with a predictor and a corrector (Mehrotra 1992)
//! follow it down to t = 1e-6. Where nothing slips the convex solution obeys the law itself; where something does
//! it is a start for [`super::pyramid_newton`].
//!
//! With δ = 0 the path is that of the law, and ends in its solution as Lemke's does: all variables change at once where
//! Lemke's changes one. It may turn: t rises where the determinant of the Newton matrix is negative. Where long steps end, short ones go
//! along the tangent. On a pile of 200 contacts 20 to 300 of them.
//!
//! The facets and the slip are eliminated contact by contact. What is left of a Newton step is
//! `D + Rᵀ W C` with three rows a contact, D positive, C and R unit triangular.
//!
//! # When it stalls
//!
//! Below t = 1e-7 the matrix of redundant contacts is singular to rounding: the end belongs to Newton on modes.
//!
//! Iterations are Newton steps, one factorization each. Theory: `docs/theory/pyramid.md`.

mod system;

use super::Pyramid;
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use system::System;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorSettings {
    /// δ in [0, 1]: how much of the slip opens the contact. Default 1, the convex problem.
    pub dilation: f64,
    /// The path ends at this t. Default 1e-6.
    pub end: f64,
    /// Newton steps at most. Default 60.
    pub max_steps: usize,
}

impl Default for InteriorSettings {
    fn default() -> Self {
        Self { dilation: 1.0, end: 1e-6, max_steps: 60 }
    }
}

#[derive(Clone, Debug, Default)]
pub struct InteriorWorkspace {
    system: System,
    z: Vec<f64>,
    w: Vec<f64>,
    /// `w − A z − b`.
    residual: Vec<f64>,
    /// d and c of the path.
    cover: Vec<f64>,
    centre: Vec<f64>,
    /// Right-hand side; Newton's step; product of the predictor's steps.
    g: Vec<f64>,
    dz: Vec<f64>,
    dw: Vec<f64>,
    second: Vec<f64>,
    /// The way back to the path.
    back_z: Vec<f64>,
    back_w: Vec<f64>,
}

/// Part of the way to the boundary that a step may go.
const TO_BOUNDARY: f64 = 0.95;
/// Predictor and corrector are worth a step longer than this.
const LONG: f64 = 0.1;
/// Steps shorter than this lead nowhere.
const SHORT: f64 = 1e-4;

/// Follows the interior path of a recognised pyramid from a start of its own. `z` is the answer, in the LCP's rows.
pub fn pyramid_interior(
    problem: &BoxLcp,
    pyramid: &Pyramid,
    (settings, work): (&InteriorSettings, &mut InteriorWorkspace),
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "the answer has the wrong length");
    let Some((reduced, _)) = pyramid.reduce(problem) else {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(0)), 0, 0);
    };
    if !work.system.load(pyramid, &reduced, settings.dilation) {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(0)), 0, 0);
    }
    let (status, steps) = work.follow(settings, stop);
    let mut p = vec![0.0; reduced.n()];
    work.system.impulses(&work.z, &mut p);
    pyramid.write(problem, &p, z);
    Report::new(status, steps, steps)
}

impl InteriorWorkspace {
    fn follow(&mut self, settings: &InteriorSettings, stop: Stop<'_>) -> (Status, usize) {
        self.start();
        let (mut t, mut reach) = (1.0, 0.5);
        for step in 0..settings.max_steps {
            if t <= settings.end {
                return (Status::Solved, step);
            }
            if stop() {
                return (Status::Stopped, step);
            }
            let sign = self.system.factor(&self.z, &self.w);
            let is_done = (sign > 0.0 && self.long_step(&mut t))
                || (sign != 0.0 && self.arc_step(sign, &mut t, &mut reach));
            if !is_done {
                return (Status::Stalled, step + 1);
            }
            self.system.residual(&self.z, &self.w, &mut self.residual);
        }
        (Status::IterationLimit, settings.max_steps)
    }

    /// All slip, and friction within its bound: z and w about 1 in the units of the system.
    fn start(&mut self) {
        let n = self.system.rows();
        for vector in [
            &mut self.z,
            &mut self.w,
            &mut self.residual,
            &mut self.cover,
            &mut self.centre,
            &mut self.g,
            &mut self.dz,
            &mut self.dw,
            &mut self.second,
            &mut self.back_z,
            &mut self.back_w,
        ] {
            vector.clear();
            vector.resize(n, 1.0);
        }
        self.system.spread_friction(&mut self.z, &mut self.w);
        for (c, (z, w)) in self.centre.iter_mut().zip(self.z.iter().zip(&self.w)) {
            *c = z * w;
        }
        self.system.residual(&self.z, &self.w, &mut self.residual);
        self.cover.copy_from_slice(&self.residual);
    }

    /// Predictor and corrector, towards t = 0 as far as the predictor could go. False, and nothing is
    /// done, if that is not far.
    fn long_step(&mut self, t: &mut f64) -> bool {
        self.second.fill(0.0);
        self.newton(0.0);
        let left = 1.0 - self.longest().min(1.0);
        for (second, (dz, dw)) in self.second.iter_mut().zip(self.dz.iter().zip(&self.dw)) {
            *second = dz * dw;
        }
        let part = (left * left * left).max(1e-6);
        self.newton(part * *t);
        let length = (TO_BOUNDARY * self.longest()).min(1.0);
        if !(length > LONG) {
            return false;
        }
        self.advance(length);
        *t -= length * (1.0 - part) * *t;
        true
    }

    /// Back to the path, straight to its tangent, and along it: t falls where the determinant is positive, and
    /// rises after a turn. `reach` is the part by which a variable may change along the tangent. False if the
    /// step is not finite.
    fn arc_step(&mut self, sign: f64, t: &mut f64, reach: &mut f64) -> bool {
        self.second.fill(0.0);
        self.newton(*t);
        std::mem::swap(&mut self.back_z, &mut self.dz);
        std::mem::swap(&mut self.back_w, &mut self.dw);
        // the tangent, per unit of log t
        for i in 0..self.z.len() {
            self.g[i] = *t * (self.centre[i] / self.z[i] - self.cover[i]);
        }
        self.system.solve(&self.g, (&self.z, &self.w), &mut self.dz);
        self.system.multiply(&self.dz, &mut self.dw);
        let (mut along, mut square, mut steepest) = (0.0, 1.0, 1.0_f64);
        for i in 0..self.z.len() {
            self.dw[i] += *t * self.cover[i];
            let tangent = [self.dz[i] / self.z[i], self.dw[i] / self.w[i]];
            along +=
                self.back_z[i] / self.z[i] * tangent[0] + self.back_w[i] / self.w[i] * tangent[1];
            square += tangent[0] * tangent[0] + tangent[1] * tangent[1];
            steepest = steepest.max(tangent[0].abs()).max(tangent[1].abs());
        }
        let slide = -along / square;
        let mut off = slide.abs();
        for i in 0..self.z.len() {
            off = off.max(((self.back_z[i] + slide * self.dz[i]) / self.z[i]).abs());
            off = off.max(((self.back_w[i] + slide * self.dw[i]) / self.w[i]).abs());
        }
        let forward = if off <= 0.5 { -sign * *reach / steepest } else { 0.0 };
        if off < 0.1 {
            *reach = (2.0 * *reach).min(0.8);
        } else if off > 0.5 {
            *reach *= 0.5;
        }
        for i in 0..self.z.len() {
            self.dz[i] = self.back_z[i] + (slide + forward) * self.dz[i];
            self.dw[i] = self.back_w[i] + (slide + forward) * self.dw[i];
        }
        let length = (TO_BOUNDARY * self.longest()).min(1.0).min(0.9 / (slide + forward).abs());
        if !(length > SHORT && off.is_finite()) {
            return false;
        }
        self.advance(length);
        *t *= 1.0 + length * (slide + forward);
        true
    }

    fn advance(&mut self, length: f64) {
        for i in 0..self.z.len() {
            self.z[i] += length * self.dz[i];
            self.w[i] += length * self.dw[i];
        }
    }

    /// Newton's step towards the point t of the path, `second` being what products of steps will add.
    fn newton(&mut self, t: f64) {
        for i in 0..self.z.len() {
            let product = t * self.centre[i] - self.z[i] * self.w[i] - self.second[i];
            self.g[i] = product / self.z[i] + self.residual[i] - t * self.cover[i];
        }
        self.system.solve(&self.g, (&self.z, &self.w), &mut self.dz);
        self.system.multiply(&self.dz, &mut self.dw);
        for i in 0..self.z.len() {
            self.dw[i] -= self.residual[i] - t * self.cover[i];
        }
    }

    /// The step at which the first variable vanishes.
    fn longest(&self) -> f64 {
        let mut longest = f64::INFINITY;
        for (x, dx) in [(&self.z, &self.dz), (&self.w, &self.dw)] {
            for (x_i, dx_i) in x.iter().zip(dx) {
                // NaN must not pass
                if !(*dx_i >= 0.0) {
                    let ratio = -x_i / dx_i;
                    longest = if ratio.is_nan() { 0.0 } else { longest.min(ratio) };
                }
            }
        }
        longest
    }
}
