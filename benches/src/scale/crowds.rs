//! Many small heaps that do not touch each other: islands, for several threads.

use super::piles;
use super::stacks;
use super::world::{Body, World};

/// From one heap to the next [m].
const PITCH: f64 = 8.0;
/// Heaps begin above the ground by one of four heights, so that they do not all land in one step [m].
const DROP: f64 = 0.02;

/// `side`² towers of ten cubes, each twice as heavy as the one below.
pub fn towers(side: usize) -> World {
    spread(&stacks::tower(2.0), side)
}

/// `side`² pyramids of 30 spheres.
pub fn pyramids(side: usize) -> World {
    spread(&piles::spheres(4, 0.8), side)
}

/// Copies of a world on one ground.
fn spread(one: &World, side: usize) -> World {
    let mut bodies = Vec::new();
    for k in 0..side * side {
        let (x, y) = (PITCH * (k % side) as f64, PITCH * (k / side) as f64);
        let up = DROP * (k % 4) as f64;
        bodies.extend(one.bodies.iter().cloned().map(|body| {
            let [px, py, pz] = body.p;
            Body { p: [px + x, py + y, pz + up], ..body }
        }));
    }
    World { bodies, ..one.clone() }
}
