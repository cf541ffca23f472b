//! Proximal Alart–Curnier Newton: exact Coulomb by a sequence of compliant problems.
//!
//! # Method
//!
//! Coulomb's law is a fixed point, `r = Π(r − κ m u)`, with Π the map of Alart and Curnier (1991):
//!
//! ```text
//!  z_n ≤ 0            open   r = 0
//!  ‖z_t‖ ≤ μ z_n      stick  r = z
//!  else               slip   r_n = z_n,  r_t = μ z_n z_t / ‖z_t‖
//! ```
//!
//! Newton on it directly fails cold, and its matrix is singular when contacts are redundant. Here the
//! centre c of `r = Π(c − κ m u(r))` is held fixed: that is contact with the compliance 1/(κ m), its
//! Newton matrix is `W + 1/(κ m)` and, without slip, regular whatever the rank of W. When the inner
//! problem is solved, c ← r (a proximal-point step) and κ grows; if Newton fails κ shrinks. At the
//! fixed point c = r the compliance has no effect and the law is exact.
//!
//! With modes held, a slipping contact has two unknowns, the impulse along `n + μ t̂` and that along
//! ŝ ⊥ t̂; its rows are the velocities along n and ŝ, the latter with the compliance 1/(θ κ m),
//! `θ = μ z_n / ‖z_t‖`. So the matrix is `Rᵀ W C` plus a diagonal, unsymmetric by `μ t̂` alone. The
//! same holds for a polygon in place of the disc (`section.rs`), which is how friction pyramids are
//! solved by [`pyramid`](crate::pyramid).
//!
//! Iterations are Newton steps; each costs one factorization, sparse or, for few contacts, dense. Fails on strongly mixed stick
//! and slip (folds: several pieces with opposite determinants): [`Status::Stalled`].
//!
//! Theory: `docs/theory/alart-curnier.md`.

mod system;
#[cfg(test)]
mod tests;

use super::blocks::Blocks;
use super::section::{Piece, Section};
use super::{Triple, block_times};
use crate::friction::FrictionProblem;
use crate::linalg::{DenseLu, SparseLu};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlartCurnierSettings {
    /// Stop when the solver's own error, a velocity relative to ‖q‖, is at most this. Default 1e-14.
    pub tol: f64,
    /// Newton steps in all. Default 1000.
    pub max_steps: usize,
    /// Stiffness κ of the first inner problem, in units of each contact's own mass. Default 1.
    pub stiffness: f64,
    /// Factor by which κ grows when an inner problem was easy. Default 1.3; 3 already
    /// hops between basins of attraction.
    pub growth: f64,
    /// The same where one Newton step solved it. Default 1.3; 10 saves half of the steps of few contacts, and costs steps
    /// where there are many.
    pub leap: f64,
    /// Largest κ. Default 1e8.
    pub max_stiffness: f64,
    /// Newton steps for one inner problem. Default 15.
    pub max_inner: usize,
    /// An inner problem is solved when its merit is at most this part of that of the way r has
    /// moved from the centre. Default 1e-2: more would be wasted on a centre that moves anyway.
    pub inner_tol: f64,
}

impl Default for AlartCurnierSettings {
    fn default() -> Self {
        Self {
            tol: 1e-14,
            max_steps: 1000,
            stiffness: 1.0,
            growth: 1.3,
            leap: 1.3,
            max_stiffness: 1e8,
            max_inner: 15,
            inner_tol: 1e-2,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct AlartCurnierWorkspace {
    blocks: Blocks,
    /// What bounds the friction of each contact.
    sections: Vec<Section>,
    dim: usize,
    /// Blocks by column: `column_start[d]..` are (row, block W_row,d), the diagonal one included.
    column_start: Vec<usize>,
    column: Vec<(u32, [f64; 9])>,
    order: Vec<usize>,
    /// Blocks by column for which `order` was found.
    pattern_start: Vec<usize>,
    pattern: Vec<u32>,
    r: Vec<Triple>,
    best: Vec<Triple>,
    center: Vec<Triple>,
    u: Vec<Triple>,
    trial: Vec<Triple>,
    target: Vec<Triple>,
    piece: Vec<Piece>,
    /// First unknown of each contact, and one past the last.
    first: Vec<u32>,
    owner: Vec<u32>,
    lu: SparseLu,
    dense: DenseLu,
    entries: Vec<(u32, f64)>,
    x: Vec<f64>,
    /// Velocities are found to twice the precision.
    is_fine: bool,
    /// The field's error of `best`, where velocities are that fine.
    field: f64,
}

/// Below this error an iteration without progress is at its rounding floor.
const NEARLY: f64 = 1e-11;
/// Where rounding the impulses alone costs more than this, rounding on the way to u must not cost more still.
const COARSE: f64 = 1e-12;

/// Solves by proximal Alart–Curnier Newton.
pub fn alart_curnier(
    problem: &FrictionProblem,
    settings: &AlartCurnierSettings,
    work: &mut AlartCurnierWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    let discs = problem.mu().iter().map(|&mu| Section::Disc { mu });
    solve_with_sections(problem, discs, (settings, work), stop, r)
}

/// The same for sections of any shape.
pub(crate) fn solve_with_sections(
    problem: &FrictionProblem,
    sections: impl Iterator<Item = Section>,
    (settings, work): (&AlartCurnierSettings, &mut AlartCurnierWorkspace),
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.sections.clear();
    work.sections.extend(sections);
    work.load(problem, r);
    let (status, steps) = work.proximal_point(settings, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, steps, steps)
}

impl AlartCurnierWorkspace {
    fn proximal_point(
        &mut self,
        settings: &AlartCurnierSettings,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let mut kappa = settings.stiffness;
        let mut steps = 0;
        (self.is_fine, self.field) = (false, f64::INFINITY);
        let mut lowest = self.note_best(f64::INFINITY);
        let mut idle = 0;
        loop {
            let floor = self.floor();
            self.is_fine = floor > COARSE;
            let is_rounding = self.is_fine && lowest.max(self.field) <= 2.0 * floor;
            if lowest <= settings.tol.max(floor) || is_rounding {
                break;
            }
            if stop() {
                return (Status::Stopped, steps);
            }
            if steps >= settings.max_steps {
                return (Status::IterationLimit, steps);
            }
            self.center.copy_from_slice(&self.r);
            let (converged, taken) = self.newton(kappa, settings, stop);
            steps += taken;
            if !converged {
                self.r.copy_from_slice(&self.center);
                kappa /= 3.0;
                if kappa < 1e-6 {
                    return (Status::Stalled, steps);
                }
            } else if taken == 1 {
                kappa = (kappa * settings.leap).min(settings.max_stiffness);
            } else if taken <= 3 {
                kappa = (kappa * settings.growth).min(settings.max_stiffness);
            } else if taken > 6 {
                kappa *= 0.5;
            }
            let before = lowest;
            lowest = self.note_best(lowest);
            // as good as solved, and rounding alone moves it now
            idle = if lowest < 0.5 * before { 0 } else { idle + 1 };
            if lowest < NEARLY && idle >= 8 {
                break;
            }
        }
        (Status::Solved, steps)
    }

    /// Keeps r if its error is lower than any before; gives the lowest error.
    fn note_best(&mut self, lowest: f64) -> f64 {
        Self::velocity(self.is_fine, &self.blocks, &self.r, &mut self.u);
        let error = self.error();
        if error < lowest {
            self.best.copy_from_slice(&self.r);
            if self.is_fine {
                self.field = self.blocks.field_error(&self.r, &self.u);
            }
            return error;
        }
        lowest
    }

    fn velocity(is_fine: bool, blocks: &Blocks, r: &[Triple], u: &mut [Triple]) {
        if is_fine { blocks.velocity_twice(r, u) } else { blocks.velocity(r, u) }
    }

    /// The error that rounding the impulses alone may cause.
    fn floor(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let (columns, blocks) = self.blocks.row(c);
            let mut size = square(&self.blocks.q[c]).sqrt();
            let own = (&c, &self.blocks.diagonal[c]);
            for (&d, block) in columns.iter().zip(blocks).chain([own]) {
                let w = block_times(&block.map(f64::abs), &self.r[d].map(f64::abs));
                size += square(&w).sqrt();
            }
            sum += size * size;
        }
        0.5 * f64::EPSILON * sum.sqrt() / self.blocks.q_norm()
    }

    /// `‖(‖r − Π(r − m u)‖ / m)‖₂ / ‖q‖₂` over the contacts: a velocity against the free one.
    fn error(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let m = self.blocks.mass[c];
            let p = self.sections[c].map(&shifted(&self.r[c], m, &self.u[c]));
            let e = std::array::from_fn(|a| (self.r[c][a] - p[a]) / m);
            sum += square(&e);
        }
        let error = sum.sqrt() / self.blocks.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// Solves `r = Π(center − κ m u(r))`; says whether it converged, and the steps taken.
    fn newton(
        &mut self,
        kappa: f64,
        settings: &AlartCurnierSettings,
        stop: Stop<'_>,
    ) -> (bool, usize) {
        Self::velocity(self.is_fine, &self.blocks, &self.r, &mut self.u);
        let mut merit = self.merit(kappa, &self.r, &self.u);
        for step in 1..=settings.max_inner {
            if stop() {
                return (false, step - 1);
            }
            self.choose_pieces(kappa);
            if !self.newton_step(kappa) {
                return (false, step);
            }
            let Some(lower) = self.search_line(kappa, merit) else {
                // rounding stops the descent just before the solution
                return (merit <= 1e-22 * self.scale(kappa), step);
            };
            merit = lower;
            if merit <= 1e-24 * self.scale(kappa) || merit <= settings.inner_tol * self.moved() {
                return (true, step);
            }
        }
        (false, settings.max_inner)
    }

    /// Moves r towards `target` as far as the merit falls, halving the way; gives the new merit.
    fn search_line(&mut self, kappa: f64, merit: f64) -> Option<f64> {
        let mut length = 1.0;
        for _ in 0..15 {
            for c in 0..self.r.len() {
                for a in 0..3 {
                    self.trial[c][a] = self.r[c][a] + length * (self.target[c][a] - self.r[c][a]);
                }
            }
            Self::velocity(self.is_fine, &self.blocks, &self.trial, &mut self.u);
            let next = self.merit(kappa, &self.trial, &self.u);
            if next < (1.0 - 1e-4 * length) * merit || next <= 1e-30 {
                std::mem::swap(&mut self.r, &mut self.trial);
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// `Σ ‖r − center‖² / m`.
    fn moved(&self) -> f64 {
        let mut sum = 0.0;
        for (c, m) in self.blocks.mass.iter().enumerate() {
            sum += square(&std::array::from_fn(|a| self.r[c][a] - self.center[c][a])) / m;
        }
        sum
    }

    /// Size of the terms in the merit.
    fn scale(&self, kappa: f64) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let m = self.blocks.mass[c];
            let softness = kappa.min(1.0);
            sum += square(&self.r[c]) / m + softness * softness * m * square(&self.blocks.q[c]);
        }
        sum
    }

    /// `Σ ‖r − Π(z)‖² / m`, an energy.
    fn merit(&self, kappa: f64, r: &[Triple], u: &[Triple]) -> f64 {
        let mut sum = 0.0;
        for c in 0..r.len() {
            let m = self.blocks.mass[c];
            let z = shifted(&self.center[c], kappa * m, &u[c]);
            let p = self.sections[c].map(&z);
            sum += square(&std::array::from_fn(|a| r[c][a] - p[a])) / m;
        }
        if sum.is_nan() { f64::INFINITY } else { sum }
    }
}

fn shifted(center: &Triple, s: f64, u: &Triple) -> Triple {
    [center[0] - s * u[0], center[1] - s * u[1], center[2] - s * u[2]]
}

fn square(x: &Triple) -> f64 {
    x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
}
