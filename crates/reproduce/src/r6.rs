//! R6: rods that slide without forces, [AP]'s Painlevé paradox. Derivation: `docs/theory/paradox.md`.

pub mod map;

use std::error::Error;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{Cone, Law, Pyramid};
use stiction_sim::paradox::rod::Rod;
use stiction_sim::paradox::{Explored, ParadoxSettings, Solutions, Stepped, explore, stepped};
use stiction_sim::{Coordinates, Input, StepSettings};

use crate::Effort;
use crate::item::{Item, Table, number};
use map::{Grid, Range, Sort};

const TEXT: &str = "\
A rod slides on its lower end. With friction fixed by the slip, the acceleration of that end is a N + c in the normal force N, a = 1/m + (l/2)²/I (cos²θ − μ sin θ cos θ), \
c = −g + (l/2) ω² sin θ ([paradox.md](theory/paradox.md)). Where a < 0, no force obeys Coulomb's law (c < 0) or two do (c > 0). The forces of an instant are enumerated, \
and that there is none comes with a proof which the judge has checked; the problem is assembled from the model, and a and c are only held against it. A step in time from the same state has a \
certified impulse which stays finite as h → 0: it stops the lower end at once, and its closed form needs friction p_t/p_n ≤ μ exactly where a ≤ 0.";

/// Spin of the second map [rad/s]: the sign of c changes at sin θ = 0.785.
const SPIN: f64 = 5.0;

pub fn item(effort: Effort) -> Item {
    let mut item =
        Item::new("R6", "A sliding rod without forces, and the step that has an impulse", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    cases(item)?;
    impulses(item)?;
    maps(item, effort)
}

fn look(rod: &Rod) -> Result<Explored, Box<dyn Error>> {
    let model = rod.model(Coordinates::Generalized)?;
    let state = rod.state(&model);
    Ok(explore(&model, &ParadoxSettings::default(), &Input::default(), &state)?)
}

fn step_of(rod: &Rod, law: Law, h: f64) -> Result<Stepped, Box<dyn Error>> {
    let model = rod.model(Coordinates::Generalized)?;
    let state = rod.state(&model);
    let contact = ContactSettings { law, ..Default::default() };
    let settings = StepSettings { h, contact, ..Default::default() };
    Ok(stepped(&model, &settings, &Input::default(), &state)?)
}

/// The rod of [AP] at rest in its turning and turning; one with less friction.
fn cases(item: &mut Item) -> Result<(), Box<dyn Error>> {
    let caption = "The rod of [AP] (m = 1 kg, I = m/16, l = 2 m, θ = 72°, sliding with 1 m/s): all forces of the instant.";
    let head = ["μ", "ω [rad/s]", "a [1/kg]", "c [m/s²]", "forces N [N]", "−c/a", "by"];
    let mut table = Table::new(caption, &head);
    let rod = Rod::baraff();
    let cases = [
        (rod, "none"),
        (Rod { omega: 4.0, ..rod }, "several"),
        (Rod { mu: 0.3, ..rod }, "unique"),
        (Rod { mu: 0.3, omega: 4.0, ..rod }, "unique"),
    ];
    for (rod, expected) in cases {
        let explored = look(&rod)?;
        let (what, found) =
            (format!("μ = {}, ω = {}", rod.mu, rod.omega), explored.solutions.name());
        item.is(format!("{what}: enumeration says `{expected}`"), found == expected);
        let problem = explored.problem.ok_or("a rod that does not touch")?;
        let off = (problem.A().get(0, 0) - rod.a()).abs().max((problem.b()[0] - rod.c()).abs());
        item.at_most(format!("{what}: a and c of the model, off their closed form"), off, 1e-12);
        let forces: Vec<f64> = explored.solutions.list().iter().map(|one| one.lambda[0]).collect();
        for N in forces.iter().filter(|N| **N != 0.0) {
            item.near(format!("{what}: N over −c/a"), -N * rod.a() / rod.c(), 1.0, 1e-12);
        }
        let by = match &explored.solutions {
            Solutions::None { refutation, .. } => {
                format!("proof, Farkas vectors: {}", refutation.leaves)
            }
            solutions => {
                let residual =
                    |m: f64, one: &stiction_sim::paradox::Solution| m.max(one.residual.scaled);
                format!("residual {}", number(solutions.list().iter().fold(0.0, residual)))
            }
        };
        let forces = forces.iter().map(|N| number(*N)).collect::<Vec<_>>();
        let forces = if forces.is_empty() { "none".to_string() } else { forces.join(", ") };
        let cells = [rod.mu, rod.omega, rod.a(), rod.c()].map(number);
        table.row([cells.to_vec(), vec![forces, number(-rod.c() / rod.a()), by]].concat());
    }
    item.tables.push(table);
    Ok(())
}

/// The impulse of a step against its length.
fn impulses(item: &mut Item) -> Result<(), Box<dyn Error>> {
    let rod = Rod::baraff();
    let (stopping, _) = rod.stopping_impulse();
    let caption = "One step of length h from the state without forces: normal impulse [N·s], its ratio to that of half the length, work of the contact [J].";
    let head =
        ["h [s]", "cone p_n", "p(h)/p(h/2)", "certified", "work", "pyramid p_n", "certified"];
    let mut table = Table::new(caption, &head);
    let laws = [Law::Cone(Cone::default()), Law::Pyramid(Pyramid::default())];
    let mut last = (f64::NAN, f64::NAN, f64::NAN);
    let (mut points, mut certified, mut work, mut gap) =
        (Vec::new(), 0, f64::NEG_INFINITY, 0.0_f64);
    const STEPS: i32 = 14;
    for i in 0..STEPS {
        let h = 2e-2 / f64::from(1 << i);
        let [cone, pyramid] = laws.map(|law| step_of(&rod, law, h));
        let (cone, pyramid) = (cone?, pyramid?);
        let half = step_of(&rod, laws[0], 0.5 * h)?;
        let (p, ratio) = (cone.p[0], cone.p[0] / half.p[0]);
        let yes = |stepped: &Stepped| if stepped.is_certified() { "yes" } else { "no" };
        certified += usize::from(cone.is_certified()) + usize::from(pyramid.is_certified());
        work = cone.contact_work.max(pyramid.contact_work).max(work);
        let difference = (p - pyramid.p[0]).abs();
        gap = if difference.is_nan() { f64::INFINITY } else { gap.max(difference) };
        last = (h, p, ratio);
        points.push((h, p));
        let words = vec![number(h), number(p), format!("{ratio:.6}"), yes(&cone).into()];
        let more = vec![number(cone.contact_work), number(pyramid.p[0]), yes(&pyramid).into()];
        table.row([words, more].concat());
    }
    item.tables.push(table);
    item.equal("steps certified, cone and pyramid", certified, 2 * STEPS as usize);
    item.at_most("work of the contact, the largest [J]", work, 0.0);
    item.at_most(
        "impulses of cone and pyramid, which are one law in the plane, differ by [N·s]",
        gap,
        1e-9,
    );
    item.near(format!("p(h)/p(h/2) at h = {}", number(last.0)), last.2, 1.0, 1e-4);
    item.near(
        "p(h) over the impulse that stops the lower end, at the same h",
        last.1 / stopping,
        1.0,
        1e-4,
    );
    item.figure("impulse_at_the_shortest_step", last.1);
    item.figure("stopping_impulse", stopping);
    let caption = "Impulse of one step against its length: with forces it vanishes with h, without them it does not";
    item.picture("r6-impulse", caption, impulse_picture(&points, stopping)?);
    Ok(())
}

fn impulse_picture(points: &[(f64, f64)], stopping: f64) -> Result<String, Box<dyn Error>> {
    let regular = Rod { mu: 0.3, ..Rod::baraff() };
    let mut vanishing = Vec::new();
    for &(h, _) in points {
        vanishing.push((h, step_of(&regular, Law::Cone(Cone::default()), h)?.p[0]));
    }
    let across = vec![(1e-6, stopping), (4e-2, stopping)];
    let line = |label: &str, colour, stroke, points: Vec<(f64, f64)>| {
        let mut points = points;
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { label: label.into(), colour, stroke, points }
    };
    let panel = Panel {
        title: "normal impulse of one step".into(),
        size: (480.0, 300.0),
        x: Axis::log("h [s]", (1e-6, 4e-2)),
        y: Axis::log("p_n [N·s]", (1e-5, 2.0)),
        lines: vec![
            line("stops the lower end: closed form", 5, Stroke::Dashed, across),
            line("μ = 0.75: no force", 1, Stroke::Marked, points.to_vec()),
            line("μ = 0.3: one force N, p = h N", 0, Stroke::Marked, vanishing),
        ],
    };
    Ok(svg("A step where there is no force", &[panel]))
}

/// The uniform rod over angle and coefficient.
fn maps(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let n = if effort == Effort::Whole { 60 } else { 15 };
    let (mu, angle) = (Range::cells(0.0, 5.0, n), Range::cells(0.0, 90.0, n));
    let caption = "Uniform rods of 1 kg and 1 m over angle and coefficient: how many have how many forces, and the steps of 1 ms from them.";
    let head = [
        "ω [rad/s]",
        "one, presses",
        "one, lifts off",
        "several",
        "none",
        "other",
        "not as the sign of a and c",
        "steps certified",
        "largest work of the contact [J]",
    ];
    let mut table = Table::new(caption, &head);
    let mut panels = Vec::new();
    for omega in [0.0, SPIN] {
        let grid = Grid { mu, angle, omega, h: 1e-3 };
        let cells = map::map(&grid)?;
        let count = |sort: Sort| cells.iter().filter(|cell| cell.sort == sort).count();
        let wrong = cells.iter().filter(|cell| cell.sort != cell.expected()).count();
        let certified = cells.iter().filter(|cell| cell.certified).count();
        let work = cells.iter().map(|cell| cell.contact_work).fold(f64::NEG_INFINITY, f64::max);
        item.equal(
            format!("ω = {omega}: rods whose forces are not as the sign of a and c says"),
            wrong,
            0,
        );
        item.equal(format!("ω = {omega}: certified steps"), certified, n * n);
        item.at_most(format!("ω = {omega}: work of the contact, the largest [J]"), work, 1e-15);
        let counts =
            [Sort::Presses, Sort::LiftsOff, Sort::Several, Sort::None, Sort::Other].map(count);
        let mut row = vec![number(omega)];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([wrong.to_string(), format!("{certified} of {}", n * n), number(work)]);
        table.row(row);
        panels.push(map::panel(&grid, &cells));
    }
    let least = Rod::uniform(libm::atan(2.0), 1.0).critical_mu();
    item.near("least coefficient with a paradox, at tan θ = 2", least, 4.0 / 3.0, 1e-14);
    item.tables.push(table);
    let caption = "How many forces a sliding uniform rod has, by enumeration; dashed the limit (4 + tan²θ)/(3 tan θ), dotted the angle where c changes its sign";
    item.picture("r6-map", caption, svg("Forces of a sliding uniform rod", &panels));
    Ok(())
}
