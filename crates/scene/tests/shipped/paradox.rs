//! Sliding rods without forces, and with two of them.

use stiction_sim::Input;
use stiction_sim::paradox::rod::Rod;
use stiction_sim::paradox::{Explored, ParadoxSettings, explore};

use crate::{Run, near};

fn look(run: &Run) -> Explored {
    let settings = ParadoxSettings::default();
    let found = explore(&run.sim.model, &settings, &Input::default(), &run.sim.state);
    found.expect("a state with contacts")
}

#[test]
fn a_sliding_rod_has_no_force_and_a_step_that_stops_it() {
    let mut run = Run::new("r6.toml", &["stepping.h=1e-5", "stepping.duration=1e-3"]);
    assert_eq!(look(&run).solutions.name(), "none");
    run.step();
    let (p_n, _) = Rod::baraff().stopping_impulse();
    let found = run.sim.data.contact_impulses()[0];
    assert!(near(found, p_n, 1e-3 * p_n), "{found}, expected {p_n}");
    let slip = run.sim.data.contact_velocities()[1].hypot(run.sim.data.contact_velocities()[2]);
    assert!(slip <= 1e-9, "{slip}");
    Run::new("r6.toml", &[]).finish();
    let less = Run::new("r6.toml", &["materials.default.friction=0.3"]);
    assert_eq!(look(&less).solutions.name(), "unique");
}

#[test]
fn a_turning_rod_has_two_forces() {
    let run = Run::new("r9.toml", &[]);
    let explored = look(&run);
    assert_eq!(explored.solutions.name(), "several");
    let rod = Rod { omega: 4.0, ..Rod::baraff() };
    let mut forces: Vec<f64> = explored.solutions.list().iter().map(|one| one.lambda[0]).collect();
    forces.sort_by(f64::total_cmp);
    assert!(forces[0] == 0.0 && near(forces[1], -rod.c() / rod.a(), 1e-9), "{forces:?}");
    run.finish();
}
