//! Cases at the border: grazing, overlaps, steps of any length, what does not strike at all, errors, equal bits.

use stiction_sim::contact::Strictness;
use stiction_sim::contact::law::{BoxLaw, Cone, Convex, Law, Phantom, Pyramid};
use stiction_sim::impact::{ImpactLaw, ImpactSettings, Treatment};
use stiction_sim::located::EventKind;
use stiction_sim::model::{
    CoordinateSpec, FrameSpec, JointKind, Relaxation, Shape, SpringKind, Surface,
};
use stiction_sim::paradox::rod::Rod;
use stiction_sim::{
    Coordinates, Data, Drift, Geometry, Inertia, Input, LocatedSettings, Method, Model, ModelSpec,
    Quat, State, StepError, StepSettings, Vec3, step_located,
};

use super::{at, run_located};
use crate::scenes::{G, build, place};

const GEOMETRIES: [Geometry; 3] = [Geometry::Begin, Geometry::Middle, Geometry::End];
const R: f64 = 0.25;

fn ball_on(shape: Shape, frame: FrameSpec, e: f64, mu: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface { e, ..Surface::rigid(mu) });
    spec.shape("ground", frame, shape, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.4 * R * R; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: R }, "stuff");
    build(&spec)
}

fn ball(e: f64, mu: f64) -> (Model, State) {
    let (model, mut state) = ball_on(Shape::HalfSpace, FrameSpec::world(), e, mu);
    state.q[2] = R;
    (model, state)
}

#[test]
fn a_ball_that_rolls_or_slides_on_the_ground_does_not_strike_it() {
    for geometry in GEOMETRIES {
        for e in [0.0, 0.5, 1.0] {
            for mu in [0.0, 0.5] {
                let (model, mut state) = ball(e, mu);
                state.v[0] = 2.0;
                let mut data = Data::new(&model);
                let course = run_located(&model, &at(1e-2, geometry), &mut state, &mut data, 100);
                assert_eq!(
                    course.events.len(),
                    0,
                    "{geometry:?} e {e} μ {mu}: {:?}",
                    course.events
                );
                assert!((state.q[2] - R).abs() < 1e-12, "{geometry:?}: {}", state.q[2]);
                let v = if mu > 0.0 { 2.0 * 5.0 / 7.0 } else { 2.0 };
                assert!((state.v[0] - v).abs() < 1e-9, "{geometry:?}: {:?}", state.v);
            }
        }
    }
}

#[test]
fn a_ball_on_a_hill_and_in_a_bowl_does_not_chatter() {
    for geometry in GEOMETRIES {
        for e in [0.0, 0.5] {
            // on top of a large ball, rolling off slowly
            let (model, mut state) =
                ball_on(Shape::Sphere { radius: 1.0 }, FrameSpec::world(), e, 0.5);
            state.q[2] = 1.0 + R;
            state.v[0] = 0.1;
            let mut data = Data::new(&model);
            let course = run_located(&model, &at(1e-2, geometry), &mut state, &mut data, 50);
            assert!(course.events.len() <= 5, "hill {geometry:?} e {e}: {}", course.events.len());
            let far = Vec3::from_column_slice(&state.q[..3]).norm();
            assert!(far > 1.0 + R - 1e-3 && far < 1.0 + R + 1e-2, "hill {geometry:?} e {e}: {far}");
            // a valley of planes, one every 9°
            let mut spec = ModelSpec::new();
            spec.material("stuff", Surface { e, ..Surface::rigid(0.3) });
            for i in -8..=8_i32 {
                let angle = f64::from(i) * 0.157;
                let quat = Quat::exp(&Vec3::new(0.0, -angle, 0.0));
                let foot = Vec3::new(angle.sin(), 0.0, 1.0 - angle.cos());
                let frame = FrameSpec::world().at(foot.x, foot.y, foot.z).turned(quat);
                spec.shape(&format!("plane {i}"), frame, Shape::HalfSpace, "stuff");
            }
            spec.body("ball", Inertia::principal(1.0, [0.4 * R * R; 3]));
            spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: R }, "stuff");
            let (model, mut state) = build(&spec);
            state.q[2] = R + 1e-3;
            state.v[0] = 1.5;
            let mut data = Data::new(&model);
            let course = run_located(&model, &at(1e-2, geometry), &mut state, &mut data, 200);
            assert!(course.events.len() < 2000, "bowl {geometry:?} e {e}: {}", course.events.len());
        }
    }
}

#[test]
fn a_ball_thrown_up_from_the_ground_comes_back_in_time() {
    for geometry in GEOMETRIES {
        for e in [0.0, 1.0] {
            let (model, mut state) = ball(e, 0.0);
            state.v[2] = 2.0;
            let mut data = Data::new(&model);
            let h = 1e-2;
            // places are up to half a step behind
            let steps = (4.0 / G / h) as usize + 2;
            let course = run_located(&model, &at(h, geometry), &mut state, &mut data, steps);
            assert_eq!(course.impacts(), 1, "{geometry:?}");
            let slack = if geometry == Geometry::Middle { 1e-12 } else { 1.01 * h };
            let off = (course.events[0].time - 4.0 / G).abs();
            assert!(off <= slack, "{geometry:?}: {off:e}");
        }
    }
}

#[test]
fn a_grazing_ball_goes_on_as_it_was() {
    // past a post that its path touches
    for geometry in GEOMETRIES {
        for miss in [-1e-9, 0.0, 1e-15, 1e-9] {
            let post = Shape::Capsule { radius: 0.5, half_length: 10.0 };
            let (model, mut state) = ball_on(post, FrameSpec::world(), 0.5, 0.0);
            place(&mut state, 0, Vec3::new(-1.0, 0.5 + R + miss, 5.0), Quat::IDENTITY);
            state.v[0] = 100.0;
            let mut data = Data::new(&model);
            let course = run_located(&model, &at(1e-3, geometry), &mut state, &mut data, 30);
            assert!(course.events.len() <= 4, "{geometry:?} {miss:e}: {:?}", course.events);
            let turned = state.v[1].abs();
            // it meets the post at an angle of √(2 miss/(r + R))
            assert!(turned <= 100.0 * 2.0 * (2.0 * 1e-9_f64 / 0.75).sqrt(), "{miss:e}: {turned}");
            assert!(state.v[0] > 99.9, "{geometry:?} {miss:e}");
        }
    }
}

#[test]
fn overlaps_at_the_beginning_are_resolved_or_bounce() {
    for geometry in GEOMETRIES {
        for depth in [1e-9, 1e-4, 0.1, 0.3] {
            for v in [0.0, -3.0, 3.0] {
                let (model, mut state) = ball(0.5, 0.3);
                state.q[2] = R - depth;
                state.v[2] = v;
                let mut settings = at(1e-2, geometry);
                settings.step.contact.max_recovery = 1.0;
                let mut data = Data::new(&model);
                let course = run_located(&model, &settings, &mut state, &mut data, 300);
                let what = format!("{geometry:?} {depth} m {v} m/s");
                assert!(course.events.len() < 500, "{what}: {}", course.events.len());
                assert!(state.q[2] >= R - 1e-6, "{what}: {:?}", state.q);
                assert!(state.q[2] <= R + 0.6, "{what}: {:?}", state.q);
            }
        }
    }
}

#[test]
fn steps_of_a_nanosecond_and_of_a_second_work() {
    for (h, n) in [(1e-9, 200), (1.0, 3)] {
        for e in [0.0, 0.5, 1.0] {
            for geometry in GEOMETRIES {
                let (model, mut state) = ball(e, 0.3);
                state.q[2] += if h < 1e-3 { 1e-7 } else { 1.0 };
                state.v[2] = if h < 1e-3 { -1.0 } else { 0.0 };
                let mut data = Data::new(&model);
                let course = run_located(&model, &at(h, geometry), &mut state, &mut data, n);
                assert!(course.impacts() >= 1, "h {h} e {e} {geometry:?}");
                assert!(state.q[2] >= R - 1e-9, "h {h} e {e} {geometry:?}: {:?}", state.q);
            }
        }
    }
}

#[test]
fn compliant_contacts_have_no_impacts() {
    let mut spec = ModelSpec::new();
    let compliance = Some(Relaxation { k: 1e4, b: 10.0 });
    spec.material("rubber", Surface { compliance, e: 0.5, ..Surface::rigid(0.3) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "rubber");
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: R }, "rubber");
    let (model, mut state) = build(&spec);
    state.q[2] = R + 0.1;
    let mut data = Data::new(&model);
    let course = run_located(&model, &at(1e-3, Geometry::Middle), &mut state, &mut data, 3000);
    assert_eq!(course.events.len(), 0);
    // two springs of 1e4 N/m, one behind the other
    assert!((state.q[2] - R + 2.0 * G / 1e4).abs() < 1e-5, "{:?}", state.q);
}

/// An arm of two links on a wall whose tip swings into a post.
fn arm(coordinates: Coordinates, e: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e, ..Surface::rigid(0.2) });
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    for (name, parent) in [("upper", FrameSpec::world()), ("lower", FrameSpec::of("upper"))] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
        let parent = if parent.body.is_some() { parent.at(0.0, 0.0, -0.5) } else { parent };
        spec.joint(name, hinge, parent, FrameSpec::of(name).at(0.0, 0.0, 0.5));
    }
    spec.shape(
        "tip",
        FrameSpec::of("lower").at(0.0, 0.0, -0.5),
        Shape::Sphere { radius: 0.05 },
        "steel",
    );
    let post = Shape::Box { half: Vec3::new(0.02, 1.0, 0.3) };
    spec.shape("post", FrameSpec::world().at(0.0, 0.0, -1.9), post, "steel");
    let generalized = spec.build(Coordinates::Generalized).expect("an arm");
    let mut start = generalized.state();
    (start.q[0], start.q[1]) = (1.0, 0.2);
    let model = spec.build(coordinates).expect("an arm");
    let state = model.state_from(&generalized, &start).expect("converts");
    (model, state)
}

/// The same two links without a post, that swing into a wall beside them.
pub(super) fn arm_at_wall() -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e: 0.6, ..Surface::rigid(0.0) });
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    for (name, parent) in [("upper", FrameSpec::world()), ("lower", FrameSpec::of("upper"))] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
        let parent = if parent.body.is_some() { parent.at(0.0, 0.0, -0.5) } else { parent };
        spec.joint(name, hinge, parent, FrameSpec::of(name).at(0.0, 0.0, 0.5));
    }
    spec.shape(
        "tip",
        FrameSpec::of("lower").at(0.0, 0.0, -0.5),
        Shape::Sphere { radius: 0.05 },
        "steel",
    );
    let right = Quat::exp(&Vec3::new(0.0, -std::f64::consts::FRAC_PI_2, 0.0));
    spec.shape(
        "wall",
        FrameSpec::world().at(0.3, 0.0, 0.0).turned(right),
        Shape::HalfSpace,
        "steel",
    );
    let (model, mut state) = build(&spec);
    (state.q[0], state.q[1]) = (1.0, 0.2);
    (model, state)
}

#[test]
fn an_arm_swings_into_a_post_in_both_sets_of_coordinates() {
    for e in [0.0, 0.7] {
        let mut first = Vec::new();
        for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
            let (model, mut state) = arm(coordinates, e);
            let mut data = Data::new(&model);
            let course =
                run_located(&model, &at(1e-3, Geometry::Middle), &mut state, &mut data, 1000);
            assert!(course.impacts() >= 1, "{coordinates:?}");
            assert!(course.events.len() < 500, "{coordinates:?}: {}", course.events.len());
            first.push(course.events[0].time);
        }
        assert!((first[0] - first[1]).abs() < 1e-3, "{first:?}");
    }
}

#[test]
fn limits_motors_and_springs_work_beside_impacts() {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e: 0.5, ..Surface::rigid(0.2) });
    spec.body("arm", Inertia::principal(1.0, [0.1; 3]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let frame = FrameSpec::of("arm").at(0.0, 0.0, 0.5);
    spec.joint("hinge", hinge, FrameSpec::world(), frame).limits = vec![(-0.5, 2.0)];
    spec.shape(
        "tip",
        FrameSpec::of("arm").at(0.0, 0.0, -0.5),
        Shape::Sphere { radius: 0.1 },
        "steel",
    );
    let wall = Quat::exp(&Vec3::new(0.0, -std::f64::consts::FRAC_PI_2, 0.0));
    spec.shape(
        "wall",
        FrameSpec::world().at(0.3, 0.0, 0.0).turned(wall),
        Shape::HalfSpace,
        "steel",
    );
    let kind = SpringKind::Coordinate { coordinate: CoordinateSpec::of("hinge"), rest: 0.0 };
    spec.spring("spring", kind, 3.0, 0.1);
    spec.motor("motor", "hinge", stiction_sim::model::Law::rate(0.0, -2.0), 4.0);
    for geometry in GEOMETRIES {
        let (model, mut state) = build(&spec);
        state.q[0] = 0.3;
        let mut data = Data::new(&model);
        let course = run_located(&model, &at(2e-3, geometry), &mut state, &mut data, 1500);
        assert!(course.events.len() < 1000, "{geometry:?}: {}", course.events.len());
        assert!(state.q[0] >= -0.5 - 1e-3 && state.v[0].abs() < 10.0, "{geometry:?}: {state:?}");
    }
}

#[test]
fn the_rod_of_the_paradox_stops_by_a_finite_impulse() {
    for rod in [Rod::baraff(), Rod::uniform(2.0_f64.atan(), 1.5)] {
        let model = rod.model(Coordinates::Generalized).expect("a rod");
        for geometry in GEOMETRIES {
            for h in [1e-2, 1e-3, 1e-4] {
                let mut state = rod.state(&model);
                let K = |state: &State| {
                    0.5 * (state.v[0].powi(2)
                        + state.v[1].powi(2)
                        + rod.inertia * state.v[2].powi(2))
                };
                let before = K(&state);
                let mut data = Data::new(&model);
                run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
                let fell = G * h * (1.0 + 2.0 * h * G);
                assert!(K(&state) <= before + fell, "{geometry:?} h {h}: {before} → {}", K(&state));
                run_located(&model, &at(h, geometry), &mut state, &mut data, 20);
                assert!(state.v.iter().all(|v| v.abs() < 1e2), "{geometry:?} h {h}: {:?}", state.v);
            }
        }
    }
}

#[test]
fn every_law_of_friction_and_impact_runs() {
    let laws = [
        Law::Frictionless,
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ];
    for friction in laws {
        for law in crate::located::LAWS {
            for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                let (model, mut state) = ball(0.5, 0.3);
                state.q[2] += 0.3;
                (state.v[0], state.v[4]) = (1.0, -2.0);
                let mut settings = at(1e-2, Geometry::Middle);
                settings.impact = ImpactSettings { law, friction, treatment, ..Default::default() };
                settings.step.contact.law = friction;
                let mut data = Data::new(&model);
                let course = run_located(&model, &settings, &mut state, &mut data, 120);
                assert!(course.impacts() > 5, "{} {law:?} {treatment:?}", friction.name());
                assert!(
                    (state.q[2] - R).abs() < 1e-2,
                    "{} {law:?}: {:?}",
                    friction.name(),
                    state.q
                );
            }
        }
    }
}

#[test]
fn bad_settings_are_one_clear_error_and_leave_the_state() {
    let (model, mut start) = ball(0.5, 0.3);
    start.q[2] += 1e-3;
    start.v[2] = -1.0;
    let good = at(1e-2, Geometry::Middle);
    let step = |step: StepSettings| LocatedSettings { step, ..good };
    let impact = |impact: ImpactSettings| LocatedSettings { impact, ..good };
    let wrong = [
        ("h", step(StepSettings { h: f64::NAN, ..good.step })),
        ("h", step(StepSettings { h: -1.0, ..good.step })),
        ("h", step(StepSettings { h: 0.0, ..good.step })),
        ("h", step(StepSettings { h: f64::INFINITY, ..good.step })),
        ("method", step(StepSettings { method: Method::Symmetric, ..good.step })),
        ("method", step(StepSettings { method: Method::Extrapolated, ..good.step })),
        ("beta", step(StepSettings { drift: Drift::Stabilize { beta: f64::NAN }, ..good.step })),
        ("tol", impact(ImpactSettings { tol: f64::NAN, ..good.impact })),
        ("distance", impact(ImpactSettings { distance: -1.0, ..good.impact })),
        ("v_threshold", impact(ImpactSettings { v_threshold: f64::NAN, ..good.impact })),
        (
            "friction",
            impact(ImpactSettings { friction: Law::Box(BoxLaw::default()), ..good.impact }),
        ),
    ];
    for (name, settings) in wrong {
        let mut state = start.clone();
        let result =
            step_located(&model, &settings, &Input::default(), &mut state, &mut Data::new(&model));
        let error = result.expect_err(name);
        assert!(matches!(error, StepError::Setting(_)), "{name}: {error:?}");
        assert!(error.to_string().contains(name), "{name}: {error}");
        assert!(!error.to_string().contains('\n'), "{name}: {error}");
        assert_eq!(state, start, "{name}");
    }
    let mut bad = start.clone();
    bad.v[0] = f64::NAN;
    let result = step_located(&model, &good, &Input::default(), &mut bad, &mut Data::new(&model));
    assert!(matches!(result, Err(StepError::State(_))), "{result:?}");
    // an error on the way
    let mut settings = good;
    settings.step.contact.max_overlap = 1e-4;
    start.q[2] = R - 0.1;
    let mut state = start.clone();
    let result =
        step_located(&model, &settings, &Input::default(), &mut state, &mut Data::new(&model));
    assert!(matches!(result, Err(StepError::Overlap { .. })), "{result:?}");
    assert_eq!(state, start);
}

#[test]
fn the_same_bits_come_from_fresh_and_used_memory_and_after_saving() {
    for geometry in GEOMETRIES {
        let (model, start) = arm(Coordinates::Generalized, 0.5);
        let mut settings = at(2e-3, geometry);
        settings.impact.law = ImpactLaw::Newton;
        settings.step.contact.strictness = Strictness::Lenient;
        let (mut used, mut fresh) = (start.clone(), start);
        let mut data = Data::new(&model);
        for i in 0..400 {
            run_located(&model, &settings, &mut used, &mut data, 1);
            run_located(&model, &settings, &mut fresh, &mut Data::new(&model), 1);
            fresh = State::from_bytes(&fresh.to_bytes()).expect("a state");
            assert_eq!(used.to_bytes(), fresh.to_bytes(), "{geometry:?}: step {i}");
        }
    }
}

#[test]
fn the_time_of_an_event_is_the_root_of_the_gap_over_the_length_of_the_step() {
    // a step without impact that is shorter than the event's time ends open, a longer one has the event
    for geometry in GEOMETRIES {
        let (model, start) = arm(Coordinates::Generalized, 0.5);
        let h = 2e-2;
        let (mut state, mut data) = (start, Data::new(&model));
        let (before, time) = loop {
            let before = state.clone();
            let course = run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
            if let Some(event) = course.events.first() {
                assert!(matches!(event.kind, EventKind::Impact { .. }));
                break (before, event.time);
            }
            assert!(state.time < 2.0, "{geometry:?}: it never hits");
        };
        let hits = |s: f64| {
            let mut state = before.clone();
            let mut data = Data::new(&model);
            run_located(&model, &at(s, geometry), &mut state, &mut data, 1).impacts() > 0
        };
        let (mut low, mut high) = (1e-6 * h, h);
        assert!(!hits(low) && hits(high), "{geometry:?}");
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if hits(middle) { high = middle } else { low = middle }
        }
        let off = (before.time + high - time).abs();
        assert!(off <= 1e-10 * h, "{geometry:?}: {off:e} off");
    }
}
