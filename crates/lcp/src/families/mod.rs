//! Seeded families of problems: the same arguments give the same bits.
//!
//! | file | families |
//! |---|---|
//! | [`positive`] | P-matrices: definite, nonsymmetric, K, far from definite, badly scaled |
//! | [`semidefinite`] | half rank, with a strictly complementary or a degenerate solution |
//! | [`exponential`] | Murty's and Fathi's families, on which pivoting takes 2ⁿ − 1 steps |
//! | [`degenerate`] | assignment and cycling linear programs, circulants, ties, zero matrices |
//! | [`unsolvable`] | no solution, some of them feasible |
//! | [`several`] | many solutions: all ones, minus the identity, blocks [1 2; 2 1] |
//! | [`bounded`] | mixed and box LCPs with a planted solution |
//! | [`scenes`] | contact: piles of spheres, towers of boxes, walls of bricks |
//! | [`piles`] | the same in velocity space, by layers: pyramids, triangles, walls |
//! | [`catalogue`] | all of the above by name, small, with what is known of their solutions |

pub mod bounded;
pub mod catalogue;
mod contact;
pub mod degenerate;
pub mod exponential;
pub mod piles;
pub mod positive;
mod random;
pub mod scenes;
pub mod semidefinite;
pub mod several;
pub mod unsolvable;

pub use catalogue::{Family, Known, Specimen};
pub use contact::Scene;
pub use piles::PileSettings;
pub use random::Rng;
pub use scenes::{MassRatio, SceneSettings};

use crate::matrix::{MatX, Matrix};
use crate::problem::BoxLcp;

/// A problem made from a solution of it, `b = w − A z`.
#[derive(Clone, Debug, PartialEq)]
pub struct Planted {
    pub problem: BoxLcp,
    pub z: Vec<f64>,
}

/// An LCP of generated data.
fn lcp(A: impl Into<Matrix>, b: Vec<f64>) -> BoxLcp {
    BoxLcp::lcp(A, b).expect("a generator's data is finite and square")
}

/// The LCP that `z` solves with slack `w`.
fn plant(A: MatX, z: Vec<f64>, w: &[f64]) -> Planted {
    let b = right_side(&A, &z, w);
    Planted { problem: lcp(A, b), z }
}

/// `b = w − A z`.
fn right_side(A: &MatX, z: &[f64], w: &[f64]) -> Vec<f64> {
    let A_z = |i: usize| (0..z.len()).map(|j| A[(i, j)] * z[j]).sum::<f64>();
    (0..z.len()).map(|i| w[i] - A_z(i)).collect()
}

/// `z`, `w` ≥ 0 with disjoint supports and no row zero in both: entries in [0.1, 1).
fn strictly_complementary(n: usize, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let side = if rng.chance(0.5) { &mut z } else { &mut w };
        side[i] = rng.between(0.1, 1.0);
    }
    (z, w)
}

/// Entries uniform in (−1, 1).
fn random_matrix(rows: usize, columns: usize, rng: &mut Rng) -> MatX {
    MatX::from_fn(rows, columns, |_, _| rng.between(-1.0, 1.0))
}

/// `A_ij ← A_π(i)π(j)`.
fn permute(A: &MatX, order: &[usize]) -> MatX {
    MatX::from_fn(order.len(), order.len(), |i, j| A[(order[i], order[j])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;

    #[test]
    fn planted_solutions_are_solutions() {
        for seed in 0..20 {
            let n = 2 + seed as usize % 13;
            let planted = [
                ("pd", positive::definite(n, 1e4, seed)),
                ("nonsymmetric", positive::nonsymmetric(n, seed)),
                ("K", positive::k_matrix(n, seed)),
                ("far from definite", positive::far_from_definite(n, seed)),
                ("scaled", positive::badly_scaled(n, 1e8, seed)),
                ("half rank", semidefinite::half_rank(n, seed)),
                ("degenerate", semidefinite::degenerate(n, seed)),
                ("mixed", bounded::mixed(n, seed)),
                ("box", bounded::boxed(n, seed)),
            ];
            for (name, Planted { problem, z }) in planted {
                let residual = Judge::default().lcp(&problem, &z);
                assert!(residual.accepts(1e-14), "{name}, seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_seed_does_not() {
        for family in Family::ALL {
            let once = family.make(8, 3);
            assert_eq!(once, family.make(8, 3), "{}", family.name());
            if family.is_random() {
                assert_ne!(once, family.make(8, 4), "{}", family.name());
            }
        }
    }
}
