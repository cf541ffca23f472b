//! Arrays for numpy: `np.load("run.npz")["q"][step]`.

use std::io::{Seek, Write};

use super::writing;
use super::zip::{Array, Zip};
use crate::error::RecordError;
use crate::frame::{Contact, Frame};
use crate::header::Header;
use crate::recording::Recording;

/// Writes all arrays of a recording in two passes over it, the first of which counts.
///
/// With n frames and k contacts in all of them:
///
/// | array | shape | |
/// |---|---|---|
/// | `step`, `time` | n | `time` [s] |
/// | `q`, `v` | n × nq, n × nv | named by `q_names`, `v_names` |
/// | `poses` | n × bodies × 7 | x, y, z [m], quaternion w, x, y, z; named by `bodies` |
/// | `kinetic`, `potential` | n | [J] |
/// | `ledger` | n × terms | [J], NaN where none was kept; named by `ledger_names` |
/// | `certified`, `residual` | n | |
/// | `contact_offsets` | n + 1 | contacts of frame i are rows `contact_offsets[i]` to `contact_offsets[i + 1]` |
/// | `contact_shape_a`, `_shape_b`, `_feature`, `_mode` | k | places in `shapes`; 0 open, 1 stick, 2 slip |
/// | `contact_point`, `_normal`, `_impulse`, `_velocity` | k × 3 | in the world |
/// | `contact_gap`, `_mu` | k | |
pub fn npz<W: Write + Seek>(recording: &Recording, out: &mut W) -> Result<(), RecordError> {
    let (mut n, mut k) = (0, 0);
    let mut frame = Frame::default();
    let mut frames = recording.frames();
    while let Some(read) = frames.read(&mut frame) {
        read?;
        n += 1;
        k += frame.contacts.len() as u64;
    }
    let header = &recording.header;
    let (arrays, names) = layout(header, n, k);
    let mut zip = Zip::new(out, arrays).map_err(writing)?;
    for (array, bytes) in names {
        zip.put(array, &bytes).map_err(writing)?;
    }
    let mut offset = 0_u64;
    zip.put(OFFSETS, &offset.to_le_bytes()).map_err(writing)?;
    let mut frames = recording.frames();
    while let Some(read) = frames.read(&mut frame) {
        read?;
        put_frame(&mut zip, header, &frame).map_err(writing)?;
        for contact in &frame.contacts {
            put_contact(&mut zip, contact).map_err(writing)?;
        }
        offset += frame.contacts.len() as u64;
        zip.put(OFFSETS, &offset.to_le_bytes()).map_err(writing)?;
    }
    zip.finish().map_err(writing)
}

// places in the layout
const STEP: usize = 0;
const TIME: usize = 1;
const Q: usize = 2;
const V: usize = 3;
const POSES: usize = 4;
const KINETIC: usize = 5;
const POTENTIAL: usize = 6;
const LEDGER: usize = 7;
const CERTIFIED: usize = 8;
const RESIDUAL: usize = 9;
const OFFSETS: usize = 10;
/// Where the ten columns of contacts begin.
const CONTACT: usize = 11;

/// All arrays, and the content of those that are names.
fn layout(header: &Header, n: u64, k: u64) -> (Vec<Array>, Vec<(usize, Vec<u8>)>) {
    let real = |name: &str, shape: &[u64]| Array::new(name, "<f8", 8, shape);
    let whole = |name: &str| Array::new(name, "<u4", 4, &[k]);
    let mut arrays = vec![
        Array::new("step", "<u8", 8, &[n]),
        real("time", &[n]),
        real("q", &[n, header.q.len() as u64]),
        real("v", &[n, header.v.len() as u64]),
        real("poses", &[n, header.bodies.len() as u64, 7]),
        real("kinetic", &[n]),
        real("potential", &[n]),
        real("ledger", &[n, header.ledger.len() as u64]),
        Array::new("certified", "|b1", 1, &[n]),
        real("residual", &[n]),
        Array::new("contact_offsets", "<u8", 8, &[n + 1]),
        whole("contact_shape_a"),
        whole("contact_shape_b"),
        whole("contact_feature"),
        Array::new("contact_mode", "|u1", 1, &[k]),
        real("contact_point", &[k, 3]),
        real("contact_normal", &[k, 3]),
        real("contact_gap", &[k]),
        real("contact_impulse", &[k, 3]),
        real("contact_velocity", &[k, 3]),
        real("contact_mu", &[k]),
    ];
    let lists: [(&str, Vec<&str>); 5] = [
        ("q_names", header.q.iter().map(|q| q.name.as_str()).collect()),
        ("v_names", header.v.iter().map(|v| v.name.as_str()).collect()),
        ("ledger_names", header.ledger.iter().map(String::as_str).collect()),
        ("bodies", header.bodies.iter().map(|body| body.name.as_str()).collect()),
        ("shapes", header.shapes.iter().map(|shape| shape.name.as_str()).collect()),
    ];
    let mut names = Vec::new();
    for (name, list) in lists {
        let (width, bytes) = fixed_width(&list);
        let descr = format!("<U{width}");
        names.push((arrays.len(), bytes));
        arrays.push(Array::new(name, &descr, 4 * width as u64, &[list.len() as u64]));
    }
    (arrays, names)
}

/// Texts of four bytes a character, all as long as the longest.
fn fixed_width(list: &[&str]) -> (usize, Vec<u8>) {
    let width = list.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = Vec::new();
    for text in list {
        let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
        bytes.extend(padded.flat_map(u32::to_le_bytes));
    }
    (width, bytes)
}

fn put_frame<W: Write + Seek>(
    zip: &mut Zip<'_, W>,
    header: &Header,
    frame: &Frame,
) -> std::io::Result<()> {
    zip.put(STEP, &frame.step.to_le_bytes())?;
    zip.put(CERTIFIED, &[u8::from(frame.certificate.certified)])?;
    let nan = [f64::NAN].repeat(header.ledger.len());
    let terms = if frame.energy.terms.is_empty() { &nan } else { &frame.energy.terms };
    for (array, numbers) in [
        (TIME, [frame.time].as_slice()),
        (Q, &frame.q),
        (V, &frame.v),
        (POSES, frame.poses.as_flattened()),
        (KINETIC, &[frame.energy.kinetic]),
        (POTENTIAL, &[frame.energy.potential]),
        (LEDGER, terms),
        (RESIDUAL, &[frame.certificate.residual]),
    ] {
        put_reals(zip, array, numbers)?;
    }
    Ok(())
}

fn put_reals<W: Write + Seek>(
    zip: &mut Zip<'_, W>,
    array: usize,
    numbers: &[f64],
) -> std::io::Result<()> {
    numbers.iter().try_for_each(|x| zip.put(array, &x.to_le_bytes()))
}

fn put_contact<W: Write + Seek>(zip: &mut Zip<'_, W>, contact: &Contact) -> std::io::Result<()> {
    zip.put(CONTACT, &contact.shape_a.to_le_bytes())?;
    zip.put(CONTACT + 1, &contact.shape_b.to_le_bytes())?;
    zip.put(CONTACT + 2, &contact.feature.to_le_bytes())?;
    zip.put(CONTACT + 3, &[contact.mode as u8])?;
    put_reals(zip, CONTACT + 4, &contact.point)?;
    put_reals(zip, CONTACT + 5, &contact.normal)?;
    put_reals(zip, CONTACT + 6, &[contact.gap])?;
    put_reals(zip, CONTACT + 7, &contact.impulse)?;
    put_reals(zip, CONTACT + 8, &contact.velocity)?;
    put_reals(zip, CONTACT + 9, &[contact.mu])
}
