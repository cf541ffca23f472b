//! Defects of contacts, motors and limits that were there once, each with the smallest scene that showed it.

use crate::scenes::{ground, place, settings, with_law};
use stiction_sim::contact::law::{Convex, Law, Pyramid};
use stiction_sim::model::{Follows, FrameSpec, JointKind, Law as Drive, Shape};
use stiction_sim::{
    Coordinates, Data, Geometry, Inertia, Input, Model, ModelSpec, Quat, State, StepError,
    StepSettings, Vec3, step,
};

/// A flat body whose shapes, all at its lower side, are on the ground.
fn plate(shape: Shape) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    spec.body("plate", Inertia::principal(1.0, [0.2; 3]));
    spec.shape("plate", FrameSpec::of("plate"), shape, "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a plate");
    let mut state = model.state();
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.1), Quat::IDENTITY);
    (model, state)
}

fn grid(n: usize) -> Vec<Vec3> {
    let at = |i: usize| i as f64 / (n - 1) as f64 - 0.5;
    (0..n * n).map(|i| Vec3::new(at(i % n), at(i / n), -0.1)).collect()
}

#[test]
fn many_contacts_of_many_shapes_of_one_body_are_thinned_out_as_those_of_one_shape_are() {
    // 10 000 contacts by 50: their W would have 9e8 entries
    let parts = grid(100);
    let parts =
        parts.chunks(50).map(|c| (Vec3::zeros(), Quat::IDENTITY, Shape::Points(c.to_vec())));
    let (model, start) = plate(Shape::Compound(parts.collect()));
    let (mut state, mut data) = (start.clone(), Data::new(&model));
    (state.v[0], state.v[5]) = (0.5, 1.0);
    let report = step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data);
    let contact = report.expect("a step").contact.expect("touches");
    assert!(contact.certified && contact.contacts == 10_000);
    assert!(data.contacts().len() < 100, "{}", data.contacts().len());
    let push: f64 = data.contact_impulses().chunks(3).map(|p| p[0]).sum();
    assert!((push - 9.81e-3).abs() < 1e-12, "{push}");
    // one shape of the same points does the same
    let (model, _) = plate(Shape::Points(grid(100)));
    let mut other = start;
    (other.v[0], other.v[5]) = (0.5, 1.0);
    step(&model, &settings(1e-3), &Input::default(), &mut other, &mut Data::new(&model))
        .expect("a step");
    assert_eq!(other.q, state.q);
}

#[test]
fn so_many_contacts_on_one_body_that_their_matrix_would_not_fit_are_refused_where_it_is_needed() {
    // balls on a free plate: all of them feel each other through it
    let n = 1100;
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    spec.body("plate", Inertia::principal(1.0, [1e3; 3]));
    spec.shape("plate", FrameSpec::of("plate"), Shape::cuboid(100.0, 100.0, 1.0), "stuff");
    for i in 0..n {
        let name = format!("ball {i}");
        spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("a plate and balls");
    let mut state = model.state();
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
    for i in 0..n {
        let at = Vec3::new((i % 40) as f64 * 1.5 - 30.0, (i / 40) as f64 * 1.5 - 30.0, 1.5);
        place(&mut state, i + 1, at, Quat::IDENTITY);
    }
    let start = state.clone();
    let pyramid = with_law(1e-3, Law::Pyramid(Pyramid::default()));
    let result = step(&model, &pyramid, &Input::default(), &mut state, &mut Data::new(&model));
    assert!(
        matches!(result, Err(StepError::TooManyContacts { contacts: 1104, rows: 3312 })),
        "{result:?}"
    );
    assert_eq!(state, start);
    // the cone law is solved without it
    let report =
        step(&model, &settings(1e-3), &Input::default(), &mut state, &mut Data::new(&model));
    assert!(report.expect("a step").contact.expect("touches").certified);
}

#[test]
fn contacts_that_were_set_aside_obey_the_convex_law_too() {
    // a rim of 999 points that spins and slides: u_n ≥ −φ/h + μ‖u_t‖ at every one of them, asked or not
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / 999.0;
    let rim: Vec<Vec3> =
        (0..999).map(|i| Vec3::new(angle(i).cos(), angle(i).sin(), -0.1)).collect();
    let (model, mut state) = plate(Shape::Points(rim.clone()));
    let start = state.clone();
    (state.v[0], state.v[5]) = (1.0, 5.0);
    let settings = with_law(1e-3, Law::Convex(Convex::default()));
    let mut data = Data::new(&model);
    let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
    assert!(report.expect("a step").contact.expect("touches").certified);
    assert!(data.contacts().len() < 999, "none was set aside");
    // equal moments: the angular velocity is constant over the drift, in B and in W
    let v = Vec3::new(state.v[0], state.v[1], state.v[2]);
    let omega = Vec3::new(state.v[3], state.v[4], state.v[5]);
    let worst = rim.iter().map(|p| {
        let u = v + omega.cross(p);
        (start.q[2] - 0.1) / 1e-3 + u.z - 0.5 * u.x.hypot(u.y)
    });
    let worst = worst.fold(f64::INFINITY, f64::min);
    assert!(worst > -1e-8, "{worst}");
}

/// A rod of 1 kg on a hinge, horizontal under gravity, with a motor that is to hold it.
fn held(max: f64, follows: Follows, set: Coordinates) -> Model {
    let mut spec = ModelSpec::new();
    spec.body("rod", Inertia::principal(1.0, [0.1; 3]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let joint =
        spec.joint("hinge", hinge, FrameSpec::world(), FrameSpec::of("rod").at(-0.5, 0.0, 0.0));
    (joint.limits, joint.friction) = (vec![(-0.1, 0.1)], vec![1.0]);
    spec.motor("motor", "hinge", Drive::rate(0.0, 0.0), max).follows = follows;
    spec.build(set).expect("a rod")
}

#[test]
fn a_motor_that_is_stronger_than_it_need_be_holds_what_it_holds() {
    for max in [10.0, 1e3, 1e6, 1e9, 1e12] {
        for follows in [Follows::Rate, Follows::Position] {
            for set in [Coordinates::Generalized, Coordinates::Maximal] {
                let model = held(max, follows, set);
                let (mut state, mut data) = (model.state(), Data::new(&model));
                let start = state.clone();
                for i in 0..20 {
                    step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data)
                        .unwrap_or_else(|error| panic!("{max} {follows:?} {set:?} {i}: {error}"));
                }
                for (q, q0) in state.q.iter().zip(&start.q) {
                    assert!((q - q0).abs() < 1e-9, "{max} {follows:?} {set:?}: {:?}", state.q);
                }
            }
        }
    }
}

#[test]
fn a_strong_motor_beside_a_contact_does_what_a_weak_one_does() {
    // a ball on the ground beside a rod that a motor holds
    let run = |max: f64| {
        let mut spec = ModelSpec::new();
        ground(&mut spec, 0.5, 0.0);
        spec.body("rod", Inertia::principal(1.0, [0.1; 3]));
        let hinge = JointKind::Revolute { axis: Vec3::y() };
        let stand = FrameSpec::world().at(0.0, 0.0, 0.6);
        spec.joint("hinge", hinge, stand, FrameSpec::of("rod").at(-0.5, 0.0, 0.0));
        spec.shape(
            "tip",
            FrameSpec::of("rod").at(0.5, 0.0, 0.0),
            Shape::Sphere { radius: 0.6 },
            "stuff",
        );
        spec.motor("motor", "hinge", Drive::rate(0.0, -1.0), max);
        let model = spec.build(Coordinates::Generalized).expect("a rod");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        for i in 0..20 {
            let report = step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data);
            report.unwrap_or_else(|error| panic!("{max}, step {i}: {error}"));
        }
        state.q[0]
    };
    // up at 1 rad/s from the first step on, which takes 350 N·m, away from the ground
    for max in [1e3, 1e5, 1e8, 1e11] {
        assert!((run(max) + 0.02).abs() < 1e-9, "{max}: {}", run(max));
    }
}

#[test]
fn a_position_that_overflows_before_the_kick_is_called_so() {
    let (model, start) = plate(Shape::Points(grid(2)));
    for geometry in [Geometry::Middle, Geometry::End] {
        let mut state = start.clone();
        state.v[3] = 1e200;
        let before = state.clone();
        let settings = StepSettings { geometry, ..settings(1e-3) };
        let result = step(&model, &settings, &Input::default(), &mut state, &mut Data::new(&model));
        assert_eq!(result, Err(StepError::NotFinite));
        assert_eq!(state, before);
    }
}

#[test]
fn a_step_whose_forces_overflow_is_none() {
    // an impulse of 1e305 N·s within a millisecond: a force that the next step could not read
    let mut spec = ModelSpec::new();
    spec.body("rod", Inertia::principal(1.0, [0.1; 3]));
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let joint =
        spec.joint("hinge", hinge, FrameSpec::world(), FrameSpec::of("rod").at(-0.5, 0.0, 0.0));
    joint.limits = vec![(1e303, 1e304)];
    let model = spec.build(Coordinates::Generalized).expect("a rod");
    let (mut state, mut data) = (model.state(), Data::new(&model));
    let start = state.clone();
    match step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data) {
        Ok(_) => model.check_state(&state).expect("a state to go on from"),
        Err(_) => assert_eq!(state, start),
    }
}
