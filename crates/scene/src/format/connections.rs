//! Joints, constraints, springs, motors, guides, forces.

use super::Need::{Default, Optional, Required};
use super::shapes::{POSITION, ROTATION};
use super::{ANGLE, COORDINATE, COORDINATE_RATE, INDEX, Key, Kind, LIMIT, NUMBER};
use super::{NUMBER_NOT_NEGATIVE, Names, Object, POSITIVE_NUMBER, RATE, Rule, Tag, VECTOR};
use super::{key, object, variant};

/// A frame on a body.
static FRAME: Object = Object {
    short: Some("body"),
    ..object(
        "a frame",
        &[
            key(
                "body",
                Kind::Reference(Names::BodyOrWorld),
                Default("\"world\""),
                "",
                "Its bearer.",
            ),
            Key { doc: "Of its origin, in the body's frame.", ..POSITION },
            Key { doc: "Of its axes, in the body's frame.", ..ROTATION },
        ],
        "A frame fixed to a body or to the world. The name of a body stands for the body's own frame.",
    )
};

const AXIS: Key = key("axis", VECTOR, Required, "", "Of any length above 0, in the joint's frame.");

static JOINT_KINDS: Tag = Tag {
    key: "kind",
    default: None,
    doc: "What it lets move.",
    variants: &[
        variant("fixed", &[], "Nothing."),
        variant("revolute", &[AXIS], "A turn about the axis."),
        variant("prismatic", &[AXIS], "A shift along the axis."),
        variant(
            "screw",
            &[AXIS, key("pitch", NUMBER, Required, "m/rad", "Shift per turn angle.")],
            "A turn about the axis with a shift along it.",
        ),
        variant(
            "cylindrical",
            &[AXIS],
            "A turn about the axis and a shift along it: q = angle, shift.",
        ),
        variant(
            "universal",
            &[AXIS, key("axis2", VECTOR, Required, "", "On the child, perpendicular to `axis`.")],
            "Turns about an axis of the parent and one of the child.",
        ),
        variant(
            "ball",
            &[],
            "All turns: q is a quaternion w, x, y, z, v the angular velocity in the child.",
        ),
        variant("planar", &[], "Shifts along x and y and a turn about z of the joint's frame."),
        variant(
            "free",
            &[],
            "Everything: q = x, y, z, quaternion; v = velocity, angular velocity in the child.",
        ),
    ],
};

pub(crate) static JOINT: Object = Object {
    tag: Some(&JOINT_KINDS),
    ..object(
        "a joint",
        &[
            key(
                "parent",
                Kind::Object(&FRAME),
                Default("\"world\""),
                "",
                "Where it is on its carrier.",
            ),
            key("child", Kind::Object(&FRAME), Required, "", "Where it is on the body it carries."),
            key(
                "position",
                Kind::Listed(&COORDINATE),
                Optional,
                "m or rad",
                "q at the start; else neutral.",
            ),
            key(
                "velocity",
                Kind::Listed(&COORDINATE_RATE),
                Optional,
                "m/s or rad/s",
                "v at the start; else 0.",
            ),
            key(
                "armature",
                NUMBERS,
                Default("[]"),
                "kg or kg·m²",
                "Inertia of each velocity's own drive.",
            ),
            key(
                "damping",
                NUMBERS,
                Default("[]"),
                "N·s/m or N·m·s/rad",
                "Viscous, of each velocity.",
            ),
            key("friction", NUMBERS, Default("[]"), "N or N·m", "Coulomb's, of each velocity."),
            key(
                "limits",
                Kind::Listed(&PAIR),
                Default("[]"),
                "m or rad",
                "Least and largest of each position.",
            ),
        ],
        "Carries the child's body. Its frames on parent and child coincide where all positions are 0. Of lists for each \
         velocity, one number stands for all.",
    )
};

const NUMBERS: Kind = Kind::Listed(&NUMBER_NOT_NEGATIVE);
const PAIR: Kind = Kind::List { of: &LIMIT, least: 2, most: 2 };

/// What a loop lets move.
static LOOP_JOINT: Object = Object {
    tag: Some(&JOINT_KINDS),
    short: Some("kind"),
    ..object(
        "the kind of a joint",
        &[],
        "A kind with its axes; a kind without axes may be a bare word.",
    )
};

const A: Key = key("a", Kind::Object(&FRAME), Required, "", "One end.");
const B: Key = key("b", Kind::Object(&FRAME), Required, "", "The other end.");
const OF_JOINT: Key = key("joint", Kind::Reference(Names::Joint), Required, "", "Which joint.");
const AT_INDEX: Key = key("index", INDEX, Default("0"), "", "Which of its positions.");

pub(crate) static CONSTRAINT: Object = Object {
    rules: &[Rule::Needs("damping", "stiffness")],
    tag: Some(&Tag {
        key: "kind",
        default: None,
        doc: "What it holds.",
        variants: &[
            variant(
                "joint",
                &[
                    key("joint", Kind::Object(&LOOP_JOINT), Required, "", "What it lets move."),
                    A,
                    B,
                ],
                "Closes a loop by a joint.",
            ),
            variant("weld", &[A, B], "Holds two frames together."),
            variant(
                "distance",
                &[A, B, key("length", POSITIVE_NUMBER, Required, "m", "Between the origins.")],
                "A massless rod.",
            ),
            variant(
                "coupling",
                &[
                    key("terms", TERMS, Required, "", "Positions of joints with their factors."),
                    key("offset", COORDINATE, Default("0.0"), "m or rad", "What they sum up to."),
                ],
                "A sum of positions with factors stays: gears.",
            ),
            variant("drive", &[OF_JOINT, AT_INDEX, LAW], "A position follows a law, at any force."),
        ],
    }),
    ..object(
        "a constraint",
        &[
            key(
                "stiffness",
                NUMBER_NOT_NEGATIVE,
                Optional,
                "N/m or N·m/rad",
                "Of one that gives way; else rigid.",
            ),
            key(
                "damping",
                NUMBER_NOT_NEGATIVE,
                Optional,
                "N·s/m or N·m·s/rad",
                "Beside `stiffness`; else none.",
            ),
        ],
        "Beside the tree of joints.",
    )
};

const TERMS: Kind = Kind::List { of: &Kind::Object(&TERM), least: 1, most: 1_000_000 };

static TERM: Object = object(
    "a term",
    &[OF_JOINT, AT_INDEX, key("factor", NUMBER, Default("1.0"), "", "Not 0.")],
    "A position of a joint with its factor.",
);

const LAW: Key = key("law", Kind::Object(&TIME_LAW), Required, "", "Of time.");

static TIME_LAW: Object = Object {
    rules: &[Rule::ExactlyOne(&["polynomial", "sine", "rate"])],
    ..object(
        "a law of time",
        &[
            key(
                "polynomial",
                Kind::List { of: &NUMBER, least: 1, most: 4 },
                Optional,
                "",
                "Factors of 1, t, t², t³.",
            ),
            key("sine", Kind::Object(&SINE), Optional, "", "A sine."),
            key(
                "rate",
                Kind::List { of: &NUMBER, least: 2, most: 2 },
                Optional,
                "",
                "Value at t = 0 and its rate.",
            ),
        ],
        "One of the three.",
    )
};

static SINE: Object = object(
    "a sine",
    &[
        key("offset", COORDINATE, Default("0.0"), "", "Its middle."),
        key("amplitude", COORDINATE, Default("1.0"), "", "Above and below it."),
        key("omega", RATE, Required, "rad/s", "Angular frequency."),
        key("phase", ANGLE, Default("0.0"), "rad", "At t = 0; a quarter turn makes a cosine."),
    ],
    "offset + amplitude · sin(omega t + phase).",
);

pub(crate) static SPRING: Object = Object {
    tag: Some(&Tag {
        key: "kind",
        default: Some("points"),
        doc: "What it stretches between.",
        variants: &[
            variant(
                "points",
                &[A, B, key("rest", NUMBER_NOT_NEGATIVE, Default("0.0"), "m", "Free length.")],
                "The origins of two frames.",
            ),
            variant(
                "coordinate",
                &[
                    OF_JOINT,
                    AT_INDEX,
                    key("rest", COORDINATE, Default("0.0"), "m or rad", "Position without force."),
                ],
                "A position of a joint.",
            ),
            variant("torsion", &[A, B], "Turns b into the orientation of a."),
        ],
    }),
    ..object(
        "a spring",
        &[
            key("stiffness", NUMBER_NOT_NEGATIVE, Default("0.0"), "N/m or N·m/rad", "May be 0."),
            key("damping", NUMBER_NOT_NEGATIVE, Default("0.0"), "N·s/m or N·m·s/rad", "May be 0."),
        ],
        "A spring with a damper.",
    )
};

pub(crate) static MOTOR: Object = object(
    "a motor",
    &[
        OF_JOINT,
        AT_INDEX,
        LAW,
        key(
            "follows",
            Kind::Word(&["rate", "position"]),
            Default("\"rate\""),
            "",
            "The law's rate, or its position.",
        ),
        key("max", NUMBER_NOT_NEGATIVE, Required, "N or N·m", "Largest force."),
    ],
    "Follows a law with the force that it needs, and at most its largest.",
);

pub(crate) static GUIDE: Object = Object {
    tag: Some(&Tag {
        key: "kind",
        default: None,
        doc: "Where the origin of b stays.",
        variants: &[
            variant("slot", &[], "On the plane y = 0 of a, with friction along x."),
            variant(
                "hoop",
                &[key("radius", POSITIVE_NUMBER, Required, "m", "Of the hoop.")],
                "On the cylinder about the z axis of a, with friction around it.",
            ),
            variant("plane", &[], "On the plane z = 0 of a, with friction in it."),
        ],
    }),
    ..object(
        "a guide",
        &[A, B, key("friction", NUMBER_NOT_NEGATIVE, Default("0.0"), "", "Coefficient.")],
        "A point on a curve or surface that pushes to either side.",
    )
};

pub(crate) static FORCE: Object = Object {
    tag: Some(&Tag {
        key: "kind",
        default: Some("body"),
        doc: "On what it acts.",
        variants: &[
            variant(
                "body",
                &[
                    key("body", Kind::Reference(Names::Body), Required, "", "Which body."),
                    key("point", VECTOR, Default("[0.0, 0.0, 0.0]"), "m", "In the body's frame."),
                    key("force", VECTOR, Default("[0.0, 0.0, 0.0]"), "N", "In the world."),
                    key("torque", VECTOR, Default("[0.0, 0.0, 0.0]"), "N·m", "In the world."),
                ],
                "A point of a body.",
            ),
            variant(
                "joint",
                &[
                    OF_JOINT,
                    key(
                        "index",
                        Kind::Whole { least: 0, most: 5 },
                        Default("0"),
                        "",
                        "Which of its velocities.",
                    ),
                    key("force", NUMBER, Required, "N or N·m", "Along it."),
                ],
                "A velocity of a joint.",
            ),
        ],
    }),
    ..object(
        "a force",
        &[Key { need: Optional, doc: "A factor of time. Without it 1.", ..LAW }],
        "From outside. Its law is taken at the beginning of each step.",
    )
};
