//! Accelerated projected gradient with a lagged De Saxcé shift.
//!
//! Theory: `docs/theory/apgd.md`.
//!
//! # Method
//!
//! For a fixed shift `s_c = μ ‖u_t‖` the contact law is the optimality condition of
//!
//! ```text
//!  min  ½ rᵀ W r + rᵀ (q + s)    over   r_c ∈ K_μ
//! ```
//!
//! (s on the normal rows). Nesterov's method solves it, with one step length for all contacts in the
//! metric of the contact masses, found by backtracking, and momentum dropped whenever it points
//! uphill. The shift is brought up to date as soon as the convex problem is solved better than
//! Coulomb's law is: its limit is Coulomb.
//!
//! # Cost
//!
//! One product with W an iteration. Iterations grow with the square root of the condition of W.
//!
//! # When it fails
//!
//! Mixed stick and slip: the shift may wander, [`Status::IterationLimit`]. W not symmetric: there is
//! no potential; small skew parts are survived. The best iterate is the answer in all cases.

use super::blocks::{Blocks, bounded, zeros};
use super::{Triple, length, norm, project_cone};
use crate::friction::FrictionProblem;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApgdSettings {
    /// Iterations at most. Default 100 000.
    pub max_iterations: usize,
    /// Solved when the error, a velocity relative to ‖q‖, and the field's `‖r − P_K(r − ũ)‖ / ‖q‖` are
    /// at most this, or as small as rounding lets them be. ≥ 0; default 1e-12.
    pub tol: f64,
    /// The shift is updated when the error of the convex problem is below this times the error of
    /// Coulomb's law. In (0, 1); default 0.5.
    pub shift_ratio: f64,
    /// New shift = old + damping · (μ‖u_t‖ − old). In (0, 1]; default 1.
    pub shift_damping: f64,
    /// Given up, [`Status::Stalled`], when so many iterations have not halved the error. Positive; default: never.
    pub patience: usize,
}

impl Default for ApgdSettings {
    fn default() -> Self {
        Self {
            max_iterations: 100_000,
            tol: 1e-12,
            shift_ratio: 0.5,
            shift_damping: 1.0,
            patience: usize::MAX,
        }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct ApgdWorkspace {
    blocks: Blocks,
    /// Iterate and its velocity.
    r: Vec<Triple>,
    u: Vec<Triple>,
    /// Extrapolated point and its velocity.
    y: Vec<Triple>,
    u_y: Vec<Triple>,
    r_next: Vec<Triple>,
    u_next: Vec<Triple>,
    shift: Vec<f64>,
    best: Vec<Triple>,
}

/// Accelerated projected gradient. `r` holds the warm start on entry and the answer on return;
/// `iterations` counts products with W.
///
/// # Panics
///
/// If `r` has the wrong length.
pub fn apgd(
    problem: &FrictionProblem,
    settings: &ApgdSettings,
    work: &mut ApgdWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.blocks.load(problem, r, &mut work.r);
    for x in [&mut work.u, &mut work.u_y, &mut work.r_next, &mut work.u_next] {
        zeros(x, problem.contacts());
    }
    for (r_c, mu) in work.r.iter_mut().zip(&work.blocks.mu) {
        *r_c = project_cone(r_c, *mu);
    }
    work.y.clone_from(&work.r);
    work.best.clone_from(&work.r);
    work.shift.clear();
    work.shift.resize(problem.contacts(), 0.0);
    let (status, iterations) = iterate(settings, work, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, iterations, 0)
}

fn iterate(settings: &ApgdSettings, work: &mut ApgdWorkspace, stop: Stop<'_>) -> (Status, usize) {
    work.blocks.velocity(&work.r, &mut work.u);
    work.u_y.clone_from(&work.u);
    let mut best_error = work.blocks.error(&work.r, &work.u);
    if work.blocks.accepts(best_error, settings.tol, (&work.r, &work.u)) {
        return (Status::Solved, 0);
    }
    update_shift(1.0, work);
    let mut mark = best_error;
    let (mut step, mut momentum) = (1.0, 1.0_f64);
    for iteration in 1..=settings.max_iterations {
        if stop() {
            return (Status::Stopped, iteration - 1);
        }
        // a step from y, shortened until the model bounds the potential: Δ·WΔ ≤ ‖Δ‖²/step
        let uphill = advance(work, step);
        let (curvature, size) = curvature(work);
        let bounded_by_model = step * curvature <= size; // false for a NaN
        if !bounded_by_model {
            let shorter = 0.9 * size / curvature;
            step = if shorter > 0.0 && shorter < 0.9 * step { shorter } else { 0.5 * step };
            if step < 1e-14 {
                return (Status::Stalled, iteration);
            }
            continue;
        }
        if step * curvature < 0.8 * size {
            step *= 1.05;
        }

        // extrapolate, unless the momentum points uphill
        let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let beta = if uphill { 0.0 } else { (momentum - 1.0) / next };
        momentum = if uphill { 1.0 } else { next };
        extrapolate(work, beta);

        let error = work.blocks.error(&work.r, &work.u);
        if !(error < f64::INFINITY && bounded(&work.r)) {
            return (Status::Diverged, iteration);
        }
        if error < best_error {
            best_error = error;
            work.best.clone_from(&work.r);
            let asked = iteration % 64 == 0 || error <= settings.tol;
            if asked && work.blocks.accepts(error, settings.tol, (&work.r, &work.u)) {
                return (Status::Solved, iteration);
            }
        }
        if iteration % settings.patience == 0 {
            if best_error > 0.5 * mark {
                return (Status::Stalled, iteration);
            }
            mark = best_error;
        }
        if convex_error(work) <= settings.shift_ratio * error {
            update_shift(settings.shift_damping, work);
        }
    }
    (Status::IterationLimit, settings.max_iterations)
}

/// `r_next = P_K(y − step·m (u_y + s n))`, its velocity, and whether `r_next − r` points uphill.
fn advance(work: &mut ApgdWorkspace, step: f64) -> bool {
    let ApgdWorkspace { blocks, r, y, u_y, r_next, u_next, shift, .. } = work;
    let mut slope = 0.0;
    for c in 0..blocks.contacts() {
        let t = step * blocks.mass[c];
        let g = [u_y[c][0] + shift[c], u_y[c][1], u_y[c][2]];
        let x = std::array::from_fn(|i| y[c][i] - t * g[i]);
        r_next[c] = project_cone(&x, blocks.mu[c]);
        for i in 0..3 {
            slope += (y[c][i] - r_next[c][i]) * (r_next[c][i] - r[c][i]) / blocks.mass[c];
        }
    }
    blocks.velocity(r_next, u_next);
    slope > 0.0
}

/// `Δ·WΔ` and `Σ |Δ|²/m` of `Δ = r_next − y`.
fn curvature(work: &ApgdWorkspace) -> (f64, f64) {
    let (mut curvature, mut size) = (0.0, 0.0);
    for (c, m) in work.blocks.mass.iter().enumerate() {
        for i in 0..3 {
            let d = work.r_next[c][i] - work.y[c][i];
            curvature += d * (work.u_next[c][i] - work.u_y[c][i]);
            size += d * d / m;
        }
    }
    (curvature, size)
}

/// `y = r_next + β (r_next − r)`, the same for the velocity (it is linear), and `r = r_next`.
fn extrapolate(work: &mut ApgdWorkspace, beta: f64) {
    for c in 0..work.blocks.contacts() {
        for i in 0..3 {
            work.y[c][i] = work.r_next[c][i] + beta * (work.r_next[c][i] - work.r[c][i]);
            work.u_y[c][i] = work.u_next[c][i] + beta * (work.u_next[c][i] - work.u[c][i]);
        }
    }
    std::mem::swap(&mut work.r, &mut work.r_next);
    std::mem::swap(&mut work.u, &mut work.u_next);
}

/// The error of the convex problem with the shift in use; units and norm of [`Blocks::error`].
fn convex_error(work: &ApgdWorkspace) -> f64 {
    let mut sum = 0.0;
    for c in 0..work.blocks.contacts() {
        let (m, r, u) = (work.blocks.mass[c], &work.r[c], &work.u[c]);
        let x = [r[0] - m * (u[0] + work.shift[c]), r[1] - m * u[1], r[2] - m * u[2]];
        let p = project_cone(&x, work.blocks.mu[c]);
        let e = norm(&[r[0] - p[0], r[1] - p[1], r[2] - p[2]]) / m;
        sum += e * e;
    }
    sum.sqrt() / work.blocks.q_norm()
}

fn update_shift(damping: f64, work: &mut ApgdWorkspace) {
    for (c, u) in work.u.iter().enumerate() {
        let target = work.blocks.mu[c] * length(u[1], u[2]);
        work.shift[c] += damping * (target - work.shift[c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{POINT_CASES, catalogue, judged, point, stack};
    use crate::judge::Judge;
    use crate::never;

    fn solve(problem: &FrictionProblem, settings: &ApgdSettings) -> (Report, Vec<f64>) {
        let mut r = vec![0.0; problem.n()];
        let report = apgd(problem, settings, &mut ApgdWorkspace::default(), &never, &mut r);
        (report, r)
    }

    #[test]
    fn a_point_mass_opens_sticks_and_slips() {
        for (q, expected) in POINT_CASES {
            let (report, r) = solve(&point(0.5, q), &ApgdSettings::default());
            assert_eq!(report.status, Status::Solved);
            assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-11), "{r:?}");
        }
    }

    #[test]
    fn the_catalogue_is_solved() {
        for (name, problem) in catalogue() {
            let (report, r) = solve(&problem, &ApgdSettings::default());
            let residual = Judge::default().friction(&problem, &r);
            assert_eq!(report.status, Status::Solved, "{name}");
            assert!(residual.accepts(1e-11), "{name}: {}", residual.scaled);
        }
    }

    #[test]
    fn a_warm_start_is_cheaper() {
        let problem = stack(2, 1.0, 0.6, [0.2, 0.1]);
        let (cold, mut r) = solve(&problem, &ApgdSettings::default());
        let work = &mut ApgdWorkspace::default();
        let warm = apgd(&problem, &ApgdSettings::default(), work, &never, &mut r);
        assert!(cold.iterations > 10);
        assert_eq!((warm.status, warm.iterations), (Status::Solved, 0));
    }

    #[test]
    fn every_setting_changes_something() {
        let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
        let plain = ApgdSettings::default();
        let solved = |settings| solve(&problem, &settings).0;
        let base = solved(plain);
        let capped = solved(ApgdSettings { max_iterations: 3, ..plain });
        assert_eq!((capped.status, capped.iterations), (Status::IterationLimit, 3));
        let hurried = solved(ApgdSettings { patience: 1, ..plain });
        assert!(hurried.status == Status::Stalled && hurried.iterations < base.iterations);
        assert!(solved(ApgdSettings { tol: 1e-6, ..plain }).iterations < base.iterations);
        for other in [
            ApgdSettings { shift_ratio: 0.05, ..plain },
            ApgdSettings { shift_damping: 0.5, ..plain },
        ] {
            let report = solved(other);
            assert_eq!(report.status, Status::Solved);
            assert_ne!(report.iterations, base.iterations, "{other:?}");
        }
    }

    #[test]
    fn mass_ratio_is_never_a_lie() {
        let problem = stack(2, 1e6, 0.5, [0.1, 0.0]);
        let settings = ApgdSettings { max_iterations: 2000, ..Default::default() };
        let (report, r) = solve(&problem, &settings);
        assert!(report.status != Status::Solved || judged(&problem, &r) < 1e-9);
    }
}
