//! Contacts in space that move in a plane: half of the coordinates, and straight pieces.

use super::heap::moves;
use super::{Chain, MotionWork};
use crate::cone::Triple;
use crate::judge::{FrictionResidual, Judge};
use crate::motion::in_plane::InPlane;
use crate::motion::space::Space;
use crate::report::{Report, Status};

impl<S: Space> Chain<'_, S> {
    /// An answer of the planar problem, judged in space.
    pub(super) fn in_plane(&mut self, plane: &InPlane, warm: &[Triple]) -> bool {
        let (mut work, mut judge) = (MotionWork::default(), Judge::default());
        plane.reduce(&self.work.best, &mut work.best);
        plane.reduce(warm, &mut work.trial);
        let warm = work.trial.clone();
        work.convex.resize(warm.len(), [0.0; 3]);
        let mut chain = Chain {
            problem: &plane.problem,
            judge: &mut |r, _| judge.motion(&plane.problem, r),
            tol: self.tol,
            work: &mut work,
            stop: self.stop,
            is_moving: moves(&plane.problem, &warm),
            residual: FrictionResidual::WORST,
            certified: false,
        };
        if warm.iter().any(|r| *r != [0.0; 3]) {
            chain.judged("warm", Report::new(Status::Stalled, 0, 0));
        }
        if chain.solve_anew(&warm) {
            chain.polish();
        }
        self.work.links.append(&mut work.links);
        plane.restore(&work.best, &mut self.work.trial);
        self.judged("in-plane", Report::new(Status::Stalled, 0, 0))
    }
}
