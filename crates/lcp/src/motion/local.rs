//! The local form as a space of the second-order solvers: W alone is known, and x is r.

use super::factor::Block;
use super::space::Space;
use crate::cone::{Triple, block_times};
use crate::friction::FrictionProblem;

/// `u = W r + q`, its blocks in units of the problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalSpace {
    dim: usize,
    mu: Vec<f64>,
    q: Vec<Triple>,
    eps: Vec<Triple>,
    /// Blocks of row c: `start[c]..start[c + 1]`, the diagonal one first.
    start: Vec<usize>,
    column: Vec<usize>,
    block: Vec<Block>,
    /// Pairs (row, column) with row ≤ column, and where their blocks are; the same one twice on the diagonal.
    pair: Vec<(usize, usize)>,
    pair_block: Vec<(Option<usize>, Option<usize>)>,
}

impl LocalSpace {
    pub(crate) fn new(problem: &FrictionProblem) -> Self {
        let (dim, k) = (problem.dim(), problem.contacts());
        let mut entries: Vec<(usize, usize, usize, f64)> = Vec::new();
        for j in 0..problem.n() {
            problem.W().for_column(j, |i, w| {
                if w != 0.0 || i / dim == j / dim {
                    entries.push((i / dim, j / dim, 3 * (i % dim) + j % dim, w));
                }
            });
        }
        // row by row, the diagonal first
        entries.sort_by_key(|&(row, column, ..)| (row, row != column, column));
        let (mut start, mut column, mut block) = (vec![0; k + 1], Vec::new(), Vec::new());
        for of_block in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut W = [0.0; 9];
            of_block.iter().for_each(|&(.., at, w)| W[at] = w);
            start[of_block[0].0 + 1] += 1;
            column.push(of_block[0].1);
            block.push(W);
        }
        (0..k).for_each(|c| start[c + 1] += start[c]);
        let triple = |q: &[f64]| [q[0], q[1], q.get(2).copied().unwrap_or(0.0)];
        let q = problem.q().chunks_exact(dim).map(triple).collect();
        let (mu, eps) = (problem.mu().to_vec(), vec![[0.0; 3]; k]);
        let (pair, pair_block) = (Vec::new(), Vec::new());
        let mut space = Self { dim, mu, q, eps, start, column, block, pair, pair_block };
        space.find_pairs();
        space
    }

    fn find_pairs(&mut self) {
        let mut all: Vec<(usize, usize, bool, usize)> = Vec::new();
        for c in 0..self.mu.len() {
            for b in self.start[c]..self.start[c + 1] {
                let d = self.column[b];
                all.push((c.min(d), c.max(d), c > d, b));
            }
        }
        all.sort_unstable();
        for of_pair in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let of = |below: bool| of_pair.iter().find(|p| p.2 == below).map(|p| p.3);
            self.pair.push((of_pair[0].0, of_pair[0].1));
            self.pair_block.push((of(false), of(true)));
        }
    }

    fn row(&self, c: usize) -> impl Iterator<Item = (usize, &Block)> + '_ {
        let range = self.start[c]..self.start[c + 1];
        self.column[range.clone()].iter().copied().zip(&self.block[range])
    }

    fn triple(&self, c: usize, x: &[f64]) -> Triple {
        let at = c * self.dim;
        [x[at], x[at + 1], if self.dim == 3 { x[at + 2] } else { 0.0 }]
    }
}

impl Space for LocalSpace {
    const IS_SYMMETRIC: bool = false;

    fn dim(&self) -> usize {
        self.dim
    }

    fn contacts(&self) -> usize {
        self.mu.len()
    }

    fn coordinates(&self) -> usize {
        self.dim * self.mu.len()
    }

    fn mu(&self) -> &[f64] {
        &self.mu
    }

    fn q(&self) -> &[Triple] {
        &self.q
    }

    fn eps(&self) -> &[Triple] {
        &self.eps
    }

    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        let at = c * self.dim;
        x[at..at + self.dim].iter_mut().zip(r).for_each(|(x, r)| *x += r);
    }

    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        let mut u = [0.0; 3];
        for (d, W) in self.row(c) {
            let w = block_times(W, &self.triple(d, x));
            u = [u[0] + w[0], u[1] + w[1], u[2] + w[2]];
        }
        u
    }

    fn add_motion_size(&self, c: usize, r: &Triple, size: &mut [f64]) {
        self.add_motion(c, &r.map(f64::abs), size);
    }

    fn velocity_size(&self, c: usize, size: &[f64]) -> Triple {
        let mut u = [0.0; 3];
        for (d, W) in self.row(c) {
            let w = block_times(&W.map(f64::abs), &self.triple(d, size));
            u = [u[0] + w[0], u[1] + w[1], u[2] + w[2]];
        }
        u
    }

    fn square(&self, x: &[f64]) -> f64 {
        let energy = |c: usize| {
            let (u, x) = (self.velocity(c, x), self.triple(c, x));
            u[0] * x[0] + u[1] * x[1] + u[2] * x[2]
        };
        // rounding may leave −1e-17
        (0..self.mu.len()).map(energy).sum::<f64>().abs()
    }

    fn block(&self, c: usize) -> Block {
        self.block[self.start[c]]
    }

    fn nodes(&self) -> usize {
        self.mu.len()
    }

    fn width(&self, _: usize) -> usize {
        self.dim
    }

    fn first(&self, node: usize) -> usize {
        self.dim * node
    }

    fn cliques(&self) -> usize {
        self.pair.len()
    }

    fn clique(&self, clique: usize, nodes: &mut Vec<usize>) {
        let (c, d) = self.pair[clique];
        nodes.push(c);
        if c != d {
            nodes.push(d);
        }
    }

    /// `A_cd += D_c W_cd`, and the same for the other block of the pair.
    fn assemble(&self, clique: usize, D: &[Block], place: &[usize], A: (&mut [f64], usize, bool)) {
        let (A, n, _) = A;
        let ((c, d), (upper, lower)) = (self.pair[clique], self.pair_block[clique]);
        let last = place.len() - 1;
        let mut add = |row: usize, at_row: usize, at_column: usize, W: &Block| {
            let G = &D[row];
            for j in 0..self.dim {
                for i in 0..self.dim {
                    let a = G[3 * i] * W[j] + G[3 * i + 1] * W[3 + j] + G[3 * i + 2] * W[6 + j];
                    A[(at_column + j) * n + at_row + i] += a;
                }
            }
        };
        if let Some(b) = upper
            && D[c] != [0.0; 9]
        {
            add(c, place[0], place[last], &self.block[b]);
        }
        if let Some(b) = lower
            && D[d] != [0.0; 9]
        {
            add(d, place[last], place[0], &self.block[b]);
        }
    }
}
