//! One step between events: plain, or extrapolated with an estimate of its error.
//!
//! ```text
//!  A: one step of length s        B: two of length s/2        2 B − A: of second order where A and B are of first
//! ```
//!
//! The error of A and B is a series in s as long as no contact opens, closes, sticks or slips anew; where one does, B is the
//! step. |B − A| is an estimate of the error of B, and more than that of 2 B − A.

use super::{Listing, LocatedWork, Walk};
use crate::constraint::project;
use crate::constraint::rows::remember_angles;
use crate::contact::law::{ContactMode, Refusal};
use crate::extrapolated::combine;
use crate::step::{StepError, StepReport};

/// A step that may be taken, to `next`.
pub(super) struct Taken {
    pub(super) report: StepReport,
    /// Why the contacts of the steps it was made of have no certificate.
    pub(super) refusal: Option<Refusal>,
    /// |B − A|: the largest difference of a position, or of a velocity times s [m or rad]; 0 for plain steps.
    pub(super) error: f64,
    pub(super) is_extrapolated: bool,
}

impl Walk<'_> {
    /// The step of length s from here to `next`.
    pub(super) fn take(&mut self, s: f64, listing: Listing) -> Result<Taken, StepError> {
        let mut report = self.try_step(s, listing)?;
        let mut refusal = refusal_of(&report);
        if listing == Listing::Anew {
            let settings = self.settings_of(s);
            self.own.path.follow(&settings, &self.own.now, self.data);
        }
        if !self.settings.has_halves() {
            return Ok(Taken { report, refusal, error: 0.0, is_extrapolated: false });
        }
        let modes = self.modes();
        let LocatedWork { now, start, next, coarse, .. } = &mut *self.own;
        start.copy_from(now);
        coarse.copy_from(next);
        let mut is_smooth = true;
        for _ in 0..2 {
            report = self.try_step(0.5 * s, Listing::Same)?;
            // the second half begins where the first one ends
            let LocatedWork { now, next, .. } = &mut *self.own;
            now.copy_from(next);
            refusal = refusal.or(refusal_of(&report));
            is_smooth &= self.modes() == modes;
        }
        let LocatedWork { now, start, .. } = &mut *self.own;
        std::mem::swap(now, start);
        report.ledger = None;
        let error = self.difference(s);
        let is_extrapolated = is_smooth && self.settings.extrapolate;
        if is_extrapolated {
            self.extrapolate(s)?;
        }
        if listing == Listing::Anew {
            self.own.path.end_at(self.model, &self.own.next.q);
        }
        Ok(Taken { report, refusal, error, is_extrapolated })
    }

    /// What each contact on the list does: nothing, stick or slip.
    fn modes(&self) -> Vec<std::mem::Discriminant<ContactMode>> {
        self.data.contact_modes().iter().map(std::mem::discriminant).collect()
    }

    /// |B − A|.
    fn difference(&mut self, s: f64) -> f64 {
        let LocatedWork { coarse, next: fine, .. } = &*self.own;
        let dq = &mut self.data.work.dv;
        self.model.difference(&coarse.q, &fine.q, dq);
        let dv = coarse.v.iter().zip(&fine.v).map(|(coarse, fine)| s * (fine - coarse));
        let larger = |worst: f64, x: f64| if x.abs() <= worst { worst } else { x.abs() };
        dq.iter().copied().chain(dv).fold(0.0, larger)
    }

    /// `next ← 2 next − coarse`, back on the constraints.
    fn extrapolate(&mut self, s: f64) -> Result<(), StepError> {
        let model = self.model;
        let LocatedWork { coarse, next, .. } = &mut *self.own;
        combine(model, coarse, next, 1.0, self.data);
        self.own.next.time = self.own.now.time + s;
        if !model.constraints.is_empty() {
            project::assemble_in_place(model, &mut self.own.next, self.data)?;
        }
        self.data.work.kin_next.update(model, &self.own.next.q);
        remember_angles(model, &self.data.work.kin_next, &mut self.own.next);
        Ok(())
    }
}

pub(super) fn refusal_of(report: &StepReport) -> Option<Refusal> {
    let contact = report.contact.filter(|contact| !contact.certified)?;
    Some(Refusal { law: contact.residual, problem: contact.problem })
}
