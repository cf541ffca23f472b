use std::io::Write;

use stiction_record::{Geometry, Header, RecordError, Recorder, RecorderSettings, Recording};

use crate::sample::{bits, bytes, frame, header, open, summary};

#[test]
fn every_bit_of_every_frame_comes_back() {
    for chunk in [1, 3000, 256 << 10] {
        let recording = open(bytes(50, chunk));
        assert!(!recording.is_cut());
        assert_eq!(recording.header, header());
        assert_eq!(recording.summary(), Some(&summary()));
        assert_eq!(recording.frame_count(), 50);
        let frames: Vec<_> = recording.frames().map(|frame| frame.unwrap()).collect();
        assert_eq!(frames.len(), 50);
        for (step, found) in frames.iter().enumerate() {
            assert_eq!(bits(found), bits(&frame(step as u64)), "step {step}, chunks of {chunk}");
        }
    }
}

#[test]
fn states_come_back_and_the_one_before_a_step_is_found() {
    for chunk in [1, 3000, 256 << 10] {
        let recording = open(bytes(35, chunk));
        let states: Vec<_> = recording.states().map(|state| state.unwrap()).collect();
        let steps: Vec<_> = states.iter().map(|state| state.step).collect();
        assert_eq!(steps, [0, 10, 20, 30]);
        assert_eq!(states[2].bytes, b"state 20");
        assert_eq!(states[2].time.to_bits(), frame(20).time.to_bits());
        for (asked, found) in [(0, 0), (9, 0), (10, 10), (29, 20), (1000, 30)] {
            assert_eq!(recording.state_before(asked).unwrap().unwrap().step, found);
        }
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    assert!(bytes(20, 3000) == bytes(20, 3000));
}

#[test]
fn a_recorder_that_is_dropped_leaves_a_whole_file_without_a_summary() {
    let folder = std::env::temp_dir().join("stiction-record-dropped");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{}.mcap", std::process::id()));
    {
        let mut recorder =
            Recorder::create(&path, &header(), &RecorderSettings::default()).unwrap();
        recorder.frame(&frame(0)).unwrap();
    }
    let recording = Recording::open(&path).unwrap();
    assert!(!recording.is_cut());
    assert_eq!(recording.summary(), None);
    assert_eq!(bits(&recording.frame(0).unwrap()), bits(&frame(0)));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_header_that_could_not_be_read_is_not_written() {
    let refused = |header: &Header| {
        let error = Recorder::new(Vec::new(), header, &RecorderSettings::default()).err().unwrap();
        assert!(matches!(error, RecordError::Unreadable { .. }), "{error}");
        error.to_string()
    };
    refused(&Header { h: f64::NAN, ..header() });
    let mut header = header();
    header.shapes[7].geometry = Geometry::Mesh { vertices: vec![], triangles: vec![[0, 1, 2]] };
    assert_eq!(
        refused(&header),
        "cannot be recorded: the header: shape `tetrahedron` has vertex 0 of 0"
    );
    header.shapes[1].body = Some(2);
    assert_eq!(refused(&header), "cannot be recorded: the header: shape `box` is on body 2 of 2");
}

/// A disk with room for so many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_at_any_byte() {
    let settings = RecorderSettings { chunk: 2000, arrows: None };
    let record = |room: usize| -> Result<(), RecordError> {
        let mut recorder = Recorder::new(Full(room), &header(), &settings)?;
        for step in 0..12 {
            // goes on after a failure, as a careless caller may
            if recorder.frame(&frame(step)).is_err() {
                return recorder.frame(&frame(step)).and(Ok(()));
            }
        }
        recorder.finish(&summary()).map(|_| ())
    };
    let (mut refused, mut room) = (0, 0);
    while let Err(error) = record(room) {
        assert!(matches!(error, RecordError::Io { .. }), "{error}");
        refused += 1;
        room += 13;
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
#[should_panic(expected = "numbers of q")]
fn a_frame_that_does_not_fit_the_header_is_a_broken_contract() {
    let mut recorder = Recorder::new(Vec::new(), &header(), &RecorderSettings::default()).unwrap();
    let mut frame = frame(1);
    frame.q.pop();
    let _ = recorder.frame(&frame);
}

#[test]
fn a_state_too_large_for_a_chunk_is_refused_and_the_recording_goes_on() {
    let mut recorder = Recorder::new(Vec::new(), &header(), &RecorderSettings::default()).unwrap();
    let error = recorder.state(0, 0.0, &vec![1; 65 << 20]).unwrap_err();
    assert!(matches!(error, RecordError::Unreadable { .. }), "{error}");
    recorder.frame(&frame(1)).unwrap();
    let recording = open(recorder.finish(&summary()).unwrap());
    assert_eq!(bits(&recording.frame(0).unwrap()), bits(&frame(1)));
}

#[test]
fn arrows_are_as_long_as_the_settings_say() {
    let mut frame = frame(1);
    frame.contacts[0].impulse = [0.0, 3.0, 4.0];
    for scale in [0.5, 2.0] {
        let settings = RecorderSettings { arrows: Some(scale), ..RecorderSettings::default() };
        let mut recorder = Recorder::new(Vec::new(), &header(), &settings).unwrap();
        recorder.pictures(&frame).unwrap();
        let bytes = recorder.finish(&summary()).unwrap();
        let mut messages =
            mcap::MessageStream::new(&bytes).unwrap().map(|message| message.unwrap());
        let arrows = messages.find(|message| message.channel.topic == "/impulses").unwrap();
        // four fifths of the length are the shaft
        let shaft = (0.8 * (scale * 5.0_f64)).to_le_bytes();
        assert!(arrows.data.windows(8).any(|eight| eight == shaft), "{scale} m for each N·s");
    }
}
