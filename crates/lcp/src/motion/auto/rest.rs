//! Piles that stand: what sticks everywhere is found by one factorization.

use super::Chain;
use crate::cone::Triple;
use crate::motion::polish::{Polish, polish_sticking};
use crate::motion::reflections::reflections;
use crate::motion::space::Space;
use crate::report::Status;

impl<S: Space> Chain<'_, S> {
    /// Where nothing is known of a last step. Nothing but a certificate counts.
    pub(super) fn rest(&mut self, warm: &[Triple]) -> bool {
        if warm.iter().any(|r| *r != [0.0; 3]) {
            return false;
        }
        let work = &mut *self.work;
        let memory = (&mut work.reflections, &mut work.factor);
        let report = reflections(self.problem, memory, self.stop, &mut work.trial);
        if report.status != Status::Solved {
            return false;
        }
        let memory = (&mut work.polish, &mut work.factor);
        polish_sticking(self.problem, Polish::HARD, memory, &mut work.trial);
        self.judged("reflections", report);
        self.certified
    }
}
