//! What of a space hangs together, as the judge sees it: found anew, by another way than the solvers' islands.

use crate::contact::delassus::Root;
use crate::contact::space::ContactSpace;

/// The blocks of each part, ascending: what coordinates of the root, or entries of W (symmetric), lead to, from block to block.
pub(super) fn parts(space: &ContactSpace) -> Vec<Vec<usize>> {
    match space.W.root() {
        Some(root) => parts_of_root(space, root),
        None => parts_of_matrix(space),
    }
}

/// Each coordinate is asked once for all rows that have it.
fn parts_of_root(space: &ContactSpace, root: &Root) -> Vec<Vec<usize>> {
    // the blocks of coordinate c: sharing[start[c]..start[c + 1]]
    let mut start = vec![0; root.weight.len() + 1];
    for row in 0..space.m() {
        root.Y.slices(row).0.iter().for_each(|&c| start[c + 1] += 1);
    }
    for c in 1..start.len() {
        start[c] += start[c - 1];
    }
    let mut sharing = vec![0; start[root.weight.len()]];
    let mut next = start.clone();
    for row in 0..space.m() {
        for &c in root.Y.slices(row).0 {
            sharing[next[c]] = space.block_of(row);
            next[c] += 1;
        }
    }
    let (mut is_seen, mut is_asked) = (vec![false; space.blocks()], vec![false; start.len()]);
    let (mut parts, mut stack) = (Vec::new(), Vec::new());
    for first in 0..space.blocks() {
        if std::mem::replace(&mut is_seen[first], true) {
            continue;
        }
        stack.push(first);
        let mut part = Vec::new();
        while let Some(block) = stack.pop() {
            part.push(block);
            for &c in space.rows_of(block).flat_map(|row| root.Y.slices(row).0) {
                if std::mem::replace(&mut is_asked[c], true) {
                    continue;
                }
                for &other in &sharing[start[c]..start[c + 1]] {
                    if !std::mem::replace(&mut is_seen[other], true) {
                        stack.push(other);
                    }
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// A NaN leads on.
fn parts_of_matrix(space: &ContactSpace) -> Vec<Vec<usize>> {
    let blocks = space.blocks();
    let mut is_seen = vec![false; blocks];
    let (mut parts, mut stack, mut seen) = (Vec::new(), Vec::new(), 0);
    for first in 0..blocks {
        if is_seen[first] {
            continue;
        }
        is_seen[first] = true;
        seen += 1;
        let mut part = vec![first];
        stack.push(first);
        // depth first: most of W need not be looked at before all blocks are seen
        while let Some(block) = stack.pop()
            && seen < blocks
        {
            for j in space.rows_of(block) {
                space.W.for_column(j, |i, w_ij| {
                    if w_ij != 0.0 && !is_seen[space.block_of(i)] {
                        is_seen[space.block_of(i)] = true;
                        seen += 1;
                        part.push(space.block_of(i));
                        stack.push(space.block_of(i));
                    }
                });
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}
