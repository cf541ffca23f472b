//! Wrong options, and folders that cannot be written to.

use std::path::Path;

use super::harness::{Case, put, refuse};

#[test]
fn wrong_options_are_refused_by_name() {
    refuse("option", &cases());
}

fn good(dir: &Path) {
    let text = "[bodies.a]\nmass = 1\nshapes = { kind = \"sphere\", radius = 0.1 }\n[stepping]\nh = 1e-3\nduration = 0.01\n";
    put(dir, "scene.toml", text);
}

fn case(name: &'static str, args: &'static [&'static str], says: &'static [&'static str]) -> Case {
    Case { name, make: good, args, says }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = wrong_words();
    cases.extend(wrong_places());
    cases
}

fn wrong_words() -> Vec<Case> {
    vec![
        case("no command", &[], &["expected a command"]),
        case("unknown command", &["rnu", "scene.toml"], &["rnu"]),
        case("unknown option", &["run", "scene.toml", "--frobnicate"], &["--frobnicate"]),
        case("no scene", &["run"], &["<SCENE>"]),
        case("two scenes", &["run", "scene.toml", "scene.toml"], &["scene.toml"]),
        case("negative seed", &["run", "scene.toml", "--seed", "-1"], &["-1"]),
        case("seed of a word", &["run", "scene.toml", "--seed", "x"], &["--seed"]),
        case(
            "seed beyond 64 bits",
            &["run", "scene.toml", "--seed", "99999999999999999999"],
            &["--seed"],
        ),
        case("quiet and verbose", &["run", "scene.toml", "-q", "-v"], &["--quiet"]),
        case(
            "nothing recorded into a folder",
            &["run", "scene.toml", "--no-recording", "-o", "x"],
            &["--no-recording"],
        ),
        case("set without a value", &["run", "scene.toml", "--set"], &["--set"]),
        case("unknown law", &["compare", "scene.toml", "--laws", "cone,coulomb"], &["coulomb"]),
        case("unknown solver", &["compare", "scene.toml", "--solvers", "lemkee"], &["lemkee"]),
        case("empty law", &["compare", "scene.toml", "--laws", "cone,"], &["--laws"]),
        case(
            "facets of a pyramid",
            &["compare", "scene.toml", "--laws", "pyramid(2)"],
            &["pyramid(2)"],
        ),
        case(
            "many facets of a pyramid",
            &["compare", "scene.toml", "--laws", "pyramid(4000000000)"],
            &["pyramid(4000000000)"],
        ),
        case("step of nothing", &["compare", "scene.toml", "--h", "0"], &["--h"]),
        case("step that is none", &["compare", "scene.toml", "--h", "nan"], &["--h"]),
        case("step too short to count", &["compare", "scene.toml", "--h", "1e-300"], &["--h"]),
        case("no threads", &["compare", "scene.toml", "--threads", "0"], &["--threads"]),
        case("many threads", &["compare", "scene.toml", "--threads", "1000000"], &["--threads"]),
        case("look before the start", &["inspect", "scene.toml", "--step", "-1"], &["-1"]),
        case("unknown shell", &["completions", "cmd"], &["cmd"]),
        case("unknown item", &["reproduce", "R99"], &["R99"]),
        case("range the wrong way", &["paradox", "--mu-range", "1:0:5"], &["--mu-range"]),
        case("range of a million", &["paradox", "--mu-range", "0:1:1000000000"], &["--mu-range"]),
    ]
}

fn wrong_places() -> Vec<Case> {
    let made = |name, make: fn(&Path), args, says| Case { name, make, args, says };
    vec![
        made(
            "folder that is not empty",
            in_folder,
            &["run", "scene.toml", "-o", "old"],
            &["old: ", "--force"],
        ),
        made(
            "file as a folder",
            in_folder,
            &["run", "scene.toml", "-o", "old/note"],
            &["old/note"],
        ),
        made(
            "file as a parent",
            in_folder,
            &["run", "scene.toml", "-o", "old/note/x"],
            &["old/note/x"],
        ),
        case(
            "folder of the system",
            &["run", "scene.toml", "-o", "/proc/none/x"],
            &["/proc/none/x"],
        ),
        made(
            "compared into a folder that is not empty",
            in_folder,
            &["compare", "scene.toml", "-o", "old"],
            &["old", "--force"],
        ),
        case("pages into a device", &["man", "/dev/null"], &["/dev/null"]),
        case("converted from a scene", &["convert", "scene.toml", "x.csv"], &["expected a robot"]),
        made(
            "converted over a file",
            in_folder,
            &["convert", "robot.urdf", "old/note.toml"],
            &["old/note.toml", "--force"],
        ),
        made(
            "converted to no known kind",
            in_folder,
            &["convert", "robot.urdf", "robot.mjcf"],
            &["robot.mjcf"],
        ),
        made(
            "converted into no folder",
            in_folder,
            &["convert", "robot.urdf", "/proc/none/robot.toml"],
            &["/proc/none"],
        ),
    ]
}

fn in_folder(dir: &Path) {
    good(dir);
    put(dir, "old/note", "a note of mine");
    put(dir, "old/note.toml", "title = \"mine\"");
    put(dir, "robot.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
}
