//! What of a space hangs together, as the judge sees it: found anew, by another way than the solvers' islands.

use crate::contact::space::ContactSpace;

/// The blocks of each part, ascending: what entries of W (symmetric) lead to, from block to block. A NaN leads on.
pub(super) fn parts(space: &ContactSpace) -> Vec<Vec<usize>> {
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
