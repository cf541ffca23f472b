//! The description of the format as a page to read.

use std::fmt::Write as _;

use crate::format::{Key, Kind, Need, Object, Rule, objects};

const HEAD: &str = "# Scenes\n\n\
A scene is a TOML file, or the same structure as JSON in a file that ends in `.json`. SI units; angles are in rad, or texts \
like `\"30 deg\"`, `\"30°\"`, `\"deg(30)\"`, `\"0.5 rad\"`, and `\"30 deg/s\"` where they are per second. Quaternions are w, x, y, z. \
`inf` is a number only where it is said; in JSON it is the text `\"inf\"`. Names of files start from the folder of the file \
that names them, and must be inside it.\n";

/// All keys of a scene file, as Markdown.
pub fn reference() -> String {
    let mut page = HEAD.to_string();
    for object in objects() {
        section(&mut page, object);
    }
    page
}

fn section(page: &mut String, object: &Object) {
    let name = object.plain_name();
    let title: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    let _ = write!(page, "\n## {title}{}\n\n{}\n", &name[name.len().min(1)..], object.doc);
    for rule in object.rules {
        let _ = writeln!(page, "\n{}", sentence(rule));
    }
    if !object.keys.is_empty() {
        keys(page, object.keys);
    }
    let Some(tag) = object.tag else { return };
    let default = tag.default.map_or(String::new(), |word| format!(" Without it `{word:?}`."));
    let _ = writeln!(page, "\n`{}`: {}{default}", tag.key, tag.doc);
    for variant in tag.variants {
        let _ = writeln!(page, "\n- `\"{}\"`: {}", variant.word, variant.doc);
        for rule in variant.rules {
            let _ = writeln!(page, "  {}", sentence(rule));
        }
        for key in variant.keys {
            let _ = writeln!(page, "  - {}", item(key));
        }
    }
}

fn sentence(rule: &Rule) -> String {
    let ticked =
        |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    match rule {
        Rule::ExactlyOne(keys) => format!("One of {}.", ticked(keys)),
        Rule::AtMostOne(keys) => format!("At most one of {}.", ticked(keys)),
        Rule::Needs(first, second) => format!("`{first}` goes with `{second}`."),
    }
}

fn keys(page: &mut String, keys: &[Key]) {
    page.push_str("\n| key | value | unit | default | |\n|---|---|---|---|---|\n");
    for key in keys {
        let (what, default) = (what(&key.kind), default(key));
        let _ =
            writeln!(page, "| `{}` | {what} | {} | {default} | {} |", key.name, key.unit, key.doc);
    }
}

fn item(key: &Key) -> String {
    let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
    format!("`{}`: {}{unit}; {}. {}", key.name, what(&key.kind), default(key), key.doc)
}

fn default(key: &Key) -> String {
    match key.need {
        Need::Required => "required".to_string(),
        Need::Optional => "none".to_string(),
        Need::Default(text) => format!("`{text}`"),
    }
}

/// The kind in a few words, with a link to the table that it is.
fn what(kind: &Kind) -> String {
    match kind {
        Kind::Object(object) => link(object),
        Kind::Named(object) => format!("name → {}", link(object)),
        Kind::List { of, least, most } if least == most => format!("{least} × {}", what(of)),
        Kind::List { of, .. } => format!("list of {}", what(of)),
        Kind::Listed(of) => format!("{}, or a list", what(of)),
        Kind::Either(kinds) => kinds.iter().map(what).collect::<Vec<_>>().join(", or "),
        Kind::Word(words) => {
            words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Number(..) => {
            let text = kind.describe("");
            text.split(", a number").next().unwrap_or_default().to_string()
        }
        _ => kind.describe(""),
    }
}

fn link(object: &Object) -> String {
    let name = object.plain_name();
    format!("[{name}](#{})", name.replace(' ', "-"))
}
