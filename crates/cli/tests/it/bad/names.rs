//! Names that are long, many, or not for a terminal.

use std::path::Path;

use super::harness::{Case, faults, limited, put, refuse};
use crate::program::folder;

#[test]
fn wrong_names_are_refused_soon_and_in_few_words() {
    refuse("name", &cases());
}

const CHECK: &[&str] = &["check", "scene.toml"];

fn case(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: CHECK, says }
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("a key of a million letters", &["scene.toml:2:1: "], |dir| {
            put(dir, "scene.toml", format!("[bodies.a]\n{} = 1\n", "k".repeat(1_000_000)));
        }),
        case("a template of a million letters", &["scene.toml:2:8: "], |dir| {
            put(dir, "scene.toml", format!("[bodies.a]\nlike = \"{}\"\n", "k".repeat(1_000_000)));
        }),
        case("two long names that differ a little", &["scene.toml:4:8: "], |dir| {
            let (name, other) = ("a".repeat(100_000), "b".repeat(10));
            let text =
                format!("[templates.{name}{other}]\nmass = 1\n[bodies.c]\nlike = \"{name}\"\n");
            put(dir, "scene.toml", text);
        }),
        case("many names that differ a little", &["scene.toml:15002:9: ", "more errors"], |dir| {
            let bodies = (0..5000)
                .map(|i| format!("[bodies.body_number_{i}]\nmass = 1\ninertia = [1, 1, 1]\n"));
            let joints = (0..5000).map(|i| {
                format!("[joints.j{i}]\nchild = \"bdoy_nubmer_x{i}\"\nkind = \"fixed\"\n")
            });
            put(dir, "scene.toml", bodies.chain(joints).collect::<String>());
        }),
        case("a name of control characters", &["scene.toml:2:1: "], |dir| {
            put(dir, "scene.toml", "[bodies.a]\n\"x\\u001b[31m\\u0007\\u009b\\u007f\" = 1\n");
        }),
        Case {
            name: "a setting that is a comment",
            make: |dir| put(dir, "scene.toml", ""),
            args: &["check", "scene.toml", "--set", "#=\u{1}"],
            says: &["--set"],
        },
        Case {
            name: "a setting of nothing but a comment",
            make: |dir| put(dir, "scene.toml", ""),
            args: &["check", "scene.toml", "--set", "#=x"],
            says: &["--set"],
        },
    ]
}

#[test]
fn a_long_setting_is_not_repeated() {
    let folder = folder("bad-long-setting");
    put(&folder, "scene.toml", "");
    let setting = format!("law.kind={}", "k".repeat(100_000));
    let done = limited(&folder, &["check", "scene.toml", "--set", &setting]);
    assert_eq!(faults(&done, &["--set law.kind="]), Vec::<String>::new());
}
