//! All solutions of a small (mixed, box) LCP, or the proof that there is none.
//!
//! # Statement
//!
//! Each row with a choice is in one of its modes: z at its lower bound, z at its upper bound, or
//! w = 0. With all modes chosen the problem is a polyhedron, mostly a point or empty. The solutions
//! are the union of these pieces.
//!
//! # Method
//!
//! A tree over the modes. A node whose inequalities are refuted by a Farkas vector
//! ([`crate::farkas`]) is cut off, and the vector is kept: if every branch ends so, the tree is the
//! proof. The row branched on is one of which a mode is refuted at once, else the one that the point
//! of the inequalities violates most. `w = 0` is explored first; its siblings then need look only for
//! solutions with w ≠ 0 there, which keeps a family of solutions from being found face by face.
//!
//! # Cost
//!
//! At worst 2ⁿ (3ⁿ for boxes) nodes of n³. P-matrices of 20 rows take some tens of nodes.
//!
//! # When it fails
//!
//! `complete` is false when a limit was met, or when a node could be neither refuted nor solved
//! within rounding. What was found stands nevertheless.
//!
//! Theory: `docs/theory/enumeration.md`.

mod piece;
mod search;

use crate::farkas::FarkasWorkspace;
use crate::judge::{Mode, ProofTree};
use crate::linalg::DenseLu;
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use search::Wanted;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnumerationSettings {
    /// Largest number of rows with a choice; free rows and fixed rows have none. Default 20.
    pub max_rows: usize,
    /// Nodes of the tree to look at. Default 200 000.
    pub max_nodes: usize,
    /// Pieces to collect. Default 4096.
    pub max_solutions: usize,
}

impl Default for EnumerationSettings {
    fn default() -> Self {
        Self { max_rows: 20, max_nodes: 200_000, max_solutions: 4096 }
    }
}

/// Memory of an enumeration.
#[derive(Clone, Debug, Default)]
pub struct EnumerationWorkspace {
    pub(crate) farkas: FarkasWorkspace,
    pub(crate) lu: DenseLu,
}

/// A convex set of solutions that share their modes.
#[derive(Clone, Debug, PartialEq)]
pub struct SolutionPiece {
    /// Of each row; `Any` where a row has no choice.
    pub modes: Vec<Mode>,
    /// A solution; of a family, one in its relative interior.
    pub z: Vec<f64>,
    /// 0 for a single point, else the dimension of the family.
    pub dimension: usize,
    /// Vertices of the family met on the way, not always all. Empty for a single point.
    pub vertices: Vec<Vec<f64>>,
    /// Directions in which the family has no end, as far as met.
    pub directions: Vec<Vec<f64>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// No piece lies within another.
    pub solutions: Vec<SolutionPiece>,
    /// Every branch was refuted or solved: there are no other solutions.
    pub complete: bool,
    /// When there is no solution: the refutations, for the judge.
    pub proof: Option<ProofTree>,
    /// Nodes looked at, and how many of them were refuted.
    pub nodes: usize,
    pub refuted: usize,
    /// Status and counts as of any solver.
    pub status: Status,
}

/// Rows with a choice of mode.
fn has_choice(problem: &BoxLcp, i: usize) -> bool {
    !problem.is_free(i) && problem.lower()[i] < problem.upper()[i]
}

/// All solutions.
pub fn enumerate(
    problem: &BoxLcp,
    settings: &EnumerationSettings,
    work: &mut EnumerationWorkspace,
    stop: Stop<'_>,
) -> Enumeration {
    run(problem, (settings, Wanted::All), work, stop)
}

fn run(
    problem: &BoxLcp,
    (settings, wanted): (&EnumerationSettings, Wanted),
    work: &mut EnumerationWorkspace,
    stop: Stop<'_>,
) -> Enumeration {
    let choices = (0..problem.n()).filter(|&i| has_choice(problem, i)).count();
    let mut result = Enumeration {
        solutions: Vec::new(),
        complete: false,
        proof: None,
        nodes: 0,
        refuted: 0,
        status: Status::NotApplicable(Unfit::TooLarge { limit: settings.max_rows }),
    };
    if choices <= settings.max_rows && problem.n() <= crate::farkas::MAX_ROWS {
        search::run(problem, (settings, wanted), work, stop, &mut result);
    }
    result
}

/// The first solution found: `z` and [`Status::Solved`]. Without one, [`Status::Stalled`] and, if
/// there is none at all, the proof; `z` is then the warm start, which is not read.
pub fn enumeration(
    problem: &BoxLcp,
    settings: &EnumerationSettings,
    work: &mut EnumerationWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> (Report, Option<ProofTree>) {
    assert_eq!(z.len(), problem.n(), "z has the wrong length");
    let result = run(problem, (settings, Wanted::First), work, stop);
    let status = match result.solutions.first() {
        Some(piece) => {
            z.copy_from_slice(&piece.z);
            Status::Solved
        }
        None => result.status,
    };
    (Report::new(status, result.nodes, result.nodes), result.proof)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{Family, Known, degenerate, several, unsolvable};
    use crate::judge::{Judge, Proof, check_proof};
    use crate::report::never;

    fn all(problem: &BoxLcp) -> Enumeration {
        let work = &mut EnumerationWorkspace::default();
        let result = enumerate(problem, &EnumerationSettings::default(), work, &never);
        for piece in &result.solutions {
            for z in std::iter::once(&piece.z).chain(&piece.vertices) {
                let residual = Judge::default().lcp(problem, z);
                assert!(residual.accepts(1e-10), "{residual:?}");
            }
        }
        result
    }

    #[test]
    fn known_numbers_of_solutions() {
        for n in 1..=8 {
            let result = all(&several::minus_identity(n));
            assert!(result.complete && result.solutions.len() == 1 << n, "−I, n = {n}");
        }
        for n in [2, 4, 6, 8] {
            let result = all(&several::blocks(n));
            assert!(result.complete && result.solutions.len() == 3usize.pow(n as u32 / 2));
        }
        assert_eq!(all(&unsolvable::painleve(-1.0, 2.0)).solutions.len(), 2);
    }

    #[test]
    fn a_family_is_one_piece() {
        for n in [2, 5, 20] {
            let result = all(&several::all_ones(n));
            assert!(result.complete && result.solutions.len() == 1, "n = {n}: {result:?}");
            let simplex = &result.solutions[0];
            assert_eq!((simplex.dimension, simplex.vertices.len()), (n - 1, n));
            assert!(simplex.directions.is_empty());
        }
        let orthant = all(&degenerate::zero_matrix(10));
        assert!(orthant.complete && orthant.solutions.len() == 1);
        assert_eq!(orthant.solutions[0].dimension, 5);
        assert_eq!(orthant.solutions[0].directions.len(), 5);
    }

    #[test]
    fn without_a_solution_there_is_a_proof() {
        let painleve = unsolvable::painleve(-1.0, -2.0);
        for seed in 0..30 {
            let n = 2 + seed as usize % 12;
            for problem in [
                painleve.clone(),
                unsolvable::wedge(seed),
                unsolvable::feasible(seed),
                unsolvable::feasible_hidden(n, seed),
                unsolvable::semidefinite(n, seed),
            ] {
                let result = all(&problem);
                assert!(result.complete && result.solutions.is_empty(), "n = {n}, seed {seed}");
                let proof = Proof::Exhausted(result.proof.unwrap());
                assert!(check_proof(&problem, &proof).is_some(), "n = {n}, seed {seed}");
            }
        }
    }

    #[test]
    fn unique_solutions_are_found_alone() {
        for family in Family::ALL {
            for seed in 0..12 {
                let n = if family == Family::MinusIdentity { 6 } else { 2 + seed as usize };
                let specimen = family.make(n, seed);
                let result = all(&specimen.problem);
                let place = || format!("{}, n = {n}, seed {seed}", family.name());
                assert!(result.complete, "{}: {} nodes", place(), result.nodes);
                match specimen.known {
                    Known::Unique(z) => {
                        assert_eq!(result.solutions.len(), 1, "{}", place());
                        let size = z.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                        let found = &result.solutions[0].z;
                        let far = (0..z.len()).any(|i| (z[i] - found[i]).abs() > 1e-7 * size);
                        assert!(!far, "{}", place());
                    }
                    Known::Solvable => assert!(!result.solutions.is_empty(), "{}", place()),
                    Known::Unsolvable => assert!(result.proof.is_some(), "{}", place()),
                }
            }
        }
    }

    #[test]
    fn limits_and_stop_are_respected() {
        let problem = several::minus_identity(10);
        let work = &mut EnumerationWorkspace::default();
        let defaults = EnumerationSettings::default();
        let few = EnumerationSettings { max_solutions: 3, ..defaults };
        let result = enumerate(&problem, &few, work, &never);
        assert!(!result.complete && result.solutions.len() == 3);
        let short = EnumerationSettings { max_nodes: 5, ..defaults };
        let result = enumerate(&problem, &short, work, &never);
        assert_eq!((result.complete, result.status), (false, Status::IterationLimit));
        let small = EnumerationSettings { max_rows: 9, ..defaults };
        let unfit = Status::NotApplicable(Unfit::TooLarge { limit: 9 });
        assert_eq!(enumerate(&problem, &small, work, &never).status, unfit);
        assert_eq!(enumerate(&problem, &defaults, work, &|| true).status, Status::Stopped);
        let mut z = vec![0.0; 10];
        let (report, proof) = enumeration(&problem, &defaults, work, &never, &mut z);
        assert_eq!((report.status, proof), (Status::Solved, None));
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-12));
    }
}
