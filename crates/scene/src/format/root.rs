//! The whole of a scene, the world and the materials.

use super::Need::{Default, Optional, Required};
use super::bodies::{ARRAY, BODY, ROBOT};
use super::connections::{CONSTRAINT, FORCE, GUIDE, JOINT, MOTOR, SPRING};
use super::run::{LAW, RECORDING, SOLVER, START, STEPPING};
use super::shapes::PLACED_SHAPE;
use super::{Key, Kind, NUMBER_NOT_NEGATIVE, Names, Object, Rule, VECTOR, key, object};
use super::{POSITIVE_NUMBER, Quantity, SHARE};

/// A scene file.
pub static SCENE: Object = object("a scene", ROOT, "What moves and how it is stepped.");

const ROOT: &[Key] = &[
    key("title", Kind::Text, Optional, "", "One line. Without it, the file's name."),
    key("description", Kind::Text, Default("\"\""), "", "What there is to see."),
    key("include", Kind::Listed(&Kind::File), Optional, "", INCLUDE),
    key("seed", Kind::Whole { least: 0, most: i64::MAX }, Default("0"), "", "Of random places."),
    key("world", Kind::Object(&WORLD), Default("{}"), "", "What holds everywhere."),
    key("materials", Kind::Named(&MATERIAL), Default("{}"), "", MATERIALS),
    key("pairs", PAIRS, Default("[]"), "", "What two materials make together."),
    key(
        "templates",
        Kind::Named(&BODY),
        Default("{}"),
        "",
        "Bodies to be used by `like` and `of`.",
    ),
    key("bodies", Kind::Named(&BODY), Default("{}"), "", "In the order of q."),
    key("arrays", ARRAYS, Default("[]"), "", "Many bodies of one template, after `bodies`."),
    key("urdf", Kind::Named(&ROBOT), Default("{}"), "", "Robots of URDF files, after `arrays`."),
    key("shapes", Kind::Named(&PLACED_SHAPE), Default("{}"), "", "On the world, or on a body."),
    key("joints", Kind::Named(&JOINT), Default("{}"), "", "What carries bodies; others are free."),
    key("constraints", Kind::Named(&CONSTRAINT), Default("{}"), "", "Beside the tree of joints."),
    key("springs", Kind::Named(&SPRING), Default("{}"), "", "With dampers."),
    key("motors", Kind::Named(&MOTOR), Default("{}"), "", "With a largest force."),
    key("guides", Kind::Named(&GUIDE), Default("{}"), "", "Points on lines, circles, planes."),
    key("forces", Kind::Named(&FORCE), Default("{}"), "", "From outside."),
    key("law", Kind::Object(&LAW), Default("{}"), "", "The friction law."),
    key("solver", Kind::Object(&SOLVER), Default("{}"), "", "Who solves the contacts."),
    key("stepping", Kind::Object(&STEPPING), Default("{}"), "", "How time goes on."),
    key("start", Kind::Object(&START), Default("{}"), "", "What is known of the past."),
    key("recording", Kind::Object(&RECORDING), Default("{}"), "", "What is kept of a run."),
];

const INCLUDE: &str = "Files that are read before: tables are merged key by key and this file wins; `pairs` and `arrays` \
                       are put one after the other.";
const MATERIALS: &str =
    "A shape without a material is of `default`, which has friction 0.5 unless it is stated.";
const PAIRS: Kind = Kind::List { of: &Kind::Object(&PAIR), least: 0, most: usize::MAX };
const ARRAYS: Kind = Kind::List { of: &Kind::Object(&ARRAY), least: 0, most: usize::MAX };

static WORLD: Object = object(
    "the world",
    &[
        key("gravity", VECTOR, Default("[0, 0, -9.81]"), "m/s²", "Acceleration of what falls."),
        key(
            "coordinates",
            Kind::Word(&["generalized", "maximal"]),
            Default("\"generalized\""),
            "",
            "A tree of joints, or every body free and every joint a set of rows.",
        ),
        key(
            "neighbours_collide",
            Kind::Bool,
            Default("false"),
            "",
            "Whether two bodies that a joint connects collide.",
        ),
        key("combine", Kind::Object(&COMBINE), Default("{}"), "", "What two materials make."),
    ],
    "What holds everywhere.",
);

const RULES_OF_PAIRS: Kind = Kind::Word(&["minimum", "geometric-mean", "maximum", "average"]);

static COMBINE: Object = object(
    "the combination of materials",
    &[
        key("friction", RULES_OF_PAIRS, Default("\"geometric-mean\""), "", "Of both coefficients."),
        key("restitution", RULES_OF_PAIRS, Default("\"minimum\""), "", "Of both restitutions."),
    ],
    "How numbers of a pair are made of the numbers of two materials, where `pairs` does not say it.",
);

const SURFACE_RULES: &[Rule] = &[Rule::Needs("damping", "stiffness")];

static MATERIAL: Object = Object {
    rules: SURFACE_RULES,
    ..object(
        "a material",
        &[FRICTION, STATIC, KINETIC, RESTITUTION, STIFFNESS, DAMPING],
        "What surfaces are made of.",
    )
};

static PAIR: Object = Object {
    rules: SURFACE_RULES,
    ..object(
        "a pair of materials",
        &[
            key(
                "materials",
                Kind::List { of: &Kind::Reference(Names::Material), least: 2, most: 2 },
                Required,
                "",
                "In either order; twice the same is a material on itself.",
            ),
            FRICTION,
            STATIC,
            KINETIC,
            RESTITUTION,
            STIFFNESS,
            DAMPING,
        ],
        "What two materials make together, instead of what `world.combine` would make of them.",
    )
};

const FRICTION: Key =
    key("friction", NUMBER_NOT_NEGATIVE, Default("0.5"), "", "Coefficient, sticking and sliding.");
const STATIC: Key = key(
    "static_friction",
    NUMBER_NOT_NEGATIVE,
    Optional,
    "",
    "Coefficient while sticking, instead of `friction`.",
);
const KINETIC: Key = key(
    "kinetic_friction",
    NUMBER_NOT_NEGATIVE,
    Optional,
    "",
    "Coefficient while sliding, instead of `friction`; at most the static one.",
);
const RESTITUTION: Key = key(
    "restitution",
    Kind::Number(Quantity::Plain, SHARE),
    Default("0.0"),
    "",
    "0: plastic, 1: elastic.",
);
const STIFFNESS: Key =
    key("stiffness", POSITIVE_NUMBER, Optional, "N/m", "Of a contact that gives way; else rigid.");
const DAMPING: Key =
    key("damping", NUMBER_NOT_NEGATIVE, Optional, "N·s/m", "Beside `stiffness`; else none.");
