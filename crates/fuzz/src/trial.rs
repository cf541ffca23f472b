//! One file through one reader, watched.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use allocation_counter::measure;

/// A reader, and what its files are made of.
pub struct Target {
    pub name: &'static str,
    /// Reads a file and says in a line what came of it.
    pub read: fn(&[u8]) -> String,
    /// Small files that are right.
    pub seeds: Vec<Vec<u8>>,
    pub words: &'static [&'static str],
    /// More than this at a time is a failure [bytes]. Files have up to 64 KiB.
    pub memory: u64,
}

/// How a reader failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Panic {
        message: String,
    },
    /// [bytes]
    Memory {
        taken: u64,
    },
    /// It did not come to an end.
    Hang,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic { message } => write!(f, "panicked: {message}"),
            Self::Memory { taken } => write!(f, "took {taken} bytes"),
            Self::Hang => write!(f, "did not come to an end"),
        }
    }
}

impl Failure {
    /// Whether both have the same cause, as far as can be seen.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            // the place in the source is behind the message
            (Self::Panic { message: a }, Self::Panic { message: b }) => place(a) == place(b),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

fn place(message: &str) -> &str {
    message.rsplit_once(" at ").map_or(message, |(_, place)| place)
}

/// What a reader said, and the memory it took [bytes].
pub(crate) fn attempt(target: &Target, input: &[u8]) -> Result<(String, u64), Failure> {
    catch_messages();
    let mut said = None;
    WATCHED.set(true);
    let info = measure(|| {
        said = catch_unwind(AssertUnwindSafe(|| (target.read)(input))).ok();
    });
    WATCHED.set(false);
    let Some(said) = said else {
        return Err(Failure::Panic { message: MESSAGE.take() });
    };
    if info.bytes_max > target.memory {
        return Err(Failure::Memory { taken: info.bytes_max });
    }
    Ok((said, info.bytes_max))
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics of watched readers are kept, those of others are told as ever.
fn catch_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if WATCHED.get() {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                let said = info.payload().downcast_ref::<&str>().copied();
                let said =
                    said.or_else(|| info.payload().downcast_ref::<String>().map(String::as_str));
                let said = said.unwrap_or("no message");
                MESSAGE.set(format!("{said} at {place}"));
            } else {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(read: fn(&[u8]) -> String) -> Target {
        Target { name: "test", read, seeds: vec![b"1".to_vec()], words: &[], memory: 3 << 19 }
    }

    #[test]
    fn a_panic_is_told_with_its_place() {
        let panics = target(|input| match input {
            b"bad" => panic!("no {}", input.len()),
            _ => "read".to_string(),
        });
        assert_eq!(attempt(&panics, b"good").unwrap().0, "read");
        let Err(Failure::Panic { message }) = attempt(&panics, b"bad") else { panic!("it passed") };
        assert!(message.starts_with("no 3 at ") && message.contains("trial.rs:"), "{message}");
    }

    #[test]
    fn memory_beyond_the_bound_is_a_failure() {
        let greedy = target(|input| vec![1_u8; input.len() << 20].len().to_string());
        assert!(attempt(&greedy, b"1").is_ok());
        let failure = attempt(&greedy, b"12").unwrap_err();
        assert!(matches!(failure, Failure::Memory { taken } if taken > 2 << 20), "{failure}");
    }
}
