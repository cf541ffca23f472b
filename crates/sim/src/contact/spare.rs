//! Pairs with very many contacts: a few are asked, the others join when the answer would let them overlap.
//!
//! A plate on ten thousand points rests on some of them. A contact without impulse obeys every law as long as its normal row
//! does, so an answer for some contacts that leaves all others apart is an answer for all.

use crate::collide::Contact;
use crate::contact::memory::ContactMemory;
use crate::math::Vec3;

/// Pairs of more contacts than this are thinned out.
pub(super) const MANY: usize = 64;
/// So many join at a time, the worst first.
pub(super) const JOINING: usize = 32;

/// Moves contacts of crowded pairs that need not be asked at first from `contacts`, which are sorted by key, to `spare`.
pub(super) fn set_aside(
    contacts: &mut Vec<Contact>,
    memories: &[ContactMemory],
    spare: &mut Vec<Contact>,
) {
    spare.clear();
    let pair = |contact: &Contact| (contact.key.shape_a, contact.key.shape_b);
    let mut first = 0;
    let mut is_asked = vec![true; contacts.len()];
    while first < contacts.len() {
        let len =
            contacts[first..].iter().take_while(|c| pair(c) == pair(&contacts[first])).count();
        if len > MANY {
            choose(&contacts[first..first + len], memories, &mut is_asked[first..first + len]);
        }
        first += len;
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

/// Asks those that pressed in the last step, the deepest, and the outermost in all directions.
fn choose(contacts: &[Contact], memories: &[ContactMemory], is_asked: &mut [bool]) {
    for (contact, is_asked) in contacts.iter().zip(is_asked.iter_mut()) {
        let memory = memories.binary_search_by_key(&contact.key, |memory| memory.key);
        *is_asked = memory.is_ok_and(|place| memories[place].lambda_n > 0.0);
    }
    let mut ask_largest = |value: &dyn Fn(&Contact) -> f64| {
        let places = 0..contacts.len();
        let largest = places.max_by(|&i, &j| value(&contacts[i]).total_cmp(&value(&contacts[j])));
        largest.into_iter().for_each(|i| is_asked[i] = true);
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
