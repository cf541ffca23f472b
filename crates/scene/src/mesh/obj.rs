//! Wavefront OBJ: vertices and faces. Polygons are cut into fans; what else a file says is counted.

use stiction_sim::Vec3;

use super::numbers::{finite, quoted};
use super::{Fault, Limits, Place, Soup};

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Soup, Fault> {
    let mut soup = Soup::default();
    for (i, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let place = Place::Line(u32::try_from(i + 1).unwrap_or(u32::MAX));
        // names and comments may be in any encoding; numbers and keywords are ASCII
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => vertex(words, place, limits, &mut soup)?,
            Some("f") => face(words, place, limits, &mut soup)?,
            Some(word) if word.starts_with('#') => {}
            Some(_) => soup.ignored += 1,
        }
    }
    Ok(soup)
}

/// Numbers after the third are a weight or a colour.
fn vertex<'a>(
    mut words: impl Iterator<Item = &'a str>,
    place: Place,
    limits: &Limits,
    soup: &mut Soup,
) -> Result<(), Fault> {
    let mut vertex = Vec3::zeros();
    for k in 0..3 {
        let expected = || Fault::new(place, "three coordinates", k.to_string());
        vertex[k] = finite(words.next().ok_or_else(expected)?, place)?;
    }
    let most = limits.triangles.saturating_mul(3).min(u32::MAX as usize);
    if soup.vertices.len() >= most {
        return Err(Fault::new(place, format!("at most {most} vertices"), "more"));
    }
    soup.vertices.push(vertex);
    Ok(())
}

fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    place: Place,
    limits: &Limits,
    soup: &mut Soup,
) -> Result<(), Fault> {
    let mut corners = 0;
    let (mut first, mut last) = (0, 0);
    for word in words {
        let next = index(word, place, soup.vertices.len())?;
        match corners {
            0 => first = next,
            1 => {}
            _ => soup.push([first, last, next], limits, place)?,
        }
        last = next;
        corners += 1;
    }
    if corners < 3 {
        return Err(Fault::new(place, "a face of three or more corners", corners.to_string()));
    }
    Ok(())
}

/// The vertex of `v`, `v/t`, `v//n` or `v/t/n`: from 1, or from the last one backwards if negative.
fn index(word: &str, place: Place, vertices: usize) -> Result<u32, Fault> {
    let number = word.split('/').next().unwrap_or("");
    let index = number.parse::<i64>().ok().and_then(|i| {
        let from_zero = if i < 0 { i.checked_add(i64::try_from(vertices).ok()?)? } else { i - 1 };
        u32::try_from(from_zero).ok().filter(|i| (*i as usize) < vertices)
    });
    index.ok_or_else(|| {
        let expected = format!("the number of one of the {vertices} vertices above");
        Fault::new(place, expected, quoted(word))
    })
}
