//! What a run adds up to: counts, worst numbers, where the energy went.

use std::time::Duration;

use stiction_record::Frame;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ended {
    /// After all its steps.
    Done,
    /// The user has had enough.
    Interrupted,
    /// There is no next state; what was said of it.
    Stopped { step: u64, error: String },
}

/// A number and the step it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Worst {
    pub(crate) value: f64,
    pub(crate) step: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    pub(crate) wanted: u64,
    pub(crate) steps: u64,
    pub(crate) certified: u64,
    pub(crate) first_uncertified: Option<u64>,
    /// Scaled residual; gap [m] and misalignment [rad] of joints; overlap of shapes [m].
    pub(crate) residual: Worst,
    pub(crate) gap: Worst,
    pub(crate) misalignment: Worst,
    pub(crate) overlap: Worst,
    pub(crate) contacts: Worst,
    /// Contacts of all steps together, by mode: open, stick, slip.
    pub(crate) modes: [u64; 3],
    pub(crate) impacts: u64,
    pub(crate) iterations: u64,
    /// Kinetic and potential energy at the beginning and at the end [J].
    pub(crate) energy: [[f64; 2]; 2],
    /// Where the energy went, added up [J]; empty without a ledger.
    pub(crate) ledger: Vec<f64>,
    /// Simulated time [s].
    pub(crate) simulated: f64,
    pub(crate) wall: Duration,
    pub(crate) ended: Ended,
}

impl Worst {
    /// NaN is worse than any number, and stays.
    fn take(&mut self, value: f64, step: u64) {
        if !(value <= self.value) && !self.value.is_nan() {
            *self = Self { value, step };
        }
    }
}

impl Tally {
    /// Of a run of `wanted` steps that begins with this frame.
    pub(crate) fn new(wanted: u64, first: &Frame) -> Self {
        let energy = [first.energy.kinetic, first.energy.potential];
        Self {
            wanted,
            steps: 0,
            certified: 0,
            first_uncertified: None,
            residual: Worst::default(),
            gap: Worst::default(),
            misalignment: Worst::default(),
            overlap: Worst::default(),
            contacts: Worst::default(),
            modes: [0; 3],
            impacts: 0,
            iterations: 0,
            energy: [energy, energy],
            ledger: Vec::new(),
            simulated: 0.0,
            wall: Duration::ZERO,
            ended: Ended::Done,
        }
    }

    pub(crate) fn add(&mut self, frame: &Frame) {
        let certificate = &frame.certificate;
        self.steps += 1;
        if certificate.certified {
            self.certified += 1;
        } else {
            self.first_uncertified.get_or_insert(frame.step);
        }
        self.residual.take(certificate.residual, frame.step);
        self.gap.take(certificate.gap, frame.step);
        self.misalignment.take(certificate.misalignment, frame.step);
        self.overlap.take(certificate.overlap, frame.step);
        self.contacts.take(frame.contacts.len() as f64, frame.step);
        for contact in &frame.contacts {
            self.modes[contact.mode as usize] += 1;
        }
        self.impacts += frame.impacts.len() as u64;
        self.iterations += u64::from(certificate.iterations);
        self.energy[1] = [frame.energy.kinetic, frame.energy.potential];
        self.ledger.resize(frame.energy.terms.len(), 0.0);
        for (sum, amount) in self.ledger.iter_mut().zip(&frame.energy.terms) {
            *sum += amount;
        }
        self.simulated = frame.time;
    }

    /// All steps were taken, and the judge has accepted each.
    pub(crate) fn is_met(&self) -> bool {
        self.ended == Ended::Done && self.certified == self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_kept_with_its_step_and_nan_is_the_worst() {
        let mut worst = Worst::default();
        for (step, value) in [(1, 1.0), (2, 3.0), (3, 2.0)] {
            worst.take(value, step);
        }
        assert_eq!(worst, Worst { value: 3.0, step: 2 });
        worst.take(f64::NAN, 4);
        worst.take(9.0, 5);
        assert!(worst.value.is_nan() && worst.step == 4);
    }

    #[test]
    fn a_run_with_one_uncertified_step_is_not_met() {
        let mut frame = Frame::default();
        let mut tally = Tally::new(2, &frame);
        frame.step = 1;
        tally.add(&frame);
        assert!(tally.is_met());
        frame.step = 2;
        frame.certificate.certified = false;
        tally.add(&frame);
        assert_eq!((tally.first_uncertified, tally.is_met()), (Some(2), false));
    }
}
