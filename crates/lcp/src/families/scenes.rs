//! Contact scenes with as many contacts as asked for: piles of spheres, towers, walls.
//!
//! All are exact touching arrangements, hence hyperstatic and degenerate. Bodies are laid from the
//! bottom up until the number of contacts is reached; what is missing at the end is met by bodies
//! that stand alone on the ground.

use super::Rng;
use super::contact::{Body, Contact, Scene, Vec3};

/// Masses of the bodies, mean size 1 kg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MassRatio {
    Equal,
    /// Log-uniform in [1, ratio] kg.
    Random(f64),
    /// From 1 kg for the first body laid to `ratio` kg for the last: heavy on top.
    Growing(f64),
}

/// What the scenes have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneSettings {
    /// Step length in seconds.
    pub h: f64,
    /// Gravity [m/s²].
    pub g: f64,
    pub mu: f64,
    pub masses: MassRatio,
    /// Size of the random velocities of a shaken scene [m/s]; 0 is at rest.
    pub shake: f64,
    pub seed: u64,
}

impl Default for SceneSettings {
    fn default() -> Self {
        Self { h: 0.01, g: 9.81, mu: 0.5, masses: MassRatio::Equal, shake: 0.0, seed: 1 }
    }
}

impl SceneSettings {
    /// As hard as shaking gets: velocities of 30 g h.
    pub fn shaken(seed: u64) -> Self {
        Self { shake: 30.0 * 9.81 * 0.01, seed, ..Self::default() }
    }
}

const RADIUS: f64 = 0.5;

/// Lays bodies until the number of contacts is reached.
struct Builder {
    wanted: usize,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

impl Builder {
    fn new(wanted: usize) -> Self {
        Self { wanted, bodies: Vec::new(), contacts: Vec::new() }
    }

    /// A body with contacts (body below, or ground; place; normal), unless they are too many.
    fn lay(
        &mut self,
        p_WB: Vec3,
        gyration: Vec3,
        touches: &[(Option<usize>, Vec3, Vec3)],
    ) -> Option<usize> {
        if self.contacts.len() + touches.len() > self.wanted {
            return None;
        }
        let body_B = self.bodies.len();
        self.bodies.push(Body { p_WB, mass: 1.0, gyration, v_free: [0.0; 6] });
        for &(body_A, p_WC, normal) in touches {
            self.contacts.push(Contact { body_A, body_B, p_WC, normal });
        }
        Some(body_B)
    }

    /// A sphere that touches each of `below` and perhaps the ground.
    fn sphere(&mut self, p_WB: Vec3, below: &[usize], on_ground: bool) -> Option<usize> {
        let mut touches = Vec::new();
        if on_ground {
            touches.push((None, [p_WB[0], p_WB[1], 0.0], [0.0, 0.0, 1.0]));
        }
        for &other in below {
            let p_WA = self.bodies[other].p_WB;
            let middle = std::array::from_fn(|k| 0.5 * (p_WA[k] + p_WB[k]));
            let normal = std::array::from_fn(|k| (p_WB[k] - p_WA[k]) / (2.0 * RADIUS));
            touches.push((Some(other), middle, normal));
        }
        self.lay(p_WB, [0.4 * RADIUS * RADIUS; 3], &touches)
    }

    /// Meets the number of contacts by bodies that stand alone, then gives masses and velocities.
    fn finish(mut self, settings: &SceneSettings) -> Scene {
        let far = 1000.0;
        while self.contacts.len() < self.wanted {
            let x = far + 3.0 * self.bodies.len() as f64;
            if !(self.wanted - self.contacts.len() >= 4
                && self.brick([x, 0.0, 0.0], &[(None, [x - 1.0, x + 1.0])], 4))
            {
                self.sphere([x, 0.0, RADIUS], &[], true);
            }
        }
        let mut rng = Rng::new(settings.seed);
        let count = self.bodies.len();
        for (i, body) in self.bodies.iter_mut().enumerate() {
            body.mass = match settings.masses {
                MassRatio::Equal => 1.0,
                MassRatio::Random(ratio) => rng.log_between_one_and(ratio),
                MassRatio::Growing(ratio) => ratio.powf(i as f64 / count.max(2) as f64),
            };
            body.v_free[5] = -settings.h * settings.g;
        }
        let mut scene = Scene { bodies: self.bodies, contacts: self.contacts, mu: settings.mu };
        if settings.shake > 0.0 {
            scene.shake(settings.shake, &mut rng);
        }
        scene
    }

    /// A brick 2 × 1 × 1 with its bottom centre at `p`; touches what is below along intervals of x,
    /// at the four corners of each, or at two opposite ones. False if the contacts are too many.
    fn brick(&mut self, p: Vec3, below: &[(Option<usize>, [f64; 2])], corners: usize) -> bool {
        let mut touches = Vec::new();
        for &(body, [x0, x1]) in below {
            let places = [(x0, -0.5), (x1, 0.5), (x0, 0.5), (x1, -0.5)];
            for (x, y) in places.into_iter().take(corners) {
                touches.push((body, [x, y, p[2]], [0.0, 0.0, 1.0]));
            }
        }
        let gyration = [2.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0];
        self.lay([p[0], p[1], p[2] + 0.5], gyration, &touches).is_some()
    }
}

/// A planar triangular pile of spheres in space: full for 22, 51, 92, 145, 590, … contacts.
pub fn pile(contacts: usize, settings: &SceneSettings) -> Scene {
    let mut builder = Builder::new(contacts);
    // rows of a full triangle: r + 3 r (r − 1)/2 contacts
    let rows = (1..).find(|r| r + 3 * r * (r - 1) / 2 >= contacts).unwrap_or(1);
    let mut below: Vec<usize> = Vec::new();
    'rows: for row in 0..rows {
        let mut this_row: Vec<usize> = Vec::new();
        for i in 0..rows - row {
            let x = 2.0 * RADIUS * i as f64 + RADIUS * row as f64;
            let z = RADIUS + 3f64.sqrt() * RADIUS * row as f64;
            let mut touched: Vec<usize> =
                if row == 0 { Vec::new() } else { vec![below[i], below[i + 1]] };
            touched.extend(this_row.last());
            match builder.sphere([x, 0.0, z], &touched, row == 0) {
                Some(body) => this_row.push(body),
                None => break 'rows,
            }
        }
        below = this_row;
    }
    builder.finish(settings)
}

/// A square pyramid of spheres: each rests on four, neighbours of a layer touch.
pub fn pyramid_pile(contacts: usize, settings: &SceneSettings) -> Scene {
    let mut builder = Builder::new(contacts);
    let full = |side: usize| {
        (1..=side)
            .map(|k| 2 * k * (k - 1) + if k == side { k * k } else { 4 * k * k })
            .sum::<usize>()
    };
    let side = (1..).find(|&side| full(side) >= contacts).unwrap_or(1);
    let mut below: Vec<usize> = Vec::new();
    'layers: for layer in 0..side {
        let (width, shift) = (side - layer, RADIUS * layer as f64);
        let mut this_layer: Vec<usize> = Vec::new();
        for i in 0..width * width {
            let (row, column) = (i / width, i % width);
            let place = [
                2.0 * RADIUS * column as f64 + shift,
                2.0 * RADIUS * row as f64 + shift,
                RADIUS + 2f64.sqrt() * shift,
            ];
            let mut touched = Vec::new();
            if layer > 0 {
                let corner = row * (width + 1) + column;
                touched.extend([0, 1, width + 1, width + 2].map(|k| below[corner + k]));
            }
            if column > 0 {
                touched.push(this_layer[i - 1]);
            }
            if row > 0 {
                touched.push(this_layer[i - width]);
            }
            match builder.sphere(place, &touched, layer == 0) {
                Some(body) => this_layer.push(body),
                None => break 'layers,
            }
        }
        below = this_layer;
    }
    builder.finish(settings)
}

/// Towers of `levels` bricks, 4 contacts each, side by side without touching.
pub fn towers(contacts: usize, levels: usize, settings: &SceneSettings) -> Scene {
    let mut builder = Builder::new(contacts);
    let levels = levels.max(1);
    for i in 0..contacts / 4 {
        let (x, level) = (3.0 * (i / levels) as f64, i % levels);
        let below = if level == 0 { None } else { Some(builder.bodies.len() - 1) };
        builder.brick([x, 0.0, level as f64], &[(below, [x - 1.0, x + 1.0])], 4);
    }
    builder.finish(settings)
}

/// Contacts where one brick rests on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Two opposite corners.
    Two,
    /// All four: redundant.
    Four,
}

/// A wall of bricks in running bond, about as high as it is wide.
pub fn wall(contacts: usize, interface: Interface, settings: &SceneSettings) -> Scene {
    let mut builder = Builder::new(contacts);
    let corners = if interface == Interface::Two { 2 } else { 4 };
    let width = (1..).find(|w| 2 * corners * w * w >= contacts).unwrap_or(1).max(2);
    let mut below: Vec<usize> = Vec::new();
    'courses: for course in 0.. {
        let shifted = course % 2 == 1;
        let mut this_course = Vec::new();
        for i in 0..width - usize::from(shifted) {
            let x = 2.0 * i as f64 + f64::from(shifted);
            let mut touched = Vec::new();
            if course == 0 {
                touched.push((None, [x - 1.0, x + 1.0]));
            } else {
                // its left half on one brick, its right half on the next; ends of a wide course
                // over a narrow one rest on one brick only
                let (left, right) =
                    if shifted { (Some(i), Some(i + 1)) } else { (i.checked_sub(1), Some(i)) };
                let brick = |k: Option<usize>| k.and_then(|k| below.get(k)).copied();
                touched.extend(brick(left).map(|body| (Some(body), [x - 1.0, x])));
                touched.extend(brick(right).map(|body| (Some(body), [x, x + 1.0])));
            }
            if !builder.brick([x, 0.0, course as f64], &touched, corners) {
                break 'courses;
            }
            this_course.push(builder.bodies.len() - 1);
        }
        below = this_course;
    }
    builder.finish(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    fn all(contacts: usize, settings: &SceneSettings) -> [(&'static str, Scene); 5] {
        [
            ("pile", pile(contacts, settings)),
            ("pyramid pile", pyramid_pile(contacts, settings)),
            ("towers", towers(contacts, 5, settings)),
            ("wall of two", wall(contacts, Interface::Two, settings)),
            ("wall of four", wall(contacts, Interface::Four, settings)),
        ]
    }

    #[test]
    fn a_scene_has_the_contacts_asked_for() {
        for contacts in [1, 2, 3, 10, 22, 25, 50, 51, 100, 200, 400, 574, 590, 1000] {
            for (name, scene) in all(contacts, &SceneSettings::default()) {
                assert_eq!(scene.contacts(), contacts, "{name}");
            }
        }
        assert_eq!(pile(590, &SceneSettings::default()).bodies(), 210);
    }

    #[test]
    fn w_is_symmetric_and_positive_semidefinite() {
        let settings = SceneSettings { masses: MassRatio::Random(1e4), ..Default::default() };
        for (name, scene) in all(25, &settings) {
            let problem = scene.friction();
            assert!(problem.W().is_symmetric(0.0), "{name}");
            let W = MatX::from_fn(75, 75, |i, j| problem.W().get(i, j));
            let eigenvalues = W.symmetric_eigenvalues();
            assert!(eigenvalues.min() > -1e-13 * eigenvalues.max(), "{name}");
            assert_eq!((problem.n(), scene.pyramid(8).n()), (75, 250), "{name}");
            assert!(scene.global().condense().is_ok());
        }
    }

    #[test]
    fn settings_matter() {
        let base = SceneSettings::default();
        let other = [
            SceneSettings { h: 0.02, ..base },
            SceneSettings { g: 1.62, ..base },
            SceneSettings { mu: 0.8, ..base },
            SceneSettings { masses: MassRatio::Growing(1e6), ..base },
            SceneSettings::shaken(1),
        ];
        for settings in other {
            assert_ne!(pile(10, &base).friction(), pile(10, &settings).friction());
        }
        let shaken = |seed| pile(10, &SceneSettings::shaken(seed)).friction();
        assert_eq!(shaken(1), shaken(1));
        assert_ne!(shaken(1), shaken(2));
    }
}
