//! The friction problem of the few: what their velocities are for impulses of their own, and its solution.

use nalgebra::DMatrix;

use super::{ClusterWork, q_norm};
use crate::cone::{AlartCurnierSettings, Triple, alart_curnier};
use crate::friction::FrictionProblem;
use crate::motion::error::error as measured;
use crate::motion::factor::Factor;
use crate::motion::local::LocalSpace;
use crate::motion::newton::{NewtonSettings, newton};
use crate::motion::sides::LANES;
use crate::motion::space::Space;
use crate::report::{Status, Stop};

const SMALL: NewtonSettings = NewtonSettings {
    tol: 1e-13,
    aim: 1e-14,
    max_steps: 250,
    stiffness: 1.0,
    growth: 3.0,
    max_stiffness: 1e11,
    max_inner: 15,
    max_corners: 60,
};
/// What it may leave of the error of all.
const SMALL_PART: f64 = 1e-3;

/// Newton on the entries of the few: jammed bodies hold each other by more forces than they have coordinates, and their W has no root
/// of its own. κ grows tenfold where a step sufficed, which is how weak motions come to rest.
const BY_ENTRIES: AlartCurnierSettings = AlartCurnierSettings {
    tol: 1e-14,
    max_steps: 150,
    stiffness: 10.0,
    growth: 1.3,
    leap: 10.0,
    max_stiffness: 1e10,
    max_inner: 15,
    inner_tol: 1e-2,
};

#[derive(Clone, Copy)]
enum Attempt {
    /// From where they are, and round folds.
    RoundFolds,
    /// From there by the entries.
    ByEntries,
}

/// What these do not solve others may, with other contacts.
const ATTEMPTS: [Attempt; 2] = [Attempt::ByEntries, Attempt::RoundFolds];

impl ClusterWork {
    /// What the velocities of the few are for impulses of theirs.
    pub(super) fn small_problem<S: Space>(
        &mut self,
        problem: &S,
        factor: &mut Factor,
        r: &[Triple],
    ) -> Option<FrictionProblem> {
        let (n, rows) = (self.x.len(), 3 * self.few.len());
        self.mark(problem);
        factor.need(&self.is_asked, &mut self.needed);
        self.list_read::<S>(factor);
        let mut W = DMatrix::zeros(rows, rows);
        self.columns.clear();
        self.columns.resize(n, [0.0; LANES]);
        self.column.fill(0.0);
        for first in (0..rows).step_by(LANES) {
            let lanes = first..rows.min(first + LANES);
            for (lane, row) in lanes.clone().enumerate() {
                self.unit(problem, row);
                self.asked.iter().for_each(|&i| self.columns[i][lane] = self.column[i]);
            }
            factor.solve_sides(&mut self.needed, &mut self.columns);
            for (lane, row) in lanes.enumerate() {
                self.read.iter().for_each(|&i| self.column[i] = self.columns[i][lane]);
                for (l, &d) in self.few.iter().enumerate() {
                    let u = problem.velocity(d, &self.column);
                    (0..3).for_each(|j| W[(3 * l + j, row)] = u[j]);
                }
                W[(row, row)] += problem.eps()[self.few[row / 3]][row % 3];
            }
            factor.clear_sides(&self.needed, &mut self.columns);
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
        self.asked.clear();
        self.asked.extend((0..self.is_asked.len()).filter(|&i| self.is_asked[i]));
    }

    /// Where C is the transpose of B velocities are read from what impulses move.
    fn list_read<S: Space>(&mut self, factor: &Factor) {
        self.read.clear();
        if S::IS_SYMMETRIC {
            self.read.extend_from_slice(&self.asked);
        } else {
            self.read.extend(factor.needed(&self.needed));
        }
    }

    /// What a unit of this row of the few does.
    fn unit(&mut self, problem: &impl Space, row: usize) {
        let mut unit = [0.0; 3];
        unit[row % 3] = 1.0;
        self.read.iter().for_each(|&i| self.column[i] = 0.0);
        problem.add_motion(self.few[row / 3], &unit, &mut self.column);
    }

    /// One attempt after the other. Where none arrives the first one's answer is kept.
    pub(super) fn solve_small(&mut self, problem: &FrictionProblem, error: f64, stop: Stop<'_>) {
        let start = self.small.clone();
        let q_norm = q_norm(&LocalSpace::new(problem));
        let tol = (SMALL_PART * error / q_norm).clamp(SMALL.tol, SMALL_PART);
        for (number, attempt) in ATTEMPTS.into_iter().enumerate() {
            let mut r = start.clone();
            self.is_solved = self.attempt(problem, (attempt, tol), stop, &mut r);
            if self.is_solved || number == 0 {
                self.small.copy_from_slice(&r);
            }
            if self.is_solved || stop() {
                return;
            }
        }
    }

    /// Whether it has come to the error `tol`.
    fn attempt(
        &mut self,
        problem: &FrictionProblem,
        (attempt, tol): (Attempt, f64),
        stop: Stop<'_>,
        r: &mut [Triple],
    ) -> bool {
        let space = LocalSpace::new(problem);
        match attempt {
            Attempt::RoundFolds => {
                let settings = NewtonSettings { tol, aim: 0.1 * tol, ..SMALL };
                let memory = (&mut self.newton, &mut self.factor);
                newton(&space, &settings, memory, stop, r).status == Status::Solved
            }
            Attempt::ByEntries => {
                let settings = AlartCurnierSettings { tol: 0.1 * tol, ..BY_ENTRIES };
                alart_curnier(problem, &settings, &mut self.entries, stop, r.as_flattened_mut());
                measured(&space, r, &mut self.measured).0 <= tol
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::motion::tests::random_problem;
    use crate::report::never;

    /// Five bodies between fifteen contacts: more forces than there are coordinates. Paths alone solve 22.
    #[test]
    fn jammed_bodies_that_paths_leave_open_are_solved_by_entries() {
        let (mut work, mut solved) = (ClusterWork::default(), 0);
        for seed in 0..40 {
            let problem = random_problem(seed, 5, 15).to_local().unwrap();
            work.small = vec![[0.0; 3]; 15];
            work.solve_small(&problem, 1e-9, &never);
            let residual = Judge::default().friction(&problem, work.small.as_flattened()).scaled;
            assert!(!work.is_solved || residual <= 1e-9, "{seed}: {residual}");
            solved += usize::from(work.is_solved);
        }
        assert!(solved >= 38, "{solved} of 40");
    }
}
