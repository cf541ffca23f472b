//! Names that refer to bodies, joints, materials, templates: each must be somebody's.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Reference;
use crate::error::Errors;
use crate::format::Names;
use crate::lower::{array_count, array_prefix};
use crate::nearest::suggestion;
use crate::scene::PlacedRobot;
use crate::tree::{At, Node, Table};

/// Everything that has a name, as far as the tree can be read: it may still have mistakes.
pub(crate) struct Known {
    bodies: BTreeSet<String>,
    /// Bodies of arrays: `name.0` to `name.(count − 1)`.
    arrays: BTreeMap<String, u64>,
    joints: BTreeSet<String>,
    materials: BTreeSet<String>,
    templates: BTreeSet<String>,
}

impl Known {
    pub(crate) fn new(root: &Table, robots: &[PlacedRobot]) -> Self {
        let keys = |key: &str| -> BTreeSet<String> {
            let table = root.get(key).and_then(Node::table);
            table.map_or(BTreeSet::new(), |table| {
                table.entries.iter().map(|entry| entry.name.clone()).collect()
            })
        };
        let (mut bodies, mut joints, mut materials) =
            (keys("bodies"), keys("joints"), keys("materials"));
        materials.insert("default".to_string());
        for PlacedRobot { robot, .. } in robots {
            bodies.extend(robot.bodies.iter().map(|body| body.name.clone()));
            joints.extend(robot.joints.iter().map(|joint| joint.name.clone()));
            materials.extend(robot.materials.iter().map(|material| material.name.clone()));
        }
        // a body that no joint carries has a free joint of its own name
        joints.extend(bodies.iter().cloned());
        Self { bodies, arrays: BTreeMap::new(), joints, materials, templates: keys("templates") }
    }

    /// The bodies of arrays, of a tree that is filled.
    pub(crate) fn add_arrays(&mut self, root: &Table, errors: &mut Errors) {
        for node in root.items("arrays") {
            let Some(table) = node.table() else { continue };
            let prefix = array_prefix(table);
            let count = array_count(table).unwrap_or(0);
            if self.arrays.insert(prefix.clone(), count).is_some() {
                let found = format!("two arrays of the name `{prefix}`");
                errors.expected(node.at, found, "a `name` of its own");
            }
        }
    }

    /// Tells of all references that are nobody's.
    pub(crate) fn check(&self, references: &[Reference], errors: &mut Errors) {
        for Reference { names, name, at } in references {
            let (list, has): (&BTreeSet<String>, bool) = match names {
                Names::Body => (&self.bodies, self.has_body(name)),
                Names::BodyOrWorld => (&self.bodies, name == "world" || self.has_body(name)),
                Names::Joint => {
                    (&self.joints, self.joints.contains(name) || self.is_in_array(name))
                }
                Names::Material => (&self.materials, self.materials.contains(name)),
                Names::Template => (&self.templates, self.templates.contains(name)),
            };
            if has {
                continue;
            }
            match errors.are_enough() {
                false => self.tell(*names, name, *at, list, errors),
                true => errors.push(*at, "found a name that is not there"),
            }
        }
    }

    fn tell(&self, names: Names, name: &str, at: At, list: &BTreeSet<String>, errors: &mut Errors) {
        let world = (names == Names::BodyOrWorld).then_some("world");
        let hint = suggestion(name, list.iter().map(String::as_str).chain(world));
        let expected = match names {
            Names::BodyOrWorld => format!("the name of a body or \"world\"{hint}"),
            _ => format!("the name of a {}{hint}", names.word()),
        };
        errors.expected(at, format!("`{name}`, which is not there"), expected);
    }

    fn has_body(&self, name: &str) -> bool {
        self.bodies.contains(name) || self.is_in_array(name)
    }

    fn is_in_array(&self, name: &str) -> bool {
        let Some((prefix, number)) = name.rsplit_once('.') else { return false };
        let count = self.arrays.get(prefix).copied().unwrap_or(0);
        number.parse::<u64>().is_ok_and(|i| i < count && i.to_string() == number)
    }
}
