//! The energy of an impact.
//!
//! ```text
//!  M (v⁺ − v⁻) = J_bᵀ p_b + Jᵀ p      ⇒      K⁺ − K⁻ = p_b·J_b (v⁻ + v⁺)/2 + p·J (v⁻ + v⁺)/2
//! ```
//!
//! Every impulse is paid at the mean velocity. Armatures of joints that rows enforce give to the bodies what they have less
//! themselves: nothing in all.

use super::Ledger;
use super::contact::Kind;
use crate::constraint::rows::Answer;
use crate::contact::work::ContactWork;
use crate::data::Data;

/// The ledger of an impact from `v` to `v_kick`, with the rows and impulses in `data`; K before and after it [J].
pub(crate) fn of_impact(v: &[f64], K: [f64; 2], data: &Data) -> Ledger {
    let mut ledger = Ledger { kinetic: K, ..Default::default() };
    let work = &data.work;
    for (i, row) in work.rows.rows.iter().enumerate() {
        if let Answer::Inertia(_) = row.answer {
            continue;
        }
        let (p, prescribed) = (work.impulses.p[i], row.g[1]);
        let mean = 0.5 * (work.rows.rate(i, v) + work.rows.rate(i, &work.v_kick));
        ledger.pay(|l| &mut l.drives, p * prescribed);
        ledger.pay(|l| &mut l.stabilization, p * (mean - prescribed));
    }
    if let Some(contact) = &data.contact {
        ledger.add_blows(contact, [v, &work.v_kick]);
    }
    ledger
}

impl Ledger {
    fn add_blows(&mut self, contact: &ContactWork, [before, after]: [&[f64]; 2]) {
        let (mut u, mut u_next) = (Vec::new(), Vec::new());
        contact.rows.velocities(before, &mut u);
        contact.rows.velocities(after, &mut u_next);
        for (i, p) in contact.p.iter().enumerate() {
            let work = p * (0.5 * (u[i] + u_next[i]));
            match Kind::of(contact, i) {
                Kind::Friction => self.pay(|l| &mut l.friction, work),
                Kind::Guide => self.pay(|l| &mut l.stabilization, work),
                _ => self.pay(|l| &mut l.impact, work),
            }
        }
    }

    /// This one and what followed it.
    pub(crate) fn then(&self, next: &Self) -> Self {
        Self {
            kinetic: [self.kinetic[0], next.kinetic[1]],
            gravity: self.gravity + next.gravity,
            applied: self.applied + next.applied,
            springs: self.springs + next.springs,
            contact_springs: self.contact_springs + next.contact_springs,
            damping: self.damping + next.damping,
            drives: self.drives + next.drives,
            friction: self.friction + next.friction,
            impact: self.impact + next.impact,
            stabilization: self.stabilization + next.stabilization,
            projection: self.projection + next.projection,
            numerical: self.numerical + next.numerical,
            turnover: self.turnover + next.turnover + next.kinetic[0],
        }
    }
}
