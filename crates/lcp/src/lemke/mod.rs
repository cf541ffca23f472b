//! Lemke's complementary pivoting on a factorization that is updated and refactored.
//!
//! # Method
//!
//! `w = A z + b + d z₀` with a covering vector d: for z₀ large enough all w ≥ 0. The path starts
//! there and keeps one complementary pair out of the basis; the variable whose partner has just left
//! enters, the ratio test says which one leaves, and when z₀ leaves, z solves the problem. For
//! copositive-plus matrices it ends in a solution or in a ray that shows that none exists; friction
//! pyramids, copositive only, it solves where no penetration is to be undone; for others a ray proves
//! nothing.
//!
//! There is no tableau. Of the basis only its *kernel* is factored: the rows without a basic w, the
//! columns of basic z and z₀. Pivots append product-form etas; after [`LemkeSettings::refactor_every`]
//! of them the kernel is factored anew and the values recomputed and refined, so that errors do not
//! pile up. A ray counts only straight after that. Rows and columns are equilibrated by one
//! congruence of powers of two, which keeps copositivity and changes no bit of the path otherwise.
//!
//! Free rows (mixed LCP) are basic from the start and never leave, which is the Schur complement
//! without forming it. Rows with an upper bound: [`Unfit::TwoSidedBounds`].
//!
//! # Ties
//!
//! [`Ties::Lexicographic`] never cycles: among equal ratios the lexicographically least row of
//! `[x, B⁻¹]` leaves, its columns computed one after the other until one row is left.
//! [`Ties::LargestPivot`] (two passes after Harris 1973) is faster and steadier in floating point; a
//! random covering vector makes ties improbable to begin with.
//!
//! Iterations are pivots after z₀ has entered. Theory: `docs/theory/lemke.md`.

mod basis;
mod ratio;
#[cfg(test)]
mod tests;

use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use basis::{Basis, Variable};

/// How much of each row the artificial variable covers. Positive everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Covering<'a> {
    /// One, in the problem's own units: the textbook's choice.
    Ones,
    /// One, in equilibrated units.
    Equilibrated,
    /// Between one and two in equilibrated units, from this seed.
    Random(u64),
    /// Given, in the problem's own units. Entries that are not positive count as one.
    Given(&'a [f64]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    Lexicographic,
    LargestPivot,
}

/// Where the path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With no z in the basis but the free ones.
    Cold,
    /// With the z that are positive in the warm start.
    Support,
    /// With the basis the last solve in this workspace ended with.
    LastBasis,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeSettings<'a> {
    /// Default [`Covering::Ones`].
    pub covering: Covering<'a>,
    /// Default [`Ties::Lexicographic`].
    pub ties: Ties,
    /// Default [`Start::Support`], which is cold for z = 0.
    pub start: Start,
    /// Pivots at most. Default 100 000.
    pub max_pivots: usize,
    /// Pivots between factorizations. Default 64.
    pub refactor_every: usize,
}

impl Default for LemkeSettings<'_> {
    fn default() -> Self {
        Self {
            covering: Covering::Ones,
            ties: Ties::Lexicographic,
            start: Start::Support,
            max_pivots: 100_000,
            refactor_every: 64,
        }
    }
}

/// Memory of Lemke's method.
#[derive(Clone, Debug, Default)]
pub struct LemkeWorkspace {
    basis: Basis,
    y: Vec<f64>,
    ties: Vec<usize>,
    column: Vec<f64>,
    /// Direction of z along the secondary ray, in the problem's units, after [`Status::Ray`].
    ray: Vec<f64>,
}

impl LemkeWorkspace {
    pub fn new(_n: usize) -> Self {
        Self::default()
    }

    /// Direction of z along the ray on which the last solve ended; empty if it did not.
    pub fn ray(&self) -> &[f64] {
        &self.ray
    }
}

/// A value below zero by more than this after a fresh factorization means the path was lost.
const LOST: f64 = 1e-7;

/// z₀ below this, in units of the largest b, covers nothing.
const COVERED: f64 = 1e-13;

/// Solves by Lemke's method. The support of the warm start is the start basis.
pub fn lemke(
    problem: &BoxLcp,
    settings: &LemkeSettings<'_>,
    work: &mut LemkeWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    work.ray.clear();
    for i in 0..problem.n() {
        if !problem.is_free(i) && !problem.is_complementary(i) {
            return Report::new(Status::NotApplicable(Unfit::TwoSidedBounds(i)), 0, 0);
        }
    }
    work.ties.clear();
    work.ties.reserve(problem.n());
    work.basis.start(problem, settings, z);
    let (status, pivots) = follow_path(problem, settings, work, stop);
    let status = match (status, work.basis.read(problem, z)) {
        (Status::Solved, false) => Status::Stalled,
        (status, _) => status,
    };
    Report::new(status, pivots, work.basis.factorizations())
}

fn follow_path(
    problem: &BoxLcp,
    settings: &LemkeSettings<'_>,
    work: &mut LemkeWorkspace,
    stop: Stop<'_>,
) -> (Status, usize) {
    let LemkeWorkspace { basis, y, ties, column, ray } = work;
    if !basis.free_rows_are_solvable() {
        return (Status::Singular, 0);
    }
    if basis.is_feasible() {
        return (Status::Solved, 0);
    }
    let mut entering = basis.cover(problem, settings.covering);
    let mut pivots = 0;
    while pivots < settings.max_pivots {
        if stop() {
            return (Status::Stopped, pivots);
        }
        basis.direction(problem, entering, y);
        let slot = match settings.ties {
            Ties::LargestPivot => ratio::largest_pivot(basis, y),
            Ties::Lexicographic => ratio::lexicographic(problem, basis, y, ties, column),
        };
        let Some(slot) = slot else {
            if basis.is_fresh() {
                // with nothing left to cover, the end of the path is a solution all the same
                if basis.artificial() <= COVERED {
                    return (Status::Solved, pivots);
                }
                basis.ray(entering, y, ray);
                return (Status::Ray, pivots);
            }
            if !basis.refactor(problem) {
                return (Status::Singular, pivots);
            }
            continue;
        };
        // a small pivot on an old factor is not to be trusted
        if ratio::is_small(y, slot) && !basis.is_fresh() {
            if !basis.refactor(problem) {
                return (Status::Singular, pivots);
            }
            continue;
        }
        let leaving = basis.exchange(entering, slot, y);
        pivots += 1;
        if leaving == Variable::Artificial {
            return (Status::Solved, pivots);
        }
        entering = leaving.complement();
        if basis.age() >= settings.refactor_every {
            if !basis.refactor(problem) {
                return (Status::Singular, pivots);
            }
            if basis.lowest() < -LOST {
                return (Status::Stalled, pivots);
            }
        }
    }
    (Status::IterationLimit, pivots)
}
