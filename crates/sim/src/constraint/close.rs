//! Impulses such that rigid constraints hold at the end of a step.
//!
//! The rows are linear in v⁺, the positions at the end are not. With the factors of the beginning the
//! offset of each rigid row is corrected by what is left at the end,
//!
//! ```text
//!  J v⁺ + ε p + d = 0  →  v⁺  →  drift  →  θ⁺  →  d ← d + θ⁺/h
//! ```
//!
//! a simplified Newton method whose error shrinks by a factor O(h) each round; where it does not, Newton's
//! method with the rows of the end ([`EndSolver`](crate::constraint::end::EndSolver)). The impulses act along the
//! rows of the beginning at one shared point, so that momentum is kept whatever the number of rounds.
//! Progress is measured in the metric of M, so that it does not depend on units.

use crate::constraint::rows::{Answer, At, Origin, Row, RowSet, Unit};
use crate::constraint::solve::DEPENDENT;
use crate::data::Data;
use crate::model::{Model, Rows};
use crate::state::State;
use crate::step::{StepError, StepReport};

/// Rounds after which a step that has not closed is given up.
const MAX_ROUNDS: usize = 50;
/// A correction of the velocities below this share of them is rounding.
const ROUNDING: f64 = 1e-15;
/// A step whose last correction is larger than this share of the velocities, or that leaves more than this
/// share of the coordinates open, has not closed.
const CLOSED: f64 = 1e-9;

/// If a round leaves more than this share of the correction, the rows have turned too far within the step
/// and those of its end are asked.
const SLOW: f64 = 0.25;

/// Share of its way in a step by which a redundant row may miss it: what rounding and [`DEPENDENT`] leave.
pub(crate) const SAME: f64 = 1e-6;
/// The same where the row has curvature that the others do not feel at the beginning of the step, as in a
/// position where a mechanism branches.
pub(crate) const CURVATURE: f64 = 0.1;
/// Rounding of a residual, as a share of the coordinates it is the difference of.
const ROUNDING_OF_PLACES: f64 = 1e-12;

/// The mean prescribed rate of a row over a step: zero unless it is driven.
pub(crate) fn mean_rate(model: &Model, row: &Row, time: f64, h: f64) -> f64 {
    let Origin::Constraint(i) = row.origin else { return 0.0 };
    match &model.constraints[i].rows {
        Rows::Drive { law, .. } => (law.at(time + h)[0] - row.g[0]) / h,
        _ => 0.0,
    }
}

/// Moves (q, v) over the step.
pub(crate) type DriftOf<'a> =
    dyn Fn(&mut Data, &mut [f64], &mut [f64]) -> Result<(), StepError> + 'a;

/// Puts the impulses of the contacts into `v_kick`; asked again, those of contacts that have joined, and false if none has.
pub(crate) type ContactsOf<'a> = dyn Fn(&mut Data, bool) -> Result<bool, StepError> + 'a;

/// What happens in a step besides the rows.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'a> {
    pub(crate) drift: &'a DriftOf<'a>,
    pub(crate) contacts: Option<&'a ContactsOf<'a>>,
}

/// What is to hold at the end of a step and not only at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Rigid rows.
    pub(crate) positions: bool,
    /// The share of what the drift changes that armatures of joints that rows enforce follow, besides the kick: 1 means
    /// `p = −I (θ̇⁺ − θ̇)` over the whole step, ½ leaves the other half to a second kick.
    pub(crate) armatures: f64,
    /// By which part of its rate a redundant row may miss it, where positions are not wanted.
    pub(crate) slack: f64,
}

/// From `v_kick` without impulses, `rows`, ε and d: finds p, `v_kick` with impulses, and the drifted
/// `q_next`, `v_next`.
pub(crate) fn solve(
    model: &Model,
    h: f64,
    wanted: Wanted,
    state: &State,
    data: &mut Data,
    moves: Moves<'_>,
) -> Result<StepReport, StepError> {
    let work = &mut data.work;
    let rows = work.rows.len();
    let has = |wanted: fn(&Answer) -> bool| work.rows.rows.iter().any(|row| wanted(&row.answer));
    let rigid = has(|answer| *answer == Answer::Rigid);
    let repeats = (rigid && wanted.positions)
        || (wanted.armatures > 0.0 && has(|answer| matches!(answer, Answer::Inertia(_))));
    work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &work.impulses.eps);
    work.at_end.reserve(rows, model.nv);
    let (inner, rank) = (work.inner.len(), work.solver.rank());
    let mut report = StepReport { rows: rows + inner, rank: rank + inner, ..Default::default() };
    if rows > 0 {
        // the second solve refines the first
        correct(model, data);
        correct(model, data);
    }
    touch(model, data, moves)?;
    drift_from(state, data, moves.drift)?;
    if repeats {
        report.rounds = meet_end(model, h, wanted, state, data, moves)?;
    }
    if rigid {
        rows_at_end(model, h, state, data)?;
        (report.gap, report.misalignment) = largest(&data.work.rows_next);
        report.stabilization_work = stabilization_work(model, h, state, data);
        if wanted.positions && !(largest_share(h, data) <= CLOSED) {
            let (gap, misalignment) = (report.gap, report.misalignment);
            return Err(StepError::NotClosed { gap, misalignment });
        }
        refuse_contradictions(model, h, wanted, data, &report)?;
    }
    Ok(report)
}

/// Corrects, drifts and looks again until nothing changes any more; returns the number of rounds.
fn meet_end(
    model: &Model,
    h: f64,
    wanted: Wanted,
    state: &State,
    data: &mut Data,
    moves: Moves<'_>,
) -> Result<usize, StepError> {
    let mut last = f64::INFINITY;
    let mut by_end = wanted.positions && data.work.solver.has_weak_rows();
    let has_armatures =
        data.work.rows.rows.iter().any(|row| matches!(row.answer, Answer::Inertia(_)));
    // of what forces changed, which rounds do not
    let forced = data.work.M_hat.square(&model.pattern, &data.work.dv);
    for round in 1..=MAX_ROUNDS {
        rows_at_end(model, h, state, data)?;
        if by_end || has_armatures {
            let work = &mut data.work;
            work.rows_next.fill_jacobian(model, &work.kin_next);
        }
        let left = largest_share(h, data);
        follow_end(h, wanted, state, data);
        let change = if by_end { correct_at_end(model, h, data) } else { correct(model, data) };
        if !change.is_finite() {
            return Err(StepError::NotFinite);
        }
        touch(model, data, moves)?;
        drift_from(state, data, moves.drift)?;
        let size = data.work.M_hat.square(&model.pattern, &data.work.v_kick) + forced;
        // what is left may be the rounding of places and not small beside velocities: slow motion, short steps
        let small =
            change <= CLOSED * CLOSED * size || (wanted.positions && left <= ROUNDING_OF_PLACES);
        let slow = change >= 0.5 * last || round == MAX_ROUNDS;
        if change <= ROUNDING * ROUNDING * size || (slow && small) {
            return Ok(round);
        }
        by_end |= wanted.positions && change > SLOW * SLOW * last;
        last = change;
    }
    rows_at_end(model, h, state, data)?;
    let (gap, misalignment) = largest(&data.work.rows_next);
    Err(StepError::NotClosed { gap, misalignment })
}

/// Offsets of the rows by what they are like at the end.
fn follow_end(h: f64, wanted: Wanted, state: &State, data: &mut Data) {
    let work = &mut data.work;
    for (i, row) in work.rows_next.rows.iter().enumerate() {
        match row.answer {
            Answer::Rigid if wanted.positions => work.impulses.d[i] += row.theta / h,
            Answer::Inertia(_) if wanted.armatures > 0.0 => {
                let drifted =
                    work.rows_next.rate(i, &work.v_next) - work.rows.rate(i, &work.v_kick);
                work.impulses.d[i] = wanted.armatures * drifted - work.rows.rate(i, &state.v);
            }
            _ => {}
        }
    }
}

/// Redundant rows get no impulse: they hold if they agree with the others, and only then is the step one.
///
/// Where the others are met at the end, a redundant row may be off by what its own curvature makes in one
/// step, at most [`CURVATURE`] of the way, but must not have been off before without coming nearer.
fn refuse_contradictions(
    model: &Model,
    h: f64,
    wanted: Wanted,
    data: &Data,
    report: &StepReport,
) -> Result<(), StepError> {
    let work = &data.work;
    let is_asked = |i: usize, row: &Row| row.answer == Answer::Rigid && work.solver.is_redundant(i);
    if !work.rows.rows.iter().enumerate().any(|(i, row)| is_asked(i, row)) {
        return Ok(());
    }
    let size = energy_scale(model, data);
    for (i, row) in work.rows.rows.iter().enumerate().filter(|(i, row)| is_asked(*i, row)) {
        let way = way(h, data, i);
        let holds = if wanted.positions {
            let (before, after) = (row.theta.abs(), work.rows_next.rows[i].theta.abs());
            let rounding = 10.0 * DEPENDENT * row.size;
            let settled = before <= SAME * way + rounding || after <= 0.9 * before;
            after <= CURVATURE * way + rounding && settled
        } else {
            let missed = work.rows.rate(i, &work.v_kick) + work.impulses.d[i];
            // what is left of a redundant row has this rate at most, whether the row moves or not
            let left = DEPENDENT * (work.solver.full(i) * size).sqrt();
            h * missed.abs() <= wanted.slack * way + h * left
        };
        if !holds {
            let (gap, misalignment) = (report.gap, report.misalignment);
            return Err(StepError::NotClosed { gap, misalignment });
        }
    }
    Ok(())
}

/// How far a row can go in a step, without what cancels.
fn way(h: f64, data: &Data, row: usize) -> f64 {
    let work = &data.work;
    let (span, J) = work.rows.entries(row);
    let moves = J.iter().zip(work.v_kick[span.clone()].iter().zip(&work.dv[span]));
    h * moves.map(|(J, (v, dv))| J.abs() * (v.abs() + dv.abs())).sum::<f64>()
}

fn correct(model: &Model, data: &mut Data) -> f64 {
    let work = &mut data.work;
    let (pattern, M) = (&model.pattern, &work.M_hat);
    work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.v_kick)
}

fn correct_at_end(model: &Model, h: f64, data: &mut Data) -> f64 {
    let work = &mut data.work;
    let mass = (&model.pattern, &work.M_hat);
    let (first, next) = ((&work.rows, &work.solver), (&work.rows_next, &mut work.at_end));
    work.impulses.correct_at_end(mass, first, next, h, &mut work.v_kick)
}

/// Contacts, and the rows once more: the contacts know what the rows will do. Which contacts join is asked of velocities that meet
/// the rows: those in between are no motion of the mechanism.
fn touch(model: &Model, data: &mut Data, moves: Moves<'_>) -> Result<(), StepError> {
    let Some(contacts) = moves.contacts else { return Ok(()) };
    let mut again = false;
    while contacts(data, again)? {
        if !data.work.rows.is_empty() {
            correct(model, data);
        }
        again = true;
    }
    Ok(())
}

fn drift_from(state: &State, data: &mut Data, drift: &DriftOf<'_>) -> Result<(), StepError> {
    let mut q = std::mem::take(&mut data.work.q_next);
    let mut v = std::mem::take(&mut data.work.v_next);
    q.copy_from_slice(&state.q);
    v.copy_from_slice(&data.work.v_kick);
    let result = drift(data, &mut q, &mut v);
    (data.work.q_next, data.work.v_next) = (q, v);
    result
}

/// The rows of the end of the step without J, to read their residuals.
fn rows_at_end(model: &Model, h: f64, state: &State, data: &mut Data) -> Result<(), StepError> {
    let work = &mut data.work;
    work.kin_next.update(model, &work.q_next);
    let at = At { time: state.time + h, q: &work.q_next, memory: &state.memory };
    let part = work.rows.part();
    work.rows_next.read_beside(model, &work.kin_next, at, part, &work.inner)?;
    Ok(())
}

/// Largest residual at the end of a rigid row that is not redundant, as a share of the numbers that it is a
/// difference of and of its way. NaN counts as infinite.
fn largest_share(h: f64, data: &Data) -> f64 {
    let work = &data.work;
    let mut worst = 0.0;
    for (i, (row, next)) in work.rows.rows.iter().zip(&work.rows_next.rows).enumerate() {
        if row.answer == Answer::Rigid && !work.solver.is_redundant(i) && next.theta != 0.0 {
            // lengths at the origin of everything have no size but their way
            let way = if row.unit == Unit::Length { way(h, data, i) } else { 0.0 };
            let share = next.theta.abs() / (row.size + next.size + way);
            if !(share <= worst) {
                worst = if share.is_nan() { f64::INFINITY } else { share };
            }
        }
    }
    worst
}

/// Largest residual of rigid rows: lengths [m] and angles [rad]. NaN counts as infinite.
pub(crate) fn largest(rows: &RowSet) -> (f64, f64) {
    let of = |unit: Unit| {
        let mut worst = 0.0;
        for row in rows.rows.iter().filter(|row| row.answer == Answer::Rigid && row.unit == unit) {
            if !(row.theta.abs() <= worst) {
                worst = if row.theta.is_nan() { f64::INFINITY } else { row.theta.abs() };
            }
        }
        worst
    };
    (of(Unit::Length), of(Unit::Angle))
}

/// `vᵀ M̂ v` of the velocities and of what forces changed: what a correction is compared with [J].
fn energy_scale(model: &Model, data: &Data) -> f64 {
    let (work, pattern) = (&data.work, &model.pattern);
    work.M_hat.square(pattern, &work.v_kick) + work.M_hat.square(pattern, &work.dv)
}

/// `−Σ p (d + prescribed rate)` over the rigid rows [J].
fn stabilization_work(model: &Model, h: f64, state: &State, data: &Data) -> f64 {
    let work = &data.work;
    let rows = work.rows.rows.iter().enumerate();
    rows.filter(|(_, row)| row.answer == Answer::Rigid)
        .map(|(i, row)| {
            let rate = mean_rate(model, row, state.time, h);
            -work.impulses.p[i] * (work.impulses.d[i] + rate)
        })
        .sum()
}
