//! Scenes that are no files, or that name files which they may not have.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::harness::{Case, put, refuse};

#[test]
fn files_that_are_no_scenes_are_refused_by_name() {
    refuse("file", &cases());
}

const RUN: &[&str] = &["run", "scene.toml"];
const RUN_JSON: &[&str] = &["run", "scene.json"];
const INCLUDE: &[&str] = &["scene.toml:1:11: "];
const HULL: &[&str] = &["scene.toml:3:37: "];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = whole_files();
    cases.extend(named_files());
    cases
}

fn case(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: RUN, says }
}

fn json(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: RUN_JSON, says }
}

/// The scene itself.
fn whole_files() -> Vec<Case> {
    vec![
        case("missing", &["scene.toml: "], |_| {}),
        case("folder", &["scene.toml: ", "a folder"], |dir| {
            std::fs::create_dir(dir.join("scene.toml")).expect("a folder can be made");
        }),
        case("pipe", &["scene.toml: ", "a pipe"], |dir| pipe(&dir.join("scene.toml"))),
        case("device", &["scene.toml: ", "a device"], |dir| link("/dev/zero", dir, "scene.toml")),
        case("link to nowhere", &["scene.toml: "], |dir| link("nowhere", dir, "scene.toml")),
        case("link to itself", &["scene.toml: "], |dir| link("scene.toml", dir, "scene.toml")),
        case("bytes", &["scene.toml: "], |dir| put(dir, "scene.toml", [0x80; 4096])),
        case("zeros", &["scene.toml:1:1: "], |dir| put(dir, "scene.toml", [0; 4096])),
        case("UTF-16", &["scene.toml: ", "UTF-8 in line 1"], |dir| {
            put(dir, "scene.toml", b"\xff\xfet\0i\0t\0l\0e\0=\0\"\0a\0\"\0");
        }),
        case("Latin-1", &["scene.toml: ", "UTF-8 in line 2"], |dir| {
            put(dir, "scene.toml", b"seed = 1\ntitle = \"caf\xe9\"\n");
        }),
        case("more than 16 MiB", &["scene.toml: ", "16 MiB"], |dir| {
            let file = File::create(dir.join("scene.toml")).expect("a file can be made");
            file.set_len((16 << 20) + 1).expect("a file can have holes");
        }),
        case("16 MiB of numbers", &["scene.toml"], |dir| large(dir, "a = [", "1,")),
        case("16 MiB of lists", &["scene.toml"], |dir| large(dir, "a = [", "[],")),
        case("16 MiB of tables", &["scene.toml"], |dir| large(dir, "", "[[a]]\n")),
        case("16 MiB of one text", &["scene.toml"], |dir| large(dir, "title = \"", "aaaaaaaa")),
        json("16 MiB of numbers in JSON", &["scene.json"], |dir| large_json(dir, "1,")),
        json("16 MiB of lists in JSON", &["scene.json"], |dir| large_json(dir, "[],")),
        case("deep lists", &["scene.toml:1:"], |dir| {
            put(dir, "scene.toml", format!("a = {}", "[".repeat(100_000)));
        }),
        case("deep tables", &["scene.toml:1:"], |dir| {
            put(dir, "scene.toml", format!("a = {}", "{a=".repeat(100_000)));
        }),
        case("deep keys", &["scene.toml:1:"], |dir| {
            put(dir, "scene.toml", format!("{}a = 1", "a.".repeat(100_000)));
        }),
        case("deep heading", &["scene.toml:1:"], |dir| {
            put(dir, "scene.toml", format!("[{}a]\n", "a.".repeat(100_000)));
        }),
        case("deep compound", &["scene.toml:3:"], |dir| {
            let (open, close) = ("{ kind = \"compound\", parts = [", "] }");
            let inside = "{ kind = \"sphere\", radius = 1 }";
            let shape = format!("{}{inside}{}", open.repeat(40), close.repeat(40));
            put(dir, "scene.toml", format!("[bodies.a]\nmass = 1\nshapes = {shape}\n"));
        }),
        json("deep lists in JSON", &["scene.json:1:"], |dir| {
            put(dir, "scene.json", format!("{{\"a\": {}", "[".repeat(100_000)));
        }),
        json("deep objects in JSON", &["scene.json:1:"], |dir| {
            put(dir, "scene.json", "{\"a\":".repeat(100_000));
        }),
        case("a long chain of templates", &["scene.toml:"], |dir| {
            let likes = (0..1000).map(|i| format!("[templates.t{i}]\nlike = \"t{}\"\n", i + 1));
            let text: String = likes.collect();
            put(
                dir,
                "scene.toml",
                text + "[templates.t1000]\nmass = 1\n[bodies.a]\nlike = \"t0\"\n",
            );
        }),
    ]
}

/// Files that the scene names.
fn named_files() -> Vec<Case> {
    vec![
        case("include missing", INCLUDE, |dir| include(dir, "none.toml")),
        case("include above", INCLUDE, |dir| include(dir, "../../etc/passwd")),
        case("include absolute", INCLUDE, |dir| include(dir, "/etc/passwd")),
        case("include folder", INCLUDE, |dir| include(dir, ".")),
        case("include pipe", INCLUDE, |dir| {
            include(dir, "pipe");
            pipe(&dir.join("pipe"));
        }),
        case("include link outside", INCLUDE, |dir| {
            include(dir, "link.toml");
            link("/etc/passwd", dir, "link.toml");
        }),
        case("include device", INCLUDE, |dir| {
            include(dir, "link.toml");
            link("/dev/zero", dir, "link.toml");
        }),
        case("include of a wrong file", &["other.toml:2:8: "], |dir| {
            include(dir, "other.toml");
            put(dir, "other.toml", "[bodies.a]\nmass = -1\n");
        }),
        case("include of bytes", INCLUDE, |dir| {
            include(dir, "other.toml");
            put(dir, "other.toml", [0xff; 10]);
        }),
        case("include of a number", &["scene.toml:1:11: ", "the name of a file"], |dir| {
            put(dir, "scene.toml", "include = 7\n");
        }),
        case("include in a circle", &["b.toml:1:11: ", "which is being read"], |dir| {
            include(dir, "b.toml");
            put(dir, "b.toml", "include = \"scene.toml\"\n");
        }),
        case("include in a long chain", &["t15.toml:1:11: ", "one more file"], |dir| {
            include(dir, "t1.toml");
            for i in 1..40 {
                put(dir, &format!("t{i}.toml"), format!("include = \"t{}.toml\"\n", i + 1));
            }
        }),
        case("include that doubles", &["one more file"], |dir| {
            include(dir, "t1.toml");
            for i in 1..14 {
                let next = format!("t{}.toml", i + 1);
                put(dir, &format!("t{i}.toml"), format!("include = [\"{next}\", \"{next}\"]\n"));
            }
            put(dir, "t14.toml", "seed = 1\n");
        }),
        case("mesh above", HULL, |dir| hull(dir, "../../../mesh.stl")),
        case("mesh absolute", HULL, |dir| hull(dir, "/etc/hostname")),
        case("mesh missing", HULL, |dir| hull(dir, "none.stl")),
        case("mesh of no known kind", HULL, |dir| {
            hull(dir, "mesh.ply");
            put(dir, "mesh.ply", "ply\n");
        }),
        case("mesh link outside", HULL, |dir| {
            hull(dir, "link.stl");
            link("/etc/hostname", dir, "link.stl");
        }),
        case("robot above", &["scene.toml:2:8: "], |dir| {
            put(dir, "scene.toml", "[urdf.r]\nfile = \"../../r.urdf\"\n");
        }),
        case("robot missing", &["scene.toml:2:8: "], |dir| {
            put(dir, "scene.toml", "[urdf.r]\nfile = \"r.urdf\"\n");
        }),
    ]
}

fn include(dir: &Path, name: &str) {
    put(dir, "scene.toml", format!("include = \"{name}\"\n"));
}

fn hull(dir: &Path, name: &str) {
    let text =
        format!("[bodies.a]\nmass = 1\nshapes = {{ kind = \"hull\", file =    \"{name}\" }}\n");
    put(dir, "scene.toml", text);
}

fn link(to: &str, dir: &Path, name: &str) {
    symlink(to, dir.join(name)).expect("a link can be made");
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
    assert!(made.success());
}

/// As many pieces as fit in 16 MiB.
fn large(dir: &Path, start: &str, piece: &str) {
    let file = File::create(dir.join("scene.toml")).expect("a file can be made");
    fill(file, start, piece);
}

fn large_json(dir: &Path, piece: &str) {
    let file = File::create(dir.join("scene.json")).expect("a file can be made");
    fill(file, "{\"a\": [", piece);
}

fn fill(mut file: File, start: &str, piece: &str) {
    let block = piece.repeat((1 << 20) / piece.len());
    file.write_all(start.as_bytes()).expect("a file can be written");
    for _ in 0..15 {
        file.write_all(block.as_bytes()).expect("a file can be written");
    }
}
