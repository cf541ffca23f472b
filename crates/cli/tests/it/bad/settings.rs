//! `--set` with wrong paths and values, on a scene that is right.

use std::path::Path;

use super::harness::{Case, put, refuse};

#[test]
fn wrong_settings_are_refused_by_their_option() {
    refuse("setting", &cases());
}

fn good(folder: &Path) {
    let text = "[bodies.box]\nmass = 1\nshapes = [{ kind = \"box\", size = [1, 1, 1] }]\n\
                [[arrays]]\nkind = \"tower\"\ncount = 2\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n\
                [stepping]\nh = 1e-3\nduration = 0.01\n";
    put(folder, "scene.toml", text);
}

pub(super) fn cases() -> Vec<Case> {
    let case = |name, args, says| Case { name, make: good, args, says };
    vec![
        case("no value", &["run", "scene.toml", "--set", "stepping.h"], &["--set stepping.h"]),
        case("no path", &["run", "scene.toml", "--set", "=1"], &["--set =1"]),
        case("nothing", &["run", "scene.toml", "--set", ""], &["--set"]),
        case(
            "unknown path",
            &["run", "scene.toml", "--set", "steping.h=1"],
            &["--set steping.h=1", "did you mean `stepping`?"],
        ),
        case(
            "unknown key",
            &["run", "scene.toml", "--set", "stepping.hh=1"],
            &["--set stepping.hh=1", "did you mean `h`?"],
        ),
        case(
            "body without mass",
            &["run", "scene.toml", "--set", "bodies.bxo.position=[0,0,0]"],
            &["--set bodies.bxo"],
        ),
        case(
            "not a number",
            &["run", "scene.toml", "--set", "stepping.h=nan"],
            &["--set stepping.h=nan", "above 0"],
        ),
        case(
            "word for a number",
            &["run", "scene.toml", "--set", "stepping.h=fast"],
            &["--set stepping.h=fast"],
        ),
        case(
            "velocity nan",
            &["run", "scene.toml", "--set", "bodies.box.velocity=[nan,0,0]"],
            &["--set bodies.box.velocity"],
        ),
        case(
            "place beyond the list",
            &["run", "scene.toml", "--set", "arrays.1.count=3"],
            &["--set arrays.1.count=3"],
        ),
        case(
            "place that is no number",
            &["run", "scene.toml", "--set", "arrays.x.count=3"],
            &["--set arrays.x.count=3"],
        ),
        case(
            "coordinate beyond the list",
            &["run", "scene.toml", "--set", "bodies.box.shapes.0.size.3=1"],
            &["--set bodies.box.shapes.0.size.3=1"],
        ),
        case(
            "table over a value",
            &["run", "scene.toml", "--set", "bodies.box.mass.x=1"],
            &["--set bodies.box.mass.x=1"],
        ),
        case(
            "value over a table",
            &["run", "scene.toml", "--set", "bodies=1"],
            &["--set bodies=1"],
        ),
        case(
            "unclosed path",
            &["run", "scene.toml", "--set", "bodies.\"box.mass=1"],
            &["--set bodies"],
        ),
        case(
            "too many bodies",
            &["run", "scene.toml", "--set", "arrays.0.count=2000000"],
            &["at most 1000000"],
        ),
        case(
            "outside the folder",
            &["run", "scene.toml", "--set", "include=/etc/passwd"],
            &["--set include=/etc/passwd"],
        ),
        case(
            "two mistakes",
            &["run", "scene.toml", "--set", "stepping.h=0", "--set", "law.kind=x"],
            &["--set stepping.h=0", "--set law.kind=x"],
        ),
    ]
}
