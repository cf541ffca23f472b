//! Every family by name, small, with what is known of its solutions.

use super::scenes::{self, Interface, SceneSettings};
use super::{Rng, bounded, degenerate, exponential, positive, semidefinite, several, unsolvable};
use crate::problem::BoxLcp;

/// What a generator knows of the solutions.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Exactly one, this one.
    Unique(Vec<f64>),
    /// At least one.
    Solvable,
    /// None.
    Unsolvable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Specimen {
    pub problem: BoxLcp,
    pub known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Definite,
    Nonsymmetric,
    KMatrix,
    FarFromDefinite,
    BadlyScaled,
    HalfRank,
    DegenerateSemidefinite,
    MurtyLower,
    MurtyUpper,
    Fathi,
    Assignment,
    CyclingProgram,
    DegenerateProgram,
    Circulant,
    Ties,
    ZeroMatrix,
    Wedge,
    UnboundedProgram,
    UnsolvableSemidefinite,
    FeasibleUnsolvable,
    AllOnes,
    MinusIdentity,
    Blocks,
    Mixed,
    Boxed,
    PyramidShaken,
    PyramidAtRest,
}

impl Family {
    pub const ALL: [Self; 27] = [
        Self::Definite,
        Self::Nonsymmetric,
        Self::KMatrix,
        Self::FarFromDefinite,
        Self::BadlyScaled,
        Self::HalfRank,
        Self::DegenerateSemidefinite,
        Self::MurtyLower,
        Self::MurtyUpper,
        Self::Fathi,
        Self::Assignment,
        Self::CyclingProgram,
        Self::DegenerateProgram,
        Self::Circulant,
        Self::Ties,
        Self::ZeroMatrix,
        Self::Wedge,
        Self::UnboundedProgram,
        Self::UnsolvableSemidefinite,
        Self::FeasibleUnsolvable,
        Self::AllOnes,
        Self::MinusIdentity,
        Self::Blocks,
        Self::Mixed,
        Self::Boxed,
        Self::PyramidShaken,
        Self::PyramidAtRest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Definite => "positive definite",
            Self::Nonsymmetric => "positive definite, not symmetric",
            Self::KMatrix => "K-matrix",
            Self::FarFromDefinite => "P, far from definite",
            Self::BadlyScaled => "positive definite, badly scaled",
            Self::HalfRank => "semidefinite of half rank",
            Self::DegenerateSemidefinite => "semidefinite, degenerate solution",
            Self::MurtyLower => "Murty, lower",
            Self::MurtyUpper => "Murty, upper",
            Self::Fathi => "Fathi",
            Self::Assignment => "assignment",
            Self::CyclingProgram => "Chvátal's cycling program",
            Self::DegenerateProgram => "degenerate linear program",
            Self::Circulant => "circulant",
            Self::Ties => "ties",
            Self::ZeroMatrix => "zero matrix",
            Self::Wedge => "wedge",
            Self::UnboundedProgram => "unbounded linear program",
            Self::UnsolvableSemidefinite => "semidefinite without solution",
            Self::FeasibleUnsolvable => "feasible without solution",
            Self::AllOnes => "all ones",
            Self::MinusIdentity => "minus identity",
            Self::Blocks => "blocks [1 2; 2 1]",
            Self::Mixed => "mixed",
            Self::Boxed => "box",
            Self::PyramidShaken => "friction pyramid, shaken",
            Self::PyramidAtRest => "friction pyramid, at rest",
        }
    }

    /// The seed changes the problem.
    pub fn is_random(self) -> bool {
        !matches!(
            self,
            Self::MurtyLower
                | Self::MurtyUpper
                | Self::Fathi
                | Self::CyclingProgram
                | Self::Circulant
                | Self::Ties
                | Self::ZeroMatrix
                | Self::AllOnes
                | Self::MinusIdentity
                | Self::Blocks
                | Self::PyramidAtRest
        )
    }

    /// A member with about n ≥ 2 rows (exactly n where the family allows it).
    pub fn make(self, n: usize, seed: u64) -> Specimen {
        use exponential::Start;
        let unique = |p: super::Planted| (p.problem, Known::Unique(p.z));
        let (problem, known) = match self {
            Self::Definite => unique(positive::definite(n, 1e4, seed)),
            Self::Nonsymmetric => unique(positive::nonsymmetric(n, seed)),
            Self::KMatrix => unique(positive::k_matrix(n, seed)),
            Self::FarFromDefinite => unique(positive::far_from_definite(n, seed)),
            Self::BadlyScaled => unique(positive::badly_scaled(n, 1e6, seed)),
            Self::HalfRank => (semidefinite::half_rank(n, seed).problem, Known::Solvable),
            Self::DegenerateSemidefinite => {
                (semidefinite::degenerate(n, seed).problem, Known::Solvable)
            }
            Self::MurtyLower => (exponential::murty_lower(n, Start::Graded), Known::Solvable),
            Self::MurtyUpper => (exponential::murty_upper(n, Start::Ones), Known::Solvable),
            Self::Fathi => (exponential::fathi(n, Start::Graded), Known::Solvable),
            Self::Assignment => (degenerate::assignment(2, seed), Known::Solvable),
            Self::CyclingProgram => (degenerate::cycling_program(), Known::Solvable),
            Self::DegenerateProgram => (degenerate::degenerate_program(n, seed), Known::Solvable),
            Self::Circulant => (degenerate::circulant(n), Known::Solvable),
            Self::Ties => (degenerate::ties(n, 1e-3), Known::Solvable),
            Self::ZeroMatrix => (degenerate::zero_matrix(n), Known::Solvable),
            Self::Wedge => (unsolvable::wedge(seed), Known::Unsolvable),
            Self::UnboundedProgram => (unsolvable::unbounded_program(n, seed), Known::Unsolvable),
            Self::UnsolvableSemidefinite => (unsolvable::semidefinite(n, seed), Known::Unsolvable),
            Self::FeasibleUnsolvable => (unsolvable::feasible_hidden(n, seed), Known::Unsolvable),
            Self::AllOnes => (several::all_ones(n), Known::Solvable),
            Self::MinusIdentity => (several::minus_identity(n), Known::Solvable),
            Self::Blocks => (several::blocks(n), Known::Solvable),
            Self::Mixed => unique(bounded::mixed(n, seed)),
            Self::Boxed => unique(bounded::boxed(n, seed)),
            Self::PyramidShaken => {
                (small_pyramid(n, &SceneSettings::shaken(seed)), Known::Solvable)
            }
            Self::PyramidAtRest => (small_pyramid(n, &SceneSettings::default()), Known::Solvable),
        };
        Specimen { problem, known }
    }
}

/// Contacts with four facets, six rows each: part of a pile, a tower or a wall.
fn small_pyramid(n: usize, settings: &SceneSettings) -> BoxLcp {
    let contacts = (n / 6).max(1);
    let scene = match Rng::new(settings.seed).index(3) {
        0 => scenes::pile(contacts, settings),
        1 => scenes::towers(contacts, 2, settings),
        _ => scenes::wall(contacts, Interface::Two, settings),
    };
    scene.pyramid(4)
}
