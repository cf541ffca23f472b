//! The cone law by the root of W, of the contacts that matter.
//!
//! Most of what is found within the reach of a step does not touch in it. A contact without impulse obeys the law as long as its
//! normal row does. So those are asked first that pressed in the last step, or would overlap if nothing pressed; others join when the
//! answer would let them overlap, and the islands that they join are solved again from there; as long as many will, roughly. An answer that leaves all others apart is one for
//! all, and its islands are smaller.

use stiction_lcp::Verdict;

use super::apart::{Joined, Outcome, in_whole};
use super::motion::{Goal, Island};
use super::solve::{Found, solve_whole};
use super::warm::LawWork;
use super::{Law, LawError, LawSolver, coefficient, lanes};
use crate::contact::delassus::Root;
use crate::contact::islands::{Islands, part, rows_of_blocks};
use crate::contact::space::{ContactSpace, Sides};

/// After so many rounds all are asked.
const ROUNDS: usize = 12;
/// Where more than one of so many is not asked at first, others will join: large islands are then solved to these residuals before they are to the
/// tolerance.
const OF_MANY: usize = 5;
const ROUGH: [f64; 3] = [5e-2, 3e-3, 1e-4];
/// An answer of so many of these residuals tells what else may come near, before more is done for it.
const PAUSE: usize = 2;
/// At a rough answer of large islands those are let go that open faster than this, as a part of its residual and of the largest velocity.
const LEAVES: f64 = 1.0;
/// What counts as overlapping, as a part of the tolerance and of the largest velocity.
const OPEN: f64 = 0.3;
/// Islands of up to so many blocks whose last step is not nearly an answer, and that the root leaves open, have the entries of W made: its solvers
/// end at rounding, and such a W is small.
pub(super) const FEW: usize = 40;
/// More than so many are tried by the root first, which costs the contacts where entries cost their square.
const FEWEST: usize = 6;
/// The same where one of them slipped in the last step: Newton on entries often does not arrive from there.
const FEWEST_SLIPPING: usize = 2;
/// Friction that is this near to its bound slips.
const AT_BOUND: f64 = 0.999;
/// With more coordinates than this for each block, as of a chain of which few links touch, W is the smaller matrix; half as many where no block
/// pressed in the last step, which are then more than rows: a chain over a drum from nothing takes eight times longer by the root.
const WIDE: usize = 6;

/// Memory: what is asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    is_asked: Vec<bool>,
    is_new: Vec<bool>,
    /// How fast what joins overlaps, of each node [m/s].
    margin: Vec<f64>,
    /// Of the island that begins with this block.
    pub(super) outcome: Vec<Option<Outcome>>,
    /// Islands of this round that have to be solved.
    pub(super) changed: Vec<usize>,
    /// How far large ones are solved while others will join.
    pub(super) rough: Option<f64>,
    /// Of a solve that is to be gone on with.
    paused: Option<Paused>,
}

/// Where a solve stands: its rough residuals so far, and its impulses.
#[derive(Debug)]
struct Paused {
    level: usize,
    p: Vec<f64>,
}

impl Clone for Asked {
    /// Nothing in it outlives a solve.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Nothing where it is paused.
pub(super) fn solve(
    whole: Island<'_>,
    law: &Law,
    tol: f64,
    islands: &mut Islands,
    work: &mut LawWork,
) -> Result<Option<Found>, LawError> {
    let Island { space, root, .. } = whole;
    let mut all = Joined::new(space.m(), work);
    let mut asked = std::mem::take(&mut work.asked);
    work.motion.begin(root);
    let mut level = match asked.paused.take().filter(|_| work.goes_on) {
        Some(Paused { level, p }) => {
            all.found.p = p;
            level
        }
        None => {
            asked.begin(space, &mut all.found.p);
            // what an answer passes joins it, and few others do
            let is_guess = !work.has_answer && asked.is_guess();
            if is_guess { 0 } else { ROUGH.len() }
        }
    };
    for round in 0.. {
        islands.find_among(root, &asked.is_asked);
        asked.list_changed(islands);
        asked.rough = ROUGH.get(level).copied();
        lanes::solve((whole, islands), (law, tol), &mut asked, &mut all.found.p, work)?;
        let Found { p, u, moved, .. } = &mut all.found;
        moved.collect((space, root), islands, &asked.outcome);
        root.affine(moved.plain(p), &space.u_free, u, &mut work.change);
        moved.add_velocities(root, u);
        let wanted = asked.rough.unwrap_or(tol);
        let has_joined = asked.join((space, root), u, wanted, round == ROUNDS);
        if !has_joined && asked.rough.is_none() {
            break;
        }
        // each answer says who joins, fewer from one to the next
        if asked.rough.is_some() {
            level += 1;
            let is_large = asked.ask_large_again(islands);
            asked.let_go(space, (&all.found.p, &all.found.u), (wanted, islands));
            if is_large && level == PAUSE && work.may_pause {
                asked.paused = Some(Paused { level, p: all.found.p.clone() });
                work.asked = asked;
                return Ok(None);
            }
        }
    }
    for i in 0..islands.len() {
        all.add(asked.outcome[islands.blocks(i)[0]].take().unwrap_or(Outcome::NOTHING));
    }
    work.asked = asked;
    Ok(Some(all.found))
}

impl Island<'_> {
    /// Whether friction was at its bound at one of the contacts in the last step.
    fn has_slipped(self) -> bool {
        self.contacts().any(|c| {
            let contact = &self.space.contacts[c];
            let [t1, t2] = contact.lambda_t;
            let bound = coefficient(contact, self.v_stick) * contact.lambda_n;
            bound > 0.0 && t1.hypot(t2) >= AT_BOUND * bound
        })
    }
}

impl Asked {
    /// Those that pressed or would overlap, with the impulses of the last step.
    fn begin(&mut self, space: &ContactSpace, p: &mut [f64]) {
        self.is_asked.clear();
        let opening = |c: usize| space.u_free[3 * c] + space.contacts[c].d_n;
        // where nothing is known, as when others have joined
        let is_cold = space.contacts.iter().all(|contact| contact.lambda_n == 0.0);
        let openings = (0..space.k()).filter(|_| is_cold).map(opening);
        let margin = openings.fold(0.0, |margin: f64, x| margin.max(-x));
        for (c, contact) in space.contacts.iter().enumerate() {
            let would_overlap = !(opening(c) >= margin);
            let is_asked = would_overlap || contact.lambda_n != 0.0 || contact.sides == Sides::Both;
            if is_asked {
                let [t1, t2] = contact.lambda_t;
                let lambda = [contact.lambda_n, t1, t2];
                p[3 * c..3 * c + 3].copy_from_slice(&lambda.map(|lambda| space.h * lambda));
            }
            self.is_asked.push(is_asked);
        }
        for (p, row) in p[3 * space.k()..].iter_mut().zip(&space.rows) {
            *p = space.h * row.lambda;
            self.is_asked.push(true);
        }
        self.is_new.clone_from(&self.is_asked);
        self.outcome.clear();
        self.outcome.resize_with(space.blocks(), || None);
    }

    /// Whether many contacts are not asked.
    fn is_guess(&self) -> bool {
        let others = self.is_asked.iter().filter(|is_asked| !**is_asked).count();
        OF_MANY * others > self.is_asked.len()
    }

    /// Large islands have not been solved yet. False if there are none.
    fn ask_large_again(&mut self, islands: &Islands) -> bool {
        let mut is_large = false;
        for blocks in (0..islands.len()).map(|i| islands.blocks(i)).filter(|b| b.len() > FEW) {
            blocks.iter().for_each(|&block| self.is_new[block] = true);
            is_large = true;
        }
        is_large
    }

    /// Does not ask any more what is open in the rough answer of a large island, and far from closing: others have joined that hold it
    /// open. Where that was wrong it joins again.
    fn let_go(
        &mut self,
        space: &ContactSpace,
        (p, u): (&[f64], &[f64]),
        (residual, islands): (f64, &Islands),
    ) {
        let far = LEAVES * residual * largest_velocity(space);
        for blocks in (0..islands.len()).map(|i| islands.blocks(i)).filter(|b| b.len() > FEW) {
            for &c in blocks.iter().filter(|c| **c < space.k()) {
                let contact = &space.contacts[c];
                let is_open = p[3 * c] == 0.0 && contact.sides == Sides::One;
                if is_open && u[3 * c] + contact.d_n > far {
                    (self.is_asked[c], self.is_new[c]) = (false, false);
                }
            }
        }
    }

    /// The impulses of a solve that is paused.
    pub(super) fn rough(&self) -> Option<&[f64]> {
        self.paused.as_ref().map(|paused| &paused.p[..])
    }

    /// So many contacts that have rows from now on, behind the first k.
    pub(super) fn insert(&mut self, k: usize, count: usize) {
        let Some(paused) = &mut self.paused else { return };
        paused.p.splice(3 * k..3 * k, std::iter::repeat_n(0.0, 3 * count));
        self.is_asked.splice(k..k, std::iter::repeat_n(true, count));
        self.is_new.splice(k..k, std::iter::repeat_n(true, count));
        self.outcome.splice(k..k, std::iter::repeat_with(|| None).take(count));
        // the coordinates of the root may have other numbers now
        for (outcome, is_new) in self.outcome.iter().zip(&mut self.is_new) {
            *is_new |= outcome.as_ref().is_some_and(|outcome| !outcome.moved.is_empty());
        }
    }

    fn list_changed(&mut self, islands: &Islands) {
        let has_new = |island: usize| islands.blocks(island).iter().any(|&b| self.is_new[b]);
        self.changed.clear();
        self.changed.extend((0..islands.len()).filter(|&island| has_new(island)));
    }

    /// Asks the contacts that these velocities let overlap, and those beside them that open no faster than they overlap: what holds
    /// the ones may move the others. False if there are none.
    fn join(
        &mut self,
        (space, root): (&ContactSpace, &Root),
        u: &[f64],
        tol: f64,
        all: bool,
    ) -> bool {
        self.is_new.fill(false);
        let opening = |c: usize| u[3 * c] + space.contacts[c].d_n;
        let rounding = OPEN * tol * largest_velocity(space);
        // of each node the worst overlap of what touches it
        self.margin.clear();
        self.margin.resize(root.node_start.len(), 0.0);
        let mut is_done = true;
        for c in (0..space.k()).filter(|&c| !self.is_asked[c] && !(opening(c) >= -rounding)) {
            is_done = false;
            for node in root.nodes_of(c) {
                self.margin[node] = self.margin[node].max(-opening(c));
            }
        }
        if is_done {
            return false;
        }
        for c in 0..space.k() {
            let beside = root.nodes_of(c).map(|node| self.margin[node]).fold(0.0, f64::max);
            self.is_new[c] = !self.is_asked[c] && (all || !(opening(c) >= beside));
            self.is_asked[c] |= self.is_new[c];
        }
        true
    }
}

fn largest_velocity(space: &ContactSpace) -> f64 {
    let offsets = space.contacts.iter().map(|contact| contact.d_n);
    space.u_free.iter().copied().chain(offsets).map(f64::abs).fold(0.0, f64::max)
}

/// Islands of contacts by the root. Few contacts whose last step is not nearly an answer, and bounded rows that touch no contact, by the
/// entries of their own W.
pub(super) fn solve_island(
    island: Island<'_>,
    (law, tol, rough): (&Law, f64, Option<f64>),
    p: &mut [f64],
    work: &mut LawWork,
) -> Result<Outcome, LawError> {
    let Island { space, blocks, .. } = island;
    let has_contacts = blocks[0] < space.k();
    if has_contacts && blocks.len() > FEW {
        let goal = Goal {
            tol: rough.unwrap_or(tol).max(tol),
            may_split: work.may_split,
            is_rough: rough.is_some_and(|rough| rough > tol),
        };
        return work.motion.solve(island, goal, p);
    }
    if has_contacts
        && let Some(outcome) = work.motion.solve_near(island, (tol, work.may_split), p)?
    {
        return Ok(outcome);
    }
    let has_pressed = |&b: &usize| b < space.k() && space.contacts[b].lambda_n != 0.0;
    let widest = if blocks.iter().any(has_pressed) { WIDE } else { WIDE / 2 };
    let is_wide = |coordinates: usize| coordinates > widest * blocks.len();
    let fewest = if island.has_slipped() { FEWEST_SLIPPING } else { FEWEST };
    if blocks.len() > fewest && has_contacts && !is_wide(work.motion.coordinates(island.root)) {
        let goal = Goal { tol, may_split: work.may_split, is_rough: false };
        let outcome = work.motion.solve(island, goal, p)?;
        if outcome.verdict == Verdict::Certified {
            return Ok(outcome);
        }
    }
    let rows = rows_of_blocks(space, blocks);
    work.place.resize(space.m(), 0);
    let own = part(space, &rows, &mut work.place);
    let found = solve_whole(&own, law, LawSolver::Auto, tol, work);
    let found = found.map_err(|error| in_whole(error, space.k(), own.k(), &rows))?;
    rows.iter().zip(&found.p).for_each(|(&row, &p_i)| p[row] = p_i);
    let is_open = found.outcome.verdict == Verdict::Uncertified;
    if is_open && has_contacts && work.may_split {
        // rounding may be all that is in the way
        let near = work.motion.solve_near(island, (tol, true), p)?;
        return Ok(near.unwrap_or(found.outcome));
    }
    Ok(found.outcome)
}
