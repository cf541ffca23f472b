//! A problem as a file that `stiction solve` reads: numbers to the last bit.

use serde_json::{Map, Value, json};
use stiction_lcp::{BoxLcp, FrictionProblem, Matrix};
use stiction_sim::contact::law::LawProblem;

use super::Kind;

/// The problem of a step, or why it has no form as a file.
pub(crate) fn problem(problem: &LawProblem, name: &str, note: &str) -> Result<String, String> {
    let mut object = match problem {
        LawProblem::Lcp(lcp) => linear(lcp),
        LawProblem::Friction(friction) => friction_cones(friction),
        LawProblem::Convex(_) => {
            return Err("the convex law has no kind of problem file of its own".to_string());
        }
    };
    object.insert("format".to_string(), json!("stiction-1"));
    object.insert("name".to_string(), json!(name));
    object.insert("note".to_string(), json!(note));
    Ok(format!("{}\n", Value::Object(object)))
}

fn linear(lcp: &BoxLcp) -> Map<String, Value> {
    let kind = match (lcp.is_lcp(), lcp.is_mixed()) {
        (true, _) => Kind::Lcp,
        (_, true) => Kind::Mlcp,
        _ => Kind::Box,
    };
    let mut object = Map::new();
    object.insert("kind".to_string(), json!(kind.name()));
    object.insert("M".to_string(), matrix(lcp.A()));
    object.insert("q".to_string(), json!(lcp.b()));
    if kind == Kind::Mlcp {
        let free: Vec<usize> = (0..lcp.n()).filter(|&i| lcp.is_free(i)).collect();
        object.insert("eq".to_string(), json!(free));
    }
    if kind == Kind::Box {
        object.insert("lower".to_string(), bounds(lcp.lower()));
        object.insert("upper".to_string(), bounds(lcp.upper()));
    }
    object
}

fn friction_cones(problem: &FrictionProblem) -> Map<String, Value> {
    let kind = if problem.dim() == 2 { Kind::Fc2d } else { Kind::Fc3d };
    let mut object = Map::new();
    object.insert("kind".to_string(), json!(kind.name()));
    object.insert("M".to_string(), matrix(problem.W()));
    object.insert("q".to_string(), json!(problem.q()));
    object.insert("mu".to_string(), json!(problem.mu()));
    object
}

/// `null` where there is no bound.
fn bounds(values: &[f64]) -> Value {
    let bound = |x: &f64| if x.is_finite() { json!(x) } else { Value::Null };
    values.iter().map(bound).collect()
}

fn matrix(A: &Matrix) -> Value {
    let (rows, columns) = (A.nrows(), A.ncols());
    let (mut p, mut i, mut x) = (vec![0], Vec::new(), Vec::new());
    for j in 0..columns {
        A.for_column(j, |row, value| {
            if value != 0.0 {
                i.push(row);
                x.push(value);
            }
        });
        p.push(i.len());
    }
    json!({"shape": [rows, columns], "csc": {"p": p, "i": i, "x": x}})
}
