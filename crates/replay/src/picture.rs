//! One kept frame, as the page reads it.

use stiction_record::{Contact, Frame};

/// Numbers of a pose: x, y, z, then w, x, y, z.
pub const POSE: usize = 7;

/// Words of four bytes of a contact: shapes a and b, feature; as Float32 point, normal, gap, impulse, velocity, μ; mode.
pub const CONTACT_WORDS: usize = 18;

/// Names of the numbers in [`Row::numbers`], in their order; the terms of the ledger follow.
pub const COLUMNS: [&str; 18] = [
    "kinetic",
    "potential",
    "contacts",
    "certified",
    "residual",
    "law",
    "coulomb",
    "gap",
    "misalignment",
    "overlap",
    "iterations",
    "solver",
    "uncertified",
    "worst_residual",
    "worst_overlap",
    "impacts",
    "impact_speed",
    "impact_lost",
];

/// A frame that is shown.
#[derive(Clone, Debug)]
pub struct Picture {
    pub row: Row,
    /// [`POSE`] numbers for each body; NaN where the frame has none.
    pub poses: Vec<f32>,
    /// [`CONTACT_WORDS`] for each contact; None: left out to save room.
    pub contacts: Option<Vec<u32>>,
}

/// What plots and the certificate of a picture need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// [s]
    pub time: f64,
    pub step: u64,
    /// [J]
    pub kinetic: f64,
    pub potential: f64,
    pub contacts: usize,
    pub certified: bool,
    pub residual: f64,
    pub law: f64,
    pub coulomb: f64,
    pub gap: f64,
    pub misalignment: f64,
    pub overlap: f64,
    pub iterations: u32,
    /// Place in the list of solvers.
    pub solver: usize,
    pub since: Since,
}

/// Of all frames after the picture before this one, up to and with this one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Since {
    pub uncertified: u64,
    pub residual: f64,
    /// [m]
    pub overlap: f64,
    pub impacts: usize,
    /// Largest approach speed of an impact [m/s], and the energy lost in them [J].
    pub impact_speed: f64,
    pub impact_lost: f64,
    /// Sums of the ledger's terms [J].
    pub terms: Vec<f64>,
}

impl Picture {
    /// `solver` is the place of the frame's solver in the list of solvers.
    pub fn new(frame: &Frame, bodies: usize, terms: usize, solver: usize) -> Self {
        let mut poses = vec![f32::NAN; POSE * bodies];
        for (to, from) in poses.chunks_exact_mut(POSE).zip(&frame.poses) {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = from as f32;
            }
        }
        let contacts = frame.contacts.iter().flat_map(words).collect();
        Self { row: Row::new(frame, terms, solver), poses, contacts: Some(contacts) }
    }
}

impl Row {
    fn new(frame: &Frame, terms: usize, solver: usize) -> Self {
        let certificate = &frame.certificate;
        let mut since = Since {
            uncertified: u64::from(!certificate.certified),
            residual: certificate.residual,
            overlap: certificate.overlap,
            impacts: frame.impacts.len(),
            impact_speed: frame.impacts.iter().fold(0.0, |s, impact| worst(s, impact.speed)),
            impact_lost: frame.impacts.iter().map(|impact| impact.lost).sum(),
            terms: frame.energy.terms.clone(),
        };
        since.terms.resize(terms, 0.0);
        Self {
            time: frame.time,
            step: frame.step,
            kinetic: frame.energy.kinetic,
            potential: frame.energy.potential,
            contacts: frame.contacts.len(),
            certified: certificate.certified,
            residual: certificate.residual,
            law: certificate.law,
            coulomb: certificate.coulomb,
            gap: certificate.gap,
            misalignment: certificate.misalignment,
            overlap: certificate.overlap,
            iterations: certificate.iterations,
            solver,
            since,
        }
    }

    /// In the order of [`COLUMNS`].
    pub fn numbers(&self) -> impl Iterator<Item = f32> + '_ {
        let since = &self.since;
        let numbers: [f64; COLUMNS.len()] = [
            self.kinetic,
            self.potential,
            self.contacts as f64,
            f64::from(u8::from(self.certified)),
            self.residual,
            self.law,
            self.coulomb,
            self.gap,
            self.misalignment,
            self.overlap,
            f64::from(self.iterations),
            self.solver as f64,
            since.uncertified as f64,
            since.residual,
            since.overlap,
            since.impacts as f64,
            since.impact_speed,
            since.impact_lost,
        ];
        numbers.into_iter().chain(since.terms.iter().copied()).map(|x| x as f32)
    }
}

impl Since {
    /// Takes in the frames before, whose picture is dropped.
    pub fn absorb(&mut self, before: &Since) {
        self.uncertified += before.uncertified;
        self.residual = worst(self.residual, before.residual);
        self.overlap = worst(self.overlap, before.overlap);
        self.impacts += before.impacts;
        self.impact_speed = worst(self.impact_speed, before.impact_speed);
        self.impact_lost += before.impact_lost;
        for (term, before) in self.terms.iter_mut().zip(&before.terms) {
            *term += before;
        }
    }
}

/// The larger; a NaN is the worst of all.
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// In the order of [`CONTACT_WORDS`].
fn words(contact: &Contact) -> [u32; CONTACT_WORDS] {
    let mut words = [0; CONTACT_WORDS];
    words[..3].copy_from_slice(&[contact.shape_a, contact.shape_b, contact.feature]);
    let numbers = [contact.point, contact.normal].into_iter().flatten();
    let numbers = numbers.chain([contact.gap]).chain(contact.impulse).chain(contact.velocity);
    for (word, number) in words[3..].iter_mut().zip(numbers.chain([contact.mu])) {
        *word = (number as f32).to_bits();
    }
    words[CONTACT_WORDS - 1] = contact.mode as u32;
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_record::Mode;

    #[test]
    fn the_words_of_a_contact_are_where_the_page_looks_for_them() {
        let contact = Contact {
            shape_a: 1,
            shape_b: 2,
            feature: u32::MAX,
            point: [3.0, 4.0, 5.0],
            normal: [6.0, 7.0, 8.0],
            gap: 9.0,
            impulse: [10.0, 11.0, 12.0],
            velocity: [13.0, 14.0, 15.0],
            mu: 16.0,
            mode: Mode::Slip,
        };
        let words = words(&contact);
        assert_eq!(words[..3], [1, 2, u32::MAX]);
        for k in 3..17 {
            assert_eq!(f32::from_bits(words[k]), k as f32);
        }
        assert_eq!(words[17], 2);
    }

    #[test]
    fn the_worst_of_a_nan_and_a_number_is_the_nan() {
        assert!(worst(f64::NAN, 1.0).is_nan());
        assert!(worst(1.0, f64::NAN).is_nan());
        assert_eq!(worst(1.0, 2.0), 2.0);
        assert_eq!(worst(2.0, 1.0), 2.0);
    }
}
