//! What the line of a fence says: the language, and how the block is to be run.

/// ```` ```sh exit=2 ````, ```` ```toml file=first.toml ````, ```` ```text output-of-previous ````.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Info {
    pub(super) language: String,
    /// The exit code that is expected.
    pub(super) exit: Option<i32>,
    /// The name that later commands of the page know the block by.
    pub(super) file: Option<String>,
    /// The earlier file of the page that the block goes on with.
    pub(super) add: Option<String>,
    /// The block shows what the commands before it print.
    pub(super) is_output: bool,
    /// The block is a problem that `stiction solve` reads.
    pub(super) is_problem: bool,
    /// Why the block is not run.
    pub(super) ignored: Option<String>,
}

impl Info {
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let (line, ignored) = match line.split_once("ignore:") {
            Some((line, reason)) => (line, Some(reason.trim().to_string())),
            None => (line, None),
        };
        if ignored.as_ref().is_some_and(String::is_empty) {
            return Err("`ignore:` without a reason".to_string());
        }
        let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
        let language = words.next().ok_or("a block without a language; plain text is `text`")?;
        let mut info = Self { language: language.to_string(), ignored, ..Self::default() };
        for word in words {
            info.take(word)?;
        }
        Ok(info)
    }

    fn take(&mut self, word: &str) -> Result<(), String> {
        let unknown = || format!("`{word}` says nothing for a block in `{}`", self.language);
        match (self.language.as_str(), word.split_once('=')) {
            ("sh" | "toml", Some(("exit", code))) => {
                self.exit = Some(code.parse().map_err(|_| format!("`{code}` is no exit code"))?);
            }
            ("toml" | "json" | "python", Some(("file", name))) => self.file = Some(plain(name)?),
            ("toml", Some(("add", name))) => self.add = Some(plain(name)?),
            ("text" | "console", None) if word == "output-of-previous" => self.is_output = true,
            ("json", None) if word == "solve" => self.is_problem = true,
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

/// A name without a folder.
fn plain(name: &str) -> Result<String, String> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
    is_plain.then(|| name.to_string()).ok_or_else(|| format!("`{name}` is not a plain file name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_attributes_are_read() {
        let info = Info::read("toml file=a.toml exit=2").unwrap();
        assert_eq!((info.language.as_str(), info.exit), ("toml", Some(2)));
        assert_eq!(info.file.as_deref(), Some("a.toml"));
        assert!(Info::read("text output-of-previous").unwrap().is_output);
    }

    #[test]
    fn a_block_says_its_language_and_nothing_unknown() {
        assert!(Info::read("").is_err());
        assert!(Info::read("sh exti=2").is_err());
        assert!(Info::read("toml file=../a.toml").is_err());
    }

    #[test]
    fn an_exemption_needs_a_reason() {
        assert!(Info::read("sh ignore:").is_err());
        let info = Info::read("sh ignore: needs a phone").unwrap();
        assert_eq!(info.ignored.as_deref(), Some("needs a phone"));
    }
}
