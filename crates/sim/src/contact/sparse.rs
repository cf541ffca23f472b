//! Sparse rows by blocks: three rows that share their coordinates, a contact's, then rows by themselves.

use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub(crate) struct SparseBlocks {
    /// Blocks of three rows; those of one row come after them.
    triples: usize,
    start: Vec<usize>,
    index: Vec<usize>,
    /// Of the rows of the block; of a single row the first.
    value: Vec<[f64; 3]>,
}

impl SparseBlocks {
    /// No rows; memory is kept.
    pub(super) fn clear(&mut self) {
        self.triples = 0;
        self.start.clear();
        self.index.clear();
        self.value.clear();
        self.start.push(0);
    }

    pub(super) fn push(&mut self, index: usize, value: [f64; 3]) {
        self.index.push(index);
        self.value.push(value);
    }

    /// Three rows more. Before all single ones.
    pub(super) fn end_triple(&mut self) {
        debug_assert_eq!(self.triples, self.blocks(), "single rows come last");
        self.triples += 1;
        self.start.push(self.index.len());
    }

    /// One row more, of the first values.
    pub(super) fn end_single(&mut self) {
        self.start.push(self.index.len());
    }

    pub(crate) fn blocks(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    pub(super) fn triples(&self) -> usize {
        self.triples
    }

    /// Rows.
    pub(crate) fn len(&self) -> usize {
        self.blocks() + 2 * self.triples
    }

    /// The rows of a block.
    pub(crate) fn rows_of(&self, block: usize) -> Range<usize> {
        let triples = self.triples;
        if block < triples {
            3 * block..3 * block + 3
        } else {
            2 * triples + block..2 * triples + block + 1
        }
    }

    /// Coordinates of a block, ascending within each of its bodies' trees, and its values.
    #[inline]
    pub(crate) fn block(&self, block: usize) -> (&[usize], &[[f64; 3]]) {
        let range = self.start[block]..self.start[block + 1];
        (&self.index[range.clone()], &self.value[range])
    }

    #[inline]
    pub(super) fn block_mut(&mut self, block: usize) -> &mut [[f64; 3]] {
        &mut self.value[self.start[block]..self.start[block + 1]]
    }

    /// All entries of a row, zeros among them.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (block, at) =
            if i < 3 * self.triples { (i / 3, i % 3) } else { (i - 2 * self.triples, 0) };
        let (index, value) = self.block(block);
        index.iter().zip(value).map(move |(&c, y)| (c, y[at]))
    }

    /// Adds what the rows times p are to `out`.
    pub(crate) fn add_transposed(&self, p: &[f64], out: &mut [f64]) {
        let (contacts, single) = p.split_at(3 * self.triples);
        for (block, p) in contacts.chunks_exact(3).enumerate() {
            let (index, value) = self.block(block);
            for (&c, y) in index.iter().zip(value) {
                out[c] = ((out[c] + y[0] * p[0]) + y[1] * p[1]) + y[2] * p[2];
            }
        }
        for (i, p) in single.iter().enumerate() {
            let (index, value) = self.block(self.triples + i);
            index.iter().zip(value).for_each(|(&c, y)| out[c] += y[0] * p);
        }
    }

    /// Calls f with each row's number and its product with x.
    pub(crate) fn for_products(&self, x: &[f64], mut f: impl FnMut(usize, f64)) {
        for block in 0..self.triples {
            let (index, value) = self.block(block);
            let mut sum = [0.0; 3];
            for (&c, y) in index.iter().zip(value) {
                (0..3).for_each(|a| sum[a] += y[a] * x[c]);
            }
            (0..3).for_each(|a| f(3 * block + a, sum[a]));
        }
        for i in 3 * self.triples..self.len() {
            f(i, self.row(i).map(|(c, y)| y * x[c]).sum());
        }
    }
}
