//! What is remembered of a contact from one step to the next.

use crate::collide::ContactKey;
use crate::math::{Mat3, Vec3};

/// Force of the last step at a contact, a guide or a bounded row: laws that lag or have bristles read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMemory {
    pub key: ContactKey,
    /// Normal force [N]; the force of a bounded row [N or N·m].
    pub lambda_n: f64,
    /// Friction force on B, in W [N].
    pub lambda_t_W: Vec3,
}

/// The key of a guide, and of a bounded row: after those of all contacts.
pub(crate) fn guide_key(guide: usize) -> ContactKey {
    ContactKey { shape_a: u32::MAX - 1, shape_b: guide as u32, feature: 0 }
}

pub(crate) fn row_key(row: usize) -> ContactKey {
    ContactKey { shape_a: u32::MAX, shape_b: row as u32, feature: 0 }
}

/// The forces of the last step at the contact `key`, in its frame of this step: n, t1, t2 [N]. Zeros for a contact that
/// is new. `memories` are sorted by key; `likely` is where it is if nothing has changed.
pub(crate) fn recall(
    memories: &[ContactMemory],
    likely: usize,
    key: ContactKey,
    R_WC: &Mat3,
) -> [f64; 3] {
    let place = match memories.get(likely) {
        Some(memory) if memory.key == key => Some(likely),
        _ => memories.binary_search_by_key(&key, |memory| memory.key).ok(),
    };
    place.map_or([0.0; 3], |place| {
        let lambda_t_C = R_WC.tr_mul(&memories[place].lambda_t_W);
        [memories[place].lambda_n, lambda_t_C.x, lambda_t_C.y]
    })
}
