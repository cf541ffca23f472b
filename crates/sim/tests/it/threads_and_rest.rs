//! Steps of several threads, and what rests.

use std::num::NonZeroUsize;

use crate::sample::Rng;
use crate::scenes::{add_box, build, ground, place, settings, tower};
use stiction_sim::contact::NormalRow;
use stiction_sim::contact::law::Law;
use stiction_sim::model::{FrameSpec, Shape};
use stiction_sim::{Data, Inertia, Input, Model, ModelSpec, Quat, State, Vec3, step};

/// Towers of a box, a hull and a ball that lean and slide, side by side: many islands.
fn field(towers: usize) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.4, 0.0);
    let mut rng = Rng(5);
    let mut places = Vec::new();
    for i in 0..towers {
        let foot = Vec3::new(3.0 * (i % 8) as f64, 3.0 * (i / 8) as f64, 0.0);
        let names = ["box", "hull", "ball"].map(|kind| format!("{kind} {i}"));
        add_box(&mut spec, &names[0], 1.0 + i as f64, Vec3::new(1.0, 1.0, 0.5));
        let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|bit| 0.6 * bit as f64 - 0.3);
        let hull: Vec<Vec3> = (0..8).map(|i| Vec3::from(corner(i))).collect();
        for (name, shape) in
            [(&names[1], Shape::Hull(hull)), (&names[2], Shape::Sphere { radius: 0.3 })]
        {
            spec.body(name, Inertia::principal(1.0, [0.05; 3]));
            spec.shape(name, FrameSpec::of(name), shape, "stuff");
        }
        for height in [0.25, 0.81, 1.42] {
            let turn = Vec3::new(0.0, 0.0, rng.between(-0.3, 0.3));
            places.push((foot + Vec3::new(0.0, 0.0, height), Quat::exp(&turn)));
        }
    }
    let (model, mut state) = build(&spec);
    for (i, (p, quat)) in places.into_iter().enumerate() {
        place(&mut state, i, p, quat);
        state.v[6 * i] = rng.between(-0.5, 0.5);
    }
    (model, state)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (model, begin) = field(24);
    let after = |threads: usize| {
        let threads = NonZeroUsize::new(threads).expect("at least one");
        let (mut state, mut data) = (begin.clone(), Data::with_threads(&model, threads));
        let mut contacts = 0;
        for _ in 0..80 {
            let report = step(&model, &settings(5e-3), &Input::default(), &mut state, &mut data)
                .expect("a certified step");
            contacts = contacts.max(report.contact.map_or(0, |contact| contact.contacts));
        }
        assert!(contacts > 100, "{contacts}");
        state.to_bytes()
    };
    let one = after(1);
    assert!(one != begin.to_bytes());
    for threads in [2, 3] {
        assert!(after(threads) == one, "{threads} threads");
    }
}

#[test]
fn what_stands_stays_as_it_is_to_the_last_bit() {
    let (model, mut state) = tower(0.5, &[1.0, 2.0, 4.0, 8.0]);
    let (begin, mut data) = (state.q.clone(), Data::new(&model));
    let mut run = |n: usize, state: &mut State| {
        for _ in 0..n {
            let report = step(&model, &settings(5e-3), &Input::default(), state, &mut data);
            assert!(report.expect("a certified step").contact.expect("contacts").certified);
        }
    };
    run(3, &mut state);
    assert!(state.v.iter().all(|v| *v == 0.0), "{:?}", state.v);
    // forces that are turned into the world's frame and back for the first time may change by rounding
    run(3, &mut state);
    let settled = (state.q.clone(), state.memory.clone());
    run(2000, &mut state);
    assert!(state.v.iter().all(|v| *v == 0.0) && (state.q.clone(), state.memory) == settled);
    let moved = begin.iter().zip(&state.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved <= 1e-15, "{moved}");
}

/// What is known of the last step answers only the same question: memory changes no bit and no word of the report, whatever becomes
/// of the state and the settings between two steps.
#[test]
fn a_step_from_memory_is_that_of_fresh_memory_whatever_changes_before_it() {
    let (model, mut state) = tower(0.5, &[1.0, 2.0, 4.0, 8.0]);
    let (mut fresh, mut data) = (state.clone(), Data::new(&model));
    let usual = settings(5e-3);
    let mut from_memory = 0;
    for i in 0..60 {
        let mut settings = usual;
        match i {
            10..15 => settings.h = 4e-3,
            15 => settings.contact.tol = 1e-9,
            16 => settings.contact.law = Law::Frictionless,
            20 => state.v[6] = 1e-3,
            40 => state.q[7] += 1e-3,
            45 => state.memory.contacts.clear(),
            50 => settings.contact.normal = NormalRow::Velocity,
            _ => {}
        }
        if i % 5 == 0 {
            fresh = state.clone();
        }
        let own = step(&model, &settings, &Input::default(), &mut state, &mut data);
        let new = &mut Data::new(&model);
        let other = step(&model, &settings, &Input::default(), &mut fresh, new);
        assert_eq!(own, other, "step {i}");
        assert!(state.to_bytes() == fresh.to_bytes(), "step {i}");
        assert_eq!(data.contact_impulses(), new.contact_impulses(), "step {i}");
        assert_eq!(data.contact_velocities(), new.contact_velocities(), "step {i}");
        let contact = own.expect("a step").contact.expect("contacts");
        from_memory += usize::from(contact.link == "warm" && contact.iterations == 0);
    }
    assert!(from_memory > 20, "{from_memory}");
}

/// Slow, and real: far below what a step of gravity gives, far above rounding.
#[test]
fn what_creeps_is_not_stopped() {
    let (model, mut state) = tower(0.0, &[1.0]);
    let mut data = Data::new(&model);
    state.v[0] = 1e-9;
    for _ in 0..100 {
        step(&model, &settings(5e-3), &Input::default(), &mut state, &mut data).expect("a step");
    }
    assert!((state.v[0] / 1e-9 - 1.0).abs() < 1e-6, "{:?}", state.v);
}
