//! The global form, island by island in velocity space.

use super::{FrictionAnswer, Link, Verdict, auto_lcp::merge};
use crate::friction::GlobalFrictionProblem;
use crate::judge::Judge;
use crate::motion::{MotionProblem, MotionWork, first_sweeps, islands, solve_motion};
use crate::report::Stop;

/// What the first sweeps must reach of the tolerance, so that nothing is left to polish.
const SWEEPS_AIM: f64 = 1e-3;

/// None where the mass matrix has no root; then the local form is left.
pub(super) fn auto_global(
    problem: &GlobalFrictionProblem,
    tol: f64,
    stop: Stop<'_>,
) -> Option<FrictionAnswer> {
    let motion = problem.to_motion().filter(|motion| motion.check().is_ok())?;
    let mut r = vec![[0.0; 3]; motion.contacts()];
    let mut place = vec![usize::MAX; motion.nodes()];
    let (mut part, mut work) = (MotionProblem::default(), MotionWork::default());
    let mut chain = Vec::new();
    for contacts in islands(&motion) {
        if stop() {
            break;
        }
        motion.island(&contacts, &mut place, &mut part);
        let mut r_part = vec![[0.0; 3]; contacts.len()];
        // a warm start, or none
        let is_swept = first_sweeps(&part, SWEEPS_AIM * tol, stop, &mut r_part);
        if !is_swept {
            r_part.fill([0.0; 3]);
        }
        solve_motion(&part, tol, &mut work, stop, &mut r_part);
        contacts.iter().zip(&r_part).for_each(|(&c, r_c)| r[c] = *r_c);
        let link = |link: &crate::motion::MotionLink| Link {
            solver: if is_swept && link.solver == "warm" { "nsgs" } else { link.solver },
            report: link.report,
            residual: link.residual,
        };
        merge(&mut chain, work.links.iter().map(link).collect());
    }
    let dim = motion.dim();
    let mut judge = Judge::default();
    let residual = judge.motion(&motion, &r);
    let verdict = if residual.accepts(tol) { Verdict::Certified } else { Verdict::Uncertified };
    let rows = |x: &[[f64; 3]]| x.iter().flat_map(|x| x[..dim].iter().copied()).collect();
    let u = judge.w().chunks_exact(3).flat_map(|u| u[..dim].iter().copied()).collect();
    Some(FrictionAnswer { verdict, r: rows(&r), u, residual, chain })
}
