//! Frames in, as many pictures as fit kept.

use serde::Serialize;
use stiction_record::{Frame, Header};

use crate::drawing::Drawing;
use crate::encode::{base64_len, escape};
use crate::page;
use crate::picture::{COLUMNS, CONTACT_WORDS, POSE, Picture, worst};

/// Solvers of one recording that are told apart.
const SOLVERS: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub struct TrackSettings {
    /// Largest page [bytes]. Passed only where the page without pictures, or its first and its last picture, are larger.
    pub bytes: usize,
    /// Of the run's time [1/s]. Where there are twice as many, every second one is dropped …
    pub pictures_per_second: f64,
    /// … unless there are no more than this in all: a short run keeps every step.
    pub pictures: usize,
    /// Length of the trails behind bodies [s].
    pub trail: f64,
}

impl Default for TrackSettings {
    fn default() -> Self {
        Self { bytes: 24_000_000, pictures_per_second: 60.0, pictures: 2000, trail: 1.0 }
    }
}

/// The pictures of a page. The first and the last frame are always among them; between them they are equally many frames
/// apart.
#[derive(Clone, Debug)]
pub struct Track {
    pub(crate) drawing: Drawing,
    pub(crate) settings: TrackSettings,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) summary: Summary,
    /// Bytes of the page without pictures.
    fixed: usize,
    /// Words of all contacts kept.
    contact_words: usize,
}

/// Of all frames, kept or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub frames: u64,
    /// Frames that are the end of a step.
    pub steps: u64,
    pub certified: u64,
    pub worst_residual: f64,
    /// Step with the worst residual.
    pub worst_step: u64,
    /// [m]
    pub worst_overlap: f64,
    pub impacts: u64,
    /// Pictures are this many frames apart; contacts are kept with pictures this many frames apart.
    pub stride: u64,
    pub contact_stride: u64,
    /// Not even the contacts of two pictures fit.
    pub contacts_left_out: bool,
    pub solvers: Vec<String>,
}

impl Track {
    pub fn new(header: &Header, settings: &TrackSettings) -> Self {
        let drawing = Drawing::new(header, settings.bytes / 2);
        let json = serde_json::to_string(&drawing).expect("structs of names and numbers");
        let fixed = page::EMPTY + escape(&json).len() + base64_len(drawing.numbers.len());
        Self {
            drawing,
            settings: settings.clone(),
            pictures: Vec::new(),
            summary: Summary { stride: 1, contact_stride: 1, ..Summary::default() },
            fixed,
            contact_words: 0,
        }
    }

    /// Takes the next frame, in the order of time.
    pub fn push(&mut self, frame: &Frame) {
        let solver = self.solver(&frame.certificate.solver);
        let (bodies, terms) = (self.drawing.bodies.len(), self.drawing.ledger.len());
        let mut picture = Picture::new(frame, bodies, terms, solver);
        self.count(frame);
        self.settle_last(&mut picture);
        if self.summary.contacts_left_out {
            picture.contacts = None;
        }
        self.contact_words += words_of(&picture);
        self.pictures.push(picture);
        self.summary.frames += 1;
        self.thin();
    }

    /// Bytes that the page has if nothing more is pushed, within a few.
    pub fn bytes(&self) -> usize {
        let columns = COLUMNS.len() + self.drawing.ledger.len();
        let picture = 4 * (POSE * self.drawing.bodies.len() + columns) + 16 + 8;
        let names: usize = self.summary.solvers.iter().map(|name| 6 * name.len() + 3).sum();
        self.fixed + names + base64_len(picture * self.pictures.len()) + self.contact_bytes()
    }

    /// Pictures kept so far.
    pub fn pictures(&self) -> &[Picture] {
        &self.pictures
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    fn contact_bytes(&self) -> usize {
        base64_len(4 * self.contact_words)
    }

    /// Place of a solver's name in the list; those that have no room in it share the last place.
    fn solver(&mut self, name: &str) -> usize {
        let name: String = name.chars().take(100).collect();
        let names = &mut self.summary.solvers;
        if let Some(place) = names.iter().position(|known| *known == name) {
            return place;
        }
        if names.len() < SOLVERS {
            names.push(if names.len() + 1 < SOLVERS { name } else { "others".into() });
        }
        names.len() - 1
    }

    fn count(&mut self, frame: &Frame) {
        let (summary, certificate) = (&mut self.summary, &frame.certificate);
        summary.impacts += frame.impacts.len() as u64;
        summary.worst_overlap = worst(summary.worst_overlap, certificate.overlap);
        if frame.step == 0 {
            return;
        }
        summary.steps += 1;
        summary.certified += u64::from(certificate.certified);
        if !(certificate.residual <= summary.worst_residual) && !summary.worst_residual.is_nan() {
            summary.worst_residual = certificate.residual;
            summary.worst_step = frame.step;
        }
    }

    /// The last picture was kept because it was the last. Drops it, or its contacts, where it is between the strides; `next`
    /// takes over what it knew.
    fn settle_last(&mut self, next: &mut Picture) {
        if self.pictures.len() < 2 {
            return;
        }
        let index = self.summary.frames - 1;
        if !index.is_multiple_of(self.summary.stride) {
            if let Some(dropped) = self.pictures.pop() {
                self.contact_words -= words_of(&dropped);
                next.row.since.absorb(&dropped.row.since);
            }
        } else if !index.is_multiple_of(self.summary.contact_stride) {
            let last = self.pictures.len() - 1;
            self.drop_contacts(last);
        }
    }

    /// Drops pictures or contacts until the page is small enough.
    fn thin(&mut self) {
        loop {
            let too_large = self.bytes() > self.settings.bytes;
            let room = self.settings.bytes.saturating_sub(self.fixed);
            let contacts_lead = self.contact_bytes() > room / 2;
            if too_large && (contacts_lead || self.pictures.len() <= 2) && self.contact_words > 0 {
                self.halve_contacts();
            } else if self.pictures.len() > 2 && (too_large || self.too_many()) {
                self.halve_pictures();
            } else {
                return;
            }
        }
    }

    fn too_many(&self) -> bool {
        let n = self.pictures.len();
        let span = self.pictures[n - 1].row.time - self.pictures[0].row.time;
        n > self.settings.pictures && n as f64 > 2.0 * self.settings.pictures_per_second * span
    }

    fn halve_pictures(&mut self) {
        self.summary.stride *= 2;
        self.summary.contact_stride = self.summary.contact_stride.max(self.summary.stride);
        let last = self.pictures.len() - 1;
        let mut kept: Vec<Picture> = Vec::with_capacity(self.pictures.len() / 2 + 2);
        let mut dropped: Option<Picture> = None;
        for (i, mut picture) in std::mem::take(&mut self.pictures).into_iter().enumerate() {
            if let Some(before) = dropped.take() {
                picture.row.since.absorb(&before.row.since);
            }
            if i % 2 == 0 || i == last {
                kept.push(picture);
            } else {
                self.contact_words -= words_of(&picture);
                dropped = Some(picture);
            }
        }
        self.pictures = kept;
    }

    /// Keeps the contacts of every second picture that has some; none at all where the first and the last do not fit.
    fn halve_contacts(&mut self) {
        let (stride, last) = (self.summary.stride, self.pictures.len() - 1);
        let between = (1..last).any(|i| self.pictures[i].contacts.is_some());
        if between {
            self.summary.contact_stride *= 2;
        } else {
            self.summary.contacts_left_out = true;
        }
        for i in 0..=last {
            let on_stride = (i as u64 * stride).is_multiple_of(self.summary.contact_stride);
            if !between || !(on_stride || i == last) {
                self.drop_contacts(i);
            }
        }
    }

    fn drop_contacts(&mut self, i: usize) {
        self.contact_words -= words_of(&self.pictures[i]);
        self.pictures[i].contacts = None;
    }
}

fn words_of(picture: &Picture) -> usize {
    let words = picture.contacts.as_ref().map_or(0, Vec::len);
    debug_assert!(words.is_multiple_of(CONTACT_WORDS));
    words
}
