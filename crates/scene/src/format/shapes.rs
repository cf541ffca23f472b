//! Places, rotations, shapes.

use super::Need::{Default, Optional, Required};
use super::{ANGLE, ANGLES, Key, Kind, NUMBER, NUMBER_NOT_NEGATIVE, Names, Object, POINTS};
use super::{FACTORS, LENGTH, PLACE, SIZE};
use super::{Rule, SIZES, Tag, VECTOR, Variant, key, object, variant};

pub(crate) const POSITION: Key =
    key("position", PLACE, Default("[0.0, 0.0, 0.0]"), "m", "Of the origin.");
pub(crate) const ROTATION: Key = key(
    "rotation",
    Kind::Object(&ROTATION_OBJECT),
    Default("{ quat_wxyz = [1.0, 0.0, 0.0, 0.0] }"),
    "",
    "Orientation of the axes.",
);

static ROTATION_OBJECT: Object = Object {
    rules: &[
        Rule::ExactlyOne(&["axis", "quat_wxyz", "rpy"]),
        Rule::Needs("axis", "angle"),
        Rule::Needs("angle", "axis"),
    ],
    ..object(
        "a rotation",
        &[
            key("axis", VECTOR, Optional, "", "Of any length above 0; with `angle`."),
            key("angle", ANGLE, Optional, "rad", "About `axis`."),
            key(
                "quat_wxyz",
                Kind::List { of: &NUMBER, least: 4, most: 4 },
                Optional,
                "",
                "Quaternion of unit length, its real part first.",
            ),
            key(
                "rpy",
                ANGLES,
                Optional,
                "rad",
                "Roll, pitch, yaw about the fixed axes x, y, z, in this order.",
            ),
        ],
        "One of `axis` and `angle`, `quat_wxyz`, `rpy`.",
    )
};

const MATERIAL: Key = key(
    "material",
    Kind::Reference(Names::Material),
    Optional,
    "",
    "Without it that of the body, else `default`.",
);
const MARGIN: Key = key(
    "margin",
    NUMBER_NOT_NEGATIVE,
    Default("0.0"),
    "m",
    "Two shapes are in contact while their gap is at most the sum of their margins.",
);
const GROUPS: Key =
    key("groups", Kind::Object(&GROUPS_OBJECT), Default("{}"), "", "What collides.");

const GROUP_NUMBERS: Kind =
    Kind::List { of: &Kind::Whole { least: 0, most: 31 }, least: 0, most: 32 };

static GROUPS_OBJECT: Object = object(
    "groups",
    &[
        key("membership", GROUP_NUMBERS, Default("[0]"), "", "Groups that the shape is in."),
        key("filter", GROUP_NUMBERS, Optional, "", "Groups that it collides with. Without it all."),
    ],
    "Two shapes collide of which each is in a group that the other's filter has.",
);

/// On a body, in the list of its shapes.
pub(crate) static SHAPE: Object = Object {
    tag: Some(&SHAPE_KINDS),
    ..object(
        "a shape",
        &[
            key(
                "name",
                Kind::Text,
                Optional,
                "",
                "Without it the body's, with a number if several.",
            ),
            POSITION,
            ROTATION,
            MATERIAL,
            MARGIN,
            GROUPS,
        ],
        "What collides, and by its volume the mass of its body.",
    )
};

pub(crate) static PLACED_SHAPE: Object = Object {
    tag: Some(&SHAPE_KINDS),
    ..object(
        "a shape with a name",
        &[
            key(
                "body",
                Kind::Reference(Names::BodyOrWorld),
                Default("\"world\""),
                "",
                "Its bearer.",
            ),
            POSITION,
            ROTATION,
            MATERIAL,
            MARGIN,
            GROUPS,
        ],
        "What collides. It adds nothing to the mass of its body.",
    )
};

static PART: Object = Object {
    tag: Some(&SHAPE_KINDS),
    ..object("a part of a compound", &[POSITION, ROTATION], "A shape with its place in another.")
};

static SHAPE_KINDS: Tag = Tag {
    key: "kind",
    default: None,
    doc: "What it is.",
    variants: &[
        variant("half-space", &[], "Everything with z ≤ 0."),
        variant("sphere", &[RADIUS], "About its origin."),
        variant("box", &[key("size", SIZES, Required, "m", "Whole edges.")], "About its origin."),
        variant(
            "ellipsoid",
            &[key("radii", SIZES, Required, "m", "Half axes.")],
            "About its origin.",
        ),
        variant(
            "capsule",
            &[RADIUS, key("length", SIZE, Required, "m", "Without the round ends.")],
            "Along z, about its origin.",
        ),
        variant("cylinder", &[RADIUS, WHOLE_LENGTH], "Along z, about its origin."),
        variant(
            "cone",
            &[RADIUS, key("height", SIZE, Required, "m", "From base to tip.")],
            "Along z, the origin halfway between base and tip.",
        ),
        Variant {
            rules: &[Rule::ExactlyOne(&["points", "file"])],
            ..variant(
                "hull",
                &[key("points", POINTS, Optional, "m", "Its corners."), FILE, SCALE],
                "The convex hull of points, or of the vertices of a file.",
            )
        },
        Variant {
            rules: &[
                Rule::ExactlyOne(&["vertices", "file"]),
                Rule::Needs("vertices", "triangles"),
                Rule::Needs("triangles", "vertices"),
            ],
            ..variant("mesh", &[VERTICES, TRIANGLES, FILE, SCALE], "Triangles; on the world only.")
        },
        variant("height-field", HEIGHT_FIELD, "Ground below heights; on the world only."),
        variant(
            "points",
            &[key("points", POINTS, Required, "m", "Their places.")],
            "Contact points without a volume.",
        ),
        variant("compound", &COMPOUND, "Several shapes as one."),
    ],
};

const RADIUS: Key = key("radius", SIZE, Required, "m", "Of the round part.");
const WHOLE_LENGTH: Key = key("length", SIZE, Required, "m", "From end to end.");
const FILE: Key = key("file", Kind::File, Optional, "", "STL or OBJ.");
const SCALE: Key =
    key("scale", FACTORS, Optional, "", "Factors of x, y, z of a file. Without it 1.");
const VERTICES: Key = key("vertices", POINTS, Optional, "m", "Corners of the triangles.");
const CORNERS: Kind =
    Kind::List { of: &Kind::Whole { least: 0, most: u32::MAX as i64 }, least: 3, most: 3 };
const TRIANGLES: Key = key(
    "triangles",
    Kind::List { of: &CORNERS, least: 1, most: usize::MAX },
    Optional,
    "",
    "Numbers of vertices from 0, counterclockwise from outside.",
);
// statics: parts may be compounds, and constants may not go in circles
static COMPOUND: [Key; 1] = [Key {
    name: "parts",
    kind: Kind::List { of: &PART_KIND, least: 1, most: usize::MAX },
    need: Required,
    unit: "",
    doc: "They do not collide with each other.",
}];
static PART_KIND: Kind = Kind::Object(&PART);

const HEIGHT_FIELD: &[Key] = &[
    key(
        "count",
        Kind::List { of: &Kind::Whole { least: 2, most: 100_000 }, least: 2, most: 2 },
        Required,
        "",
        "Samples along x and y.",
    ),
    key("spacing", Kind::List { of: &SIZE, least: 2, most: 2 }, Required, "m", "Between samples."),
    key(
        "heights",
        Kind::List { of: &LENGTH, least: 4, most: usize::MAX },
        Required,
        "m",
        "Row by row along x; the middle is at the origin.",
    ),
];
