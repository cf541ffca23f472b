//! Names: shown in messages, and the nearest of a list to one that is unknown.

use crate::error::shortened;
use crate::nearest::suggestion;

/// Names and values are shortened to this many characters.
const LONGEST: usize = 60;
/// Comparing costs time; a file full of unknown names gets no more hints than this.
const MOST: usize = 20;

/// Text of a file as a message shows it.
pub(super) fn short(text: &str) -> String {
    shortened(text.to_string(), LONGEST)
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
        suggestion(name, known)
    }
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
        let hints =
            (0..1000).filter(|_| !suggestions.of("elbwo", ["elbow"].into_iter()).is_empty());
        assert_eq!(hints.count(), MOST);
    }
}
