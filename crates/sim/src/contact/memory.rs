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

/// What is remembered of the contact `key`; no forces where it is new. `memories` are sorted by key; `likely` is where it is if
/// nothing has changed.
pub(crate) fn recall(memories: &[ContactMemory], likely: usize, key: ContactKey) -> ContactMemory {
    let place = match memories.get(likely) {
        Some(memory) if memory.key == key => Some(likely),
        _ => memories.binary_search_by_key(&key, |memory| memory.key).ok(),
    };
    let new = ContactMemory { key, lambda_n: 0.0, lambda_t_W: Vec3::zeros() };
    place.map_or(new, |place| memories[place])
}

impl ContactMemory {
    /// The forces in a frame of the contact: n, t1, t2 [N].
    pub(crate) fn forces_in(&self, R_WC: &Mat3) -> [f64; 3] {
        let lambda_t_C = R_WC.tr_mul(&self.lambda_t_W);
        [self.lambda_n, lambda_t_C.x, lambda_t_C.y]
    }

    /// The memory of these impulses of a step: the old one, to the last bit, where they are its forces.
    pub(crate) fn after(&self, p: [f64; 3], h: f64, R_WC: &Mat3) -> Self {
        if self.forces_in(R_WC).map(|lambda| h * lambda) == p {
            return *self;
        }
        let lambda_t_W = R_WC * Vec3::new(p[1], p[2], 0.0) / h;
        Self { lambda_n: p[0] / h, lambda_t_W, ..*self }
    }
}
