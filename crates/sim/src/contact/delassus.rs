//! The Delassus matrix of a step: by its entries, or by its root.
//!
//! ```text
//!  W = Y diag(weight) Yᵀ          Y = J L⁻¹ ,   M̂ = Lᵀ D L ,   weight = D⁻¹
//! ```
//!
//! A row of Y has as many entries as its two bodies have velocities on their paths to the root: few for free bodies, whatever else
//! touches them. So the root and products with it cost the contacts, and the entries of W are made only for those who ask
//! for them.

use std::sync::OnceLock;

use stiction_lcp::{Csc, MatX, Matrix};

use super::sparse::SparseBlocks;
use crate::constraint::parts::RowParts;
use crate::model::Model;
use crate::tree::matrix::TreeFactor;

/// Up to so many rows no pattern is worth looking for.
const SMALL: usize = 36;

/// A W of more entries than this is not made for a step: with its copies and factors it would take more than a gigabyte.
const MOST: usize = 10_000_000;

/// Bodies of one tree share a node up to this width: blocks are dense, and small ones cost more to find than to multiply.
const WIDEST: usize = 24;

/// `J M̂⁻¹ Jᵀ`, joints eliminated.
#[derive(Clone, Debug, Default)]
pub struct Delassus {
    root: Option<Root>,
    /// Made of the root where they are asked for.
    entries: OnceLock<Matrix>,
}

/// Y and its weights. Coordinates are the velocities of the model, then those of its compliant bilateral rows; they belong to
/// nodes: the velocities of one body or of some of one tree, or some rows.
#[derive(Clone, Debug, Default)]
pub struct Root {
    pub(crate) Y: SparseBlocks,
    /// Of W.
    diagonal: Vec<f64>,
    /// 1/D for the velocities, ε for the coordinates of compliant bilateral rows.
    pub(crate) weight: Vec<f64>,
    /// The roots of the weights.
    pub(crate) scale: Vec<f64>,
    /// The first coordinate of each node, and one more entry.
    pub(crate) node_start: Vec<usize>,
    /// The node of each coordinate.
    pub(crate) node_of: Vec<usize>,
    /// Coordinates that are velocities of the model: the first ones.
    velocities: usize,
}

impl Delassus {
    pub fn nrows(&self) -> usize {
        match &self.root {
            Some(root) => root.Y.len(),
            None => self.matrix().nrows(),
        }
    }

    pub fn ncols(&self) -> usize {
        match &self.root {
            Some(root) => root.Y.len(),
            None => self.matrix().ncols(),
        }
    }

    /// The root, where W is known by one.
    pub fn root(&self) -> Option<&Root> {
        self.root.as_ref()
    }

    /// The root to be written: entries are forgotten.
    pub(super) fn begin_root(&mut self) -> &mut Root {
        self.entries.take();
        self.root.get_or_insert_default()
    }

    /// Entry (i, j), without making the others.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match (self.entries.get(), &self.root) {
            (None, Some(root)) => root.entry(i, j),
            _ => self.matrix().get(i, j),
        }
    }

    /// All entries: dense where W is small, or a quarter of it or more differs from zero. Made of the root when first asked for; costs
    /// their number, which grows with the square of the contacts of one body.
    pub fn matrix(&self) -> &Matrix {
        self.entries.get_or_init(|| match &self.root {
            Some(root) => root.matrix(usize::MAX).unwrap_or_else(|| MatX::zeros(0, 0).into()),
            None => MatX::zeros(0, 0).into(),
        })
    }

    /// Makes the entries; false where there would be more than ten million: thousands of contacts that all feel each other.
    pub(crate) fn make(&mut self) -> bool {
        if self.entries.get().is_none()
            && let Some(root) = &self.root
        {
            let Some(entries) = root.matrix(MOST) else { return false };
            self.entries = OnceLock::from(entries);
        }
        true
    }

    /// The entries of these rows, where there is a root and they have not been made.
    pub(super) fn part(&self, rows: &[usize]) -> Option<Matrix> {
        match (self.entries.get(), &self.root) {
            (None, Some(root)) => root.part(rows, usize::MAX),
            _ => None,
        }
    }

    /// Calls f with the entries of column j; some may be zero.
    pub fn for_column(&self, j: usize, f: impl FnMut(usize, f64)) {
        self.matrix().for_column(j, f);
    }

    /// `y = W x + b`.
    pub fn affine(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        match &self.root {
            Some(root) => root.affine(x, b, y, &mut Vec::new()),
            None => self.matrix().affine(x, b, y),
        }
    }
}

impl From<Matrix> for Delassus {
    fn from(W: Matrix) -> Self {
        Self { root: None, entries: OnceLock::from(W) }
    }
}

impl From<MatX> for Delassus {
    fn from(W: MatX) -> Self {
        Matrix::from(W).into()
    }
}

impl From<Csc> for Delassus {
    fn from(W: Csc) -> Self {
        Matrix::from(W).into()
    }
}

impl Root {
    /// The nodes that a block moves; some of them several times.
    pub(crate) fn nodes_of(&self, block: usize) -> impl Iterator<Item = usize> {
        self.Y.block(block).0.iter().map(|&c| self.node_of[c])
    }

    /// No rows; weights and nodes.
    pub(super) fn begin(&mut self, model: &Model, M: &TreeFactor, eps: &[f64], parts: &RowParts) {
        self.Y.clear();
        self.velocities = model.nv;
        self.weight.clear();
        self.weight.extend((0..model.nv).map(|i| 1.0 / M.pivot(&model.pattern, i)));
        self.weight.extend_from_slice(eps);
        self.scale.clear();
        self.scale.extend(self.weight.iter().map(|weight| weight.sqrt()));
        self.node_start.clear();
        self.node_of.clear();
        let mut tree = None;
        for body in model.bodies.iter().filter(|body| !body.v_range().is_empty()) {
            let own = Some(model.pattern.row(body.v0)[0]);
            self.extend_node(body.v_range().len(), tree == own);
            tree = own;
        }
        let mut part = None;
        for row in 0..eps.len() {
            let own = parts.of_row(row);
            self.extend_node(1, own.is_some() && part == own);
            part = own;
        }
        self.node_start.push(self.node_of.len());
    }

    /// Coordinates of the last node, if they belong there and it does not become too wide, or of a new one.
    fn extend_node(&mut self, width: usize, belongs: bool) {
        match self.node_start.last() {
            Some(first) if belongs && self.node_of.len() + width <= first + WIDEST => {
                let node = self.node_start.len() - 1;
                self.node_of.extend(std::iter::repeat_n(node, width));
            }
            _ => self.add_node(width),
        }
    }

    fn add_node(&mut self, width: usize) {
        let node = self.node_start.len();
        self.node_start.push(self.node_of.len());
        self.node_of.extend(std::iter::repeat_n(node, width));
    }

    /// `y = W x + b`; `change` is memory for what x does to the coordinates.
    pub(crate) fn affine(&self, x: &[f64], b: &[f64], y: &mut [f64], change: &mut Vec<f64>) {
        y.copy_from_slice(b);
        if x.iter().all(|x_i| *x_i == 0.0) {
            return;
        }
        change.clear();
        change.resize(self.weight.len(), 0.0);
        self.Y.add_transposed(x, change);
        for (change, weight) in change.iter_mut().zip(&self.weight) {
            *change *= weight;
        }
        self.Y.for_products(change, |i, sum| y[i] += sum);
    }

    /// There are no coordinates of bilateral rows.
    pub(crate) fn is_of_velocities(&self) -> bool {
        self.weight.len() == self.velocities
    }

    /// The diagonal.
    pub(crate) fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    /// All rows are there.
    pub(super) fn end(&mut self) {
        self.diagonal.clear();
        for block in 0..self.Y.blocks() {
            let (index, value) = self.Y.block(block);
            let mut sum = [0.0; 3];
            for (&c, y) in index.iter().zip(value) {
                (0..3).for_each(|a| sum[a] += y[a] * (y[a] * self.weight[c]));
            }
            self.diagonal.extend_from_slice(&sum[..self.Y.rows_of(block).len()]);
        }
    }

    /// The same bits for (i, j) and (j, i).
    fn entry(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return self.diagonal(i);
        }
        let mut high = self.Y.row(i.max(j)).peekable();
        let mut sum = 0.0;
        for (c, y) in self.Y.row(i.min(j)) {
            while high.next_if(|(d, _)| *d < c).is_some() {}
            if let Some((_, y_high)) = high.next_if(|(d, _)| *d == c) {
                sum += y * (y_high * self.weight[c]);
            }
        }
        sum
    }

    /// W, if it has at most so many entries.
    fn matrix(&self, most: usize) -> Option<Matrix> {
        let rows: Vec<usize> = (0..self.Y.len()).collect();
        self.part(&rows, most)
    }

    /// W of these rows alone, ascending, if it has at most so many entries. Costs its entries.
    pub(super) fn part(&self, rows: &[usize], most: usize) -> Option<Matrix> {
        if rows.len() <= SMALL {
            return Some(self.small_part(rows).into());
        }
        let m = rows.len();
        let columns = self.rows_of_each_coordinate(rows);
        let mut triplets = Vec::new();
        let (mut sum, mut touched) = (vec![0.0; m], Vec::new());
        for (i, &row) in rows.iter().enumerate() {
            for (c, y) in self.Y.row(row) {
                for &(j, y_j) in columns.of(c) {
                    // the same bits for (i, j) and (j, i), and as `entry` has them
                    let (low, high) = if j <= i { (y_j, y) } else { (y, y_j) };
                    sum[j] += low * (high * self.weight[c]);
                    touched.push(j);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            if triplets.len() + touched.len() > most {
                return None;
            }
            for j in touched.drain(..) {
                triplets.push((j, i, sum[j]));
                sum[j] = 0.0;
            }
        }
        Some(stored(m, &mut triplets))
    }

    /// All inner products, one by one.
    fn small_part(&self, rows: &[usize]) -> MatX {
        let m = rows.len();
        let mut W = MatX::zeros(m, m);
        for i in 0..m {
            for j in 0..=i {
                let w = self.entry(rows[i], rows[j]);
                (W[(i, j)], W[(j, i)]) = (w, w);
            }
        }
        W
    }

    /// For each coordinate that one of the rows has, the places of those that have it, in order.
    fn rows_of_each_coordinate(&self, rows: &[usize]) -> Columns {
        let mut entries = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            entries.extend(self.Y.row(row).map(|(c, y)| (c, (i, y))));
        }
        entries.sort_by_key(|(c, _)| *c);
        let mut columns = Columns::default();
        for (c, entry) in entries {
            if columns.coordinate.last() != Some(&c) {
                columns.coordinate.push(c);
                columns.start.push(columns.entry.len());
            }
            columns.entry.push(entry);
        }
        columns.start.push(columns.entry.len());
        columns
    }
}

/// Y by columns.
#[derive(Default)]
struct Columns {
    /// Ascending.
    coordinate: Vec<usize>,
    start: Vec<usize>,
    entry: Vec<(usize, f64)>,
}

impl Columns {
    fn of(&self, c: usize) -> &[(usize, f64)] {
        match self.coordinate.binary_search(&c) {
            Ok(i) => &self.entry[self.start[i]..self.start[i + 1]],
            Err(_) => &[],
        }
    }
}

/// A matrix of m rows from its entries, none of them twice: dense where it is small, or a quarter of it or more is there.
pub(super) fn stored(m: usize, entries: &mut [(usize, usize, f64)]) -> Matrix {
    if m > SMALL && 4 * entries.len() < m * m {
        return Csc::from_triplets((m, m), entries).into();
    }
    let mut W = MatX::zeros(m, m);
    for &mut (i, j, w) in entries {
        W[(i, j)] = w;
    }
    W.into()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::Random;

    /// Blocks of rows over nodes of these widths, random on their own nodes: so many of three rows, then single ones.
    pub(crate) fn random_root(
        random: &mut Random,
        widths: &[usize],
        (triples, blocks): (usize, &[Vec<usize>]),
    ) -> Root {
        let mut root = Root::default();
        widths.iter().for_each(|&width| root.add_node(width));
        root.node_start.push(root.node_of.len());
        root.weight = (0..root.node_of.len()).map(|_| random.between(0.5, 2.0)).collect();
        root.scale = root.weight.iter().map(|weight| weight.sqrt()).collect();
        root.Y.clear();
        for (block, nodes) in blocks.iter().enumerate() {
            let rows = if block < triples { 3 } else { 1 };
            for &node in nodes {
                for c in root.node_start[node]..root.node_start[node + 1] {
                    let mut y = [0.0; 3];
                    y[..rows].iter_mut().for_each(|y| *y = random.between(-1.0, 1.0));
                    root.Y.push(c, y);
                }
            }
            if rows == 3 { root.Y.end_triple() } else { root.Y.end_single() }
        }
        root.end();
        root
    }

    /// Points of these masses [kg] on each other, the lowest on the ground; the axes of each contact are the rows of its frame.
    pub(crate) fn column_root(masses: &[f64], frames: &[[[f64; 3]; 3]]) -> Root {
        let mut root = Root::default();
        masses.iter().for_each(|_| root.add_node(3));
        root.node_start.push(root.node_of.len());
        root.velocities = root.node_of.len();
        root.weight = masses.iter().flat_map(|mass| [1.0 / mass; 3]).collect();
        root.scale = root.weight.iter().map(|weight| weight.sqrt()).collect();
        root.Y.clear();
        for (i, frame) in frames.iter().enumerate() {
            let below = i.checked_sub(1).map(|below| (below, -1.0));
            for (node, sign) in below.into_iter().chain([(i, 1.0)]) {
                (0..3).for_each(|a| root.Y.push(3 * node + a, frame.map(|axis| sign * axis[a])));
            }
            root.Y.end_triple();
        }
        root.end();
        root
    }

    pub(crate) fn of_root(root: Root) -> Delassus {
        Delassus { root: Some(root), entries: OnceLock::new() }
    }

    /// 45 rows, 15 and then single ones, on pairs of 40 nodes.
    fn example() -> Delassus {
        let mut random = Random::new(5);
        let blocks: Vec<Vec<usize>> = (0..35)
            .map(|_| {
                let (a, b) = (random.below(40), random.below(40));
                if a == b { vec![a] } else { vec![a.min(b), a.max(b)] }
            })
            .collect();
        let widths: Vec<usize> = (0..40).map(|i| [6, 1, 3, 6, 2][i % 5]).collect();
        of_root(random_root(&mut random, &widths, (5, &blocks)))
    }

    #[test]
    fn entries_are_the_same_bits_however_they_are_asked_for() {
        let W = example();
        let entries: Vec<f64> = (0..45 * 45).map(|x| W.get(x / 45, x % 45)).collect();
        let rows: Vec<usize> = (0..45).filter(|i| i % 4 != 1).collect();
        let few = W.part(&rows[..12]).unwrap();
        let many: Vec<usize> = (0..45).filter(|i| i % 9 != 1).collect();
        let part = W.part(&many).unwrap();
        assert!(W.matrix().is_sparse() && !few.is_sparse());
        for (i, j) in (0..45).flat_map(|i| (0..45).map(move |j| (i, j))) {
            assert_eq!(W.matrix().get(i, j), entries[45 * i + j]);
            assert_eq!(W.get(i, j), entries[45 * j + i]);
        }
        for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
            assert_eq!(few.get(i, j), W.get(rows[i], rows[j]));
        }
        for (i, j) in (0..40).flat_map(|i| (0..40).map(move |j| (i, j))) {
            assert_eq!(part.get(i, j), W.get(many[i], many[j]));
        }
    }

    #[test]
    fn products_with_the_root_are_those_with_the_entries() {
        let W = example();
        let mut random = Random::new(6);
        let (x, b) = (random.numbers(45, 1.0), random.numbers(45, 1.0));
        let (mut by_root, mut by_entries) = (vec![0.0; 45], vec![0.0; 45]);
        W.affine(&x, &b, &mut by_root);
        W.matrix().affine(&x, &b, &mut by_entries);
        assert!(by_root.iter().zip(&by_entries).all(|(a, b)| (a - b).abs() < 1e-13));
        let root = W.root().unwrap();
        assert!((0..45).all(|i| root.diagonal(i) == W.get(i, i)));
    }

    #[test]
    fn a_matrix_of_too_many_entries_is_not_made() {
        let root = random_root(&mut Random::new(1), &[1], (0, &vec![vec![0]; 40]));
        assert!(root.matrix(1599).is_none() && root.matrix(1600).is_some());
    }
}
