//! Laws that are not Coulomb's: how far they are from it, predicted and asserted.
//!
//! A particle of 1 kg on a level ground has impulses of closed form. With friction in a polygon P of size μ m g h,
//! `m v⁺ = m v − (nearest point of P to m v)`: while v points into the normal cone of a corner, the friction is that
//! corner, and once it points along the normal of a side it stays there and the friction is as long as that side is
//! far from the centre.

use std::f64::consts::{PI, TAU};

use crate::scenes::{G, bisect, particle, run, settings, tilt, with_law};
use stiction_sim::contact::law::{BoxLaw, Convex, Hybrid, Law, Phantom, Pyramid};
use stiction_sim::{Data, Input, Vec3, step};

const LEVEL: Vec3 = Vec3::new(0.0, 0.0, -G);

fn pyramid(facets: usize) -> Law {
    Law::Pyramid(Pyramid { facets, ..Default::default() })
}

/// The way of semi-implicit Euler over n steps of h, from speed v with deceleration a: `v t − ½ a t (t + h)`.
fn way(v: f64, a: f64, n: usize, h: f64) -> f64 {
    let t = n as f64 * h;
    v * t - 0.5 * a * t * (t + h)
}

/// Where the particle stops that starts with this velocity; at rest after n steps.
fn stop(law: Law, mu: f64, h: f64, v: [f64; 2], n: usize) -> [f64; 2] {
    let (model, mut state) = particle(mu, LEVEL);
    state.v[..2].copy_from_slice(&v);
    run(&model, &with_law(h, law), &mut state, n);
    assert!(state.v[0].hypot(state.v[1]) <= 1e-12, "{}: {:?}", law.name(), state.v);
    [state.q[0], state.q[1]]
}

#[test]
fn a_pyramid_stops_too_far_between_its_corners() {
    let (mu, h, n) = (0.5, 1e-2, 40);
    for k in [4, 8, 16] {
        let half = PI / k as f64;
        for side in [0, 1, k - 1] {
            // along the middle of a side, the friction is μ cos(π/k): n steps to the stop
            let angle = half + TAU * side as f64 / k as f64;
            let a = mu * half.cos() * G;
            let v = n as f64 * a * h;
            let [x, y] = stop(pyramid(k), mu, h, [v * angle.cos(), v * angle.sin()], n + 1);
            let expected = way(v, a, n, h);
            let (along, across) =
                (x * angle.cos() + y * angle.sin(), y * angle.cos() - x * angle.sin());
            assert!((along - expected).abs() <= 1e-9 && across.abs() <= 1e-9, "{k}: {x} {y}");
            // 1/cos(π/k) times as far as Coulomb's law, but for the half step of both
            let coulomb = v * v / (2.0 * mu * G);
            assert!(((along + 0.5 * v * h) * half.cos() / coulomb - 1.0).abs() <= 1e-9);
        }
        // against a corner it is exact
        let v = n as f64 * mu * G * h;
        let [x, y] = stop(pyramid(k), mu, h, [v, 0.0], n + 1);
        assert!((x - way(v, mu * G, n, h)).abs() <= 1e-9 && y.abs() <= 1e-9, "{k}: {x} {y}");
    }
}

#[test]
fn a_pyramid_bends_the_path_towards_the_middle_of_a_side() {
    let (mu, h) = (0.5, 1e-3);
    for (k, turning, straight) in [(4, 250, 250), (4, 300, 50), (8, 100, 400)] {
        let half = PI / k as f64;
        // the end of the path: along the middle of the side, `straight` steps
        let a = mu * half.cos() * G;
        let v = straight as f64 * a * h;
        // before it, `turning` steps with the force of the corner on −x, which leaves v_y alone
        let (v_y, v_x) = (v * half.sin(), v * half.cos() + turning as f64 * mu * G * h);
        let last = way(v, a, straight, h);
        let x = way(v_x, mu * G, turning, h) + last * half.cos();
        let y = v_y * turning as f64 * h + last * half.sin();

        let found = stop(pyramid(k), mu, h, [v_x, v_y], turning + straight + 1);
        assert!((found[0] - x).abs() <= 1e-9 && (found[1] - y).abs() <= 1e-9, "{k}: {found:?}");
        let bend = found[1].atan2(found[0]) - v_y.atan2(v_x);
        assert!(bend > 0.0 && bend < half, "{k}: {bend}");
    }
    // four facets, 22.5° off a corner: tan of the end's direction is 1/√2 in the limit, 12.76° off the start
    let (s, c) = (PI / 8.0).sin_cos();
    let [x, y] = stop(pyramid(4), mu, 1e-4, [2.0 * c, 2.0 * s], 6000);
    let bend = (y.atan2(x) - PI / 8.0).to_degrees();
    // the way of a step at each end
    assert!((bend - 12.7644).abs() <= 2.0 * 2.0 * 1e-4 / 0.5 * 57.3, "{bend}");
}

#[test]
fn phantom_inertia_holds_too_much_between_its_directions() {
    let mu = 0.4;
    for k in [2, 4] {
        let law = Law::Phantom(Phantom { directions: k, ..Default::default() });
        let half = PI / (2 * k) as f64;
        for psi in [0.0, 0.5 * half, half, 3.0 * half] {
            // a polygon around the disc: 1/cos of the angle from the nearest direction, at most 1/cos(π/2k)
            let nearest = psi - 2.0 * half * (psi / (2.0 * half)).round();
            let critical = bisect(0.5 * mu, 2.0 * mu, |slope| {
                let (model, mut state) = particle(mu, tilt(slope, psi));
                run(&model, &with_law(1e-2, law), &mut state, 1);
                state.v[0].hypot(state.v[1]) > 1e-10 * G * 1e-2
            });
            let expected = mu / nearest.cos();
            assert!((critical / expected - 1.0).abs() <= 1e-9, "{k}, {psi}: {critical}");
        }
    }
}

#[test]
fn phantom_inertia_slides_straight_and_stops_where_it_must() {
    let (mu, h, n) = (0.4, 1e-2, 40);
    let law = Law::Phantom(Phantom::default());
    for i in 0..8 {
        let (s, c) = (0.1 + TAU * f64::from(i) / 8.0).sin_cos();
        let v = n as f64 * mu * G * h;
        let [x, y] = stop(law, mu, h, [v * c, v * s], n + 2);
        let expected = way(v, mu * G, n, h);
        assert!((x * c + y * s - expected).abs() <= 1e-9, "{i}: {x} {y}");
        assert!((y * c - x * s).abs() <= 1e-9, "{i}: {x} {y}");
    }
}

#[test]
fn box_friction_comes_a_step_late_and_is_stronger_along_the_diagonal() {
    let (mu, h, n) = (0.4, 1e-2, 40);
    let law = Law::Box(BoxLaw::default());
    let v = n as f64 * mu * G * h;
    // the first step knows no normal force; then μ m g along each axis that moves
    let late = v * h + way(v, mu * G, n, h);
    let [x, y] = stop(law, mu, h, [v, 0.0], n + 2);
    assert!((x - late).abs() <= 1e-9 && y.abs() <= 1e-9, "{x} {y}");
    let [x, y] = stop(law, mu, h, [-v, v], n + 2);
    assert!((x + late).abs() <= 1e-9 && (y - late).abs() <= 1e-9, "{x} {y}");
    // so √2 μ along the diagonal; off it the slower axis stops first
    let half = n / 2;
    let [x, y] = stop(law, mu, h, [v, 0.5 * v], n + 2);
    let slower = 0.5 * v * h + way(0.5 * v, mu * G, half, h);
    assert!((x - late).abs() <= 1e-9 && (y - slower).abs() <= 1e-9, "{x} {y}");
}

#[test]
fn hybrid_friction_comes_a_step_late_and_is_the_same_in_all_directions() {
    let (mu, h, n) = (0.4, 1e-2, 40);
    let law = Law::Hybrid(Hybrid::default());
    let v = n as f64 * mu * G * h;
    let late = v * h + way(v, mu * G, n, h);
    for i in 0..8 {
        let (s, c) = (0.1 + TAU * f64::from(i) / 8.0).sin_cos();
        let [x, y] = stop(law, mu, h, [v * c, v * s], n + 3);
        assert!((x * c + y * s - late).abs() <= 1e-9, "{i}: {x} {y}");
        assert!((y * c - x * s).abs() <= 1e-9, "{i}: {x} {y}");
    }
}

#[test]
fn the_convex_law_lifts_what_slides() {
    let (mu, v) = (0.5, 10.0);
    for h in [1e-2, 1e-3] {
        // on the critical slope Coulomb's law keeps the speed
        let (model, mut state) = particle(mu, tilt(mu, 0.0));
        let weight = G / (1.0 + mu * mu).sqrt();
        state.v[0] = v;
        let mut data = Data::new(&model);
        let convex = with_law(h, Law::Convex(Convex::default()));
        let input = Input::default();
        // u_n = μ u_t, where u_t = v + μ w h − μ p/m and u_n = p/m − w h: so u_n = μ (v − μ u_n)
        let jump = h * mu * v / (1.0 + mu * mu);
        step(&model, &convex, &input, &mut state, &mut data).expect("a step");
        assert!((state.q[2] - jump).abs() <= 1e-9 * v * h, "{} {jump}", state.q[2]);
        // that is a leap with μ v/(1 + μ²), and when it is back it floats: h μ v above the ground
        for _ in 0..(2.0 / h) as usize {
            step(&model, &convex, &input, &mut state, &mut data).expect("a step");
        }
        for i in 0..10 {
            let report = step(&model, &convex, &input, &mut state, &mut data).expect("a step");
            let gap = h * mu * state.v[0];
            assert!((state.q[2] / gap - 1.0).abs() <= 1e-8, "h = {h}, {i}: {}", state.q[2]);
            // and what it floats on is not Coulomb's law
            let coulomb = report.contact.expect("a contact").coulomb;
            assert!(coulomb.complementarity > 0.9 * weight * h * gap / h, "{coulomb:?}");
        }
        // which keeps it on the ground, and its speed
        let (model, mut state) = particle(mu, tilt(mu, 0.0));
        state.v[0] = v;
        run(&model, &settings(h), &mut state, 100);
        assert!(state.q[2].abs() <= 1e-9 && (state.v[0] - v).abs() <= 1e-9, "{:?}", state.v);
    }
}
