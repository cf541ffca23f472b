//! What stands: towers, piles, walls.

use crate::{G, Run, scene};

/// Runs a scene that is at rest and returns how far anything has moved [m or 1].
fn stands(file: &str, set: &[&str]) -> f64 {
    let run = Run::new(file, set);
    let start = run.sim.state.q.clone();
    run.finish().drift(&start)
}

#[test]
fn a_tower_with_512_times_its_weight_on_top_stands() {
    let drift = stands("tower_512.toml", &[]);
    assert!(drift <= 1e-6, "{drift}");
}

#[test]
fn a_tower_with_a_billion_times_its_weight_on_top_stands() {
    let drift = stands("tower_1e9.toml", &["stepping.steps=3"]);
    assert!(drift <= 1e-3, "{drift}");
}

#[test]
fn a_planar_pile_of_cannonballs_stands_between_its_posts() {
    let posts = ["shapes.left.position=[-4.5, 0, 0.5]", "shapes.right.position=[4.5, 0, 0.5]"];
    let set = [&posts[..], &["arrays.0.rows=8"]].concat();
    let drift = stands("cannonball_planar.toml", &set);
    assert!(drift <= 1e-9, "{drift}");
    // without the posts friction does not hold it
    let drift = stands("cannonball_planar.toml", &["arrays.0.rows=8"]);
    assert!(drift >= 1e-3, "{drift}");
}

#[test]
fn a_pyramid_of_cannonballs_stands_by_friction_alone() {
    let drift = stands("cannonball_pyramid.toml", &["arrays.0.rows=3", "stepping.steps=20"]);
    assert!(drift <= 1e-6, "{drift}");
    let set = ["arrays.0.rows=3", "stepping.steps=20", "materials.default.friction=0.3"];
    let drift = stands("cannonball_pyramid.toml", &set);
    assert!(drift >= 1e-3, "{drift}");
}

#[test]
fn a_wall_stands_and_its_ground_carries_all_of_it() {
    let set = ["arrays.0.count=[6, 5]"];
    let run = Run::new("wall.toml", &set);
    let (start, h) = (run.sim.state.q.clone(), run.h());
    let weight = 30.0 * 2000.0 * 0.25 * 0.12 * 0.065 * G;
    let run = run.watch(|run, _| {
        let data = &run.sim.data;
        let contacts = data.contacts().iter().zip(data.contact_impulses().chunks_exact(3));
        let ground = contacts.filter(|(contact, _)| contact.a.is_none());
        let pushed: f64 = ground.map(|(_, p)| p[0]).sum();
        assert!((pushed / (h * weight) - 1.0).abs() <= 1e-8, "{pushed}");
    });
    assert!(run.drift(&start) <= 1e-6, "{}", run.drift(&start));
    assert_eq!(scene("wall.toml", &[]).spec.bodies.len(), 510);
}

#[test]
fn a_heap_of_ten_thousand_is_made_of_one_array() {
    let scene = scene("pile_10000.toml", &[]);
    assert_eq!(scene.spec.bodies.len(), 10_000);
    let (model, state) = scene.build().expect("a heap");
    assert_eq!(model.nv(), 60_000);
    // above the ground, and apart: neighbours along x
    assert!(state.q.chunks_exact(7).all(|q| q[2] >= 0.05));
    let gaps = state.q.chunks_exact(7).zip(state.q[7..].chunks_exact(7));
    assert!(gaps.take(19).all(|(a, b)| b[0] - a[0] > 0.1));
}

#[test]
fn a_small_heap_falls_and_lies() {
    let set = ["arrays.0.count=[2, 2, 2]", "stepping.h=2e-3", "stepping.steps=400"];
    let mut run = Run::new("pile_10000.toml", &set).finish();
    for i in 0..8 {
        let z = run.place(&format!("grid.{i}")).z;
        assert!(z > 0.05 - 1e-6 && z < 0.2, "ball {i} is at {z}");
    }
}
