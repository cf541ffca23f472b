//! Texts like "30 deg" for positions of joints that are lengths.

use crate::error::Errors;
use crate::tree::{Node, Table, Value};

/// Tells of all angles that stand for lengths, in joints as they are written.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    let joints = root.get("joints").and_then(Node::table);
    for entry in joints.map_or(&[][..], |joints| &joints.entries) {
        let Some(joint) = entry.node.table() else { continue };
        let kind = joint.get("kind").and_then(Node::text).unwrap_or_default();
        for key in ["position", "velocity", "limits"] {
            let Some(node) = joint.get(key) else { continue };
            // of limits, one pair may stand for a list of pairs
            let items = match &node.value {
                Value::List(items) if key != "limits" => items.as_slice(),
                Value::List(items) if items.iter().any(|item| !item.list().is_empty()) => items,
                _ => std::slice::from_ref(node),
            };
            for (i, item) in items.iter().enumerate().filter(|(i, _)| is_length(kind, *i)) {
                let ends = item.list().iter().chain([item]);
                for text in ends.filter(|end| end.text().is_some_and(is_angle)) {
                    let expected = format!("a length: position {i} of a {kind} joint is in m");
                    errors.expected(text.at, text.describe(), expected);
                }
            }
        }
    }
}

/// "inf" is a number of any unit.
fn is_angle(text: &str) -> bool {
    !text.trim().ends_with("inf")
}

/// Whether position `i` of a joint is a length or a part of a quaternion.
fn is_length(kind: &str, i: usize) -> bool {
    match kind {
        "prismatic" | "ball" | "free" => true,
        "cylindrical" => i == 1,
        "planar" => i < 2,
        _ => false,
    }
}
