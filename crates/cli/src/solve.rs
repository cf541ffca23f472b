//! One problem: solve it, then judge the answer anew. What is printed is this second judgement.

use std::time::{Duration, Instant};

use stiction_lcp::judge::{FrictionResidual, Judge, LcpResidual, Proof, Refutation, check_proof};
use stiction_lcp::{
    FrictionAnswer, FrictionProblem, FrictionSolver, GlobalFrictionProblem, LcpSolver, Link,
    Status as SolverStatus, Verdict, solve_friction, solve_global_friction, solve_lcp,
};

use crate::format::{LinearProblem, Problem, Problematic};
use crate::names::{Class, Solver};

/// A solver that says `Solved` while the judge finds more than this has made a false claim,
/// whatever tolerance was asked for.
const CLAIM: f64 = 1e-6;

/// The link that answers where no other was tried: a problem without rows.
const NOTHING_TO_DO: &str = "zero";

/// What is asked of a solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Asked of the judge's scaled residual; three times its rounding floor is accepted as well.
    pub(crate) tol: f64,
    pub(crate) time_limit: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Certified,
    NoSolution,
    Uncertified,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::NoSolution => "no_solution",
            Self::Uncertified => "uncertified",
        }
    }
}

/// What the solve left behind.
#[derive(Debug)]
pub(crate) enum Answer {
    /// In the order of the file's columns.
    Linear { z: Vec<f64> },
    /// Contact impulses [N·s] and velocities [m/s].
    Friction { r: Vec<f64>, u: Vec<f64> },
    /// There is none, and this shows it.
    None { proof: Proof, refutation: Refutation },
}

/// One number of the judge, with its unit.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
}

#[derive(Debug)]
pub(crate) struct Solved {
    pub(crate) status: Status,
    /// The solver that answered.
    pub(crate) solver: &'static str,
    /// Every solver that was tried, in order.
    pub(crate) chain: Vec<&'static str>,
    /// Of the solver that answered.
    pub(crate) iterations: usize,
    /// The judge's scaled residual.
    pub(crate) residual: f64,
    pub(crate) floor: f64,
    pub(crate) parts: Vec<Part>,
    pub(crate) answer: Answer,
    /// The library or its last solver claimed what the judge does not confirm.
    pub(crate) is_false_claim: bool,
    pub(crate) time: Duration,
}

impl Problem {
    pub(crate) fn class(&self) -> Class {
        match self {
            Self::Linear(_) => Class::Linear,
            Self::Friction(_) | Self::Global(_) => Class::Friction,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.problem.n(),
            Self::Friction(local) => local.n(),
            Self::Global(global) => global.b().len(),
        }
    }
}

/// Solves and judges. An error says that the data is no problem after all (a singular mass matrix).
///
/// # Panics
///
/// If the solver is not of the problem's class.
pub(crate) fn solve(
    problem: &Problem,
    solver: Solver,
    request: Request,
) -> Result<Solved, Problematic> {
    let clock = Clock::start(request.time_limit);
    let mut solved = match (problem, solver) {
        (Problem::Linear(linear), Solver::Linear(solver)) => {
            solve_linear(linear, solver, request.tol, &clock)
        }
        (Problem::Friction(local), Solver::Friction(solver)) => {
            solve_local(local, solver, request.tol, &clock)
        }
        (Problem::Global(global), Solver::Friction(solver)) => {
            solve_global(global, solver, request.tol, &clock)?
        }
        _ => panic!("a solver of another class was chosen"),
    };
    solved.time = clock.elapsed();
    Ok(solved)
}

fn solve_linear(linear: &LinearProblem, solver: LcpSolver, tol: f64, clock: &Clock) -> Solved {
    let problem = &linear.problem;
    let answer = solve_lcp(problem, solver, tol, &|| clock.is_over());
    let residual = Judge::new(problem.n()).lcp(problem, &answer.z);
    let parts = linear_parts(&residual);
    let judged = Judged { scaled: residual.scaled, accepted: residual.accepts(tol) };
    let mut solved = judged.solved(&answer.verdict, &answer.chain, residual.floor, parts);
    solved.answer = match answer.verdict {
        Verdict::NoSolution(proof) => match check_proof(problem, &proof) {
            Some(refutation) => {
                // whatever the residual of z: a proof says more
                solved.status = Status::NoSolution;
                if let Some(link) = proving(&answer.chain, &proof) {
                    (solved.solver, solved.iterations) = (link.solver, link.report.iterations);
                }
                Answer::None { proof, refutation }
            }
            None => {
                solved.is_false_claim = true;
                Answer::Linear { z: linear.in_file_order(answer.z) }
            }
        },
        _ => Answer::Linear { z: linear.in_file_order(answer.z) },
    };
    solved
}

fn solve_local(local: &FrictionProblem, solver: FrictionSolver, tol: f64, clock: &Clock) -> Solved {
    let answer = solve_friction(local, solver, tol, &|| clock.is_over());
    let mut judge = Judge::new(local.n());
    let residual = judge.friction(local, &answer.r);
    friction_solved(answer, &residual, judge.w(), tol)
}

fn solve_global(
    global: &GlobalFrictionProblem,
    solver: FrictionSolver,
    tol: f64,
    clock: &Clock,
) -> Result<Solved, Problematic> {
    let local = global.condense()?;
    let answer = solve_global_friction(global, solver, tol, &|| clock.is_over())?;
    let v = global.velocity(&answer.r)?;
    let mut judge = Judge::new(local.n());
    let residual = judge.global_friction(global, (&answer.r, &v), &local);
    let mut solved = friction_solved(answer, &residual, judge.w(), tol);
    solved.parts.push(Part { name: "momentum balance", value: residual.balance, unit: "N·s" });
    Ok(solved)
}

fn friction_solved(
    answer: FrictionAnswer,
    residual: &FrictionResidual,
    u: &[f64],
    tol: f64,
) -> Solved {
    let judged = Judged { scaled: residual.scaled, accepted: residual.accepts(tol) };
    let parts = friction_parts(residual);
    let mut solved = judged.solved(&answer.verdict, &answer.chain, residual.floor, parts);
    // an answer that is not finite is turned away before the judge has a whole u
    let u = if u.len() == answer.r.len() { u.to_vec() } else { answer.u };
    solved.answer = Answer::Friction { r: answer.r, u };
    solved
}

/// The second judgement of an answer.
struct Judged {
    scaled: f64,
    accepted: bool,
}

impl Judged {
    fn solved(&self, verdict: &Verdict, chain: &[Link], floor: f64, parts: Vec<Part>) -> Solved {
        let answered = answering(chain, self.scaled);
        let last_says_solved =
            chain.last().is_some_and(|link| link.report.status == SolverStatus::Solved);
        let is_false_claim = match verdict {
            Verdict::Certified => !self.accepted,
            Verdict::NoSolution(_) => false,
            Verdict::Uncertified => last_says_solved && !(self.scaled <= CLAIM),
        };
        Solved {
            status: if self.accepted { Status::Certified } else { Status::Uncertified },
            solver: answered.map_or(NOTHING_TO_DO, |link| link.solver),
            chain: match chain {
                [] => vec![NOTHING_TO_DO],
                links => links.iter().map(|link| link.solver).collect(),
            },
            iterations: answered.map_or(0, |link| link.report.iterations),
            residual: self.scaled,
            floor,
            parts,
            answer: Answer::Linear { z: Vec::new() },
            is_false_claim,
            time: Duration::ZERO,
        }
    }
}

/// The last link that left this residual behind; the last of all if none did.
fn answering(chain: &[Link], residual: f64) -> Option<&Link> {
    chain.iter().rev().find(|link| link.residual == residual).or(chain.last())
}

/// The link that proved it: the last that makes proofs of this kind, and at least the last of all
/// (the links of other islands may come after it).
fn proving<'a>(chain: &'a [Link], proof: &Proof) -> Option<&'a Link> {
    let makes: &[&str] = match proof {
        Proof::Farkas(_) => &["farkas", "lemke"],
        Proof::Exhausted(_) => &["enumeration"],
    };
    chain.iter().rev().find(|link| makes.contains(&link.solver)).or(chain.last())
}

fn linear_parts(residual: &LcpResidual) -> Vec<Part> {
    vec![
        Part { name: "z outside bounds", value: residual.z_outside, unit: "[z]" },
        Part { name: "w of wrong sign", value: residual.w_wrong, unit: "[w]" },
        Part { name: "complementarity", value: residual.complementarity, unit: "[z·w]" },
        Part { name: "scale-free", value: residual.scale_free, unit: "" },
    ]
}

fn friction_parts(residual: &FrictionResidual) -> Vec<Part> {
    vec![
        Part { name: "gap velocity", value: residual.gap_velocity, unit: "m/s" },
        Part { name: "negative impulse", value: residual.negative_impulse, unit: "N·s" },
        Part { name: "complementarity", value: residual.complementarity, unit: "J" },
        Part { name: "cone excess", value: residual.cone_excess, unit: "N·s" },
        Part { name: "slip misalignment", value: residual.misalignment, unit: "J" },
        Part { name: "scale-free", value: residual.scale_free, unit: "" },
    ]
}

/// The only clock of the project.
struct Clock {
    start: Instant,
    deadline: Option<Instant>,
}

#[allow(clippy::disallowed_methods, reason = "the command line keeps the time, the library asks")]
impl Clock {
    fn start(limit: Option<Duration>) -> Self {
        let start = Instant::now();
        // a limit beyond what a clock can show is none
        Self { start, deadline: limit.and_then(|limit| start.checked_add(limit)) }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn elapsed(&self) -> Duration {
        Instant::now() - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_lcp::Report;
    use stiction_lcp::judge::ProofTree;

    fn link(solver: &'static str, status: SolverStatus, residual: f64) -> Link {
        Link { solver, report: Report::new(status, 7, 1), residual }
    }

    fn judged(scaled: f64, accepted: bool, verdict: &Verdict, chain: &[Link]) -> Solved {
        Judged { scaled, accepted }.solved(verdict, chain, 0.0, Vec::new())
    }

    #[test]
    fn the_second_judgement_overrules_the_claim() {
        let chain = [link("lemke", SolverStatus::Solved, 1e-3)];
        let certified = judged(1e-3, false, &Verdict::Certified, &chain);
        assert_eq!((certified.status, certified.is_false_claim), (Status::Uncertified, true));
        let solved = judged(1e-3, false, &Verdict::Uncertified, &chain);
        assert!(solved.is_false_claim, "the solver says solved at 1e-3");
        let nan = judged(f64::NAN, false, &Verdict::Uncertified, &chain);
        assert!(nan.is_false_claim, "the solver says solved with a NaN");
        let near = judged(1e-9, false, &Verdict::Uncertified, &chain);
        assert!(!near.is_false_claim, "short of the tolerance, but no lie");
        let honest = [link("psor", SolverStatus::IterationLimit, 1e-3)];
        assert!(!judged(1e-3, false, &Verdict::Uncertified, &honest).is_false_claim);
        let kept = judged(0.0, true, &Verdict::Uncertified, &honest);
        assert_eq!(kept.status, Status::Certified, "an acceptable answer is not thrown away");
    }

    #[test]
    fn the_link_that_left_the_answer_is_named() {
        let chain = [
            link("lemke", SolverStatus::Ray, 0.5),
            link("newton-min", SolverStatus::Stalled, 1e-3),
            link("psor", SolverStatus::IterationLimit, 0.2),
        ];
        let solved = judged(1e-3, false, &Verdict::Uncertified, &chain);
        assert_eq!((solved.solver, solved.iterations), ("newton-min", 7));
        assert_eq!(solved.chain, ["lemke", "newton-min", "psor"]);
        assert_eq!(judged(9.0, false, &Verdict::Uncertified, &chain).solver, "psor");
        let nothing = judged(0.0, true, &Verdict::Certified, &[]);
        assert_eq!((nothing.solver, &nothing.chain[..]), ("zero", &["zero"][..]));
    }

    #[test]
    fn the_link_that_proved_it_is_named() {
        let chain = ["zero", "block-pivoting", "lemke", "farkas", "enumeration"]
            .map(|solver| link(solver, SolverStatus::Solved, 0.5));
        let by = |links: &[Link], proof: &Proof| proving(links, proof).map(|link| link.solver);
        let (vector, tree) = (Proof::Farkas(vec![1.0]), ProofTree::Leaf(vec![1.0]));
        assert_eq!(by(&chain, &vector), Some("farkas"), "another island was enumerated");
        assert_eq!(by(&chain[..3], &vector), Some("lemke"));
        assert_eq!(by(&chain[..2], &vector), Some("block-pivoting"));
        assert_eq!(by(&chain, &Proof::Exhausted(tree)), Some("enumeration"));
        assert_eq!(by(&[], &vector), None);
    }
}
