//! Makes an input that fails smaller.

use crate::trial::{Failure, Target, attempt};

/// Most attempts.
const ATTEMPTS: usize = 3000;

/// Leaves out what it can of an input while the failure stays the same.
pub(crate) fn shrink(target: &Target, input: Vec<u8>, failure: &Failure) -> Vec<u8> {
    let fails = |input: &[u8]| attempt(target, input).is_err_and(|found| found.is_like(failure));
    let mut smallest = input;
    let mut attempts = 0;
    let mut part = smallest.len().div_ceil(2);
    while part > 0 && attempts < ATTEMPTS {
        let mut start = 0;
        let before = smallest.len();
        while start < smallest.len() && attempts < ATTEMPTS {
            let end = (start + part).min(smallest.len());
            let tried = [&smallest[..start], &smallest[end..]].concat();
            attempts += 1;
            if fails(&tried) {
                smallest = tried;
            } else {
                start = end;
            }
        }
        // single bytes until none can go
        if part > 1 || smallest.len() == before {
            part /= 2;
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_fails() {
        let read = |input: &[u8]| {
            assert!(!(input.contains(&b'x') && input.contains(&b'y')), "both");
            String::new()
        };
        let target = Target { name: "test", read, seeds: Vec::new(), words: &[], memory: 1 << 20 };
        let input = b"a lot of text with x in it, and then, much later, a y as well".to_vec();
        let failure = attempt(&target, &input).unwrap_err();
        assert_eq!(shrink(&target, input, &failure), b"xy");
    }
}
