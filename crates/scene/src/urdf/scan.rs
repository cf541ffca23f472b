//! A look at a text before it is parsed: depth, counts, document types. One pass, no recursion, no allocation.
//!
//! The parser compares each attribute of an element with all others and copies namespaces from element to element:
//! without bounds a small file could cost hours.

/// What a file may have at most.
const DEPTH: usize = 64;
const THINGS: usize = 500_000;
const ATTRIBUTES_OF_ONE: usize = 128;
const NAMESPACES: usize = 64;

/// Why a text is not parsed.
pub(crate) struct Refusal {
    /// Byte.
    pub(crate) at: usize,
    pub(crate) expected: String,
    pub(crate) found: String,
}

fn more(at: usize, expected: String) -> Refusal {
    Refusal { at, expected, found: "more".to_string() }
}

/// Refuses texts of more than `bytes` bytes, and those that would cost too much.
pub(crate) fn check(text: &str, bytes: usize) -> Result<(), Refusal> {
    if text.len() > bytes {
        let (expected, found) = (format!("at most {bytes} bytes"), text.len().to_string());
        return Err(Refusal { at: 0, expected, found });
    }
    let namespaces = text.match_indices("xmlns");
    if let Some((at, _)) = namespaces.into_iter().nth(NAMESPACES) {
        return Err(more(at, format!("at most {NAMESPACES} declarations of namespaces")));
    }
    Scan { text, at: 0, depth: 0, things: 0 }.run()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Elements and attributes.
    things: usize,
}

impl Scan<'_> {
    fn run(mut self) -> Result<(), Refusal> {
        while let Some(offset) = self.text[self.at..].find('<') {
            self.at += offset;
            let rest = &self.text[self.at..];
            if rest.starts_with("<!--") {
                self.skip_past("-->");
            } else if rest.starts_with("<![CDATA[") {
                self.skip_past("]]>");
            } else if rest.starts_with("<?") {
                self.skip_past("?>");
            } else if rest.starts_with("<!") {
                let expected = "no document type, as entities are not expanded".to_string();
                return Err(Refusal { at: self.at, expected, found: "one".to_string() });
            } else {
                self.tag()?;
            }
        }
        Ok(())
    }

    /// To the end of the text where the mark is missing: the parser will say so.
    fn skip_past(&mut self, mark: &str) {
        let rest = &self.text[self.at..];
        self.at += rest.find(mark).map_or(rest.len(), |i| i + mark.len());
    }

    fn count(&mut self, at: usize) -> Result<(), Refusal> {
        self.things += 1;
        if self.things > THINGS {
            return Err(more(at, format!("at most {THINGS} elements and attributes")));
        }
        Ok(())
    }

    /// From `<` to behind `>`.
    fn tag(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let (mut quote, mut attributes) = (None, 0);
        self.at += 1;
        while self.at < bytes.len() {
            let byte = bytes[self.at];
            match (quote, byte) {
                (Some(mark), _) if byte == mark => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => {
                    attributes += 1;
                    self.count(self.at)?;
                    if attributes > ATTRIBUTES_OF_ONE {
                        return Err(more(start, format!("at most {ATTRIBUTES_OF_ONE} attributes")));
                    }
                }
                (None, b'>') => break,
                (None, _) => {}
            }
            self.at += 1;
        }
        if bytes.get(start + 1) == Some(&b'/') {
            self.depth = self.depth.saturating_sub(1);
        } else if bytes[self.at - 1] != b'/' {
            self.depth += 1;
        }
        if self.depth > DEPTH {
            return Err(more(start, format!("elements at most {DEPTH} deep")));
        }
        self.count(start)
    }
}
