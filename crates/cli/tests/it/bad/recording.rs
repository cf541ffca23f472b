//! Recordings (MCAP). One that was cut behind its header is read as far as it goes.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::harness::{Case, limited, put, refuse};
use crate::program::folder;

#[test]
fn files_that_are_no_recordings_are_refused_with_their_place() {
    refuse("recording", &cases());
}

const SCENE: &str = "\
[bodies.ball]
mass = 1
position = [0, 0, 0.2]
shapes = { kind = \"sphere\", radius = 0.1 }
[shapes.ground]
kind = \"half-space\"
[stepping]
h = 1e-3
duration = 0.5
";

/// A recording that is right.
fn good() -> &'static [u8] {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    GOOD.get_or_init(|| {
        let folder = folder("bad-good-recording");
        put(&folder, "scene.toml", SCENE);
        let done = limited(&folder, &["run", "scene.toml", "-o", "out", "--no-pictures", "-q"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        std::fs::read(folder.join("out/run.mcap")).expect("a run leaves a recording")
    })
}

fn changed(dir: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = good().to_vec();
    change(&mut bytes);
    put(dir, "run.mcap", bytes);
}

/// Where the first record of this kind begins.
fn record(bytes: &[u8], op: u8) -> usize {
    let mut at = 8;
    while bytes[at] != op {
        let length = bytes[at + 1..at + 9].try_into().expect("eight bytes");
        at += 9 + u64::from_le_bytes(length) as usize;
    }
    at
}

const ATTACHMENT: u8 = 0x09;
const CHUNK: u8 = 0x06;

const PLOT: &[&str] = &["plot", "run.mcap"];
const REPLAY: &[&str] = &["replay", "run.mcap"];
const CONVERT: &[&str] = &["convert", "run.mcap", "run.csv"];

fn case(name: &'static str, says: &'static [&'static str], make: fn(&Path)) -> Case {
    Case { name, make, args: PLOT, says }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = other_files();
    cases.extend(damaged_files());
    cases.extend(wrong_requests());
    cases
}

fn other_files() -> Vec<Case> {
    vec![
        case("missing", &["run.mcap"], |_| {}),
        case("empty", &["run.mcap: "], |dir| put(dir, "run.mcap", "")),
        case("folder", &["run.mcap: "], |dir| {
            std::fs::create_dir(dir.join("run.mcap")).expect("a folder can be made");
        }),
        case("pipe", &["run.mcap: "], |dir| {
            let made = Command::new("mkfifo").arg(dir.join("run.mcap")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }),
        case("device", &["run.mcap: "], |dir| {
            std::os::unix::fs::symlink("/dev/zero", dir.join("run.mcap"))
                .expect("a link can be made");
        }),
        case("text", &["run.mcap: byte 0: "], |dir| put(dir, "run.mcap", SCENE)),
        case("noise", &["run.mcap: byte 0: "], |dir| put(dir, "run.mcap", [0x5a; 10_000])),
        case("zeros", &["run.mcap: byte 0: "], |dir| put(dir, "run.mcap", [0; 10_000])),
        case("magic alone", &["run.mcap: byte 8: "], |dir| put(dir, "run.mcap", b"\x89MCAP0\r\n")),
        case("another version", &["run.mcap: byte 0: "], |dir| {
            changed(dir, |bytes| bytes[5] = b'9')
        }),
        case("a recording of another program", &["run.mcap: ", "not a recording"], |dir| {
            // header, end of data, footer
            let mut bytes = b"\x89MCAP0\r\n\x01\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
            bytes.extend(b"\x0f\x04\0\0\0\0\0\0\0\0\0\0\0\x02\x14\0\0\0\0\0\0\0");
            bytes.extend([0; 20]);
            bytes.extend(b"\x89MCAP0\r\n");
            put(dir, "run.mcap", bytes);
        }),
        Case {
            name: "text for a page",
            make: |dir| put(dir, "run.mcap", SCENE),
            args: REPLAY,
            says: &["run.mcap: byte 0: "],
        },
        Case {
            name: "text for a table",
            make: |dir| put(dir, "run.mcap", SCENE),
            args: CONVERT,
            says: &["run.mcap: byte 0: "],
        },
    ]
}

fn damaged_files() -> Vec<Case> {
    vec![
        case("cut in the magic", &["run.mcap: byte "], |dir| changed(dir, |b| b.truncate(5))),
        case("cut in the first record", &["run.mcap: byte "], |dir| {
            changed(dir, |b| b.truncate(14))
        }),
        case("cut in the header", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| bytes.truncate(record(bytes, ATTACHMENT) + 200));
        }),
        case("a flipped bit in the header", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, ATTACHMENT) + 150;
                bytes[place] ^= 1;
            });
        }),
        case("a header of a length beyond all", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, ATTACHMENT) + 1;
                bytes[place..place + 8].fill(0xff);
            });
        }),
        case("a header of 4 GiB", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, ATTACHMENT) + 5;
                bytes[place] = 1;
            });
        }),
        case("a chunk of a length beyond all", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, CHUNK) + 25;
                bytes[place..place + 8].fill(0xff);
            });
        }),
        case("a chunk of 1 TiB", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, CHUNK) + 25 + 5;
                bytes[place] = 1;
            });
        }),
        case("a flipped bit in a chunk", &["run.mcap: byte ", "checksum"], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, CHUNK) + 500;
                bytes[place] ^= 1;
            });
        }),
        case("a compressed chunk", &["run.mcap: byte "], |dir| {
            changed(dir, |bytes| {
                let place = record(bytes, CHUNK) + 9 + 28;
                bytes[place] = 3;
            });
        }),
    ]
}

fn wrong_requests() -> Vec<Case> {
    let made = |name, args, says| Case { name, make: |dir| changed(dir, |_| {}), args, says };
    vec![
        made("unknown plot", &["plot", "run.mcap", "torque"], &["torque"]),
        made("unknown format", &["plot", "run.mcap", "--format", "pdf"], &["pdf"]),
        made("plots into a file", &["plot", "run.mcap", "-o", "run.mcap"], &["run.mcap"]),
        made(
            "page over the recording",
            &["replay", "run.mcap", "-o", "run.mcap"],
            &["run.mcap", "--force"],
        ),
        made(
            "page into no folder",
            &["replay", "run.mcap", "-o", "/proc/none/x.html"],
            &["/proc/none"],
        ),
        made("table into no folder", &["convert", "run.mcap", "/proc/none/x.csv"], &["/proc/none"]),
        made("step 0", &["convert", "run.mcap", "x.json", "--step", "0"], &["--step"]),
        made(
            "step beyond the end",
            &["convert", "run.mcap", "x.json", "--step", "501"],
            &["--step"],
        ),
        made(
            "step far beyond the end",
            &["convert", "run.mcap", "x.json", "--step", "18446744073709551615"],
            &["--step"],
        ),
        made("problem without a step", &["convert", "run.mcap", "x.json"], &["--step"]),
        made("unknown table", &["convert", "run.mcap", "x.csv", "--table", "joints"], &["joints"]),
    ]
}

#[test]
fn a_recording_that_was_cut_is_read_as_far_as_it_goes() {
    let folder = folder("bad-cut-recording");
    let start = record(good(), CHUNK) + 2000;
    for share in [0, 30, 60, 95, 99] {
        let length = start + (good().len() - start) * share / 100;
        put(&folder, "run.mcap", &good()[..length]);
        for args in [PLOT, REPLAY, CONVERT] {
            let args = [args, &["--force"]].concat();
            let done = limited(&folder, &args);
            assert_eq!(done.code, Some(0), "{share} %, {args:?}: {}", done.stderr);
            let line = done.stderr.trim_end();
            let names = line.starts_with("stiction: run.mcap") && line.lines().count() == 1;
            assert!(names, "{share} %, {args:?}: {line}");
        }
    }
}
