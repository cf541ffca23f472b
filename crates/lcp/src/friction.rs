//! Frictional contact with exact Coulomb cones, in two and three dimensions.
//!
//! ```text
//!  local (Delassus)   u = W r + q
//!  global             M v = q + H r,   u = Hᵀ v + b
//!
//!  per contact        r ∈ K_μ = { r_n ≥ 0, ‖r_t‖ ≤ μ r_n }
//!                     ũ = u + μ ‖u_t‖ n ∈ K_μ* ,   r · ũ = 0
//! ```
//!
//! Each contact has `dim` rows in the order n, t1 (, t2). `r` is an impulse [N·s], `u` a velocity
//! [m/s], `W` the Delassus matrix [1/kg]. The shift by `μ‖u_t‖` (De Saxcé) makes the cone
//! complementarity say exactly Coulomb: open, stick, or slip against the velocity.
//!
//! Theory: `docs/theory/coulomb-cone.md`.

use crate::linalg::{SparseLu, minimum_degree};
use crate::matrix::{Csc, Matrix};
use crate::problem::{ProblemError, check_matrix, check_vector};

/// The local form, `u = W r + q`.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionProblem {
    dim: usize,
    W: Matrix,
    q: Vec<f64>,
    mu: Vec<f64>,
}

/// The global form, `M v = q + H r`, `u = Hᵀ v + b`.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalFrictionProblem {
    dim: usize,
    M: Matrix,
    H: Matrix,
    q: Vec<f64>,
    b: Vec<f64>,
    mu: Vec<f64>,
}

fn check_friction(dim: usize, mu: &[f64]) -> Result<(), ProblemError> {
    if dim != 2 && dim != 3 {
        return Err(ProblemError::Dimension { found: dim });
    }
    match mu.iter().position(|&mu_i| !(mu_i >= 0.0 && mu_i.is_finite())) {
        Some(contact) => Err(ProblemError::NegativeFriction { contact, mu: mu[contact] }),
        None => Ok(()),
    }
}

impl FrictionProblem {
    pub fn new(
        dim: usize,
        W: impl Into<Matrix>,
        q: Vec<f64>,
        mu: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        let W = W.into();
        check_friction(dim, &mu)?;
        if W.nrows() != W.ncols() {
            return Err(ProblemError::NotSquare { rows: W.nrows(), columns: W.ncols() });
        }
        let rows = dim * mu.len();
        if W.nrows() != rows {
            return Err(ProblemError::WrongLength { what: "W", expected: rows, found: W.nrows() });
        }
        check_matrix("W", &W)?;
        check_vector("q", &q, rows)?;
        Ok(Self { dim, W, q, mu })
    }

    /// Rows per contact, 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Rows, `dim · contacts`.
    pub fn n(&self) -> usize {
        self.q.len()
    }

    pub fn W(&self) -> &Matrix {
        &self.W
    }

    pub fn q(&self) -> &[f64] {
        &self.q
    }

    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// The problem of an island of contacts; `place` is that of their rows. See [`crate::islands`].
    pub(crate) fn island(&self, contacts: &[usize], place: &[usize]) -> Self {
        let rows: Vec<usize> =
            contacts.iter().flat_map(|&c| (0..self.dim).map(move |k| c * self.dim + k)).collect();
        Self {
            dim: self.dim,
            W: self.W.island(&rows, place),
            q: rows.iter().map(|&i| self.q[i]).collect(),
            mu: contacts.iter().map(|&c| self.mu[c]).collect(),
        }
    }
}

impl GlobalFrictionProblem {
    pub fn new(
        (dim, mu): (usize, Vec<f64>),
        M: impl Into<Matrix>,
        H: impl Into<Matrix>,
        q: Vec<f64>,
        b: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        let (M, H) = (M.into(), H.into());
        check_friction(dim, &mu)?;
        if M.nrows() != M.ncols() {
            return Err(ProblemError::NotSquare { rows: M.nrows(), columns: M.ncols() });
        }
        let (nv, rows) = (M.nrows(), dim * mu.len());
        if H.nrows() != nv {
            return Err(ProblemError::WrongLength { what: "H", expected: nv, found: H.nrows() });
        }
        if H.ncols() != rows {
            return Err(ProblemError::WrongLength { what: "H", expected: rows, found: H.ncols() });
        }
        check_matrix("M", &M)?;
        check_matrix("H", &H)?;
        check_vector("q", &q, nv)?;
        check_vector("b", &b, rows)?;
        Ok(Self { dim, M, H, q, b, mu })
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn M(&self) -> &Matrix {
        &self.M
    }

    pub fn H(&self) -> &Matrix {
        &self.H
    }

    pub fn q(&self) -> &[f64] {
        &self.q
    }

    pub fn b(&self) -> &[f64] {
        &self.b
    }

    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// The local form: `W = Hᵀ M⁻¹ H`, `q_local = Hᵀ M⁻¹ q + b`.
    pub fn condense(&self) -> Result<FrictionProblem, ProblemError> {
        let nv = self.M.nrows();
        let rows = self.b.len();
        let mut lu = self.factored_mass()?;
        // x = M⁻¹ h_j touches few bodies: only columns of H that meet those are looked at
        let H_rows = self.H.transpose();
        let mut triplets = Vec::new();
        let (mut x, mut touched) = (vec![0.0; nv], vec![0.0; rows]);
        for j in 0..rows {
            x.fill(0.0);
            self.H.add_column(j, 1.0, &mut x);
            lu.solve(&mut x);
            for (k, &x_k) in x.iter().enumerate() {
                if x_k != 0.0 {
                    H_rows.add_column(k, x_k, &mut touched);
                }
            }
            for (i, w_ij) in touched.iter_mut().enumerate() {
                if *w_ij != 0.0 {
                    triplets.push((i, j, *w_ij));
                    *w_ij = 0.0;
                }
            }
        }
        x.copy_from_slice(&self.q);
        lu.solve(&mut x);
        let q = (0..rows).map(|i| self.b[i] + self.H.column_dot(i, &x)).collect();
        let W = Csc::from_triplets((rows, rows), &mut triplets);
        FrictionProblem::new(self.dim, W, q, self.mu.clone())
    }

    fn factored_mass(&self) -> Result<SparseLu, ProblemError> {
        let mut lu = SparseLu::default();
        lu.factor(minimum_degree(&self.M).into_iter(), f64::EPSILON, |j, entries| {
            self.M.for_column(j, |i, m_ij| entries.push((i as u32, m_ij)));
        });
        if lu.dependent().is_empty() { Ok(lu) } else { Err(ProblemError::SingularMass) }
    }

    /// `v = M⁻¹ (q + H r)`.
    pub fn velocity(&self, r: &[f64]) -> Result<Vec<f64>, ProblemError> {
        let mut lu = self.factored_mass()?;
        let mut v = vec![0.0; self.q.len()];
        self.H.affine(r, &self.q, &mut v);
        lu.solve(&mut v);
        Ok(v)
    }
}
