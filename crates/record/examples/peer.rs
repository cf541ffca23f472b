//! Writes a recording whose numbers follow from their places, and all of its exports, for `tests/peer/check.py` to read with
//! other people's programs.
//!
//! `cargo run -p stiction-record --example peer [FOLDER]`
#![allow(clippy::print_stdout, reason = "an example shows what it wrote")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use stiction_record::export::{Table, csv, npz, parquet};
use stiction_record::{
    BodyInfo, Certificate, Contact, Coordinate, Energy, Frame, Geometry, Header, Impact, Mode,
    Recorder, RecorderSettings, Recording, ShapeInfo,
};

const FRAMES: u64 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = match std::env::args().nth(1) {
        Some(folder) => folder.into(),
        None => std::env::temp_dir().join(format!("stiction-peer-{}", std::process::id())),
    };
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("sample.mcap");
    let settings = RecorderSettings { chunk: 32 << 10, arrows: Some(2.0) };
    let mut recorder = Recorder::create(&path, &header(), &settings)?;
    for step in 0..FRAMES {
        let frame = frame(step);
        recorder.frame(&frame)?;
        if step % 10 == 3 {
            recorder.pictures(&frame)?;
            recorder.state(step, frame.time, &step.to_le_bytes())?;
        }
    }
    recorder.finish(&BTreeMap::from([("steps".to_string(), FRAMES.to_string())]))?;

    let recording = Recording::open(&path)?;
    let create = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    for (table, name) in [(Table::Steps, "steps"), (Table::Contacts, "contacts")] {
        csv(&recording, table, &mut create(&format!("{name}.csv"))?)?;
        parquet(&recording, table, &mut create(&format!("{name}.parquet"))?)?;
    }
    npz(&recording, &mut create("sample.npz")?)?;
    assert_eq!(recording.frame(FRAMES - 1)?, frame(FRAMES - 1));
    if std::env::args().len() > 1 {
        println!("{}", folder.display());
    } else {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

fn header() -> Header {
    let shape = |name: &str, body: Option<usize>, geometry: Geometry| ShapeInfo {
        name: name.into(),
        body,
        material: "oak".into(),
        position: [0.0, 0.0, 0.5],
        quat_wxyz: [0.5, 0.5, -0.5, 0.5],
        geometry,
    };
    let named = |names: &[&str], unit: &str| -> Vec<Coordinate> {
        names.iter().map(|name| Coordinate { name: (*name).into(), unit: unit.into() }).collect()
    };
    let mesh = Geometry::Mesh {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    Header {
        title: "peer".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: vec!["stiction".into(), "run".into()],
        scene: "h = 0.001\n".into(),
        seed: 7,
        h: 1e-3,
        bodies: ["box", "rod"].map(|name| BodyInfo { name: name.into(), mass: 1.0 }).into(),
        shapes: vec![
            shape("ground", None, Geometry::HalfSpace),
            shape("box", Some(0), Geometry::Box { half: [0.5, 0.25, 0.125] }),
            shape("ball", Some(0), Geometry::Sphere { radius: 0.5 }),
            shape("egg", Some(0), Geometry::Ellipsoid { half: [0.5, 0.25, 0.125] }),
            shape("rod", Some(1), Geometry::Capsule { radius: 0.25, half_length: 0.5 }),
            shape("can", Some(1), Geometry::Cylinder { radius: 0.25, half_length: 0.5 }),
            shape("tip", Some(1), Geometry::Cone { radius: 0.25, half_length: 0.5 }),
            shape("tetrahedron", Some(1), mesh),
            shape("corner", Some(1), Geometry::Points { points: vec![[1.0, 0.0, 0.0]] }),
        ],
        q: named(&["box.x", "box.y"], "m"),
        v: named(&["box.x", "box.y"], "m/s"),
        ledger: vec!["gravity".into(), "friction, \"dry\"".into()],
        ..Header::default()
    }
}

/// Numbers that Python makes in the same way: products and sums of whole numbers with powers of two.
fn frame(step: u64) -> Frame {
    let s = step as f64;
    let contact = |i: u32| Contact {
        shape_a: i % 9,
        shape_b: (i + 1) % 9,
        feature: 100 * i,
        point: [s, f64::from(i), 0.5],
        normal: [0.0, 0.0, 1.0],
        gap: -s * 0.125,
        impulse: [0.0, 0.0, 0.25 * f64::from(i + 1)],
        velocity: [s * 0.5, 0.0, -0.0],
        mu: 0.75,
        mode: [Mode::Open, Mode::Stick, Mode::Slip][i as usize % 3],
    };
    Frame {
        step,
        time: s * 0.0009765625,
        q: vec![s, s + 0.25],
        v: vec![-s, if step == 3 { f64::NAN } else { s * 4.0 }],
        poses: vec![[s, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0], [0.0, s, 0.0, 0.5, 0.5, -0.5, 0.5]],
        contacts: (0..step as u32 % 5).map(contact).collect(),
        certificate: Certificate {
            certified: step % 7 != 1,
            residual: s * 1e-13,
            law: 0.5,
            coulomb: 0.25,
            gap: s,
            misalignment: 2.0,
            overlap: 4.0,
            iterations: step as u32,
            solver: ["", "nsgs"][step as usize % 2].into(),
        },
        energy: Energy { kinetic: s * s, potential: -s, terms: vec![s, 2.0 * s] },
        impacts: vec![Impact { time: s, contacts: 1, speed: 2.0, lost: 4.0 }; step as usize % 2],
    }
}
