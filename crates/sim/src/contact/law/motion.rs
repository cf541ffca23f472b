//! One island of the cone law in velocity space: stated by the root of W, whose entries are never made.
//!
//! Guides and bounded rows stand among the cones as `embed` says; here their idle rows have no coordinates and the compliance that is
//! their diagonal there. The last step is the start. Costs the contacts of the island.

mod compress;
mod state;

use std::cell::Cell;

use stiction_lcp::motion::{MotionProblem, MotionWork, solve_motion};
use stiction_lcp::{
    FrictionAnswer, FrictionProblem, FrictionSolver, Stop, Verdict, never, solve_friction,
};

use super::LawError;
use super::apart::Outcome;
use super::solve::{PARTS, REACH};
use super::units::RootUnits;
use crate::contact::delassus::Root;
use crate::contact::space::{ContactSpace, Sides};
use compress::Compression;
use state::{is_two_sided, middle};

/// Islands of more blocks than this have memory of their own, so that what is known of their graph is there in the next step.
const LARGE: usize = 8;

/// Problems of so many cones go to the chain of the local form too, where there is no certificate.
const FEW: usize = 40;

/// Memory of islands: nothing of an answer is kept in it.
#[derive(Clone, Debug, Default)]
pub(super) struct MotionMemory {
    /// The first is for all small islands.
    slots: Vec<Slot>,
    next: usize,
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
    compression: Compression,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    problem: MotionProblem,
    /// The problem with fewer coordinates.
    small: MotionProblem,
    is_small: bool,
    work: MotionWork,
    r: Vec<[f64; 3]>,
}

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
        self.place.resize(root.node_start.len(), usize::MAX);
        self.change.clear();
        self.change.resize(root.weight.len(), 0.0);
        if self.slots.is_empty() {
            self.slots.push(Slot::default());
        }
    }

    fn slot(&mut self, blocks: usize) -> usize {
        if blocks <= LARGE {
            return 0;
        }
        self.next += 1;
        if self.slots.len() == self.next {
            self.slots.push(Slot::default());
        }
        self.next
    }

    /// Solves an island and writes its impulses into p, which is of the whole space [N·s].
    pub(super) fn solve(
        &mut self,
        island: Island<'_>,
        tol: f64,
        p: &mut [f64],
    ) -> Result<Outcome, LawError> {
        let number = self.slot(island.blocks.len());
        let mut slot = std::mem::take(&mut self.slots[number]);
        let result = self.solve_in(island, tol, &mut slot);
        if result.is_ok() {
            self.read(island, &slot.r, p);
        }
        self.slots[number] = slot;
        result
    }

    fn solve_in(
        &mut self,
        island: Island<'_>,
        tol: f64,
        slot: &mut Slot,
    ) -> Result<Outcome, LawError> {
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
        let (mut reach, mut all) = (REACH, Outcome::NOTHING);
        loop {
            let is_narrowed = self.narrow(reach);
            self.state(island, slot)?;
            self.start(island, &mut slot.r);
            all.follow(run(slot, tol));
            self.turn_guides(island, tol, slot, &mut all)?;
            let stays = self.between.iter().zip(&slot.r[self.side.len()..]).all(|(bounds, r)| {
                !is_two_sided(bounds) || (middle(bounds) + r[1]).abs() < 0.5 * reach
            });
            if !is_narrowed || (all.verdict == Verdict::Certified && stays) {
                return Ok(all);
            }
            reach *= reach;
        }
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
        tol: f64,
        slot: &mut Slot,
        all: &mut Outcome,
    ) -> Result<(), LawError> {
        let is_guide = |c: usize| island.space.contacts[c].sides == Sides::Both;
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
            self.state(island, slot)?;
            all.follow(run(slot, tol));
        }
        Ok(())
    }
}

impl<'a> Island<'a> {
    fn contacts(self) -> impl Iterator<Item = usize> + 'a {
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

/// Islands of a few cones are solved to rounding, where a limited effort is enough for it: to more than the tolerance asks for.
const FINE: f64 = 1e-14;
const EFFORT: usize = 40;

/// By the chain in velocity space. A small problem that it leaves open goes to the chain of the local form, which knows more solvers.
fn run(slot: &mut Slot, tol: f64) -> Outcome {
    let is_few = slot.problem.contacts() <= FEW;
    let mut outcome = Outcome { verdict: Verdict::Uncertified, ..Outcome::NOTHING };
    if is_few && tol > FINE {
        let effort = Cell::new(0);
        let is_enough = || effort.replace(effort.get() + 1) >= EFFORT;
        outcome.follow(run_motion(slot, (FINE, tol), &is_enough));
    }
    if outcome.verdict != Verdict::Certified {
        outcome.follow(run_motion(slot, (tol, tol), &never));
    }
    if outcome.verdict == Verdict::Certified || !is_few {
        return outcome;
    }
    match slot.problem.to_local() {
        Ok(local) => run_local(slot, &local, tol, outcome),
        Err(_) => outcome,
    }
}

/// To the first tolerance; certified at the second.
fn run_motion(slot: &mut Slot, (wanted, tol): (f64, f64), stop: Stop<'_>) -> Outcome {
    let problem = if slot.is_small { &slot.small } else { &slot.problem };
    let report = solve_motion(problem, wanted, &mut slot.work, stop, &mut slot.r);
    let links = &slot.work.links;
    let is_certified = report.certified || report.residual.accepts(tol);
    // the link whose answer it is
    let own = links.iter().find(|link| link.residual == report.residual.scaled);
    Outcome {
        verdict: if is_certified { Verdict::Certified } else { Verdict::Uncertified },
        problem: report.residual.scaled,
        link: own.or(links.last()).map_or("none", |link| link.solver),
        iterations: links.iter().map(|link| link.report.iterations).sum(),
        singular_blocks: links.iter().map(|link| link.report.singular).sum(),
    }
}

fn run_local(slot: &mut Slot, local: &FrictionProblem, tol: f64, before: Outcome) -> Outcome {
    let FrictionAnswer { r, u, verdict, residual, chain } =
        solve_friction(local, FrictionSolver::Auto, tol, &never);
    let iterations = chain.iter().map(|link| link.report.iterations).sum::<usize>();
    let singular = chain.iter().map(|link| link.report.singular).sum::<usize>();
    let is_better = verdict != Verdict::Uncertified || residual.scaled < before.problem;
    let mut outcome = before;
    outcome.iterations += iterations;
    outcome.singular_blocks += singular;
    if is_better {
        slot.r.iter_mut().zip(r.chunks_exact(3)).for_each(|(r, own)| r.copy_from_slice(own));
        slot.work.u.iter_mut().zip(u.chunks_exact(3)).for_each(|(u, own)| u.copy_from_slice(own));
        (outcome.verdict, outcome.problem) = (verdict, residual.scaled);
        outcome.link = chain.last().map_or("none", |link| link.solver);
    }
    outcome
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
