//! Nonsmooth Gauss–Seidel in any space: contact after contact, each solved exactly, x kept up to date.
//!
//! # Cost
//!
//! One sweep reads the problem once. Far from the answer it is the method that finds modes where contacts slip.
//!
//! # When it fails
//!
//! Slow where heavy rests on light; no proof of convergence exists. The answer is the last sweep's, [`Status::IterationLimit`].

use super::MotionProblem;
use super::space::Space;
use crate::cone::{Triple, block_times, natural_map, norm, solve_contact};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Debug, Default)]
pub(super) struct SweepWork {
    x: Vec<f64>,
    block: Vec<[f64; 9]>,
}

/// Contacts that miss the law by less than this part of ‖q‖ are passed over.
const IDLE: f64 = 1e-14;

/// Sweeps from the impulses `r`, which are the answer on return; solved when the sum of what contacts missed before their
/// update, relative to ‖q‖, is at most `tol`.
pub(super) fn sweeps(
    problem: &impl Space,
    (max_sweeps, tol): (usize, f64),
    work: &mut SweepWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    work.block.clear();
    work.block.extend((0..r.len()).map(|c| problem.block(c)));
    work.x.clear();
    work.x.resize(problem.coordinates(), 0.0);
    let q_norm = problem.q().iter().fold(0.0, |sum, q| sum + norm(q) * norm(q)).sqrt();
    let size = if q_norm > 0.0 { q_norm } else { 1.0 };
    for sweep in 0..max_sweeps {
        if stop() {
            return Report::new(Status::Stopped, sweep, 0);
        }
        if sweep % 64 == 0 {
            problem.motion(r, &mut work.x);
        }
        let missed = sweep_once(problem, work, size, r);
        if !missed.is_finite() {
            return Report::new(Status::Diverged, sweep, 0);
        }
        if missed <= tol {
            return Report::new(Status::Solved, sweep + 1, 0);
        }
    }
    Report::new(Status::IterationLimit, max_sweeps, 0)
}

/// Sweeps before anything else, over how many contraction is measured, and what these may leave of the error.
const FIRST_SWEEPS: usize = 100;
const MEASURED: usize = 8;
const QUICK_CONTRACTION: f64 = 0.1;

/// From nothing, as long as they contract quickly; true when they end at `tol`. Loosely coupled contacts need nothing else.
pub(crate) fn first_sweeps(
    problem: &MotionProblem,
    tol: f64,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> bool {
    let mut work = SweepWork::default();
    work.block.extend((0..r.len()).map(|c| problem.block(c)));
    work.x.resize(problem.coordinates(), 0.0);
    let q_norm = problem.q().iter().fold(0.0, |sum, q| sum + norm(q) * norm(q)).sqrt();
    let size = if q_norm > 0.0 { q_norm } else { 1.0 };
    r.fill([0.0; 3]);
    let mut mark = f64::INFINITY;
    for sweep in 0..FIRST_SWEEPS {
        let missed = sweep_once(problem, &mut work, size, r);
        if missed <= tol {
            return true;
        }
        if sweep % MEASURED == 0 {
            if !(missed <= QUICK_CONTRACTION * mark) || stop() {
                return false;
            }
            mark = missed;
        }
    }
    false
}

fn sweep_once(problem: &impl Space, work: &mut SweepWork, size: f64, r: &mut [Triple]) -> f64 {
    let mut sum = 0.0;
    for (c, r_c) in r.iter_mut().enumerate() {
        let (v, q, eps) = (problem.velocity(c, &work.x), &problem.q()[c], &problem.eps()[c]);
        let u: Triple = std::array::from_fn(|i| v[i] + eps[i] * r_c[i] + q[i]);
        let missed = natural_map(r_c, &u, problem.mu()[c], 1.0) / size;
        sum += missed * missed;
        if missed <= IDLE {
            continue;
        }
        let W = &work.block[c];
        let own = block_times(W, r_c);
        let before = *r_c;
        let free = std::array::from_fn(|i| u[i] - own[i]);
        solve_contact(W, &free, problem.mu()[c], r_c);
        let change = std::array::from_fn(|i| r_c[i] - before[i]);
        problem.add_motion(c, &change, &mut work.x);
    }
    sum.sqrt()
}
