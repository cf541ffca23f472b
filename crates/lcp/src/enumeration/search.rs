//! The tree over the modes.

use super::piece::{self, Leaf};
use super::{Enumeration, EnumerationSettings, EnumerationWorkspace, has_choice};
use crate::farkas::{LinearFeasibility, Variable, single_row};
use crate::judge::{Mode, ProofTree};
use crate::problem::BoxLcp;
use crate::report::{Status, Stop};

/// What a slack must exceed, in the equilibrated unit, to count as different from zero.
const STRICT: f64 = 1e-9;

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    First,
}

struct Search<'a> {
    problem: &'a BoxLcp,
    settings: &'a EnumerationSettings,
    wanted: Wanted,
    work: &'a mut EnumerationWorkspace,
    stop: Stop<'a>,
    modes: Vec<Mode>,
    /// Rows at a bound whose w must not vanish: solutions with w = 0 were found in the sibling.
    strict: Vec<usize>,
    /// Why the search was cut short.
    halted: Option<Status>,
    found: &'a mut Enumeration,
}

pub(super) fn run(
    problem: &BoxLcp,
    (settings, wanted): (&EnumerationSettings, Wanted),
    work: &mut EnumerationWorkspace,
    stop: Stop<'_>,
    found: &mut Enumeration,
) {
    found.complete = true;
    work.farkas.load(problem);
    let mut search = Search {
        problem,
        settings,
        wanted,
        work,
        stop,
        modes: vec![Mode::Any; problem.n()],
        strict: Vec::new(),
        halted: None,
        found,
    };
    let proof = search.visit();
    let halted = search.halted;
    found.complete &= halted.is_none();
    found.proof = if found.solutions.is_empty() { proof } else { None };
    found.status = match halted {
        Some(status) => status,
        None if found.solutions.is_empty() => Status::Stalled,
        None => Status::Solved,
    };
}

impl Search<'_> {
    /// Looks at the node of the present modes. A proof if it has no solutions.
    fn visit(&mut self) -> Option<ProofTree> {
        if self.halted.is_some() {
            return None;
        }
        if (self.stop)() {
            self.halted = Some(Status::Stopped);
            return None;
        }
        if self.found.nodes >= self.settings.max_nodes {
            self.halted = Some(Status::IterationLimit);
            return None;
        }
        self.found.nodes += 1;
        let answer = match single_row(self.problem, &self.modes) {
            Some(y) => LinearFeasibility::Infeasible(y),
            None => self.work.farkas.search(self.problem, &self.modes),
        };
        let point = match answer {
            LinearFeasibility::Infeasible(y) => {
                self.found.refuted += 1;
                return Some(ProofTree::Leaf(y));
            }
            LinearFeasibility::Feasible(z) => Some(z),
            LinearFeasibility::Undecided => None,
        };
        if point.is_some() && self.is_covered() {
            return None;
        }
        match self.branching_row(point.as_deref()) {
            Some(row) => self.branch(row),
            None => self.leaf(point),
        }
    }

    /// Some row that must have w ≠ 0 cannot: all solutions here were found already. Moves the
    /// simplex point of the node.
    fn is_covered(&mut self) -> bool {
        for k in 0..self.strict.len() {
            let row = self.strict[k];
            let sign = if self.modes[row] == Mode::AtUpper { -1.0 } else { 1.0 };
            let goal = (Variable::W(row), sign, STRICT);
            let pushed = self.work.farkas.push(self.problem, &self.modes, goal);
            if pushed.is_some_and(|p| p.direction.is_none() && sign * p.value <= STRICT) {
                return true;
            }
        }
        false
    }

    /// Modes that a row may take, `Between` first.
    fn choices(&self, row: usize) -> impl Iterator<Item = Mode> + use<> {
        let (lower, upper) = (self.problem.lower()[row], self.problem.upper()[row]);
        let at_lower = lower.is_finite().then_some(Mode::AtLower);
        let at_upper = upper.is_finite().then_some(Mode::AtUpper);
        [Some(Mode::Between), at_lower, at_upper].into_iter().flatten()
    }

    /// A row of which one mode is refuted at once, else the one that the point violates most (or,
    /// if it violates none, the one that decides most about it).
    fn branching_row(&mut self, point: Option<&[f64]>) -> Option<usize> {
        let n = self.problem.n();
        let open: Vec<usize> =
            (0..n).filter(|&i| self.modes[i] == Mode::Any && has_choice(self.problem, i)).collect();
        for &row in &open {
            for mode in self.choices(row) {
                self.modes[row] = mode;
                let refuted = single_row(self.problem, &self.modes).is_some();
                self.modes[row] = Mode::Any;
                if refuted {
                    return Some(row);
                }
            }
        }
        let Some(z) = point else { return open.first().copied() };
        let mut w = vec![0.0; n];
        self.problem.A().affine(z, self.problem.b(), &mut w);
        let score = |&i: &usize| {
            let gap = if w[i] >= 0.0 {
                z[i] - self.problem.lower()[i]
            } else {
                self.problem.upper()[i] - z[i]
            };
            (gap.abs().min(w[i].abs()), gap.abs().max(w[i].abs()))
        };
        open.into_iter().max_by(|p, q| {
            let (p, q) = (score(p), score(q));
            p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1))
        })
    }

    fn branch(&mut self, row: usize) -> Option<ProofTree> {
        let mut children = Vec::new();
        let mut all_refuted = true;
        let mut between_refuted = true;
        for mode in self.choices(row) {
            self.modes[row] = mode;
            let is_strict = mode != Mode::Between && !between_refuted;
            if is_strict {
                self.strict.push(row);
            }
            let proof = self.visit();
            if is_strict {
                self.strict.pop();
            }
            if mode == Mode::Between {
                between_refuted = proof.is_some();
            }
            match proof {
                Some(tree) => children.push((mode, tree)),
                None => all_refuted = false,
            }
        }
        self.modes[row] = Mode::Any;
        all_refuted.then_some(ProofTree::Branch { row, children })
    }

    /// All modes are chosen: collects what they leave, or the proof that it is nothing.
    fn leaf(&mut self, point: Option<Vec<f64>>) -> Option<ProofTree> {
        let piece = match piece::of_leaf(self.problem, &self.modes, point, self.work) {
            Leaf::Piece(piece) => piece,
            Leaf::Refuted(y) => {
                self.found.refuted += 1;
                return Some(ProofTree::Leaf(y));
            }
            Leaf::Unclear => {
                self.found.complete = false;
                return None;
            }
        };
        let scales = &self.work.farkas;
        let known = &mut self.found.solutions;
        if known.iter().any(|other| piece::contains(self.problem, other, &piece.z, scales)) {
            return None;
        }
        known.retain(|other| !piece::contains(self.problem, &piece, &other.z, scales));
        if known.len() >= self.settings.max_solutions {
            self.halted = Some(Status::IterationLimit);
            return None;
        }
        known.push(piece);
        if self.wanted == Wanted::First {
            self.halted = Some(Status::Solved);
        }
        None
    }
}
