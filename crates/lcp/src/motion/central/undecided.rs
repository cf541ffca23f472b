//! Contacts whose mode the path does not show yet.
//!
//! Of a pair whose product is t both numbers are √t where the answer has neither, and one of them is t where it has the other: the farther apart they are,
//! the better the mode is known. The pairs are p_n with u_n, and μ p_n − ‖p_t‖ with s + ‖u_t‖.

use super::CentralWork;
use crate::cone::length;
use crate::motion::mode::Mode;
use crate::motion::space::Space;

/// Modes are known where the numbers of a pair are so far apart; of more contacts where they are less.
const APART: [f64; 2] = [1e4, 1e2];

impl CentralWork {
    /// The modes of all contacts as they seem to be, and those among them that are not decided, by their number. False if these are none, or more than `most`.
    pub(in crate::motion) fn undecided(
        &self,
        problem: &impl Space,
        most: usize,
        (modes, few): (&mut Vec<Mode>, &mut Vec<usize>),
    ) -> bool {
        modes.clear();
        modes.extend((0..problem.contacts()).map(|c| self.mode(problem, c).0));
        APART.into_iter().any(|apart| {
            few.clear();
            // what is not a number is not decided
            few.extend((0..modes.len()).filter(|&c| !(self.mode(problem, c).1 >= apart)));
            (1..=most).contains(&few.len())
        })
    }

    /// The mode of a contact, and how far apart the numbers are that tell it.
    fn mode(&self, problem: &impl Space, c: usize) -> (Mode, f64) {
        let (at, m, mu) = (&self.at.contacts[c], problem.mass(c), problem.mu()[c]);
        let apart = |a: f64, b: f64| (a / b).max(b / a);
        let (p, u) = (at.r[0], m * at.u[0]);
        if u > p {
            return (Mode::Open, apart(p, u));
        }
        let slack = mu * p - length(at.r[1], at.r[2]);
        let slip = m * (at.s + length(at.u[1], at.u[2]));
        let mode = if slip > slack { Mode::Slip } else { Mode::Stick };
        (mode, apart(p, u).min(apart(slack, slip)))
    }
}
