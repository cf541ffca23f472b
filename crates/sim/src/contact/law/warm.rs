//! Solving from the last step: cheap where modes last, and given up at once where they do not.

use stiction_lcp::block_pivoting::{BlockPivotingSettings, BlockPivotingWorkspace, block_pivoting};
use stiction_lcp::cone::{AlartCurnierSettings, AlartCurnierWorkspace, alart_curnier};
use stiction_lcp::judge::Judge;
use stiction_lcp::{
    BoxLcp, FrictionProblem, FrictionSolver, LcpSolver, Link, Report, Verdict, never,
};

use super::asked::Asked;
use super::bounds::BoundsMemory;
use super::judge::JudgeMemory;
use super::lanes::Lane;
use super::motion::MotionMemory;
use super::moved::Moved;
use super::run::Solved;
use super::{Assembled, LawAnswer, LawProblem, LawSolver};
use crate::contact::islands::Islands;
use crate::threads::Threads;

/// From the active set of the last step a handful is enough, or it cycles.
const FACTORIZATIONS: usize = 30;
/// Newton near a solution: the first inner problem is that stiff, in units of the contact's mass. Stiffer, redundant
/// contacts would hold each other with forces of rounding that grow from step to step.
const STIFFNESS: f64 = 1e4;
const NEWTON_STEPS: usize = 30;

/// Memory of the solvers that start from the last step: kept, so that they allocate nothing anew.
#[derive(Clone, Debug, Default)]
pub struct LawWork {
    blocks: BlockPivotingWorkspace,
    newton: AlartCurnierWorkspace,
    judge: Judge,
    pub(super) distances: JudgeMemory,
    pub(super) islands: Islands,
    /// How often these were found.
    pub(super) solves: usize,
    pub(super) motion: MotionMemory,
    pub(super) asked: Asked,
    pub(super) place: Vec<usize>,
    pub(super) threads: Threads,
    pub(super) lanes: Vec<Lane>,
    pub(super) bounds: BoundsMemory,
    /// Memory of impulses and velocities that were given back.
    pub(super) spare: [Vec<f64>; 2],
    pub(super) moved: Moved,
    /// Who asks reads what impulses in two parts do.
    pub(crate) may_split: bool,
    /// The start is an answer that some contacts have joined.
    pub(crate) has_answer: bool,
    /// A solve of large islands ends at a rough answer, and the next one goes on from there.
    pub(super) may_pause: bool,
    pub(super) goes_on: bool,
    /// What impulses do to the coordinates of a root.
    pub(super) change: Vec<f64>,
}

impl LawWork {
    pub(crate) fn with_threads(threads: &Threads) -> Self {
        Self { threads: threads.clone(), ..Self::default() }
    }

    /// Problems that were solved so far.
    pub(crate) fn solves(&self) -> usize {
        self.solves
    }

    /// Of the problem that was solved last.
    pub(crate) fn islands(&self) -> &Islands {
        &self.islands
    }

    /// The impulses of a solve that is paused.
    pub(crate) fn rough(&self) -> Option<&[f64]> {
        self.asked.rough()
    }

    /// So many contacts have joined what is paused, behind the first k.
    pub(crate) fn insert_contacts(&mut self, k: usize, count: usize) {
        self.asked.insert(k, count);
    }

    /// Takes back the memory of an answer that is not needed any more.
    pub(crate) fn take_back(&mut self, answer: LawAnswer) {
        self.spare = [answer.p, answer.u];
        self.moved = answer.moved;
    }
}

/// Nothing where the law has no start, or the solver was chosen for its own sake.
pub(super) fn solve(
    assembled: &Assembled,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Option<Solved> {
    if assembled.start.is_empty() {
        return None;
    }
    match (&assembled.problem, solver) {
        (
            LawProblem::Lcp(problem),
            LawSolver::Auto | LawSolver::Lcp(LcpSolver::Auto | LcpSolver::BlockPivoting),
        ) => Some(by_blocks(problem, assembled.start.clone(), tol, work)),
        (
            LawProblem::Friction(problem),
            LawSolver::Auto | LawSolver::Friction(FrictionSolver::Auto),
        ) => Some(by_newton(problem, assembled.start.clone(), tol, work)),
        _ => None,
    }
}

fn by_blocks(problem: &BoxLcp, mut z: Vec<f64>, tol: f64, work: &mut LawWork) -> Solved {
    let settings =
        BlockPivotingSettings { max_factorizations: FACTORIZATIONS, ..Default::default() };
    let report = block_pivoting(problem, &settings, &mut work.blocks, &never, &mut z);
    let residual = work.judge.lcp(problem, &z);
    let link = (LcpSolver::BlockPivoting.name(), report, residual.scaled);
    solved(z, residual.accepts(tol), link)
}

fn by_newton(problem: &FrictionProblem, mut r: Vec<f64>, tol: f64, work: &mut LawWork) -> Solved {
    let settings = AlartCurnierSettings {
        stiffness: STIFFNESS,
        max_steps: NEWTON_STEPS,
        ..Default::default()
    };
    let report = alart_curnier(problem, &settings, &mut work.newton, &never, &mut r);
    let residual = work.judge.friction(problem, &r);
    let link = (FrictionSolver::AlartCurnier.name(), report, residual.scaled);
    solved(r, residual.accepts(tol), link)
}

fn solved(
    answer: Vec<f64>,
    is_accepted: bool,
    (solver, report, residual): (&'static str, Report, f64),
) -> Solved {
    let verdict = if is_accepted { Verdict::Certified } else { Verdict::Uncertified };
    Solved { answer, verdict, residual, chain: vec![Link { solver, report, residual }] }
}
