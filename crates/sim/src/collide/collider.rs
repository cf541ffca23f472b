//! Finds all contacts of a model in a position.

use super::contact::{Contact, ContactKey, Touches};
use super::narrow;
use crate::model::Model;
use crate::spatial::Pose;
use crate::tree::kinematics::Kinematics;

/// Memory to detect contacts of one model. It carries nothing from one call to the next.
#[derive(Clone, Debug)]
pub struct Collider {
    X_WG: Vec<Pose>,
    touches: Touches,
}

impl Collider {
    pub fn new(model: &Model) -> Self {
        Self { X_WG: vec![Pose::identity(); model.geoms.len()], touches: Touches::new() }
    }

    /// Writes all contacts of a position, sorted by key: pairs of shapes whose gap is at most their margins plus
    /// `horizon` [m], ≥ 0.
    ///
    /// # Panics
    ///
    /// If the collider was made for a model with another number of shapes.
    pub fn detect(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        horizon: f64,
        contacts: &mut Vec<Contact>,
    ) {
        assert_eq!(self.X_WG.len(), model.geoms.len(), "the collider belongs to another model");
        contacts.clear();
        for (X_WG, geom) in self.X_WG.iter_mut().zip(&model.geoms) {
            *X_WG = match geom.at.body {
                Some(body) => kinematics.X_WB[body] * geom.at.X_BF,
                None => geom.at.X_BF,
            };
        }
        for a in 0..model.geoms.len() {
            for b in a + 1..model.geoms.len() {
                if model.geoms[a].at.body != model.geoms[b].at.body {
                    self.pair(model, a, b, horizon, contacts);
                }
            }
        }
        contacts.sort_unstable_by_key(|contact| contact.key);
    }

    /// Adds the contacts of one pair of geoms, a < b.
    fn pair(
        &mut self,
        model: &Model,
        a: usize,
        b: usize,
        horizon: f64,
        contacts: &mut Vec<Contact>,
    ) {
        let (geom_a, geom_b) = (&model.geoms[a], &model.geoms[b]);
        self.touches.list.clear();
        self.touches.limit = geom_a.margin + geom_b.margin + horizon;
        let placed_a = (&self.X_WG[a], &geom_a.shape);
        let placed_b = (&self.X_WG[b], &geom_b.shape);
        narrow::contacts(placed_a, placed_b, &mut self.touches);
        if self.touches.list.is_empty() {
            return;
        }
        let surface = model.surface(geom_a, geom_b);
        for touch in &self.touches.list {
            contacts.push(Contact {
                key: ContactKey { shape_a: a as u32, shape_b: b as u32, feature: touch.feature },
                a: geom_a.at.body,
                b: geom_b.at.body,
                p_W: touch.p_W,
                n_W: touch.n_W,
                gap: touch.gap,
                surface,
            });
        }
    }
}
