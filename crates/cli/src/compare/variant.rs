//! What is different from run to run.

use stiction_lcp::{FrictionSolver, LcpSolver};
use stiction_scene::Scene;
use stiction_sim::contact::law::{BoxLaw, Cone, Convex, Hybrid, Law, LawSolver, Phantom, Pyramid};

use crate::Output;
use crate::args::CompareArgs;
use crate::load::bad_input;
use crate::names::{self, LAWS};
use crate::print;

/// Of one run.
const MOST_STEPS: f64 = 1e9;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variant {
    /// What it is called: only what differs between runs.
    pub(crate) name: String,
    pub(crate) law: Law,
    pub(crate) solver: LawSolver,
    /// [s]
    pub(crate) h: f64,
    pub(crate) steps: u64,
}

/// Every law with every solver that fits it, with every step length.
pub(crate) fn of(args: &CompareArgs, scene: &Scene) -> Result<Vec<Variant>, Output> {
    let settings = *scene.stepping.step();
    let duration = scene.steps as f64 * settings.h;
    let laws = match args.laws.is_empty() {
        true => vec![(settings.contact.law.name().to_string(), settings.contact.law)],
        false => all(&args.laws, |text| {
            law(text, settings.contact.law).map_err(|error| format!("--laws: {error}"))
        })?,
    };
    let solvers = match args.solvers.is_empty() {
        true => vec![settings.contact.solver.name().to_string()],
        false => args.solvers.clone(),
    };
    let lengths = if args.h.is_empty() { vec![settings.h] } else { args.h.clone() };
    let mut variants = Vec::new();
    for (law_name, law) in &laws {
        for solver_name in &solvers {
            let Some(solver) = solver(solver_name, law)? else { continue };
            for &h in &lengths {
                let names = [
                    (
                        laws.len() > 1 || (solvers.len() == 1 && lengths.len() == 1),
                        law_name.clone(),
                    ),
                    (solvers.len() > 1, solver_name.clone()),
                    (lengths.len() > 1, format!("h {} ms", print::digits(1e3 * h))),
                ];
                let name: Vec<String> = names
                    .into_iter()
                    .filter(|(differs, _)| *differs)
                    .map(|(_, name)| name)
                    .collect();
                let steps = (duration / h).round().max(1.0);
                if !(steps <= MOST_STEPS) {
                    let most = format!("at most {MOST_STEPS:e} steps");
                    return Err(bad_input(format!(
                        "--h: {h:e} s are {steps:e} steps, expected {most}"
                    )));
                }
                let steps = steps as u64;
                variants.push(Variant { name: name.join(", "), law: *law, solver, h, steps });
            }
        }
    }
    if variants.is_empty() {
        return Err(bad_input("--solvers: none of them fits one of the laws".to_string()));
    }
    Ok(variants)
}

fn all<T>(
    texts: &[String],
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<(String, T)>, Output> {
    let one = |text: &String| read(text).map(|value| (text.clone(), value));
    texts.iter().map(one).collect::<Result<_, _>>().map_err(bad_input)
}

/// `cone`, `pyramid`, `pyramid(4)`, `phantom(3)`; the scene's own law keeps its settings.
pub(crate) fn law(text: &str, own: Law) -> Result<Law, String> {
    let (name, number) = match text.split_once('(') {
        Some((name, rest)) => {
            let number = rest.strip_suffix(')').and_then(|n| n.trim().parse::<usize>().ok());
            let number = number.filter(|n| (2..=64).contains(n));
            (
                name.trim(),
                Some(number.ok_or_else(|| format!("expected a number, 2 to 64, in {text:?}"))?),
            )
        }
        None => (text.trim(), None),
    };
    let law = match name {
        _ if name == own.name() => own,
        "frictionless" => Law::Frictionless,
        "pyramid" => Law::Pyramid(Pyramid::default()),
        "phantom" => Law::Phantom(Phantom::default()),
        "box" => Law::Box(BoxLaw::default()),
        "hybrid" => Law::Hybrid(Hybrid::default()),
        "cone" => Law::Cone(Cone::default()),
        "convex" => Law::Convex(Convex::default()),
        _ => {
            let hint = names::suggestion(name, &LAWS);
            return Err(format!("expected one of {}, found {name:?}{hint}", LAWS.join(", ")));
        }
    };
    match (law, number) {
        (law, None) => Ok(law),
        (Law::Pyramid(pyramid), Some(facets)) if facets >= 3 => {
            Ok(Law::Pyramid(Pyramid { facets, ..pyramid }))
        }
        (Law::Phantom(phantom), Some(directions)) => {
            Ok(Law::Phantom(Phantom { directions, ..phantom }))
        }
        (_, Some(_)) => {
            Err(format!("{text:?}: only pyramid(k), k ≥ 3, and phantom(k) have a number"))
        }
    }
}

/// The solver of this name, if it solves what the law becomes.
fn solver(name: &str, law: &Law) -> Result<Option<LawSolver>, Output> {
    let known = names::every_name();
    if !known.contains(&name) {
        let hint = names::suggestion(name, &known);
        let list = known.join(", ");
        return Err(bad_input(format!("--solvers: expected one of {list}, found {name:?}{hint}")));
    }
    if name == LawSolver::Auto.name() {
        return Ok(Some(LawSolver::Auto));
    }
    Ok(match law {
        Law::Cone(_) | Law::Convex(_) => {
            FrictionSolver::ALL.into_iter().find(|s| s.name() == name).map(LawSolver::Friction)
        }
        _ => LcpSolver::ALL.into_iter().find(|s| s.name() == name).map(LawSolver::Lcp),
    })
}

impl Variant {
    pub(crate) fn apply(&self, scene: &Scene) -> Scene {
        let mut scene = scene.clone();
        let settings = scene.stepping.step_mut();
        (settings.contact.law, settings.contact.solver) = (self.law, self.solver);
        settings.h = self.h;
        scene.steps = self.steps;
        scene
    }
}
