//! Toys and things that tumble.

use crate::{Run, nan_max, near};

fn spin(run: &mut Run, name: &str) -> f64 {
    run.velocity(name).w.z
}

#[test]
fn a_rattleback_turns_back_in_one_sense_only() {
    let mut run = Run::new("rattleback.toml", &[]);
    let before = run.energy();
    let mut run = run.finish();
    assert!(spin(&mut run, "stone") > 0.2, "{}", spin(&mut run, "stone"));
    assert!(run.energy() <= before + 1e-9);
    let other =
        ["bodies.stone.angular_velocity=[0, 0, 5]", "bodies.stone.velocity=[0, -0.08624, 0]"];
    let mut run = Run::new("rattleback.toml", &other).finish();
    assert!(spin(&mut run, "stone") > 4.5, "{}", spin(&mut run, "stone"));
}

#[test]
fn a_tippe_top_turns_over_and_lifts_its_centre() {
    let mut run = Run::new("tippe_top.toml", &[]);
    let (first, energy) = (run.pose("top"), run.energy());
    assert!(first.R[(2, 2)] > 0.99);
    let mut run = run.finish();
    let last = run.pose("top");
    assert!(last.R[(2, 2)] < -0.9, "{}", last.R);
    assert!(last.p.z > first.p.z + 0.01, "{} from {}", last.p.z, first.p.z);
    assert!(run.energy() < energy);
}

#[test]
fn a_spun_coin_falls_and_wobbles_nearly_flat() {
    let mut run = Run::new("spinning_coin.toml", &[]);
    let before = run.energy();
    let mut run = run.finish();
    let pose = run.pose("coin");
    assert!(pose.R[(2, 2)].abs() > 0.99, "{}", pose.R);
    assert!(near(pose.p.z, 0.001, 2e-3), "{}", pose.p);
    assert!(run.energy() < before);
}

#[test]
fn all_shapes_fall_and_lie_on_what_is_below_them() {
    let mut run = Run::new("shapes.toml", &[]);
    let before = run.energy();
    let names: Vec<String> = run.sim.model.bodies().iter().map(|body| body.name.clone()).collect();
    let mut deepest = 0.0;
    let mut run = run.watch(|_, stepped| {
        deepest = nan_max(deepest, stepped.last.contact.map_or(0.0, |contact| contact.overlap));
    });
    assert!(run.energy() < before);
    assert!(deepest <= 0.01, "{deepest}");
    for name in names {
        let p = run.place(&name);
        assert!(p.z > 0.05 && p.norm() < 4.0, "{name}: {p}");
    }
    // how high their centres are where they lie: the octahedron on a face
    for (name, z) in [
        ("ball", 0.2),
        ("box", 0.1),
        ("capsule", 0.1),
        ("cylinder", 0.15),
        ("cone", 0.2),
        ("hull", 0.2 / 3.0_f64.sqrt()),
        ("stool", 0.2),
        ("dumbbell", 0.15),
    ] {
        let found = run.place(name).z;
        assert!(near(found, z, 1e-6), "{name}: {found}, expected {z}");
    }
}

#[test]
fn a_ball_and_a_box_stay_in_their_bowl() {
    let mut run = Run::new("height_field.toml", &[]);
    let before = run.energy();
    let mut run = run.finish();
    assert!(run.energy() < before);
    for name in ["ball", "box"] {
        let p = run.place(name);
        let ground = 0.04 * (p.x * p.x + p.y * p.y);
        assert!(p.x.hypot(p.y) < 2.0 && p.z > ground + 0.1 && p.z < ground + 0.35, "{name}: {p}");
    }
}
