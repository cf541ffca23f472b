//! Scenes as TOML and as JSON, and what `--set` says. A scene that is read is resolved, and what that says is read again.

use std::path::Path;

use stiction_scene::{LoadOptions, Scene, SceneError, Syntax, parse};

use crate::Target;

const TOML: &str = include_str!("scene.toml");
const JSON: &str = include_str!("scene.json");
/// For settings: something of each kind that a path can lead to.
const SMALL: &str = include_str!("small.toml");
/// Models of more bodies are not built here: that takes its time, and says nothing about readers.
const BUILT: usize = 2000;
/// An array of a few words may have a million bodies.
const MEMORY: u64 = 4 << 30;

pub fn scene_toml() -> Target {
    let seeds = [TOML, SMALL, ""].map(|text| text.as_bytes().to_vec()).to_vec();
    let read = |bytes: &[u8]| read(bytes, Syntax::Toml);
    Target { name: "scene-toml", read, seeds, words: WORDS, memory: MEMORY }
}

pub fn scene_json() -> Target {
    let seeds = [JSON, "{}"].map(|text| text.as_bytes().to_vec()).to_vec();
    let read = |bytes: &[u8]| read(bytes, Syntax::Json);
    Target { name: "scene-json", read, seeds, words: WORDS, memory: MEMORY }
}

pub fn setting() -> Target {
    let seeds = SETTINGS.iter().map(|text| text.as_bytes().to_vec()).collect();
    Target { name: "setting", read: read_setting, seeds, words: WORDS, memory: MEMORY }
}

fn read(bytes: &[u8], syntax: Syntax) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return "not UTF-8".to_string() };
    said(parse(text, Path::new("nowhere/scene"), syntax, &LoadOptions::default()))
}

/// Lines are settings.
fn read_setting(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let set = text.split("\n--\n").map(str::to_string).collect();
    let options = LoadOptions { set, ..LoadOptions::default() };
    said(parse(SMALL, Path::new("nowhere/scene.toml"), Syntax::Toml, &options))
}

fn said(found: Result<Scene, Vec<SceneError>>) -> String {
    match found {
        Err(errors) => first(&errors),
        Ok(scene) if scene.spec.bodies.len() > BUILT => "many bodies".to_string(),
        Ok(scene) => {
            let text = scene.resolved();
            if text.contains("\ninclude = ") {
                return "TEMPORARY".to_string();
            }
            let options = LoadOptions::default();
            let again = parse(&text, Path::new("nowhere/scene.toml"), Syntax::Toml, &options);
            let again = again.unwrap_or_else(|errors| {
                panic!("a resolved scene is not read: {}\n{text}", first(&errors))
            });
            assert!(again.resolved() == text, "a resolved scene is resolved to another\n{text}");
            match scene.build() {
                Err(errors) => format!("read: {}", first(&errors)),
                Ok(_) => "built".to_string(),
            }
        }
    }
}

/// The first line; there must be one, and it must be one.
fn first(errors: &[SceneError]) -> String {
    let Some(error) = errors.first() else { panic!("refused without a reason") };
    assert!(!error.message.is_empty(), "refused without a message");
    assert!(!error.place.file.is_empty(), "refused without a place");
    error.to_string()
}

const SETTINGS: &[&str] = &[
    "stepping.h=5e-4",
    "bodies.box.mass=2",
    "arrays.0.count=3",
    "law.kind=pyramid",
    "world.gravity=[0, 0, -1]",
    "bodies.box.shapes.0.size.1=0.3",
    "bodies.\"a b\".mass = 1\n--\ntitle=two words",
    "joints.hinge.position=30 deg",
];

const WORDS: &[&str] = &[
    "= ",
    " = 1\n",
    "[bodies.b]\n",
    "[[arrays]]\n",
    "[templates.t]\n",
    "like = \"ball\"\n",
    "of = \"ball\"\n",
    "\"like\": \"ball\",",
    "include = \"other.toml\"\n",
    "include = [\"/etc/passwd\", \"../x\"]\n",
    "\"include\": \"x.json\",",
    "[urdf.r]\nfile = \"r.urdf\"\n",
    "file = \"mesh.stl\"",
    "kind",
    "mass",
    "density",
    "inertia",
    "com",
    "shapes",
    "position",
    "rotation",
    "axis",
    "angle",
    "quat_wxyz",
    "rpy",
    "radius",
    "size",
    "points",
    "vertices",
    "triangles",
    "heights",
    "parts",
    "count",
    "rows",
    "spacing",
    "jitter",
    "masses",
    "mass_ratio",
    "half-space",
    "sphere",
    "box",
    "ellipsoid",
    "capsule",
    "cylinder",
    "cone",
    "hull",
    "mesh",
    "height-field",
    "compound",
    "grid",
    "pile",
    "pyramid",
    "wall",
    "tower",
    "revolute",
    "prismatic",
    "universal",
    "screw",
    "planar",
    "free",
    "world",
    "parent",
    "child",
    "limits",
    "damping",
    "stiffness",
    "friction",
    "joint",
    "terms",
    "factor",
    "law",
    "sine",
    "polynomial",
    "phantom",
    "hybrid",
    "convex",
    "facets",
    "bristle",
    "solver",
    "lemke",
    "nsgs",
    "tol",
    "h",
    "duration",
    "steps",
    "located",
    "drift",
    "impact",
    "ledger",
    "every",
    "true",
    "false",
    "null",
    "\"30 deg\"",
    "\"1e999 deg/s\"",
    "\"-1 rad\"",
    "1979-05-27T07:32:00Z",
    "'''",
    "\"\"\"",
    "\\u0000",
    "\\ud800",
    "{ quat_wxyz = [0, 0, 0, 0] }",
    "[]",
    "{}",
    "\u{feff}",
    "é",
    "\u{202e}",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_built() {
        for seed in scene_toml().seeds {
            assert_eq!(read(&seed, Syntax::Toml), "built");
        }
        for seed in scene_json().seeds {
            assert_eq!(read(&seed, Syntax::Json), "built");
        }
        let settings = setting().seeds;
        let built = settings.iter().filter(|seed| read_setting(seed) == "built").count();
        assert!(built > 4, "{:?}", settings.iter().map(|s| read_setting(s)).collect::<Vec<_>>());
    }
}
