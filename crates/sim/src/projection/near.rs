//! What must not overlap: rigid contacts, limits of joints, and guides, which have two sides. One row each.
//!
//! ```text
//!  φ + J d ≥ −δ           δ: so little that it is rounding of places, and what was pushed out still counts as touching
//! ```

use crate::collide::Contact;
use crate::constraint::rows::{At, Origin, RowSet, Unit};
use crate::contact::guides::{self, GuidePlace};
use crate::contact::rows::{ContactRows, Place, contact_frame};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;
use crate::step::StepError;
use crate::tree::kinematics::{Kinematics, Velocities};

/// Overlap that is left, as a share of the coordinates that a gap is a difference of: some tens of roundings along a chain of
/// joints. Contacts whose rows are of velocities see nothing that does not overlap, so what is pushed out must not
/// be pushed beyond touching by rounding.
const TOUCHING: f64 = 1e-12;

/// A gap and how much overlap it may keep [m or rad].
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) phi: f64,
    pub(super) delta: f64,
    is_length: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Near {
    contacts: Vec<Contact>,
    guides: Vec<GuidePlace>,
    bounded: RowSet,
    pub(super) gaps: Vec<Gap>,
    pub(super) rows: ContactRows,
    vel: Velocities,
    /// Pairs of bodies that were near in any round.
    pub(super) pairs: Vec<(Option<usize>, Option<usize>)>,
    /// The most gaps that were in the problem of a round.
    pub(super) asked: usize,
    /// A material gives way.
    has_soft: bool,
}

impl Near {
    pub(super) fn new(model: &Model) -> Self {
        let soft = model.materials.iter().any(|material| material.surface.compliance.is_some());
        let soft_pair = model.pairs.values().any(|surface| surface.compliance.is_some());
        Self {
            contacts: Vec::new(),
            guides: Vec::new(),
            bounded: RowSet::default(),
            gaps: Vec::new(),
            rows: ContactRows::default(),
            vel: Velocities::new(model),
            pairs: Vec::new(),
            asked: 0,
            has_soft: soft || soft_pair,
        }
    }

    pub(super) fn clear(&mut self) {
        self.gaps.clear();
        self.pairs.clear();
        self.asked = 0;
        self.contacts.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.gaps.len()
    }

    /// Everything within `horizon` [m] of touching at the position of `kin`.
    pub(super) fn look(
        &mut self,
        model: &Model,
        (kin, at): (&Kinematics, At<'_>),
        horizon: f64,
        contact: &mut ContactWork,
    ) -> Result<(), StepError> {
        self.rows.update(model, kin, &[]);
        self.gaps.clear();
        contact.collider.detect(model, kin, horizon, &mut self.contacts);
        self.contacts.retain(|c| c.surface.compliance.is_none() && c.gap <= horizon);
        let far = |body: Option<usize>| body.map_or(0.0, |i| kin.X_WB[i].p.norm());
        for c in &self.contacts {
            let place = Place { a: c.a, b: c.b, p_W: c.p_W, R_WC: contact_frame(&c.n_W) };
            self.rows.push_along(model, kin, &place, &c.n_W);
            let size = c.p_W.norm() + far(c.a) + far(c.b);
            self.gaps.push(Gap { phi: c.gap, delta: TOUCHING * size, is_length: true });
            self.pairs.push((c.a, c.b));
        }
        guides::place(model, kin, &mut self.guides);
        for GuidePlace { place, theta, .. } in &self.guides {
            let n = place.R_WC.column(2).into_owned();
            let size = place.p_W.norm() + far(place.a) + far(place.b);
            for sign in [1.0, -1.0] {
                self.rows.push_along(model, kin, place, &(n * sign));
                let phi = sign * theta;
                self.gaps.push(Gap { phi, delta: TOUCHING * size, is_length: true });
            }
            self.pairs.push((place.a, place.b));
        }
        self.bounded.assemble_bounded(model, kin, at)?;
        for (i, row) in self.bounded.rows().iter().enumerate() {
            if let Origin::Limit { .. } = row.origin {
                self.rows.push_dense(self.bounded.jacobian(i));
                let delta = TOUCHING * row.size;
                let is_length = row.unit == Unit::Length;
                self.gaps.push(Gap { phi: row.theta, delta, is_length });
            }
        }
        Ok(())
    }

    /// How far two bodies can come nearer by a move d, at most [m].
    pub(super) fn way(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        d: &[f64],
        contact: &ContactWork,
    ) -> f64 {
        self.vel.update(model, kin, d);
        2.0 * contact.reach.fastest(kin, &self.vel)
    }

    /// By how much a gap is beyond what it may keep after a move d [m or rad].
    pub(super) fn excess(&self, i: usize, d: &[f64]) -> f64 {
        let Gap { phi, delta, .. } = self.gaps[i];
        -(phi + self.rows.velocity(i, d)) - delta
    }

    /// Nothing overlaps by more than twice what may be kept. A NaN does.
    pub(super) fn holds(&self) -> bool {
        self.gaps.iter().all(|gap| -gap.phi <= 2.0 * gap.delta)
    }

    /// What touches at the position that `data` is at.
    pub(super) fn look_around(
        &mut self,
        model: &Model,
        at: At<'_>,
        data: &mut Data,
    ) -> Result<(), StepError> {
        match &mut data.contact {
            Some(contact) => self.look(model, (&data.kin, at), 0.0, contact),
            None => Ok(()),
        }
    }

    /// The deepest overlap where it was looked last [m].
    pub(super) fn overlap(&self) -> f64 {
        let mut deepest = 0.0;
        for gap in self.gaps.iter().filter(|gap| gap.is_length) {
            if !(-gap.phi <= deepest) {
                deepest = -gap.phi;
            }
        }
        deepest
    }

    /// What compliant contacts store, with a body of each [J]: `½ k φ²` where they overlap.
    pub(super) fn soft(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        contact: &mut Option<Box<ContactWork>>,
        stored: &mut Vec<(usize, f64)>,
    ) {
        stored.clear();
        let Some(contact) = contact.as_mut().filter(|_| self.has_soft) else { return };
        contact.collider.detect(model, kin, 0.0, &mut self.contacts);
        for c in self.contacts.iter().filter(|c| c.gap < 0.0) {
            if let (Some(relaxation), Some(body)) = (c.surface.compliance, c.b.or(c.a)) {
                stored.push((body, 0.5 * relaxation.k * c.gap * c.gap));
                self.pairs.push((c.a, c.b));
            }
        }
    }
}
