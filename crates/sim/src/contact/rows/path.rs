//! Contacts of one tree with the world: their velocities are a path to the root, each the ancestor of those after it.

use super::ContactRows;
use crate::contact::sparse::SparseBlocks;
use crate::tree::matrix::TreeFactor;
use crate::tree::pattern::TreePattern;

impl ContactRows {
    /// Eliminates a block in its place where it is a whole path, without looking for the velocities that it touches. False: it is none.
    pub(super) fn factor_path(
        &mut self,
        (pattern, M): (&TreePattern, &TreeFactor),
        block: usize,
        weight: &[f64],
        Y: &mut SparseBlocks,
    ) -> bool {
        let (index, value) = self.J.block(block);
        let Some(&deepest) = index.iter().max() else { return false };
        let path = pattern.row(deepest);
        if path.len() != index.len() {
            return false;
        }
        let y = &mut self.alone;
        y.clear();
        y.resize(path.len(), [0.0; 3]);
        for (&j, J) in index.iter().zip(value) {
            let at = pattern.depth(j);
            if path.get(at).is_none_or(|&own| own as usize != j) {
                return false;
            }
            y[at] = *J;
        }
        for i in (1..path.len()).rev() {
            let (above, y_i) = y.split_at_mut(i);
            let y_i = y_i[0];
            for (y_j, l) in above.iter_mut().zip(M.row_below(pattern, path[i] as usize)) {
                for a in 0..3 {
                    y_j[a] -= l * y_i[a];
                }
            }
        }
        let rows = if block < self.J.triples() { 3 } else { 1 };
        let mut free = [0.0; 3];
        let is_empty = |y: &[f64; 3]| y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0;
        for (&j, &y) in path.iter().zip(&*y).filter(|(_, y)| !is_empty(y)) {
            let j = j as usize;
            for a in 0..3 {
                free[a] += y[a] * y[a] * weight[j];
            }
            Y.push(j, y);
        }
        self.free.extend_from_slice(&free[..rows]);
        if rows == 3 {
            Y.end_triple()
        } else {
            Y.end_single()
        }
        true
    }
}
