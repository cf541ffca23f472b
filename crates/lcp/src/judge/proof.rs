//! Proofs that a problem has no solution, and their check.
//!
//! Every solution obeys linear inequalities: the bounds of z, and the sign of w wherever the row
//! leaves no choice. A *Farkas vector* y combines the signs of w to a contradiction:
//!
//! ```text
//!  0 ≤ yᵀ w = (Aᵀy)ᵀ z + bᵀy ≤ sup over the bounds of z  +  bᵀy  <  0
//! ```
//!
//! with `y_i ≥ 0` where `w_i ≥ 0` is certain, any sign where `w_i = 0` is, zero where nothing is
//! known of w_i. Where no such vector exists although no solution does, the choice of a row is
//! branched on (z at its lower bound, at its upper bound, or w = 0), and each leaf of the tree is
//! refuted by a Farkas vector of its own: the record of a complete enumeration.
//!
//! Theory: `docs/theory/judge.md`, `docs/theory/proofs.md`.

use super::exact::Sum;
use super::{OUT_OF_REACH, UNIT_ROUNDOFF};
use crate::problem::BoxLcp;

/// What is assumed of a row within a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing beyond the problem itself.
    Any,
    /// `z = lower`, so `w ≥ 0`.
    AtLower,
    /// `z = upper`, so `w ≤ 0`.
    AtUpper,
    /// `w = 0`.
    Between,
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// Not even the inequalities can be met.
    Farkas(Vec<f64>),
    /// All choices of the branched rows, each refuted.
    Exhausted(ProofTree),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProofTree {
    /// A Farkas vector under the modes chosen on the way to this leaf.
    Leaf(Vec<f64>),
    /// The modes of one row, each with its own subtree.
    Branch { row: usize, children: Vec<(Mode, ProofTree)> },
}

/// A proof that was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refutation {
    /// Farkas vectors checked.
    pub leaves: usize,
    /// No solution with `‖z‖₁` below this exists. Infinite when every sum came out exactly; finite
    /// where y had to be rounded, and then so large that f64 holds no such solution.
    pub radius: f64,
}

/// The contradiction must stand out of its terms by this much.
const MARGIN: f64 = 1e-9;
/// Products that fall below this lose digits; a proof must do without them.
const TINIEST: f64 = 1e-280;

/// Accepts a proof, or says nothing. NaN or infinity anywhere: not a proof.
pub fn check_proof(problem: &BoxLcp, proof: &Proof) -> Option<Refutation> {
    let mut modes = vec![Mode::Any; problem.n()];
    match proof {
        Proof::Farkas(y) => check_leaf(problem, &modes, y),
        Proof::Exhausted(tree) => check_tree(problem, &mut modes, tree),
    }
}

fn check_tree(problem: &BoxLcp, modes: &mut [Mode], tree: &ProofTree) -> Option<Refutation> {
    match tree {
        ProofTree::Leaf(y) => check_leaf(problem, modes, y),
        ProofTree::Branch { row, children } => {
            if *modes.get(*row)? != Mode::Any {
                return None; // a row is branched on once, so the depth is at most n
            }
            let mut whole = Refutation { leaves: 0, radius: f64::INFINITY };
            let has = |mode| children.iter().any(|(m, _)| *m == mode);
            let (lower, upper) = (problem.lower()[*row], problem.upper()[*row]);
            let complete = has(Mode::Between)
                && (lower.is_infinite() || has(Mode::AtLower))
                && (upper.is_infinite() || has(Mode::AtUpper));
            if !complete {
                return None;
            }
            for (mode, child) in children {
                modes[*row] = *mode;
                let part = check_tree(problem, modes, child);
                modes[*row] = Mode::Any;
                let part = part?;
                whole.leaves += part.leaves;
                whole.radius = whole.radius.min(part.radius);
            }
            Some(whole)
        }
    }
}

/// Bounds of z_i within a branch.
fn bounds(problem: &BoxLcp, mode: Mode, i: usize) -> (f64, f64) {
    let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
    match mode {
        Mode::AtLower => (lower, lower),
        Mode::AtUpper => (upper, upper),
        Mode::Any | Mode::Between => (lower, upper),
    }
}

/// The sign of `y_i` is one that what is certain of `w_i` allows.
fn sign_allowed(problem: &BoxLcp, mode: Mode, i: usize, y_i: f64) -> bool {
    let (bounded_below, bounded_above) =
        (problem.lower()[i].is_finite(), problem.upper()[i].is_finite());
    match mode {
        Mode::Between => true,
        Mode::AtLower => bounded_below && y_i >= 0.0,
        Mode::AtUpper => bounded_above && y_i <= 0.0,
        Mode::Any => match (bounded_below, bounded_above) {
            (false, false) => true,
            (true, false) => y_i >= 0.0,
            (false, true) => y_i <= 0.0,
            (true, true) => y_i == 0.0,
        },
    }
}

fn check_leaf(problem: &BoxLcp, modes: &[Mode], y: &[f64]) -> Option<Refutation> {
    let n = problem.n();
    if y.len() != n || !y.iter().all(|y_i| y_i.is_finite()) {
        return None;
    }
    if !(0..n).all(|i| y[i] == 0.0 || sign_allowed(problem, modes[i], i, y[i])) {
        return None;
    }
    // total = sup_z (Aᵀy)ᵀz + bᵀy; size = the same with absolute values
    let (mut total, mut size) = (0.0, 0.0);
    for i in 0..n {
        total += problem.b()[i] * y[i];
        size += (problem.b()[i] * y[i]).abs();
    }
    // of entries of Aᵀy that were taken for zero against an open bound: the largest, and the least
    // ratio of a column's size to it
    let (mut slope, mut column_ratio) = (0.0_f64, f64::INFINITY);
    for j in 0..n {
        let (mut sum, mut c_size, mut is_tame) = (Sum::default(), 0.0_f64, true);
        let mut column_size = 0.0;
        problem.A().for_column(j, |i, a_ij| {
            let term = (a_ij * y[i]).abs();
            sum.add_product(a_ij, y[i]);
            c_size += term;
            column_size += a_ij.abs();
            is_tame &= a_ij == 0.0 || y[i] == 0.0 || (TINIEST..f64::MAX).contains(&term);
        });
        let c_j = sum.value();
        if !(is_tame && c_j.is_finite() && c_size.is_finite()) {
            return None;
        }
        if c_j == 0.0 {
            continue;
        }
        let (lower, upper) = bounds(problem, modes[j], j);
        let at = if c_j > 0.0 { upper } else { lower };
        if at.is_finite() {
            total += c_j * at;
            size += (c_j * at).abs() + UNIT_ROUNDOFF * c_size * at.abs();
        } else if c_j.abs() <= (n + 2) as f64 * UNIT_ROUNDOFF * c_size {
            // y itself is rounded: its last bits move the sum by as much
            slope = slope.max(c_j.abs());
            column_ratio = column_ratio.min(column_size / c_j.abs());
        } else {
            return None;
        }
    }
    if !(total < -MARGIN * size) {
        return None; // also when something is NaN
    }
    if slope == 0.0 {
        return Some(Refutation { leaves: 1, radius: f64::INFINITY });
    }
    // a solution has Σ c_j z_j ≥ −total, so the largest row of |A||z| is at least this
    let terms = -total / n as f64 * column_ratio;
    let b_max = problem.b().iter().fold(1.0_f64, |m, b_i| m.max(b_i.abs()));
    let is_out_of_reach = UNIT_ROUNDOFF * terms > OUT_OF_REACH * b_max;
    is_out_of_reach.then_some(Refutation { leaves: 1, radius: -total / slope })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    fn lcp(n: usize, A: &[f64], b: &[f64]) -> BoxLcp {
        BoxLcp::lcp(MatX::from_row_slice(n, n, A), b.to_vec()).unwrap()
    }

    #[test]
    fn two_walls_closing_on_one_body_are_refuted() {
        // A = [1 −1; −1 1], both walls approach: y = (1, 1) gives Aᵀy = 0, bᵀy < 0
        let wedge = lcp(2, &[1., -1., -1., 1.], &[-1., -1.]);
        let proof = Proof::Farkas(vec![1., 1.]);
        let refutation = check_proof(&wedge, &proof).unwrap();
        assert_eq!((refutation.leaves, refutation.radius), (1, f64::INFINITY));
        for not_a_proof in [vec![1., 0.5], vec![-1., -1.], vec![f64::NAN, 1.], vec![1.]] {
            assert_eq!(check_proof(&wedge, &Proof::Farkas(not_a_proof)), None);
        }
    }

    #[test]
    fn a_solvable_problem_is_never_refuted() {
        // mass ratio 1e12: Aᵀy = (0, 1) is small beside its terms of 1e12, but it is not zero
        let stiff = lcp(2, &[1e12, -1e12, -1e12, 1e12 + 1.0], &[-1., -1.]);
        assert_eq!(check_proof(&stiff, &Proof::Farkas(vec![1., 1.])), None);
        let nearly = lcp(2, &[1., -1., -1., 1.0 + 2f64.powi(-40)], &[-1., -1.]);
        assert_eq!(check_proof(&nearly, &Proof::Farkas(vec![1., 1.])), None);
        // overflow, underflow, and a term that plain summation drops
        for (a, y) in [(1e300, 1e10), (1e-200, 1e-200), (1e-320, 1.0)] {
            assert_eq!(check_proof(&lcp(1, &[a], &[-1.]), &Proof::Farkas(vec![y])), None);
        }
        let tiny = 2f64.powi(-30);
        let A = MatX::from_row_slice(3, 3, &[1., -1., 0., 0., tiny, 0., -1., 1., 0.]);
        let free = BoxLcp::mixed(A, vec![-1., -1., 1.], &[0, 1, 2]).unwrap();
        assert_eq!(check_proof(&free, &Proof::Farkas(vec![1., 1., 1.])), None);
    }

    #[test]
    fn what_is_out_of_reach_is_neither_certified_nor_in_the_way_of_a_proof() {
        // the only solution has z = 2⁶⁰, where b is far below the last bit
        let tiny = 2f64.powi(-60);
        let A = MatX::from_row_slice(3, 3, &[1., -1., 0., 0., tiny, 0., -1., 1., 0.]);
        let free = BoxLcp::mixed(A, vec![-1., -1., 1.], &[0, 1, 2]).unwrap();
        let refutation = check_proof(&free, &Proof::Farkas(vec![1., 1., 1.])).unwrap();
        assert_eq!(refutation.radius, 2f64.powi(60));
        let far = [2f64.powi(60) + 1.0, 2f64.powi(60), 0.0];
        assert!(!super::super::Judge::default().lcp(&free, &far).accepts(1e-9));
    }

    #[test]
    fn a_feasible_problem_without_solution_needs_the_tree() {
        // w1 = z2 − 1 ≥ 0 forces z2 ≥ 1 > 0, so w2 = z1 + 1 must vanish: impossible. The
        // inequalities alone can be met (z = (0, 1)), so no Farkas vector exists.
        let problem = lcp(2, &[0., 1., 1., 0.], &[-1., 1.]);
        let tree = ProofTree::Branch {
            row: 1,
            children: vec![
                (Mode::AtLower, ProofTree::Leaf(vec![1., 0.])),
                (Mode::Between, ProofTree::Leaf(vec![0., -1.])),
            ],
        };
        let refutation = check_proof(&problem, &Proof::Exhausted(tree.clone())).unwrap();
        assert_eq!(refutation.leaves, 2);
        // leaving out a case is no proof
        let ProofTree::Branch { row, mut children } = tree else { unreachable!() };
        children.pop();
        let partial = ProofTree::Branch { row, children };
        assert_eq!(check_proof(&problem, &Proof::Exhausted(partial)), None);
        assert_eq!(check_proof(&problem, &Proof::Farkas(vec![1., 0.])), None);
    }

    #[test]
    fn bounds_of_a_box_enter_the_contradiction() {
        // z ∈ [0, 1], equation z2 free: 0 = z1 − 3 cannot hold
        let A = MatX::from_row_slice(2, 2, &[0., 0., 1., 0.]);
        let bounds = (vec![0., f64::NEG_INFINITY], vec![1., f64::INFINITY]);
        let problem = BoxLcp::new(A, vec![0., -3.], bounds.0, bounds.1).unwrap();
        assert!(check_proof(&problem, &Proof::Farkas(vec![0., 1.])).is_some());
        // y on a row with two bounds is not allowed: its w has either sign
        assert_eq!(check_proof(&problem, &Proof::Farkas(vec![1., 1.])), None);
    }

    fn leaf(y: &[f64]) -> ProofTree {
        ProofTree::Leaf(y.to_vec())
    }

    fn branch(row: usize, children: &[(Mode, ProofTree)]) -> ProofTree {
        ProofTree::Branch { row, children: children.to_vec() }
    }

    fn accepts(problem: &BoxLcp, tree: ProofTree) -> Option<Refutation> {
        check_proof(problem, &Proof::Exhausted(tree))
    }

    /// One row within these bounds, `w = b`.
    fn constant(b: f64, lower: f64, upper: f64) -> BoxLcp {
        BoxLcp::new(MatX::zeros(1, 1), vec![b], vec![lower], vec![upper]).unwrap()
    }

    #[test]
    fn signs_that_are_not_certain_prove_nothing() {
        let inf = f64::INFINITY;
        // solvable at the bound; y of the wrong sign would "refute" it
        for (problem, y) in [
            (constant(1., 0., inf), -1.0),
            (constant(-1., -inf, 0.), 1.0),
            (constant(1., 0., 1.), -1.),
        ] {
            assert_eq!(check_proof(&problem, &Proof::Farkas(vec![y])), None);
        }
        // a free row may be weighed either way: 0 = 1
        let impossible = constant(1., -inf, inf);
        assert!(check_proof(&impossible, &Proof::Farkas(vec![-1.0])).is_some());
    }

    #[test]
    fn a_tree_without_one_of_its_cases_is_no_proof() {
        use Mode::{AtLower, AtUpper, Between};
        // w = 1: solved at the lower bound, every other case is refuted
        let at_lower = constant(1., 0., 1.);
        let others = [(Between, leaf(&[-1.])), (AtUpper, leaf(&[-1.]))];
        assert_eq!(accepts(&at_lower, branch(0, &others)), None);
        // w = −1: solved at the upper bound
        let at_upper = constant(-1., 0., 1.);
        let others = [(Between, leaf(&[1.])), (AtLower, leaf(&[1.]))];
        assert_eq!(accepts(&at_upper, branch(0, &others)), None);
        // no vector of either sign refutes the case that solves it
        for y in [-1., 0., 1.] {
            let all =
                |solved| [(Between, leaf(&[-1.])), (AtUpper, leaf(&[-1.])), (solved, leaf(&[y]))];
            assert_eq!(accepts(&at_lower, branch(0, &all(AtLower))), None, "{y}");
            let all =
                |solved| [(Between, leaf(&[1.])), (AtLower, leaf(&[1.])), (solved, leaf(&[y]))];
            assert_eq!(accepts(&at_upper, branch(0, &all(AtUpper))), None, "{y}");
        }
    }

    #[test]
    fn all_three_cases_of_a_box_are_used() {
        use Mode::{AtLower, AtUpper, Between};
        // w₁ = 2 holds z₁ at 0, and the equation 0 = z₁ − 1/2 asks for another value
        let A = MatX::from_row_slice(2, 2, &[0., 0., 1., 0.]);
        let bounds = (vec![0., f64::NEG_INFINITY], vec![1., f64::INFINITY]);
        let problem = BoxLcp::new(A, vec![2., -0.5], bounds.0, bounds.1).unwrap();
        let cases =
            [(AtLower, leaf(&[0., 1.])), (Between, leaf(&[-1., 0.])), (AtUpper, leaf(&[0., -1.]))];
        assert_eq!(accepts(&problem, branch(0, &cases)).map(|r| r.leaves), Some(3));
        for k in 0..3 {
            let mut fewer = cases.to_vec();
            fewer.remove(k);
            assert_eq!(accepts(&problem, branch(0, &fewer)), None, "without case {k}");
        }
    }

    #[test]
    fn branches_may_be_nested_but_not_repeated() {
        use Mode::{AtLower, Between};
        let problem = lcp(2, &[0., 1., 1., 0.], &[-1., 1.]);
        let inner = branch(1, &[(AtLower, leaf(&[1., 0.])), (Between, leaf(&[0., -1.]))]);
        let nested = branch(0, &[(AtLower, inner.clone()), (Between, inner.clone())]);
        assert_eq!(accepts(&problem, nested).map(|r| r.leaves), Some(4));
        let repeated = branch(1, &[(AtLower, inner.clone()), (Between, inner.clone())]);
        assert_eq!(accepts(&problem, repeated), None);
        assert_eq!(
            accepts(&problem, branch(2, &[(AtLower, inner.clone()), (Between, inner)])),
            None
        );
    }

    #[test]
    fn rounding_bounds_the_radius_and_never_makes_a_contradiction() {
        // Aᵀy is 2⁻⁵² instead of 0: refuted up to ‖z‖ = 2 / 2⁻⁵²
        let A = [1., -1., -1., 1. + f64::EPSILON];
        let y = vec![1., 1.];
        let nearly = lcp(2, &A, &[-1., -1.]);
        let refutation = check_proof(&nearly, &Proof::Farkas(y.clone())).unwrap();
        assert_eq!(refutation.radius, 2.0 / f64::EPSILON);
        let cases = [(Mode::AtLower, leaf(&y)), (Mode::Between, leaf(&y))];
        let tree = accepts(&nearly, branch(0, &cases)).unwrap();
        assert_eq!((tree.leaves, tree.radius), (2, refutation.radius));
        // a slope of 1e−14 is no rounding of two terms
        let open = lcp(2, &[1., -1., -1., 1. + 1e-14], &[-1., -1.]);
        assert_eq!(check_proof(&open, &Proof::Farkas(y.clone())), None);
        // a contradiction of 1e−12 among terms of 1, or of nothing at all, is none
        for b in [[-1. - 1e-12, 1.], [-1., 1.], [0., 0.]] {
            let balanced = lcp(2, &[1., -1., -1., 1.], &b);
            assert_eq!(check_proof(&balanced, &Proof::Farkas(y.clone())), None, "{b:?}");
        }
        let wedge = lcp(2, &[1., -1., -1., 1.], &[-1., -1.]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
            assert_eq!(check_proof(&wedge, &Proof::Farkas(vec![bad, 1.])), None, "{bad}");
        }
    }

    #[test]
    fn large_bounds_do_not_hide_in_the_margin() {
        // 0 = z₁ − z₂ − 1e−4 with z₁ ≤ 1e6 ≤ z₂: the gap drowns in the bounds it is taken from
        let A = MatX::from_row_slice(3, 3, &[0., 0., 0., 0., 0., 0., 1., -1., 0.]);
        let inf = f64::INFINITY;
        let (lower, upper) = (vec![0., 1e6, -inf], vec![1e6, 2e6, inf]);
        let problem = |gap: f64| {
            let b = vec![0., 0., -gap];
            BoxLcp::new(A.clone(), b, lower.clone(), upper.clone()).unwrap()
        };
        let proof = Proof::Farkas(vec![0., 0., 1.]);
        assert_eq!(check_proof(&problem(1e-4), &proof), None);
        assert!(check_proof(&problem(1.0), &proof).is_some());
    }

    #[test]
    fn a_sum_that_overflows_proves_nothing() {
        // −∞ + ∞
        let problem = lcp(2, &[0.; 4], &[-1e10, 1e10]);
        assert_eq!(check_proof(&problem, &Proof::Farkas(vec![1e308, 1e308])), None);
    }
}
