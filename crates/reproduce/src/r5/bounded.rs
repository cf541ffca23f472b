//! Masses on slides, pressed to the ground and against each other by linear springs: M is constant.

use std::error::Error;

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::constraint::rows::At;
use stiction_sim::contact::{ContactSettings, NormalRow};
use stiction_sim::energy::mechanical_energy;
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Shape, SpringKind, Surface,
};
use stiction_sim::{
    Coordinates, Data, Drift, Inertia, Input, Model, ModelSpec, State, StepSettings, Stiffness,
    Vec3, step,
};

use crate::Effort;
use crate::item::{Item, Table, number};

/// Masses of the carriages and of what slides on them [kg], step length [s].
const CART: f64 = 0.5;
const MASS: f64 = 1.0;
const H: f64 = 0.01;
/// What the springs press with when nothing has moved [N].
const PRESS: f64 = 2.0;

/// Carriages that slide along x, a ball on each that slides along z; springs on all slides, friction below and between the balls, and the
/// outer carriages move against each other as a gear would have it.
fn scene(gamma: f64) -> Result<(Model, State), Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.material("stuff", Surface::rigid(0.3));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    for i in 0..3 {
        let [cart, ball] = [format!("cart {i}"), format!("ball {i}")];
        spec.body(&cart, Inertia::principal(CART, [0.1; 3]));
        spec.body(&ball, Inertia::principal(MASS, [0.1; 3]));
        let at = FrameSpec::world().at(f64::from(i), 0.0, 0.5);
        let along = |axis: Vec3| JointKind::Prismatic { axis };
        spec.joint(&cart, along(Vec3::x()), at, FrameSpec::of(&cart));
        spec.joint(&ball, along(Vec3::z()), FrameSpec::of(&cart), FrameSpec::of(&ball));
        spec.shape(&ball, FrameSpec::of(&ball), Shape::Sphere { radius: 0.5 }, "stuff");
        // pressed towards the middle, and to the ground
        let stretch = PRESS / gamma;
        for (joint, rest) in [(cart, stretch * f64::from(1 - i)), (ball, -stretch)] {
            let coordinate = CoordinateSpec::of(&joint);
            spec.spring(&joint, SpringKind::Coordinate { coordinate, rest }, gamma, 0.0);
        }
    }
    let terms = ["cart 0", "cart 2"].map(|cart| (CoordinateSpec::of(cart), 1.0)).to_vec();
    spec.constraint("gear", ConstraintKind::Coupling { terms, offset: 0.0 });
    let model = spec.build(Coordinates::Generalized)?;
    let mut state = model.state();
    for (i, v) in [(0, 0.7), (1, 1.0), (2, -0.4), (3, 0.8), (4, -0.7), (5, 0.6)] {
        state.v[i] = v;
    }
    Ok((model, state))
}

/// What a run came to.
struct Run {
    /// Number of a step, and the energy after it over that before the first.
    energy: Vec<(f64, f64)>,
    /// The largest rise in one step, as a share of the first energy.
    rise: f64,
    /// [m/s]
    fastest: f64,
    /// √(2E₀/m): no mass is faster as long as energy does not grow [m/s].
    bound: f64,
    load: f64,
    steps: usize,
}

/// ω of the balls alone.
fn run(omega_h: f64, stiffness: Stiffness, most: usize) -> Result<Run, Box<dyn Error>> {
    let (model, mut state) = scene(MASS * omega_h * omega_h / (H * H))?;
    let mut data = Data::new(&model);
    let contact = ContactSettings { normal: NormalRow::Velocity, ..Default::default() };
    let settings =
        StepSettings { h: H, stiffness, drift: Drift::Free, contact, ..Default::default() };
    let first = mechanical_energy(&model, At::from(&state), &state.v, &mut data)?;
    let bound = (2.0 * first / MASS).sqrt();
    let mut run = Run { energy: Vec::new(), rise: 0.0, fastest: 0.0, bound, load: 0.0, steps: 0 };
    let mut last = first;
    let mut shown = 1.0;
    while run.steps < most && last < 1e12 * first {
        let report = step(&model, &settings, &Input::default(), &mut state, &mut data)?;
        let energy = mechanical_energy(&model, At::from(&state), &state.v, &mut data)?;
        run.steps += 1;
        run.load = run.load.max(report.explicit_load);
        run.rise = super::larger(run.rise, (energy - last) / first);
        let speed = state.v.iter().fold(0.0, |m: f64, v| super::larger(m, v.abs()));
        run.fastest = super::larger(run.fastest, speed);
        last = energy;
        // points as far apart as they can be seen
        if run.steps as f64 >= shown {
            run.energy.push((run.steps as f64, energy / first));
            shown = run.steps as f64 * 1.02;
        }
    }
    Ok(run)
}

pub(super) fn bounded(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let most = if effort == Effort::Whole { 100_000 } else { 10_000 };
    let caption = "Three masses on slides, ω their own frequency: energy over its first value, the largest rise in a step, the fastest speed beside √(2E₀/m).";
    let head = [
        "ωh",
        "springs",
        "steps",
        "last E/E₀",
        "largest rise",
        "fastest [m/s]",
        "bound [m/s]",
        "load",
    ];
    let mut table = Table::new(caption, &head);
    let mut lines = Vec::new();
    let implicit = [1e-2, 1e-1, 1.0, 1e2, 1e5].map(|s| (s, Stiffness::LinearlyImplicit));
    let explicit = [1.9, 2.001, 2.2].map(|s| (s, Stiffness::Explicit));
    for (i, (omega_h, stiffness)) in implicit.into_iter().chain(explicit).enumerate() {
        let run = run(omega_h, stiffness, most)?;
        let is_implicit = stiffness == Stiffness::LinearlyImplicit;
        let name = if is_implicit { "implicit" } else { "explicit" };
        let what = format!("{name}, ωh = {omega_h}");
        if is_implicit {
            // rounding of a step, of which the energy is a sum of some ten terms
            item.at_most(
                format!("{what}: largest rise of E in a step, share of E₀"),
                run.rise,
                1e-14,
            );
            item.at_most(
                format!("{what}: fastest speed over its bound"),
                run.fastest / run.bound,
                1.0,
            );
            item.equal(format!("{what}: steps"), run.steps, most);
        } else {
            let explodes = run.steps < most;
            item.is(
                format!("{what}: explodes just where the load says so"),
                explodes == (run.load > 1.0),
            );
        }
        let last = run.energy.last().map_or(f64::NAN, |point| point.1);
        let cells = [last, run.rise, run.fastest, run.bound, run.load].map(number);
        let words = vec![number(omega_h), name.to_string(), run.steps.to_string()];
        table.row([words, cells.to_vec()].concat());
        let stroke = if is_implicit { Stroke::Solid } else { Stroke::Dashed };
        let colour = if is_implicit { [0, 2, 3, 4, 5][i] } else { 1 };
        lines.push(Line { label: what, colour, stroke, points: run.energy });
    }
    item.tables.push(table);
    let panel = Panel {
        title: "E/E₀".into(),
        size: (640.0, 400.0),
        x: Axis::log("steps", (1.0, most as f64)),
        y: Axis::log("", (1e-14, 1e10)),
        lines,
    };
    let caption = "Energy of masses on linear springs in contact: it never rises where springs are implicit, at any stiffness; explicit ones explode beyond ωh = 2";
    item.picture("r5-bounded", caption, svg("Linear springs in contact, many steps", &[panel]));
    Ok(())
}
