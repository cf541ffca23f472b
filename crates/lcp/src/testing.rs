//! Problems for the tests of the solvers: some by hand, some random with a seed.

use crate::judge::{Judge, LcpResidual};
use crate::matrix::{Csc, MatX, Matrix};
use crate::problem::BoxLcp;
use crate::report::{Report, Status};

const INF: f64 = f64::INFINITY;

pub(crate) fn judged(problem: &BoxLcp, z: &[f64]) -> LcpResidual {
    Judge::new(problem.n()).lcp(problem, z)
}

/// The solver says solved on each problem of the catalogue, dense and sparse, the judge agrees at
/// `tol`, and where there is one solution it is met to `distance`.
pub(crate) fn solves_the_catalogue(
    (tol, distance): (f64, f64),
    mut solve: impl FnMut(&BoxLcp, &mut [f64]) -> Report,
) {
    for (name, problem, known) in catalogue() {
        for problem in [sparse(&problem), problem] {
            let mut z = vec![0.0; problem.n()];
            let report = solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "{name}: {z:?}");
            assert!(judged(&problem, &z).accepts(tol), "{name}: {z:?}");
            if let Some(known) = &known {
                let close = known.iter().zip(&z).all(|(a, b)| (a - b).abs() < distance);
                assert!(close, "{name}: {z:?}");
            }
        }
    }
}

/// Warm starts that are not finite do no harm.
pub(crate) fn bears_bad_starts(
    problem: &BoxLcp,
    mut solve: impl FnMut(&BoxLcp, &mut [f64]) -> Report,
) {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut z = vec![bad; problem.n()];
        assert_eq!(solve(problem, &mut z).status, Status::Solved, "{bad}");
        assert!(judged(problem, &z).accepts(1e-10), "{bad}");
    }
}

/// Uniform in [−1, 1), always the same for a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    pub(crate) fn matrix(&mut self, rows: usize, columns: usize) -> MatX {
        MatX::from_fn(rows, columns, |_, _| self.next())
    }
}

/// `B Bᵀ / rank + shift`, B random n × rank: positive definite when `shift > 0`.
pub(crate) fn gram(n: usize, rank: usize, shift: f64, random: &mut Random) -> MatX {
    let B = random.matrix(n, rank);
    &B * B.transpose() / rank as f64 + MatX::identity(n, n) * shift
}

/// An LCP with a symmetric positive definite matrix.
pub(crate) fn random_spd_lcp(n: usize, seed: u64) -> BoxLcp {
    let mut random = Random::new(seed);
    let A = gram(n, n, 0.1, &mut random);
    BoxLcp::lcp(A, random.vector(n)).unwrap()
}

/// An LCP whose matrix has positive definite symmetric part (so is a P-matrix) and a skew part.
pub(crate) fn random_p_lcp(n: usize, seed: u64) -> BoxLcp {
    let mut random = Random::new(seed);
    let (spd, B) = (gram(n, n, 0.1, &mut random), random.matrix(n, n) / n as f64);
    BoxLcp::lcp(spd + (&B - B.transpose()), random.vector(n)).unwrap()
}

/// Symmetric positive definite with rows of all kinds: boxes, one-sided above and below, free, fixed.
pub(crate) fn random_box(n: usize, seed: u64) -> BoxLcp {
    let mut random = Random::new(seed);
    let A = gram(n, n, 0.2, &mut random);
    let bounds = [(-0.3, 0.4), (0.0, INF), (-INF, 0.2), (-INF, INF), (0.1, 0.1), (0.2, 0.5)];
    let (lower, upper) = (0..n).map(|i| bounds[i % bounds.len()]).unzip();
    BoxLcp::new(A, random.vector(n), lower, upper).unwrap()
}

/// Symmetric positive semidefinite of half rank with a known solution, half of it zero on both sides.
pub(crate) fn degenerate_psd_lcp(n: usize, seed: u64) -> BoxLcp {
    let mut random = Random::new(seed);
    let A = gram(n, n.div_ceil(2), 0.0, &mut random);
    let z: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { 1.0 + random.next() } else { 0.0 }).collect();
    let mut b = vec![0.0; n];
    Matrix::from(A.clone()).affine(&z, &vec![0.0; n], &mut b);
    let b = (0..n).map(|i| if i % 4 == 1 { 1.0 - b[i] } else { -b[i] }).collect();
    BoxLcp::lcp(A, b).unwrap()
}

/// A chain of n unit masses held together by their contacts: condition number about n².
pub(crate) fn chain(n: usize) -> BoxLcp {
    let A = MatX::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    BoxLcp::lcp(A, vec![-1.0; n]).unwrap()
}

/// `0 ≤ z ⊥ z − 1 ≥ 0` in every row, stored sparsely.
pub(crate) fn sparse_identity(n: usize) -> BoxLcp {
    let mut diagonal: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    BoxLcp::lcp(Csc::from_triplets((n, n), &mut diagonal), vec![-1.0; n]).unwrap()
}

/// The same problem, stored sparse.
pub(crate) fn sparse(problem: &BoxLcp) -> BoxLcp {
    let mut triplets = Vec::new();
    for j in 0..problem.n() {
        problem.A().for_column(j, |i, a| triplets.push((i, j, a)));
    }
    let A = Csc::from_triplets((problem.n(), problem.n()), &mut triplets);
    let (b, lower, upper) = (problem.b(), problem.lower(), problem.upper());
    BoxLcp::new(A, b.to_vec(), lower.to_vec(), upper.to_vec()).unwrap()
}

/// A name, a problem, and its solution where there is only one.
pub(crate) type Known = (&'static str, BoxLcp, Option<Vec<f64>>);

/// Symmetric positive semidefinite problems with positive diagonal, solved by hand.
pub(crate) fn catalogue() -> Vec<Known> {
    let two = || MatX::from_row_slice(2, 2, &[2., 1., 1., 2.]);
    let one = || MatX::identity(1, 1);
    let lcp = |A: MatX, b: &[f64]| BoxLcp::lcp(A, b.to_vec()).unwrap();
    let boxed = |A: MatX, b: &[f64], lower: &[f64], upper: &[f64]| {
        BoxLcp::new(A, b.to_vec(), lower.to_vec(), upper.to_vec()).unwrap()
    };
    vec![
        ("pushes", lcp(one() * 2., &[-4.]), Some(vec![2.])),
        ("opens", lcp(one() * 2., &[3.]), Some(vec![0.])),
        ("one of two", lcp(two(), &[-4., 1.]), Some(vec![2., 0.])),
        ("both", lcp(two(), &[-3., -3.]), Some(vec![1., 1.])),
        ("grazes", lcp(two(), &[-2., -1.]), Some(vec![1., 0.])),
        ("nothing to do", lcp(two(), &[0., 0.]), Some(vec![0., 0.])),
        ("redundant", lcp(MatX::from_element(3, 3, 1.), &[-3.; 3]), None),
        (
            "three boxes",
            boxed(MatX::identity(3, 3), &[5., -5., 0.5], &[-1.; 3], &[1.; 3]),
            Some(vec![-1., 1., -0.5]),
        ),
        ("mixed", BoxLcp::mixed(two(), vec![-3., 3.], &[1]).unwrap(), Some(vec![3., -3.])),
        ("fixed", boxed(two(), &[-4., 0.], &[0., 1.], &[INF, 1.]), Some(vec![1.5, 1.])),
        ("only above", boxed(one(), &[3.], &[-INF], &[0.]), Some(vec![-3.])),
        ("held above", boxed(one(), &[-3.], &[-INF], &[0.]), Some(vec![0.])),
        ("away from zero", boxed(one(), &[0.], &[1.], &[2.]), Some(vec![1.])),
        ("nothing", lcp(MatX::zeros(0, 0), &[]), Some(vec![])),
    ]
}
