//! Solvers by name.

use stiction_lcp::{FrictionSolver, LcpSolver};

/// The name that stands for every solver, one after the other.
pub(crate) const ALL: &str = "all";

/// Friction laws, as scenes call them.
pub(crate) const LAWS: [&str; 7] =
    ["frictionless", "pyramid", "phantom", "box", "hybrid", "cone", "convex"];

/// A solver of the class of the problem at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solver {
    Linear(LcpSolver),
    Friction(FrictionSolver),
}

/// Which solvers fit a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Linear,
    Friction,
}

impl Solver {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Linear(solver) => solver.name(),
            Self::Friction(solver) => solver.name(),
        }
    }
}

impl Class {
    /// `auto` first.
    pub(crate) fn solvers(self) -> Vec<Solver> {
        match self {
            Self::Linear => LcpSolver::ALL.into_iter().map(Solver::Linear).collect(),
            Self::Friction => FrictionSolver::ALL.into_iter().map(Solver::Friction).collect(),
        }
    }

    pub(crate) fn solver(self, name: &str) -> Option<Solver> {
        self.solvers().into_iter().find(|solver| solver.name() == name)
    }

    pub(crate) fn names(self) -> Vec<&'static str> {
        self.solvers().into_iter().map(Solver::name).collect()
    }
}

/// Every name once, in the order of the library's lists.
pub(crate) fn every_name() -> Vec<&'static str> {
    let mut names = Class::Linear.names();
    for name in Class::Friction.names() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// ` (did you mean …?)`, or nothing when no name is near.
pub(crate) fn suggestion(text: &str, names: &[&str]) -> String {
    let near = stiction_scene::nearest(text, names.iter().copied());
    near.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_nonsense_is_not() {
        assert_eq!(suggestion("lemk", &every_name()), " (did you mean `lemke`?)");
        assert_eq!(suggestion("quadratic", &every_name()), "");
    }

    #[test]
    fn every_solver_is_found_by_its_name() {
        for class in [Class::Linear, Class::Friction] {
            for solver in class.solvers() {
                assert_eq!(class.solver(solver.name()), Some(solver));
            }
        }
    }
}
