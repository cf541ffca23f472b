//! What is dropped when a recording is too long, and what never is.

use stiction_record::{Contact, Frame, Impact};
use stiction_replay::{Track, TrackSettings};

use crate::samples;

/// `steps` frames of one body with `contacts` contacts, pushed with room for `bytes`.
fn run(steps: u64, contacts: usize, settings: &TrackSettings) -> Track {
    let mut header = samples::header("long", vec![samples::body("a", 1.0)]);
    header.ledger = vec!["gravity".into()];
    let mut track = Track::new(&header, settings);
    let mut frame = Frame::default();
    for step in 0..=steps {
        frame.clear();
        (frame.step, frame.time) = (step, 0.001 * step as f64);
        frame.poses.push([step as f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        frame.contacts.extend(vec![Contact::default(); contacts]);
        frame.certificate.certified = step != 777;
        frame.certificate.residual = if step == 777 { 1e-3 } else { 1e-13 };
        frame.energy.terms.push(1.0);
        if step == 333 {
            frame.impacts.push(Impact { speed: 2.0, lost: 5.0, ..Impact::default() });
        }
        track.push(&frame);
        assert!(track.bytes() <= settings.bytes || track.pictures().len() <= 2);
    }
    track
}

fn steps_of(track: &Track) -> Vec<u64> {
    track.pictures().iter().map(|picture| picture.row.step).collect()
}

#[test]
fn a_short_recording_keeps_every_frame() {
    let track = run(1000, 4, &TrackSettings::default());
    assert_eq!(steps_of(&track), (0..=1000).collect::<Vec<_>>());
    assert!(track.pictures().iter().all(|picture| picture.contacts.is_some()));
}

#[test]
fn a_long_recording_keeps_the_rate_of_pictures_and_both_ends() {
    let settings = TrackSettings { pictures: 100, ..TrackSettings::default() };
    let track = run(10_001, 0, &settings);
    let steps = steps_of(&track);
    assert_eq!((steps[0], steps[steps.len() - 1]), (0, 10_001));
    assert_eq!(track.summary().stride, 16, "62.5 per second");
    assert!(steps.windows(2).rev().skip(1).all(|pair| pair[1] - pair[0] == 16));
}

#[test]
fn the_page_stays_within_its_bytes_and_keeps_both_ends() {
    for contacts in [0, 3, 40] {
        let settings = TrackSettings { bytes: 220_000, ..TrackSettings::default() };
        let track = run(1999, contacts, &settings);
        let steps = steps_of(&track);
        assert!(track.page().len() <= settings.bytes, "{contacts} contacts");
        assert_eq!((steps[0], steps[steps.len() - 1]), (0, 1999));
        assert!(steps.len() > 100, "{} pictures", steps.len());
    }
}

#[test]
fn contacts_that_need_most_of_the_room_are_kept_with_fewer_pictures() {
    let settings = TrackSettings { bytes: 220_000, ..TrackSettings::default() };
    let track = run(1999, 40, &settings);
    let summary = track.summary();
    assert!(summary.contact_stride > summary.stride && !summary.contacts_left_out);
    let kept: Vec<_> = track.pictures().iter().filter(|p| p.contacts.is_some()).collect();
    assert!(kept.len() > 5 && kept.len() < track.pictures().len());
    for picture in &kept[..kept.len() - 1] {
        assert!(picture.row.step.is_multiple_of(summary.contact_stride));
    }
    assert_eq!(kept[kept.len() - 1].row.step, 1999, "the last picture has its contacts");
}

#[test]
fn contacts_that_never_fit_are_left_out_and_counted() {
    let settings = TrackSettings { bytes: 150_000, ..TrackSettings::default() };
    let track = run(50, 2000, &settings);
    assert!(track.summary().contacts_left_out);
    assert_eq!(track.pictures().len(), 51);
    assert!(track.pictures().iter().all(|p| p.contacts.is_none() && p.row.contacts == 2000));
}

#[test]
fn what_is_dropped_lives_on_in_the_next_picture() {
    let settings = TrackSettings { pictures: 100, ..TrackSettings::default() };
    let track = run(4000, 0, &settings);
    let rows: Vec<_> = track.pictures().iter().map(|picture| &picture.row).collect();
    assert!(rows.iter().all(|row| row.step != 777 && row.step != 333));
    let bad: Vec<_> = rows.iter().filter(|row| row.since.uncertified > 0).collect();
    assert_eq!(bad.len(), 1);
    assert!((bad[0].step, bad[0].since.residual) == (784, 1e-3) && bad[0].certified);
    let hit: Vec<_> = rows.iter().filter(|row| row.since.impacts > 0).collect();
    assert_eq!((hit.len(), hit[0].since.impact_speed, hit[0].since.impact_lost), (1, 2.0, 5.0));
    let total: f64 = rows.iter().map(|row| row.since.terms[0]).sum();
    assert_eq!(total, 4001.0, "the ledger of dropped steps is not lost");
    assert_eq!((track.summary().steps, track.summary().certified), (4000, 3999));
    assert_eq!((track.summary().worst_step, track.summary().worst_residual), (777, 1e-3));
}

#[test]
fn equal_frames_give_equal_pages() {
    let settings = TrackSettings { bytes: 220_000, ..TrackSettings::default() };
    assert_eq!(run(999, 7, &settings).page(), run(999, 7, &settings).page());
}

#[test]
fn solvers_beyond_the_list_are_called_others() {
    let mut track = Track::new(&samples::header("many", vec![]), &TrackSettings::default());
    let mut frame = Frame::default();
    for k in 0..200 {
        frame.certificate.solver = format!("solver {k}");
        track.push(&frame);
    }
    frame.certificate.solver = "solver 1".into();
    track.push(&frame);
    let places: Vec<_> = track.pictures().iter().map(|picture| picture.row.solver).collect();
    let names = &track.summary().solvers;
    assert_eq!(
        (names.len(), places[62], places[63], places[199], places[200]),
        (64, 62, 63, 63, 1)
    );
    assert_eq!((names[62].as_str(), names[63].as_str()), ("solver 62", "others"));
}
