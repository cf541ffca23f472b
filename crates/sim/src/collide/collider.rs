//! Finds all contacts of a model in a position.

use std::ops::Range;

use super::bounds::{Aabb, Extent};
use super::broad::Tree;
use super::contact::{Contact, ContactKey, Touches};
use super::filter::Filter;
use super::narrow;
use super::parry::Solids;
use super::within::Within;
use crate::model::Model;
use crate::spatial::Pose;
use crate::threads::Threads;
use crate::tree::kinematics::Kinematics;

/// Memory to detect contacts of one model. It carries nothing from one call to the next.
#[derive(Clone, Debug)]
pub struct Collider {
    filter: Filter,
    /// Of each geom; None: a half-space.
    extents: Vec<Option<Extent>>,
    half_spaces: Vec<u32>,
    X_WG: Vec<Pose>,
    bounds: Vec<Aabb>,
    /// By how much the bounds of each geom have grown beyond its margin [m].
    grown: Vec<f64>,
    tree: Tree,
    pairs: Vec<(u32, u32)>,
    threads: Threads,
    lanes: Vec<Lane>,
}

/// Memory of one thread, and what it found.
#[derive(Clone, Debug)]
struct Lane {
    pairs: Range<usize>,
    touches: Touches,
    solids: Solids,
    contacts: Vec<Contact>,
}

/// Fewer pairs than this for each are not worth a thread.
const PAIRS: usize = 64;

impl Collider {
    pub fn new(model: &Model) -> Self {
        let n = model.geoms.len();
        let extents: Vec<_> = model.geoms.iter().map(|geom| Extent::of(&geom.shape)).collect();
        Self {
            filter: Filter::new(model),
            half_spaces: (0..n as u32).filter(|&i| extents[i as usize].is_none()).collect(),
            extents,
            X_WG: vec![Pose::identity(); n],
            bounds: vec![Aabb::EMPTY; n],
            grown: vec![0.0; n],
            tree: Tree::new(n),
            pairs: Vec::new(),
            threads: Threads::default(),
            lanes: vec![Lane::new(model)],
        }
    }

    pub(crate) fn set_threads(&mut self, threads: &Threads) {
        self.threads = threads.clone();
        let first = self.lanes[0].clone();
        self.lanes.resize(threads.count(), first);
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
        self.detect_within(model, kinematics, Within::Alike(horizon), contacts);
    }

    /// The same with gaps that differ from pair to pair.
    pub(crate) fn detect_within(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        within: Within<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        assert_eq!(self.X_WG.len(), model.geoms.len(), "the collider belongs to another model");
        contacts.clear();
        self.place(model, kinematics, within);
        self.find_pairs(model, within);
        let Self { X_WG, pairs, threads, lanes, .. } = self;
        let count = lanes.len().min(pairs.len().div_ceil(PAIRS)).max(1);
        for (i, lane) in lanes[..count].iter_mut().enumerate() {
            lane.pairs = i * pairs.len() / count..(i + 1) * pairs.len() / count;
        }
        threads.each(&mut lanes[..count], |lane| {
            lane.contacts.clear();
            for &pair in &pairs[lane.pairs.clone()] {
                lane.pair(model, X_WG, pair, within);
            }
        });
        // pairs in order, and the features of each in order: so are the keys
        lanes[..count].iter().for_each(|lane| contacts.extend_from_slice(&lane.contacts));
    }

    /// Writes the contacts of one pair of shapes, a < b, where their bodies are at these poses: those whose gap is at most
    /// their margins plus `horizon` [m]. The others are not looked at, and nothing is asked about who may touch whom.
    pub(crate) fn detect_pair(
        &mut self,
        model: &Model,
        (a, b): (u32, u32),
        X_WB: [Pose; 2],
        horizon: f64,
        contacts: &mut Vec<Contact>,
    ) {
        for (geom, X_WB) in [a, b].into_iter().zip(X_WB) {
            self.X_WG[geom as usize] = X_WB * model.geoms[geom as usize].at.X_BF;
        }
        let lane = &mut self.lanes[0];
        lane.contacts.clear();
        lane.pair(model, &self.X_WG, (a, b), Within::Alike(horizon));
        contacts.clone_from(&lane.contacts);
    }

    /// Poses and bounds of all geoms.
    fn place(&mut self, model: &Model, kinematics: &Kinematics, within: Within<'_>) {
        for (i, geom) in model.geoms.iter().enumerate() {
            let X_WG = match geom.at.body {
                Some(body) => kinematics.X_WB[body] * geom.at.X_BF,
                None => geom.at.X_BF,
            };
            self.X_WG[i] = X_WG;
            if let Some(extent) = &self.extents[i] {
                self.grown[i] = within.of(geom);
                self.bounds[i] = extent.placed(&X_WG, geom.margin + self.grown[i]);
            }
        }
    }

    /// Pairs that may touch: those whose bounds meet, and everything with every half-space.
    fn find_pairs(&mut self, model: &Model, within: Within<'_>) {
        let Self { filter, extents, half_spaces, bounds, grown, tree, pairs, .. } = self;
        pairs.clear();
        let geoms = &model.geoms;
        let mut keep = |a: u32, b: u32| {
            let (geom_a, geom_b) = (&geoms[a as usize], &geoms[b as usize]);
            if within.asks(geom_a, geom_b) && filter.may_touch(geom_a, geom_b) {
                pairs.push((a, b));
            }
        };
        let n = geoms.len() as u32;
        tree.build((0..n).filter(|&i| extents[i as usize].is_some()), bounds);
        tree.pairs(|a, b| {
            let (geom_a, geom_b) = (&geoms[a as usize], &geoms[b as usize]);
            if !within.asks(geom_a, geom_b) {
                return;
            }
            // bounds have grown by more than what two ways close that go together
            let less = within.between(geom_a, geom_b) - (grown[a as usize] + grown[b as usize]);
            if !(bounds[a as usize].apart(&bounds[b as usize]) > less) {
                keep(a, b);
            }
        });
        for &h in half_spaces.iter() {
            for i in (0..n).filter(|&i| extents[i as usize].is_some()) {
                keep(h.min(i), h.max(i));
            }
        }
        pairs.sort_unstable();
    }
}

impl Lane {
    fn new(model: &Model) -> Self {
        let (touches, solids) = (Touches::new(), Solids::new(model));
        Self { pairs: 0..0, touches, solids, contacts: Vec::new() }
    }

    /// Adds the contacts of one pair of geoms, a < b.
    fn pair(&mut self, model: &Model, X_WG: &[Pose], (a, b): (u32, u32), within: Within<'_>) {
        let (geom_a, geom_b) = (&model.geoms[a as usize], &model.geoms[b as usize]);
        self.touches.list.clear();
        self.touches.limit = geom_a.margin + geom_b.margin + within.between(geom_a, geom_b);
        let (X_WA, X_WB) = (&X_WG[a as usize], &X_WG[b as usize]);
        let closed_form =
            narrow::contacts((X_WA, &geom_a.shape), (X_WB, &geom_b.shape), &mut self.touches);
        if !closed_form {
            let (a, b) = ((a as usize, X_WA), (b as usize, X_WB));
            self.solids.contacts(model, a, b, &mut self.touches);
        }
        if self.touches.list.is_empty() {
            return;
        }
        self.touches.list.sort_unstable_by_key(|touch| touch.feature);
        let surface = model.surface(geom_a, geom_b);
        for touch in &self.touches.list {
            self.contacts.push(Contact {
                key: ContactKey { shape_a: a, shape_b: b, feature: touch.feature },
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
