//! Laws with bounds at scale: certified steps of the scenes of `stiction bench` under box, hybrid and phantom friction.
//!
//! `laws [--entries] [LAW SCENE [STEPS]]`: a table, or one line of it. `--entries` solves by the entries of W (block pivoting from the last
//! active set, then the chain for LCPs), the slow twin.
#![allow(clippy::print_stdout, reason = "a bench speaks to who runs it")]

use stiction_bench::scale::{Course, Scene, measure};
use stiction_lcp::LcpSolver;
use stiction_sim::contact::law::{BoxLaw, Hybrid, Law, LawSolver, Phantom};

const SCENES: [&str; 8] = [
    "disks-210-mu02",
    "disks-210-mu08",
    "spheres-30",
    "spheres-385",
    "spheres-1240",
    "wall-50",
    "wall-510",
    "mixed-27",
];

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let by_entries = args.first().is_some_and(|arg| arg == "--entries");
    if by_entries {
        args.remove(0);
    }
    let solver = if by_entries { LawSolver::Lcp(LcpSolver::Auto) } else { LawSolver::Auto };
    let steps = args.get(2).and_then(|steps| steps.parse().ok());
    println!(
        "| law | scene | contacts | cold | warm, mean | worst | certified | residual | iterations | links |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for law in [
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Phantom(Phantom::default()),
    ] {
        for name in SCENES {
            let is_asked = |i: usize, name: &str| args.get(i).is_none_or(|arg| arg == name);
            if let (true, true, Some(scene)) =
                (is_asked(0, law.name()), is_asked(1, name), Scene::named(name))
            {
                line(&law, solver, scene, steps.unwrap_or(scene.steps));
            }
        }
    }
}

fn line(law: &Law, solver: LawSolver, scene: &Scene, steps: usize) {
    let course = Course { steps, rounds: 1, law: *law, solver };
    let m = match measure(&(scene.build)(), course) {
        Ok(measured) => measured,
        Err(error) => return println!("| {} | {} | {error} |", law.name(), scene.name),
    };
    let ms = |time: Option<f64>| time.map_or("–".to_string(), |ms| format!("{ms:.1} ms"));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} of {} | {:.0e} | {}, {:.1} | {}, {} |",
        law.name(),
        scene.name,
        m.contacts,
        ms(m.cold_ms),
        ms(m.warm_ms),
        ms(m.worst_ms),
        m.certified,
        steps + 1,
        m.residual,
        m.cold_iterations,
        m.warm_iterations,
        m.cold_link,
        m.warm_link,
    );
    if let Some(error) = m.error {
        println!("| {} | {} | {error} |", law.name(), scene.name);
    }
}
