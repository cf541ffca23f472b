//! Mechanisms: a quadruped that stands, a chain over a drum, a crane with closed loops.

use std::f64::consts::{FRAC_PI_2, PI};

use stiction_sim::{Quat, Vec3};

use super::world::{Body, Form, GRAVITY, Hinge, Joint, Loop, Part, World};

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];

/// A rod between two points, as a body of this mass and thickness.
fn rod(mass: f64, radius: f64, from: [f64; 3], to: [f64; 3]) -> Body {
    let (a, b) = (Vec3::from(from), Vec3::from(to));
    let along = b - a;
    let form = Form::Capsule { radius, half_length: 0.5 * along.norm() };
    // z of the rod into its direction, in the xz plane
    let turn = Quat::exp(&Vec3::new(0.0, along.x.atan2(along.z), 0.0));
    Body::of(mass, form, (0.5 * (a + b)).into()).turned(turn)
}

/// 18 degrees of freedom, four spherical feet; springs in the twelve joints let it stand.
pub fn quadruped() -> World {
    let (thigh, shank, foot, bend) = (0.25_f64, 0.25_f64, 0.02, 0.5_f64);
    let hip = foot + (thigh + shank) * bend.cos();
    let mut bodies = vec![Body::of(15.0, Form::Box { half: [0.3, 0.12, 0.05] }, [0.0, 0.0, hip])];
    let mut joints = Vec::new();
    for (x, y) in [(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)] {
        let top = [x, y, hip];
        let knee = [x - thigh * bend.sin(), y, hip - thigh * bend.cos()];
        let end = [x, y, foot];
        let first = bodies.len();
        bodies.push(Body::of(0.6, Form::Sphere { radius: 0.04 }, top));
        bodies.push(rod(1.0, 0.02, top, knee));
        let mut lower = rod(0.4, 0.015, knee, end);
        let at = [0.0, 0.0, 0.5 * shank];
        lower.parts = vec![Part::at(at, Form::Sphere { radius: foot })];
        bodies.push(lower);
        let springs =
            [(0, first, X, top), (first, first + 1, Y, top), (first + 1, first + 2, Y, knee)];
        for (parent, child, axis, at) in springs {
            let (stiffness, damping) = (300.0, 5.0);
            let kind = Hinge::Revolute(axis);
            joints.push(Joint { parent: Some(parent), child, kind, at, stiffness, damping });
        }
    }
    // the feet alone touch the ground
    for (i, body) in bodies.iter_mut().enumerate() {
        if i == 0 || i % 3 != 0 {
            body.parts.clear();
        }
    }
    World { joints, bodies_collide: false, ..World::on_ground(1e-3, 0.8, bodies) }
}

/// Links on ball joints, a fifth of them around the upper half of a drum, the others hanging from it on both sides.
pub fn chain(links: usize) -> World {
    let (drum, radius, mass) = (0.5, 0.02, 0.1);
    let around = links / 5;
    let half = 0.5 * PI / around as f64;
    let mid = drum + radius;
    let length = 2.0 * mid * half.tan();
    let corner = |k: usize| {
        let angle = PI - 2.0 * half * k as f64;
        let far = mid / half.cos();
        [far * angle.cos(), 0.0, far * angle.sin()]
    };
    // anchors from the left end over the drum to the right end
    let hanging = (links - around) / 2;
    let below = |k: usize, end: [f64; 3]| [end[0], 0.0, end[2] - length * k as f64];
    let mut anchors: Vec<[f64; 3]> = (1..=hanging).rev().map(|k| below(k, corner(0))).collect();
    anchors.extend((0..=around).map(corner));
    anchors.extend((1..=hanging).map(|k| below(k, corner(around))));
    let bodies: Vec<Body> =
        anchors.windows(2).map(|ends| rod(mass, radius, ends[0], ends[1])).collect();
    // the middle link carries both sides
    let root = bodies.len() / 2;
    let joint = |parent, child: usize, at| {
        let kind = Hinge::Ball;
        Joint { parent: Some(parent), child, kind, at, stiffness: 0.0, damping: 0.0 }
    };
    let mut joints: Vec<Joint> =
        (root + 1..bodies.len()).map(|k| joint(k - 1, k, anchors[k])).collect();
    joints.extend((0..root).rev().map(|k| joint(k + 1, k, anchors[k + 1])));
    let form = Form::Cylinder { radius: drum, half_length: 0.5 };
    let lying = Quat::exp(&Vec3::new(FRAC_PI_2, 0.0, 0.0));
    let fixed = vec![Part { quat: lying.to_wxyz(), ..Part::at([0.0; 3], form) }];
    World {
        h: 1e-3,
        mu: 0.3,
        gravity: GRAVITY,
        bodies_collide: false,
        fixed,
        bodies,
        joints,
        loops: Vec::new(),
    }
}

/// A boom of two parallel bars with a head between them, held by a strut, and 100 t on a rope of links of 100 g.
///
/// Two loops: the upper bar's with the head, and the strut's with the lower bar.
pub fn crane() -> World {
    let (foot, top) = ([0.0, 0.0, 5.0], [0.0, 0.0, 6.0]);
    let reach = [7.0, 0.0, 7.0];
    let add =
        |a: [f64; 3], b: [f64; 3], s: f64| [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
    let (tip, tip_above) = (add(foot, reach, 1.0), add(top, reach, 1.0));
    let (strut_foot, strut_end) = ([4.0, 0.0, 2.0], add(foot, reach, 0.5));
    let along = add(strut_end, strut_foot, -1.0);
    let middle = add(strut_foot, along, 0.5);
    let mut bodies = vec![
        rod(500.0, 0.1, foot, tip),
        rod(500.0, 0.1, top, tip_above),
        rod(100.0, 0.1, tip, tip_above),
        rod(100.0, 0.1, strut_foot, middle),
        rod(50.0, 0.05, middle, strut_end),
    ];
    let joint =
        |parent, child, kind, at| Joint { parent, child, kind, at, stiffness: 0.0, damping: 0.0 };
    let turn = Hinge::Revolute(Y);
    let size = Vec3::from(along).norm();
    let slide = Hinge::Prismatic(along.map(|x| x / size));
    let mut joints = vec![
        joint(None, 0, turn, foot),
        joint(None, 1, turn, top),
        joint(Some(0), 2, turn, tip),
        joint(None, 3, turn, strut_foot),
        Joint { stiffness: 1e8, damping: 1e6, ..joint(Some(3), 4, slide, middle) },
    ];
    let mut from = tip;
    for _ in 0..5 {
        let (to, child) = (add(from, [0.0, 0.0, -1.0], 1.0), bodies.len());
        let parent = if from == tip { 2 } else { child - 1 };
        bodies.push(rod(0.1, 0.02, from, to));
        joints.push(joint(Some(parent), child, Hinge::Ball, from));
        from = to;
    }
    let load = bodies.len();
    bodies.push(Body::of(
        1e5,
        Form::Box { half: [1.0, 1.0, 1.5] },
        add(from, [0.0, 0.0, -1.5], 1.0),
    ));
    joints.push(joint(Some(load - 1), load, Hinge::Ball, from));
    for body in &mut bodies {
        body.parts.clear();
    }
    let loops = vec![
        Loop { a: 2, b: 1, at: tip_above, axis: Y },
        Loop { a: 0, b: 4, at: strut_end, axis: Y },
    ];
    World {
        h: 1e-3,
        mu: 0.0,
        gravity: GRAVITY,
        bodies_collide: false,
        bodies,
        joints,
        loops,
        fixed: Vec::new(),
    }
}
