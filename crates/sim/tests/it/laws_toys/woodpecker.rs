//! The woodpecker that pecks its way down a pole: a sleeve with clearance, a bird on it by a spring. The sleeve jams, the bird
//! swings, the sleeve comes free and falls, the beak hits the pole and sends the bird back; and again. Numbers of the toy are those of the
//! literature [Glo95], its geometry here is not linearized.
//!
//! ```text
//!      pole ‖       edges of the sleeve at (r_M, ±h_M) of its middle; the pole's face at r_0
//!    ┌──────‖─┐     the spring at (l_M, 0) of the sleeve's middle, the bird's centre of mass at l_G from there,
//!    │ sleeve ●~~~ bird                     the beak at (−l_S, h_S) of that
//!    └──────‖─┘
//! ```

use super::{orders, twin};
use crate::mechanisms::Run;
use stiction_sim::contact::law::ContactMode;
use stiction_sim::impact::{ImpactLaw, ImpactSettings};
use stiction_sim::located::{EventKind, Strike};
use stiction_sim::model::{CoordinateSpec, FrameSpec, JointKind, Shape, SpringKind, Surface};
use stiction_sim::{
    Coordinates, Geometry, Inertia, Input, LocatedSettings, ModelSpec, Quat, StepSettings, Vec3,
    step_located,
};

/// What hits the pole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    LowerEdge,
    UpperEdge,
    Beak,
}

/// Masses [kg], inertias [kg·m²] and the stiffness of the spring [N·m/rad].
pub(super) const M_M: f64 = 0.0003;
pub(super) const M_S: f64 = 0.0045;
pub(super) const J_M: f64 = 5e-9;
pub(super) const J_S: f64 = 7e-7;
pub(super) const C: f64 = 0.0056;
/// Lengths [m].
pub(super) const L_M: f64 = 0.010;
pub(super) const L_G: f64 = 0.015;
pub(super) const L_S: f64 = 0.0201;
pub(super) const H_M: f64 = 0.0058;
pub(super) const H_S: f64 = 0.02;
pub(super) const R_0: f64 = 0.0025;
pub(super) const R_M: f64 = 0.0031;
/// Friction, and the restitution of the beak.
pub(super) const MU: f64 = 0.3;
pub(super) const E: f64 = 0.5;
/// Height, tilt of the sleeve, bend of the spring, and their rates: the sleeve nearly jammed, the bird on its way down.
pub(super) const START: ([f64; 3], [f64; 3]) = ([0.0, -0.1, -0.18], [-0.34, 0.0, -7.5]);

/// Approaches below this are no hits [m/s]: where a contact lets go, extrapolated steps leave it approaching by the
/// error of a step, some 1e-4; hits are of 0.04 and more.
const HIT: f64 = 0.01;

/// The sleeve's mass is on the body that slides and on the one that tilts on it, half each: they share their middle.
fn toy() -> Run {
    let mut spec = ModelSpec::new();
    for name in ["pole", "sleeve", "beak"] {
        spec.material(name, Surface::rigid(MU));
    }
    spec.pair("pole", "beak", Surface { e: E, ..Surface::rigid(MU) });
    let right = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let face = FrameSpec::world().at(R_0, 0.0, 0.0).turned(right);
    spec.shape("pole", face, Shape::HalfSpace, "pole");
    spec.body("slide", Inertia::principal(0.5 * M_M, [J_M; 3]));
    spec.body("sleeve", Inertia::principal(0.5 * M_M, [J_M; 3]));
    spec.body("bird", Inertia::principal(M_S, [J_S; 3]));
    let (along, about) =
        (JointKind::Prismatic { axis: Vec3::z() }, JointKind::Revolute { axis: -Vec3::y() });
    spec.joint("height", along, FrameSpec::world(), FrameSpec::of("slide"));
    spec.joint("tilt", about, FrameSpec::of("slide"), FrameSpec::of("sleeve"));
    let (tail, foot) =
        (FrameSpec::of("sleeve").at(L_M, 0.0, 0.0), FrameSpec::of("bird").at(-L_G, 0.0, 0.0));
    spec.joint("bend", about, tail, foot);
    let bend = CoordinateSpec::of("bend");
    spec.spring("coil", SpringKind::Coordinate { coordinate: bend, rest: 0.0 }, C, 0.0);
    let edges = [-H_M, H_M].map(|z| Vec3::new(R_M, 0.0, z));
    spec.shape("edges", FrameSpec::of("sleeve"), Shape::Points(edges.to_vec()), "sleeve");
    let beak = FrameSpec::of("bird").at(-L_S, 0.0, H_S);
    spec.shape("beak", beak, Shape::Points(vec![Vec3::zeros()]), "beak");
    let mut run = Run::new(spec.build(Coordinates::Generalized).expect("a toy"));
    run.state.q.copy_from_slice(&START.0);
    run.state.v.copy_from_slice(&START.1);
    run
}

/// A descent.
struct Descent {
    /// Where the beak hit: time [s] and height [m].
    pecks: Vec<(f64, f64)>,
    /// What hit the pole, in its order.
    hits: Vec<Part>,
    /// The largest rise of the energy in a step [J].
    rise: f64,
    /// Steps in which something sticks, and all.
    stuck: usize,
    steps: usize,
}

fn part_of(strike: &Strike) -> Part {
    match (strike.key.shape_b, strike.key.feature) {
        (1, 0) => Part::LowerEdge,
        (1, _) => Part::UpperEdge,
        _ => Part::Beak,
    }
}

fn descend(h: f64, time: f64, extrapolate: bool) -> Descent {
    descend_by(ImpactLaw::Poisson, h, time, extrapolate)
}

fn descend_by(law: ImpactLaw, h: f64, time: f64, extrapolate: bool) -> Descent {
    let mut run = toy();
    let step = StepSettings { h, geometry: Geometry::Middle, ..Default::default() };
    let impact = ImpactSettings { law, ..Default::default() };
    let settings = LocatedSettings { step, impact, extrapolate, ..Default::default() };
    let steps = (time / h).round() as usize;
    let mut descent = Descent { pecks: Vec::new(), hits: Vec::new(), rise: 0.0, stuck: 0, steps };
    let mut energy = run.energy();
    for _ in 0..steps {
        let Run { model, state, data } = &mut run;
        let report = step_located(model, &settings, &Input::default(), state, data);
        let report = report.expect("a step");
        assert!(report.certified, "h {h}, {} s", state.time);
        for event in &report.events {
            let EventKind::Impact { strikes, K, gained } = &event.kind else { continue };
            assert!(*gained == 0.0 && K[1] < K[0], "{event:?}");
            let hits = strikes.iter().filter(|strike| strike.u_n[0] < -HIT).map(part_of);
            if hits.clone().any(|part| part == Part::Beak) {
                // back from the end of the step: y is smooth there up to O(h²)
                let y = state.q[0] - state.v[0] * (state.time - event.time);
                descent.pecks.push((event.time, y));
            }
            descent.hits.extend(hits);
        }
        let sticks = |mode: &ContactMode| matches!(mode, ContactMode::Stick);
        descent.stuck += usize::from(data.contact_modes().iter().any(sticks));
        let next = run.energy();
        descent.rise = descent.rise.max(next - energy);
        energy = next;
    }
    descent
}

/// Times [s] and drops [m] of the last n cycles.
fn cycles(pecks: &[(f64, f64)], n: usize) -> Vec<(f64, f64)> {
    let last = &pecks[pecks.len() - n - 1..];
    last.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[0].1 - pair[1].1)).collect()
}

/// Their means.
fn mean(pecks: &[(f64, f64)], n: usize) -> (f64, f64) {
    let (first, last) = (pecks[pecks.len() - n - 1], pecks[pecks.len() - 1]);
    ((last.0 - first.0) / n as f64, (first.1 - last.1) / n as f64)
}

#[test]
fn a_woodpecker_works_itself_down_in_equal_cycles() {
    for (h, extrapolate) in [(1e-4, false), (2e-4, true)] {
        let descent = descend(h, 1.6, extrapolate);
        // the beak, then the upper edge; the bird swings back, the lower edge jams
        let cycle = [Part::Beak, Part::UpperEdge, Part::LowerEdge];
        let first = descent.hits.len() - 15;
        let begin = (first..).find(|&i| descent.hits[i] == Part::Beak).expect("a peck");
        for (i, part) in descent.hits[begin..].iter().enumerate() {
            assert_eq!(*part, cycle[i % 3], "{:?}", descent.hits);
        }
        // the same time and drop each time: events are located, ends of sticking are not
        let (T, drop) = mean(&descent.pecks, 5);
        for (time, way) in cycles(&descent.pecks, 5) {
            assert!(
                (time / T - 1.0).abs() < 1e-3 && (way / drop - 1.0).abs() < 2e-3,
                "{time} {way}"
            );
        }
        // it hangs still for a part of each cycle
        assert!(descent.stuck * 5 > descent.steps && descent.stuck * 2 < descent.steps);
    }
}

#[test]
fn shorter_steps_agree_on_the_time_and_the_drop_of_a_cycle() {
    let plain = [2e-4, 1e-4, 5e-5].map(|h| mean(&descend(h, 1.6, false).pecks, 5));
    let finer = [4e-4, 2e-4, 1e-4].map(|h| mean(&descend(h, 1.6, true).pecks, 5));
    for figures in [plain, finer] {
        for of in [|cycle: (f64, f64)| cycle.0, |cycle: (f64, f64)| cycle.1] {
            let figures = figures.map(of);
            assert!(orders(&figures)[0] > 1.0, "{figures:?}: {:?}", orders(&figures));
        }
    }
    // first order, extrapolated to h = 0 by hand, is what extrapolated steps find
    let limit = |a: f64, b: f64| 2.0 * b - a;
    let (T, drop) = (limit(plain[1].0, plain[2].0), limit(plain[1].1, plain[2].1));
    assert!((T / finer[2].0 - 1.0).abs() < 1e-4, "{T} {finer:?}");
    assert!((drop / finer[2].1 - 1.0).abs() < 2e-3, "{drop} {finer:?}");
}

#[test]
fn a_woodpecker_gains_no_energy_but_what_the_method_swings_by() {
    // gravity is paid at the mean of the velocities, and springs to second order: the swing of a step is O(h²); of
    // about 3e-4 J
    let rises = [2e-4, 1e-4, 5e-5].map(|h| descend(h, 1.0, false).rise);
    assert!(rises[0] < 3e-9, "{rises:?}");
    assert!(rises.windows(2).all(|pair| pair[1] < pair[0] / 3.5), "{rises:?}");
}

#[test]
fn a_twin_in_three_coordinates_finds_the_same_cycle() {
    // with Newton's law of impact, as the twin has; it sees contacts up to a step late: 2e-5 s of 0.13 s, three times
    let ours = mean(&descend_by(ImpactLaw::Newton, 1e-4, 1.2, true).pecks, 4);
    let twin = mean(&twin::pecks(2e-5, 1.2), 4);
    assert!((ours.0 / twin.0 - 1.0).abs() < 1e-3, "{ours:?} {twin:?}");
    // a delay of 2e-5 s at 0.3 m/s is 4e-4 of the drop
    assert!((ours.1 / twin.1 - 1.0).abs() < 5e-3, "{ours:?} {twin:?}");
}
