//! The prox fixed point beside all solutions: where it converges, and what it means where it does not.
//!
//! `z ← clamp(z − r (A z + b))` may run away because r is too large, because the start is on the wrong side of a solution that
//! repels, or because there is no solution [SNT 4.2]. The iteration cannot tell; an enumeration with a proof can.
//!
//! One row, `0 ≤ λ ⊥ a λ + c ≥ 0`: the map is `max(0, (1 − r a) λ − r c)`.
//!
//! ```text
//!  a > 0          contracts by |1 − r a| where it presses: 0 < r < 2/a
//!  a < 0 < c      solutions 0 and λ₂ = −c/a; λ₂ repels by 1 + r|a|: below it to 0, above it away, whatever r
//!  a, c < 0       away from everywhere
//! ```

use stiction_lcp::enumeration::{EnumerationSettings, EnumerationWorkspace, enumerate};
use stiction_lcp::judge::{Proof, Refutation, check_proof};
use stiction_lcp::prox::{ProxSettings, ProxStep, ProxWorkspace, prox};
use stiction_lcp::{BoxLcp, Status, never};

/// A residual that has grown by this much from its least is that of a run away. The solver's own limit, 1e6, is met on the way to
/// 0 from starts that are nearer than 1e-6 to a solution that repels.
const AWAY: f64 = 1e30;
/// What a run asks of its residual: the solver's default, which rounding allows also where it contracts slowly.
const TOL: f64 = 1e-10;
/// The same where starts beside a solution that repels are not to be taken for it.
const FINE: f64 = 1e-14;
/// Steps that a factor is the mean of.
const STEPS: usize = 8;
/// An edge is looked for until it is known to this part of the distance between the two starts: rounding of the map is
/// 1e-16 of it, and grows until the iterate has left.
const EDGE: f64 = 1e-13;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Converged,
    /// Its residual grew without bound.
    Diverged,
    /// Neither, within the steps allowed: slow, or a cycle.
    Unsettled,
}

/// What the end of a run says about the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Solved,
    /// It failed, and there are solutions.
    FailedBesideSolutions,
    /// It failed, and it is proved that there is none.
    NoSolution,
    /// It failed, and whether there is one is not known.
    Unknown,
}

/// One run of the fixed point.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub start: Vec<f64>,
    /// [unit of z / unit of w]
    pub r: f64,
    pub end: RunEnd,
    pub iterations: usize,
    /// Length of a step over that of the step before, geometric mean of the last few: below 1 it contracts. 0: it ended at
    /// its limit exactly.
    pub factor: f64,
    /// The last iterate; of a run that diverged, the best.
    pub z: Vec<f64>,
}

/// What is known of the solutions.
#[derive(Clone, Debug, PartialEq)]
pub enum Existence {
    /// All of them; of a family one.
    Solutions(Vec<Vec<f64>>),
    None(Refutation),
    Unknown,
}

/// Runs beside the solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    pub existence: Existence,
    /// By r, then by start.
    pub runs: Vec<Run>,
}

impl Study {
    pub fn meaning(&self, run: &Run) -> Meaning {
        match (run.end, &self.existence) {
            (RunEnd::Converged, _) => Meaning::Solved,
            (_, Existence::Solutions(_)) => Meaning::FailedBesideSolutions,
            (_, Existence::None(_)) => Meaning::NoSolution,
            (_, Existence::Unknown) => Meaning::Unknown,
        }
    }
}

/// Runs from each start with each r, beside the enumeration.
pub fn study(problem: &BoxLcp, starts: &[Vec<f64>], rs: &[f64], max_iterations: usize) -> Study {
    let mut runs = Vec::new();
    for &r in rs {
        runs.extend(starts.iter().map(|start| run(problem, r, start, max_iterations)));
    }
    Study { existence: existence(problem), runs }
}

pub fn existence(problem: &BoxLcp) -> Existence {
    let work = &mut EnumerationWorkspace::default();
    let found = enumerate(problem, &EnumerationSettings::default(), work, &never);
    let refutation = found.proof.and_then(|tree| check_proof(problem, &Proof::Exhausted(tree)));
    match refutation {
        Some(refutation) => Existence::None(refutation),
        None if found.complete && !found.solutions.is_empty() => {
            Existence::Solutions(found.solutions.into_iter().map(|piece| piece.z).collect())
        }
        None => Existence::Unknown,
    }
}

/// # Panics
///
/// If `start` has not as many entries as the problem has rows.
pub fn run(problem: &BoxLcp, r: f64, start: &[f64], max_iterations: usize) -> Run {
    run_to(problem, (r, TOL), start, max_iterations)
}

fn run_to(
    problem: &BoxLcp,
    (r, tolerance): (f64, f64),
    start: &[f64],
    max_iterations: usize,
) -> Run {
    let step = ProxStep::Given(r);
    let settings = ProxSettings { max_iterations, step, divergence_factor: AWAY, tolerance };
    let mut z = start.to_vec();
    let report = prox(problem, &settings, &mut ProxWorkspace::new(z.len()), &never, &mut z);
    let end = match report.status {
        Status::Solved => RunEnd::Converged,
        Status::Diverged => RunEnd::Diverged,
        _ => RunEnd::Unsettled,
    };
    let (iterations, start) = (report.iterations, start.to_vec());
    let factor = factor(problem, r, &start, iterations);
    Run { start, r, end, iterations, factor, z }
}

/// From the step lengths of the same run.
fn factor(problem: &BoxLcp, r: f64, start: &[f64], iterations: usize) -> f64 {
    let (mut z, mut w) = (start.to_vec(), vec![0.0; start.len()]);
    let mut lengths: Vec<f64> = Vec::new();
    // one more than the run: that of an end which is exact is zero; steps that have sunk into the rounding of z say nothing
    for _ in 0..=iterations.max(STEPS) {
        problem.A().affine(&z, problem.b(), &mut w);
        let (mut squared, mut size) = (0.0, 0.0);
        for i in 0..z.len() {
            let next = problem.clamp(i, z[i] - r * w[i]);
            squared += (next - z[i]) * (next - z[i]);
            size += next * next;
            z[i] = next;
        }
        if squared == 0.0 {
            return 0.0;
        }
        if !(squared > 1e-24 * size && squared.is_finite()) {
            break;
        }
        lengths.push(squared.sqrt());
    }
    let last = lengths.len().saturating_sub(1);
    let steps = last.min(STEPS);
    if steps == 0 {
        return f64::NAN;
    }
    libm::pow(lengths[last] / lengths[last - steps], 1.0 / steps as f64)
}

/// The edge of the set of starts that converge, on the way from one that does to one that does not; None if they are not so.
pub fn basin_edge(
    problem: &BoxLcp,
    r: f64,
    (inside, outside): (&[f64], &[f64]),
    max_iterations: usize,
) -> Option<Vec<f64>> {
    let at = |t: f64| -> Vec<f64> {
        inside.iter().zip(outside).map(|(i, o)| (1.0 - t) * i + t * o).collect()
    };
    let converges =
        |t: f64| run_to(problem, (r, FINE), &at(t), max_iterations).end == RunEnd::Converged;
    bisect((0.0, 1.0), EDGE, converges).map(at)
}

/// The end of the interval of r with which the fixed point converges from `start`, between one `low` that does and one
/// `high` that does not, to a part `near` of it; None if they are not so.
pub fn largest_r(
    problem: &BoxLcp,
    start: &[f64],
    (low, high): (f64, f64),
    near: f64,
    max_iterations: usize,
) -> Option<f64> {
    let converges = |r: f64| run(problem, r, start, max_iterations).end == RunEnd::Converged;
    bisect((low, high), near * low, converges)
}

fn bisect((mut low, mut high): (f64, f64), near: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    if !holds(low) || holds(high) {
        return None;
    }
    while high - low > near {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}
