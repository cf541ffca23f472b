//! Errors over step lengths, with their orders.

use crate::{Arrangement, Axis, Figure, GREY, Line, NAMED, Panel, Scale, Stroke};

/// Errors of one method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub label: String,
    /// Step length, or whatever is refined, and error.
    pub points: Vec<(f64, f64)>,
}

/// Errors by powers of ten, each curve with the slope that fits it best, beside dashed lines of the orders asked for.
pub fn convergence(title: &str, (x, y): (&str, &str), curves: &[Curve], orders: &[f64]) -> Figure {
    let all = || curves.iter().flat_map(|curve| curve.points.iter());
    let mut x = Axis::fit(x, Scale::Log, all().map(|point| point.0));
    // curves end at the border: their names stand behind it
    let good = all().map(|point| point.0).filter(|h| h.is_finite());
    x.range.1 = good.fold(x.range.0 * 1.01, f64::max);
    let y = Axis::fit(y, Scale::Log, all().map(|point| point.1));
    let mut lines: Vec<Line> = orders.iter().map(|&order| reference(&x, &y, order)).collect();
    for (i, curve) in curves.iter().enumerate() {
        let label = match slope(&curve.points) {
            Some(slope) => format!("{}, slope {slope:.2}", curve.label),
            None => curve.label.clone(),
        };
        let colour = if i < NAMED.len() { NAMED[i] } else { GREY };
        let mut points = curve.points.clone();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.push(Line { label, colour, stroke: Stroke::Marked, points });
    }
    let panel = Panel { title: String::new(), size: (440.0, 340.0), x, y, lines };
    Figure { title: title.to_string(), arrangement: Arrangement::Row, panels: vec![panel] }
}

/// Slope of the line that fits the logarithms best; None below two places that differ.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let good = |p: &&(f64, f64)| p.0 > 0.0 && p.1 > 0.0 && p.0.is_finite() && p.1.is_finite();
    let logs: Vec<(f64, f64)> =
        points.iter().filter(good).map(|p| (libm::log10(p.0), libm::log10(p.1))).collect();
    let n = logs.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let together: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (spread > 0.0).then(|| together / spread)
}

/// A line of this slope through the lower right of the axes, where errors of large steps are above it.
fn reference(x: &Axis, y: &Axis, order: f64) -> Line {
    let log = |range: (f64, f64)| (libm::log10(range.0), libm::log10(range.1));
    let ((left, right), (low, high)) = (log(x.range), log(y.range));
    // through a tenth below the upper right corner, down to the left or the lower border
    let top = high - 0.1 * (high - low);
    let from = if order > 0.0 { left.max(right - (top - low) / order) } else { left };
    let at = |log_x: f64| (libm::pow(10.0, log_x), libm::pow(10.0, top + order * (log_x - right)));
    let label = format!("order {order}");
    Line { label, colour: GREY, stroke: Stroke::Dashed, points: vec![at(right), at(from)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        let points: Vec<(f64, f64)> =
            (1..6).map(|i| f64::from(i) * 0.1).map(|h| (h, 3.0 * h * h)).collect();
        assert!((slope(&points).unwrap() - 2.0).abs() < 1e-12);
        let with_gap = [&points[..], &[(0.1, 0.0), (f64::NAN, 1.0)]].concat();
        assert!((slope(&with_gap).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(slope(&[(0.1, 2.0)]), None);
        assert_eq!(slope(&[(0.1, 2.0), (0.1, 3.0)]), None);
    }
}
