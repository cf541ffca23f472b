//! Writes a recording while the run goes on.
//!
//! The file is MCAP. The header and the scene come first, as attachments; then chunks of whole frames, each written at once and
//! flushed, so that a process that ends at any instant loses the last chunk at most.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Attachment, McapError, WriteOptions, Writer};

use crate::container::LARGEST_ATTACHMENT;
use crate::error::RecordError;
use crate::frame::{Contact, Frame};
use crate::header::{BodyInfo, Header};
use crate::message::{self, CERTIFICATE, CONTACTS, ENERGY, IMPACTS};
use crate::{pictures, schema};

/// Names within the file.
pub(crate) const HEADER: &str = "header.json";
pub(crate) const SCENE: &str = "scene.toml";
const ABOUT: &str = "stiction";
pub(crate) const SUMMARY: &str = "summary";
pub(crate) const STEP_TOPIC: &str = "/stiction/step";
pub(crate) const CONTACTS_TOPIC: &str = "/stiction/contacts";
pub(crate) const CERTIFICATE_TOPIC: &str = "/stiction/certificate";
pub(crate) const ENERGY_TOPIC: &str = "/stiction/energy";
pub(crate) const IMPACTS_TOPIC: &str = "/stiction/impacts";
pub(crate) const STATE_TOPIC: &str = "/stiction/state";

/// Larger chunks are neither written nor read [bytes].
pub(crate) const LARGEST_CHUNK: usize = 64 << 20;
/// What frames a message, and its entry in the index [bytes].
const OVERHEAD: usize = 47;
/// Chunks grow with the file once it has this many, so that their index stays small.
const CHUNKS: u64 = 4096;

/// Channels, in the order of [`CHANNELS`].
#[derive(Clone, Copy)]
enum Channel {
    Step,
    Contacts,
    Certificate,
    Energy,
    Impacts,
    State,
    Transforms,
    Shapes,
    Arrows,
}

/// Topic and message of each channel.
const CHANNELS: [(&str, &str); 9] = [
    (STEP_TOPIC, "stiction.Step"),
    (CONTACTS_TOPIC, "stiction.Contacts"),
    (CERTIFICATE_TOPIC, "stiction.Certificate"),
    (ENERGY_TOPIC, "stiction.Energy"),
    (IMPACTS_TOPIC, "stiction.Impacts"),
    (STATE_TOPIC, "stiction.State"),
    ("/tf", "foxglove.FrameTransforms"),
    ("/shapes", "foxglove.SceneUpdate"),
    ("/impulses", "foxglove.SceneUpdate"),
];

#[derive(Clone, Debug, PartialEq)]
pub struct RecorderSettings {
    /// A chunk is closed when it holds this much [bytes]. Larger in files of more than 4096 chunks.
    pub chunk: usize,
    /// Length of the arrows in `pictures` for each unit of impulse [m/(N·s)]. None: by the masses of the header.
    pub arrows: Option<f64>,
}

impl Default for RecorderSettings {
    fn default() -> Self {
        Self { chunk: 256 << 10, arrows: None }
    }
}

/// A recording that is being written. Frames are kept in memory until a chunk is full.
///
/// Dropped without [`finish`](Self::finish) it leaves a whole file without a summary of the run, unless writing fails.
pub struct Recorder<W: Write> {
    writer: Writer<NoSeek<W>>,
    bodies: Vec<BodyInfo>,
    /// Of q, v, shapes and the ledger, by the header.
    lengths: [usize; 4],
    channels: [u16; CHANNELS.len()],
    settings: RecorderSettings,
    arrows: f64,
    message: Vec<u8>,
    /// Bytes in the open chunk, and in all before.
    open: usize,
    closed: u64,
    frames: u32,
}

impl Recorder<BufWriter<File>> {
    /// Writes to a file, which is overwritten.
    pub fn create(
        path: &Path,
        header: &Header,
        settings: &RecorderSettings,
    ) -> Result<Self, RecordError> {
        let file = File::create(path)
            .map_err(|error| RecordError::Io { doing: "creating the recording", error })?;
        Self::new(BufWriter::new(file), header, settings)
    }
}

impl<W: Write> Recorder<W> {
    /// Writes the header, the scene and the shapes, and flushes them.
    pub fn new(out: W, header: &Header, settings: &RecorderSettings) -> Result<Self, RecordError> {
        let options = WriteOptions::new()
            .profile("")
            .library(format!("stiction {}", header.version))
            .compression(None)
            .chunk_size(None)
            .disable_seeking(true)
            .calculate_data_section_crc(false);
        let mut writer = options.create(NoSeek::new(out)).map_err(failed)?;
        attach_header(&mut writer, header)?;
        let channels = add_channels(&mut writer)?;
        let arrows = settings.arrows.unwrap_or_else(|| pictures::arrow_scale(header));
        let mut recorder = Self {
            writer,
            bodies: header.bodies.clone(),
            lengths: [header.q.len(), header.v.len(), header.shapes.len(), header.ledger.len()],
            channels,
            settings: settings.clone(),
            arrows,
            message: Vec::new(),
            open: 0,
            closed: 0,
            frames: 0,
        };
        pictures::put_shapes(&mut recorder.message, header);
        // meshes larger than a chunk are in the header alone
        if recorder.message.len() < LARGEST_CHUNK / 2 {
            recorder.send(Channel::Shapes, 0)?;
        }
        recorder.flush()?;
        Ok(recorder)
    }

    /// Keeps a frame.
    ///
    /// # Panics
    ///
    /// If the frame has other numbers of q, v, bodies, shapes or terms than the header says.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        self.assert_fits(frame);
        let time = nanoseconds(frame.time);
        let mut parts = CERTIFICATE | ENERGY;
        if !frame.contacts.is_empty() {
            parts |= CONTACTS;
            self.message.clear();
            message::put_contacts(&mut self.message, &frame.contacts);
            self.send(Channel::Contacts, time)?;
        }
        self.message.clear();
        message::put_certificate(&mut self.message, &frame.certificate);
        self.send(Channel::Certificate, time)?;
        self.message.clear();
        message::put_energy(&mut self.message, &frame.energy);
        self.send(Channel::Energy, time)?;
        if !frame.impacts.is_empty() {
            parts |= IMPACTS;
            self.message.clear();
            message::put_impacts(&mut self.message, &frame.impacts);
            self.send(Channel::Impacts, time)?;
        }
        self.message.clear();
        message::put_step(&mut self.message, frame, parts);
        self.send(Channel::Step, time)?;
        self.frames = self.frames.wrapping_add(1);
        self.close_if_full()
    }

    /// Keeps the whole state of the simulator, in a form of its own, to go on from.
    pub fn state(&mut self, step: u64, time: f64, bytes: &[u8]) -> Result<(), RecordError> {
        self.message.clear();
        message::put_state(&mut self.message, step, time, bytes);
        self.send(Channel::State, nanoseconds(time))?;
        self.close_if_full()
    }

    /// Keeps transforms and impulses for Foxglove.
    ///
    /// # Panics
    ///
    /// As [`frame`](Self::frame).
    pub fn pictures(&mut self, frame: &Frame) -> Result<(), RecordError> {
        self.assert_fits(frame);
        let time = nanoseconds(frame.time);
        self.message.clear();
        pictures::put_transforms(&mut self.message, &self.bodies, frame, time);
        self.send(Channel::Transforms, time)?;
        self.message.clear();
        pictures::put_arrows(&mut self.message, frame, self.arrows, time);
        self.send(Channel::Arrows, time)?;
        self.close_if_full()
    }

    /// Closes the open chunk and hands everything to the system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.closed += self.open as u64;
        self.open = 0;
        self.writer.flush().map_err(failed)
    }

    /// Ends the recording with what the run came to, and the index.
    pub fn finish(mut self, summary: &BTreeMap<String, String>) -> Result<W, RecordError> {
        let metadata = Metadata { name: SUMMARY.into(), metadata: summary.clone() };
        self.writer.write_metadata(&metadata).map_err(failed)?;
        self.writer.finish().map_err(failed)?;
        Ok(self.writer.into_inner().into_inner())
    }

    /// Writes `self.message` to a channel.
    fn send(&mut self, channel: Channel, time: u64) -> Result<(), RecordError> {
        if self.open + self.message.len() + OVERHEAD > LARGEST_CHUNK {
            let (_, message) = CHANNELS[channel as usize];
            let length = self.message.len();
            let what = format!("{message} of {length} bytes; a chunk holds {LARGEST_CHUNK}");
            return Err(RecordError::Unreadable { what });
        }
        let header = MessageHeader {
            channel_id: self.channels[channel as usize],
            sequence: self.frames,
            log_time: time,
            publish_time: time,
        };
        self.writer.write_to_known_channel(&header, &self.message).map_err(failed)?;
        self.open += self.message.len() + OVERHEAD;
        Ok(())
    }

    fn close_if_full(&mut self) -> Result<(), RecordError> {
        let grown = usize::try_from(self.closed / CHUNKS).unwrap_or(usize::MAX);
        let limit = self.settings.chunk.max(grown).min(LARGEST_CHUNK / 8);
        if self.open >= limit { self.flush() } else { Ok(()) }
    }

    fn assert_fits(&self, frame: &Frame) {
        let [q, v, shapes, ledger] = self.lengths;
        assert_eq!(frame.q.len(), q, "numbers of q in frame and header");
        assert_eq!(frame.v.len(), v, "numbers of v in frame and header");
        assert_eq!(frame.poses.len(), self.bodies.len(), "bodies in frame and header");
        let terms = frame.energy.terms.len();
        assert!(terms == 0 || terms == ledger, "terms in frame and header");
        let known = |contact: &Contact| contact.shape_a.max(contact.shape_b) < shapes as u32;
        assert!(frame.contacts.iter().all(known), "a contact of a shape that the header has not");
    }
}

/// Simulated time as the clock of the file, from 0.
pub(crate) fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

pub(crate) fn failed(error: McapError) -> RecordError {
    let error = match error {
        McapError::Io(error) => error,
        other => std::io::Error::other(other),
    };
    RecordError::Io { doing: "writing the recording", error }
}

/// Header, scene, and the few things that tools show.
fn attach_header<W: Write>(
    writer: &mut Writer<NoSeek<W>>,
    header: &Header,
) -> Result<(), RecordError> {
    // the scene has an attachment of its own
    let mut short = header.clone();
    short.scene.clear();
    let unreadable = |what: String| RecordError::Unreadable { what: format!("the header: {what}") };
    let json = serde_json::to_vec(&short).map_err(|error| unreadable(error.to_string()))?;
    // JSON has neither infinities nor NaN
    serde_json::from_slice::<Header>(&json).map_err(|error| unreadable(error.to_string()))?;
    if let Some(fault) = header.fault() {
        return Err(unreadable(fault));
    }
    for (name, media_type, data) in [
        (HEADER, "application/json", json.as_slice()),
        (SCENE, "application/toml", header.scene.as_bytes()),
    ] {
        if data.len() as u64 > LARGEST_ATTACHMENT / 2 {
            let what = format!("{name} of {} bytes", data.len());
            return Err(RecordError::Unreadable { what });
        }
        let attachment = Attachment {
            log_time: 0,
            create_time: 0,
            name: name.into(),
            media_type: media_type.into(),
            data: Cow::Borrowed(data),
        };
        writer.attach(&attachment).map_err(failed)?;
    }
    let about = [
        ("title", header.title.clone()),
        ("version", header.version.clone()),
        ("command", header.command.join(" ")),
        ("scene_file", header.scene_file.clone()),
        ("scene_hash", header.scene_hash.clone()),
        ("seed", header.seed.to_string()),
    ];
    let metadata = about.map(|(key, value)| (key.to_string(), value)).into();
    writer.write_metadata(&Metadata { name: ABOUT.into(), metadata }).map_err(failed)
}

fn add_channels<W: Write>(
    writer: &mut Writer<NoSeek<W>>,
) -> Result<[u16; CHANNELS.len()], RecordError> {
    let mut ids = [0; CHANNELS.len()];
    for (id, (topic, message)) in ids.iter_mut().zip(CHANNELS) {
        let schema = writer
            .add_schema(message, "protobuf", &schema::descriptor_set(message))
            .map_err(failed)?;
        *id = writer.add_channel(schema, topic, "protobuf", &BTreeMap::new()).map_err(failed)?;
    }
    Ok(ids)
}
