//! One island of the cone law in velocity space: stated by the root of W, whose entries are never made.
//!
//! Guides and bounded rows stand among the cones as `embed` says; here their idle rows have no coordinates and the compliance that is
//! their diagonal there. The last step is the start. Costs the contacts of the island.

mod state;

use std::cell::Cell;

use stiction_lcp::motion::{
    MotionProblem, MotionWork, solve_motion, solve_motion_near, with_second_part,
};
use stiction_lcp::{Stop, Verdict, never};

use super::LawError;
use super::apart::Outcome;
use super::solve::{PARTS, REACH};
use super::units::RootUnits;
use crate::contact::delassus::Root;
use crate::contact::space::{ContactSpace, Sides};
use state::{is_two_sided, middle};

/// Memory of islands: nothing of an answer is kept in it.
#[derive(Clone, Debug, Default)]
pub(super) struct MotionMemory {
    /// Of each island its own, so that what is known of its graph is there in the next step.
    slots: Vec<Option<Box<Slot>>>,
    next: usize,
    /// The slot of the island that begins with this block, of this step.
    of_block: Vec<Option<usize>>,
    /// For each node of the root its number in the island.
    place: Vec<usize>,
    nodes: Vec<usize>,
    rows: Vec<[f64; 3]>,
    units: RootUnits,
    /// Of the island's contacts: the side on which a guide presses, 1 or −1.
    side: Vec<f64>,
    /// Of its bounded rows, in units of the solve: bounds, and those between which they are solved.
    bounds: Vec<[f64; 2]>,
    between: Vec<[f64; 2]>,
    /// What the middles of bounds do to the coordinates; zeros where nothing is stated.
    change: Vec<f64>,
    has_middles: bool,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    problem: MotionProblem,
    work: MotionWork,
    /// The start, then the answer.
    r: Vec<[f64; 3]>,
    last: Solve,
    is_known: bool,
}

/// A solve: the same problem from the same start has the same answer, and what rests asks it again in every step.
#[derive(Clone, Debug, Default)]
struct Solve {
    problem: MotionProblem,
    tol: f64,
    start: Vec<[f64; 3]>,
    r: Vec<[f64; 3]>,
    residual: f64,
    link: &'static str,
    /// Of an answer in two parts.
    x: Vec<f64>,
}

/// What is asked of a solve.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) tol: f64,
    /// The answer may be in two parts.
    pub(super) may_split: bool,
    /// Others will join: the answer is to be had soon or not at all.
    pub(super) is_rough: bool,
}

/// Looks at `stop` that a rough answer is worth: the passes of a gradient and two turns of Newton's steps.
const ROUGH_LOOKS: usize = 760;

/// What is solved.
#[derive(Clone, Copy)]
pub(super) struct Island<'a> {
    pub(super) space: &'a ContactSpace,
    pub(super) root: &'a Root,
    /// Contacts, then bounded rows, ascending; the first is a contact.
    pub(super) blocks: &'a [usize],
    pub(super) v_stick: f64,
}

impl MotionMemory {
    /// A new step.
    pub(super) fn begin(&mut self, root: &Root) {
        self.next = 0;
        self.of_block.clear();
        self.place.resize(root.node_start.len(), usize::MAX);
        self.change.clear();
        self.change.resize(root.weight.len(), 0.0);
    }

    /// That of an island which began with the same block in an earlier round: solved further, its graph is known; where others have joined,
    /// there is memory for it.
    fn slot_of(&mut self, island: Island<'_>) -> usize {
        let first = island.blocks[0];
        if let Some(slot) = self.of_block.get(first).copied().flatten() {
            return slot;
        }
        let slot = self.slot();
        self.of_block.resize(self.of_block.len().max(first + 1), None);
        self.of_block[first] = Some(slot);
        slot
    }

    fn slot(&mut self) -> usize {
        if self.slots.len() == self.next {
            self.slots.push(None);
        }
        self.next += 1;
        self.next - 1
    }

    /// Solves an island from the impulses in p, which is of the whole space, and writes its own into it [N·s].
    pub(super) fn solve(
        &mut self,
        island: Island<'_>,
        goal: Goal,
        p: &mut [f64],
    ) -> Result<Outcome, LawError> {
        let number = self.slot_of(island);
        let mut slot = self.slots[number].take().unwrap_or_default();
        let goal = Goal { may_split: goal.may_split && island.may_split(), ..goal };
        let mut result = self.solve_in(island, goal, p, &mut slot);
        if let Ok(outcome) = &mut result {
            self.read(island, &slot.r, p);
            self.read_moved(island, &slot.work.x, &mut outcome.moved);
        }
        self.slots[number] = Some(slot);
        result
    }

    /// The same where the last step is nearly an answer; nothing where it is not.
    pub(super) fn solve_near(
        &mut self,
        island: Island<'_>,
        (tol, may_split): (f64, bool),
        p: &mut [f64],
    ) -> Result<Option<Outcome>, LawError> {
        let number = self.slot();
        let mut slot = self.slots[number].take().unwrap_or_default();
        let goal = (tol, may_split && island.may_split());
        let mut result = self.solve_near_in(island, goal, p, &mut slot);
        if let Ok(Some(outcome)) = &mut result {
            self.read(island, &slot.r, p);
            self.read_moved(island, &slot.work.x, &mut outcome.moved);
        }
        self.slots[number] = Some(slot);
        result
    }

    /// Of the island that was solved last.
    pub(super) fn coordinates(&self, root: &Root) -> usize {
        self.nodes.iter().map(|&node| root.node_start[node + 1] - root.node_start[node]).sum()
    }

    fn solve_near_in(
        &mut self,
        island: Island<'_>,
        goal: (f64, bool),
        p: &[f64],
        slot: &mut Slot,
    ) -> Result<Option<Outcome>, LawError> {
        self.prepare(island);
        self.narrow(f64::INFINITY);
        self.start(island, p, &mut slot.r);
        if slot.r.iter().all(|r| *r == [0.0; 3]) {
            return Ok(None);
        }
        self.state(island, &mut slot.problem)?;
        let outcome = run_near(slot, goal);
        let parts = |i: usize| slot.work.u.get(i).map_or(0.0, |u| u[0].abs()) > PARTS;
        let is_turned = |(i, c): (usize, usize)| is_guide(island.space, c) && parts(i);
        Ok(outcome.filter(|_| !island.contacts().enumerate().any(is_turned)))
    }

    fn solve_in(
        &mut self,
        island: Island<'_>,
        goal: Goal,
        p: &[f64],
        slot: &mut Slot,
    ) -> Result<Outcome, LawError> {
        self.prepare(island);
        let (mut reach, mut all) = (REACH, Outcome::NOTHING);
        loop {
            let is_narrowed = self.narrow(reach);
            self.state(island, &mut slot.problem)?;
            self.start(island, p, &mut slot.r);
            all.follow(run(slot, goal));
            self.turn_guides(island, goal, slot, &mut all)?;
            let stays = self.between.iter().zip(&slot.r[self.side.len()..]).all(|(bounds, r)| {
                !is_two_sided(bounds) || (middle(bounds) + r[1]).abs() < 0.5 * reach
            });
            if !is_narrowed || (all.verdict == Verdict::Certified && stays) {
                return Ok(all);
            }
            reach *= reach;
        }
    }

    /// Units, nodes, sides and bounds of an island.
    fn prepare(&mut self, island: Island<'_>) {
        self.units.find(island.space, island.root, island.blocks);
        self.number_nodes(island);
        self.side.clear();
        let space = island.space;
        self.side.extend(island.contacts().map(|c| first_side(space, c)));
        self.bounds.clear();
        let scaled = island.bounded().zip(&self.units.lever).map(|(i, lever)| {
            let (row, impulse) = (&space.rows[i], self.units.impulse() * lever);
            [row.lower / impulse, row.upper / impulse]
        });
        self.bounds.extend(scaled);
    }

    /// Brings bounds within `reach` of zero where there is room; false if all are.
    fn narrow(&mut self, reach: f64) -> bool {
        self.between.clone_from(&self.bounds);
        let mut is_narrowed = false;
        for between in &mut self.between {
            let [lower, upper] = *between;
            if is_two_sided(between) && lower < -reach && upper > reach {
                *between = [-reach, reach];
                is_narrowed = true;
            }
        }
        is_narrowed
    }

    /// Guides press on the side that was assumed, or not at all and part: then they press on the other one. Goes on until all do
    /// as assumed, or it comes to no end; then the judge will say so.
    fn turn_guides(
        &mut self,
        island: Island<'_>,
        goal: Goal,
        slot: &mut Slot,
        all: &mut Outcome,
    ) -> Result<(), LawError> {
        let is_guide = |c: usize| is_guide(island.space, c);
        let guides = island.contacts().filter(|&c| is_guide(c)).count();
        if guides == 0 {
            return Ok(());
        }
        for _ in 0..2 * guides + 2 {
            let mut is_turned = false;
            for (i, _) in island.contacts().enumerate().filter(|(_, c)| is_guide(*c)) {
                let parting = slot.work.u.get(i).map_or(0.0, |u| self.side[i] * u[0]);
                // from nothing on the other side
                if parting.abs() > PARTS {
                    self.side[i] = -parting.signum();
                    slot.r[i][0] = 0.0;
                    is_turned = true;
                }
            }
            if !is_turned {
                break;
            }
            self.state(island, &mut slot.problem)?;
            all.follow(run(slot, goal));
        }
        Ok(())
    }
}

impl<'a> Island<'a> {
    /// Its coordinates are velocities of the model, and its impulses those of contacts alone: what these do is what is done.
    fn may_split(self) -> bool {
        let is_contact = |block: &usize| *block < self.space.k();
        self.root.is_of_velocities() && self.blocks.iter().all(is_contact)
    }

    pub(super) fn contacts(self) -> impl Iterator<Item = usize> + 'a {
        let k = self.space.k();
        self.blocks.iter().copied().take_while(move |block| *block < k)
    }

    /// Numbers of bounded rows.
    fn bounded(self) -> impl Iterator<Item = usize> + 'a {
        let k = self.space.k();
        let first = self.blocks.partition_point(|block| *block < k);
        self.blocks[first..].iter().map(move |block| block - k)
    }
}

fn run(slot: &mut Slot, Goal { tol, may_split, is_rough }: Goal) -> Outcome {
    if let Some(outcome) = slot.again(tol) {
        return outcome;
    }
    slot.remember_start(tol);
    let looks = Cell::new(0);
    let is_enough = || {
        looks.set(looks.get() + 1);
        looks.get() > ROUGH_LOOKS
    };
    let stop: Stop<'_> = if is_rough { &is_enough } else { &never };
    let mut report = solve_motion(&slot.problem, tol, &mut slot.work, stop, &mut slot.r);
    if may_split {
        let found = (report, &mut slot.r[..]);
        report = with_second_part(&slot.problem, tol, &mut slot.work, found);
    }
    let verdict = if report.certified { Verdict::Certified } else { Verdict::Uncertified };
    slot.end(verdict, report.residual.scaled)
}

fn run_near(slot: &mut Slot, goal: (f64, bool)) -> Option<Outcome> {
    if let Some(outcome) = slot.again(goal.0) {
        return Some(outcome);
    }
    slot.remember_start(goal.0);
    let residual = solve_motion_near(&slot.problem, goal, &mut slot.work, &mut slot.r)?;
    Some(slot.end(Verdict::Certified, residual.scaled))
}

impl Slot {
    /// The answer, where this is the last solve once more.
    fn again(&mut self, tol: f64) -> Option<Outcome> {
        let is_same = self.is_known
            && (self.last.tol, &self.last.start, &self.last.problem)
                == (tol, &self.r, &self.problem);
        is_same.then(|| {
            self.r.copy_from_slice(&self.last.r);
            self.work.x.clone_from(&self.last.x);
            Outcome { problem: self.last.residual, link: self.last.link, ..Outcome::NOTHING }
        })
    }

    fn remember_start(&mut self, tol: f64) {
        self.is_known = false;
        self.last.tol = tol;
        self.last.start.clone_from(&self.r);
    }

    /// What is known of a solve that has come to its end; kept where the start was the answer.
    fn end(&mut self, verdict: Verdict, residual: f64) -> Outcome {
        let links = &self.work.links;
        let outcome = Outcome {
            verdict,
            problem: residual,
            link: links.last().map_or("none", |link| link.solver),
            iterations: links.iter().map(|link| link.report.iterations).sum(),
            singular_blocks: links.iter().map(|link| link.report.singular).sum(),
            moved: Vec::new(),
        };
        if outcome.verdict == Verdict::Certified && self.r == self.last.start {
            self.last.r.clone_from(&self.r);
            self.last.x.clone_from(&self.work.x);
            (self.last.residual, self.last.link) = (residual, outcome.link);
            std::mem::swap(&mut self.last.problem, &mut self.problem);
            self.is_known = true;
        }
        outcome
    }
}

fn is_guide(space: &ContactSpace, c: usize) -> bool {
    space.contacts[c].sides == Sides::Both
}

/// The side on which a guide pressed in the last step; where it did not, what keeps its row from moving.
fn first_side(space: &ContactSpace, c: usize) -> f64 {
    let contact = &space.contacts[c];
    match contact.sides {
        Sides::One => 1.0,
        Sides::Both if contact.lambda_n != 0.0 => contact.lambda_n.signum(),
        Sides::Both if space.u_free[3 * c] + contact.d_n > 0.0 => -1.0,
        Sides::Both => 1.0,
    }
}
