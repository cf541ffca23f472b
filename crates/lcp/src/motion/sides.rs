//! Several right sides at once, of which a few coordinates are asked.
//!
//! Where the right sides and what is asked of the solutions stand on a few nodes, only the fronts of these and those above them on the way to the root have a
//! say: each front is read once for all right sides, and the others not at all.

use super::factor::Factor;

/// Right sides that are solved together.
pub(super) const LANES: usize = 8;
pub(super) type Lanes = [f64; LANES];

/// Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct SidesWork {
    is_needed: Vec<bool>,
    part: Vec<Lanes>,
}

impl Factor {
    /// Marks the fronts on the ways from these coordinates to the root.
    pub(super) fn need(&self, is_asked: &[bool], work: &mut SidesWork) {
        work.is_needed.clear();
        for front in &self.symbolic.fronts {
            let own = front.coordinates[..front.pivots].iter().any(|&i| is_asked[i]);
            let is_needed = own || front.children.iter().any(|&child| work.is_needed[child]);
            work.is_needed.push(is_needed);
        }
    }

    /// The coordinates of these fronts, those of the asked ones among them.
    pub(super) fn needed<'a>(&'a self, work: &'a SidesWork) -> impl Iterator<Item = usize> + 'a {
        let fronts = self.symbolic.fronts.iter().zip(&work.is_needed);
        let own = fronts.filter(|(_, is_needed)| **is_needed).map(|(front, _)| front);
        own.flat_map(|front| front.coordinates[..front.pivots].iter().copied())
    }

    /// Zeros where a solve has written.
    pub(super) fn clear_sides(&self, work: &SidesWork, x: &mut [Lanes]) {
        self.needed(work).for_each(|i| x[i] = [0.0; LANES]);
    }

    /// `x ← (I + B D C)⁻¹ x`, right at the coordinates that are needed; x is zero at the others, and is not to be read there.
    pub(super) fn solve_sides(&self, work: &mut SidesWork, x: &mut [Lanes]) {
        let (mut low, mut swap, mut up) = (0, 0, 0);
        for (front, &is_needed) in self.symbolic.fronts.iter().zip(&work.is_needed) {
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            if is_needed {
                let part = gather(&front.coordinates, x, &mut work.part);
                if !self.is_symmetric {
                    (0..pivots).for_each(|k| part.swap(k, self.swaps[swap + k]));
                }
                for k in 0..pivots {
                    let column = &self.lower[low + k * n + k + 1..low + (k + 1) * n];
                    let (head, tail) = part.split_at_mut(k + 1);
                    tail.iter_mut().zip(column).for_each(|(x, l)| subtract(x, *l, &head[k]));
                }
                scatter(&front.coordinates, part, x);
            }
            (low, swap, up) = (low + n * pivots, swap + pivots, up + pivots * (n - pivots));
        }
        for (front, &is_needed) in self.symbolic.fronts.iter().zip(&work.is_needed).rev() {
            let (n, pivots) = (front.coordinates.len(), front.pivots);
            (low, up) = (low - n * pivots, up - pivots * (n - pivots));
            if !is_needed {
                continue;
            }
            let part = gather(&front.coordinates, x, &mut work.part);
            let lower = &self.lower[low..low + n * pivots];
            if self.is_symmetric {
                for k in (0..pivots).rev() {
                    let (head, tail) = part.split_at_mut(k + 1);
                    divide(&mut head[k], lower[k * n + k]);
                    let column = &lower[k * n + k + 1..(k + 1) * n];
                    tail.iter().zip(column).for_each(|(x, l)| subtract(&mut head[k], *l, x));
                }
            } else {
                let rows = &self.upper[up..up + pivots * (n - pivots)];
                for k in 0..pivots {
                    let (head, tail) = part.split_at_mut(pivots);
                    let row = &rows[k * (n - pivots)..(k + 1) * (n - pivots)];
                    tail.iter().zip(row).for_each(|(x, u)| subtract(&mut head[k], *u, x));
                }
                for k in (0..pivots).rev() {
                    let (head, tail) = part.split_at_mut(k);
                    divide(&mut tail[0], lower[k * n + k]);
                    let column = &lower[k * n..k * n + k];
                    head.iter_mut().zip(column).for_each(|(x, u)| subtract(x, *u, &tail[0]));
                }
            }
            scatter(&front.coordinates[..pivots], part, x);
        }
    }
}

#[inline(always)]
fn subtract(x: &mut Lanes, factor: f64, y: &Lanes) {
    (0..LANES).for_each(|l| x[l] -= factor * y[l]);
}

#[inline(always)]
fn divide(x: &mut Lanes, by: f64) {
    x.iter_mut().for_each(|x| *x /= by);
}

fn gather<'a>(coordinates: &[usize], x: &[Lanes], part: &'a mut Vec<Lanes>) -> &'a mut [Lanes] {
    part.clear();
    part.extend(coordinates.iter().map(|&i| x[i]));
    part
}

fn scatter(coordinates: &[usize], part: &[Lanes], x: &mut [Lanes]) {
    coordinates.iter().zip(part).for_each(|(&i, part)| x[i] = *part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    #[test]
    fn a_few_coordinates_of_many_solutions_are_those_of_each() {
        for seed in 0..20 {
            let problem = random_problem(seed, 30, 60);
            let (mut factor, mut work) = (Factor::default(), SidesWork::default());
            factor.analyse(&problem);
            let mut random = Random::new(seed);
            let is_symmetric = seed % 2 == 0;
            let mut block = |_| {
                let (a, b) = (random.next().abs(), random.next());
                let skew = if is_symmetric { 0.0 } else { 0.3 * b };
                [a, 0.0, 0.0, skew, a, 0.0, 0.0, 0.0, a]
            };
            let D: Vec<_> = (0..60).map(&mut block).collect();
            assert!(factor.factor(&problem, &D, is_symmetric));
            let n = problem.coordinates();
            let mut is_asked = vec![false; n];
            let mut x = vec![[0.0; LANES]; n];
            for i in [1, n / 3, n / 2] {
                is_asked[i] = true;
                x[i] = std::array::from_fn(|_| random.next());
            }
            let each: Vec<Vec<f64>> =
                (0..LANES).map(|l| x.iter().map(|x| x[l]).collect()).collect();
            factor.need(&is_asked, &mut work);
            factor.solve_sides(&mut work, &mut x);
            for (l, mut one) in each.into_iter().enumerate() {
                factor.solve(&mut one);
                for i in (0..n).filter(|&i| is_asked[i]) {
                    assert!((one[i] - x[i][l]).abs() < 1e-12, "{seed}: {} {}", one[i], x[i][l]);
                }
            }
        }
    }
}
