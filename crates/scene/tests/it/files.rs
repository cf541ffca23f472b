//! Files that scenes include.

use std::fs;
use std::path::{Path, PathBuf};

use stiction_scene::{LoadOptions, load};

/// A folder of its own, empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scene").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes files and loads the first.
fn loaded(folder: &Path, files: &[(&str, &str)]) -> Result<stiction_scene::Scene, Vec<String>> {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let found = load(&folder.join(files[0].0), &LoadOptions::default());
    let lines = |errors: Vec<stiction_scene::SceneError>| {
        errors.iter().map(|e| e.to_string().replace(folder.to_str().unwrap(), "")).collect()
    };
    found.map_err(lines)
}

#[test]
fn what_is_included_is_merged_and_the_own_file_wins() {
    let folder = folder("include");
    let scene = loaded(
        &folder,
        &[
            (
                "scene.toml",
                "include = [\"parts/wood.toml\", \"ice.json\"]\n[materials.wood]\nrestitution = 0.1\n\
                 [[pairs]]\nmaterials = [\"ice\", \"ice\"]\nfriction = 0.0\n[world]\ngravity = [0, 0, -1]\n",
            ),
            (
                "parts/wood.toml",
                "include = \"more.toml\"\n[materials.wood]\nfriction = 0.3\nrestitution = 0.9\n\
                 [[pairs]]\nmaterials = [\"wood\", \"ice\"]\nfriction = 0.1\n[world]\ngravity = [0, 0, -2]\n",
            ),
            ("parts/more.toml", "[materials.more]\n"),
            ("ice.json", "{\"materials\": {\"ice\": {\"friction\": 0.02}}}"),
        ],
    );
    let spec = scene.unwrap().spec;
    let names: Vec<&str> = spec.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["more", "wood", "ice"]);
    assert_eq!((spec.materials[1].surface.mu_s, spec.materials[1].surface.e), (0.3, 0.1));
    assert_eq!(spec.pairs.len(), 2);
    assert_eq!(spec.gravity.z, -1.0);
}

#[test]
fn errors_of_included_files_are_in_those_files() {
    let folder = folder("include_errors");
    let errors = loaded(
        &folder,
        &[
            ("scene.toml", "include = \"a.toml\"\n[bodies.b]\nmas = 1\n"),
            ("a.toml", "[materials.a]\nfriction = -1\n"),
        ],
    );
    let errors = errors.unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("/scene.toml:3:1: "), "{errors:?}");
    assert!(errors[1].starts_with("/a.toml:2:12: "), "{errors:?}");
}

#[test]
fn circles_and_long_chains_of_includes_are_refused() {
    let folder = folder("circle");
    let circle = loaded(
        &folder,
        &[("a.toml", "include = \"b.toml\"\n"), ("b.toml", "\ninclude = [\"a.toml\"]\n")],
    );
    let circle = circle.unwrap_err();
    assert_eq!(circle.len(), 1);
    assert!(
        circle[0].starts_with("/b.toml:2:12: found `a.toml`, which is being read"),
        "{circle:?}"
    );
    let itself = loaded(&folder, &[("c.toml", "include = \"c.toml\"\n")]).unwrap_err();
    assert!(itself[0].contains("which is being read"), "{itself:?}");

    let chain: Vec<(String, String)> = (0..30)
        .map(|i| (format!("n{i}.toml"), format!("include = \"n{}.toml\"\n", i + 1)))
        .collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let errors = loaded(&folder, &chain).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("/n15.toml:1:11: found one more file"), "{errors:?}");
}

#[test]
fn a_bush_of_includes_ends() {
    let folder = folder("bush");
    // each includes the next one twice: 2¹⁵ files in all
    let bush: Vec<(String, String)> = (0..15)
        .map(|i| {
            (format!("n{i}.toml"), format!("include = [\"n{0}.toml\", \"n{0}.toml\"]\n", i + 1))
        })
        .chain([("n15.toml".to_string(), String::new())])
        .collect();
    let bush: Vec<(&str, &str)> = bush.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let errors = loaded(&folder, &bush).unwrap_err();
    assert!(errors.iter().all(|line| line.contains("256 in all")), "{errors:?}");
}

#[test]
fn files_outside_of_the_folder_are_not_opened() {
    let folder = folder("outside");
    fs::write(folder.join("secret.toml"), "[materials.secret]\n").unwrap();
    for path in [
        "../../etc/passwd",
        "/etc/passwd",
        "../secret.toml",
        "../inner/../secret.toml",
        "/nowhere/at/all.toml",
        "../../../../../../../../../nowhere.toml",
    ] {
        let text = format!("include = {path:?}\n");
        let errors = loaded(&folder, &[("inner/scene.toml", &text)]).unwrap_err();
        let expected = "/inner/scene.toml:1:11: found a file outside of the scene's folder and the given \
                        roots, expected a scene to include";
        assert_eq!(errors, [expected], "{path}");
    }
    let text = "include = \"../secret.toml\"\n";
    fs::write(folder.join("inner/scene.toml"), text).unwrap();
    let options = LoadOptions { roots: vec![folder.clone()], ..LoadOptions::default() };
    assert!(load(&folder.join("inner/scene.toml"), &options).is_ok());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    let folder = folder("links");
    fs::write(folder.join("secret.toml"), "[materials.secret]\n").unwrap();
    fs::create_dir_all(folder.join("inner")).unwrap();
    std::os::unix::fs::symlink(folder.join("secret.toml"), folder.join("inner/link.toml")).unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("inner/up")).unwrap();
    for path in ["link.toml", "up/secret.toml"] {
        let text = format!("include = {path:?}\n");
        let errors = loaded(&folder, &[("inner/scene.toml", &text)]).unwrap_err();
        assert!(errors[0].contains("outside of the scene's folder"), "{errors:?}");
    }
}

#[test]
fn folders_and_files_that_are_not_there_are_told() {
    let folder = folder("absent");
    fs::create_dir_all(folder.join("inner")).unwrap();
    for (path, part) in [("none.toml", "cannot be read"), ("inner", "a folder, a pipe or a device")]
    {
        let errors = loaded(&folder, &[("scene.toml", &format!("include = {path:?}\n"))]);
        let errors = errors.unwrap_err();
        assert!(
            errors[0].starts_with("/scene.toml:1:11: ") && errors[0].contains(part),
            "{errors:?}"
        );
    }
    let errors = load(&folder.join("none.toml"), &LoadOptions::default()).unwrap_err();
    assert_eq!(errors[0].place.line, 0);
    assert!(errors[0].message.contains("cannot be read"));
}
