//! Scenes whose text is wrong: syntax, types, ranges, keys, names.

use super::harness::{Text, limited, put, refuse_texts};
use crate::program::folder;

#[test]
fn texts_that_are_no_scenes_are_refused_with_their_place() {
    refuse_texts("scene.toml", TEXTS);
}

pub(super) const TEXTS: &[Text] = &[
    // syntax
    ("unclosed table", "[bodies.a\nmass = 1\n", "1:10", ""),
    ("no value", "[bodies.a]\nmass =\n", "2:7", ""),
    ("no key", "= 1\n", "1:1", ""),
    ("two on a line", "title = \"a\" seed = 1\n", "1:13", ""),
    ("unclosed text", "title = \"a\nseed = 1\n", "1:11", ""),
    ("wrong escape", "title = \"\\q\"\n", "1:11", ""),
    ("unclosed list", "[world]\ngravity = [0, 0,\n", "3:1", ""),
    ("no comma", "[world]\ngravity = [0 0 -9.81]\n", "2:14", ""),
    ("leading zero", "seed = 01\n", "1:8", ""),
    ("double underscore", "seed = 1__0\n", "1:10", ""),
    ("a key twice", "seed = 1\nseed = 2\n", "2:1", "seed"),
    ("a table twice", "[bodies.a]\nmass = 1\n[bodies.a]\nmass = 2\n", "3:9", ""),
    ("a value as a table", "bodies = 1\n[bodies.a]\nmass = 1\n", "2:2", ""),
    ("a list as a table", "[[pairs]]\n[pairs]\n", "2:2", ""),
    ("a control character", "title = \"a\u{1}b\"\n", "1:11", ""),
    ("a lone carriage return", "title = \"a\"\rseed = 1\n", "1:12", ""),
    ("whole number of 65 bits", "seed = 9223372036854775808\n", "1:8", ""),
    ("curly quotes", "title = “a”\n", "1:9", ""),
    ("YAML", "bodies:\n  a:\n    mass: 1\n", "1:7", ""),
    ("JSON in a TOML file", "{\"bodies\": {}}\n", "1:1", ""),
    // types
    ("number as a title", "title = 3\n", "1:9", "a text"),
    ("list as bodies", "bodies = []\n", "1:10", "a table of names"),
    ("number as a body", "[bodies]\na = 3\n", "2:5", "a body (a table)"),
    ("text as a mass", "[bodies.a]\nmass = \"heavy\"\n", "2:8", "a number above 0"),
    ("truth as a mass", "[bodies.a]\nmass = true\n", "2:8", "a number above 0"),
    ("date as a mass", "[bodies.a]\nmass = 1979-05-27\n", "2:8", "a number above 0"),
    ("number as shapes", "[bodies.a]\nmass = 1\nshapes = 3\n", "3:10", "a shape"),
    (
        "two coordinates",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0]\n",
        "4:12",
        "a list of 3",
    ),
    ("four coordinates", "[bodies.a]\nposition = [0, 0, 0, 0]\n", "2:12", "a list of 3"),
    ("text as a coordinate", "[bodies.a]\nposition = [0, \"x\", 0]\n", "2:16", "a number"),
    ("table as a position", "[bodies.a]\nposition = { x = 1 }\n", "2:12", "a list of 3"),
    ("gravity as one number", "[world]\ngravity = -9.81\n", "2:11", "a list of 3"),
    ("half a seed", "seed = 1.5\n", "1:8", "a whole number"),
    ("text as a truth", "[stepping]\nledger = \"yes\"\n", "2:10", "true or false"),
    ("table as a word", "[law]\nkind = { name = \"cone\" }\n", "2:8", "one of"),
    // ranges
    ("mass nan", "[bodies.a]\nmass = nan\n", "2:8", "a number above 0"),
    ("mass inf", "[bodies.a]\nmass = inf\n", "2:8", "a number above 0"),
    ("mass beyond f64", "[bodies.a]\nmass = 1e999\n", "2:8", ""),
    ("no mass", "[bodies.a]\nmass = 0\n", "2:8", "a number above 0"),
    ("negative mass", "[bodies.a]\nmass = -1\n", "2:8", "a number above 0"),
    ("negative seed", "seed = -1\n", "1:8", "a whole number"),
    ("gravity nan", "[world]\ngravity = [0, nan, 0]\n", "2:15", "a number"),
    ("negative friction", "[materials.a]\nfriction = -0.1\n", "2:12", "at least 0"),
    ("restitution of two", "[materials.a]\nrestitution = 2\n", "2:15", "at most 1"),
    ("no step length", "[stepping]\nh = 0\n", "2:5", "above 0"),
    ("negative step length", "[stepping]\nh = -1e-3\n", "2:5", "above 0"),
    ("negative duration", "[stepping]\nduration = -1\n", "2:12", ""),
    ("endless duration", "[stepping]\nduration = inf\n", "2:12", ""),
    ("steps beyond counting", "[stepping]\nh = 1e-300\nduration = 1e300\n", "3:12", ""),
    ("two facets", "[law]\nkind = \"pyramid\"\nfacets = 2\n", "3:10", "a whole number"),
    ("no recording at all", "[recording]\nevery = 0\n", "2:9", "a whole number"),
    ("a radius of nothing", "[shapes.s]\nkind = \"sphere\"\nradius = 0\n", "3:10", "above 0"),
    ("a flat box", "[shapes.s]\nkind = \"box\"\nsize = [1, 1, 0]\n", "3:15", "above 0"),
    (
        "a group beyond 31",
        "[shapes.s]\nkind = \"half-space\"\ngroups = { membership = [32] }\n",
        "3:26",
        "from 0 to 31",
    ),
    // keys
    ("misspelt root key", "[bodys.a]\nmass = 1\n", "1:2", "did you mean `bodies`?"),
    ("misspelt key", "[bodies.a]\nmas = 1\n", "2:1", "did you mean `mass`?"),
    ("misspelt kind", "[shapes.s]\nkind = \"spere\"\nradius = 1\n", "2:8", "did you mean"),
    ("no kind", "[shapes.s]\nradius = 1\n", "1:1", "`kind`"),
    (
        "key of another kind",
        "[shapes.s]\nkind = \"box\"\nsize = [1, 1, 1]\nradius = 1\n",
        "4:1",
        "radius",
    ),
    ("missing key", "[shapes.s]\nkind = \"sphere\"\n", "1:1", "`radius`"),
    ("unknown law", "[law]\nkind = \"coulomb\"\n", "2:8", "one of"),
    ("unknown solver", "[solver]\nname = \"lemkee\"\n", "2:8", "did you mean"),
    ("key in upper case", "[bodies.a]\nMass = 1\n", "2:1", "did you mean `mass`?"),
    ("mass and density", "[bodies.a]\nmass = 1\ndensity = 1\n", "3:1", "both `mass` and `density`"),
    ("a facet of a cone", "[law]\nkind = \"cone\"\nfacets = 4\n", "3:1", "facets"),
    // angles
    (
        "angle in degrees",
        "[bodies.a]\nrotation = { axis = [0, 0, 1], angle = \"30 degrees\" }\n",
        "2:40",
        "deg",
    ),
    (
        "angle without a unit",
        "[bodies.a]\nrotation = { axis = [0, 0, 1], angle = \"30\" }\n",
        "2:40",
        "deg",
    ),
    ("unit without an angle", "[bodies.a]\nrotation = { rpy = [\"deg\", 0, 0] }\n", "2:21", "deg"),
    ("angle that is none", "[bodies.a]\nrotation = { rpy = [\"nan deg\", 0, 0] }\n", "2:21", "deg"),
    ("angle beyond f64", "[bodies.a]\nrotation = { rpy = [\"1e999 deg\", 0, 0] }\n", "2:21", "deg"),
    ("a rate as an angle", "[bodies.a]\nrotation = { rpy = [\"1 deg/s\", 0, 0] }\n", "2:21", "deg"),
    (
        "a turn about nothing",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { axis = [0, 0, 0], angle = 1 }\n",
        "4:21",
        "",
    ),
    (
        "quaternion of nothing",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { quat_wxyz = [0, 0, 0, 0] }\n",
        "4:26",
        "",
    ),
    (
        "quaternion of length two",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { quat_wxyz = [2, 0, 0, 0] }\n",
        "4:26",
        "",
    ),
    (
        "two rotations",
        "[bodies.a]\nrotation = { rpy = [0, 0, 0], quat_wxyz = [1, 0, 0, 0] }\n",
        "2:31",
        "both",
    ),
    ("an axis alone", "[bodies.a]\nrotation = { axis = [0, 0, 1] }\n", "2:14", "`angle`"),
];

/// The first seven lines are wrong in seven ways.
const SEVEN: &str = "\
titel = \"a\"
seed = -1
[world]
gravity = 9.81
[bodies.a]
mass = -1
shapes = { kind = \"spere\" }
[materials.m]
restitution = 7
[stepping]
h = 0
";

#[test]
fn seven_mistakes_are_seven_lines_in_their_order() {
    let folder = folder("bad-seven");
    put(&folder, "scene.toml", SEVEN);
    let done = limited(&folder, &["check", "scene.toml"]);
    let places = ["1:1", "2:8", "4:11", "6:8", "7:19", "9:15", "11:5"];
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert_eq!(lines.len(), places.len(), "{}", done.stderr);
    for (line, place) in lines.iter().zip(places) {
        assert!(line.starts_with(&format!("stiction: scene.toml:{place}: ")), "{}", done.stderr);
    }
}

#[test]
fn a_thousand_mistakes_are_a_hundred_lines_and_a_number() {
    let folder = folder("bad-thousand");
    let text: String = (0..1000).map(|i| format!("[bodies.b{i}]\nmass = -{i}.5\n")).collect();
    put(&folder, "scene.toml", text);
    let done = limited(&folder, &["check", "scene.toml"]);
    assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 101), "{}", done.stderr);
    assert!(done.stderr.trim_end().ends_with("and 900 more errors"), "{}", done.stderr);
}
