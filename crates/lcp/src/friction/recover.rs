//! The root of a Delassus matrix that is given by its entries: `W = Hᵀ H`, one node for each body.
//!
//! # Method
//!
//! `line_graph.rs` says which contacts share a body. Two contacts c ≠ d at a body b have `W_cd = H_cbᵀ H_db`; of the diagonal blocks only the
//! sum over the two bodies of a contact is known, `W_cc = A_cb + A_cb'`. Contacts on the ground have one body. Where a body has known blocks A
//! whose rows span its coordinates, all others follow, `A_cb = W_cK G_K⁺ W_Kc`, and are known for the bodies next to it, by subtraction. A body
//! without enough of them is completed from contacts c, D, E that are apart, `A_c = W_cE W_DE⁺ W_Dc` (the matrix has the rank of the body's
//! freedom). Two bodies that lack one coordinate each are weighed against each other. Bodies that stay unknown become one node. The Cholesky factor of each body's matrix is its part of H.
//!
//! # Cost
//!
//! Cubes of the rows at a body.
//!
//! # When it fails
//!
//! None where W is not symmetric, is no sum of such matrices, or `Hᵀ H` misses it by more than rounding.

use super::FrictionProblem;
use super::line_graph::{Bodies, find_bodies};
use crate::linalg::gram;
use crate::matrix::MatX;
use crate::motion::MotionProblem;

/// Parts of a body's largest diagonal entry below this are rounding, while its rank is sought and in the end.
pub(super) const RANK: f64 = 1e-9;
const FINE: f64 = 1e-12;
/// Bodies are solved in rounds: first those whose known blocks span their coordinates with pivots, or singular values, of this part of the largest at least.
const SHARPNESS: [f64; 4] = [0.05, 1e-2, 1e-4, RANK];
/// `Hᵀ H` may miss W by this part of its largest entry: answers are finished on W itself.
const MISS: f64 = 1e-8;
/// Bodies left together have so many rows at most.
const LARGEST: usize = 150;

impl FrictionProblem {
    /// The problem by the root of W, where it has one with a node for each body.
    pub(crate) fn to_motion(&self) -> Option<MotionProblem> {
        let bodies = find_bodies(&self.neighbours()?)?;
        let mut recovery = Recovery::new(self, &bodies);
        recovery.run()?;
        let problem = recovery.problem();
        self.is_root(&problem).then_some(problem)
    }

    /// Contacts with a block in W, each with itself; None if a body would be a crowd.
    fn neighbours(&self) -> Option<Vec<Vec<usize>>> {
        let mut near: Vec<Vec<usize>> = (0..self.contacts()).map(|c| vec![c]).collect();
        for j in 0..self.n() {
            self.W.for_column(j, |i, w| {
                if w != 0.0 {
                    near[j / self.dim].push(i / self.dim);
                }
            });
        }
        for near in &mut near {
            near.sort_unstable();
            near.dedup();
        }
        near.iter().all(|near| self.dim * near.len() <= 2 * LARGEST).then_some(near)
    }

    fn is_root(&self, problem: &MotionProblem) -> bool {
        let Ok(made) = problem.to_local() else { return false };
        let size = (0..self.n()).map(|i| self.W.get(i, i).abs()).fold(0.0, f64::max);
        let misses = |a: &Self, b: &Self| {
            let mut most: f64 = 0.0;
            for j in 0..self.n() {
                a.W.for_column(j, |i, w| most = most.max((w - b.W.get(i, j)).abs()));
            }
            most
        };
        misses(self, &made).max(misses(&made, self)) <= MISS * size
    }
}

pub(super) struct Recovery<'a> {
    pub(super) problem: &'a FrictionProblem,
    pub(super) bodies: &'a Bodies,
    /// Rows of W of each bundle.
    pub(super) rows: Vec<Vec<usize>>,
    /// The block A of each bundle at each of its bodies.
    pub(super) part: Vec<Vec<Option<MatX>>>,
    /// Nodes: their bundles, and the columns of H of these bundles' rows one after the other.
    node: Vec<(Vec<usize>, MatX)>,
}

impl<'a> Recovery<'a> {
    fn new(problem: &'a FrictionProblem, bodies: &'a Bodies) -> Self {
        let dim = problem.dim;
        let rows: Vec<Vec<usize>> = bodies
            .bundle
            .iter()
            .map(|bundle| bundle.iter().flat_map(|c| dim * c..dim * (c + 1)).collect())
            .collect();
        let part = bodies.of_bundle.iter().map(|of| vec![None; of.len()]).collect();
        let mut recovery = Self { problem, bodies, rows, part, node: Vec::new() };
        for c in 0..recovery.rows.len() {
            if recovery.part[c].len() == 1 {
                recovery.part[c][0] = Some(recovery.block(c, c));
            }
        }
        recovery
    }

    fn run(&mut self) -> Option<()> {
        let mut left: Vec<usize> = (0..self.bodies.body.len()).collect();
        // bodies with more contacts say more: they go first
        left.sort_by_key(|&b| std::cmp::Reverse(self.bodies.body[b].len()));
        // first what asks nothing of other bodies, and so nothing of their rounding
        SHARPNESS
            .iter()
            .for_each(|&sharpness| left.retain(|&b| !self.solve_body(b, (sharpness, true))));
        let mut round = 0;
        while !left.is_empty() && round < SHARPNESS.len() {
            let before = left.len();
            left.retain(|&b| !self.solve_body(b, (SHARPNESS[round], false)));
            round = if left.len() < before { 0 } else { round + 1 };
            if round == SHARPNESS.len() && self.weigh_pairs(&left) {
                round = 0;
            }
        }
        self.join(&left)
    }

    pub(super) fn block(&self, c: usize, d: usize) -> MatX {
        let (rows, columns) = (&self.rows[c], &self.rows[d]);
        MatX::from_fn(rows.len(), columns.len(), |i, j| self.problem.W.get(rows[i], columns[j]))
    }

    pub(super) fn part_at(&self, c: usize, body: usize) -> Option<&MatX> {
        let side = self.bodies.of_bundle[c].iter().position(|b| *b == body)?;
        self.part[c][side].as_ref()
    }

    /// Finds the blocks of a body; says whether that is possible yet.
    fn solve_body(&mut self, body: usize, (sharpness, is_alone): (f64, bool)) -> bool {
        let all = self.bodies.body[body].clone();
        let mut known: Vec<(usize, MatX)> = Vec::new();
        let mut unknown = Vec::new();
        for &c in &all {
            match self.part_at(c, body) {
                Some(A) if !is_alone || self.part[c].len() == 1 => known.push((c, A.clone())),
                _ => unknown.push(c),
            }
        }
        while !unknown.is_empty() {
            let guess = self.guess(&known, &unknown);
            if guess.sharpness >= sharpness && self.is_spanned(&guess, &unknown) {
                let blocks = guess.reach.iter().map(|h| gram(&h.transpose()));
                known.extend(unknown.iter().copied().zip(blocks));
                break;
            }
            let completed = (0..unknown.len())
                .find_map(|at| self.completed(&guess, &unknown, (at, sharpness)).map(|A| (at, A)));
            let Some((at, A)) = completed else { return false };
            known.push((unknown.remove(at), A));
        }
        known.sort_by_key(|(c, _)| *c);
        let H = self.root_of(&known, FINE);
        for (c, A) in known {
            self.set_part(c, body, A);
        }
        self.node.push((all, H));
        true
    }

    /// Notes a block, and what it leaves for the other body.
    pub(super) fn set_part(&mut self, c: usize, body: usize, A: MatX) {
        let W = self.block(c, c);
        for side in 0..self.part[c].len() {
            if self.bodies.of_bundle[c][side] == body {
                self.part[c][side] = Some(A.clone());
            } else if self.part[c][side].is_none() {
                self.part[c][side] = Some(&W - &A);
            }
        }
    }

    /// Columns of H of bundles at one body whose blocks are known.
    pub(super) fn root_of(&self, known: &[(usize, MatX)], rank: f64) -> MatX {
        let n = known.iter().map(|(_, A)| A.nrows()).sum();
        let mut G = MatX::zeros(n, n);
        let mut at_c = 0;
        for (c, A) in known {
            let mut at_d = 0;
            for (d, _) in known {
                let block = if c == d { A.clone() } else { self.block(*c, *d) };
                G.view_mut((at_c, at_d), block.shape()).copy_from(&block);
                at_d += block.ncols();
            }
            at_c += A.nrows();
        }
        root(G, rank)
    }

    /// Unknown bodies as one node each set of neighbours.
    fn join(&mut self, left: &[usize]) -> Option<()> {
        let mut set: Vec<Option<usize>> = vec![None; self.bodies.body.len()];
        for &first in left {
            if set[first].is_some() {
                continue;
            }
            let mut stack = vec![first];
            let mut bundles = Vec::new();
            while let Some(b) = stack.pop() {
                if set[b].replace(first).is_some() {
                    continue;
                }
                for &c in &self.bodies.body[b] {
                    bundles.push(c);
                    stack.extend(self.bodies.of_bundle[c].iter().filter(|b| left.contains(b)));
                }
            }
            bundles.sort_unstable();
            bundles.dedup();
            self.join_set(&bundles, &|b: usize| set[b] == Some(first))?;
        }
        Some(())
    }

    fn join_set(&mut self, bundles: &[usize], is_inside: &dyn Fn(usize) -> bool) -> Option<()> {
        let n: usize = bundles.iter().map(|&c| self.rows[c].len()).sum();
        if n > LARGEST {
            return None;
        }
        let mut G = MatX::zeros(n, n);
        let mut at_c = 0;
        for &c in bundles {
            let mut at_d = 0;
            for &d in bundles {
                let mut block = self.block(c, d);
                if c == d {
                    let sides = &self.bodies.of_bundle[c];
                    if let Some(side) = sides.iter().position(|b| is_inside(*b))
                        && sides.iter().any(|b| !is_inside(*b))
                    {
                        block = self.part[c][side].clone()?;
                    }
                } else {
                    let shared = self.bodies.of_bundle[c]
                        .iter()
                        .find(|b| self.bodies.of_bundle[d].contains(b));
                    if !shared.is_some_and(|b| is_inside(*b)) {
                        block.fill(0.0);
                    }
                }
                G.view_mut((at_c, at_d), block.shape()).copy_from(&block);
                at_d += block.ncols();
            }
            at_c += self.rows[c].len();
        }
        self.node.push((bundles.to_vec(), root(G, FINE)));
        Some(())
    }

    fn problem(&self) -> MotionProblem {
        let (dim, k) = (self.problem.dim, self.problem.contacts());
        let mut spans: Vec<Vec<(usize, Vec<[f64; 3]>)>> = vec![Vec::new(); k];
        for (at, (bundles, H)) in self.node.iter().enumerate() {
            let contacts = bundles.iter().flat_map(|&c| &self.bodies.bundle[c]);
            for (i, &contact) in contacts.enumerate() {
                let entry = |row: usize, axis: usize| H[(row, dim * i + axis)];
                let triple = |row: usize| {
                    [entry(row, 0), entry(row, 1), if dim == 3 { entry(row, 2) } else { 0.0 }]
                };
                spans[contact].push((at, (0..H.nrows()).map(triple).collect()));
            }
        }
        let mut problem = MotionProblem::default();
        problem.clear(dim, self.node.iter().map(|(_, H)| H.nrows()));
        for (c, spans) in spans.into_iter().enumerate() {
            spans.into_iter().for_each(|(node, rows)| problem.push_span(node, rows));
            let q = &self.problem.q[dim * c..dim * (c + 1)];
            let q = [q[0], q[1], q.get(2).copied().unwrap_or(0.0)];
            problem.end_contact([0.0; 3], q, self.problem.mu[c]);
        }
        problem
    }
}

/// H of `G = Hᵀ H`, by Cholesky's method with the largest pivot first; as many rows as the rank.
fn root(mut G: MatX, rank: f64) -> MatX {
    let n = G.nrows();
    let largest = (0..n).map(|i| G[(i, i)]).fold(0.0, f64::max);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < n {
        let Some(p) = (0..n).max_by(|&i, &j| G[(i, i)].total_cmp(&G[(j, j)])) else { break };
        if !(G[(p, p)] > rank * largest) {
            break;
        }
        let scale = 1.0 / G[(p, p)].sqrt();
        let row: Vec<f64> = (0..n).map(|j| G[(p, j)] * scale).collect();
        for j in 0..n {
            for i in 0..n {
                G[(i, j)] -= row[i] * row[j];
            }
        }
        rows.push(row);
    }
    MatX::from_fn(rows.len(), n, |i, j| rows[i][j])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{
        Jostle, PileSettings, box_wall, disk_pile, jostled, sphere_pyramid,
    };

    fn largest_miss(problem: &FrictionProblem, root: &MotionProblem) -> f64 {
        let made = root.to_local().unwrap();
        let mut most: f64 = 0.0;
        for j in 0..problem.n() {
            for i in 0..problem.n() {
                most = most.max((problem.W.get(i, j) - made.W.get(i, j)).abs());
            }
        }
        most
    }

    #[test]
    fn the_root_of_a_pile_has_the_freedom_of_its_bodies_and_gives_w_back() {
        let settings = PileSettings::default();
        for (seed, mass_ratio) in [(1, 1.0), (2, 1e3)] {
            let jostle = Jostle { seed, mass_ratio, speed: 0.1, ..Default::default() };
            for (pile, freedom) in [(disk_pile(6, &settings), 3), (sphere_pyramid(4, &settings), 6)]
            {
                let local = jostled(&pile, &jostle).to_local().unwrap();
                let root = local.to_motion().unwrap();
                // rounding adds a coordinate here and there
                let expected = freedom * pile.nodes();
                let found = root.coordinates();
                assert!((expected..=expected + expected / 10).contains(&found), "{seed}: {found}");
                assert!(largest_miss(&local, &root) <= 1e-9, "{seed}");
            }
        }
    }

    #[test]
    fn contacts_between_two_boxes_are_one_bundle_and_give_w_back() {
        let local = box_wall(3, 3, &PileSettings::default()).to_local().unwrap();
        let root = local.to_motion().unwrap();
        assert!(largest_miss(&local, &root) <= 1e-9);
    }

    #[test]
    fn a_matrix_that_is_no_sum_over_bodies_has_no_root() {
        let local = disk_pile(3, &PileSettings::default()).to_local().unwrap();
        let n = local.n();
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        for j in 0..n {
            local.W.for_column(j, |i, w| entries.push((i, j, w)));
        }
        // not symmetric
        entries.push((0, 1, 0.1));
        let W = crate::matrix::Csc::from_triplets((n, n), &mut entries);
        let other = FrictionProblem::new(2, W, local.q.clone(), local.mu.clone()).unwrap();
        assert!(other.to_motion().is_none());
    }
}
