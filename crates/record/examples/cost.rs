//! What recording costs: time for each frame of a wall of 510 bodies with 3060 contacts, and memory after many frames of one
//! body.
//!
//! `cargo run --release -p stiction-record --example cost [frames of one body]`
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example that measures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;

use stiction_record::export::{Table, csv, npz, parquet};
use stiction_record::{
    BodyInfo, Contact, Coordinate, Frame, Geometry, Header, Recorder, RecorderSettings, Recording,
    ShapeInfo,
};

fn main() -> Result<(), Box<dyn Error>> {
    let asked = std::env::args().nth(1).map(|frames| frames.parse()).transpose()?;
    let path = std::env::temp_dir().join(format!("stiction-cost-{}.mcap", std::process::id()));
    let memory = peak();
    let frames = asked.unwrap_or(20_000);
    let time = record(&path, 1, 4, frames, 0)?;
    let size = std::fs::metadata(&path)?.len();
    println!("one body, 4 contacts, {frames} frames: {time:.2} µs each, {} MB", size / 1_000_000);
    let grown = peak().saturating_sub(memory);
    println!("  memory grew by {:.1} MB at most", grown as f64 / 1e6);

    let begin = Instant::now();
    let recording = Recording::open(&path)?;
    let opened = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let middle = recording.frame(frames / 2)?;
    println!(
        "  opened in {:.1} ms, a frame in {:.2} ms",
        1e3 * opened,
        1e3 * begin.elapsed().as_secs_f64()
    );
    assert_eq!(middle, frame(1, 4, frames / 2));
    let begin = Instant::now();
    csv(&recording, Table::Contacts, &mut BufWriter::new(std::io::sink()))?;
    parquet(&recording, Table::Contacts, &mut std::io::sink())?;
    let other = path.with_extension("npz");
    npz(&recording, &mut File::create(&other)?)?;
    std::fs::remove_file(&other)?;
    println!("  contacts as CSV and Parquet, all as NPZ: {:.1} s", begin.elapsed().as_secs_f64());
    println!("  memory grew by {:.1} MB at most", peak().saturating_sub(memory) as f64 / 1e6);

    let time = record(&path, 510, 3060, 200, 0)?;
    println!("510 bodies, 3060 contacts: {time:.0} µs for a frame");
    let drawn = record(&path, 510, 3060, 200, 1)?;
    println!("  with pictures of each: {drawn:.0} µs");
    std::fs::remove_file(&path)?;
    assert!(time < 20_000.0, "a frame took {time} µs");
    Ok(())
}

/// Records frames, with a picture at each `pictures`th, and returns the time for one [µs]: the median, as the machine may
/// have other things to do.
fn record(
    path: &Path,
    bodies: usize,
    contacts: usize,
    frames: u64,
    pictures: u64,
) -> Result<f64, Box<dyn Error>> {
    let mut recorder = Recorder::create(path, &header(bodies), &RecorderSettings::default())?;
    let mut frame = frame(bodies, contacts, 0);
    let mut times = Vec::new();
    let group = (frames / 200).max(1);
    let mut begin = Instant::now();
    for step in 0..frames {
        (frame.step, frame.time) = (step, 1e-3 * step as f64);
        recorder.frame(&frame)?;
        if pictures > 0 && step % pictures == 0 {
            recorder.pictures(&frame)?;
        }
        if (step + 1) % group == 0 {
            times.push(1e6 * begin.elapsed().as_secs_f64() / group as f64);
            begin = Instant::now();
        }
    }
    recorder.finish(&BTreeMap::new())?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn header(bodies: usize) -> Header {
    let numbers = |names: [&str; 7], unit: &str| -> Vec<Coordinate> {
        (0..bodies)
            .flat_map(|i| names.map(|name| format!("brick{i}.{name}")))
            .map(|name| Coordinate { name, unit: unit.into() })
            .collect()
    };
    let mut v = numbers(["vx", "vy", "vz", "wx", "wy", "wz", ""], "m/s");
    v.truncate(6 * bodies);
    Header {
        h: 1e-3,
        bodies: (0..bodies).map(|i| BodyInfo { name: format!("brick{i}"), mass: 1.0 }).collect(),
        shapes: (0..bodies)
            .map(|i| ShapeInfo {
                name: format!("brick{i}"),
                body: Some(i),
                material: String::new(),
                position: [0.0; 3],
                quat_wxyz: [1.0, 0.0, 0.0, 0.0],
                geometry: Geometry::Box { half: [0.1, 0.05, 0.05] },
            })
            .collect(),
        q: numbers(["x", "y", "z", "qw", "qx", "qy", "qz"], "m"),
        v,
        ledger: ["gravity", "friction", "impact", "projection"].map(String::from).into(),
        ..Header::default()
    }
}

fn frame(bodies: usize, contacts: usize, step: u64) -> Frame {
    let contact = |i: usize| Contact {
        shape_a: (i % bodies) as u32,
        shape_b: ((i + 1) % bodies) as u32,
        feature: (i % 8) as u32,
        point: [0.1 * i as f64; 3],
        normal: [0.0, 0.0, 1.0],
        gap: 1e-6,
        impulse: [1e-4, 2e-4, 9.81e-3],
        velocity: [1e-9; 3],
        mu: 0.5,
        ..Contact::default()
    };
    let mut frame = Frame {
        step,
        time: 1e-3 * step as f64,
        q: vec![0.25; 7 * bodies],
        v: vec![0.125; 6 * bodies],
        poses: vec![[0.5; 7]; bodies],
        contacts: (0..contacts).map(contact).collect(),
        ..Frame::default()
    };
    frame.certificate.residual = 1e-13;
    frame.certificate.solver = "nsgs".into();
    frame.energy.terms = vec![1e-3; 4];
    frame
}

/// Largest memory of the process so far [bytes]; 0 where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
