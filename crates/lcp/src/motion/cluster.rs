//! A few contacts that are not decided, among many that are.
//!
//! Near an answer what is left of the error sits at a few contacts, of bodies in a corner or just about to slip, and a step of Newton's method
//! for all brings these no nearer: each of them must find its mode against the others. So the modes of all others are held, and with
//! stiff contact their answer to whatever the few do is linear:
//!
//! ```text
//!  A = I + B D C  of the others      u_few = C_few A⁻¹ B_few dr_few + (C_few A⁻¹ B g + u_few)      g: what the others would change by themselves
//! ```
//!
//! That is a friction problem of the few alone, and a small one is solved exactly, round folds where need be. What turns out to leave its mode among the
//! others joins them. One factorization, and three solves for each of the few.
//!
//! Theory: `docs/theory/velocity-space.md`.

use nalgebra::DMatrix;

use super::factor::{Block, Factor};
use super::local::LocalSpace;
use super::mode::{Mode, derivative, respond};
use super::newton::{NewtonSettings, NewtonWork, newton};
use super::sides::{LANES, Lanes, SidesWork};
use super::space::Space;
use super::sweeps::{SweepWork, sweeps};
use super::twice::TwiceWork;
use crate::cone::{Triple, natural_map, norm};
use crate::friction::FrictionProblem;
use crate::report::{Report, Status, Stop};

/// The few, at first and at most, and how many join at a time.
const FEW: usize = 20;
const MOST: usize = 44;
const JOINING: usize = 12;
/// They hold this part of the squared error, or as much as so many can.
const SHARE: f64 = 0.99;
/// What joins has at least this part of the largest error.
const LARGE: f64 = 0.03;
/// An error that is not below this part of the last one is none the better.
const BETTER: f64 = 0.7;
/// κ of the others: at first and at most of the inverse error; by which factor it follows success and failure.
const STIFFNESS: [f64; 2] = [10.0, 1e7];
const SOFTER: f64 = 0.03;
const STIFFER: f64 = 10.0;
/// Of the small problem.
const SMALL: NewtonSettings = NewtonSettings {
    tol: 1e-13,
    aim: 1e-14,
    max_steps: 80,
    stiffness: 1.0,
    growth: 3.0,
    max_stiffness: 1e9,
    max_inner: 15,
    max_corners: 60,
    max_dilatancy: 0,
};
const SMALL_SWEEPS: usize = 100;
/// What it may leave of the error of all.
const SMALL_PART: f64 = 1e-3;

#[derive(Clone, Debug, Default)]
pub(super) struct ClusterWork {
    mode: Vec<Mode>,
    D: Vec<Block>,
    u: Vec<Triple>,
    /// Error of each contact.
    error: Vec<f64>,
    order: Vec<usize>,
    few: Vec<usize>,
    is_few: Vec<bool>,
    g: Vec<Triple>,
    x: Vec<f64>,
    /// Coordinates of the few; their columns of `A⁻¹ B`, and one of them.
    is_asked: Vec<bool>,
    columns: Vec<Lanes>,
    column: Vec<f64>,
    needed: SidesWork,
    trial: Vec<Triple>,
    small: Vec<Triple>,
    twice: TwiceWork,
    newton: NewtonWork,
    factor: Factor,
    sweeps: SweepWork,
}

/// Improves r, in at most so many rounds, to the error `goal`, which is the judge's number.
pub(super) fn clusters<S: Space>(
    problem: &S,
    (goal, max_rounds): (f64, usize),
    (work, factor): (&mut ClusterWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    let mut factorizations = 0;
    let mut lowest = work.measure(problem, r);
    let [least, most] = STIFFNESS;
    let mut kappa = (0.1 / lowest).clamp(least, most);
    for round in 0..max_rounds {
        if lowest <= goal {
            return Report::new(Status::Solved, round, factorizations);
        }
        if stop() {
            return Report::new(Status::Stopped, round, factorizations);
        }
        work.choose_modes(problem, r);
        work.choose_few();
        let mut is_better = false;
        while !is_better {
            work.measure(problem, r);
            factorizations += 1;
            if !work.try_few(problem, (lowest, kappa), (factor, stop), r) {
                break;
            }
            let trial = std::mem::take(&mut work.trial);
            let next = work.measure(problem, &trial);
            is_better = next <= BETTER * lowest;
            if is_better {
                lowest = next;
                kappa = (STIFFER * kappa).min(0.1 / lowest).clamp(least, most);
                r.copy_from_slice(&trial);
            }
            work.trial = trial;
            if !is_better && !work.join() {
                break;
            }
        }
        if !is_better {
            if kappa <= least {
                return Report::new(Status::Stalled, round, factorizations);
            }
            kappa = (SOFTER * kappa).max(least);
            work.measure(problem, r);
        }
    }
    Report::new(Status::IterationLimit, max_rounds, factorizations)
}

impl ClusterWork {
    /// Velocities of r, the error of each contact and that of all; infinite if something is not finite.
    fn measure(&mut self, problem: &impl Space, r: &[Triple]) -> f64 {
        problem.velocities(r, &mut self.twice, &mut self.u);
        self.error.clear();
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            self.error.push(natural_map(r, u, problem.mu()[c], 1.0));
        }
        let sum: f64 = self.error.iter().map(|error| error * error).sum();
        let error = sum.sqrt() / q_norm(problem);
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// As `r − m u` says.
    fn choose_modes(&mut self, problem: &impl Space, r: &[Triple]) {
        self.mode.clear();
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            let m = problem.mass(c);
            let z = std::array::from_fn(|i| r[i] - m * u[i]);
            self.mode.push(Mode::of(&z, problem.mu()[c]));
        }
    }

    /// Those of the largest errors.
    fn choose_few(&mut self) {
        self.sort();
        self.is_few.clear();
        self.is_few.resize(self.error.len(), false);
        self.few.clear();
        let square = |c: &usize| self.error[*c] * self.error[*c];
        let all: f64 = self.order.iter().map(square).sum();
        let mut held = 0.0;
        for &c in self.order.iter().take(FEW) {
            if held >= SHARE * all {
                break;
            }
            held += square(&c);
            self.few.push(c);
            self.is_few[c] = true;
        }
    }

    fn sort(&mut self) {
        self.order.clear();
        self.order.extend(0..self.error.len());
        self.order.sort_by(|&a, &b| self.error[b].total_cmp(&self.error[a]));
    }

    /// Adds the worst of the others; false if there are none, or no more can be added.
    fn join(&mut self) -> bool {
        self.sort();
        let largest = self.order.first().map_or(0.0, |&c| self.error[c]);
        let worst = |c: &&usize| !self.is_few[**c] && self.error[**c] >= LARGE * largest;
        let room = MOST.saturating_sub(self.few.len()).min(JOINING);
        let joining: Vec<usize> = self.order.iter().filter(worst).take(room).copied().collect();
        joining.iter().for_each(|&c| self.is_few[c] = true);
        self.few.extend(&joining);
        !joining.is_empty()
    }

    /// The few solved for the others' linear answer, into `trial`. False if there is no factorization.
    fn try_few<S: Space>(
        &mut self,
        problem: &S,
        (error, kappa): (f64, f64),
        (factor, stop): (&mut Factor, Stop<'_>),
        r: &[Triple],
    ) -> bool {
        self.linearize(problem, kappa, r);
        let slips = |(mode, is_few): (&Mode, &bool)| *mode == Mode::Slip && !is_few;
        let is_symmetric = S::IS_SYMMETRIC && !self.mode.iter().zip(&self.is_few).any(slips);
        if !factor.factor(problem, &self.D, is_symmetric) {
            return false;
        }
        self.x.clear();
        self.x.resize(problem.coordinates(), 0.0);
        problem.motion(&self.g, &mut self.x);
        factor.solve(&mut self.x);
        let Some(small) = self.small_problem(problem, factor, r) else { return false };
        self.small.clear();
        self.small.extend(self.few.iter().map(|&c| r[c]));
        self.solve_small(&small, error * q_norm(problem), stop);
        problem.motion(&self.g, &mut self.x);
        for (&c, small) in self.few.iter().zip(&self.small) {
            let change = std::array::from_fn(|i| small[i] - r[c][i]);
            problem.add_motion(c, &change, &mut self.x);
        }
        factor.solve(&mut self.x);
        self.trial.clear();
        for (c, (r, g)) in r.iter().zip(&self.g).enumerate() {
            let (v, D) = (problem.velocity(c, &self.x), &self.D[c]);
            let z = std::array::from_fn(|i| {
                r[i] + g[i] - (D[3 * i] * v[0] + D[3 * i + 1] * v[1] + D[3 * i + 2] * v[2])
            });
            // what has left its piece ends where it must
            let mu = problem.mu()[c];
            self.trial.push(respond(Mode::of(&z, mu), &z, mu));
        }
        for (&c, r_c) in self.few.iter().zip(&self.small) {
            self.trial[c] = *r_c;
        }
        true
    }

    /// Stiff contact of the others, on their pieces; of the few, nothing.
    fn linearize(&mut self, problem: &impl Space, kappa: f64, r: &[Triple]) {
        self.D.clear();
        self.g.clear();
        for (c, r) in r.iter().enumerate() {
            if self.is_few[c] {
                self.D.push([0.0; 9]);
                self.g.push([0.0; 3]);
                continue;
            }
            let (s, mu, mode) = (kappa * problem.mass(c), problem.mu()[c], self.mode[c]);
            let (eps, u) = (&problem.eps()[c], &self.u[c]);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
            let z: Triple = std::array::from_fn(|i| r[i] - slope[i] * u[i]);
            self.D.push(derivative(mode, &z, mu, &slope));
            let end = respond(mode, &z, mu);
            self.g.push(std::array::from_fn(|i| end[i] - r[i]));
        }
    }

    /// What the velocities of the few are for impulses of theirs.
    fn small_problem(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        r: &[Triple],
    ) -> Option<FrictionProblem> {
        let (n, rows) = (self.x.len(), 3 * self.few.len());
        self.mark(problem);
        factor.need(&self.is_asked, &mut self.needed);
        let mut W = DMatrix::zeros(rows, rows);
        for first in (0..rows).step_by(LANES) {
            self.columns.clear();
            self.columns.resize(n, [0.0; LANES]);
            let lanes = first..rows.min(first + LANES);
            for (lane, row) in lanes.clone().enumerate() {
                self.unit(problem, row);
                let columns = self.columns.iter_mut().zip(&self.column);
                columns.for_each(|(columns, x)| columns[lane] = *x);
            }
            factor.solve_sides(&mut self.needed, &mut self.columns);
            for (lane, row) in lanes.enumerate() {
                let columns = self.columns.iter().zip(&mut self.column);
                columns.for_each(|(columns, x)| *x = columns[lane]);
                for (l, &d) in self.few.iter().enumerate() {
                    let u = problem.velocity(d, &self.column);
                    (0..3).for_each(|j| W[(3 * l + j, row)] = u[j]);
                }
                W[(row, row)] += problem.eps()[self.few[row / 3]][row % 3];
            }
        }
        let mut q = vec![0.0; rows];
        for (k, &c) in self.few.iter().enumerate() {
            let (moved, u) = (problem.velocity(c, &self.x), &self.u[c]);
            (0..3).for_each(|i| q[3 * k + i] = u[i] + moved[i]);
        }
        for i in 0..rows {
            for (l, &d) in self.few.iter().enumerate() {
                (0..3).for_each(|j| q[i] -= W[(i, 3 * l + j)] * r[d][j]);
            }
        }
        let mu = self.few.iter().map(|&c| problem.mu()[c]).collect();
        FrictionProblem::new(3, W, q, mu).ok()
    }

    /// The coordinates that the few move.
    fn mark(&mut self, problem: &impl Space) {
        self.column.clear();
        self.column.resize(self.x.len(), 0.0);
        for &c in &self.few {
            problem.add_motion_size(c, &[1.0; 3], &mut self.column);
        }
        self.is_asked.clear();
        self.is_asked.extend(self.column.iter().map(|size| *size != 0.0));
    }

    /// What a unit of this row of the few does.
    fn unit(&mut self, problem: &impl Space, row: usize) {
        let mut unit = [0.0; 3];
        unit[row % 3] = 1.0;
        self.column.fill(0.0);
        problem.add_motion(self.few[row / 3], &unit, &mut self.column);
    }

    /// From where they are, from nothing, and after sweeps.
    fn solve_small(&mut self, problem: &FrictionProblem, error: f64, stop: Stop<'_>) {
        let space = LocalSpace::new(problem);
        let start = self.small.clone();
        let tol = (SMALL_PART * error / q_norm(&space)).clamp(SMALL.tol, SMALL_PART);
        let settings = NewtonSettings { tol, aim: 0.1 * tol, ..SMALL };
        for attempt in 0..3 {
            let mut r = start.clone();
            match attempt {
                1 => r.fill([0.0; 3]),
                2 => {
                    sweeps(&space, (SMALL_SWEEPS, tol), &mut self.sweeps, stop, &mut r);
                }
                _ => {}
            }
            let memory = (&mut self.newton, &mut self.factor);
            let report = newton(&space, &settings, memory, stop, &mut r);
            if report.status == Status::Solved || attempt == 0 {
                self.small.copy_from_slice(&r);
            }
            if report.status == Status::Solved {
                return;
            }
        }
    }
}

/// 1 where q is zero.
fn q_norm(problem: &impl Space) -> f64 {
    let q_norm = problem.q().iter().map(|q| norm(q) * norm(q)).sum::<f64>().sqrt();
    if q_norm > 0.0 { q_norm } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::motion::tests::random_problem;
    use crate::report::never;

    #[test]
    fn what_newton_leaves_is_finished_by_clusters() {
        let (mut open, mut solved) = (0, 0);
        for seed in 0..20 {
            let problem = random_problem(seed, 40, 100);
            let mut factor = Factor::default();
            let mut r = vec![[0.0; 3]; 100];
            let few_steps = NewtonSettings { max_steps: 6, ..NewtonSettings::DEFAULT };
            newton(&problem, &few_steps, (&mut NewtonWork::default(), &mut factor), &never, &mut r);
            let before = Judge::default().motion(&problem, &r).scaled;
            let memory = (&mut ClusterWork::default(), &mut factor);
            let report = clusters(&problem, (1e-12, 30), memory, &never, &mut r);
            let after = Judge::default().motion(&problem, &r).scaled;
            assert!(after <= before, "{seed}: {before} {after}");
            // the status is what the judge finds
            assert_eq!(report.status == Status::Solved, after <= 1.1e-12, "{seed}: {after}");
            open += usize::from(before > 1e-6);
            solved += usize::from(before > 1e-6 && after <= 1e-11);
        }
        // nodes and contacts at random hang together more than heaps do, and six steps leave most of them far from an answer
        assert!(open == 20 && solved >= 4, "{solved} of {open}");
    }
}
