//! Robots (URDF).

use std::path::Path;

use super::harness::{Case, Text, put, refuse, refuse_texts};

#[test]
fn robots_are_refused_with_their_place() {
    refuse_texts("robot.urdf", TEXTS);
}

#[test]
fn robots_that_are_large_or_name_files_are_refused() {
    refuse("robot", &cases());
}

pub(super) const TEXTS: &[Text] = &[
    ("empty", "", "1:1", ""),
    ("no XML", "robot: arm\n", "1:1", ""),
    ("unclosed", "<robot name=\"r\">\n<link name=\"a\"/>\n", "3:1", ""),
    ("closed by another", "<robot name=\"r\">\n<link name=\"a\"></joint>\n</robot>\n", "2:16", ""),
    ("attribute without quotes", "<robot name=r/>\n", "1:13", ""),
    ("attribute twice", "<robot name=\"r\" name=\"s\"/>\n", "1:17", ""),
    ("unknown entity", "<robot name=\"r\"><link name=\"&a;\"/></robot>\n", "1:29", ""),
    ("document type", "<!DOCTYPE robot>\n<robot name=\"r\"/>\n", "1:1", "document type"),
    (
        "entities in entities",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;&a;\">]>\n<robot name=\"&b;\"><link name=\"a\"/></robot>\n",
        "2:1",
        "document type",
    ),
    (
        "entity from a file",
        "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<robot name=\"&a;\"/>\n",
        "1:1",
        "document type",
    ),
    ("another root", "<scene/>\n", "1:1", "robot"),
    ("no link", "<robot name=\"r\"></robot>\n", "1:1", "<link>"),
    ("link without a name", "<robot name=\"r\"><link/></robot>\n", "1:17", "name"),
    (
        "two links of one name",
        "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>\n",
        "3:12",
        "twice",
    ),
    (
        "two roots",
        "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n</robot>\n",
        "3:1",
        "two roots",
    ),
    (
        "links in a circle",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>\n</robot>\n",
        "3:1",
        "",
    ),
    (
        "a link on itself",
        "<robot name=\"r\">\n<link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint>\n</robot>\n",
        "3:1",
        "the same",
    ),
    (
        "a link on two joints",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n",
        "4:1",
        "found `j` too",
    ),
    (
        "unknown link",
        "<robot name=\"r\">\n<link name=\"base\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"bse\"/><child link=\"b\"/></joint>\n</robot>\n",
        "3:44",
        "base",
    ),
    (
        "joint without a child",
        "<robot name=\"r\">\n<link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>\n</robot>\n",
        "3:1",
        "child",
    ),
    (
        "joint without a type",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n",
        "3:1",
        "type",
    ),
    (
        "unknown type",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"revolut\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n",
        "3:17",
        "revolute",
    ),
    (
        "text as a mass",
        "<robot name=\"r\"><link name=\"a\"><inertial>\n<mass value=\"heavy\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>\n",
        "2:7",
        "number",
    ),
    (
        "mass nan",
        "<robot name=\"r\"><link name=\"a\"><inertial>\n<mass value=\"nan\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>\n",
        "2:7",
        "",
    ),
    (
        "negative mass",
        "<robot name=\"r\"><link name=\"a\"><inertial>\n<mass value=\"-1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>\n",
        "2:7",
        "",
    ),
    (
        "two numbers as a place",
        "<robot name=\"r\"><link name=\"a\"><collision>\n<origin xyz=\"0 0\"/><geometry><sphere radius=\"1\"/></geometry></collision></link></robot>\n",
        "2:9",
        "3 numbers",
    ),
    (
        "infinite place",
        "<robot name=\"r\"><link name=\"a\"><collision>\n<origin xyz=\"0 inf 0\"/><geometry><sphere radius=\"1\"/></geometry></collision></link></robot>\n",
        "2:9",
        "",
    ),
    (
        "negative radius",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n<sphere radius=\"-1\"/></geometry></collision></link></robot>\n",
        "2:9",
        "",
    ),
    (
        "flat box",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n<box size=\"1 1 0\"/></geometry></collision></link></robot>\n",
        "2:6",
        "positive edges",
    ),
    (
        "no geometry",
        "<robot name=\"r\"><link name=\"a\">\n<collision/></link></robot>\n",
        "2:1",
        "geometry",
    ),
    (
        "two geometries",
        "<robot name=\"r\"><link name=\"a\"><collision>\n<geometry><sphere radius=\"1\"/><box size=\"1 1 1\"/></geometry></collision></link></robot>\n",
        "2:1",
        "one box",
    ),
    (
        "axis of nothing",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 0\"/></joint>\n</robot>\n",
        "3:75",
        "",
    ),
    (
        "limits the wrong way round",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<limit lower=\"1\" upper=\"-1\" effort=\"1\" velocity=\"1\"/></joint>\n</robot>\n",
        "4:1",
        "",
    ),
    (
        "revolute without limits",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n",
        "3:1",
        "limit",
    ),
    (
        "mimic of itself",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n<mimic joint=\"j\"/></joint>\n</robot>\n",
        "4:1",
        "circle",
    ),
    (
        "mimic of nobody",
        "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n<mimic joint=\"k\"/></joint>\n</robot>\n",
        "4:8",
        "the name of a joint",
    ),
];

const RUN: &[&str] = &["run", "robot.urdf"];

fn case(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: RUN, says }
}

fn mesh(dir: &Path, name: &str) {
    let text = "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n<mesh filename=\"NAME\"/></geometry></collision></link></robot>\n";
    put(dir, "robot.urdf", text.replace("NAME", name));
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("missing", &["robot.urdf"], |_| {}),
        case("folder", &["robot.urdf"], |dir| {
            std::fs::create_dir(dir.join("robot.urdf")).expect("a folder can be made");
        }),
        case("bytes", &["robot.urdf"], |dir| put(dir, "robot.urdf", [0xff; 100])),
        case("deep", &["robot.urdf:1:", "64 deep"], |dir| {
            let text = format!(
                "<robot name=\"r\">{}{}</robot>",
                "<a>".repeat(100_000),
                "</a>".repeat(100_000)
            );
            put(dir, "robot.urdf", text);
        }),
        case("many attributes", &["robot.urdf:1:", "attributes"], |dir| {
            let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"1\"")).collect();
            put(dir, "robot.urdf", format!("<robot name=\"r\"{attributes}/>"));
        }),
        case("many namespaces", &["robot.urdf:1:", "namespaces"], |dir| {
            let spaces: String = (0..10_000).map(|i| format!(" xmlns:a{i}=\"b\"")).collect();
            put(dir, "robot.urdf", format!("<robot name=\"r\"{spaces}/>"));
        }),
        case("many elements", &["robot.urdf:1:", "500000"], |dir| {
            put(dir, "robot.urdf", format!("<robot name=\"r\">{}</robot>", "<a/>".repeat(600_000)));
        }),
        case("large", &["robot.urdf"], |dir| {
            put(dir, "robot.urdf", format!("<robot name=\"{}\"/>", "r".repeat(40 << 20)));
        }),
        case("mesh missing", &["robot.urdf:2:7: "], |dir| mesh(dir, "none.stl")),
        case("mesh above", &["robot.urdf:2:7: "], |dir| mesh(dir, "../../etc/x.stl")),
        case("mesh absolute", &["robot.urdf:2:7: "], |dir| mesh(dir, "/etc/x.stl")),
        case("mesh by file URL", &["robot.urdf:2:7: "], |dir| mesh(dir, "file:///etc/x.stl")),
        case("mesh of a package above", &["robot.urdf:2:7: "], |dir| {
            mesh(dir, "package://../../etc/x.stl")
        }),
        case("mesh of a package that there is not", &["robot.urdf:2:7: "], |dir| {
            mesh(dir, "package://p/x.stl")
        }),
        case("mesh from the web", &["robot.urdf:2:7: "], |dir| mesh(dir, "http://localhost/x.stl")),
        case("mesh without a name", &["robot.urdf:2:7: "], |dir| mesh(dir, "")),
        case("mesh link outside", &["robot.urdf:2:7: "], |dir| {
            mesh(dir, "x.stl");
            std::os::unix::fs::symlink("/etc/hostname", dir.join("x.stl"))
                .expect("a link can be made");
        }),
        case("mesh that is a pipe", &["robot.urdf:2:7: "], |dir| {
            mesh(dir, "x.stl");
            let made = std::process::Command::new("mkfifo").arg(dir.join("x.stl")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }),
        Case {
            name: "loss in strict mode",
            make: |dir| {
                put(
                    dir,
                    "robot.urdf",
                    "<robot name=\"r\"><link name=\"a\"/><transmission name=\"t\"/></robot>",
                )
            },
            args: &["convert", "robot.urdf", "robot.toml", "--strict"],
            says: &["robot.urdf:1:"],
        },
    ]
}
