//! Springs and dampers of any stiffness.

use crate::{Run, nan_max, near};

#[test]
fn two_masses_with_a_stiff_damper_move_as_if_a_rod_were_between_them() {
    let rigid = ["springs.link.damping=1e8"];
    let [mut soft, mut hard] = [&[][..], &rigid].map(|set| Run::new("r4.toml", set));
    let (mut fastest, mut farthest) = (0.0, 0.0);
    while soft.taken < soft.steps {
        soft.step();
        hard.step();
        let apart = (hard.place("right") - hard.place("left")).x;
        assert!(near(apart, 3.0, 1e-5), "{apart}");
        let slack = soft.velocity("right").v.x - soft.velocity("left").v.x;
        fastest = nan_max(fastest, slack.abs());
        farthest = nan_max(farthest, hard.place("left").x.abs());
        let between = (soft.place("left").x - hard.place("left").x).abs();
        assert!(between <= 0.05, "{between}");
    }
    // 20 N over 1e4 N·s/m at most
    assert!(fastest <= 2e-3, "{fastest}");
    assert!(farthest > 1.0, "{farthest}");
}

#[test]
fn the_same_with_explicit_forces_explodes() {
    let set = ["springs.link.damping=100", "stepping.stiffness=explicit"];
    let mut run = Run::new("r4.toml", &set);
    let mut fastest = 0.0_f64;
    for _ in 0..run.steps {
        // it may well come to a state without a next one
        if run.sim.step().is_err() {
            return;
        }
        fastest = nan_max(fastest, run.fastest());
    }
    assert!(fastest > 1e3, "{fastest}");
}

#[test]
fn stiff_springs_in_contact_never_gain_energy() {
    let mut run = Run::new("r5.toml", &[]);
    let first = run.energy();
    let mut last = first;
    run.watch(|run, _| {
        let energy = run.energy();
        assert!(energy - last <= 1e-13 * first, "step {}: {} J more", run.taken, energy - last);
        last = energy;
    });
    assert!(last < 0.5 * first, "{last} of {first}");
}
