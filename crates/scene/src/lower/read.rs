//! Values of a filled tree. Keys with a default are there; a key that is not is a mistake of the description.

use stiction_sim::{Quat, Vec3};

use super::direction;
use crate::error::Errors;
use crate::tree::{Node, Table, Value};

const THERE: &str = "a filled table has all keys with a default";

impl Table {
    pub(crate) fn node(&self, key: &str) -> &Node {
        self.get(key).expect(THERE)
    }

    /// The table of a key.
    pub(crate) fn at(&self, key: &str) -> &Table {
        self.node(key).table().expect(THERE)
    }

    pub(crate) fn items(&self, key: &str) -> &[Node] {
        self.get(key).map_or(&[], Node::list)
    }

    pub(crate) fn number(&self, key: &str) -> f64 {
        self.node(key).number()
    }

    pub(crate) fn optional_number(&self, key: &str) -> Option<f64> {
        self.get(key).map(Node::number)
    }

    /// The numbers of a list; none where it is not given.
    pub(crate) fn numbers(&self, key: &str) -> Vec<f64> {
        self.items(key).iter().map(Node::number).collect()
    }

    pub(crate) fn whole(&self, key: &str) -> u64 {
        self.node(key).whole()
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        matches!(self.node(key).value, Value::Bool(true))
    }

    pub(crate) fn word(&self, key: &str) -> &str {
        self.node(key).text().expect(THERE)
    }

    pub(crate) fn vector(&self, key: &str) -> Vec3 {
        self.node(key).vector()
    }

    pub(crate) fn optional_vector(&self, key: &str) -> Option<Vec3> {
        self.get(key).map(Node::vector)
    }

    /// The rotation of `rotation`. One without a direction or of another length than 1 is told, and is none.
    pub(crate) fn rotation(&self, errors: &mut Errors) -> Quat {
        let node = self.node("rotation");
        let Some(rotation) = node.table() else { return Quat::IDENTITY };
        if let Some(axis) = rotation.get("axis") {
            return match direction(axis.vector()) {
                Some(unit) => Quat::exp(&(unit * rotation.number("angle"))),
                None => {
                    errors.expected(axis.at, "an axis of length 0", "one with a direction");
                    Quat::IDENTITY
                }
            };
        }
        if let Some(quat) = rotation.get("quat_wxyz") {
            let numbers: Vec<f64> = quat.list().iter().map(Node::number).collect();
            let found = Quat::from_wxyz(&numbers);
            if !((found.norm() - 1.0).abs() <= 1e-6) {
                let length = format!("a quaternion of length {}", found.norm());
                errors.expected(quat.at, length, "unit length");
                return Quat::IDENTITY;
            }
            return found;
        }
        let angles = rotation.vector("rpy");
        let turn = |axis: Vec3, angle: f64| Quat::exp(&(axis * angle));
        turn(Vec3::z(), angles.z) * turn(Vec3::y(), angles.y) * turn(Vec3::x(), angles.x)
    }
}

impl Node {
    pub(crate) fn number(&self) -> f64 {
        match self.value {
            Value::Number(value) => value,
            Value::Whole(value) => value as f64,
            _ => f64::NAN,
        }
    }

    pub(crate) fn whole(&self) -> u64 {
        match self.value {
            Value::Whole(value) => u64::try_from(value).unwrap_or(0),
            _ => 0,
        }
    }

    pub(crate) fn vector(&self) -> Vec3 {
        let entry = |i: usize| self.list().get(i).map_or(f64::NAN, Node::number);
        Vec3::new(entry(0), entry(1), entry(2))
    }

    pub(crate) fn vectors(&self) -> Vec<Vec3> {
        self.list().iter().map(Node::vector).collect()
    }
}
