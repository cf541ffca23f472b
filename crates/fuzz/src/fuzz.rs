//! Many changed files through one reader.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::changes::{Stock, changed};
use crate::random::Random;
use crate::shrink::shrink;
use crate::trial::{Failure, Target, attempt};

/// A reader that is longer at one file hangs.
const PATIENCE: Duration = Duration::from_secs(30);
/// Files that are kept beside the seeds.
const KEPT: usize = 512;
/// Stack of the thread that reads: what the main thread of a program has [bytes].
const STACK: usize = 8 << 20;

/// What came of many executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub executions: u64,
    /// Messages that differ by more than numbers and quoted text.
    pub outcomes: usize,
    /// Most memory of one execution [bytes].
    pub memory: u64,
}

/// An input that failed.
#[derive(Clone, Debug)]
pub struct Found {
    pub target: &'static str,
    pub seed: u64,
    /// Counted from 0.
    pub execution: u64,
    pub failure: Failure,
    /// Made smaller.
    pub input: Vec<u8>,
    /// Where it was written.
    pub file: PathBuf,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, seed, execution, failure, input, file } = self;
        write!(f, "{target}, seed {seed}, execution {execution}: {failure}; ")?;
        write!(f, "{} bytes in {}: {}", input.len(), file.display(), shown(input))
    }
}

/// The beginning of an input, as text.
fn shown(input: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(input).chars().take(200).collect();
    format!("{text:?}")
}

/// Runs a reader so many times. The same seed gives the same files.
pub fn fuzz(target: Target, seed: u64, executions: u64) -> Result<Report, Box<Found>> {
    let target: &'static Target = Box::leak(Box::new(target));
    let progress: &'static Progress = Box::leak(Box::default());
    let (sender, ended) = channel();
    let work = move || run(target, (seed, executions), progress, &sender);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(work);
    worker.unwrap_or_else(|error| panic!("no thread for {}: {error}", target.name));
    let mut last = u64::MAX;
    loop {
        match ended.recv_timeout(PATIENCE) {
            Ok(result) => return result.map_err(|found| written(target, seed, found)),
            Err(RecvTimeoutError::Disconnected) => panic!("the thread of {} ended", target.name),
            Err(RecvTimeoutError::Timeout) => {
                let execution = progress.execution.load(Ordering::SeqCst);
                if execution == last {
                    let input =
                        progress.input.lock().map(|input| input.clone()).unwrap_or_default();
                    let hang = Failure::Hang;
                    return Err(written(target, seed, Failed { execution, failure: hang, input }));
                }
                last = execution;
            }
        }
    }
}

/// Of the thread that reads, for the one that waits.
#[derive(Default)]
struct Progress {
    execution: AtomicU64,
    input: Mutex<Vec<u8>>,
}

struct Failed {
    execution: u64,
    failure: Failure,
    input: Vec<u8>,
}

fn run(
    target: &Target,
    (seed, executions): (u64, u64),
    progress: &Progress,
    ended: &Sender<Result<Report, Failed>>,
) {
    let mut report = Report { executions, outcomes: 0, memory: 0 };
    let mut files = target.seeds.clone();
    let mut outcomes = BTreeSet::new();
    for execution in 0..executions {
        let mut random = Random::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ execution);
        let input = match files.get(execution as usize) {
            Some(seed) if (execution as usize) < target.seeds.len() => seed.clone(),
            _ => changed(&Stock { files: &files, words: target.words }, &mut random),
        };
        progress.execution.store(execution, Ordering::SeqCst);
        if let Ok(mut shared) = progress.input.lock() {
            shared.clone_from(&input);
        }
        match attempt(target, &input) {
            Ok((said, memory)) => {
                report.memory = report.memory.max(memory);
                if outcomes.insert(kind_of(&said)) && files.len() < target.seeds.len() + KEPT {
                    files.push(input);
                }
            }
            Err(failure) => {
                let input = shrink(target, input, &failure);
                let _ = ended.send(Err(Failed { execution, failure, input }));
                return;
            }
        }
    }
    report.outcomes = outcomes.len();
    let _ = ended.send(Ok(report));
}

/// A message without its numbers and without what it quotes.
fn kind_of(said: &str) -> String {
    let mut kind = String::new();
    let mut quote = None;
    for c in said.chars().take(300) {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) | (None, '0'..='9' | '.') => {}
            (None, '`' | '"') => quote = Some(c),
            (None, c) => kind.push(c),
        }
    }
    kind
}

fn written(target: &Target, seed: u64, failed: Failed) -> Box<Found> {
    let Failed { execution, failure, input } = failed;
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let file = folder.join(format!("{}-{seed}-{execution}", target.name));
    // the message says what it was, also where nothing can be written
    let _ = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &input));
    Box::new(Found { target: target.name, seed, execution, failure, input, file })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(read: fn(&[u8]) -> String) -> Target {
        let seeds = vec![b"count = 3\n".to_vec()];
        Target { name: "test", read, seeds, words: &["zebra"], memory: 1 << 24 }
    }

    #[test]
    fn a_planted_bug_is_found_made_small_and_written() {
        let read = |input: &[u8]| {
            let text = String::from_utf8_lossy(input);
            assert!(!text.contains("zebra"), "a zebra");
            text.len().to_string()
        };
        let found = fuzz(target(read), 1, 5000).unwrap_err();
        assert_eq!(found.input, b"zebra");
        assert_eq!(std::fs::read(&found.file).unwrap(), b"zebra");
        let line = found.to_string();
        assert!(line.contains("seed 1") && line.contains("a zebra at "), "{line}");
        std::fs::remove_file(&found.file).unwrap();
    }

    #[test]
    fn the_same_seed_gives_the_same_report_and_another_does_not() {
        let read = |input: &[u8]| input.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
        let report = |seed| fuzz(target(read), seed, 300).unwrap();
        assert_eq!(report(1), report(1));
        assert_ne!(report(1), report(2));
    }

    #[test]
    fn messages_are_of_one_kind_whatever_they_quote() {
        assert_eq!(kind_of("x:1:20: found `a1`, not \"b\""), kind_of("x:3:4: found `b`, not \"\""));
        assert_ne!(kind_of("found a"), kind_of("found b"));
    }
}
