//! Random changes of a file.

use crate::numbers;
use crate::random::Random;

/// Files do not grow beyond this [bytes].
pub(crate) const LARGEST: usize = 1 << 16;
/// Most changes at once, and deepest nesting in one of them.
const CHANGES: usize = 6;
const LEVELS: usize = 3000;

const BRACKETS: &[(&str, &str)] = &[
    ("[", "]"),
    ("{", "}"),
    ("(", ")"),
    ("\"", "\""),
    ("<a>", "</a>"),
    ("{\"a\":", "}"),
    ("{a=", "}"),
    ("[[a]]\n", ""),
    ("a.", ""),
];

/// What a change may take from: other files, and words of the format.
pub(crate) struct Stock<'a> {
    pub(crate) files: &'a [Vec<u8>],
    pub(crate) words: &'a [&'a str],
}

/// One of the files, changed.
pub(crate) fn changed(stock: &Stock<'_>, random: &mut Random) -> Vec<u8> {
    let mut input = random.pick(stock.files).cloned().unwrap_or_default();
    for _ in 0..random.length(CHANGES) {
        change(&mut input, stock, random);
        input.truncate(LARGEST);
    }
    input
}

fn change(input: &mut Vec<u8>, stock: &Stock<'_>, random: &mut Random) {
    match random.below(20) {
        0 => flip(input, random),
        1 => put_byte(input, random),
        2 => insert_noise(input, random),
        3 => {
            input.drain(random.range(input.len()));
        }
        4 => repeat(input, random),
        5 => copy_within(input, random),
        6 => splice(input, stock, random),
        7 => insert_word(input, stock, random),
        8 | 9 => replace_word(input, stock, random),
        10..=12 => numbers::change_written(input, random),
        13 | 14 => numbers::change_stored(input, random),
        15 => nest(input, random),
        16 => input.truncate(random.below(input.len() + 1)),
        17 => drop_line(input, random),
        18 => move_line(input, random),
        _ => swap_words(input, random),
    }
}

fn flip(input: &mut [u8], random: &mut Random) {
    let place = random.below(input.len());
    if let Some(byte) = input.get_mut(place) {
        *byte ^= 1 << random.below(8);
    }
}

fn put_byte(input: &mut [u8], random: &mut Random) {
    let noise = random.byte();
    let bytes = [0, 0xff, 0x7f, 0x80, b'"', b'\n', b'<', b'=', noise];
    let place = random.below(input.len());
    if let (Some(byte), Some(other)) = (input.get_mut(place), random.pick(&bytes)) {
        *byte = *other;
    }
}

fn insert_noise(input: &mut Vec<u8>, random: &mut Random) {
    let noise: Vec<u8> = (0..random.length(16)).map(|_| random.byte()).collect();
    insert(input, random.below(input.len() + 1), &noise);
}

fn insert(input: &mut Vec<u8>, place: usize, bytes: &[u8]) {
    input.splice(place..place, bytes.iter().copied());
}

/// A part several times, often twice.
fn repeat(input: &mut Vec<u8>, random: &mut Random) {
    let range = random.range(input.len());
    let part = input[range.clone()].to_vec();
    let most = LARGEST / part.len().max(1);
    let times = random.length(200).min(most);
    insert(input, range.end, &part.repeat(times));
}

fn copy_within(input: &mut Vec<u8>, random: &mut Random) {
    let from = random.range(input.len());
    let part = input[from].to_vec();
    let to = random.below(input.len());
    let end = (to + part.len()).min(input.len());
    input.splice(to..end, part);
}

/// Goes on as another file does.
fn splice(input: &mut Vec<u8>, stock: &Stock<'_>, random: &mut Random) {
    let Some(other) = random.pick(stock.files) else { return };
    let part = &other[random.range(other.len())];
    let place = random.below(input.len() + 1);
    if random.below(2) == 0 {
        input.truncate(place);
    }
    insert(input, place, part);
}

fn insert_word(input: &mut Vec<u8>, stock: &Stock<'_>, random: &mut Random) {
    let place = random.below(input.len() + 1);
    if let Some(word) = random.pick(stock.words) {
        insert(input, place, word.as_bytes());
    }
}

fn replace_word(input: &mut Vec<u8>, stock: &Stock<'_>, random: &mut Random) {
    let range = word_at(input, random.below(input.len()));
    if let Some(word) = random.pick(stock.words) {
        input.splice(range, word.bytes());
    }
}

/// Letters, digits and `_`, `-` around a place.
fn word_at(input: &[u8], place: usize) -> std::ops::Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let place = place.min(input.len());
    let before = input[..place].iter().rev().take_while(|byte| is_part(byte)).count();
    let behind = input[place..].iter().take_while(|byte| is_part(byte)).count();
    place - before..place + behind
}

/// Puts brackets around a part, often many times.
fn nest(input: &mut Vec<u8>, random: &mut Random) {
    let Some((open, close)) = random.pick(BRACKETS) else { return };
    let levels = random.length(LEVELS).min(LARGEST / (open.len() + close.len()));
    let range = random.range(input.len());
    insert(input, range.end, close.repeat(levels).as_bytes());
    insert(input, range.start, open.repeat(levels).as_bytes());
}

/// The line around a place, with its end.
fn line_at(input: &[u8], place: usize) -> std::ops::Range<usize> {
    let place = place.min(input.len());
    let start = input[..place].iter().rposition(|byte| *byte == b'\n').map_or(0, |i| i + 1);
    let end = input[place..].iter().position(|byte| *byte == b'\n');
    start..end.map_or(input.len(), |i| place + i + 1)
}

fn drop_line(input: &mut Vec<u8>, random: &mut Random) {
    let line = line_at(input, random.below(input.len()));
    input.drain(line);
}

/// A line to before another; in half of all cases it is also where it was.
fn move_line(input: &mut Vec<u8>, random: &mut Random) {
    let from = line_at(input, random.below(input.len()));
    let line = input[from.clone()].to_vec();
    if random.below(2) == 0 {
        input.drain(from);
    }
    let to = line_at(input, random.below(input.len())).start;
    insert(input, to, &line);
}

fn swap_words(input: &mut Vec<u8>, random: &mut Random) {
    let (a, b) = (random.below(input.len()), random.below(input.len()));
    let (first, second) = (word_at(input, a.min(b)), word_at(input, a.max(b)));
    if first.end <= second.start {
        let (one, other) = (input[first.clone()].to_vec(), input[second.clone()].to_vec());
        input.splice(second, one);
        input.splice(first, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_bears_every_size() {
        let files = [vec![], b"a".to_vec(), b"a = 1\nb = \"x\"\n".repeat(50), vec![0; LARGEST]];
        let stock = Stock { files: &files, words: &["word"] };
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            assert!(changed(&stock, &mut random).len() <= LARGEST);
        }
        let none = Stock { files: &[], words: &[] };
        for _ in 0..2000 {
            changed(&none, &mut random);
        }
    }

    #[test]
    fn words_and_lines_are_found() {
        let text = b"ab = cd_1\nnext";
        assert_eq!(word_at(text, 6), 5..9);
        assert_eq!(word_at(text, 3), 3..3);
        assert_eq!(line_at(text, 4), 0..10);
        assert_eq!(line_at(text, 12), 10..14);
    }

    #[test]
    fn words_change_places() {
        let mut text = b"first second".to_vec();
        let mut random = Random::new(0);
        for _ in 0..1000 {
            swap_words(&mut text, &mut random);
            if text == b"second first" {
                return;
            }
        }
        panic!("{}", String::from_utf8_lossy(&text));
    }
}
