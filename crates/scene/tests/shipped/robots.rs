//! Scenes from URDF files.

use crate::{Run, near};

#[test]
fn a_quadruped_stands_on_its_four_feet() {
    let mut run = Run::new("quadruped.toml", &[]);
    let start = run.place("robot.torso");
    let mut run = run.finish();
    let pose = run.pose("robot.torso");
    assert!(near(pose.p.z, start.z, 0.01), "{}", pose.p);
    assert!(pose.R[(2, 2)] > 0.999, "{}", pose.R);
    let pressing = run.sim.data.contact_impulses().iter().step_by(3).filter(|p| **p > 0.0).count();
    assert_eq!(pressing, 4);
    // its joints hold 8 N·m and no more
    let mut heavy = Run::new("quadruped.toml", &["world.gravity=[0, 0, -30]"]).finish();
    assert!(heavy.place("robot.torso").z < 0.25);
}
