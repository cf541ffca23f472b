//! A fourth-order step for smooth motion: Richardson's extrapolation of the symmetric step.
//!
//! The error of a symmetric method is a series in h², so `(4 B − A)/3` of one step A of length h and two
//! steps B of length h/2 is of fourth order. Positions are combined along the path between A and B,
//! velocities number by number; bodies that fly combine their momenta, which are therefore kept.
//! The result is brought back onto the constraints, from which it is O(h⁶) away.

use crate::constraint::project;
use crate::constraint::rows::remember_angles;
use crate::data::Data;
use crate::flight;
use crate::force::Input;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::{StepError, StepReport};
use crate::symmetric::{copy, propose};

pub(crate) fn step(
    model: &Model,
    settings: &StepSettings,
    input: &Input<'_>,
    state: &mut State,
    data: &mut Data,
) -> Result<StepReport, StepError> {
    let mut coarse = std::mem::take(&mut data.work.trial);
    let mut middle = std::mem::take(&mut data.work.middle);
    let mut fine = std::mem::take(&mut data.work.fine);
    let h = settings.h;
    let result = propose(model, h, input, state, &mut coarse, data)
        .and_then(|_| propose(model, 0.5 * h, input, state, &mut middle, data))
        .and_then(|_| propose(model, 0.5 * h, input, &middle, &mut fine, data))
        .and_then(|report| {
            combine(model, &coarse, &mut fine, 1.0 / 3.0, data);
            fine.time = state.time + h;
            if model.constraints.is_empty() {
                return Ok(report);
            }
            let closed = project::assemble_in_place(model, &mut fine, data)?;
            Ok(StepReport { gap: closed.gap, misalignment: closed.misalignment, ..report })
        });
    if result.is_ok() {
        data.work.kin_next.update(model, &fine.q);
        remember_angles(model, &data.work.kin_next, &mut fine);
        copy(&fine, state);
    }
    (data.work.trial, data.work.middle, data.work.fine) = (coarse, middle, fine);
    result
}

/// `fine ← fine + weight (fine − coarse)`.
pub(crate) fn combine(
    model: &Model,
    coarse: &State,
    fine: &mut State,
    weight: f64,
    data: &mut Data,
) {
    let dq = &mut data.work.dv;
    model.difference(&coarse.q, &fine.q, dq);
    for body in &model.bodies {
        let (q, v) = (body.q_range(), body.v_range());
        let kept = body.flies().then(|| {
            let coarse = flight::kept(body, &coarse.q[q.clone()], &coarse.v[v.clone()]);
            let fine = flight::kept(body, &fine.q[q.clone()], &fine.v[v.clone()]);
            fine + (fine - coarse) * weight
        });
        body.joint.integrate(&mut fine.q[q.clone()], &dq[v.clone()], weight);
        match kept {
            Some(kept) => flight::set_kept(body, &fine.q[q], &mut fine.v[v], &kept),
            None => {
                for i in v {
                    fine.v[i] += (fine.v[i] - coarse.v[i]) * weight;
                }
            }
        }
    }
}
