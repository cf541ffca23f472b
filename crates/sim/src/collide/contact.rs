//! A contact, and what names it from step to step.

use crate::math::Vec3;
use crate::model::Surface;

/// Names a contact as long as the same features of the same shapes touch, so that what is remembered of it finds
/// it again in the next step. Ordered; unique within one detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactKey {
    /// Place in `model.geoms()`, below `shape_b`.
    pub shape_a: u32,
    pub shape_b: u32,
    /// Which of the pair's contacts: the number of a point, of a vertex, of a corner (1 for +x, 2 for +y, 4 for +z), of an
    /// end of a capsule (0 at −z), of the two features of boxes that make it; 0 where a pair has one contact only. Pairs
    /// that go to parry: made of its feature numbers; where these are all the same (round shapes), of the order in
    /// which parry gives the contacts, which may change from step to step.
    pub feature: u32,
}

/// Two bodies, near or inside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pub key: ContactKey,
    /// Bodies by their places in the model; None: the world. Not both.
    pub a: Option<usize>,
    pub b: Option<usize>,
    /// Midway between the two surfaces [m]. Steps move those of two faces along their normal into one plane.
    pub p_W: Vec3,
    /// Of unit length, from A into B.
    pub n_W: Vec3,
    /// φ, negative inside [m].
    pub gap: f64,
    /// What the two materials make together.
    pub surface: Surface,
}

/// What the geometry of a pair gives, before bodies and materials come in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) feature: u32,
    pub(super) p_W: Vec3,
    /// From the first shape into the second.
    pub(super) n_W: Vec3,
    pub(super) gap: f64,
}

/// Gathers what is near enough.
#[derive(Clone, Debug)]
pub(super) struct Touches {
    /// The largest gap that counts [m].
    pub(super) limit: f64,
    pub(super) list: Vec<Touch>,
}

impl Touches {
    pub(super) fn new() -> Self {
        Self { limit: 0.0, list: Vec::new() }
    }

    /// A gap that is NaN or infinite, of a pose that is so, is not near.
    pub(super) fn add(&mut self, touch: Touch) {
        if touch.gap <= self.limit && touch.gap.is_finite() {
            self.list.push(touch);
        }
    }

    /// As seen from the other shape.
    pub(super) fn flip(&mut self) {
        for touch in &mut self.list {
            touch.n_W = -touch.n_W;
        }
    }
}
