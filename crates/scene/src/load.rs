//! From a file to a scene, with all of its errors at once.

use std::path::Path;

use stiction_sim::{Coordinates, ModelSpec, StepSettings};

use crate::angles;
use crate::check::Checker;
use crate::error::{Errors, SceneError};
use crate::files::Roots;
use crate::format::SCENE;
use crate::gather::{Gatherer, LoadOptions, Syntax, read_scene};
use crate::lower::{self, Lowering, count_bodies, read_robots};
use crate::names::Known;
use crate::scene::{RecordingSpec, Scene, Start, Stepping};
use crate::templates;
use crate::tree::{At, Node, Source, Sources, Table, Value};

/// Reads a scene file: TOML, or JSON where its name ends in `.json`.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Scene, Vec<SceneError>> {
    let text = read_scene(path).map_err(|error| vec![error])?;
    parse(&text, path, Syntax::of(path), options)
}

/// Reads the text of a scene as if it were in `file`: files that it names are beside that.
pub fn parse(
    text: &str,
    file: &Path,
    syntax: Syntax,
    options: &LoadOptions,
) -> Result<Scene, Vec<SceneError>> {
    let roots = Roots::new(file, &options.roots);
    let mut gatherer = Gatherer::new(&roots);
    let source = Source {
        name: file.display().to_string(),
        text: text.to_string(),
        path: file.to_path_buf(),
    };
    let mut open = file.canonicalize().into_iter().collect();
    let mut root = gatherer.tree(source, syntax, &mut open);
    if let Some(root) = &mut root {
        for setting in &options.set {
            gatherer.set(root, setting, file);
        }
    }
    let Gatherer { mut sources, mut errors, .. } = gatherer;
    let scene = match root {
        Some(root) if errors.is_empty() => {
            let context = Context { file, roots: &roots, seed: options.seed };
            lowered(root, &context, &mut sources, &mut errors)
        }
        _ => None,
    };
    match scene {
        Some(scene) if errors.is_empty() => Ok(Scene { sources, ..scene }),
        _ => Err(errors.told(&sources)),
    }
}

struct Context<'a> {
    file: &'a Path,
    roots: &'a Roots,
    seed: Option<u64>,
}

/// Checks a tree and makes a scene of it.
fn lowered(
    mut root: Node,
    context: &Context<'_>,
    sources: &mut Sources,
    errors: &mut Errors,
) -> Option<Scene> {
    settle_before(&mut root, context);
    templates::apply(&mut root, errors);
    let carried = carried_bodies(root.table()?, errors);
    angles::check(root.table()?, errors);

    let mut checker = Checker::new(sources, errors);
    let filled = checker.object(&SCENE, &root);
    let references = checker.references;
    let root = root.table()?;
    let mut robots = Vec::new();
    match filled.as_ref().and_then(Node::table) {
        Some(filled) => {
            robots = read_robots(filled, context.roots, sources, errors);
            count_bodies(filled, errors);
            let mut known = Known::new(root, &robots);
            known.add_arrays(filled, errors);
            // robots that cannot be read may have any names
            if robots.len() == filled.at("urdf").entries.len() {
                known.check(&references, errors);
            }
        }
        None if root.has("arrays") || root.has("urdf") => {}
        None => Known::new(root, &robots).check(&references, errors),
    }
    if !errors.is_empty() {
        return None;
    }
    let mut filled = filled?;
    settle_after(filled.table_mut()?, &carried);

    let mut scene = empty_scene(&filled);
    let table = filled.table()?;
    let mut lowering = Lowering {
        errors,
        sources,
        roots: context.roots,
        seed: scene.seed,
        spec: ModelSpec::new(),
        start: scene.start.clone(),
        places: lower::Places::default(),
    };
    lowering.model(table, &robots);
    lowering.add_default_material();
    let Lowering { spec, start, places, .. } = lowering;
    lower::settings(table, &mut scene, errors);
    Some(Scene { spec, start, places, robots, tree: filled, ..scene })
}

/// Defaults that the description cannot state, before the check.
fn settle_before(root: &mut Node, context: &Context<'_>) {
    let at = root.at;
    let Some(table) = root.table_mut() else { return };
    if !table.has("title") {
        let stem = context.file.file_stem().unwrap_or_default().to_string_lossy();
        table.put("title", Node { value: Value::Text(stem.to_string()), at });
    }
    if let Some(seed) = context.seed {
        table.put("seed", Node { value: Value::Whole(seed.min(i64::MAX as u64) as i64), at });
    }
    let stepping = table.entries.iter_mut().find(|entry| entry.name == "stepping");
    if let Some(stepping) = stepping.and_then(|entry| entry.node.table_mut())
        && let Some(Node { value: Value::Bool(true), at }) = stepping.get("located")
        && !stepping.has("geometry")
    {
        let at = *at;
        stepping.put("geometry", Node { value: Value::Text("middle".to_string()), at });
    }
}

/// Takes away the places of bodies that joints place.
fn settle_after(root: &mut Table, carried: &[String]) {
    let bodies = root.entries.iter_mut().find(|entry| entry.name == "bodies");
    let Some(bodies) = bodies.and_then(|entry| entry.node.table_mut()) else { return };
    for entry in &mut bodies.entries {
        if let (Ok(_), Some(body)) = (carried.binary_search(&entry.name), entry.node.table_mut()) {
            PLACE_KEYS.iter().for_each(|key| body.remove(key));
        }
    }
}

/// Keys of free bodies alone.
const PLACE_KEYS: [&str; 4] = ["position", "rotation", "velocity", "angular_velocity"];

/// The bodies that joints carry, sorted. One that states its own place is told.
fn carried_bodies(root: &Table, errors: &mut Errors) -> Vec<String> {
    let table = |key: &str| root.get(key).and_then(Node::table);
    let mut carried = Vec::new();
    for joint in table("joints").map_or(&[][..], |joints| &joints.entries) {
        let child = joint.node.table().and_then(|joint| joint.get("child"));
        let body = child.and_then(|child| match child.table() {
            Some(frame) => frame.get("body").and_then(Node::text),
            None => child.text(),
        });
        carried.extend(body.map(|body| (body.to_string(), joint.name.clone())));
    }
    carried.sort();
    for body in table("bodies").map_or(&[][..], |bodies| &bodies.entries) {
        if body.name == "world" {
            errors.expected(body.at, "a body of the name `world`", "another name");
        }
        let i = carried.partition_point(|(name, _)| *name < body.name);
        let (Some((name, joint)), Some(table)) = (carried.get(i), body.node.table()) else {
            continue;
        };
        let placed = PLACE_KEYS.iter().find_map(|key| table.entry(key));
        if let (true, Some(entry)) = (*name == body.name, placed) {
            let found = format!("`{}` of a body that the joint `{joint}` carries", entry.name);
            let expected = "`position` and `velocity` of the joint instead";
            errors.expected(entry.at, found, expected);
        }
    }
    carried.into_iter().map(|(body, _)| body).collect()
}

/// A scene with the plain keys of its root and nothing else.
fn empty_scene(tree: &Node) -> Scene {
    let empty = Table::default();
    let root = tree.table().unwrap_or(&empty);
    let start = root.at("start");
    Scene {
        title: root.word("title").to_string(),
        description: root.word("description").to_string(),
        spec: ModelSpec::new(),
        coordinates: Coordinates::Generalized,
        start: Start {
            time: start.number("time"),
            normal_force: start.number("normal_force"),
            ..Start::default()
        },
        stepping: Stepping::Fixed(StepSettings::default()),
        steps: 0,
        forces: Vec::new(),
        recording: RecordingSpec { every: 1, contacts: true },
        seed: root.whole("seed"),
        robots: Vec::new(),
        tree: Node { value: Value::Table(Table::default()), at: At::default() },
        sources: Sources::default(),
        places: lower::Places::default(),
    }
}
