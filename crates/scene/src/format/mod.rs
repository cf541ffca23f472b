//! The format of scenes as data: which keys there are, what each may be, and what it is where it is not given.
//!
//! The checker, the JSON schema, the reference page and the defaults that `resolved` spells out all come from here.

mod bodies;
mod connections;
mod root;
mod run;
mod shapes;

pub use root::SCENE;

pub(crate) use run::MOST_STEPS;

/// A kind of table.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// With its article: "a body".
    pub name: &'static str,
    pub doc: &'static str,
    pub keys: &'static [Key],
    /// The key that chooses further keys.
    pub tag: Option<&'static Tag>,
    pub rules: &'static [Rule],
    /// The key that a bare value stands for.
    pub short: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    /// Empty: a pure number, or none.
    pub unit: &'static str,
    pub doc: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub enum Need {
    Required,
    Optional,
    /// As it would be written in TOML.
    Default(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Tag {
    pub key: &'static str,
    pub default: Option<&'static str>,
    pub doc: &'static str,
    pub variants: &'static [Variant],
}

#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub word: &'static str,
    pub doc: &'static str,
    pub keys: &'static [Key],
    pub rules: &'static [Rule],
}

/// What keys of one table have to do with each other.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    ExactlyOne(&'static [&'static str]),
    AtMostOne(&'static [&'static str]),
    /// The first is given only with the second.
    Needs(&'static str, &'static str),
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    Whole {
        least: i64,
        most: i64,
    },
    Number(Quantity, Range),
    Text,
    /// The name of a file, from the folder of the file that names it.
    File,
    Word(&'static [&'static str]),
    Reference(Names),
    List {
        of: &'static Kind,
        least: usize,
        most: usize,
    },
    /// A list; one value stands for a list of one.
    Listed(&'static Kind),
    Object(&'static Object),
    /// A table of names.
    Named(&'static Object),
    /// The first that has the type of the value.
    Either(&'static [Kind]),
}

/// How a number may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Plain,
    /// In rad, or a text with a unit: "30 deg".
    Angle,
    /// In rad/s, or a text with a unit: "30 deg/s".
    Rate,
    /// In m or rad; a text with a unit where it is an angle.
    Coordinate,
    /// In m/s or rad/s, likewise.
    CoordinateRate,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub least: f64,
    pub most: f64,
    /// Whether the bounds themselves are excluded.
    pub open: [bool; 2],
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    Body,
    BodyOrWorld,
    Joint,
    Material,
    Template,
}

pub(crate) const ANY: Range =
    Range { least: f64::NEG_INFINITY, most: f64::INFINITY, open: [true, true] };
pub(crate) const POSITIVE: Range = Range { least: 0.0, most: f64::INFINITY, open: [true, true] };
pub(crate) const NOT_NEGATIVE: Range =
    Range { least: 0.0, most: f64::INFINITY, open: [false, true] };
pub(crate) const UP_TO_INFINITY: Range =
    Range { least: 0.0, most: f64::INFINITY, open: [false, false] };
pub(crate) const INFINITE_TOO: Range =
    Range { least: f64::NEG_INFINITY, most: f64::INFINITY, open: [false, false] };
pub(crate) const SHARE: Range = Range { least: 0.0, most: 1.0, open: [false, false] };
pub(crate) const INNER_SHARE: Range = Range { least: 0.0, most: 1.0, open: [true, true] };
pub(crate) const POSITIVE_SHARE: Range = Range { least: 0.0, most: 1.0, open: [true, false] };

/// Lengths of shapes and places [m]: farther apart nothing can be told near each other any more.
pub(crate) const FAR: f64 = 1e12;
const SIZE_RANGE: Range = Range { least: 0.0, most: FAR, open: [true, false] };
const PLACE_RANGE: Range = Range { least: -FAR, most: FAR, open: [false, false] };

pub(crate) const SIZE: Kind = Kind::Number(Quantity::Plain, SIZE_RANGE);
pub(crate) const LENGTH: Kind = Kind::Number(Quantity::Plain, PLACE_RANGE);
pub(crate) const PLACE: Kind = Kind::List { of: &LENGTH, least: 3, most: 3 };
pub(crate) const NUMBER: Kind = Kind::Number(Quantity::Plain, ANY);
pub(crate) const ANGLE: Kind = Kind::Number(Quantity::Angle, ANY);
pub(crate) const RATE: Kind = Kind::Number(Quantity::Rate, ANY);
pub(crate) const COORDINATE: Kind = Kind::Number(Quantity::Coordinate, ANY);
pub(crate) const COORDINATE_RATE: Kind = Kind::Number(Quantity::CoordinateRate, ANY);
pub(crate) const LIMIT: Kind = Kind::Number(Quantity::Coordinate, INFINITE_TOO);
pub(crate) const POSITIVE_NUMBER: Kind = Kind::Number(Quantity::Plain, POSITIVE);
pub(crate) const NUMBER_NOT_NEGATIVE: Kind = Kind::Number(Quantity::Plain, NOT_NEGATIVE);
pub(crate) const NUMBER_OR_INFINITY: Kind = Kind::Number(Quantity::Plain, UP_TO_INFINITY);
pub(crate) const VECTOR: Kind = Kind::List { of: &NUMBER, least: 3, most: 3 };
pub(crate) const SIZES: Kind = Kind::List { of: &SIZE, least: 3, most: 3 };
pub(crate) const FACTORS: Kind = Kind::List { of: &POSITIVE_NUMBER, least: 3, most: 3 };
pub(crate) const RATES: Kind = Kind::List { of: &RATE, least: 3, most: 3 };
pub(crate) const ANGLES: Kind = Kind::List { of: &ANGLE, least: 3, most: 3 };
pub(crate) const POINTS: Kind = Kind::List { of: &PLACE, least: 1, most: usize::MAX };
pub(crate) const INDEX: Kind = Kind::Whole { least: 0, most: 2 };
pub(crate) const COUNT: Kind = Kind::Whole { least: 1, most: 1_000_000_000 };
pub(crate) const COUNTS: Kind = Kind::List { of: &COUNT, least: 3, most: 3 };

/// One row of a table of keys.
pub(crate) const fn key(
    name: &'static str,
    kind: Kind,
    need: Need,
    unit: &'static str,
    doc: &'static str,
) -> Key {
    Key { name, kind, need, unit, doc }
}

pub(crate) const fn variant(
    word: &'static str,
    keys: &'static [Key],
    doc: &'static str,
) -> Variant {
    Variant { word, doc, keys, rules: &[] }
}

/// A table that has keys and nothing else.
pub(crate) const fn object(name: &'static str, keys: &'static [Key], doc: &'static str) -> Object {
    Object { name, doc, keys, tag: None, rules: &[], short: None }
}

/// All kinds of tables, each once, those that are met first before the others.
pub fn objects() -> Vec<&'static Object> {
    let mut all: Vec<&'static Object> = vec![&SCENE];
    let mut i = 0;
    while i < all.len() {
        let variants = all[i].tag.map_or(&[][..], |tag| tag.variants);
        let own = variants.iter().flat_map(|variant| variant.keys);
        for key in all[i].keys.iter().chain(own) {
            key.kind.gather(&mut all);
        }
        i += 1;
    }
    all
}

impl Object {
    /// Without its article.
    pub fn plain_name(&self) -> &'static str {
        let article = ["a ", "an ", "the "].into_iter().find(|a| self.name.starts_with(a));
        &self.name[article.map_or(0, str::len)..]
    }

    /// The variant of this word, where there are variants.
    pub fn variant(&self, word: &str) -> Option<&'static Variant> {
        self.tag.and_then(|tag| tag.variants.iter().find(|variant| variant.word == word))
    }
}

impl Names {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::BodyOrWorld => "body",
            Self::Joint => "joint",
            Self::Material => "material",
            Self::Template => "template",
        }
    }
}

impl Range {
    /// False for NaN.
    pub(crate) fn holds(&self, x: f64) -> bool {
        let above = if self.open[0] { x > self.least } else { x >= self.least };
        let below = if self.open[1] { x < self.most } else { x <= self.most };
        above && below
    }

    /// " above 0", " from 0 to 1, or inf".
    pub(crate) fn describe(&self) -> String {
        let least = match (self.least, self.open[0]) {
            (f64::NEG_INFINITY, true) => String::new(),
            (f64::NEG_INFINITY, false) => ", or -inf or inf".to_string(),
            (least, true) => format!(" above {least}"),
            (least, false) => format!(" of at least {least}"),
        };
        let most = match (self.most, self.open[1]) {
            (f64::INFINITY, true) => String::new(),
            (f64::INFINITY, false) if self.least == f64::NEG_INFINITY => String::new(),
            (f64::INFINITY, false) => ", or inf".to_string(),
            (most, true) => format!(" and below {most}"),
            (most, false) => format!(" and at most {most}"),
        };
        least + &most
    }
}

impl Kind {
    /// Adds the tables that a value of this kind may be.
    fn gather(&self, all: &mut Vec<&'static Object>) {
        match self {
            Self::Object(object) | Self::Named(object)
                if !all.iter().any(|other| std::ptr::eq(*other, *object)) =>
            {
                all.push(object);
            }
            Self::List { of, .. } | Self::Listed(of) => of.gather(all),
            Self::Either(kinds) => kinds.iter().for_each(|kind| kind.gather(all)),
            _ => {}
        }
    }

    /// What a value must be, in words; the unit in brackets.
    pub(crate) fn describe(&self, unit: &str) -> String {
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        match self {
            Self::Bool => "true or false".to_string(),
            Self::Whole { least, most: 1_000_000_000.. } => {
                format!("a whole number of at least {least}{unit}")
            }
            Self::Whole { least, most } => format!("a whole number from {least} to {most}{unit}"),
            Self::Number(quantity, range) => {
                let what = match quantity {
                    Quantity::Plain => "a number",
                    Quantity::Angle => "an angle, a number in rad or a text like \"30 deg\",",
                    Quantity::Rate => {
                        "an angular velocity, a number in rad/s or a text like \"30 deg/s\","
                    }
                    Quantity::Coordinate => "a number or, for an angle, a text like \"30 deg\",",
                    Quantity::CoordinateRate => {
                        "a number or, for an angle, a text like \"30 deg/s\","
                    }
                };
                let text = format!("{what}{}", range.describe());
                text.trim_end_matches(',').to_string() + &unit
            }
            Self::Text => "a text".to_string(),
            Self::File => "the name of a file".to_string(),
            Self::Word(words) => format!("one of {}", quoted(words)),
            Self::Reference(names) => format!("the name of a {}", names.word()),
            Self::List { of, least, most } => {
                let each = of.describe("");
                let unit = &unit;
                match (least, most) {
                    (1, &usize::MAX) => format!("a list{unit}, each {each}"),
                    (0, &usize::MAX) => format!("a list{unit}, each {each}, or none"),
                    (least, most) if least == most => {
                        format!("a list of {least}{unit}, each {each}")
                    }
                    (least, most) => format!("a list of {least} to {most}{unit}, each {each}"),
                }
            }
            Self::Listed(of) => {
                let each = of.describe("");
                format!("{each}, or a list of these{unit}")
            }
            Self::Object(object) => format!("{} (a table)", object.name),
            Self::Named(object) => format!("a table of names, each {}", object.name),
            Self::Either(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(|kind| kind.describe("")).collect();
                kinds.join(", or ") + &unit
            }
        }
    }
}

/// `"a", "b", "c"`.
pub(crate) fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    words.join(", ")
}
