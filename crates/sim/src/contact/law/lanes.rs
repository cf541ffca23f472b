//! Islands at the same time: each thread has memory of its own, and each island is solved as if it were alone.

use super::asked::{Asked, solve_island};
use super::motion::Island;
use super::warm::LawWork;
use super::{Law, LawError};
use crate::contact::islands::Islands;

/// What one thread does in a round.
#[derive(Debug, Default)]
pub(super) struct Lane {
    work: LawWork,
    islands: Vec<usize>,
    /// Blocks of all of them.
    load: usize,
    /// Of the whole space; its own islands count.
    p: Vec<f64>,
    solved: Vec<Solved>,
}

type Solved = Result<super::apart::Outcome, LawError>;

impl Clone for Lane {
    /// Nothing in it outlives a solve.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Fewer contacts than this for each are not worth a thread.
const BLOCKS: usize = 24;

/// Solves the islands that have changed: their outcomes, and their impulses into p.
pub(super) fn solve(
    (whole, islands): (Island<'_>, &Islands),
    of: (&Law, f64),
    asked: &mut Asked,
    p: &mut [f64],
    work: &mut LawWork,
) -> Result<(), LawError> {
    let of = (of.0, of.1, asked.rough);
    let blocks: usize = asked.changed.iter().map(|&i| islands.blocks(i).len()).sum();
    let count = work.threads.count().min(blocks / BLOCKS).min(asked.changed.len());
    if count < 2 {
        for &i in &asked.changed {
            let island = Island { blocks: islands.blocks(i), ..whole };
            asked.outcome[island.blocks[0]] = Some(solve_island(island, of, p, work)?);
        }
        return Ok(());
    }
    let mut lanes = std::mem::take(&mut work.lanes);
    lanes.resize_with(count, Lane::default);
    lanes.iter_mut().for_each(|lane| lane.work.may_split = work.may_split);
    share_out(islands, &mut asked.changed, &mut lanes);
    work.threads.each(&mut lanes, |lane| {
        lane.p.clear();
        lane.p.extend_from_slice(p);
        lane.work.motion.begin(whole.root);
        lane.solved.clear();
        for &i in &lane.islands {
            let island = Island { blocks: islands.blocks(i), ..whole };
            lane.solved.push(solve_island(island, of, &mut lane.p, &mut lane.work));
        }
    });
    let result = collect((whole, islands), asked, p, &mut lanes);
    work.lanes = lanes;
    result
}

/// The largest first, each to who has the least.
fn share_out(islands: &Islands, changed: &mut [usize], lanes: &mut [Lane]) {
    for lane in lanes.iter_mut() {
        lane.islands.clear();
        lane.load = 0;
    }
    changed.sort_by_key(|&i| (std::cmp::Reverse(islands.blocks(i).len()), i));
    for &i in &*changed {
        if let Some(lane) = lanes.iter_mut().min_by_key(|lane| lane.load) {
            lane.islands.push(i);
            lane.load += islands.blocks(i).len();
        }
    }
}

/// Impulses and outcomes; of errors the one of the first island, whoever had it.
fn collect(
    (whole, islands): (Island<'_>, &Islands),
    asked: &mut Asked,
    p: &mut [f64],
    lanes: &mut [Lane],
) -> Result<(), LawError> {
    let mut first: Option<(usize, LawError)> = None;
    for lane in lanes {
        for (&i, solved) in lane.islands.iter().zip(lane.solved.drain(..)) {
            let blocks = islands.blocks(i);
            match solved {
                Ok(outcome) => asked.outcome[blocks[0]] = Some(outcome),
                Err(error) if first.as_ref().is_none_or(|(other, _)| i < *other) => {
                    first = Some((i, error));
                }
                Err(_) => {}
            }
            for row in blocks.iter().flat_map(|&block| whole.space.rows_of(block)) {
                p[row] = lane.p[row];
            }
        }
    }
    first.map_or(Ok(()), |(_, error)| Err(error))
}
