//! Recordings made by formulas: nothing is simulated, everything that a page shows is there.

use std::f64::consts::PI;

use stiction_record::{
    BodyInfo, Certificate, Contact, Energy, Frame, Geometry, Header, Impact, Mode, ShapeInfo,
};
use stiction_replay::{Track, TrackSettings};

/// [m/s²]
const GRAVITY: f64 = 9.81;

/// A page with a body of each shape, each doing what suits it.
pub(crate) fn every_shape() -> Track {
    let header = every_shape_header();
    let mut track = Track::new(&header, &TrackSettings::default());
    let mut frame = Frame::default();
    for step in 0..=600 {
        every_shape_frame(&header, step, &mut frame);
        track.push(&frame);
    }
    track
}

/// A block of 1000 equal bodies that breathes, each in contact with the one below.
pub(crate) fn thousand(geometry: Geometry) -> Track {
    let bodies = (0..1000).map(|k| body(&format!("b{k}"), 1.0)).collect();
    let shapes = (0..1000).map(|k| shape(&format!("b{k}"), Some(k), geometry.clone()));
    let ground = shape("ground", None, Geometry::HalfSpace);
    let mut header = header("A thousand bodies", bodies);
    header.shapes = shapes.chain([ground]).collect();
    let mut track = Track::new(&header, &TrackSettings::default());
    for step in 0..300 {
        track.push(&thousand_frame(step));
    }
    track
}

/// Two pictures of two balls; one of them has no pose in the second. The names are those of an attack.
pub(crate) fn missing_pose() -> Track {
    let name = "</script><script>throw 1</script>";
    let mut header = header(name, vec![body(name, 1.0), body("b", 1.0)]);
    let ball = Geometry::Sphere { radius: 0.5 };
    header.shapes = vec![shape(name, Some(0), ball.clone()), shape("b", Some(1), ball)];
    let mut track = Track::new(&header, &TrackSettings::default());
    let poses = [[0.0; 3], [2.0, 0.0, 0.0]].map(|p| pose(p, [1.0, 0.0, 0.0, 0.0])).to_vec();
    let mut frame = Frame { poses, ..Frame::default() };
    track.push(&frame);
    (frame.step, frame.time) = (1, 0.1);
    frame.poses[1][2] = f64::NAN;
    track.push(&frame);
    track
}

pub(crate) fn header(title: &str, bodies: Vec<BodyInfo>) -> Header {
    Header {
        title: title.into(),
        version: "0.1.0".into(),
        command: vec!["stiction".into(), "run".into(), "scenes/sample.toml".into()],
        scene_file: "scenes/sample.toml".into(),
        scene_hash: "0123456789abcdef".into(),
        h: 0.005,
        law: "cone".into(),
        solver: "auto".into(),
        tol: 1e-12,
        bodies,
        ledger: ["gravity", "friction", "impact"].map(String::from).to_vec(),
        ..Header::default()
    }
}

pub(crate) fn body(name: &str, mass: f64) -> BodyInfo {
    BodyInfo { name: name.into(), mass }
}

pub(crate) fn shape(name: &str, body: Option<usize>, geometry: Geometry) -> ShapeInfo {
    let (position, quat_wxyz) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    ShapeInfo { name: name.into(), body, material: "wood".into(), position, quat_wxyz, geometry }
}

fn every_shape_header() -> Header {
    let (radius, half_length) = (0.22, 0.3);
    let solids = [
        ("box", Geometry::Box { half: [0.3, 0.22, 0.18] }),
        ("ball", Geometry::Sphere { radius: 0.25 }),
        ("egg", Geometry::Ellipsoid { half: [0.2, 0.2, 0.34] }),
        ("capsule", Geometry::Capsule { radius: 0.18, half_length }),
        ("cylinder", Geometry::Cylinder { radius, half_length: 0.25 }),
        ("cone", Geometry::Cone { radius: 0.28, half_length }),
        ("octahedron", octahedron(0.32)),
        ("points", cube_of_points(0.2)),
    ];
    let bodies = solids.iter().map(|(name, _)| body(name, 1.0)).collect();
    let mut header = header("A body of each shape", bodies);
    for (k, (name, geometry)) in solids.into_iter().enumerate() {
        header.shapes.push(shape(name, Some(k), geometry));
    }
    header.shapes.push(shape("ground", None, Geometry::HalfSpace));
    let mut step = shape("step", None, Geometry::Box { half: [0.5, 2.4, 0.1] });
    step.position = [-2.4, 0.0, 0.1];
    header.shapes.push(step);
    header
}

fn octahedron(r: f64) -> Geometry {
    let vertices = vec![
        [r, 0.0, 0.0],
        [-r, 0.0, 0.0],
        [0.0, r, 0.0],
        [0.0, -r, 0.0],
        [0.0, 0.0, r],
        [0.0, 0.0, -r],
    ];
    let triangles = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    Geometry::Mesh { vertices, triangles }
}

fn cube_of_points(half: f64) -> Geometry {
    let side = [-half, 0.0, half];
    let points = side.iter().flat_map(|&x| side.iter().map(move |&y| (x, y)));
    Geometry::Points { points: points.flat_map(|(x, y)| side.map(|z| [x, y, z])).collect() }
}

/// Half the angle about a unit axis, as a quaternion.
fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, sin * axis[0], sin * axis[1], sin * axis[2]]
}

fn pose(p: [f64; 3], q: [f64; 4]) -> [f64; 7] {
    [p[0], p[1], p[2], q[0], q[1], q[2], q[3]]
}

/// Height of a ball above the floor after `t` seconds: it falls from `height` and keeps 0.6 of its speed in each impact.
fn bounce(height: f64, mut t: f64) -> f64 {
    let mut half = (2.0 * height / GRAVITY).sqrt();
    if t < half {
        return height - 0.5 * GRAVITY * t * t;
    }
    t -= half;
    loop {
        half *= 0.6;
        if half < 0.02 {
            return 0.0;
        }
        if t < 2.0 * half {
            return 0.5 * GRAVITY * t * (2.0 * half - t);
        }
        t -= 2.0 * half;
    }
}

fn every_shape_frame(header: &Header, step: u64, frame: &mut Frame) {
    let t = header.h * step as f64;
    let left = (1.0 - t / 3.0).max(0.0);
    let slid = 1.2 * (1.0 - left * left);
    let height = bounce(1.2, t);
    frame.clear();
    (frame.step, frame.time) = (step, t);
    frame.poses.extend([
        pose([-1.2 + slid, -1.4, 0.18], turn([0.0, 0.0, 1.0], 0.9 * slid)),
        pose([0.3, 0.4, 0.25 + height], turn([0.6, 0.8, 0.0], 2.0 * t)),
        pose([1.2, -0.5, 0.34], turn([0.0, 0.0, 1.0], 9.0 * t * (0.4 + 0.6 * left))),
        pose([-1.0 + 0.5 * slid, 0.9, 0.18], turn([1.0, 0.0, 0.0], 0.5 * PI)),
        pose([0.2, 1.5, 0.25], turn([0.0, 0.0, 1.0], 2.0 * slid)),
        pose([1.5, 1.0, 0.3], turn([0.0, 0.0, 1.0], -slid)),
        pose([-0.9, -0.3, 0.55 + 0.25 * (3.0 * t).sin()], turn([0.36, 0.48, 0.8], 2.5 * t)),
        pose([1.1, -1.6, 0.6 + 0.2 * (2.0 * t).cos()], turn([0.8, 0.0, 0.6], t)),
    ]);
    let ground = 8;
    let speed = 0.8 * left;
    for (k, (x, y)) in
        [(-0.3, -0.22), (0.3, -0.22), (0.3, 0.22), (-0.3, 0.22)].into_iter().enumerate()
    {
        let (sin, cos) = (0.9 * slid).sin_cos();
        let point = [-1.2 + slid + cos * x - sin * y, -1.4 + sin * x + cos * y, 0.0];
        let normal = 0.25 * GRAVITY * header.h * (1.0 + 0.3 * x);
        frame.contacts.push(sliding([ground, 0, k as u32], point, normal, speed));
    }
    if height < 1e-3 {
        frame.contacts.push(resting([ground, 1, 0], [0.3, 0.4, 0.0], GRAVITY * header.h));
    }
    frame.contacts.push(sliding([ground, 2, 0], [1.2, -0.5, 0.0], GRAVITY * header.h, 0.3 * left));
    frame.contacts.push(resting([ground, 4, 0], [0.2, 1.5, 0.0], GRAVITY * header.h));
    let mut open = resting([ground, 5, 1], [1.5, 1.28, 0.001], 0.0);
    (open.mode, open.gap) = (Mode::Open, 1e-3);
    frame.contacts.push(open);
    account(step, t, height, speed, frame);
}

/// Certificate, energies and impacts that go with the motion.
fn account(step: u64, t: f64, height: f64, speed: f64, frame: &mut Frame) {
    let rough = 1.0 + (7.3 * t).sin() + 0.5 * (31.0 * t).sin();
    let certified = !(300..304).contains(&step);
    let residual = if certified { 1e-14 * 10f64.powf(rough * 0.6) } else { 4e-11 };
    frame.certificate = Certificate {
        certified,
        residual,
        law: residual,
        coulomb: 2.0 * residual,
        overlap: 1e-6 * (2.0 + (5.0 * t).sin()),
        iterations: 20 + (step % 7) as u32,
        solver: if step == 0 { "" } else { "apgd" }.into(),
        ..Certificate::default()
    };
    let falling = bounce(1.2, t + 1e-4) - height;
    let kinetic = 0.5 * (falling / 1e-4).powi(2) + 0.5 * speed * speed + 1.0;
    let friction = -1e-3 * speed;
    frame.energy = Energy {
        kinetic,
        potential: GRAVITY * height,
        terms: vec![-GRAVITY * falling * 50.0, friction, 0.0],
    };
    let before = bounce(1.2, t - 0.005) - bounce(1.2, t - 0.0051);
    if step > 0 && before < 0.0 && falling > 0.0 {
        let lost = 0.5 * (before / 1e-4).powi(2) * 0.64;
        frame.energy.terms[2] = -lost;
        frame.impacts.push(Impact { time: t - 0.002, contacts: 1, speed: -before / 1e-4, lost });
    }
}

fn resting([a, b, feature]: [u32; 3], point: [f64; 3], normal: f64) -> Contact {
    Contact {
        shape_a: a,
        shape_b: b,
        feature,
        point,
        normal: [0.0, 0.0, 1.0],
        gap: -1e-7,
        impulse: [0.1 * normal, 0.0, normal],
        velocity: [0.0; 3],
        mu: 0.5,
        mode: Mode::Stick,
    }
}

/// Along x, so friction is on its cone; without speed it sticks.
fn sliding(id: [u32; 3], point: [f64; 3], normal: f64, speed: f64) -> Contact {
    let mut contact = resting(id, point, normal);
    if speed > 0.0 {
        contact.impulse[0] = -0.5 * normal;
        contact.velocity[0] = speed;
        contact.mode = Mode::Slip;
    }
    contact
}

fn thousand_frame(step: u64) -> Frame {
    let t = step as f64 / 60.0;
    let mut frame = Frame { step, time: t, ..Frame::default() };
    for k in 0..1000_u32 {
        let [x, y, z] = [k % 10, k / 10 % 10, k / 100].map(f64::from);
        let swell = 1.0 + 0.25 * (0.5 - 0.5 * (1.2 * t - 0.3 * z).cos());
        let p = [0.55 * swell * (x - 4.5), 0.55 * swell * (y - 4.5), 0.25 + 0.5 * z];
        frame
            .poses
            .push(pose(p, turn([0.0, 0.0, 1.0], 0.4 * (t + 0.2 * z).sin() * f64::from(k % 3))));
        let below = if k < 100 { 1000 } else { k - 100 };
        let point = [p[0], p[1], p[2] - 0.25];
        frame.contacts.push(resting([below, k, 0], point, 0.01 * (10.0 - z)));
    }
    frame.certificate.residual = 1e-13 * (2.0 + (3.0 * t).sin());
    frame.certificate.solver = "nsgs".into();
    frame.energy.kinetic = 1.0 + t.sin();
    frame
}
