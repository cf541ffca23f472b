//! The scenes of the pyramid bench, by name. All have μ = 0.5, h = 0.01 s, seed 1.

use stiction_lcp::families::scenes::{Interface, pile, pyramid_pile, towers, wall};
use stiction_lcp::families::{MassRatio, Scene, SceneSettings};

/// Directions of the friction pyramid at each contact.
pub const FACETS: usize = 8;

/// Sizes of the bench.
pub const CONTACTS: [usize; 6] = [10, 25, 50, 100, 200, 574];

/// Free velocity after one step at rest, the unit of shaking [m/s].
const GH: f64 = 9.81 * 0.01;

#[derive(Clone, Copy, Debug)]
enum Shape {
    Pile,
    PyramidPile,
    /// Five levels.
    Towers,
    Wall(Interface),
}

/// A scene of any size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// What a reader of the results should know.
    pub about: &'static str,
    shape: Shape,
    masses: MassRatio,
    /// In units of g h.
    shake: f64,
}

impl Family {
    pub fn scene(&self, contacts: usize) -> Scene {
        let settings =
            SceneSettings { masses: self.masses, shake: self.shake * GH, ..Default::default() };
        match self.shape {
            Shape::Pile => pile(contacts, &settings),
            Shape::PyramidPile => pyramid_pile(contacts, &settings),
            Shape::Towers => towers(contacts, 5, &settings),
            Shape::Wall(interface) => wall(contacts, interface, &settings),
        }
    }
}

const fn equal(name: &'static str, about: &'static str, shape: Shape, shake: f64) -> Family {
    Family { name, about, shape, masses: MassRatio::Equal, shake }
}

const fn masses(
    name: &'static str,
    about: &'static str,
    shape: Shape,
    masses: MassRatio,
) -> Family {
    Family { name, about, shape, masses, shake: 0.0 }
}

const WALL_OF_TWO: Shape = Shape::Wall(Interface::Two);
const WALL_OF_FOUR: Shape = Shape::Wall(Interface::Four);

pub const FAMILIES: [Family; 22] = [
    equal("pile-rest", "planar pile of spheres at rest", Shape::Pile, 0.0),
    equal("pile-shaken-0.3", "the same, velocities up to 0.3 g h", Shape::Pile, 0.3),
    equal("pile-shaken-3", "the same, 3 g h", Shape::Pile, 3.0),
    equal("pile-shaken-30", "the same, 30 g h", Shape::Pile, 30.0),
    equal("pyramid-rest", "square pyramid of spheres at rest", Shape::PyramidPile, 0.0),
    equal("pyramid-shaken-0.3", "the same, 0.3 g h", Shape::PyramidPile, 0.3),
    equal("pyramid-shaken-3", "the same, 3 g h", Shape::PyramidPile, 3.0),
    equal("pyramid-shaken-30", "the same, 30 g h", Shape::PyramidPile, 30.0),
    equal("towers-rest", "towers of 5 bricks at rest", Shape::Towers, 0.0),
    equal("towers-shaken-3", "the same, 3 g h", Shape::Towers, 3.0),
    equal("wall-two-rest", "brick wall, 2 contacts per interface", WALL_OF_TWO, 0.0),
    equal("wall-two-shaken-3", "the same, 3 g h", WALL_OF_TWO, 3.0),
    equal("wall-four-rest", "brick wall, 4 contacts per interface", WALL_OF_FOUR, 0.0),
    equal("wall-four-shaken-3", "the same, 3 g h", WALL_OF_FOUR, 3.0),
    masses("pile-mass-1e2", "pile, random masses", Shape::Pile, MassRatio::Random(1e2)),
    masses("pile-mass-1e4", "the same, ratio 1e4", Shape::Pile, MassRatio::Random(1e4)),
    masses("pile-mass-1e6", "the same, ratio 1e6", Shape::Pile, MassRatio::Random(1e6)),
    masses("towers-mass-1e2", "towers, heavy on top", Shape::Towers, MassRatio::Growing(1e2)),
    masses("towers-mass-1e4", "the same, ratio 1e4", Shape::Towers, MassRatio::Growing(1e4)),
    masses("towers-mass-1e6", "the same, ratio 1e6", Shape::Towers, MassRatio::Growing(1e6)),
    masses("wall-mass-1e4", "wall of two, random masses", WALL_OF_TWO, MassRatio::Random(1e4)),
    masses("wall-mass-1e6", "the same, ratio 1e6", WALL_OF_TWO, MassRatio::Random(1e6)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_own_name_and_problem() {
        for (k, a) in FAMILIES.iter().enumerate() {
            for b in &FAMILIES[..k] {
                assert_ne!(a.name, b.name);
                assert_ne!(a.scene(10).pyramid(FACETS), b.scene(10).pyramid(FACETS), "{}", a.name);
            }
        }
    }
}
