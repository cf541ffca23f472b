//! The note's standard and mixed form, assembled from M, C and J of a state: a twin of what the step assembles.

use stiction_lcp::{BoxLcp, LcpSolver, Verdict, never, solve_lcp};
use stiction_sim::contact::law::{Law, LawProblem, Pyramid, assemble};
use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{crba, kinematics, rnea};
use stiction_sim::{Data, MatX, Model, State, VecX};

use super::systems::MU;
use super::{FACETS, H, Stepped, apart};

/// Eq. 9: `M q̇ = τ* + N p_n + B β`.
pub(super) struct Forms {
    M: MatX,
    tau: VecX,
    /// Columns: normals; directions d_1 … d_d, contact by contact.
    N: MatX,
    B: MatX,
}

pub(super) struct Mixed {
    pub(super) p: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) is_certified: bool,
}

/// Direction j in the plane of t1, t2.
fn direction(j: usize) -> [f64; 2] {
    let (sin, cos) = libm::sincos(std::f64::consts::TAU * j as f64 / FACETS as f64);
    [cos, sin]
}

impl Forms {
    pub(super) fn new(model: &Model, state: &State, stepped: &Stepped) -> Self {
        let mut data = Data::new(model);
        kinematics::update(model, &state.q, &state.v, &mut data);
        let M = crba::mass_matrix(model, &mut data).to_dense(model.pattern());
        let mut C = vec![0.0; model.nv()];
        rnea::bias(model, &mut data, BiasOf::All, &mut C);
        // τ* = M q̇ − Δt C, eq. 5
        let tau = &M * VecX::from_column_slice(&state.v) - H * VecX::from_vec(C);
        let J = stepped.data.contact_jacobian();
        let k = J.nrows() / 3;
        let N = MatX::from_fn(model.nv(), k, |i, c| J[(3 * c, i)]);
        let B = MatX::from_fn(model.nv(), k * FACETS, |i, j| {
            let ([x, y], c) = (direction(j % FACETS), j / FACETS);
            x * J[(3 * c + 1, i)] + y * J[(3 * c + 2, i)]
        });
        Self { M, tau, N, B }
    }

    fn contacts(&self) -> usize {
        self.N.ncols()
    }

    /// N and B side by side.
    fn impulses(&self) -> MatX {
        let (nv, k) = self.N.shape();
        MatX::from_fn(
            nv,
            k + k * FACETS,
            |i, j| {
                if j < k { self.N[(i, j)] } else { self.B[(i, j - k)] }
            },
        )
    }

    /// Writes the rows and columns of μ and E; the first of them is `first`.
    fn couple(&self, A: &mut MatX, first: usize) {
        let k = self.contacts();
        for c in 0..k {
            let s = first + k + k * FACETS + c;
            A[(s, first + c)] = MU;
            for j in 0..FACETS {
                let beta = first + k + c * FACETS + j;
                (A[(beta, s)], A[(s, beta)]) = (1.0, -1.0);
            }
        }
    }

    /// Eq. 14 with impulses, compared with what the law assembles in the step: matrix and constant.
    pub(super) fn against_the_law(
        &self,
        stepped: &Stepped,
    ) -> Result<(f64, f64), Box<dyn std::error::Error>> {
        let T = self.impulses();
        let solve = self.M.clone().cholesky().ok_or("the mass matrix is not positive definite")?;
        let n = T.ncols() + self.contacts();
        let mut A = MatX::zeros(n, n);
        A.view_mut((0, 0), (T.ncols(), T.ncols())).copy_from(&(T.transpose() * solve.solve(&T)));
        self.couple(&mut A, 0);
        let mut b: Vec<f64> = (T.transpose() * solve.solve(&self.tau)).iter().copied().collect();
        b.resize(n, 0.0);

        let space = stepped.data.contact_space().ok_or("a model without shapes")?;
        let law = Law::Pyramid(Pyramid { facets: FACETS, ..Default::default() });
        let LawProblem::Lcp(problem) = assemble(space, &law)?.problem else {
            return Err("the pyramid is an LCP".into());
        };
        let of_law = MatX::from_fn(n, n, |i, j| problem.A().get(i, j));
        Ok((apart(A.as_slice(), of_law.as_slice()), apart(&b, problem.b())))
    }

    /// Eq. 12 with impulses: unknowns q̇ (free), p_n, β, λ.
    pub(super) fn solve_mixed(&self) -> Result<Mixed, Box<dyn std::error::Error>> {
        let (nv, k, T) = (self.M.nrows(), self.contacts(), self.impulses());
        let n = nv + T.ncols() + k;
        let mut A = MatX::zeros(n, n);
        A.view_mut((0, 0), (nv, nv)).copy_from(&self.M);
        A.view_mut((0, nv), (nv, T.ncols())).copy_from(&-&T);
        A.view_mut((nv, 0), (T.ncols(), nv)).copy_from(&T.transpose());
        self.couple(&mut A, nv);
        let mut b: Vec<f64> = self.tau.iter().map(|tau| -tau).collect();
        b.resize(n, 0.0);
        let problem = BoxLcp::mixed(A, b, &(0..nv).collect::<Vec<_>>())?;
        let answer = solve_lcp(&problem, LcpSolver::Lemke, 1e-12, &never);
        let z = &answer.z;
        let friction = |c: usize, axis: usize| -> f64 {
            (0..FACETS).map(|j| direction(j)[axis] * z[nv + k + c * FACETS + j]).sum()
        };
        let p = (0..k).flat_map(|c| [z[nv + c], friction(c, 0), friction(c, 1)]).collect();
        let is_certified = answer.verdict == Verdict::Certified;
        Ok(Mixed { p, v: z[..nv].to_vec(), is_certified })
    }
}
