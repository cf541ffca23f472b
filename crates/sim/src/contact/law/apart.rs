//! Islands solved apart, each in its own units and from its own last step, and put together.

use stiction_lcp::Verdict;

use super::solve::{Found, solve_whole};
use super::warm::LawWork;
use super::{Law, LawError, LawSolver};
use crate::contact::islands::{islands, part, rows_of_islands};
use crate::contact::space::ContactSpace;

pub(super) fn solve(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<Found, LawError> {
    let first = islands(space);
    if first.iter().all(|block| *block == 0) {
        return solve_whole(space, law, solver, tol, work);
    }
    let mut all = Joined::new(space.m());
    let mut place = vec![0; space.m()];
    for rows in &rows_of_islands(space, &first) {
        let island = part(space, rows, &mut place);
        let found = solve_whole(&island, law, solver, tol, work);
        all.add(found.map_err(|error| in_whole(error, space.k(), island.k(), rows))?, rows);
    }
    Ok(all.found)
}

/// An error of the island of these rows, which has k contacts of all, with the numbers of the whole.
fn in_whole(error: LawError, all: usize, k: usize, rows: &[usize]) -> LawError {
    match error {
        LawError::Contact { contact, name, rule } => {
            LawError::Contact { contact: rows[3 * contact] / 3, name, rule }
        }
        LawError::Row { row, name, rule } => {
            LawError::Row { row: rows[3 * k + row] - 3 * all, name, rule }
        }
        other => other,
    }
}

/// What was found for the islands so far.
struct Joined {
    found: Found,
    /// Iterations of the island whose link is named.
    most: Option<usize>,
}

impl Joined {
    fn new(m: usize) -> Self {
        let found = Found {
            p: vec![0.0; m],
            u: vec![0.0; m],
            verdict: Verdict::Certified,
            problem: 0.0,
            link: "none",
            iterations: 0,
            singular_blocks: 0,
        };
        Self { found, most: None }
    }

    fn add(&mut self, one: Found, rows: &[usize]) {
        let all = &mut self.found;
        for (i, &row) in rows.iter().enumerate() {
            (all.p[row], all.u[row]) = (one.p[i], one.u[i]);
        }
        if rank(&one.verdict) > rank(&all.verdict) {
            all.verdict = one.verdict;
        }
        // a NaN is the worst
        if !(one.problem <= all.problem) {
            all.problem = one.problem;
        }
        if self.most.is_none_or(|most| one.iterations > most) {
            (self.most, all.link) = (Some(one.iterations), one.link);
        }
        all.iterations += one.iterations;
        all.singular_blocks += one.singular_blocks;
    }
}

/// What one island says of all: the higher one counts.
fn rank(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::Certified => 0,
        Verdict::Uncertified => 1,
        Verdict::NoSolution(_) => 2,
    }
}
