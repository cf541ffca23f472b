//! Whether the linear inequalities of a problem can be met: a point, or a Farkas vector.
//!
//! # Statement
//!
//! Every solution obeys the bounds of z and, where a row leaves no choice, the sign of w. Modes add
//! what is assumed of a row: z at a bound, or w = 0. Exactly one of two holds:
//!
//! ```text
//!  some z obeys them all
//!  some y has  0 ≤ yᵀw  by signs, and  sup over the bounds of z of (Aᵀy)ᵀz  +  bᵀy  <  0
//! ```
//!
//! # Method
//!
//! Single rows are tried first (their contradictions are exact). Then phase 1 of the bounded
//! simplex method, on data equilibrated by powers of two. Its multipliers are
//! corrected by one more solve, freed of entries that are zero but for rounding, and replaced by
//! small whole multiples where those do as well: sums of whole numbers are exact.
//!
//! # When it fails
//!
//! Where the inequalities are met or missed by no more than about 1e−9 of their terms neither
//! answer stands: [`LinearFeasibility::Undecided`].
//!
//! Theory: `docs/theory/proofs.md`.

mod simplex;
mod vector;

use crate::judge::Mode;
use crate::problem::BoxLcp;
use simplex::{Outcome, Simplex};
pub(crate) use vector::{contradiction, single_row};
use vector::{limits, whole_multiple};

/// Above this many rows the dense dictionary is too large: undecided.
pub const MAX_ROWS: usize = 1200;

/// What [`farkas`] found.
#[derive(Clone, Debug, PartialEq)]
pub enum LinearFeasibility {
    /// A point that meets the inequalities within rounding.
    Feasible(Vec<f64>),
    /// A vector that refutes them.
    Infeasible(Vec<f64>),
    /// Neither: too large, or too close to call.
    Undecided,
}

/// Memory, and the equilibrated matrix of the problem last loaded.
#[derive(Clone, Debug, Default)]
pub struct FarkasWorkspace {
    simplex: Simplex,
    /// Powers of two: `A' = row · A · column`, `z = column · unit · z'`, `w = unit / row · w'`.
    row: Vec<f64>,
    column: Vec<f64>,
    unit: f64,
    y: Vec<f64>,
}

impl FarkasWorkspace {
    /// Pivots of the last search.
    pub fn pivots(&self) -> usize {
        self.simplex.pivots
    }
}

/// Decides whether the inequalities of `problem` under `modes` can be met.
///
/// # Panics
///
/// If `modes` has not one entry per row.
pub fn farkas(problem: &BoxLcp, modes: &[Mode], work: &mut FarkasWorkspace) -> LinearFeasibility {
    assert_eq!(modes.len(), problem.n(), "one mode per row");
    if let Some(y) = single_row(problem, modes) {
        return LinearFeasibility::Infeasible(y);
    }
    if problem.n() > MAX_ROWS {
        return LinearFeasibility::Undecided;
    }
    work.load(problem);
    work.search(problem, modes)
}

impl FarkasWorkspace {
    /// Equilibrates A by powers of two and hands it to the simplex method.
    pub(crate) fn load(&mut self, problem: &BoxLcp) {
        let n = problem.n();
        let A = problem.A();
        self.row.clear();
        self.row.resize(n, 1.0);
        self.column.clear();
        self.column.resize(n, 1.0);
        let mut row_max = vec![0.0_f64; n];
        for _ in 0..4 {
            row_max.fill(0.0);
            for j in 0..n {
                let mut column_max = 0.0_f64;
                A.for_column(j, |i, a_ij| {
                    let size = a_ij.abs() * self.row[i];
                    column_max = column_max.max(size);
                    row_max[i] = row_max[i].max(size * self.column[j]);
                });
                if column_max > 0.0 {
                    self.column[j] = power_of_two(1.0 / column_max);
                }
            }
            for i in 0..n {
                if row_max[i] > 0.0 {
                    self.row[i] *= power_of_two(1.0 / row_max[i].sqrt());
                }
            }
        }
        let mut largest = 0.0_f64;
        for i in 0..n {
            largest = largest.max((problem.b()[i] * self.row[i]).abs());
            for bound in [problem.lower()[i], problem.upper()[i]] {
                if bound.is_finite() {
                    largest = largest.max((bound / self.column[i]).abs());
                }
            }
        }
        self.unit = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        let b: Vec<f64> = (0..n).map(|i| problem.b()[i] * self.row[i] / self.unit).collect();
        let (row, column) = (&self.row, &self.column);
        self.simplex.load(&b, |j, values| {
            A.for_column(j, |i, a_ij| values[i] = a_ij * row[i] * column[j]);
        });
    }

    /// Powers of two that equilibrate A: of its rows, and of its columns.
    pub(crate) fn scales(&self) -> (&[f64], &[f64]) {
        (&self.row, &self.column)
    }

    /// The size of b and of the bounds in equilibrated units, and so of z.
    pub(crate) fn unit(&self) -> f64 {
        self.unit
    }

    fn set_limits(&mut self, problem: &BoxLcp, modes: &[Mode]) {
        let n = problem.n();
        for i in 0..n {
            let (z, w) = limits(problem, modes[i], i);
            let z_unit = self.column[i] * self.unit;
            (self.simplex.lower[i], self.simplex.upper[i]) = (z[0] / z_unit, z[1] / z_unit);
            (self.simplex.lower[n + i], self.simplex.upper[n + i]) = (w[0], w[1]);
        }
    }

    /// The search of [`farkas`] with the matrix already loaded.
    pub(crate) fn search(&mut self, problem: &BoxLcp, modes: &[Mode]) -> LinearFeasibility {
        self.set_limits(problem, modes);
        self.simplex.restart();
        match self.simplex.find_point() {
            Outcome::Reached => LinearFeasibility::Feasible(self.point(problem, modes)),
            Outcome::Optimal => match self.vector(problem, modes) {
                Some(y) => LinearFeasibility::Infeasible(y),
                None => LinearFeasibility::Undecided,
            },
            Outcome::Unbounded | Outcome::Failed => LinearFeasibility::Undecided,
        }
    }

    /// The present point in the problem's units, within the bounds of z.
    fn point(&self, problem: &BoxLcp, modes: &[Mode]) -> Vec<f64> {
        (0..problem.n())
            .map(|j| {
                let ([lower, upper], _) = limits(problem, modes[j], j);
                (self.simplex.x[j] * self.column[j] * self.unit).max(lower).min(upper)
            })
            .collect()
    }

    /// From a point found by `search`: makes `sign · (z_i, or w_i)` as large as the inequalities
    /// allow, or at least `enough` (in the equilibrated unit, about 1). The value reached, the point
    /// and, if nothing bounds it, the direction of growth.
    pub(crate) fn push(
        &mut self,
        problem: &BoxLcp,
        modes: &[Mode],
        (variable, sign, enough): (Variable, f64, f64),
    ) -> Option<Pushed> {
        let n = problem.n();
        let v = variable.index(n);
        let outcome = self.simplex.push(v, sign, enough);
        if outcome == Outcome::Failed {
            return None;
        }
        let direction = (outcome == Outcome::Unbounded).then(|| {
            let ray = &self.simplex.ray;
            (0..n).map(|j| ray[j] * self.column[j]).collect()
        });
        Some(Pushed { value: self.simplex.x[v], point: self.point(problem, modes), direction })
    }

    /// How far the present point is from the bound that `push` moves away from, in the equilibrated
    /// unit.
    pub(crate) fn slack(&self, variable: Variable, sign: f64) -> f64 {
        let v = variable.index(self.row.len());
        let bound = if sign > 0.0 { self.simplex.lower[v] } else { self.simplex.upper[v] };
        sign * (self.simplex.x[v] - bound)
    }

    /// The Farkas vector of the last search, cleaned.
    fn vector(&mut self, problem: &BoxLcp, modes: &[Mode]) -> Option<Vec<f64>> {
        let n = problem.n();
        let mut y = std::mem::take(&mut self.y);
        self.simplex.multipliers(&mut y);
        // in scaled units an entry far below the others is rounding
        let largest = y.iter().fold(0.0_f64, |m, y_i| m.max(y_i.abs()));
        for i in 0..n {
            let (_, [w_lower, w_upper]) = limits(problem, modes[i], i);
            let allowed = if y[i] > 0.0 { w_lower.is_finite() } else { w_upper.is_finite() };
            if !allowed || y[i].abs() <= 1e-14 * largest {
                y[i] = 0.0;
            }
        }
        let raw: Vec<f64> = (0..n).map(|i| y[i] * self.row[i]).collect();
        self.y = y;
        if let Some(whole) = whole_multiple(problem, modes, &raw) {
            return Some(whole);
        }
        contradiction(problem, modes, &raw).map(|_| raw)
    }
}

/// What [`FarkasWorkspace::push`] moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Z(usize),
    W(usize),
}

impl Variable {
    fn index(self, n: usize) -> usize {
        match self {
            Self::Z(i) => i,
            Self::W(i) => n + i,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Pushed {
    /// Of the variable, in the equilibrated unit.
    pub(crate) value: f64,
    pub(crate) point: Vec<f64>,
    pub(crate) direction: Option<Vec<f64>>,
}

/// The power of two next to a positive number, within a factor of two.
fn power_of_two(x: f64) -> f64 {
    2f64.powi((x.log2().round() as i32).clamp(-500, 500))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{Family, Known, unsolvable};
    use crate::judge::{Proof, check_proof};
    use crate::matrix::MatX;

    fn root(problem: &BoxLcp) -> LinearFeasibility {
        farkas(problem, &vec![Mode::Any; problem.n()], &mut FarkasWorkspace::default())
    }

    /// Largest violation of a bound or of a sign, against the size of b.
    fn violation(problem: &BoxLcp, z: &[f64]) -> f64 {
        let mut w = vec![0.0; z.len()];
        problem.A().affine(z, problem.b(), &mut w);
        let mut worst = 0.0_f64;
        for i in 0..z.len() {
            let ([z0, z1], [w0, w1]) = limits(problem, Mode::Any, i);
            worst = worst.max(z0 - z[i]).max(z[i] - z1).max(w0 - w[i]).max(w[i] - w1);
        }
        worst / problem.b().iter().fold(1.0_f64, |m, b_i| m.max(b_i.abs()))
    }

    #[test]
    fn every_family_is_decided_and_the_judge_agrees() {
        for family in Family::ALL {
            for seed in 0..30 {
                let n = 2 + seed as usize % 13;
                let specimen = family.make(n, seed);
                let place = || format!("{}, n = {n}, seed {seed}", family.name());
                match root(&specimen.problem) {
                    LinearFeasibility::Feasible(z) => {
                        let worst = violation(&specimen.problem, &z);
                        assert!(worst < 1e-9, "{}: {worst:e}", place());
                    }
                    LinearFeasibility::Infeasible(y) => {
                        assert_eq!(specimen.known, Known::Unsolvable, "{}", place());
                        let refuted = check_proof(&specimen.problem, &Proof::Farkas(y));
                        assert!(refuted.is_some(), "{}", place());
                    }
                    LinearFeasibility::Undecided => panic!("{}", place()),
                }
            }
        }
    }

    #[test]
    fn larger_problems_without_a_point_are_refuted() {
        for n in [50, 100, 200] {
            for problem in [unsolvable::semidefinite(n, 1), unsolvable::unbounded_program(n, 1)] {
                let LinearFeasibility::Infeasible(y) = root(&problem) else {
                    panic!("n = {n}: not refuted")
                };
                assert!(check_proof(&problem, &Proof::Farkas(y)).is_some(), "n = {n}");
            }
        }
    }

    #[test]
    fn whole_data_gives_a_whole_vector_and_no_radius() {
        // a chain of springs without support: Aᵀ(1, …, 1) = 0 and nothing else
        let mut A = MatX::zeros(9, 9);
        for i in 0..8 {
            let k = 3.0 + i as f64;
            for (p, q, s) in [(i, i, k), (i + 1, i + 1, k), (i, i + 1, -k), (i + 1, i, -k)] {
                A[(p, q)] += s;
            }
        }
        let b = (0..9).map(|i| if i == 4 { -5.0 } else { 0.5 }).collect();
        let problem = BoxLcp::lcp(A, b).unwrap();
        let LinearFeasibility::Infeasible(y) = root(&problem) else { panic!("not refuted") };
        assert_eq!(y, vec![1.0; 9]);
        let refutation = check_proof(&problem, &Proof::Farkas(y)).unwrap();
        assert_eq!(refutation.radius, f64::INFINITY);
    }

    #[test]
    fn modes_add_their_inequalities() {
        // w1 = z2 − 1, w2 = z1 + 1: feasible, but neither with z2 = 0 nor with w2 = 0
        let problem = unsolvable::feasible(1);
        assert!(matches!(root(&problem), LinearFeasibility::Feasible(_)));
        let work = &mut FarkasWorkspace::default();
        for mode in [Mode::AtLower, Mode::Between] {
            let answer = farkas(&problem, &[Mode::Any, mode], work);
            assert!(matches!(answer, LinearFeasibility::Infeasible(_)), "{mode:?}");
        }
    }
}
