//! Coulomb's law by blocks of contacts: no branches, so that a compiler may take the lanes together.

use super::MotionProblem;
use super::metric::Metric;
use super::root::{Block, LANES, Lanes, Root};
use crate::cone::Triple;

/// What a pass reads of a block of contacts beside H, in the units of [`Metric`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    /// Velocity without impulses but those of the preload.
    pub(super) q: Block,
    /// Normal impulse that is there before `r`, at every contact: see [`Laws::preload`].
    preload: Lanes,
    /// Added to the normal velocity.
    pub(super) shift: Lanes,
    mu: Lanes,
    /// `1/(1 + μ²)`.
    inverse_cone: Lanes,
    /// `dim / trace W_cc`.
    pub(super) mass: Lanes,
    pub(super) inverse_mass: Lanes,
    /// s of the units, and 1/s.
    units: [Lanes; 2],
}

/// The laws of a problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws {
    pub(super) law: Vec<Law>,
    /// Compliances; empty where all are zero.
    pub(super) eps: Vec<Block>,
    /// `‖q‖₂`, or 1 where q = 0.
    pub(super) q_norm: f64,
    contacts: usize,
}

impl Laws {
    pub(super) fn load(&mut self, problem: &MotionProblem, metric: &Metric) {
        self.contacts = problem.contacts();
        let blocks = self.contacts.div_ceil(LANES);
        let ones = [1.0; LANES];
        let empty = Law { mass: ones, inverse_mass: ones, units: [ones; 2], ..Law::default() };
        self.law.clear();
        self.law.resize(blocks, empty);
        let usable = |mass: f64| mass > 0.0 && mass < f64::INFINITY;
        let (mut heaviest, mut square) = (0.0, 0.0);
        for c in 0..problem.contacts() {
            let (law, lane) = (&mut self.law[c / LANES], c % LANES);
            let s = metric.s(c);
            (law.units[0][lane], law.units[1][lane]) = (s, 1.0 / s);
            let mu = problem.mu()[c] / s;
            (law.mu[lane], law.inverse_cone[lane]) = (mu, 1.0 / (1.0 + mu * mu));
            let q = metric.scale(c, &problem.q()[c]);
            (0..3).for_each(|i| law.q[i][lane] = q[i]);
            let scaled = metric.scale(c, &metric.scale(c, &problem.diagonal(c)));
            let inverse_mass = scaled.iter().sum::<f64>() / problem.dim() as f64;
            (law.mass[lane], law.inverse_mass[lane]) = (1.0 / inverse_mass, inverse_mass);
            if usable(law.mass[lane]) && law.mass[lane] > heaviest {
                heaviest = law.mass[lane];
            }
            square += problem.q()[c].iter().map(|q| q * q).sum::<f64>();
        }
        // a contact that nothing moves: as the heaviest
        let heaviest = if heaviest > 0.0 { heaviest } else { 1.0 };
        for law in &mut self.law {
            for (mass, inverse_mass) in law.mass.iter_mut().zip(&mut law.inverse_mass) {
                if !usable(*mass) {
                    (*mass, *inverse_mass) = (heaviest, 1.0 / heaviest);
                }
            }
        }
        self.q_norm = if square > 0.0 { square.sqrt() } else { 1.0 };
        self.eps.clear();
        if problem.eps().iter().any(|eps| *eps != [0.0; 3]) {
            let scaled = |(c, eps)| metric.scale(c, &metric.scale(c, eps));
            pack(problem.eps().iter().enumerate().map(scaled), &mut self.eps);
        }
    }

    /// Moves the apex of each cone inwards, to a normal impulse of `share · m` times the mean velocity of a contact: `r`
    /// is from now on what comes on top of it. `x` is memory.
    pub(super) fn preload<R: Root>(&mut self, root: &R, share: f64, x: &mut [f64]) {
        let contacts = self.contacts as f64;
        let velocity = share * self.q_norm / contacts.sqrt();
        x.fill(0.0);
        for (b, law) in self.law.iter_mut().enumerate() {
            law.preload = law.mass.map(|m| m * velocity);
            root.scatter(b, &[law.preload, [0.0; LANES], [0.0; LANES]], x);
        }
        for (b, law) in self.law.iter_mut().enumerate() {
            root.gather(b, x, &mut law.q);
            if let Some(eps) = self.eps.get(b) {
                (0..LANES).for_each(|l| law.q[0][l] += eps[0][l] * law.preload[l]);
            }
        }
    }

    /// `u = Hᵀ x + ε r + q` of block b.
    #[inline(always)]
    pub(super) fn velocity<R: Root>(&self, root: &R, (b, r): (usize, &Block), x: &[f64]) -> Block {
        let mut u = self.law[b].q;
        root.gather(b, x, &mut u);
        if let Some(eps) = self.eps.get(b) {
            (0..3).for_each(|i| (0..LANES).for_each(|l| u[i][l] += eps[i][l] * r[i][l]));
        }
        u
    }

    /// `Σ ε d²` of block b.
    #[inline(always)]
    pub(super) fn compliance(&self, b: usize, d: &Block) -> f64 {
        let Some(eps) = self.eps.get(b) else { return 0.0 };
        (0..3).map(|i| (0..LANES).map(|l| eps[i][l] * d[i][l] * d[i][l]).sum::<f64>()).sum()
    }

    /// `‖r − P_K(r − ũ)‖ / ‖q‖`, given the motion x of r.
    pub(super) fn error<R: Root>(&self, root: &R, r: &[Block], x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (b, (law, r)) in self.law.iter().zip(r).enumerate() {
            let u = self.velocity(root, (b, r), x);
            sum += law.natural(r, &u, &law.slip(&u));
        }
        sum.sqrt() / self.q_norm
    }
}

impl Law {
    /// The nearest points of the cones, for numbers whose squares are numbers.
    #[inline(always)]
    pub(super) fn project(&self, x: &Block) -> Block {
        self.project_rows(x, 3)
    }

    /// The same where no more than so many rows say something: with two, the third is zero.
    #[inline(always)]
    pub(super) fn project_rows(&self, x: &Block, rows: usize) -> Block {
        let mut p = [[0.0; LANES]; 3];
        for l in 0..LANES {
            let tangent = if rows == 2 {
                x[1][l].abs()
            } else {
                (x[1][l] * x[1][l] + x[2][l] * x[2][l]).sqrt()
            };
            let reach = self.mu[l] * tangent;
            let foot = (x[0][l] + reach) * self.inverse_cone[l];
            let share = self.mu[l] * foot / tangent;
            // the polar cone, then the cone itself: zero is in both
            let polar = reach <= -x[0][l];
            let (n, share) = if polar { (0.0, 0.0) } else { (foot, share) };
            let inside = (tangent <= self.mu[l] * x[0][l]) & (x[0][l] >= 0.0);
            let (n, share) = if inside { (x[0][l], 1.0) } else { (n, share) };
            p[0][l] = n;
            (1..rows).for_each(|i| p[i][l] = share * x[i][l]);
        }
        p
    }

    /// `μ ‖u_t‖`.
    #[inline(always)]
    pub(super) fn slip(&self, u: &Block) -> Lanes {
        std::array::from_fn(|l| self.mu[l] * (u[1][l] * u[1][l] + u[2][l] * u[2][l]).sqrt())
    }

    /// Squares of 1/s.
    pub(super) fn units(&self) -> Lanes {
        self.units[1].map(|inverse| inverse * inverse)
    }

    /// `r` with the preload.
    #[inline(always)]
    pub(super) fn whole(&self, r: &Block) -> Block {
        let mut whole = *r;
        (0..LANES).for_each(|l| whole[0][l] += self.preload[l]);
        whole
    }

    /// The nearest `r` that lies in the cones with its preload.
    pub(super) fn project_whole(&self, r: &Block) -> Block {
        let mut p = self.project(&self.whole(r));
        (0..LANES).for_each(|l| p[0][l] -= self.preload[l]);
        p
    }

    /// `Σ ‖r − P_K(r − u − lift n)‖²` of r with its preload, in the judge's units.
    #[inline(always)]
    pub(super) fn natural(&self, r: &Block, u: &Block, lift: &Lanes) -> f64 {
        let ([s, inverse], mut r) = (&self.units, self.whole(r));
        let (mut x, mut cone) = (r, *self);
        for l in 0..LANES {
            x[0][l] -= u[0][l] + lift[l];
            cone.mu[l] *= s[l];
            cone.inverse_cone[l] = 1.0 / (1.0 + cone.mu[l] * cone.mu[l]);
            for i in 1..3 {
                r[i][l] *= s[l];
                x[i][l] = r[i][l] - inverse[l] * u[i][l];
            }
        }
        let p = cone.project(&x);
        (0..3).map(|i| (0..LANES).map(|l| (r[i][l] - p[i][l]).powi(2)).sum::<f64>()).sum()
    }
}

/// `x = H r`.
pub(super) fn motion<R: Root>(root: &R, r: &[Block], x: &mut [f64]) {
    x.fill(0.0);
    r.iter().enumerate().for_each(|(b, r)| root.scatter(b, r, x));
}

/// Triples side by side; zeros fill up the last block, and stand for what is not finite.
pub(super) fn pack(triples: impl ExactSizeIterator<Item = Triple>, blocks: &mut Vec<Block>) {
    blocks.clear();
    blocks.resize(triples.len().div_ceil(LANES), [[0.0; LANES]; 3]);
    for (c, triple) in triples.enumerate().filter(|(_, t)| t.iter().all(|x| x.is_finite())) {
        (0..3).for_each(|i| blocks[c / LANES][i][c % LANES] = triple[i]);
    }
}

/// Impulses in the units of the metric, and back.
pub(super) fn pack_impulses(r: &[Triple], metric: &Metric, blocks: &mut Vec<Block>) {
    pack(r.iter().enumerate().map(|(c, r)| metric.impulse(c, r)), blocks);
}

pub(super) fn unpack_impulses(blocks: &[Block], metric: &Metric, r: &mut [Triple]) {
    for (c, r) in r.iter_mut().enumerate() {
        *r = metric.scale(c, &std::array::from_fn(|i| blocks[c / LANES][i][c % LANES]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::project_cone;
    use crate::judge::Judge;
    use crate::motion::root::Scaled;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    #[test]
    fn projections_are_those_of_the_cone() {
        let mut random = Random::new(5);
        for trial in 0..500 {
            let mut law = Law::default();
            let mut x = [[0.0; LANES]; 3];
            for l in 0..LANES {
                let mu = if trial % 5 == 0 { 0.0 } else { random.next().abs() };
                (law.mu[l], law.inverse_cone[l]) = (mu, 1.0 / (1.0 + mu * mu));
                x[0][l] = random.next();
                if trial % 3 > 0 {
                    (x[1][l], x[2][l]) = (random.next(), random.next());
                }
            }
            let p = law.project(&x);
            for l in 0..LANES {
                let expected = project_cone(&[x[0][l], x[1][l], x[2][l]], law.mu[l]);
                for i in 0..3 {
                    assert!((p[i][l] - expected[i]).abs() < 1e-15, "{x:?} {p:?}");
                }
            }
        }
    }

    #[test]
    fn the_error_is_the_judges_number() {
        for seed in 0..10 {
            // 30 contacts: the last block is half empty
            let problem = random_problem(seed, 12, 30);
            let mut random = Random::new(seed);
            let r: Vec<Triple> = (0..30)
                .map(|_| [random.next().abs(), 0.3 * random.next(), 0.3 * random.next()])
                .collect();
            let (mut laws, mut metric, mut blocks) =
                (Laws::default(), Metric::default(), Vec::new());
            metric.load(&problem);
            laws.load(&problem, &metric);
            pack_impulses(&r, &metric, &mut blocks);
            let mut x = vec![0.0; problem.coordinates()];
            let root = Scaled { problem: &problem, metric: &metric };
            motion(&root, &blocks, &mut x);
            let error = laws.error(&root, &blocks, &x);
            let judged = Judge::default().motion(&problem, &r).scaled;
            assert!((error / judged - 1.0).abs() < 1e-12, "{error} {judged}");
        }
    }

    #[test]
    fn what_is_not_finite_becomes_zero() {
        let mut blocks = Vec::new();
        pack([[1.0; 3], [1.0, f64::NAN, 2.0]].into_iter(), &mut blocks);
        assert_eq!(blocks, [[[1.0, 0.0, 0.0, 0.0]; 3]]);
    }
}
