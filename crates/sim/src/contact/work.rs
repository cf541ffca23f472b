//! What a step has of its contacts: where they are, their rows, their impulses.
//!
//! The rows are those of the contacts, three each, of the guides, three each, and of what is bounded at joints and in
//! reach: limits, motors, frictions.

use crate::collide::{Collider, Contact};
use crate::constraint::rows::{Origin, RowSet};
use crate::contact::again::Known;
use crate::contact::assemble::place_of;
use crate::contact::delassus::Delassus;
use crate::contact::guides::GuidePlace;
use crate::contact::law::{ContactMode, LawWork, Moved, contact_modes};
use crate::contact::memory::{ContactMemory, row_key};
use crate::contact::reach::Reach;
use crate::contact::rest::RestWork;
use crate::contact::rows::{ContactRows, Place};
use crate::contact::settings::ContactReport;
use crate::contact::space::{ContactSpace, Tangents};
use crate::contact::spare::Crowds;
use crate::contact::ways::Ways;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::Model;
use crate::threads::Threads;
use crate::tree::kinematics::Velocities;

/// Memory of the contacts of a step.
#[derive(Clone, Debug)]
pub(crate) struct ContactWork {
    pub(crate) collider: Collider,
    pub(crate) reach: Reach,
    /// Velocities of the bodies after the kick.
    pub(super) kicked: Velocities,
    /// How far contacts were looked for, where that is the same for all pairs [m].
    pub(crate) horizon: f64,
    pub(super) ways: Ways,
    pub(crate) contacts: Vec<Contact>,
    /// Those of crowded pairs that are not asked, and how many there are in all.
    pub(crate) spare: Vec<Contact>,
    pub(super) spare_rows: ContactRows,
    pub(super) crowds: Crowds,
    /// Of the fastest point of each body [m/s].
    pub(super) speed: Vec<f64>,
    pub(crate) found: usize,
    pub(crate) guides: Vec<GuidePlace>,
    /// Of the contacts, then of the guides.
    pub(crate) places: Vec<Place>,
    /// Centres of mass where the contacts were found, in W [m].
    pub(crate) centres: Vec<Vec3>,
    /// Where friction of the contacts can act.
    pub(crate) tangents: Vec<Tangents>,
    /// At which speed each contact is sent back [m/s].
    pub(super) bounces: Vec<f64>,
    /// Limits, motors and frictions, and which of them are solved for.
    pub(crate) bounded: RowSet,
    pub(crate) active: Vec<usize>,
    pub(crate) rows: ContactRows,
    pub(crate) space: ContactSpace,
    pub(crate) work: LawWork,
    pub(crate) overlap: f64,
    /// Impulses so far of contacts and guides, n, t1, t2 each, and of active rows [N·s]; velocities of the same [m/s].
    pub(crate) p: Vec<f64>,
    pub(crate) u: Vec<f64>,
    /// Of islands whose impulses are known in two parts, what both do.
    pub(crate) moved: Moved,
    /// Memory: changes of impulses, and of velocities.
    pub(super) dp: Vec<f64>,
    pub(super) dv: Vec<f64>,
    pub(super) rest: RestWork,
    /// What the last step left, of contacts and guides.
    pub(super) recalled: Vec<ContactMemory>,
    /// Of the coordinates of the root of W.
    pub(super) change: Vec<f64>,
    pub(crate) report: Option<ContactReport>,
    pub(super) known: Known,
}

impl ContactWork {
    pub(crate) fn new(model: &Model, threads: &Threads) -> Self {
        let mut collider = Collider::new(model);
        collider.set_threads(threads);
        let space = ContactSpace {
            h: 0.0,
            W: Delassus::default(),
            u_free: Vec::new(),
            contacts: Vec::new(),
            rows: Vec::new(),
        };
        Self {
            collider,
            reach: Reach::new(model),
            kicked: Velocities::new(model),
            horizon: 0.0,
            ways: Ways::default(),
            contacts: Vec::new(),
            spare: Vec::new(),
            spare_rows: ContactRows::default(),
            crowds: Crowds::default(),
            speed: Vec::new(),
            found: 0,
            guides: Vec::new(),
            places: Vec::new(),
            centres: Vec::new(),
            tangents: Vec::new(),
            bounces: Vec::new(),
            bounded: RowSet::default(),
            active: Vec::new(),
            rows: ContactRows::default(),
            space,
            work: LawWork::with_threads(threads),
            overlap: 0.0,
            p: Vec::new(),
            u: Vec::new(),
            moved: Moved::default(),
            dp: Vec::new(),
            dv: vec![0.0; model.nv],
            rest: RestWork::default(),
            recalled: Vec::new(),
            change: Vec::new(),
            report: None,
            known: Known::default(),
        }
    }

    /// Without impulses, over a time h [s].
    pub(crate) fn begin(&mut self, model: &Model, h: f64, data: &Data) {
        let bodies = model.bodies.iter().zip(&data.kin.X_WB);
        self.centres.clear();
        self.centres.extend(bodies.map(|(body, X_WB)| X_WB.point(&(body.I.mc / body.I.mass))));
        self.space.h = h;
        self.p.clear();
        self.p.resize(3 * self.places.len() + self.active.len(), 0.0);
        self.u.clear();
        self.u.resize(self.p.len(), 0.0);
        self.moved.clear();
        self.recalled.clear();
        self.report = None;
    }

    pub(crate) fn place(&mut self) {
        self.places.clear();
        self.places.extend(self.contacts.iter().map(place_of));
        self.places.extend(self.guides.iter().map(|guide| guide.place));
    }

    /// There is something that may push.
    pub(crate) fn has_rows(&self) -> bool {
        !self.places.is_empty() || !self.bounded.is_empty()
    }

    /// Whether the row of a contact sends it back.
    pub(crate) fn is_sent_back(&self, contact: usize) -> bool {
        self.bounces.get(contact).is_some_and(|speed| *speed > 0.0)
    }

    /// Whether the forces over this step are numbers that the next one can start from: impulses may be where forces overflow.
    pub(crate) fn forces_are_finite(&self) -> bool {
        self.p.iter().all(|p| (p / self.space.h).is_finite())
    }

    /// What the next step may ask about these contacts.
    pub(crate) fn remember(&self, h: f64, memories: &mut Vec<ContactMemory>) {
        memories.clear();
        let is_guide = |i: usize| i >= self.contacts.len();
        for (i, (memory, p)) in self.recalled.iter().zip(self.p.chunks_exact(3)).enumerate() {
            // rounding may leave −1e-17 where bodies do not pull
            let p_n = if p[0] > 0.0 || is_guide(i) { p[0] } else { 0.0 };
            memories.push(memory.after([p_n, p[1], p[2]], h, &self.places[i].R_WC));
        }
        for (&i, p) in self.active.iter().zip(&self.p[3 * self.places.len()..]) {
            let (key, lambda_t_W) = (row_key(i), Vec3::zeros());
            memories.push(ContactMemory { key, lambda_n: p / h, lambda_t_W });
        }
        memories.sort_unstable_by_key(|memory| memory.key);
    }

    pub(crate) fn guide_impulses(&self) -> &[f64] {
        &self.p[3 * self.contacts.len()..3 * self.places.len()]
    }

    pub(crate) fn bounded_impulses(&self) -> Vec<(Origin, f64)> {
        let origin = |&i: &usize| self.bounded.rows()[i].origin;
        let p = &self.p[3 * self.places.len()..];
        self.active.iter().map(origin).zip(p.iter().copied()).collect()
    }

    /// What each contact does: open below 1e-12 of the largest impulse, sliding above 1e-9 of the largest velocity.
    pub(crate) fn modes(&self) -> Vec<ContactMode> {
        let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let free = largest(&self.space.u_free);
        let rows = 3 * self.contacts.len();
        contact_modes(&self.p[..rows], &self.u[..rows], 1e-12 * largest(&self.p), 1e-9 * free)
    }
}
