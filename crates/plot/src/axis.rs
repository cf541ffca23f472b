//! Axes: from values to places, and ranges found from data.

use crate::text::{number, power_of_ten};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// By powers of ten; what is not positive is left out.
    Log,
}

#[derive(Clone, Debug)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    pub range: (f64, f64),
}

/// Where an axis has its numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ticks {
    /// Place along the axis from 0 to 1, and what is written there.
    pub(crate) major: Vec<(f64, String)>,
    pub(crate) minor: Vec<f64>,
    /// What the numbers are to be multiplied by, and what is to be added: ` ×10⁻⁶ + 9.81`; most often nothing.
    pub(crate) note: String,
}

/// Part of the range that is left free at each end.
const MARGIN: f64 = 0.05;

impl Axis {
    pub fn linear(label: impl Into<String>, range: (f64, f64)) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range }
    }

    pub fn log(label: impl Into<String>, range: (f64, f64)) -> Self {
        Self { label: label.into(), scale: Scale::Log, range }
    }

    /// An axis on which all finite values (for `Log`: positive ones) have a place, with a little room around them.
    pub fn fit(label: impl Into<String>, scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            if value.is_finite() && (scale == Scale::Linear || value >= f64::MIN_POSITIVE) {
                low = low.min(value);
                high = high.max(value);
            }
        }
        let range = match scale {
            _ if low > high => usual(scale),
            Scale::Linear => around(low, high),
            Scale::Log => around_decades(low, high),
        };
        Self { label: label.into(), scale, range }
    }

    /// The same without room around the values: for time.
    pub fn tight(label: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match high - low > 1e-12 * low.abs().max(high.abs()) {
            true => Self::linear(label, (low, high)),
            false => Self::fit(label, Scale::Linear, finite.into_iter()),
        }
    }

    /// The range, or another where it is empty or not finite.
    pub(crate) fn usable(&self) -> (f64, f64) {
        let (low, high) = self.range;
        let positive = self.scale == Scale::Linear || low > 0.0;
        let good = low < high && low.is_finite() && high.is_finite() && positive;
        if good { self.range } else { usual(self.scale) }
    }

    /// From 0 to 1 along the axis; not finite where there is no place.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (low, high) = self.usable();
        match self.scale {
            // halves: the difference of two numbers may be beyond all numbers
            Scale::Linear => (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low),
            Scale::Log => libm::log10(value / low) / libm::log10(high / low),
        }
    }

    /// Round values within the range, at most about `count`.
    pub(crate) fn ticks(&self, count: f64) -> Ticks {
        match self.scale {
            Scale::Linear => self.linear_ticks(count),
            Scale::Log => self.log_ticks(count),
        }
    }

    fn linear_ticks(&self, count: f64) -> Ticks {
        let (low, high) = self.usable();
        let step = round_step(2.0 * ((0.5 * high - 0.5 * low) / count.max(2.0)));
        let offset = offset(low, high, step);
        // of what is written: the value less the offset
        let (from, to) = (low - offset, high - offset);
        let largest = from.abs().max(to.abs());
        let power = libm::floor(libm::log10(largest) + 1e-9);
        let power = if (-3.0..5.0).contains(&power) { 0.0 } else { power };
        let unit = libm::pow(10.0, power);
        let decimals = (power - libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
        let first = libm::ceil(from / step - 1e-9) as i64;
        let last = libm::floor(to / step + 1e-9) as i64;
        let tick = |i: i64| {
            let value = i as f64 * step;
            let place = (0.5 * value - 0.5 * from) / (0.5 * to - 0.5 * from);
            // by parts: 10⁻³⁰⁸ has no inverse
            (place, number(i as f64 * (step / unit), decimals))
        };
        let mut note = String::new();
        if power != 0.0 {
            note.push_str(&format!(" ×{}", power_of_ten(power as i64)));
        }
        if offset != 0.0 {
            let sign = if offset < 0.0 { '−' } else { '+' };
            note.push_str(&format!(" {sign} {}", offset.abs()));
        }
        Ticks { major: (first..=last).map(tick).collect(), minor: Vec::new(), note }
    }

    fn log_ticks(&self, count: f64) -> Ticks {
        let (low, high) = self.usable();
        let (from, to) = (libm::log10(low), libm::log10(high));
        let step = round_step((to - from) / count.max(1.0)).max(1.0);
        let first = libm::ceil(from / step - 1e-9) as i64;
        let last = libm::floor(to / step + 1e-9) as i64;
        let major: Vec<(f64, String)> = (first..=last)
            .map(|i| i as f64 * step)
            .map(|power| ((power - from) / (to - from), power_of_ten(power as i64)))
            .collect();
        if major.len() < 2 {
            // within a decade or so: round numbers instead of powers
            return self.numbers_of_log(count);
        }
        let mut minor = Vec::new();
        if step == 1.0 && to - from <= 8.0 {
            for decade in libm::floor(from) as i64..=libm::floor(to) as i64 {
                let places = (2..10).map(|n| decade as f64 + libm::log10(f64::from(n)));
                minor.extend(places.filter(|p| (from..=to).contains(p)));
            }
            minor.iter_mut().for_each(|p| *p = (*p - from) / (to - from));
        }
        Ticks { major, minor, note: String::new() }
    }

    fn numbers_of_log(&self, count: f64) -> Ticks {
        let linear = Self::linear("", self.usable());
        let mut ticks = linear.linear_ticks(count);
        let (low, high) = self.usable();
        let onto = |place: f64| self.place(low + place * (high - low));
        ticks.major.iter_mut().for_each(|(place, _)| *place = onto(*place));
        // places of values that rounding has made zero
        ticks.major.retain(|(place, _)| place.is_finite());
        ticks
    }
}

fn usual(scale: Scale) -> (f64, f64) {
    match scale {
        Scale::Linear => (0.0, 1.0),
        Scale::Log => (0.1, 10.0),
    }
}

/// Room around a range, at least a few units in the last place; around a single value a tenth of it.
fn around(low: f64, high: f64) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    let room = match low == high {
        true if low == 0.0 => 1.0,
        true => 0.1 * largest,
        false => 2.0 * MARGIN * (0.5 * high - 0.5 * low),
    };
    let room = room.max(4.0 * f64::EPSILON * largest).max(f64::MIN_POSITIVE);
    ((low - room).max(-f64::MAX), (high + room).min(f64::MAX))
}

fn around_decades(low: f64, high: f64) -> (f64, f64) {
    let room = (MARGIN * libm::log10(high / low)).max(0.15);
    let factor = libm::pow(10.0, room);
    ((low / factor).max(f64::MIN_POSITIVE), (high * factor).min(f64::MAX))
}

/// What all values have in common: a round number near them where the step is too fine to be written in five digits, else
/// 0.
fn offset(low: f64, high: f64, step: f64) -> f64 {
    let largest = low.abs().max(high.abs());
    if low <= 0.0 && high >= 0.0 || largest < 2e4 * step {
        return 0.0;
    }
    // the number with the fewest digits that lies within the range
    let middle = 0.5 * low + 0.5 * high;
    for digits in 0..17 {
        let text = format!("{middle:.digits$e}");
        if let Some(round) = text.parse::<f64>().ok().filter(|x| (low..=high).contains(x)) {
            return round;
        }
    }
    middle
}

/// The least of 1, 2, 5, 10, … times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(step))).max(f64::MIN_POSITIVE);
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(axis: &Axis, n: f64) -> Vec<String> {
        axis.ticks(n).major.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(words(&Axis::linear("", (-0.05, 0.97)), 5.0), ["0.0", "0.5"]);
        assert_eq!(
            words(&Axis::linear("", (0.0, 1.0)), 5.0),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(words(&Axis::log("", (1e-3, 20.0)), 8.0), ["10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
        assert_eq!(words(&Axis::log("", (1e-12, 1e2)), 7.0).len(), 8);
    }

    #[test]
    fn all_values_lie_within_the_range_found() {
        let lists: [&[f64]; 9] = [
            &[],
            &[0.0],
            &[9.81],
            &[-3.0, f64::NAN, 2.0, f64::INFINITY],
            &[1.0, 1.0 + f64::EPSILON],
            &[-1e308, 1.7e308],
            &[1e-20, 3e-20],
            &[-4e-310, 4e-310],
            &[-1e15, -1e15 - 1.0],
        ];
        for values in lists {
            for scale in [Scale::Linear, Scale::Log] {
                let axis = Axis::fit("", scale, values.iter().copied());
                let (low, high) = axis.range;
                assert!(low < high && low.is_finite() && high.is_finite(), "{values:?} {axis:?}");
                for &value in values.iter().filter(|v| v.is_finite()) {
                    let place = axis.place(value);
                    let none = scale == Scale::Log && value < f64::MIN_POSITIVE;
                    assert!(none || (0.0..=1.0).contains(&place), "{value} of {values:?}: {place}");
                }
                let ticks = axis.ticks(6.0);
                assert!((1..=16).contains(&ticks.major.len()), "{values:?} {ticks:?}");
                let inside = |p: f64| (-1e-6..=1.0 + 1e-6).contains(&p);
                assert!(ticks.major.iter().all(|t| inside(t.0)), "{values:?} {ticks:?}");
                assert!(ticks.major.iter().all(|t| t.1.chars().count() < 9), "{ticks:?}");
            }
        }
    }

    #[test]
    fn noise_about_a_value_is_shown_less_the_value() {
        let noise = (0..10).map(|i| 9.81 + f64::from(i) * 2e-15);
        let ticks = Axis::fit("", Scale::Linear, noise).ticks(6.0);
        assert_eq!(ticks.note, " ×10⁻¹⁴ + 9.81", "{ticks:?}");
        assert!(ticks.major.len() > 2 && ticks.major.iter().all(|t| t.1.len() < 7), "{ticks:?}");
    }

    #[test]
    fn tiny_and_huge_numbers_are_written_with_a_power() {
        let ticks = Axis::fit("", Scale::Linear, [0.0, 3e-20].into_iter()).ticks(5.0);
        assert_eq!(ticks.note, " ×10⁻²⁰");
        let ticks = Axis::linear("", (0.0, 4e7)).ticks(5.0);
        assert_eq!((ticks.note.as_str(), ticks.major[1].1.as_str()), (" ×10⁷", "1"));
    }

    #[test]
    fn less_than_a_decade_of_a_log_axis_has_round_numbers() {
        let ticks = Axis::log("", (2.1, 6.5)).ticks(5.0);
        assert!(ticks.major.len() >= 3, "{ticks:?}");
        assert_eq!(Axis::log("", (0.45, 250.0)).ticks(5.0).minor.len(), 5 + 8 + 8 + 1);
    }
}
