//! The linear problem of one Newton step: blocks by column, unknowns by piece, sparse factors.

use super::super::blocks::zeros;
use super::super::section::Piece;
use super::super::{Triple, block_times};
use super::{AlartCurnierWorkspace, shifted};
use crate::friction::FrictionProblem;
use crate::linalg::minimum_degree;
use crate::matrix::{Csc, Matrix};

/// Up to so many unknowns dense factors are faster, however sparse the matrix is.
const DENSE: usize = 40;
/// A pivot below this part of its column is rounding.
const DEPENDENT: f64 = 1e-14;

impl AlartCurnierWorkspace {
    pub(super) fn load(&mut self, problem: &FrictionProblem, r: &[f64]) {
        let mut start = std::mem::take(&mut self.r);
        self.blocks.load(problem, r, &mut start);
        self.r = start;
        self.dim = problem.dim();
        let k = self.blocks.contacts();
        self.column_start.clear();
        self.column_start.resize(k + 1, 0);
        for c in 0..k {
            for &d in self.blocks.row(c).0.iter().chain([&c]) {
                self.column_start[d + 1] += 1;
            }
        }
        for d in 0..k {
            self.column_start[d + 1] += self.column_start[d];
        }
        self.column.clear();
        self.column.resize(self.column_start[k], (0, [0.0; 9]));
        self.first.clear();
        self.first.extend(self.column_start[..k].iter().map(|&s| s as u32));
        for c in 0..k {
            let (columns, blocks) = self.blocks.row(c);
            let own = [self.blocks.diagonal[c]];
            for (&d, block) in columns.iter().zip(blocks).chain([&c].into_iter().zip(&own)) {
                self.column[self.first[d] as usize] = (c as u32, *block);
                self.first[d] += 1;
            }
        }
        self.find_order();
        zeros(&mut self.u, k);
        zeros(&mut self.trial, k);
        zeros(&mut self.target, k);
        zeros(&mut self.center, k);
        zeros(&mut self.best, k);
        self.piece.clear();
        self.piece.resize(k, Piece::Open);
    }

    /// Elimination order of the contacts, kept while the pattern of blocks stays the same.
    fn find_order(&mut self) {
        let same = self.pattern_start == self.column_start
            && self.pattern.len() == self.column.len()
            && self.pattern.iter().zip(&self.column).all(|(p, (i, _))| p == i);
        if same {
            return;
        }
        let k = self.blocks.contacts();
        let mut triplets = Vec::with_capacity(self.column.len());
        for d in 0..k {
            for (c, _) in &self.column[self.column_start[d]..self.column_start[d + 1]] {
                triplets.push((*c as usize, d, 1.0));
            }
        }
        self.order = minimum_degree(&Matrix::from(Csc::from_triplets((k, k), &mut triplets)));
        self.pattern_start.clone_from(&self.column_start);
        self.pattern.clear();
        self.pattern.extend(self.column.iter().map(|(i, _)| *i));
    }

    pub(super) fn choose_pieces(&mut self, kappa: f64) {
        for c in 0..self.r.len() {
            let z = shifted(&self.center[c], kappa * self.blocks.mass[c], &self.u[c]);
            self.piece[c] = self.sections[c].piece(&z);
        }
    }

    /// Solves the linear problem of the present pieces; its solution goes to `target`. The unknowns are
    /// corrections of the present impulses, so that near the solution little is rounded.
    pub(super) fn newton_step(&mut self, kappa: f64) -> bool {
        self.number_unknowns();
        self.put_on_pieces();
        Self::velocity(self.is_fine, &self.blocks, &self.target, &mut self.trial);
        self.x.clear();
        for x in 0..self.owner.len() {
            let c = self.owner[x] as usize;
            let (row, root) = (self.row_direction(c, x), self.blocks.mass[c].sqrt());
            let along = |v: &Triple| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
            let (center, now) = (along(&self.center[c]), along(&self.target[c]));
            let stretch = (center - now / self.softening(c, x)) / (kappa * root);
            self.x.push(stretch - root * along(&self.trial[c]));
        }
        let regular =
            if self.x.len() <= DENSE { self.solve_dense(kappa) } else { self.solve_sparse(kappa) };
        for c in 0..self.r.len() {
            let root = self.blocks.mass[c].sqrt();
            for x in self.first[c] as usize..self.first[c + 1] as usize {
                let d = self.column_direction(c, x);
                for a in 0..3 {
                    self.target[c][a] += root * d[a] * self.x[x];
                }
            }
        }
        regular && self.x.iter().all(|x| x.is_finite())
    }

    /// Solves for `x` with sparse factors; false if the matrix is singular.
    fn solve_sparse(&mut self, kappa: f64) -> bool {
        let mut lu = std::mem::take(&mut self.lu);
        let this = &*self;
        let order =
            this.order.iter().flat_map(|&c| (this.first[c] as usize)..(this.first[c + 1] as usize));
        lu.factor(order, DEPENDENT, |x, entries| this.fill_column(kappa, x, entries));
        let regular = lu.dependent().is_empty();
        if regular {
            lu.solve(&mut self.x);
        }
        self.lu = lu;
        regular
    }

    /// The same with dense factors.
    fn solve_dense(&mut self, kappa: f64) -> bool {
        let (mut lu, mut entries) =
            (std::mem::take(&mut self.dense), std::mem::take(&mut self.entries));
        let n = self.x.len();
        lu.reset(n);
        for j in 0..n {
            entries.clear();
            self.fill_column(kappa, j, &mut entries);
            let column = lu.column_mut(j);
            entries.iter().for_each(|&(i, a)| column[i as usize] = a);
        }
        lu.factor(DEPENDENT);
        let regular = lu.dependent().is_empty();
        if regular {
            lu.solve(&mut self.x);
        }
        (self.dense, self.entries) = (lu, entries);
        regular
    }

    /// `target` ← the present impulses as far as their pieces allow them.
    fn put_on_pieces(&mut self) {
        for (c, piece) in self.piece.iter().enumerate() {
            let r = self.r[c];
            self.target[c] = match piece {
                Piece::Open => [0.0; 3],
                Piece::Stick => r,
                Piece::Slip { along, side, theta } => {
                    let has_side = *theta > 0.0 && self.dim == 3;
                    let sigma = if has_side { side[0] * r[1] + side[1] * r[2] } else { 0.0 };
                    [r[0], r[0] * along[0] + sigma * side[0], r[0] * along[1] + sigma * side[1]]
                }
            };
        }
    }

    /// θ for the sideways unknown of a slipping contact, 1 for all others.
    fn softening(&self, c: usize, x: usize) -> f64 {
        match self.piece[c] {
            Piece::Slip { theta, .. } if x > self.first[c] as usize => theta,
            _ => 1.0,
        }
    }

    fn number_unknowns(&mut self) {
        self.first.clear();
        self.owner.clear();
        for (c, piece) in self.piece.iter().enumerate() {
            self.first.push(self.owner.len() as u32);
            let unknowns = match piece {
                Piece::Open => 0,
                Piece::Stick => self.dim,
                Piece::Slip { theta, .. } if *theta > 0.0 => self.dim - 1,
                Piece::Slip { .. } => 1,
            };
            self.owner.extend(std::iter::repeat_n(c as u32, unknowns));
        }
        self.first.push(self.owner.len() as u32);
    }

    /// Impulse per unit of unknown x of contact c.
    fn column_direction(&self, c: usize, x: usize) -> Triple {
        let place = x - self.first[c] as usize;
        match self.piece[c] {
            Piece::Slip { along, .. } if place == 0 => [1.0, along[0], along[1]],
            Piece::Slip { side, .. } => [0.0, side[0], side[1]],
            Piece::Open | Piece::Stick => std::array::from_fn(|a| f64::from(u8::from(a == place))),
        }
    }

    /// Velocity that equation x of contact c is about.
    fn row_direction(&self, c: usize, x: usize) -> Triple {
        let place = x - self.first[c] as usize;
        match self.piece[c] {
            Piece::Slip { .. } if place == 0 => [1.0, 0.0, 0.0],
            _ => self.column_direction(c, x),
        }
    }

    /// Column x of `√m Rᵀ W C √m + 1/κ (or 1/(θκ))`.
    fn fill_column(&self, kappa: f64, x: usize, entries: &mut Vec<(u32, f64)>) {
        let d = self.owner[x] as usize;
        let direction = self.column_direction(d, x);
        let root_d = self.blocks.mass[d].sqrt();
        for (c, block) in &self.column[self.column_start[d]..self.column_start[d + 1]] {
            let c = *c as usize;
            let (first, end) = (self.first[c] as usize, self.first[c + 1] as usize);
            if first == end {
                continue;
            }
            let w = block_times(block, &direction);
            let scale = root_d * self.blocks.mass[c].sqrt();
            for y in first..end {
                let row = self.row_direction(c, y);
                let mut a = scale * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]);
                if x == y {
                    a += 1.0 / (self.softening(c, x) * kappa);
                }
                entries.push((y as u32, a));
            }
        }
    }
}
