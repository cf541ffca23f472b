//! R10: the forms of one contact problem of three articulated systems, [DART] figure 1b.

mod forms;
mod systems;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::contact::law::{ContactMode, Law, Pyramid, Stabilization};
use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::{Data, Input, Model, State, StepError, StepSettings, step};

use crate::Effort;
use crate::item::{Item, Table, number};
use forms::Forms;

const TEXT: &str = "\
Three branching systems (8, 9 and 3 generalized velocities) touch each other at four places, each pair as in eq. 7 of the note: 1–3, 1–2, 2–3, 2–3. From random velocities one \
step is taken with friction pyramids of d = 8 directions. Its impulses come from the standard form (eq. 14, v eliminated by the tree's factors); beside it the mixed form \
(eq. 12) is assembled from the dense mass matrix, the bias forces and the contact Jacobian, and solved with the velocities as free unknowns. The note's force form and its scaling by Δt must \
give the same impulses; its other treatment, (1 + ε) on the diagonal, must change them by about ε.";

/// Step length [s] and directions of friction.
const H: f64 = 5e-3;
const FACETS: usize = 8;
/// The same answer, relative to the largest impulse or velocity.
const SAME: f64 = 1e-10;

pub fn item(effort: Effort) -> Item {
    let title = "Three articulated systems, four contacts: one problem in several forms";
    let mut item = Item::new("R10", title, TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

/// One step from a state, under one form of the pyramid.
struct Stepped {
    /// n, t1, t2 of each contact [N·s].
    p: Vec<f64>,
    v: Vec<f64>,
    data: Data,
}

fn take_step(
    model: &Model,
    start: &State,
    stabilization: Stabilization,
) -> Result<Stepped, StepError> {
    let law = Law::Pyramid(Pyramid { facets: FACETS, stabilization, ..Default::default() });
    // the note's N ᵀq̇ ≥ 0, whatever the gap; its solves are asked for more than the comparison
    let normal = NormalRow::Velocity;
    let contact = ContactSettings { law, normal, tol: 1e-13, ..Default::default() };
    let settings = StepSettings { h: H, contact, ..Default::default() };
    let (mut state, mut data) = (start.clone(), Data::new(model));
    step(model, &settings, &Input::default(), &mut state, &mut data)?;
    Ok(Stepped { p: data.contact_impulses().to_vec(), v: state.v, data })
}

/// Velocities up to 0.5 m/s or rad/s; the free systems come down at 0.3 m/s besides.
fn start(model: &Model, seed: u64) -> State {
    let mut state = model.state();
    let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for v in &mut state.v {
        // xorshift: the same numbers everywhere
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        *v = (bits >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    }
    for body in model.bodies().iter().filter(|body| body.joint.nv() == 6) {
        state.v[body.v0 + 2] -= 0.3;
    }
    state
}

/// Largest difference, relative to the largest of `a`; infinite where something is not finite.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let largest = |x: f64, y: f64| if y.is_nan() { f64::INFINITY } else { x.max(y) };
    let scale = a.iter().map(|x| x.abs()).fold(0.0, largest);
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, largest) / scale
}

/// Largest differences over all starts.
#[derive(Default)]
struct Worst {
    matrix: f64,
    constant: f64,
    mixed_p: f64,
    mixed_v: f64,
    forces: f64,
    scaled: f64,
    certified_mixed: usize,
    modes: [usize; 3],
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn std::error::Error>> {
    let model = systems::model()?;
    let starts = if effort == Effort::Whole { 40 } else { 8 };
    incidence(item, &model, &take_step(&model, &start(&model, 0), Stabilization::None)?);
    let mut worst = Worst::default();
    for seed in 0..starts {
        let state = start(&model, seed);
        let plain = take_step(&model, &state, Stabilization::None)?;
        compare(&mut worst, &model, &state, &plain)?;
    }
    let what = |what: &str| format!("{starts} starts: {what}");
    item.at_most(what("matrix of eq. 14 by hand against the law's"), worst.matrix, SAME);
    item.at_most(what("constant of eq. 14 by hand against the law's"), worst.constant, SAME);
    item.equal(what("mixed form certified"), worst.certified_mixed, starts as usize);
    item.at_most(what("p, mixed against standard form"), worst.mixed_p, SAME);
    item.at_most(what("v⁺, mixed against the step"), worst.mixed_v, SAME);
    item.at_most(what("p, force form"), worst.forces, SAME);
    item.at_most(what("p, force form scaled by Δt"), worst.scaled, SAME);
    for (mode, count) in ["open", "stick", "slip"].into_iter().zip(worst.modes) {
        item.is(what(&format!("some contacts {mode}")), count > 0);
        item.figure(format!("contacts_{mode}"), count as f64);
    }
    table(item, &worst, starts);
    diagonal(item, &model, starts)
}

/// Four contacts between the systems of eq. 7, with its signs.
fn incidence(item: &mut Item, model: &Model, stepped: &Stepped) {
    let J = stepped.data.contact_jacobian();
    item.equal("contacts", J.nrows() / 3, systems::BETWEEN.len());
    item.equal("generalized velocities", J.ncols(), 20);
    let mut as_in_eq_7 = J.nrows() == 12;
    for (c, between) in systems::BETWEEN.iter().enumerate().filter(|_| J.nrows() == 12) {
        for v in 0..J.ncols() {
            let is_between =
                systems::system_of_velocity(model, v).is_some_and(|s| between.contains(&s));
            let is_moved = (0..3).any(|a| J[(3 * c + a, v)] != 0.0);
            as_in_eq_7 &= is_between || !is_moved;
        }
        // B, the lower number, goes with +n: a free trunk's velocity is the world's
        let contact = &stepped.data.contacts()[c];
        let system = |body: Option<usize>| body.map(|body| model.bodies()[body].name.as_bytes()[0]);
        let names = between.map(|s| Some(b'0' + s as u8));
        as_in_eq_7 &= [system(contact.b), system(contact.a)] == names;
    }
    item.is("contacts are between the systems of eq. 7, with its signs", as_in_eq_7);
}

fn compare(
    worst: &mut Worst,
    model: &Model,
    state: &State,
    plain: &Stepped,
) -> Result<(), Box<dyn std::error::Error>> {
    let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
    let forms = Forms::new(model, state, plain);
    let (matrix, constant) = forms.against_the_law(plain)?;
    worst.matrix = larger(worst.matrix, matrix);
    worst.constant = larger(worst.constant, constant);
    let mixed = forms.solve_mixed()?;
    worst.certified_mixed += usize::from(mixed.is_certified);
    worst.mixed_p = larger(worst.mixed_p, apart(&plain.p, &mixed.p));
    worst.mixed_v = larger(worst.mixed_v, apart(&plain.v, &mixed.v));
    let forces = take_step(model, state, Stabilization::Forces)?;
    worst.forces = larger(worst.forces, apart(&plain.p, &forces.p));
    let scaled = take_step(model, state, Stabilization::ScaledForces)?;
    worst.scaled = larger(worst.scaled, apart(&plain.p, &scaled.p));
    for mode in plain.data.contact_modes() {
        worst.modes[match mode {
            ContactMode::Open => 0,
            ContactMode::Stick => 1,
            ContactMode::Slip { .. } => 2,
        }] += 1;
    }
    Ok(())
}

fn table(item: &mut Item, worst: &Worst, starts: u64) {
    let [open, stick, slip] = worst.modes;
    let caption = format!(
        "Largest differences over {starts} starts ({} contacts: {open} open, {stick} stick, {slip} slip), relative to the largest entry.",
        open + stick + slip
    );
    let mut table = Table::new(caption, &["form", "unknowns", "what is compared", "difference"]);
    let mut row = |cells: [&str; 3], name: &str, value: f64| {
        let mut cells: Vec<String> = cells.map(str::to_string).to_vec();
        cells.push(number(value));
        table.row(cells);
        item.figure(name, value);
    };
    row(
        ["standard, eq. 14", "p_n, β, s", "matrix, by hand against the step's law"],
        "standard_matrix",
        worst.matrix,
    );
    row(["", "", "constant (v_free)"], "standard_constant", worst.constant);
    row(["mixed, eq. 12", "v⁺, p_n, β, s", "p against the step's"], "mixed_p", worst.mixed_p);
    row(["", "", "v⁺ against the step's"], "mixed_v", worst.mixed_v);
    row(["forces", "f_n, f_d, λ", "p = Δt f against the step's"], "forces_p", worst.forces);
    row(
        ["forces, scaled by Δt", "f_n, f_d, λ/Δt", "p = Δt f against the step's"],
        "scaled_p",
        worst.scaled,
    );
    item.tables.push(table);
}

/// `A_ii ← (1 + ε) A_ii` is another problem.
fn diagonal(item: &mut Item, model: &Model, starts: u64) -> Result<(), Box<dyn std::error::Error>> {
    let caption = "The other stabilization, A_ii ← (1 + ε) A_ii: relative change of p, the largest and the median over the starts.";
    let mut table = Table::new(caption, &["ε", "largest", "largest / ε", "median", "median / ε"]);
    let (mut largest, mut medians) = (Vec::new(), Vec::new());
    for power in [-8, -7, -6, -5, -4, -3, -2] {
        let eps = libm::pow(10.0, f64::from(power));
        let mut changes = Vec::new();
        for seed in 0..starts {
            let state = start(model, seed);
            let plain = take_step(model, &state, Stabilization::None)?;
            let other = take_step(model, &state, Stabilization::Diagonal { eps })?;
            changes.push(apart(&plain.p, &other.p));
        }
        changes.sort_by(f64::total_cmp);
        let (worst, median) = (changes[changes.len() - 1], changes[changes.len() / 2]);
        table.row(vec![
            format!("1e{power}"),
            number(worst),
            number(worst / eps),
            number(median),
            number(median / eps),
        ]);
        // about: a problem is a few times more or less sensitive than its diagonal
        item.between(
            format!("ε = 1e{power}: median change of p over ε"),
            median / eps,
            (0.1, 10.0),
        );
        item.figure(format!("diagonal_1e{power}_median"), median);
        largest.push((eps, worst));
        medians.push((eps, median));
    }
    item.tables.push(table);
    item.picture("r10-stabilization", "Change of p against ε", picture(largest, medians));
    Ok(())
}

fn picture(largest: Vec<(f64, f64)>, medians: Vec<(f64, f64)>) -> String {
    let line =
        |label: &str, colour, stroke, points| Line { label: label.into(), colour, stroke, points };
    let same = vec![(1e-8, 1e-8), (1e-2, 1e-2)];
    let panel = Panel {
        title: "relative change of the impulses, A_ii ← (1 + ε) A_ii".into(),
        size: (380.0, 300.0),
        x: Axis::log("ε", (1e-8, 1e-2)),
        y: Axis::log("change of p", (1e-9, 1.0)),
        lines: vec![
            line("largest over the starts", 1, Stroke::Marked, largest),
            line("median", 0, Stroke::Marked, medians),
            line("ε itself", 5, Stroke::Dashed, same),
        ],
    };
    svg("Three articulated systems: a larger diagonal", &[panel])
}
