//! Friction laws: pure functions from a [`ContactSpace`] to a problem of `stiction-lcp`, and back to impulses.
//!
//! | law | becomes | friction stays in | exactness |
//! |---|---|---|---|
//! | [`frictionless`] | LCP, symmetric | 0 | exact |
//! | [`pyramid`] | LCP, copositive, rank-deficient | polygon of k corners, `μ p_n` | polygon inside the disc |
//! | [`phantom`] | mixed LCP, full rank | polygon of 2k sides, `μ p_n`; aligned with the slip when sliding | polygon around the disc |
//! | [`boxed`] | box LCP | `μ h λ_n` of the last step along t1, t2 | lagged |
//! | [`hybrid`] | box LCP | the same, along the slip and across | lagged, aligned |
//! | [`cone`] | friction cones | disc `μ p_n` | exact Coulomb |
//! | [`convex`] | convex cone problem | disc `μ p_n` | relaxation: what slides, separates |
//!
//! All of them say `0 ≤ p_n ⊥ u_n + ε_n p_n + d_n ≥ 0` about the normal row (`convex` adds `−μ‖u_t‖`) and differ in
//! the set P that friction may come from:
//!
//! ```text
//!  p_t ∈ P ,    −(u_t + ε_t p_t + d_t) ∈ normal cone of P at p_t
//! ```
//!
//! [`solve`](solve()) assembles, calls the solver and the [`judge`], island by island: contacts that do not feel each other
//! share no units, no tolerance and no verdict. Theory: `docs/theory/law-*.md`.

mod apart;
mod asked;
mod assembled;
mod bounds;
mod braced;
mod bristle;
mod check;
mod directions;
mod embed;
mod error;
mod lanes;
mod mode;
mod motion;
mod moved;
mod refuse;
mod run;
mod units;
mod warm;

pub mod boxed;
pub mod cone;
pub mod convex;
pub mod frictionless;
pub mod hybrid;
pub mod judge;
pub mod phantom;
pub mod pyramid;
pub mod solve;
#[cfg(test)]
mod tests;

pub use assembled::{Assembled, LawProblem, Share};
pub use boxed::BoxLaw;
pub use bristle::Lateral;
pub use cone::Cone;
pub use convex::Convex;
pub use error::{LawError, Refusal};
pub use hybrid::Hybrid;
pub(crate) use judge::idle_opening;
pub use judge::{LawResidual, coulomb_distance, judge};
pub use mode::{ContactMode, contact_modes};
pub(crate) use moved::Moved;
pub use phantom::Phantom;
pub use pyramid::{NormalRows, Pyramid, Stabilization};
pub use solve::{LawAnswer, LawSolver, solve, solve_with};
pub(crate) use solve::{begin, finish, judge_again, needs_entries};
pub use warm::LawWork;

use crate::contact::space::{ContactData, ContactSpace, Tangents};

/// Slip speed from which a contact counts as sliding, where nothing else is said [m/s]: that of [PKF17] table 1.
pub const V_STICK: f64 = 1e-3;

/// A friction law and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    Frictionless,
    Pyramid(Pyramid),
    Phantom(Phantom),
    Box(BoxLaw),
    Hybrid(Hybrid),
    Cone(Cone),
    Convex(Convex),
}

impl Law {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Pyramid(_) => "pyramid",
            Self::Phantom(_) => "phantom",
            Self::Box(_) => "box",
            Self::Hybrid(_) => "hybrid",
            Self::Cone(_) => "cone",
            Self::Convex(_) => "convex",
        }
    }
}

/// The law's problem for these contacts.
pub fn assemble(space: &ContactSpace, law: &Law) -> Result<Assembled, LawError> {
    check::check(space, law)?;
    match law {
        Law::Frictionless => frictionless::assemble(space),
        Law::Pyramid(settings) => pyramid::assemble(space, settings),
        Law::Phantom(settings) => phantom::assemble(space, settings),
        Law::Box(settings) => boxed::assemble(space, settings),
        Law::Hybrid(settings) => hybrid::assemble(space, settings),
        Law::Cone(settings) => cone::assemble(space, settings),
        Law::Convex(settings) => convex::assemble(space, settings),
    }
}

/// The contact slides at the beginning of the step, where friction can act.
fn is_sliding(contact: &ContactData, v_stick: f64) -> bool {
    let speed = match contact.tangents {
        Tangents::Plane => libm::hypot(contact.u_t[0], contact.u_t[1]),
        Tangents::Line => contact.u_t[0].abs(),
    };
    speed >= v_stick
}

/// The coefficient of a law that has one: static below `v_stick`, kinetic from there.
fn coefficient(contact: &ContactData, v_stick: f64) -> f64 {
    if is_sliding(contact, v_stick) { contact.mu_k } else { contact.mu_s }
}
