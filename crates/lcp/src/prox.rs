//! The prox fixed point `z ← clamp(z − r (A z + b))`.
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`. Solutions are the fixed points, for any r > 0 row by row.
//!
//! # Method
//!
//! All rows at once, from the same w (Jacobi, not Gauss–Seidel). The choice of r is the method:
//! one number for all rows, `r_i = factor / A_ii`, or adaptive: the second, with a factor that is
//! halved (and the step taken back) when the step grows, and raised slowly while it shrinks.
//! Theory: `docs/theory/prox.md`, \[SNT\], \[Erleben17\].
//!
//! # Cost
//!
//! One product with A for each iteration.
//!
//! # When it fails
//!
//! The map contracts for symmetric positive definite A and `r λ_max(A) < 2`, and for small enough r
//! when the symmetric part is definite; else it may run away, which is recognised
//! ([`Status::Diverged`]), or creep ([`Status::IterationLimit`]).

use crate::measure::{Measure, into_bounds};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop};

/// The choice of r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProxStep {
    /// The same r for all rows [unit of z / unit of w; kg for contact]. Positive.
    Given(f64),
    /// `r_i = factor / A_ii`; rows with `A_ii ≤ 0` use the sum of |A_ij| over the row instead.
    /// Dimensionless, positive; 1 is Jacobi.
    PerRow(f64),
    /// As `PerRow`, the factor found on the way, starting from 1.
    Adaptive,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxSettings {
    /// Stop after this many iterations, those taken back included. Any; default 20 000.
    pub max_iterations: usize,
    /// Default `Adaptive`.
    pub step: ProxStep,
    /// Diverged when the residual exceeds the least one met by this factor. Above 1; default 1e6.
    pub divergence_factor: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
}

impl Default for ProxSettings {
    fn default() -> Self {
        Self {
            max_iterations: 20_000,
            step: ProxStep::Adaptive,
            divergence_factor: 1e6,
            tolerance: 1e-10,
        }
    }
}

/// The adaptive factor is raised by `RAISE` after this many good steps in a row.
const GOOD_STEPS: usize = 10;
const RAISE: f64 = 1.25;
const LOWER: f64 = 0.5;
/// No contraction at this factor: there is none, and the iteration goes on with `LAST_RESORT`, to
/// run away or to end in its bounds.
const LEAST_FACTOR: f64 = 1e-6;
const LAST_RESORT: f64 = 0.1;

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct ProxWorkspace {
    /// r of each row at factor 1.
    r: Vec<f64>,
    row_sum: Vec<f64>,
    /// The iterate to go back to.
    kept: Vec<f64>,
    kept_w: Vec<f64>,
    best: Vec<f64>,
    measure: Measure,
}

impl ProxWorkspace {
    pub fn new(n: usize) -> Self {
        let vector = || Vec::with_capacity(n);
        let (r, row_sum, kept, kept_w, best) = (vector(), vector(), vector(), vector(), vector());
        Self { r, row_sum, kept, kept_w, best, measure: Measure::new(n) }
    }

    fn start(&mut self, problem: &BoxLcp, step: ProxStep, z: &[f64]) {
        let (A, n) = (problem.A(), problem.n());
        self.row_sum.clear();
        self.row_sum.resize(n, 0.0);
        let sum = &mut self.row_sum;
        for j in 0..n {
            A.for_column(j, |i, a_ij| sum[i] += a_ij.abs());
        }
        self.r.clear();
        for i in 0..n {
            let a_ii = A.get(i, i);
            self.r.push(match step {
                ProxStep::Given(r) => r,
                _ if a_ii > 0.0 => 1.0 / a_ii,
                _ if self.row_sum[i] > 0.0 => 1.0 / self.row_sum[i],
                _ => 1.0,
            });
        }
        for buffer in [&mut self.kept, &mut self.kept_w, &mut self.best] {
            buffer.clear();
            buffer.extend_from_slice(z);
        }
    }

    /// Length of the step from z with this factor, `sqrt(Σ s_i² / r_i)`; NaN if not finite.
    fn step_length(&self, problem: &BoxLcp, factor: f64, z: &[f64], w: &[f64]) -> f64 {
        let mut squared = 0.0;
        for i in 0..z.len() {
            let s_i = problem.clamp(i, z[i] - factor * self.r[i] * w[i]) - z[i];
            squared += s_i * s_i / self.r[i];
        }
        squared.sqrt()
    }
}

/// The prox fixed point. If the iterates run away, z is the best one met.
pub fn prox(
    problem: &BoxLcp,
    settings: &ProxSettings,
    work: &mut ProxWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    work.start(problem, settings.step, z);
    let mut adaptive = settings.step == ProxStep::Adaptive;
    let mut factor = if let ProxStep::PerRow(factor) = settings.step { factor } else { 1.0 };
    let (mut best_residual, mut kept_length, mut good) = (f64::INFINITY, f64::INFINITY, 0);
    let mut iterations = 0;
    loop {
        work.measure.evaluate(problem, z);
        let residual = work.measure.residual;
        if work.measure.meets(settings.tolerance) {
            return Report::new(Status::Solved, iterations, 0);
        }
        if residual < best_residual {
            best_residual = residual;
            work.best.copy_from_slice(z);
        }
        let length = work.step_length(problem, factor, z, &work.measure.w);
        let lost = !residual.is_finite() || residual > settings.divergence_factor * best_residual;
        if adaptive && (length.is_nan() || length > kept_length) {
            // take the step back and try a shorter one from where it began
            factor *= LOWER;
            good = 0;
            z.copy_from_slice(&work.kept);
            kept_length = work.step_length(problem, factor, z, &work.kept_w);
            work.measure.w.copy_from_slice(&work.kept_w);
            if factor < LEAST_FACTOR {
                (adaptive, factor) = (false, LAST_RESORT);
            }
        } else if lost {
            z.copy_from_slice(&work.best);
            return Report::new(Status::Diverged, iterations, 0);
        } else if adaptive {
            good += 1;
            if good % GOOD_STEPS == 0 {
                factor *= RAISE;
            }
            work.kept.copy_from_slice(z);
            work.kept_w.copy_from_slice(&work.measure.w);
            kept_length = work.step_length(problem, factor, z, &work.kept_w);
        }
        if iterations == settings.max_iterations {
            return Report::new(Status::IterationLimit, iterations, 0);
        }
        if stop() {
            return Report::new(Status::Stopped, iterations, 0);
        }
        for i in 0..z.len() {
            z[i] = problem.clamp(i, z[i] - factor * work.r[i] * work.measure.w[i]);
        }
        iterations += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &ProxSettings, z: &mut [f64]) -> Report {
        prox(problem, settings, &mut ProxWorkspace::new(problem.n()), &never, z)
    }

    fn with(step: ProxStep) -> ProxSettings {
        ProxSettings { step, ..Default::default() }
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        for step in [ProxStep::Given(0.3), ProxStep::PerRow(0.5), ProxStep::Adaptive] {
            solves_the_catalogue((1e-10, 1e-8), |p, z| solve(p, &with(step), z));
        }
    }

    #[test]
    fn random_definite_problems_are_solved() {
        let mut work = ProxWorkspace::default();
        for seed in 0..30 {
            let n = 1 + seed as usize % 17;
            for problem in [random_spd_lcp(n, seed), random_box(n, seed), random_p_lcp(n, seed)] {
                let mut z = vec![0.0; n];
                let report = prox(&problem, &ProxSettings::default(), &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-10), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn the_given_r_contracts_exactly_up_to_two_over_the_diagonal() {
        // one row: z ← z − r (4 z − 4), contraction |1 − 4r| < 1
        let problem = BoxLcp::mixed(MatX::identity(1, 1) * 4., vec![-4.], &[0]).unwrap();
        for (r, contracts) in [(0.01, true), (0.25, true), (0.49, true), (0.51, false)] {
            let report = solve(&problem, &with(ProxStep::Given(r)), &mut [0.0]);
            let expected = if contracts { Status::Solved } else { Status::Diverged };
            assert_eq!(report.status, expected, "r = {r}");
        }
        assert_eq!(solve(&problem, &with(ProxStep::Given(0.25)), &mut [0.0]).iterations, 1);
    }

    #[test]
    fn two_solutions_and_none_of_the_scalar_painleve_problem() {
        // 0 ≤ z ⊥ −z + 1 ≥ 0: z = 0 attracts from below z = 1, above it the iterates run away
        let two = BoxLcp::lcp(-MatX::identity(1, 1), vec![1.0]).unwrap();
        for step in [ProxStep::Given(0.1), ProxStep::Adaptive] {
            let mut z = [0.9];
            assert_eq!(solve(&two, &with(step), &mut z).status, Status::Solved);
            assert_eq!(z, [0.0]);
            assert_eq!(solve(&two, &with(step), &mut [1.1]).status, Status::Diverged, "{step:?}");
        }
        let none = BoxLcp::lcp(-MatX::identity(1, 1), vec![-1.0]).unwrap();
        let mut z = [0.0];
        assert_eq!(solve(&none, &with(ProxStep::Given(0.1)), &mut z).status, Status::Diverged);
        assert!(z[0].is_finite());
    }

    #[test]
    fn a_warm_start_saves_iterations_and_bad_ones_do_no_harm() {
        let problem = random_spd_lcp(15, 3);
        let mut z = vec![0.0; 15];
        let cold = solve(&problem, &ProxSettings::default(), &mut z);
        let warm = solve(&problem, &ProxSettings::default(), &mut z);
        assert!(cold.iterations > 0 && warm.iterations == 0);
        bears_bad_starts(&problem, |p, z| solve(p, &ProxSettings::default(), z));
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = random_spd_lcp(15, 3);
        let default = ProxSettings::default();
        let iterations =
            |settings: &ProxSettings| solve(&problem, settings, &mut [0.0; 15]).iterations;
        let plain = iterations(&default);
        assert!(iterations(&ProxSettings { tolerance: 1e-4, ..default }) < plain);
        assert_eq!(iterations(&ProxSettings { max_iterations: 3, ..default }), 3);
        let steps = [ProxStep::Given(0.1), ProxStep::PerRow(0.1), ProxStep::Adaptive];
        let counts = steps.map(|step| iterations(&with(step)));
        assert!(counts[0] != counts[1] && counts[2] < counts[1], "{counts:?}");
        let wild = ProxSettings { divergence_factor: 1e12, ..with(ProxStep::Given(9.0)) };
        let tame = with(ProxStep::Given(9.0));
        assert!(iterations(&tame) < iterations(&wild));
        let report =
            prox(&problem, &default, &mut ProxWorkspace::new(15), &|| true, &mut [0.0; 15]);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
