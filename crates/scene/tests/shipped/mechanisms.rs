//! Linkages: loops that stay closed, drives that are followed.

use crate::{Run, nan_max, near};

/// How far crank and rocker are from Freudenstein's equation.
fn freudenstein(run: &mut Run) -> f64 {
    let (a, b, c, d) = (0.4, 1.2, 0.8, 1.0);
    let [crank, rocker] = ["crank", "rocker"].map(|name| run.pose(name).R.column(0).into_owned());
    let squares: f64 = a * a - b * b + c * c + d * d;
    let (k1, k2, k3) = (d / a, d / c, squares / (2.0 * a * c));
    (k1 * rocker.x - k2 * crank.x + k3 - crank.dot(&rocker)).abs()
}

#[test]
fn a_four_bar_linkage_follows_freudenstein_until_its_friction_holds_it() {
    let mut run = Run::new("four_bar_friction.toml", &[]);
    let (mut worst, mut friction, before) = (freudenstein(&mut run), 0.0, run.energy());
    let mut run = run.watch(|run, stepped| {
        worst = nan_max(worst, freudenstein(run));
        let ledger = stepped.ledger.expect("a ledger");
        assert!(ledger.defect().abs() <= 1e-10 * ledger.in_play(), "{ledger:?}");
        friction += ledger.friction;
    });
    assert!(worst <= 1e-9, "{worst}");
    assert!(run.fastest() <= 1e-9, "it rests: {}", run.fastest());
    // friction has taken what is gone, but for what the method takes by itself
    let lost = before - run.energy();
    assert!(
        lost > 1.0 && near(-friction, lost, 0.1 * lost),
        "{lost} J lost, friction {friction} J"
    );
}

#[test]
fn a_four_bar_linkage_without_friction_keeps_swinging() {
    let set = ["joints.A.friction=0", "joints.B.friction=0", "joints.D.friction=0"];
    let run = Run::new("four_bar_friction.toml", &set).finish();
    assert!(run.fastest() > 0.1, "{}", run.fastest());
}

#[test]
fn a_piston_follows_its_crank_by_the_closed_form() {
    let mut worst = 0.0;
    Run::new("slider_crank.toml", &[]).watch(|run, _| {
        let phi = 157.0 * run.sim.state.time;
        let (s, c) = libm::sincos(phi);
        let x = 0.05 * c + (0.16_f64 * 0.16 - (0.05 * s) * (0.05 * s)).sqrt();
        let place = run.place("piston");
        worst = nan_max(worst, (place.x - x).abs() + place.y.abs() + place.z.abs());
    });
    assert!(worst <= 1e-10, "{worst}");
}

#[test]
fn three_systems_touch_at_four_places_and_then_part() {
    let mut run = Run::new("r10.toml", &[]);
    assert_eq!(run.sim.model.nv(), 20);
    run.step();
    let data = &run.sim.data;
    assert_eq!(data.contacts().len(), 4);
    let pressing = data.contact_impulses().iter().step_by(3).filter(|p| **p > 1e-6).count();
    assert!(pressing >= 2, "{:?}", data.contact_impulses());
    let mut run = run.finish();
    // the free systems have fallen on, by no more than a free fall
    let t = run.sim.state.time;
    let fallen = -run.place("trunk1").z;
    assert!(fallen > 0.0 && fallen < 0.3 * t + 0.5 * 9.81 * t * (t + run.h()), "{fallen}");
}

#[test]
fn a_gripper_lifts_a_box_by_its_height_and_drops_it_where_it_is_too_weak() {
    let mut run = Run::new("gripper.toml", &[]).finish();
    let place = run.place("box");
    assert!(near(place.z, 0.15, 1e-3), "{place}");
    assert!(near(place.x, 0.0, 1e-3) && near(place.y, 0.0, 1e-3), "{place}");
    let weak = ["motors.left.max=8", "motors.right.max=8"];
    let place = Run::new("gripper.toml", &weak).finish().place("box");
    assert!(near(place.z, 0.05, 5e-3), "{place}");
}
