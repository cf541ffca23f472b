//! How near shapes must be for their contacts to be found.

use crate::math::Vec3;
use crate::model::Geom;

/// Where a body may come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    /// Where its origin goes, from where it is [m].
    pub(crate) moved: Vec3,
    /// How far from there a point of its shapes may be besides [m].
    pub(crate) slack: f64,
}

impl Way {
    /// Of what stands still.
    pub(crate) const NONE: Self = Self { moved: Vec3::new(0.0, 0.0, 0.0), slack: 0.0 };
}

/// Gaps up to these are found, beside margins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Within<'a> {
    /// Of all pairs alike [m], ≥ 0.
    Alike(f64),
    /// What the ways of two bodies can close: how differently they go, and what either may be besides.
    Ways(&'a [Way]),
    /// The same, of pairs with one of the marked bodies alone.
    WaysOf(&'a [Way], &'a [bool]),
}

impl Within<'_> {
    /// By how much the bounds of a shape are to grow [m]: those of two shapes meet if their gap is within what is asked.
    pub(super) fn of(self, geom: &Geom) -> f64 {
        match self {
            Self::Alike(horizon) => 0.5 * horizon,
            Self::Ways(ways) | Self::WaysOf(ways, _) => {
                let Way { moved, slack } = way(ways, geom);
                moved.norm() + slack
            }
        }
    }

    /// Up to which gap [m].
    pub(super) fn between(self, a: &Geom, b: &Geom) -> f64 {
        match self {
            Self::Alike(horizon) => horizon,
            Self::Ways(ways) | Self::WaysOf(ways, _) => {
                let (a, b) = (way(ways, a), way(ways, b));
                let closed = (a.moved - b.moved).norm() + (a.slack + b.slack);
                // of ways beyond all numbers nothing is known
                if closed.is_nan() { f64::INFINITY } else { closed }
            }
        }
    }

    /// Whether the pair is asked about at all.
    pub(super) fn asks(self, a: &Geom, b: &Geom) -> bool {
        match self {
            Self::Alike(_) | Self::Ways(_) => true,
            Self::WaysOf(_, marked) => {
                [a, b].iter().any(|geom| geom.at.body.is_some_and(|body| marked[body]))
            }
        }
    }
}

fn way(ways: &[Way], geom: &Geom) -> Way {
    geom.at.body.map_or(Way::NONE, |body| ways[body])
}
