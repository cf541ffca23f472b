//! Islands solved apart, each in its own units and from its own last step, and put together.

use stiction_lcp::Verdict;

use super::asked::FEW;
use super::bounds::{self, is_stated};
use super::check::check;
use super::motion::Island;
use super::solve::{Found, needs_entries, solve_whole};
use super::warm::LawWork;
use super::{Law, LawError, LawSolver, asked};
use crate::contact::islands::{Islands, part, rows_of_blocks};
use crate::contact::space::ContactSpace;

/// Nothing where it is paused.
pub(super) fn solve(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<Option<Found>, LawError> {
    work.solves += 1;
    let mut islands = std::mem::take(&mut work.islands);
    let result = match (law, space.W.root()) {
        (Law::Cone(settings), Some(root)) if !needs_entries(law, solver) => {
            let whole = Island { space, root, blocks: &[], v_stick: settings.v_stick };
            check(space, law).and_then(|()| asked::solve(whole, law, tol, &mut islands, work))
        }
        (Law::Box(_) | Law::Hybrid(_) | Law::Phantom(_), Some(root))
            if !needs_entries(law, solver) =>
        {
            islands.find(space);
            let whole = Island { space, root, blocks: &[], v_stick: 0.0 };
            check(space, law).and_then(|()| solve_bounds(whole, law, tol, &islands, work).map(Some))
        }
        _ => {
            islands.find(space);
            solve_by_entries(space, (law, solver), tol, &islands, work).map(Some)
        }
    };
    work.islands = islands;
    result
}

fn solve_by_entries(
    space: &ContactSpace,
    (law, solver): (&Law, LawSolver),
    tol: f64,
    islands: &Islands,
    work: &mut LawWork,
) -> Result<Found, LawError> {
    if islands.len() == 1 {
        return solve_whole(space, law, solver, tol, work);
    }
    let mut all = Joined::new(space.m(), work);
    let mut place = vec![0; space.m()];
    for i in 0..islands.len() {
        let rows = rows_of_blocks(space, islands.blocks(i));
        let island = part(space, &rows, &mut place);
        let found = solve_whole(&island, law, solver, tol, work);
        let found = found.map_err(|error| in_whole(error, space.k(), island.k(), &rows))?;
        for (i, &row) in rows.iter().enumerate() {
            (all.found.p[row], all.found.u[row]) = (found.p[i], found.u[i]);
        }
        all.add(found.outcome);
    }
    Ok(all.found)
}

/// Islands between bounds of up to so many blocks have them made too, where the root brought no certificate.
const MANY: usize = 200;

/// Laws with bounds: large islands of contacts by the root of W. Small ones, and bounded rows that touch no contact, by the entries of their
/// own W.
fn solve_bounds(
    whole: Island<'_>,
    law: &Law,
    tol: f64,
    islands: &Islands,
    work: &mut LawWork,
) -> Result<Found, LawError> {
    let Island { space, root, .. } = whole;
    let mut all = Joined::new(space.m(), work);
    let mut place = Vec::new();
    work.bounds.begin(root);
    for i in 0..islands.len() {
        let blocks = islands.blocks(i);
        let is_large = blocks[0] < space.k() && blocks.len() > FEW;
        if is_large && is_stated(space, blocks, law) {
            let island = bounds::Island { space, root, blocks, law };
            let outcome = work.bounds.solve(island, tol, &mut all.found.p)?;
            if outcome.verdict == Verdict::Certified || blocks.len() > MANY {
                all.add(outcome);
                continue;
            }
        }
        let rows = rows_of_blocks(space, blocks);
        place.resize(space.m(), 0);
        let island = part(space, &rows, &mut place);
        let found = solve_whole(&island, law, LawSolver::Auto, tol, work);
        let found = found.map_err(|error| in_whole(error, space.k(), island.k(), &rows))?;
        rows.iter().zip(&found.p).for_each(|(&row, &p)| all.found.p[row] = p);
        all.add(found.outcome);
    }
    let Found { p, u, .. } = &mut all.found;
    root.affine(p, &space.u_free, u, &mut work.change);
    Ok(all.found)
}

/// An error of the island of these rows, which has k contacts of all, with the numbers of the whole.
pub(super) fn in_whole(error: LawError, all: usize, k: usize, rows: &[usize]) -> LawError {
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
pub(super) struct Joined {
    pub(super) found: Found,
    /// Iterations of the island whose link is named.
    most: Option<usize>,
}

impl Joined {
    pub(super) fn new(m: usize, work: &mut LawWork) -> Self {
        let [mut p, mut u] = std::mem::take(&mut work.spare);
        work.moved.clear();
        for x in [&mut p, &mut u] {
            x.clear();
            x.resize(m, 0.0);
        }
        let moved = std::mem::take(&mut work.moved);
        Self { found: Found { p, u, moved, outcome: Outcome::NOTHING }, most: None }
    }

    pub(super) fn add(&mut self, one: Outcome) {
        let all = &mut self.found.outcome;
        let most = self.most.is_none_or(|most| one.iterations > most).then_some(one.iterations);
        let link = if most.is_some() { one.link } else { all.link };
        self.most = most.or(self.most);
        if rank(&one.verdict) > rank(&all.verdict) {
            all.verdict = one.verdict;
        }
        // a NaN is the worst
        if !(one.problem <= all.problem) {
            all.problem = one.problem;
        }
        all.link = link;
        all.iterations += one.iterations;
        all.singular_blocks += one.singular_blocks;
    }
}

/// What is known of an answer.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Of the judge of problems.
    pub(super) verdict: Verdict,
    pub(super) problem: f64,
    pub(super) link: &'static str,
    pub(super) iterations: usize,
    pub(super) singular_blocks: usize,
    /// Where the impulses are known in two parts: coordinates of the root, and what they change by.
    pub(super) moved: Vec<(usize, f64)>,
}

impl Outcome {
    /// Of no contacts.
    pub(super) const NOTHING: Self = Self {
        verdict: Verdict::Certified,
        problem: 0.0,
        link: "none",
        iterations: 0,
        singular_blocks: 0,
        moved: Vec::new(),
    };

    /// The next one counts, and the work of all.
    pub(super) fn follow(&mut self, next: Self) {
        let iterations = self.iterations + next.iterations;
        let singular_blocks = self.singular_blocks + next.singular_blocks;
        *self = Self { iterations, singular_blocks, ..next };
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
