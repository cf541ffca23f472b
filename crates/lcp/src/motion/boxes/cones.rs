//! The same contacts as friction cones, where that says the same or something near.

use super::problem::{Bounds, BoxProblem};
use crate::motion::MotionProblem;

/// The same contacts as friction cones; false where one has friction along two axes, or bounds that are no cone's.
pub(super) fn as_cones(problem: &BoxProblem, cones: &mut MotionProblem) -> bool {
    let along_t1 = |bounds: &Bounds| match *bounds {
        Bounds::Axes { mu: [mu, across] } => (across == 0.0).then_some(mu),
        _ => None,
    };
    let is_stated = problem.bounds().iter().all(|bounds| along_t1(bounds).is_some());
    if is_stated {
        // the second tangent is idle
        state_cones(problem, cones, |c| (along_t1(&problem.bounds()[c]).unwrap_or(0.0), true));
    }
    is_stated
}

/// The discs within the sections; false where bounds are known.
pub(super) fn as_discs(problem: &BoxProblem, cones: &mut MotionProblem) -> bool {
    if problem.bounds().iter().any(|bounds| matches!(bounds, Bounds::Fixed { .. })) {
        return false;
    }
    state_cones(problem, cones, |c| match problem.bounds()[c] {
        Bounds::Axes { mu: [mu, 0.0] } => (mu, true),
        Bounds::Axes { mu: [a, b] } => (a.min(b), false),
        Bounds::Polygon { mu } => (mu, false),
        Bounds::Fixed { .. } => (0.0, false),
    });
    true
}

/// The rows under cones: the coefficient of each contact, and whether its second tangent is idle.
fn state_cones(
    problem: &BoxProblem,
    cones: &mut MotionProblem,
    cone: impl Fn(usize) -> (f64, bool),
) {
    let rows = problem.rows();
    cones.clear(3, (0..rows.nodes()).map(|node| rows.width(node)));
    for c in 0..problem.contacts() {
        let (mu, is_line) = cone(c);
        let keep = if is_line { 0.0 } else { 1.0 };
        for (node, _, span) in rows.spans(c) {
            cones.push_span(node, span.iter().map(|&[n, t1, t2]| [n, t1, keep * t2]));
        }
        let ([e_n, e_1, e_2], [n, t1, t2]) = (rows.eps()[c], rows.q()[c]);
        let e_2 = if is_line { 1.0 } else { e_2 };
        cones.end_contact([e_n, e_1, e_2], [n, t1, keep * t2], mu);
    }
}
