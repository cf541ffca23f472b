//! Tables as Parquet: one page for each column of a group of rows, plain values, no compression, nothing missing.

use std::io::Write;

use super::table::{Cell, Column, Kind, Table, columns, rows};
use super::thrift::{Struct, put_struct};
use super::writing;
use crate::error::RecordError;
use crate::frame::Frame;
use crate::recording::Recording;

const MAGIC: &[u8] = b"PAR1";
/// A group of rows is written when its columns hold this much [bytes].
const GROUP: usize = 16 << 20;

/// Parquet's numbers for types, and for what they stand for.
const BOOLEAN: i32 = 0;
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const UTF8: i32 = 0;
const UINT_64: i32 = 14;
const PLAIN: i32 = 0;
const RLE: i32 = 3;

/// Writes a table. Groups of rows are of bounded size; their places are kept until the end.
pub fn parquet(
    recording: &Recording,
    table: Table,
    out: &mut dyn Write,
) -> Result<(), RecordError> {
    let header = &recording.header;
    let columns = columns(table, header);
    let mut writer = Parquet {
        out,
        position: 0,
        values: vec![Values::default(); columns.len()],
        columns,
        rows: 0,
        bytes: 0,
        groups: Vec::new(),
    };
    writer.write(MAGIC)?;
    let mut frames = recording.frames();
    let mut frame = Frame::default();
    while let Some(read) = frames.read(&mut frame) {
        read?;
        rows(table, header, &frame, &mut |cells| writer.row(cells))?;
    }
    writer.finish(&header.version)
}

/// The values of a column in the open group.
#[derive(Clone, Default)]
struct Values {
    bytes: Vec<u8>,
    /// Truths that do not fill a byte yet.
    bits: u8,
}

/// A group of rows that was written: for each column its place and length.
struct Group {
    rows: u64,
    columns: Vec<(u64, u64)>,
}

struct Parquet<'a> {
    out: &'a mut dyn Write,
    position: u64,
    columns: Vec<Column>,
    values: Vec<Values>,
    rows: u64,
    bytes: usize,
    groups: Vec<Group>,
}

impl Parquet<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes).map_err(writing)
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), RecordError> {
        for (values, cell) in self.values.iter_mut().zip(cells) {
            let before = values.bytes.len();
            match cell {
                Cell::Count(n) => values.bytes.extend_from_slice(&n.to_le_bytes()),
                Cell::Real(x) => values.bytes.extend_from_slice(&x.to_le_bytes()),
                Cell::Text(text) => {
                    values.bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    values.bytes.extend_from_slice(text.as_bytes());
                }
                Cell::Truth(truth) => {
                    let bit = self.rows % 8;
                    values.bits |= u8::from(*truth) << bit;
                    if bit == 7 {
                        values.bytes.push(values.bits);
                        values.bits = 0;
                    }
                }
            }
            self.bytes += values.bytes.len() - before;
        }
        self.rows += 1;
        if self.bytes >= GROUP { self.close_group() } else { Ok(()) }
    }

    fn close_group(&mut self) -> Result<(), RecordError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut places = Vec::with_capacity(self.columns.len());
        for i in 0..self.columns.len() {
            let values = &mut self.values[i];
            if self.columns[i].kind == Kind::Truth && !self.rows.is_multiple_of(8) {
                values.bytes.push(values.bits);
            }
            values.bits = 0;
            let mut bytes = std::mem::take(&mut values.bytes);
            let begin = self.position;
            self.write(&page_header(bytes.len(), self.rows))?;
            self.write(&bytes)?;
            places.push((begin, self.position - begin));
            bytes.clear();
            self.values[i].bytes = bytes;
        }
        self.groups.push(Group { rows: self.rows, columns: places });
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    fn finish(&mut self, version: &str) -> Result<(), RecordError> {
        self.close_group()?;
        let mut footer = Vec::new();
        put_struct(&mut footer, |file| {
            file.i32(1, 2);
            file.structs(2, self.columns.len() + 1, |i, element| match i.checked_sub(1) {
                None => {
                    element.text(4, "recording");
                    element.i32(5, self.columns.len() as i32);
                }
                Some(i) => put_element(element, &self.columns[i]),
            });
            file.i64(3, self.groups.iter().map(|group| group.rows).sum());
            file.structs(4, self.groups.len(), |i, group| self.put_group(group, &self.groups[i]));
            file.text(6, &format!("stiction version {version}"));
        });
        self.write(&footer)?;
        self.write(&(footer.len() as u32).to_le_bytes())?;
        self.write(MAGIC)?;
        self.out.flush().map_err(writing)
    }

    /// A `RowGroup`.
    fn put_group(&self, out: &mut Struct<'_>, group: &Group) {
        out.structs(1, self.columns.len(), |i, chunk| {
            let (offset, length) = group.columns[i];
            chunk.i64(2, offset);
            chunk.structure(3, |meta| {
                meta.i32(1, physical(self.columns[i].kind));
                meta.i32s(2, &[PLAIN, RLE]);
                meta.texts(3, &[&self.columns[i].title]);
                meta.i32(4, 0);
                meta.i64(5, group.rows);
                meta.i64(6, length);
                meta.i64(7, length);
                meta.i64(9, offset);
            });
        });
        out.i64(2, group.columns.iter().map(|(_, length)| length).sum());
        out.i64(3, group.rows);
    }
}

fn physical(kind: Kind) -> i32 {
    match kind {
        Kind::Truth => BOOLEAN,
        Kind::Count => INT64,
        Kind::Real => DOUBLE,
        Kind::Text => BYTE_ARRAY,
    }
}

/// A `SchemaElement`: no value is missing.
fn put_element(element: &mut Struct<'_>, column: &Column) {
    element.i32(1, physical(column.kind));
    element.i32(3, 0);
    element.text(4, &column.title);
    match column.kind {
        Kind::Count => element.i32(6, UINT_64),
        Kind::Text => element.i32(6, UTF8),
        Kind::Real | Kind::Truth => {}
    }
}

/// A `PageHeader`.
fn page_header(length: usize, rows: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_struct(&mut out, |page| {
        page.i32(1, 0);
        page.i32(2, length as i32);
        page.i32(3, length as i32);
        page.structure(5, |data| {
            data.i32(1, rows as i32);
            data.i32(2, PLAIN);
            data.i32(3, RLE);
            data.i32(4, RLE);
        });
    });
    out
}
