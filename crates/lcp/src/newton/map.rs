//! The complementarity conditions of one row as one equation, and its derivatives.

/// The equations that stand for the complementarity conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    Min,
    FischerBurmeister,
}

/// Φ of one row, ∂Φ/∂z at fixed w, ∂Φ/∂w.
pub(super) fn row(map: Map, z: f64, w: f64, (lower, upper): (f64, f64)) -> (f64, f64, f64) {
    if lower == upper {
        return (z - lower, 1.0, 0.0);
    }
    match map {
        Map::Min => {
            let inner = if w < z - lower { (w, 0.0, 1.0) } else { (z - lower, 1.0, 0.0) };
            if z - upper > inner.0 { (z - upper, 1.0, 0.0) } else { inner }
        }
        Map::FischerBurmeister => {
            let (mut phi, mut by_z, mut by_w) = (w, 0.0, 1.0);
            if upper < f64::INFINITY {
                let (value, by_a, by_b) = fischer_burmeister(upper - z, -w);
                (phi, by_z, by_w) = (-value, by_a, by_b);
            }
            if lower > f64::NEG_INFINITY {
                let (value, by_a, by_b) = fischer_burmeister(z - lower, phi);
                (phi, by_z, by_w) = (value, by_a + by_b * by_z, by_b * by_w);
            }
            (phi, by_z, by_w)
        }
    }
}

/// `a + b − √(a² + b²)` and its derivatives; at (0, 0) those along a = b.
fn fischer_burmeister(a: f64, b: f64) -> (f64, f64, f64) {
    let r = a.hypot(b);
    if r == 0.0 {
        return (0.0, 1.0 - std::f64::consts::FRAC_1_SQRT_2, 1.0 - std::f64::consts::FRAC_1_SQRT_2);
    }
    // the second form does not cancel where both are positive
    let value = if a + b > 0.0 { 2.0 * a * (b / (a + b + r)) } else { a + b - r };
    (value, 1.0 - a / r, 1.0 - b / r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let inf = f64::INFINITY;
        let mut random = Random::new(8);
        for bounds in [(0.0, inf), (-inf, 0.3), (-0.2, 0.4), (-inf, inf), (0.1, 0.1)] {
            for map in [Map::Min, Map::FischerBurmeister] {
                for _ in 0..50 {
                    let (z, w, step) = (random.next(), random.next(), 1e-6);
                    let (_, by_z, by_w) = row(map, z, w, bounds);
                    let value = |z: f64, w: f64| row(map, z, w, bounds).0;
                    let slope_z = (value(z + step, w) - value(z - step, w)) / (2.0 * step);
                    let slope_w = (value(z, w + step) - value(z, w - step)) / (2.0 * step);
                    let close = (by_z - slope_z).abs() < 1e-4 && (by_w - slope_w).abs() < 1e-4;
                    assert!(close, "{map:?} {bounds:?} at ({z}, {w})");
                }
            }
        }
    }

    #[test]
    fn both_maps_vanish_at_the_same_points() {
        let solved = [(0.0, 2.0), (0.7, 0.0), (1.0, -3.0), (0.0, 0.0), (1.0, 0.0)];
        let wrong = [(0.5, 1.0), (0.5, -1.0), (0.0, -1.0), (1.0, 1.0), (1.5, 0.0), (-0.5, 1.0)];
        for map in [Map::Min, Map::FischerBurmeister] {
            for (z, w) in solved {
                assert_eq!(row(map, z, w, (0.0, 1.0)).0, 0.0, "{map:?} at ({z}, {w})");
            }
            for (z, w) in wrong {
                assert!(row(map, z, w, (0.0, 1.0)).0.abs() > 0.1, "{map:?} at ({z}, {w})");
            }
        }
    }
}
