//! Pairs of bodies with very many contacts: a few are asked, the others join when the answer would let them overlap.
//!
//! A plate on ten thousand points rests on some of them. A contact without impulse obeys every law as long as its normal row
//! does, so an answer for some contacts that leaves all others apart is an answer for all.

use crate::collide::Contact;
use crate::contact::memory::ContactMemory;
use crate::math::Vec3;

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
