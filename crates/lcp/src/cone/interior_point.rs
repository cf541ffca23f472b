//! Primal–dual interior point for friction cones.
//!
//! Theory: `docs/theory/interior-point.md`.
//!
//! # Problem
//!
//! ```text
//!  z = W r + q + s n ,     r ∈ K_μ ,  z ∈ K_μ* ,  r·z = 0      per contact
//! ```
//!
//! [`ConeLaw::Convex`]: s is given (zero: the convex relaxation, whose solution is Coulomb's where
//! nothing slips; the judge tells). [`ConeLaw::Coulomb`]: `s = μ‖u_t‖` follows the iterate.
//!
//! # Method
//!
//! Two forms of the linear system share the outer method: in impulses (`impulse.rs`), accurate where
//! contacts slip, and in velocities (`velocity.rs`, symmetric W), accurate where redundant contacts
//! stick or heavy bodies rest on light ones. The second takes over when the first makes no progress.
//!
//! Each contact is scaled, `r = a (y_n, μ y_t)`, so that its cone is the second-order cone
//! `‖y_t‖ ≤ y_n` and its block of W is about 1; a contact with μ = 0 keeps its normal row only. Then
//! Mehrotra's predictor and corrector with Nesterov–Todd scaling S, one matrix for both:
//!
//! ```text
//!  (W' + S⁻²) dy = S⁻¹ [λ \ (σ ν e − λ∘λ − d̃y∘d̃z)] + z − z' ,       dz = W' dy + z' − z
//! ```
//!
//! z' is what z should be. In Coulomb's law the scaled shift is simply `‖z'_t‖`; its derivative adds
//! `d·(rows t)` to the normal rows of W', d the slip direction.
//!
//! # Cost
//!
//! 20 to 60 factorizations of one dense matrix.
//!
//! # When it fails
//!
//! No feasible point: y grows, [`Status::Diverged`]. Coulomb's law is not convex: with mixed stick and
//! slip the steps may become short, [`Status::Stalled`]. The best iterate is the answer in all cases.

mod impulse;
mod velocity;

use super::blocks::{Blocks, bounded, zeros};
use super::lorentz::{Scaling, dot, product, quotient, step_to_boundary};
use super::{Triple, length, norm, project_cone};
use crate::friction::FrictionProblem;
use crate::linalg::DenseLu;
use crate::report::{Report, Status, Stop, Unfit};

/// Which law the shift s says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConeLaw {
    /// s as given: a convex problem. `Solved` then speaks of that problem, not of Coulomb's law.
    Convex,
    /// s = μ‖u_t‖.
    Coulomb,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPointSettings {
    /// Iterations (factorizations) at most. Default 150.
    pub max_iterations: usize,
    /// Solved when the error, a velocity relative to ‖q‖, and the field's `‖r − P_K(r − ũ)‖ / ‖q‖` are
    /// at most this, or as small as rounding lets them be. ≥ 0; default 1e-12.
    pub tol: f64,
    /// Default [`ConeLaw::Coulomb`].
    pub law: ConeLaw,
    /// How much of the way to the boundary of the cones a step may go. In (0, 1); default 0.99.
    pub fraction: f64,
    /// The gap is asked to shrink at most by this factor a step. Below 0.1 the iterates leave the
    /// central path: fewer steps, but friction is misaligned by the root of the gap and the method
    /// stalls near 1e-7. In (0, 1); default 0.2.
    pub centring: f64,
    /// Problems with more rows are refused: the matrix is dense. Default 2000.
    pub max_rows: usize,
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self {
            max_iterations: 150,
            tol: 1e-12,
            law: ConeLaw::Coulomb,
            fraction: 0.99,
            centring: 0.2,
            max_rows: 2000,
        }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct InteriorPointWorkspace {
    blocks: Blocks,
    /// Rows of contact c in the linear system: `offset[c]..offset[c + 1]`.
    offset: Vec<usize>,
    /// `r = a (y_n, μ y_t)`.
    a: Vec<f64>,
    /// Given shift of each contact, in the units of `blocks`.
    shift: Vec<f64>,
    y: Vec<Triple>,
    z: Vec<Triple>,
    /// `z − z'`, and the slip directions `z'_t / ‖z'_t‖`.
    off: Vec<Triple>,
    slip: Vec<[f64; 2]>,
    scaling: Vec<Scaling>,
    dy: Vec<Triple>,
    dz: Vec<Triple>,
    right: Vec<Triple>,
    rest: Vec<Triple>,
    change: Vec<Triple>,
    r: Vec<Triple>,
    u: Vec<Triple>,
    best: Vec<Triple>,
    best_point: (Vec<Triple>, Vec<Triple>),
    symmetric: bool,
    /// Whether the linear systems are being solved in velocities.
    in_velocities: bool,
    root: velocity::Root,
    lu: DenseLu,
    x: Vec<f64>,
}

/// W is symmetric if `|W_ij − W_ji|` is nowhere more than this times `√(W_ii W_jj)`.
const SYMMETRIC: f64 = 1e-10;

/// Steps without a better answer before the other form of the linear system is tried.
const PATIENCE: usize = 25;

/// Impulses start this much larger than velocities: heavy loads are found faster from above.
const IMPULSES_FIRST: f64 = 100.0;

/// Interior point with no given shift. `r` holds the warm start on entry (used only if it is a
/// solution already) and the answer on return; `iterations` counts steps.
///
/// # Panics
///
/// If `r` has the wrong length.
pub fn interior_point(
    problem: &FrictionProblem,
    settings: &InteriorPointSettings,
    work: &mut InteriorPointWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    interior_point_shifted((problem, &[]), settings, work, stop, r)
}

/// Interior point with `shift[c]` \[m/s\] added to the normal velocity of contact c: the inner problem
/// of an outer loop over De Saxcé's shift. An empty slice is no shift; under [`ConeLaw::Coulomb`] a
/// given shift is not read.
///
/// # Panics
///
/// If `r` or a shift that is not empty has the wrong length.
pub fn interior_point_shifted(
    (problem, shift): (&FrictionProblem, &[f64]),
    settings: &InteriorPointSettings,
    work: &mut InteriorPointWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    assert!(shift.is_empty() || shift.len() == problem.contacts(), "one shift per contact");
    assert_eq!(r.len(), problem.n(), "warm start has the wrong length");
    if problem.n() > settings.max_rows {
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        return Report::new(Status::NotApplicable(unfit), 0, 0);
    }
    work.blocks.load(problem, r, &mut work.r);
    work.symmetric = is_symmetric(problem);
    work.in_velocities = false;
    work.prepare(shift);
    let (status, iterations) = work.iterate(settings, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, iterations, iterations)
}

fn is_symmetric(problem: &FrictionProblem) -> bool {
    let (W, mut symmetric) = (problem.W(), true);
    for j in 0..problem.n() {
        W.for_column(j, |i, w_ij| {
            let size = (W.get(i, i) * W.get(j, j)).abs().sqrt();
            symmetric &= (w_ij - W.get(j, i)).abs() <= SYMMETRIC * size;
        });
    }
    symmetric
}

impl InteriorPointWorkspace {
    fn prepare(&mut self, shift: &[f64]) {
        let k = self.blocks.contacts();
        let vectors = [&mut self.y, &mut self.z, &mut self.off, &mut self.dy, &mut self.dz];
        for x in vectors.into_iter().chain([
            &mut self.right,
            &mut self.rest,
            &mut self.change,
            &mut self.u,
        ]) {
            zeros(x, k);
        }
        self.best.clone_from(&self.r);
        self.slip.clear();
        self.slip.resize(k, [0.0; 2]);
        self.scaling.clear();
        self.scaling.resize(k, Scaling::default());
        self.shift.clear();
        self.shift.resize(k, 0.0);
        for (here, given) in self.shift.iter_mut().zip(shift) {
            *here = self.blocks.velocity_here(if given.is_finite() { *given } else { 0.0 });
        }
        self.offset.clear();
        self.offset.push(0);
        self.a.clear();
        let mut rows = 0;
        for c in 0..k {
            let mu = self.blocks.mu[c];
            rows += if mu > 0.0 { self.blocks.dim() } else { 1 };
            self.offset.push(rows);
            self.a.push(self.blocks.mass[c].sqrt() / mu.max(1.0));
        }
        self.x.clear();
        self.x.resize(rows, 0.0);
    }

    fn iterate(&mut self, settings: &InteriorPointSettings, stop: Stop<'_>) -> (Status, usize) {
        let mut best_error = f64::INFINITY;
        self.blocks.velocity(&self.r, &mut self.u);
        if self.accepts(settings, &mut best_error) {
            return (Status::Solved, 0);
        }
        // both points on the axis: z as large as the velocities that must be stopped
        let size = self.blocks.q.iter().fold(0.0, |m: f64, q| m.max(norm(q)));
        for c in 0..self.blocks.contacts() {
            let head = (self.blocks.mass[c].sqrt() * size).max(1e-3);
            self.y[c] = [IMPULSES_FIRST * head, 0.0, 0.0];
            self.z[c] = [head, 0.0, 0.0];
        }
        self.best_point.0.clone_from(&self.y);
        self.best_point.1.clone_from(&self.z);
        let (mut patience, mut forms) = (PATIENCE, if self.symmetric { 2 } else { 1 });
        let mut least_gap = f64::INFINITY;
        for iteration in 0..settings.max_iterations {
            if stop() {
                return (Status::Stopped, iteration);
            }
            self.update_due(settings.law);
            if !bounded(&self.y) {
                return (Status::Diverged, iteration);
            }
            let before = best_error;
            if self.accepts(settings, &mut best_error) {
                return (Status::Solved, iteration);
            }
            let gap = self.gap();
            let better = best_error < 0.9 * before || gap < 0.9 * least_gap;
            least_gap = least_gap.min(gap);
            patience = if better { PATIENCE } else { patience - 1 };
            if self.step(settings).is_none() || patience == 0 {
                forms -= 1;
                if forms == 0 {
                    return (Status::Stalled, iteration + 1);
                }
                self.change_form();
                patience = PATIENCE;
            }
        }
        self.update_due(settings.law);
        let solved = self.accepts(settings, &mut best_error);
        let status = if solved { Status::Solved } else { Status::IterationLimit };
        (status, settings.max_iterations)
    }

    /// `y·z` over all contacts.
    fn gap(&self) -> f64 {
        self.y.iter().zip(&self.z).fold(0.0, |sum, (y, z)| sum + dot(y, z))
    }

    /// From impulses to velocities or back, going on from the best point.
    fn change_form(&mut self) {
        self.y.clone_from(&self.best_point.0);
        self.z.clone_from(&self.best_point.1);
        self.in_velocities = !self.in_velocities;
        if self.in_velocities {
            self.factor_root();
        }
    }

    /// r and u of the iterate, z' and the slip directions.
    fn update_due(&mut self, law: ConeLaw) {
        for c in 0..self.blocks.contacts() {
            let (a, mu, y) = (self.a[c], self.blocks.mu[c], &self.y[c]);
            self.r[c] = [a * y[0], a * mu * y[1], a * mu * y[2]];
        }
        self.blocks.velocity(&self.r, &mut self.u);
        for c in 0..self.blocks.contacts() {
            let a = self.a[c];
            let u = self.scaled_velocity(c);
            let tail = [u[1], u[2]];
            let size = length(tail[0], tail[1]);
            let shift = match law {
                ConeLaw::Convex => a * self.shift[c],
                ConeLaw::Coulomb => size,
            };
            self.slip[c] = match law {
                ConeLaw::Coulomb if size > 0.0 => [tail[0] / size, tail[1] / size],
                ConeLaw::Coulomb | ConeLaw::Convex => [0.0; 2],
            };
            let due = [u[0] + shift, tail[0], tail[1]];
            // in impulses, what is below the rounding of W r + q is noise: taking it for an error would
            // keep z, and with it the gap, from ever becoming smaller
            let noise = if self.in_velocities {
                0.0
            } else {
                4.0 * f64::EPSILON * a * norm(&self.blocks.size(c, &self.r))
            };
            for i in 0..3 {
                let off = self.z[c][i] - due[i];
                self.off[c][i] = if off.abs() <= noise { 0.0 } else { off };
            }
        }
    }

    /// `W' y + q'` of contact c, from the velocities where they are unknowns.
    fn scaled_velocity(&self, c: usize) -> Triple {
        let (a, mu) = (self.a[c], self.blocks.mu[c]);
        if self.in_velocities {
            let (u, q) = (self.root_times(c, &self.root.w), &self.blocks.q[c]);
            [u[0] + a * q[0], u[1] + a * mu * q[1], u[2] + a * mu * q[2]]
        } else {
            let u = &self.u[c];
            [a * u[0], a * mu * u[1], a * mu * u[2]]
        }
    }

    /// Whether the iterate solves the law asked for; keeps the best.
    fn accepts(&mut self, settings: &InteriorPointSettings, best_error: &mut f64) -> bool {
        let error = match settings.law {
            ConeLaw::Coulomb => self.blocks.error(&self.r, &self.u),
            ConeLaw::Convex => self.convex_error(),
        };
        if error < *best_error {
            *best_error = error;
            self.best.clone_from(&self.r);
            self.best_point.0.clone_from(&self.y);
            self.best_point.1.clone_from(&self.z);
        }
        match settings.law {
            ConeLaw::Coulomb => self.blocks.accepts(error, settings.tol, (&self.r, &self.u)),
            ConeLaw::Convex => {
                let floor = self.blocks.floor(&self.r);
                floor <= settings.tol.max(1e-8) && error <= settings.tol.max(2.0 * floor)
            }
        }
    }

    fn convex_error(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.blocks.contacts() {
            let (m, r, u) = (self.blocks.mass[c], &self.r[c], &self.u[c]);
            let x = [r[0] - m * (u[0] + self.shift[c]), r[1] - m * u[1], r[2] - m * u[2]];
            let p = project_cone(&x, self.blocks.mu[c]);
            let e = norm(&[r[0] - p[0], r[1] - p[1], r[2] - p[2]]) / m;
            sum += e * e;
        }
        let error = sum.sqrt() / self.blocks.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// Predictor, corrector, step; its length. None when the points have left the cones.
    fn step(&mut self, settings: &InteriorPointSettings) -> Option<f64> {
        let k = self.blocks.contacts();
        for c in 0..k {
            self.scaling[c] = Scaling::new(&self.y[c], &self.z[c])?;
        }
        let gap = self.gap();
        if self.in_velocities {
            self.factor_velocities();
        } else {
            self.factor_impulses();
        }

        // predictor: S⁻¹(λ \ −λ∘λ) = −z
        for c in 0..k {
            self.right[c] = self.z[c].map(|z| -z);
        }
        self.direction();
        let alpha = self.longest_step(1.0);
        let mut gap_affine = 0.0;
        for c in 0..k {
            let y: Triple = std::array::from_fn(|i| self.y[c][i] + alpha * self.dy[c][i]);
            let z: Triple = std::array::from_fn(|i| self.z[c][i] + alpha * self.dz[c][i]);
            gap_affine += dot(&y, &z);
        }
        let sigma = (gap_affine / gap).clamp(0.0, 1.0);
        let centre = (sigma * sigma * sigma).max(settings.centring) * gap / k as f64;

        // corrector
        for c in 0..k {
            let scaling = &self.scaling[c];
            let lambda = scaling.apply(&self.z[c]);
            let second = product(&scaling.apply_inverse(&self.dy[c]), &scaling.apply(&self.dz[c]));
            let first = product(&lambda, &lambda);
            let mut v: Triple = std::array::from_fn(|i| -first[i] - second[i]);
            v[0] += centre;
            self.right[c] = scaling.apply_inverse(&quotient(&v, &lambda));
        }
        self.direction();
        let alpha = settings.fraction * self.longest_step(1.0 / settings.fraction);
        if alpha.is_nan() || alpha <= 1e-12 {
            return None;
        }
        for c in 0..k {
            for i in 0..3 {
                self.y[c][i] += alpha * self.dy[c][i];
                self.z[c][i] += alpha * self.dz[c][i];
            }
        }
        for (w, dw) in self.root.w.iter_mut().zip(&self.root.dw) {
            *w += alpha * dw;
        }
        Some(alpha)
    }

    fn direction(&mut self) {
        if self.in_velocities {
            self.direction_in_velocities();
        } else {
            self.direction_in_impulses();
        }
    }

    fn longest_step(&self, limit: f64) -> f64 {
        let mut alpha = limit;
        for c in 0..self.blocks.contacts() {
            alpha = step_to_boundary(&self.y[c], &self.dy[c], alpha);
            alpha = step_to_boundary(&self.z[c], &self.dz[c], alpha);
        }
        if alpha.is_finite() { alpha } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{POINT_CASES, catalogue, judged, planar, point, stack};
    use crate::judge::Judge;
    use crate::{MatX, never};

    fn solve(problem: &FrictionProblem, settings: &InteriorPointSettings) -> (Report, Vec<f64>) {
        let mut r = vec![0.0; problem.n()];
        let work = &mut InteriorPointWorkspace::default();
        let report = interior_point(problem, settings, work, &never, &mut r);
        (report, r)
    }

    #[test]
    fn a_point_mass_opens_sticks_and_slips() {
        for (q, expected) in POINT_CASES {
            let (report, r) = solve(&point(0.5, q), &InteriorPointSettings::default());
            assert_eq!(report.status, Status::Solved);
            assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-10), "{r:?}");
        }
    }

    #[test]
    fn the_catalogue_is_solved() {
        for (name, problem) in catalogue() {
            let (report, r) = solve(&problem, &InteriorPointSettings::default());
            let residual = Judge::default().friction(&problem, &r);
            assert!(residual.accepts(1e-10), "{name}: {report:?} {}", residual.scaled);
        }
    }

    #[test]
    fn heavy_on_light_is_solved_in_few_steps() {
        for problem in [
            stack(2, 1e6, 0.5, [0.1, 0.0]),
            stack(5, 10.0, 0.5, [0.1, 0.0]),
            planar(&stack(2, 1e6, 0.5, [0.1, 0.0])),
        ] {
            let (report, r) = solve(&problem, &InteriorPointSettings::default());
            let residual = Judge::default().friction(&problem, &r);
            assert!(residual.accepts(1e-8), "{report:?} {} {}", residual.scaled, residual.floor);
            assert!(report.iterations < 100);
        }
    }

    #[test]
    fn the_convex_law_lifts_a_sliding_body_and_the_shift_brings_it_back() {
        let problem = point(0.5, POINT_CASES[2].0); // slips with |u_t| = 4
        let convex =
            InteriorPointSettings { law: ConeLaw::Convex, ..InteriorPointSettings::default() };
        let (report, r) = solve(&problem, &convex);
        assert_eq!(report.status, Status::Solved);
        let u = [r[0] - 2.0, r[1] + 3.0, r[2] + 4.0];
        assert!((u[0] - 0.5 * length(u[1], u[2])).abs() < 1e-9, "u_n = μ |u_t|: {u:?}");
        assert!(judged(&problem, &r) > 0.1, "not Coulomb");
        // with the shift μ |u_t| of the Coulomb solution the convex answer is that solution
        let mut r = [0.0; 3];
        let work = &mut InteriorPointWorkspace::default();
        interior_point_shifted((&problem, &[0.5 * 4.0]), &convex, work, &never, &mut r);
        assert!(judged(&problem, &r) < 1e-9, "{r:?}");
    }

    #[test]
    fn a_solution_as_warm_start_costs_nothing() {
        let problem = stack(2, 1.0, 0.6, [0.2, 0.1]);
        let (_, mut r) = solve(&problem, &InteriorPointSettings::default());
        let settings = InteriorPointSettings { tol: 1e-9, ..InteriorPointSettings::default() };
        let work = &mut InteriorPointWorkspace::default();
        let report = interior_point(&problem, &settings, work, &never, &mut r);
        assert_eq!((report.status, report.factorizations), (Status::Solved, 0));
    }

    #[test]
    fn what_has_no_solution_is_not_called_solved() {
        // a wall that nothing can stop: W = 0 along the normal
        let W = MatX::from_diagonal(&nalgebra::DVector::from_vec(vec![0.0, 1.0, 1.0]));
        let problem = FrictionProblem::new(3, W, vec![-1.0, 0.0, 0.0], vec![0.5]).unwrap();
        let (report, r) = solve(&problem, &InteriorPointSettings::default());
        assert!(matches!(report.status, Status::Diverged | Status::Stalled), "{report:?}");
        assert!(r.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn every_setting_changes_something() {
        let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
        let plain = InteriorPointSettings::default();
        let solved = |settings| solve(&problem, &settings).0;
        let base = solved(plain);
        let capped = solved(InteriorPointSettings { max_iterations: 3, ..plain });
        assert_eq!((capped.status, capped.iterations), (Status::IterationLimit, 3));
        let refused = solved(InteriorPointSettings { max_rows: 23, ..plain });
        let unfit = Unfit::TooLarge { limit: 23 };
        assert_eq!(refused.status, Status::NotApplicable(unfit));
        for other in [
            InteriorPointSettings { tol: 1e-6, ..plain },
            InteriorPointSettings { centring: 0.5, ..plain },
            InteriorPointSettings { fraction: 0.5, ..plain },
        ] {
            let report = solved(other);
            assert_eq!(report.status, Status::Solved, "{other:?}");
            assert_ne!(report.iterations, base.iterations, "{other:?}");
        }
    }
}
