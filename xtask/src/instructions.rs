//! Instructions of fixed pieces of work, counted by callgrind and held against those that were kept: time on a shared
//! machine is noise, instructions are not.

mod callgrind;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::stage::Failed;

/// Where the counts are kept.
const KEPT: &str = "benches/results/instructions.json";
/// A count may be larger than the one that was kept by this share; one smaller by more is worth keeping.
const TOLERANCE: f64 = 0.05;

/// Counts every kernel; `update` keeps the counts instead of comparing them. Without valgrind it says so and passes.
pub(crate) fn gate(root: &Path, target: &Path, update: bool) -> Result<(), Failed> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions: skipped, valgrind is not installed");
        return Ok(());
    }
    let kernels = target.join("release/kernels");
    let compiler = said(Command::new("rustc").arg("--version"))?.trim().to_string();
    let out = target.join("kernels.callgrind");
    let mut counts = BTreeMap::new();
    for name in said(&mut Command::new(&kernels))?.lines() {
        // what starting and making the problem costs is in both
        let once = callgrind::count(&kernels, name, 1, &out)?;
        let twice = callgrind::count(&kernels, name, 2, &out)?;
        let Some(count) = twice.checked_sub(once).filter(|count| *count > 0) else {
            return Err(Failed(format!("{name}: {once} instructions once, {twice} twice")));
        };
        counts.insert(name.to_string(), count);
    }
    let path = root.join(KEPT);
    if update {
        let text = write(&compiler, &counts);
        return std::fs::write(&path, text).map_err(|error| Failed(format!("{KEPT}: {error}")));
    }
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| Failed(format!("{KEPT}: {error}; --update writes it")))?;
    let (kept_by, kept) = read(&text);
    let Compared { table, worse, better } = compare(&counts, &kept);
    print!("{table}");
    if kept_by != compiler {
        println!("kept by {kept_by}, counted by {compiler}: not a comparison of the code alone");
        return Ok(());
    }
    if !better.is_empty() {
        println!("fewer than kept, by over {:.0} %: {}", 100.0 * TOLERANCE, better.join(", "));
    }
    if worse.is_empty() {
        return Ok(());
    }
    Err(Failed(format!(
        "more instructions than kept, by over {:.0} %, or gone: {}; `cargo xtask instructions --update` keeps the new counts",
        100.0 * TOLERANCE,
        worse.join(", ")
    )))
}

fn said(command: &mut Command) -> Result<String, Failed> {
    let output = command.output().map_err(|error| Failed(format!("{command:?}: {error}")))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(Failed(format!("{command:?}: {}", words.lines().last().unwrap_or_default())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

struct Compared {
    /// A line for each kernel.
    table: String,
    /// Those that grew too much or are gone; those that shrank as much.
    worse: Vec<String>,
    better: Vec<String>,
}

/// One that was not kept is new, not worse.
fn compare(counts: &BTreeMap<String, u64>, kept: &BTreeMap<String, u64>) -> Compared {
    let (mut table, mut worse, mut better) = (String::new(), Vec::new(), Vec::new());
    for (name, &count) in counts {
        let Some(&before) = kept.get(name) else {
            let _ = writeln!(table, "{count:>14}  {:>8}  {name}", "new");
            continue;
        };
        let ratio = count as f64 / before as f64;
        let _ = writeln!(table, "{count:>14}  {:>+7.2}%  {name}", 100.0 * (ratio - 1.0));
        if !(ratio <= 1.0 + TOLERANCE) {
            worse.push(name.clone());
        } else if ratio < 1.0 - TOLERANCE {
            better.push(name.clone());
        }
    }
    for name in kept.keys().filter(|name| !counts.contains_key(*name)) {
        let _ = writeln!(table, "{:>14}  {:>8}  {name}", "", "gone");
        worse.push(name.clone());
    }
    Compared { table, worse, better }
}

fn write(compiler: &str, counts: &BTreeMap<String, u64>) -> String {
    let mut text = format!("{{\n  \"compiler\": \"{compiler}\"");
    for (name, count) in counts {
        let _ = write!(text, ",\n  \"{name}\": {count}");
    }
    text + "\n}\n"
}

/// The compiler and the counts, of what `write` wrote: a pair on each line.
fn read(text: &str) -> (String, BTreeMap<String, u64>) {
    let (mut compiler, mut counts) = (String::new(), BTreeMap::new());
    for line in text.lines() {
        let Some((name, value)) = line.trim().trim_end_matches(',').rsplit_once(": ") else {
            continue;
        };
        let name = name.trim_matches('"').to_string();
        match value.parse() {
            Ok(count) => {
                counts.insert(name, count);
            }
            Err(_) => compiler = value.trim_matches('"').to_string(),
        }
    }
    (compiler, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
        pairs.iter().map(|&(name, count)| (name.to_string(), count)).collect()
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let kept = counts(&[("solve, 2 disks", 12), ("step", 3_000_000_000)]);
        let text = write("rustc 1.90.0 (a b)", &kept);
        assert_eq!(read(&text), ("rustc 1.90.0 (a b)".to_string(), kept));
    }

    #[test]
    fn growth_beyond_the_tolerance_is_named_and_less_is_not() {
        let kept = counts(&[("grows", 1000), ("creeps", 1000), ("shrinks", 1000)]);
        let now = counts(&[("grows", 1051), ("creeps", 1050), ("shrinks", 10), ("new", 7)]);
        let Compared { table, worse, better } = compare(&now, &kept);
        assert_eq!((worse, better), (vec!["grows".to_string()], vec!["shrinks".to_string()]));
        assert!(table.contains("+5.10%") && table.contains("new"), "{table}");
    }

    #[test]
    fn a_kernel_that_is_gone_is_not_passed_over() {
        let Compared { worse, .. } = compare(&counts(&[]), &counts(&[("was", 1000)]));
        assert_eq!(worse, ["was"]);
    }

    #[test]
    fn a_kept_count_of_zero_lets_nothing_pass() {
        let Compared { worse, .. } = compare(&counts(&[("a", 7)]), &counts(&[("a", 0)]));
        assert_eq!(worse, ["a"]);
    }
}
