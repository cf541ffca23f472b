//! Laws, solvers, stepping, recording.

use stiction_lcp::{FrictionSolver, LcpSolver};
use stiction_sim::contact::law::{
    BoxLaw, Cone, Convex, Hybrid, Lateral, Law, LawSolver, NormalRows, Phantom, Pyramid,
    Stabilization,
};
use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::impact::{ImpactLaw, ImpactSettings, Treatment};
use stiction_sim::model::Relaxation;
use stiction_sim::{
    Coordinates, Drift, Geometry, LocatedSettings, Method, StepSettings, Stiffness,
};

use super::connections::forces;
use crate::error::Errors;
use crate::format::MOST_STEPS;
use crate::scene::{RecordingSpec, Scene, Stepping};
use crate::tree::{Node, Table};

/// Length of a run that states none [s].
const DURATION: f64 = 1.0;

/// Everything but the model and its start.
pub(crate) fn settings(root: &Table, scene: &mut Scene, errors: &mut Errors) {
    scene.coordinates = match root.at("world").word("coordinates") {
        "maximal" => Coordinates::Maximal,
        _ => Coordinates::Generalized,
    };
    scene.forces = forces(root);
    let table = root.at("stepping");
    let step = step_settings(root, errors);
    scene.stepping = match table.flag("located") {
        false => Stepping::Fixed(step),
        true => Stepping::Located(LocatedSettings {
            step,
            impact: impact(table.at("impact"), errors),
            extrapolate: table.flag("extrapolate"),
            tolerance: table.optional_number("tolerance"),
            max_impacts: table.whole("max_impacts") as usize,
        }),
    };
    let valid = match &scene.stepping {
        Stepping::Fixed(settings) => settings.validate(),
        Stepping::Located(settings) => settings.validate(),
    };
    if let Err(error) = valid {
        errors.push(root.node("stepping").at, format!("found settings that do not fit: {error}"));
    }
    scene.steps = match table.has("steps") {
        true => table.whole("steps"),
        // saturates
        false => (table.optional_number("duration").unwrap_or(DURATION) / step.h).round() as u64,
    };
    if scene.steps > MOST_STEPS as u64 {
        let at = table.get("duration").unwrap_or(root.node("stepping")).at;
        let expected = format!("at most {MOST_STEPS:e} of h = {:e} s", step.h);
        errors.expected(at, format!("a run of {:e} steps", scene.steps), expected);
    }
    let recording = root.at("recording");
    scene.recording =
        RecordingSpec { every: recording.whole("every"), contacts: recording.flag("contacts") };
}

fn step_settings(root: &Table, errors: &mut Errors) -> StepSettings {
    let table = root.at("stepping");
    let law = law(root.at("law"));
    StepSettings {
        h: table.number("h"),
        method: match table.word("method") {
            "symmetric" => Method::Symmetric,
            "extrapolated" => Method::Extrapolated,
            _ => Method::Euler,
        },
        drift: drift(table.node("drift")),
        stiffness: match table.word("stiffness") {
            "explicit" => Stiffness::Explicit,
            _ => Stiffness::LinearlyImplicit,
        },
        geometry: match table.get("geometry").and_then(Node::text) {
            Some("middle") => Geometry::Middle,
            Some("end") => Geometry::End,
            _ => Geometry::Begin,
        },
        contact: ContactSettings {
            law,
            solver: solver(root.at("solver"), &law, errors),
            tol: root.at("solver").number("tol"),
            normal: match table.word("normal") {
                "velocity" => NormalRow::Velocity,
                _ => NormalRow::Position,
            },
            v_threshold: table.number("v_threshold"),
            bristle: root.at("law").get("bristle").and_then(Node::table).map(|bristle| {
                Relaxation { k: bristle.number("stiffness"), b: bristle.number("damping") }
            }),
            strictness: strictness(table),
            max_overlap: table.number("max_overlap"),
            max_recovery: table.number("max_recovery"),
        },
        ledger: table.flag("ledger"),
    }
}

fn drift(node: &Node) -> Drift {
    match (node.text(), node.table()) {
        (Some("free"), _) => Drift::Free,
        (Some("project"), _) => Drift::Project,
        (_, Some(table)) => Drift::Stabilize { beta: table.number("stabilize") },
        _ => Drift::Close,
    }
}

fn strictness(table: &Table) -> Strictness {
    match table.word("strictness") {
        "lenient" => Strictness::Lenient,
        _ => Strictness::Strict,
    }
}

fn law(table: &Table) -> Law {
    let v_stick = table.number("v_stick");
    let lambda_min = table.number("lambda_min");
    match table.word("kind") {
        "frictionless" => Law::Frictionless,
        "pyramid" => Law::Pyramid(Pyramid {
            facets: table.whole("facets") as usize,
            rows: match table.word("rows") {
                "stewart-trinkle" => NormalRows::StewartTrinkle,
                "anitescu-potra" => NormalRows::AnitescuPotra,
                _ => NormalRows::Given,
            },
            stabilization: stabilization(table.node("stabilization")),
            v_stick,
        }),
        "phantom" => Law::Phantom(Phantom {
            directions: table.whole("directions") as usize,
            rho: table.number("rho"),
            v_stick,
            lateral: match table.word("lateral") {
                "free" => Lateral::Free,
                _ => Lateral::Relaxed { lambda_min },
            },
        }),
        "box" => Law::Box(BoxLaw { v_stick }),
        "hybrid" => Law::Hybrid(Hybrid { v_stick, lambda_min }),
        "convex" => Law::Convex(Convex { v_stick }),
        _ => Law::Cone(Cone { v_stick }),
    }
}

fn stabilization(node: &Node) -> Stabilization {
    match (node.text(), node.table()) {
        (Some("forces"), _) => Stabilization::Forces,
        (Some("scaled-forces"), _) => Stabilization::ScaledForces,
        (_, Some(table)) => Stabilization::Diagonal { eps: table.number("diagonal") },
        _ => Stabilization::None,
    }
}

/// The solver of this name for the problems of a law.
fn solver(table: &Table, law: &Law, errors: &mut Errors) -> LawSolver {
    let word = table.word("name");
    word_of_solver(word, law).unwrap_or_else(|names| {
        let expected = format!("one of {} for the law `{}`", names.join(", "), law.name());
        errors.expected(table.node("name").at, format!("the solver `{word}`"), expected);
        LawSolver::Auto
    })
}

/// The solver of this name, or the names of those that solve the problems of the law.
pub(crate) fn word_of_solver(word: &str, law: &Law) -> Result<LawSolver, Vec<&'static str>> {
    if word == LawSolver::Auto.name() {
        return Ok(LawSolver::Auto);
    }
    if matches!(law, Law::Cone(_) | Law::Convex(_)) {
        let all = FrictionSolver::ALL;
        let found = all.into_iter().find(|solver| solver.name() == word);
        return found.map(LawSolver::Friction).ok_or_else(|| all.map(|s| s.name()).to_vec());
    }
    let all = LcpSolver::ALL;
    let found = all.into_iter().find(|solver| solver.name() == word);
    found.map(LawSolver::Lcp).ok_or_else(|| all.map(|s| s.name()).to_vec())
}

fn impact(table: &Table, errors: &mut Errors) -> ImpactSettings {
    let friction = law(table.at("friction"));
    ImpactSettings {
        law: match table.word("law") {
            "newton" => ImpactLaw::Newton,
            "closed-form" => ImpactLaw::ClosedForm,
            "dissipative" => ImpactLaw::Dissipative,
            _ => ImpactLaw::Poisson,
        },
        treatment: match table.word("treatment") {
            "sequential" => Treatment::Sequential,
            _ => Treatment::Simultaneous,
        },
        friction,
        solver: solver(table.at("solver"), &friction, errors),
        tol: table.at("solver").number("tol"),
        strictness: strictness(table),
        distance: table.number("distance"),
        v_threshold: table.number("v_threshold"),
        max_hits: table.whole("max_hits") as usize,
    }
}
