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
//! corrected in twice the precision, freed of entries that are zero but for rounding, and replaced
//! by small whole multiples where those do as well: sums of whole numbers are exact. Where A is
//! singular only within its own rounding, the error is shared out among the equations.
//!
//! # When it fails
//!
//! Where the inequalities are met or missed by no more than about 1e−9 of their terms neither
//! answer stands: [`LinearFeasibility::Undecided`].
//!
//! Theory: `docs/theory/proofs.md`.

pub mod polyhedron;
mod simplex;
mod twofold;
mod vector;

use crate::judge::Mode;
use crate::problem::BoxLcp;
pub use polyhedron::{Extreme, Polyhedron};
use simplex::{Outcome, Simplex};
pub(crate) use twofold::Twofold;
use vector::limits;
pub(crate) use vector::{refuting, single_row};

/// Above this many rows the dense dictionary is too large: undecided.
pub const MAX_ROWS: usize = 1200;

/// Multipliers below this part of the largest may be rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

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
        // multipliers that are small beside the others are rounding, most likely; if not, go on
        for rounding in [ROUNDING, 0.0] {
            match self.simplex.find_point(rounding) {
                Outcome::Reached => return LinearFeasibility::Feasible(self.point(problem, modes)),
                Outcome::Optimal => {
                    if let Some(y) = self.vector(problem, modes) {
                        return LinearFeasibility::Infeasible(y);
                    }
                }
                Outcome::Unbounded | Outcome::Failed => {}
            }
        }
        LinearFeasibility::Undecided
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
        for (i, y_i) in y.iter_mut().enumerate() {
            let (_, [w_lower, w_upper]) = limits(problem, modes[i], i);
            let allowed = if *y_i > 0.0 { w_lower.is_finite() } else { w_upper.is_finite() };
            if !allowed {
                *y_i = 0.0;
            }
        }
        // in scaled units an entry far below the others is rounding, most likely
        let largest = y.iter().fold(0.0_f64, |m, y_i| m.max(y_i.abs()));
        let above = |least: f64| {
            let kept = |i: usize| if y[i].abs() <= least * largest { 0.0 } else { y[i] };
            (0..n).map(|i| kept(i) * self.row[i]).collect::<Vec<f64>>()
        };
        let found =
            [1e-14, 1e-25].into_iter().find_map(|least| refuting(problem, modes, above(least)));
        self.y = y;
        found
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
    use crate::families::{Family, Known, Rng, unsolvable};
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

    /// x of k rows with `0 ≤ x ⊥ x − x₀ − Cᵀp ≥ 0` and equations `C x = C x₀`, each of them twice,
    /// p free; the last one asks for something else than its twin.
    fn contradicting_twins(n: usize, seed: u64) -> BoxLcp {
        let mut random = Rng::new(seed);
        let (k, twins) = (n - n / 2, n / 2);
        let C = MatX::from_fn(twins.div_ceil(2), k, |_, _| random.index(5) as f64 - 2.0);
        let mut A = MatX::identity(n, n);
        A.view_mut((k, k), (twins, twins)).fill(0.0);
        let mut b: Vec<f64> = (0..n).map(|_| -(random.index(4) as f64)).collect();
        for p in 0..twins {
            let row = C.row(p % C.nrows());
            A.view_mut((k + p, 0), (1, k)).copy_from(&row);
            A.view_mut((0, k + p), (k, 1)).copy_from(&-row.transpose());
            b[k + p] = row.iter().zip(&b).map(|(c, b_i)| c * b_i).sum();
        }
        b[n - 1] += 1.0;
        BoxLcp::mixed(A, b, &(k..n).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn two_equal_rows_that_contradict_each_other_are_refuted() {
        for n in [8, 16, 24, 40, 60] {
            for seed in 0..20 {
                let problem = contradicting_twins(n, seed);
                let LinearFeasibility::Infeasible(y) = root(&problem) else {
                    panic!("n = {n}, seed {seed}: not refuted")
                };
                let refuted = check_proof(&problem, &Proof::Farkas(y));
                assert!(refuted.is_some(), "n = {n}, seed {seed}");
            }
        }
    }

    #[test]
    fn a_vector_that_is_not_whole_is_right_to_its_last_bit() {
        // equations 3 z_j of row j, −7 z_j of row j + 1: y_{j+1} = 3/7 y_j, whole only beyond 7^59
        let n = 60;
        let mut A = MatX::zeros(n, n);
        for j in 0..n - 1 {
            (A[(j, j)], A[(j + 1, j)]) = (3.0, -7.0);
        }
        let mut b = vec![0.0; n];
        b[0] = -1.0;
        let problem = BoxLcp::mixed(A, b, &(0..n).collect::<Vec<_>>()).unwrap();
        let LinearFeasibility::Infeasible(y) = root(&problem) else { panic!("not refuted") };
        for j in 0..n - 1 {
            let error = 7.0 * y[j + 1] - 3.0 * y[j];
            assert!(error.abs() <= 4.0 * f64::EPSILON * y[j].abs(), "entry {j}: {error:e}");
        }
        assert!(check_proof(&problem, &Proof::Farkas(y)).is_some());
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
