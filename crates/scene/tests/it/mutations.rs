//! Scenes that are broken at random: there may be errors, but there is no panic, and each error has a place.

use std::path::Path;

use stiction_lcp::families::Rng;
use stiction_scene::{LoadOptions, Syntax, parse};

const TOML: &str = include_str!("everything.toml");
const JSON: &str = include_str!("everything.json");

/// Put in the place of something else.
const PIECES: [&str; 34] = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "5e-324",
    "1e999",
    "9223372036854775807",
    "{}",
    "[]",
    "[[]]",
    "\"\"",
    "\"world\"",
    "\"box\"",
    "\"ball\"",
    "true",
    "null",
    "\"30 deg\"",
    "[1, 2, 3]",
    "[0, 0, 0]",
    "{ kind = \"sphere\", radius = 1 }",
    "like = \"ball\"",
    "kind = \"mesh\"",
    "file = \"x.obj\"",
    "\n",
    "=",
    ".",
    "[bodies.x]",
    "[[arrays]]",
    "é",
    "\"",
    "{",
    "]",
];

#[test]
fn broken_scenes_have_errors_with_places_and_no_panics() {
    let mut random = Rng::new(6);
    let (mut good, mut bad) = (0, 0);
    for round in 0..1500 {
        let (whole, syntax) =
            if round % 4 == 0 { (JSON, Syntax::Json) } else { (TOML, Syntax::Toml) };
        let mut text = whole.to_string();
        for _ in 0..1 + random.index(3) {
            text = broken(&text, &mut random);
        }
        let found = parse(&text, Path::new("nowhere/s.toml"), syntax, &LoadOptions::default());
        match found.and_then(|scene| scene.build().map(|_| ())) {
            Ok(()) => good += 1,
            Err(errors) => {
                bad += 1;
                assert!(!errors.is_empty());
                for error in errors {
                    assert!(error.place.line > 0 && !error.message.is_empty(), "{error}\n{text}");
                    assert!(!error.to_string().contains('\n'), "{error}\n{text}");
                }
            }
        }
    }
    assert!(good > 10 && bad > 1000, "{good} {bad}");
}

fn broken(text: &str, random: &mut Rng) -> String {
    let borders: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    let place = |random: &mut Rng| borders[random.index(borders.len())];
    let piece = PIECES[random.index(PIECES.len())];
    match random.index(5) {
        // a value of the text by another
        0 | 1 => {
            let start = place(random);
            let Some(sign) = text[start..].find(['=', ':', ',']) else { return text.to_string() };
            let start = start + sign + 1;
            let end = text[start..].find([',', '\n', '}', ']']).map_or(text.len(), |i| start + i);
            format!("{} {piece}{}", &text[..start], &text[end..])
        }
        2 => {
            let (a, b) = (place(random), place(random));
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
            let b = (b..=text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len());
            format!("{}{}", &text[..a], &text[b..])
        }
        3 => {
            let a = place(random);
            format!("{}{piece}{}", &text[..a], &text[a..])
        }
        // a line twice, or at another place
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            let line = lines[random.index(lines.len())];
            lines.insert(random.index(lines.len()), line);
            lines.join("\n")
        }
    }
}
