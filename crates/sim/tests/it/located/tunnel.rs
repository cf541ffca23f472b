//! Nothing passes through anything, however fast and in however long a step.

use stiction_sim::located::EventKind;
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{Data, Geometry, Inertia, Model, ModelSpec, Quat, State, Vec3};

use super::{at, run_located};
use crate::sample::Rng;
use crate::scenes::{build, place};

const GEOMETRIES: [Geometry; 3] = [Geometry::Begin, Geometry::Middle, Geometry::End];
/// Half the thickness of the plate [m].
const THIN: f64 = 5e-4;

/// An octahedron.
fn hull(r: f64) -> Shape {
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    Shape::Hull(axes.iter().flat_map(|axis| [axis * r, -axis * r]).collect())
}

/// Bullets that reach 1 cm along x.
fn bullets() -> Vec<(&'static str, Shape)> {
    let r = 0.01;
    vec![
        ("sphere", Shape::Sphere { radius: r }),
        ("box", Shape::Box { half: Vec3::repeat(r) }),
        ("hull", hull(r)),
        ("capsule", Shape::Capsule { radius: r, half_length: 0.02 }),
        ("points", Shape::Points(vec![Vec3::new(r, 0.0, 0.0)])),
        (
            "compound",
            Shape::Compound(vec![
                (Vec3::new(0.0, 0.0, 0.02), Quat::IDENTITY, Shape::Sphere { radius: r }),
                (Vec3::new(0.0, 0.0, -0.02), Quat::IDENTITY, Shape::Box { half: Vec3::repeat(r) }),
            ]),
        ),
    ]
}

/// What is shot at: its surface is at x = −THIN.
fn plates() -> Vec<(&'static str, Shape)> {
    let half = Vec3::new(THIN, 1.0, 1.0);
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
    };
    let triangles = [
        [0, 6, 2],
        [0, 4, 6],
        [1, 3, 7],
        [1, 7, 5],
        [0, 1, 5],
        [0, 5, 4],
        [2, 7, 3],
        [2, 6, 7],
        [0, 3, 1],
        [0, 2, 3],
        [4, 5, 7],
        [4, 7, 6],
    ];
    vec![
        ("box", Shape::Box { half }),
        (
            "mesh",
            Shape::Mesh { vertices: (0..8).map(corner).collect(), triangles: triangles.to_vec() },
        ),
        (
            "compound",
            Shape::Compound(vec![
                // no shot goes into the seam
                (
                    Vec3::new(0.0, 0.4, 0.0),
                    Quat::IDENTITY,
                    Shape::Box { half: Vec3::new(THIN, 0.6, 1.0) },
                ),
                (
                    Vec3::new(0.0, -0.6, 0.0),
                    Quat::IDENTITY,
                    Shape::Box { half: Vec3::new(THIN, 0.4, 1.0) },
                ),
            ]),
        ),
    ]
}

/// A bullet of 1 kg and a plate in the plane of y and z, on the world or free with 1e3 kg.
fn gun(bullet: &Shape, plate: &Shape, e: f64, is_free: bool) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.material("steel", Surface { e, ..Surface::rigid(0.0) });
    spec.body("bullet", Inertia::principal(1.0, [1e-3; 3]));
    spec.shape("bullet", FrameSpec::of("bullet"), bullet.clone(), "steel");
    let frame = if is_free {
        spec.body("plate", Inertia::principal(1e3, [1e3; 3]));
        FrameSpec::of("plate")
    } else {
        FrameSpec::world()
    };
    spec.shape("plate", frame, plate.clone(), "steel");
    build(&spec)
}

/// Shoots so that the plate is hit within the first step.
fn shoot((model, start): &(Model, State), e: f64, geometry: Geometry, v: f64, h: f64, what: &str) {
    let part = 0.37;
    let mut state = start.clone();
    state.q[0] = -THIN - 0.01 - v * h * part;
    state.v[0] = v;
    let what = format!("{what}, e {e}, {geometry:?}, {v} m/s, {h} s");
    let size = v * h * part + 1.0;
    let mut data = Data::new(model);
    let course = run_located(model, &at(h, geometry), &mut state, &mut data, 1);
    assert_eq!(course.impacts(), 1, "{what}: {:?}", course.events);
    let off = (course.events[0].time - part * h).abs();
    assert!(off <= 1e-10 * h + 4e-12 * size / v, "{what}: {off:e} off");
    let EventKind::Impact { strikes, .. } = &course.events[0].kind else { panic!("{what}") };
    let u_n = strikes[0].u_n;
    assert!((u_n[0] + v).abs() <= 1e-9 * v, "{what}: {u_n:?}");
    assert!((u_n[1] - e * v).abs() <= 1e-9 * v, "{what}: {u_n:?}");
    // it is before the plate and does not come nearer
    let plate = if model.bodies().len() > 1 { [state.q[7], state.v[6]] } else { [0.0; 2] };
    let gap = plate[0] - THIN - 0.01 - state.q[0];
    assert!(gap >= -4e-12 * size, "{what}: {gap:e} past the plate");
    assert!(plate[1] - state.v[0] >= -1e-9 * v, "{what}: {:?}", state.v);
}

#[test]
fn no_bullet_passes_a_thin_plate() {
    for (bullet_name, bullet) in bullets() {
        for (plate_name, plate) in plates() {
            for is_free in [false, true] {
                if is_free && plate_name == "mesh" {
                    continue;
                }
                for e in [0.0, 1.0] {
                    let gun = gun(&bullet, &plate, e, is_free);
                    let what = format!("{bullet_name} on {plate_name}, free {is_free}");
                    for geometry in GEOMETRIES {
                        for (v, h) in
                            [(1e2, 1e-2), (1e4, 1e-2), (1e6, 1e-2), (1e2, 1.0), (1e6, 1.0)]
                        {
                            shoot(&gun, e, geometry, v, h, &what);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn no_bullet_passes_a_height_field() {
    let field = Shape::HeightField { nx: 4, ny: 4, spacing: [0.7, 0.7], heights: vec![0.0; 16] };
    for (name, bullet) in bullets() {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::zeros();
        spec.material("steel", Surface { e: 0.5, ..Surface::rigid(0.0) });
        spec.body("bullet", Inertia::principal(1.0, [1e-3; 3]));
        // the bullet's x is down
        let down = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
        spec.shape("bullet", FrameSpec::of("bullet").turned(down), bullet, "steel");
        spec.shape("field", FrameSpec::world(), field.clone(), "steel");
        let (model, mut start) = build(&spec);
        for (v, h) in [(1e2, 1e-2), (1e4, 1e-1), (1e6, 1e-2)] {
            start.q[..3].copy_from_slice(&[0.1, 0.2, 0.01 + 0.37 * v * h]);
            start.v[2] = -v;
            for geometry in GEOMETRIES {
                let mut state = start.clone();
                let mut data = Data::new(&model);
                let course = run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
                assert_eq!(course.impacts(), 1, "{name} {geometry:?} {v} m/s");
                let off = (course.events[0].time - 0.37 * h).abs();
                assert!(off <= 1e-10 * h, "{name} {geometry:?} {v} m/s: {off:e}");
                assert!(
                    state.v[2] >= 0.0 && state.q[2] >= 0.01 - 1e-12 * v * h,
                    "{name}: {:?}",
                    state.q
                );
            }
        }
    }
}

#[test]
fn bullets_from_anywhere_hit_the_plate() {
    shoot_from_anywhere(&GEOMETRIES);
}

/// A gun whose bullet hardly spins when a corner hits.
fn slow_to_spin(bullet: &Shape, plate: &Shape) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.material("steel", Surface { e: 0.5, ..Surface::rigid(0.0) });
    spec.body("bullet", Inertia::principal(1.0, [1.0; 3]));
    spec.shape("bullet", FrameSpec::of("bullet"), bullet.clone(), "steel");
    spec.shape("plate", FrameSpec::world(), plate.clone(), "steel");
    build(&spec)
}

/// Turned anyhow, spinning and from aside.
fn shoot_from_anywhere(geometries: &[Geometry]) {
    let mut rng = Rng(4);
    for (bullet_name, bullet) in bullets() {
        for (plate_name, plate) in plates() {
            let (model, start) = slow_to_spin(&bullet, &plate);
            for _ in 0..20 {
                let mut state = start.clone();
                let h = 0.01;
                let aim = Vec3::new(0.0, rng.between(-0.5, 0.5), rng.between(-0.5, 0.5));
                let speed = 10.0_f64.powf(rng.between(1.5, 5.0));
                let v = Vec3::new(1.0, rng.between(-0.5, 0.5), rng.between(-0.5, 0.5)).normalize()
                    * speed;
                let before = aim - v * h * rng.between(0.2, 0.8);
                if before.x > -0.05 {
                    continue;
                }
                place(&mut state, 0, before, rng.quaternion());
                state.v[..3].copy_from_slice(v.as_slice());
                let spin = rng.vector(100.0);
                state.v[3..6].copy_from_slice(spin.as_slice());
                let mut data = Data::new(&model);
                let geometry = geometries[rng.index(geometries.len())];
                let course = run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
                let what = format!("{bullet_name} on {plate_name} at {v:?} from {before:?}");
                if bullet_name != "points" {
                    assert!(course.impacts() >= 1, "{what}: {:?}", state.q);
                }
                assert!(
                    state.q[0] <= -THIN,
                    "{what} {geometry:?}: {:?} {:?} {:?}",
                    state.q,
                    state.v,
                    course.events
                );
            }
        }
    }
}

#[test]
fn two_fast_balls_meet_head_on() {
    let mut spec = ModelSpec::new();
    spec.gravity = Vec3::zeros();
    spec.material("steel", Surface { e: 1.0, ..Surface::rigid(0.3) });
    for name in ["left", "right"] {
        spec.body(name, Inertia::principal(1.0, [4e-5; 3]));
        spec.shape(name, FrameSpec::of(name), Shape::Sphere { radius: 0.01 }, "steel");
    }
    let (model, mut start) = build(&spec);
    for (v, h) in [(1e2, 1e-2), (1e4, 1.0), (1e6, 1e-3), (1e6, 1.0)] {
        let far = 0.3 * v * h;
        place(&mut start, 0, Vec3::new(-far - 0.01, 0.0, 0.0), Quat::IDENTITY);
        place(&mut start, 1, Vec3::new(far + 0.01, 0.0, 0.0), Quat::IDENTITY);
        (start.v[0], start.v[6]) = (v, -v);
        for geometry in GEOMETRIES {
            let mut state = start.clone();
            let mut data = Data::new(&model);
            let course = run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
            assert_eq!(course.impacts(), 1, "{geometry:?} {v} m/s {h} s");
            assert!((course.events[0].time - 0.3 * h).abs() <= 1e-10 * h);
            assert!((state.v[0] + v).abs() <= 1e-9 * v && (state.v[6] - v).abs() <= 1e-9 * v);
        }
    }
}

/// A rod of 1 m in the plane of x and y, as a capsule, a box, two points or a hull, and a post of radius 1 cm along z.
fn rods() -> Vec<(&'static str, Shape)> {
    let along_x = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let capsule = Shape::Capsule { radius: 0.005, half_length: 0.495 };
    let ends = vec![Vec3::new(0.5, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0)];
    let half = Vec3::new(0.5, 0.005, 0.005);
    let corners = (0..8).map(|i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
    });
    vec![
        ("capsule", Shape::Compound(vec![(Vec3::zeros(), along_x, capsule)])),
        ("box", Shape::Box { half }),
        ("hull", Shape::Hull(corners.collect())),
        ("points", Shape::Points(ends)),
    ]
}

#[test]
fn a_fast_spinning_rod_hits_the_post_it_would_pass_over() {
    for (name, rod) in rods() {
        for is_hinged in [false, true] {
            let mut spec = ModelSpec::new();
            spec.gravity = Vec3::zeros();
            spec.material("steel", Surface { e: 0.5, ..Surface::rigid(0.0) });
            spec.body("rod", Inertia::principal(1.0, [1e-3, 1.0 / 12.0, 1.0 / 12.0]));
            if is_hinged {
                let hinge = JointKind::Revolute { axis: Vec3::z() };
                spec.joint("hinge", hinge, FrameSpec::world(), FrameSpec::of("rod"));
            }
            spec.shape("rod", FrameSpec::of("rod"), rod.clone(), "steel");
            let post = match name {
                // points hit a wall with thickness where they go
                "points" => Shape::Box { half: Vec3::new(0.1, 0.01, 1.0) },
                _ => Shape::Capsule { radius: 0.01, half_length: 1.0 },
            };
            let far = if name == "points" { 0.5 } else { 0.4 };
            // at −135° and its opposite end at 45°: an angle of 3π/4 and of 7π/4 ahead of the two ends
            let place = FrameSpec::world().at(-far * 0.5_f64.sqrt(), -far * 0.5_f64.sqrt(), 0.0);
            spec.shape("post", place, post, "steel");
            let (model, start) = build(&spec);
            for omega in [10.0, 1e2, 1e3] {
                for h in [1e-3, 1e-2, 3e-2, 0.1, 1.0] {
                    for geometry in GEOMETRIES {
                        let mut state = start.clone();
                        state.v[if is_hinged { 0 } else { 5 }] = omega;
                        let mut data = Data::new(&model);
                        let course =
                            run_located(&model, &at(h, geometry), &mut state, &mut data, 1);
                        let what =
                            format!("{name} hinged {is_hinged} {omega} rad/s {h} s {geometry:?}");
                        // one end comes after a quarter turn and a half of it, about
                        let angle = std::f64::consts::FRAC_PI_4;
                        let passes = omega * h > angle;
                        assert_eq!(course.impacts() > 0, passes, "{what}");
                        if passes {
                            let at = omega * course.events[0].time;
                            let width = if name == "points" { 0.3 } else { 0.05 };
                            assert!(at <= angle && at >= angle - width, "{what}: at {at} rad");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn no_bullet_that_spins_fast_passes_a_thin_plate() {
    for (bullet_name, bullet) in bullets() {
        for (plate_name, plate) in plates() {
            let (model, start) = gun(&bullet, &plate, 0.3, false);
            for geometry in GEOMETRIES {
                for spin in [1e2, 1e4, 1e5] {
                    let mut state = start.clone();
                    state.q[0] = -0.05;
                    state.v.copy_from_slice(&[20.0, 0.3, 0.2, 0.3 * spin, 0.5 * spin, 0.8 * spin]);
                    let mut data = Data::new(&model);
                    let settings = at(1e-2, geometry);
                    for _ in 0..3 {
                        let input = stiction_sim::Input::default();
                        let report = stiction_sim::step_located(
                            &model, &settings, &input, &mut state, &mut data,
                        )
                        .expect("a step");
                        assert!(report.certified);
                    }
                    let what =
                        format!("{bullet_name} on {plate_name} {geometry:?} at {spin} rad/s");
                    assert!(state.q[0] < 0.0, "{what}: {:?}", state.q);
                }
            }
        }
    }
}
