//! Prox fixed point: all contacts at once, `r ← prox(r − ρ u)`.
//!
//! Theory: `docs/theory/cone-prox.md`.
//!
//! # Method
//!
//! ```text
//!  r_n ← max(0, r_n − ρ u_n) ,    r_t ← P_disc(μ r_n)(r_t − ρ u_t)
//! ```
//!
//! A fixed point obeys Coulomb's law for any ρ > 0; ρ decides only whether and how fast it is reached.
//! [`ProxStep::Adaptive`] measures on every step how much `ρ u` changes against r,
//!
//! ```text
//!  ratio = ρ ‖u⁺ − u‖ / ‖r⁺ − r‖      (weighted by the contact masses),
//! ```
//!
//! takes the step back with a smaller ρ when the ratio is above its limit, and grows ρ when it is far
//! below.
//!
//! # Cost
//!
//! One product with W a step. Steps grow with the condition of W.
//!
//! # When it fails
//!
//! ρ too large: [`Status::Diverged`]. Otherwise slow: [`Status::IterationLimit`]. The best iterate is
//! the answer in all cases.

use super::blocks::{Blocks, bounded, zeros};
use super::{Triple, norm, project_disc};
use crate::friction::FrictionProblem;
use crate::report::{Report, Status, Stop};

/// How ρ is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProxStep {
    /// The same for all contacts \[kg\]. > 0.
    Given(f64),
    /// This factor times the contact's own mass, `dim / trace W_cc`. > 0; below 2 / (contacts that
    /// share a body) it is safe.
    PerContact(f64),
    /// Contact masses times a factor that follows the ratio of the module page, kept below this
    /// limit. In (0, 2).
    Adaptive(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxSettings {
    /// Steps at most, rejected ones included. Default 100 000.
    pub max_steps: usize,
    /// Solved when the error, a velocity relative to ‖q‖, is at most this (or rounding alone makes it
    /// larger). ≥ 0; default 1e-12.
    pub tol: f64,
    /// Default `Adaptive(1.2)`.
    pub step: ProxStep,
}

impl Default for ProxSettings {
    fn default() -> Self {
        Self { max_steps: 100_000, tol: 1e-12, step: ProxStep::Adaptive(1.2) }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct ProxWorkspace {
    blocks: Blocks,
    r: Vec<Triple>,
    u: Vec<Triple>,
    r_next: Vec<Triple>,
    u_next: Vec<Triple>,
    best: Vec<Triple>,
}

/// An error this many times the first one is growing without bound.
const GROWN: f64 = 1e8;

/// Prox fixed point. `r` holds the warm start on entry and the answer on return; `iterations` counts
/// steps.
///
/// # Panics
///
/// If `r` has the wrong length.
pub fn prox(
    problem: &FrictionProblem,
    settings: &ProxSettings,
    work: &mut ProxWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.blocks.load(problem, r, &mut work.r);
    for x in [&mut work.u, &mut work.r_next, &mut work.u_next] {
        zeros(x, problem.contacts());
    }
    work.best.clone_from(&work.r);
    let (status, steps) = iterate(settings, work, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, steps, 0)
}

fn iterate(settings: &ProxSettings, work: &mut ProxWorkspace, stop: Stop<'_>) -> (Status, usize) {
    work.blocks.velocity(&work.r, &mut work.u);
    let first = work.blocks.error(&work.r, &work.u);
    if work.blocks.accepts(first, settings.tol, &work.r) {
        return (Status::Solved, 0);
    }
    let mut best_error = first;
    let mut factor = match settings.step {
        ProxStep::Given(_) | ProxStep::Adaptive(_) => 1.0,
        ProxStep::PerContact(factor) => factor,
    };
    for step in 1..=settings.max_steps {
        if stop() {
            return (Status::Stopped, step - 1);
        }
        advance(settings, work, factor);
        if let ProxStep::Adaptive(limit) = settings.step {
            let ratio = factor * change_ratio(work);
            if !(ratio <= limit) {
                factor *= if ratio.is_finite() { 0.7 * limit / ratio } else { 0.1 };
                if factor < 1e-12 {
                    return (Status::Stalled, step);
                }
                continue;
            }
            if ratio < 0.5 * limit {
                factor *= 1.2;
            }
        }
        std::mem::swap(&mut work.r, &mut work.r_next);
        std::mem::swap(&mut work.u, &mut work.u_next);
        let error = work.blocks.error(&work.r, &work.u);
        if !(error <= GROWN * first.max(1.0) && bounded(&work.r)) {
            return (Status::Diverged, step);
        }
        if error < best_error {
            best_error = error;
            work.best.clone_from(&work.r);
            let asked = step % 64 == 0 || error <= settings.tol;
            if asked && work.blocks.accepts(error, settings.tol, &work.r) {
                return (Status::Solved, step);
            }
        }
    }
    (Status::IterationLimit, settings.max_steps)
}

/// `r_next = prox(r − ρ u)` and its velocity.
fn advance(settings: &ProxSettings, work: &mut ProxWorkspace, factor: f64) {
    let ProxWorkspace { blocks, r, u, r_next, u_next, .. } = work;
    for c in 0..blocks.contacts() {
        let rho = match settings.step {
            ProxStep::Given(rho) => blocks.mass_here(rho),
            ProxStep::PerContact(_) | ProxStep::Adaptive(_) => factor * blocks.mass[c],
        };
        let n = (r[c][0] - rho * u[c][0]).max(0.0);
        let (x, y) = (r[c][1] - rho * u[c][1], r[c][2] - rho * u[c][2]);
        let (t1, t2) = project_disc(x, y, blocks.mu[c] * n);
        r_next[c] = [n, t1, t2];
    }
    blocks.velocity(r_next, u_next);
}

/// `‖u⁺ − u‖ / ‖r⁺ − r‖` in the norms `Σ m|·|²` and `Σ |·|²/m`; 0 when r did not change.
fn change_ratio(work: &ProxWorkspace) -> f64 {
    let (mut du, mut dr) = (0.0, 0.0);
    for (c, m) in work.blocks.mass.iter().enumerate() {
        let difference = |x: &[Triple], y: &[Triple]| {
            let d = norm(&std::array::from_fn(|i| x[c][i] - y[c][i]));
            d * d
        };
        du += m * difference(&work.u_next, &work.u);
        dr += difference(&work.r_next, &work.r) / m;
    }
    if dr == 0.0 { 0.0 } else { (du / dr).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{POINT_CASES, catalogue, judged, point, stack};
    use crate::judge::Judge;
    use crate::never;

    fn solve(problem: &FrictionProblem, settings: &ProxSettings) -> (Report, Vec<f64>) {
        let mut r = vec![0.0; problem.n()];
        let report = prox(problem, settings, &mut ProxWorkspace::default(), &never, &mut r);
        (report, r)
    }

    #[test]
    fn a_point_mass_is_solved_in_one_step_of_its_own_mass() {
        let settings = ProxSettings { step: ProxStep::Given(1.0), ..ProxSettings::default() };
        for (q, expected) in POINT_CASES {
            let (report, r) = solve(&point(0.5, q), &settings);
            assert_eq!(report.status, Status::Solved);
            assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-14), "{r:?}");
            assert!(report.iterations <= 1);
        }
    }

    #[test]
    fn the_catalogue_is_solved() {
        for (name, problem) in catalogue() {
            let (report, r) = solve(&problem, &ProxSettings::default());
            let residual = Judge::default().friction(&problem, &r);
            assert_eq!(report.status, Status::Solved, "{name}");
            assert!(residual.accepts(1e-11), "{name}: {}", residual.scaled);
        }
    }

    #[test]
    fn a_step_too_large_is_recognised_as_divergence() {
        let problem = stack(2, 1.0, 0.6, [0.2, 0.1]);
        for step in [ProxStep::Given(100.0), ProxStep::PerContact(100.0)] {
            let (report, r) = solve(&problem, &ProxSettings { step, ..ProxSettings::default() });
            assert_eq!(report.status, Status::Diverged, "{step:?}");
            assert!(r.iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn a_warm_start_is_cheaper() {
        let problem = stack(2, 1.0, 0.6, [0.2, 0.1]);
        let (cold, mut r) = solve(&problem, &ProxSettings::default());
        let work = &mut ProxWorkspace::default();
        let warm = prox(&problem, &ProxSettings::default(), work, &never, &mut r);
        assert!(cold.iterations > 10);
        assert_eq!((warm.status, warm.iterations), (Status::Solved, 0));
    }

    #[test]
    fn every_setting_changes_something() {
        let problem = stack(2, 1.0, 0.6, [0.2, 0.1]);
        let plain = ProxSettings::default();
        let steps = |settings| solve(&problem, &settings).0;
        let base = steps(plain);
        let capped = steps(ProxSettings { max_steps: 3, ..plain });
        assert_eq!((capped.status, capped.iterations), (Status::IterationLimit, 3));
        assert!(steps(ProxSettings { tol: 1e-6, ..plain }).iterations < base.iterations);
        let mut counts = vec![base.iterations];
        for step in [ProxStep::Adaptive(0.5), ProxStep::PerContact(0.2), ProxStep::Given(0.05)] {
            let report = steps(ProxSettings { step, ..plain });
            assert_eq!(report.status, Status::Solved, "{step:?}");
            assert!(!counts.contains(&report.iterations), "{step:?}");
            counts.push(report.iterations);
        }
    }

    #[test]
    fn mass_ratio_is_never_a_lie() {
        let problem = stack(2, 1e6, 0.5, [0.1, 0.0]);
        let (report, r) = solve(&problem, &ProxSettings { max_steps: 2000, ..Default::default() });
        assert!(report.status != Status::Solved || judged(&problem, &r) < 1e-9);
    }
}
