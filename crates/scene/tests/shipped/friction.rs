//! Bodies that slide, stick and roll.

use crate::{G, Run, near};

/// End pose of the box of [PKF17]: x, y [m] and yaw [rad].
fn end(run: &mut Run) -> [f64; 3] {
    let pose = run.pose("box");
    [pose.p.x, pose.p.y, libm::atan2(pose.R[(1, 0)], pose.R[(0, 0)])]
}

fn assert_pose(found: [f64; 3], stated: [f64; 3], what: &str) {
    let is_there = (0..3).all(|i| near(found[i], stated[i], 0.005));
    assert!(is_there, "{what}: {found:?}, expected {stated:?}");
}

#[test]
fn the_box_on_the_ground_ends_where_coulombs_law_brings_it() {
    let mut run = Run::new("box_on_ground.toml", &[]).finish();
    assert_pose(end(&mut run), [0.4407, 1.5840, 1.9535], "cone");
    assert!(run.fastest() <= 1e-6, "{:?}", run.sim.state.v);
}

/// The end poses of an independent calculation at h = 1 ms.
#[test]
fn the_box_ends_where_each_law_brings_it() {
    for (law, stated) in [
        ("pyramid", [0.078, 1.617, 1.867]),
        ("box", [0.830, 1.349, 2.266]),
        ("hybrid", [0.438, 1.582, 1.952]),
        ("phantom", [0.440, 1.581, 1.951]),
        ("cone", [0.4407, 1.5840, 1.9535]),
    ] {
        let mut run = Run::new("r1.toml", &[&format!("law.kind={law}")]).finish();
        assert_pose(end(&mut run), stated, law);
    }
}

#[test]
fn the_box_at_rest_is_carried_by_its_corners_whatever_the_rank() {
    for set in [&[][..], &["law.kind=pyramid", "solver=lemke"], &["law.kind=cone", "solver=auto"]] {
        let run = Run::new("r2.toml", set);
        let start = run.sim.state.q.clone();
        let h = run.h();
        let run = run.watch(|run, _| {
            let pushed: f64 = run.sim.data.contact_impulses().iter().step_by(3).sum();
            assert!(near(pushed, G * h, 1e-6 * G * h), "{set:?}: {pushed}");
        });
        // k_n = 1e10 N/m give way by 2e-10 m
        assert!(run.drift(&start) <= 1e-9, "{set:?}: {}", run.drift(&start));
    }
}

#[test]
fn a_point_mass_stops_after_the_way_of_the_book() {
    let mut run = Run::new("r8.toml", &[]).finish();
    let (h, mut v, mut way) = (run.h(), 1.0, 0.0);
    while v > 0.0 {
        v = f64::max(v - 0.5 * G * h, 0.0);
        way += h * v;
    }
    let place = run.place("mass");
    assert!(near(place.x, 0.6 * way, 1e-9) && near(place.y, 0.8 * way, 1e-9), "{place}, way {way}");
    // v²/(2 μ g), up to half a step of the first speed
    assert!(near(way, 1.0 / G, 0.5 * h), "{way}");
}

#[test]
fn a_block_below_the_critical_slope_does_not_creep() {
    let run = Run::new("block_on_incline.toml", &[]);
    let start = run.sim.state.q.clone();
    let run = run.finish();
    assert!(run.drift(&start) <= 1e-9, "{}", run.drift(&start));
}

#[test]
fn a_block_above_the_critical_slope_slides_as_friction_lets_it() {
    let set = ["materials.default.friction=0.49", "stepping.duration=1"];
    let mut run = Run::new("block_on_incline.toml", &set);
    let start = run.place("block");
    let mut run = run.finish();
    let (s, c) = libm::sincos(26.5_f64.to_radians());
    let (t, h) = (1.0, run.h());
    let way = 0.5 * G * (s - 0.49 * c) * t * (t + h);
    let moved = (run.place("block") - start).norm();
    assert!(near(moved, way, 1e-6 * way), "{moved}, expected {way}");
}

#[test]
fn a_pinched_cube_does_not_creep_and_slips_where_fingers_are_too_weak() {
    let run = Run::new("pinch_grasp.toml", &[]);
    let start = run.sim.state.q.clone();
    let run = run.finish();
    assert!(run.drift(&start) <= 1e-9, "{}", run.drift(&start));

    // 2 μ F = 8.829 N of 9.81: it falls with 0.1 g
    let set = ["forces.left.force=8.829", "forces.right.force=-8.829", "stepping.duration=0.1"];
    let mut run = Run::new("pinch_grasp.toml", &set).finish();
    let fallen = -run.place("cube").z;
    assert!(near(fallen, 0.5 * 0.1 * G * 0.1 * 0.11, 1e-8), "{fallen}");
}

#[test]
fn what_rolls_down_a_slope_is_as_fast_as_its_mass_is_near_the_axis() {
    let mut run = Run::new("rolling_race.toml", &[]);
    let names = [("ball", 5.0 / 7.0), ("roller", 2.0 / 3.0), ("ring", 0.5)];
    let starts = names.map(|(name, _)| run.place(name));
    let mut run = run.finish();
    let (t, h) = (run.steps as f64 * run.h(), run.h());
    for ((name, share), start) in names.into_iter().zip(starts) {
        let way = 0.5 * share * G * libm::sin(15.0_f64.to_radians()) * t * (t + h);
        let moved = (run.place(name) - start).norm();
        assert!(near(moved, way, 1e-3 * way), "{name}: {moved}, expected {way}");
    }
}
