//! What is allowed and yet looks wrong: each remark with a hint.

mod masses;
mod start;

use serde::Serialize;
use stiction_scene::Scene;
use stiction_sim::model::{ConstraintKind, FrameSpec};
use stiction_sim::{Model, State};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Remark {
    /// A word for the kind of remark.
    pub(crate) lint: &'static str,
    pub(crate) what: String,
    pub(crate) hint: &'static str,
}

/// A scene and what it was built into.
pub(crate) struct Built<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
}

pub(crate) fn remarks(built: &Built<'_>) -> Vec<Remark> {
    let mut remarks = masses::ratios(built);
    remarks.extend(masses::inertias(built));
    remarks.extend(hidden_loops(built.scene));
    remarks.extend(unused_materials(built.scene));
    remarks.extend(bodies_that_fall(built));
    remarks.extend(start::overlaps(built));
    remarks.extend(start::speeds(built));
    remarks.extend(start::first_step(built));
    remarks
}

/// Constraints between bodies that are connected already.
fn hidden_loops(scene: &Scene) -> Vec<Remark> {
    let spec = &scene.spec;
    let mut links: Vec<(&Option<String>, &Option<String>)> =
        spec.joints.iter().map(|j| (&j.parent.body, &j.child.body)).collect();
    let mut remarks = Vec::new();
    for constraint in &spec.constraints {
        let Some((a, b)) = ends(&constraint.kind) else { continue };
        let joined = chain(&links, &a.body, &b.body);
        if let Some(between) = joined {
            let name = &constraint.name;
            remarks.push(Remark {
                lint: "loop",
                what: format!("constraint `{name}` closes a loop over {between} joints or constraints"),
                hint: "its rows are found anew each step; a loop in one plane wants one `ball` and hinges else, or rows repeat",
            });
        }
        links.push((&a.body, &b.body));
    }
    remarks
}

fn ends(kind: &ConstraintKind) -> Option<(&FrameSpec, &FrameSpec)> {
    match kind {
        ConstraintKind::Joint { a, b, .. } | ConstraintKind::Distance { a, b, .. } => Some((a, b)),
        ConstraintKind::Coupling { .. } | ConstraintKind::Drive { .. } => None,
    }
}

/// Links on the shortest way from a to b, if there is one.
fn chain(
    links: &[(&Option<String>, &Option<String>)],
    a: &Option<String>,
    b: &Option<String>,
) -> Option<usize> {
    let mut reached = vec![a];
    for distance in 1..=links.len() {
        let mut next = reached.clone();
        for &(from, to) in links {
            for (here, there) in [(from, to), (to, from)] {
                if reached.contains(&here) && !next.contains(&there) {
                    next.push(there);
                }
            }
        }
        if next.contains(&b) {
            return Some(distance);
        }
        if next.len() == reached.len() {
            return None;
        }
        reached = next;
    }
    None
}

fn unused_materials(scene: &Scene) -> Vec<Remark> {
    let spec = &scene.spec;
    let is_used = |name: &String| spec.shapes.iter().any(|shape| shape.material == *name);
    let unused = spec.materials.iter().map(|m| &m.name).filter(|name| {
        // the one that is always there
        name.as_str() != "default" && !is_used(name)
    });
    let remark = |name: &String| Remark {
        lint: "unused",
        what: format!("no shape is made of material `{name}`"),
        hint: "remove it, or name it in a shape",
    };
    unused.map(remark).collect()
}

/// Free bodies without a shape, where there is gravity and something to fall on.
fn bodies_that_fall(built: &Built<'_>) -> Vec<Remark> {
    let model = built.model;
    if model.gravity().norm() == 0.0 || model.geoms().is_empty() {
        return Vec::new();
    }
    let has_shape = |body: usize| model.geoms().iter().any(|geom| geom.at.body == Some(body));
    let alone = model
        .bodies()
        .iter()
        .enumerate()
        .filter(|(i, body)| body.flies() && body.alone && !has_shape(*i));
    let held = |name: &String| {
        let spec = &built.scene.spec;
        spec.constraints
            .iter()
            .filter_map(|c| ends(&c.kind))
            .any(|(a, b)| a.body.as_ref() == Some(name) || b.body.as_ref() == Some(name))
            || !spec.springs.is_empty()
            || !spec.guides.is_empty()
    };
    alone
        .filter(|(_, body)| !held(&body.name))
        .map(|(_, body)| Remark {
            lint: "falls",
            what: format!("body `{}` is free and has no shape: nothing stops its fall", body.name),
            hint: "give it a shape, or a joint",
        })
        .collect()
}
