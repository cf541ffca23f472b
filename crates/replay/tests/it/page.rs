//! What a page holds.

use serde_json::Value;
use stiction_record::{Contact, Frame, Header};
use stiction_replay::{Track, TrackSettings};

use crate::samples;

fn page_of(header: &Header, frames: &[Frame]) -> String {
    let mut track = Track::new(header, &TrackSettings::default());
    for frame in frames {
        track.push(frame);
    }
    track.page()
}

/// Text of the element with an id.
fn element<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("the element is there");
    rest.split_once("</script>").expect("the element ends").0
}

fn head(page: &str) -> Value {
    serde_json::from_str(element(page, "head")).expect("the head is JSON")
}

/// Bytes of a base64 block.
fn bytes(page: &str, id: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = element(page, id).trim_end_matches('=').as_bytes();
    let mut out = Vec::new();
    for group in text.chunks(4) {
        let bits = (0..4).fold(0, |bits, k| bits << 6 | group.get(k).map_or(0, |&c| value(c)));
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}

fn floats(page: &str, id: &str) -> Vec<f32> {
    bytes(page, id).chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn a_page_refers_to_nothing_outside_itself() {
    let page = samples::every_shape().page();
    for word in [
        "http://",
        "https://",
        "//cdn",
        " src=",
        "url(",
        "@import",
        "import(",
        "fetch(",
        "XMLHttpRequest",
        "<link",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"), "and the browser is told so");
}

#[test]
fn a_page_without_a_recording_is_below_120_kb() {
    assert!(page_of(&Header::default(), &[]).len() < 120_000);
}

#[test]
fn names_from_a_file_cannot_leave_the_data() {
    let hostile = "</script><script>alert(1)</script><!--\u{2028}";
    let mut header = samples::header(hostile, vec![samples::body(hostile, 1.0)]);
    header.law = hostile.into();
    header.command = vec![hostile.into()];
    header.ledger = vec![hostile.into()];
    let geometry = stiction_record::Geometry::Sphere { radius: 1.0 };
    header.shapes = vec![samples::shape(hostile, Some(0), geometry)];
    let mut frame = Frame::default();
    frame.certificate.solver = hostile.into();
    let page = page_of(&header, &[frame]);
    assert!(!page.contains("alert(1)</script>") && !page.contains("<script>alert"));
    assert!(!page.contains('\u{2028}'));
    let clean = page_of(&Header::default(), &[Frame::default()]);
    assert_eq!(page.matches("<script").count(), clean.matches("<script").count());
    let head = head(&page);
    assert_eq!(head["drawing"]["title"], hostile, "the name itself is kept");
    assert_eq!(head["summary"]["solvers"][0], hostile);
}

#[test]
fn the_page_sets_no_markup_from_data() {
    let page = page_of(&Header::default(), &[]);
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn poses_and_contacts_are_those_of_the_frames() {
    let header = samples::header("two", vec![samples::body("a", 1.0), samples::body("b", 2.0)]);
    let mut frame = Frame { step: 3, time: 0.015, ..Frame::default() };
    frame.poses = vec![[0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0], [3.0, 4.0, 5.0, 0.0, 1.0, 0.0, 0.0]];
    frame.contacts = vec![Contact { gap: 0.25, mu: 0.5, ..Contact::default() }; 2];
    let page = page_of(&header, &[Frame::default(), frame]);
    let poses = floats(&page, "poses");
    assert!(poses[..14].iter().all(|x| x.is_nan()), "the first frame has no poses");
    assert_eq!(poses[14..], [0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0, 0.0, 1.0, 0.0, 0.0]);
    let contacts = floats(&page, "contacts");
    assert_eq!(contacts.len(), 2 * 18);
    assert_eq!((contacts[9], contacts[16]), (0.25, 0.5));
    let places: Vec<u8> = [0_u32, 0, 0, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes(&page, "contact-places"), places);
    assert_eq!(bytes(&page, "times")[8..], 0.015_f64.to_le_bytes());
    assert_eq!(bytes(&page, "steps")[8..], 3.0_f64.to_le_bytes());
}

#[test]
fn an_empty_recording_is_a_page() {
    let page = page_of(&Header::default(), &[Frame::default()]);
    let head = head(&page);
    assert_eq!((&head["pictures"], &head["summary"]["steps"]), (&1.into(), &0.into()));
    assert!(bytes(&page, "poses").is_empty() && bytes(&page, "contacts").is_empty());
    assert_eq!(self::head(&page_of(&Header::default(), &[]))["pictures"], 0);
}

#[test]
fn a_missing_pose_is_a_nan_and_the_other_bodies_keep_theirs() {
    let poses = floats(&samples::missing_pose().page(), "poses");
    assert_eq!(poses.iter().filter(|x| x.is_nan()).count(), 1);
    assert_eq!(poses[14..18], [0.0, 0.0, 0.0, 1.0]);
    assert!(poses[14 + 7 + 2].is_nan());
}

#[test]
fn numbers_that_are_not_finite_leave_the_head_valid_json() {
    let mut header = samples::header("nan", vec![samples::body("a", f64::NAN)]);
    header.h = f64::INFINITY;
    let geometry = stiction_record::Geometry::Box { half: [f64::NAN; 3] };
    header.shapes = vec![samples::shape("box", Some(0), geometry)];
    let mut frame = Frame { step: 1, time: f64::NAN, ..Frame::default() };
    frame.poses = vec![[f64::NAN; 7]];
    frame.certificate.residual = f64::NAN;
    frame.certificate.certified = false;
    let page = page_of(&header, &[frame.clone(), frame]);
    let head = head(&page);
    assert!(head["drawing"]["bodies"][0]["mass"].is_null());
    assert!(head["summary"]["worst_residual"].is_null(), "a NaN is the worst residual");
    assert_eq!(head["summary"]["certified"], 0);
    assert!(floats(&page, "poses").iter().all(|x| x.is_nan()));
}

#[test]
fn writing_and_asking_for_the_text_give_the_same_page() {
    let track = samples::every_shape();
    let mut written = Vec::new();
    track.write_page(&mut written).unwrap();
    assert_eq!(written, track.page().into_bytes());
    let guessed = track.bytes() as f64 / written.len() as f64;
    assert!((0.98..1.05).contains(&guessed), "bytes() is off by {guessed}");
}

#[test]
fn five_seconds_of_a_thousand_bodies_fit_the_default_page() {
    let track = samples::thousand(stiction_record::Geometry::Sphere { radius: 0.25 });
    assert_eq!(track.pictures().len(), 300);
    assert!(track.page().len() <= TrackSettings::default().bytes);
}
