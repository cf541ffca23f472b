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

mod complete;
mod line_graph;
mod mass;
mod recover;
mod root;

use crate::matrix::{Csc, Matrix};
use crate::problem::{ProblemError, check_matrix, check_vector};
use mass::MassFactors;

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
        let rows = self.b.len();
        let mut mass = MassFactors::of(&self.M)?;
        // x = M⁻¹ h_j touches few bodies: only columns of H that meet those are looked at
        let H_rows = self.H.transpose();
        let mut triplets = Vec::new();
        let (mut w_j, mut met, mut is_met) = (vec![0.0; rows], Vec::new(), vec![false; rows]);
        for j in 0..rows {
            mass.solve_column(&self.H, j, |k, x_k| {
                if x_k != 0.0 {
                    H_rows.for_column(k, |i, h_ki| {
                        if h_ki != 0.0 {
                            w_j[i] += h_ki * x_k;
                            if !std::mem::replace(&mut is_met[i], true) {
                                met.push(i);
                            }
                        }
                    });
                }
            });
            for i in met.drain(..) {
                is_met[i] = false;
                let w_ij = std::mem::take(&mut w_j[i]);
                if w_ij != 0.0 {
                    triplets.push((i, j, w_ij));
                }
            }
        }
        let mut x = self.q.clone();
        mass.solve(&mut x);
        let q = (0..rows).map(|i| self.b[i] + self.H.column_dot(i, &x)).collect();
        let W = Csc::from_triplets((rows, rows), &mut triplets);
        FrictionProblem::new(self.dim, W, q, self.mu.clone()).map_err(|error| match error {
            // M, H, q and b are finite, and this is all that is made of them
            ProblemError::MatrixEntry { .. } | ProblemError::VectorEntry { .. } => {
                ProblemError::MassTooSmall
            }
            other => other,
        })
    }

    /// `v = M⁻¹ (q + H r)`.
    pub fn velocity(&self, r: &[f64]) -> Result<Vec<f64>, ProblemError> {
        let mut mass = MassFactors::of(&self.M)?;
        let mut v = vec![0.0; self.q.len()];
        self.H.affine(r, &self.q, &mut v);
        mass.solve(&mut v);
        Ok(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::DenseLu;
    use crate::matrix::MatX;
    use crate::testing::{Random, gram};

    /// `Hᵀ M⁻¹ H` and `Hᵀ M⁻¹ q + b`, slow and obvious.
    fn condensed_by_definition(problem: &GlobalFrictionProblem) -> (MatX, Vec<f64>) {
        let (nv, rows) = (problem.q.len(), problem.b.len());
        let mut lu = DenseLu::default();
        lu.reset(nv);
        (0..nv).for_each(|j| problem.M.add_column(j, 1.0, lu.column_mut(j)));
        lu.factor(0.0);
        let solved = |mut x: Vec<f64>| {
            lu.solve(&mut x);
            x
        };
        let mut W = MatX::zeros(rows, rows);
        for j in 0..rows {
            let mut h_j = vec![0.0; nv];
            problem.H.add_column(j, 1.0, &mut h_j);
            let x = solved(h_j);
            (0..rows).for_each(|i| W[(i, j)] = problem.H.column_dot(i, &x));
        }
        let v = solved(problem.q.clone());
        (W, (0..rows).map(|i| problem.b[i] + problem.H.column_dot(i, &v)).collect())
    }

    /// A mass matrix of islands of these sizes, its velocities shuffled, under random contacts.
    fn random_global(sizes: &[usize], contacts: usize, seed: u64) -> GlobalFrictionProblem {
        let mut random = Random::new(seed);
        let nv: usize = sizes.iter().sum();
        let order = crate::families::Rng::new(seed).order(nv);
        let (mut M, mut first) = (Vec::new(), 0);
        for &size in sizes {
            let block = gram(size, size, 0.1, &mut random);
            for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
                M.push((order[first + i], order[first + j], block[(i, j)]));
            }
            first += size;
        }
        let mut H = Vec::new();
        for j in 0..2 * contacts {
            for _ in 0..4 {
                let k = ((random.next() + 1.0) / 2.0 * nv as f64) as usize;
                H.push((k.min(nv - 1), j, random.next()));
            }
        }
        let (M, H) =
            (Csc::from_triplets((nv, nv), &mut M), Csc::from_triplets((nv, 2 * contacts), &mut H));
        let (q, b) = (random.vector(nv), random.vector(2 * contacts));
        GlobalFrictionProblem::new((2, vec![0.5; contacts]), M, H, q, b).unwrap()
    }

    #[test]
    fn condensing_by_bodies_agrees_with_the_definition() {
        for (seed, sizes) in
            [&[6, 6, 1, 3, 6, 6, 2][..], &[6, 70, 3], &[40], &[64], &[1; 9]].iter().enumerate()
        {
            let problem = random_global(sizes, 15, seed as u64);
            let local = problem.condense().unwrap();
            let (W, q) = condensed_by_definition(&problem);
            let scale = W.amax().max(1.0);
            for (i, j) in (0..30).flat_map(|i| (0..30).map(move |j| (i, j))) {
                let error = (local.W().get(i, j) - W[(i, j)]).abs();
                assert!(error <= 1e-12 * scale, "{sizes:?}, entry ({i}, {j}): {error:e}");
            }
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * scale;
            assert!(local.q().iter().zip(&q).all(close), "{sizes:?}");
            let root = problem.to_motion().unwrap().to_local().unwrap();
            for (i, j) in (0..30).flat_map(|i| (0..30).map(move |j| (i, j))) {
                let error = (root.W().get(i, j) - W[(i, j)]).abs();
                assert!(error <= 1e-10 * scale, "{sizes:?}, root ({i}, {j}): {error:e}");
            }
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * scale;
            assert!(root.q().iter().zip(&q).all(near), "{sizes:?}");
            // M v = q + H r
            let r: Vec<f64> = (0..30).map(|k| f64::from(k) / 10.0 - 1.0).collect();
            let v = problem.velocity(&r).unwrap();
            let (mut left, mut right) = (vec![0.0; v.len()], vec![0.0; v.len()]);
            problem.M.affine(&v, &vec![0.0; v.len()], &mut left);
            problem.H.affine(&r, problem.q(), &mut right);
            assert!(left.iter().zip(&right).all(close), "{sizes:?}");
        }
    }

    #[test]
    fn condensing_many_bodies_looks_at_each_contact_alone() {
        // a chain of masses: each contact between neighbours; n² steps would take minutes here
        let bodies = 60_000;
        let mut M: Vec<_> = (0..bodies).map(|k| (k, k, 2.0)).collect();
        let mut H: Vec<_> =
            (0..bodies - 1).flat_map(|c| [(c, 2 * c, -1.0), (c + 1, 2 * c, 1.0)]).collect();
        let rows = 2 * (bodies - 1);
        let problem = GlobalFrictionProblem::new(
            (2, vec![0.0; bodies - 1]),
            Csc::from_triplets((bodies, bodies), &mut M),
            Csc::from_triplets((bodies, rows), &mut H),
            vec![0.0; bodies],
            vec![0.0; rows],
        );
        let local = problem.unwrap().condense().unwrap();
        assert_eq!(local.W().stored(), 3 * (bodies - 1) - 2);
        assert_eq!((local.W().get(2, 2), local.W().get(2, 4)), (1.0, -0.5));
    }

    fn two_masses(M: [f64; 4]) -> Result<FrictionProblem, ProblemError> {
        let (M, H) = (MatX::from_row_slice(2, 2, &M), MatX::identity(2, 2));
        GlobalFrictionProblem::new((2, vec![0.5]), M, H, vec![1.0; 2], vec![0.0; 2])?.condense()
    }

    #[test]
    fn a_mass_matrix_without_a_usable_inverse_is_named() {
        assert_eq!(two_masses([1., 1., 1., 1.]), Err(ProblemError::SingularMass));
        assert_eq!(two_masses([1., 0., 0., 0.]), Err(ProblemError::SingularMass));
        let lost = two_masses([1., 1., 1., 1.0 + 2.0 * f64::EPSILON]);
        assert_eq!(lost, Err(ProblemError::NearlySingularMass));
        assert_eq!(two_masses([1., 0., 0., 1e-310]), Err(ProblemError::MassTooSmall));
        // large ratios and other units are no loss of digits
        assert!(two_masses([1e20, 0., 0., 1e-20]).is_ok());
        assert!(two_masses([1e20, 0.9, 0.9, 1e-20]).is_ok());
        assert!(two_masses([1., 1., 1., 1.0 + 1e-10]).is_ok());
    }
}
