//! Positions brought onto rigid constraints and out of overlaps: the least move in the metric of M, repeated.

use super::near::Near;
use crate::constraint::close::largest;
use crate::constraint::project::{
    MAX_ROUNDS, holds, largest_share, move_by_rows, move_onto, prepare,
};
use crate::constraint::rows::At;
use crate::contact::delassus::Delassus;
use crate::contact::law::{self, Law, LawSolver, LawWork, Refusal};
use crate::contact::rows::ContactRows;
use crate::contact::space::{BoundedRow, ContactSpace};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::step::StepError;
use stiction_lcp::Verdict;

/// So many gaps join the problem at a time, the worst first.
const JOINING: usize = 256;
/// A move that reaches farther than was looked is reckoned again; after so many doublings it has no end.
const LOOKS: usize = 40;
/// A time for a law that does not depend on it [s].
const UNIT_OF_TIME: f64 = 1.0;

pub(super) enum Found {
    Whole { rounds: usize },
    Uncertified(Refusal),
    NotConverged,
}

/// Moves q until everything holds, from `start`, whose time and memory count. Leaves `data` prepared at q.
pub(super) fn onto(
    model: &Model,
    settings: &StepSettings,
    start: At<'_>,
    q: &mut [f64],
    data: &mut Data,
    (near, work): (&mut Near, &mut LawWork),
) -> Result<Found, StepError> {
    let (mut last, mut rounds) = (f64::INFINITY, 0);
    loop {
        let at = At { q, ..start };
        prepare(model, at, data)?;
        near.look_around(model, at, data)?;
        let worst = largest_share(&data.work.rows);
        let is_apart = near.holds();
        if (worst == 0.0 || holds(worst, last)) && is_apart {
            return Ok(Found::Whole { rounds });
        }
        if rounds == MAX_ROUNDS || !worst.is_finite() {
            if !is_apart {
                return Ok(Found::NotConverged);
            }
            let (gap, misalignment) = largest(&data.work.rows);
            return Err(StepError::NotClosed { gap, misalignment });
        }
        move_onto(model, data);
        if let Some(mut contact) = data.contact.take() {
            let pushed = push_apart(model, settings, at, data, (near, work, &mut contact));
            data.contact = Some(contact);
            if let Some(other) = pushed? {
                return Ok(other);
            }
        }
        model.integrate(q, &data.work.dv, 1.0);
        rounds += 1;
        last = worst;
    }
}

/// From `dv`, the move of the rigid rows alone: the move that parts what overlaps too. Gaps are asked when the move so far
/// would close them.
fn push_apart(
    model: &Model,
    settings: &StepSettings,
    at: At<'_>,
    data: &mut Data,
    (near, work, contact): (&mut Near, &mut LawWork, &mut ContactWork),
) -> Result<Option<Found>, StepError> {
    let alone = data.work.dv.clone();
    let (mut horizon, mut asked) = (0.0, Vec::new());
    for _ in 0..LOOKS {
        loop {
            let mut passed: Vec<usize> = (0..near.len())
                .filter(|i| !asked.contains(i) && !(near.excess(*i, &data.work.dv) <= 0.0))
                .collect();
            if passed.is_empty() {
                break;
            }
            passed.sort_by(|&i, &j| {
                near.excess(j, &data.work.dv).total_cmp(&near.excess(i, &data.work.dv))
            });
            passed.truncate(JOINING);
            asked.append(&mut passed);
            near.asked = near.asked.max(asked.len());
            if let Some(refusal) = push(model, settings, (near, &asked), &alone, data, work)? {
                return Ok(Some(Found::Uncertified(refusal)));
            }
        }
        let way = near.way(model, &data.kin, &data.work.dv, contact);
        if way <= horizon {
            return Ok(None);
        }
        horizon = 2.0 * way;
        near.look(model, (&data.kin, at), horizon, contact)?;
        asked.clear();
        data.work.dv.copy_from_slice(&alone);
    }
    Ok(Some(Found::NotConverged))
}

/// The least move with the gaps `asked`, from that of the rigid rows `alone`; the residual where there is no certificate.
fn push(
    model: &Model,
    settings: &StepSettings,
    (near, asked): (&Near, &[usize]),
    alone: &[f64],
    data: &mut Data,
    work: &mut LawWork,
) -> Result<Option<Refusal>, StepError> {
    let mut rows = ContactRows::default();
    rows.update(model, &data.kin, &[]);
    asked.iter().for_each(|&i| rows.push_row_of(&near.rows, i));
    let (mut W, solvers) = (Delassus::default(), (&data.work.M_hat, &data.work.solver));
    rows.factor(model, solvers, &data.work.impulses.eps, &mut W);
    if !W.make() {
        return Err(StepError::TooManyContacts { contacts: asked.len(), rows: asked.len() });
    }
    let bounded = |&i: &usize| {
        let gap = near.gaps[i];
        let d = gap.phi + gap.delta;
        BoundedRow { eps: 0.0, d, lower: 0.0, upper: f64::INFINITY, lambda: 0.0 }
    };
    let space = ContactSpace {
        h: UNIT_OF_TIME,
        W,
        u_free: asked.iter().map(|&i| near.rows.velocity(i, alone)).collect(),
        contacts: Vec::new(),
        rows: asked.iter().map(bounded).collect(),
    };
    let tol = settings.contact.tol;
    let answer = law::solve_with(&space, &Law::Frictionless, LawSolver::Auto, tol, work)
        .map_err(StepError::Law)?;
    if answer.verdict != Verdict::Certified {
        return Ok(Some(answer.refusal()));
    }
    let mut dv = vec![0.0; model.nv];
    rows.add_momentum(&answer.p, &mut dv);
    data.work.M_hat.solve(&model.pattern, &mut dv);
    for (dv, alone) in dv.iter_mut().zip(alone) {
        *dv += alone;
    }
    data.work.dv.copy_from_slice(&dv);
    // W knew that the rigid rows would hold again
    move_by_rows(model, data);
    move_by_rows(model, data);
    Ok(None)
}
