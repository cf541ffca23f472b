//! Impulses such that rigid constraints hold at the end of a step.
//!
//! The rows are linear in v⁺, the positions at the end are not. With the factors of the beginning the
//! offset of each rigid row is corrected by what is left at the end,
//!
//! ```text
//!  J v⁺ + ε p + d = 0  →  v⁺  →  drift  →  θ⁺  →  d ← d + θ⁺/h
//! ```
//!
//! a simplified Newton method whose error shrinks by a factor O(h) each round. The impulses act along the
//! rows of the beginning at one shared point, so that momentum is kept whatever the number of rounds.
//! Progress is measured in the metric of M, so that it does not depend on units.

use crate::constraint::rows::{Answer, At, Origin, Row, RowSet, Unit};
use crate::data::Data;
use crate::model::{Model, Rows};
use crate::state::State;
use crate::step::{StepError, StepReport};

/// Rounds after which a step that has not closed is given up.
const MAX_ROUNDS: usize = 50;
/// A correction of the velocities below this share of them is rounding.
const ROUNDING: f64 = 1e-15;
/// A step whose last correction is larger than this share of the velocities has not closed.
const CLOSED: f64 = 1e-9;

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

/// From `v_kick` without impulses, `rows`, ε and d: finds p, `v_kick` with impulses, and the drifted
/// `q_next`, `v_next`. If `exact`, rigid rows hold at the end.
pub(crate) fn solve(
    model: &Model,
    h: f64,
    exact: bool,
    state: &State,
    data: &mut Data,
    drift: &DriftOf<'_>,
) -> Result<StepReport, StepError> {
    let work = &mut data.work;
    let (rows, rigid) = (work.rows.len(), work.rows.has_rigid());
    work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &work.impulses.eps);
    let mut report = StepReport { rows, rank: work.solver.rank(), ..Default::default() };
    if rows > 0 {
        // the second solve refines the first
        correct(model, data);
        correct(model, data);
    }
    let mut last = f64::INFINITY;
    loop {
        drift_from(state, data, drift)?;
        if !rigid {
            return Ok(report);
        }
        residuals_at_end(model, h, state, data)?;
        (report.gap, report.misalignment) = largest(&data.work.rows_next);
        if !exact {
            break;
        }
        report.rounds += 1;
        for (i, row) in data.work.rows_next.rows.iter().enumerate() {
            if row.answer == Answer::Rigid {
                data.work.impulses.d[i] += row.theta / h;
            }
        }
        let change = correct(model, data);
        let size = energy_scale(model, data);
        if !change.is_finite() {
            return Err(StepError::NotFinite);
        }
        let stalled = change >= 0.1 * last && change <= CLOSED * CLOSED * size;
        if change <= ROUNDING * ROUNDING * size || stalled {
            drift_from(state, data, drift)?;
            residuals_at_end(model, h, state, data)?;
            (report.gap, report.misalignment) = largest(&data.work.rows_next);
            break;
        }
        if report.rounds == MAX_ROUNDS {
            let (gap, misalignment) = (report.gap, report.misalignment);
            return Err(StepError::NotClosed { gap, misalignment });
        }
        last = change;
    }
    report.stabilization_work = stabilization_work(model, h, state, data);
    Ok(report)
}

fn correct(model: &Model, data: &mut Data) -> f64 {
    let work = &mut data.work;
    let (pattern, M) = (&model.pattern, &work.M_hat);
    work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.v_kick)
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

/// The rows of the end of the step, to read their residuals.
fn residuals_at_end(
    model: &Model,
    h: f64,
    state: &State,
    data: &mut Data,
) -> Result<(), StepError> {
    let work = &mut data.work;
    work.kin_next.update(model, &work.q_next);
    let at = At { time: state.time + h, q: &work.q_next, memory: &state.memory };
    work.rows_next.assemble(model, &work.kin_next, at, work.rows.part())?;
    Ok(())
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
