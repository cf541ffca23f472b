//! The name that was probably meant.

/// Names that are looked at: among more, a search for each of many mistakes would take too long.
const LOOKED_AT: usize = 1000;
/// A longer name is no slip of the fingers.
const LONGEST: usize = 64;

/// The nearest of the names that are near enough to be a slip of the fingers: the first of equals.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().take(LONGEST + 1).count() > LONGEST {
        return None;
    }
    let limit = ((name.chars().count() + 1) / 3).min(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known.into_iter().take(LOOKED_AT).filter(|known| known.len() <= 8 * LONGEST) {
        let apart = distance(name, candidate, limit);
        if apart <= limit && best.is_none_or(|(least, _)| apart < least) {
            best = Some((apart, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `; did you mean …?`, or nothing.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// Letters to insert, remove, replace or swap with their neighbour until one name is the other; where it is more than
/// `limit`, some number above. Case and the choice of `-` or `_` count nothing.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let plain = |text: &str| -> Vec<char> {
        text.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
    };
    let (a, b) = (plain(a), plain(b));
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before_last: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let known = ["mass", "material", "position", "half-space"];
        for (slip, meant) in [
            ("mas", "mass"),
            ("amss", "mass"),
            ("postion", "position"),
            ("Half_Space", "half-space"),
        ] {
            assert_eq!(nearest(slip, known), Some(meant), "{slip}");
        }
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
