//! Names: shown in messages, and the nearest of a list to one that is unknown.

/// Names and values are shortened to this many characters.
const LONGEST: usize = 60;
/// Comparing costs time; a file full of unknown names gets no more hints than this.
const MOST: usize = 20;

/// Text of a file as a message shows it.
pub(super) fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

pub(super) struct Suggestions {
    left: usize,
}

impl Suggestions {
    pub(super) fn new() -> Self {
        Self { left: MOST }
    }

    /// `; did you mean `x`?`, or nothing if no name is near.
    pub(super) fn of<'a>(&mut self, name: &str, known: impl Iterator<Item = &'a str>) -> String {
        if self.left == 0 {
            return String::new();
        }
        self.left -= 1;
        let near = known.filter(|other| other.len() <= LONGEST && name.len() <= LONGEST);
        let best = near.map(|other| (distance(name, other), other)).min();
        match best {
            Some((d, other)) if d <= 2.max(name.chars().count() / 3) => {
                format!("; did you mean `{other}`?")
            }
            _ => String::new(),
        }
    }
}

/// Letters to insert, remove or replace (Levenshtein), upper and lower case being the same.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_if_it_is_near() {
        let known = ["shoulder", "elbow", "wrist"];
        let mut suggestions = Suggestions::new();
        assert_eq!(suggestions.of("elbwo", known.into_iter()), "; did you mean `elbow`?");
        assert_eq!(suggestions.of("Wrist", known.into_iter()), "; did you mean `wrist`?");
        assert_eq!(suggestions.of("gripper_finger", known.into_iter()), "");
    }

    #[test]
    fn hints_end_after_a_while() {
        let mut suggestions = Suggestions::new();
        let hints = (0..1000).filter(|_| !suggestions.of("a", ["b"].into_iter()).is_empty());
        assert_eq!(hints.count(), MOST);
    }
}
