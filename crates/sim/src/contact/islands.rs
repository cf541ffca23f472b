//! Islands: what of a contact problem hangs together.
//!
//! Blocks are contacts and guides, three rows each, then bounded rows. Two of them are in one island if a chain of coordinates that
//! rows share, or of entries of W that are not zero, leads from the one to the other. Islands know nothing of each other: their answers, units and residuals
//! are those of problems of their own.

use stiction_lcp::{MatX, Matrix};

use super::delassus::{Delassus, Root, stored};
use super::space::ContactSpace;

/// For each block the first block of its island. Two blocks are connected where their rows share a coordinate of the root; of a W
/// without root, where an entry leads from the one to the other.
///
/// # Panics
///
/// If W is not of the rows of the space.
pub(crate) fn islands(space: &ContactSpace) -> Vec<usize> {
    let mut islands = Islands::default();
    islands.find(space);
    islands.first
}

/// What hangs together, and memory to find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// For each block the first block of its island, or nobody.
    pub(crate) first: Vec<usize>,
    /// The blocks of each island, ascending, one island after the other in the order of their first blocks.
    blocks: Vec<usize>,
    start: Vec<usize>,
    /// A block that has each coordinate; where the next block of each island goes.
    owner: Vec<usize>,
    next: Vec<usize>,
}

const NOBODY: usize = usize::MAX;

impl Islands {
    pub(crate) fn find(&mut self, space: &ContactSpace) {
        self.first.clear();
        self.first.extend(0..space.blocks());
        match space.W.root() {
            Some(root) => self.join_by_coordinates(root),
            None => join_by_entries(space, &mut self.first),
        }
        self.sort();
    }

    /// Of these blocks alone, by the root. The others are in none.
    pub(crate) fn find_among(&mut self, root: &Root, is_asked: &[bool]) {
        self.first.clear();
        let first = |(block, asked): (usize, &bool)| if *asked { block } else { NOBODY };
        self.first.extend(is_asked.iter().enumerate().map(first));
        self.join_by_coordinates(root);
        self.sort();
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The blocks of an island, ascending.
    pub(crate) fn blocks(&self, island: usize) -> &[usize] {
        &self.blocks[self.start[island]..self.start[island + 1]]
    }

    fn join_by_coordinates(&mut self, root_of_W: &Root) {
        self.owner.clear();
        self.owner.resize(root_of_W.weight.len(), NOBODY);
        for block in 0..self.first.len() {
            if self.first[block] == NOBODY {
                continue;
            }
            // who the last coordinate, of the same body most often, led to
            let mut joined = block;
            for &c in root_of_W.Y.block(block).0 {
                match self.owner[c] {
                    NOBODY => self.owner[c] = block,
                    owner if owner == joined => {}
                    owner => {
                        joined = owner;
                        let (a, b) = (root(&mut self.first, owner), root(&mut self.first, block));
                        // the smaller one stays a root: roots are first blocks
                        self.first[a.max(b)] = a.min(b);
                    }
                }
            }
        }
    }

    fn sort(&mut self) {
        self.next.clear();
        self.next.resize(self.first.len(), 0);
        for block in 0..self.first.len() {
            if self.first[block] != NOBODY {
                // parents come before their children
                self.first[block] = self.first[self.first[block]];
                self.next[self.first[block]] += 1;
            }
        }
        self.start.clear();
        self.start.push(0);
        let mut end = 0;
        for (block, &first) in self.first.iter().enumerate() {
            if first == block {
                end += std::mem::replace(&mut self.next[block], end);
                self.start.push(end);
            }
        }
        self.blocks.clear();
        self.blocks.resize(end, 0);
        for (block, &first) in self.first.iter().enumerate().filter(|(_, first)| **first != NOBODY)
        {
            self.blocks[self.next[first]] = block;
            self.next[first] += 1;
        }
    }
}

fn join_by_entries(space: &ContactSpace, parent: &mut [usize]) {
    let mut count = space.blocks();
    // normals first: they connect most of what friction does, and nothing is asked once all is one
    let contacts = (0..3).flat_map(|axis| (0..space.k()).map(move |c| 3 * c + axis));
    for j in contacts.chain(3 * space.k()..space.m()) {
        if count <= 1 {
            break;
        }
        let mut own = root(parent, space.block_of(j));
        space.W.for_column(j, |i, w_ij| {
            // a NaN connects
            if w_ij != 0.0 && parent[space.block_of(i)] != own {
                let other = root(parent, space.block_of(i));
                if other != own {
                    // the smaller one stays a root: roots are first blocks
                    parent[own.max(other)] = own.min(other);
                    own = own.min(other);
                    count -= 1;
                }
            }
        });
    }
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// The rows of these blocks.
pub(super) fn rows_of_blocks(space: &ContactSpace, blocks: &[usize]) -> Vec<usize> {
    blocks.iter().flat_map(|&block| space.rows_of(block)).collect()
}

/// The island of these rows as a space of its own. `place` is memory of as many numbers as there are rows in all.
pub(super) fn part(space: &ContactSpace, rows: &[usize], place: &mut [usize]) -> ContactSpace {
    for (new, &old) in rows.iter().enumerate() {
        place[old] = new;
    }
    let of_contacts = rows.partition_point(|&row| row < 3 * space.k());
    let (contacts, bounded) = rows.split_at(of_contacts);
    ContactSpace {
        h: space.h,
        W: part_of_matrix(&space.W, rows, place).into(),
        u_free: rows.iter().map(|&row| space.u_free[row]).collect(),
        contacts: contacts.chunks_exact(3).map(|of| space.contacts[of[0] / 3]).collect(),
        rows: bounded.iter().map(|&row| space.rows[row - 3 * space.k()]).collect(),
    }
}

/// Costs the entries of the island, however large the whole is.
fn part_of_matrix(W: &Delassus, rows: &[usize], place: &[usize]) -> Matrix {
    let m = rows.len();
    if let Some(part) = W.part(rows) {
        return part;
    }
    match W.matrix() {
        Matrix::Dense(W) => MatX::from_fn(m, m, |i, j| W[(rows[i], rows[j])]).into(),
        Matrix::Sparse(W) => {
            let mut entries = Vec::new();
            for (j, &column) in rows.iter().enumerate() {
                let (of_column, values) = W.column(column);
                // zeros that are stored may lead to other islands
                let own =
                    of_column.iter().zip(values).filter(|(i, _)| rows.get(place[**i]) == Some(i));
                entries.extend(own.map(|(&i, &w)| (place[i], j, w)));
            }
            stored(m, &mut entries)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::space::{BoundedRow, ContactData, Sides, Tangents};
    use crate::testing::Random;
    use stiction_lcp::Csc;

    fn rows_of_islands(space: &ContactSpace) -> Vec<Vec<usize>> {
        let mut islands = Islands::default();
        islands.find(space);
        (0..islands.len()).map(|i| rows_of_blocks(space, islands.blocks(i))).collect()
    }

    /// k contacts and r bounded rows with these entries besides the diagonal, in both triangles.
    fn space(k: usize, r: usize, links: &[(usize, usize)]) -> ContactSpace {
        let contact = ContactData {
            sides: Sides::One,
            tangents: Tangents::Plane,
            phi: 0.0,
            eps_n: 0.0,
            d_n: 0.0,
            mu_s: 0.5,
            mu_k: 0.5,
            bristle: None,
            u_t: [0.0; 2],
            lambda_n: 0.0,
            lambda_t: [0.0; 2],
        };
        let row = BoundedRow { eps: 0.0, d: 0.0, lower: 0.0, upper: 1.0, lambda: 0.0 };
        let m = 3 * k + r;
        let mut W = MatX::identity(m, m);
        for &(i, j) in links {
            (W[(i, j)], W[(j, i)]) = (0.5, 0.5);
        }
        let mut space = ContactSpace {
            h: 0.01,
            W: W.into(),
            u_free: (0..m).map(|i| i as f64).collect(),
            contacts: vec![contact; k],
            rows: vec![row; r],
        };
        (0..k).for_each(|c| space.contacts[c].phi = c as f64);
        (0..r).for_each(|i| space.rows[i].d = i as f64);
        space
    }

    fn sparse(W: &Matrix, zeros: &[(usize, usize)]) -> Matrix {
        let n = W.nrows();
        let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let mut entries: Vec<_> = all.map(|(i, j)| (i, j, W.get(i, j))).collect();
        entries.retain(|&(i, j, w)| w != 0.0 || zeros.contains(&(i, j)));
        Csc::from_triplets((n, n), &mut entries).into()
    }

    /// By powers of the matrix of links: slow and obvious.
    fn islands_by_reach(space: &ContactSpace) -> Vec<usize> {
        let n = space.blocks();
        let mut reach = vec![vec![false; n]; n];
        for (i, j) in (0..space.m()).flat_map(|i| (0..space.m()).map(move |j| (i, j))) {
            reach[space.block_of(i)][space.block_of(j)] |= space.W.get(i, j) != 0.0;
        }
        for _ in 0..n {
            for (a, b, c) in (0..n * n * n).map(|x| (x / (n * n), x / n % n, x % n)) {
                reach[a][c] |= (reach[a][b] && reach[b][c]) || reach[c][a];
            }
        }
        (0..n).map(|a| (0..n).find(|&b| a == b || reach[a][b]).expect("itself")).collect()
    }

    #[test]
    fn contacts_and_rows_that_feel_each_other_stay_together() {
        // rows 0..9 are contacts 0, 1, 2; rows 9..12 are blocks 3, 4, 5
        let space = space(3, 3, &[(1, 7), (4, 11)]);
        assert_eq!(islands(&space), [0, 1, 0, 3, 4, 1]);
        let rows = rows_of_islands(&space);
        assert_eq!(rows, [vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5, 11], vec![9], vec![10]]);
        let part = part(&space, &rows[1], &mut [0; 12]);
        assert_eq!(part.u_free, [3.0, 4.0, 5.0, 11.0]);
        assert_eq!((part.contacts[0].phi, part.rows[0].d), (1.0, 2.0));
        assert_eq!((part.W.get(1, 3), part.W.get(0, 3), part.W.get(3, 3)), (0.5, 0.0, 1.0));
    }

    #[test]
    fn they_are_what_can_be_reached() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let (k, r) = (random.below(6), random.below(6));
            let m = 3 * k + r;
            let count = if m == 0 { 0 } else { random.below(8) };
            let links: Vec<_> = (0..count).map(|_| (random.below(m), random.below(m))).collect();
            let mut space = space(k, r, &links);
            let expected = islands_by_reach(&space);
            assert_eq!(islands(&space), expected);
            space.W = sparse(space.W.matrix(), &links).into();
            assert_eq!(islands(&space), expected);
            // one triangle is enough
            let upper = |i: usize, j: usize| if i <= j { space.W.get(i, j) } else { 0.0 };
            space.W = MatX::from_fn(m, m, upper).into();
            assert_eq!(islands(&space), expected);
        }
    }

    #[test]
    fn stored_zeros_do_not_connect_and_a_nan_does() {
        let mut space = space(2, 0, &[]);
        space.W = sparse(space.W.matrix(), &[(0, 3), (3, 0), (0, 1), (1, 0)]).into();
        let rows = rows_of_islands(&space);
        assert_eq!(rows, [vec![0, 1, 2], vec![3, 4, 5]]);
        let alone = part(&space, &rows[0], &mut [0; 6]);
        assert_eq!(alone.W.matrix(), &Matrix::from(MatX::identity(3, 3)));
        let mut W = MatX::identity(6, 6);
        W[(0, 4)] = f64::NAN;
        space.W = W.into();
        assert_eq!(islands(&space), [0, 0]);
    }

    #[test]
    fn parts_are_stored_as_spaces_of_their_own_are() {
        // a chain of 20 contacts, 60 rows, and one contact beside it
        let links: Vec<_> = (0..19).map(|c| (3 * c, 3 * c + 3)).collect();
        let mut space = space(21, 0, &links);
        space.W = sparse(space.W.matrix(), &[]).into();
        let rows = rows_of_islands(&space);
        let mut place = vec![0; space.m()];
        assert!(part(&space, &rows[0], &mut place).W.matrix().is_sparse());
        assert!(!part(&space, &rows[1], &mut place).W.matrix().is_sparse());
    }
}
