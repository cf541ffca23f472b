//! Results as JSON. A number that is not finite is `null`.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use stiction_lcp::judge::{Mode, Proof, ProofTree};

use crate::batch::{Outcome, Run};
use crate::solve::{Answer, Solved};

/// One result on one line.
pub(crate) fn object(solved: &Solved) -> String {
    line(&Object::of(solved))
}

/// All results of a folder, an array on one line.
pub(crate) fn array(runs: &[Run]) -> String {
    line(&runs.iter().map(Entry::of).collect::<Vec<_>>())
}

/// Any of these on one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    // these types have text keys only and no failing parts
    let mut text = serde_json::to_string(value).expect("plain data has a JSON form");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Object<'a> {
    status: &'static str,
    solver: &'static str,
    chain: &'a [&'static str],
    iterations: usize,
    residual: f64,
    floor: f64,
    time_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    u: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<ProofObject<'a>>,
}

impl<'a> Object<'a> {
    fn of(solved: &'a Solved) -> Self {
        let mut object = Self {
            status: solved.status.name(),
            solver: solved.solver,
            chain: &solved.chain,
            iterations: solved.iterations,
            residual: solved.residual,
            floor: solved.floor,
            time_s: solved.time.as_secs_f64(),
            z: None,
            r: None,
            u: None,
            proof: None,
        };
        match &solved.answer {
            Answer::Linear { z } => object.z = Some(z),
            Answer::Friction { r, u } => {
                object.r = Some(r);
                object.u = Some(u);
            }
            Answer::None { proof, refutation } => {
                object.proof = Some(ProofObject { proof, radius: refutation.radius });
            }
        }
        object
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    set: &'a str,
    name: &'a str,
    /// The solver that was asked; the object's `solver` is the one that answered.
    asked: &'static str,
    #[serde(flatten)]
    outcome: OutcomeObject<'a>,
}

impl<'a> Entry<'a> {
    fn of(run: &'a Run) -> Self {
        let outcome = match &run.outcome {
            Outcome::Solved { solved, .. } => OutcomeObject::Solved(Object::of(solved)),
            Outcome::Refused(reason) => OutcomeObject::Failed { status: "refused", reason },
            Outcome::Broken(reason) => OutcomeObject::Failed { status: "bad_input", reason },
        };
        Self { set: &run.set, name: &run.name, asked: run.asked, outcome }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum OutcomeObject<'a> {
    Solved(Object<'a>),
    Failed { status: &'static str, reason: &'a str },
}

/// `{"farkas": […], "radius": …}` or `{"tree": …, "radius": …}`.
struct ProofObject<'a> {
    proof: &'a Proof,
    /// Infinite: `null`.
    radius: f64,
}

/// `{"leaf": […]}` or `{"row": i, "children": [{"mode": …, "tree": …}]}`.
struct TreeObject<'a>(&'a ProofTree);

#[derive(Serialize)]
struct ChildObject<'a> {
    mode: &'static str,
    tree: TreeObject<'a>,
}

impl Serialize for ProofObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match self.proof {
            Proof::Farkas(y) => map.serialize_entry("farkas", y)?,
            Proof::Exhausted(tree) => map.serialize_entry("tree", &TreeObject(tree))?,
        }
        map.serialize_entry("radius", &self.radius)?;
        map.end()
    }
}

impl Serialize for TreeObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            ProofTree::Leaf(y) => map.serialize_entry("leaf", y)?,
            ProofTree::Branch { row, children } => {
                let children: Vec<ChildObject<'_>> = children
                    .iter()
                    .map(|(mode, tree)| ChildObject {
                        mode: mode_name(*mode),
                        tree: TreeObject(tree),
                    })
                    .collect();
                map.serialize_entry("row", row)?;
                map.serialize_entry("children", &children)?;
            }
        }
        map.end()
    }
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Any => "any",
        Mode::AtLower => "at_lower",
        Mode::AtUpper => "at_upper",
        Mode::Between => "between",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_have_one_of_two_forms() {
        let text = |proof: &Proof, radius| line(&ProofObject { proof, radius });
        let vector = text(&Proof::Farkas(vec![1.0, 0.5]), 2.5);
        assert_eq!(vector, "{\"farkas\":[1.0,0.5],\"radius\":2.5}\n");
        let tree = ProofTree::Branch {
            row: 1,
            children: vec![
                (Mode::AtLower, ProofTree::Leaf(vec![1.0])),
                (Mode::Between, ProofTree::Leaf(vec![-1.0])),
            ],
        };
        let text = text(&Proof::Exhausted(tree), f64::INFINITY);
        let expected = "{\"tree\":{\"row\":1,\"children\":[\
            {\"mode\":\"at_lower\",\"tree\":{\"leaf\":[1.0]}},\
            {\"mode\":\"between\",\"tree\":{\"leaf\":[-1.0]}}]},\"radius\":null}\n";
        assert_eq!(text, expected);
    }
}
