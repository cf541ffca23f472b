//! Impacts at a fixed position: oblique bounces, rows of balls, what takes part, errors. Energy is in `impact_energy`, stored
//! cases are in `impact_oracle`.

use stiction_sim::contact::law::{
    BoxLaw, Cone, Convex, Hybrid, Law, LawSolver, Phantom, Pyramid, V_STICK,
};
use stiction_sim::impact::{Course, ImpactLaw, ImpactReport, ImpactSettings, Treatment, impact};
use stiction_sim::model::{FrameSpec, JointKind, Relaxation, Shape, Surface};
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, Quat, State, StepError, Vec3};

use crate::scenes::{add_points, build, cuboid_inertia, largest_difference, place};

pub(crate) const LAWS: [ImpactLaw; 4] =
    [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::ClosedForm, ImpactLaw::Dissipative];

pub(crate) fn by(law: ImpactLaw) -> ImpactSettings {
    ImpactSettings { law, ..Default::default() }
}

pub(crate) fn ground(spec: &mut ModelSpec, mu: f64, e: f64) {
    spec.material("stuff", Surface { e, ..Surface::rigid(mu) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
}

/// A solid ball of 1 kg on the ground.
fn ball(mu: f64, e: f64, radius: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, e);
    spec.body("ball", Inertia::principal(1.0, [0.4 * radius * radius; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius }, "stuff");
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, radius), Quat::IDENTITY);
    (model, state)
}

pub(crate) fn certified(
    model: &Model,
    settings: &ImpactSettings,
    state: &mut State,
) -> ImpactReport {
    let before = state.clone();
    let report = impact(model, settings, state, &mut Data::new(model)).expect("an impact");
    assert!(report.certified, "{report:?}");
    assert_eq!((&state.q, state.time, &state.memory), (&before.q, before.time, &before.memory));
    report
}

/// LAWS H: velocity along x and z, and R ω about y, after a ball without spin came down at v_z and along at v_x, where
/// friction had the normal impulse `felt` v_z.
fn oblique(v_x: f64, v_z: f64, mu: f64, e: f64, felt: f64) -> [f64; 3] {
    let push = mu * felt * v_z;
    if push <= 2.0 * v_x / 7.0 {
        [v_x - push, e * v_z, 2.5 * push]
    } else {
        [5.0 * v_x / 7.0, e * v_z, 5.0 * v_x / 7.0]
    }
}

#[test]
fn an_oblique_bounce_of_a_ball_is_that_of_the_book_under_both_laws() {
    let radius = 0.3;
    for e in [0.0, 0.2, 0.5, 0.8, 1.0] {
        for mu in [0.0, 0.05, 0.2, 0.5, 1.0, 3.0] {
            let (model, start) = ball(mu, e, radius);
            for (v_x, v_z) in [(3.0, 2.0), (0.4, 5.0), (7.0, 0.1)] {
                let poisson = oblique(v_x, v_z, mu, e, 1.0);
                let newton = oblique(v_x, v_z, mu, e, 1.0 + e);
                for (law, expected) in [
                    (ImpactLaw::Poisson, poisson),
                    // this ball gains nothing
                    (ImpactLaw::Dissipative, poisson),
                    (ImpactLaw::Newton, newton),
                ] {
                    for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                        let mut state = start.clone();
                        (state.v[0], state.v[2]) = (v_x, -v_z);
                        let settings = ImpactSettings { treatment, ..by(law) };
                        let report = certified(&model, &settings, &mut state);
                        let found = [state.v[0], state.v[2], radius * state.v[4]];
                        let off = largest_difference(&found, &expected);
                        assert!(off <= 1e-12 * v_x.hypot(v_z), "{law:?} e {e} μ {mu}: {off:e}");
                        assert_eq!(report.gained, 0.0);
                        assert_eq!(report.contacts, 1);
                    }
                }
            }
        }
    }
}

/// Equal balls of 1 kg in a row along x that touch; the first comes with 3 m/s.
fn cradle(n: usize, e: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e, ..Surface::rigid(0.0) });
    for i in 0..n {
        let name = format!("ball {i}");
        spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.35 }, "steel");
    }
    let (model, mut state) = build(&spec);
    for i in 0..n {
        place(&mut state, i, Vec3::new(0.7 * i as f64, 0.0, 0.0), Quat::IDENTITY);
    }
    state.v[0] = 3.0;
    (model, state)
}

#[test]
fn a_touching_cradle_moves_off_together_or_passes_the_blow_on() {
    let v0 = 3.0;
    for n in 2..=10 {
        for law in LAWS {
            for friction in [Law::Frictionless, Law::Cone(Cone::default())] {
                for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                    let (model, mut state) = cradle(n, 1.0);
                    let settings = ImpactSettings { treatment, friction, ..by(law) };
                    let report = certified(&model, &settings, &mut state);
                    let found: Vec<f64> = (0..n).map(|i| state.v[6 * i]).collect();
                    let mut expected = vec![0.0; n];
                    match treatment {
                        Treatment::Simultaneous => {
                            expected.fill(2.0 * v0 / n as f64);
                            expected[0] -= v0;
                            assert_eq!(report.course, Course::AtOnce);
                        }
                        Treatment::Sequential => {
                            expected[n - 1] = v0;
                            assert_eq!(report.course, Course::Settled { hits: n - 1 });
                        }
                    }
                    let off = largest_difference(&found, &expected);
                    assert!(off <= 1e-12 * v0, "{law:?} {treatment:?} n {n}: {found:?}");
                    let ratio = report.K_after / report.K_before;
                    assert!((ratio - 1.0).abs() <= 1e-12, "{law:?} {treatment:?}: {ratio}");
                    assert_eq!(report.gained, 0.0);
                    assert!(report.assumptions.all(), "{:?}", report.assumptions);
                }
            }
        }
    }
}

#[test]
fn balls_that_do_not_touch_take_no_part() {
    let (model, mut state) = cradle(3, 1.0);
    state.q[14] += 1e-6;
    certified(&model, &by(ImpactLaw::Newton), &mut state);
    assert!(largest_difference(&[state.v[0], state.v[6], state.v[12]], &[0.0, 3.0, 0.0]) < 1e-12);
    // unless the settings say that so near is near enough
    state.v.fill(0.0);
    state.v[0] = 3.0;
    let settings = ImpactSettings { distance: 2e-6, ..by(ImpactLaw::Newton) };
    let report = certified(&model, &settings, &mut state);
    assert_eq!(report.contacts, 2);
    assert!(largest_difference(&[state.v[0], state.v[6], state.v[12]], &[-1.0, 2.0, 2.0]) < 1e-9);
}

#[test]
fn slow_impacts_do_not_bounce_where_a_threshold_is_set() {
    for (v_threshold, expected) in
        [(0.0, [-1.0, 2.0, 2.0]), (2.9, [-1.0, 2.0, 2.0]), (3.1, [1.0; 3])]
    {
        for law in LAWS {
            let (model, mut state) = cradle(3, 1.0);
            // the contact at rest takes part in the blow and bounces with it
            let settings = ImpactSettings { v_threshold, ..by(law) };
            certified(&model, &settings, &mut state);
            let found = [state.v[0], state.v[6], state.v[12]];
            assert!(largest_difference(&found, &expected) < 1e-12, "{law:?}: {found:?}");
        }
    }
}

#[test]
fn islands_know_nothing_of_each_other() {
    // two balls on one ground: one falls fast, the other slowly and below the threshold
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.3, 0.5);
    for name in ["fast", "slow"] {
        spec.body(name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(name, FrameSpec::of(name), Shape::Sphere { radius: 0.5 }, "stuff");
    }
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
    place(&mut state, 1, Vec3::new(3.0, 0.0, 0.5), Quat::IDENTITY);
    (state.v[2], state.v[8]) = (-2.0, -0.01);
    for law in LAWS {
        let mut after = state.clone();
        certified(&model, &ImpactSettings { v_threshold: 0.1, ..by(law) }, &mut after);
        assert!(
            largest_difference(&[after.v[2], after.v[8]], &[1.0, 0.0]) < 1e-13,
            "{:?}",
            after.v
        );
    }
}

/// A box of 1 kg on its corners comes down flat, with some slip and spin.
fn flat_box(mu: f64, e: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, e);
    let corners = [[0.5, 0.3], [0.5, -0.3], [-0.5, 0.3], [-0.5, -0.3]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.2)).to_vec();
    add_points(&mut spec, "box", cuboid_inertia(1.0, Vec3::new(1.0, 0.6, 0.4)), corners);
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.2), Quat::IDENTITY);
    state.v.copy_from_slice(&[0.4, -0.3, -2.0, 0.3, -0.2, 0.5]);
    (model, state)
}

#[test]
fn every_friction_law_runs_or_is_refused_by_its_name() {
    let runs = [
        Law::Frictionless,
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ];
    for friction in runs {
        for law in LAWS {
            for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
                let (model, mut state) = flat_box(0.4, 0.5);
                let settings = ImpactSettings { friction, treatment, ..by(law) };
                let report = certified(&model, &settings, &mut state);
                let name = friction.name();
                assert_eq!(report.contacts, 4);
                assert!(report.approach <= 1e-9, "{name} {law:?} {treatment:?}: {report:?}");
                assert!(state.v[2] > 0.0, "{name} {law:?}: {:?}", state.v);
                let grew = report.K_after - report.K_before;
                assert!((grew - report.gained).abs() <= 1e-12 || grew < 0.0, "{name}: {report:?}");
            }
        }
    }
    for friction in
        [Law::Box(BoxLaw::default()), Law::Hybrid(Hybrid { v_stick: V_STICK, lambda_min: 1e-3 })]
    {
        let (model, mut state) = flat_box(0.4, 0.5);
        let before = state.clone();
        let settings = ImpactSettings { friction, ..Default::default() };
        let error = impact(&model, &settings, &mut state, &mut Data::new(&model))
            .expect_err("a law that lags");
        assert!(error.to_string().contains(friction.name()), "{error}");
        assert_eq!(state, before);
    }
}

#[test]
fn a_bad_setting_or_solver_is_an_error_and_leaves_the_state() {
    let (model, start) = flat_box(0.4, 0.5);
    let wrong = [
        ImpactSettings { tol: f64::NAN, ..Default::default() },
        ImpactSettings { distance: -1.0, ..Default::default() },
        ImpactSettings { v_threshold: f64::NAN, ..Default::default() },
        ImpactSettings {
            solver: LawSolver::Lcp(stiction_lcp::LcpSolver::Lemke),
            ..Default::default()
        },
    ];
    for settings in wrong {
        let mut state = start.clone();
        let error = impact(&model, &settings, &mut state, &mut Data::new(&model));
        assert!(matches!(error, Err(StepError::Setting(_) | StepError::Law(_))), "{error:?}");
        assert_eq!(state, start);
    }
}

#[test]
fn a_sequence_without_end_is_cut_and_says_so() {
    // corner after corner of a flat box tips it back: plastic hits shrink for ever
    let (model, mut state) = flat_box(0.0, 0.0);
    state.v.copy_from_slice(&[0.0, 0.0, -2.0, 0.0, 0.0, 0.0]);
    let settings =
        ImpactSettings { treatment: Treatment::Sequential, max_hits: 3, ..Default::default() };
    let report = certified(&model, &settings, &mut state);
    assert_eq!(report.course, Course::Truncated { hits: 3 });
    assert!(report.approach <= 1e-12 && report.gained == 0.0, "{report:?}");
}

#[test]
fn compliant_contacts_and_springs_take_no_part() {
    let mut spec = ModelSpec::new();
    let compliance = Some(Relaxation { k: 1e4, b: 10.0 });
    spec.material("stuff", Surface { compliance, ..Surface::rigid(0.3) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    let (model, mut state) = build(&spec);
    state.q[2] = 0.5;
    state.v[2] = -1.0;
    let report = certified(&model, &ImpactSettings::default(), &mut state);
    assert_eq!((report.contacts, report.course), (0, Course::NoContact));
    assert_eq!(state.v[2], -1.0);
}

/// A rod of 1 m on a hinge above the ground whose tip hits it, in both sets of coordinates.
fn hinged(e: f64, mu: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, e);
    spec.body("arm", Inertia::principal(1.0, [0.08, 0.08, 0.01]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let pivot = FrameSpec::world().at(0.0, 0.0, 0.3);
    spec.joint("hinge", hinge, pivot, FrameSpec::of("arm").at(-0.5, 0.0, 0.0));
    let tip = FrameSpec::of("arm").at(0.5, 0.0, 0.0);
    spec.shape("tip", tip, Shape::Sphere { radius: 0.1 }, "stuff");
    spec
}

#[test]
fn a_hinged_arm_bounces_with_e_in_both_sets_of_coordinates() {
    let spec = hinged(0.6, 0.0);
    let generalized = spec.build(Coordinates::Generalized).expect("an arm");
    let maximal = spec.build(Coordinates::Maximal).expect("an arm");
    let mut start = generalized.state();
    // the tip's centre 0.1 above the ground: sin = 0.2
    (start.q[0], start.v[0]) = (0.2_f64.asin(), 3.0);
    for law in LAWS {
        let mut state = start.clone();
        let report = certified(&generalized, &by(law), &mut state);
        assert!((state.v[0] + 1.8).abs() < 1e-12, "{law:?}: {:?}", state.v);
        let mut other = maximal.state_from(&generalized, &start).expect("converts");
        let other_report = certified(&maximal, &by(law), &mut other);
        let expected = maximal.state_from(&generalized, &state).expect("converts");
        assert!(largest_difference(&other.v, &expected.v) < 1e-11, "{law:?}: {:?}", other.v);
        for (a, b) in [
            (report.K_before, other_report.K_before),
            (report.K_after, other_report.K_after),
            (report.p_c[0] + report.p_d[0], other_report.p_c[0] + other_report.p_d[0]),
        ] {
            assert!((a - b).abs() < 1e-11, "{law:?}: {a} {b}");
        }
    }
}

#[test]
fn joint_limits_that_are_reached_stop_and_do_not_bounce() {
    let mut spec = hinged(0.6, 0.0);
    spec.joints[0].limits = vec![(-0.5, 0.1)];
    let model = spec.build(Coordinates::Generalized).expect("an arm");
    for (q, v, after) in [(0.1, 2.0, 0.0), (0.1, -2.0, -2.0), (0.05, 2.0, 2.0), (-0.5, -1.0, 0.0)] {
        for treatment in [Treatment::Simultaneous, Treatment::Sequential] {
            let mut state = model.state();
            (state.q[0], state.v[0]) = (q, v);
            let settings = ImpactSettings { treatment, ..Default::default() };
            certified(&model, &settings, &mut state);
            assert!((state.v[0] - after).abs() < 1e-13, "{q} {v}: {:?}", state.v);
        }
    }
}

#[test]
fn a_drive_moves_on_through_an_impact() {
    // a plate that is driven upwards at 1 m/s hits a ball that falls at 2 m/s: it flies off at 1 + e·3
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface { e: 0.5, ..Surface::rigid(0.2) });
    spec.body("plate", Inertia::principal(1.0, [1.0; 3]));
    let slide = JointKind::Prismatic { axis: Vec3::z() };
    spec.joint("slide", slide, FrameSpec::world(), FrameSpec::of("plate"));
    spec.shape("plate", FrameSpec::of("plate"), Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
    let law = stiction_sim::model::Law::Polynomial([0.0, 1.0, 0.0, 0.0]);
    let coordinate = stiction_sim::model::CoordinateSpec { joint: "slide".to_string(), index: 0 };
    spec.constraint("drive", stiction_sim::model::ConstraintKind::Drive { coordinate, law });
    let model = spec.build(Coordinates::Generalized).expect("a plate and a ball");
    for law in LAWS {
        let mut state = model.state();
        state.q[3] = 0.5;
        (state.v[0], state.v[3]) = (1.0, -2.0);
        let report = certified(&model, &by(law), &mut state);
        assert!((state.v[0] - 1.0).abs() < 1e-13 && (state.v[3] - 2.5).abs() < 1e-12, "{state:?}");
        // the drive gave energy, the law did not
        assert!(report.K_after > report.K_before && report.gained == 0.0, "{report:?}");
    }
}
