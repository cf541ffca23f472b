//! A frame as messages, and back. Numbers of fields are those of [`schema::STICTION`](crate::schema::STICTION).

use crate::error::{RecordError, damaged};
use crate::frame::{Certificate, Contact, Energy, Frame, Impact, Mode};
use crate::proto::{
    Fields, Value, doubles, put_bytes, put_double, put_doubles, put_uint, put_uints,
};

/// Bits of `Step.parts`: messages that belong to the frame besides its `Step`.
pub(crate) const CONTACTS: u32 = 1;
pub(crate) const CERTIFICATE: u32 = 2;
pub(crate) const ENERGY: u32 = 4;
pub(crate) const IMPACTS: u32 = 8;

pub(crate) fn put_step(out: &mut Vec<u8>, frame: &Frame, parts: u32) {
    put_uint(out, 1, frame.step);
    put_double(out, 2, frame.time);
    put_doubles(out, 3, frame.q.iter().map(|x| [*x]));
    put_doubles(out, 4, frame.v.iter().map(|x| [*x]));
    put_doubles(out, 5, frame.poses.iter().copied());
    put_uint(out, 6, u64::from(parts));
}

pub(crate) fn put_contacts(out: &mut Vec<u8>, contacts: &[Contact]) {
    put_uints(out, 1, contacts.iter().map(|c| c.shape_a));
    put_uints(out, 2, contacts.iter().map(|c| c.shape_b));
    put_uints(out, 3, contacts.iter().map(|c| c.feature));
    put_doubles(out, 4, contacts.iter().map(|c| c.point));
    put_doubles(out, 5, contacts.iter().map(|c| c.normal));
    put_doubles(out, 6, contacts.iter().map(|c| [c.gap]));
    put_doubles(out, 7, contacts.iter().map(|c| c.impulse));
    put_doubles(out, 8, contacts.iter().map(|c| c.velocity));
    put_doubles(out, 9, contacts.iter().map(|c| [c.mu]));
    put_uints(out, 10, contacts.iter().map(|c| c.mode as u32));
}

pub(crate) fn put_certificate(out: &mut Vec<u8>, certificate: &Certificate) {
    put_uint(out, 1, u64::from(certificate.certified));
    put_double(out, 2, certificate.residual);
    put_double(out, 3, certificate.law);
    put_double(out, 4, certificate.coulomb);
    put_double(out, 5, certificate.gap);
    put_double(out, 6, certificate.misalignment);
    put_double(out, 7, certificate.overlap);
    put_uint(out, 8, u64::from(certificate.iterations));
    put_bytes(out, 9, certificate.solver.as_bytes());
}

pub(crate) fn put_energy(out: &mut Vec<u8>, energy: &Energy) {
    put_double(out, 1, energy.kinetic);
    put_double(out, 2, energy.potential);
    put_doubles(out, 3, energy.terms.iter().map(|x| [*x]));
}

pub(crate) fn put_impacts(out: &mut Vec<u8>, impacts: &[Impact]) {
    put_doubles(out, 1, impacts.iter().map(|i| [i.time]));
    put_uints(out, 2, impacts.iter().map(|i| i.contacts));
    put_doubles(out, 3, impacts.iter().map(|i| [i.speed]));
    put_doubles(out, 4, impacts.iter().map(|i| [i.lost]));
}

pub(crate) fn put_state(out: &mut Vec<u8>, step: u64, time: f64, bytes: &[u8]) {
    put_uint(out, 1, step);
    put_double(out, 2, time);
    put_bytes(out, 3, bytes);
}

/// The bytes of a message, and where in the file they begin.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Body<'a> {
    fn fields(self) -> impl Iterator<Item = Result<(u32, Value<'a>), RecordError>> {
        Fields::new(self.bytes).map(move |field| {
            field.map_err(|place| damaged(self.offset + place as u64, "no field begins here"))
        })
    }

    fn wrong(self, what: &str) -> RecordError {
        damaged(self.offset, what)
    }

    /// Appends the numbers of a packed list.
    fn append(self, list: &mut Vec<f64>, bytes: &[u8]) -> Result<(), RecordError> {
        let rows = doubles::<1>(bytes).ok_or_else(|| self.wrong("a list of doubles is cut"))?;
        list.extend(rows.map(|[x]| x));
        Ok(())
    }
}

/// Reads a `Step` into the frame and returns its parts.
pub(crate) fn read_step(body: Body<'_>, frame: &mut Frame) -> Result<u32, RecordError> {
    let mut parts = 0;
    (frame.step, frame.time) = (0, 0.0);
    for field in body.fields() {
        match field? {
            (1, Value::Varint(x)) => frame.step = x,
            (2, Value::Fixed64(x)) => frame.time = f64::from_bits(x),
            (3, Value::Bytes(list)) => body.append(&mut frame.q, list)?,
            (4, Value::Bytes(list)) => body.append(&mut frame.v, list)?,
            (5, Value::Bytes(list)) => {
                let poses = doubles::<7>(list);
                frame.poses.extend(poses.ok_or_else(|| body.wrong("a list of poses is cut"))?);
            }
            (6, Value::Varint(x)) => parts = x as u32,
            (1..=6, _) => return Err(body.wrong("a field of Step has another type")),
            _ => {}
        }
    }
    Ok(parts)
}

/// Reads `Contacts` into the frame; `shapes` are those that there are.
pub(crate) fn read_contacts(
    body: Body<'_>,
    shapes: usize,
    contacts: &mut Vec<Contact>,
) -> Result<(), RecordError> {
    let mut columns: [&[u8]; 11] = [&[]; 11];
    for field in body.fields() {
        match field? {
            (number @ 1..=10, Value::Bytes(list)) => columns[number as usize] = list,
            (1..=10, _) => return Err(body.wrong("a field of Contacts has another type")),
            _ => {}
        }
    }
    let [_, shape_a, shape_b, feature, point, normal, gap, impulse, velocity, mu, mode] = columns;
    let k = gap.len() / 8;
    let cut = || body.wrong("columns of Contacts differ in length");
    let mut whole = [shape_a, shape_b, feature, mode].map(Fields::new);
    let mut point = doubles::<3>(point).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut normal = doubles::<3>(normal).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut impulse = doubles::<3>(impulse).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut velocity = doubles::<3>(velocity).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut gap = doubles::<1>(gap).ok_or_else(cut)?;
    let mut mu = doubles::<1>(mu).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    contacts.reserve(k);
    for _ in 0..k {
        let mut next = |column: usize| {
            whole[column].varint().and_then(|x| u32::try_from(x).ok()).ok_or_else(cut)
        };
        let (shape_a, shape_b) = (next(0)?, next(1)?);
        if shape_a.max(shape_b) as usize >= shapes {
            return Err(body.wrong("a contact of a shape that the header does not have"));
        }
        contacts.push(Contact {
            shape_a,
            shape_b,
            feature: next(2)?,
            mode: match next(3)? {
                0 => Mode::Open,
                1 => Mode::Stick,
                2 => Mode::Slip,
                _ => return Err(body.wrong("mode of a contact: 0, 1 or 2 expected")),
            },
            point: point.next().ok_or_else(cut)?,
            normal: normal.next().ok_or_else(cut)?,
            gap: gap.next().ok_or_else(cut)?[0],
            impulse: impulse.next().ok_or_else(cut)?,
            velocity: velocity.next().ok_or_else(cut)?,
            mu: mu.next().ok_or_else(cut)?[0],
        });
    }
    match whole.iter_mut().all(|column| column.next().is_none()) {
        true => Ok(()),
        false => Err(cut()),
    }
}

pub(crate) fn read_certificate(
    body: Body<'_>,
    certificate: &mut Certificate,
) -> Result<(), RecordError> {
    let mut solver = std::mem::take(&mut certificate.solver);
    solver.clear();
    *certificate = Certificate { certified: false, solver, ..Certificate::default() };
    for field in body.fields() {
        match field? {
            (1, Value::Varint(x)) => certificate.certified = x == 1,
            (2, Value::Fixed64(x)) => certificate.residual = f64::from_bits(x),
            (3, Value::Fixed64(x)) => certificate.law = f64::from_bits(x),
            (4, Value::Fixed64(x)) => certificate.coulomb = f64::from_bits(x),
            (5, Value::Fixed64(x)) => certificate.gap = f64::from_bits(x),
            (6, Value::Fixed64(x)) => certificate.misalignment = f64::from_bits(x),
            (7, Value::Fixed64(x)) => certificate.overlap = f64::from_bits(x),
            (8, Value::Varint(x)) => {
                certificate.iterations = u32::try_from(x)
                    .map_err(|_| body.wrong("more iterations than a u32 can count"))?;
            }
            (9, Value::Bytes(name)) => {
                let name = std::str::from_utf8(name)
                    .map_err(|_| body.wrong("name of a solver: UTF-8 expected"))?;
                certificate.solver.push_str(name);
            }
            (1..=9, _) => return Err(body.wrong("a field of Certificate has another type")),
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn read_energy(body: Body<'_>, energy: &mut Energy) -> Result<(), RecordError> {
    (energy.kinetic, energy.potential) = (0.0, 0.0);
    energy.terms.clear();
    for field in body.fields() {
        match field? {
            (1, Value::Fixed64(x)) => energy.kinetic = f64::from_bits(x),
            (2, Value::Fixed64(x)) => energy.potential = f64::from_bits(x),
            (3, Value::Bytes(list)) => body.append(&mut energy.terms, list)?,
            (1..=3, _) => return Err(body.wrong("a field of Energy has another type")),
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn read_impacts(body: Body<'_>, impacts: &mut Vec<Impact>) -> Result<(), RecordError> {
    let mut columns: [&[u8]; 5] = [&[]; 5];
    for field in body.fields() {
        match field? {
            (number @ 1..=4, Value::Bytes(list)) => columns[number as usize] = list,
            (1..=4, _) => return Err(body.wrong("a field of Impacts has another type")),
            _ => {}
        }
    }
    let [_, time, contacts, speed, lost] = columns;
    let cut = || body.wrong("columns of Impacts differ in length");
    let k = time.len() / 8;
    let time = doubles::<1>(time).ok_or_else(cut)?;
    let mut speed = doubles::<1>(speed).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut lost = doubles::<1>(lost).filter(|rows| rows.len() == k).ok_or_else(cut)?;
    let mut contacts = Fields::new(contacts);
    for [time] in time {
        let count = contacts.varint().and_then(|x| u32::try_from(x).ok()).ok_or_else(cut)?;
        impacts.push(Impact {
            time,
            contacts: count,
            speed: speed.next().ok_or_else(cut)?[0],
            lost: lost.next().ok_or_else(cut)?[0],
        });
    }
    match contacts.next() {
        None => Ok(()),
        Some(_) => Err(cut()),
    }
}

/// Everything a run needs to go on from a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyFrame {
    pub step: u64,
    /// [s]
    pub time: f64,
    /// The state, in the simulator's own form.
    pub bytes: Vec<u8>,
}

pub(crate) fn read_state(body: Body<'_>) -> Result<KeyFrame, RecordError> {
    let mut key = KeyFrame::default();
    for field in body.fields() {
        match field? {
            (1, Value::Varint(x)) => key.step = x,
            (2, Value::Fixed64(x)) => key.time = f64::from_bits(x),
            (3, Value::Bytes(bytes)) => key.bytes = bytes.to_vec(),
            (1..=3, _) => return Err(body.wrong("a field of State has another type")),
            _ => {}
        }
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Kind, find};

    fn contact(i: u32) -> Contact {
        let x = f64::from(i);
        Contact {
            shape_a: i,
            shape_b: 300 - i,
            feature: 7 * i,
            point: [x, -x, 0.5 * x],
            normal: [0.0, 0.0, 1.0],
            gap: -1e-9 * x,
            impulse: [0.1, -0.0, f64::NAN],
            velocity: [1e-300, f64::INFINITY, x],
            mu: 0.5,
            mode: [Mode::Open, Mode::Stick, Mode::Slip][i as usize % 3],
        }
    }

    /// Each field on the wire is in the schema, with a type that goes over the wire in this way.
    fn agrees_with_schema(name: &str, bytes: &[u8], expected: usize) {
        let message = find(name).unwrap();
        let mut seen = 0;
        for field in Fields::new(bytes) {
            let (number, value) = field.unwrap();
            let field = message.fields.iter().find(|field| field.number == number).unwrap();
            let fits = match (field.kind, field.is_list) {
                (_, true) | (Kind::Text | Kind::Bytes | Kind::Message(_), _) => {
                    matches!(value, Value::Bytes(_))
                }
                (Kind::Double, false) => matches!(value, Value::Fixed64(_)),
                _ => matches!(value, Value::Varint(_)),
            };
            assert!(fits, "{name}.{}: {value:?}", field.name);
            seen += 1;
        }
        assert_eq!((seen, message.fields.len()), (expected, expected), "{name}");
    }

    #[test]
    fn what_is_written_is_what_the_schema_says() {
        let frame = Frame {
            step: 1,
            time: 1.0,
            q: vec![1.0],
            v: vec![1.0],
            poses: vec![[1.0; 7]],
            ..Frame::default()
        };
        let mut out = Vec::new();
        put_step(&mut out, &frame, 1);
        agrees_with_schema("stiction.Step", &out, 6);
        out.clear();
        put_contacts(&mut out, &[contact(1)]);
        agrees_with_schema("stiction.Contacts", &out, 10);
        out.clear();
        let all = Certificate {
            certified: true,
            residual: 1.0,
            law: 1.0,
            coulomb: 1.0,
            gap: 1.0,
            misalignment: 1.0,
            overlap: 1.0,
            iterations: 1,
            solver: "nsgs".into(),
        };
        put_certificate(&mut out, &all);
        agrees_with_schema("stiction.Certificate", &out, 9);
        out.clear();
        put_energy(&mut out, &Energy { kinetic: 1.0, potential: 1.0, terms: vec![1.0] });
        agrees_with_schema("stiction.Energy", &out, 3);
        out.clear();
        put_impacts(&mut out, &[Impact { time: 1.0, contacts: 1, speed: 1.0, lost: 1.0 }]);
        agrees_with_schema("stiction.Impacts", &out, 4);
        out.clear();
        put_state(&mut out, 1, 1.0, b"x");
        agrees_with_schema("stiction.State", &out, 3);
    }

    #[test]
    fn columns_of_contacts_that_differ_in_length_are_refused() {
        let contacts: Vec<_> = (0..200).map(contact).collect();
        let mut out = Vec::new();
        put_contacts(&mut out, &contacts);
        let mut back = Vec::new();
        read_contacts(Body { offset: 0, bytes: &out }, 301, &mut back).unwrap();
        assert_eq!(format!("{contacts:?}"), format!("{back:?}"));
        assert!(read_contacts(Body { offset: 0, bytes: &out }, 300, &mut back).is_err());

        // one number more in one column
        put_uints(
            &mut out,
            3,
            contacts.iter().map(|c| c.feature).chain([1]).collect::<Vec<_>>().into_iter(),
        );
        assert!(read_contacts(Body { offset: 0, bytes: &out }, 301, &mut back).is_err());
        put_uints(&mut out, 3, contacts.iter().map(|c| c.feature));
        assert!(read_contacts(Body { offset: 0, bytes: &out }, 301, &mut back).is_ok());
        put_doubles(&mut out, 9, contacts.iter().skip(1).map(|c| [c.mu]));
        assert!(read_contacts(Body { offset: 0, bytes: &out }, 301, &mut back).is_err());
    }

    #[test]
    fn a_mode_that_there_is_not_is_refused() {
        let mut out = Vec::new();
        put_contacts(&mut out, &[contact(1)]);
        put_uints(&mut out, 10, [3].into_iter());
        let error = read_contacts(Body { offset: 40, bytes: &out }, 301, &mut Vec::new());
        assert_eq!(
            error.unwrap_err().to_string(),
            "byte 40: mode of a contact: 0, 1 or 2 expected"
        );
    }
}
