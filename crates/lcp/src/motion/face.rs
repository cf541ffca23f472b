//! The finish where nothing slips: conjugate gradients on the contacts that press.
//!
//! Theory: `docs/theory/velocity-space-first-order.md`.
//!
//! # Method
//!
//! Where all contacts S that press stick, and the others are open, their impulses solve `W_SS r_S = −q_S`: singular where
//! contacts are redundant, but consistent. Conjugate gradients from an iterate, with the contact masses as
//! preconditioner, end at the solution nearest to it. If that lies in the cones, it obeys Coulomb's law. The direction's motion is kept
//! current, so that an iteration is one pass over H.
//!
//! # When it fails
//!
//! The nearest solution leaves the cones by more than the iterate was wrong: given up as soon as that shows.

use super::lanes::{Law, Laws, motion};
use super::root::{Block, LANES, Lanes, Root};

/// Memory, reused by every try.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceWorkspace {
    r: Vec<Block>,
    direction: Vec<Block>,
    residual: Vec<Block>,
    /// The mass where a contact presses, else 0; and the squares of its units of friction, from ours to the judge's, else 0.
    mass: Vec<Lanes>,
    units: Vec<Lanes>,
    /// Motion of the direction, and of the next one before it is made conjugate.
    s: Vec<f64>,
    s_next: Vec<f64>,
}

impl FaceWorkspace {
    /// What the last try found.
    pub(super) fn answer(&self) -> &[Block] {
        &self.r
    }

    fn load(&mut self, start: &[Block], laws: &Laws, coordinates: usize) {
        self.r.clear();
        self.r.extend_from_slice(start);
        for blocks in [&mut self.direction, &mut self.residual] {
            blocks.clear();
            blocks.resize(start.len(), [[0.0; LANES]; 3]);
        }
        let pressing = |of: fn(&Law) -> Lanes| {
            start.iter().zip(&laws.law).map(move |(r, law)| {
                let (r, of) = (law.whole(r), of(law));
                std::array::from_fn(|l| if r[0][l] > 0.0 { of[l] } else { 0.0 })
            })
        };
        self.mass.clear();
        self.mass.extend(pressing(|law| law.mass));
        self.units.clear();
        self.units.extend(pressing(Law::units));
        for x in [&mut self.s, &mut self.s_next] {
            x.clear();
            x.resize(coordinates, 0.0);
        }
    }
}

pub(super) struct Face<'a> {
    pub(super) laws: &'a Laws,
    /// Error that is wanted, in units of ‖q‖.
    pub(super) goal: f64,
    pub(super) coordinates: usize,
}

/// Iterations between looks at the cones.
const LOOK_EVERY: usize = 8;
const MAX_ITERATIONS: usize = 2000;

impl Face<'_> {
    /// Tries to finish from an iterate of known error: the error of what is left in the workspace, in units of
    /// ‖q‖, and the passes over H that it took.
    pub(super) fn finish<R: Root>(
        &self,
        root: &R,
        start: &[Block],
        work: &mut FaceWorkspace,
    ) -> (f64, usize) {
        work.load(start, self.laws, self.coordinates);
        let passes = self.conjugate_gradients(root, work);
        for (r, law) in work.r.iter_mut().zip(&self.laws.law) {
            *r = law.project_whole(r);
        }
        motion(root, &work.r, &mut work.s);
        (self.laws.error(root, &work.r, &work.s), passes + 3)
    }

    fn conjugate_gradients<R: Root>(&self, root: &R, work: &mut FaceWorkspace) -> usize {
        motion(root, &work.r, &mut work.s_next);
        let mut gamma = self.first_direction(root, work);
        // what a pass makes of the last direction: nothing of the first one, which is there
        let mut beta = None;
        for iteration in 1..MAX_ITERATIONS {
            let compliance = self.direction_compliance(beta.take_if(|_| self.is_soft()), work);
            let alpha = gamma / (work.s.iter().map(|s| s * s).sum::<f64>() + compliance);
            if !(alpha > 0.0 && alpha < f64::INFINITY) {
                return iteration;
            }
            let (gamma_next, size) = self.pass(root, (alpha, beta), work);
            if size <= 0.3 * self.goal {
                return iteration;
            }
            if iteration % LOOK_EVERY == 0 && !(self.outside(&work.r) <= 2.0 * size) {
                return iteration;
            }
            let turn = gamma_next / gamma;
            gamma = gamma_next;
            for (s, next) in work.s.iter_mut().zip(&work.s_next) {
                *s = next + turn * *s;
            }
            beta = Some(turn);
        }
        MAX_ITERATIONS
    }

    fn is_soft(&self) -> bool {
        !self.laws.eps.is_empty()
    }

    /// `Σ ε p²` of the next direction, which is made of the last one here where it has compliance, otherwise within the pass: there it is read
    /// and written anyway.
    fn direction_compliance(&self, beta: Option<f64>, work: &mut FaceWorkspace) -> f64 {
        if !self.is_soft() {
            return 0.0;
        }
        let of = work.direction.iter_mut().zip(&work.residual).zip(&work.mass);
        of.enumerate()
            .map(|(b, ((p, residual), m))| {
                beta.into_iter().for_each(|beta| turn(p, residual, m, beta));
                self.laws.compliance(b, p)
            })
            .sum()
    }

    /// Given the motion in `s_next`: the residual −u, the direction `m residual` and its motion; `residual·m residual`.
    fn first_direction<R: Root>(&self, root: &R, work: &mut FaceWorkspace) -> f64 {
        work.s.fill(0.0);
        let mut gamma = [0.0; LANES];
        for (b, r) in work.r.iter().enumerate() {
            let u = self.laws.velocity(root, (b, r), &work.s_next);
            let (residual, p, m) = (&mut work.residual[b], &mut work.direction[b], &work.mass[b]);
            for i in 0..3 {
                for l in 0..LANES {
                    residual[i][l] = -u[i][l];
                    p[i][l] = m[l] * residual[i][l];
                    gamma[l] += p[i][l] * residual[i][l];
                }
            }
            root.scatter(b, p, &mut work.s);
        }
        gamma.iter().sum()
    }

    /// One step along the direction, which is made of the last one where β is given; leaves the motion of `m residual` in `s_next`.
    /// `residual·m residual`, and the norm of the residual of the contacts that press, in units of ‖q‖.
    fn pass<R: Root>(
        &self,
        root: &R,
        (alpha, beta): (f64, Option<f64>),
        work: &mut FaceWorkspace,
    ) -> (f64, f64) {
        work.s_next.fill(0.0);
        let (mut gamma, mut size) = ([0.0; LANES], [0.0; LANES]);
        for (b, p) in work.direction.iter_mut().enumerate() {
            if let Some(beta) = beta {
                turn(p, &work.residual[b], &work.mass[b], beta);
            }
            let mut v = [[0.0; LANES]; 3];
            root.gather(b, &work.s, &mut v);
            if let Some(eps) = self.laws.eps.get(b) {
                (0..3).for_each(|i| (0..LANES).for_each(|l| v[i][l] += eps[i][l] * p[i][l]));
            }
            let (r, residual, m) = (&mut work.r[b], &mut work.residual[b], &work.mass[b]);
            let mut z = [[0.0; LANES]; 3];
            for i in 0..3 {
                let units = if i == 0 { m.map(|m| f64::from(m > 0.0)) } else { work.units[b] };
                for l in 0..LANES {
                    r[i][l] += alpha * p[i][l];
                    residual[i][l] -= alpha * v[i][l];
                    z[i][l] = m[l] * residual[i][l];
                    gamma[l] += z[i][l] * residual[i][l];
                    size[l] += units[l] * (residual[i][l] * residual[i][l]);
                }
            }
            root.scatter(b, &z, &mut work.s_next);
        }
        (gamma.iter().sum(), size.iter().sum::<f64>().sqrt() / self.laws.q_norm)
    }

    /// How far the impulses are from their cones, in units of ‖q‖.
    fn outside(&self, r: &[Block]) -> f64 {
        let still = ([[0.0; LANES]; 3], [0.0; LANES]);
        let squares =
            self.laws.law.iter().zip(r).map(|(law, r)| law.natural(r, &still.0, &still.1));
        squares.sum::<f64>().sqrt() / self.laws.q_norm
    }
}

/// `p ← m residual + β p`.
#[inline(always)]
fn turn(p: &mut Block, residual: &Block, m: &Lanes, beta: f64) {
    for i in 0..3 {
        for l in 0..LANES {
            p[i][l] = m[l] * residual[i][l] + beta * p[i][l];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::PileSettings;
    use crate::families::piles::sphere_pyramid;
    use crate::motion::apgd::apgd;
    use crate::motion::lanes::pack_impulses;
    use crate::motion::metric::Metric;
    use crate::motion::root::Scaled;

    /// From the answer at μ = 0.8, each impulse changed by this factor.
    fn finish(mu: f64, factor: f64) -> (f64, usize) {
        let rest = sphere_pyramid(3, &PileSettings::default());
        let mut r = vec![[0.0; 3]; rest.contacts()];
        apgd(&rest, &Default::default(), &mut Default::default(), &crate::never, &mut r);
        let problem = sphere_pyramid(3, &PileSettings { mu, ..Default::default() });
        let (mut laws, mut metric) = (Laws::default(), Metric::default());
        metric.load(&problem);
        laws.load(&problem, &metric);
        let mut start = Vec::new();
        r.iter_mut().flatten().for_each(|x| *x *= factor);
        pack_impulses(&r, &metric, &mut start);
        let face = Face { laws: &laws, goal: 1e-11, coordinates: problem.coordinates() };
        let root = Scaled { problem: &problem, metric: &metric };
        face.finish(&root, &start, &mut FaceWorkspace::default())
    }

    #[test]
    fn pressing_contacts_that_can_stick_do() {
        let (error, passes) = finish(0.8, 1.03);
        assert!(error <= 1e-11 && passes < 60, "{error} {passes}");
    }

    #[test]
    fn it_gives_up_where_friction_does_not_suffice() {
        let (error, passes) = finish(0.1, 1.03);
        assert!(error > 1e-3 && passes < 30, "{error} {passes}");
    }

    #[test]
    fn open_contacts_stay_open() {
        let (error, _) = finish(0.8, 0.0);
        assert!(error > 0.1, "{error}");
    }
}
