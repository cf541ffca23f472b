//! Piles that touch exactly: every contact closed, many without load, more of them than can be told apart.

use super::world::{Body, Form, World};

const RADIUS: f64 = 0.5;
const MASS: f64 = 1.0;
/// As the cannonball problem of the sources has it [s].
const H: f64 = 0.05;

/// A square pyramid of spheres, `layers` deep: Σ k² of them.
pub fn spheres(layers: usize, mu: f64) -> World {
    let mut bodies = Vec::new();
    for layer in 0..layers {
        // layer 0 lies on the ground
        let side = layers - layer;
        let z = RADIUS + layer as f64 * RADIUS * f64::sqrt(2.0);
        let first = -RADIUS * (side as f64 - 1.0);
        for i in 0..side {
            for j in 0..side {
                let (x, y) = (first + 2.0 * RADIUS * i as f64, first + 2.0 * RADIUS * j as f64);
                bodies.push(Body::of(MASS, Form::Sphere { radius: RADIUS }, [x, y, z]));
            }
        }
    }
    World::on_ground(H, mu, bodies)
}

/// A triangle of disks, `rows` high: rows (rows + 1)/2 of them. Planar, or as spheres that may leave their plane.
pub fn disks(rows: usize, mu: f64, planar: bool) -> World {
    let mut bodies = Vec::new();
    for row in 0..rows {
        let count = rows - row;
        let z = RADIUS + row as f64 * RADIUS * f64::sqrt(3.0);
        for i in 0..count {
            let x = RADIUS * (2.0 * i as f64 - (count as f64 - 1.0));
            let disk = Body::of(MASS, Form::Sphere { radius: RADIUS }, [x, 0.0, z]);
            bodies.push(Body { planar, ..disk });
        }
    }
    World::on_ground(H, mu, bodies)
}
