//! Accelerated projected gradient, one pass over H an iteration.
//!
//! Theory: `docs/theory/velocity-space-first-order.md`.
//!
//! # Method
//!
//! For a fixed shift `s_c ≥ 0` of the normal velocities Coulomb's law is the optimality condition of
//!
//! ```text
//!  min  ½ ‖H r‖² + ½ rᵀ ε r + rᵀ (q + s n)    over   r_c ∈ K_μ
//! ```
//!
//! and Nesterov's method solves it, with one step length in the metric of the contact masses `dim / trace W_cc`, found by
//! backtracking, and momentum dropped whenever it points uphill. One loop over the contacts reads the velocity at
//! the extrapolated point, projects, and adds up the motion of the new one. The shift begins at zero (where nothing slips, that is Coulomb)
//! and follows `μ ‖u_t‖` as soon as the convex problem is solved better than the shift is right. When few contacts change
//! their mode, [`face`](super::face) tries to finish.
//!
//! # Cost
//!
//! One product with H and one with Hᵀ an iteration; iterations grow with the height of a pile.
//!
//! # When it fails
//!
//! Mixed stick and slip: the shift may wander, [`Status::IterationLimit`]. The best iterate that was measured is the
//! answer in all cases.

use super::MotionProblem;
use super::face::{Face, FaceWorkspace};
use super::root::{Layout, Packed, Root};
use crate::cone::Triple;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApgdSettings {
    /// Passes over H at most. Default 20 000.
    pub max_iterations: usize,
    /// Solved when `‖r − P_K(r − ũ)‖ / ‖q‖` is at most half of this: the judge's number. Default 1e-10.
    pub tol: f64,
    /// The shift is updated when the error of the convex problem is below this times what the shift
    /// misses. In (0, 1); default 0.2.
    pub shift_ratio: f64,
    /// Tries to finish by conjugate gradients on the contacts that stick. Default true.
    pub finish: bool,
}

impl Default for ApgdSettings {
    fn default() -> Self {
        Self { max_iterations: 20_000, tol: 1e-10, shift_ratio: 0.2, finish: true }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct ApgdWorkspace {
    packed: Packed,
    face: FaceWorkspace,
    mass: Vec<f64>,
    shift: Vec<f64>,
    /// Slip speed times μ at the extrapolated point, what the shift should be.
    slip: Vec<f64>,
    /// The last three iterates, the newest last, and their motions.
    r: [Vec<Triple>; 3],
    x: [Vec<f64>; 3],
    x_y: Vec<f64>,
    best: Vec<Triple>,
}

/// What one pass adds up.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// `Σ Δ²/m` and `Σ ε Δ²` of `Δ = r_next − y`.
    size: f64,
    compliance: f64,
    /// `Σ (y − r_next)·(r_next − r)/m`: positive where the momentum points uphill.
    slope: f64,
    /// `Σ` of the squared error of the convex problem, a velocity or an impulse, whichever is more.
    gap: f64,
    /// `Σ (μ ‖u_t‖ − s)²` of contacts that press.
    lag: f64,
}

/// Accelerated projected gradient. `r` holds the warm start on entry and the answer on return;
/// `iterations` counts passes over H.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn apgd(
    problem: &MotionProblem,
    settings: &ApgdSettings,
    work: &mut ApgdWorkspace,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.load(problem, r);
    let mut packed = std::mem::take(&mut work.packed);
    let run = Run { problem, settings, stop, q_norm: q_norm(problem) };
    let (status, passes) = match packed.load(problem) {
        Layout::Three => run.iterate(&packed.planar, work),
        Layout::Six => run.iterate(&packed.spatial, work),
        Layout::General => run.iterate(problem, work),
    };
    work.packed = packed;
    r.copy_from_slice(&work.best);
    Report::new(status, passes, 0)
}

impl ApgdWorkspace {
    fn load(&mut self, problem: &MotionProblem, r: &[Triple]) {
        let (k, n) = (problem.contacts(), problem.coordinates());
        for x in [&mut self.x_y].into_iter().chain(&mut self.x) {
            x.clear();
            x.resize(n, 0.0);
        }
        for s in [&mut self.shift, &mut self.slip] {
            s.clear();
            s.resize(k, 0.0);
        }
        masses(problem, &mut self.mass);
        self.best.clear();
        self.best.extend(r.iter().zip(problem.mu()).map(|(r, mu)| {
            if r.iter().all(|x| x.is_finite()) { project(r, *mu) } else { [0.0; 3] }
        }));
        self.r.iter_mut().for_each(|r| r.clone_from(&self.best));
    }
}

/// What does not change while iterating.
struct Run<'a> {
    problem: &'a MotionProblem,
    settings: &'a ApgdSettings,
    stop: Stop<'a>,
    q_norm: f64,
}

/// Steps without a look at the error of the iterate itself.
const ASK_EVERY: usize = 64;

impl Run<'_> {
    fn iterate<R: Root>(&self, root: &R, work: &mut ApgdWorkspace) -> (Status, usize) {
        let goal = 0.5 * self.settings.tol;
        let [_, r, _] = &work.r;
        motion(root, r, &mut work.x[1]);
        let mut best_error = self.error(root, r, &work.x[1]);
        if best_error <= goal {
            return (Status::Solved, 1);
        }
        let (mut step, mut momentum, mut beta) = (0.5, 1.0_f64, 0.0);
        let (mut passes, mut asked) = (1, 1);
        // the face is tried below this error
        let mut try_below = 0.03;
        work.x[0] = work.x[1].clone();
        while passes < self.settings.max_iterations {
            if (self.stop)() {
                return (Status::Stopped, passes);
            }
            passes += 1;
            let sums = self.advance(root, work, step, beta);
            let curvature = squared_distance(&work.x[2], &work.x_y) + sums.compliance;
            // the model bounds the potential: Δ·WΔ ≤ Σ Δ²/m / step; false for a NaN
            let bounded_by_model = step * curvature <= sums.size;
            if !bounded_by_model {
                let shorter = 0.9 * sums.size / curvature;
                step = if shorter > 0.0 && shorter < 0.9 * step { shorter } else { 0.5 * step };
                if step < 1e-14 {
                    return (Status::Stalled, passes);
                }
                continue;
            }
            if step * curvature < 0.8 * sums.size {
                step *= 1.05;
            }
            let uphill = sums.slope > 0.0;
            let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            beta = if uphill { 0.0 } else { (momentum - 1.0) / next };
            momentum = if uphill { 1.0 } else { next };
            work.r.rotate_left(1);
            work.x.rotate_left(1);

            let gap = sums.gap.sqrt() / self.q_norm;
            let lag = sums.lag.sqrt() / self.q_norm;
            if !(gap < f64::INFINITY) {
                return (Status::Diverged, passes);
            }
            if gap <= self.settings.shift_ratio * lag && gap + lag > goal {
                work.shift.copy_from_slice(&work.slip);
                (momentum, beta) = (1.0, 0.0);
            }
            let near = gap + lag <= goal || (self.settings.finish && gap + lag <= try_below);
            if near || passes - asked >= ASK_EVERY {
                asked = passes;
                passes += 1;
                let error = self.error(root, &work.r[1], &work.x[1]);
                if error < best_error {
                    best_error = error;
                    work.best.copy_from_slice(&work.r[1]);
                    if error <= goal {
                        return (Status::Solved, passes);
                    }
                }
                if self.settings.finish && error <= try_below {
                    try_below = 0.3 * error;
                    let face =
                        Face { problem: self.problem, mass: &work.mass, q_norm: self.q_norm };
                    let (error, used) =
                        face.finish(root, (&work.r[1], error), goal, &mut work.face);
                    passes += used;
                    if error < best_error {
                        best_error = error;
                        work.best.copy_from_slice(work.face.answer());
                        if error <= goal {
                            return (Status::Solved, passes);
                        }
                    }
                }
            }
        }
        (Status::IterationLimit, passes)
    }

    /// `y = r + β (r − r_before)`, `r_next = P_K(y − step·m (u_y + s n))` and its motion.
    fn advance<R: Root>(&self, root: &R, work: &mut ApgdWorkspace, step: f64, beta: f64) -> Sums {
        let [x_before, x, x_next] = &mut work.x;
        for ((x_y, x), x_before) in work.x_y.iter_mut().zip(&*x).zip(&*x_before) {
            *x_y = x + beta * (x - x_before);
        }
        x_next.fill(0.0);
        let [r_before, r, r_next] = &mut work.r;
        let (problem, x_y) = (self.problem, &work.x_y);
        let mut sums = Sums::default();
        for c in 0..problem.contacts() {
            let (m, mu, q, eps) =
                (work.mass[c], problem.mu()[c], &problem.q()[c], &problem.eps()[c]);
            let y: Triple = std::array::from_fn(|i| r[c][i] + beta * (r[c][i] - r_before[c][i]));
            let v = root.velocity(c, x_y);
            let u: Triple = std::array::from_fn(|i| v[i] + q[i] + eps[i] * y[i]);
            let t = step * m;
            let z = [y[0] - t * (u[0] + work.shift[c]), y[1] - t * u[1], y[2] - t * u[2]];
            let p = project(&z, mu);
            let d: Triple = std::array::from_fn(|i| p[i] - y[i]);
            let square = dot(&d, &d);
            sums.size += square / m;
            sums.compliance += eps[0] * d[0] * d[0] + eps[1] * d[1] * d[1] + eps[2] * d[2] * d[2];
            let change: Triple = std::array::from_fn(|i| p[i] - r[c][i]);
            sums.slope -= dot(&d, &change) / m;
            let rho = if t < 1.0 { t } else { 1.0 };
            sums.gap += square / (rho * rho);
            if p[0] > 0.0 {
                root.add_motion(c, &p, x_next);
                work.slip[c] = mu * (u[1] * u[1] + u[2] * u[2]).sqrt();
                let lag = work.slip[c] - work.shift[c];
                sums.lag += lag * lag;
            }
            r_next[c] = p;
        }
        sums
    }

    /// `‖r − P_K(r − ũ)‖ / ‖q‖`.
    fn error<R: Root>(&self, root: &R, r: &[Triple], x: &[f64]) -> f64 {
        error(root, self.problem, r, x) / self.q_norm
    }
}

/// `x = H r`.
pub(super) fn motion<R: Root>(root: &R, r: &[Triple], x: &mut [f64]) {
    x.fill(0.0);
    for (c, r_c) in r.iter().enumerate() {
        root.add_motion(c, r_c, x);
    }
}

/// `‖r − P_K(r − ũ)‖` over all contacts.
pub(super) fn error<R: Root>(root: &R, problem: &MotionProblem, r: &[Triple], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (c, r_c) in r.iter().enumerate() {
        let (v, q, eps, mu) =
            (root.velocity(c, x), &problem.q()[c], &problem.eps()[c], problem.mu()[c]);
        let u: Triple = std::array::from_fn(|i| v[i] + q[i] + eps[i] * r_c[i]);
        let lifted = u[0] + mu * (u[1] * u[1] + u[2] * u[2]).sqrt();
        let p = project(&[r_c[0] - lifted, r_c[1] - u[1], r_c[2] - u[2]], mu);
        let d = [r_c[0] - p[0], r_c[1] - p[1], r_c[2] - p[2]];
        sum += dot(&d, &d);
    }
    sum.sqrt()
}

/// The nearest point of the cone, for numbers whose squares are numbers.
pub(super) fn project(x: &Triple, mu: f64) -> Triple {
    let tangent = (x[1] * x[1] + x[2] * x[2]).sqrt();
    if x[0] >= 0.0 && tangent <= mu * x[0] {
        return *x;
    }
    if mu * tangent <= -x[0] {
        return [0.0; 3];
    }
    let foot = (x[0] + mu * tangent) / (1.0 + mu * mu);
    let shrink = if tangent > 0.0 { mu * foot / tangent } else { 0.0 };
    [foot, shrink * x[1], shrink * x[2]]
}

/// `dim / trace W_cc`; the largest of all where the trace is not positive.
pub(super) fn masses(problem: &MotionProblem, mass: &mut Vec<f64>) {
    mass.clear();
    mass.extend((0..problem.contacts()).map(|c| {
        let trace: f64 = problem.diagonal(c).iter().sum();
        if trace > 0.0 { problem.dim() as f64 / trace } else { 0.0 }
    }));
    let largest = mass.iter().fold(0.0, |m: f64, x| if *x < f64::INFINITY { m.max(*x) } else { m });
    let largest = if largest > 0.0 { largest } else { 1.0 };
    for m in mass {
        if !(*m > 0.0 && *m < f64::INFINITY) {
            *m = largest;
        }
    }
}

/// `‖q‖₂`, or 1 where q = 0.
pub(super) fn q_norm(problem: &MotionProblem) -> f64 {
    let sum: f64 = problem.q().iter().map(|q| dot(q, q)).sum();
    if sum > 0.0 { sum.sqrt() } else { 1.0 }
}

pub(super) fn dot(a: &Triple, b: &Triple) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
