//! Robots of URDF files.

use std::path::Path;

use stiction_sim::{Pose, Quat};

use super::connections::sizes;
use super::{Lowering, Thing};
use crate::error::Errors;
use crate::files::Roots;
use crate::nearest::suggestion;
use crate::scene::{JointStart, PlacedRobot};
use crate::tree::{Entry, Node, Source, Sources, Table};
use crate::urdf::{self, Base, FreeBase, Options};

/// Largest URDF file and largest mesh [bytes].
const URDF_BYTES: u64 = 64 << 20;

/// Reads the robots of a filled scene. Their errors are in their own files.
pub(crate) fn read_robots(
    root: &Table,
    roots: &Roots,
    sources: &mut Sources,
    errors: &mut Errors,
) -> Vec<PlacedRobot> {
    let entries = &root.at("urdf").entries;
    entries.iter().filter_map(|entry| read_robot(entry, roots, sources, errors)).collect()
}

fn read_robot(
    entry: &Entry,
    roots: &Roots,
    sources: &mut Sources,
    errors: &mut Errors,
) -> Option<PlacedRobot> {
    let table = entry.node.table()?;
    let node = table.node("file");
    let file = node.text()?;
    let (real, bytes) = match roots.open(sources.main(), file, URDF_BYTES) {
        Ok(opened) => opened,
        Err(error) => {
            errors.expected(node.at, error, "a URDF file");
            return None;
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        errors.expected(node.at, "a file that is not UTF-8", "a URDF file");
        return None;
    };
    let options = Options {
        prefix: format!("{}.", entry.name),
        base: if table.word("base") == "free" { Base::Free } else { Base::Fixed },
        pose: Pose::from_parts(table.vector("position"), table.rotation(errors).normalized()),
        material: table.get("material").and_then(Node::text).unwrap_or("default").to_string(),
        strict: table.flag("strict"),
        ..Options::default()
    };
    let limit = options.limits.bytes as u64;
    let read = urdf::read(&text, &options, &mut |name| open_mesh(roots, &real, name, limit));
    match read {
        Ok(robot) => {
            let (name, file) = (entry.name.clone(), file.to_string());
            Some(PlacedRobot { name, file, robot })
        }
        Err(mistakes) => {
            let path = sources.main().with_file_name("").join(file);
            let source = sources.add(Source { name: path.display().to_string(), text, path });
            for mistake in mistakes {
                let at = sources.at(source, mistake.line as usize, mistake.column as usize);
                let message = match mistake.element.is_empty() {
                    true => mistake.message,
                    false => format!("{}: {}", mistake.element, mistake.message),
                };
                errors.push(at, message);
            }
            None
        }
    }
}

/// A mesh beside the URDF file. A package is a folder of its name there, or there itself, or in a root.
fn open_mesh(roots: &Roots, urdf: &Path, name: &str, limit: u64) -> Result<Vec<u8>, String> {
    let name = name.strip_prefix("file://").unwrap_or(name);
    let Some(package) = name.strip_prefix("package://") else {
        let opened = roots.open(urdf, name, limit);
        return opened.map(|(_, bytes)| bytes).map_err(|error| error.to_string());
    };
    let inner = package.split_once('/').map_or(package, |(_, inner)| inner);
    let mut first = None;
    let folders = roots.folders().iter().map(|folder| folder.join("x"));
    for from in std::iter::once(urdf.to_path_buf()).chain(folders) {
        for path in [package, inner] {
            match roots.open(&from, path, limit) {
                Ok((_, bytes)) => return Ok(bytes),
                Err(error) => first = first.or(Some(error)),
            }
        }
    }
    Err(first.map_or(String::new(), |error| error.to_string()))
}

impl Lowering<'_> {
    /// Puts a robot into the model.
    pub(crate) fn robot(&mut self, placed: &PlacedRobot, entry: &Entry) {
        let PlacedRobot { name, robot, .. } = placed;
        self.places.add(Thing::Prefix, name, entry.at);
        self.spec.bodies.extend(robot.bodies.iter().cloned());
        self.spec.joints.extend(robot.joints.iter().cloned());
        self.spec.constraints.extend(robot.constraints.iter().cloned());
        self.spec.shapes.extend(robot.shapes.iter().cloned());
        self.spec.materials.extend(robot.materials.iter().cloned());
        if let Some(FreeBase { joint, pose }) = &robot.free_base {
            let quat = Quat::from_matrix(&pose.R).to_wxyz();
            let q = pose.p.iter().copied().chain(quat).collect();
            self.start.joints.push(JointStart { joint: joint.clone(), q, v: Vec::new() });
        }
        let Some(table) = entry.node.table() else { return };
        for start in &table.at("joints").entries {
            self.robot_joint(placed, start);
        }
    }

    /// The position of a joint at the start.
    fn robot_joint(&mut self, placed: &PlacedRobot, start: &Entry) {
        let joint = format!("{}.{}", placed.name, start.name);
        let joints = &placed.robot.joints;
        let Some(spec) = joints.iter().find(|spec| spec.name == joint) else {
            let prefix = placed.name.len() + 1;
            let known = joints.iter().map(|spec| spec.name.get(prefix..).unwrap_or_default());
            let expected =
                format!("a joint of `{}`{}", placed.file, suggestion(&start.name, known));
            self.errors.expected(start.at, format!("`{}`", start.name), expected);
            return;
        };
        if sizes(&spec.kind).0 != 1 {
            let expected = "a joint with one position";
            self.errors.expected(start.at, format!("`{}`", start.name), expected);
            return;
        }
        let q = start.node.table().map(|table| vec![table.number("position")]);
        let q = q.unwrap_or_default();
        self.start.joints.push(JointStart { joint, q, v: Vec::new() });
    }
}
