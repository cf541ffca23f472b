//! Thrift's compact protocol, as far as the footer of a Parquet file needs it.

use crate::proto::put_varint;

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written: fields in ascending order.
pub(crate) struct Struct<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

/// Writes a struct; `fill` writes its fields.
pub(crate) fn put_struct(out: &mut Vec<u8>, fill: impl FnOnce(&mut Struct<'_>)) {
    fill(&mut Struct { out, last: 0 });
    out.push(0);
}

fn put_int(out: &mut Vec<u8>, x: i64) {
    put_varint(out, (x << 1 ^ x >> 63) as u64);
}

fn put_binary(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

impl Struct<'_> {
    /// Numbers of fields here grow by less than 16.
    fn field(&mut self, number: u8, kind: u8) {
        self.out.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    fn list(&mut self, number: u8, length: usize, kind: u8) {
        self.field(number, LIST);
        if length < 15 {
            self.out.push((length as u8) << 4 | kind);
        } else {
            self.out.push(0xF0 | kind);
            put_varint(self.out, length as u64);
        }
    }

    pub(crate) fn i32(&mut self, number: u8, x: i32) {
        self.field(number, I32);
        put_int(self.out, i64::from(x));
    }

    pub(crate) fn i64(&mut self, number: u8, x: u64) {
        self.field(number, I64);
        put_int(self.out, x as i64);
    }

    pub(crate) fn text(&mut self, number: u8, text: &str) {
        self.field(number, BINARY);
        put_binary(self.out, text);
    }

    pub(crate) fn i32s(&mut self, number: u8, list: &[i32]) {
        self.list(number, list.len(), I32);
        for x in list {
            put_int(self.out, i64::from(*x));
        }
    }

    pub(crate) fn texts(&mut self, number: u8, list: &[&str]) {
        self.list(number, list.len(), BINARY);
        for text in list {
            put_binary(self.out, text);
        }
    }

    pub(crate) fn structure(&mut self, number: u8, fill: impl FnOnce(&mut Struct<'_>)) {
        self.field(number, STRUCT);
        put_struct(self.out, fill);
    }

    /// `fill` writes the struct of that place in the list.
    pub(crate) fn structs(
        &mut self,
        number: u8,
        length: usize,
        fill: impl Fn(usize, &mut Struct<'_>),
    ) {
        self.list(number, length, STRUCT);
        for i in 0..length {
            put_struct(self.out, |item| fill(i, item));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_specification() {
        let mut out = Vec::new();
        put_struct(&mut out, |s| {
            s.i32(1, -1);
            s.i64(3, 150);
            s.text(4, "ab");
            s.i32s(5, &[1; 15]);
        });
        // field 1, zigzag(−1) = 1; field 3 (2 further on), zigzag(150) = 300; field 4, length 2; field 5, a long list
        let mut expected = vec![0x15, 1, 0x26, 0xAC, 0x02, 0x18, 2, b'a', b'b', 0x19, 0xF5, 15];
        expected.extend([2; 15]);
        expected.push(0);
        assert_eq!(out, expected);
    }
}
