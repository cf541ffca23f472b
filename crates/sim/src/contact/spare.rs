//! Contacts that are set aside: they join when the answer would let them overlap.
//!
//! A plate on ten thousand points rests on some of them; and how far contacts are looked for is the way of the fastest body, where
//! most are slow. A contact without impulse obeys every law as long as its normal row does, so an answer for some contacts that leaves all
//! others apart is an answer for all.

use crate::collide::Contact;
use crate::contact::memory::ContactMemory;
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::Model;

/// Pairs of bodies with more contacts than this are thinned out, of however many shapes they are: all of them are in one block
/// of W, which has no zeros.
pub(super) const MANY: usize = 64;
/// So many join at a time, the worst first.
pub(super) const JOINING: usize = 32;

/// Memory to find crowded pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowds {
    /// Contacts by their pairs of bodies.
    order: Vec<usize>,
    is_asked: Vec<bool>,
}

impl Crowds {
    /// Moves contacts of crowded pairs that need not be asked at first from `contacts`, which are sorted by key, to `spare`.
    pub(super) fn set_aside(
        &mut self,
        contacts: &mut Vec<Contact>,
        memories: &[ContactMemory],
        spare: &mut Vec<Contact>,
    ) {
        spare.clear();
        if contacts.len() <= MANY {
            return;
        }
        let bodies = |i: &usize| {
            let Contact { a, b, .. } = contacts[*i];
            (a.min(b), a.max(b))
        };
        let Self { order, is_asked } = self;
        order.clear();
        order.extend(0..contacts.len());
        order.sort_unstable_by_key(|i| (bodies(i), *i));
        is_asked.clear();
        is_asked.resize(contacts.len(), true);
        let pairs = order.chunk_by(|i, j| bodies(i) == bodies(j));
        let mut has_crowds = false;
        for pair in pairs.filter(|pair| pair.len() > MANY) {
            choose(contacts, pair, memories, is_asked);
            has_crowds = true;
        }
        if !has_crowds {
            return;
        }
        let mut asked = is_asked.iter();
        contacts.retain(|contact| {
            let stays = asked.next() == Some(&true);
            if !stays {
                spare.push(*contact);
            }
            stays
        });
    }
}

impl ContactWork {
    /// Moves contacts whose bodies would come together only if they became twice as fast to those that are spare.
    pub(super) fn set_far_aside(&mut self, h: f64, data: &Data) {
        self.speed.clear();
        self.speed.resize(data.vel.V.len(), 0.0);
        for velocities in [&data.vel, &self.kicked] {
            self.reach.raise_speeds(&data.kin, velocities, &mut self.speed);
        }
        let (speed, spare) = (&self.speed, &mut self.spare);
        self.contacts.retain(|contact| {
            let is_far = contact.gap > 2.0 * h * speed_of(contact, speed);
            if is_far {
                spare.push(*contact);
            }
            !is_far
        });
    }

    /// Which of the spare contacts may come together within h at these velocities.
    pub(super) fn list_near_spare(
        &mut self,
        model: &Model,
        h: f64,
        (data, v): (&Data, &[f64]),
    ) -> Vec<usize> {
        self.kicked.update_speeds(model, &data.kin, v);
        self.speed.clear();
        self.speed.resize(data.vel.V.len(), 0.0);
        self.reach.raise_speeds(&data.kin, &self.kicked, &mut self.speed);
        let comes = |contact: &Contact| !(contact.gap > h * speed_of(contact, &self.speed));
        (0..self.spare.len()).filter(|&i| comes(&self.spare[i])).collect()
    }
}

/// The speeds of the two bodies together [m/s].
fn speed_of(contact: &Contact, speed: &[f64]) -> f64 {
    let own = |body: Option<usize>| body.map_or(0.0, |body| speed[body]);
    own(contact.a) + own(contact.b)
}

/// Asks of the contacts of a pair those that pressed in the last step, the deepest, and the outermost in all directions.
fn choose(contacts: &[Contact], pair: &[usize], memories: &[ContactMemory], is_asked: &mut [bool]) {
    for &i in pair {
        let memory = memories.binary_search_by_key(&contacts[i].key, |memory| memory.key);
        is_asked[i] = memory.is_ok_and(|place| memories[place].lambda_n > 0.0);
    }
    let mut ask_largest = |value: &dyn Fn(&Contact) -> f64| {
        let value = |i: &&usize| value(&contacts[**i]);
        let largest = pair.iter().max_by(|i, j| value(i).total_cmp(&value(j)));
        largest.into_iter().for_each(|&i| is_asked[i] = true);
    };
    ask_largest(&|contact| -contact.gap);
    let sides = [-1.0, 0.0, 1.0];
    for x in sides {
        for y in sides {
            for z in sides {
                ask_largest(&|contact| contact.p_W.dot(&Vec3::new(x, y, z)));
            }
        }
    }
}
