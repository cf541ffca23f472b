//! Islands whose impulses are known in two parts: what these do to velocities, which the first part says to rounding only.
//!
//! ```text
//!  change = D⁻¹ L⁻ᵀ Jᵀ (p + low)          u = Y change + u_free          v⁺ = v + L⁻¹ change
//! ```
//!
//! So velocities are those that were certified, and momentum balances to rounding of the largest impulse on a body.

use super::apart::Outcome;
use crate::contact::delassus::Root;
use crate::contact::islands::Islands;
use crate::contact::space::ContactSpace;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moved {
    /// Rows of such islands; empty where there are none.
    is_row: Vec<bool>,
    /// Of the coordinates of the root, and which are theirs.
    change: Vec<f64>,
    coordinates: Vec<usize>,
    /// Impulses of all other rows.
    plain: Vec<f64>,
}

impl Moved {
    pub(crate) fn is_empty(&self) -> bool {
        self.is_row.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.is_row.clear();
        self.change.clear();
        self.coordinates.clear();
    }

    /// Of the islands at hand.
    pub(super) fn collect(
        &mut self,
        (space, root): (&ContactSpace, &Root),
        islands: &Islands,
        outcomes: &[Option<Outcome>],
    ) {
        self.clear();
        for i in 0..islands.len() {
            let blocks = islands.blocks(i);
            let Some(outcome) = &outcomes[blocks[0]] else { continue };
            if outcome.moved.is_empty() {
                continue;
            }
            if self.is_empty() {
                self.is_row.resize(space.m(), false);
                self.change.resize(root.weight.len(), 0.0);
            }
            for &(c, change) in &outcome.moved {
                self.change[c] = change;
                self.coordinates.push(c);
            }
            for row in blocks.iter().flat_map(|&block| space.rows_of(block)) {
                self.is_row[row] = true;
            }
        }
    }

    #[cfg(test)]
    pub(super) fn change_mut(&mut self) -> &mut [f64] {
        &mut self.change
    }

    /// The impulses of all rows but those of such islands, whose own are zero here.
    pub(crate) fn plain<'a>(&'a mut self, p: &'a [f64]) -> &'a [f64] {
        if self.is_empty() {
            return p;
        }
        self.plain.clear();
        let own = p.iter().zip(&self.is_row).map(|(p, is_moved)| if *is_moved { 0.0 } else { *p });
        self.plain.extend(own);
        &self.plain
    }

    /// What such islands do to the coordinates; nothing where there are none.
    pub(crate) fn change(&self) -> &[f64] {
        &self.change
    }

    pub(crate) fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// `u += Y change`.
    pub(crate) fn add_velocities(&self, root: &Root, u: &mut [f64]) {
        if !self.is_empty() {
            root.Y.for_products(&self.change, |i, sum| u[i] += sum);
        }
    }

    /// `u −= Y change`.
    pub(crate) fn take_velocities(&self, root: &Root, u: &mut [f64]) {
        if !self.is_empty() {
            root.Y.for_products(&self.change, |i, sum| u[i] -= sum);
        }
    }

    /// Rows join, without impulses.
    pub(crate) fn insert_rows(&mut self, at: usize, count: usize) {
        if !self.is_empty() {
            self.is_row.splice(at..at, std::iter::repeat_n(false, count));
        }
    }
}
