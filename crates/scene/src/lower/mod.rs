//! From a checked and filled tree to what the simulator takes.

mod arrays;
mod bodies;
mod connections;
mod materials;
mod read;
mod robots;
pub(crate) mod run;
mod shapes;

use std::collections::BTreeMap;
use std::path::PathBuf;

use stiction_sim::{ModelSpec, Vec3};

use crate::error::Errors;
use crate::files::Roots;
use crate::scene::{PlacedRobot, Start};
use crate::tree::{At, Node, Sources, Table};

pub(crate) use arrays::{count as array_count, count_bodies, prefix as array_prefix};
pub(crate) use robots::read_robots;

/// Bodies of one scene, arrays included.
pub const BODIES: u64 = 100_000;
/// Material of shapes that name none.
pub(crate) const DEFAULT_MATERIAL: &str = "default";

/// What a name in a model belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Thing {
    Body,
    Joint,
    Constraint,
    Spring,
    Motor,
    Guide,
    Force,
    Shape,
    Material,
    /// A prefix of names: an array or a robot.
    Prefix,
}

/// Where each thing of the model is stated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    list: BTreeMap<(Thing, String), At>,
}

impl Places {
    pub(crate) fn add(&mut self, thing: Thing, name: &str, at: At) {
        self.list.insert((thing, name.to_string()), at);
    }

    /// The thing itself, or the array or robot that it is of.
    pub(crate) fn find(&self, thing: Thing, name: &str) -> Option<At> {
        let own = self.list.get(&(thing, name.to_string()));
        let prefix = || {
            let mut ends = name.rmatch_indices('.').map(|(i, _)| &name[..i]);
            ends.find_map(|prefix| self.list.get(&(Thing::Prefix, prefix.to_string())))
        };
        own.or_else(prefix).copied()
    }
}

pub(crate) struct Lowering<'a> {
    pub(crate) errors: &'a mut Errors,
    pub(crate) sources: &'a Sources,
    pub(crate) roots: &'a Roots,
    pub(crate) seed: u64,
    pub(crate) spec: ModelSpec,
    pub(crate) start: Start,
    pub(crate) places: Places,
}

impl Lowering<'_> {
    /// All of the model, in the order of the description.
    pub(crate) fn model(&mut self, root: &Table, robots: &[PlacedRobot]) {
        self.world(root.at("world"));
        self.materials(root);
        for entry in &root.at("shapes").entries {
            self.placed_shape(entry);
        }
        for entry in &root.at("bodies").entries {
            self.body(entry);
        }
        let templates = root.at("templates").entries.iter();
        let templates = templates.map(|entry| (entry.name.as_str(), entry)).collect();
        for (i, array) in root.items("arrays").iter().enumerate() {
            self.array(i, array, &templates);
        }
        self.joints(root);
        self.connections(root);
        for (robot, entry) in robots.iter().zip(&root.at("urdf").entries) {
            self.robot(robot, entry);
        }
        for entry in &root.at("forces").entries {
            self.places.add(Thing::Force, &entry.name, entry.at);
        }
    }

    /// The file that a node names.
    fn open(&mut self, node: &Node, limit: u64, expected: &str) -> Option<(PathBuf, Vec<u8>)> {
        match self.roots.open(self.sources.main(), node.text()?, limit) {
            Ok(opened) => Some(opened),
            Err(error) => {
                self.errors.expected(node.at, error, expected);
                None
            }
        }
    }

    /// The material `default`, if a shape is of it and nobody states it.
    pub(crate) fn add_default_material(&mut self) {
        let is_default = |name: &str| name == DEFAULT_MATERIAL;
        let is_used = self.spec.shapes.iter().any(|shape| is_default(&shape.material))
            || self
                .spec
                .pairs
                .iter()
                .any(|pair| pair.materials.iter().any(|name| is_default(name)));
        if is_used && !self.spec.materials.iter().any(|material| is_default(&material.name)) {
            self.spec.material(DEFAULT_MATERIAL, stiction_sim::model::Surface::rigid(0.5));
        }
    }
}

/// A unit vector along `axis`; None where it has no direction. One that is of unit length keeps its bits.
pub(crate) fn direction(axis: Vec3) -> Option<Vec3> {
    // of the largest entry first, so that squares neither overflow nor vanish
    let largest = axis.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    if (axis.norm() - 1.0).abs() <= 1e-12 {
        return Some(axis);
    }
    Some((axis / largest).normalize())
}

pub(crate) use run::settings;
