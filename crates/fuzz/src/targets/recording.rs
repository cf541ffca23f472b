//! Recordings (MCAP): every frame in order, frames out of order, states, all exports, and what a replay page keeps.

use std::io::Cursor;

use stiction_record::export::{self, Table};
use stiction_record::{
    BodyInfo, Certificate, Contact, Coordinate, Energy, Frame, Geometry, Header, Impact, Mode,
    RecordError, Recorder, RecorderSettings, Recording, ShapeInfo,
};

use stiction_replay::{Track, TrackSettings};

use crate::Target;

pub fn recording() -> Target {
    let whole = written(40, 600);
    let unchecked = without_checksums(&whole);
    let seeds = vec![written(0, 600), written(3, 1 << 20), unchecked, whole];
    Target { name: "recording", read, seeds, words: WORDS, memory: 32 << 20 }
}

/// A page of a small recording has less [bytes].
const PAGE: usize = 16 << 20;

const WORDS: &[&str] = &[
    "\u{89}MCAP0\r\n",
    "header.json",
    "scene.toml",
    "stiction",
    "summary",
    "/stiction/step",
    "/stiction/contacts",
    "/stiction/certificate",
    "/stiction/energy",
    "/stiction/impacts",
    "/stiction/state",
    "/tf",
    "protobuf",
    "lz4",
    "zstd",
    "\"body\":0",
    "\"body\":null",
    "\"kind\":\"sphere\"",
    "\"kind\":\"mesh\"",
    "\"bodies\":[]",
    "\"ledger\":[]",
];

fn read(bytes: &[u8]) -> String {
    match Recording::from_bytes(bytes.to_vec()) {
        Err(error) => error.to_string(),
        Ok(recording) => match walked(&recording) {
            Err(error) => format!("opened: {error}"),
            Ok(frames) => format!("read {frames}, {:?}", recording.cut),
        },
    }
}

/// All that other parts of the program ask of a recording. The first error that was met.
fn walked(recording: &Recording) -> Result<usize, RecordError> {
    let mut first = Ok(());
    let mut note = |result: Result<(), RecordError>| {
        if first.is_ok() {
            first = result;
        }
    };
    let mut frame = Frame::default();
    let mut frames = recording.frames();
    let mut count = 0;
    let mut track = Track::new(&recording.header, &TrackSettings::default());
    while let Some(read) = frames.read(&mut frame) {
        if read.is_ok() {
            track.push(&frame);
        }
        note(read);
        count += 1;
    }
    assert!(track.bytes() < PAGE, "a page of {} bytes", track.bytes());
    for state in recording.states() {
        note(state.map(|_| ()));
    }
    note(recording.state_before(7).map(|_| ()));
    let last = recording.frame_count().saturating_sub(1);
    let mut note_frame = |found: Result<Frame, RecordError>| match found {
        Err(RecordError::NoFrame { .. }) => {}
        found => note(found.map(|_| ())),
    };
    for index in [0, last / 2, last, u64::MAX] {
        note_frame(recording.frame(index));
    }
    for time in [-1.0, 0.0, 0.05, 1e300, f64::NAN, f64::INFINITY] {
        note_frame(recording.frame_at(time));
    }
    for table in [Table::Steps, Table::Contacts] {
        note(export::csv(recording, table, &mut Vec::new()));
        note(export::parquet(recording, table, &mut Vec::new()));
    }
    note(export::npz(recording, &mut Cursor::new(Vec::new())));
    first.map(|()| count)
}

/// A recording of so many frames, in chunks of this size [bytes].
fn written(frames: u64, chunk: usize) -> Vec<u8> {
    let settings = RecorderSettings { chunk, ..RecorderSettings::default() };
    let mut recorder = Recorder::new(Vec::new(), &header(), &settings).expect("memory is writable");
    for step in 0..frames {
        let frame = frame(step);
        recorder.frame(&frame).expect("memory is writable");
        if step % 10 == 0 {
            recorder.state(step, frame.time, b"state").expect("memory is writable");
            recorder.pictures(&frame).expect("memory is writable");
        }
    }
    let summary = [("steps".to_string(), frames.to_string())].into();
    recorder.finish(&summary).expect("memory is writable")
}

fn header() -> Header {
    let name = |name: &str| Coordinate { name: name.into(), unit: "m".into() };
    let shape = |name: &str, body, geometry| ShapeInfo {
        name: name.into(),
        body,
        material: "wood".into(),
        position: [0.0; 3],
        quat_wxyz: [1.0, 0.0, 0.0, 0.0],
        geometry,
    };
    let triangle = Geometry::Mesh {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
    };
    Header {
        title: "Seed".into(),
        version: "0".into(),
        scene: "[bodies.box]\n".into(),
        h: 0.01,
        law: "cone".into(),
        solver: "auto".into(),
        tol: 1e-12,
        bodies: vec![BodyInfo { name: "box".into(), mass: 1.0 }],
        shapes: vec![
            shape("ground", None, Geometry::HalfSpace),
            shape("box", Some(0), Geometry::Box { half: [0.5; 3] }),
            shape("flag", Some(0), triangle),
        ],
        q: vec![name("box.x"), name("box.y")],
        v: vec![name("box.vx")],
        ledger: vec!["gravity".into()],
        ..Header::default()
    }
}

fn frame(step: u64) -> Frame {
    let time = 0.01 * step as f64;
    let contact = Contact {
        shape_a: 0,
        shape_b: 1,
        feature: step as u32,
        point: [time, 0.0, 0.0],
        normal: [0.0, 0.0, 1.0],
        gap: -1e-9,
        impulse: [0.0, 0.1, 0.2],
        velocity: [0.0; 3],
        mu: 0.5,
        mode: [Mode::Open, Mode::Stick, Mode::Slip][step as usize % 3],
    };
    Frame {
        step,
        time,
        q: vec![time, 1.0],
        v: vec![1.0],
        poses: vec![[time, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]],
        contacts: vec![contact; step as usize % 3],
        certificate: Certificate {
            certified: true,
            solver: "nsgs".into(),
            ..Certificate::default()
        },
        energy: Energy { kinetic: 1.0, potential: 2.0, terms: vec![0.5] },
        impacts: vec![Impact { time, contacts: 1, speed: 1.0, lost: 0.1 }; step as usize % 2],
    }
}

/// The same file with 0 for every checksum, which means that there is none: changes reach what a checksum would guard.
fn without_checksums(bytes: &[u8]) -> Vec<u8> {
    const MAGIC: usize = 8;
    let mut out = bytes.to_vec();
    let mut at = MAGIC;
    while let Some(prefix) = bytes.get(at..at + 9) {
        let length = u64::from_le_bytes(prefix[1..9].try_into().unwrap_or_default()) as usize;
        let (start, end) = (at + 9, at + 9 + length);
        let checksum = match prefix[0] {
            // a chunk: two times and a size come before
            0x06 => start + 24..start + 28,
            // an attachment, the end of the data, the footer: at the end
            0x02 | 0x09 | 0x0F => end.saturating_sub(4)..end,
            _ => 0..0,
        };
        if let Some(checksum) = out.get_mut(checksum) {
            checksum.fill(0);
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_to_their_end() {
        for (seed, frames) in recording().seeds.iter().zip([0, 3, 40, 40]) {
            assert_eq!(read(seed), format!("read {frames}, None"));
        }
    }

    #[test]
    fn without_checksums_a_changed_number_is_read() {
        let whole = written(40, 600);
        let place = whole.windows(8).position(|bytes| bytes == 0.05_f64.to_le_bytes());
        let changed = |mut bytes: Vec<u8>| {
            bytes[place.unwrap()] ^= 1;
            read(&bytes)
        };
        assert!(changed(whole.clone()).contains("checksum"));
        assert_eq!(changed(without_checksums(&whole)), "read 40, None");
    }
}
