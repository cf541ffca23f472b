//! The impact where a gap has closed, and the rest that endless bounces end in.

use super::Walk;
use super::report::{Event, EventKind, Strike};
use crate::collide::ContactKey;
use crate::impact::{ImpactReport, impact};
use crate::ledger::Ledger;
use crate::step::StepError;

/// Velocities before an impact, and the ledger without it.
pub(super) struct Before {
    v: Vec<f64>,
    ledger: Option<Ledger>,
    has_books: bool,
}

impl Walk<'_> {
    /// The impact of what touches here.
    pub(super) fn collide(&mut self) -> Result<(), StepError> {
        self.impacts += 1;
        let (v, has_books) = (self.own.now.v.clone(), self.has_books);
        self.before = Some(Before { v, ledger: self.report.ledger, has_books });
        let report = impact(self.model, &self.settings.impact, &mut self.own.now, self.data)?;
        self.tell(&report);
        Ok(())
    }

    /// Enters an impact in the report, and forgets the forces of contacts that part.
    fn tell(&mut self, report: &ImpactReport) {
        let still = self.own.list.still;
        self.strikes.clear();
        for (i, contact) in self.data.contacts().iter().enumerate() {
            let (key, u_n) = (contact.key, [report.u_before[3 * i], report.u_after[3 * i]]);
            if u_n[1] > still {
                self.own.now.memory.contacts.retain(|memory| memory.key != key);
            }
            if u_n[0] < -still {
                self.strikes.push(Strike { key, u_n });
            }
        }
        self.report.certified &= report.certified;
        self.enter(self.settings.step.ledger.then_some(report.ledger));
        if self.strikes.is_empty() {
            // arrived at rest
            return;
        }
        let (K, gained) = ([report.K_before, report.K_after], report.gained);
        let kind = EventKind::Impact { strikes: self.strikes.clone(), K, gained };
        self.report.events.push(Event { time: self.own.now.time, kind });
    }

    /// A contact that parts at u_n and falls at a comes to rest. With the share r of its speed coming back each time, the
    /// bounces that it would still make take `2 u_n/|a| (1 + r + r² + …)`.
    pub(super) fn rest(&mut self, key: ContactKey, u_n: f64, a: f64) -> Result<(), StepError> {
        self.own.list.rest(key);
        let strike = self.strikes.iter().find(|strike| strike.key == key).copied();
        let r = strike.map_or(0.0, |Strike { u_n, .. }| -u_n[1] / u_n[0]);
        let more = if r < 1.0 { -2.0 * u_n / a / (1.0 - r) } else { 0.0 };
        let time = self.own.now.time + more;
        self.report.events.push(Event { time, kind: EventKind::Rest { key } });
        match (strike, self.before.take()) {
            (Some(Strike { u_n, .. }), Some(before)) => self.strike_plastically(before, -u_n[0]),
            _ => Ok(()),
        }
    }

    /// The last impact once more, without restitution where nothing approached faster than this [m/s]: it includes what all bounces
    /// that were still to come would lose.
    fn strike_plastically(&mut self, before: Before, speed: f64) -> Result<(), StepError> {
        self.own.now.v = before.v;
        (self.report.ledger, self.has_books) = (before.ledger, before.has_books);
        let mut settings = self.settings.impact;
        // above the speed by more than rounding of it
        settings.v_threshold = settings.v_threshold.max(speed * (1.0 + 1e-9));
        let report = impact(self.model, &settings, &mut self.own.now, self.data)?;
        self.report.certified &= report.certified;
        self.enter(self.settings.step.ledger.then_some(report.ledger));
        Ok(())
    }
}
