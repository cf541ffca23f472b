//! Scenes that read well and mean nothing: names, circles, arrays, inertia, joints.

use super::harness::{Text, refuse_texts};

#[test]
fn scenes_without_a_meaning_are_refused_with_their_place() {
    refuse_texts("model.toml", TEXTS);
}

pub(super) const TEXTS: &[Text] = &[
    // names
    ("unknown template", "[bodies.a]\nlike = \"ball\"\n", "2:8", "`ball`"),
    (
        "misspelt template",
        "[templates.ball]\nmass = 1\n[bodies.a]\nlike = \"bal\"\n",
        "4:8",
        "did you mean `ball`?",
    ),
    (
        "misspelt material",
        "[materials.wood]\n[shapes.g]\nkind = \"half-space\"\nmaterial = \"wodo\"\n",
        "4:12",
        "did you mean `wood`?",
    ),
    (
        "unknown body of a shape",
        "[shapes.g]\nkind = \"half-space\"\nbody = \"a\"\n",
        "3:8",
        "the name of a body",
    ),
    ("unknown child", "[joints.j]\nkind = \"fixed\"\nchild = \"a\"\n", "3:9", "the name of a body"),
    (
        "unknown joint",
        "[springs.s]\nkind = \"coordinate\"\njoint = \"j\"\nstiffness = 1\n",
        "3:9",
        "the name of a joint",
    ),
    ("a body of the name world", "[bodies.world]\nmass = 1\ninertia = [1, 1, 1]\n", "1:9", "world"),
    (
        "a body without a name",
        "[bodies.\"\"]\nmass = 1\ninertia = [1, 1, 1]\n",
        "1:9",
        "an empty name",
    ),
    (
        "a body of an array's name",
        "[bodies.\"b.0\"]\nmass = 1\ninertia = [1, 1, 1]\n[[arrays]]\nkind = \"tower\"\nname = \"b\"\ncount = 1\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "6:8",
        "b.0",
    ),
    (
        "two arrays of one name",
        "[templates.t]\nmass = 1\nshapes = { kind = \"sphere\", radius = 1 }\n[[arrays]]\nkind = \"tower\"\ncount = 1\nof = \"t\"\n[[arrays]]\nkind = \"tower\"\ncount = 1\nof = \"t\"\n",
        "11:6",
        "t.0",
    ),
    // circles
    (
        "a template like itself",
        "[templates.a]\nlike = \"a\"\n[bodies.b]\nlike = \"a\"\n",
        "2:8",
        "",
    ),
    (
        "two templates like each other",
        "[templates.a]\nlike = \"b\"\n[templates.b]\nlike = \"a\"\n[bodies.c]\nlike = \"a\"\n",
        "2:8",
        "",
    ),
    ("a scene that includes itself", "include = \"model.toml\"\n", "1:11", "which is being read"),
    (
        "joints in a circle",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"fixed\"\nparent = \"b\"\nchild = \"a\"\n[joints.k]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n",
        "7:9",
        "",
    ),
    // arrays
    (
        "an array of none",
        "[[arrays]]\nkind = \"grid\"\ncount = [0, 1, 1]\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "3:10",
        "a whole number",
    ),
    (
        "a billion bodies",
        "[[arrays]]\nkind = \"grid\"\ncount = [1000, 1000, 1000]\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "1:3",
        "at most 1000000",
    ),
    (
        "more than 64 bits of bodies",
        "[[arrays]]\nkind = \"grid\"\ncount = [1000000000, 1000000000, 1000000000]\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "1:3",
        "at most 1000000",
    ),
    (
        "a pyramid of a billion rows",
        "[[arrays]]\nkind = \"pyramid\"\nrows = 1000000000\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "1:3",
        "at most 1000000",
    ),
    (
        "a tower of no height",
        "[[arrays]]\nkind = \"tower\"\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "1:3",
        "`count`, `masses`",
    ),
    (
        "a tower of two heights",
        "[[arrays]]\nkind = \"tower\"\ncount = 2\nmasses = [1, 2]\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n",
        "4:1",
        "both",
    ),
    ("an array of nothing", "[[arrays]]\nkind = \"pile\"\nrows = 2\n", "1:3", "`of`"),
    (
        "an array of an unknown template",
        "[[arrays]]\nkind = \"pile\"\nrows = 2\nof = \"t\"\n",
        "4:6",
        "`t`",
    ),
    (
        "an array without shapes",
        "[[arrays]]\nkind = \"pile\"\nrows = 2\nof = { mass = 1, inertia = [1, 1, 1] }\n",
        "1:3",
        "spacing",
    ),
    ("an unknown array", "[[arrays]]\nkind = \"heap\"\nrows = 2\nof = \"t\"\n", "2:8", "one of"),
    // mass and inertia
    ("a body without mass", "[bodies.a]\n", "1:9", "mass"),
    ("a mass without shapes", "[bodies.a]\nmass = 1\n", "1:9", "inertia"),
    ("an impossible inertia", "[bodies.a]\nmass = 1\ninertia = [1, 1, 3]\n", "3:11", ""),
    ("an inertia of four", "[bodies.a]\nmass = 1\ninertia = [1, 1, 1, 1]\n", "3:11", ""),
    ("an inertia without a mass", "[bodies.a]\ninertia = [1, 1, 1]\n", "2:1", "`mass`"),
    (
        "a density without volume",
        "[bodies.a]\ndensity = 1\nshapes = { kind = \"points\", points = [[0, 0, 0]] }\n",
        "1:9",
        "",
    ),
    // shapes
    (
        "a half-space that falls",
        "[bodies.a]\nmass = 1\nshapes = { kind = \"half-space\" }\n",
        "3:10",
        "",
    ),
    (
        "a hull of two points",
        "[bodies.a]\nmass = 1\nshapes = { kind = \"hull\", points = [[0, 0, 0], [1, 0, 0]] }\n",
        "3:10",
        "",
    ),
    (
        "a mesh of a vertex that there is not",
        "[shapes.s]\nkind = \"mesh\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 3]]\n",
        "4:14",
        "",
    ),
    (
        "triangles without vertices",
        "[shapes.s]\nkind = \"mesh\"\ntriangles = [[0, 1, 2]]\n",
        "3:1",
        "`vertices`",
    ),
    (
        "a mesh that falls",
        "[bodies.a]\nmass = 1\nshapes = { kind = \"mesh\", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]] }\n",
        "3:10",
        "",
    ),
    (
        "too few heights",
        "[shapes.s]\nkind = \"height-field\"\ncount = [2, 3]\nspacing = [1, 1]\nheights = [0, 0, 0, 0, 0]\n",
        "5:11",
        "6",
    ),
    ("a compound of nothing", "[shapes.s]\nkind = \"compound\"\nparts = []\n", "3:9", ""),
    ("no points", "[shapes.s]\nkind = \"points\"\npoints = []\n", "3:10", ""),
    // joints and what is on them
    (
        "a body on two joints",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"fixed\"\nchild = \"a\"\n[joints.k]\nkind = \"fixed\"\nchild = \"a\"\n",
        "7:9",
        "",
    ),
    (
        "a body on a joint with a place of its own",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nposition = [1, 0, 0]\n[joints.j]\nkind = \"fixed\"\nchild = \"a\"\n",
        "4:1",
        "`j`",
    ),
    (
        "an axis of nothing",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"revolute\"\naxis = [0, 0, 0]\nchild = \"a\"\n",
        "6:8",
        "",
    ),
    (
        "limits the wrong way round",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"revolute\"\naxis = [0, 0, 1]\nchild = \"a\"\nlimits = [1, -1]\n",
        "8:10",
        "",
    ),
    (
        "three limits",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"revolute\"\naxis = [0, 0, 1]\nchild = \"a\"\nlimits = [[0, 1], [0, 1], [0, 1]]\n",
        "8:10",
        "",
    ),
    ("the world as a child", "[joints.j]\nkind = \"fixed\"\nchild = \"world\"\n", "3:9", ""),
    (
        "a body on itself",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"a\"\n",
        "4:9",
        "",
    ),
    (
        "a coordinate that there is not",
        "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nkind = \"revolute\"\naxis = [0, 0, 1]\nchild = \"a\"\n[motors.m]\njoint = \"j\"\nindex = 2\nlaw = { rate = [0, 1] }\nmax = 1\n",
        "8:9",
        "",
    ),
    (
        "more friction in motion",
        "[materials.m]\nstatic_friction = 0.1\nkinetic_friction = 0.2\n",
        "1:12",
        "",
    ),
    ("damping without stiffness", "[materials.m]\ndamping = 1\n", "2:1", "`stiffness`"),
    (
        "a pair twice",
        "[materials.m]\n[[pairs]]\nmaterials = [\"m\", \"m\"]\n[[pairs]]\nmaterials = [\"m\", \"m\"]\n",
        "4:3",
        "",
    ),
    (
        "a pair of three",
        "[materials.m]\n[[pairs]]\nmaterials = [\"m\", \"m\", \"m\"]\n",
        "3:13",
        "a list of 2",
    ),
];
