//! Projected Gauss–Seidel and its over-relaxed form (PSOR).
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`, all `A_ii > 0`.
//!
//! # Method
//!
//! Row by row, `z_i ← clamp(z_i − ω w_i / A_ii)` with `w_i = (A z + b)_i` of the present z; ω = 1 is
//! projected Gauss–Seidel. Theory: `docs/theory/pgs.md`, \[Cryer71\], \[Mangasarian77\].
//!
//! # Cost
//!
//! One pass over A for each sweep. The number of sweeps grows with the condition number: 1e−2 is
//! cheap, 1e−10 often out of reach (stacks, mass ratios).
//!
//! # When it fails
//!
//! It converges for symmetric positive definite A and 0 < ω < 2, for solvable semidefinite problems,
//! and for some others (strict diagonal dominance with ω ≤ 1). It may run away elsewhere
//! ([`Status::Diverged`]), and needs a positive diagonal ([`Unfit::NonPositiveDiagonal`]).

use crate::measure::{Measure, b_scale, into_bounds, natural_row};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};

/// The exact residual is computed at least once in this many sweeps: where rounding keeps the
/// sweep's own number above the tolerance, only the exact one knows the rounding floor.
pub(crate) const CHECK_EVERY: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PgsSettings {
    /// Stop after this many sweeps. Any; default 10 000.
    pub max_sweeps: usize,
    /// Relaxation ω, dimensionless, 0 < ω < 2; default 1 (projected Gauss–Seidel).
    pub omega: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
}

impl Default for PgsSettings {
    fn default() -> Self {
        Self { max_sweeps: 10_000, omega: 1.0, tolerance: 1e-10 }
    }
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct PgsWorkspace {
    rows: Rows,
    best: Vec<f64>,
    measure: Measure,
}

impl PgsWorkspace {
    pub fn new(n: usize) -> Self {
        Self { rows: Rows::new(n), best: Vec::with_capacity(n), measure: Measure::new(n) }
    }
}

/// Projected (over-relaxed) Gauss–Seidel. `Report::iterations` counts sweeps. If the iterates run
/// away, z is the best one met.
pub fn pgs(
    problem: &BoxLcp,
    settings: &PgsSettings,
    work: &mut PgsWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    if let Some(row) = without_positive_diagonal(problem) {
        return Report::new(Status::NotApplicable(Unfit::NonPositiveDiagonal(row)), 0, 0);
    }
    let PgsWorkspace { rows, best, measure } = work;
    rows.copy(problem);
    best.clear();
    best.extend_from_slice(z);
    let mut best_residual = f64::INFINITY;
    for sweeps in 0..settings.max_sweeps {
        if stop() {
            return Report::new(Status::Stopped, sweeps, 0);
        }
        let sweep = rows.sweep(problem, settings.omega, Order::Forward, z);
        if !sweep.residual.is_finite() {
            z.copy_from_slice(best);
            return Report::new(Status::Diverged, sweeps + 1, 0);
        }
        if sweep.residual < best_residual {
            best_residual = sweep.residual;
            best.copy_from_slice(z);
        }
        let settled = sweep.residual <= settings.tolerance || sweep.change == 0.0;
        if settled || (sweeps + 1) % CHECK_EVERY == 0 {
            measure.evaluate(problem, z);
            if measure.meets(settings.tolerance) {
                return Report::new(Status::Solved, sweeps + 1, 0);
            }
            if sweep.change == 0.0 {
                return Report::new(Status::Stalled, sweeps + 1, 0);
            }
        }
    }
    Report::new(Status::IterationLimit, settings.max_sweeps, 0)
}

/// The first row that Gauss–Seidel cannot treat; a fixed row needs no diagonal.
pub(crate) fn without_positive_diagonal(problem: &BoxLcp) -> Option<usize> {
    let is_fixed = |i: usize| problem.lower()[i] == problem.upper()[i];
    (0..problem.n()).find(|&i| !(problem.A().get(i, i) > 0.0 || is_fixed(i)))
}

/// The order of the rows in a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Forward,
    Backward,
}

/// What a sweep saw on its way.
pub(crate) struct Sweep {
    /// Largest natural map, each row's before its own update, divided by max(1, max|b|); ∞ for NaN.
    pub(crate) residual: f64,
    /// Largest change of an entry of z.
    pub(crate) change: f64,
}

/// A by rows, without its zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    start: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
    scale: f64,
}

impl Rows {
    pub(crate) fn new(n: usize) -> Self {
        let (start, diagonal) = (Vec::with_capacity(n + 2), Vec::with_capacity(n));
        Self { start, diagonal, ..Self::default() }
    }

    pub(crate) fn copy(&mut self, problem: &BoxLcp) {
        let (A, n) = (problem.A(), problem.n());
        self.scale = b_scale(problem);
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| A.get(i, i)));
        // count into start[i + 2], so that filling moves start[i + 1] to its final place
        let start = &mut self.start;
        start.clear();
        start.resize(n + 2, 0);
        for j in 0..n {
            A.for_column(j, |i, a_ij| start[i + 2] += usize::from(a_ij != 0.0));
        }
        for i in 0..n {
            start[i + 2] += start[i + 1];
        }
        let (column, value) = (&mut self.column, &mut self.value);
        column.clear();
        column.resize(start[n + 1], 0);
        value.clear();
        value.resize(start[n + 1], 0.0);
        for j in 0..n {
            A.for_column(j, |i, a_ij| {
                if a_ij != 0.0 {
                    column[start[i + 1]] = j;
                    value[start[i + 1]] = a_ij;
                    start[i + 1] += 1;
                }
            });
        }
    }

    /// `z_i ← clamp(z_i − ω w_i / A_ii)` for all rows in order.
    pub(crate) fn sweep(&self, problem: &BoxLcp, omega: f64, order: Order, z: &mut [f64]) -> Sweep {
        let (mut residual, mut change, mut finite) = (0.0_f64, 0.0_f64, true);
        for k in 0..z.len() {
            let i = if order == Order::Forward { k } else { z.len() - 1 - k };
            let mut w_i = problem.b()[i];
            for p in self.start[i]..self.start[i + 1] {
                w_i += self.value[p] * z[self.column[p]];
            }
            residual = residual.max(natural_row(problem, i, z[i], w_i).abs());
            let next = if self.diagonal[i] > 0.0 {
                problem.clamp(i, z[i] - omega * w_i / self.diagonal[i])
            } else {
                z[i]
            };
            change = change.max((next - z[i]).abs());
            finite &= w_i.is_finite() && next.is_finite();
            z[i] = next;
        }
        Sweep { residual: if finite { residual / self.scale } else { f64::INFINITY }, change }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &PgsSettings, z: &mut [f64]) -> Report {
        pgs(problem, settings, &mut PgsWorkspace::new(problem.n()), &never, z)
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        solves_the_catalogue((1e-10, 1e-9), |p, z| solve(p, &PgsSettings::default(), z));
    }

    #[test]
    fn one_sweep_is_gauss_seidel_with_a_clamp() {
        // rows 4z₀ + z₁ = 4, z₀ + 2z₁ = −3 with z ≥ 0, from (1, 1): z₀ = 3/4, then z₁ = 0
        let A = MatX::from_row_slice(2, 2, &[4., 1., 1., 2.]);
        let problem = BoxLcp::lcp(A, vec![-4., 3.]).unwrap();
        let mut z = [1., 1.];
        let once = PgsSettings { max_sweeps: 1, ..Default::default() };
        assert_eq!(solve(&problem, &once, &mut z).status, Status::IterationLimit);
        assert_eq!(z, [0.75, 0.]);
    }

    #[test]
    fn random_definite_problems_are_solved() {
        let mut work = PgsWorkspace::default();
        for seed in 0..30 {
            let n = 1 + seed as usize % 17;
            let psd = degenerate_psd_lcp(n, seed);
            for problem in [random_spd_lcp(n, seed), random_box(n, seed), psd] {
                let mut z = vec![0.0; n];
                let settings = PgsSettings { max_sweeps: 100_000, ..Default::default() };
                let report = pgs(&problem, &settings, &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-10), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn a_warm_start_saves_sweeps_and_bad_ones_do_no_harm() {
        let problem = random_spd_lcp(15, 3);
        let mut z = vec![0.0; 15];
        let cold = solve(&problem, &PgsSettings::default(), &mut z);
        let warm = solve(&problem, &PgsSettings::default(), &mut z);
        assert!(warm.iterations < cold.iterations, "{warm:?} {cold:?}");
        bears_bad_starts(&problem, |p, z| solve(p, &PgsSettings::default(), z));
    }

    #[test]
    fn what_it_cannot_treat_is_named() {
        let zero = MatX::from_row_slice(2, 2, &[1., 0., 0., 0.]);
        let report = solve(
            &BoxLcp::lcp(zero, vec![-1.0; 2]).unwrap(),
            &PgsSettings::default(),
            &mut [0.0; 2],
        );
        assert_eq!(report.status, Status::NotApplicable(Unfit::NonPositiveDiagonal(1)));
        // two free rows that amplify each other
        let A = MatX::from_row_slice(2, 2, &[1., 3., 3., 1.]);
        let wild = BoxLcp::mixed(A, vec![-1.0, 2.0], &[0, 1]).unwrap();
        let mut z = [0.0; 2];
        assert_eq!(solve(&wild, &PgsSettings::default(), &mut z).status, Status::Diverged);
        assert!(z.iter().all(|z_i| z_i.is_finite()));
        // no solution: the answer grows for ever
        let wedge = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
        let wedge = BoxLcp::lcp(wedge, vec![-1.0, -1.0]).unwrap();
        let report = solve(&wedge, &PgsSettings::default(), &mut [0.0; 2]);
        assert_eq!(report.status, Status::IterationLimit);
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = chain(15);
        let default = PgsSettings::default();
        let sweeps = |settings: &PgsSettings| {
            let report = solve(&problem, settings, &mut [0.0; 15]);
            assert_eq!(report.status, Status::Solved);
            report.iterations
        };
        let plain = sweeps(&default);
        assert!(sweeps(&PgsSettings { omega: 1.5, ..default }) < plain);
        assert!(sweeps(&PgsSettings { tolerance: 1e-4, ..default }) < plain);
        let few = PgsSettings { max_sweeps: 3, ..default };
        assert_eq!(solve(&problem, &few, &mut [0.0; 15]).iterations, 3);
        let report = pgs(&problem, &default, &mut PgsWorkspace::new(15), &|| true, &mut [0.0; 15]);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
