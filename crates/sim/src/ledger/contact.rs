//! Contact rows.

use super::{Ledger, LedgerWork};
use crate::constraint::rows::{Origin, Row as BoundedRow};
use crate::contact::work::ContactWork;
use crate::model::Relaxation;

/// What a row of the contact problem is to the ledger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Of a contact, a guide or a joint.
    Friction,
    /// A rigid normal row, or a limit of a joint, with this gap [m or rad].
    Rigid {
        phi: f64,
    },
    /// A guide: rigid, with both sides.
    Guide,
    Motor,
    /// A normal row with a spring and a damper behind this gap [m].
    Compliant {
        phi: f64,
        relaxation: Relaxation,
    },
}

/// Impulse of a row, and its velocity before the kick and after it.
#[derive(Clone, Copy, Debug)]
struct Row {
    p: f64,
    u: [f64; 2],
}

/// The rows of all contacts between the velocities `v` before the kick and after it. Adds to `own.x` the momentum `J_cᵀ p_c` of
/// the rows that are paid at the mean velocity.
pub(super) fn add(
    ledger: &mut Ledger,
    contact: &ContactWork,
    h: f64,
    v: [&[f64]; 2],
    own: &mut LedgerWork,
) {
    contact.rows.velocities(v[0], &mut own.u);
    contact.rows.velocities(v[1], &mut own.u_next);
    own.p.clear();
    own.p.extend_from_slice(&contact.p);
    for i in 0..contact.p.len() {
        let row = Row { p: contact.p[i], u: [own.u[i], own.u_next[i]] };
        let kind = Kind::of(contact, i);
        match kind {
            Kind::Friction => ledger.pay(|l| &mut l.friction, row.at_mean()),
            Kind::Rigid { phi } => ledger.add_rigid(row, phi, h),
            Kind::Guide => ledger.pay(|l| &mut l.stabilization, row.p * row.u[1]),
            Kind::Motor => ledger.pay(|l| &mut l.drives, row.p * row.u[1]),
            Kind::Compliant { phi, relaxation } => {
                ledger.add_compliant(row, phi, relaxation, h);
            }
        }
        if !kind.is_paid_at_mean() {
            own.p[i] = 0.0;
        }
    }
    contact.rows.add_momentum(&own.p, &mut own.x);
}

impl Kind {
    /// Three rows for each contact and each guide, n, t1, t2, then those of limits, motors and joint frictions.
    pub(super) fn of(contact: &ContactWork, row: usize) -> Self {
        let (place, is_normal) = (row / 3, row.is_multiple_of(3));
        if place >= contact.places.len() {
            let bounded = contact.active[row - 3 * contact.places.len()];
            return Self::of_bounded(&contact.bounded.rows()[bounded]);
        }
        match contact.contacts.get(place) {
            _ if !is_normal => Self::Friction,
            None => Self::Guide,
            Some(touch) => match touch.surface.compliance {
                // what is sent back is not pushed out
                None if contact.is_sent_back(place) => Self::Rigid { phi: 0.0 },
                None => Self::Rigid { phi: touch.gap },
                Some(relaxation) => Self::Compliant { phi: touch.gap, relaxation },
            },
        }
    }

    fn of_bounded(row: &BoundedRow) -> Self {
        match row.origin {
            Origin::Motor(_) => Self::Motor,
            Origin::Friction(_) => Self::Friction,
            _ => Self::Rigid { phi: row.theta },
        }
    }

    /// What acts all through the step is paid at the velocity after the kick.
    fn is_paid_at_mean(self) -> bool {
        matches!(self, Self::Friction | Self::Rigid { .. })
    }
}

impl Row {
    fn at_mean(self) -> f64 {
        self.p * (0.5 * (self.u[0] + self.u[1]))
    }
}

impl Ledger {
    /// A wall that comes at the speed s at which the row pushes bodies out of each other works p s; in its frame the rest
    /// is an impact.
    fn add_rigid(&mut self, row: Row, phi: f64, h: f64) {
        let s = row.u[1].min(-phi / h).max(0.0);
        self.pay(|l| &mut l.impact, row.at_mean() - row.p * s);
        self.pay(|l| &mut l.stabilization, row.p * s);
    }

    /// Paid at the velocity after the kick, as springs are. The gap at the end is the one that the row reckons with,
    /// x = φ + h u; contacts do not pull.
    fn add_compliant(&mut self, row: Row, phi: f64, Relaxation { k, b }: Relaxation, h: f64) {
        let u = row.u[1];
        let energy = |gap: f64| if gap < 0.0 { 0.5 * k * gap * gap } else { 0.0 };
        let stored = energy(phi + h * u) - energy(phi);
        let dashpot = h * b * u * u;
        // a contact that lets go relaxes against its own damper, which cannot lose more than is stored
        let damped = if row.p > 0.0 { dashpot } else { dashpot.min(-stored).max(0.0) };
        self.pay(|l| &mut l.contact_springs, -stored);
        self.pay(|l| &mut l.damping, -damped);
        self.pay(|l| &mut l.numerical, row.p * u + stored + damped);
    }
}
