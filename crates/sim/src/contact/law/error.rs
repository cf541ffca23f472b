//! Why a law has no answer to give. Numerical outcomes are verdicts, not errors.

use std::fmt;

use stiction_lcp::{ProblemError, Unfit};

use super::LawResidual;

#[derive(Clone, Debug, PartialEq)]
pub enum LawError {
    /// A setting of the law, or of the space as a whole, outside its domain.
    Setting { name: &'static str, rule: &'static str },
    /// Data of one contact outside its domain.
    Contact { contact: usize, name: &'static str, rule: &'static str },
    /// Data of one bounded row outside its domain.
    Row { row: usize, name: &'static str, rule: &'static str },
    /// What was assembled is not a problem: something is not finite.
    Problem(ProblemError),
    /// This solver cannot solve this law, whatever the contacts are.
    Refused { law: &'static str, solver: &'static str, reason: &'static str },
    /// The solver found this problem not to be of its class.
    Unfit { solver: &'static str, unfit: Unfit },
}

/// What impulses without a certificate are off by: one judge has refused them, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    /// Distance from the law.
    pub law: LawResidual,
    /// Scaled residual of the problem that was solved, by the judge of problems.
    pub problem: f64,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (law, problem) = (self.law.relative(), self.problem);
        write!(f, "off the law by {law:.1e} of their size, off the problem solved by {problem:.1e}")
    }
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting { name, rule } => write!(f, "{name} must be {rule}"),
            Self::Contact { contact, name, rule } => {
                write!(f, "contact {contact}: {name} must be {rule}")
            }
            Self::Row { row, name, rule } => write!(f, "bounded row {row}: {name} must be {rule}"),
            Self::Problem(error) => write!(f, "the contact problem cannot be stated: {error}"),
            Self::Refused { law, solver, reason } => {
                write!(f, "solver {solver} does not solve the {law} law: {reason}")
            }
            Self::Unfit { solver, unfit } => {
                write!(f, "solver {solver} is not made for this problem: {unfit:?}")
            }
        }
    }
}

impl std::error::Error for LawError {}

impl From<ProblemError> for LawError {
    fn from(error: ProblemError) -> Self {
        Self::Problem(error)
    }
}
