//! Piles on ground that shakes sideways, step by step: which share of the steps is certified, by what, and in what time.
//!
//! `cargo run --release -p stiction-bench --bin shaken -- STEPS TABLE.md [largest number of bodies [smallest [κ]]]`; κ is the stiffness of contact over what makes it feel as
//! stiff as its mass, hard contact without it.
// units in brackets are no links
#![allow(rustdoc::broken_intra_doc_links)]
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench speaks to who runs it"
)]

use cpu_time::ProcessTime;
use std::fmt::Write as _;
use stiction_lcp::families::Rng;
use stiction_lcp::motion::{MotionProblem, MotionWork, islands, solve_motion};
use stiction_lcp::never;

/// Radius of all bodies [m], step [s], gravity [m/s²], friction, and gaps that count as contact [m].
const RADIUS: f64 = 0.5;
const STEP: f64 = 0.01;
const GRAVITY: f64 = 9.81;
const MU: f64 = 0.5;
const GAP: f64 = 2e-3;
/// Period of the shaking [s].
const PERIOD: f64 = 0.4;
/// The larger tolerance of the table.
const COARSE: f64 = 1e-8;
const FINE: f64 = 1e-10;

type Vec3 = [f64; 3];

/// Spheres, or disks in the plane y = 0.
struct Pile {
    is_planar: bool,
    position: Vec<Vec3>,
    velocity: Vec<Vec3>,
    spin: Vec<Vec3>,
    mass: Vec<f64>,
    /// Bodies of the last step's contacts, and their impulses along the normal and in the world's axes [N·s].
    last: Vec<((usize, usize), Vec3)>,
}

const GROUND: usize = usize::MAX;

struct Touch {
    bodies: (usize, usize),
    frame: [Vec3; 3],
    gap: f64,
}

fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// n and two directions across it; in the plane the first of them lies in it.
fn frame(n: Vec3) -> [Vec3; 3] {
    let helper = if n[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
    let t = cross(&helper, &n);
    let size = dot(&t, &t).sqrt();
    let t1 = t.map(|x| x / size);
    [n, t1, cross(&n, &t1)]
}

impl Pile {
    fn new(is_planar: bool, rows: usize, mass_ratio: f64, seed: u64) -> Self {
        let mut position = Vec::new();
        for row in 0..rows {
            let (count, shift) = (rows - row, RADIUS * row as f64);
            let height = RADIUS
                + row as f64 * RADIUS * if is_planar { 3.0_f64.sqrt() } else { 2.0_f64.sqrt() };
            for i in 0..count {
                let x = shift + 2.0 * RADIUS * i as f64;
                if is_planar {
                    position.push([x, 0.0, height]);
                    continue;
                }
                position.extend((0..count).map(|j| [x, shift + 2.0 * RADIUS * j as f64, height]));
            }
        }
        let (n, mut rng) = (position.len(), Rng::new(seed));
        let mass = (0..n).map(|_| rng.log_between_one_and(mass_ratio)).collect();
        let (velocity, spin) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        Self { is_planar, position, velocity, spin, mass, last: Vec::new() }
    }

    fn touches(&self) -> Vec<Touch> {
        let mut found = Vec::new();
        for a in 0..self.position.len() {
            let gap = self.position[a][2] - RADIUS;
            if gap < GAP {
                found.push(Touch { bodies: (GROUND, a), frame: frame([0.0, 0.0, 1.0]), gap });
            }
            for b in a + 1..self.position.len() {
                let way: Vec3 = std::array::from_fn(|i| self.position[b][i] - self.position[a][i]);
                if way[2] > 2.0 * RADIUS + GAP || way[0].abs() > 2.0 * RADIUS + GAP {
                    continue;
                }
                let distance = dot(&way, &way).sqrt();
                let gap = distance - 2.0 * RADIUS;
                if gap < GAP {
                    let frame = frame(way.map(|x| x / distance));
                    found.push(Touch { bodies: (a, b), frame, gap });
                }
            }
        }
        found
    }

    /// Square of the radius of gyration over that of the body.
    fn gyration(&self) -> f64 {
        if self.is_planar { 0.5 } else { 0.4 }
    }

    /// Rows of H of one side of a contact: turning, then moving; in the plane turning about y, moving along x and z.
    fn rows(&self, body: usize, touch: &Touch, side: f64) -> Vec<Vec3> {
        let root = self.mass[body].sqrt();
        let turn_root = root * RADIUS * self.gyration().sqrt();
        // from the body's middle to the contact
        let arm = touch.frame[0].map(|n| -side * RADIUS * n);
        let turn = touch.frame.map(|d| cross(&arm, &d));
        let (turns, moves): (&[usize], &[usize]) =
            if self.is_planar { (&[1], &[0, 2]) } else { (&[0, 1, 2], &[0, 1, 2]) };
        let turning = turns.iter().map(|&k| turn.map(|t| side * t[k] / turn_root));
        let moving = moves.iter().map(|&k| touch.frame.map(|d| side * d[k] / root));
        let mut rows: Vec<Vec3> = turning.chain(moving).collect();
        if self.is_planar {
            rows.iter_mut().for_each(|row| row[2] = 0.0);
        }
        rows
    }

    fn point_velocity(&self, body: usize, touch: &Touch, side: f64) -> Vec3 {
        let arm = touch.frame[0].map(|n| -side * RADIUS * n);
        let turn = cross(&self.spin[body], &arm);
        std::array::from_fn(|i| self.velocity[body][i] + turn[i])
    }

    fn problem(&self, touches: &[Touch], stiffness: f64) -> MotionProblem {
        let mut problem = MotionProblem::default();
        let width = if self.is_planar { 3 } else { 6 };
        problem
            .clear(if self.is_planar { 2 } else { 3 }, std::iter::repeat_n(width, self.mass.len()));
        for touch in touches {
            let mut q = [touch.gap.max(0.0) / STEP, 0.0, 0.0];
            let mut trace = 0.0;
            for (body, side) in [(touch.bodies.0, -1.0), (touch.bodies.1, 1.0)] {
                if body == GROUND {
                    continue;
                }
                let rows = self.rows(body, touch, side);
                trace += rows.as_flattened().iter().map(|h| h * h).sum::<f64>();
                problem.push_span(body, rows);
                let v = self.point_velocity(body, touch, side);
                (0..3).for_each(|i| q[i] += side * dot(&touch.frame[i], &v));
            }
            if self.is_planar {
                q[2] = 0.0;
            }
            let eps = trace / (problem.dim() as f64 * stiffness);
            problem.end_contact([eps, eps, if self.is_planar { 0.0 } else { eps }], q, MU);
        }
        problem
    }

    /// Kinetic energy [J].
    fn energy(&self) -> f64 {
        let inertia = self.gyration() * RADIUS * RADIUS;
        let of = |b: usize| {
            let (v, w) = (&self.velocity[b], &self.spin[b]);
            0.5 * self.mass[b] * (dot(v, v) + inertia * dot(w, w))
        };
        (0..self.mass.len()).map(of).sum()
    }

    fn push(&mut self, touch: &Touch, r: &Vec3) {
        let impulse: Vec3 = std::array::from_fn(|k| (0..3).map(|i| touch.frame[i][k] * r[i]).sum());
        for (body, side) in [(touch.bodies.0, -1.0), (touch.bodies.1, 1.0)] {
            if body == GROUND {
                continue;
            }
            let arm = touch.frame[0].map(|n| -side * RADIUS * n);
            let turn = cross(&arm, &impulse);
            let inertia = self.gyration() * self.mass[body] * RADIUS * RADIUS;
            for k in 0..3 {
                self.velocity[body][k] += side * impulse[k] / self.mass[body];
                self.spin[body][k] += side * turn[k] / inertia;
            }
        }
    }
}

/// One row of the table.
#[derive(Default)]
struct Row {
    steps: usize,
    coarse: usize,
    fine: usize,
    worst: f64,
    seconds: Vec<f64>,
    most_contacts: usize,
    most_factorizations: usize,
    /// Steps in which contact added kinetic energy, measured from the ground.
    gains: usize,
}

/// One step with the sideways acceleration a [m/s²] of the ground, seen from it, and contact of stiffness κ.
fn step(pile: &mut Pile, (a, stiffness): (f64, f64), work: &mut MotionWork, row: &mut Row) {
    for v in &mut pile.velocity {
        v[0] += STEP * a;
        v[2] -= STEP * GRAVITY;
    }
    let touches = pile.touches();
    let problem = pile.problem(&touches, stiffness);
    row.most_contacts = row.most_contacts.max(touches.len());
    let mut r: Vec<Vec3> = touches
        .iter()
        .map(|touch| {
            let last = pile.last.binary_search_by_key(&touch.bodies, |(bodies, _)| *bodies);
            last.map_or([0.0; 3], |at| {
                let impulse = pile.last[at].1;
                std::array::from_fn(|i| dot(&touch.frame[i], &impulse))
            })
        })
        .collect();
    let mut place = vec![usize::MAX; problem.nodes()];
    let mut part = MotionProblem::default();
    let (mut worst, start) = (0.0_f64, ProcessTime::now());
    let (mut is_coarse, mut is_fine) = (true, true);
    for contacts in islands(&problem) {
        problem.island(&contacts, &mut place, &mut part);
        let mut r_part: Vec<Vec3> = contacts.iter().map(|&c| r[c]).collect();
        let report = solve_motion(&part, FINE, work, &never, &mut r_part);
        is_fine &= report.certified;
        is_coarse &= report.residual.accepts(COARSE);
        worst = worst.max(report.residual.scaled);
        let factorizations = work.links.iter().map(|link| link.report.factorizations).sum();
        row.most_factorizations = row.most_factorizations.max(factorizations);
        contacts.iter().zip(&r_part).for_each(|(&c, r_c)| r[c] = *r_c);
    }
    row.seconds.push(start.elapsed().as_secs_f64());
    row.steps += 1;
    row.coarse += usize::from(is_coarse);
    row.fine += usize::from(is_fine);
    row.worst = row.worst.max(worst);
    let before = pile.energy();
    touches.iter().zip(&r).for_each(|(touch, r)| pile.push(touch, r));
    row.gains += usize::from(pile.energy() > before * (1.0 + 1e-12));
    pile.last = touches
        .iter()
        .zip(&r)
        .map(|(touch, r)| {
            let impulse = std::array::from_fn(|k| (0..3).map(|i| touch.frame[i][k] * r[i]).sum());
            (touch.bodies, impulse)
        })
        .collect();
    pile.last.sort_by_key(|(bodies, _)| *bodies);
    for (x, v) in pile.position.iter_mut().zip(&pile.velocity) {
        (0..3).for_each(|k| x[k] += STEP * v[k]);
    }
}

fn run(
    (is_planar, rows): (bool, usize),
    (shake, mass_ratio): (f64, f64),
    stiffness: f64,
    steps: usize,
) -> Row {
    let mut pile = Pile::new(is_planar, rows, mass_ratio, rows as u64);
    let (mut work, mut row) = (MotionWork::default(), Row::default());
    for i in 0..steps {
        // a triangle wave: equal bits everywhere
        let phase = (i as f64 * STEP / PERIOD).fract();
        let wave = 4.0 * (phase - (phase + 0.5).floor()).abs() - 1.0;
        step(&mut pile, (-wave * shake * GRAVITY, stiffness), &mut work, &mut row);
    }
    row
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let steps = args.get(1).and_then(|arg| arg.parse().ok()).unwrap_or(50);
    let largest = args.get(3).and_then(|arg| arg.parse().ok()).unwrap_or(400);
    let smallest = args.get(4).and_then(|arg| arg.parse().ok()).unwrap_or(0);
    let stiffness = args.get(5).and_then(|arg| arg.parse().ok()).unwrap_or(f64::INFINITY);
    let mut table = format!(
        "# Shaken piles\n\nSteps of {STEP} s on ground that shakes sideways, μ = {MU}, stiffness κ = {stiffness}, warm start, one core, CPU time of the solve; written by \
         `cargo run --release -p stiction-bench --bin shaken`.\nContact that adds kinetic energy, measured from the ground, is counted in the last column.\n\n\
         | pile | shaken by | mass ratio | contacts | steps | at 1e-8 | at 1e-10 | worst residual | median [ms] | most [ms] | most factorizations | gains |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    let sizes = [
        (true, 10, 55),
        (true, 14, 105),
        (true, 20, 210),
        (true, 44, 990),
        (true, 99, 4950),
        (false, 4, 30),
        (false, 6, 91),
        (false, 10, 385),
    ];
    for (is_planar, rows, bodies) in
        sizes.into_iter().filter(|size| (smallest..=largest).contains(&size.2))
    {
        for (shake, mass_ratio) in [(0.05, 1.0), (0.2, 1.0), (0.5, 1.0), (0.2, 1e3), (0.5, 1e3)] {
            let mut row = run((is_planar, rows), (shake, mass_ratio), stiffness, steps);
            row.seconds.sort_by(f64::total_cmp);
            let kind = if is_planar { "disks" } else { "spheres" };
            let share = |part: usize| 100.0 * part as f64 / row.steps as f64;
            let line = format!(
                "| {bodies} {kind} | {shake} g | {mass_ratio} | {} | {} | {:.0} % | {:.0} % | {:.0e} | {:.1} | {:.0} | {} | {} |\n",
                row.most_contacts,
                row.steps,
                share(row.coarse),
                share(row.fine),
                row.worst,
                1e3 * row.seconds[row.steps / 2],
                1e3 * row.seconds[row.steps - 1],
                row.most_factorizations,
                row.gains
            );
            print!("{line}");
            let _ = write!(table, "{line}");
            if let Some(path) = args.get(2) {
                std::fs::write(path, &table)?;
            }
        }
    }
    Ok(())
}
