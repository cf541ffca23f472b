//! Positions and velocities brought onto the rigid constraints, nearest in the metric of M.
//!
//! ```text
//!  position:  q ← q ⊕ M⁻¹ Jᵀ p  with  J M⁻¹ Jᵀ p = −θ, repeated
//!  velocity:  v ← v + M⁻¹ Jᵀ p  with  J v⁺ = ġ
//! ```

use crate::constraint::close::largest;
use crate::constraint::rows::{Answer, At, Part, RowSet, remember_angles};
use crate::constraint::solve::DEPENDENT;
use crate::data::Data;
use crate::energy::mechanical_energy;
use crate::model::Model;
use crate::state::{Memory, State};
use crate::step::{StepError, StepReport};
use crate::tree::kinematics;
use crate::work::factor_mass;

/// Newton's method doubles its digits each round: this many rounds mean that there is nothing to find.
const MAX_ROUNDS: usize = 60;
/// Residuals below this share of the numbers they are differences of are rounding if a further round does not
/// help, and below the smaller one whether it does or not: Newton's method would go on to denormal numbers.
const ROUNDING: f64 = 10.0 * DEPENDENT;
const ULP: f64 = 1e-16;

/// Moves `state` onto its rigid constraints: positions, then velocities. For mechanisms whose loops were
/// stated roughly. On `Err` the state is as it was.
pub fn assemble(
    model: &Model,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut next = state.clone();
    let report = assemble_in_place(model, &mut next, data)?;
    *state = next;
    Ok(report)
}

/// [`assemble`] without a copy: on `Err` the state is anywhere.
pub(crate) fn assemble_in_place(
    model: &Model,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut report = positions(model, state.time, &mut state.q, &state.memory, data)?;
    remember_angles(model, &data.kin, state);
    report.rank = velocities(model, state, data)?;
    Ok(report)
}

/// Newton's method on the positions.
fn positions(
    model: &Model,
    time: f64,
    q: &mut [f64],
    memory: &Memory,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut report = StepReport::default();
    let mut last = f64::INFINITY;
    loop {
        prepare(model, At { time, q, memory }, data)?;
        (report.gap, report.misalignment) = largest(&data.work.rows);
        (report.rows, report.rank) = (data.work.rows.len(), data.work.solver.rank());
        let worst = largest_share(&data.work.rows);
        if worst <= ULP || (worst <= ROUNDING && worst > 0.1 * last) {
            return Ok(report);
        }
        if report.rounds == MAX_ROUNDS || !worst.is_finite() {
            let (gap, misalignment) = (report.gap, report.misalignment);
            return Err(StepError::NotClosed { gap, misalignment });
        }
        let work = &mut data.work;
        for (d, row) in work.impulses.d.iter_mut().zip(&work.rows.rows) {
            *d = row.theta;
        }
        work.dv.fill(0.0);
        move_by_rows(model, data);
        model.integrate(q, &data.work.dv, 1.0);
        report.rounds += 1;
        last = worst;
    }
}

/// Largest residual of a rigid row as a share of the numbers that it is a difference of. NaN counts as infinite.
fn largest_share(rows: &RowSet) -> f64 {
    let mut worst = 0.0;
    for row in rows.rows.iter().filter(|row| row.answer == Answer::Rigid && row.theta != 0.0) {
        let share = row.theta.abs() / row.size;
        if !(share <= worst) {
            worst = if share.is_nan() { f64::INFINITY } else { share };
        }
    }
    worst
}

/// Makes `J v = ġ`; returns the rank of the rows.
pub fn velocities(model: &Model, state: &mut State, data: &mut Data) -> Result<usize, StepError> {
    prepare(model, At::from(&*state), data)?;
    let work = &mut data.work;
    for i in 0..work.rows.len() {
        let row = &work.rows.rows[i];
        work.impulses.d[i] = match row.answer {
            // an armature resists the change of its rate, not the rate
            Answer::Inertia(_) => -work.rows.rate(i, &state.v),
            _ => -row.g[1],
        };
    }
    work.dv.copy_from_slice(&state.v);
    move_by_rows(model, data);
    move_by_rows(model, data);
    state.v.copy_from_slice(&data.work.dv);
    Ok(data.work.solver.rank())
}

/// Rows, mass matrix and their factors at a position.
fn prepare(model: &Model, at: At<'_>, data: &mut Data) -> Result<(), StepError> {
    kinematics::update_positions(model, at.q, data);
    factor_mass(model, 0.0, data)?;
    let work = &mut data.work;
    work.rows.assemble(model, &data.kin, at, Part::Stiff)?;
    work.impulses.reset(work.rows.len());
    for (eps, row) in work.impulses.eps.iter_mut().zip(&work.rows.rows) {
        if let Answer::Inertia(inertia) = row.answer {
            *eps = 1.0 / inertia;
        }
    }
    work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &work.impulses.eps);
    Ok(())
}

/// Changes `work.dv` such that `J dv + ε p + d = 0`.
fn move_by_rows(model: &Model, data: &mut Data) {
    let work = &mut data.work;
    let (pattern, M) = (&model.pattern, &work.M_hat);
    work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.dv);
}

/// Projects the positions at the end of a step; the change of energy is entered in the report.
pub(crate) fn after_step(
    model: &Model,
    h: f64,
    state: &State,
    data: &mut Data,
    report: StepReport,
) -> Result<StepReport, StepError> {
    let time = state.time + h;
    let mut q = std::mem::take(&mut data.work.q_next);
    let v = std::mem::take(&mut data.work.v_next);
    let result = mechanical_energy(model, At { time, q: &q, memory: &state.memory }, &v, data)
        .and_then(|before| {
            let projected = positions(model, time, &mut q, &state.memory, data)?;
            let at = At { time, q: &q, memory: &state.memory };
            let after = mechanical_energy(model, at, &v, data)?;
            Ok(StepReport {
                stabilization_work: report.stabilization_work + (after - before),
                gap: projected.gap,
                misalignment: projected.misalignment,
                rounds: projected.rounds,
                ..report
            })
        });
    (data.work.q_next, data.work.v_next) = (q, v);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::Inertia;
    use crate::math::Vec3;
    use crate::model::{Coordinates, FrameSpec, JointKind, ModelSpec};

    #[test]
    fn velocities_that_obey_the_constraints_are_kept_whatever_the_armature() {
        let mut spec = ModelSpec::new();
        spec.body("wheel", Inertia::principal(2.0, [0.3, 0.4, 0.5]));
        let hinge = JointKind::Revolute { axis: Vec3::z() };
        spec.joint("axle", hinge, FrameSpec::world(), FrameSpec::of("wheel")).armature = vec![0.7];
        let model = spec.build(Coordinates::Maximal).expect("a wheel");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.v[5] = 3.0;
        velocities(&model, &mut state, &mut data).expect("consistent");
        assert_eq!(state.v, [0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
    }
}
