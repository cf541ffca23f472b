//! How far two results are from each other, in units of their own size.

use stiction_sim::{Joint, MatX, Model};

/// The larger one; NaN wins, so that it cannot pass a check.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if !(b <= a) { b } else { a }
}

pub(super) fn largest(x: impl Iterator<Item = f64>) -> f64 {
    x.map(f64::abs).fold(0.0, worse)
}

/// An error against the size of what is compared. No error is none, whatever the size.
pub(super) fn relative(error: f64, size: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error.abs() / size }
}

/// Against the largest entry of the expected vector.
pub(super) fn vector(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = largest(expected.iter().copied());
    relative(largest(found.iter().zip(expected).map(|(a, b)| a - b)), size)
}

/// Whether each velocity of the model is an angular one: metres and radians are not compared.
pub(super) fn is_angular(model: &Model) -> Vec<bool> {
    let of = |joint: Joint| match joint {
        Joint::Fixed => vec![],
        Joint::Revolute | Joint::Screw { .. } => vec![true],
        Joint::Prismatic => vec![false],
        Joint::Cylindrical => vec![true, false],
        Joint::Universal => vec![true; 2],
        Joint::Ball => vec![true; 3],
        Joint::Planar => vec![false, false, true],
        Joint::Free => vec![false, false, false, true, true, true],
    };
    model.bodies().iter().flat_map(|body| of(body.joint)).collect()
}

fn picked(x: &[f64], angular: &[bool], kind: bool) -> Vec<f64> {
    x.iter().zip(angular).filter(|(_, a)| **a == kind).map(|(x, _)| *x).collect()
}

/// Linear and angular entries apart, each against the largest of its kind.
pub(super) fn per_kind(found: &[f64], expected: &[f64], angular: &[bool]) -> f64 {
    assert_eq!(found.len(), angular.len());
    let of = |kind| vector(&picked(found, angular, kind), &picked(expected, angular, kind));
    worse(of(true), of(false))
}

/// Joint forces: as they are, and divided by `M_ii`, so that light bodies count like heavy ones.
pub(super) fn forces(found: &[f64], expected: &[f64], M: &MatX, angular: &[bool]) -> f64 {
    let divided =
        |x: &[f64]| -> Vec<f64> { x.iter().enumerate().map(|(i, x)| x / M[(i, i)]).collect() };
    let heavy = per_kind(found, expected, angular);
    worse(heavy, per_kind(&divided(found), &divided(expected), angular))
}

/// Both triangles of a matrix from the rows of the lower one.
pub(super) fn symmetric(rows: &[Vec<f64>]) -> MatX {
    MatX::from_fn(rows.len(), rows.len(), |i, j| rows[i.max(j)][i.min(j)])
}

/// Each entry against `√(M_ii M_jj)`, which bounds it: light bodies count like heavy ones.
pub(super) fn mass_matrix(found: &MatX, expected: &MatX) -> f64 {
    assert_eq!(found.shape(), expected.shape());
    let mut worst = 0.0;
    for i in 0..expected.nrows() {
        for j in 0..expected.ncols() {
            let size = (expected[(i, i)] * expected[(j, j)]).sqrt();
            worst = worse(worst, relative(found[(i, j)] - expected[(i, j)], size));
        }
    }
    worst
}

/// 6 × nv, angular rows first: each of its four blocks against its largest entry.
pub(super) fn jacobian(found: &MatX, expected: &[Vec<f64>], angular: &[bool]) -> f64 {
    assert_eq!(found.shape(), (expected.len(), angular.len()));
    let block = |rows: std::ops::Range<usize>, kind: bool| {
        let found = rows.clone().flat_map(|i| {
            let row: Vec<f64> = found.row(i).iter().copied().collect();
            picked(&row, angular, kind)
        });
        let expected = rows.clone().flat_map(|i| picked(&expected[i], angular, kind));
        vector(&found.collect::<Vec<_>>(), &expected.collect::<Vec<_>>())
    };
    let turning = worse(block(0..3, true), block(0..3, false));
    worse(turning, worse(block(3..6, true), block(3..6, false)))
}

/// Accelerations times `√M_ii`, against the largest and the condition number of M with its diagonal
/// scaled to one. Neither depends on units, and the scaled condition number is the smaller one.
pub(super) fn accelerations(found: &[f64], expected: &[f64], M: &MatX) -> f64 {
    let scaled = |a: &[f64]| -> Vec<f64> {
        a.iter().enumerate().map(|(i, a)| a * M[(i, i)].sqrt()).collect()
    };
    relative(vector(&scaled(found), &scaled(expected)), condition(M))
}

fn condition(M: &MatX) -> f64 {
    if M.nrows() == 0 {
        return 1.0;
    }
    let size = |i, j| (M[(i, i)] * M[(j, j)]).sqrt();
    let scaled = MatX::from_fn(M.nrows(), M.ncols(), |i, j| M[(i, j)] / size(i, j));
    let eigenvalues = scaled.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}

/// What is left of `M a + c − τ`, each row against the sum of its terms without signs: how well a solves
/// the equation of motion, whatever the condition of M.
pub(super) fn balance(M: &MatX, a: &[f64], c: &[f64], tau: &[f64]) -> f64 {
    let mut worst = 0.0;
    for i in 0..a.len() {
        let (mut sum, mut size) = (c[i] - tau[i], c[i].abs() + tau[i].abs());
        for j in 0..a.len() {
            sum += M[(i, j)] * a[j];
            size += (M[(i, j)] * a[j]).abs();
        }
        worst = worse(worst, relative(sum, size));
    }
    worst
}
