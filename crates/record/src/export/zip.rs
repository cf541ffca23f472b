//! Arrays of numpy's format in a zip file, stored as they are.
//!
//! All lengths are known before; the arrays are then filled side by side, each from a small buffer, and their checksums are
//! put in at the end. Places are 64 bits wide throughout.

use std::io::{Seek, SeekFrom, Write};

use crate::crc::Crc;

/// An array is written to the file when its buffer holds this much [bytes].
const BUFFER: usize = 64 << 10;
/// Of a local header without the name.
const LOCAL: u64 = 30 + 20;
const CRC_PLACE: u64 = 14;

/// An array and how far it was filled.
pub(crate) struct Array {
    name: String,
    /// Numpy's header, then what was put in and not written yet.
    buffer: Vec<u8>,
    /// Of the array's place in the zip file: local header, next bytes, end.
    header: u64,
    at: u64,
    end: u64,
    crc: Crc,
}

impl Array {
    /// An array of items of `size` bytes whose type numpy calls `descr`.
    pub(crate) fn new(name: &str, descr: &str, size: u64, shape: &[u64]) -> Self {
        let mut tuple = String::new();
        for n in shape {
            tuple += &format!("{n},");
        }
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({tuple}), }}");
        // the header ends with a line, at a multiple of 64
        while (10 + text.len() + 1) % 64 != 0 {
            text.push(' ');
        }
        text.push('\n');
        let mut buffer = b"\x93NUMPY\x01\x00".to_vec();
        buffer.extend_from_slice(&(text.len() as u16).to_le_bytes());
        buffer.extend_from_slice(text.as_bytes());
        let length = buffer.len() as u64 + size * shape.iter().product::<u64>();
        Self {
            name: format!("{name}.npy"),
            buffer,
            header: 0,
            at: 0,
            end: length,
            crc: Crc::default(),
        }
    }
}

/// A zip file whose arrays are being filled.
pub(crate) struct Zip<'a, W: Write + Seek> {
    out: &'a mut W,
    arrays: Vec<Array>,
    position: u64,
}

impl<'a, W: Write + Seek> Zip<'a, W> {
    /// Lays the arrays out one behind the other.
    pub(crate) fn new(out: &'a mut W, mut arrays: Vec<Array>) -> std::io::Result<Self> {
        let mut position = 0;
        for array in &mut arrays {
            let length = array.end;
            array.header = position;
            array.at = position + LOCAL + array.name.len() as u64;
            array.end = array.at + length;
            position = array.end;
            out.seek(SeekFrom::Start(array.header))?;
            out.write_all(&local_header(array, length))?;
        }
        Ok(Self { out, arrays, position })
    }

    /// Appends to an array by its place in the list.
    pub(crate) fn put(&mut self, array: usize, bytes: &[u8]) -> std::io::Result<()> {
        let array = &mut self.arrays[array];
        array.buffer.extend_from_slice(bytes);
        if array.buffer.len() < BUFFER { Ok(()) } else { write_buffer(self.out, array) }
    }

    /// Writes what is left, the checksums and the directory.
    ///
    /// # Panics
    ///
    /// If an array is not full, or over-full.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        let mut directory = Vec::new();
        for array in &mut self.arrays {
            write_buffer(self.out, array)?;
            assert_eq!(array.at, array.end, "{} holds what it was made for", array.name);
            self.out.seek(SeekFrom::Start(array.header + CRC_PLACE))?;
            self.out.write_all(&array.crc.value().to_le_bytes())?;
            put_entry(&mut directory, array);
        }
        put_end(&mut directory, self.arrays.len() as u64, self.position);
        self.out.seek(SeekFrom::Start(self.position))?;
        self.out.write_all(&directory)?;
        self.out.flush()
    }
}

fn write_buffer<W: Write + Seek>(out: &mut W, array: &mut Array) -> std::io::Result<()> {
    out.seek(SeekFrom::Start(array.at))?;
    out.write_all(&array.buffer)?;
    array.crc.add(&array.buffer);
    array.at += array.buffer.len() as u64;
    array.buffer.clear();
    Ok(())
}

fn put_u16s(out: &mut Vec<u8>, list: &[u16]) {
    for x in list {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

fn put_u32s(out: &mut Vec<u8>, list: &[u32]) {
    for x in list {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

fn put_u64s(out: &mut Vec<u8>, list: &[u64]) {
    for x in list {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

/// Version 4.5, no flags, stored, the first day of the format's calendar; the checksum; lengths elsewhere.
fn put_common(out: &mut Vec<u8>, crc: u32, name: usize, extra: u16) {
    put_u16s(out, &[45, 0, 0, 0, 0x21]);
    put_u32s(out, &[crc, u32::MAX, u32::MAX]);
    put_u16s(out, &[name as u16, extra]);
}

fn local_header(array: &Array, length: u64) -> Vec<u8> {
    let mut out = b"PK\x03\x04".to_vec();
    put_common(&mut out, 0, array.name.len(), 20);
    out.extend_from_slice(array.name.as_bytes());
    put_u16s(&mut out, &[1, 16]);
    put_u64s(&mut out, &[length, length]);
    out
}

/// An entry of the directory.
fn put_entry(out: &mut Vec<u8>, array: &Array) {
    let length = array.end - array.header - LOCAL - array.name.len() as u64;
    out.extend_from_slice(b"PK\x01\x02");
    put_u16s(out, &[45]);
    put_common(out, array.crc.value(), array.name.len(), 28);
    // no comment, the first volume, no attributes; the place elsewhere
    put_u16s(out, &[0, 0, 0]);
    put_u32s(out, &[0, u32::MAX]);
    out.extend_from_slice(array.name.as_bytes());
    put_u16s(out, &[1, 24]);
    put_u64s(out, &[length, length, array.header]);
}

/// The end of the directory that begins at `start`, in the wide form and in the narrow one that points to it.
fn put_end(out: &mut Vec<u8>, entries: u64, start: u64) {
    let length = out.len() as u64;
    out.extend_from_slice(b"PK\x06\x06");
    put_u64s(out, &[44]);
    put_u16s(out, &[45, 45]);
    put_u32s(out, &[0, 0]);
    put_u64s(out, &[entries, entries, length, start]);
    out.extend_from_slice(b"PK\x06\x07");
    put_u32s(out, &[0]);
    put_u64s(out, &[start + length]);
    put_u32s(out, &[1]);
    out.extend_from_slice(b"PK\x05\x06");
    put_u16s(out, &[0, 0, entries as u16, entries as u16]);
    put_u32s(out, &[u32::MAX, u32::MAX]);
    put_u16s(out, &[0]);
}
