//! R5: [AP]'s energy inequality on random systems, and velocities that stay bounded.

mod bounded;
mod inequality;
mod systems;

use std::error::Error;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::contact::law::{Cone, Convex, Hybrid, Lateral, Law, Phantom, Pyramid};
use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::{Data, Drift, StepSettings};

use crate::Effort;
use crate::item::{Item, Table, number};
use inequality::Sides;
use systems::System;

const TEXT: &str = "\
For springs γ and dampers δ that are linearly implicit, [AP] states L = v⁺ᵀM v⁺ + Σ γ (φ + h ∇φᵀv⁺)² ≤ wᵀM w + Σ γ φ² = R with w = v + h M⁻¹k₁: a step loses energy, whatever γ, δ and h are, with \
contacts, friction and joints. The systems are random: balls and cubes on the ground and on each other, an arm of one or two links whose tip stands on the ground, a rod or a joint that closes a loop, one to four springs and \
dampers with γ from 0.1 to 1e10 N/m and δ from 0.01 to 1e8 N·s/m, forces, h from 1 to 100 ms, both sets of coordinates, a friction law after the other. L and R come from outside of the step: mass matrix, loads, lengths of the springs and their rates. \
The proof needs p·u⁺ ≤ 0 and J_b v⁺ = 0: rows `u_n ≥ 0` on what touches, and joints that are not brought back (`Drift::Free`). Rows `u_n ≥ −φ/h` keep it where no gap is negative; what parts overlaps or closes joints does work, \
and may be asked of bodies that joints hold in place: the second table says how often, and how much. The proof is an identity, R − L is the sum of its losses, and that is held against the steps too. \
For constant M and linear springs v stays bounded at all times: three masses on slides, pressed to the ground and against each other by their springs, for many steps.";

/// Steps of each system.
const STEPS: usize = 3;

/// L above R by less than this share of R is rounding: contact problems are solved to 1e-10, most of them to 1e-15.
const ROUNDING: f64 = 1e-10;

/// What steps did to the two sides.
#[derive(Clone, Debug)]
pub struct Tally {
    pub systems: usize,
    pub steps: usize,
    /// With contacts that press.
    pub pressed: usize,
    /// With L above R beyond rounding; of these with bodies that overlapped.
    pub above: usize,
    pub above_overlapping: usize,
    /// The largest (L − R)/R.
    pub worst: f64,
    /// How far R − L is from the sum of losses, at most, as a share of R and of what impulses could do.
    pub off: f64,
    /// Systems that came to a state without a next one.
    pub ended: usize,
}

impl Default for Tally {
    fn default() -> Self {
        let worst = f64::NEG_INFINITY;
        let (systems, steps, pressed, above, above_overlapping) = (0, 0, 0, 0, 0);
        Self { systems, steps, pressed, above, above_overlapping, worst, off: 0.0, ended: 0 }
    }
}

impl Tally {
    fn add(&mut self, sides: &Sides) {
        let excess = (sides.left - sides.right) / sides.right;
        let is_above = !(excess <= ROUNDING);
        self.steps += 1;
        self.pressed += usize::from(sides.pressed);
        self.above += usize::from(is_above);
        self.above_overlapping += usize::from(is_above && sides.overlaps);
        self.worst = larger(self.worst, excess);
        let off = (sides.right - sides.left - sides.losses).abs();
        self.off = larger(self.off, off / (sides.right + sides.braced));
    }
}

/// NaN counts as infinite.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Without friction, and every law of friction. The phantom law has no lateral friction: its relaxation divides by a normal force
/// of the last step, of which the first has none.
fn laws() -> [Law; 7] {
    [
        Law::Frictionless,
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom { lateral: Lateral::Free, ..Default::default() }),
        Law::Box(Default::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ]
}

/// How contacts and joints enter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rows {
    name: &'static str,
    normal: NormalRow,
    drift: Drift,
}

/// Those of the theorem, and those of the default.
const THEOREM: Rows =
    Rows { name: "u_n ≥ 0, J_b v = 0", normal: NormalRow::Velocity, drift: Drift::Free };
const OTHERS: [Rows; 3] = [
    Rows { name: "u_n ≥ −φ/h, J_b v = 0", normal: NormalRow::Position, drift: Drift::Free },
    Rows { name: "u_n ≥ 0, joints closed", normal: NormalRow::Velocity, drift: Drift::Close },
    Rows {
        name: "u_n ≥ −φ/h, joints closed (default)",
        normal: NormalRow::Position,
        drift: Drift::Close,
    },
];

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R5", "Stiff springs never gain energy in a step", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    random(item, effort)?;
    bounded::bounded(item, effort)
}

/// The inequality over systems number `first` to `first + n`, with the rows that it needs; one tally for each law.
pub fn tallies(first: u64, n: u64) -> Result<Vec<(&'static str, Tally)>, Box<dyn Error>> {
    let mut tallies = laws().map(|law| (law.name(), Tally::default()));
    for seed in first..first + n {
        let turn = (seed % 7) as usize;
        run(seed, laws()[turn], THEOREM, &mut tallies[turn].1, &mut |_, _| {})?;
    }
    Ok(tallies.to_vec())
}

/// One system under one law; `see` is shown each step.
fn run(
    seed: u64,
    law: Law,
    rows: Rows,
    tally: &mut Tally,
    see: &mut dyn FnMut(&System, &Sides),
) -> Result<(), Box<dyn Error>> {
    let system = systems::system(seed)?;
    let contact = ContactSettings { law, normal: rows.normal, ..Default::default() };
    let settings = StepSettings { h: system.h, drift: rows.drift, contact, ..Default::default() };
    let (mut state, mut data) = (system.state.clone(), Data::new(&system.model));
    tally.systems += 1;
    for _ in 0..STEPS {
        match inequality::step_of(&system, &settings, &mut state, &mut data)? {
            Some(sides) => {
                tally.add(&sides);
                see(&system, &sides);
            }
            None => {
                tally.ended += 1;
                break;
            }
        }
    }
    Ok(())
}

fn random(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(
        "Steps of random systems with the rows that the inequality needs, by friction law.",
        &[
            "law",
            "systems",
            "steps",
            "contacts press",
            "L > R",
            "largest (L − R)/R",
            "no next state",
        ],
    );
    let mut all = Tally::default();
    for (name, tally) in tallies(0, 10_000)? {
        let counts = [tally.systems, tally.steps, tally.pressed, tally.above];
        let mut row = vec![name.to_string()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([number(tally.worst), tally.ended.to_string()]);
        table.row(row);
        all.systems += tally.systems;
        all.steps += tally.steps;
        all.above += tally.above;
        all.ended += tally.ended;
        all.worst = larger(all.worst, tally.worst);
        all.off = larger(all.off, tally.off);
    }
    item.equal("random systems", all.systems, 10_000);
    item.equal("steps", all.steps, STEPS * 10_000);
    item.equal("steps with L > R", all.above, 0);
    item.equal("systems with a state that has no next one", all.ended, 0);
    // sums of terms that differ by ten decades of γ, after solves to 1e-10
    item.at_most("R − L off the sum of losses, share of R", all.off, 1e-8);
    item.figure("worst_excess", all.worst);
    item.figure("identity_off", all.off);
    item.tables.push(table);
    others(item, effort)
}

/// The same systems with other rows, under Coulomb's law.
fn others(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let n = if effort == Effort::Whole { 1000 } else { 150 };
    let caption = "The same with other rows, under exact Coulomb friction: systems that overlap by up to 1 mm at the beginning, and joints that turn by up to 0.2 rad in a step.";
    let head = [
        "rows",
        "systems",
        "steps",
        "L > R",
        "of these overlapping",
        "largest (L − R)/R",
        "no next state",
    ];
    let mut table = Table::new(caption, &head);
    let mut dots = Vec::new();
    for rows in [THEOREM].into_iter().chain(OTHERS) {
        let (mut tally, mut points) = (Tally::default(), Vec::new());
        let mut see = |system: &System, sides: &Sides| {
            points.push((system.added_mass(), sides.left / sides.right));
        };
        for seed in 0..n {
            run(seed, Law::Cone(Cone::default()), rows, &mut tally, &mut see)?;
        }
        let counts = [tally.systems, tally.steps, tally.above, tally.above_overlapping];
        let mut row = vec![rows.name.to_string()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([number(tally.worst), tally.ended.to_string()]);
        table.row(row);
        if rows == OTHERS[0] {
            let apart = tally.above - tally.above_overlapping;
            item.equal("u_n ≥ −φ/h, J_b v = 0: steps with L > R where nothing overlaps", apart, 0);
        }
        item.figure(format!("above {}", rows.name), tally.above as f64 / tally.steps as f64);
        dots.push(points);
    }
    item.tables.push(table);
    picture(item, &dots[3], &dots[0]);
    Ok(())
}

/// L/R against stiffness, for some steps with the default's rows and with those of the theorem.
fn picture(item: &mut Item, default: &[(f64, f64)], theorem: &[(f64, f64)]) {
    const MOST: usize = 450;
    let (x, y) = ((1e-4, 1e10), (1e-3, 1e3));
    let dots = |label: &str, colour, points: &[(f64, f64)]| Line {
        label: label.into(),
        colour,
        stroke: Stroke::Dots,
        points: points.iter().copied().take(MOST).collect(),
    };
    let one = Line {
        label: "L = R".into(),
        colour: 5,
        stroke: Stroke::Dashed,
        points: vec![(x.0, 1.0), (x.1, 1.0)],
    };
    let size = (420.0, 360.0);
    let panel = |title: &str, line: Line| Panel {
        title: title.into(),
        size,
        x: Axis::log("h²γ + hδ, the largest of a system [kg]", x),
        y: Axis::log("L/R", y),
        lines: vec![line, one.clone()],
    };
    let panels = [
        panel("rows of the inequality: u_n ≥ 0, J_b v = 0", dots("", 0, theorem)),
        panel("default: u_n ≥ −φ/h, joints closed", dots("", 1, default)),
    ];
    let caption = "Energy after a step over energy before it for random systems, against the mass that their springs and dampers add: never above 1 with the rows that the inequality needs; what parts overlaps and closes joints does work";
    item.picture("r5-inequality", caption, svg("Steps of random stiff systems", &panels));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems whose arm would meet other contacts at velocities that do not hold its joints together.
    #[test]
    fn contacts_that_join_within_a_step_know_of_the_joints() -> Result<(), Box<dyn Error>> {
        for seed in [560, 841] {
            let mut tally = Tally::default();
            run(seed, Law::Cone(Cone::default()), OTHERS[0], &mut tally, &mut |_, _| {})?;
            assert_eq!(tally.above, tally.above_overlapping, "system {seed}");
            assert!(
                tally.off <= 1e-8 && tally.worst <= 1e4,
                "{seed}: {} {}",
                tally.off,
                tally.worst
            );
        }
        Ok(())
    }
}
