//! What bounces: every impact is located.

use stiction_sim::located::EventKind;

use crate::{G, Run, near};

#[test]
fn a_ball_bounces_at_the_times_of_the_book_and_comes_to_rest() {
    let (e, t_0) = (0.8_f64, (2.0 / G).sqrt());
    let (mut hits, mut rest) = (0, None);
    let mut run = Run::new("bouncing_ball.toml", &[]).watch(|_, stepped| {
        for event in &stepped.events {
            match event.kind {
                EventKind::Impact { .. } => {
                    let bounces: f64 = (1..=hits).map(|k| e.powi(k)).sum();
                    let time = t_0 * (1.0 + 2.0 * bounces);
                    assert!(near(event.time, time, 1e-9), "bounce {hits}: {}", event.time);
                    hits += 1;
                }
                EventKind::Rest { .. } => rest = Some(event.time),
            }
        }
    });
    assert!(hits > 20, "{hits}");
    let time = t_0 * (1.0 + e) / (1.0 - e);
    assert!(rest.is_some_and(|rest| near(rest, time, 1e-6)), "{rest:?}, expected {time}");
    assert!(near(run.place("ball").z, 0.25, 1e-9) && run.fastest() <= 1e-9);
}

#[test]
fn the_last_ball_of_a_cradle_leaves_with_the_speed_of_the_first() {
    let (mut last, mut others, mut highest) = (None, 0.0_f64, 0.0_f64);
    Run::new("newtons_cradle.toml", &[]).watch(|run, stepped| {
        let is_hit =
            stepped.events.iter().any(|event| matches!(event.kind, EventKind::Impact { .. }));
        if is_hit && last.is_none() {
            last = Some(run.joint("e").1.abs());
            others = ["a", "b", "c", "d"]
                .map(|name| run.joint(name).1.abs())
                .into_iter()
                .fold(0.0, f64::max);
        }
        highest = highest.min(run.joint("e").0);
    });
    // ω² = 2 m g l (1 − cos 30°)/(m l² + 2/5 m r²)
    let (l, r) = (0.1, 0.01);
    let omega = (2.0 * G * l * (1.0 - 0.75_f64.sqrt()) / (l * l + 0.4 * r * r)).sqrt();
    assert!(last.is_some_and(|last| near(last, omega, 1e-3 * omega)), "{last:?}, expected {omega}");
    assert!(others <= 1e-3 * omega, "{others}");
    assert!(near(highest, -30.0_f64.to_radians(), 1e-3), "{highest}");
}

#[test]
fn dominoes_all_fall_and_a_weak_push_does_nothing() {
    let names: Vec<String> = (0..7).map(|i| format!("domino.{i}")).collect();
    let mut run = Run::new("dominoes.toml", &[]).finish();
    for name in names.iter().map(String::as_str).chain(["first"]) {
        let up = run.pose(name).R[(2, 2)];
        assert!(up < 0.8, "{name} stands: {up}");
    }
    let weak = ["bodies.first.velocity=[0.05, 0, 0]", "bodies.first.angular_velocity=[0, 0.5, 0]"];
    let mut run = Run::new("dominoes.toml", &weak).finish();
    assert!(run.pose("first").R[(2, 2)] > 0.999_999);
}

/// K⁺/K⁻ of the first impact, and what its law gained [J]. The lower end slips with 1 m/s.
fn first_impact(law: &str, slip: f64) -> (f64, f64) {
    let set =
        [format!("stepping.impact.law={law}"), format!("bodies.rod.velocity=[{slip}, 0, -1]")];
    let mut found = None;
    Run::new("r7.toml", &[&set[0], &set[1]]).watch(|_, stepped| {
        for event in &stepped.events {
            if let (EventKind::Impact { K, gained, .. }, None) = (&event.kind, found) {
                found = Some((K[1] / K[0], *gained));
            }
        }
    });
    found.expect("an impact")
}

#[test]
fn a_rod_that_falls_on_its_end_gains_energy_by_some_laws_only() {
    for slip in [-1.0, 1.0] {
        for law in ["closed-form", "dissipative"] {
            let (ratio, gained) = first_impact(law, slip);
            assert!(ratio <= 1.0 + 1e-12 && gained == 0.0, "{law}: {ratio}, {gained}");
        }
    }
    for (law, slip) in [("poisson", -1.0), ("newton", 1.0)] {
        let (ratio, gained) = first_impact(law, slip);
        assert!(ratio > 1.05 && gained > 0.1, "{law}: {ratio}, {gained}");
    }
}

#[test]
fn a_woodpecker_pecks_its_way_down_evenly() {
    let mut pecks: Vec<(f64, f64)> = Vec::new();
    Run::new("woodpecker.toml", &[]).watch(|run, stepped| {
        let (height, rate) = run.joint("height");
        for event in &stepped.events {
            let EventKind::Impact { strikes, .. } = &event.kind else { continue };
            // the shapes in their order: pole, sleeve, beak
            if strikes.iter().any(|strike| strike.key.shape_b == 2) {
                pecks.push((event.time, height - (run.sim.state.time - event.time) * rate));
            }
        }
    });
    let [first, .., last] = pecks.last_chunk::<6>().expect("more than six pecks");
    // of shorter and shorter steps in `crates/sim/examples/woodpecker.rs`
    let (time, drop) = ((last.0 - first.0) / 5.0, (first.1 - last.1) / 5.0);
    assert!(near(time, WOODPECKER.0, 1e-3 * WOODPECKER.0), "{time}");
    assert!(near(drop, WOODPECKER.1, 1e-2 * WOODPECKER.1), "{drop}");
}

/// Time [s] and drop [m] of a cycle.
const WOODPECKER: (f64, f64) = (0.13648, 0.01471);
