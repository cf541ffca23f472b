//! Steps of one thread and of several: time on the wall, and whether the bits are the same.
//!
//! `threads [COUNT [ROUNDS]]`: a table of 1 thread against COUNT (2). Of each step the least time of the rounds (3). The machine is to be quiet:
//! a wall clock counts what others do. Ends with code 1 where a bit differs.
// units in brackets are no links
#![allow(rustdoc::broken_intra_doc_links)]
#![allow(clippy::print_stdout, reason = "a bench speaks to who runs it")]
#![allow(clippy::disallowed_methods, reason = "threads are for the wall clock")]

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;

use stiction_bench::scale::{World, crowds, piles, stacks};
use stiction_sim::{Data, Input, Model, step};

/// Name, world, steps after the first.
type Crowd = (&'static str, fn() -> World, usize);

const CROWDS: [Crowd; 5] = [
    ("100 pyramids of 30 spheres, dropped", || crowds::pyramids(10), 30),
    ("100 towers of 10 cubes, dropped", || crowds::towers(10), 30),
    ("1000 mixed bodies, dropped", || stacks::mixed(10), 20),
    ("pyramid of 1240 spheres", || piles::spheres(15, 0.8), 5),
    ("wall of 510 bricks", || stacks::wall(51, 10), 10),
];

fn main() -> ExitCode {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(2);
    let rounds = numbers.get(1).copied().unwrap_or(3);
    println!(
        "| scene | contacts | certified | first, 1 thread [ms] | {count} threads [ms] | × | others in the mean, 1 thread [ms] | {count} threads [ms] | × | same bits |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut is_same = true;
    for (name, build, steps) in CROWDS {
        let world = build();
        let model = world.model().expect("the scenes are models");
        let one = run(&world, &model, steps, (1, rounds));
        let several = run(&world, &model, steps, (count, rounds));
        let same = one.bits == several.bits;
        is_same &= same;
        let [(a, b), (c, d)] = [one.times(), several.times()];
        println!(
            "| {name} | {} | {} of {} | {a:.1} | {c:.1} | {:.2} | {b:.2} | {d:.2} | {:.2} | {} |",
            one.contacts,
            one.certified,
            steps + 1,
            a / c,
            b / d,
            if same { "yes" } else { "NO" }
        );
    }
    if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Run {
    /// Of each step, the least [ms].
    wall: Vec<f64>,
    contacts: usize,
    certified: usize,
    /// Of all coordinates and velocities after every step of every round.
    bits: Vec<u64>,
}

impl Run {
    /// The first, and the mean of the others [ms].
    fn times(&self) -> (f64, f64) {
        let others = &self.wall[1..];
        (self.wall[0], others.iter().sum::<f64>() / others.len() as f64)
    }
}

fn run(world: &World, model: &Model, steps: usize, (threads, rounds): (usize, usize)) -> Run {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let settings = world.settings();
    let mut run =
        Run { wall: vec![f64::INFINITY; steps + 1], contacts: 0, certified: 0, bits: Vec::new() };
    for _ in 0..rounds {
        let (mut state, mut data) = (model.state(), Data::with_threads(model, threads));
        run.certified = 0;
        for wall in &mut run.wall {
            let start = Instant::now();
            let report = step(model, &settings, &Input::default(), &mut state, &mut data);
            *wall = wall.min(1e3 * start.elapsed().as_secs_f64());
            let contact = report.expect("the scene goes on").contact;
            run.contacts = run.contacts.max(contact.map_or(0, |contact| contact.contacts));
            run.certified += usize::from(contact.is_none_or(|contact| contact.certified));
            run.bits.extend(state.q.iter().chain(state.v.iter()).map(|x| x.to_bits()));
        }
    }
    run
}
