//! Reads a recording: in order, or any frame of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use crate::container::{self, Source, op};
use crate::error::{RecordError, damaged};
use crate::frame::{Certificate, Energy, Frame};
use crate::header::Header;
use crate::message::{self, Body, CERTIFICATE, CONTACTS, ENERGY, IMPACTS, KeyFrame};
use crate::recorder::nanoseconds;
use crate::scan::{Contents, Cut, Topic, scan};

/// A recording, whole or cut. Frames stay in the file until they are asked for.
pub struct Recording {
    pub header: Header,
    /// Where the file stops short of its end; what is before can be read.
    pub cut: Option<Cut>,
    source: Source,
    contents: Contents,
    /// Number of the first frame of each chunk, and of all frames.
    first: Vec<u64>,
}

impl Recording {
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let opening = |error| RecordError::Io { doing: "opening the recording", error };
        let file = File::open(path).map_err(opening)?;
        let length = file.metadata().map_err(opening)?.len();
        Self::read(Source::File { file, length })
    }

    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, RecordError> {
        Self::read(Source::Bytes(bytes))
    }

    fn read(source: Source) -> Result<Self, RecordError> {
        let mut contents = scan(&source)?;
        let cut = contents.cut.take();
        let Some(mut header) = contents.header.take() else {
            return Err(match cut {
                Some(cut) => damaged(cut.at, "the file ends here, before its header"),
                None => RecordError::Foreign { what: "no attachment header.json".into() },
            });
        };
        header.scene = std::mem::take(&mut contents.scene);
        let mut first = vec![0];
        let mut frames = 0_u64;
        for chunk in &contents.chunks {
            frames = frames.saturating_add(chunk.frames);
            first.push(frames);
        }
        Ok(Self { header, cut, source, contents, first })
    }

    /// Whether the file stops short of its end.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// What the run came to, if it came to an end.
    pub fn summary(&self) -> Option<&BTreeMap<String, String>> {
        self.contents.summary.as_ref()
    }

    /// By the index of the file.
    pub fn frame_count(&self) -> u64 {
        *self.first.last().unwrap_or(&0)
    }

    /// All frames in their order.
    ///
    /// What is damaged gives an error, and what can be read after it is: a chunk that does not fit its checksum is passed over.
    pub fn frames(&self) -> Frames<'_> {
        self.frames_of_chunk(0)
    }

    fn frames_of_chunk(&self, chunk: usize) -> Frames<'_> {
        Frames {
            recording: self,
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

    /// The frame of that place in the recording; it costs the reading of one chunk.
    pub fn frame(&self, index: u64) -> Result<Frame, RecordError> {
        let frames = self.frame_count();
        if index >= frames {
            return Err(RecordError::NoFrame { index, frames });
        }
        let chunk = self.chunk_of(index);
        let found = self.nth_frame(chunk, index - self.first[chunk]);
        // its parts may be in chunks before, behind the last frame, where another program has made the chunks
        let before = index.checked_sub(1).map_or(0, |last| self.chunk_of(last));
        match found {
            Err(RecordError::Damaged { .. }) if before < chunk => {
                self.nth_frame(before, index - self.first[before]).or(found)
            }
            _ => found,
        }
    }

    /// The chunk with the frame of that place.
    fn chunk_of(&self, index: u64) -> usize {
        self.first.partition_point(|first| *first <= index).saturating_sub(1)
    }

    /// The frame that comes after `skipped` others from the beginning of a chunk.
    fn nth_frame(&self, chunk: usize, skipped: u64) -> Result<Frame, RecordError> {
        let mut frames = self.frames_of_chunk(chunk);
        let mut frame = Frame::default();
        while let Some(read) = frames.read(&mut frame) {
            if frames.steps > skipped {
                return read.map(|()| frame);
            }
            // a step among those that are passed over may lack its parts
            if frames.steps == 0 {
                read?;
            }
        }
        let offset = self.contents.chunks.get(chunk).map_or(0, |chunk| chunk.offset);
        Err(damaged(offset, "a chunk with fewer frames than its index says"))
    }

    /// The last frame at or before a time [s], to the nanosecond; the first frame before all.
    pub fn frame_at(&self, time: f64) -> Result<Frame, RecordError> {
        let clock = nanoseconds(time);
        let after = self.contents.chunks.partition_point(|chunk| chunk.start <= clock);
        // it is in the last chunk that begins before, or ends the one before that
        let mut low = self.first[after.saturating_sub(1)].saturating_sub(1);
        let mut high = self.first[after];
        let mut found = self.frame(low)?;
        while high.saturating_sub(low) > 1 {
            let middle = low + (high - low) / 2;
            let frame = self.frame(middle)?;
            if nanoseconds(frame.time) <= clock {
                (low, found) = (middle, frame);
            } else {
                high = middle;
            }
        }
        Ok(found)
    }

    /// All states that were kept, in their order.
    pub fn states(&self) -> impl Iterator<Item = Result<KeyFrame, RecordError>> {
        (0..self.contents.chunks.len()).flat_map(|chunk| match self.states_of_chunk(chunk) {
            Ok(states) => states.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// The last state that was kept at or before a step.
    pub fn state_before(&self, step: u64) -> Result<Option<KeyFrame>, RecordError> {
        for chunk in (0..self.contents.chunks.len()).rev() {
            let states = self.states_of_chunk(chunk)?;
            if let Some(state) = states.into_iter().rfind(|state| state.step <= step) {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    fn states_of_chunk(&self, chunk: usize) -> Result<Vec<KeyFrame>, RecordError> {
        let chunk = &self.contents.chunks[chunk];
        let mut states = Vec::new();
        if chunk.states == 0 {
            return Ok(states);
        }
        let mut records = Vec::new();
        container::load(&self.source, chunk, &mut records)?;
        let mut place = 0;
        while let Some(Ok(record)) = container::record(&records, place) {
            place = record.place + record.body.len();
            let Some((id, _, bytes, into)) = message_of(&record) else { continue };
            if self.contents.channels.get(&id) == Some(&Topic::State) {
                let offset = chunk.offset + (record.place + into) as u64;
                states.push(message::read_state(Body { offset, bytes })?);
            }
        }
        Ok(states)
    }
}

fn message_of<'a>(record: &container::Record<'a>) -> Option<(u16, u32, &'a [u8], usize)> {
    if record.op == op::MESSAGE { container::message(record.body) } else { None }
}

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
    steps: u64,
}

impl Frames<'_> {
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
