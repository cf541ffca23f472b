//! MCAP from the reader's side: records, chunks, attachments, and where a damaged file ends.
//!
//! Every record is an opcode, a length and that many bytes. A file is read along its records, over the chunks, so that one
//! that was cut is read as far as it goes and in the same way. Nothing is allocated that the file does not hold.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use crate::crc::crc32;
use crate::error::{RecordError, damaged};
use crate::recorder::LARGEST_CHUNK;

pub(crate) const MAGIC: &[u8; 8] = b"\x89MCAP0\r\n";
/// Opcode and length.
pub(crate) const PREFIX: u64 = 9;
/// Attachments and metadata that are larger are refused [bytes].
pub(crate) const LARGEST_ATTACHMENT: u64 = 256 << 20;
/// Of a chunk without compression, from its prefix to its data.
const CHUNK_HEADER: u64 = PREFIX + 8 + 8 + 8 + 4 + 4 + 8;

pub(crate) mod op {
    pub(crate) const FOOTER: u8 = 0x02;
    pub(crate) const CHANNEL: u8 = 0x04;
    pub(crate) const MESSAGE: u8 = 0x05;
    pub(crate) const CHUNK: u8 = 0x06;
    pub(crate) const MESSAGE_INDEX: u8 = 0x07;
    pub(crate) const ATTACHMENT: u8 = 0x09;
    pub(crate) const METADATA: u8 = 0x0C;
    pub(crate) const DATA_END: u8 = 0x0F;
    /// From here on opcodes are free for private use.
    pub(crate) const PRIVATE: u8 = 0x80;
}

/// The bytes of a recording.
pub(crate) enum Source {
    /// Reading moves the place in the file: one at a time.
    File {
        file: Mutex<File>,
        length: u64,
    },
    Bytes(Vec<u8>),
}

impl Source {
    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Reads `length` bytes, or those that there are, into `out`, which is cleared before.
    pub(crate) fn read(
        &self,
        offset: u64,
        length: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        out.clear();
        let length = length.min(self.length().saturating_sub(offset));
        match self {
            Self::File { file, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))
                    .and_then(|_| file.by_ref().take(length).read_to_end(out))
                    .map_err(|error| RecordError::Io { doing: "reading the recording", error })?;
            }
            Self::Bytes(bytes) => {
                let start = offset as usize;
                if let Some(part) = bytes.get(start..start + length as usize) {
                    out.extend_from_slice(part);
                }
            }
        }
        Ok(())
    }
}

/// Reads the parts of a record's body, one after the other; None where it is too short.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a>(pub(crate) &'a [u8]);

impl<'a> Parts<'a> {
    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.bytes(2)?.try_into().ok()?))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.u32()?;
        std::str::from_utf8(self.bytes(length as usize)?).ok()
    }

    fn map(&mut self) -> Option<BTreeMap<String, String>> {
        let length = self.u32()?;
        let mut pairs = Parts(self.bytes(length as usize)?);
        let mut map = BTreeMap::new();
        while !pairs.0.is_empty() {
            map.insert(pairs.text()?.to_string(), pairs.text()?.to_string());
        }
        Some(map)
    }
}

/// Opcode and length at the beginning of a record.
pub(crate) fn prefix(bytes: &[u8]) -> Option<(u8, u64)> {
    let mut parts = Parts(bytes);
    Some((parts.bytes(1)?[0], parts.u64()?))
}

/// Where a chunk is, and what its header says.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Of the records in it.
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) crc: u32,
    /// Of its first message [ns].
    pub(crate) start: u64,
    /// The file ends within it.
    pub(crate) is_cut: bool,
    /// Messages of these kinds in it.
    pub(crate) frames: u64,
    pub(crate) states: u64,
}

/// Reads the header of the chunk whose record begins at `offset` with `bytes`; None where the file ends within the header.
pub(crate) fn chunk(
    offset: u64,
    bytes: &[u8],
    file_length: u64,
) -> Result<Option<Chunk>, RecordError> {
    let mut parts = Parts(bytes);
    let header = || -> Option<_> {
        parts.bytes(1)?;
        let (record, start, _end) = (parts.u64()?, parts.u64()?, parts.u64()?);
        let (size, crc, name) = (parts.u64()?, parts.u32()?, parts.u32()?);
        Some((record, start, size, crc, name, parts.u64()))
    };
    let mut header = header;
    let Some((record, start, size, crc, name, stored)) = header() else { return Ok(None) };
    if name != 0 {
        return Err(damaged(
            offset,
            "a compressed chunk; only chunks without compression are read",
        ));
    }
    let Some(stored) = stored else { return Ok(None) };
    if size > LARGEST_CHUNK as u64 {
        let what = format!("a chunk of {size} bytes; {LARGEST_CHUNK} at most are read");
        return Err(damaged(offset, what));
    }
    if stored != size || record != CHUNK_HEADER - PREFIX + size {
        return Err(damaged(offset, "a chunk whose lengths do not agree"));
    }
    let offset = offset + CHUNK_HEADER;
    let there = file_length.saturating_sub(offset);
    Ok(Some(Chunk {
        offset,
        length: size.min(there),
        crc,
        start,
        is_cut: size > there,
        frames: 0,
        states: 0,
    }))
}

/// Reads the records of a chunk into `out` and holds them against their checksum. What is left of a chunk that was cut has
/// none.
pub(crate) fn load(source: &Source, chunk: &Chunk, out: &mut Vec<u8>) -> Result<(), RecordError> {
    source.read(chunk.offset, chunk.length, out)?;
    if out.len() as u64 != chunk.length {
        return Err(damaged(chunk.offset, "the file became shorter while it was read"));
    }
    if !chunk.is_cut && chunk.crc != 0 && crc32(out) != chunk.crc {
        return Err(damaged(chunk.offset, "a chunk whose bytes do not fit its checksum"));
    }
    Ok(())
}

/// A record within a chunk: its place there, its opcode, its body.
pub(crate) struct Record<'a> {
    pub(crate) place: usize,
    pub(crate) op: u8,
    pub(crate) body: &'a [u8],
}

/// The record at `place` of a chunk's records, None at the end, the place again where the rest is no record.
pub(crate) fn record(records: &[u8], place: usize) -> Option<Result<Record<'_>, usize>> {
    let rest = records.get(place..).filter(|rest| !rest.is_empty())?;
    let found = prefix(rest).and_then(|(op, length)| {
        let end = usize::try_from(length).ok()?.checked_add(PREFIX as usize)?;
        Some(Record { place: place + PREFIX as usize, op, body: rest.get(PREFIX as usize..end)? })
    });
    Some(found.ok_or(place))
}

/// Identity and topic of a channel.
pub(crate) fn channel(body: &[u8]) -> Option<(u16, &str)> {
    let mut parts = Parts(body);
    let (id, _schema) = (parts.u16()?, parts.u16()?);
    Some((id, parts.text()?))
}

/// Channel, sequence number and content of a message, and how far into the body the content begins.
pub(crate) fn message(body: &[u8]) -> Option<(u16, u32, &[u8], usize)> {
    let mut parts = Parts(body);
    let (channel, sequence, _log, _publish) =
        (parts.u16()?, parts.u32()?, parts.u64()?, parts.u64()?);
    Some((channel, sequence, parts.0, body.len() - parts.0.len()))
}

/// The body of a record that is read whole, an attachment or metadata.
pub(crate) fn body(source: &Source, offset: u64, length: u64) -> Result<Vec<u8>, RecordError> {
    if length > LARGEST_ATTACHMENT {
        let what = format!("a record of {length} bytes; {LARGEST_ATTACHMENT} at most are read");
        return Err(damaged(offset, what));
    }
    let mut out = Vec::new();
    source.read(offset + PREFIX, length, &mut out)?;
    Ok(out)
}

/// Name and content of an attachment.
pub(crate) fn attachment(body: &[u8], offset: u64) -> Result<(&str, &[u8]), RecordError> {
    let mut parts = Parts(body);
    let mut read = || {
        let (_log, _create) = (parts.u64()?, parts.u64()?);
        let (name, _media) = (parts.text()?, parts.text()?);
        let length = usize::try_from(parts.u64()?).ok()?;
        Some((name, parts.bytes(length)?, parts.u32()?))
    };
    let (name, data, crc) =
        read().ok_or_else(|| damaged(offset, "an attachment whose lengths do not agree"))?;
    if crc != 0 && crc32(&body[..body.len().saturating_sub(4)]) != crc {
        return Err(damaged(offset, "an attachment whose bytes do not fit its checksum"));
    }
    Ok((name, data))
}

/// Name and content of metadata.
pub(crate) fn metadata(
    body: &[u8],
    offset: u64,
) -> Result<(String, BTreeMap<String, String>), RecordError> {
    let mut parts = Parts(body);
    let mut read = || Some((parts.text()?.to_string(), parts.map()?));
    read().ok_or_else(|| damaged(offset, "metadata whose lengths do not agree"))
}
