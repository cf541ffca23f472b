//! Sparse rows, one after the other.

#[derive(Clone, Debug, Default)]
pub(crate) struct SparseRows {
    start: Vec<usize>,
    index: Vec<usize>,
    value: Vec<f64>,
}

impl SparseRows {
    /// No rows; memory is kept.
    pub(super) fn clear(&mut self) {
        self.start.clear();
        self.index.clear();
        self.value.clear();
        self.start.push(0);
    }

    pub(super) fn push(&mut self, index: usize, value: f64) {
        self.index.push(index);
        self.value.push(value);
    }

    pub(super) fn end_row(&mut self) {
        self.start.push(self.index.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Where the entries of a row begin.
    pub(super) fn first(&self, i: usize) -> usize {
        self.start[i]
    }

    /// Entries with their places, from the row's first on.
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.value
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.value
    }

    /// Indices and values of a row.
    #[inline]
    pub(crate) fn slices(&self, i: usize) -> (&[usize], &[f64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.index[range.clone()], &self.value[range])
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (index, value) = self.slices(i);
        index.iter().copied().zip(value.iter().copied())
    }
}
