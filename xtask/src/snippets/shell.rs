//! Commands of a page: which are run, which are only looked at.

use super::Known;

/// What becomes of a command.
#[derive(Debug, PartialEq)]
pub(super) enum Fate {
    /// A line for the shell.
    Run(String),
    /// Something that other stages run, or that changes the machine; it names things that exist.
    Known,
}

/// The commands of a block: a line each, or several that end in a backslash; without comments.
pub(super) fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(part) => open.push_str(part),
            None => {
                open.push_str(line);
                let command = without_comment(open.trim());
                if !command.is_empty() {
                    commands.push(command.to_string());
                }
                open.clear();
            }
        }
    }
    commands
}

/// Up to the first ` #` outside quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (k, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before == ' ' => return line[..k].trim_end(),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        before = c;
    }
    line
}

pub(super) fn fate(command: &str, known: &Known) -> Result<Fate, String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    if let Some(word) = words.iter().find(|word| is_placeholder(word)) {
        return Err(format!("`{word}` stands for something else: a snippet must run as it is"));
    }
    match words[..] {
        ["git", "clone", ..] | ["cd", "stiction"] | ["pip", "install", ..] => Ok(Fate::Known),
        ["cargo", "xtask", chore, ..] => {
            let exists = known.chores.iter().any(|name| name == chore);
            if exists { Ok(Fate::Known) } else { Err(format!("there is no `cargo xtask {chore}`")) }
        }
        ["cargo", "run", ref rest @ ..] => cargo_run(command, rest, known),
        ["cargo", "build" | "test" | "doc" | "bench" | "install", ref rest @ ..] => {
            packages_exist(rest, known)
        }
        ["cargo", ..] => Err(format!("`{command}` is not known here")),
        _ => Ok(Fate::Run(command.to_string())),
    }
}

/// `cargo run --release -- X` is `stiction X`; examples are run by a stage of their own.
fn cargo_run(command: &str, words: &[&str], known: &Known) -> Result<Fate, String> {
    let named = words.iter().position(|word| *word == "--example").and_then(|k| words.get(k + 1));
    if let Some(name) = named {
        let exists = known.examples.iter().any(|example| example == name);
        return if exists { Ok(Fate::Known) } else { Err(format!("there is no example `{name}`")) };
    }
    if words.first() != Some(&"--release") {
        return Err("without `--release` the program is slow".to_string());
    }
    match command.split_once(" -- ") {
        Some((_, rest)) => Ok(Fate::Run(format!("stiction {}", rest.trim_start()))),
        None => Err("expected ` -- ` and a command of the program".to_string()),
    }
}

fn packages_exist(words: &[&str], known: &Known) -> Result<Fate, String> {
    for pair in words.windows(2) {
        let package = pair[1];
        if ["-p", "--package"].contains(&pair[0]) && !known.packages.iter().any(|p| p == package) {
            return Err(format!("there is no package `{package}`"));
        }
    }
    Ok(Fate::Known)
}

/// A word in capitals, as FILE; names of items (R1) have digits.
fn is_placeholder(word: &str) -> bool {
    word.len() >= 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let list = |name: &str| vec![name.to_string()];
        Known { chores: list("test"), examples: list("four_bar"), packages: list("stiction-lcp") }
    }

    #[test]
    fn commands_are_lines_without_comments_and_go_on_after_a_backslash() {
        let text = "# a comment\nstiction run a.toml \\\n  --json    # why\n\necho 'a # b'\n";
        assert_eq!(commands(text), ["stiction run a.toml   --json", "echo 'a # b'"]);
    }

    #[test]
    fn the_program_is_run_by_its_name() {
        let fate = fate("cargo run --release -- solve a.json", &known());
        assert_eq!(fate, Ok(Fate::Run("stiction solve a.json".to_string())));
    }

    #[test]
    fn chores_examples_and_packages_must_exist() {
        for good in ["cargo xtask test", "cargo run -p stiction-sim --example four_bar"] {
            assert_eq!(fate(good, &known()), Ok(Fate::Known));
        }
        for bad in
            ["cargo xtask tset", "cargo run --example five_bar", "cargo test -p stiction-lpc"]
        {
            assert!(fate(bad, &known()).is_err(), "{bad}");
        }
    }

    #[test]
    fn placeholders_are_refused() {
        assert!(fate("stiction solve FILE", &known()).is_err());
        assert!(fate("NO_COLOR=1 stiction reproduce R1", &known()).is_ok());
    }
}
