//! Laws by hand, against their definitions, and against each other.

mod box_on_ground;
mod braced;
mod by_root;
mod catalogue;
mod guides;
mod islands;
mod judging;
mod mixed;
mod note;
mod polygons;
mod prox;
mod rank;
mod solving;
mod two_parts;

use super::*;
use crate::contact::space::{Sides, Tangents};
use crate::math::MatX;
use crate::model::Relaxation;
use stiction_lcp::{Matrix, Verdict};

const TOL: f64 = 1e-12;

/// A hard contact that touches, at rest, without memory or bristles.
fn contact(mu: f64) -> ContactData {
    ContactData {
        sides: Sides::One,
        tangents: Tangents::Plane,
        phi: 0.0,
        eps_n: 0.0,
        d_n: 0.0,
        mu_s: mu,
        mu_k: mu,
        bristle: None,
        u_t: [0.0; 2],
        lambda_n: 0.0,
        lambda_t: [0.0; 2],
    }
}

fn certified(space: &ContactSpace, law: &Law) -> LawAnswer {
    let answer = solve(space, law, LawSolver::Auto, TOL).unwrap();
    assert_eq!(answer.verdict, Verdict::Certified, "{}: {answer:?}", law.name());
    answer
}
