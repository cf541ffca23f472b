//! Protocol buffers, as far as recordings need them: fields are appended to a buffer and read back from one.
//!
//! Numbers that are zero, and empty lists, are left out, as proto3 has it; −0 is no zero here, so that every f64 comes back
//! to the bit.

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

pub(crate) fn put_varint(out: &mut Vec<u8>, mut x: u64) {
    while x >= 0x80 {
        out.push(x as u8 | 0x80);
        x >>= 7;
    }
    out.push(x as u8);
}

fn put_tag(out: &mut Vec<u8>, field: u32, wire: u64) {
    put_varint(out, u64::from(field) << 3 | wire);
}

pub(crate) fn put_uint(out: &mut Vec<u8>, field: u32, x: u64) {
    if x != 0 {
        put_tag(out, field, VARINT);
        put_varint(out, x);
    }
}

pub(crate) fn put_double(out: &mut Vec<u8>, field: u32, x: f64) {
    if x.to_bits() != 0 {
        put_tag(out, field, FIXED64);
        out.extend_from_slice(&x.to_le_bytes());
    }
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_tag(out, field, BYTES);
        put_varint(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
}

/// `rows` of `N` numbers each, one after the other, packed.
pub(crate) fn put_doubles<const N: usize>(
    out: &mut Vec<u8>,
    field: u32,
    rows: impl ExactSizeIterator<Item = [f64; N]>,
) {
    if rows.len() == 0 {
        return;
    }
    put_tag(out, field, BYTES);
    put_varint(out, (8 * N * rows.len()) as u64);
    for row in rows {
        for x in row {
            out.extend_from_slice(&x.to_le_bytes());
        }
    }
}

/// Packed varints.
pub(crate) fn put_uints(out: &mut Vec<u8>, field: u32, list: impl ExactSizeIterator<Item = u32>) {
    if list.len() > 0 {
        put_message(out, field, |out| list.for_each(|x| put_varint(out, u64::from(x))));
    }
}

/// A message within the message: what `fill` appends. It is written even if it is empty.
pub(crate) fn put_message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    put_tag(out, field, BYTES);
    let place = out.len();
    out.push(0);
    fill(out);
    let length = out.len() - place - 1;
    if length < 0x80 {
        out[place] = length as u8;
        return;
    }
    // the length takes more than the one byte kept for it: move the content on
    let mut prefix = Vec::with_capacity(10);
    put_varint(&mut prefix, length as u64);
    out.splice(place..=place, prefix);
}

/// A field as it is on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

/// The fields of a message, in the order in which they were written. What is wrong ends the list with the place within
/// `bytes`.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut x = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            x |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(x);
            }
        }
        None
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn field(&mut self) -> Option<(u32, Value<'a>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            VARINT => Value::Varint(self.varint()?),
            FIXED64 => Value::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            FIXED32 => Value::Fixed32(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            BYTES => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            _ => return None,
        };
        Some((u32::try_from(tag >> 3).ok()?, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    /// Field number and value, or the place that no field begins at.
    type Item = Result<(u32, Value<'a>), usize>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let place = self.at;
        let field = self.field();
        if field.is_none() {
            self.at = self.bytes.len();
        }
        Some(field.ok_or(place))
    }
}

/// The rows of a packed list; None if the bytes are not whole rows.
pub(crate) fn doubles<const N: usize>(
    bytes: &[u8],
) -> Option<impl ExactSizeIterator<Item = [f64; N]>> {
    let rows = bytes.chunks_exact(8 * N);
    if !rows.remainder().is_empty() {
        return None;
    }
    Some(rows.map(|row| {
        std::array::from_fn(|i| f64::from_le_bytes(std::array::from_fn(|byte| row[8 * i + byte])))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_those_of_the_specification() {
        let mut out = Vec::new();
        put_uint(&mut out, 1, 150);
        assert_eq!(out, [0x08, 0x96, 0x01]);
        let mut all = Vec::new();
        for x in [0, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            put_varint(&mut all, x);
        }
        let mut fields = Fields::new(&all);
        for x in [0, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(fields.varint(), Some(x));
        }
        assert_eq!(fields.varint(), None);
    }

    #[test]
    fn long_messages_get_a_longer_prefix() {
        for length in [0_usize, 1, 127, 128, 16_383, 16_384, 100_000] {
            let mut out = Vec::new();
            put_message(&mut out, 3, |out| out.extend(std::iter::repeat_n(7, length)));
            put_uint(&mut out, 4, 1);
            let fields: Vec<_> = Fields::new(&out).collect();
            assert_eq!(fields[0], Ok((3, Value::Bytes(&vec![7; length]))));
            assert_eq!(fields[1], Ok((4, Value::Varint(1))));
        }
    }

    #[test]
    fn minus_zero_and_nan_are_written_and_zero_is_not() {
        let mut out = Vec::new();
        put_double(&mut out, 1, 0.0);
        assert!(out.is_empty());
        let nan = f64::from_bits(0x7FF8_0000_0000_0123);
        put_double(&mut out, 1, -0.0);
        put_double(&mut out, 2, nan);
        let fields: Vec<_> = Fields::new(&out).collect();
        assert_eq!(fields[0], Ok((1, Value::Fixed64((-0.0_f64).to_bits()))));
        assert_eq!(fields[1], Ok((2, Value::Fixed64(nan.to_bits()))));
    }

    #[test]
    fn a_field_that_claims_more_than_there_is_ends_the_list_with_its_place() {
        let mut out = Vec::new();
        put_uint(&mut out, 1, 5);
        put_bytes(&mut out, 2, b"hello");
        let cut = &out[..out.len() - 1];
        let fields: Vec<_> = Fields::new(cut).collect();
        assert_eq!(fields, [Ok((1, Value::Varint(5))), Err(2)]);
        let claims = [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F];
        assert_eq!(Fields::new(&claims).collect::<Vec<_>>(), [Err(0)]);
    }
}
