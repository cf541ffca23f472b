//! One law, solved and judged.
//!
//! The problem of each island is stated in units in which its masses and velocities are about 1, solved by `stiction-lcp`,
//! and the impulses of all are judged again as what they are: by the law, in SI units.

use stiction_lcp::{FrictionSolver, LcpSolver, Status, Verdict};

use super::apart::Outcome;
use super::check::check_sizes;
use super::judge::distances;
use super::moved::Moved;
use super::refuse::refuse;
use super::run::{Solved, run, run_cold};
use super::units::Units;
use super::warm::LawWork;
use super::{Assembled, Cone, Law, LawError, LawResidual, Refusal, Stabilization, assemble};
use super::{apart, braced, cone};
use crate::contact::space::{BoundedRow, ContactSpace, Sides};

/// Who is to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawSolver {
    /// The chain of the problem's class.
    Auto,
    Lcp(LcpSolver),
    Friction(FrictionSolver),
}

impl LawSolver {
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lcp(solver) => solver.name(),
            Self::Friction(solver) => solver.name(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LawAnswer {
    /// Impulses (p_n, p_t1, p_t2) of every contact and p of every bounded row [N·s].
    pub p: Vec<f64>,
    /// Velocities of the rows, `W p + u_free` [m/s].
    pub u: Vec<f64>,
    /// Where impulses of an island are known in two parts, what both of them do.
    pub(crate) moved: Moved,
    /// `Certified`: of every island the judge of the problem and the judge of the law agree. `NoSolution`: one island has
    /// none; the proof speaks of its problem, in the units of its solve.
    pub verdict: Verdict,
    /// Distance from the law that was asked for, of the island that is farthest from it.
    pub residual: LawResidual,
    /// Scaled residual of the problem that was solved, by the judge of problems, of the worst island: it may refuse what the
    /// law's judge would pass. 0 for the convex law, of which that judge knows nothing.
    pub problem: f64,
    /// Distance from exact Coulomb friction, of the island that is farthest from it.
    pub coulomb: LawResidual,
    /// The link of the chain that answered, of the island that took the most iterations (of equals the first).
    pub link: &'static str,
    /// Of all links and islands together.
    pub iterations: usize,
    /// Singular blocks that pivoting by blocks met.
    pub singular_blocks: usize,
}

impl LawAnswer {
    /// By how much it misses a certificate.
    pub fn refusal(&self) -> Refusal {
        Refusal { law: self.residual, problem: self.problem }
    }
}

/// The law's residual may be this many times the tolerance asked of the problem: it adds up the rows of a contact.
const ROOM: f64 = 100.0;
/// The judge of problems excuses rounding up to 1e-8; times ten for the same reason.
const EXCUSED: f64 = 1e-7;

/// Bounds beyond this many times the impulse that stops what moves are tried nearer first: a motor that is to be strong enough,
/// and says 1e9.
pub(super) const REACH: f64 = 1e4;

/// Impulses of the law. `tol` is asked of the problem's scaled residual, in units where b is about 1.
pub fn solve(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
) -> Result<LawAnswer, LawError> {
    solve_with(space, law, solver, tol, &mut LawWork::default())
}

/// The same with memory that is kept from step to step. Islands, which no entry of W connects, are solved apart.
pub fn solve_with(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<LawAnswer, LawError> {
    work.goes_on = false;
    to_the_end(space, law, solver, tol, work)
}

/// The same, but a solve of large islands ends where it is known roughly, and the answer is nothing: [`LawWork::rough`] tells the impulses. Contacts may
/// join, and [`finish`] goes on.
pub(crate) fn begin(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<Option<LawAnswer>, LawError> {
    (work.may_pause, work.goes_on) = (true, false);
    go_on(space, law, solver, tol, work)
}

/// Goes on where [`begin`] has paused.
pub(crate) fn finish(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<LawAnswer, LawError> {
    work.goes_on = true;
    to_the_end(space, law, solver, tol, work)
}

fn to_the_end(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<LawAnswer, LawError> {
    work.may_pause = false;
    Ok(go_on(space, law, solver, tol, work)?.expect("a solve that may not pause has an answer"))
}

fn go_on(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<Option<LawAnswer>, LawError> {
    check_sizes(space)?;
    let found = apart::solve(space, law, solver, tol, work)?;
    Ok(found.map(|found| judged(space, law, tol, found, work)))
}

/// An answer that was certified for the same numbers: judged by the law once more.
pub(crate) fn judge_again(
    space: &ContactSpace,
    law: &Law,
    tol: f64,
    known: &LawAnswer,
    work: &mut LawWork,
) -> LawAnswer {
    let mut found = apart::Joined::new(space.m(), work).found;
    found.p.copy_from_slice(&known.p);
    found.u.copy_from_slice(&known.u);
    let LawAnswer { problem, link, iterations, singular_blocks, .. } = *known;
    let verdict = Verdict::Certified;
    found.outcome =
        Outcome { verdict, problem, link, iterations, singular_blocks, ..Outcome::NOTHING };
    judged(space, law, tol, found, work)
}

/// The law's word on what was found.
fn judged(
    space: &ContactSpace,
    law: &Law,
    tol: f64,
    mut found: Found,
    work: &mut LawWork,
) -> LawAnswer {
    let [residual, coulomb] =
        distances(space, law, (&found.p, &mut found.moved), &mut work.distances);
    let holds = residual.accepts((ROOM * tol).max(EXCUSED)) || !states_the_law(law);
    let Found { p, u, moved, outcome } = found;
    let Outcome { verdict, problem, link, iterations, singular_blocks, .. } = outcome;
    let verdict = match verdict {
        Verdict::Certified if !holds => Verdict::Uncertified,
        verdict => verdict,
    };
    LawAnswer {
        p,
        u,
        moved,
        verdict,
        residual,
        problem,
        coulomb,
        link,
        iterations,
        singular_blocks,
    }
}

/// What a solver found, in SI units.
pub(super) struct Found {
    pub(super) p: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) moved: Moved,
    pub(super) outcome: Outcome,
}

/// Laws and solvers that ask for the entries of W; the others need its root alone.
pub(crate) fn needs_entries(law: &Law, solver: LawSolver) -> bool {
    let has_root = matches!(law, Law::Cone(_) | Law::Box(_) | Law::Hybrid(_) | Law::Phantom(_));
    !(has_root && solver == LawSolver::Auto)
}

/// Everything at once, in units of its own.
pub(super) fn solve_whole(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<Found, LawError> {
    let units = Units::of(space);
    let (scaled, scaled_law) = (units.space(space), units.law(law));
    let (assembled, solved) = solve_widening(scaled, &scaled_law, solver, tol, work)?;
    if let Some(link) = solved.chain.last()
        && let Status::NotApplicable(unfit) = link.report.status
        && solver != LawSolver::Auto
    {
        return Err(LawError::Unfit { solver: link.solver, unfit });
    }
    let mut p = assembled.impulses(&solved.answer);
    units.impulses(&mut p);
    let mut u = vec![0.0; p.len()];
    space.W.affine(&p, &space.u_free, &mut u);
    let outcome = Outcome {
        verdict: solved.verdict,
        problem: solved.residual,
        link: solved.chain.last().map_or("none", |link| link.solver),
        iterations: solved.chain.iter().map(|link| link.report.iterations).sum(),
        singular_blocks: solved.chain.iter().map(|link| link.report.singular).sum(),
        moved: Vec::new(),
    };
    Ok(Found { p, u, moved: Moved::default(), outcome })
}

/// Bounds far beyond what the impulses need cost the digits of these: rows are solved between nearer bounds, which are widened as
/// long as a row comes to one of them. What stays between them is an answer between the bounds that were asked for.
fn solve_widening(
    mut space: ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<(Assembled, Solved), LawError> {
    let bounds: Vec<[f64; 2]> = space.rows.iter().map(|row| [row.lower, row.upper]).collect();
    let (mut reach, mut chain) = (REACH, Vec::new());
    loop {
        let is_narrowed = narrow(&mut space.rows, &bounds, reach);
        let (assembled, mut solved) = solve_between(&space, law, solver, tol, work)?;
        chain.append(&mut solved.chain);
        let p = assembled.impulses(&solved.answer);
        let is_inside =
            |(row, p): (&BoundedRow, &f64)| row.range().is_none() || p.abs() < 0.5 * reach;
        let stays = space.rows.iter().zip(&p[3 * space.k()..]).all(is_inside);
        if !is_narrowed || (solved.verdict == Verdict::Certified && stays) {
            return Ok((assembled, Solved { chain, ..solved }));
        }
        reach *= reach;
    }
}

/// Brings bounds within `reach` of zero where there is room; false if all are.
fn narrow(rows: &mut [BoundedRow], bounds: &[[f64; 2]], reach: f64) -> bool {
    let mut is_narrowed = false;
    for (row, &[lower, upper]) in rows.iter_mut().zip(bounds) {
        (row.lower, row.upper) = (lower, upper);
        if row.range().is_some() && lower < -reach && upper > reach {
            (row.lower, row.upper) = (-reach, reach);
            is_narrowed = true;
        }
    }
    is_narrowed
}

fn solve_between(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Result<(Assembled, Solved), LawError> {
    // rows between bounds alone: what is the same under every law is solved by the law that has pivots
    let alone = space.k() == 0 && solver == LawSolver::Auto;
    let law = if alone { &Law::Frictionless } else { law };
    let mut assembled = assemble(space, law)?;
    refuse(law, &assembled.problem, solver)?;
    let mut run = |assembled: &Assembled| run(assembled, solver, tol, work);
    let mut solved = run(&assembled);
    if let Law::Cone(settings) = law {
        turn_guides(space, settings, &mut assembled, &mut solved, &mut run)?;
    }
    if let Law::Convex(_) = law {
        unbrace(space, law, &assembled, &mut solved, tol)?;
    }
    Ok((assembled, solved))
}

/// Smaller impulses where those of the convex law brace against each other, or were not found for that reason.
fn unbrace(
    space: &ContactSpace,
    law: &Law,
    assembled: &Assembled,
    solved: &mut Solved,
    tol: f64,
) -> Result<(), LawError> {
    let rank = |p: &[f64]| braced::rank(space, law, p, (ROOM * tol).max(EXCUSED));
    let mut p = assembled.impulses(&solved.answer);
    let mut best = rank(&p);
    if best.is_good {
        return Ok(());
    }
    p.fill(0.0);
    for eps in braced::WEIGHTS {
        let held = assemble(&braced::held(space, eps, &p), law)?;
        let mut next = run_cold(&held, LawSolver::Auto, tol);
        solved.chain.append(&mut next.chain);
        p = assembled.impulses(&next.answer);
        let own = rank(&p);
        if own.is_better_than(&best) {
            best = own;
            solved.answer = next.answer;
        }
    }
    Ok(())
}

/// A guide that parts faster than this, where velocities are about 1, presses on the wrong side: what solvers leave is less.
pub(super) const PARTS: f64 = 1e-7;

/// Guides press on the side that was assumed, or not at all and part: then they press on the other one. Goes on until all do
/// as assumed, or it comes to no end; then the judge will say so.
fn turn_guides(
    space: &ContactSpace,
    settings: &Cone,
    assembled: &mut Assembled,
    solved: &mut Solved,
    run: &mut dyn FnMut(&Assembled) -> Solved,
) -> Result<(), LawError> {
    let guides: Vec<usize> =
        (0..space.k()).filter(|&c| space.contacts[c].sides == Sides::Both).collect();
    let mut u = vec![0.0; space.m()];
    for _ in 0..2 * guides.len() + 2 {
        let mut p = assembled.impulses(&solved.answer);
        space.W.affine(&p, &space.u_free, &mut u);
        let parting =
            |c: usize| u[3 * c] + space.contacts[c].eps_n * p[3 * c] + space.contacts[c].d_n;
        let turned: Vec<(usize, f64)> = guides
            .iter()
            .filter(|&&c| parting(c).abs() > PARTS)
            .map(|&c| (c, -parting(c).signum()))
            .collect();
        if turned.is_empty() {
            break;
        }
        // from nothing on the other side: what is assumed to press must have a sign
        turned.iter().for_each(|&(c, side)| p[3 * c] = side * f64::MIN_POSITIVE);
        *assembled = cone::assemble_on(space, settings, &p)?;
        let mut chain = std::mem::take(&mut solved.chain);
        *solved = run(assembled);
        chain.append(&mut solved.chain);
        solved.chain = chain;
    }
    Ok(())
}

/// False where the problem is on purpose another one than the law.
fn states_the_law(law: &Law) -> bool {
    !matches!(law, Law::Pyramid(s) if matches!(s.stabilization, Stabilization::Diagonal { .. }))
}
