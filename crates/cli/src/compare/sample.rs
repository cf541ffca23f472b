//! Runs of different step lengths at common times.

use std::collections::BTreeMap;

use stiction_record::Frame;

use super::variant::Variant;

/// Times at which runs are compared, at most.
const MOST: u64 = 1000;

/// From 0 to the end, no finer than the longest steps.
pub(crate) fn grid(variants: &[Variant]) -> Vec<f64> {
    let shortest = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
    let end = shortest(&mut variants.iter().map(|v| v.h * v.steps as f64));
    let count = variants.iter().map(|v| v.steps).min().unwrap_or(1).clamp(1, MOST);
    (0..=count).map(|k| end * k as f64 / count as f64).collect()
}

/// A run at the times of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) times: Vec<f64>,
    /// Positions of all bodies [m] at each time that was reached.
    pub(crate) positions: Vec<Vec<[f64; 3]>>,
    /// Impulse on the second of two shapes, added up over the run [N·s], by their places.
    pub(crate) impulses: BTreeMap<(u32, u32), [f64; 3]>,
    before: Option<Moment>,
}

#[derive(Clone, Debug)]
struct Moment {
    time: f64,
    positions: Vec<[f64; 3]>,
}

impl Samples {
    pub(crate) fn new(grid: &[f64]) -> Self {
        Self {
            times: grid.to_vec(),
            positions: Vec::new(),
            impulses: BTreeMap::new(),
            before: None,
        }
    }

    /// Frames come in the order of their times.
    pub(crate) fn take(&mut self, frame: &Frame) {
        let moment = Moment {
            time: frame.time,
            positions: frame.poses.iter().map(|&[x, y, z, ..]| [x, y, z]).collect(),
        };
        for contact in &frame.contacts {
            let sum = self.impulses.entry((contact.shape_a, contact.shape_b)).or_default();
            (0..3).for_each(|i| sum[i] += contact.impulse[i]);
        }
        // what rounding leaves of the last time still counts as reached
        let slack = 1e-9 * self.times.last().copied().unwrap_or(0.0);
        while let Some(&time) = self.times.get(self.positions.len()) {
            if time > moment.time + slack {
                break;
            }
            let before = self.before.as_ref().unwrap_or(&moment);
            let positions = between(before, &moment, time);
            self.positions.push(positions);
        }
        self.before = Some(moment);
    }

    /// How far bodies are from where they are in another run, at most [m].
    pub(crate) fn path_difference(&self, other: &Self) -> f64 {
        let pairs = self.positions.iter().zip(&other.positions);
        let each = pairs.flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| distance(*a, *b));
        each.fold(0.0, worse)
    }

    /// How far the impulses between two shapes are from those of another run, at most [N·s].
    pub(crate) fn impulse_difference(&self, other: &Self) -> f64 {
        let none = [0.0; 3];
        let mut pairs: Vec<_> = self.impulses.keys().chain(other.impulses.keys()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let of = |samples: &Self, pair| *samples.impulses.get(pair).unwrap_or(&none);
        pairs.into_iter().map(|pair| distance(of(self, pair), of(other, pair))).fold(0.0, worse)
    }
}

/// On the straight line between two moments.
fn between(a: &Moment, b: &Moment, time: f64) -> Vec<[f64; 3]> {
    let s =
        if b.time > a.time { ((time - a.time) / (b.time - a.time)).clamp(0.0, 1.0) } else { 1.0 };
    let mixed = |a: f64, b: f64| (1.0 - s) * a + s * b;
    let pairs = a.positions.iter().zip(&b.positions);
    pairs.map(|(a, b)| [0, 1, 2].map(|i| mixed(a[i], b[i]))).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// The larger one; NaN is the largest.
fn worse(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(time: f64, x: f64) -> Frame {
        let mut frame = Frame { time, ..Default::default() };
        frame.poses.push([x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        frame
    }

    fn samples(frames: &[Frame]) -> Samples {
        let mut samples = Samples::new(&[0.0, 0.5, 1.0]);
        frames.iter().for_each(|frame| samples.take(frame));
        samples
    }

    #[test]
    fn runs_of_different_steps_meet_at_the_grid() {
        let coarse = samples(&[frame(0.0, 0.0), frame(1.0, 2.0)]);
        let fine = samples(&[frame(0.0, 0.0), frame(0.4, 0.8), frame(0.8, 1.6), frame(1.0, 2.5)]);
        assert_eq!(coarse.positions.len(), 3);
        assert_eq!(coarse.positions[1][0][0], 1.0);
        assert!((fine.positions[1][0][0] - 1.0).abs() < 1e-15);
        assert!((fine.path_difference(&coarse) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_run_that_is_not_a_number_differs_without_end() {
        let (run, broken) = (samples(&[frame(0.0, 0.0)]), samples(&[frame(0.0, f64::NAN)]));
        assert!(broken.path_difference(&run).is_nan());
    }
}
