//! Problem files as in `docs/format.md`, as far as the corpora need them: linear, mixed and square, friction local and global.
//!
//! For timing alone: `stiction solve` is who reads files with care.

use std::path::Path;

use serde_json::Value;
use stiction_lcp::{
    BoxLcp, Csc, FrictionProblem, FrictionSolver, GlobalFrictionProblem, LcpSolver, Link, Verdict,
    solve_friction, solve_global_friction, solve_lcp,
};

#[derive(Debug)]
pub enum Problem {
    Linear(BoxLcp),
    Local(FrictionProblem),
    Global(GlobalFrictionProblem),
}

/// What is known of a solve.
#[derive(Debug)]
pub struct Solved {
    pub status: &'static str,
    pub residual: f64,
    pub chain: Vec<&'static str>,
}

impl Problem {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let file: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Self::of(&file)
    }

    fn of(file: &Value) -> Result<Self, String> {
        let kind = file["kind"].as_str().unwrap_or_default();
        let dim = if kind.ends_with("2d") { 2 } else { 3 };
        let said = |error: stiction_lcp::ProblemError| error.to_string();
        let q = || numbers(&file["q"]);
        Ok(match kind {
            "lcp" => Self::Linear(BoxLcp::lcp(matrix(&file["M"])?, q()?).map_err(said)?),
            "mlcp" => {
                let free: Vec<usize> = places(&file["eq"])?;
                Self::Linear(BoxLcp::mixed(matrix(&file["M"])?, q()?, &free).map_err(said)?)
            }
            "fc2d" | "fc3d" => {
                let mu = numbers(&file["mu"])?;
                Self::Local(FrictionProblem::new(dim, matrix(&file["M"])?, q()?, mu).map_err(said)?)
            }
            "gfc2d" | "gfc3d" => {
                let (mass, H) = (matrix(&file["Mass"])?, matrix(&file["H"])?);
                let (mu, b) = (numbers(&file["mu"])?, numbers(&file["b"])?);
                let problem = GlobalFrictionProblem::new((dim, mu), mass, H, q()?, b);
                Self::Global(problem.map_err(said)?)
            }
            _ => return Err(format!("no kind {kind:?} here")),
        })
    }

    /// By `auto`.
    pub fn solve(&self, tol: f64, stop: &dyn Fn() -> bool) -> Result<Solved, String> {
        let (verdict, residual, chain) = match self {
            Self::Linear(problem) => {
                let answer = solve_lcp(problem, LcpSolver::Auto, tol, stop);
                (answer.verdict, answer.residual.scaled, answer.chain)
            }
            Self::Local(problem) => {
                let answer = solve_friction(problem, FrictionSolver::Auto, tol, stop);
                (answer.verdict, answer.residual.scaled, answer.chain)
            }
            Self::Global(problem) => {
                let answer = solve_global_friction(problem, FrictionSolver::Auto, tol, stop)
                    .map_err(|error| error.to_string())?;
                (answer.verdict, answer.residual.scaled, answer.chain)
            }
        };
        let status = match verdict {
            Verdict::Certified => "certified",
            Verdict::NoSolution(_) => "no_solution",
            Verdict::Uncertified => "uncertified",
        };
        let chain = chain.iter().map(|link: &Link| link.solver).collect();
        Ok(Solved { status, residual, chain })
    }
}

fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    let list = value.as_array().ok_or("a list is missing")?;
    list.iter().map(|x| x.as_f64().ok_or_else(|| format!("no number: {x}"))).collect()
}

fn places(value: &Value) -> Result<Vec<usize>, String> {
    let whole = |x: &Value| x.as_u64().map(|i| i as usize).ok_or_else(|| format!("no index: {x}"));
    value.as_array().map_or(Ok(Vec::new()), |list| list.iter().map(whole).collect())
}

/// As it is stored, dense or by columns.
fn matrix(value: &Value) -> Result<stiction_lcp::Matrix, String> {
    let shape = places(&value["shape"])?;
    let &[rows, columns] = &shape[..] else { return Err("a shape has two numbers".to_string()) };
    if let Some(csc) = value.get("csc") {
        let (p, i, x) = (places(&csc["p"])?, places(&csc["i"])?, numbers(&csc["x"])?);
        return Csc::new((rows, columns), &p, &i, &x).map(Into::into).map_err(|e| e.to_string());
    }
    let dense = numbers(&value["dense"])?;
    if dense.len() != rows * columns {
        return Err("a dense matrix has another size than its shape".to_string());
    }
    Ok(stiction_lcp::MatX::from_row_slice(rows, columns, &dense).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_and_solved() {
        let W = r#"{"shape": [3, 3], "csc": {"p": [0, 1, 2, 3], "i": [0, 1, 2], "x": [1, 1, 1]}}"#;
        let files = [
            r#"{"kind": "lcp", "M": {"shape": [2, 2], "dense": [2, 1, 1, 2]}, "q": [-1, 3]}"#,
            r#"{"kind": "mlcp", "M": {"shape": [2, 2], "dense": [2, 1, 1, 2]}, "q": [1, 3], "eq": [0]}"#,
            &format!(r#"{{"kind": "fc3d", "M": {W}, "q": [-1, 0.2, 0], "mu": [0.5]}}"#),
            &format!(
                r#"{{"kind": "gfc3d", "Mass": {W}, "H": {W}, "q": [-1, 0.2, 0], "b": [0, 0, 0], "mu": [0.5]}}"#
            ),
        ];
        for text in files {
            let problem = Problem::of(&serde_json::from_str(text).unwrap()).unwrap();
            let solved = problem.solve(1e-10, &|| false).unwrap();
            assert_eq!(solved.status, "certified", "{text}");
        }
    }
}
