//! Bodies, arrays of them, robots.

use super::Need::{Default, Optional, Required};
use super::shapes::{POSITION, ROTATION, SHAPE};
use super::{COORDINATE, COUNT, COUNTS, Key, Kind, NUMBER, NUMBER_NOT_NEGATIVE, Names, Object};
use super::{PLACE, SIZE, SIZES};
use super::{POSITIVE_NUMBER, RATES, Rule, Tag, VECTOR, Variant, key, object, variant};

pub(crate) static BODY: Object = Object {
    rules: &[
        Rule::AtMostOne(&["mass", "density"]),
        Rule::Needs("inertia", "mass"),
        Rule::Needs("com", "inertia"),
    ],
    ..object(
        "a body",
        &[
            key(
                "like",
                Kind::Reference(Names::Template),
                Optional,
                "",
                "A template; own keys win.",
            ),
            key("mass", POSITIVE_NUMBER, Optional, "kg", "Spread evenly over the shapes."),
            key("density", POSITIVE_NUMBER, Optional, "kg/m³", "Of all shapes, instead of `mass`."),
            key("inertia", MOMENTS, Optional, "kg·m²", INERTIA),
            key("com", VECTOR, Optional, "m", "Centre of mass; with `inertia`. Else the origin."),
            key("material", Kind::Reference(Names::Material), Optional, "", "Of its shapes."),
            key("shapes", Kind::Listed(&Kind::Object(&SHAPE)), Default("[]"), "", "What collides."),
            Key { doc: "Of its frame in the world; not of a body on a joint.", ..POSITION },
            Key { doc: "Of its frame in the world; not of a body on a joint.", ..ROTATION },
            key(
                "velocity",
                VECTOR,
                Default("[0.0, 0.0, 0.0]"),
                "m/s",
                "Of its origin, in the world.",
            ),
            key("angular_velocity", RATES, Default("[0.0, 0.0, 0.0]"), "rad/s", "In the world."),
        ],
        "A rigid body. One that no joint carries is free.",
    )
};

const MOMENTS: Kind = Kind::List { of: &NUMBER, least: 3, most: 6 };
const INERTIA: &str = "About the centre of mass: xx, yy, zz, or xx, yy, zz, xy, xz, yz (entries of the matrix). Without \
                       it that of the shapes.";

pub(crate) static ARRAY: Object = Object {
    tag: Some(&ARRAY_KINDS),
    rules: &[],
    short: None,
    name: "an array",
    doc: "Many bodies of one template, named `name.0`, `name.1` and so on. They stand on the plane through `origin`, about \
          the vertical line through it. Distances that are not given are such that the first shapes touch.",
    keys: &[
        key(
            "of",
            Kind::Either(&[Kind::Reference(Names::Template), Kind::Object(&BODY)]),
            Required,
            "",
            "A template or a body.",
        ),
        key("name", Kind::Text, Optional, "", "Without it that of the template, else the kind."),
        key("origin", PLACE, Default("[0.0, 0.0, 0.0]"), "m", "Below the middle."),
        key(
            "jitter",
            NUMBER_NOT_NEGATIVE,
            Default("0.0"),
            "m",
            "Largest random shift along each axis.",
        ),
    ],
};

const SPACING: Key = key(
    "spacing",
    Kind::Either(&[SIZE, SIZES]),
    Optional,
    "m",
    "Distance of neighbours, for all axes or for x, y, z.",
);
const ROWS: Key = key("rows", COUNT, Required, "", "From bottom to top.");

static ARRAY_KINDS: Tag = Tag {
    key: "kind",
    default: None,
    doc: "How they are placed.",
    variants: &[
        variant(
            "grid",
            &[key("count", COUNTS, Required, "", "Along x, y, z."), SPACING],
            "In rows, columns and layers.",
        ),
        variant(
            "pile",
            &[ROWS, SPACING],
            "In the xz plane, each row with one less: n (n + 1)/2. Spheres lie in the gaps of the row below.",
        ),
        variant(
            "pyramid",
            &[ROWS, SPACING],
            "Squares, each row with one less a side: n (n + 1)(2n + 1)/6. Spheres lie in the gaps of the row below.",
        ),
        variant(
            "wall",
            &[
                key(
                    "count",
                    Kind::List { of: &COUNT, least: 2, most: 2 },
                    Required,
                    "",
                    "Along x, and rows.",
                ),
                SPACING,
            ],
            "In the xz plane, every other row shifted by half a brick.",
        ),
        Variant {
            rules: &[
                Rule::ExactlyOne(&["count", "masses"]),
                Rule::AtMostOne(&["masses", "mass_ratio"]),
            ],
            ..variant(
                "tower",
                &[
                    key("count", COUNT, Optional, "", "One on the other."),
                    key(
                        "masses",
                        Kind::List { of: &POSITIVE_NUMBER, least: 1, most: usize::MAX },
                        Optional,
                        "kg",
                        "From bottom to top.",
                    ),
                    key(
                        "mass_ratio",
                        POSITIVE_NUMBER,
                        Optional,
                        "",
                        "Mass of the top over mass of the bottom, in equal factors. Without it 1.",
                    ),
                    SPACING,
                ],
                "One on the other.",
            )
        },
    ],
};

pub(crate) static ROBOT: Object = object(
    "a robot",
    &[
        key("file", Kind::File, Required, "", "URDF."),
        Key { doc: "Of the base in the world.", ..POSITION },
        Key { doc: "Of the base in the world.", ..ROTATION },
        key("base", Kind::Word(&["fixed", "free"]), Default("\"fixed\""), "", "What holds it."),
        key(
            "joints",
            Kind::Named(&JOINT_START),
            Default("{}"),
            "m or rad",
            "Positions at the start, by the names of the file.",
        ),
        key(
            "material",
            Kind::Reference(Names::Material),
            Optional,
            "",
            "Of its shapes. Without it `default`.",
        ),
        key("strict", Kind::Bool, Default("false"), "", "Whether what is lost is an error."),
    ],
    "Bodies and joints of a URDF file, their names after `name.`.",
);

static JOINT_START: Object = Object {
    short: Some("position"),
    ..object(
        "the start of a joint",
        &[key("position", COORDINATE, Required, "m or rad", "At the start.")],
        "A number stands for its position.",
    )
};
