//! All solutions of an instant, each judged.

use stiction_lcp::enumeration::{
    Enumeration, EnumerationSettings, EnumerationWorkspace, SolutionPiece, enumerate,
};
use stiction_lcp::judge::{Judge, LcpResidual, Proof, check_proof};
use stiction_lcp::linalg::product;
use stiction_lcp::{BoxLcp, never};

use super::problem::Instant;
use super::{Solution, Solutions};
use crate::data::Data;
use crate::math::VecX;
use crate::model::Model;

/// Asked of the judge's scaled residual: what the enumeration accepts a point by, 1e-11 of its terms, and room for them.
const TOL: f64 = 1e-10;
/// A family whose accelerations differ by less than this part of the size of their terms is one motion: rounding.
const ONE_MOTION: f64 = 1e-9;

pub(super) fn all(
    model: &Model,
    (instant, a_free): (&Instant, &[f64]),
    data: &mut Data,
) -> Solutions {
    let Some(problem) = &instant.problem else {
        let lambda = vec![0.0; instant.C.nrows()];
        let u_dot = instant.u_dot_free.as_slice().to_vec();
        let (a, residual) = (a_free.to_vec(), EXACT);
        let (dimension, spread) = (0, 0.0);
        return Solutions::Unique(Solution { lambda, u_dot, a, dimension, spread, residual });
    };
    let work = &mut EnumerationWorkspace::default();
    let found = enumerate(problem, &EnumerationSettings::default(), work, &never);
    let read = |piece: &SolutionPiece| solution(model, (problem, instant), (a_free, piece), data);
    let list: Vec<Solution> = found.solutions.iter().map(read).collect();
    verdict(problem, &found, list)
}

/// Nothing to be off by.
const EXACT: LcpResidual = LcpResidual {
    natural: 0.0,
    scaled: 0.0,
    floor: 0.0,
    scale_free: 0.0,
    z_outside: 0.0,
    w_wrong: 0.0,
    complementarity: 0.0,
};

fn verdict(problem: &BoxLcp, found: &Enumeration, mut list: Vec<Solution>) -> Solutions {
    let accepted = list.iter().all(|solution| solution.residual.accepts(TOL));
    if !found.complete || !accepted {
        return Solutions::Unknown { found: list, status: found.status };
    }
    if list.is_empty() {
        let proof = found.proof.clone().map(Proof::Exhausted);
        let checked = proof.and_then(|proof| Some((check_proof(problem, &proof)?, proof)));
        return match checked {
            Some((refutation, proof)) => Solutions::None { proof, refutation },
            None => Solutions::Unknown { found: list, status: found.status },
        };
    }
    if list.iter().any(|solution| solution.dimension > 0) {
        return Solutions::Continuum(list);
    }
    if list.len() > 1 { Solutions::Several(list) } else { Solutions::Unique(list.remove(0)) }
}

fn solution(
    model: &Model,
    (problem, instant): (&BoxLcp, &Instant),
    (a_free, piece): (&[f64], &SolutionPiece),
    data: &mut Data,
) -> Solution {
    let lambda = &instant.C * VecX::from_column_slice(&piece.z);
    let u_dot = &instant.W * &lambda + &instant.u_dot_free;
    let lambda = lambda.as_slice().to_vec();
    Solution {
        a: accelerations(model, instant, &lambda, a_free, data),
        u_dot: u_dot.as_slice().to_vec(),
        lambda,
        dimension: piece.dimension,
        spread: spread(instant, piece),
        residual: Judge::new(problem.n()).lcp(problem, &piece.z),
    }
}

/// The largest difference of an acceleration within a family; infinite where it has no end.
fn spread(instant: &Instant, piece: &SolutionPiece) -> f64 {
    let WC = product(&instant.W, &instant.C);
    let size = |z: &[f64]| (WC.abs() * VecX::from_column_slice(z).abs()).amax();
    let moved = |z: VecX, terms: f64| {
        let change = (&WC * z).amax();
        if change <= ONE_MOTION * terms { 0.0 } else { change }
    };
    let moves =
        |direction: &Vec<f64>| moved(VecX::from_column_slice(direction), size(direction)) != 0.0;
    if piece.directions.iter().any(moves) {
        return f64::INFINITY;
    }
    let mut spread = 0.0_f64;
    for (i, one) in piece.vertices.iter().enumerate() {
        for other in &piece.vertices[..i] {
            let z = VecX::from_column_slice(one) - VecX::from_column_slice(other);
            spread = spread.max(moved(z, size(one).max(size(other))));
        }
    }
    spread
}

/// v̇ under these contact forces, joints holding.
fn accelerations(
    model: &Model,
    instant: &Instant,
    lambda: &[f64],
    a_free: &[f64],
    data: &mut Data,
) -> Vec<f64> {
    let (pattern, work) = (&model.pattern, &mut data.work);
    let mut a = vec![0.0; model.nv];
    instant.rows.add_momentum(lambda, &mut a);
    work.M_hat.solve(pattern, &mut a);
    for (a, free) in a.iter_mut().zip(a_free) {
        *a += free;
    }
    // reactions start from those without contact; the second solve refines the first
    let mut reactions = work.impulses.clone();
    for _ in 0..2 {
        reactions.correct(pattern, &work.M_hat, &work.rows, &work.solver, &mut a);
    }
    a
}
