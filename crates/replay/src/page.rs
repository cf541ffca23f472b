//! The page: sources put together, numbers in blocks of base64.

use std::io::{self, Write};

use serde::Serialize;

use crate::drawing::Drawing;
use crate::encode::{Base64, escape};
use crate::picture::{COLUMNS, CONTACT_WORDS, Picture};
use crate::track::{Summary, Track};

const HTML: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");

/// In one scope, in this order.
const SCRIPTS: [&str; 14] = [
    include_str!("../page/data.js"),
    include_str!("../page/math.js"),
    include_str!("../page/geometry.js"),
    include_str!("../page/gl.js"),
    include_str!("../page/shaders.js"),
    include_str!("../page/batch.js"),
    include_str!("../page/scene.js"),
    include_str!("../page/overlay.js"),
    include_str!("../page/camera.js"),
    include_str!("../page/pick.js"),
    include_str!("../page/plots.js"),
    include_str!("../page/panel.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/main.js"),
];

/// Bytes of a page without a recording, with some room for the tags of its blocks and the summary.
pub(crate) const EMPTY: usize = {
    let mut bytes = HTML.len() + STYLE.len() + 2000;
    let mut i = 0;
    while i < SCRIPTS.len() {
        bytes += SCRIPTS[i].len() + 1;
        i += 1;
    }
    bytes
};

/// What the page reads first.
#[derive(Serialize)]
struct Head<'a> {
    drawing: &'a Drawing,
    summary: &'a Summary,
    pictures: usize,
    /// Of a row; one for each term of the ledger follows.
    columns: &'a [&'a str],
    trail: f64,
}

impl Track {
    /// The whole page.
    pub fn page(&self) -> String {
        let mut out = Vec::with_capacity(self.bytes());
        self.write_page(&mut out).expect("memory takes all bytes");
        String::from_utf8(out).expect("sources, JSON and base64 are text")
    }

    /// Writes the page without a second copy of it in memory.
    pub fn write_page(&self, out: &mut dyn Write) -> io::Result<()> {
        let (top, rest) = cut(HTML, "/*STYLE*/");
        let (body, rest) = cut(rest, "<!--DATA-->");
        let (before_script, end) = cut(rest, "/*SCRIPT*/");
        for text in [top, STYLE, body] {
            out.write_all(text.as_bytes())?;
        }
        self.write_data(out)?;
        out.write_all(before_script.as_bytes())?;
        for script in SCRIPTS {
            out.write_all(script.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.write_all(end.as_bytes())
    }

    fn write_data(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = Head {
            drawing: &self.drawing,
            summary: &self.summary,
            pictures: self.pictures.len(),
            columns: &COLUMNS,
            trail: self.settings.trail,
        };
        let json = serde_json::to_string(&head).map_err(io::Error::other)?;
        write!(out, "<script type=\"application/json\" id=\"head\">{}</script>", escape(&json))?;
        block(out, "meshes", |b| b.push(&self.drawing.numbers))?;
        block(out, "times", |b| self.each(|p| b.push(&p.row.time.to_le_bytes())))?;
        block(out, "steps", |b| self.each(|p| b.push(&(p.row.step as f64).to_le_bytes())))?;
        block(out, "rows", |b| {
            self.each(|p| p.row.numbers().try_for_each(|x| b.push(&x.to_le_bytes())))
        })?;
        block(out, "poses", |b| {
            self.each(|p| p.poses.iter().try_for_each(|x| b.push(&x.to_le_bytes())))
        })?;
        block(out, "contact-places", |b| self.contact_places(b))?;
        block(out, "contacts", |b| {
            self.each(|p| p.contacts.iter().flatten().try_for_each(|w| b.push(&w.to_le_bytes())))
        })
    }

    fn each(&self, write: impl FnMut(&Picture) -> io::Result<()>) -> io::Result<()> {
        self.pictures.iter().try_for_each(write)
    }

    /// First contact and number of contacts of each picture; u32::MAX: not kept.
    fn contact_places(&self, block: &mut Base64) -> io::Result<()> {
        let mut start = 0;
        self.each(|picture| {
            let count = picture.contacts.as_ref().map(|words| (words.len() / CONTACT_WORDS) as u32);
            block.push(&u32::to_le_bytes(start))?;
            block.push(&count.unwrap_or(u32::MAX).to_le_bytes())?;
            start += count.unwrap_or(0);
            Ok(())
        })
    }
}

/// An element that holds bytes.
fn block(
    out: &mut dyn Write,
    id: &str,
    fill: impl FnOnce(&mut Base64) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "\n<script type=\"text/plain\" id=\"{id}\">")?;
    let mut encoder = Base64::new(out);
    fill(&mut encoder)?;
    encoder.finish()?;
    out.write_all(b"</script>")
}

fn cut<'a>(text: &'a str, mark: &str) -> (&'a str, &'a str) {
    text.split_once(mark).expect("the page's source has its marks")
}
