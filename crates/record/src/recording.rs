//! Reads a recording: in order, or any frame of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use crate::container::{self, Source, op};
use crate::error::{RecordError, damaged};
use crate::frame::Frame;
use crate::frames::Frames;
use crate::header::Header;
use crate::message::{self, Body, KeyFrame};
use crate::recorder::nanoseconds;
use crate::scan::{Contents, Cut, Topic, scan};

/// A recording, whole or cut. Frames stay in the file until they are asked for.
pub struct Recording {
    pub header: Header,
    /// Where the file stops short of its end; what is before can be read.
    pub cut: Option<Cut>,
    pub(crate) source: Source,
    pub(crate) contents: Contents,
    /// Number of the first frame of each chunk, and of all frames.
    first: Vec<u64>,
}

impl Recording {
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let opening = |error| RecordError::Io { doing: "opening the recording", error };
        // opening a pipe would wait for its other end
        if !std::fs::metadata(path).map_err(opening)?.is_file() {
            return Err(RecordError::Foreign { what: "not a file".into() });
        }
        let file = File::open(path).map_err(opening)?;
        let length = file.metadata().map_err(opening)?.len();
        Self::read(Source::File { file: Mutex::new(file), length })
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
        Frames::new(self, chunk)
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
