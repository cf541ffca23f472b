//! Numbers as scenes write them: plain, infinite, or as angles with a unit.

use crate::format::{Quantity, Range};
use crate::tree::{Node, Value};

/// The number that a node stands for, in SI units. None: it is none, or outside of the range.
pub(crate) fn number(node: &Node, quantity: Quantity, range: &Range) -> Option<f64> {
    let value = match &node.value {
        Value::Whole(value) => *value as f64,
        Value::Number(value) => *value,
        Value::Text(text) => match (text.trim(), quantity) {
            // JSON has no infinity
            ("inf" | "+inf", _) => f64::INFINITY,
            ("-inf", _) => f64::NEG_INFINITY,
            (_, Quantity::Plain) => return None,
            (text, Quantity::Angle | Quantity::Coordinate) => angle(text)?,
            (text, Quantity::Rate | Quantity::CoordinateRate) => {
                // "30 deg/s", "deg(30)/s"
                angle(text.strip_suffix("/s")?.trim_end())?
            }
        },
        _ => return None,
    };
    range.holds(value).then_some(value)
}

/// "30 deg", "30deg", "30°", "deg(30)", and the same with rad; in rad.
fn angle(text: &str) -> Option<f64> {
    let (number, unit) = match text.strip_suffix(')') {
        Some(call) => {
            let (unit, number) = call.split_once('(')?;
            (number, unit.trim())
        }
        None => {
            let unit = ["deg", "rad", "°"].into_iter().find(|unit| text.ends_with(unit))?;
            (text.strip_suffix(unit)?, unit)
        }
    };
    let value: f64 = number.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
    match unit {
        "deg" | "°" => Some(value.to_radians()),
        "rad" => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ANY, POSITIVE, UP_TO_INFINITY};
    use crate::tree::At;

    fn of(text: &str, quantity: Quantity, range: &Range) -> Option<f64> {
        number(&Node { value: Value::Text(text.into()), at: At::default() }, quantity, range)
    }

    #[test]
    fn every_way_to_write_an_angle_is_the_same_angle() {
        let right = std::f64::consts::FRAC_PI_6;
        for text in ["30 deg", "30deg", "deg(30)", " 30° ", "deg( 30.0 )", "3e1 deg"] {
            assert!((of(text, Quantity::Angle, &ANY).unwrap() - right).abs() < 1e-15, "{text}");
        }
        assert_eq!(of("0.5 rad", Quantity::Angle, &ANY), Some(0.5));
        assert_eq!(of("rad(0.5)", Quantity::Coordinate, &ANY), Some(0.5));
        assert_eq!(of("0.5 rad/s", Quantity::Rate, &ANY), Some(0.5));
        assert_eq!(of("rad(0.5)/s", Quantity::CoordinateRate, &ANY), Some(0.5));
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in ["30", "deg", "30 grad", "deg 30", "deg(30", "inf deg", "nan rad", "30 deg/s"] {
            assert_eq!(of(text, Quantity::Angle, &ANY), None, "{text}");
        }
        assert_eq!(of("30 deg", Quantity::Plain, &ANY), None);
        assert_eq!(of("30 deg", Quantity::Rate, &ANY), None);
    }

    #[test]
    fn infinity_and_nan_are_numbers_only_where_the_range_says_so() {
        assert_eq!(of("inf", Quantity::Plain, &POSITIVE), None);
        assert_eq!(of("inf", Quantity::Plain, &UP_TO_INFINITY), Some(f64::INFINITY));
        let nan = Node { value: Value::Number(f64::NAN), at: At::default() };
        assert_eq!(number(&nan, Quantity::Plain, &UP_TO_INFINITY), None);
    }
}
