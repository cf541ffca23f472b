//! Numbers that readers stumble over, in text and in bytes.

use std::ops::Range;

use crate::random::Random;

const WRITTEN: &[&str] = &[
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "3.5",
    "1e-9",
    "1e9",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "1e-320",
    "1e308",
    "-1e308",
    "1e309",
    "1e-400",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "0x7fffffff",
    "1_000",
    "00",
    "1.",
    ".5",
    "1e",
    "--1",
    "1e99999999999",
];

const WHOLE: &[u64] = &[
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff0,
    0xffff_ffff,
    0x1_0000_0000,
    1_000_000_000,
    1 << 40,
    i64::MAX as u64,
    i64::MAX as u64 + 1,
    u64::MAX - 15,
    u64::MAX,
];

const REAL: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-300,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Writes another number in the place of one in a text.
pub(crate) fn change_written(input: &mut Vec<u8>, random: &mut Random) {
    let start = random.below(input.len());
    let Some(range) = number_from(input, start).or_else(|| number_from(input, 0)) else { return };
    if let Some(other) = random.pick(WRITTEN) {
        input.splice(range, other.bytes());
    }
}

/// The first number at or behind a place.
fn number_from(input: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + input.get(from..)?.iter().position(u8::is_ascii_digit)?;
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".eE".contains(byte);
    let length = input[start..].iter().take_while(|byte| is_part(byte)).count();
    let sign = usize::from(start > from && input[start - 1] == b'-');
    Some(start - sign..start + length)
}

/// Overwrites bytes with a number as it is stored, the lowest byte first.
pub(crate) fn change_stored(input: &mut [u8], random: &mut Random) {
    let place = random.below(input.len());
    let whole = random.pick(WHOLE).copied().unwrap_or(0);
    let real = random.pick(REAL).copied().unwrap_or(0.0);
    let bytes = match random.below(6) {
        0 => (whole as u16).to_le_bytes().to_vec(),
        1 => (whole as u32).to_le_bytes().to_vec(),
        2 => whole.to_le_bytes().to_vec(),
        3 => (real as f32).to_le_bytes().to_vec(),
        4 => real.to_le_bytes().to_vec(),
        // near what is there: lengths and counts that are a little wrong
        _ => {
            let there = input.get(place).copied().unwrap_or(0);
            vec![there.wrapping_add(random.below(9) as u8).wrapping_sub(4)]
        }
    };
    for (there, byte) in input.iter_mut().skip(place).zip(bytes) {
        *there = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_with_their_sign_and_their_exponent() {
        let text = b"mass = -1.5e3, b=7";
        assert_eq!(number_from(text, 0), Some(7..13));
        assert_eq!(number_from(text, 14), Some(17..18));
        assert_eq!(number_from(b"none", 0), None);
        assert_eq!(number_from(b"", 0), None);
    }

    #[test]
    fn a_text_without_numbers_and_an_empty_file_stay() {
        let mut random = Random::new(1);
        let mut text = b"none".to_vec();
        change_written(&mut text, &mut random);
        assert_eq!(text, b"none");
        change_stored(&mut [], &mut random);
    }
}
