//! Forces of an instant: all of them, or the proof that there are none; and the step that has an answer nevertheless.

use crate::scenes::{
    G, add_points, block, build, cuboid_inertia, ground, place, settings, with_law,
};
use stiction_lcp::judge::{Judge, check_proof};
use stiction_lcp::{BoxLcp, LcpSolver, MatX, Verdict, never, solve_lcp};
use stiction_sim::constraint::rows::At;
use stiction_sim::contact::law::{Cone, Law, Pyramid};
use stiction_sim::energy::mechanical_energy;
use stiction_sim::model::{FrameSpec, JointKind, Relaxation, Shape, Surface};
use stiction_sim::paradox::fixed_point::{
    self, Existence, Meaning, RunEnd, basin_edge, largest_r, study,
};
use stiction_sim::paradox::rod::Rod;
use stiction_sim::paradox::{
    Explored, ParadoxError, ParadoxSettings, Solutions, Stepped, TouchMode, explore, stepped,
};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelSpec, Quat, State, StepSettings, Vec3,
};

fn explored(model: &Model, state: &State) -> Explored {
    explore(model, &ParadoxSettings::default(), &Input::default(), state).expect("explored")
}

fn rod(rod: &Rod) -> (Model, State) {
    let model = rod.model(Coordinates::Generalized).expect("a rod");
    let state = rod.state(&model);
    (model, state)
}

fn rod_step(rod_: &Rod, settings: &StepSettings) -> Stepped {
    let (model, state) = rod(rod_);
    stepped(&model, settings, &Input::default(), &state).expect("a step")
}

/// The solutions have passed the judge of another call, and a proof its check.
fn confirmed(explored: &Explored) {
    let problem = explored.problem.as_ref().expect("a problem");
    if let Solutions::None { proof, .. } = &explored.solutions {
        assert!(check_proof(problem, proof).is_some());
    }
    if let (Solutions::Unique(solution), 1) = (&explored.solutions, problem.n()) {
        assert!(Judge::default().lcp(problem, &solution.lambda[..1]).accepts(1e-10));
    }
}

/// Pairs that fill a rectangle evenly, by the powers of the plastic number.
fn pairs(n: usize, (x0, x1): (f64, f64), (y0, y1): (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    let plastic = 1.324_717_957_244_746_f64;
    (1..=n).map(move |i| {
        let [x, y] = [1, 2].map(|k| (0.5 + i as f64 / plastic.powi(k)).fract());
        (x0 + (x1 - x0) * x, y0 + (y1 - y0) * y)
    })
}

#[test]
fn the_problem_of_a_rod_is_its_closed_form_in_both_sets_of_coordinates() {
    for (theta, mu) in pairs(60, (0.1, 1.5), (0.0, 5.0)) {
        for omega in [0.0, 3.0, -7.0] {
            let rod = Rod { omega, mass: 2.5, length: 1.7, ..Rod::uniform(theta, mu) };
            let model = rod.model(Coordinates::Generalized).expect("a rod");
            let maximal = rod.model(Coordinates::Maximal).expect("a rod");
            let state = rod.state(&model);
            let other = maximal.state_from(&model, &state).expect("converts");
            for (model, state) in [(&model, &state), (&maximal, &other)] {
                let explored = explored(model, state);
                confirmed(&explored);
                let problem = explored.problem.expect("it slides");
                let terms = 1.0 / rod.mass + 0.25 * rod.length.powi(2) / rod.inertia * (1.0 + mu);
                assert!((problem.A().get(0, 0) - rod.a()).abs() < 1e-13 * terms, "{rod:?}");
                let terms = G + rod.length * omega * omega;
                assert!((problem.b()[0] - rod.c()).abs() < 1e-13 * terms, "{rod:?}");
            }
        }
    }
}

#[test]
fn the_four_cases_of_a_rod_have_one_one_two_and_no_solution() {
    let steep = |mu, omega| Rod { omega, ..Rod::uniform(1.1, mu) };
    let (model, state) = rod(&steep(0.5, 0.0));
    let Solutions::Unique(presses) = explored(&model, &state).solutions else { panic!("one") };
    let expected = -steep(0.5, 0.0).c() / steep(0.5, 0.0).a();
    assert!((presses.lambda[0] - expected).abs() < 1e-12 * expected);
    // friction against the slip towards −x, whichever way t1 points
    assert!((presses.lambda[1].abs() - 0.5 * expected).abs() < 1e-12 * expected);
    assert!(presses.u_dot[0].abs() < 1e-12 * G);

    let (model, state) = rod(&steep(0.5, 6.0));
    let Solutions::Unique(lifts) = explored(&model, &state).solutions else { panic!("one") };
    assert_eq!(lifts.lambda, [0.0; 3]);
    assert!((lifts.u_dot[0] - steep(0.5, 6.0).c()).abs() < 1e-12 * G);

    let two = steep(2.0, 6.0);
    let (model, state) = rod(&two);
    let Solutions::Several(list) = explored(&model, &state).solutions else { panic!("two") };
    let mut forces: Vec<f64> = list.iter().map(|solution| solution.lambda[0]).collect();
    forces.sort_by(f64::total_cmp);
    let second = -two.c() / two.a();
    assert!(forces.len() == 2 && forces[0] == 0.0, "{forces:?}");
    assert!((forces[1] - second).abs() < 1e-12 * second, "{forces:?}");

    let (model, state) = rod(&steep(2.0, 0.0));
    let none = explored(&model, &state);
    confirmed(&none);
    assert!(matches!(none.solutions, Solutions::None { .. }), "{:?}", none.solutions);
}

#[test]
fn accelerations_are_those_of_the_forces_in_both_sets_of_coordinates() {
    let rod = Rod { omega: 2.0, mass: 3.0, ..Rod::uniform(0.9, 0.4) };
    let generalized = rod.model(Coordinates::Generalized).expect("a rod");
    let maximal = rod.model(Coordinates::Maximal).expect("a rod");
    let state = rod.state(&generalized);
    let Solutions::Unique(solution) = explored(&generalized, &state).solutions else {
        panic!("one")
    };
    let N = solution.lambda[0];
    let half = 0.5 * rod.length;
    let (s, c) = rod.theta.sin_cos();
    let alpha = -half * N * (c - rod.mu * s) / rod.inertia;
    let expected = [rod.mu * N / rod.mass, N / rod.mass - G, alpha];
    for (a, expected) in solution.a.iter().zip(expected) {
        assert!((a - expected).abs() < 1e-12 * G, "{:?}", solution.a);
    }
    let other = maximal.state_from(&generalized, &state).expect("converts");
    let Solutions::Unique(solution) = explored(&maximal, &other).solutions else { panic!("one") };
    // free joint: acceleration of the origin in the world, then turning about the body's axes; z of the body is −y
    let [a_x, a_z, turning] = [0, 2, 5].map(|i| solution.a[i]);
    for (a, expected) in [a_x, a_z, turning].into_iter().zip(expected) {
        assert!((a - expected).abs() < 1e-11 * G, "{:?}", solution.a);
    }
}

#[test]
fn the_rod_of_baraff_has_no_forces_and_a_certified_step_of_finite_impulse() {
    let rod_ = Rod::baraff();
    assert!((rod_.a() + 1.0).abs() < 2e-3, "16 (cos² − μ sin cos) is −2, roughly: {}", rod_.a());
    let (model, state) = rod(&rod_);
    let explored = explored(&model, &state);
    confirmed(&explored);
    let Solutions::None { refutation, .. } = explored.solutions else { panic!("none") };
    assert_eq!(refutation.radius, f64::INFINITY);

    for law in [Law::Cone(Cone::default()), Law::Pyramid(Pyramid::default())] {
        let mut impulses = Vec::new();
        for i in 0..12 {
            let stepped = rod_step(&rod_, &with_law(1e-2 / f64::from(1 << i), law));
            assert!(stepped.is_certified() && stepped.contact_work <= 0.0, "{stepped:?}");
            impulses.push(stepped.p[0]);
        }
        let ratios: Vec<f64> = impulses.windows(2).map(|p| p[0] / p[1]).collect();
        // p(h) = p₀ + p₁ h: the ratio comes to 1 as h does
        assert!(ratios.windows(2).all(|r| (r[1] - 1.0).abs() < 0.6 * (r[0] - 1.0).abs()));
        assert!((ratios[10] - 1.0).abs() < 1e-3, "{ratios:?}");
        assert!(impulses[11] > 0.1, "{impulses:?}");
    }
}

/// What a sweep over angles and coefficients met.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    unique: usize,
    none: usize,
    certified: usize,
    uncertified: usize,
    rising: usize,
    wrong: usize,
    /// So near the limit that rounding decides: |a| below 1e-12 of its terms.
    on_the_limit: usize,
}

fn sweep(n: usize) -> Counts {
    let mut counts = Counts::default();
    let degree = std::f64::consts::PI / 180.0;
    for (theta, mu) in pairs(n, (degree, 89.0 * degree), (0.0, 5.0)) {
        let rod_ = Rod::uniform(theta, mu);
        let limit = (4.0 + theta.tan().powi(2)) / (3.0 * theta.tan());
        assert!((limit / rod_.critical_mu() - 1.0).abs() < 1e-12);
        let (model, state) = rod(&rod_);
        let solutions = explored(&model, &state).solutions;
        counts.unique += usize::from(matches!(solutions, Solutions::Unique(_)));
        counts.none += usize::from(matches!(solutions, Solutions::None { .. }));
        if rod_.a().abs() < 1e-12 * (4.0 + mu) {
            counts.on_the_limit += 1;
        } else {
            let expected = if mu < limit { "unique" } else { "none" };
            counts.wrong += usize::from(solutions.name() != expected);
        }
        match stepped(&model, &settings(1e-3), &Input::default(), &state) {
            Ok(stepped) if stepped.is_certified() => {
                counts.certified += 1;
                let falls = energy(&model, &stepped.state) <= energy(&model, &state) + 1e-12;
                counts.rising += usize::from(!(falls && stepped.contact_work <= 1e-15));
            }
            _ => counts.uncertified += 1,
        }
    }
    counts
}

fn energy(model: &Model, state: &State) -> f64 {
    let data = &mut Data::new(model);
    mechanical_energy(model, At::from(state), &state.v, data).expect("an energy")
}

#[test]
fn law_j_below_the_limit_one_force_above_it_none_and_every_step_is_certified() {
    let counts = sweep(1000);
    assert_eq!(counts.unique + counts.none, 1000, "{counts:?}");
    let bad = (counts.wrong, counts.uncertified, counts.rising, counts.on_the_limit);
    assert_eq!(bad, (0, 0, 0, 0), "{counts:?}");
    assert!(counts.none > 400 && counts.unique > 300, "{counts:?}");
}

#[test]
#[ignore = "a hundred thousand rods"]
fn law_j_for_a_hundred_thousand_pairs() {
    let counts = sweep(100_000);
    assert_eq!(counts.unique + counts.none, 100_000, "{counts:?}");
    let bad = (counts.wrong, counts.uncertified, counts.rising, counts.on_the_limit);
    assert_eq!(bad, (0, 0, 0, 0), "{counts:?}");
}

#[test]
fn the_least_coefficient_of_a_uniform_rod_is_four_thirds_where_the_tangent_is_two() {
    let at = |tangent: f64| Rod::uniform(tangent.atan(), 1.0).critical_mu();
    assert!((at(2.0) - 4.0 / 3.0).abs() < 1e-14);
    assert!(at(1.9) > at(2.0) && at(2.1) > at(2.0));
    for (mu, expected) in [(4.0 / 3.0 - 1e-6, "unique"), (4.0 / 3.0 + 1e-6, "none")] {
        let (model, state) = rod(&Rod::uniform(2.0_f64.atan(), mu));
        assert_eq!(explored(&model, &state).solutions.name(), expected);
    }
}

#[test]
fn a_rod_at_rest_always_has_forces() {
    for (theta, mu) in pairs(300, (0.02, 1.55), (0.0, 5.0)) {
        let (model, state) = rod(&Rod { speed: 0.0, ..Rod::uniform(theta, mu) });
        let explored = explored(&model, &state);
        assert_eq!(explored.contacts[0].mode, TouchMode::Sticking);
        assert!(!explored.solutions.list().is_empty(), "{theta} {mu}: {:?}", explored.solutions);
        let name = explored.solutions.name();
        assert!(["unique", "several"].contains(&name), "{theta} {mu}: {name}");
    }
}

#[test]
fn a_block_on_four_corners_has_a_family_of_forces_and_one_motion() {
    for speed in [0.0, 2.0] {
        let (model, mut state) = block(0.3, 0.0);
        state.v[0] = speed;
        let found = explore(&model, &ParadoxSettings::default(), &Input::default(), &state);
        let explored = found.expect("explored");
        if speed == 0.0 {
            // four contacts that stick are twenty rows: the tree may not come to its end
            assert!(!explored.solutions.list().is_empty(), "{:?}", explored.solutions);
        } else {
            let Solutions::Continuum(list) = &explored.solutions else {
                panic!("{:?}", explored.solutions)
            };
            assert!(list.len() == 1 && list[0].dimension == 1 && list[0].spread == 0.0);
            assert!((list[0].a[0] + 0.3 * G).abs() < 1e-12 * G, "{:?}", list[0].a);
        }
        for solution in explored.solutions.list() {
            let normal: f64 = solution.lambda.iter().step_by(3).sum();
            assert!((normal - G).abs() < 1e-9 * G, "{:?}", solution.lambda);
        }
    }
}

#[test]
fn a_point_on_a_slope_rests_or_starts_to_slide() {
    for (mu, angle) in [(0.5, 0.3_f64), (0.2, 0.3)] {
        let mut spec = ModelSpec::new();
        ground(&mut spec, mu, angle);
        add_points(&mut spec, "point", cuboid_inertia(1.0, Vec3::repeat(1.0)), vec![Vec3::zeros()]);
        let (model, state) = build(&spec);
        let Solutions::Unique(solution) = explored(&model, &state).solutions else { panic!("one") };
        let along = (angle.sin() - mu * angle.cos()).max(0.0) * G;
        let a = Vec3::from_column_slice(&solution.a[..3]);
        assert!((a.norm() - along).abs() < 1e-12 * G, "{a}");
        assert!((solution.lambda[0] - G * angle.cos()).abs() < 1e-12 * G);
    }
}

#[test]
fn a_ball_that_rolls_down_a_slope_keeps_rolling() {
    // u̇_t = 0 of a contact that moves along ball and slope: 5/7 g sin α, whatever the speed
    let (angle, radius, speed) = (0.3_f64, 0.2, 1.5);
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.6, angle);
    spec.body("ball", Inertia::principal(1.0, [0.4 * radius * radius; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius }, "stuff");
    let (model, mut state) = build(&spec);
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    place(&mut state, 0, quat.to_matrix() * Vec3::new(0.0, 0.0, radius), Quat::IDENTITY);
    let down = quat.to_matrix() * Vec3::x();
    (0..3).for_each(|i| state.v[i] = speed * down[i]);
    state.v[4] = speed / radius;
    let explored = explored(&model, &state);
    assert_eq!(explored.contacts[0].mode, TouchMode::Sticking);
    let Solutions::Unique(solution) = explored.solutions else { panic!("one") };
    let a = Vec3::from_column_slice(&solution.a[..3]);
    let expected = 5.0 / 7.0 * G * angle.sin();
    assert!((a - down * expected).norm() < 1e-12 * G, "{a}");
    assert!((solution.a[4] - expected / radius).abs() < 1e-11 * G, "{:?}", solution.a);
}

#[test]
fn where_there_is_one_force_short_steps_come_to_it() {
    // at rest in its turning the row of a step is the row of the instant, times h
    let rod_ = Rod::uniform(0.8, 0.7);
    let (model, state) = rod(&rod_);
    let Solutions::Unique(solution) = explored(&model, &state).solutions else { panic!("one") };
    let force = rod_step(&rod_, &settings(1e-4)).p[0] / 1e-4;
    assert!((force / solution.lambda[0] - 1.0).abs() < 1e-9, "{force}");

    // a turning rod needs J̇ v too, which steps learn from the gap that the step before has left: on average
    let (model, mut state) = rod(&Rod { omega: 1.0, ..rod_ });
    let Solutions::Unique(solution) = explored(&model, &state).solutions else { panic!("one") };
    let (steps, h) = (200, 1e-6);
    let mut sum = 0.0;
    for _ in 0..steps {
        let next = stepped(&model, &settings(h), &Input::default(), &state).expect("a step");
        sum += next.p[0];
        state = next.state;
    }
    // one step of two hundred is off by half of J̇ v, 2 % of the force
    let mean = sum / (h * f64::from(steps));
    assert!((mean / solution.lambda[0] - 1.0).abs() < 1e-3, "{mean} {}", solution.lambda[0]);
}

#[test]
fn what_approaches_is_an_impact_and_what_parts_has_no_force() {
    let (model, mut state) = rod(&Rod::uniform(0.8, 0.7));
    state.v[1] -= 0.1;
    assert_eq!(explored(&model, &state).solutions, Solutions::Impact { contact: 0 });
    state.v[1] += 0.2;
    let parting = explored(&model, &state);
    assert_eq!(parting.contacts[0].mode, TouchMode::Separating);
    let Solutions::Unique(solution) = &parting.solutions else { panic!("one") };
    assert!(parting.problem.is_none() && solution.a == parting.a_free);
    assert_eq!(solution.lambda, [0.0; 3]);
}

#[test]
fn what_cannot_be_looked_at_is_named() {
    let look = |model: &Model, state: &State| {
        let found = explore(model, &ParadoxSettings::default(), &Input::default(), state);
        found.map(|explored| explored.solutions.name())
    };
    let (model, mut state) = rod(&Rod::uniform(0.8, 0.7));
    state.q[1] -= 1e-3;
    let error = look(&model, &state).expect_err("overlaps");
    assert!(matches!(&error, ParadoxError::Overlap { depth, .. } if (depth - 1e-3).abs() < 1e-12));
    assert!(error.to_string().contains("`ground` and `end`"), "{error}");
    state.q[0] = f64::NAN;
    assert!(matches!(look(&model, &state), Err(ParadoxError::Step(_))));

    let mut spec = ModelSpec::new();
    let compliance = Some(Relaxation { k: 1e6, b: 1.0 });
    spec.material("stuff", Surface { compliance, ..Surface::rigid(0.5) });
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    add_points(&mut spec, "point", Inertia::principal(1.0, [1.0; 3]), vec![Vec3::zeros()]);
    let (model, state) = build(&spec);
    assert!(matches!(look(&model, &state), Err(ParadoxError::Compliant { .. })));

    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    for (name, z) in [("low", 0.5), ("high", 1.5)] {
        spec.body(name, cuboid_inertia(1.0, Vec3::repeat(1.0)));
        spec.shape(name, FrameSpec::of(name).at(0.0, 0.0, z), Shape::cuboid(1., 1., 1.), "stuff");
    }
    let (model, state) = build(&spec);
    let error = look(&model, &state).expect_err("a box on a box");
    assert!(matches!(error, ParadoxError::Moving { .. }), "{error}");

    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    spec.body("arm", Inertia::principal(1.0, [1.0; 3]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    spec.joint("hinge", hinge, FrameSpec::world(), FrameSpec::of("arm")).limits = vec![(-1.0, 1.0)];
    let (model, state) = build(&spec);
    assert_eq!(look(&model, &state), Err(ParadoxError::Bounded));
}

#[test]
fn each_setting_changes_something() {
    let default = ParadoxSettings::default();
    let name = |settings: ParadoxSettings, state: &State, model: &Model| {
        let found = explore(model, &settings, &Input::default(), state);
        found.map(|explored| (explored.contacts.len(), explored.solutions.name()))
    };
    let (model, mut state) = rod(&Rod::uniform(1.1, 2.0));
    assert_eq!(name(default, &state, &model), Ok((1, "none")));
    let slow = ParadoxSettings { v_slip: 2.0, ..default };
    assert_ne!(name(slow, &state, &model), Ok((1, "none")));
    state.v[1] -= 1e-3;
    assert_eq!(name(default, &state, &model), Ok((1, "impact")));
    assert_eq!(name(ParadoxSettings { v_touch: 1e-2, ..default }, &state, &model), Ok((1, "none")));
    state.v[1] += 1e-3;
    state.q[1] += 1e-4;
    assert_eq!(name(default, &state, &model), Ok((0, "unique")));
    assert_eq!(name(ParadoxSettings { gap: 1e-3, ..default }, &state, &model), Ok((1, "none")));
}

fn scalar(a: f64, c: f64) -> BoxLcp {
    BoxLcp::lcp(MatX::from_element(1, 1, a), vec![c]).expect("one row")
}

#[test]
fn the_fixed_point_finds_the_lower_of_two_solutions_from_below_the_upper_one() {
    for (a, c) in [(-1.0, 2.0), (-0.3, 5.0), (-40.0, 1.0)] {
        let (problem, upper) = (scalar(a, c), -c / a);
        let rs = [0.1, 1.0, 3.0].map(|r| r / a.abs());
        let starts = [0.0, 0.5, 0.999, 1.001, 3.0].map(|share| vec![share * upper]);
        let study = study(&problem, &starts, &rs, 10_000);
        let Existence::Solutions(solutions) = &study.existence else { panic!("two") };
        assert_eq!(solutions.len(), 2);
        for run in &study.runs {
            let below = run.start[0] < upper;
            let expected = if below { Meaning::Solved } else { Meaning::FailedBesideSolutions };
            assert_eq!(study.meaning(run), expected, "{run:?}");
            assert!(!below || run.z == [0.0] && run.factor == 0.0, "{run:?}");
            let repels = 1.0 + run.r * a.abs();
            assert!(below || (run.factor / repels - 1.0).abs() < 1e-9, "{run:?}");
        }
        for r in rs {
            let edge = basin_edge(&problem, r, (&[0.0], &[10.0 * upper]), 10_000).expect("an edge");
            assert!((edge[0] / upper - 1.0).abs() < 1e-11, "{a} {c} {r}: {edge:?}");
        }
        // pivoting finds one of them
        let answer = solve_lcp(&problem, LcpSolver::Lemke, 1e-12, &never);
        assert_eq!(answer.verdict, Verdict::Certified);
    }
}

#[test]
fn divergence_without_a_solution_is_told_apart_by_the_proof() {
    let problem = scalar(-1.0, -2.0);
    let starts = [0.0, 1.0, 2.0, 100.0].map(|start| vec![start]);
    let study = study(&problem, &starts, &[0.1, 1.0, 5.0], 10_000);
    assert!(matches!(study.existence, Existence::None(_)));
    assert!(study.runs.iter().all(|run| run.end == RunEnd::Diverged));
    assert!(study.runs.iter().all(|run| study.meaning(run) == Meaning::NoSolution));
}

#[test]
fn the_fixed_point_contracts_up_to_two_over_the_coefficient() {
    let problem = scalar(4.0, -4.0);
    for (r, factor) in [(0.1, 0.6), (0.2, 0.2), (0.4, 0.6)] {
        let run = fixed_point::run(&problem, r, &[0.0], 10_000);
        assert_eq!(run.end, RunEnd::Converged);
        assert!((run.factor - factor).abs() < 1e-6 && (run.z[0] - 1.0).abs() < 1e-9, "{run:?}");
    }
    assert_eq!(fixed_point::run(&problem, 0.6, &[0.0], 1000).end, RunEnd::Unsettled);
    let end = largest_r(&problem, &[0.0], (0.1, 1.0), 1e-4, 100_000).expect("an end");
    assert!((end - 0.5).abs() < 1e-3, "{end}");
    // no end between two that converge, no edge between two starts that do
    assert_eq!(largest_r(&problem, &[0.0], (0.1, 0.2), 1e-4, 1000), None);
    assert_eq!(basin_edge(&problem, 0.1, (&[0.0], &[9.0]), 1000), None);
}
