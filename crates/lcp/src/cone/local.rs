//! One contact, exactly: `u = W r + q` with a 3 × 3 (or 2 × 2) block W and Coulomb's law.
//!
//! Theory: `docs/theory/coulomb-cone.md`.
//!
//! # Method
//!
//! Three cases, tried in this order, the first that obeys the law wins:
//!
//! - **open**: `q_n ≥ 0`, `r = 0`;
//! - **stick**: `r = −W⁻¹ q` lies in the cone;
//! - **slip** along a unit vector d: `r = r_n (1, −μ d)`, `u_n = 0` gives
//!   `r_n = −q_n / (W_nn − μ W_nt·d)`, and `u_t ∥ d` is one equation for the angle of d. With
//!   `d = (1 − t², 2t) / (1 + t²)` it is a quartic in t; on `|t| ≤ 1` it covers a half circle, and
//!   the other half is the same quartic with two signs changed. All real roots are found by
//!   bracketing between the roots of its derivatives, so that none is missed.
//!
//! W need be neither symmetric nor regular. Several slipping solutions may exist (large μ, strong
//! coupling of n and t): the one whose direction is nearest to the warm start's is taken.
//!
//! # When it fails
//!
//! W = 0 with `q_n < 0`, or blocks without a solution (`W_nn ≤ μ‖W_nt‖`, Painlevé). The best of the
//! candidates is then improved by damped projections and returned as [`ContactMode::Approximate`].
//!
//! # Cost
//!
//! No trigonometry, no allocation; below 0.1 µs for open, 0.3 µs for stick, 0.9 µs for slip.

use super::{Triple, block_times, length, natural_map, norm, power_of_two, project_cone};

/// Which case of Coulomb's law the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMode {
    Open,
    Stick,
    Slip,
    /// No case fits; the answer is the best one found.
    Approximate,
}

/// An answer that misses the law by less than this, relative to its own size, is exact.
const EXACT: f64 = 4e-15;
/// An answer that misses the law by more is worth the projections.
const GOOD: f64 = 1e-12;

/// Solves one contact. W row by row in the order n, t1, t2; `r` is the warm start and the answer. A
/// planar contact has zeros in the third row and column and third entries.
pub fn solve_contact(W: &[f64; 9], q: &[f64; 3], mu: f64, r: &mut [f64; 3]) -> ContactMode {
    if q[0] >= 0.0 {
        *r = [0.0; 3];
        return ContactMode::Open;
    }
    // units in which W and q are about 1
    let unit_W = power_of_two(W.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
    let unit_q = power_of_two(q.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
    let contact = Contact { W: W.map(|x| x / unit_W), q: q.map(|x| x / unit_q), mu };
    let warm = r.map(|x| x * (unit_W / unit_q));
    let (answer, mode) = contact.solve(&warm);
    *r = answer.map(|x| x * (unit_q / unit_W));
    mode
}

struct Contact {
    W: [f64; 9],
    q: Triple,
    mu: f64,
}

/// The best answer so far.
struct Best {
    r: Triple,
    error: f64,
    mode: ContactMode,
}

impl Contact {
    fn solve(&self, warm: &Triple) -> (Triple, ContactMode) {
        let start = if warm.iter().all(|x| x.is_finite()) { *warm } else { [0.0; 3] };
        let start = project_cone(&start, self.mu);
        let mut best = Best { r: start, error: self.error(&start), mode: ContactMode::Approximate };
        if self.mu == 0.0 {
            self.offer([-self.q[0] / self.W[0], 0.0, 0.0], ContactMode::Slip, &mut best);
        } else {
            self.stick(&mut best);
            if best.mode != ContactMode::Stick || best.error > EXACT {
                self.slip(&start, &mut best);
            }
        }
        if best.error > GOOD {
            self.project(&mut best);
            best.mode = ContactMode::Approximate;
        }
        (best.r, best.mode)
    }

    /// By how much r misses Coulomb's law, relative to the size of r.
    fn error(&self, r: &Triple) -> f64 {
        let trace = self.W[0] + self.W[4] + self.W[8];
        let mass = if trace > 0.0 { 3.0 / trace } else { 1.0 };
        let w = block_times(&self.W, r);
        let u = [w[0] + self.q[0], w[1] + self.q[1], w[2] + self.q[2]];
        let size = norm(r) + mass * (norm(&self.q) + norm(&w));
        let error = natural_map(r, &u, self.mu, mass) / size;
        if error.is_finite() { error } else { f64::INFINITY }
    }

    fn offer(&self, r: Triple, mode: ContactMode, best: &mut Best) {
        let error = self.error(&r);
        if error < best.error && r[0] >= 0.0 {
            *best = Best { r, error, mode };
        }
    }

    /// `W r = −q` by elimination with row exchanges; a column without pivot leaves its unknown 0.
    fn stick(&self, best: &mut Best) {
        let mut A = [[0.0; 4]; 3];
        for i in 0..3 {
            A[i] = [self.W[3 * i], self.W[3 * i + 1], self.W[3 * i + 2], -self.q[i]];
        }
        for k in 0..3 {
            let mut row = k;
            for i in k + 1..3 {
                if A[i][k].abs() > A[row][k].abs() {
                    row = i;
                }
            }
            A.swap(k, row);
            if A[k][k].abs() <= 1e-15 {
                A[k][k] = 0.0;
                continue;
            }
            for i in k + 1..3 {
                let factor = A[i][k] / A[k][k];
                for j in k..4 {
                    A[i][j] -= factor * A[k][j];
                }
            }
        }
        let mut r = [0.0; 3];
        for k in (0..3).rev() {
            let mut sum = A[k][3];
            for j in k + 1..3 {
                sum -= A[k][j] * r[j];
            }
            r[k] = if A[k][k] == 0.0 { 0.0 } else { sum / A[k][k] };
        }
        if r[0] >= 0.0 && length(r[1], r[2]) <= self.mu * r[0] {
            self.offer(r, ContactMode::Stick, best);
        }
    }

    /// Offers every slipping candidate; the one nearest to the warm start's direction first.
    fn slip(&self, warm: &Triple, best: &mut Best) {
        let Self { W, q, mu } = self;
        // tangent axes turned so that the expected slip direction is the first one
        let along =
            if warm[1] != 0.0 || warm[2] != 0.0 { [-warm[1], -warm[2]] } else { [q[1], q[2]] };
        let size = length(along[0], along[1]);
        let e = if size > 0.0 { [along[0] / size, along[1] / size] } else { [1.0, 0.0] };
        let turn = |x: f64, y: f64| [e[0] * x + e[1] * y, -e[1] * x + e[0] * y];
        let (q_t, w_nt, w_tn) = (turn(q[1], q[2]), turn(W[1], W[2]), turn(W[3], W[6]));
        let rows = [turn(W[4], W[5]), turn(W[7], W[8])];
        let columns = [turn(rows[0][0], rows[1][0]), turn(rows[0][1], rows[1][1])];
        let T = [[columns[0][0], columns[1][0]], [columns[0][1], columns[1][1]]];

        // d⊥·[(W_nn − μ W_nt·d) q_t − q_n (W_tn − μ W_tt d)] = 0, d = (c, s): a linear part a and
        // c² k₁ + s² k₂ + c s k₃
        let a = [W[0] * q_t[0] - q[0] * w_tn[0], W[0] * q_t[1] - q[0] * w_tn[1]];
        let k1 = mu * (q[0] * T[1][0] - w_nt[0] * q_t[1]);
        let k2 = mu * (w_nt[1] * q_t[0] - q[0] * T[0][1]);
        let k3 = mu * (w_nt[0] * q_t[0] - w_nt[1] * q_t[1] + q[0] * (T[1][1] - T[0][0]));
        for half in [1.0, -1.0] {
            let a = [half * a[0], half * a[1]];
            let quartic =
                [a[1] + k1, 2.0 * (k3 - a[0]), 4.0 * k2 - 2.0 * k1, -2.0 * (k3 + a[0]), k1 - a[1]];
            let mut roots = Roots::of(&quartic);
            roots.sort_by_size();
            for &t in roots.all() {
                let (c, s) = (half * (1.0 - t * t) / (1.0 + t * t), half * 2.0 * t / (1.0 + t * t));
                let d = [e[0] * c - e[1] * s, e[1] * c + e[0] * s];
                let r_n = -q[0] / (W[0] - mu * (W[1] * d[0] + W[2] * d[1]));
                if r_n > 0.0 {
                    let r = [r_n, -mu * r_n * d[0], -mu * r_n * d[1]];
                    self.offer(r, ContactMode::Slip, best);
                }
                if best.error <= EXACT {
                    return;
                }
            }
        }
    }

    /// Damped projections from the best answer: `r ← P_K(r − ρ ũ)`, ρ halved when it does not help.
    fn project(&self, best: &mut Best) {
        let size = norm(&[self.W[0], self.W[4], self.W[8]]);
        let mut rho = if size > 0.0 { 1.0 / size } else { 1.0 };
        for _ in 0..200 {
            let w = block_times(&self.W, &best.r);
            let u = [w[0] + self.q[0], w[1] + self.q[1], w[2] + self.q[2]];
            let lifted = u[0] + self.mu * length(u[1], u[2]);
            let x = [best.r[0] - rho * lifted, best.r[1] - rho * u[1], best.r[2] - rho * u[2]];
            let before = best.error;
            self.offer(project_cone(&x, self.mu), ContactMode::Approximate, best);
            if best.error <= EXACT || rho < 1e-6 {
                break;
            }
            rho *= if best.error < before { 1.25 } else { 0.5 };
        }
    }
}

/// Real roots of a quartic in [−1, 1].
struct Roots {
    root: [f64; 12],
    count: usize,
}

impl Roots {
    fn all(&self) -> &[f64] {
        &self.root[..self.count]
    }

    fn push(&mut self, t: f64) {
        if self.count < self.root.len() {
            self.root[self.count] = t;
            self.count += 1;
        }
    }

    fn sort_by_size(&mut self) {
        self.root[..self.count].sort_unstable_by(|s, t| s.abs().total_cmp(&t.abs()));
    }

    /// Between two neighbouring roots of the derivative a polynomial is monotone: at most one root,
    /// seen by its change of sign. A root of the derivative where the polynomial is zero up to
    /// rounding counts as well (a double root).
    fn of(quartic: &[f64; 5]) -> Self {
        let mut found = Self { root: [0.0; 12], count: 0 };
        for degree in 1..=4 {
            // the (4 − degree)-th derivative
            let mut p = [0.0; 5];
            for k in 0..=degree {
                let order = 4 - degree;
                p[k] = (k + 1..=k + order).fold(quartic[k + order], |x, i| x * i as f64);
            }
            let p = &p[..=degree];
            let rounding = 1e-15 * p.iter().fold(0.0, |sum, x| sum + x.abs());
            let turning = found;
            found = Self { root: [0.0; 12], count: 0 };
            let mut left = -1.0;
            for &right in turning.all().iter().chain(&[1.0]) {
                let (at_left, at_right) = (value(p, left), value(p, right));
                if at_left.abs() <= rounding {
                    found.push(left);
                }
                if (at_left < 0.0) != (at_right < 0.0) {
                    found.push(bracketed_root(p, left, right));
                }
                left = right;
            }
            if value(p, 1.0).abs() <= rounding {
                found.push(1.0);
            }
        }
        found
    }
}

fn value(p: &[f64], t: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, p_k| sum * t + p_k)
}

/// Newton's method kept inside a bracket that shrinks at every step.
fn bracketed_root(p: &[f64], mut a: f64, mut b: f64) -> f64 {
    let rising = value(p, a) < value(p, b);
    let mut t = 0.5 * (a + b);
    for _ in 0..64 {
        let (mut f, mut slope) = (0.0, 0.0);
        for p_k in p.iter().rev() {
            slope = slope * t + f;
            f = f * t + p_k;
        }
        if (f < 0.0) == rising {
            a = t;
        } else {
            b = t;
        }
        let newton = t - f / slope;
        let next = if newton > a && newton < b { newton } else { 0.5 * (a + b) };
        if f == 0.0 || next == t {
            break;
        }
        if (next - t).abs() <= 1e-17 || b - a <= 1e-17 {
            t = next;
            break;
        }
        t = next;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::fixtures::{POINT_CASES, Random, judged};
    use crate::{FrictionProblem, MatX};

    fn judge(W: &[f64; 9], q: &Triple, mu: f64, r: &Triple) -> f64 {
        let W = MatX::from_row_slice(3, 3, W);
        judged(&FrictionProblem::new(3, W, q.to_vec(), vec![mu]).unwrap(), r)
    }

    /// `B Bᵀ + skew`, eigenvalues spread over `spread` decades.
    fn random_block(random: &mut Random, spread: i32, skew: f64) -> [f64; 9] {
        let B: [f64; 9] = std::array::from_fn(|_| random.signed());
        let s = random.uniform();
        let scale = [1.0, 10f64.powf(-f64::from(spread) * s), 10f64.powi(-spread)];
        let mut W = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                W[3 * i + j] = (0..3).map(|k| B[3 * i + k] * scale[k] * B[3 * j + k]).sum::<f64>();
            }
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let x = skew * random.signed() * (W[4 * i] * W[4 * j]).sqrt();
            W[3 * i + j] += x;
            W[3 * j + i] -= x;
        }
        W
    }

    #[test]
    fn a_point_mass_opens_sticks_and_slips() {
        let identity = [1., 0., 0., 0., 1., 0., 0., 0., 1.];
        let modes = [ContactMode::Open, ContactMode::Stick, ContactMode::Slip];
        for ((q, expected), mode) in POINT_CASES.into_iter().zip(modes) {
            let mut r = [0.0; 3];
            assert_eq!(solve_contact(&identity, &q, 0.5, &mut r), mode);
            assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-15), "{r:?} {expected:?}");
        }
    }

    #[test]
    fn random_blocks_are_solved_to_rounding() {
        let mut random = Random(1);
        let mut modes = [0; 4];
        for trial in 0..30_000 {
            let W = random_block(&mut random, trial % 4, if trial % 3 == 0 { 0.1 } else { 0.0 });
            let q = [random.signed(), random.signed(), random.signed()];
            let mu = [0.1, 0.5, 1.0, 0.0][trial as usize / 4 % 4];
            let mut r = [random.uniform(), 0.0, 0.0];
            let mode = solve_contact(&W, &q, mu, &mut r);
            modes[mode as usize] += 1;
            let size = norm(&block_times(&W.map(f64::abs), &r.map(f64::abs))) / norm(&q);
            let residual = judge(&W, &q, mu, &r);
            assert!(
                residual <= 1e-12 * size.max(1.0) || mode == ContactMode::Approximate,
                "trial {trial}: {mode:?} {residual} {size} W {W:?} q {q:?} mu {mu} r {r:?}"
            );
        }
        assert!(modes[0] > 10_000 && modes[1] > 500 && modes[2] > 5_000, "{modes:?}");
        assert_eq!(modes[3], 0, "a positive definite block has a solution");
    }

    #[test]
    fn ill_conditioned_blocks_are_solved() {
        let mut random = Random(2);
        for trial in 0..5_000 {
            let W = random_block(&mut random, 8 + trial % 5, 0.0);
            let q = [-random.uniform(), random.signed(), random.signed()];
            let mu = 0.5 * random.uniform();
            let mut r = [0.0; 3];
            let mode = solve_contact(&W, &q, mu, &mut r);
            let size = norm(&block_times(&W.map(f64::abs), &r.map(f64::abs))) + norm(&r);
            let residual = judge(&W, &q, mu, &r) * norm(&q);
            assert!(residual <= 1e-12 * size.max(1.0), "trial {trial}: {mode:?} {residual} {size}");
        }
    }

    #[test]
    fn huge_friction_and_planar_contacts() {
        let mut random = Random(3);
        for trial in 0..5_000 {
            let mut W = random_block(&mut random, 1, 0.0);
            let mut q = [-random.uniform(), random.signed(), random.signed()];
            let mut mu = 10f64.powf(5.0 * random.uniform());
            if trial % 2 == 0 {
                (W[2], W[5], W[6], W[7], W[8]) = (0.0, 0.0, 0.0, 0.0, 0.0);
                q[2] = 0.0;
                mu = 2.0 * random.uniform();
            }
            let mut r = [0.0; 3];
            let mode = solve_contact(&W, &q, mu, &mut r);
            let residual = judge(&W, &q, mu, &r);
            let size = (norm(&r) / norm(&q)).max(1.0);
            assert!(residual <= 1e-12 * size * mu.max(1.0), "{trial}: {mode:?} {residual} {mu}");
            assert!(trial % 2 == 1 || r[2] == 0.0);
        }
    }

    #[test]
    fn hopeless_contacts_end_finite_and_say_so() {
        let mut r = [f64::NAN, 1.0, 2.0];
        assert_eq!(
            solve_contact(&[0.0; 9], &[-1.0, 0.5, 0.0], 0.5, &mut r),
            ContactMode::Approximate
        );
        assert!(r.iter().all(|x| x.is_finite()));
        // Painlevé: W_nn < μ |W_nt| and the stick impulse outside the cone
        let W = [1., 10., 0., -10., 1., 0., 0., 0., 1.];
        let mut r = [0.0; 3];
        solve_contact(&W, &[-1.0, -9.0, 0.0], 0.3, &mut r);
        assert!(r.iter().all(|x| x.is_finite()));
        let mut r = [1.0; 3];
        assert_eq!(solve_contact(&[0.0; 9], &[0.0, 1.0, 0.0], 0.5, &mut r), ContactMode::Open);
        assert_eq!(r, [0.0; 3]);
    }

    #[test]
    fn units_do_not_change_a_bit() {
        let mut random = Random(5);
        for _ in 0..500 {
            let W = random_block(&mut random, 1, 0.0);
            let q = [-random.uniform(), random.signed(), random.signed()];
            let (mut r, mut scaled) = ([0.0; 3], [0.0; 3]);
            let mode = solve_contact(&W, &q, 0.3, &mut r);
            let (a, b) = (2f64.powi(40), 2f64.powi(-30));
            assert_eq!(mode, solve_contact(&W.map(|x| x * a), &q.map(|x| x * b), 0.3, &mut scaled));
            assert_eq!(r.map(|x| x * b / a), scaled);
        }
    }

    #[test]
    fn all_roots_of_a_quartic_are_found() {
        // (t − 0.5)(t + 0.25)(t − 0.75)(t + 0.9)
        let roots = [0.5, -0.25, 0.75, -0.9];
        let mut p = [1.0, 0.0, 0.0, 0.0, 0.0];
        for root in roots {
            for k in (0..5).rev() {
                p[k] = if k > 0 { p[k - 1] } else { 0.0 } - root * p[k];
            }
        }
        let found = Roots::of(&p);
        for root in roots {
            assert!(found.all().iter().any(|t| (t - root).abs() < 1e-14), "{root}");
        }
    }
}
