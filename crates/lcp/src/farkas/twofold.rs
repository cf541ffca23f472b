//! Numbers of twice the digits of f64, for vectors of which the last bit counts.
//!
//! A number is kept as `high + low`, about 106 bits together, by Knuth's exact sum and Dekker's
//! exact product.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    pub(crate) fn of(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    /// The f64 next to it.
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }

    pub(crate) fn plus(self, x: f64) -> Self {
        let (high, rest) = exact_sum(self.high, x);
        Self::sorted(high, self.low + rest)
    }

    /// `self + a · y`.
    pub(crate) fn plus_product(self, a: f64, y: Self) -> Self {
        let (product, product_rest) = exact_product(a, y.high);
        let (high, rest) = exact_sum(self.high, product);
        Self::sorted(high, self.low + (rest + (product_rest + a * y.low)))
    }

    fn sorted(high: f64, low: f64) -> Self {
        let (high, low) = exact_sum(high, low);
        Self { high, low }
    }
}

/// `a + b` as a rounded number and its error.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// `a · b` as a rounded number and its error. Beyond 1e±140 the error is not computed: its parts
/// would overflow or vanish.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let is_tame = |x: f64| (1e-140..1e140).contains(&x.abs());
    if !(is_tame(a) && is_tame(b)) {
        return (product, 0.0);
    }
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, rest)
}

/// Two numbers of at most 26 bits that add up to x.
fn halves(x: f64) -> (f64, f64) {
    let c = 134_217_729.0 * x; // 2²⁷ + 1
    let high = c - (c - x);
    (high, x - high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_times_three_is_one_to_a_hundred_bits() {
        let mut third = Twofold::of(1.0 / 3.0);
        third = third.plus(Twofold::of(1.0).plus_product(-3.0, third).value() / 3.0);
        let rest = Twofold::of(-1.0).plus_product(3.0, third).value();
        assert!(rest.abs() < 1e-31, "{rest:e}");
        assert_eq!(third.value(), 1.0 / 3.0);
    }

    #[test]
    fn small_terms_survive_large_ones() {
        let sum = Twofold::of(-1.0).plus(1e30).plus(-1e30);
        assert_eq!(sum.value(), -1.0);
        let a = 1.0 + f64::EPSILON;
        let square = Twofold::of(-1.0 - 2.0 * f64::EPSILON).plus_product(a, Twofold::of(a));
        assert_eq!(square.value(), f64::EPSILON * f64::EPSILON);
        let huge = Twofold::of(1.0).plus_product(1e200, Twofold::of(1e100));
        assert_eq!(huge.value(), 1e300);
    }
}
