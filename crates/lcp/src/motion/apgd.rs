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
//! and Nesterov's method solves it, with one step length in the metric of the contact masses `dim / trace W_cc`, found
//! by backtracking, and momentum dropped whenever it points uphill. One loop over the contacts reads the
//! velocity at the extrapolated point, projects, and adds up the motion of the new one. Where nothing slips a shift of zero
//! is Coulomb; so it is sought first, with a preload that keeps impulses off the walls of their cones, for `face.rs` to
//! finish. Without success the preload is taken away, and the shift follows `μ ‖u_t‖` whenever the convex problem is
//! solved better than Coulomb's law is. Where much is known to slip the shift is that of the start, and follows every few passes with
//! momentum as it is.
//!
//! # Cost
//!
//! One product with H and one with Hᵀ an iteration; about 30 ns a contact in the cache. Passes over H grow with the
//! height of a pile: 240 for 385 spheres at rest, 625 for 9455.
//!
//! # When it fails
//!
//! Mixed stick and slip: the shift may wander, [`Status::IterationLimit`]. The best iterate that was measured is the
//! answer in all cases.

mod single;

use super::MotionProblem;
use super::face::{Face, FaceWorkspace};
use super::lanes::{Laws, motion, pack_impulses, unpack_impulses};
use super::metric::Metric;
use super::root::{Block, LANES, Lanes, Layout, Packed, Root, Scaled};
use crate::cone::Triple;
use crate::report::{Report, Status, Stop};
use single::SingleWork;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApgdSettings {
    /// Passes over H at most. Default 20 000.
    pub max_iterations: usize,
    /// Solved when `‖r − P_K(r − ũ)‖ / ‖q‖` is at most half of this: the judge's number. Default 1e-10.
    pub tol: f64,
    /// The shift is updated when the error of the convex problem is below this times that of Coulomb's law. In
    /// (0, 1); default 0.5.
    pub shift_ratio: f64,
    /// Seeks an answer without slip first, by conjugate gradients on the contacts that press. Default true.
    pub finish: bool,
    /// Stops, [`Status::Stalled`], when that has failed. Default false.
    pub rest_only: bool,
    /// Seeks no answer without slip: the shift is that of the start, and follows every few passes. Default false.
    pub slips: bool,
}

impl Default for ApgdSettings {
    fn default() -> Self {
        Self {
            max_iterations: 20_000,
            tol: 1e-10,
            shift_ratio: 0.5,
            finish: true,
            rest_only: false,
            slips: false,
        }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct ApgdWorkspace {
    metric: Metric,
    packed: Packed,
    laws: Laws,
    face: FaceWorkspace,
    /// `μ ‖u_t‖` of the iterate, what the shift should be.
    slip: Vec<Lanes>,
    /// The iterate before, the iterate and the next one, and their motions.
    r: [Vec<Block>; 3],
    x: [Vec<f64>; 3],
    x_y: Vec<f64>,
    best: Vec<Block>,
    single: SingleWork,
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
    let mut before = 0;
    work.metric.load(problem);
    if settings.slips {
        let limits = (settings.max_iterations, 0.5 * settings.tol);
        let memory = (&mut work.single, &work.metric);
        if let Some((status, passes)) = single::descend(problem, limits, memory, stop, r) {
            if status != Status::Stalled {
                return Report::new(status, passes, 0);
            }
            before = passes;
        }
    }
    work.load(problem, r);
    let (packed, metric) = (std::mem::take(&mut work.packed), std::mem::take(&mut work.metric));
    let mut run = Run::new((problem, &metric), settings, stop, work);
    run.passes += before;
    let (status, passes) = match packed.layout() {
        Layout::Flat => run.iterate(&packed.flat),
        Layout::Three => run.iterate(&packed.planar),
        Layout::Six => run.iterate(&packed.spatial),
        Layout::General => run.iterate(&Scaled { problem, metric: &metric }),
    };
    unpack_impulses(&work.best, &metric, r);
    (work.packed, work.metric) = (packed, metric);
    Report::new(status, passes, 0)
}

impl ApgdWorkspace {
    fn load(&mut self, problem: &MotionProblem, r: &[Triple]) {
        self.packed.load(problem, &self.metric);
        self.laws.load(problem, &self.metric);
        for x in [&mut self.x_y].into_iter().chain(&mut self.x) {
            x.clear();
            x.resize(problem.coordinates(), 0.0);
        }
        pack_impulses(r, &self.metric, &mut self.best);
        for (law, r) in self.laws.law.iter().zip(&mut self.best) {
            *r = law.project(r);
        }
        self.r.iter_mut().for_each(|r| r.clone_from(&self.best));
        self.slip.clear();
        self.slip.resize(self.best.len(), [0.0; LANES]);
    }
}

/// One solve.
struct Run<'a> {
    problem: &'a MotionProblem,
    metric: &'a Metric,
    settings: &'a ApgdSettings,
    stop: Stop<'a>,
    work: &'a mut ApgdWorkspace,
    /// Asked of the error: half the tolerance.
    goal: f64,
    passes: usize,
    best_error: f64,
    step: f64,
    momentum: f64,
    beta: f64,
    preloaded: bool,
    /// Passes after which the preload has failed.
    preload_until: usize,
    /// The face is tried below this error.
    try_below: f64,
}

/// Passes without a look at the error of the iterate itself, and where the shift is to follow.
const ASK_EVERY: usize = 32;
const FOLLOW_EVERY: usize = 8;
/// Of the impulse that stops a contact by itself.
const PRELOAD: f64 = 0.07;
/// The error of the convex problem to which the way is made in short numbers.
const APPROACHED: f64 = 1e-3;
/// Passes with preload before the face is first tried, and how many times as many as that took in all.
const PRELOAD_PASSES: usize = 600;
const PRELOAD_FACTOR: f64 = 2.5;
/// The face is first tried below this error, and again below this part of the last one.
const TRY_BELOW: f64 = 0.01;
const TRY_AGAIN: f64 = 0.3;
/// Without preload: the part of the last error at which to try again.
const TRY_LATER: f64 = 0.03;
/// The error without impulses is at most 1 + μ: a warm start with more than this is none.
const WORSE_THAN_NONE: f64 = 10.0;
/// A warm start below this error goes to the face at once.
const TRY_WARM: f64 = 0.1;

impl<'a> Run<'a> {
    fn new(
        (problem, metric): (&'a MotionProblem, &'a Metric),
        settings: &'a ApgdSettings,
        stop: Stop<'a>,
        work: &'a mut ApgdWorkspace,
    ) -> Self {
        Self {
            problem,
            metric,
            settings,
            stop,
            work,
            goal: 0.5 * settings.tol,
            passes: 2,
            best_error: f64::INFINITY,
            step: 0.3,
            momentum: 1.0,
            beta: 0.0,
            preloaded: false,
            preload_until: PRELOAD_PASSES,
            try_below: TRY_BELOW,
        }
    }

    fn iterate<R: Root>(mut self, root: &R) -> (Status, usize) {
        if let Some(status) = self.start(root) {
            return (status, self.passes);
        }
        let slips = self.settings.slips;
        let ask_every = if slips { FOLLOW_EVERY } else { ASK_EVERY };
        let mut asked = self.passes;
        while self.passes < self.settings.max_iterations {
            if (self.stop)() {
                return (Status::Stopped, self.passes);
            }
            self.passes += 1;
            let sums = self.advance(root);
            if !self.accept(&sums) {
                if self.step < 1e-14 {
                    return (Status::Stalled, self.passes);
                }
                continue;
            }
            let gap = sums.gap.sqrt() / self.work.laws.q_norm;
            if !(gap < f64::INFINITY) {
                return (Status::Diverged, self.passes);
            }
            let near = gap <= self.goal || (self.settings.finish && gap <= self.try_below);
            if (near && !slips) || self.passes - asked >= ask_every {
                asked = self.passes;
                if let Some(status) = self.look(root, near) {
                    return (status, self.passes);
                }
            }
        }
        (Status::IterationLimit, self.passes)
    }

    /// Looks at the warm start; a cold one begins with preload.
    fn start<R: Root>(&mut self, root: &R) -> Option<Status> {
        motion(root, &self.work.r[1], &mut self.work.x[1]);
        let mut error = self.measure(root).0;
        if !(error <= WORSE_THAN_NONE) {
            let work = &mut *self.work;
            work.r.iter_mut().for_each(|r| r.fill([[0.0; LANES]; 3]));
            work.x[1].fill(0.0);
            self.passes += 1;
            error = self.measure(root).0;
        }
        if self.remember(error) {
            return Some(Status::Solved);
        }
        if self.settings.slips {
            self.follow();
            return None;
        }
        if !self.settings.finish {
            return None;
        }
        if error <= TRY_WARM {
            return self.finish(root, error).then_some(Status::Solved);
        }
        let work = &mut *self.work;
        work.laws.preload(root, PRELOAD, &mut work.x_y);
        self.preloaded = true;
        self.approach(root);
        None
    }

    /// The first part of the way to rest in short numbers, where contacts are those of free bodies.
    fn approach<R: Root>(&mut self, root: &R) {
        let work = &mut *self.work;
        let question = (self.problem, self.metric, &work.laws);
        // and the one that sums up its motion
        let left = self.settings.max_iterations.saturating_sub(self.passes + 1);
        let limits = (self.preload_until.min(left), APPROACHED);
        let memory = (&mut work.single, &mut *work.r[1]);
        let Some(passes) = single::approach(question, limits, memory, self.stop) else { return };
        motion(root, &work.r[1], &mut work.x[1]);
        self.passes += passes + 1;
    }

    /// Whether the step is short enough for its model of the potential, `Δ·WΔ ≤ Σ Δ²/m / step`; makes `r_next` the iterate
    /// and sets step and momentum of the next one.
    fn accept(&mut self, sums: &Sums) -> bool {
        let work = &mut *self.work;
        let curvature = squared_distance(&work.x[2], &work.x_y) + sums.compliance;
        let bounded_by_model = self.step * curvature <= sums.size; // false for a NaN
        if !bounded_by_model {
            let shorter = 0.9 * sums.size / curvature;
            let most = 0.95 * self.step;
            self.step = if shorter > 0.0 && shorter < most { shorter } else { most };
            return false;
        }
        if self.step * curvature < 0.6 * sums.size {
            self.step *= 1.02;
        }
        if sums.slope > 0.0 {
            (self.momentum, self.beta) = (1.0, 0.0);
        } else {
            let next = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
            (self.momentum, self.beta) = (next, (self.momentum - 1.0) / next);
        }
        work.r.rotate_left(1);
        work.x.rotate_left(1);
        true
    }

    /// Measures the iterate, brings the shift up to date, tries the face.
    fn look<R: Root>(&mut self, root: &R, near: bool) -> Option<Status> {
        self.passes += 1;
        let (error, convex_error) = self.measure(root);
        if self.remember(error) {
            return Some(Status::Solved);
        }
        if self.settings.slips {
            self.follow();
            return None;
        }
        if near && self.settings.finish && self.finish(root, error) {
            return Some(Status::Solved);
        }
        if self.preloaded {
            if self.passes > self.preload_until {
                if self.settings.rest_only {
                    return Some(Status::Stalled);
                }
                self.unload(root);
            }
        } else if convex_error <= self.settings.shift_ratio * error {
            self.follow();
            (self.momentum, self.beta) = (1.0, 0.0);
        }
        None
    }

    /// The shift is `μ ‖u_t‖` of the iterate that was measured.
    fn follow(&mut self) {
        for (law, slip) in self.work.laws.law.iter_mut().zip(&self.work.slip) {
            law.shift = *slip;
        }
    }

    /// Keeps the iterate if it is the best so far; true if it is good enough.
    fn remember(&mut self, error: f64) -> bool {
        if error < self.best_error {
            self.best_error = error;
            let ApgdWorkspace { laws, r, best, .. } = &mut *self.work;
            for ((best, r), law) in best.iter_mut().zip(&r[1]).zip(&laws.law) {
                *best = law.whole(r);
            }
        }
        error <= self.goal
    }

    /// Tries the face; true if that solves it.
    fn finish<R: Root>(&mut self, root: &R, error: f64) -> bool {
        let again = if self.preloaded { TRY_AGAIN } else { TRY_LATER };
        if self.preloaded && self.try_below == TRY_BELOW {
            self.preload_until = (PRELOAD_FACTOR * self.passes as f64) as usize;
        }
        self.try_below = again * self.try_below.min(error);
        let work = &mut *self.work;
        let face = Face { laws: &work.laws, goal: self.goal, coordinates: work.x_y.len() };
        let (found, passes) = face.finish(root, &work.r[1], &mut work.face);
        self.passes += passes;
        if found < self.best_error {
            self.best_error = found;
            let found = work.face.answer().iter().zip(&work.laws.law);
            for (best, (r, law)) in work.best.iter_mut().zip(found) {
                *best = law.whole(r);
            }
        }
        found <= self.goal
    }

    /// Takes the preload away: it is part of the iterate from now on.
    fn unload<R: Root>(&mut self, root: &R) {
        let work = &mut *self.work;
        for (r, law) in work.r[1].iter_mut().zip(&work.laws.law) {
            *r = law.whole(r);
        }
        work.laws.load(self.problem, self.metric);
        motion(root, &work.r[1], &mut work.x[1]);
        self.passes += 1;
        self.preloaded = false;
        self.try_below = TRY_LATER * TRY_BELOW;
        (self.momentum, self.beta) = (1.0, 0.0);
    }

    /// `y = r + β (r − r_before)`, `r_next = P_K(y − step·m (u_y + s n))` and its motion.
    fn advance<R: Root>(&mut self, root: &R) -> Sums {
        let (work, step, beta) = (&mut *self.work, self.step, self.beta);
        let [x_before, x, x_next] = &mut work.x;
        for ((x_y, x), x_before) in work.x_y.iter_mut().zip(&*x).zip(&*x_before) {
            *x_y = x + beta * (x - x_before);
        }
        x_next.fill(0.0);
        let ([r_before, r, r_next], laws) = (&mut work.r, &work.laws);
        let inverse_step = 1.0 / step;
        let (mut size, mut slope, mut gap) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let mut compliance = 0.0;
        let iterates = r_before.iter().zip(&*r).zip(r_next);
        for (b, (law, ((r_before, r), r_next))) in laws.law.iter().zip(iterates).enumerate() {
            let mut y = *r;
            for i in 0..R::ROWS {
                for l in 0..LANES {
                    y[i][l] += beta * (r[i][l] - r_before[i][l]);
                }
            }
            let u = laws.velocity(root, (b, &y), &work.x_y);
            let mut z = y;
            for l in 0..LANES {
                let t = step * law.mass[l];
                z[0][l] -= t * (u[0][l] + law.shift[l]);
                (1..R::ROWS).for_each(|i| z[i][l] -= t * u[i][l]);
            }
            let p = law.project_rows(&z, R::ROWS);
            root.scatter(b, &p, x_next);
            let mut d = p;
            for l in 0..LANES {
                let (mut square, mut rise) = (0.0, 0.0);
                for i in 0..R::ROWS {
                    d[i][l] -= y[i][l];
                    square += d[i][l] * d[i][l];
                    rise += d[i][l] * (p[i][l] - r[i][l]);
                }
                size[l] += square * law.inverse_mass[l];
                slope[l] -= rise * law.inverse_mass[l];
                let inverse_t = inverse_step * law.inverse_mass[l];
                let scale = if inverse_t > 1.0 { inverse_t } else { 1.0 };
                gap[l] += square * (scale * scale);
            }
            compliance += laws.compliance(b, &d);
            *r_next = p;
        }
        let [size, slope, gap] = [size, slope, gap].map(|lanes| lanes.iter().sum());
        Sums { size, compliance, slope, gap }
    }

    /// `‖r − P_K(r − ũ)‖ / ‖q‖` of the iterate, and the same with the shift in use in place of `μ ‖u_t‖`.
    fn measure<R: Root>(&mut self, root: &R) -> (f64, f64) {
        let ApgdWorkspace { laws, r, x, slip, .. } = &mut *self.work;
        let (mut sum, mut convex) = (0.0, 0.0);
        for (b, ((law, r), slip)) in laws.law.iter().zip(&r[1]).zip(slip).enumerate() {
            let u = laws.velocity(root, (b, r), &x[1]);
            *slip = law.slip(&u);
            sum += law.natural(r, &u, slip);
            convex += law.natural(r, &u, &law.shift);
        }
        (sum.sqrt() / laws.q_norm, convex.sqrt() / laws.q_norm)
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [0.0; 2 * LANES];
    let (a, b) = (a.as_chunks::<{ 2 * LANES }>(), b.as_chunks::<{ 2 * LANES }>());
    let square = |a: f64, b: f64| (a - b) * (a - b);
    for (a, b) in a.0.iter().zip(b.0) {
        (0..sum.len()).for_each(|k| sum[k] += square(a[k], b[k]));
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(a, b)| square(*a, *b)).sum();
    sum.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests;
