//! Nonsmooth Gauss–Seidel with the motion kept current: a sweep costs one pass over H.
//!
//! Theory: `docs/theory/nsgs.md`, `docs/theory/velocity-space-first-order.md`.
//!
//! # Method
//!
//! ```text
//!  for each contact c:   q̂ = H_cᵀ x + ε r_c + q_c − W_cc r_c ,   r_c ← solution of u = W_cc r + q̂   (cone/local.rs)
//!                        x ← x + H_c (r_c − r_c before)
//! ```
//!
//! A contact that already obeys the law is passed over. The errors seen on the way are summed; when the sum is
//! small, and every 64 sweeps, x is made anew and the true error asked.
//!
//! # When it fails
//!
//! Slow, then [`Status::IterationLimit`], for high piles and heavy on light. The best sweep's impulses are the answer
//! in all cases.

use super::MotionProblem;
use super::root::{Layout, Packed, Root};
use crate::cone::local::solve_contact;
use crate::cone::{Triple, block_times, natural_map, project_cone};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NsgsSettings {
    /// Sweeps at most. Default 10 000.
    pub max_sweeps: usize,
    /// Solved when `‖r − P_K(r − ũ)‖ / ‖q‖` is at most half of this: the judge's number. Default 1e-10.
    pub tol: f64,
}

impl Default for NsgsSettings {
    fn default() -> Self {
        Self { max_sweeps: 10_000, tol: 1e-10 }
    }
}

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub struct NsgsWorkspace {
    packed: Packed,
    /// `W_cc`, row by row.
    diagonal: Vec<[f64; 9]>,
    r: Vec<Triple>,
    best: Vec<Triple>,
    x: Vec<f64>,
}

/// Sweeps between looks at the true error.
const ASK_EVERY: usize = 64;

/// Nonsmooth Gauss–Seidel. `r` holds the warm start on entry and the answer on return; `iterations`
/// counts sweeps.
///
/// # Panics
///
/// If `r` is not of the contacts of the problem.
pub fn nsgs(
    problem: &MotionProblem,
    settings: &NsgsSettings,
    work: &mut NsgsWorkspace,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    assert_eq!(r.len(), problem.contacts(), "one impulse for each contact");
    work.load(problem, r);
    let packed = std::mem::take(&mut work.packed);
    let (status, sweeps) = match packed.layout() {
        Layout::Three => iterate((problem, &packed.planar), settings, work, stop),
        Layout::Six => iterate((problem, &packed.spatial), settings, work, stop),
        Layout::General => iterate((problem, problem), settings, work, stop),
    };
    work.packed = packed;
    r.copy_from_slice(&work.best);
    Report::new(status, sweeps, 0)
}

impl NsgsWorkspace {
    fn load(&mut self, problem: &MotionProblem, r: &[Triple]) {
        self.packed.load(problem);
        self.diagonal.clear();
        self.diagonal.extend((0..problem.contacts()).map(|c| {
            let eps = problem.eps()[c];
            let mut W = [eps[0], 0.0, 0.0, 0.0, eps[1], 0.0, 0.0, 0.0, eps[2]];
            for h in problem.spans(c).flat_map(|(_, _, rows)| rows) {
                (0..9).for_each(|k| W[k] += h[k / 3] * h[k % 3]);
            }
            W
        }));
        self.r.clear();
        self.r.extend(r.iter().zip(problem.mu()).map(|(r, mu)| {
            if r.iter().all(|x| x.is_finite()) { project_cone(r, *mu) } else { [0.0; 3] }
        }));
        self.best.clone_from(&self.r);
        self.x.clear();
        self.x.resize(problem.coordinates(), 0.0);
    }
}

fn iterate<R: Root>(
    (problem, root): (&MotionProblem, &R),
    settings: &NsgsSettings,
    work: &mut NsgsWorkspace,
    stop: Stop<'_>,
) -> (Status, usize) {
    let square: f64 = problem.q().iter().flatten().map(|q| q * q).sum();
    let q_norm = if square > 0.0 { square.sqrt() } else { 1.0 };
    let goal = 0.5 * settings.tol * q_norm;
    problem.motion(&work.r, &mut work.x);
    let mut best_error = true_error((problem, root), work);
    if best_error <= goal {
        return (Status::Solved, 0);
    }
    for sweep in 1..=settings.max_sweeps {
        if stop() {
            return (Status::Stopped, sweep - 1);
        }
        let error = sweep_once((problem, root), goal, work);
        if !(error < f64::INFINITY) {
            return (Status::Diverged, sweep);
        }
        if error <= goal || sweep % ASK_EVERY == 0 || sweep == settings.max_sweeps {
            problem.motion(&work.r, &mut work.x);
            let error = true_error((problem, root), work);
            if error < best_error {
                best_error = error;
                work.best.copy_from_slice(&work.r);
            }
            if error <= goal {
                return (Status::Solved, sweep);
            }
        }
    }
    (Status::IterationLimit, settings.max_sweeps)
}

/// `u = H_cᵀ x + ε r_c + q_c`.
#[inline]
fn velocity<R: Root>(
    (problem, root): (&MotionProblem, &R),
    c: usize,
    work: &NsgsWorkspace,
) -> Triple {
    let (v, eps, q) = (root.velocity(c, &work.x), &problem.eps()[c], &problem.q()[c]);
    std::array::from_fn(|i| v[i] + eps[i] * work.r[c][i] + q[i])
}

/// `‖r − P_K(r − ũ)‖`; x is the motion of r.
fn true_error<R: Root>((problem, root): (&MotionProblem, &R), work: &NsgsWorkspace) -> f64 {
    let errors = (0..problem.contacts()).map(|c| {
        natural_map(&work.r[c], &velocity((problem, root), c, work), problem.mu()[c], 1.0)
    });
    errors.map(|e| e * e).sum::<f64>().sqrt()
}

/// One sweep; the error seen on the way.
fn sweep_once<R: Root>(
    (problem, root): (&MotionProblem, &R),
    goal: f64,
    work: &mut NsgsWorkspace,
) -> f64 {
    let contacts = problem.contacts();
    // a contact with less error is not worth a solve: all of them together stay below the goal
    let negligible = 0.1 * goal / (contacts as f64).sqrt();
    let mut sum = 0.0;
    for c in 0..contacts {
        let (u, mu, old) = (velocity((problem, root), c, work), problem.mu()[c], work.r[c]);
        let error = natural_map(&old, &u, mu, 1.0);
        sum += error * error;
        if error <= negligible {
            continue;
        }
        let W = &work.diagonal[c];
        let own = block_times(W, &old);
        let q = [u[0] - own[0], u[1] - own[1], u[2] - own[2]];
        solve_contact(W, &q, mu, &mut work.r[c]);
        let change = std::array::from_fn(|i| work.r[c][i] - old[i]);
        root.add_motion(c, &change, &mut work.x);
    }
    sum.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone;
    use crate::families::PileSettings;
    use crate::families::piles::{disk_pile, sphere_pyramid};
    use crate::judge::Judge;
    use crate::motion::tests::random_problem;
    use crate::never;

    fn solve(problem: &MotionProblem, settings: &NsgsSettings) -> (Report, Vec<Triple>) {
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let report = nsgs(problem, settings, &mut NsgsWorkspace::default(), &never, &mut r);
        (report, r)
    }

    #[test]
    fn small_piles_and_random_contacts_are_solved() {
        let rest = PileSettings::default();
        let slides = PileSettings { mu: 0.2, ..rest };
        let mut problems = vec![sphere_pyramid(3, &rest), sphere_pyramid(2, &slides)];
        problems.push(disk_pile(4, &rest));
        problems.extend((0..5).map(|seed| random_problem(seed, 12, 16)));
        for (i, problem) in problems.iter().enumerate() {
            let (report, r) = solve(problem, &NsgsSettings::default());
            assert_eq!(report.status, Status::Solved, "{i}");
            let residual = Judge::default().motion(problem, &r);
            assert!(residual.accepts(1e-10), "{i}: {}", residual.scaled);
        }
    }

    #[test]
    fn sweeps_are_those_of_the_matrix() {
        let problem = sphere_pyramid(3, &PileSettings { mu: 0.3, ..Default::default() });
        let local = problem.to_local().unwrap();
        for sweeps in [1, 5, 20] {
            let (_, r) = solve(&problem, &NsgsSettings { max_sweeps: sweeps, tol: 0.0 });
            let settings =
                cone::NsgsSettings { max_sweeps: sweeps, tol: 0.0, ..Default::default() };
            let mut expected = vec![0.0; local.n()];
            let work = &mut cone::NsgsWorkspace::default();
            cone::nsgs(&local, &settings, work, &never, &mut expected);
            let close = r.iter().flatten().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(close, "{sweeps}");
        }
    }

    #[test]
    fn every_setting_changes_something_and_warm_is_cheaper() {
        let problem = sphere_pyramid(3, &PileSettings::default());
        let plain = NsgsSettings::default();
        let (base, mut r) = solve(&problem, &plain);
        let work = &mut NsgsWorkspace::default();
        assert_eq!(nsgs(&problem, &plain, work, &never, &mut r).iterations, 0);
        assert!(
            solve(&problem, &NsgsSettings { tol: 1e-4, ..plain }).0.iterations < base.iterations
        );
        let capped = solve(&problem, &NsgsSettings { max_sweeps: 2, ..plain }).0;
        assert_eq!((capped.status, capped.iterations), (Status::IterationLimit, 2));
        assert_eq!(nsgs(&problem, &plain, work, &|| true, &mut r).status, Status::Solved);
        r.fill([0.0; 3]);
        assert_eq!(nsgs(&problem, &plain, work, &|| true, &mut r).status, Status::Stopped);
    }
}
