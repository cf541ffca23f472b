//! What of a space hangs together, as the judge sees it: found anew, by another way than the solvers' islands.

use crate::contact::delassus::Root;
use crate::contact::space::ContactSpace;

/// Parts, and memory to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// The blocks of part i, ascending: `blocks[start[i]..start[i + 1]]`.
    blocks: Vec<usize>,
    start: Vec<usize>,
    is_seen: Vec<bool>,
    stack: Vec<usize>,
    /// The blocks that have coordinate c of a root: `sharing[first[c]..next[c]]`.
    sharing: Vec<usize>,
    first: Vec<usize>,
    next: Vec<usize>,
    is_asked: Vec<bool>,
}

/// Whether all blocks begin with the same coordinate, as the feet of one robot do: then they hang together.
fn shares_one(space: &ContactSpace, root: &Root) -> bool {
    let first = |block: usize| root.Y.block(block).0.first();
    space.blocks() > 0
        && first(0).is_some()
        && (1..space.blocks()).all(|block| first(block) == first(0))
}

impl Parts {
    /// What coordinates of the root, or entries of W (symmetric), lead to, from block to block.
    pub(super) fn find(&mut self, space: &ContactSpace) {
        self.blocks.clear();
        self.start.clear();
        self.start.push(0);
        self.is_seen.clear();
        self.is_seen.resize(space.blocks(), false);
        let root = space.W.root();
        if let Some(root) = root {
            if shares_one(space, root) {
                self.blocks.extend(0..space.blocks());
                self.start.push(space.blocks());
                return;
            }
            self.find_sharing(space, root);
        }
        for first in 0..space.blocks() {
            if std::mem::replace(&mut self.is_seen[first], true) {
                continue;
            }
            let begin = self.blocks.len();
            self.stack.push(first);
            while let Some(block) = self.stack.pop() {
                self.blocks.push(block);
                match root {
                    Some(root) => self.go_on_by_coordinates(root, block),
                    None => self.go_on_by_entries(space, block),
                }
            }
            self.blocks[begin..].sort_unstable();
            self.start.push(self.blocks.len());
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.start.windows(2).map(|ends| &self.blocks[ends[0]..ends[1]])
    }

    fn find_sharing(&mut self, space: &ContactSpace, root: &Root) {
        let coordinates = root.weight.len();
        self.first.clear();
        self.first.resize(coordinates + 1, 0);
        for block in 0..space.blocks() {
            root.Y.block(block).0.iter().for_each(|&c| self.first[c + 1] += 1);
        }
        for c in 0..coordinates {
            self.first[c + 1] += self.first[c];
        }
        self.next.clone_from(&self.first);
        // all of them are written below
        self.sharing.resize(self.first[coordinates], 0);
        for block in 0..space.blocks() {
            for &c in root.Y.block(block).0 {
                self.sharing[self.next[c]] = block;
                self.next[c] += 1;
            }
        }
        self.is_asked.clear();
        self.is_asked.resize(coordinates, false);
    }

    /// Each coordinate is asked once for all blocks that have it, until all are seen.
    fn go_on_by_coordinates(&mut self, root: &Root, block: usize) {
        if self.blocks.len() + self.stack.len() == self.is_seen.len() {
            return;
        }
        for &c in root.Y.block(block).0 {
            if std::mem::replace(&mut self.is_asked[c], true) {
                continue;
            }
            for &other in &self.sharing[self.first[c]..self.next[c]] {
                if !std::mem::replace(&mut self.is_seen[other], true) {
                    self.stack.push(other);
                }
            }
        }
    }

    /// A NaN leads on. Most of W need not be looked at before all blocks are seen.
    fn go_on_by_entries(&mut self, space: &ContactSpace, block: usize) {
        if self.blocks.len() + self.stack.len() == self.is_seen.len() {
            return;
        }
        for j in space.rows_of(block) {
            space.W.for_column(j, |i, w_ij| {
                let other = space.block_of(i);
                if w_ij != 0.0 && !std::mem::replace(&mut self.is_seen[other], true) {
                    self.stack.push(other);
                }
            });
        }
    }
}
