use stiction_record::RecordError;

use crate::sample::{Random, bits, bytes, open};

#[test]
fn frames_by_their_place_are_those_of_the_sequence() {
    for chunk in [1, 3000, 256 << 10] {
        let recording = open(bytes(60, chunk));
        let all: Vec<_> = recording.frames().map(|frame| bits(&frame.unwrap())).collect();
        let random = &mut Random(1);
        for _ in 0..200 {
            let index = random.below(60);
            assert_eq!(bits(&recording.frame(index as u64).unwrap()), all[index]);
        }
        let error = recording.frame(60).unwrap_err();
        assert!(matches!(error, RecordError::NoFrame { index: 60, frames: 60 }), "{error}");
    }
}

#[test]
fn a_time_finds_the_last_frame_at_or_before_it() {
    for chunk in [1, 3000, 256 << 10] {
        let recording = open(bytes(60, chunk));
        for (time, step) in [
            (f64::NEG_INFINITY, 0),
            (f64::NAN, 0),
            (-1.0, 0),
            (0.0, 0),
            (0.0005, 0),
            (0.001, 1),
            (0.001 - 1e-9, 0),
            (0.003, 3),
            (0.0309999, 30),
            (0.001 * 31.0, 31),
            (0.059, 59),
            (1e9, 59),
            (f64::INFINITY, 59),
        ] {
            assert_eq!(recording.frame_at(time).unwrap().step, step, "{time}, chunks of {chunk}");
        }
    }
}

#[test]
fn a_recording_without_frames_has_none() {
    let recording = open(bytes(0, 1000));
    assert_eq!(recording.frame_count(), 0);
    assert!(recording.frames().next().is_none());
    assert!(recording.states().next().is_none());
    assert!(recording.frame_at(0.0).is_err());
}
