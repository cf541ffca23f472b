//! A small run with everything in it.

use std::collections::BTreeMap;

use stiction_record::{
    BodyInfo, Certificate, Contact, Coordinate, Energy, Frame, Geometry, Header, Impact, Mode,
    Recorder, RecorderSettings, Recording, ShapeInfo,
};

/// Numbers that follow from their seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn shape(name: &str, body: Option<usize>, geometry: Geometry) -> ShapeInfo {
    ShapeInfo {
        name: name.into(),
        body,
        material: "steel".into(),
        position: [0.0, 0.0, 0.25],
        quat_wxyz: [1.0, 0.0, 0.0, 0.0],
        geometry,
    }
}

fn coordinates(names: &[&str], unit: &str) -> Vec<Coordinate> {
    names.iter().map(|name| Coordinate { name: (*name).into(), unit: unit.into() }).collect()
}

pub(crate) fn header() -> Header {
    let mesh = Geometry::Mesh {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    Header {
        title: "a box, and a \"hinge\"".into(),
        version: "0.1.0".into(),
        command: vec!["stiction".into(), "run".into(), "box.toml".into()],
        scene_file: "box.toml".into(),
        scene: "h = 0.001 # all of it\n".into(),
        scene_hash: "00ff".into(),
        seed: u64::MAX,
        h: 0.001,
        law: "cone".into(),
        solver: "auto".into(),
        tol: 1e-10,
        bodies: vec![
            BodyInfo { name: "box".into(), mass: 2.0 },
            BodyInfo { name: "rod".into(), mass: 0.1 },
        ],
        shapes: vec![
            shape("ground", None, Geometry::HalfSpace),
            shape("box", Some(0), Geometry::Box { half: [0.5, 0.25, 0.125] }),
            shape("ball", Some(0), Geometry::Sphere { radius: 0.5 }),
            shape("egg", Some(0), Geometry::Ellipsoid { half: [0.5, 0.25, 0.125] }),
            shape("rod", Some(1), Geometry::Capsule { radius: 0.1, half_length: 0.5 }),
            shape("can", Some(1), Geometry::Cylinder { radius: 0.1, half_length: 0.5 }),
            shape("tip", Some(1), Geometry::Cone { radius: 0.1, half_length: 0.5 }),
            shape("tetrahedron", Some(1), mesh),
            shape("corners", Some(1), Geometry::Points { points: vec![[0.0, 0.0, 1.0]] }),
        ],
        q: coordinates(&["box.x", "box.y", "box.z"], "m"),
        v: coordinates(&["box.vx", "box.vy"], "m/s"),
        ledger: vec!["gravity".into(), "friction".into()],
    }
}

/// A number of any kind: zeros of both signs, infinities, NaN with a payload, subnormal ones.
fn number(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => f64::from_bits(0x7FF8_0000_0000_0000 | random.next() >> 20),
        4 => f64::from_bits(random.next() >> 20),
        _ => f64::from_bits(0x3FE0_0000_0000_0000 ^ random.next() >> 4),
    }
}

fn numbers<const N: usize>(random: &mut Random) -> [f64; N] {
    std::array::from_fn(|_| number(random))
}

/// Frame `step` of the sample: every third has no contact, every fourth an impact.
pub(crate) fn frame(step: u64) -> Frame {
    let random = &mut Random(step);
    let contact = |i: u32, random: &mut Random| Contact {
        shape_a: i % 9,
        shape_b: 8 - i % 9,
        feature: random.next() as u32,
        point: numbers(random),
        normal: numbers(random),
        gap: number(random),
        impulse: numbers(random),
        velocity: numbers(random),
        mu: number(random),
        mode: [Mode::Open, Mode::Stick, Mode::Slip][i as usize % 3],
    };
    let contacts = if step.is_multiple_of(3) { 0 } else { step as u32 % 7 + 1 };
    let impacts = usize::from(step.is_multiple_of(4));
    Frame {
        step,
        time: 0.001 * step as f64,
        q: numbers::<3>(random).to_vec(),
        v: numbers::<2>(random).to_vec(),
        poses: vec![numbers(random), numbers(random)],
        contacts: (0..contacts).map(|i| contact(i, random)).collect(),
        certificate: Certificate {
            certified: step % 5 != 1,
            residual: number(random),
            law: number(random),
            coulomb: number(random),
            gap: number(random),
            misalignment: number(random),
            overlap: number(random),
            iterations: random.next() as u32,
            solver: ["", "nsgs"][step as usize % 2].into(),
        },
        energy: Energy {
            kinetic: number(random),
            potential: number(random),
            terms: if step == 2 { vec![] } else { numbers::<2>(random).to_vec() },
        },
        impacts: (0..impacts)
            .map(|_| Impact {
                time: number(random),
                contacts: random.next() as u32,
                speed: number(random),
                lost: number(random),
            })
            .collect(),
    }
}

pub(crate) fn summary() -> BTreeMap<String, String> {
    [("certified".to_string(), "12".to_string())].into()
}

/// A recording of `frames` frames with a state at each tenth, in chunks of about `chunk` bytes.
pub(crate) fn bytes(frames: u64, chunk: usize) -> Vec<u8> {
    let settings = RecorderSettings { chunk, arrows: None };
    let mut recorder = Recorder::new(Vec::new(), &header(), &settings).unwrap();
    for step in 0..frames {
        let frame = frame(step);
        recorder.frame(&frame).unwrap();
        if step % 10 == 0 {
            recorder.state(step, frame.time, format!("state {step}").as_bytes()).unwrap();
            recorder.pictures(&frame).unwrap();
        }
    }
    recorder.finish(&summary()).unwrap()
}

/// Every bit of a frame, as text: NaN equals itself.
pub(crate) fn bits(frame: &Frame) -> String {
    let mut out = String::new();
    let mut put = |numbers: &[f64]| {
        for x in numbers {
            out += &format!("{:x} ", x.to_bits());
        }
    };
    put(&[frame.time]);
    put(&frame.q);
    put(&frame.v);
    put(frame.poses.as_flattened());
    for c in &frame.contacts {
        put(&c.point);
        put(&c.normal);
        put(&[c.gap, c.mu]);
        put(&c.impulse);
        put(&c.velocity);
    }
    let c = &frame.certificate;
    put(&[c.residual, c.law, c.coulomb, c.gap, c.misalignment, c.overlap]);
    put(&[frame.energy.kinetic, frame.energy.potential]);
    put(&frame.energy.terms);
    for i in &frame.impacts {
        put(&[i.time, i.speed, i.lost]);
    }
    let whole = frame.contacts.iter().map(|c| (c.shape_a, c.shape_b, c.feature, c.mode));
    let impacts: Vec<_> = frame.impacts.iter().map(|i| i.contacts).collect();
    let lengths = (frame.q.len(), frame.v.len(), frame.poses.len(), frame.energy.terms.len());
    out + &format!(
        "{} {:?} {:?} {lengths:?} {} {} {}",
        frame.step,
        whole.collect::<Vec<_>>(),
        impacts,
        c.certified,
        c.iterations,
        c.solver
    )
}

pub(crate) fn open(bytes: Vec<u8>) -> Recording {
    Recording::from_bytes(bytes).unwrap()
}
