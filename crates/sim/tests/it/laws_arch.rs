//! Law L: arches. Of three hinges the thrust is determinate; of voussoirs it has bounds.

use std::f64::consts::PI;

use crate::scenes::{
    G, add_points, build, contact_forces, cuboid_inertia, ground, largest_difference, place,
    run_on, settings,
};
use stiction_sim::model::{FrameSpec, Groups, Shape};
use stiction_sim::{Data, Model, ModelSpec, Quat, State, Vec3};

const H: f64 = 1e-2;

/// The force on body b from what is on its other side, over all contacts that `which` picks by their places [N].
fn force_on(data: &Data, b: usize, which: impl Fn(&Vec3) -> bool) -> Vec3 {
    let mut sum = Vec3::zeros();
    for (contact, f) in contact_forces(data, H).iter().filter(|(contact, _)| which(&contact.p_W)) {
        if contact.b == Some(b) {
            sum += f;
        } else if contact.a == Some(b) {
            sum -= f;
        }
    }
    sum
}

#[test]
fn two_beams_that_lean_against_each_other_push_as_statics_say() {
    // feet at ±x_s, heads at height z_c in the middle, centres at ±x_g
    let (x_s, z_c, x_g, m) = (1.5, 2.0, 0.6, 4.0);
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.6, 0.0);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let (foot, head) = (side * (x_s - x_g), -side * x_g);
        let mut points = vec![Vec3::new(foot, 0.3, -1.0), Vec3::new(foot, -0.3, -1.0)];
        if name == "left" {
            points.extend([0.3, -0.3].map(|y| Vec3::new(head, y, z_c - 1.0)));
        }
        add_points(&mut spec, name, cuboid_inertia(m, Vec3::new(1.0, 1.0, 2.0)), points);
    }
    // the right one's head is a face in the plane x = 0 that looks left
    let left = Quat::exp(&Vec3::new(0.0, -0.5 * PI, 0.0));
    let face = FrameSpec::of("right").at(-x_g, 0.0, 0.0).turned(left);
    spec.shape("face", face, Shape::HalfSpace, "stuff");
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(-x_g, 0.0, 1.0), Quat::IDENTITY);
    place(&mut state, 1, Vec3::new(x_g, 0.0, 1.0), Quat::IDENTITY);
    let (start, mut data) = (state.clone(), Data::new(&model));
    run_on(&model, &settings(H), &mut state, &mut data, 50);
    assert!(largest_difference(&state.q, &start.q) <= 1e-10, "{:?}", state.q);
    // moments about the head: H z_c = m g (x_s − x_g), and half of the weight on each foot
    let thrust = m * G * (x_s - x_g) / z_c;
    let feet = force_on(&data, 0, |p| p.z < 0.1);
    assert!((feet - Vec3::new(thrust, 0.0, m * G)).amax() <= 1e-8 * m * G, "{feet}");
    let head = force_on(&data, 0, |p| p.z > 1.0);
    assert!((head + Vec3::new(thrust, 0.0, 0.0)).amax() <= 1e-8 * m * G, "{head}");
}

/// Half of the thickness of the arch across its plane [m].
const DEPTH: f64 = 0.25;
/// Inner and outer radius [m].
const RADII: [f64; 2] = [1.0, 1.4];

/// Mass and centre of the voussoir between two angles from the right springing, of 1000 kg/m³.
fn voussoir(angles: [f64; 2]) -> (f64, Vec3) {
    let corner = |(r, a): (usize, usize)| on_joint(angles[a]) * RADII[r];
    let outline = [(0, 0), (1, 0), (1, 1), (0, 1)].map(corner);
    let (mut area, mut first) = (0.0, Vec3::zeros());
    // the triangles from its first corner
    for i in 1..3 {
        let [a, b] = [outline[i] - outline[0], outline[i + 1] - outline[0]];
        let part = 0.5 * a.cross(&b).norm();
        area += part;
        first += (outline[0] * 3.0 + a + b) * (part / 3.0);
    }
    (1000.0 * area * 2.0 * DEPTH, first / area)
}

/// Along the joint at this angle, outwards.
fn on_joint(angle: f64) -> Vec3 {
    Vec3::new(angle.cos(), 0.0, angle.sin())
}

/// The four corners of a joint.
fn corners(angle: f64) -> impl Iterator<Item = Vec3> {
    let corner = move |(r, y)| on_joint(angle) * r + Vec3::new(0.0, y, 0.0);
    RADII.into_iter().flat_map(|r| [(r, DEPTH), (r, -DEPTH)]).map(corner)
}

/// An arch of n voussoirs over half a circle, numbered from the right. Each stands with the corners of its right joint
/// on the plane of its neighbour's left one, and the outermost two on the ground.
fn arch(n: usize) -> (Model, State, Vec<(f64, Vec3)>) {
    const GROUND: u32 = 1 << 31;
    let (feet, planes) = (|i: usize| 1 << i, |i: usize| 1 << (16 + i));
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.7, 0.0);
    spec.shapes[0].groups = Groups { membership: GROUND, filter: u32::MAX };
    let angle = |i: usize| PI * i as f64 / n as f64;
    let blocks: Vec<_> = (0..n).map(|i| voussoir([angle(i), angle(i + 1)])).collect();
    for (i, (m, centre)) in blocks.iter().enumerate() {
        let name = format!("v{i}");
        let shifted = |angle| corners(angle).map(|p| p - centre).collect();
        // moments of about its size: it is to rest
        add_points(
            &mut spec,
            &name,
            cuboid_inertia(*m, Vec3::new(0.4, 0.5, 0.4)),
            shifted(angle(i)),
        );
        let rests_on = if i == 0 { GROUND } else { planes(i - 1) };
        spec.shapes.last_mut().expect("feet").groups =
            Groups { membership: feet(i), filter: rests_on };
        let frame = FrameSpec::of(&name).at(-centre.x, 0.0, -centre.z);
        if i + 1 < n {
            // z of the half-space leads to the left, along the circle
            let turned = frame.turned(Quat::exp(&Vec3::new(0.0, -angle(i + 1), 0.0)));
            let plane = spec.shape(&format!("plane {i}"), turned, Shape::HalfSpace, "stuff");
            plane.groups = Groups { membership: planes(i), filter: feet(i + 1) };
        } else {
            let points = Shape::Points(shifted(angle(n)));
            let last = spec.shape("last", FrameSpec::of(&name), points, "stuff");
            last.groups = Groups { membership: feet(n), filter: GROUND };
        }
    }
    let (model, mut state) = build(&spec);
    for (i, (_, centre)) in blocks.iter().enumerate() {
        place(&mut state, i, *centre, Quat::IDENTITY);
    }
    (model, state, blocks)
}

/// The same arch of solids: hulls of their corners.
fn solid_arch(n: usize) -> (Model, State, Vec<(f64, Vec3)>) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.7, 0.0);
    let angle = |i: usize| PI * i as f64 / n as f64;
    let blocks: Vec<_> = (0..n).map(|i| voussoir([angle(i), angle(i + 1)])).collect();
    for (i, (m, centre)) in blocks.iter().enumerate() {
        let name = format!("v{i}");
        spec.body(&name, cuboid_inertia(*m, Vec3::new(0.4, 0.5, 0.4)));
        let hull = corners(angle(i)).chain(corners(angle(i + 1))).map(|p| p - centre).collect();
        spec.shape(&name, FrameSpec::of(&name), Shape::Hull(hull), "stuff");
    }
    let (model, mut state) = build(&spec);
    for (i, (_, centre)) in blocks.iter().enumerate() {
        place(&mut state, i, *centre, Quat::IDENTITY);
    }
    (model, state, blocks)
}

#[test]
fn an_arch_of_voussoirs_stands_and_its_thrust_is_within_bounds() {
    let n = 8;
    for (model, mut state, blocks) in [arch(n), solid_arch(n)] {
        let (start, mut data) = (state.clone(), Data::new(&model));
        run_on(&model, &settings(H), &mut state, &mut data, 100);
        let drift = largest_difference(&state.q, &start.q);
        assert!(drift <= 1e-9, "{drift}");
        assert_eq!(data.contacts().len(), 4 * (n + 1));
        check_statics(&data, &blocks);
    }
}

/// Forces on every voussoir, and the thrust.
fn check_statics(data: &Data, blocks: &[(f64, Vec3)]) {
    let n = blocks.len();
    let weight: f64 = blocks.iter().map(|(m, _)| m * G).sum();
    for (i, (m, _)) in blocks.iter().enumerate() {
        let error = force_on(data, i, |_| true) - Vec3::new(0.0, 0.0, m * G);
        assert!(error.amax() <= 1e-8 * weight, "voussoir {i}: {error}");
    }
    let springing = |p: &Vec3| p.z < 0.05;
    let (right, left) = (force_on(data, 0, springing), force_on(data, n - 1, springing));
    assert!((right + left - Vec3::new(0.0, 0.0, weight)).amax() <= 1e-8 * weight);
    // of the right half about the middle of the circle: H z = V x − (weight/2) x_g, with the thrust anywhere on the crown's
    // joint and the reactions anywhere on the springings'
    let half = &blocks[..n / 2];
    let mass: f64 = half.iter().map(|(m, _)| m).sum();
    let x_g = half.iter().map(|(m, centre)| m * centre.x).sum::<f64>() / mass;
    let [inner, outer] = RADII;
    let bounds = (0.5 * weight * (inner - x_g) / outer)..=(0.5 * weight * (outer - x_g) / inner);
    assert!(bounds.contains(&-right.x), "{} {bounds:?}", right.x);
}
