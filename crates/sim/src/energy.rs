//! Mechanical energy of a state: kinetic, gravity, springs and relaxed constraints.

use crate::constraint::rows::{Answer, At, Part};
use crate::data::Data;
use crate::model::Model;
use crate::step::StepError;
use crate::tree::{energy, kinematics};

/// Kinetic energy, potential energy of gravity (zero at the origin of W) and of everything elastic [J].
pub fn mechanical_energy(
    model: &Model,
    at: At<'_>,
    v: &[f64],
    data: &mut Data,
) -> Result<f64, StepError> {
    kinematics::update(model, at.q, v, data);
    let bodies = energy::kinetic(model, data, v) + energy::potential(model, data);
    let work = &mut data.work;
    work.elastic.assemble(model, &data.kin, at, Part::Elastic)?;
    let elastic: f64 = work
        .elastic
        .rows
        .iter()
        .map(|row| match row.answer {
            Answer::Elastic { k, .. } => 0.5 * k * row.theta * row.theta,
            Answer::Rigid | Answer::Inertia(_) | Answer::Bounded => 0.0,
        })
        .sum();
    // armature of joints that rows enforce
    work.elastic.assemble(model, &data.kin, at, Part::Stiff)?;
    let armature: f64 = (0..work.elastic.len())
        .map(|i| match work.elastic.rows[i].answer {
            Answer::Inertia(inertia) => {
                let rate = work.elastic.rate(i, v);
                0.5 * inertia * rate * rate
            }
            Answer::Rigid | Answer::Elastic { .. } | Answer::Bounded => 0.0,
        })
        .sum();
    Ok(bodies + elastic + armature)
}
