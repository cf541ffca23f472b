//! How a scene is stepped and what is kept of it.

use super::Need::{Default, Optional};
use super::{INNER_SHARE, Kind, NUMBER_NOT_NEGATIVE, NUMBER_OR_INFINITY, Object};
use super::{POSITIVE_NUMBER, POSITIVE_SHARE, Quantity, Rule, key, object};

const LAWS: &[&str] = &["frictionless", "pyramid", "phantom", "box", "hybrid", "cone", "convex"];

pub(crate) static LAW: Object = Object {
    short: Some("kind"),
    ..object(
        "a friction law",
        &[
            key(
                "kind",
                Kind::Word(LAWS),
                Default("\"cone\""),
                "",
                "Its name alone may stand for it.",
            ),
            key(
                "v_stick",
                NUMBER_NOT_NEGATIVE,
                Default("1e-3"),
                "m/s",
                "From here on a contact slides.",
            ),
            key("facets", Kind::Whole { least: 3, most: 1000 }, Default("8"), "", "Of `pyramid`."),
            key(
                "rows",
                Kind::Word(&["given", "stewart-trinkle", "anitescu-potra"]),
                Default("\"given\""),
                "",
                "Normal rows of `pyramid`.",
            ),
            key(
                "stabilization",
                Kind::Either(&[
                    Kind::Word(&["none", "forces", "scaled-forces"]),
                    Kind::Object(&STABILIZATION),
                ]),
                Default("\"none\""),
                "",
                "Of the matrix of `pyramid`.",
            ),
            key(
                "directions",
                Kind::Whole { least: 2, most: 1000 },
                Default("2"),
                "",
                "Of `phantom`.",
            ),
            key("rho", NUMBER_NOT_NEGATIVE, Default("1.0"), "kg", "Inertia of `phantom`."),
            key(
                "lateral",
                Kind::Word(&["relaxed", "free"]),
                Default("\"relaxed\""),
                "",
                "Friction of `phantom` across the slip.",
            ),
            key(
                "lambda_min",
                POSITIVE_NUMBER,
                Default("1e-6"),
                "N",
                "Least normal force in the lateral friction of `phantom` and `hybrid`.",
            ),
            key("bristle", Kind::Object(&BRISTLE), Optional, "", "Of the laws that have them."),
        ],
        "Each law reads the keys that name it, and leaves the others to other laws.",
    )
};

static STABILIZATION: Object = object(
    "a stabilization",
    &[key(
        "diagonal",
        NUMBER_NOT_NEGATIVE,
        super::Need::Required,
        "",
        "Share added to the diagonal.",
    )],
    "Changes the answer by about this share.",
);

static BRISTLE: Object = object(
    "bristles",
    &[
        key(
            "stiffness",
            NUMBER_NOT_NEGATIVE,
            super::Need::Required,
            "N/m",
            "Not 0 with damping 0.",
        ),
        key("damping", NUMBER_NOT_NEGATIVE, Default("0.0"), "N·s/m", "Beside it."),
    ],
    "What gives way before a contact slides.",
);

const SOLVERS: &[&str] = &[
    "auto",
    "lemke",
    "murty",
    "keller",
    "block-pivoting",
    "psor",
    "nncg",
    "prox",
    "newton-min",
    "newton-fb",
    "enumeration",
    "nsgs",
    "alart-curnier",
    "interior-point",
    "apgd",
];

const TOLERANCE: Kind = Kind::Number(Quantity::Plain, INNER_SHARE);

pub(crate) static SOLVER: Object = Object {
    short: Some("name"),
    ..object(
        "a solver",
        &[
            key(
                "name",
                Kind::Word(SOLVERS),
                Default("\"auto\""),
                "",
                "Its name alone may stand for it.",
            ),
            key("tol", TOLERANCE, Default("1e-10"), "", "Asked of the residual of each solve."),
        ],
        "`cone` and `convex` are solved by `auto`, `nsgs`, `prox`, `alart-curnier`, `interior-point`, `apgd`; the other \
         laws by `auto` and the rest.",
    )
};

const STRICTNESS: Kind = Kind::Word(&["strict", "lenient"]);
/// Of a run: more would take years.
pub(crate) const MOST_STEPS: i64 = 1_000_000_000_000;
const STEPS: Kind = Kind::Whole { least: 0, most: MOST_STEPS };

pub(crate) static STEPPING: Object = Object {
    rules: &[Rule::AtMostOne(&["duration", "steps"])],
    ..object(
        "the stepping",
        &[
            key("h", POSITIVE_NUMBER, Default("1e-3"), "s", "Length of a step."),
            key(
                "duration",
                NUMBER_NOT_NEGATIVE,
                Optional,
                "s",
                "Of a run. Without it and `steps` 1.",
            ),
            key("steps", STEPS, Optional, "", "Of a run, instead of `duration`."),
            key(
                "method",
                Kind::Word(&["euler", "symmetric", "extrapolated"]),
                Default("\"euler\""),
                "",
                "Of order 1, 2, 4; the last two for motion without contacts.",
            ),
            key(
                "drift",
                Kind::Either(&[Kind::Word(&["free", "project", "close"]), Kind::Object(&DRIFT)]),
                Default("\"close\""),
                "",
                "What keeps positions on constraints.",
            ),
            key(
                "stiffness",
                Kind::Word(&["explicit", "linearly-implicit"]),
                Default("\"linearly-implicit\""),
                "",
                "How springs and dampers enter a step.",
            ),
            key(
                "geometry",
                Kind::Word(&["begin", "middle", "end"]),
                Default("\"begin\""),
                "",
                "Where a step looks at forces and contacts. `middle` is the default where impacts are located.",
            ),
            key(
                "normal",
                Kind::Word(&["velocity", "position"]),
                Default("\"position\""),
                "",
                "What normal rows say.",
            ),
            key(
                "v_threshold",
                NUMBER_OR_INFINITY,
                Default("0.0"),
                "m/s",
                "Slower contacts do not bounce.",
            ),
            key(
                "max_overlap",
                NUMBER_OR_INFINITY,
                Default("inf"),
                "m",
                "Deeper overlaps are refused.",
            ),
            key(
                "max_recovery",
                NUMBER_OR_INFINITY,
                Default("inf"),
                "m/s",
                "Largest speed that parts overlaps.",
            ),
            key(
                "strictness",
                STRICTNESS,
                Default("\"strict\""),
                "",
                "Whether a certificate is needed.",
            ),
            key(
                "ledger",
                Kind::Bool,
                Default("true"),
                "",
                "Whether it says where the energy went.",
            ),
            key("located", Kind::Bool, Default("false"), "", "Whether steps end where gaps close."),
            key("extrapolate", Kind::Bool, Default("false"), "", "Located steps of second order."),
            key(
                "tolerance",
                POSITIVE_NUMBER,
                Optional,
                "m or rad",
                "Error of a located step. Without it any.",
            ),
            key(
                "max_impacts",
                Kind::Whole { least: 0, most: 1_000_000 },
                Default("1000"),
                "",
                "Within a located step; the rest of it is without restitution.",
            ),
            key("impact", Kind::Object(&IMPACT), Default("{}"), "", "Of located steps."),
        ],
        "How time goes on.",
    )
};

static DRIFT: Object = object(
    "a drift",
    &[key(
        "stabilize",
        Kind::Number(Quantity::Plain, POSITIVE_SHARE),
        super::Need::Required,
        "",
        "Share of the gap that a step removes.",
    )],
    "Gaps are removed little by little.",
);

static IMPACT: Object = object(
    "the impacts",
    &[
        key(
            "law",
            Kind::Word(&["poisson", "newton", "closed-form", "dissipative"]),
            Default("\"poisson\""),
            "",
            "What comes back.",
        ),
        key(
            "treatment",
            Kind::Word(&["simultaneous", "sequential"]),
            Default("\"simultaneous\""),
            "",
            "Of contacts at the same time.",
        ),
        key("friction", Kind::Object(&LAW), Default("{}"), "", "Not `box` or `hybrid`."),
        key("solver", Kind::Object(&SOLVER), Default("{}"), "", "Of each solve."),
        key(
            "strictness",
            STRICTNESS,
            Default("\"strict\""),
            "",
            "Whether a certificate is needed.",
        ),
        key("distance", NUMBER_NOT_NEGATIVE, Default("0.0"), "m", "Gaps up to this touch."),
        key(
            "v_threshold",
            NUMBER_NOT_NEGATIVE,
            Default("0.0"),
            "m/s",
            "Slower ones do not bounce.",
        ),
        key(
            "max_hits",
            Kind::Whole { least: 0, most: 1_000_000_000 },
            Default("1000"),
            "",
            "Of `sequential`, before one plastic impact of all.",
        ),
    ],
    "Velocities jump where gaps close.",
);

pub(crate) static START: Object = object(
    "the start",
    &[
        key("time", super::NUMBER, Default("0.0"), "s", "Of the first state."),
        key(
            "normal_force",
            NUMBER_NOT_NEGATIVE,
            Default("0.0"),
            "N",
            "Remembered at each contact that is there at the start: `box` and `hybrid` bound friction by it.",
        ),
    ],
    "What is known of the past.",
);

pub(crate) static RECORDING: Object = object(
    "a recording",
    &[
        key(
            "every",
            Kind::Whole { least: 1, most: 1_000_000_000 },
            Default("1"),
            "",
            "Steps per frame.",
        ),
        key("contacts", Kind::Bool, Default("true"), "", "Whether contacts are kept."),
    ],
    "What is kept of a run.",
);
