//! STL, binary and text.
//!
//! A binary file may begin with the word `solid`, as text files do. It is binary if its size is what its count of
//! triangles says, or if it does not go on as a text file must.

use stiction_sim::Vec3;

use super::numbers::{finite, quoted};
use super::{Fault, Limits, Place, Soup};

/// Text of any kind, then the count.
const HEADER: usize = 84;
/// Normal, three corners, two bytes of no meaning.
const FACET: usize = 50;

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Soup, Fault> {
    if claimed_size(bytes).is_some_and(|(_, size)| size == bytes.len() as u64) {
        return binary(bytes, limits);
    }
    if is_text(bytes) { Text::new(bytes).read(limits) } else { binary(bytes, limits) }
}

/// Count of triangles, and how many bytes a file with as many has.
fn claimed_size(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = bytes.get(80..HEADER)?;
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
    Some((count, HEADER as u64 + FACET as u64 * u64::from(count)))
}

/// Whether the second line begins as a text file's does, after the first has begun with `solid`.
fn is_text(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes);
    if !text.next().is_some_and(|(word, _)| word.eq_ignore_ascii_case("solid")) {
        return false;
    }
    text.skip_line();
    match text.next() {
        Some((word, _)) => ["facet", "endsolid"].iter().any(|w| word.eq_ignore_ascii_case(w)),
        None => bytes.len() < HEADER,
    }
}

fn binary(bytes: &[u8], limits: &Limits) -> Result<Soup, Fault> {
    let Some((count, size)) = claimed_size(bytes) else {
        let found = format!("{} bytes", bytes.len());
        return Err(Fault::new(Place::Whole, "a header of 84 bytes, or the word `solid`", found));
    };
    if size != bytes.len() as u64 {
        let expected = format!("{size} bytes, as the header says {count} triangles");
        return Err(Fault::new(Place::Byte(80), expected, format!("{} bytes", bytes.len())));
    }
    let mut soup = Soup::default();
    for (i, facet) in bytes[HEADER..].chunks_exact(FACET).enumerate() {
        let start = HEADER + i * FACET;
        let number = |k: usize| {
            // the normal is first; it follows from the corners
            let at = 12 + 4 * k;
            let x = f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]]);
            if x.is_finite() {
                return Ok(f64::from(x));
            }
            Err(Fault::new(Place::Byte(start + at), "a finite number", x.to_string()))
        };
        let v = soup.vertices.len() as u32;
        soup.push([v, v + 1, v + 2], limits, Place::Byte(start))?;
        for corner in 0..3 {
            let k = 3 * corner;
            soup.vertices.push(Vec3::new(number(k)?, number(k + 1)?, number(k + 2)?));
        }
    }
    Ok(soup)
}

/// Words of a text, with their lines.
struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The next word and its line. A word that is no text is shown as one that no keyword equals.
    fn next(&mut self) -> Option<(&'a str, Place)> {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u32::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.at += length;
        Some((std::str::from_utf8(&rest[..length]).unwrap_or("�"), Place::Line(self.line)))
    }

    /// Names of solids are any text.
    fn skip_line(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
            self.at += 1;
        }
    }

    fn word(&mut self, expected: &str) -> Result<(&'a str, Place), Fault> {
        let end = Place::Line(self.line);
        self.next().ok_or_else(|| Fault::new(end, expected, "the end of the file"))
    }

    fn keyword(&mut self, keyword: &str) -> Result<Place, Fault> {
        let expected = format!("`{keyword}`");
        let (word, place) = self.word(&expected)?;
        if word.eq_ignore_ascii_case(keyword) {
            return Ok(place);
        }
        Err(Fault::new(place, expected, quoted(word)))
    }

    fn corner(&mut self) -> Result<Vec3, Fault> {
        self.keyword("vertex")?;
        let mut corner = Vec3::zeros();
        for k in 0..3 {
            let (word, place) = self.word("a number")?;
            corner[k] = finite(word, place)?;
        }
        Ok(corner)
    }

    /// Any number of solids.
    fn read(mut self, limits: &Limits) -> Result<Soup, Fault> {
        let mut soup = Soup::default();
        let mut inside = false;
        while let Some((word, place)) = self.next() {
            match (word.to_ascii_lowercase().as_str(), inside) {
                ("solid", false) => {
                    inside = true;
                    self.skip_line();
                }
                ("endsolid", true) => {
                    inside = false;
                    self.skip_line();
                }
                ("facet", true) => self.facet(place, limits, &mut soup)?,
                (_, true) => {
                    return Err(Fault::new(place, "`facet` or `endsolid`", quoted(word)));
                }
                (_, false) => return Err(Fault::new(place, "`solid`", quoted(word))),
            }
        }
        if inside {
            let place = Place::Line(self.line);
            return Err(Fault::new(place, "`facet` or `endsolid`", "the end of the file"));
        }
        Ok(soup)
    }

    /// After the word `facet`. The normal may be anything: it follows from the corners.
    fn facet(&mut self, place: Place, limits: &Limits, soup: &mut Soup) -> Result<(), Fault> {
        self.keyword("normal")?;
        for _ in 0..3 {
            self.word("a number")?;
        }
        self.keyword("outer")?;
        self.keyword("loop")?;
        let v = soup.vertices.len() as u32;
        for _ in 0..3 {
            let corner = self.corner()?;
            soup.vertices.push(corner);
        }
        self.keyword("endloop")?;
        self.keyword("endfacet")?;
        soup.push([v, v + 1, v + 2], limits, place)
    }
}
