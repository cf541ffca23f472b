//! Random numbers from a seed.

/// SplitMix64: a counter, scrambled.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below `n`; 0 where `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.next().checked_rem(n as u64).unwrap_or(0) as usize
    }

    pub(crate) fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }

    /// Small lengths more often than large ones; from 1 to `most`.
    pub(crate) fn length(&mut self, most: usize) -> usize {
        let bits = 1 + self.below(usize::BITS as usize - most.leading_zeros() as usize);
        (1 + self.below(1 << bits)).min(most.max(1))
    }

    /// A place in a text of this length, and one that is not before it.
    pub(crate) fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        if length == 0 {
            return 0..0;
        }
        let start = self.below(length);
        start..start + self.length(length - start)
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_and_others_do_not() {
        let take = |seed| {
            let mut random = Random::new(seed);
            [random.next(), random.next()]
        };
        assert_eq!(take(1), take(1));
        assert_ne!(take(1), take(2));
    }

    #[test]
    fn ranges_are_within_and_not_empty() {
        let mut random = Random::new(3);
        for length in [1, 2, 3, 100, 5000] {
            for _ in 0..1000 {
                let range = random.range(length);
                assert!(!range.is_empty() && range.end <= length, "{range:?} of {length}");
            }
        }
        assert_eq!(random.range(0), 0..0);
        assert_eq!(random.pick::<u8>(&[]), None);
    }
}
