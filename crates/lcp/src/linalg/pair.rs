//! Sums of products to twice the working precision, for solvers: the judge has its own.

/// `high + low`, about 106 bits together (Dekker 1971).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Pair {
    pub(crate) fn of(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let sum = self.high + product;
        let part = sum - self.high;
        let rest = (self.high - (sum - part)) + (product - part);
        let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
        let hidden =
            ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
        self.low += rest + hidden;
        self.high = sum;
    }

    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

/// Two numbers of at most 26 bits that add up to x.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    let c = 134_217_729.0 * x; // 2²⁷ + 1
    let high = c - (c - x);
    (high, x - high)
}
