//! From contact directions to a problem: what all laws share.
//!
//! An LCP law chooses for each of its impulses a contact and a direction, column `T_j`. The mechanics of these
//! unknowns is a congruence; the law writes its own rows and columns around it:
//!
//! ```text
//!      ⎡ Tᵀ W T   · ⎤          ⎡ Tᵀ u_free ⎤
//!  A = ⎢            ⎥ ,    b = ⎢           ⎥ ,     p = T z
//!      ⎣    ·     · ⎦          ⎣     ·     ⎦
//! ```

use stiction_lcp::{BoxLcp, Csc, FrictionProblem, MatX, Matrix};

use super::LawError;
use super::embed::{self, Reading};
use crate::contact::space::{ContactData, ContactSpace, Sides};

/// What a law becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum LawProblem {
    /// A linear complementarity problem: plain, mixed or box.
    Lcp(BoxLcp),
    /// Exact Coulomb friction.
    Friction(FrictionProblem),
    /// The same data under the convex law `p ∈ K ⊥ u ∈ K*`, without De Saxcé's shift.
    Convex(FrictionProblem),
}

/// An unknown that is an impulse: of this contact, along (n, t1, t2), or, from k on, of a bounded row, along (1, 0, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub block: usize,
    pub direction: [f64; 3],
}

/// A problem, and how to read impulses off its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    pub problem: LawProblem,
    /// How cone problems are read.
    readings: Vec<Reading>,
    /// Normals of a convex problem that stand for the bounds of rows.
    pub(super) idle: Vec<usize>,
    /// How LCPs are read: contacts, and what the first unknowns are. Further ones are no impulses.
    k: usize,
    shares: Vec<Share>,
    /// Impulse of one unit of z: 1, or h where z is a force.
    unit: f64,
    /// Impulses at z = 0: bounded rows whose lower bound became 0.
    p_zero: Vec<f64>,
    /// The last step as an answer to this problem, for the laws whose solvers gain by one; or empty.
    pub(super) start: Vec<f64>,
}

impl Assembled {
    pub(super) fn cone(problem: LawProblem, readings: Vec<Reading>, start: Vec<f64>) -> Self {
        let (k, shares, p_zero) = (0, Vec::new(), Vec::new());
        Self { problem, readings, idle: Vec::new(), k, shares, unit: 1.0, p_zero, start }
    }

    /// (p_n, p_t1, p_t2) of every contact [N·s] and p of every bounded row, from the answer z or r of the problem.
    ///
    /// # Panics
    ///
    /// If the answer has fewer entries than the problem has impulses.
    pub fn impulses(&self, answer: &[f64]) -> Vec<f64> {
        if let LawProblem::Friction(_) | LawProblem::Convex(_) = self.problem {
            return embed::impulses(&self.readings, answer);
        }
        let mut p = self.p_zero.clone();
        for (share, z_j) in self.shares.iter().zip(&answer[..self.shares.len()]) {
            let first = first_row(self.k, share.block);
            for a in 0..width(self.k, share.block) {
                p[first + a] += self.unit * z_j * share.direction[a];
            }
        }
        p
    }
}

/// The first row of a block, and how many it has.
fn first_row(k: usize, block: usize) -> usize {
    if block < k { 3 * block } else { 2 * k + block }
}

fn width(k: usize, block: usize) -> usize {
    if block < k { 3 } else { 1 }
}

/// An LCP under construction.
pub(super) struct Rows {
    k: usize,
    shares: Vec<Share>,
    unit: f64,
    is_sparse: bool,
    /// (row, column, value); repeated entries are added up.
    entries: Vec<(usize, usize, f64)>,
    b: Vec<f64>,
    p_zero: Vec<f64>,
}

impl Rows {
    /// The congruence for these impulses, and `others` further rows of zeros.
    pub(super) fn new(space: &ContactSpace, shares: Vec<Share>, others: usize) -> Self {
        let k = space.k();
        let blocks = k + space.rows.len();
        let mut of_block = vec![Vec::new(); blocks];
        for (j, share) in shares.iter().enumerate() {
            of_block[share.block].push(j);
        }
        let mut entries = Vec::new();
        let (mut W_T, mut is_met) = (vec![0.0; space.m()], vec![false; blocks]);
        for (j, share) in shares.iter().enumerate() {
            let mut met = Vec::new();
            let first = first_row(k, share.block);
            for a in (0..width(k, share.block)).filter(|&a| share.direction[a] != 0.0) {
                space.W.for_column(first + a, |i, w| {
                    W_T[i] += w * share.direction[a];
                    let block = if i < 3 * k { i / 3 } else { i - 2 * k };
                    if !std::mem::replace(&mut is_met[block], true) {
                        met.push(block);
                    }
                });
            }
            for c in met {
                is_met[c] = false;
                let range = first_row(k, c)..first_row(k, c) + width(k, c);
                for &i in &of_block[c] {
                    entries.push((i, j, dot(&shares[i].direction, &W_T[range.clone()])));
                }
                W_T[range].fill(0.0);
            }
        }
        let u_of = |s: &Share| dot(&s.direction, &space.u_free[first_row(k, s.block)..]);
        let mut b: Vec<f64> = shares.iter().map(u_of).collect();
        b.resize(shares.len() + others, 0.0);
        let (is_sparse, p_zero) = (space.W.matrix().is_sparse(), vec![0.0; space.m()]);
        Self { k, shares, unit: 1.0, is_sparse, entries, b, p_zero }
    }

    pub(super) fn add(&mut self, i: usize, j: usize, a_ij: f64) {
        self.entries.push((i, j, a_ij));
    }

    /// Row i gains compliance ε and offset d.
    pub(super) fn relax(&mut self, i: usize, (eps, d): (f64, f64)) {
        self.add(i, i, eps);
        self.b[i] += d;
    }

    /// `A_ii ← (1 + ε) A_ii`.
    pub(super) fn stiffen_diagonal(&mut self, eps: f64) {
        let mut more: Vec<_> = self.entries.iter().filter(|(i, j, _)| i == j).copied().collect();
        more.iter_mut().for_each(|(_, _, a)| *a *= eps);
        self.entries.append(&mut more);
    }

    /// Unknowns that were impulses become forces over `h`: the columns of the first `m` grow by h.
    pub(super) fn in_forces(&mut self, h: f64, m: usize) {
        for (i, j, a) in &mut self.entries {
            if *i < m && *j < m {
                *a *= h;
            }
        }
        self.unit = h;
    }

    /// Bounded rows as an LCP, for solvers that know no upper bounds; the shares are those of [`split`], from `first` on.
    /// Unknown z_i of row i is what is above its lower bound (or below its upper one, if that alone is finite):
    ///
    /// ```text
    ///  0 ≤ z_i ⊥ u + ε p + d + s ≥ 0 ,    0 ≤ s ⊥ (upper − lower) − z_i ≥ 0        s: see `add_slacks`
    /// ```
    pub(super) fn shift_bounds(&mut self, space: &ContactSpace, first: usize) {
        for (i, row) in space.rows.iter().enumerate() {
            let (j, place) = (first + i, 3 * space.k() + i);
            let zero = if row.lower.is_finite() { row.lower } else { row.upper };
            let sign = self.shares[j].direction[0];
            self.relax(j, (row.eps, sign * (row.d + row.eps * zero)));
            self.p_zero[place] = zero;
            if zero == 0.0 {
                continue;
            }
            for (b, share) in self.b.iter_mut().zip(&self.shares) {
                let at = first_row(self.k, share.block);
                for a in 0..width(self.k, share.block) {
                    *b += share.direction[a] * space.W.get(at + a, place) * zero;
                }
            }
        }
    }

    /// The slacks, from unknown `slack` on, of the rows with two bounds.
    pub(super) fn add_slacks(&mut self, space: &ContactSpace, first: usize, slack: usize) {
        let two_sided =
            space.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.range()?)));
        for (s, (i, range)) in two_sided.enumerate() {
            self.add(first + i, slack + s, 1.0);
            self.add(slack + s, first + i, -self.unit);
            self.b[slack + s] = range;
        }
    }

    /// Bounded rows as they are; the shares are those of [`bounded`], from `first` on.
    pub(super) fn keep_bounds(
        &mut self,
        space: &ContactSpace,
        first: usize,
        (lower, upper): (&mut [f64], &mut [f64]),
    ) {
        for (i, row) in space.rows.iter().enumerate() {
            self.relax(first + i, (row.eps, row.d));
            (lower[first + i], upper[first + i]) = (row.lower, row.upper);
        }
    }

    pub(super) fn boxed(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Assembled, LawError> {
        let n = self.b.len();
        let A = if self.is_sparse {
            Matrix::from(Csc::from_triplets((n, n), &mut self.entries))
        } else {
            let mut A = MatX::zeros(n, n);
            self.entries.iter().for_each(|&(i, j, a)| A[(i, j)] += a);
            Matrix::from(A)
        };
        let problem = LawProblem::Lcp(BoxLcp::new(A, self.b, lower, upper)?);
        let Self { k, shares, unit, p_zero, .. } = self;
        let (readings, idle, start) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Assembled { problem, readings, idle, k, shares, unit, p_zero, start })
    }
}

fn dot(a: &[f64; 3], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The least normal impulse.
pub(super) fn least(contact: &ContactData) -> f64 {
    match contact.sides {
        Sides::One => 0.0,
        Sides::Both => f64::NEG_INFINITY,
    }
}

/// One impulse along each normal.
pub(super) fn normals(k: usize) -> impl Iterator<Item = Share> {
    (0..k).map(|block| Share { block, direction: [1.0, 0.0, 0.0] })
}

/// One impulse for each bounded row.
pub(super) fn bounded(space: &ContactSpace) -> impl Iterator<Item = Share> + '_ {
    let k = space.k();
    (0..space.rows.len()).map(move |i| Share { block: k + i, direction: [1.0, 0.0, 0.0] })
}

/// The same for [`Rows::split_bounds`]: away from the bound that is zero.
pub(super) fn split(space: &ContactSpace) -> impl Iterator<Item = Share> + '_ {
    let sign = |i: usize| if space.rows[i].lower.is_finite() { 1.0 } else { -1.0 };
    bounded(space).enumerate().map(move |(i, s)| Share { direction: [sign(i), 0.0, 0.0], ..s })
}
