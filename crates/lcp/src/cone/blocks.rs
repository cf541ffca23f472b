//! The problem as the solvers of this folder see it: one 3 × 3 block per pair of contacts, row by
//! row, in units in which the largest diagonal entry of W and the largest entry of q are about 1.

use super::{Triple, block_times, natural_map, norm, power_of_two};
use crate::friction::FrictionProblem;
use crate::linalg::Pair;

/// Rounding excuses an error up to this; where it costs more, nothing is accepted.
const ROUNDING_CAP: f64 = 1e-8;

#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) q: Vec<Triple>,
    pub(crate) mu: Vec<f64>,
    pub(crate) diagonal: Vec<[f64; 9]>,
    /// `dim / trace W_cc`: the mass that contact c feels. The largest one where the trace is not
    /// positive.
    pub(crate) mass: Vec<f64>,
    /// Off-diagonal blocks of row c: `start[c]..start[c + 1]`, columns ascending.
    start: Vec<usize>,
    column: Vec<usize>,
    block: Vec<[f64; 9]>,
    /// Next free place of each row while loading; one more than the column that came last.
    place: Vec<usize>,
    dim: usize,
    q_norm: f64,
    /// Impulse here = impulse of the problem × this.
    impulse: f64,
    unit_W: f64,
}

impl Blocks {
    /// Reads the problem, and the warm start into `r` (what is not finite becomes 0). Allocates only
    /// when the problem has more contacts or blocks than any before.
    pub(crate) fn load(&mut self, problem: &FrictionProblem, warm: &[f64], r: &mut Vec<Triple>) {
        assert_eq!(warm.len(), problem.n(), "warm start has the wrong length");
        let (dim, k, W) = (problem.dim(), problem.contacts(), problem.W());
        self.dim = dim;
        let unit_u = power_of_two(problem.q().iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        let unit_W = power_of_two((0..problem.n()).fold(0.0, |m: f64, i| m.max(W.get(i, i).abs())));
        self.impulse = unit_W / unit_u;
        self.unit_W = unit_W;

        // count the blocks of each row, then let each row know where it begins
        self.start.clear();
        self.start.resize(k + 1, 0);
        self.place.clear();
        self.place.resize(k, 0);
        for j in 0..problem.n() {
            W.for_column(j, |i, w_ij| {
                let (row, column) = (i / dim, j / dim);
                if w_ij != 0.0 && row != column && self.place[row] != column + 1 {
                    self.place[row] = column + 1;
                    self.start[row + 1] += 1;
                }
            });
        }
        for c in 0..k {
            self.start[c + 1] += self.start[c];
        }
        let stored = self.start[k];
        self.column.clear();
        self.column.resize(stored, usize::MAX);
        self.block.clear();
        self.block.resize(stored, [0.0; 9]);
        self.diagonal.clear();
        self.diagonal.resize(k, [0.0; 9]);
        self.place.copy_from_slice(&self.start[..k]);
        for j in 0..problem.n() {
            W.for_column(j, |i, w_ij| {
                let (row, column) = (i / dim, j / dim);
                let entry = 3 * (i % dim) + j % dim;
                if row == column {
                    self.diagonal[row][entry] = w_ij / unit_W;
                } else if w_ij != 0.0 {
                    let last = self.place[row];
                    if last == self.start[row] || self.column[last - 1] != column {
                        self.column[last] = column;
                        self.place[row] = last + 1;
                    }
                    self.block[self.place[row] - 1][entry] = w_ij / unit_W;
                }
            });
        }

        let triple = |x: &[f64], s: f64| [x[0] * s, x[1] * s, x.get(2).map_or(0.0, |x| x * s)];
        self.q.clear();
        self.q.extend(problem.q().chunks_exact(dim).map(|q| triple(q, 1.0 / unit_u)));
        self.q_norm = self.q.iter().fold(0.0, |sum, q| sum + norm(q) * norm(q)).sqrt();
        self.mu.clear();
        self.mu.extend_from_slice(problem.mu());
        r.clear();
        r.extend(warm.chunks_exact(dim).map(|r| {
            let r = triple(r, self.impulse);
            if r.iter().all(|x| x.is_finite()) { r } else { [0.0; 3] }
        }));
        self.load_masses();
    }

    fn load_masses(&mut self) {
        let dim = self.dim as f64;
        self.mass.clear();
        self.mass.extend(self.diagonal.iter().map(|W| {
            let trace = W[0] + W[4] + W[8];
            if trace > 0.0 { dim / trace } else { 0.0 }
        }));
        let largest = self.mass.iter().fold(0.0, |m: f64, x| m.max(*x));
        let largest = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
        for mass in &mut self.mass {
            if !(*mass > 0.0 && mass.is_finite()) {
                *mass = largest;
            }
        }
    }

    /// Back to the problem's units and rows.
    pub(crate) fn store(&self, r: &[Triple], answer: &mut [f64]) {
        for (out, r) in answer.chunks_exact_mut(self.dim).zip(r) {
            for (out, r) in out.iter_mut().zip(r) {
                *out = r / self.impulse;
            }
        }
    }

    pub(crate) fn contacts(&self) -> usize {
        self.mu.len()
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// A mass of the problem's units in those used here.
    pub(crate) fn mass_here(&self, mass: f64) -> f64 {
        mass * self.unit_W
    }

    /// A velocity of the problem's units in those used here.
    pub(crate) fn velocity_here(&self, velocity: f64) -> f64 {
        velocity * (self.impulse / self.unit_W)
    }

    /// `‖q‖₂`, or 1 where q = 0.
    pub(crate) fn q_norm(&self) -> f64 {
        if self.q_norm > 0.0 { self.q_norm } else { 1.0 }
    }

    /// Off-diagonal columns and blocks of contact c.
    pub(crate) fn row(&self, c: usize) -> (&[usize], &[[f64; 9]]) {
        let range = self.start[c]..self.start[c + 1];
        (&self.column[range.clone()], &self.block[range])
    }

    /// `q_c + Σ_{d≠c} W_cd r_d`: the velocity of contact c were its own impulse zero.
    pub(crate) fn free_velocity(&self, c: usize, r: &[Triple]) -> Triple {
        let mut u = self.q[c];
        let (columns, blocks) = self.row(c);
        for (&d, W) in columns.iter().zip(blocks) {
            let w = block_times(W, &r[d]);
            u = [u[0] + w[0], u[1] + w[1], u[2] + w[2]];
        }
        u
    }

    /// `u = W r + q`.
    pub(crate) fn velocity(&self, r: &[Triple], u: &mut [Triple]) {
        for c in 0..self.contacts() {
            let (f, w) = (self.free_velocity(c, r), block_times(&self.diagonal[c], &r[c]));
            u[c] = [f[0] + w[0], f[1] + w[1], f[2] + w[2]];
        }
    }

    /// The same to twice the precision: at mass ratios u is what is left of terms a million times larger.
    pub(crate) fn velocity_twice(&self, r: &[Triple], u: &mut [Triple]) {
        for c in 0..self.contacts() {
            let mut sum = self.q[c].map(Pair::of);
            let (columns, blocks) = self.row(c);
            for (&d, W) in columns.iter().zip(blocks).chain([(&c, &self.diagonal[c])]) {
                for (i, sum) in sum.iter_mut().enumerate() {
                    (0..3).for_each(|j| sum.add_product(W[3 * i + j], r[d][j]));
                }
            }
            u[c] = sum.map(Pair::value);
        }
    }

    /// The velocity by which contact c misses Coulomb's law, `‖r − P_K(r − m ũ)‖ / m`.
    pub(crate) fn contact_error(&self, c: usize, r: &Triple, u: &Triple) -> f64 {
        natural_map(r, u, self.mu[c], self.mass[c]) / self.mass[c]
    }

    /// `|q| + |W| |r|` of contact c: the size of the terms of its velocity.
    pub(crate) fn size(&self, c: usize, r: &[Triple]) -> Triple {
        let mut size = self.q[c].map(f64::abs);
        let (columns, blocks) = self.row(c);
        let own = std::iter::once((&c, &self.diagonal[c]));
        for (&d, W) in columns.iter().zip(blocks).chain(own) {
            let w = block_times(&W.map(f64::abs), &r[d].map(f64::abs));
            size = [size[0] + w[0], size[1] + w[1], size[2] + w[2]];
        }
        size
    }

    /// What rounding may cost of [`Blocks::error`]: half an ulp of `|W| |r| + |q|` in the velocity, and
    /// of r itself in the natural map (a velocity that is lost beside a huge r is not small),
    /// relative to `‖q‖₂`.
    pub(crate) fn floor(&self, r: &[Triple]) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.contacts() {
            let size = norm(&self.size(c, r)).max(norm(&r[c]) / self.mass[c]);
            sum += size * size;
        }
        0.5 * f64::EPSILON * sum.sqrt() / self.q_norm()
    }

    /// `‖r − P_K(r − ũ)‖₂ / ‖q‖₂` in the problem's own units: the number by which the field compares
    /// solvers. It depends on units; [`Blocks::error`] does not.
    pub(crate) fn field_error(&self, r: &[Triple], u: &[Triple]) -> f64 {
        let (mut sum, one) = (0.0, self.mass_here(1.0));
        for c in 0..self.contacts() {
            let e = natural_map(&r[c], &u[c], self.mu[c], one) / one;
            sum += e * e;
        }
        let error = sum.sqrt() / self.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// Whether an error, and the field's with it, is within the tolerance or as small as rounding
    /// lets it be.
    pub(crate) fn accepts(&self, error: f64, tol: f64, (r, u): (&[Triple], &[Triple])) -> bool {
        let cap = tol.max(ROUNDING_CAP);
        if error.is_nan() || error > cap {
            return false;
        }
        let worse = error.max(self.field_error(r, u));
        let floor = self.floor(r);
        // the judge adds in another order: leave it some room
        floor <= cap && worse <= (0.9 * tol).max(2.0 * floor)
    }

    /// What every solver here stops by: `‖(e_c)_c‖₂ / ‖q‖₂`, e_c the contact errors. No units; equal
    /// to the judge's number where all masses are 1. Infinite if anything is not finite.
    pub(crate) fn error(&self, r: &[Triple], u: &[Triple]) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.contacts() {
            let e = self.contact_error(c, &r[c], &u[c]);
            sum += e * e;
        }
        let error = sum.sqrt() / self.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }
}

/// Impulses (in units in which W and q are about 1) beyond this are growing without bound.
pub(crate) const DIVERGED: f64 = 1e15;

/// Whether all impulses are finite and below [`DIVERGED`].
pub(crate) fn bounded(r: &[Triple]) -> bool {
    r.iter().all(|r| norm(r) < DIVERGED)
}

/// Becomes k triples of zeros without giving memory back.
pub(crate) fn zeros(x: &mut Vec<Triple>, k: usize) {
    x.clear();
    x.resize(k, [0.0; 3]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{Random, stack};
    use crate::{Csc, MatX, Matrix};

    #[test]
    fn blocks_say_the_same_as_the_matrix() {
        let problem = stack(3, 10.0, 0.5, [0.3, -0.1]);
        let n = problem.n();
        let mut triplets = Vec::new();
        for j in 0..n {
            problem.W().for_column(j, |i, w| triplets.extend((w != 0.0).then_some((i, j, w))));
        }
        let W = Csc::from_triplets((n, n), &mut triplets);
        let (q, mu) = (problem.q().to_vec(), problem.mu().to_vec());
        let sparse = FrictionProblem::new(3, W, q, mu).unwrap();
        let mut random = Random(3);
        let warm: Vec<f64> = (0..n).map(|_| random.signed()).collect();
        let mut expected = vec![0.0; n];
        problem.W().affine(&warm, problem.q(), &mut expected);
        for problem in [&problem, &sparse] {
            let (mut blocks, mut r, mut u) = (Blocks::default(), Vec::new(), vec![[0.0; 3]; n / 3]);
            blocks.load(problem, &warm, &mut r);
            blocks.velocity(&r, &mut u);
            let mut twice = vec![[0.0; 3]; n / 3];
            blocks.velocity_twice(&r, &mut twice);
            let pairs = u.as_flattened().iter().zip(twice.as_flattened());
            assert!(pairs.into_iter().all(|(u, twice)| (u - twice).abs() < 1e-13));
            let unit_u = power_of_two(problem.q().iter().fold(0.0, |m: f64, x| m.max(x.abs())));
            for i in 0..n {
                assert!((u[i / 3][i % 3] * unit_u - expected[i]).abs() < 1e-13);
            }
            let mut back = vec![0.0; n];
            blocks.store(&r, &mut back);
            assert_eq!(back, warm);
        }
    }

    #[test]
    fn zero_matrix_and_poor_warm_start_are_survived() {
        let W = Matrix::from(MatX::zeros(4, 4));
        let problem = FrictionProblem::new(2, W, vec![0.0; 4], vec![0.3; 2]).unwrap();
        let (mut blocks, mut r) = (Blocks::default(), Vec::new());
        blocks.load(&problem, &[f64::NAN, 1.0, 2.0, f64::INFINITY], &mut r);
        assert_eq!(r, [[0.0; 3]; 2]);
        assert_eq!(blocks.error(&r, &[[0.0; 3]; 2]), 0.0);
        assert_eq!(blocks.error(&r, &[[f64::NAN; 3]; 2]), f64::INFINITY);
    }
}
