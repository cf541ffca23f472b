//! Which entries of a mass matrix can differ from zero.
//!
//! Two velocities are coupled only if one body carries the other: row i has an entry for each ancestor of
//! velocity i and for i itself. The ancestors of an ancestor k of i are the first entries of
//! i's own list, so k stands in row i at the place `depth(k)`: row i begins with the row pattern of k.

/// The ancestors of each velocity, from the root to the velocity itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreePattern {
    /// Where row i starts in `ancestors`; one more entry at the end.
    pub(crate) start: Vec<usize>,
    pub(crate) ancestors: Vec<u32>,
}

impl TreePattern {
    /// From the velocity below which each velocity hangs: `parent[i] < i`.
    pub fn new(parent: &[Option<usize>]) -> Self {
        let mut pattern = Self { start: vec![0], ancestors: Vec::new() };
        for (i, parent) in parent.iter().enumerate() {
            if let Some(p) = *parent {
                assert!(p < i, "a velocity hangs below a later one");
                pattern.ancestors.extend_from_within(pattern.start[p]..pattern.start[p + 1]);
            }
            pattern.ancestors.push(i as u32);
            pattern.start.push(pattern.ancestors.len());
        }
        pattern
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.start.len() - 1
    }

    /// The ancestors of velocity i and i itself, from the root.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.ancestors[self.start[i]..self.start[i + 1]]
    }

    /// How many ancestors velocity i has.
    pub fn depth(&self, i: usize) -> usize {
        self.start[i + 1] - self.start[i] - 1
    }
}
