//! A state as bytes, and back with equal bits.
//!
//! ```text
//!  8 bytes   "STICTION"
//!  4 bytes   version, now 1
//!  4 × 8     counts: q, v, remembered angles, remembered contacts
//!  8         time
//!  8 each    q, v
//!  9 each    remembered angles: 1 and the angle, or 0 and zero where there is none
//!  44 each   remembered contacts: three numbers of 4 bytes that name it, normal force, friction force in W
//! ```
//!
//! All numbers are little-endian; floating-point numbers keep every bit, −0 and NaN included. Whether the
//! state belongs to a model is [`Model::check_state`](crate::model::Model)'s question.

use std::fmt;

use super::{Memory, State};
use crate::collide::ContactKey;
use crate::contact::ContactMemory;
use crate::math::Vec3;

const MAGIC: &[u8; 8] = b"STICTION";
const VERSION: u32 = 1;
/// Bytes before q.
const HEADER: usize = 8 + 4 + 4 * 8 + 8;
/// Bytes of a remembered contact.
const CONTACT: usize = 3 * 4 + 4 * 8;

/// Why bytes are no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytesError {
    /// They do not begin as a state does.
    Foreign,
    /// A version that this one does not read.
    Version(u32),
    /// Too few, or more than the counts say.
    Length { expected: u64, found: u64 },
    /// A remembered angle that is marked neither as there (1) nor as not there (0).
    Mark { angle: usize, mark: u8 },
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => write!(f, "these bytes are not a saved state"),
            Self::Version(version) => {
                write!(f, "the state was saved in version {version}; this reads version {VERSION}")
            }
            Self::Length { expected, found } => {
                write!(f, "a saved state of {expected} bytes was expected, there are {found}")
            }
            Self::Mark { angle, mark } => {
                write!(f, "remembered angle {angle} is marked by {mark}, must be by 0 or 1")
            }
        }
    }
}

impl std::error::Error for BytesError {}

impl State {
    pub fn to_bytes(&self) -> Vec<u8> {
        let Memory { angles, contacts } = &self.memory;
        let numbers = 8 * (self.q.len() + self.v.len()) + 9 * angles.len();
        let mut bytes = Vec::with_capacity(HEADER + numbers + CONTACT * contacts.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        for count in [self.q.len(), self.v.len(), angles.len(), contacts.len()] {
            bytes.extend_from_slice(&(count as u64).to_le_bytes());
        }
        for x in [self.time].iter().chain(&self.q).chain(&self.v) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        for angle in angles {
            bytes.push(u8::from(angle.is_some()));
            bytes.extend_from_slice(&angle.unwrap_or(0.0).to_le_bytes());
        }
        for ContactMemory { key, lambda_n, lambda_t_W } in contacts {
            for number in [key.shape_a, key.shape_b, key.feature] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            for force in [lambda_n].into_iter().chain(lambda_t_W) {
                bytes.extend_from_slice(&force.to_le_bytes());
            }
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let found = bytes.len() as u64;
        let shown = bytes.len().min(MAGIC.len());
        if bytes[..shown] != MAGIC[..shown] {
            return Err(BytesError::Foreign);
        }
        if bytes.len() < HEADER {
            return Err(BytesError::Length { expected: HEADER as u64, found });
        }
        let version = u32::from_le_bytes(eight(bytes, 8)[..4].try_into().expect("four bytes"));
        if version != VERSION {
            return Err(BytesError::Version(version));
        }
        let count = |i: usize| u64::from_le_bytes(eight(bytes, 12 + 8 * i));
        let (nq, nv, angles, contacts) = (count(0), count(1), count(2), count(3));
        // counts may be anything: no sum may wrap, and nothing is allocated before they fit
        let numbers = nq.saturating_add(nv).saturating_mul(8);
        let memory =
            angles.saturating_mul(9).saturating_add(contacts.saturating_mul(CONTACT as u64));
        let expected = (HEADER as u64).saturating_add(numbers).saturating_add(memory);
        if expected != found {
            return Err(BytesError::Length { expected, found });
        }
        let number = |at: usize| f64::from_le_bytes(eight(bytes, at));
        let numbers = |from: usize, n: u64| (0..n as usize).map(|i| number(from + 8 * i)).collect();
        let q0 = HEADER;
        let v0 = q0 + 8 * nq as usize;
        let angles0 = v0 + 8 * nv as usize;
        let angle = |i: usize| match bytes[angles0 + 9 * i] {
            0 => Ok(None),
            1 => Ok(Some(number(angles0 + 9 * i + 1))),
            mark => Err(BytesError::Mark { angle: i, mark }),
        };
        let contacts0 = angles0 + 9 * angles as usize;
        let contact = |i: usize| {
            let at = contacts0 + CONTACT * i;
            let name = |j: usize| {
                let four = bytes[at + 4 * j..at + 4 * j + 4].try_into().expect("four bytes");
                u32::from_le_bytes(four)
            };
            let force = |j: usize| number(at + 12 + 8 * j);
            ContactMemory {
                key: ContactKey { shape_a: name(0), shape_b: name(1), feature: name(2) },
                lambda_n: force(0),
                lambda_t_W: Vec3::new(force(1), force(2), force(3)),
            }
        };
        Ok(Self {
            time: number(HEADER - 8),
            q: numbers(q0, nq),
            v: numbers(v0, nv),
            memory: Memory {
                angles: (0..angles as usize).map(angle).collect::<Result<_, _>>()?,
                contacts: (0..contacts as usize).map(contact).collect(),
            },
        })
    }
}

/// The eight bytes that begin at `at`.
fn eight(bytes: &[u8], at: usize) -> [u8; 8] {
    bytes[at..at + 8].try_into().expect("eight bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        State {
            time: 1.25,
            q: vec![-0.0, f64::NAN, 5e-324, 0.1 + 0.2],
            v: vec![f64::NEG_INFINITY, 0.0, 1e300],
            memory: Memory {
                angles: vec![None, Some(-0.0), Some(7.0), None],
                contacts: vec![ContactMemory {
                    key: ContactKey { shape_a: 1, shape_b: u32::MAX, feature: 3 },
                    lambda_n: -0.0,
                    lambda_t_W: Vec3::new(1e-300, 2.5, -7.0),
                }],
            },
        }
    }

    fn bits(state: &State) -> Vec<Option<u64>> {
        let numbers = std::iter::once(&state.time).chain(&state.q).chain(&state.v);
        let numbers = numbers.map(|x| Some(x.to_bits()));
        numbers.chain(state.memory.angles.iter().map(|a| a.map(f64::to_bits))).collect()
    }

    #[test]
    fn every_bit_comes_back() {
        let back = State::from_bytes(&state().to_bytes()).expect("a state");
        assert_eq!(bits(&back), bits(&state()));
        assert_eq!((back.q.len(), back.v.len()), (4, 3));
        let empty = State { time: -0.0, q: vec![], v: vec![], memory: Memory::new(0) };
        let back = State::from_bytes(&empty.to_bytes()).expect("a state");
        assert_eq!(bits(&back), bits(&empty));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = state().to_bytes();
        for n in 0..bytes.len() {
            let error = State::from_bytes(&bytes[..n]).expect_err("truncated");
            let expected = if n < HEADER { HEADER } else { bytes.len() } as u64;
            assert_eq!(error, BytesError::Length { expected, found: n as u64 });
        }
    }

    #[test]
    fn foreign_bytes_are_named() {
        let spoilt = |place: usize, value: u8| {
            let mut bytes = state().to_bytes();
            bytes[place] = value;
            State::from_bytes(&bytes).expect_err("spoilt")
        };
        let n = state().to_bytes().len() as u64;
        assert_eq!(spoilt(3, b'x'), BytesError::Foreign);
        assert_eq!(State::from_bytes(b"PNG"), Err(BytesError::Foreign));
        assert_eq!(spoilt(8, 2), BytesError::Version(2));
        // a count of angles near 2⁶⁴ asks for no memory
        let error = spoilt(12 + 23, 0xff);
        assert!(matches!(error, BytesError::Length { expected: u64::MAX, found } if found == n));
        assert_eq!(spoilt(12, 5), BytesError::Length { expected: n + 8, found: n });
        assert_eq!(spoilt(HEADER + 8 * 7, 2), BytesError::Mark { angle: 0, mark: 2 });
        let mut longer = state().to_bytes();
        longer.push(0);
        let error = State::from_bytes(&longer);
        assert_eq!(error, Err(BytesError::Length { expected: n, found: n + 1 }));
    }
}
