//! The projection at the end of a step: what it moves, how velocities follow, and the payment.

use super::motion::{raised, stored};
use super::{Ledger, LedgerWork, Projected};
use crate::constraint::rows::{Answer, At, Singular};
use crate::data::Data;
use crate::model::Model;

/// From where `own` is to `at`. The velocities change by the impulses of rows at `at`, paid at the mean rate as those of
/// contacts are, and by a payment that the projection says: both are told, and not read off the change of K.
pub(super) fn add(
    mut ledger: Ledger,
    model: &Model,
    at: At<'_>,
    projected: Projected<'_>,
    data: &Data,
    own: &mut LedgerWork,
) -> Result<Ledger, Singular> {
    let v = projected.v_before;
    let [K, E] = stored(model, v, own);
    std::mem::swap(&mut own.kin, &mut own.kin_before);
    own.arrive(model, at)?;
    let [K_next, E_next] = stored(model, v, own);
    let raised = raised(model, &own.kin_before, &own.kin);
    // at constant numbers v: M has changed, and what is stored
    ledger.pay(|l| &mut l.projection, K_next - K);
    ledger.pay(|l| &mut l.gravity, -raised);
    ledger.pay(|l| &mut l.projection, raised);
    ledger.pay(|l| &mut l.springs, E - E_next);
    ledger.pay(|l| &mut l.projection, E_next - E);
    ledger.pay(|l| &mut l.contact_springs, -projected.contact_springs);
    ledger.pay(|l| &mut l.projection, projected.contact_springs);
    ledger.add_held(projected, data);
    ledger.pay(|l| &mut l.projection, -projected.paid);
    ledger.kinetic[1] = own.kinetic(model, projected.v_after);
    Ok(ledger)
}

impl Ledger {
    /// Impulses that make the rows hold: `p ½(ω + ω⁺)`, of which drives gave p ġ. An armature takes what its impulse gives.
    fn add_held(&mut self, projected: Projected<'_>, data: &Data) {
        let work = &data.work;
        for (i, row) in work.rows.rows.iter().enumerate() {
            let p = work.impulses.p[i];
            let [before, after] =
                [projected.v_before, projected.v_held].map(|v| work.rows.rate(i, v));
            let mean = 0.5 * (before + after);
            match row.answer {
                Answer::Rigid => {
                    self.pay(|l| &mut l.drives, p * row.g[1]);
                    self.pay(|l| &mut l.projection, p * (mean - row.g[1]));
                }
                Answer::Inertia(inertia) => {
                    self.pay(|l| &mut l.projection, (p + inertia * (after - before)) * mean);
                }
                // forces of position and velocity do not act in no time
                Answer::Elastic { .. } | Answer::Bounded => {}
            }
        }
    }
}
