//! Impulses as sums of two numbers, `r + low`: heavy on light.
//!
//! Where impulses of 1e9 m g h hold a body of mass m, rounding them to f64 moves it by 1e−7 g h, and no r at all obeys the law to 1e−10. Its
//! rounded r is near an answer, and the rest of it is known as well: proximal steps as in `polish.rs`, the changes added to both
//! parts. Contacts are equally stiff here, by the mass that the largest impulse stops: what is lightest carries all the others, and a
//! stiffness by its own mass would let these sink.
//!
//! Theory: `docs/theory/judge.md`.

use super::MotionProblem;
use super::auto::{MotionLink, MotionReport, MotionWork};
use super::factor::{Block, Factor};
use super::mode::{Mode, change, derivative};
use super::space::Space;
use super::twice::{TwiceWork, velocities_of};
use crate::cone::Triple;
use crate::judge::FrictionResidual;
use crate::report::{Report, Status};

/// κ, in units of the mass that the largest impulse stops, ‖r‖ / ‖q‖.
const STIFFNESS: f64 = 1e5;
const STEPS: usize = 6;
/// Choices of modes, a factorization each.
const ROUNDS: usize = 3;
/// What is aimed at, as a part of the tolerance.
const AIM: f64 = 1e-2;
/// Rounding costs at least this part of the tolerance where a second part is worth it.
const WORTH: f64 = 0.1;
/// A residual above this is not that of a rounded answer.
const NEARLY_THERE: f64 = 1e-5;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct TwoPartsWork {
    r: Vec<Triple>,
    low: Vec<Triple>,
    mode: Vec<Mode>,
    D: Vec<Block>,
    u: Vec<Triple>,
    g: Vec<Triple>,
    x: Vec<f64>,
    twice: TwiceWork,
}

/// Whether it is rounding of the answer that keeps it from its certificate.
pub(super) fn is_worth(residual: &FrictionResidual, tol: f64) -> bool {
    residual.floor >= WORTH * tol && residual.scaled <= NEARLY_THERE
}

/// What [`solve_motion`](super::solve_motion) reported of r, or, where only rounding kept r from its certificate, of an answer in two parts: then `work.low` is the
/// second one.
pub fn with_second_part(
    problem: &MotionProblem,
    tol: f64,
    work: &mut MotionWork,
    (report, r): (MotionReport, &mut [Triple]),
) -> MotionReport {
    if report.certified || !is_worth(&report.residual, tol) {
        return report;
    }
    in_two_parts(problem, tol, work, r)
        .map_or(report, |residual| MotionReport { certified: true, residual })
}

/// From a rounded answer r to one in two parts that the judge accepts: then `work.low` and `work.x` are its second part and its
/// coordinates, `work.u` its velocities. None where there is none; r is as it was then.
pub(super) fn in_two_parts(
    problem: &MotionProblem,
    tol: f64,
    work: &mut MotionWork,
    r: &mut [Triple],
) -> Option<FrictionResidual> {
    let MotionWork { two_parts: own, factor, judge, .. } = work;
    own.r.clear();
    own.r.extend_from_slice(r);
    own.low.clear();
    own.low.resize(r.len(), [0.0; 3]);
    factor.analyse(problem);
    let mut residual = FrictionResidual::WORST;
    for round in 1..=ROUNDS {
        if !own.improve(problem, factor) {
            return None;
        }
        residual = judge.motion_in_two_parts(problem, (&own.r, &own.low));
        let report = Report::new(Status::Stalled, round, round);
        let status = if residual.accepts(tol) { Status::Solved } else { Status::Stalled };
        let link = MotionLink {
            solver: "polish",
            report: Report { status, ..report },
            residual: residual.scaled,
        };
        work.links.push(link);
        if residual.accepts(AIM * tol) {
            break;
        }
    }
    if !residual.accepts(tol) {
        return None;
    }
    velocities_of(problem, (&own.r, &own.low), &mut own.twice, &mut own.u);
    r.copy_from_slice(&own.r);
    work.low.clone_from(&own.low);
    work.x.clear();
    work.x.extend(own.twice.coordinates());
    work.u.clone_from(&own.u);
    Some(residual)
}

impl TwoPartsWork {
    /// Modes as they stand, one factorization. False if there is none.
    fn improve(&mut self, problem: &MotionProblem, factor: &mut Factor) -> bool {
        let s = STIFFNESS * self.stopped_mass(problem);
        velocities_of(problem, (&self.r, &self.low), &mut self.twice, &mut self.u);
        self.mode.clear();
        self.D.clear();
        for (c, (r, u)) in self.r.iter().zip(&self.u).enumerate() {
            let (m, mu) = (problem.mass(c), problem.mu()[c]);
            let mode = Mode::of(&std::array::from_fn(|i| r[i] - m * u[i]), mu);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * problem.eps()[c][i]));
            let z = std::array::from_fn(|i| r[i] - s * u[i]);
            self.mode.push(mode);
            self.D.push(derivative(mode, &z, mu, &slope));
            if mode == Mode::Open {
                self.low[c] = [0.0; 3];
            }
        }
        if !factor.factor(problem, &self.D, !self.mode.contains(&Mode::Slip)) {
            return false;
        }
        for _ in 0..STEPS {
            velocities_of(problem, (&self.r, &self.low), &mut self.twice, &mut self.u);
            self.find_changes(problem, s);
            self.x.clear();
            self.x.resize(problem.coordinates(), 0.0);
            for (c, g) in self.g.iter().enumerate() {
                problem.add_motion(c, g, &mut self.x);
            }
            factor.solve(&mut self.x);
            for c in 0..self.r.len() {
                let (v, D) = (problem.velocity(c, &self.x), &self.D[c]);
                for i in 0..3 {
                    let held = D[3 * i] * v[0] + D[3 * i + 1] * v[1] + D[3 * i + 2] * v[2];
                    let change = self.low[c][i] + (self.g[c][i] - held);
                    (self.r[c][i], self.low[c][i]) = exact_sum(self.r[c][i], change);
                }
            }
        }
        true
    }

    fn stopped_mass(&self, problem: &MotionProblem) -> f64 {
        let largest = |x: &[Triple]| x.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let own = (0..self.r.len()).fold(0.0, |m: f64, c| m.max(problem.mass(c)));
        let (r, q) = (largest(&self.r), largest(problem.q()));
        if q > 0.0 { own.max(r / q) } else { own }
    }

    fn find_changes(&mut self, problem: &MotionProblem, s: f64) {
        self.g.clear();
        self.g.extend(self.r.iter().zip(&self.u).enumerate().map(|(c, moving)| {
            change(self.mode[c], moving, (s, &problem.eps()[c]), problem.mu()[c])
        }));
    }
}

/// `a + b` as a rounded number and its error.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}
