//! Piles and walls that touch exactly, one time step from rest, in velocity space.
//!
//! Hyperstatic and degenerate on purpose: many contacts carry nothing. Where friction suffices (μ above 0.6 for
//! spheres in a pyramid) rest is an exact answer.

use super::contact::{Body, Contact, Scene, Vec3};
use super::random::Rng;
use super::scenes::{SceneSettings, pile, pyramid_pile};
use crate::cone::Triple;
use crate::motion::MotionProblem;

/// What the piles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PileSettings {
    pub mu: f64,
    /// Step length in seconds.
    pub h: f64,
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Mass of a layer over that of the layer below; the lowest has bodies of 1 kg.
    pub layer_ratio: f64,
    /// Velocity of the ground, z up [m/s]: it shakes what stands on it.
    pub v_ground: Vec3,
}

impl Default for PileSettings {
    fn default() -> Self {
        Self { mu: 0.8, h: 0.05, gravity: 9.81, layer_ratio: 1.0, v_ground: [0.0; 3] }
    }
}

impl PileSettings {
    fn scene(&self) -> SceneSettings {
        SceneSettings { h: self.h, g: self.gravity, mu: self.mu, ..Default::default() }
    }

    /// The mass of each body, laid layer by layer, in layers of these sizes.
    fn weigh(&self, scene: &mut Scene, layers: impl Iterator<Item = usize>) {
        let mut bodies = scene.bodies.iter_mut();
        let mut mass = 1.0;
        for size in layers {
            bodies.by_ref().take(size).for_each(|body| body.mass = mass);
            mass *= self.layer_ratio;
        }
    }
}

/// A pyramid of solid spheres on the ground: i × i of them in layer i from the top, each on four below;
/// neighbours in a layer touch. 10 layers are 385 spheres with 1900 contacts, 30 are 9455 with 53 100.
pub fn sphere_pyramid(layers: usize, settings: &PileSettings) -> MotionProblem {
    let inside: usize = (1..layers).map(|i| 4 * i * i + 2 * i * (i + 1)).sum();
    let mut scene = pyramid_pile(inside + layers * layers, &settings.scene());
    settings.weigh(&mut scene, (1..=layers).rev().map(|i| i * i));
    scene.motion(settings.v_ground)
}

/// A triangle of solid spheres in a vertical plane: each on two below, neighbours in a row touch. 20 rows
/// are 210 spheres with 590 contacts.
pub fn sphere_pile(rows: usize, settings: &PileSettings) -> MotionProblem {
    triangle(rows, settings).motion(settings.v_ground)
}

/// The same of disks that cannot leave the plane: two rows a contact, three coordinates a disk.
pub fn disk_pile(rows: usize, settings: &PileSettings) -> MotionProblem {
    triangle(rows, settings).planar_motion(settings.v_ground)
}

fn triangle(rows: usize, settings: &PileSettings) -> Scene {
    let contacts = rows + 3 * rows * rows.saturating_sub(1) / 2;
    let mut scene = pile(contacts, &settings.scene());
    settings.weigh(&mut scene, (1..=rows).rev());
    scene
}

/// What makes a pile irregular: bodies of masses up to `mass_ratio` times their own, evenly spread by their logarithm; each with a velocity of
/// its own up to `speed` [√kg m/s for 1 kg]; contacts of compliance `ε = 1/(κ m)` where the stiffness κ is finite, m the mass that
/// the contact feels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jostle {
    pub seed: u64,
    pub mass_ratio: f64,
    pub speed: f64,
    pub stiffness: f64,
}

impl Default for Jostle {
    fn default() -> Self {
        Self { seed: 0, mass_ratio: 1.0, speed: 0.0, stiffness: f64::INFINITY }
    }
}

/// The problem with other masses, velocities and compliances.
pub fn jostled(problem: &MotionProblem, jostle: &Jostle) -> MotionProblem {
    let mut rng = Rng::new(jostle.seed);
    let nodes = problem.nodes();
    let root: Vec<f64> =
        (0..nodes).map(|_| rng.log_between_one_and(jostle.mass_ratio).sqrt()).collect();
    let mut v = || jostle.speed * rng.between(-1.0, 1.0);
    let x: Vec<f64> = (0..problem.coordinates()).map(|_| v()).collect();
    let mut result = MotionProblem::default();
    result.clear(problem.dim(), (0..nodes).map(|node| problem.width(node)));
    for c in 0..problem.contacts() {
        let mut trace = 0.0;
        for (node, _, rows) in problem.spans(c) {
            let row = |h: &Triple| h.map(|h| h / root[node]);
            trace += rows.iter().flat_map(row).map(|h| h * h).sum::<f64>();
            result.push_span(node, rows.iter().map(row));
        }
        let (own, q) = (problem.velocity(c, &x), &problem.q()[c]);
        let eps = trace / (problem.dim() as f64 * jostle.stiffness);
        let of_rows = [eps, eps, if problem.dim() == 3 { eps } else { 0.0 }];
        result.end_contact(of_rows, std::array::from_fn(|i| q[i] + own[i]), problem.mu()[c]);
    }
    result
}

/// A wall of boxes 2 × 1 × 1 m in running bond, every other course half a box to the right; four contacts
/// where two boxes overlap, and four on the ground. 34 columns and 15 courses are 510 boxes with 3888 contacts. The boxes
/// at the ends of a course hang over by half: their weight is just above the edge.
pub fn box_wall(columns: usize, courses: usize, settings: &PileSettings) -> MotionProblem {
    let mut scene = Scene { bodies: Vec::new(), contacts: Vec::new(), mu: settings.mu };
    for course in 0..courses {
        let (shift, z) = (course % 2, course as f64);
        for i in 0..columns {
            let (body_B, x) = (scene.bodies.len(), (2 * i + shift) as f64);
            scene.bodies.push(Body {
                p_WB: [x, 0.0, z + 0.5],
                mass: 1.0,
                gyration: [2.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0],
                v_free: [0.0, 0.0, 0.0, 0.0, 0.0, -settings.h * settings.gravity],
            });
            // the box below the left half, and the one below the right half
            let below = (0..2).filter_map(|side| (i + shift + side).checked_sub(1));
            let mut touch = |body_A: Option<usize>, [from, to]: [f64; 2]| {
                for p_WC in [[from, -0.5, z], [to, -0.5, z], [from, 0.5, z], [to, 0.5, z]] {
                    scene.contacts.push(Contact { body_A, body_B, p_WC, normal: [0.0, 0.0, 1.0] });
                }
            };
            if course == 0 {
                touch(None, [x - 1.0, x + 1.0]);
                continue;
            }
            for k in below.filter(|k| *k < columns) {
                let middle = (2 * k + 1 - shift) as f64;
                touch(
                    Some((course - 1) * columns + k),
                    [(x - 1.0).max(middle - 1.0), (x + 1.0).min(middle + 1.0)],
                );
            }
        }
    }
    settings.weigh(&mut scene, std::iter::repeat_n(columns, courses));
    scene.motion(settings.v_ground)
}

impl Scene {
    /// The problem in velocity space: a node of width 6 a body. The ground moves with `v_ground` [m/s].
    pub fn motion(&self, v_ground: Vec3) -> MotionProblem {
        let rows = self.rows();
        let mut problem = MotionProblem::default();
        problem.clear(3, std::iter::repeat_n(6, self.bodies.len()));
        for (contact, rows) in self.contacts.iter().zip(rows.chunks_exact(3)) {
            let mut q = [0.0; 3];
            for (part, &(body, _)) in rows[0].iter().enumerate() {
                let entry = |i: usize, k: usize| rows[i][part].1[k];
                for (i, q_i) in q.iter_mut().enumerate() {
                    let v_free = &self.bodies[body].v_free;
                    *q_i += (0..6).map(|k| entry(i, k) * v_free[k]).sum::<f64>();
                }
                let root = |k: usize| self.inertia(6 * body + k).sqrt();
                problem.push_span(
                    body,
                    (0..6).map(|k| std::array::from_fn(|i| entry(i, k) / root(k))),
                );
            }
            if contact.body_A.is_none() {
                for (i, q_i) in q.iter_mut().enumerate() {
                    *q_i -= (0..3).map(|k| rows[i][0].1[3 + k] * v_ground[k]).sum::<f64>();
                }
            }
            problem.end_contact([0.0; 3], q, self.mu);
        }
        problem
    }

    /// The problem of disks in the plane y = 0 (turning about y, moving along x and z) in place of the spheres.
    fn planar_motion(&self, v_ground: Vec3) -> MotionProblem {
        let mut problem = MotionProblem::default();
        problem.clear(2, std::iter::repeat_n(3, self.bodies.len()));
        for contact in &self.contacts {
            let n = contact.normal;
            let directions = [n, [n[2], 0.0, -n[0]]];
            let mut q: Triple = [0.0; 3];
            let mut sides = vec![(contact.body_B, 1.0)];
            sides.extend(contact.body_A.map(|body| (body, -1.0)));
            sides.sort_by_key(|&(body, _)| body);
            for (body, sign) in sides {
                let Body { p_WB, mass, gyration, v_free } = &self.bodies[body];
                let r: Vec3 = std::array::from_fn(|k| contact.p_WC[k] - p_WB[k]);
                // of a disk, m r²/2: the sphere has 2/5
                let roots = [(1.25 * mass * gyration[1]).sqrt(), mass.sqrt(), mass.sqrt()];
                let mut span = [[0.0; 3]; 3];
                for (i, d) in directions.iter().enumerate() {
                    let row = [r[2] * d[0] - r[0] * d[2], d[0], d[2]].map(|x| sign * x);
                    (0..3).for_each(|k| span[k][i] = row[k] / roots[k]);
                    q[i] += row[0] * v_free[1] + row[1] * v_free[3] + row[2] * v_free[5];
                }
                problem.push_span(body, span);
            }
            if contact.body_A.is_none() {
                for (q_i, d) in q.iter_mut().zip(&directions) {
                    *q_i -= d[0] * v_ground[0] + d[2] * v_ground[2];
                }
            }
            problem.end_contact([0.0; 3], q, self.mu);
        }
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(problem: &MotionProblem) -> (usize, usize) {
        (problem.nodes(), problem.contacts())
    }

    #[test]
    fn piles_have_the_known_numbers_of_bodies_and_contacts() {
        let settings = PileSettings::default();
        for (layers, spheres, contacts) in
            [(1, 1, 1), (2, 5, 12), (10, 385, 1900), (15, 1240, 6525), (30, 9455, 53_100)]
        {
            assert_eq!(size(&sphere_pyramid(layers, &settings)), (spheres, contacts));
        }
        for (rows, disks, contacts) in
            [(4, 10, 22), (6, 21, 51), (8, 36, 92), (10, 55, 145), (20, 210, 590)]
        {
            assert_eq!(size(&disk_pile(rows, &settings)), (disks, contacts));
            assert_eq!(size(&sphere_pile(rows, &settings)), (disks, contacts));
        }
        assert_eq!(size(&box_wall(34, 15, &settings)), (510, 3888));
    }

    #[test]
    fn the_root_belongs_to_the_matrix_of_the_scene() {
        let mut scene = pyramid_pile(60, &SceneSettings::default());
        for (i, body) in scene.bodies.iter_mut().enumerate() {
            body.mass = 1.0 + i as f64;
        }
        let (local, expected) = (scene.motion([0.0; 3]).to_local().unwrap(), scene.friction());
        for i in 0..expected.n() {
            assert!((local.q()[i] - expected.q()[i]).abs() < 1e-14);
            for j in 0..expected.n() {
                assert!((local.W().get(i, j) - expected.W().get(i, j)).abs() < 1e-14, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_disk_on_the_ground_by_hand() {
        let settings = PileSettings { v_ground: [0.3, 0.0, 0.1], ..Default::default() };
        let problem = disk_pile(1, &settings);
        // normal 1/m; tangent 1/m + r²/(m r²/2)
        let diagonal = problem.diagonal(0);
        assert!((0..3).all(|i| (diagonal[i] - [1.0, 3.0, 0.0][i]).abs() < 1e-15), "{diagonal:?}");
        assert_eq!(problem.q()[0], [-0.05 * 9.81 - 0.1, -0.3, 0.0]);
        // in space the third direction is across the plane, and the sphere has 2/5
        let q = sphere_pile(1, &settings).q()[0];
        assert!((q[0] - problem.q()[0][0]).abs() < 1e-15);
        assert!((q[1].hypot(q[2]) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn layers_have_the_masses_asked_for() {
        let settings = PileSettings { layer_ratio: 4.0, ..Default::default() };
        for problem in [sphere_pyramid(3, &settings), box_wall(2, 3, &settings)] {
            let last = problem.contacts() - 1;
            let (_, _, rows) = problem.spans(last).last().unwrap();
            // linear coordinates of the top body: 1/√m, m = 16 kg
            let size: f64 = rows[3..].iter().map(|h| h[0] * h[0]).sum();
            assert!((size - 1.0 / 16.0).abs() < 1e-15);
        }
    }

    #[test]
    fn boxes_rest_on_what_is_below_them() {
        let problem = box_wall(3, 3, &PileSettings::default());
        let touched = |node: usize| {
            let of_node = (0..problem.contacts()).filter(|&c| {
                let (last, ..) = problem.spans(c).last().unwrap();
                last == node
            });
            let mut below: Vec<usize> =
                of_node.map(|c| problem.spans(c).next().unwrap().0).collect();
            below.dedup();
            below
        };
        assert_eq!((touched(3), touched(5)), (vec![0, 1], vec![2]));
        assert_eq!((touched(6), touched(7)), (vec![3], vec![3, 4]));
    }
}
