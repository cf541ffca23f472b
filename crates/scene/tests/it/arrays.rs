//! Arrays of bodies.

use std::time::Duration;

use stiction_sim::Vec3;

use crate::scene;

const BALL: &str = "of = { mass = 1, shapes = { kind = \"sphere\", radius = 0.5 } }\n";
const BRICK: &str = "of = { mass = 1, shapes = { kind = \"box\", size = [2, 1, 0.5] } }\n";

/// Places of the bodies of an array.
fn places(array: &str) -> Vec<Vec3> {
    let found = scene(&format!("[[arrays]]\n{array}"));
    found.start.bodies.iter().map(|start| start.p).collect()
}

/// Neighbours of a ball of diameter 1, of all that are farther apart than `least`; none may overlap.
fn touching(places: &[Vec3]) -> usize {
    let mut touching = 0;
    for (i, a) in places.iter().enumerate() {
        for b in &places[..i] {
            let apart = (a - b).norm();
            assert!(apart > 1.0 - 1e-12, "two balls overlap: {apart}");
            touching += usize::from(apart < 1.0 + 1e-12);
        }
    }
    touching
}

#[test]
fn balls_of_piles_and_pyramids_touch_and_stand_on_the_ground() {
    let pile = places(&format!("kind = \"pile\"\nrows = 4\n{BALL}"));
    assert_eq!(pile.len(), 10);
    // each row of n has n − 1 pairs of its own and two for each ball above
    assert_eq!(touching(&pile), 3 + 2 + 1 + 2 * (3 + 2 + 1));
    let pyramid = places(&format!("kind = \"pyramid\"\nrows = 3\norigin = [1, 2, 3]\n{BALL}"));
    assert_eq!(pyramid.len(), 14);
    assert_eq!(touching(&pyramid), (12 + 4) + 4 * (4 + 1));
    let top = pyramid[13];
    assert_eq!((top.x, top.y), (1.0, 2.0));
    let least = pyramid.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert_eq!(least, 3.5);
}

#[test]
fn bricks_stand_on_each_other() {
    let grid = places(&format!("kind = \"grid\"\ncount = [2, 1, 2]\n{BRICK}"));
    let expected = [[-1.0, 0.0, 0.25], [1.0, 0.0, 0.25], [-1.0, 0.0, 0.75], [1.0, 0.0, 0.75]];
    assert_eq!(grid, expected.map(Vec3::from));
    let wall = places(&format!("kind = \"wall\"\ncount = [2, 2]\n{BRICK}"));
    assert_eq!(wall[2], Vec3::new(0.0, 0.0, 0.75));
    let tower = places(&format!("kind = \"tower\"\ncount = 2\nspacing = 3\n{BRICK}"));
    assert_eq!(tower[1], Vec3::new(0.0, 0.0, 3.25));
}

#[test]
fn a_tower_grows_heavier_by_equal_factors() {
    let found =
        scene(&format!("[[arrays]]\nkind = \"tower\"\ncount = 10\nmass_ratio = 512\n{BRICK}"));
    let inertias: Vec<_> = found.spec.bodies.iter().map(|body| body.inertia).collect();
    for (i, pair) in inertias.windows(2).enumerate() {
        assert!((pair[1].mass / pair[0].mass - 2.0).abs() < 1e-12, "{i}");
        assert!((pair[1].I_com - 2.0 * pair[0].I_com).amax() < 1e-12 * pair[1].I_com.amax());
    }
    assert!((inertias[9].mass - 512.0).abs() < 1e-10);
}

#[test]
fn a_shaken_grid_depends_on_the_seed_alone() {
    let array = format!("kind = \"grid\"\ncount = [3, 3, 3]\nspacing = 2\njitter = 0.1\n{BALL}");
    let still = places(&array.replace("jitter = 0.1\n", ""));
    let shaken = places(&array);
    assert_eq!(shaken, places(&array));
    let other = scene(&format!("seed = 1\n[[arrays]]\n{array}"));
    assert_ne!(shaken[0], other.start.bodies[0].p);
    for (a, b) in shaken.iter().zip(&still) {
        let shift = a - b;
        assert!(shift.amax() <= 0.1 && shift != Vec3::zeros() && shift.z >= 0.0, "{shift}");
    }
}

/// Five lines of a pyramid of ten thousand.
const PYRAMID: &str = "shapes.ground.kind = \"half-space\"\n\
                       [[arrays]]\n\
                       kind = \"pyramid\"\n\
                       rows = 31\n\
                       of = { density = 1000, shapes = { kind = \"sphere\", radius = 0.05 } }\n";

#[test]
fn a_pyramid_of_ten_thousand_is_five_lines_and_loads_within_a_second() {
    let before = cpu_time();
    let found = scene(PYRAMID);
    let (model, state) = found.build().unwrap();
    let took = cpu_time() - before;
    assert_eq!(model.bodies().len(), 10_416);
    assert_eq!(state.q.len(), 7 * 10_416);
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// Of this process.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<u64> =
        after_name.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // user and system time in hundredths of a second, of the numbers behind the state
    Duration::from_millis(10 * (fields.get(10).unwrap_or(&0) + fields.get(11).unwrap_or(&0)))
}
