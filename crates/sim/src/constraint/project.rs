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
use crate::model::Model;
use crate::state::{Memory, State};
use crate::step::{StepError, StepReport};
use crate::tree::kinematics;
use crate::work::factor_mass;

/// Newton's method doubles its digits each round: this many rounds mean that there is nothing to find.
pub(crate) const MAX_ROUNDS: usize = 60;
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
        if holds(worst, last) {
            return Ok(report);
        }
        if report.rounds == MAX_ROUNDS || !worst.is_finite() {
            let (gap, misalignment) = (report.gap, report.misalignment);
            return Err(StepError::NotClosed { gap, misalignment });
        }
        move_onto(model, data);
        model.integrate(q, &data.work.dv, 1.0);
        report.rounds += 1;
        last = worst;
    }
}

/// `dv` becomes the least move in the metric of M with `J dv = −θ`.
pub(crate) fn move_onto(model: &Model, data: &mut Data) {
    let work = &mut data.work;
    for (d, row) in work.impulses.d.iter_mut().zip(&work.rows.rows) {
        *d = row.theta;
    }
    work.dv.fill(0.0);
    move_by_rows(model, data);
}

/// Whether rows hold to rounding whose largest share was `last` a round before.
pub(crate) fn holds(worst: f64, last: f64) -> bool {
    worst <= ULP || (worst <= ROUNDING && worst > 0.1 * last)
}

/// Largest residual of a rigid row as a share of the numbers that it is a difference of. NaN counts as infinite.
pub(crate) fn largest_share(rows: &RowSet) -> f64 {
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
    hold(model, &state.v, data);
    state.v.copy_from_slice(&data.work.dv);
    Ok(data.work.solver.rank())
}

/// `dv` becomes what is nearest to v in the metric of M with `J dv = ġ`; the impulses are those that led there.
pub(crate) fn hold(model: &Model, v: &[f64], data: &mut Data) {
    let work = &mut data.work;
    work.impulses.p.fill(0.0);
    for i in 0..work.rows.len() {
        let row = &work.rows.rows[i];
        work.impulses.d[i] = match row.answer {
            // an armature resists the change of its rate, not the rate
            Answer::Inertia(_) => -work.rows.rate(i, v),
            _ => -row.g[1],
        };
    }
    work.dv.copy_from_slice(v);
    move_by_rows(model, data);
    move_by_rows(model, data);
}

/// Rows, mass matrix and their factors at a position.
pub(crate) fn prepare(model: &Model, at: At<'_>, data: &mut Data) -> Result<(), StepError> {
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
pub(crate) fn move_by_rows(model: &Model, data: &mut Data) {
    let work = &mut data.work;
    let (pattern, M) = (&model.pattern, &work.M_hat);
    work.impulses.correct(pattern, M, &work.rows, &work.solver, &mut work.dv);
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
