//! The description of the format as a JSON schema.

use serde_json::{Map, Value as Json, json};

use crate::check::default_node;
use crate::format::{Key, Kind, Need, Object, Quantity, Range, Rule, SCENE, Variant, objects};
use crate::tree::{At, Node, Value};

const ANGLE: &str = r"^\s*(-?[0-9.eE+-]+\s*(deg|rad|°)|(deg|rad)\(\s*-?[0-9.eE+-]+\s*\))\s*$";
const RATE: &str = r"^\s*(-?[0-9.eE+-]+\s*(deg|rad|°)|(deg|rad)\(\s*-?[0-9.eE+-]+\s*\))\s*/s\s*$";

/// The JSON schema (draft 2020-12) of a scene. TOML files are of it as well, but for `inf`, which JSON writes as a text.
pub fn schema() -> String {
    let mut definitions = Map::new();
    for object in objects() {
        definitions.insert(object.plain_name().to_string(), table(object));
    }
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stiction scene",
        "$ref": reference(&SCENE),
        "$defs": definitions,
    });
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn reference(object: &Object) -> String {
    format!("#/$defs/{}", object.plain_name().replace(' ', "%20"))
}

fn table(object: &Object) -> Json {
    let full = match object.tag {
        None => keys(object, None),
        Some(tag) => {
            let variants = tag.variants.iter().map(|variant| keys(object, Some(variant)));
            json!({ "oneOf": variants.collect::<Vec<_>>() })
        }
    };
    let mut schema = match object.short {
        None => full,
        Some(short) => {
            let bare = match object.keys.iter().find(|key| key.name == short) {
                Some(key) => kind(&key.kind),
                // the tag: a bare word
                None => {
                    let words = object.tag.map_or(&[][..], |tag| tag.variants);
                    let bare = words.iter().filter(|variant| variant.keys.is_empty());
                    json!({ "enum": bare.map(|variant| variant.word).collect::<Vec<_>>() })
                }
            };
            json!({ "anyOf": [bare, full] })
        }
    };
    schema["description"] = json!(object.doc);
    schema
}

/// A table of these keys and no others.
fn keys(object: &Object, variant: Option<&Variant>) -> Json {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if let (Some(tag), Some(variant)) = (object.tag, variant) {
        let description = format!("{} {}", tag.doc, variant.doc);
        let word = json!({ "const": variant.word, "description": description });
        properties.insert(tag.key.to_string(), word);
        if tag.default != Some(variant.word) {
            required.push(tag.key);
        }
    }
    let own = variant.map_or(&[][..], |variant| variant.keys);
    for key in own.iter().chain(object.keys) {
        properties.insert(key.name.to_string(), property(key));
        if matches!(key.need, Need::Required) {
            required.push(key.name);
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let rules: Vec<Json> = variant
        .map_or(&[][..], |variant| variant.rules)
        .iter()
        .chain(object.rules)
        .flat_map(rule)
        .collect();
    if !rules.is_empty() {
        schema["allOf"] = json!(rules);
    }
    schema
}

fn rule(rule: &Rule) -> Vec<Json> {
    match rule {
        Rule::ExactlyOne(keys) => {
            let each = keys.iter().map(|key| json!({ "required": [key] }));
            vec![json!({ "oneOf": each.collect::<Vec<_>>() })]
        }
        Rule::AtMostOne(keys) => {
            let pairs = (1..keys.len()).flat_map(|i| (0..i).map(move |j| [keys[j], keys[i]]));
            pairs.map(|pair| json!({ "not": { "required": pair } })).collect()
        }
        Rule::Needs(first, second) => vec![json!({ "dependentRequired": { *first: [second] } })],
    }
}

fn property(key: &Key) -> Json {
    let mut schema = kind(&key.kind);
    let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
    schema["description"] = json!(format!("{}{unit}", key.doc));
    if let Need::Default(text) = key.need {
        schema["default"] = value(&default_node(text, At::default()));
    }
    schema
}

fn kind(kind: &Kind) -> Json {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Number(quantity, range) => number(*quantity, range),
        Kind::Text | Kind::Reference(_) => json!({ "type": "string" }),
        Kind::File => json!({ "type": "string", "minLength": 1 }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::List { of, least, most } => {
            let mut schema = json!({ "type": "array", "items": self::kind(of), "minItems": least });
            if *most < usize::MAX {
                schema["maxItems"] = json!(most);
            }
            schema
        }
        Kind::Listed(of) => {
            let one = self::kind(of);
            let list = json!({ "type": "array", "items": one.clone() });
            json!({ "anyOf": [one, list] })
        }
        Kind::Object(object) => json!({ "$ref": reference(object) }),
        Kind::Named(object) => {
            json!({ "type": "object", "additionalProperties": { "$ref": reference(object) } })
        }
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(self::kind).collect::<Vec<_>>() })
        }
    }
}

fn number(quantity: Quantity, range: &Range) -> Json {
    let mut plain = json!({ "type": "number" });
    for (bound, [open, closed], excluded) in [
        (range.least, ["exclusiveMinimum", "minimum"], range.open[0]),
        (range.most, ["exclusiveMaximum", "maximum"], range.open[1]),
    ] {
        if bound.is_finite() {
            plain[if excluded { open } else { closed }] = json!(bound);
        }
    }
    let mut texts: Vec<Json> = Vec::new();
    match quantity {
        Quantity::Plain => {}
        Quantity::Angle | Quantity::Coordinate => {
            texts.push(json!({ "type": "string", "pattern": ANGLE }));
        }
        Quantity::Rate | Quantity::CoordinateRate => {
            texts.push(json!({ "type": "string", "pattern": RATE }));
        }
    }
    let infinities = [(range.least, range.open[0], "-inf"), (range.most, range.open[1], "inf")];
    let allowed = infinities.iter().filter(|(bound, open, _)| bound.is_infinite() && !open);
    let words: Vec<&str> = allowed.map(|(_, _, word)| *word).collect();
    if !words.is_empty() {
        texts.push(json!({ "enum": words }));
    }
    if texts.is_empty() {
        return plain;
    }
    texts.insert(0, plain);
    json!({ "anyOf": texts })
}

/// A default as JSON; infinity as a text.
fn value(node: &Node) -> Json {
    match &node.value {
        Value::Bool(value) => json!(value),
        Value::Whole(value) => json!(value),
        Value::Number(value) if value.is_infinite() => {
            json!(if *value > 0.0 { "inf" } else { "-inf" })
        }
        Value::Number(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(items) => Json::Array(items.iter().map(value).collect()),
        Value::Table(table) => {
            let entries = table.entries.iter();
            Json::Object(entries.map(|e| (e.name.clone(), value(&e.node))).collect())
        }
        Value::Other(_) => Json::Null,
    }
}
