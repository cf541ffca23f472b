//! The messages of a recording, described once: names, numbers and types of their fields, and the descriptors that a file
//! carries so that other programs decode it.
//!
//! [`STICTION`] has the messages of this crate, [`foxglove::FOXGLOVE`] those that Foxglove draws.

pub mod foxglove;

use crate::proto::{put_bytes, put_message, put_uint};

/// A message, alone in a file of its own.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The file that other descriptors name when they import it.
    pub file: &'static str,
    pub package: &'static str,
    pub name: &'static str,
    pub fields: &'static [Field],
    /// Names from 0 on, of the enumeration nested in the message.
    pub choices: Option<(&'static str, &'static [&'static str])>,
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub number: u32,
    pub name: &'static str,
    pub kind: Kind,
    pub is_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Double,
    Int64,
    Int32,
    Uint64,
    Uint32,
    Fixed32,
    Bool,
    Text,
    Bytes,
    /// One of [`Message::choices`].
    Choice,
    /// A message by its full name.
    Message(&'static str),
}

pub(crate) const fn one(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: false }
}

pub(crate) const fn list(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: true }
}

const fn own(name: &'static str, file: &'static str, fields: &'static [Field]) -> Message {
    Message { file, package: "stiction", name, fields, choices: None }
}

/// Channels `/stiction/…`. A frame is what carries one sequence number; its `Step` comes last.
pub const STICTION: [Message; 6] = [
    own(
        "Step",
        "stiction/Step.proto",
        &[
            one(1, "step", Kind::Uint64),
            one(2, "time", Kind::Double),
            list(3, "q", Kind::Double),
            list(4, "v", Kind::Double),
            // seven numbers for each body: x, y, z [m], quaternion w, x, y, z
            list(5, "poses", Kind::Double),
            // which messages belong to the frame besides: 1 contacts, 2 certificate, 4 energy, 8 impacts
            one(6, "parts", Kind::Uint32),
        ],
    ),
    Message {
        choices: Some(("Mode", &["OPEN", "STICK", "SLIP"])),
        ..own(
            "Contacts",
            "stiction/Contacts.proto",
            &[
                list(1, "shape_a", Kind::Uint32),
                list(2, "shape_b", Kind::Uint32),
                list(3, "feature", Kind::Uint32),
                // three numbers for each contact, in the world
                list(4, "point", Kind::Double),
                list(5, "normal", Kind::Double),
                list(6, "gap", Kind::Double),
                list(7, "impulse", Kind::Double),
                list(8, "velocity", Kind::Double),
                list(9, "mu", Kind::Double),
                list(10, "mode", Kind::Choice),
            ],
        )
    },
    own(
        "Certificate",
        "stiction/Certificate.proto",
        &[
            one(1, "certified", Kind::Bool),
            one(2, "residual", Kind::Double),
            one(3, "law", Kind::Double),
            one(4, "coulomb", Kind::Double),
            one(5, "gap", Kind::Double),
            one(6, "misalignment", Kind::Double),
            one(7, "overlap", Kind::Double),
            one(8, "iterations", Kind::Uint32),
            one(9, "solver", Kind::Text),
        ],
    ),
    own(
        "Energy",
        "stiction/Energy.proto",
        &[
            one(1, "kinetic", Kind::Double),
            one(2, "potential", Kind::Double),
            // in the order of the header's `ledger`
            list(3, "terms", Kind::Double),
        ],
    ),
    own(
        "Impacts",
        "stiction/Impacts.proto",
        &[
            list(1, "time", Kind::Double),
            list(2, "contacts", Kind::Uint32),
            list(3, "speed", Kind::Double),
            list(4, "lost", Kind::Double),
        ],
    ),
    own(
        "State",
        "stiction/State.proto",
        &[
            one(1, "step", Kind::Uint64),
            one(2, "time", Kind::Double),
            // all that the next step depends on, in the simulator's own form
            one(3, "bytes", Kind::Bytes),
        ],
    ),
];

/// The message of that full name.
pub fn find(full_name: &str) -> Option<&'static Message> {
    STICTION.iter().chain(&foxglove::FOXGLOVE).find(|message| {
        full_name
            .strip_prefix(message.package)
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|name| name == message.name)
    })
}

/// A serialized `FileDescriptorSet` with the message and all that it imports, imports first.
///
/// # Panics
///
/// If the tables name no such message.
pub fn descriptor_set(full_name: &str) -> Vec<u8> {
    let mut messages = Vec::new();
    collect(full_name, &mut messages);
    let mut out = Vec::new();
    for message in messages {
        put_message(&mut out, 1, |out| put_file(out, message));
    }
    out
}

/// Appends the message after those that it imports.
fn collect(full_name: &str, messages: &mut Vec<&'static Message>) {
    let message = find(full_name).expect("every message that is named has a description");
    for import in imports(message) {
        collect(import, messages);
    }
    if !messages.iter().any(|other| std::ptr::eq(*other, message)) {
        messages.push(message);
    }
}

/// Full names of the messages that the fields are made of, each once.
fn imports(message: &Message) -> Vec<&'static str> {
    let mut names = Vec::new();
    for field in message.fields {
        if let Kind::Message(name) = field.kind
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// A `FileDescriptorProto`.
fn put_file(out: &mut Vec<u8>, message: &Message) {
    put_bytes(out, 1, message.file.as_bytes());
    put_bytes(out, 2, message.package.as_bytes());
    for name in imports(message) {
        let import = find(name).expect("every message that is named has a description");
        put_bytes(out, 3, import.file.as_bytes());
    }
    put_message(out, 4, |out| {
        put_bytes(out, 1, message.name.as_bytes());
        for field in message.fields {
            put_message(out, 2, |out| put_field(out, message, field));
        }
        if let Some((name, choices)) = message.choices {
            put_message(out, 4, |out| put_choices(out, name, choices));
        }
    });
    put_bytes(out, 12, b"proto3");
}

/// A `FieldDescriptorProto`.
fn put_field(out: &mut Vec<u8>, message: &Message, field: &Field) {
    let (kind, type_name) = match field.kind {
        Kind::Double => (1, None),
        Kind::Int64 => (3, None),
        Kind::Uint64 => (4, None),
        Kind::Int32 => (5, None),
        Kind::Fixed32 => (7, None),
        Kind::Bool => (8, None),
        Kind::Text => (9, None),
        Kind::Message(name) => (11, Some(format!(".{name}"))),
        Kind::Bytes => (12, None),
        Kind::Uint32 => (13, None),
        Kind::Choice => {
            let (choice, _) = message.choices.expect("a choice among named ones");
            (14, Some(format!(".{}.{}.{choice}", message.package, message.name)))
        }
    };
    put_bytes(out, 1, field.name.as_bytes());
    put_uint(out, 3, u64::from(field.number));
    put_uint(out, 4, if field.is_list { 3 } else { 1 });
    put_uint(out, 5, kind);
    put_bytes(out, 6, type_name.unwrap_or_default().as_bytes());
}

/// An `EnumDescriptorProto`.
fn put_choices(out: &mut Vec<u8>, name: &str, choices: &[&str]) {
    put_bytes(out, 1, name.as_bytes());
    for (number, choice) in choices.iter().enumerate() {
        put_message(out, 2, |out| {
            put_bytes(out, 1, choice.as_bytes());
            // proto2: a zero is written
            out.extend_from_slice(&[0x10, number as u8]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{Fields, Value};

    /// Names of the files of a set, in their order.
    fn files(set: &[u8]) -> Vec<String> {
        let text = |bytes: &[u8]| match Fields::new(bytes).next() {
            Some(Ok((1, Value::Bytes(name)))) => String::from_utf8(name.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        Fields::new(set)
            .map(|field| match field {
                Ok((1, Value::Bytes(file))) => text(file),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn imports_come_before_those_who_import_and_once() {
        let files = files(&descriptor_set("foxglove.SceneUpdate"));
        assert_eq!(files.last().map(String::as_str), Some("foxglove/SceneUpdate.proto"));
        for message in foxglove::FOXGLOVE {
            let Some(place) = files.iter().position(|file| file == message.file) else { continue };
            assert_eq!(files.iter().filter(|file| **file == message.file).count(), 1);
            for import in imports(&message) {
                let before = files.iter().position(|file| file == find(import).unwrap().file);
                assert!(before.unwrap() < place, "{import} before {}", message.name);
            }
        }
    }

    #[test]
    fn every_message_has_a_description_with_numbers_that_differ() {
        for message in STICTION.iter().chain(&foxglove::FOXGLOVE) {
            let set = descriptor_set(&format!("{}.{}", message.package, message.name));
            assert!(!set.is_empty());
            for (i, field) in message.fields.iter().enumerate() {
                assert!(message.fields[..i].iter().all(|other| other.number != field.number));
            }
        }
    }
}
