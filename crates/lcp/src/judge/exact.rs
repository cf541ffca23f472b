//! Sums of products without the rounding that hides small terms behind large ones.
//!
//! A sum is kept as two numbers, `high + low`, about 106 bits together (Knuth's and Dekker's exact
//! sum and product; Ogita, Rump and Oishi 2005). So −1 + 1e30 − 1e30 is −1, and a residual is that
//! of the vector that was given, not that of its evaluation.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    pub(super) fn of(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    /// Adds `a · b`.
    pub(super) fn add_product(&mut self, a: f64, b: f64) {
        let (product, rest) = exact_product(a, b);
        let (high, error) = exact_sum(self.high, product);
        self.high = high;
        self.low += error + rest;
    }

    /// Adds `a · b`, as [`Sum::add_product`] does, for a b that is used many times.
    pub(super) fn add_multiple(&mut self, a: f64, b: &Multiplier) {
        let product = a * b.value;
        let mut rest = 0.0;
        if b.is_tame && is_tame(a) {
            let (a_high, a_low) = halves(a);
            rest = ((a_high * b.high - product) + a_high * b.low + a_low * b.high) + a_low * b.low;
        }
        let (high, error) = exact_sum(self.high, product);
        self.high = high;
        self.low += error + rest;
    }

    pub(super) fn value(self) -> f64 {
        self.high + self.low
    }
}

/// Sums side by side, of the three rows of a contact or of two triples of them: what is done to one is done to all, so that a compiler may
/// take them together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sums<const N: usize> {
    pub(super) high: [f64; N],
    pub(super) low: [f64; N],
}

impl<const N: usize> Sums<N> {
    pub(super) fn of(high: [f64; N]) -> Self {
        Self { high, low: [0.0; N] }
    }

    /// Adds `a_i · b_i`, as [`Sum::add_product`] does.
    #[inline(always)]
    pub(super) fn add_products(&mut self, a: &[f64; N], b: &[f64; N]) {
        for i in 0..N {
            let (product, rest) = exact_product(a[i], b[i]);
            self.add(i, product, rest);
        }
    }

    /// The same where none is beyond 1e140: what comes of one that is too large for halves is not finite. Products below 1e-280 have no
    /// more of an error than their last bit either way.
    #[inline(always)]
    pub(super) fn add_tame_products(&mut self, a: &[f64; N], b: &[f64; N]) {
        for i in 0..N {
            let (product, rest) = tame_product(a[i], b[i]);
            self.add(i, product, rest);
        }
    }

    #[inline(always)]
    fn add(&mut self, i: usize, product: f64, rest: f64) {
        let (high, error) = exact_sum(self.high[i], product);
        self.high[i] = high;
        self.low[i] += error + rest;
    }

    pub(super) fn values(&self) -> [f64; N] {
        std::array::from_fn(|i| self.high[i] + self.low[i])
    }
}

impl Sums<6> {
    /// The two triples added up.
    pub(super) fn folded(&self) -> Sums<3> {
        let mut sums = Sums::of([0.0; 3]);
        for i in 0..3 {
            let (high, error) = exact_sum(self.high[i], self.high[3 + i]);
            sums.high[i] = high;
            sums.low[i] = self.low[i] + self.low[3 + i] + error;
        }
        sums
    }
}

impl Sums<3> {
    /// All three together.
    pub(super) fn total(&self) -> f64 {
        let (two, error) = exact_sum(self.high[0], self.high[1]);
        let (three, error_of_three) = exact_sum(two, self.high[2]);
        three + (self.low[0] + self.low[1] + self.low[2] + error + error_of_three)
    }
}

/// A factor of many products, with its halves.
pub(super) struct Multiplier {
    value: f64,
    high: f64,
    low: f64,
    is_tame: bool,
}

impl Multiplier {
    pub(super) fn new(value: f64) -> Self {
        let (high, low) = halves(value);
        Self { value, high, low, is_tame: is_tame(value) }
    }
}

/// `a + b` as a rounded number and its error.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// `a · b` as a rounded number and its error. Beyond 1e±140 the error is not computed: its parts
/// would overflow or vanish, and such numbers are judged in plain f64.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    if is_tame(a) && is_tame(b) { tame_product(a, b) } else { (a * b, 0.0) }
}

#[inline(always)]
fn tame_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, rest)
}

#[inline(always)]
fn is_tame(x: f64) -> bool {
    (x == 0.0) | ((x.abs() >= 1e-140) & (x.abs() < 1e140))
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
    fn small_terms_survive_large_ones() {
        let mut sum = Sum::of(-1.0);
        sum.add_product(1e15, 1e15);
        sum.add_product(-1e15, 1e15);
        assert_eq!(sum.value(), -1.0);

        let mut many = Sum::of(0.0);
        many.add_product(2f64.powi(23), 1.0);
        for _ in 0..1000 {
            many.add_product(2f64.powi(-31), 1.0);
        }
        many.add_product(-(2f64.powi(23)), 1.0);
        assert_eq!(many.value(), 1000.0 * 2f64.powi(-31));
    }

    #[test]
    fn three_side_by_side_give_the_same_bits() {
        let mut one = [0.3, 0.0, -2e9].map(Sum::of);
        let (mut other, mut tame) = (Sums::of([0.3, 0.0, -2e9]), Sums::of([0.3, 0.0, -2e9]));
        for a in [0.7, -1e9, 1e-139, 0.0, -0.0, 2e139, 0.3] {
            for b in [[0.1, -3e7, 1e9], [0.0, 1e-139, 7.7], [-0.1, 0.3, 2e139]] {
                assert!(is_tame(a) && b.iter().all(|b| is_tame(*b)));
                (0..3).for_each(|i| one[i].add_product(a, b[i]));
                other.add_products(&[a; 3], &b);
                tame.add_tame_products(&[a; 3], &b);
                assert_eq!(other.values(), one.map(Sum::value), "{a} {b:?}");
                assert_eq!(tame, other, "{a} {b:?}");
            }
        }
        // and what is not tame
        for (a, b) in [(1e-150, 3.0), (1e150, 1e-150), (f64::MIN_POSITIVE, 0.1)] {
            (0..3).for_each(|i| one[i].add_product(a, b));
            other.add_products(&[a; 3], &[b; 3]);
            assert_eq!(other.values(), one.map(Sum::value), "{a} {b:?}");
        }
    }

    #[test]
    fn two_triples_fold_into_one_that_loses_nothing() {
        let mut six = Sums::of([1e15, 0.25, 0.0, -1e15, 0.5, 1.0]);
        six.add_tame_products(&[1.0 + f64::EPSILON; 6], &[1.0, 0.0, -1.0, -1.0, 1.0, 1.0]);
        six.add_tame_products(&[f64::EPSILON; 6], &[1.0; 6]);
        let two = 2.0 * f64::EPSILON;
        assert_eq!(six.folded().values(), [two, 1.75 + f64::EPSILON + two, 1.0 + two]);
    }

    #[test]
    fn three_together_lose_nothing() {
        let mut sums = Sums::of([1e15, -1.0, -1e15]);
        assert_eq!(sums.total(), -1.0);
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        sums.add_tame_products(&[a, a, 0.5], &[b, -b, f64::EPSILON]);
        assert_eq!(sums.total(), -1.0 + 0.5 * f64::EPSILON);
    }

    #[test]
    fn a_multiplier_gives_the_same_bits() {
        for b in [0.0, 0.1, -3e7, 1e-150, 1e150, f64::MIN_POSITIVE] {
            let (mut one, mut other, by) = (Sum::of(0.3), Sum::of(0.3), Multiplier::new(b));
            for a in [0.7, -1e9, 1e-141, 0.0, 2e140, 0.3] {
                one.add_product(a, b);
                other.add_multiple(a, &by);
                assert_eq!(one, other, "{a} {b}");
            }
        }
    }

    #[test]
    fn products_keep_the_bits_that_rounding_drops() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        let mut sum = Sum::of(-1.0);
        sum.add_product(a, b);
        assert_eq!(sum.value(), -f64::EPSILON * f64::EPSILON);
    }
}
