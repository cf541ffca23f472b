//! Fixed pieces of work for counting instructions: `kernels NAME TIMES` does one of them so many times, `kernels` lists them.
//!
//! What making the problem costs is in every run: `cargo xtask instructions` takes the difference of two counts.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]

use std::hint::black_box;
use std::process::ExitCode;

use stiction_bench::scale::{World, piles, robots, stacks};
use stiction_bench::scenes::{FACETS, FAMILIES};
use stiction_lcp::families::piles::{PileSettings, disk_pile, sphere_pyramid};
use stiction_lcp::motion::{MotionProblem, MotionWork, solve_motion};
use stiction_lcp::{LcpSolver, solve_lcp};
use stiction_sim::{Data, Input, step};

const TOLERANCE: f64 = 1e-10;

struct Kernel {
    name: &'static str,
    run: fn(usize),
}

const KERNELS: [Kernel; 13] = [
    Kernel {
        name: "solve, 204 spheres at rest",
        run: |times| cold(&sphere_pyramid(8, &mu(0.8)), times),
    },
    Kernel { name: "solve, 210 disks at rest", run: |times| cold(&disk_pile(20, &mu(0.8)), times) },
    Kernel {
        name: "solve again, 210 disks at rest",
        run: |times| warm(&disk_pile(20, &mu(0.8)), times),
    },
    Kernel {
        name: "solve, 55 disks that collapse",
        run: |times| cold(&disk_pile(10, &mu(0.2)), times),
    },
    Kernel { name: "lemke, 50 contacts, 8 facets", run: lemke },
    Kernel {
        name: "step, pyramid of 30 spheres",
        run: |times| steps(&piles::spheres(4, 0.8), 4, times),
    },
    Kernel { name: "step, quadruped", run: |times| steps(&robots::quadruped(), 25, times) },
    Kernel { name: "step, cube on the ground", run: |times| steps(&stacks::cube(), 100, times) },
    Kernel {
        name: "steady step, pyramid of 55 spheres",
        run: |times| steady(&piles::spheres(5, 0.8), 10, times),
    },
    Kernel {
        name: "steady step, wall of 50 bricks",
        run: |times| steady(&stacks::wall(10, 5), 10, times),
    },
    Kernel { name: "steady step, quadruped", run: |times| steady(&robots::quadruped(), 25, times) },
    Kernel { name: "steady step, crane", run: |times| steady(&robots::crane(), 25, times) },
    Kernel {
        name: "steady step, chain of 40 links",
        run: |times| steady(&robots::chain(40), 5, times),
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [] => {
            KERNELS.iter().for_each(|kernel| println!("{}", kernel.name));
            ExitCode::SUCCESS
        }
        [name, times] => {
            let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
            let (Some(kernel), Ok(times)) = (kernel, times.parse()) else {
                eprintln!("no kernel {name}, or not a number: {times}");
                return ExitCode::from(2);
            };
            (kernel.run)(times);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("expected NAME TIMES, or nothing");
            ExitCode::from(2)
        }
    }
}

fn mu(mu: f64) -> PileSettings {
    PileSettings { mu, ..Default::default() }
}

/// From nothing, each time with new memory.
fn cold(problem: &MotionProblem, times: usize) {
    for _ in 0..times {
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let report = solve_motion(
            black_box(problem),
            TOLERANCE,
            &mut MotionWork::default(),
            &|| false,
            &mut r,
        );
        assert!(report.certified, "{report:?}");
    }
}

/// From the answer.
fn warm(problem: &MotionProblem, times: usize) {
    let mut r = vec![[0.0; 3]; problem.contacts()];
    let mut work = MotionWork::default();
    solve_motion(problem, TOLERANCE, &mut work, &|| false, &mut r);
    for _ in 0..times {
        let report = solve_motion(black_box(problem), TOLERANCE, &mut work, &|| false, &mut r);
        assert!(report.certified, "{report:?}");
    }
}

fn lemke(times: usize) {
    let lcp = FAMILIES[0].scene(50).pyramid(FACETS);
    for _ in 0..times {
        let answer = solve_lcp(black_box(&lcp), LcpSolver::Lemke, TOLERANCE, &|| false);
        assert!(answer.residual.scaled <= TOLERANCE, "{:?}", answer.residual);
    }
}

fn steps(world: &World, count: usize, times: usize) {
    let model = world.model().expect("the scenes are models");
    let settings = world.settings();
    for _ in 0..times {
        let (mut state, mut data) = (model.state(), Data::new(&model));
        for _ in 0..count {
            let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
            black_box(report.expect("the scene goes on"));
        }
    }
}

/// `count` steps more of a scene that has gone on for some.
fn steady(world: &World, count: usize, times: usize) {
    let model = world.model().expect("the scenes are models");
    let settings = world.settings();
    let (mut state, mut data) = (model.state(), Data::new(&model));
    for _ in 0..10 + count * times {
        let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
        black_box(report.expect("the scene goes on"));
    }
}
