//! Every fenced block of every page is run, by its language.
//!
//! | language | what is done |
//! |---|---|
//! | `sh` | run in a scratch folder with copies of `scenes` and `data`; `exit=N` if it is to fail |
//! | `toml` | a scene: `stiction check` accepts it; `file=NAME` names it, `add=NAME` goes on with it |
//! | `json` | parsed; with `solve` a problem for `stiction solve` |
//! | `rust` | a doc test of `crates/book`, which must include the page |
//! | `python` | compiled; run where its packages are installed |
//! | `text`, `console` | prose; with `output-of-previous` compared with what was printed |
//!
//! `ignore: reason` exempts a block.

mod info;
mod json;
mod output;
mod scratch;
mod shell;

use std::path::{Path, PathBuf};

use crate::examples;
use crate::markdown::{self, Block, Page};
use crate::stage::Failed;
use info::Info;
use scratch::{Ran, Scratch};
use shell::Fate;

/// The crate whose doc tests are the Rust of the pages.
const RUST_PAGES: &str = "crates/book/src/lib.rs";

/// Names that commands on the pages may use.
pub(crate) struct Known {
    pub(crate) chores: Vec<String>,
    pub(crate) examples: Vec<String>,
    pub(crate) packages: Vec<String>,
}

/// Blocks by what was done with them.
#[derive(Default)]
struct Count {
    run: usize,
    compared: usize,
    /// Commands that other stages run, or that no stage runs.
    known: usize,
    /// Python that lacks a package here.
    compiled: Vec<String>,
    doc_tests: usize,
    exempted: Vec<String>,
}

struct Runner<'a> {
    root: &'a Path,
    known: Known,
    /// The folder of the built program, and the one for scratch folders.
    programs: PathBuf,
    scratch: PathBuf,
    rust_pages: String,
    count: Count,
    complaints: Vec<String>,
}

/// Runs the blocks of all pages, or of those whose path contains `part`.
pub(crate) fn run(root: &Path, target: &Path, chores: &[&str], part: &str) -> Result<(), Failed> {
    let pages = markdown::pages(root)?;
    let mut runner = Runner::new(root, target, chores)?;
    let chosen = pages.iter().filter(|page| page.path.to_string_lossy().contains(part));
    for page in chosen {
        runner.page(page)?;
    }
    runner.end()
}

impl<'a> Runner<'a> {
    fn new(root: &'a Path, target: &Path, chores: &[&str]) -> Result<Self, Failed> {
        let examples = examples::of_workspace(root)?;
        let mut packages = vec!["stiction".to_string(), "xtask".to_string()];
        packages.extend(examples::packages(root)?);
        Ok(Self {
            root,
            known: Known {
                chores: chores.iter().map(ToString::to_string).collect(),
                examples,
                packages,
            },
            scratch: target.join("snippets"),
            programs: target.join("debug"),
            rust_pages: std::fs::read_to_string(root.join(RUST_PAGES)).unwrap_or_default(),
            count: Count::default(),
            complaints: Vec::new(),
        })
    }

    fn page(&mut self, page: &Page) -> Result<(), Failed> {
        if page.blocks.is_empty() {
            return Ok(());
        }
        let name = page.path.with_extension("").to_string_lossy().replace(['/', '\\'], "-");
        let scratch = Scratch::new(self.root, self.scratch.join(name), self.programs.clone())
            .map_err(|error| Failed(format!("{}: {error}", page.path.display())))?;
        let mut printed = None;
        for block in &page.blocks {
            if let Err(what) = self.block(page, block, &scratch, &mut printed) {
                self.complaints.push(format!("{}:{}: {what}", page.path.display(), block.line));
            }
        }
        Ok(())
    }

    /// Runs one block; `printed` is what the last commands of the page said.
    fn block(
        &mut self,
        page: &Page,
        block: &Block,
        scratch: &Scratch,
        printed: &mut Option<String>,
    ) -> Result<(), String> {
        let info = Info::read(&block.info)?;
        if let Some(reason) = info.ignored {
            let place = format!("{}:{}", page.path.display(), block.line);
            self.count.exempted.push(format!("{place}: {reason}"));
            return Ok(());
        }
        match info.language.as_str() {
            "sh" => *printed = self.shell(block, &info, scratch)?,
            "toml" => *printed = Some(self.scene(block, &info, scratch)?),
            "json" => self.json(block, &info, scratch)?,
            "python" => *printed = self.python(page, block, &info, scratch)?,
            "rust" => self.rust(page)?,
            "text" | "console" if info.is_output => {
                let printed = printed.as_ref().ok_or("nothing was run before")?;
                output::difference(&block.text, printed)?;
                self.count.compared += 1;
            }
            "text" | "console" => {}
            other => return Err(format!("blocks in `{other}` are not known here")),
        }
        Ok(())
    }

    /// What the commands printed; None where none of them is run.
    fn shell(
        &mut self,
        block: &Block,
        info: &Info,
        scratch: &Scratch,
    ) -> Result<Option<String>, String> {
        let mut script = Vec::new();
        for command in shell::commands(&block.text) {
            match shell::fate(&command, &self.known)? {
                Fate::Run(line) => script.push(line),
                Fate::Known => self.count.known += 1,
            }
        }
        if script.is_empty() {
            return Ok(None);
        }
        if info.exit.is_some() && script.len() > 1 {
            return Err("a block that is to fail holds one command".to_string());
        }
        let ran = scratch.shell(&script.join("\n")).map_err(|error| error.to_string())?;
        self.count.run += 1;
        ended(ran, info.exit.unwrap_or(0)).map(Some)
    }

    fn scene(&mut self, block: &Block, info: &Info, scratch: &Scratch) -> Result<String, String> {
        let own = format!("block-{}.toml", block.line);
        let name = info.add.as_ref().or(info.file.as_ref()).unwrap_or(&own);
        let mut text = String::new();
        if info.add.is_some() {
            text = scratch.read(name).map_err(|error| format!("{name}: {error}"))? + "\n";
        }
        text.push_str(&block.text);
        scratch.write(name, &text).map_err(|error| error.to_string())?;
        let ran = scratch.run("stiction", &["check", name]).map_err(|error| error.to_string())?;
        self.count.run += 1;
        ended(ran, info.exit.unwrap_or(0))
    }

    fn json(&mut self, block: &Block, info: &Info, scratch: &Scratch) -> Result<(), String> {
        json::check(&block.text)?;
        self.count.run += 1;
        let own = format!("block-{}.json", block.line);
        let name = info.file.as_ref().unwrap_or(&own);
        scratch.write(name, &block.text).map_err(|error| error.to_string())?;
        if info.is_problem {
            let ran = scratch.run("stiction", &["solve", name]).map_err(|e| e.to_string())?;
            ended(ran, 0)?;
        }
        Ok(())
    }

    fn python(
        &mut self,
        page: &Page,
        block: &Block,
        info: &Info,
        scratch: &Scratch,
    ) -> Result<Option<String>, String> {
        let own = format!("block_{}.py", block.line);
        let name = info.file.as_ref().unwrap_or(&own);
        scratch.write(name, &block.text).map_err(|error| error.to_string())?;
        let place = format!("{}:{}", page.path.display(), block.line);
        let Ok(ran) = scratch.run("python3", &["-m", "py_compile", name]) else {
            self.count.compiled.push(format!("{place}: there is no python3"));
            return Ok(None);
        };
        ended(ran, 0)?;
        for package in packages(&block.text) {
            let ran = scratch.run("python3", &["-c", &format!("import {package}")]);
            if !ran.is_ok_and(|ran| ran.code == 0) {
                self.count.compiled.push(format!("{place}: there is no package `{package}`"));
                return Ok(None);
            }
        }
        let ran = scratch.run("python3", &[name]).map_err(|error| error.to_string())?;
        self.count.run += 1;
        ended(ran, 0).map(Some)
    }

    fn rust(&mut self, page: &Page) -> Result<(), String> {
        let path = page.path.to_string_lossy();
        if !self.rust_pages.contains(&format!("/{path}\"")) {
            return Err(format!("{RUST_PAGES} does not include {path}"));
        }
        self.count.doc_tests += 1;
        Ok(())
    }

    fn end(self) -> Result<(), Failed> {
        let count = &self.count;
        println!(
            "{} blocks run, {} outputs compared, {} doc tests, {} commands only looked at, {} exempted",
            count.run,
            count.compared,
            count.doc_tests,
            count.known,
            count.exempted.len(),
        );
        for line in &count.compiled {
            println!("compiled, not run: {line}");
        }
        for line in &count.exempted {
            println!("exempted: {line}");
        }
        for line in &self.complaints {
            eprintln!("{line}");
        }
        match self.complaints.len() {
            0 => Ok(()),
            n => Err(Failed(format!("snippets: {n} failed"))),
        }
    }
}

/// What was printed, if the exit code is the expected one.
fn ended(ran: Ran, expected: i32) -> Result<String, String> {
    if ran.code == expected {
        return Ok(ran.text);
    }
    let said: Vec<&str> = ran.text.lines().rev().take(12).collect();
    let said: Vec<&str> = said.into_iter().rev().collect();
    Err(format!("exit code {}, expected {expected}\n    {}", ran.code, said.join("\n    ")))
}

/// The modules that Python imports at the beginning of a line.
fn packages(text: &str) -> Vec<&str> {
    let imports = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
        rest.split([' ', ',']).next()
    });
    imports.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_of_python_are_found() {
        let text = "import numpy as np\nfrom mcap.reader import make_reader\nx = 'import y'\n";
        assert_eq!(packages(text), ["numpy", "mcap.reader"]);
    }

    #[test]
    fn another_exit_code_than_the_expected_one_is_told_with_what_was_said() {
        let ran = |code| Ran { code, text: "no such file\n".to_string() };
        assert!(ended(ran(2), 2).is_ok());
        let line = ended(ran(2), 0).unwrap_err();
        assert!(line.contains("exit code 2, expected 0") && line.contains("no such file"));
    }
}
