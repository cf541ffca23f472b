//! `like`: bodies that start from a template.

use std::collections::BTreeMap;

use crate::error::Errors;
use crate::nearest::suggestion;
use crate::tree::{Node, Table, Value};

/// Longest chain of templates.
const CHAIN: usize = 16;

/// Replaces `like` by what it stands for, in bodies, templates and bodies of arrays.
pub(crate) fn apply(root: &mut Node, errors: &mut Errors) {
    let templates = match root.table().and_then(|root| root.get("templates")) {
        Some(Node { value: Value::Table(templates), .. }) => templates.clone(),
        _ => Table::default(),
    };
    let templates: Templates<'_> =
        templates.entries.iter().map(|entry| (entry.name.as_str(), &entry.node)).collect();
    let Some(root) = root.table_mut() else { return };
    for entry in &mut root.entries {
        match (entry.name.as_str(), &mut entry.node.value) {
            ("bodies" | "templates", Value::Table(bodies)) => {
                for body in &mut bodies.entries {
                    resolve(&mut body.node, &templates, errors);
                }
            }
            ("arrays", Value::List(arrays)) => {
                for array in arrays.iter_mut().filter_map(Node::table_mut) {
                    let of = array.entries.iter_mut().find(|entry| entry.name == "of");
                    if let Some(of) = of {
                        resolve(&mut of.node, &templates, errors);
                    }
                }
            }
            _ => {}
        }
    }
}

type Templates<'a> = BTreeMap<&'a str, &'a Node>;

fn resolve(body: &mut Node, templates: &Templates<'_>, errors: &mut Errors) {
    for _ in 0..CHAIN {
        let Some(own) = body.table_mut() else { return };
        // one of a wrong type is left to the checker
        let Some(like) = own.get("like").filter(|like| like.text().is_some()).cloned() else {
            return;
        };
        own.remove("like");
        let name = like.text().unwrap_or_default();
        let Some(template) = templates.get(name) else {
            let expected = format!("a template{}", suggestion(name, templates.keys().copied()));
            errors.expected(like.at, format!("`{name}`"), expected);
            return;
        };
        let Some(template) = template.table() else { return };
        for entry in &template.entries {
            if !own.has(&entry.name) && !is_replaced(own, &entry.name) {
                own.entries.push(entry.clone());
            }
        }
        if !template.has("like") {
            return;
        }
        if let Some(next) = template.entry("like") {
            own.put("like", next.node.clone());
        }
    }
    if let Some(own) = body.table_mut()
        && let Some(like) = own.get("like").cloned()
    {
        own.remove("like");
        let expected = format!("at most {CHAIN} of them, none like itself");
        errors.expected(like.at, "a chain of templates without an end", expected);
    }
}

/// A key of a template that another key of the body stands for.
fn is_replaced(own: &Table, name: &str) -> bool {
    match name {
        "mass" => own.has("density"),
        "density" => own.has("mass"),
        _ => false,
    }
}
