//! The contact list of steps that locate their impacts [AP]: which contacts have rows.
//!
//! A contact is on the list if it pressed in the last step, or touches and does not part. What is open has no row: it is free
//! to close, and the step ends where it does. What touches and parts, having bounced, has none either: it flies. What touches
//! and approaches, without having pressed, strikes now. Compliant contacts are springs and always on the list.

use crate::collide::{Contact, ContactKey};
use crate::contact::ContactMemory;
use crate::math::Vec3;
use crate::tree::kinematics::{Kinematics, Velocities};

/// Rounding of a gap or of the way to a limit, as a share of the coordinates it is a difference of. Places of
/// bodies are sums along chains of joints, some tens of roundings of 1e-16; steps close gaps to about as much.
pub(crate) const ROUNDING_OF_PLACES: f64 = 1e-12;
/// Normal velocities below this share of the fastest, and of what gravity adds in a step, are none: solves end at 1e-10.
pub(crate) const ROUNDING_OF_VELOCITIES: f64 = 1e-9;

/// A contact that touches and parts at the speed u_n [m/s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departing {
    pub(crate) contact: Contact,
    pub(crate) u_n: f64,
}

/// The contacts near a position, by what becomes of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactList {
    /// What has rows, sorted by key.
    listed: Vec<Contact>,
    /// What has none, sorted by key.
    pub(crate) open: Vec<Contact>,
    pub(crate) departing: Vec<Departing>,
    /// What touches and approaches without having pressed: an impact, now.
    pub(crate) strikes: bool,
    /// Contacts that were brought to rest: on the list as long as they touch, sorted.
    pub(crate) resting: Vec<ContactKey>,
    /// Memory of a detection.
    pub(crate) found: Vec<Contact>,
    /// How far the contacts were looked for, and the largest distance of a body from the origin [m].
    pub(crate) horizon: f64,
    pub(crate) farthest: f64,
    /// What gravity adds to velocities in a whole step, and below which they are none [m/s].
    kick: f64,
    pub(crate) still: f64,
    /// The list is that of the beginning of the step, whatever contacts are found on its way.
    pub(crate) is_known: bool,
}

/// What the contacts are like where a step begins.
#[derive(Clone, Copy)]
pub(crate) struct Beginning<'a> {
    pub(crate) kin: &'a Kinematics,
    pub(crate) vel: &'a Velocities,
    pub(crate) memory: &'a [ContactMemory],
    /// The fastest speed of a point of a shape [m/s].
    pub(crate) fastest: f64,
}

impl ContactList {
    /// Nothing rests yet; gravity adds `kick` to velocities in a step [m/s].
    pub(crate) fn begin(&mut self, kick: f64) {
        self.kick = kick;
        self.still = 0.0;
        self.resting.clear();
    }

    /// Sorts the contacts of the beginning of a step; those that have rows stay in `contacts`.
    pub(crate) fn sort_out(&mut self, contacts: &mut Vec<Contact>, at: Beginning<'_>) {
        self.listed.clear();
        self.open.clear();
        self.departing.clear();
        self.strikes = false;
        let farthest = farthest(at.kin);
        self.farthest = farthest;
        // what stops in an impact leaves rounding of the speed it had
        self.still = self.still.max(ROUNDING_OF_VELOCITIES * (at.fastest + self.kick));
        let still = self.still;
        contacts.retain(|contact| {
            let key = contact.key;
            let has_pressed = match at.memory.binary_search_by_key(&key, |memory| memory.key) {
                Ok(i) => at.memory[i].lambda_n > 0.0,
                Err(_) => false,
            };
            let touches = contact.gap <= rounding_of_gap(contact, farthest);
            let u_n = parting(contact, at.kin, at.vel);
            let rests = touches && self.resting.binary_search(&key).is_ok();
            if contact.surface.compliance.is_some() || has_pressed || rests {
                self.listed.push(*contact);
                return true;
            }
            if touches && u_n > still {
                self.departing.push(Departing { contact: *contact, u_n });
                return false;
            }
            if !touches {
                self.open.push(*contact);
                return false;
            }
            self.strikes |= u_n < -still;
            self.listed.push(*contact);
            true
        });
    }

    /// Whether a contact that was found on the way has rows: it had some at the beginning, or it was not there and is one of
    /// those that had, under another name.
    pub(crate) fn keeps(&self, contact: &Contact) -> bool {
        let key = contact.key;
        let is_new = !self.is_open(key) && !self.departs(key);
        contact.surface.compliance.is_some()
            || self.is_listed(key)
            || (is_new && self.listed_of(key).iter().any(|listed| self.is_near(listed, contact)))
    }

    pub(crate) fn is_listed(&self, key: ContactKey) -> bool {
        self.listed.binary_search_by_key(&key, |contact| contact.key).is_ok()
    }

    /// What two shapes have on the list.
    fn listed_of(&self, key: ContactKey) -> &[Contact] {
        let pair = pair_of(key);
        let start = self.listed.partition_point(|contact| pair_of(contact.key) < pair);
        let end = self.listed.partition_point(|contact| pair_of(contact.key) <= pair);
        &self.listed[start..end]
    }

    /// Whether two contacts of a pair may be one: nothing goes farther than the horizon in a step.
    fn is_near(&self, before: &Contact, after: &Contact) -> bool {
        (after.p_W - before.p_W).norm() <= self.horizon
    }

    fn is_open(&self, key: ContactKey) -> bool {
        self.open.binary_search_by_key(&key, |contact| contact.key).is_ok()
    }

    pub(crate) fn departs(&self, key: ContactKey) -> bool {
        self.departing.binary_search_by_key(&key, |departing| departing.contact.key).is_ok()
    }

    /// Whether a contact on the way is one that may close: it was open, or is new and none of those that touch under another name.
    pub(crate) fn may_close(&self, contact: &Contact) -> bool {
        let key = contact.key;
        if self.is_open(key) {
            return true;
        }
        let departing = self.departing.iter().map(|departing| &departing.contact);
        let mut touching = self
            .listed_of(key)
            .iter()
            .chain(departing.filter(|departing| pair_of(departing.key) == pair_of(key)));
        touching.all(|other| other.key != key && !self.is_near(other, contact))
    }

    /// Brings a contact to rest.
    pub(crate) fn rest(&mut self, key: ContactKey) {
        if let Err(place) = self.resting.binary_search(&key) {
            self.resting.insert(place, key);
        }
    }
}

/// The two shapes of a contact.
pub(crate) fn pair_of(ContactKey { shape_a, shape_b, .. }: ContactKey) -> (u32, u32) {
    (shape_a, shape_b)
}

/// How fast B moves away from A at a contact [m/s].
pub(crate) fn parting(contact: &Contact, kin: &Kinematics, vel: &Velocities) -> f64 {
    let of = |body: Option<usize>| match body {
        Some(i) => {
            let X_WB = &kin.X_WB[i];
            X_WB.R * vel.V[i].at(&X_WB.R.tr_mul(&(contact.p_W - X_WB.p)))
        }
        None => Vec3::zeros(),
    };
    contact.n_W.dot(&(of(contact.b) - of(contact.a)))
}

/// The largest distance of a body from the origin [m].
pub(crate) fn farthest(kin: &Kinematics) -> f64 {
    kin.X_WB.iter().map(|X_WB| X_WB.p.norm()).fold(0.0, f64::max)
}

/// By how much a gap may be wrong [m].
pub(crate) fn rounding_of_gap(contact: &Contact, farthest: f64) -> f64 {
    ROUNDING_OF_PLACES * (contact.p_W.norm() + farthest)
}
