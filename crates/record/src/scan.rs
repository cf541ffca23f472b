//! What is where in a file: one pass over its records that reads no frame.

use std::collections::BTreeMap;

use crate::container::{
    self, Chunk, MAGIC, PREFIX, Parts, Source, attachment, body, channel, metadata, op, prefix,
};
use crate::error::{RecordError, damaged};
use crate::header::Header;
use crate::recorder::{
    CERTIFICATE_TOPIC, CONTACTS_TOPIC, ENERGY_TOPIC, HEADER, IMPACTS_TOPIC, SCENE, STATE_TOPIC,
    STEP_TOPIC, SUMMARY,
};

/// Bytes read at the beginning of each record: the whole header of a chunk.
const PEEK: u64 = 64;

/// Bytes of a message without content.
const MESSAGE: u64 = PREFIX + 22;

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Step,
    Contacts,
    Certificate,
    Energy,
    Impacts,
    State,
    /// Pictures, and whatever else a file may hold.
    Other,
}

/// How a file that has no proper end stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The first byte that belongs to nothing whole.
    pub at: u64,
    /// Bytes from there on.
    pub unread: u64,
}

/// The contents of a file.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) header: Option<Header>,
    pub(crate) scene: String,
    pub(crate) summary: Option<BTreeMap<String, String>>,
    pub(crate) channels: BTreeMap<u16, Topic>,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) cut: Option<Cut>,
    /// The last chunk has an index of its messages.
    is_indexed: bool,
}

/// Walks along the records up to the end of the data, or to where the file is cut.
pub(crate) fn scan(source: &Source) -> Result<Contents, RecordError> {
    let mut contents = Contents::default();
    let mut peek = Vec::new();
    let length = source.length();
    source.read(0, MAGIC.len() as u64, &mut peek)?;
    if peek != MAGIC {
        return Err(RecordError::Foreign { what: "byte 0: an MCAP file expected".into() });
    }
    let mut at = MAGIC.len() as u64;
    let is_whole = loop {
        source.read(at, PEEK, &mut peek)?;
        let Some((op, size)) = prefix(&peek) else { break false };
        let is_there = size <= length - at - PREFIX;
        if op != op::MESSAGE_INDEX {
            contents.count_if_not_indexed(source)?;
        }
        match op {
            op::CHUNK => match container::chunk(at, &peek, length)? {
                Some(chunk) => {
                    contents.chunks.push(chunk);
                    contents.is_indexed = false;
                }
                None => break false,
            },
            op::DATA_END | op::FOOTER => break ends_well(source)?,
            _ if !is_there => break false,
            op::MESSAGE_INDEX => contents.read_index(source, &peek)?,
            op::ATTACHMENT => contents.read_attachment(at, &body(source, at, size)?)?,
            op::METADATA => contents.read_metadata(at, &body(source, at, size)?)?,
            // nothing has these opcodes
            0 | 0x10..op::PRIVATE => break false,
            _ => {}
        }
        if !is_there {
            break false;
        }
        at += PREFIX + size;
    };
    contents.count_if_not_indexed(source)?;
    if !is_whole {
        contents.cut = Some(Cut { at, unread: length - at });
    }
    Ok(contents)
}

/// Whether the file has its last bytes.
fn ends_well(source: &Source) -> Result<bool, RecordError> {
    let mut end = Vec::new();
    let length = MAGIC.len() as u64;
    source.read(source.length().saturating_sub(length), length, &mut end)?;
    Ok(end == MAGIC)
}

impl Contents {
    fn read_attachment(&mut self, at: u64, body: &[u8]) -> Result<(), RecordError> {
        let (name, data) = attachment(body, at)?;
        let begins = at + PREFIX + (body.len() - 4 - data.len()) as u64;
        match name {
            HEADER => {
                let header: Header = serde_json::from_slice(data)
                    .map_err(|error| damaged(begins, format!("the header: {error}")))?;
                if let Some(fault) = header.fault() {
                    return Err(damaged(begins, format!("the header: {fault}")));
                }
                self.header = Some(header);
            }
            SCENE => {
                let text = std::str::from_utf8(data)
                    .map_err(|_| damaged(begins, "the scene: UTF-8 expected"))?;
                self.scene = text.to_string();
            }
            _ => {}
        }
        Ok(())
    }

    fn read_metadata(&mut self, at: u64, body: &[u8]) -> Result<(), RecordError> {
        let (name, map) = metadata(body, at)?;
        if name == SUMMARY {
            self.summary = Some(map);
        }
        Ok(())
    }

    /// Counts messages of the last chunk by its index, of which `peek` is the beginning.
    fn read_index(&mut self, source: &Source, peek: &[u8]) -> Result<(), RecordError> {
        let mut parts = Parts(peek);
        let _ = parts.bytes(PREFIX as usize);
        let (Some(channel), Some(length)) = (parts.u16(), parts.u32()) else { return Ok(()) };
        if !self.channels.contains_key(&channel) {
            self.learn_channels(source)?;
        }
        let topic = self.channels.get(&channel);
        let Some(chunk) = self.chunks.last_mut() else { return Ok(()) };
        self.is_indexed = true;
        // no more than there is room for
        let count = u64::from(length / 16).min(chunk.length / MESSAGE);
        match topic {
            Some(Topic::Step) => chunk.frames = count,
            Some(Topic::State) => chunk.states = count,
            _ => {}
        }
        Ok(())
    }

    /// Takes up the channels that the last chunk declares. A damaged chunk declares none.
    fn learn_channels(&mut self, source: &Source) -> Result<(), RecordError> {
        let Some(chunk) = self.chunks.last() else { return Ok(()) };
        let mut records = Vec::new();
        match container::load(source, chunk, &mut records) {
            Ok(()) => {}
            Err(RecordError::Damaged { .. }) => return Ok(()),
            Err(other) => return Err(other),
        }
        let mut place = 0;
        while let Some(Ok(record)) = container::record(&records, place) {
            place = record.place + record.body.len();
            if record.op == op::CHANNEL
                && let Some((id, topic)) = channel(record.body)
            {
                self.channels.insert(id, topic_named(topic));
            }
        }
        Ok(())
    }

    /// Counts the messages of a last chunk that no index followed.
    fn count_if_not_indexed(&mut self, source: &Source) -> Result<(), RecordError> {
        if self.is_indexed || self.chunks.is_empty() {
            return Ok(());
        }
        self.is_indexed = true;
        self.learn_channels(source)?;
        let channels = &self.channels;
        let Some(chunk) = self.chunks.last_mut() else { return Ok(()) };
        let mut records = Vec::new();
        if container::load(source, chunk, &mut records).is_err() {
            return Ok(());
        }
        let mut place = 0;
        while let Some(Ok(record)) = container::record(&records, place) {
            place = record.place + record.body.len();
            if record.op != op::MESSAGE {
                continue;
            }
            let topic = container::message(record.body).and_then(|(id, ..)| channels.get(&id));
            match topic {
                Some(Topic::Step) => chunk.frames += 1,
                Some(Topic::State) => chunk.states += 1,
                _ => {}
            }
        }
        Ok(())
    }
}

fn topic_named(name: &str) -> Topic {
    match name {
        STEP_TOPIC => Topic::Step,
        CONTACTS_TOPIC => Topic::Contacts,
        CERTIFICATE_TOPIC => Topic::Certificate,
        ENERGY_TOPIC => Topic::Energy,
        IMPACTS_TOPIC => Topic::Impacts,
        STATE_TOPIC => Topic::State,
        _ => Topic::Other,
    }
}
