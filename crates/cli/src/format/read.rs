//! From a path to a [`ProblemFile`].

#[cfg(test)]
mod fuzz;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use stiction_lcp::{BoxLcp, FrictionProblem, GlobalFrictionProblem};

use super::error::{InputError, Problematic};
use super::fields::Fields;
use super::json::Json;
use super::matrix::{Shape, matrix};
use super::mixed::mixed;
use super::{Expected, Kind, LinearProblem, Problem, ProblemFile};
use crate::names;

/// Tags of this format: the project's own, and the one that collections in this form carry.
const FORMATS: [&str; 2] = ["stiction-1", "cplab-1"];

/// A larger file is not read: its numbers would not fit into memory.
const MAX_BYTES: u64 = 4 << 30;

/// Reads and checks a problem file.
pub(crate) fn read(path: &Path) -> Result<ProblemFile, InputError> {
    let bytes = bytes(path).map_err(|what| what.in_file(path))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&bytes, &stem).map_err(|what| what.in_file(path))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Problematic> {
    // asked before opening: a pipe waits there for a writer, and a device has no end
    let metadata = std::fs::metadata(path).map_err(Problematic::Unreadable)?;
    if !metadata.is_file() {
        return Err(Problematic::NotAFile);
    }
    let mut bytes = Vec::new();
    // some files are longer than they say
    if metadata.len() <= MAX_BYTES {
        let file = File::open(path).map_err(Problematic::Unreadable)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(Problematic::Unreadable)?;
    }
    if metadata.len().max(bytes.len() as u64) > MAX_BYTES {
        return Err(Problematic::TooLarge { limit: MAX_BYTES });
    }
    Ok(bytes)
}

fn parse(bytes: &[u8], stem: &str) -> Result<ProblemFile, Problematic> {
    let json = Json::parse(bytes)?;
    let file = Fields::of_file(&json)?;
    check_format(&file)?;
    let kind = kind(&file)?;
    let name = if file.has("name") { file.text("name")? } else { stem };
    let problem = match kind {
        Kind::Lcp | Kind::Mlcp | Kind::Box => Problem::Linear(linear(&file, kind)?),
        Kind::Fc2d => Problem::Friction(friction(&file, 2)?),
        Kind::Fc3d => Problem::Friction(friction(&file, 3)?),
        Kind::Gfc2d => Problem::Global(global_friction(&file, 2)?),
        Kind::Gfc3d => Problem::Global(global_friction(&file, 3)?),
        Kind::Rfc3d | Kind::Grfc3d => {
            return Err(Problematic::Unsupported { kind: kind.name() });
        }
    };
    // a name is printed: it must not move the cursor
    let name = name.chars().filter(|c| !c.is_control()).collect();
    Ok(ProblemFile { name, kind, problem, expected: expected(&file) })
}

fn check_format(file: &Fields<'_>) -> Result<(), Problematic> {
    if !file.has("format") || FORMATS.contains(&file.text("format")?) {
        return Ok(());
    }
    let expected = format!("{:?} or {:?}", FORMATS[0], FORMATS[1]);
    Err(Problematic::key("format", expected, format!("{:?}", file.text("format")?)))
}

fn kind(file: &Fields<'_>) -> Result<Kind, Problematic> {
    let text = file.text("kind")?;
    if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == text) {
        return Ok(kind);
    }
    let known: Vec<&str> =
        Kind::ALL.into_iter().filter(|kind| kind.is_supported()).map(Kind::name).collect();
    let found = Json::Text(text.to_string()).describe() + &names::suggestion(text, &known);
    Err(Problematic::key("kind", format!("one of {}", known.join(", ")), found))
}

fn linear(file: &Fields<'_>, kind: Kind) -> Result<LinearProblem, Problematic> {
    let q = file.numbers("q")?;
    let n = q.len();
    let shape = if kind == Kind::Mlcp { Shape::Tall(n) } else { Shape::Exactly(n, n) };
    let M = matrix(file, "M", &shape)?;
    let problem = match kind {
        Kind::Mlcp => return mixed(file, M, q),
        Kind::Box => {
            let lower = file.bounds("lower", n, f64::NEG_INFINITY)?;
            let upper = file.bounds("upper", n, f64::INFINITY)?;
            BoxLcp::new(M, q, lower, upper)?
        }
        _ => BoxLcp::lcp(M, q)?,
    };
    Ok(LinearProblem { problem, place: None })
}

/// Friction coefficients, and the rows of all contacts.
fn contacts(file: &Fields<'_>, dim: usize) -> Result<(Vec<f64>, usize), Problematic> {
    let mu = file.numbers("mu")?;
    file.check_stated("dimension", dim)?;
    file.check_stated("nc", mu.len())?;
    let rows = dim * mu.len();
    Ok((mu, rows))
}

fn friction(file: &Fields<'_>, dim: usize) -> Result<FrictionProblem, Problematic> {
    let (mu, rows) = contacts(file, dim)?;
    let q = file.numbers_of_length("q", rows, "one for each row of each contact in mu")?;
    let W = matrix(file, "M", &Shape::Exactly(rows, rows))?;
    Ok(FrictionProblem::new(dim, W, q, mu)?)
}

fn global_friction(file: &Fields<'_>, dim: usize) -> Result<GlobalFrictionProblem, Problematic> {
    let (mu, rows) = contacts(file, dim)?;
    let b = file.numbers_of_length("b", rows, "one for each row of each contact in mu")?;
    let q = file.numbers("q")?;
    let M = matrix(file, "Mass", &Shape::Exactly(q.len(), q.len()))?;
    let H = matrix(file, "H", &Shape::Exactly(q.len(), rows))?;
    Ok(GlobalFrictionProblem::new((dim, mu), M, H, q, b)?)
}

/// `facts.expected`, or a stored solution. Both are hints: what is not understood says nothing.
fn expected(file: &Fields<'_>) -> Expected {
    let said = match file.get("facts") {
        Some(Json::Object(facts)) => facts.get("expected"),
        _ => None,
    };
    match said {
        Some(Json::Text(text)) if text == "none" => Expected::None,
        Some(Json::Text(text)) if text == "some" => Expected::Solution,
        _ if file.has("solution") => Expected::Solution,
        _ => Expected::Unsaid,
    }
}
