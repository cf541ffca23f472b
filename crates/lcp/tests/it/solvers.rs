//! Every solver behind one shape, each with a workspace of its own, and ways to restate a problem.

use stiction_lcp::block_pivoting::{BlockPivotingSettings, block_pivoting};
use stiction_lcp::cone::{self, alart_curnier, apgd, interior_point, nsgs};
use stiction_lcp::keller::{KellerSettings, keller};
use stiction_lcp::lemke::{LemkeSettings, Ties, lemke};
use stiction_lcp::murty::{MurtySettings, murty};
use stiction_lcp::newton::{Map, NewtonSettings, newton};
use stiction_lcp::nncg::{NncgSettings, nncg};
use stiction_lcp::pgs::{PgsSettings, pgs};
use stiction_lcp::prox::{ProxSettings, prox};
use stiction_lcp::{BoxLcp, Csc, FrictionProblem, Matrix, Report, Stop, never};

type Solve<P> = dyn FnMut(&P, &mut [f64]) -> Report;

/// A solver of problems `P` that keeps its workspace between calls.
pub(crate) struct Solver<P> {
    pub(crate) name: &'static str,
    /// What it promises of the judge's scaled residual when it says `Solved`.
    pub(crate) tolerance: f64,
    solve: Box<Solve<P>>,
}

impl<P: 'static> Solver<P> {
    fn new<S: 'static, W: Default + 'static>(
        name: &'static str,
        tolerance: f64,
        settings: S,
        solver: fn(&P, &S, &mut W, Stop<'_>, &mut [f64]) -> Report,
    ) -> Self {
        let mut work = W::default();
        let solve = Box::new(move |problem: &P, x: &mut [f64]| {
            solver(problem, &settings, &mut work, &never, x)
        });
        Self { name, tolerance, solve }
    }

    /// `x` is warm start and answer.
    pub(crate) fn run(&mut self, problem: &P, x: &mut [f64]) -> Report {
        (self.solve)(problem, x)
    }
}

/// All solvers of LCPs, with default settings and fresh workspaces.
pub(crate) fn of_lcps() -> Vec<Solver<BoxLcp>> {
    let newton_min = NewtonSettings { map: Map::Min, ..Default::default() };
    let newton_fb = NewtonSettings { map: Map::FischerBurmeister, ..Default::default() };
    let largest_pivot = LemkeSettings { ties: Ties::LargestPivot, ..Default::default() };
    vec![
        Solver::new("lemke", 1e-10, LemkeSettings::default(), lemke),
        Solver::new("lemke, largest pivot", 1e-10, largest_pivot, lemke),
        Solver::new("block-pivoting", 1e-10, BlockPivotingSettings::default(), block_pivoting),
        Solver::new("murty", 1e-10, MurtySettings::default(), murty),
        Solver::new("keller", 1e-10, KellerSettings::default(), keller),
        Solver::new("psor", 1e-10, PgsSettings::default(), pgs),
        Solver::new("nncg", 1e-10, NncgSettings::default(), nncg),
        Solver::new("prox", 1e-10, ProxSettings::default(), prox),
        Solver::new("newton-min", 1e-12, newton_min, newton),
        Solver::new("newton-fb", 1e-12, newton_fb, newton),
    ]
}

/// All solvers of friction cones, likewise.
pub(crate) fn of_cones() -> Vec<Solver<FrictionProblem>> {
    vec![
        Solver::new("nsgs", 1e-10, cone::NsgsSettings::default(), nsgs),
        Solver::new("prox", 1e-10, cone::ProxSettings::default(), cone::prox),
        Solver::new("apgd", 1e-10, cone::ApgdSettings::default(), apgd),
        Solver::new(
            "interior-point",
            1e-10,
            cone::InteriorPointSettings::default(),
            interior_point,
        ),
        Solver::new("alart-curnier", 1e-10, cone::AlartCurnierSettings::default(), alart_curnier),
    ]
}

/// The point within the bounds that is nearest to zero.
pub(crate) fn start(problem: &BoxLcp) -> Vec<f64> {
    (0..problem.n()).map(|i| problem.clamp(i, 0.0)).collect()
}

/// The same matrix times a number, stored sparse if `sparse`, else as it was.
fn restated(A: &Matrix, factor: f64, sparse: bool) -> Matrix {
    if A.is_sparse() || sparse {
        let mut triplets = Vec::new();
        for j in 0..A.ncols() {
            A.for_column(j, |i, a_ij| {
                if a_ij != 0.0 {
                    triplets.push((i, j, a_ij * factor));
                }
            });
        }
        return Csc::from_triplets((A.nrows(), A.ncols()), &mut triplets).into();
    }
    stiction_lcp::MatX::from_fn(A.nrows(), A.ncols(), |i, j| A.get(i, j) * factor).into()
}

/// The same problem, stored sparse.
pub(crate) fn sparse(problem: &BoxLcp) -> BoxLcp {
    let A = restated(problem.A(), 1.0, true);
    let (b, lower, upper) = (problem.b(), problem.lower(), problem.upper());
    BoxLcp::new(A, b.to_vec(), lower.to_vec(), upper.to_vec()).unwrap()
}

/// The same problem in other units: z counts `unit_z` as much, w `unit_w` as much.
pub(crate) fn lcp_in_units(problem: &BoxLcp, unit_z: f64, unit_w: f64) -> BoxLcp {
    let scaled = |x: &[f64], unit: f64| x.iter().map(|x_i| x_i * unit).collect();
    let A = restated(problem.A(), unit_w / unit_z, false);
    let (lower, upper) = (scaled(problem.lower(), unit_z), scaled(problem.upper(), unit_z));
    BoxLcp::new(A, scaled(problem.b(), unit_w), lower, upper).unwrap()
}

/// The same for friction: impulses in `unit_r`, velocities in `unit_u`.
pub(crate) fn friction_in_units(
    problem: &FrictionProblem,
    unit_r: f64,
    unit_u: f64,
) -> FrictionProblem {
    let W = restated(problem.W(), unit_u / unit_r, false);
    let q = problem.q().iter().map(|q_i| q_i * unit_u).collect();
    FrictionProblem::new(problem.dim(), W, q, problem.mu().to_vec()).unwrap()
}

/// The same problem without the second tangent: motion in the plane.
pub(crate) fn planar(problem: &FrictionProblem) -> FrictionProblem {
    let rows: Vec<usize> = (0..problem.n()).filter(|i| i % 3 < 2).collect();
    let q = rows.iter().map(|&i| problem.q()[i]).collect();
    let W = problem.W().select(&rows, &rows);
    FrictionProblem::new(2, W, q, problem.mu().to_vec()).unwrap()
}
