//! R8: for which r the prox fixed point contracts on a point mass, [SNT] 4.1. Derivation: `docs/theory/prox-interval.md`.

use stiction_lcp::cone::{ProxSettings, ProxStep, ProxWorkspace, prox};
use stiction_lcp::{FrictionProblem, MatX, Status, never};
use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::contact::space::ContactSpace;
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Coordinates, Data, Inertia, Input, ModelSpec, StepSettings, Vec3, step};

use crate::Effort;
use crate::item::{Item, Table, number};

const TEXT: &str = "\
A point mass m lies on a plane or slides over it; its step is solved by p_n ← prox(p_n − r u_n), p_t ← prox(p_t − r u_t). \
[prox-interval.md](theory/prox-interval.md) derives: a contact that presses contracts by |1 − r/m| a step, so for 0 < r < 2m and no other r, whatever μ, h and \
whether it slips; with forces as unknowns the interval is 0 < r < 2m/h; across the slip alone friction contracts by |1 − r/m| / (1 + s r/m), \
s = m‖u_t‖/(μ p_n), which is an interval up to 2m/(1 − s), and every r > 0 from s = 1 on; an open contact has no limit. Measured is by bisection on whether \
the solver `prox` reaches its tolerance, and by the error of an iteration from near its fixed point. The contacts are those of steps of a model.";

const GRAVITY: f64 = 9.81;
/// Steps that the solver may take: enough to tell 2m from 2m (1 ± 3e-4).
const STEPS: usize = 100_000;
/// To which the end of the interval is asked, for the same reason.
const NEAR: f64 = 1e-3;

/// A point mass [kg] that begins a step of h [s] with velocity v [m/s].
#[derive(Clone, Copy, Debug)]
struct Point {
    mass: f64,
    mu: f64,
    h: f64,
    v: [f64; 3],
}

/// What a contact does at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Sticks,
    Slips,
}

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R8", "Interval of r for which the prox fixed point contracts", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn std::error::Error>> {
    let cases = [
        (1.0, 0.5, 1e-2, Mode::Sticks),
        (1.0, 0.5, 1e-2, Mode::Slips),
        (0.01, 0.5, 1e-2, Mode::Slips),
        (250.0, 0.5, 1e-2, Mode::Sticks),
        (250.0, 0.1, 1e-2, Mode::Slips),
        (1.0, 1.0, 1e-3, Mode::Slips),
        (1.0, 0.1, 1e-3, Mode::Sticks),
        (3.0, 0.0, 1e-3, Mode::Slips),
    ];
    let cases = if effort == Effort::Whole { &cases[..] } else { &cases[1..4] };
    intervals(item, cases)?;
    open(item)?;
    factors(item, effort)
}

impl Point {
    /// Its contact, from a step of a model.
    fn space(&self) -> Result<ContactSpace, Box<dyn std::error::Error>> {
        let mut spec = ModelSpec::new();
        spec.material("stuff", Surface::rigid(self.mu));
        spec.shape("plane", FrameSpec::world(), Shape::HalfSpace, "stuff");
        // its size does not matter: the contact is at its centre
        spec.body("mass", Inertia::principal(self.mass, [self.mass; 3]));
        spec.shape("point", FrameSpec::of("mass"), Shape::Points(vec![Vec3::zeros()]), "stuff");
        let model = spec.build(Coordinates::Generalized)?;
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.v[..3].copy_from_slice(&self.v);
        let settings = StepSettings { h: self.h, ..Default::default() };
        step(&model, &settings, &Input::default(), &mut state, &mut data)?;
        Ok(data.contact_space().ok_or("a model without shapes")?.clone())
    }

    /// Sticking: with a third of the velocity that friction can stop; slipping: with 1 m/s, so fast that it does not stop.
    fn pressed(mass: f64, mu: f64, h: f64, mode: Mode) -> Self {
        let speed = match mode {
            Mode::Sticks => mu * GRAVITY * h / 3.0,
            Mode::Slips => 1.0,
        };
        Self { mass, mu, h, v: [0.6 * speed, 0.8 * speed, 0.0] }
    }
}

/// The contact as a problem of cones, its unknowns in units of `unit` N·s.
fn problem(space: &ContactSpace, unit: f64) -> Result<FrictionProblem, Box<dyn std::error::Error>> {
    let W = MatX::from_fn(3, 3, |i, j| unit * space.W.get(i, j));
    let mut q = space.u_free.clone();
    q[0] += space.contacts[0].d_n;
    Ok(FrictionProblem::new(3, W, q, vec![space.contacts[0].mu_s])?)
}

/// Whether the solver ends at a solution from `start`.
fn converges(problem: &FrictionProblem, r: f64, start: [f64; 3]) -> bool {
    let settings =
        ProxSettings { max_steps: STEPS, step: ProxStep::Given(r), ..Default::default() };
    let mut p = start;
    let report = prox(problem, &settings, &mut ProxWorkspace::default(), &never, &mut p);
    report.status == Status::Solved
}

/// The upper end of the interval, between `low` and `high`.
fn upper_end(problem: &FrictionProblem, mut low: f64, mut high: f64) -> Option<f64> {
    let start = [0.0; 3];
    if !converges(problem, low, start) || converges(problem, high, start) {
        return None;
    }
    while high - low > 0.1 * NEAR * low {
        let middle = 0.5 * (low + high);
        if converges(problem, middle, start) { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

fn intervals(
    item: &mut Item,
    cases: &[(f64, f64, f64, Mode)],
) -> Result<(), Box<dyn std::error::Error>> {
    let caption = "Upper end of the interval of r, by bisection: unknowns are impulses [kg], or forces [kg/s].";
    let head = ["m [kg]", "μ", "h [s]", "mode", "found", "2m", "found, forces", "2m/h"];
    let mut table = Table::new(caption, &head);
    for &(mass, mu, h, mode) in cases {
        let space = Point::pressed(mass, mu, h, mode).space()?;
        let what = format!("m = {mass}, μ = {mu}, h = {h}, {mode:?}").to_lowercase();
        let mut row =
            vec![mass.to_string(), mu.to_string(), number(h), format!("{mode:?}").to_lowercase()];
        for (unit, name) in [(1.0, "impulses"), (h, "forces")] {
            // at r = m the first step is the answer; a small r is slow and no less sure
            let expected = 2.0 * mass / unit;
            let problem = problem(&space, unit)?;
            let start = [0.0; 3];
            item.is(
                format!("{what}, {name}: contracts at r = 0.002 m"),
                converges(&problem, 1e-3 * expected, start),
            );
            let found = upper_end(&problem, 0.5 * expected, 3.0 * expected).unwrap_or(f64::NAN);
            item.near(
                format!("{what}, {name}: upper end over its formula"),
                found / expected,
                1.0,
                NEAR,
            );
            row.extend([number(found), number(expected)]);
        }
        table.row(row);
    }
    item.tables.push(table);
    Ok(())
}

/// A contact that opens has no limit.
fn open(item: &mut Item) -> Result<(), Box<dyn std::error::Error>> {
    let point = Point { mass: 1.0, mu: 0.5, h: 1e-2, v: [1.0, 0.0, 0.0] };
    let mut space = point.space()?;
    space.u_free[0] = 1.0;
    let problem = problem(&space, 1.0)?;
    for r in [1e-2, 1.0, 2.5, 1e3] {
        item.is(
            format!("open contact: contracts at r = {r} m"),
            converges(&problem, r, [1.0, 0.3, 0.2]),
        );
    }
    Ok(())
}

/// The iteration with its own r for the normal and for friction.
fn advance(problem: &FrictionProblem, (r_n, r_t): (f64, f64), p: [f64; 3]) -> [f64; 3] {
    let mut u = [0.0; 3];
    problem.W().affine(&p, problem.q(), &mut u);
    let p_n = (p[0] - r_n * u[0]).max(0.0);
    let (x, y) = (p[1] - r_t * u[1], p[2] - r_t * u[2]);
    let (length, radius) = (libm::hypot(x, y), problem.mu()[0] * p_n);
    let share = if length > radius { radius / length } else { 1.0 };
    [p_n, share * x, share * y]
}

/// By how much the error shrinks a step, from near the fixed point `p`, along `aside`.
fn factor(problem: &FrictionProblem, r: (f64, f64), p: [f64; 3], aside: [f64; 3]) -> f64 {
    let size = |a: [f64; 3]| a.iter().map(|x| x * x).sum::<f64>().sqrt();
    let error = |x: [f64; 3]| size([0, 1, 2].map(|i| x[i] - p[i]));
    // so near that the map is linear: what bends it is a millionth
    let nearness = 1e-6 * size(p) / size(aside);
    let mut x = [0, 1, 2].map(|i| p[i] + nearness * aside[i]);
    let first = error(x);
    let mut steps = 0;
    // above the rounding of p, and before the map bends
    while steps < 8 && error(x) > 1e-12 * size(p) && error(x) < 1e-3 * size(p) {
        x = advance(problem, r, x);
        steps += 1;
    }
    libm::pow(error(x) / first, 1.0 / f64::from(steps))
}

/// One line of the picture: across a slip of s = m‖u_t‖/(μ p_n), or, s = 0, all rows of a contact that sticks.
struct Curve {
    s: f64,
    label: &'static str,
    measured: Vec<(f64, f64)>,
}

/// m = 1 kg: r is r/m.
fn contraction(s: f64, r: f64) -> f64 {
    (1.0 - r).abs() / (1.0 + s * r)
}

fn factors(item: &mut Item, effort: Effort) -> Result<(), Box<dyn std::error::Error>> {
    let (mu, h) = (0.5, 1e-2);
    let labels = [
        (0.0, "pressing contact, and stick: |1 − r/m|"),
        (0.25, "across a slip, s = 1/4: up to 8/3 m"),
        (1.0, "across a slip, s = 1: every r"),
        (4.0, "across a slip, s = 4: every r"),
    ];
    let count = if effort == Effort::Whole { 25 } else { 7 };
    let mut worst = 0.0_f64;
    let mut curves = Vec::new();
    for (s, label) in labels {
        // after the step the mass slips on with ‖u_t‖ = s μ g h, or rests by a third of the friction it could have
        let speed = if s == 0.0 { 1.0 / 3.0 } else { 1.0 + s } * mu * GRAVITY * h;
        let point = Point { mass: 1.0, mu, h, v: [0.0, speed, 0.0] };
        let problem = problem(&point.space()?, 1.0)?;
        let p_n = GRAVITY * h;
        let p = [p_n, 0.0, -speed.min(mu * p_n)];
        let mut measured = Vec::new();
        for i in 1..=count {
            let r = 3.2 * f64::from(i) / f64::from(count);
            // the normal is exact at r = m, and friction is looked at across the slip
            let (steps, aside) =
                if s == 0.0 { ((r, r), [1.0, 1.0, 1.0]) } else { ((1.0, r), [0.0, 1.0, 0.0]) };
            let found = factor(&problem, steps, p, aside);
            let off = (found - contraction(s, r)).abs();
            worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            measured.push((r, found));
        }
        curves.push(Curve { s, label, measured });
    }
    item.figure("largest_difference_of_factors", worst);
    // a millionth of p bends the disc by as much, in eight steps
    item.at_most("contraction factors, largest difference from the analysis", worst, 1e-4);
    let caption = "Contraction factor against r: measured dots on the lines of the analysis";
    item.picture("r8-contraction", caption, picture(&curves));
    Ok(())
}

fn picture(curves: &[Curve]) -> String {
    let mut lines = Vec::new();
    for (colour, curve) in curves.iter().enumerate() {
        let points = (0..=320).map(|i| 0.01 * f64::from(i)).map(|r| (r, contraction(curve.s, r)));
        let (label, stroke) = (curve.label.to_string(), Stroke::Solid);
        lines.push(Line { label, colour, stroke, points: points.collect() });
        let (label, stroke) = (String::new(), Stroke::Dots);
        lines.push(Line { label, colour, stroke, points: curve.measured.clone() });
    }
    let one = vec![(0.0, 1.0), (3.2, 1.0)];
    lines.push(Line {
        label: "contracts below 1".into(),
        colour: 5,
        stroke: Stroke::Dashed,
        points: one,
    });
    let panel = Panel {
        title: "error after a step over the error before: dots measured, lines from the analysis"
            .into(),
        size: (520.0, 360.0),
        x: Axis::linear("r / m", (0.0, 3.2)),
        y: Axis::linear("contraction factor", (0.0, 2.3)),
        lines,
    };
    svg("Prox fixed point on a point mass", &[panel])
}
