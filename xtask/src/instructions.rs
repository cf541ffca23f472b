//! Instructions of fixed pieces of work, counted by callgrind and held against those that were kept: time on a shared
//! machine is noise, instructions are not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::stage::Failed;

/// Where the counts are kept.
const KEPT: &str = "benches/results/instructions.json";
/// A count may be larger than the one that was kept by this share.
const TOLERANCE: f64 = 0.05;

/// Counts every kernel; `update` keeps the counts instead of comparing them. Without valgrind it says so and passes.
pub(crate) fn gate(root: &Path, target: &Path, update: bool) -> Result<(), Failed> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions: skipped, valgrind is not installed");
        return Ok(());
    }
    let kernels = target.join("release/kernels");
    let compiler = said(Command::new("rustc").arg("--version"))?.trim().to_string();
    let mut counts = BTreeMap::new();
    for name in said(&mut Command::new(&kernels))?.lines() {
        // what starting and making the problem costs is in both
        let once = count(&kernels, name, 1)?;
        let twice = count(&kernels, name, 2)?;
        counts.insert(name.to_string(), twice.saturating_sub(once));
    }
    let path = root.join(KEPT);
    if update {
        let text = write(&compiler, &counts);
        return std::fs::write(&path, text).map_err(|error| Failed(format!("{KEPT}: {error}")));
    }
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| Failed(format!("{KEPT}: {error}; --update writes it")))?;
    let (kept_by, kept) = read(&text);
    let (table, worse) = compare(&counts, &kept);
    print!("{table}");
    if kept_by != compiler {
        println!("kept by {kept_by}, counted by {compiler}: not a comparison of the code alone");
        return Ok(());
    }
    if worse.is_empty() {
        return Ok(());
    }
    Err(Failed(format!(
        "more instructions than kept, by over {:.0} %: {}; `cargo xtask instructions --update` keeps the new counts",
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

fn count(kernels: &Path, name: &str, times: u64) -> Result<u64, Failed> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(kernels);
    command.args([name, &times.to_string()]);
    let output = command.output().map_err(|error| Failed(format!("valgrind: {error}")))?;
    let words = String::from_utf8_lossy(&output.stderr);
    let collected = words.lines().find_map(|line| line.split("Collected :").nth(1));
    let collected = collected.and_then(|number| number.trim().parse().ok());
    match collected {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(Failed(format!("{name}: {}", words.lines().last().unwrap_or_default()))),
    }
}

/// A line for each kernel, and those that grew too much. One that was not kept is new, not worse.
fn compare(counts: &BTreeMap<String, u64>, kept: &BTreeMap<String, u64>) -> (String, Vec<String>) {
    let (mut table, mut worse) = (String::new(), Vec::new());
    for (name, &count) in counts {
        let Some(&before) = kept.get(name) else {
            let _ = writeln!(table, "{count:>14}  {:>8}  {name}", "new");
            continue;
        };
        let change = count as f64 / before.max(1) as f64 - 1.0;
        let _ = writeln!(table, "{count:>14}  {:>+7.2}%  {name}", 100.0 * change);
        if !(count as f64 <= before as f64 * (1.0 + TOLERANCE)) {
            worse.push(name.clone());
        }
    }
    (table, worse)
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
        let (table, worse) = compare(&now, &kept);
        assert_eq!(worse, ["grows"]);
        assert!(table.contains("+5.10%") && table.contains("new"), "{table}");
    }
}
