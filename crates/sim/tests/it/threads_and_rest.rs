//! Steps of several threads, and what rests.

use std::num::NonZeroUsize;

use crate::sample::Rng;
use crate::scenes::{add_box, build, ground, place, settings, tower};
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
