//! Boxes on the ground and on each other.

use stiction_sim::Vec3;

use super::world::{Body, Form, Part, World};

const H: f64 = 0.01;

/// A cube that stands on its four corners: its face, and nothing to solve for.
pub fn cube() -> World {
    World::on_ground(H, 0.5, vec![Body::of(1.0, Form::Box { half: [0.5; 3] }, [0.0, 0.0, 0.5])])
}

/// A wall of bricks, every other row shifted by half a brick.
pub fn wall(columns: usize, rows: usize) -> World {
    let half = [0.125, 0.06, 0.0325];
    let mass = 2000.0 * 8.0 * half.iter().product::<f64>();
    let mut bodies = Vec::new();
    for row in 0..rows {
        let z = half[2] * (2.0 * row as f64 + 1.0);
        let shift = if row % 2 == 0 { 0.0 } else { half[0] };
        for i in 0..columns {
            let x = shift + 2.0 * half[0] * i as f64;
            bodies.push(Body::of(mass, Form::Box { half }, [x, 0.0, z]));
        }
    }
    World::on_ground(H, 0.5, bodies)
}

/// Ten cubes of 1 m, each `factor` times as heavy as the one below.
pub fn tower(factor: f64) -> World {
    let mut mass = 1.0;
    let mut bodies = Vec::new();
    for level in 0..10 {
        bodies.push(Body::of(mass, Form::Box { half: [0.5; 3] }, [0.0, 0.0, level as f64 + 0.5]));
        mass *= factor;
    }
    World::on_ground(H, 0.5, bodies)
}

/// Spheres, boxes, capsules and octahedra in turn, side³ of them, dropped into a box without a lid.
pub fn mixed(side: usize) -> World {
    mixed_from(side, 0.0)
}

/// The same, the bodies turned otherwise at the beginning.
pub fn mixed_from(side: usize, start: f64) -> World {
    let forms = [
        Form::Sphere { radius: 0.05 },
        Form::Box { half: [0.05, 0.04, 0.03] },
        Form::Capsule { radius: 0.03, half_length: 0.03 },
        Form::Octahedron { half: [0.06, 0.05, 0.07] },
    ];
    let pitch = 0.16;
    let mut bodies = Vec::new();
    for k in 0..side * side * side {
        let (i, j, layer) = (k % side, k / side % side, k / (side * side));
        let across = |i: usize| pitch * (i as f64 - 0.5 * (side as f64 - 1.0));
        // every other layer stands off a little, so that things do not fall onto their likes
        let shift = 0.02 * if layer % 2 == 0 { 1.0 } else { -1.0 };
        let p = [across(i) + shift, across(j) - shift, 0.1 + pitch * layer as f64];
        let t = k as f64 + start;
        let turn = Vec3::new((1.7 * t).sin(), (2.3 * t).cos(), (0.9 * t).sin()) * 2.0;
        let body = Body::of(0.5, forms[k % forms.len()].clone(), p);
        bodies.push(body.turned(stiction_sim::Quat::exp(&turn)));
    }
    let mut world = World::on_ground(5e-3, 0.5, bodies);
    // thick walls: nothing passes through within a step
    let (inner, thick, high) =
        (0.5 * pitch * side as f64 + 0.04, 0.5, 0.5 * pitch * side as f64 + 0.5);
    let (along, away) = (inner + 2.0 * thick, inner + thick);
    for sign in [-1.0, 1.0] {
        let x = Form::Box { half: [thick, along, high] };
        let y = Form::Box { half: [along, thick, high] };
        world.fixed.push(Part::at([sign * away, 0.0, high], x));
        world.fixed.push(Part::at([0.0, sign * away, high], y));
    }
    world
}
