//! Factorization of `I + B D C` (see `space.rs`), front by front (multifrontal, Duff and Reid 1983).
//!
//! A front gathers the cliques whose first node it eliminates and what its children left, eliminates its pivots densely, and
//! leaves the rest to its parent. Rows are exchanged within the pivots of a front alone: the identity keeps the matrix away from
//! singular where D is symmetric, and where it is not (slip) a front without a pivot is a failure that the caller hears of.

use super::dense::{eliminate, eliminate_symmetric, solve_lower, solve_transposed, solve_upper};
use super::fronts::{Fronts, Piece};
use super::space::Space;

/// 3 × 3, row by row.
pub(super) type Block = [f64; 9];

#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    pub(super) symbolic: Fronts,
    pub(super) is_symmetric: bool,
    /// The pivot columns of all fronts, L below the diagonal.
    pub(super) lower: Vec<f64>,
    /// The rows of U beyond the pivots, each of them in one piece; empty where the matrix is symmetric.
    pub(super) upper: Vec<f64>,
    pub(super) swaps: Vec<usize>,
    /// The front at hand, and what earlier ones left, the last on top.
    front: Vec<f64>,
    stack: Vec<f64>,
    part: Vec<f64>,
}

impl Factor {
    /// Prepares for the graph of this problem.
    pub(super) fn analyse(&mut self, problem: &impl Space) {
        self.symbolic.update(problem);
        let largest = self.symbolic.largest;
        self.front.resize((largest * largest).max(self.front.len()), 0.0);
        self.part.resize(largest.max(self.part.len()), 0.0);
    }

    /// Multiplications of a symmetric factorization of the graph analysed last.
    pub(super) fn cost(&self) -> f64 {
        let of =
            |pivots: f64, rows: f64| pivots * (pivots * pivots / 3.0 + pivots * rows + rows * rows);
        let fronts = self.symbolic.fronts.iter();
        fronts.map(|f| of(f.pivots as f64, (f.coordinates.len() - f.pivots) as f64)).sum()
    }

    /// Factors `I + B D C`. `is_symmetric`: all blocks are, and the matrix
    /// is positive definite. False if a front has no pivot left.
    pub(super) fn factor(&mut self, problem: &impl Space, D: &[Block], is_symmetric: bool) -> bool {
        self.is_symmetric = is_symmetric;
        self.lower.clear();
        self.upper.clear();
        self.swaps.clear();
        self.stack.clear();
        for f in 0..self.symbolic.fronts.len() {
            self.assemble(problem, D, f);
            let front = &self.symbolic.fronts[f];
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            let A = &mut self.front[..n * n];
            let first = self.swaps.len();
            self.swaps.resize(first + pivots, 0);
            let is_regular = if is_symmetric {
                eliminate_symmetric(A, n, pivots)
            } else {
                eliminate(A, n, pivots, &mut self.swaps[first..])
            };
            if !is_regular {
                return false;
            }
            self.lower.extend_from_slice(&A[..n * pivots]);
            if !is_symmetric {
                for k in 0..pivots {
                    self.upper.extend(A[pivots * n..].chunks_exact(n).map(|column| column[k]));
                }
            }
            for j in pivots..n {
                self.stack.extend_from_slice(&A[j * n + pivots..(j + 1) * n]);
            }
        }
        true
    }

    /// What the cliques of a front and its children add up to.
    fn assemble(&mut self, problem: &impl Space, D: &[Block], f: usize) {
        let front = &self.symbolic.fronts[f];
        let n = front.coordinates.len();
        let A = &mut self.front[..n * n];
        if self.is_symmetric {
            // the lower triangle is all that is read
            (0..n).for_each(|j| A[j * n + j..(j + 1) * n].fill(0.0));
        } else {
            A.fill(0.0);
        }
        (0..front.pivots).for_each(|k| A[k * n + k] = 1.0);
        for &c in &front.cliques {
            let at = &self.symbolic.place_start;
            problem.assemble(
                c,
                D,
                &self.symbolic.place[at[c]..at[c + 1]],
                (A, n, self.is_symmetric),
            );
        }
        // the children are on top of the stack, the last one uppermost: children come in postorder
        for &child in front.children.iter().rev() {
            let child = &self.symbolic.fronts[child];
            let rows = child.coordinates.len() - child.pivots;
            let from = self.stack.len() - rows * rows;
            add_child((A, n), (&self.stack[from..], rows), &child.in_parent, self.is_symmetric);
            self.stack.truncate(from);
        }
    }

    /// The sign of the determinant of a matrix that was not symmetric.
    pub(super) fn sign(&self) -> f64 {
        let (mut low, mut swap, mut is_negative) = (0, 0, false);
        for front in &self.symbolic.fronts {
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            for k in 0..pivots {
                is_negative ^= self.lower[low + k * n + k] < 0.0;
                is_negative ^= self.swaps[swap + k] != k;
            }
            (low, swap) = (low + n * pivots, swap + pivots);
        }
        if is_negative { -1.0 } else { 1.0 }
    }

    /// `x ← (I + B D C)⁻¹ x`.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let (mut low, mut swap) = (0, 0);
        for front in &self.symbolic.fronts {
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            let part = &mut self.part[..n];
            // a right side of few entries touches few fronts
            if front.coordinates[..pivots].iter().all(|&i| x[i] == 0.0) {
                (low, swap) = (low + n * pivots, swap + pivots);
                continue;
            }
            gather(&front.coordinates, x, part);
            if !self.is_symmetric {
                for k in 0..pivots {
                    part.swap(k, self.swaps[swap + k]);
                }
            }
            solve_lower(&self.lower[low..], n, pivots, part);
            scatter(&front.coordinates, part, x);
            (low, swap) = (low + n * pivots, swap + pivots);
        }
        let mut up = self.upper.len();
        for front in self.symbolic.fronts.iter().rev() {
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            let part = &mut self.part[..n];
            gather(&front.coordinates, x, part);
            low -= n * pivots;
            let lower = &self.lower[low..low + n * pivots];
            if self.is_symmetric {
                solve_transposed(lower, n, pivots, part);
            } else {
                up -= pivots * (n - pivots);
                let rows = &self.upper[up..up + pivots * (n - pivots)];
                solve_upper(lower, rows, (n, pivots), part);
            }
            scatter(&front.coordinates[..pivots], part, x);
        }
    }
}

/// Adds what a child left to its parent's front A of n rows: pieces of its rows, by pieces of its columns. Of a symmetric matrix
/// the lower triangles.
fn add_child(
    (A, n): (&mut [f64], usize),
    (left, rows): (&[f64], usize),
    pieces: &[Piece],
    is_symmetric: bool,
) {
    for (p, columns) in pieces.iter().enumerate() {
        let first = if is_symmetric { p } else { 0 };
        for j in 0..columns.count {
            let column = &left[(columns.row + j) * rows..(columns.row + j + 1) * rows];
            let at_j = columns.at + j;
            for piece in &pieces[first..] {
                // the diagonal piece begins at its diagonal
                let skip = if is_symmetric && piece.row == columns.row { j } else { 0 };
                let part = &column[piece.row + skip..piece.row + piece.count];
                let at = piece.at + skip;
                if is_symmetric && at < at_j {
                    // joined fronts may have turned the order of two pieces round
                    part.iter().enumerate().for_each(|(i, a)| A[(at + i) * n + at_j] += a);
                } else {
                    add(&mut A[at_j * n + at..at_j * n + at + part.len()], part);
                }
            }
        }
    }
}

/// `target += part`.
fn add(target: &mut [f64], part: &[f64]) {
    // most pieces are those of one planar body
    if let ([a, b, c], [d, e, f]) = (&mut *target, part) {
        (*a, *b, *c) = (*a + d, *b + e, *c + f);
        return;
    }
    target.iter_mut().zip(part).for_each(|(t, a)| *t += a);
}

fn gather(coordinates: &[usize], x: &[f64], part: &mut [f64]) {
    part.iter_mut().zip(coordinates).for_each(|(p, &i)| *p = x[i]);
}

fn scatter(coordinates: &[usize], part: &[f64], x: &mut [f64]) {
    coordinates.iter().zip(part).for_each(|(&i, p)| x[i] = *p);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatX;
    use crate::linalg::DenseLu;
    use crate::motion::MotionProblem;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    /// `I + H D Hᵀ` by its definition.
    fn dense(problem: &MotionProblem, D: &[Block]) -> Vec<Vec<f64>> {
        let n = problem.coordinates();
        let mut A = vec![vec![0.0; n]; n];
        (0..n).for_each(|i| A[i][i] = 1.0);
        for c in 0..problem.contacts() {
            let mut H = vec![[0.0; 3]; n];
            for (_, first, rows) in problem.spans(c) {
                H[first..first + rows.len()].copy_from_slice(rows);
            }
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                for (a, b) in (0..9).map(|k| (k / 3, k % 3)) {
                    A[i][j] += H[i][a] * D[c][3 * a + b] * H[j][b];
                }
            }
        }
        A
    }

    fn random_blocks(seed: u64, count: usize, is_symmetric: bool) -> Vec<Block> {
        let mut random = Random::new(seed);
        let mut block = || {
            let B: Block = std::array::from_fn(|_| random.next());
            if !is_symmetric {
                return B;
            }
            std::array::from_fn(|k| (0..3).map(|m| B[3 * (k / 3) + m] * B[3 * (k % 3) + m]).sum())
        };
        (0..count).map(|_| block()).collect()
    }

    #[test]
    fn solution_and_sign_are_those_of_the_dense_matrix() {
        let mut signs = [0; 2];
        for seed in 0..30 {
            let is_symmetric = seed % 2 == 0;
            let (nodes, contacts) = (4 + 2 * seed as usize, 3 + 4 * seed as usize);
            let problem = random_problem(seed, nodes, contacts);
            let mut D = random_blocks(seed, contacts, is_symmetric);
            D[1] = [0.0; 9];
            let A = dense(&problem, &D);
            let mut factor = Factor::default();
            factor.analyse(&problem);
            assert!(factor.factor(&problem, &D, is_symmetric));
            let n = problem.coordinates();
            if !is_symmetric {
                let det = MatX::from_fn(n, n, |i, j| A[i][j]).determinant();
                assert_eq!(factor.sign(), det.signum(), "{seed}");
                signs[usize::from(det > 0.0)] += 1;
            }
            let mut random = Random::new(seed + 99);
            let b = random.vector(n);
            let mut x = b.clone();
            factor.solve(&mut x);
            let mut lu = DenseLu::default();
            lu.reset(n);
            for j in 0..n {
                let column: Vec<f64> = (0..n).map(|i| A[i][j]).collect();
                lu.column_mut(j).copy_from_slice(&column);
            }
            lu.factor(0.0);
            let mut expected = b;
            lu.solve(&mut expected);
            let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (a, b) in x.iter().zip(&expected) {
                assert!((a - b).abs() <= 1e-8 * size, "{seed}: {a} {b}");
            }
        }
        assert!(signs[0] > 0 && signs[1] > 0, "{signs:?}");
    }

    #[test]
    fn the_analysis_is_kept_for_the_same_graph() {
        let problem = random_problem(5, 20, 60);
        let mut factor = Factor::default();
        factor.analyse(&problem);
        let before = factor.symbolic.fronts.as_ptr();
        factor.analyse(&problem.clone());
        assert_eq!(factor.symbolic.fronts.as_ptr(), before);
        factor.analyse(&random_problem(6, 20, 60));
        let D = random_blocks(1, 60, true);
        assert!(factor.factor(&random_problem(6, 20, 60), &D, true));
    }

    #[test]
    fn a_matrix_without_a_pivot_is_told() {
        let mut problem = MotionProblem::default();
        problem.clear(3, [1]);
        problem.push_span(0, [[1.0, 0.0, 0.0]]);
        problem.end_contact([0.0; 3], [0.0; 3], 0.0);
        let mut factor = Factor::default();
        factor.analyse(&problem);
        let mut D = [[0.0; 9]];
        D[0][0] = -1.0;
        assert!(!factor.factor(&problem, &D, true) && !factor.factor(&problem, &D, false));
        D[0][0] = f64::NAN;
        assert!(!factor.factor(&problem, &D, true) && !factor.factor(&problem, &D, false));
    }
}
