//! Counting by callgrind, and reading what it writes.
//!
//! Of all instructions those in the program itself count. What the loader and the C library do (start, memory, copies)
//! depends on the machine: the C library picks its copies by the model of the processor.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::stage::Failed;

/// Instructions of the program in `kernels NAME TIMES`; `out` is written by callgrind.
pub(super) fn count(kernels: &Path, name: &str, times: u64, out: &Path) -> Result<u64, Failed> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--dump-line=no"]);
    command.arg(format!("--callgrind-out-file={}", out.display())).arg(kernels);
    command.args([name, &times.to_string()]);
    let output = command.output().map_err(|error| Failed(format!("valgrind: {error}")))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let last = words.lines().last().unwrap_or_default();
        return Err(Failed(format!("{name}: {last}")));
    }
    let text = std::fs::read_to_string(out);
    let text = text.map_err(|error| Failed(format!("{}: {error}", out.display())))?;
    let counts = by_object(&text);
    let own = counts.get(kernels.to_string_lossy().as_ref()).copied().unwrap_or(0);
    if own == 0 {
        return Err(Failed(format!("{name}: nothing was counted in {}", kernels.display())));
    }
    Ok(own)
}

/// Instructions by the file whose code they are. Names are written once, `(3) name`, and then as `(3)`.
fn by_object(text: &str) -> BTreeMap<String, u64> {
    let mut names = BTreeMap::new();
    let mut counts = BTreeMap::new();
    let mut object = String::new();
    let mut is_of_call = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("ob=") {
            object = resolve(&mut names, name);
        } else if let Some(name) = line.strip_prefix("cob=") {
            // the file of what is called; its instructions are listed there
            resolve(&mut names, name);
        } else if line.starts_with("calls=") {
            is_of_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            // the line that follows `calls=` counts what was called once more
            if !std::mem::take(&mut is_of_call) {
                let cost = line.split_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
                *counts.entry(object.clone()).or_insert(0) += cost.unwrap_or(0);
            }
        }
    }
    counts
}

fn resolve(names: &mut BTreeMap<String, String>, text: &str) -> String {
    match text.split_once(' ') {
        Some((id, name)) => {
            names.insert(id.to_string(), name.to_string());
            name.to_string()
        }
        None => names.get(text).cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_counts_once_and_in_its_own_file() {
        let text = "\
version: 1
positions: line
events: Ir

ob=(1) /bin/kernels
fl=(1) a.rs
fn=(1) main
0 5
cob=(2) /lib/libc.so.6
cfn=(2) memcpy
calls=3 0
0 300
cfn=(3) solve
calls=1 0
* 40
+3 2

ob=(2)
fn=(2)
0 300

ob=(1)
fn=(3)
0 40
";
        let counts = by_object(text);
        let expected = [("/bin/kernels", 47), ("/lib/libc.so.6", 300)];
        assert_eq!(counts, expected.map(|(name, count)| (name.to_string(), count)).into());
    }
}
