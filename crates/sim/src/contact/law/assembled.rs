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
use crate::contact::space::ContactSpace;

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

/// An unknown that is an impulse: of this contact, along (n, t1, t2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub contact: usize,
    pub direction: [f64; 3],
}

/// A problem, and how to read impulses off its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    pub problem: LawProblem,
    contacts: usize,
    /// Of the first unknowns of an LCP; further ones are no impulses. Of a cone problem: none are needed.
    shares: Vec<Share>,
    /// Impulse of one unit of z: 1, or h where z is a force.
    unit: f64,
    /// An answer with the active set of the last step, for the laws whose solvers need one; or empty.
    pub(super) start: Vec<f64>,
}

impl Assembled {
    pub(super) fn cone(problem: LawProblem, contacts: usize) -> Self {
        Self { problem, contacts, shares: Vec::new(), unit: 1.0, start: Vec::new() }
    }

    /// (p_n, p_t1, p_t2) of every contact [N·s], from the answer z or r of the problem.
    ///
    /// # Panics
    ///
    /// If the answer has fewer entries than the problem has impulses.
    pub fn impulses(&self, answer: &[f64]) -> Vec<f64> {
        if let LawProblem::Friction(_) | LawProblem::Convex(_) = self.problem {
            return answer[..3 * self.contacts].to_vec();
        }
        let mut p = vec![0.0; 3 * self.contacts];
        for (share, z_j) in self.shares.iter().zip(&answer[..self.shares.len()]) {
            for a in 0..3 {
                p[3 * share.contact + a] += self.unit * z_j * share.direction[a];
            }
        }
        p
    }
}

/// An LCP under construction.
pub(super) struct Rows {
    shares: Vec<Share>,
    contacts: usize,
    unit: f64,
    is_sparse: bool,
    /// (row, column, value); repeated entries are added up.
    entries: Vec<(usize, usize, f64)>,
    b: Vec<f64>,
}

impl Rows {
    /// The congruence for these impulses, and `others` further rows of zeros.
    pub(super) fn new(space: &ContactSpace, shares: Vec<Share>, others: usize) -> Self {
        let mut of_contact = vec![Vec::new(); space.k()];
        for (j, share) in shares.iter().enumerate() {
            of_contact[share.contact].push(j);
        }
        let mut entries = Vec::new();
        let (mut W_T, mut is_met) = (vec![0.0; 3 * space.k()], vec![false; space.k()]);
        for (j, share) in shares.iter().enumerate() {
            let mut met = Vec::new();
            for (a, &t_a) in share.direction.iter().enumerate() {
                if t_a != 0.0 {
                    space.W.for_column(3 * share.contact + a, |i, w| {
                        W_T[i] += w * t_a;
                        if !std::mem::replace(&mut is_met[i / 3], true) {
                            met.push(i / 3);
                        }
                    });
                }
            }
            for c in met {
                is_met[c] = false;
                for &i in &of_contact[c] {
                    entries.push((i, j, dot3(&shares[i].direction, &W_T[3 * c..])));
                }
                W_T[3 * c..3 * c + 3].fill(0.0);
            }
        }
        let mut b: Vec<f64> =
            shares.iter().map(|s| dot3(&s.direction, &space.u_free[3 * s.contact..])).collect();
        b.resize(shares.len() + others, 0.0);
        let (contacts, is_sparse) = (space.k(), space.W.is_sparse());
        Self { shares, contacts, unit: 1.0, is_sparse, entries, b }
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

    pub(super) fn lcp(self) -> Result<Assembled, LawError> {
        let n = self.b.len();
        self.boxed(vec![0.0; n], vec![f64::INFINITY; n])
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
        let (contacts, shares, unit) = (self.contacts, self.shares, self.unit);
        Ok(Assembled { problem, contacts, shares, unit, start: Vec::new() })
    }
}

fn dot3(a: &[f64; 3], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// One impulse along each normal.
pub(super) fn normals(k: usize) -> impl Iterator<Item = Share> {
    (0..k).map(|contact| Share { contact, direction: [1.0, 0.0, 0.0] })
}
