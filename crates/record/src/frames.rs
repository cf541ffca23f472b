//! Puts the messages of a recording together to frames.

use crate::container::{self, op};
use crate::error::{RecordError, damaged};
use crate::frame::{Certificate, Energy, Frame};
use crate::header::Header;
use crate::message::{self, Body, CERTIFICATE, CONTACTS, ENERGY, IMPACTS};
use crate::recording::Recording;
use crate::scan::Topic;

/// Frames in the order of the file.
pub struct Frames<'a> {
    recording: &'a Recording,
    /// The chunk after the one that is being read.
    chunk: usize,
    records: Vec<u8>,
    /// Of `records` in the file, and what is next in them.
    offset: u64,
    place: usize,
    /// The frame whose parts are being collected: their sequence number, and which are there.
    pending: Frame,
    sequence: u32,
    parts: u32,
    /// Steps that were come upon, whole or not.
    pub(crate) steps: u64,
}

impl<'a> Frames<'a> {
    /// From the beginning of a chunk on.
    pub(crate) fn new(recording: &'a Recording, chunk: usize) -> Self {
        Self {
            recording,
            chunk,
            records: Vec::new(),
            offset: 0,
            place: 0,
            pending: Frame::default(),
            sequence: 0,
            parts: 0,
            steps: 0,
        }
    }

    /// Reads the next frame into `frame`, whose memory is used again; None at the end.
    pub fn read(&mut self, frame: &mut Frame) -> Option<Result<(), RecordError>> {
        loop {
            match self.take_record() {
                Ok(Taken::Part) => {}
                Ok(Taken::Frame) => {
                    std::mem::swap(frame, &mut self.pending);
                    self.forget();
                    return Some(Ok(()));
                }
                Ok(Taken::End) => {
                    let chunk = self.recording.contents.chunks.get(self.chunk)?;
                    self.chunk += 1;
                    self.offset = chunk.offset;
                    self.place = 0;
                    let source = &self.recording.source;
                    if let Err(error) = container::load(source, chunk, &mut self.records) {
                        self.records.clear();
                        return Some(Err(error));
                    }
                }
                Err(error) => {
                    self.forget();
                    return Some(Err(error));
                }
            }
        }
    }

    /// Forgets the parts that are there.
    fn forget(&mut self) {
        self.pending.clear();
        self.parts = 0;
    }

    /// Takes up the next record of the chunk.
    fn take_record(&mut self) -> Result<Taken, RecordError> {
        let record = match container::record(&self.records, self.place) {
            None => return Ok(Taken::End),
            Some(Ok(record)) => record,
            Some(Err(place)) => {
                let is_cut = self.recording.contents.chunks[self.chunk - 1].is_cut;
                if is_cut {
                    return Ok(Taken::End);
                }
                self.place = self.records.len();
                return Err(damaged(self.offset + place as u64, "no record begins here"));
            }
        };
        self.place = record.place + record.body.len();
        if record.op != op::MESSAGE {
            return Ok(Taken::Part);
        }
        let offset = self.offset + record.place as u64;
        let (id, sequence, bytes, into) = container::message(record.body)
            .ok_or_else(|| damaged(offset, "a message shorter than its header"))?;
        let body = Body { offset: offset + into as u64, bytes };
        let topic = *self.recording.contents.channels.get(&id).unwrap_or(&Topic::Other);
        if matches!(topic, Topic::State | Topic::Other) {
            return Ok(Taken::Part);
        }
        if sequence != self.sequence {
            self.pending.clear();
            (self.sequence, self.parts) = (sequence, 0);
        }
        let (header, frame) = (&self.recording.header, &mut self.pending);
        let part = match topic {
            Topic::Contacts => {
                frame.contacts.clear();
                message::read_contacts(body, header.shapes.len(), &mut frame.contacts)?;
                CONTACTS
            }
            Topic::Certificate => {
                message::read_certificate(body, &mut frame.certificate)?;
                CERTIFICATE
            }
            Topic::Energy => {
                message::read_energy(body, &mut frame.energy)?;
                ENERGY
            }
            Topic::Impacts => {
                frame.impacts.clear();
                message::read_impacts(body, &mut frame.impacts)?;
                IMPACTS
            }
            Topic::Step | Topic::State | Topic::Other => {
                self.steps += 1;
                let parts = message::read_step(body, frame)?;
                if parts & CERTIFICATE == 0 {
                    frame.certificate = Certificate::default();
                }
                if parts & ENERGY == 0 {
                    frame.energy = Energy::default();
                }
                check(header, frame, parts == self.parts, body.offset)?;
                return Ok(Taken::Frame);
            }
        };
        self.parts |= part;
        Ok(Taken::Part)
    }
}

enum Taken {
    Part,
    /// `pending` is whole.
    Frame,
    /// The chunk is at its end.
    End,
}

/// Whether a frame fits the header and has its parts.
fn check(header: &Header, frame: &Frame, is_whole: bool, offset: u64) -> Result<(), RecordError> {
    if !is_whole {
        let what = format!("the messages of step {} are not all there", frame.step);
        return Err(damaged(offset, what));
    }
    let terms = frame.energy.terms.len();
    for (what, found, expected) in [
        ("q", frame.q.len(), header.q.len()),
        ("v", frame.v.len(), header.v.len()),
        ("poses", frame.poses.len(), header.bodies.len()),
        ("terms", terms, if terms == 0 { 0 } else { header.ledger.len() }),
    ] {
        if found != expected {
            let what = format!("{found} {what} in step {}, {expected} expected", frame.step);
            return Err(damaged(offset, what));
        }
    }
    Ok(())
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut frame = Frame::default();
        self.read(&mut frame).map(|read| read.map(|()| frame))
    }
}
