//! What is known of an impact.

use stiction_lcp::Verdict;

use crate::contact::law::{LawAnswer, LawResidual};
use crate::ledger::Ledger;

/// What an impact did.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactReport {
    /// Rigid contacts that touch; guides; joint limits that are reached. What is compliant is a spring and takes no part.
    pub contacts: usize,
    pub guides: usize,
    pub limits: usize,
    /// The judge has accepted every solve.
    pub certified: bool,
    /// The solves; of a sequence the worst ones. Newton's law has one solve, and the closed form; nothing comes back where
    /// e is 0.
    pub compression: Option<PhaseReport>,
    pub decompression: Option<PhaseReport>,
    /// Impulses of compression and decompression on body B, n, t1, t2 for each contact of `data.contacts()`, then for each
    /// guide, then one for each limit [N·s or N·m·s]. Newton's law has all of it in `p_c`. Sums over a sequence.
    pub p_c: Vec<f64>,
    pub p_d: Vec<f64>,
    /// Velocities of the same rows before the impact and after it [m/s or rad/s].
    pub u_before: Vec<f64>,
    pub u_after: Vec<f64>,
    /// Kinetic energy before the impact, after its compression, and after it, armatures included [J]. A sequence and Newton's
    /// law have no end of compression.
    pub K_before: f64,
    pub K_compressed: Option<f64>,
    pub K_after: f64,
    /// Work of contacts, guides and limits, where it is positive beyond rounding: what the law gained [J]. With
    /// joints that hold and without drives this is `K_after − K_before`.
    pub gained: f64,
    /// Where the energy went.
    pub ledger: Ledger,
    /// What of [AP]'s assumptions held.
    pub assumptions: Assumptions,
    pub course: Course,
    /// The largest speed at which contacts still approach each other [m/s]: rounding, unless a closed form outside of its
    /// assumptions left more.
    pub approach: f64,
}

/// One solve of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseReport {
    /// The judge has accepted it.
    pub certified: bool,
    /// Distance from the friction law, and from exact Coulomb friction.
    pub residual: LawResidual,
    pub coulomb: LawResidual,
    /// The solver that answered, and all iterations together.
    pub link: &'static str,
    pub iterations: usize,
}

/// Under which the closed form is Poisson's law and no law gains energy [AP].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// (a) Nothing that touches has friction.
    pub frictionless: bool,
    /// (b) All contacts that approach have one restitution.
    pub one_restitution: bool,
    /// (c) No other contact has a larger one.
    pub none_larger: bool,
    /// (d) All other contacts neither approach nor part.
    pub others_at_rest: bool,
}

/// How an impact came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Nothing touches that could change a velocity.
    NoContact,
    /// All contacts at once.
    AtOnce,
    /// One after the other, until none approached.
    Settled { hits: usize },
    /// One after the other, as often as the settings allow; then all at once and plastic.
    Truncated { hits: usize },
}

impl Assumptions {
    pub fn all(&self) -> bool {
        self.frictionless && self.one_restitution && self.none_larger && self.others_at_rest
    }
}

impl PhaseReport {
    pub(super) fn of(answer: &LawAnswer) -> Self {
        Self {
            certified: answer.verdict == Verdict::Certified,
            residual: answer.residual,
            coulomb: answer.coulomb,
            link: answer.link,
            iterations: answer.iterations,
        }
    }

    /// The worse of the two, with the iterations of both.
    pub(super) fn worse(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        let rank = |phase: &Self| (!phase.certified, phase.residual.relative());
        let a_is_worse = rank(&a) >= rank(&b);
        let iterations = a.iterations + b.iterations;
        Some(Self { iterations, ..if a_is_worse { a } else { b } })
    }
}
