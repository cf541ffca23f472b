//! Printed text as a page shows it against what was really printed.

/// A line of dots on the page stands for any lines.
const DOTS: &str = "…";

/// The first line of the page that is not in the output, as `expected …, found …`. Numbers, times and widths may differ.
pub(super) fn difference(shown: &str, printed: &str) -> Result<(), String> {
    let shown: Vec<String> = lines(shown);
    let printed: Vec<String> = lines(printed);
    let mut at = 0;
    let mut skipping = false;
    for line in &shown {
        if line == DOTS {
            skipping = true;
            continue;
        }
        if skipping {
            at += printed[at..].iter().position(|p| p == line).unwrap_or(printed.len() - at);
        }
        skipping = false;
        match printed.get(at) {
            Some(found) if found == line => at += 1,
            Some(found) => return Err(format!("the page shows {line:?}, printed is {found:?}")),
            None => return Err(format!("the page shows {line:?}, which is not printed")),
        }
    }
    match printed.get(at) {
        Some(more) if !skipping => {
            Err(format!("printed is {more:?}, which the page does not show"))
        }
        _ => Ok(()),
    }
}

/// Without empty lines, every number as `#`, runs of spaces and rules as one.
fn lines(text: &str) -> Vec<String> {
    let masked = text.lines().map(mask).map(|line| line.trim().to_string());
    masked.filter(|line| !line.is_empty()).collect()
}

fn mask(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(word).collect();
    let mut kept: Vec<&str> = Vec::new();
    for word in &words {
        // `12 ms` and `1.2 s` are the same kind of thing
        let unit = word.trim_end_matches([':', ',', ';']);
        let is_unit_of_time = ["ns", "µs", "ms", "s", "min"].contains(&unit);
        if !(is_unit_of_time && kept.last() == Some(&"#")) {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// The word with each of its numbers as `#`; rules and long hexadecimal numbers whole.
fn word(word: &str) -> String {
    if word.chars().all(|c| "─-=━┄".contains(c)) {
        return "─".to_string();
    }
    if word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit()) {
        return "#".to_string();
    }
    let chars: Vec<char> = word.chars().collect();
    let mut out = String::new();
    let mut k = 0;
    while k < chars.len() {
        let length = number(&chars[k..]);
        if length == 0 {
            out.push(chars[k]);
            k += 1;
        } else {
            out.push('#');
            k += length;
        }
    }
    out
}

/// Characters of the number that begins here: sign, digits, fraction, exponent; `inf` and `NaN` are none.
fn number(chars: &[char]) -> usize {
    let digit = |k: usize| chars.get(k).is_some_and(char::is_ascii_digit);
    let sign = |k: usize| chars.get(k).is_some_and(|c| "+-−".contains(*c));
    let mut k = usize::from(sign(0));
    if !digit(k) {
        return 0;
    }
    while digit(k) || (chars.get(k).is_some_and(|c| ".,_".contains(*c)) && digit(k + 1)) {
        k += 1;
    }
    if chars.get(k).is_some_and(|c| "eE".contains(*c)) {
        let after = k + 1 + usize::from(sign(k + 1));
        if digit(after) {
            k = after;
            while digit(k) {
                k += 1;
            }
        }
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_times_and_widths_may_differ() {
        let shown = "residual  1.6e-13  up to 1\ntime   141 µs: slow\n─── ──\n";
        let printed = "residual  2e-7     up to 1.0e-12\n\ntime  1.2 s: slow\n──── ─\n";
        assert_eq!(difference(shown, printed), Ok(()));
    }

    #[test]
    fn words_may_not_differ() {
        assert!(difference("status  certified", "status  uncertified").is_err());
        assert!(difference("one", "one\ntwo").is_err());
        assert!(difference("one\ntwo", "one").is_err());
    }

    #[test]
    fn a_line_of_dots_stands_for_any_lines() {
        assert_eq!(difference("one\n…\nfour", "one\ntwo\nthree\nfour"), Ok(()));
        assert_eq!(difference("one\n…", "one\ntwo"), Ok(()));
        assert!(difference("one\n…\nfive", "one\ntwo").is_err());
    }

    #[test]
    fn a_number_is_masked_with_its_sign_and_exponent() {
        assert_eq!(mask("x=-1.5e-3, n=1,000 box[2] a1b2c3d4e5f6"), "x=#, n=# box[#] #");
    }
}
