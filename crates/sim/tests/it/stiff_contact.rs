//! Stiff springs, dampers and compliant grounds where bodies touch: law Q with contacts, and the limits to joints and to rigid ground.

use stiction_sim::contact::ContactSettings;
use stiction_sim::model::{ConstraintKind, FrameSpec, Relaxation, Shape, SpringKind, Surface};
use stiction_sim::{
    Data, Drift, Inertia, Input, Model, ModelSpec, Quat, State, StepSettings, Stiffness, Vec3, step,
};

use crate::scenes::{
    G, add_points, all_laws, build, cuboid_inertia, ground, largest_difference, nan_max, place,
    run, run_on, settings, with_law,
};

const DECADES_OF_OMEGA_H: [f64; 10] = [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6];

/// A cube of 1 kg and edge 1 m that touches with its four lower corners.
fn add_cube(spec: &mut ModelSpec, name: &str) {
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    add_points(spec, name, cuboid_inertia(1.0, Vec3::repeat(1.0)), corners);
}

/// A ground of stiffness k [N/m] below bodies that are rigid themselves: two that give way would be springs in series.
fn soft_ground(spec: &mut ModelSpec, mu: f64, k: Option<f64>) {
    let compliance = k.map(|k| Relaxation { k, b: 0.0 });
    spec.material("stuff", Surface::rigid(mu));
    spec.material("ground", Surface { compliance, ..Surface::rigid(mu) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "ground");
}

/// A cube on the ground, on a spring along x from the world: stretched by x, moving with v along x.
fn cube_on_spring(mu: f64, gamma: f64, [x, v]: [f64; 2]) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, 0.0);
    add_cube(&mut spec, "cube");
    let a = FrameSpec::world().at(-2.0, 0.0, 0.5);
    let kind = SpringKind::Points { a, b: FrameSpec::of("cube"), rest: 2.0 };
    spec.spring("coil", kind, gamma, 0.0);
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(x, 0.0, 0.5), Quat::IDENTITY);
    state.v[0] = v;
    (model, state)
}

/// Place and velocity along x after one step of 1 s without friction.
fn after(s: f64, start: [f64; 2], stiffness: Stiffness) -> [f64; 2] {
    let (model, mut state) = cube_on_spring(0.0, s * s, start);
    run(&model, &StepSettings { stiffness, ..settings(1.0) }, &mut state, 1);
    [state.q[0], state.v[0]]
}

#[test]
fn a_block_that_slides_on_a_spring_shrinks_by_the_implicit_factor_at_any_stiffness() {
    for s in DECADES_OF_OMEGA_H {
        let step = |start| after(s, start, Stiffness::LinearlyImplicit);
        let [from_x, from_v] = [step([0.1, 0.0]), step([0.0, 0.1])];
        let [[a, c], [b, d]] = [from_x, from_v].map(|end| end.map(|x| x / 0.1));
        // conjugate roots: the determinant is the square of their size, 1/(1 + s²)
        let share = 1.0 / (1.0 + s * s);
        // v is what 0.1 m/s has left after a sum: some roundings of 1
        let rounding = 1e-15;
        assert!((d - share).abs() <= 1e-10 * share + rounding, "{s}: {d}");
        assert!((c + s * s * share).abs() <= 1e-10 * s * s * share, "{s}: {c}");
        assert!((a - (1.0 + c)).abs() <= 4e-15 && (b - d).abs() <= 4e-15, "{s}: {a} {b}");
        // a d − b c: differences of numbers of size 1
        let size = (a * d - b * c).abs().sqrt();
        assert!((size * size - share).abs() <= 1e-10 * share + 4e-15, "{s}: {size}");
    }
}

#[test]
fn explicit_springs_in_contact_turn_by_their_angle_and_beyond_the_limit_grow_and_say_so() {
    for s in [1e-3, 0.1, 1.0, 1.9] {
        let step = |start| after(s, start, Stiffness::Explicit);
        let [from_x, from_v] = [step([0.1, 0.0]), step([0.0, 0.1])];
        let (trace, det) =
            ((from_x[0] + from_v[1]) / 0.1, (from_x[0] * from_v[1] - from_x[1] * from_v[0]) / 0.01);
        assert!((trace - (2.0 - s * s)).abs() <= 1e-10 && (det - 1.0).abs() <= 1e-10, "{s}");
    }
    for (s, grows) in [(1.95, false), (2.05, true)] {
        let h = 0.01;
        let gamma = s * s / (h * h);
        let (model, mut state) = cube_on_spring(0.0, gamma, [1e-6, 0.0]);
        let settings = StepSettings { stiffness: Stiffness::Explicit, ..settings(h) };
        let report = run(&model, &settings, &mut state, 40);
        assert!((report.explicit_load - s * s / 4.0).abs() <= 1e-9, "{s}: {report:?}");
        assert_eq!(report.explicit_load > 1.0, grows, "{s}");
        assert_eq!(state.q[0].abs() > 1e-5, grows, "{s}: {}", state.q[0]);
    }
}

#[test]
fn friction_acts_on_a_block_on_a_spring_as_on_the_mass_that_the_spring_adds() {
    let (mu, h, v) = (0.4, 0.1, 10.0);
    for s in DECADES_OF_OMEGA_H {
        let (model, mut state) = cube_on_spring(mu, s * s / (h * h), [0.0, v]);
        let mut settings = settings(h);
        settings.contact.tol = 1e-12;
        run(&model, &settings, &mut state, 1);
        // it slides on: (m + h²γ) v⁺ = m v − μ m g h
        let expected = (v - mu * G * h) / (1.0 + s * s);
        let off = (state.v[0] - expected).abs();
        // the certificate asks for 1e-12 of the velocities at the contacts, 1 m/s: friction that moves less may be any
        assert!(off <= 1e-10 * expected + 1e-12, "{s}: {} {expected}", state.v[0]);
    }
}

/// A mass of 1 kg without extent on a ground of stiffness k, on a spring from above that pulls with `pull` [N].
fn mass_on_ground(k: Option<f64>, gamma: f64, pull: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    soft_ground(&mut spec, 0.5, k);
    add_points(&mut spec, "mass", Inertia::principal(1.0, [1e9; 3]), vec![Vec3::zeros()]);
    if gamma > 0.0 {
        let (a, b) = (FrameSpec::world().at(0.0, 0.0, 1.0), FrameSpec::of("mass"));
        spec.spring("coil", SpringKind::Points { a, b, rest: 1.0 - pull / gamma }, gamma, 0.0);
    }
    build(&spec)
}

#[test]
fn what_stands_on_compliant_ground_sinks_by_its_weight_over_the_stiffness() {
    for decade in 2..=12 {
        let k = 10f64.powi(decade);
        let (model, mut state) = mass_on_ground(Some(k), 0.0, 0.0);
        // ωh = 10: each step leaves a tenth
        let mut settings = settings(10.0 / k.sqrt());
        settings.contact.tol = 1e-12;
        run(&model, &settings, &mut state, 60);
        let expected = -G / k;
        assert!((state.q[2] / expected - 1.0).abs() <= 1e-10, "k = {k:e}: {}", state.q[2]);
    }
}

#[test]
fn what_a_spring_presses_to_the_ground_presses_with_its_weight_and_the_spring() {
    let h = 0.01;
    // pushed down with 0.5 N, pulled up with half of the weight
    let pulls = [-0.5, 0.5 * G].into_iter();
    for (pull, decade) in pulls.flat_map(|pull| (1..=12).map(move |decade| (pull, decade))) {
        for law in all_laws() {
            let gamma = 10f64.powi(decade);
            let (model, mut state) = mass_on_ground(None, gamma, pull);
            let mut data = Data::new(&model);
            let mut settings = with_law(h, law);
            // the normal is 1e8 times as heavy as the tangents: the solvers of cones come to 1e-9, pivots to 1e-10
            let is_far = decade == 12 && law.name() == "cone";
            settings.contact.tol = if is_far { 1e-8 } else { 1e-10 };
            run_on(&model, &settings, &mut state, &mut data, 3);
            let (force, expected) = (data.contact_impulses()[0] / h, G - pull);
            // φ = pull/γ is a difference of lengths of 1 m: as many digits are left of γφ
            let digits = settings.contact.tol + 4.0 * f64::EPSILON * gamma / expected;
            let off = (force / expected - 1.0).abs();
            assert!(off <= digits, "{} γ = {gamma:e}: {force} {expected}", law.name());
        }
    }
}

/// Positions of a run after each step.
fn path(model: &Model, settings: &StepSettings, mut state: State, n: usize) -> Vec<f64> {
    let mut data = Data::new(model);
    let mut path = Vec::new();
    for i in 0..n {
        let report = step(model, settings, &Input::default(), &mut state, &mut data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_some_and(|contact| contact.certified), "step {i}: {report:?}");
        path.extend_from_slice(&state.q);
    }
    path
}

/// The errors shrink by ten from one to the next, to 5 %.
fn assert_slope_minus_one(errors: &[f64], what: &str) {
    for pair in errors.windows(2) {
        let slope = (pair[1] / pair[0]).log10();
        assert!((slope + 1.0).abs() <= 0.02, "{what}: {errors:?}");
    }
}

#[test]
fn compliant_ground_becomes_rigid_with_an_error_like_its_compliance() {
    // a cube that slides, brakes, and comes to rest
    let slide = |k: Option<f64>| {
        let mut spec = ModelSpec::new();
        soft_ground(&mut spec, 0.3, k);
        add_cube(&mut spec, "cube");
        let (model, mut state) = build(&spec);
        place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
        state.v[0] = 1.0;
        let mut settings = settings(0.02);
        settings.contact.tol = 1e-12;
        path(&model, &settings, state, 30)
    };
    let rigid = slide(None);
    let errors: Vec<f64> = (4..=10)
        .map(|decade| largest_difference(&slide(Some(10f64.powi(decade))), &rigid))
        .collect();
    assert_slope_minus_one(&errors, "ground");
}

/// What joins two cubes whose centres are 3 m apart.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    Spring(f64),
    Damper(f64),
    Rod,
}

/// The left one moves towards the right one with 3 m/s, and both stop after a while.
fn two_cubes(link: Link) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.4, 0.0);
    add_cube(&mut spec, "left");
    add_cube(&mut spec, "right");
    let (a, b) = (FrameSpec::of("left"), FrameSpec::of("right"));
    let points = |a, b| SpringKind::Points { a, b, rest: 3.0 };
    match link {
        Link::Spring(gamma) => {
            spec.spring("link", points(a, b), gamma, 0.0);
        }
        Link::Damper(delta) => {
            spec.spring("link", points(a, b), 0.0, delta);
        }
        Link::Rod => {
            spec.constraint("link", ConstraintKind::Distance { a, b, length: 3.0 });
        }
    }
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
    place(&mut state, 1, Vec3::new(3.0, 0.0, 0.5), Quat::IDENTITY);
    state.v[0] = 3.0;
    (model, state)
}

#[test]
fn springs_and_dampers_between_blocks_that_slide_and_stick_become_rods_with_an_error_like_their_compliance()
 {
    // in the limit a spring takes back all of its stretch in a step, a damper none of it
    for (link, drift) in [
        (Link::Spring as fn(f64) -> Link, Drift::Stabilize { beta: 1.0 }),
        (Link::Damper as fn(f64) -> Link, Drift::Free),
    ] {
        let slide = |link: Link| {
            let (model, state) = two_cubes(link);
            let mut settings = StepSettings { drift, ..settings(0.02) };
            settings.contact.tol = 1e-12;
            let path = path(&model, &settings, state, 40);
            // they rest in the end, the rod's at 1.5 m/s from the beginning
            let n = model.nq();
            let [last, before] = [1, 5].map(|i| path[path.len() - i * n]);
            assert!(last > 0.2 && (last - before).abs() < 1e-6, "{link:?}: {last} {before}");
            path
        };
        let rod = slide(Link::Rod);
        let errors: Vec<f64> =
            (5..=10).map(|d| largest_difference(&slide(link(10f64.powi(d))), &rod)).collect();
        assert_slope_minus_one(&errors, &format!("{:?}", link(1.0)));
    }
}

#[test]
fn every_stiffness_is_solved_and_certified_under_every_law() {
    for law in all_laws() {
        for decade in 0..=12 {
            let strength = 10f64.powi(decade);
            for link in [Link::Spring(strength), Link::Damper(strength)] {
                let (model, mut state) = two_cubes(link);
                // across the link too
                (state.v[1], state.v[7]) = (1.0, -0.5);
                let h = 0.02;
                // asserts that each step is certified
                run(&model, &with_law(h, law), &mut state, 25);
                let fastest = state.v.iter().fold(0.0, |m, v| nan_max(m, v.abs()));
                assert!(fastest <= 3.5, "{} {link:?}: {fastest}", law.name());
            }
            let mut spec = ModelSpec::new();
            soft_ground(&mut spec, 0.4, Some(strength));
            add_cube(&mut spec, "cube");
            let (model, mut state) = build(&spec);
            place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
            state.v[0] = 1.0;
            let contact = ContactSettings { law, ..Default::default() };
            run(&model, &StepSettings { contact, ..settings(0.02) }, &mut state, 25);
        }
    }
}
