//! Files that were cut, damaged, or are something else: what can be read is, and nothing panics.

use std::cell::RefCell;
use std::io::{BufWriter, Write};
use std::rc::Rc;

use stiction_record::{Frame, RecordError, Recorder, RecorderSettings, Recording};

use crate::sample::{Random, bits, bytes, frame, header, open};

/// Reads all that there is.
fn read_all(recording: &Recording) -> (Vec<String>, Vec<RecordError>) {
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    for frame in recording.frames() {
        match frame {
            Ok(frame) => frames.push(bits(&frame)),
            Err(error) => errors.push(error),
        }
    }
    (frames, errors)
}

#[test]
fn a_file_cut_at_any_byte_reads_up_to_the_cut() {
    let whole = bytes(12, 2000);
    let (all, _) = read_all(&open(whole.clone()));
    let mut frames_before = 0;
    let mut is_readable = false;
    for length in 0..whole.len() {
        match Recording::from_bytes(whole[..length].to_vec()) {
            Ok(recording) => {
                is_readable = true;
                let cut = recording.cut.as_ref().unwrap_or_else(|| panic!("cut at {length}"));
                assert_eq!(cut.at + cut.unread, length as u64);
                let (frames, errors) = read_all(&recording);
                assert!(errors.is_empty(), "cut at {length}: {}", errors[0]);
                assert_eq!(frames, all[..frames.len()], "cut at {length}");
                assert_eq!(recording.frame_count(), frames.len() as u64, "cut at {length}");
                assert!(frames.len() >= frames_before, "cut at {length}");
                frames_before = frames.len();
            }
            Err(error) => {
                assert!(!is_readable, "cut at {length}: {error}");
                assert!(error.to_string().contains("byte "), "{error}");
            }
        }
    }
    assert_eq!(frames_before, all.len());
}

/// What has been handed to the system, whatever happens to the process.
#[derive(Clone, Default)]
struct Disk(Rc<RefCell<Vec<u8>>>);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_process_that_ends_at_any_instant_loses_the_last_chunk_at_most() {
    // a frame of the sample has more than 400 bytes
    for (chunk, most) in [(1, 0), (4000, 10)] {
        let disk = Disk::default();
        let settings = RecorderSettings { chunk, arrows: None };
        let buffer = BufWriter::with_capacity(1 << 20, disk.clone());
        let mut recorder = Recorder::new(buffer, &header(), &settings).unwrap();
        for step in 0..60 {
            recorder.frame(&frame(step)).unwrap();
            let recording = open(disk.0.borrow().clone());
            assert!(recording.is_cut());
            let (frames, errors) = read_all(&recording);
            assert!(errors.is_empty(), "{}", errors[0]);
            let lost = step as usize + 1 - frames.len();
            assert!(lost <= most, "{lost} frames lost at step {step}, chunks of {chunk}");
        }
    }
}

#[test]
fn frames_of_a_chunk_that_was_cut_are_read_one_by_one() {
    let whole = bytes(100, 1 << 20);
    let recording = open(whole[..whole.len() / 2].to_vec());
    let (frames, _) = read_all(&recording);
    assert!(frames.len() > 30 && frames.len() < 70, "{}", frames.len());
    assert_eq!(bits(&recording.frame(30).unwrap()), frames[30]);
}

#[test]
fn a_damaged_chunk_is_reported_with_its_place_and_passed_over() {
    let whole = bytes(30, 2000);
    let (all, _) = read_all(&open(whole.clone()));
    // somewhere in the middle of the frames
    let place = whole.windows(8).position(|eight| eight == b"state 20").unwrap();
    let mut bad = whole;
    bad[place] ^= 1;
    let recording = open(bad);
    let (frames, errors) = read_all(&recording);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().starts_with("byte "), "{}", errors[0]);
    assert!(errors[0].to_string().ends_with("do not fit its checksum"), "{}", errors[0]);
    assert!(frames.len() < all.len() && frames.len() > all.len() / 2);
    assert!(frames.iter().all(|frame| all.contains(frame)));
    assert!(recording.states().any(|state| state.is_err()));
}

/// Everything that can be asked of a file; only that it comes to an end is asserted.
fn exercise(bytes: Vec<u8>) -> usize {
    let Ok(recording) = Recording::from_bytes(bytes) else { return 0 };
    let mut frame = Frame::default();
    let mut frames = recording.frames();
    let mut count = 0;
    while let Some(read) = frames.read(&mut frame) {
        count += usize::from(read.is_ok());
    }
    let _ = recording.frame(recording.frame_count() / 2);
    let _ = recording.frame_at(0.005);
    let _ = recording.state_before(5);
    count
}

/// Flips bits, overwrites bytes with extreme ones, cuts pieces out and doubles others.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let place = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[place] = 0xFF,
            1 => bytes[place] = 0,
            2 => {
                let end = (place + random.below(20)).min(bytes.len());
                bytes.drain(place..end);
            }
            3 => {
                let end = (place + random.below(20)).min(bytes.len());
                let piece = bytes[place..end].to_vec();
                bytes.splice(place..place, piece);
            }
            4 => {
                let end = (place + 8).min(bytes.len());
                bytes[place..end].fill(0xFF);
            }
            _ => bytes[place] ^= 1 << random.below(8),
        }
        if bytes.is_empty() {
            return;
        }
    }
}

/// The file without the checksums of its chunks: damage gets as far as the decoders.
fn without_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while at + 9 <= bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap()) as usize;
        if bytes[at] == 6 {
            bytes[at + 33..at + 37].fill(0);
        }
        at += 9 + length;
    }
    bytes
}

#[test]
fn hundred_thousand_damaged_files_are_read_or_refused() {
    read_damaged_files(6, 100_000);
}

#[test]
#[ignore = "long: run by cargo xtask long"]
fn a_million_damaged_files_are_read_or_refused() {
    read_damaged_files(7, 1_000_000);
}

fn read_damaged_files(seed: u64, count: usize) {
    let whole = bytes(6, 1500);
    let open = without_checksums(whole.clone());
    assert_eq!(exercise(open.clone()), 6);
    // the frames are what is behind the descriptors: they get most of the damage
    let frames = whole.windows(8).position(|eight| eight == b"impulses").unwrap();
    let random = &mut Random(seed);
    let mut read = 0;
    for i in 0..count {
        let mut bad = if i % 4 == 0 { whole.clone() } else { open.clone() };
        if i % 2 == 0 {
            mutate(&mut bad, random);
        } else {
            let mut tail = bad.split_off(frames);
            mutate(&mut tail, random);
            bad.extend(tail);
        }
        read += exercise(bad);
    }
    // most of a file survives most damage
    assert!(read > count, "{read}");
}

#[test]
fn what_is_no_recording_is_refused_with_what_was_expected() {
    let of = |bytes: &[u8]| Recording::from_bytes(bytes.to_vec()).err().unwrap().to_string();
    assert_eq!(of(b""), "not a recording: byte 0: an MCAP file expected");
    assert_eq!(of(b"PK\x03\x04 something else"), "not a recording: byte 0: an MCAP file expected");
    assert_eq!(of(b"\x89MCAP0\r\n"), "byte 8: the file ends here, before its header");
    let random = &mut Random(2);
    for _ in 0..1000 {
        let mut garbage = b"\x89MCAP0\r\n".to_vec();
        garbage.extend((0..random.below(500)).map(|_| random.next() as u8));
        assert!(Recording::from_bytes(garbage).is_err());
    }
}

#[test]
fn a_sound_file_of_another_program_is_refused() {
    let mut writer = mcap::WriteOptions::new()
        .compression(None)
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let channel = writer.add_channel(0, "/odometry", "json", &Default::default()).unwrap();
    let header = mcap::records::MessageHeader {
        channel_id: channel,
        sequence: 0,
        log_time: 0,
        publish_time: 0,
    };
    writer.write_to_known_channel(&header, b"{}").unwrap();
    writer.finish().unwrap();
    let error = Recording::from_bytes(writer.into_inner().into_inner()).err().unwrap();
    assert_eq!(error.to_string(), "not a recording: no attachment header.json");
}

#[test]
fn a_chunk_that_claims_too_much_is_refused_and_nothing_is_allocated_for_it() {
    let whole = bytes(6, 1500);
    let mut at = 8;
    while whole[at] != 6 {
        at += 9 + u64::from_le_bytes(whole[at + 1..at + 9].try_into().unwrap()) as usize;
    }
    for size in [65_u64 << 20, u64::MAX, u64::MAX - 49] {
        let mut bad = whole.clone();
        bad[at + 1..at + 9].copy_from_slice(&size.wrapping_add(40).to_le_bytes());
        bad[at + 25..at + 33].copy_from_slice(&size.to_le_bytes());
        bad[at + 41..at + 49].copy_from_slice(&size.to_le_bytes());
        let error = Recording::from_bytes(bad).err().unwrap().to_string();
        assert!(error.starts_with(&format!("byte {at}: a chunk of {size} bytes")), "{error}");
    }
}

/// Another program may cut the chunks elsewhere: between the messages of a frame.
#[test]
fn frames_that_lie_across_two_chunks_are_found() {
    let whole = bytes(10, 1 << 20);
    let (all, _) = read_all(&open(whole.clone()));
    let again = rechunked(&whole);
    let recording = open(again);
    assert_eq!(recording.frame_count(), 10);
    let (frames, errors) = read_all(&recording);
    assert!(errors.is_empty(), "{}", errors[0]);
    assert_eq!(frames, all);
    for (index, frame) in all.iter().enumerate() {
        assert_eq!(&bits(&recording.frame(index as u64).unwrap()), frame);
    }
}

/// The same messages, three in each chunk.
fn rechunked(bytes: &[u8]) -> Vec<u8> {
    let mut writer = mcap::WriteOptions::new()
        .compression(None)
        .chunk_size(None)
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let mut count = 0;
    for record in mcap::read::LinearReader::new(bytes).unwrap() {
        if let mcap::records::Record::Attachment { header, data, .. } = record.unwrap() {
            let (name, media_type) = (header.name, header.media_type);
            let attachment =
                mcap::Attachment { log_time: 0, create_time: 0, name, media_type, data };
            writer.attach(&attachment).unwrap();
        }
    }
    for message in mcap::MessageStream::new(bytes).unwrap() {
        writer.write(&message.unwrap()).unwrap();
        count += 1;
        if count % 3 == 0 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}
