//! One body on a ground under exact Coulomb friction: laws E (incline), F (sliding stop), G (slip to roll), K3 (no
//! lift-off).

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::scenes::{
    G, bisect, block, block_under, build, ground, largest_difference, place, run, run_on, settings,
    tilt,
};
use stiction_sim::model::{FrameSpec, Shape};
use stiction_sim::{Data, Inertia, ModelSpec, Quat, Vec3};

/// How far a block has crept after n steps of 10 ms on a slope a hair below the critical one [m or 1].
fn creep(n: usize) -> f64 {
    let (model, start) = block(0.5, 0.4636); // atan 0.5 = 0.46365
    let mut state = start.clone();
    run(&model, &settings(1e-2), &mut state, n);
    largest_difference(&state.q, &start.q)
}

#[test]
fn a_block_below_the_critical_angle_does_not_move() {
    let moved = creep(10_000);
    assert!(moved <= 1e-10, "{moved}");
}

#[test]
#[ignore = "ten seconds of processor time"]
fn a_block_below_the_critical_angle_does_not_move_in_a_hundred_thousand_steps() {
    let moved = creep(100_000);
    assert!(moved <= 1e-10, "{moved}");
}

#[test]
fn a_block_above_it_slides_by_the_discrete_formula() {
    let (mu, angle, h, n) = (0.3_f64, 0.6_f64, 5e-3, 200);
    let (model, start) = block(mu, angle);
    let mut state = start.clone();
    run(&model, &settings(h), &mut state, n);
    let t = h * n as f64;
    let a = G * (angle.sin() - mu * angle.cos());
    let down = Vec3::new(angle.cos(), 0.0, -angle.sin());
    let moved = Vec3::from_column_slice(&state.q[..3]) - Vec3::from_column_slice(&start.q[..3]);
    assert!((moved - down * (0.5 * a * t * (t + h))).amax() < 1e-10, "{moved}");
    let v = Vec3::from_column_slice(&state.v[..3]);
    assert!((v - down * (a * t)).amax() < 1e-10, "{v}");
}

#[test]
fn the_critical_slope_is_the_coefficient_whatever_the_step_and_direction() {
    let mu = 0.5_f64;
    // oblique to its sides a block may slip while its corners push in directions that differ by ε: that costs
    // ε²/2 of the friction, and with the slip ε²/2 of free fall it is a residual of ε³/2 only, so 1e-12 for 1e-8
    for (h, psi, tol) in
        [(1e-2, 0.0, 1e-10), (1e-2, 0.7, 1e-12), (1e-3, 0.1, 1e-12), (1e-4, 2.0, 1e-12)]
    {
        let mut settings = settings(h);
        settings.contact.tol = tol;
        // slides: faster than 1e-9 of free fall, as on a slope steeper by 2.2e-9 than the critical one
        let critical = bisect(0.5 * mu, 2.0 * mu, |slope| {
            let (model, mut state) = block_under(mu, tilt(slope, psi));
            run(&model, &settings, &mut state, 5);
            state.v[0].hypot(state.v[1]) > 1e-9 * G * 5.0 * h
        });
        assert!((critical / mu - 1.0).abs() <= 1e-8, "h = {h}, {psi}: {critical}");
    }
}

#[test]
fn a_sliding_block_stops_where_it_must_in_every_direction() {
    let (mu, h, v0) = (0.4, 1e-2, 2.0_f64);
    let (d, t) = (v0 * v0 / (2.0 * mu * G), v0 / (mu * G));
    // in whole steps: as many as the stop takes, and none of rest
    let before = (t / h).floor() as usize;
    let mut first = f64::NAN;
    for i in 0..32 {
        let (s, c) = (TAU * i as f64 / 32.0).sin_cos();
        let (model, mut state) = block(mu, 0.0);
        (state.v[0], state.v[1]) = (v0 * c, v0 * s);
        let mut data = Data::new(&model);
        run_on(&model, &settings(h), &mut state, &mut data, before);
        assert!(state.v[0].hypot(state.v[1]) > 1e-3, "too early: {:?}", state.v);
        run_on(&model, &settings(h), &mut state, &mut data, 1);
        // nothing is left to move: rounding of 2 m/s, and of its spin about an arm of half a metre
        assert!(state.v.iter().all(|v| v.abs() <= 1e-14), "direction {i}: {:?}", state.v);
        run_on(&model, &settings(h), &mut state, &mut data, 30);

        let (along, across) = (state.q[0] * c + state.q[1] * s, state.q[1] * c - state.q[0] * s);
        let error = (along - d + 0.5 * v0 * h).abs();
        assert!(error <= mu * G * h * h / 8.0 + 1e-10, "direction {i}: {along}");
        if i == 0 {
            first = along;
        }
        assert!((along - first).abs() <= 1e-10, "direction {i}: {along}, first {first}");
        assert!((across / along).abs() <= 1e-10, "direction {i}: {across}");
    }
}

/// Radius [m] of what rolls.
const R: f64 = 0.3;

/// What slides and comes to roll: its shape along y, and k = I/mR².
fn round_bodies() -> [(&'static str, Shape, f64); 3] {
    let wheel = Shape::Cylinder { radius: R, half_length: 0.2 };
    [
        ("sphere", Shape::Sphere { radius: R }, 0.4),
        ("cylinder", wheel.clone(), 0.5),
        ("hoop", wheel, 1.0),
    ]
}

#[test]
fn what_slides_comes_to_roll_with_the_speed_that_its_inertia_says() {
    let (mu, v0, m) = (0.2, 3.0, 2.0);
    for (name, shape, k) in round_bodies() {
        let mut spec = ModelSpec::new();
        ground(&mut spec, mu, 0.0);
        // about the other axes no more than a rigid body may have, and as much as the sphere
        let (I, other) = (k * m * R * R, 0.6 * m * R * R);
        let moments = if name == "sphere" { [I; 3] } else { [other, I, other] };
        spec.body(name, Inertia::principal(m, moments));
        let along_y = Quat::exp(&Vec3::new(FRAC_PI_2, 0.0, 0.0));
        spec.shape(name, FrameSpec::of(name).turned(along_y), shape, "stuff");
        let (model, start) = build(&spec);
        for (h, w0) in [(1e-2, 0.0), (1e-3, 0.0), (1e-3, -4.0)] {
            let mut state = start.clone();
            place(&mut state, 0, Vec3::new(0.0, 0.0, R), Quat::IDENTITY);
            (state.v[0], state.v[4]) = (v0, w0);
            let v_f = (v0 + k * R * w0) / (1.0 + k);
            let (t, d) = ((v0 - v_f) / (mu * G), (v0 * v0 - v_f * v_f) / (2.0 * mu * G));
            let mut data = Data::new(&model);
            let slips = |v: &[f64]| (v[0] - R * v[4]).abs() > 1e-12 * v0;
            let mut steps = 0;
            while slips(&state.v) {
                run_on(&model, &settings(h), &mut state, &mut data, 1);
                steps += 1;
                assert!(steps as f64 * h < 3.0, "{name} never rolls");
            }
            let late = steps as f64 * h - t;
            assert!((-1e-12..=h).contains(&late), "{name}, h = {h}: {late} s late");
            assert!((state.q[0] - d).abs() <= v0 * h, "{name}, h = {h}: {} of {d}", state.q[0]);
            run_on(&model, &settings(h), &mut state, &mut data, 100);
            let error = (state.v[0] / v_f - 1.0).abs();
            assert!(error <= 1e-12, "{name}, h = {h}: off by {error}");
            assert!(!slips(&state.v), "{name}, h = {h}: {:?}", state.v);
        }
    }
}

#[test]
fn what_slides_stays_on_the_ground_at_any_step() {
    // steps of 0.1 s: the block stops within twenty of them
    for (h, n) in [(1e-1, 15), (1e-2, 100), (1e-3, 300), (1e-4, 300)] {
        let (model, mut state) = block(0.5, 0.0);
        (state.v[0], state.v[1]) = (8.0, 6.0);
        let mut data = Data::new(&model);
        for i in 0..n {
            run_on(&model, &settings(h), &mut state, &mut data, 1);
            assert!((state.q[2] - 0.5).abs() <= 1e-9, "h = {h}, step {i}: {}", state.q[2]);
        }
    }
}
