//! Closed loops, law P: four-bars of every kind, Bricard's linkage, a parallelogram with too many cranks.

use std::f64::consts::TAU;

use crate::mechanisms::{
    Bars, CRANK_ROCKER, METHODS, Mechanism, Run, SETS, bricard, driven_four_bar, four_bar,
    parallelogram, settings,
};
use stiction_sim::dynamics::{constrained_accelerations, reactions};
use stiction_sim::{Coordinates, Input, Method, StepSettings, Vec3};

/// All bars come into one line twice a turn.
const PARALLEL: Bars = Bars { a: 0.5, b: 1.0, c: 0.5, d: 1.0 };
const KITE: Bars = Bars { a: 0.5, b: 1.0, c: 1.0, d: 0.5 };
/// s + l > p + q.
const NOT_GRASHOF: Bars = Bars { a: 0.8, b: 1.2, c: 0.9, d: 1.0 };

/// Direction of a bar in the plane [rad].
fn direction(run: &mut Run, body: &str) -> f64 {
    let x = run.body(body).0.R.column(0).into_owned();
    x.y.atan2(x.x)
}

fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// What a run leaves: worst gap [m] or misalignment [rad], turns of the crank, worst residual of
/// Freudenstein's equation, whether the crank went both ways.
struct Ride {
    gap: f64,
    turns: f64,
    freudenstein: f64,
    reverses: bool,
}

/// Steps a four-bar, whose rows are three too many at every step.
fn ride(run: &mut Run, bars: &Bars, s: &StepSettings, n: usize) -> Ride {
    let mut ride = Ride { gap: 0.0, turns: 0.0, freudenstein: 0.0, reverses: false };
    let mut last = direction(run, "crank");
    let mut ways = [false; 2];
    for _ in 0..n {
        let report = run.step(s);
        assert_eq!(report.rows - report.rank, 3);
        ride.gap = ride.gap.max(report.gap).max(report.misalignment);
        let (theta_2, theta_4) = (direction(run, "crank"), direction(run, "rocker"));
        ride.freudenstein = ride.freudenstein.max(bars.freudenstein(theta_2, theta_4).abs());
        let turn = wrapped(theta_2 - last);
        ride.turns += turn / TAU;
        ways[usize::from(turn > 0.0)] = true;
        last = theta_2;
    }
    ride.reverses = ways == [true; 2];
    ride
}

fn weightless(mut m: Mechanism) -> Mechanism {
    m.spec.gravity = Vec3::zeros();
    m
}

#[test]
fn a_driven_four_bar_is_closed_after_a_thousand_turns() {
    for (set, method) in
        SETS.into_iter().flat_map(|s| [Method::Euler, Method::Symmetric].map(|m| (s, m)))
    {
        // 20 steps a turn: coarse, and still closed
        let mut run = driven_four_bar(CRANK_ROCKER, 0.8, TAU).run(set);
        let turns = if method == Method::Euler { 1000 } else { 200 };
        let ride = ride(&mut run, &CRANK_ROCKER, &settings(0.05, method), 20 * turns);
        assert!(ride.gap <= 1e-10, "{set:?} {method:?}: {}", ride.gap);
        assert!(ride.freudenstein <= 1e-9, "{set:?} {method:?}: {}", ride.freudenstein);
        // the time is a sum of 20,000 steps
        assert!((ride.turns - turns as f64).abs() <= 1e-8, "{set:?} {method:?}: {}", ride.turns);
    }
}

/// In maximal coordinates: angles of the tree count their turns, and a million rad are known to 1e-10 rad only.
#[test]
#[ignore = "three minutes of processor time"]
fn a_driven_four_bar_is_closed_after_a_hundred_thousand_turns() {
    let mut run = driven_four_bar(CRANK_ROCKER, 0.8, TAU).run(Coordinates::Maximal);
    let s = settings(1.0 / 12.0, Method::Euler);
    let mut gap: f64 = 0.0;
    for _ in 0..1_200_000 {
        gap = gap.max(run.step(&s).gap);
    }
    let (theta_2, theta_4) = (direction(&mut run, "crank"), direction(&mut run, "rocker"));
    let freudenstein = CRANK_ROCKER.freudenstein(theta_2, theta_4).abs();
    assert!(gap <= 1e-10 && freudenstein <= 1e-9, "{gap} {freudenstein}");
}

#[test]
fn a_spinning_four_bar_is_closed_after_a_thousand_turns() {
    for set in SETS {
        let mut run = weightless(four_bar(CRANK_ROCKER, 0.8, 20.0)).run(set);
        // about 80 steps a turn, 40 where the method bears it
        let h = if set == Coordinates::Generalized { 4e-3 } else { 8e-3 };
        let mut turns = 0.0;
        while turns < 1000.0 {
            let r = ride(&mut run, &CRANK_ROCKER, &settings(h, Method::Symmetric), 1000);
            assert!(r.gap <= 1e-10 && r.freudenstein <= 1e-9, "{} {}", r.gap, r.freudenstein);
            assert!(!r.reverses, "{set:?}");
            turns += r.turns;
        }
    }
}

#[test]
fn a_crank_turns_fully_iff_the_shortest_and_the_longest_bar_are_no_longer_than_the_others() {
    for (set, method) in SETS.into_iter().flat_map(|s| METHODS.map(|m| (s, m))) {
        for (bars, turns) in [(CRANK_ROCKER, true), (NOT_GRASHOF, false)] {
            let mut run = weightless(four_bar(bars, 1.1, 6.0)).run(set);
            let r = ride(&mut run, &bars, &settings(2e-3, method), 1500);
            assert_eq!(r.reverses, !turns, "{bars:?} {set:?} {method:?}");
            assert_eq!(r.turns > 2.0, turns, "{bars:?} {set:?} {method:?}: {}", r.turns);
            assert!(r.gap <= 1e-10 && r.freudenstein <= 1e-9, "{} {}", r.gap, r.freudenstein);
        }
    }
}

#[test]
fn linkages_pass_their_change_points_and_stay_on_their_branch() {
    for (bars, set) in [PARALLEL, KITE].into_iter().flat_map(|b| SETS.map(|s| (b, s))) {
        for method in METHODS {
            let mut run = weightless(four_bar(bars, 1.1, 6.0)).run(set);
            let before = run.energy();
            let r = ride(&mut run, &bars, &settings(2e-3, method), 2600);
            let energy = run.energy() / before;
            assert!(r.gap <= 1e-10 && r.freudenstein <= 1e-9, "{} {}", r.gap, r.freudenstein);
            // eight change points
            assert!(r.turns > 4.0 && !r.reverses, "{bars:?} {set:?} {method:?}: {}", r.turns);
            let limit = if method == Method::Euler { 2e-2 } else { 1e-4 };
            assert!((energy - 1.0).abs() <= limit, "{bars:?} {set:?} {method:?}: {energy}");
        }
        let mut run = driven_four_bar(bars, 1.1, TAU).run(set);
        let r = ride(&mut run, &bars, &settings(2e-3, Method::Euler), 2500);
        assert!(r.gap <= 1e-10 && r.freudenstein <= 1e-9, "{} {}", r.gap, r.freudenstein);
        assert!((r.turns - 5.0).abs() <= 1e-9, "{bars:?} {set:?}: {}", r.turns);
    }
}

/// In maximal coordinates one of these steps begins 3.5e-5 rad before the line.
#[test]
fn a_parallelogram_that_meets_its_change_point_closely_keeps_its_energy() {
    for set in SETS {
        let mut run = weightless(four_bar(PARALLEL, 1.1, 6.0)).run(set);
        let before = run.energy();
        run.steps(&settings(2e-3, Method::Symmetric), 4900);
        let mut nearest = f64::INFINITY;
        for _ in 0..100 {
            run.step(&settings(2e-3, Method::Symmetric));
            nearest = nearest.min(direction(&mut run, "crank").abs());
        }
        let energy = run.energy() / before;
        assert!(nearest < 1e-2 && (energy - 1.0).abs() <= 1e-4, "{set:?}: {nearest} {energy}");
    }
}

#[test]
fn the_forces_of_a_redundant_loop_are_finite_and_the_same_in_both_coordinate_sets() {
    let [a, b] = SETS.map(|set| {
        let mut run = four_bar(CRANK_ROCKER, 0.8, 5.0).run(set);
        let mut a = vec![0.0; run.model.nv()];
        let (model, data) = (&run.model, &mut run.data);
        let rank = constrained_accelerations(model, &Input::default(), &run.state, data, &mut a)
            .expect("accelerations");
        assert_eq!(rank.rows - rank.rank, 3, "{set:?}");
        reactions(model, data, &a)
    });
    for (a, b) in a.iter().zip(&b) {
        assert!(a.F.f.norm() > 1.0 && a.F.f.norm() < 100.0, "{a:?}");
        assert!((a.F.f - b.F.f).amax() <= 1e-10 && (a.F.t - b.F.t).amax() <= 1e-10, "{a:?} {b:?}");
    }
}

#[test]
fn overconstrained_linkages_run_without_tuning() {
    for (m, redundant) in [(bricard(), 1), (parallelogram(5, 1.1, 9.0), 15)] {
        for (set, method) in SETS.into_iter().flat_map(|s| METHODS.map(|m| (s, m))) {
            let mut run = m.run(set);
            let before = run.energy();
            let n = if method == Method::Extrapolated { 500 } else { 2000 };
            let mut worst: f64 = 0.0;
            for _ in 0..n {
                let report = run.step(&settings(1e-3, method));
                assert_eq!(report.rows - report.rank, redundant, "{} {set:?}", m.name);
                assert!(report.gap.max(report.misalignment) <= 1e-10, "{} {report:?}", m.name);
                worst = worst.max((run.energy() / before - 1.0).abs());
            }
            let limit = match method {
                Method::Euler => 1e-1,
                Method::Symmetric => 1e-4,
                Method::Extrapolated => 1e-8,
            };
            assert!(worst <= limit, "{} {set:?} {method:?}: {worst}", m.name);
        }
    }
}
