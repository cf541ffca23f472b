//! Which bilateral rows hang together: by the trees that they connect, from row to row.

use crate::constraint::solve::RowSolver;
use crate::tree::pattern::TreePattern;

const NONE: usize = usize::MAX;

/// Parts of a set of factored rows, and memory to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowParts {
    /// Of the first velocity of each tree: the part of the rows that touch it, or none.
    of_tree: Vec<usize>,
    parent: Vec<usize>,
    /// By their parts: places of independent rows in the order in which they were taken, and coordinates in which these differ from
    /// zero, both ascending.
    places: Vec<(usize, usize)>,
    coordinates: Vec<(usize, usize)>,
    is_met: Vec<bool>,
    /// Of each row.
    of_row: Vec<usize>,
}

impl RowParts {
    pub(crate) fn find(&mut self, pattern: &TreePattern, solver: &RowSolver) {
        self.places.clear();
        self.coordinates.clear();
        self.of_row.clear();
        self.of_row.resize(solver.len(), NONE);
        if solver.rank() == 0 {
            return;
        }
        let nv = pattern.n();
        let tree = |v: usize| pattern.row(v)[0] as usize;
        self.parent.clear();
        self.parent.extend(0..nv);
        for &row in solver.order() {
            let mut trees = solver.coordinates(row).filter(|c| *c < nv).map(tree);
            let Some(first) = trees.next() else { continue };
            for other in trees {
                let (a, b) = (root(&mut self.parent, first), root(&mut self.parent, other));
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.of_tree.clear();
        self.of_tree.resize(nv, NONE);
        self.is_met.clear();
        self.is_met.resize(nv + solver.len(), false);
        for (place, &row) in solver.order().iter().enumerate() {
            // a row that touches nothing is in no one's way
            let Some(first) = solver.coordinates(row).next().filter(|c| *c < nv) else { continue };
            let part = root(&mut self.parent, tree(first));
            self.places.push((part, place));
            self.of_row[row] = part;
            for c in solver.coordinates(row) {
                if c < nv {
                    self.of_tree[tree(c)] = part;
                }
                if !std::mem::replace(&mut self.is_met[c], true) {
                    self.coordinates.push((part, c));
                }
            }
        }
        self.places.sort_unstable();
        self.coordinates.sort_unstable();
    }

    /// The part of the rows that touch the tree of this velocity.
    pub(crate) fn of_velocity(&self, pattern: &TreePattern, v: usize) -> Option<usize> {
        Some(self.of_tree[pattern.row(v)[0] as usize]).filter(|part| *part != NONE)
    }

    /// The part of a row; none for those that depend on others.
    pub(crate) fn of_row(&self, row: usize) -> Option<usize> {
        self.of_row.get(row).copied().filter(|part| *part != NONE)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where the rows of a part are in the order in which they were taken.
    pub(crate) fn places(&self, part: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        of_part(&self.places, part)
    }

    pub(crate) fn coordinates(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        of_part(&self.coordinates, part)
    }
}

fn of_part(sorted: &[(usize, usize)], part: usize) -> impl Iterator<Item = usize> + Clone + '_ {
    let first = sorted.partition_point(|(other, _)| *other < part);
    sorted[first..].iter().take_while(move |(other, _)| *other == part).map(|(_, item)| *item)
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
