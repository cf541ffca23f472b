//! Exports, read back by the little that a reader needs.

use std::io::Cursor;

use stiction_record::export::{Table, csv, npz, parquet};
use stiction_record::{Frame, Recorder, RecorderSettings, Recording};

use crate::sample::{bytes, frame, header, open, summary};

fn text(recording: &Recording, table: Table) -> Vec<String> {
    let mut out = Vec::new();
    csv(recording, table, &mut out).unwrap();
    String::from_utf8(out).unwrap().lines().map(String::from).collect()
}

fn frames(recording: &Recording) -> Vec<Frame> {
    recording.frames().map(|frame| frame.unwrap()).collect()
}

/// Of whatever was parsed from text: all NaN are one.
fn same(text: &str, x: f64) -> bool {
    let read: f64 = text.parse().unwrap();
    read.to_bits() == x.to_bits() || (read.is_nan() && x.is_nan())
}

#[test]
fn steps_as_text_have_units_in_their_titles_and_a_row_for_each_frame() {
    let recording = open(bytes(20, 2000));
    let lines = text(&recording, Table::Steps);
    assert_eq!(
        lines[0],
        "step,time[s],box.x[m],box.y[m],box.z[m],box.vx[m/s],box.vy[m/s],kinetic[J],potential[J],\
         ledger.gravity[J],ledger.friction[J],certified,residual,law,coulomb,gap[m],\
         misalignment[rad],overlap[m],iterations,solver,contacts,impacts"
    );
    assert_eq!(lines.len(), 21);
    for (line, frame) in lines[1..].iter().zip(frames(&recording)) {
        let cells: Vec<_> = line.split(',').collect();
        assert_eq!(cells.len(), 22);
        assert_eq!(cells[0], frame.step.to_string());
        assert!(same(cells[1], frame.time));
        assert!(same(cells[3], frame.q[1]), "{} is {}", cells[3], frame.q[1]);
        assert!(same(cells[6], frame.v[1]));
        assert!(same(cells[10], *frame.energy.terms.get(1).unwrap_or(&f64::NAN)));
        assert_eq!(cells[11], frame.certificate.certified.to_string());
        assert!(same(cells[17], frame.certificate.overlap));
        assert_eq!(cells[19], frame.certificate.solver);
        assert_eq!(cells[20], frame.contacts.len().to_string());
    }
}

#[test]
fn contacts_as_text_have_a_row_each() {
    let recording = open(bytes(20, 2000));
    let lines = text(&recording, Table::Contacts);
    assert!(
        lines[0].starts_with("step,time[s],shape_a,shape_b,feature,point.x[m],"),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains(",impulse.z[N·s],"), "{}", lines[0]);
    let frames = frames(&recording);
    let contacts: Vec<_> =
        frames.iter().flat_map(|frame| frame.contacts.iter().map(|c| (frame.step, c))).collect();
    assert_eq!(lines.len() - 1, contacts.len());
    for (line, (step, contact)) in lines[1..].iter().zip(contacts) {
        let cells: Vec<_> = line.split(',').collect();
        assert_eq!(cells[0], step.to_string());
        assert_eq!(cells[2], header().shapes[contact.shape_a as usize].name);
        assert!(same(cells[13], contact.impulse[2]));
        assert!(same(cells[17], contact.gap));
        assert_eq!(cells[19], format!("{:?}", contact.mode).to_lowercase());
    }
}

#[test]
fn a_damaged_chunk_ends_an_export_with_an_error() {
    let mut bad = bytes(30, 2000);
    let place = bad.windows(8).position(|eight| eight == b"state 20").unwrap();
    bad[place] ^= 1;
    let recording = open(bad);
    assert!(csv(&recording, Table::Steps, &mut Vec::new()).is_err());
    assert!(parquet(&recording, Table::Steps, &mut Vec::new()).is_err());
    assert!(npz(&recording, &mut Cursor::new(Vec::new())).is_err());
}

fn u16_at(bytes: &[u8], place: usize) -> usize {
    u16::from_le_bytes(bytes[place..place + 2].try_into().unwrap()) as usize
}

fn u32_at(bytes: &[u8], place: usize) -> usize {
    u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize
}

fn u64_at(bytes: &[u8], place: usize) -> usize {
    u64::from_le_bytes(bytes[place..place + 8].try_into().unwrap()) as usize
}

/// Numpy's header of an array in a zip file, and its content, found by the directory.
fn array<'a>(zip: &'a [u8], name: &str) -> (&'a str, &'a [u8]) {
    let wide = zip.len() - 22 - 20 - 56;
    assert_eq!(&zip[wide..wide + 4], b"PK\x06\x06");
    let (entries, mut at) = (u64_at(zip, wide + 32), u64_at(zip, wide + 48));
    for _ in 0..entries {
        assert_eq!(&zip[at..at + 4], b"PK\x01\x02");
        let length = u16_at(zip, at + 28);
        let (title, extra) = (&zip[at + 46..at + 46 + length], at + 46 + length + 4);
        let (size, place) = (u64_at(zip, extra), u64_at(zip, extra + 16));
        if title == format!("{name}.npy").as_bytes() {
            assert_eq!(&zip[place..place + 4], b"PK\x03\x04");
            assert_eq!(zip[place + 14..place + 18], zip[at + 16..at + 20], "checksum of {name}");
            let data = &zip[place + 30 + length + 20..][..size];
            let header = u16_at(data, 8);
            return (std::str::from_utf8(&data[10..10 + header]).unwrap(), &data[10 + header..]);
        }
        at += 46 + length + u16_at(zip, at + 30);
    }
    panic!("no {name}");
}

fn reals(data: &[u8]) -> Vec<u64> {
    data.as_chunks::<8>().0.iter().map(|x| u64::from_le_bytes(*x)).collect()
}

#[test]
fn arrays_hold_every_bit() {
    // large enough for buffers to be written more than once
    let recording = open(bytes(1500, 4000));
    let mut out = Cursor::new(Vec::new());
    npz(&recording, &mut out).unwrap();
    let zip = out.into_inner();
    let frames = frames(&recording);
    let (header, q) = array(&zip, "q");
    assert!(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (1500,3,), }"));
    assert_eq!((10 + header.len()) % 64, 0);
    let expected: Vec<_> = frames.iter().flat_map(|f| f.q.iter().map(|x| x.to_bits())).collect();
    assert_eq!(reals(q), expected);
    let (_, offsets) = array(&zip, "contact_offsets");
    let offsets = reals(offsets);
    assert_eq!(offsets.len(), 1501);
    let (_, impulses) = array(&zip, "contact_impulse");
    let impulses = reals(impulses);
    for (i, frame) in frames.iter().enumerate() {
        let rows = &impulses[3 * offsets[i] as usize..3 * offsets[i + 1] as usize];
        let expected: Vec<_> =
            frame.contacts.iter().flat_map(|c| c.impulse.map(f64::to_bits)).collect();
        assert_eq!(rows, expected);
    }
    let (header, certified) = array(&zip, "certified");
    assert!(header.contains("'|b1'"));
    assert!(certified.iter().zip(&frames).all(|(c, f)| (*c == 1) == f.certificate.certified));
    let (header, names) = array(&zip, "q_names");
    assert!(header.contains("'<U5'"), "{header}");
    assert_eq!(&names[..8], b"b\0\0\0o\0\0\0");
}

/// Reads thrift's compact protocol: `path` has the numbers of fields, and places in lists after them.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<(Vec<u64>, Found)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Found {
    Int(i64),
    Text(String),
}

impl Thrift<'_> {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn varint(&mut self) -> u64 {
        let (mut x, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            x |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return x;
            }
        }
    }

    fn value(&mut self, kind: u8, path: &[u64]) {
        match kind {
            5 | 6 => {
                let x = self.varint();
                let int = (x >> 1) as i64 ^ -((x & 1) as i64);
                self.found.push((path.to_vec(), Found::Int(int)));
            }
            8 => {
                let length = self.varint() as usize;
                let text = self.bytes[self.at..self.at + length].to_vec();
                self.at += length;
                let text = String::from_utf8(text).unwrap();
                self.found.push((path.to_vec(), Found::Text(text)));
            }
            9 => {
                let head = self.byte();
                let length = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                for i in 0..length {
                    self.value(head & 15, &[path, &[i]].concat());
                }
            }
            12 => self.structure(path),
            other => panic!("type {other}"),
        }
    }

    fn structure(&mut self, path: &[u64]) {
        let mut number = 0;
        loop {
            let head = self.byte();
            if head == 0 {
                return;
            }
            number += u64::from(head >> 4);
            self.value(head & 15, &[path, &[number]].concat());
        }
    }

    fn int(&self, path: &[u64]) -> i64 {
        match self.found.iter().find(|(other, _)| other == path) {
            Some((_, Found::Int(x))) => *x,
            other => panic!("{path:?}: {other:?}"),
        }
    }

    fn read(bytes: &[u8]) -> Thrift<'_> {
        let mut thrift = Thrift { bytes, at: 0, found: Vec::new() };
        thrift.structure(&[]);
        thrift
    }
}

#[test]
fn a_parquet_file_has_a_footer_that_leads_to_every_value() {
    let recording = open(bytes(21, 2000));
    let mut file = Vec::new();
    parquet(&recording, Table::Steps, &mut file).unwrap();
    assert_eq!((&file[..4], &file[file.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    let length = u32_at(&file, file.len() - 8);
    let footer = Thrift::read(&file[file.len() - 8 - length..]);
    assert_eq!(footer.at, length);
    assert_eq!(footer.int(&[3]), 21);
    // the root has as many children as there are titles
    let titles = text(&recording, Table::Steps)[0].split(',').map(String::from).collect::<Vec<_>>();
    assert_eq!(footer.int(&[2, 0, 5]) as usize, titles.len());
    let frames = frames(&recording);
    for (column, title) in titles.iter().enumerate() {
        let named = (vec![2, column as u64 + 1, 4], Found::Text(title.clone()));
        assert!(footer.found.contains(&named), "{title}");
        let place = footer.int(&[4, 0, 1, column as u64, 3, 9]) as usize;
        let page = Thrift::read(&file[place..]);
        assert_eq!(page.int(&[5, 1]), 21);
        let data = &file[place + page.at..][..page.int(&[2]) as usize];
        assert_eq!(footer.int(&[4, 0, 1, column as u64, 3, 7]) as usize, page.at + data.len());
        match title.as_str() {
            "box.y[m]" => {
                let expected: Vec<_> = frames.iter().map(|f| f.q[1].to_bits()).collect();
                assert_eq!(reals(data), expected);
            }
            "certified" => {
                assert_eq!(data.len(), 3);
                for (i, frame) in frames.iter().enumerate() {
                    assert_eq!(data[i / 8] >> (i % 8) & 1 == 1, frame.certificate.certified);
                }
            }
            "solver" => {
                assert_eq!(&data[..12], b"\0\0\0\0\x04\0\0\0nsgs");
            }
            _ => {}
        }
    }
}

#[test]
fn a_large_table_is_in_several_groups_that_follow_each_other() {
    let settings = RecorderSettings::default();
    let mut recorder = Recorder::new(Vec::new(), &header(), &settings).unwrap();
    let mut many = frame(1);
    many.contacts = std::iter::repeat_n(many.contacts[0], 1000).collect();
    for step in 0..250 {
        many.step = step;
        recorder.frame(&many).unwrap();
    }
    let recording = open(recorder.finish(&summary()).unwrap());
    let mut file = Vec::new();
    parquet(&recording, Table::Contacts, &mut file).unwrap();
    let length = u32_at(&file, file.len() - 8);
    let footer = Thrift::read(&file[file.len() - 8 - length..]);
    assert_eq!(footer.int(&[3]), 250_000);
    let mut rows = 0;
    for group in 0..3 {
        let place = footer.int(&[4, group, 1, 0, 3, 9]) as usize;
        let page = Thrift::read(&file[place..]);
        assert_eq!(u64_at(&file, place + page.at), rows / 1000, "step of the first row");
        rows += footer.int(&[4, group, 3]) as usize;
    }
    assert_eq!(rows, 250_000);
}

#[test]
fn an_empty_table_has_its_columns_all_the_same() {
    let recording = open(bytes(0, 2000));
    assert_eq!(text(&recording, Table::Contacts).len(), 1);
    let mut file = Vec::new();
    parquet(&recording, Table::Contacts, &mut file).unwrap();
    let length = u32_at(&file, file.len() - 8);
    let footer = Thrift::read(&file[file.len() - 8 - length..]);
    assert_eq!((footer.int(&[3]), footer.int(&[2, 0, 5])), (0, 20));
}
