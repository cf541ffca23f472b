//! Scenes that are wrong: each has its errors, with their places and what was expected.

use stiction_scene::{LoadOptions, Syntax};

use crate::{errors, errors_with};

/// A text, the place of its only error, and a part of what is said.
type Bad = (&'static str, &'static str, &'static str);

const BALL: &str = "[bodies.a]\nmass = 1\nshapes = { kind = \"sphere\", radius = 0.1 }\n";

#[test]
fn keys_that_are_not_there_or_missing_are_told() {
    check(&[
        (
            "[bodys.a]\nmass = 1",
            "1:2",
            "the key `bodys`, expected a key of a scene; did you mean `bodies`?",
        ),
        ("[bodies.a]\nmas = 1", "2:1", "did you mean `mass`?"),
        ("[world]\ncolour = 1", "2:1", "a key of the world: gravity, coordinates"),
        ("[law]\nfacet = 4", "2:1", "did you mean `facets`?"),
        (
            "[shapes.a]\nkind = \"sphere\"\nradius = 1\nsize = [1, 1, 1]",
            "4:1",
            "a shape with a name of kind `sphere`",
        ),
        (
            "[shapes.a]\nkind = \"sphere\"",
            "1:1",
            "without `radius`, expected a number above 0 and at most 1000000000000 [m]",
        ),
        ("[shapes.a]\nradius = 1", "1:1", "without `kind`, expected one of \"half-space\""),
        (
            "[joints.j]\nkind = \"revolute\"\nchild = \"a\"\n[bodies.a]\nmass = 1\ninertia = [1, 1, 1]",
            "1:1",
            "without `axis`",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"",
            "4:1",
            "a joint without `child`",
        ),
        (
            "[[arrays]]\nkind = \"pile\"\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }",
            "1:1",
            "without `rows`",
        ),
        (
            "[motors.m]\njoint = \"a\"\nlaw = { rate = [0, 1] }\n[bodies.a]\nmass = 1\ninertia = [1, 1, 1]",
            "1:1",
            "without `max`",
        ),
        (
            "[bodies.a]\nmass = 1\nrotation = { axis = [0, 0, 1] }\ninertia = [1, 1, 1]",
            "3:14",
            "`axis` alone, expected `angle`",
        ),
        (
            "[bodies.a]\nmass = 1\nrotation = {}\ninertia = [1, 1, 1]",
            "3:12",
            "one of `axis`, `quat_wxyz`, `rpy`",
        ),
        (
            "[bodies.a]\nmass = 1\nrotation = { rpy = [0, 0, 0], quat_wxyz = [1, 0, 0, 0] }\ninertia = [1, 1, 1]",
            "3:31",
            "both",
        ),
        ("[bodies.a]\nmass = 1\ndensity = 2", "3:1", "both `mass` and `density`"),
        ("[bodies.a]\ninertia = [1, 1, 1]", "2:1", "`inertia` alone, expected `mass`"),
        ("[stepping]\nsteps = 3\nduration = 1", "3:1", "both `duration` and `steps`"),
        ("[materials.a]\ndamping = 3", "2:1", "`damping` alone, expected `stiffness`"),
        ("[materials.\"\"]\nfriction = 0.1", "1:12", "an empty name"),
    ]);
}

#[test]
fn values_of_the_wrong_type_or_range_are_told() {
    check(&[
        (
            "[shapes.a]\nkind = \"sphere\"\nradius = 1e308",
            "3:10",
            "found 1e308, expected a number above 0 and at most",
        ),
        ("title = 3", "1:9", "found 3, expected a text"),
        ("seed = -1", "1:8", "found -1, expected a whole number of at least 0"),
        ("seed = 1.5", "1:8", "expected a whole number"),
        ("[world]\ngravity = 9.81", "2:11", "found 9.81, expected a list of 3"),
        ("[world]\ngravity = [0, 0]", "2:11", "found a list of 2, expected a list of 3"),
        (
            "[world]\ngravity = [0, 0, \"down\"]",
            "2:18",
            "found the text \"down\", expected a number",
        ),
        ("[world]\ngravity = [0, 0, nan]", "2:18", "found NaN, expected a number"),
        ("[world]\ngravity = [0, 0, -inf]", "2:18", "found -inf, expected a number"),
        ("[world]\ncoordinates = \"minimal\"", "2:15", "did you mean `maximal`?"),
        ("[world]\nneighbours_collide = 1", "2:22", "expected true or false"),
        ("world = 3", "1:9", "found 3, expected the world (a table)"),
        ("bodies = [1]", "1:10", "expected a table of names, each a body"),
        ("[bodies]\na = 3", "2:5", "expected a body (a table)"),
        ("[bodies.a]\nmass = -1", "2:8", "found -1, expected a number above 0 [kg]"),
        ("[bodies.a]\nmass = \"1 kg\"", "2:8", "expected a number above 0 [kg]"),
        ("[bodies.a]\nmass = 1e999", "2:8", "64 bits"),
        ("[bodies.a]\nmass = 1979-05-27", "2:8", "found a date"),
        (
            "[materials.a]\nrestitution = 1.5",
            "2:15",
            "found 1.5, expected a number of at least 0 and at most 1",
        ),
        ("[materials.a]\nfriction = -0.1", "2:12", "at least 0"),
        ("[stepping]\nh = 0", "2:5", "found 0, expected a number above 0 [s]"),
        ("[stepping]\nmethod = \"eulr\"", "2:10", "did you mean `euler`?"),
        ("[stepping]\ndrift = { stabilize = 2 }", "2:23", "above 0 and at most 1"),
        (
            "[stepping]\ndrift = true",
            "2:9",
            "expected one of \"free\", \"project\", \"close\", or a drift",
        ),
        ("[solver]\ntol = 1", "2:7", "above 0 and below 1"),
        ("[law]\nfacets = 2", "2:10", "from 3 to 1000"),
        ("law = \"coulomb\"", "1:7", "expected one of \"frictionless\""),
        ("[shapes.a]\nkind = \"spere\"\nradius = 1", "2:8", "did you mean `sphere`?"),
        (
            "[shapes.a]\nkind = \"half-space\"\ngroups = { membership = [32] }",
            "3:26",
            "from 0 to 31",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { axis = [0, 0, 1], angle = \"30 grad\" }",
            "4:40",
            "\"30 deg\"",
        ),
        ("[recording]\nevery = 0", "2:9", "at least 1"),
        ("[[pairs]]\nmaterials = [\"default\"]", "2:13", "found a list of 1, expected a list of 2"),
        ("pairs = 3", "1:9", "expected a list"),
    ]);
}

#[test]
fn names_that_are_nobodys_are_told() {
    check(&[
        (
            "[shapes.a]\nkind = \"half-space\"\nmaterial = \"wod\"\n[materials.wood]",
            "3:12",
            "did you mean `wood`?",
        ),
        (
            "[shapes.a]\nkind = \"sphere\"\nradius = 1\nbody = \"bx\"",
            "4:8",
            "`bx`, which is not there, expected the name of a body",
        ),
        (
            "[bodies.bob]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"\nchild = \"bobb\"",
            "6:9",
            "did you mean `bob`?",
        ),
        (
            "[bodies.a]\nlike = \"brik\"\n[templates.brick]\nmass = 1",
            "2:8",
            "did you mean `brick`?",
        ),
        ("[[arrays]]\nkind = \"pile\"\nrows = 2\nof = \"brick\"", "4:6", "the name of a template"),
        ("[springs.s]\nkind = \"coordinate\"\njoint = \"hinge\"", "3:9", "the name of a joint"),
        ("[forces.f]\nbody = \"world\"", "2:8", "the name of a body"),
        ("[[pairs]]\nmaterials = [\"a\", \"default\"]", "2:14", "the name of a material"),
        ("[templates.a]\nlike = \"a\"", "2:8", "without an end"),
        ("[bodies.world]\nmass = 1\ninertia = [1, 1, 1]", "1:9", "another name"),
    ]);
}

#[test]
fn models_that_cannot_be_are_told_where_they_are_stated() {
    check(&[
        ("[bodies.a]\nposition = [0, 0, 1]", "1:9", "expected `mass` or `density`"),
        ("[bodies.a]\nmass = 1", "1:9", "a body without shapes, expected `mass` and `inertia`"),
        (
            "[bodies.a]\nmass = 1\nshapes = { kind = \"points\", points = [[0, 0, 0]] }",
            "3:10",
            "`inertia` of the body",
        ),
        ("[bodies.a]\nmass = 1\ninertia = [1, 1, 3]", "1:9", "exceeds the sum of the others"),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1, 0]",
            "3:11",
            "found 4 numbers, expected 3 or 6",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { quat_wxyz = [1, 1, 0, 0] }",
            "4:26",
            "expected unit length",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = { axis = [0, 0, 0], angle = 1 }",
            "4:21",
            "with a direction",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nshapes = { kind = \"mesh\", vertices = [[0, 0, 0]], triangles = [[0, 0, 0]] }",
            "4:10",
            "a hull on the body",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 1]\n[joints.j]\nkind = \"ball\"\nchild = \"a\"",
            "4:1",
            "of a body that the joint `j` carries",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"\nchild = \"a\"\n[joints.k]\nkind = \"ball\"\nchild = \"a\"",
            "1:9",
            "both carry body `a`",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"\nparent = \"a\"\nchild = \"a\"",
            "4:9",
            "its child must be a body other than its parent",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"\nchild = \"a\"\nposition = [1, 0, 0]",
            "7:12",
            "found 3 numbers, expected 4",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"ball\"\nchild = \"a\"\nposition = [2, 0, 0, 0]",
            "4:9",
            "unit length",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"prismatic\"\naxis = [0, 0, 0]\nchild = \"a\"",
            "6:8",
            "with a direction",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"prismatic\"\naxis = [0, 0, 1]\nchild = \"a\"\nlimits = [1, -1]",
            "4:9",
            "lower limit 1",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"cylindrical\"\naxis = [0, 0, 1]\nchild = \"a\"\nposition = [\"1 deg\", \"2 deg\"]",
            "8:22",
            "position 1 of a cylindrical joint is in m",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"prismatic\"\naxis = [0, 0, 1]\nchild = \"a\"\nlimits = [0, \"2 deg\"]",
            "8:14",
            "position 0 of a prismatic joint is in m",
        ),
        (
            "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[constraints.c]\nkind = \"weld\"\na = \"a\"\nb = \"a\"",
            "4:14",
            "connects a body with itself",
        ),
        (
            "[shapes.a]\nkind = \"hull\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]",
            "1:9",
            "must not lie in one plane",
        ),
        (
            "[shapes.a]\nkind = \"mesh\"\nvertices = [[0, 0, 0]]\ntriangles = [[0, 1, 2]]",
            "4:14",
            "numbers below 1",
        ),
        (
            "[shapes.a]\nkind = \"height-field\"\ncount = [2, 2]\nspacing = [1, 1]\nheights = [0, 0, 0, 0, 0]",
            "5:11",
            "found 5 heights, expected 2 × 2 = 4",
        ),
        (
            "[materials.a]\nstatic_friction = 0.1\nkinetic_friction = 0.2",
            "3:20",
            "at most the static friction 0.1",
        ),
        ("[law]\nkind = \"cone\"\n[solver]\nname = \"lemke\"", "4:8", "one of auto, nsgs"),
        ("[law]\nkind = \"box\"\n[solver]\nname = \"nsgs\"", "4:8", "one of auto, lemke"),
        ("[stepping]\nlocated = true\nmethod = \"symmetric\"", "1:1", "`method` must be"),
        (
            "[stepping]\nlocated = true\nimpact = { friction = \"box\" }",
            "1:1",
            "not `box` or `hybrid`",
        ),
        (
            "[[arrays]]\nkind = \"pile\"\nrows = 2\nof = { mass = 1, inertia = [1, 1, 1] }",
            "1:1",
            "expected `spacing`",
        ),
    ]);
}

#[test]
fn arrays_that_are_too_large_are_refused_before_they_are_made() {
    let of = "of = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n";
    for array in [
        "kind = \"grid\"\ncount = [100000, 100000, 100000]\n",
        "kind = \"grid\"\ncount = [1000000000, 1000000000, 1000000000]\n",
        "kind = \"pyramid\"\nrows = 1000000000\n",
        "kind = \"pile\"\nrows = 1500\n",
        "kind = \"wall\"\ncount = [1000000000, 2]\n",
        "kind = \"tower\"\ncount = 1000001\n",
    ] {
        let found = errors(&format!("[[arrays]]\n{array}{of}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("s.toml:1:1: found an array of"), "{found:?}");
        assert!(found[0].ends_with("expected at most 100000 in a scene"), "{found:?}");
    }
    let two = "[[arrays]]\nkind = \"tower\"\ncount = 60000\nname = \"";
    let found = errors(&format!("{two}a\"\n{of}{two}b\"\n{of}"));
    assert!(found[0].starts_with("s.toml:6:1: "), "{found:?}");
}

#[test]
fn all_errors_of_a_file_come_at_once_and_in_order() {
    let text = "[shapes.a]\nkind = \"sphere\"\nradius = -1\nmaterial = \"wod\"\n\
                [bodies.b]\nmas = 2\nposition = [0, 0]\n[law]\nkind = \"con\"\n";
    let found = errors(text);
    let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["s.toml:3:10", "s.toml:4:12", "s.toml:6:1", "s.toml:7:12", "s.toml:9:8"]);
}

#[test]
fn a_file_of_many_errors_has_a_hundred_and_a_count() {
    let text: String = (0..250).map(|i| format!("[bodies.b{i}]\nmas = 1\n")).collect();
    let found = errors(&text);
    assert_eq!(found.len(), 101);
    assert!(found[100].ends_with("and 150 more errors"), "{}", found[100]);
}

#[test]
fn an_error_carries_the_line_it_is_in() {
    let text = "[bodies.a]\n  mas = 1 # kg\n";
    let path = std::path::Path::new("s.toml");
    let errors = stiction_scene::parse(text, path, Syntax::Toml, &LoadOptions::default());
    let place = errors.unwrap_err()[0].place.clone();
    assert_eq!((place.line, place.column, place.text.as_str()), (2, 3, "mas = 1 # kg"));
}

#[test]
fn errors_of_json_have_places_too() {
    let text = "{\n  \"bodies\": {\n    \"a\": { \"mas\": 1 }\n  }\n}\n";
    let found = errors_with(text, Syntax::Json, &LoadOptions::default());
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("s.toml:3:12: found the key `mas`"), "{found:?}");
}

#[test]
fn errors_of_settings_name_the_setting() {
    for (setting, expected) in [
        ("bodies.a.mass=-1", "--set bodies.a.mass=-1:1:15: found -1, expected a number above 0"),
        ("law.kind=con", "--set law.kind=con:1:10: found the text \"con\", expected one of"),
        ("law.knd=cone", "--set law.knd=cone:1:5: found the key `knd`"),
        (
            "stepping={h=1e-300,duration=1}",
            "--set stepping={h=1e-300,duration=1}:1:29: found a run of",
        ),
        (
            "include=other.toml",
            "--set include=other.toml:1:1: found `include`, expected a key that",
        ),
        ("h", "--set h:1:1: found `h`, expected path.to.key=value"),
        ("=3", "--set =3:1:1: found `=3`, expected path.to.key=value"),
        (
            "pairs.0.friction=1",
            "--set pairs.0.friction=1:1:7: found `0`, expected a place in a list of 0",
        ),
    ] {
        let options = LoadOptions { set: vec![setting.to_string()], ..LoadOptions::default() };
        let text = format!("pairs = []\n{BALL}");
        let found = errors_with(&text, Syntax::Toml, &options);
        assert!(found[0].starts_with(expected), "{found:?}");
    }
}

fn check(all: &[Bad]) {
    let mut wrong = Vec::new();
    for (text, place, part) in all {
        let found = errors(text);
        let fits = found.len() == 1
            && found[0].starts_with(&format!("s.toml:{place}: "))
            && found[0].contains(part);
        if !fits {
            wrong.push(format!("{text}\n  expected {place} … {part}\n  found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
