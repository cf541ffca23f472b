//! Residual of Coulomb's law, contact by contact.

use super::exact::Sum;
use super::{Judge, UNIT_ROUNDOFF, within};
use crate::friction::{FrictionProblem, GlobalFrictionProblem};

/// How far `r` is from exact Coulomb friction. All parts are zero exactly at a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionResidual {
    /// `‖r − P_K(r − ũ)‖₂`, `ũ = u + μ‖u_t‖ n`, over all contacts. Mixes the units of r and u, as
    /// the field does.
    pub natural: f64,
    /// `natural / ‖q‖₂` (not divided where q = 0): the number the field compares solvers by.
    pub scaled: f64,
    /// What rounding `r` to f64 alone may cost of `scaled`: half an ulp of the terms of u, and of r
    /// itself where it lies on its cone.
    pub floor: f64,
    /// Largest over the contacts of `‖r − P_K(r − m ũ)‖ / (‖r‖ + m·size)`, `m = 1 / mean W_ii` of
    /// the contact: free of units, and equal in its bits when units change by powers of two.
    pub scale_free: f64,
    /// Largest approaching speed `−u_n` [m/s].
    pub gap_velocity: f64,
    /// Largest negative normal impulse `−r_n` [N·s].
    pub negative_impulse: f64,
    /// Largest `|r_n u_n|` \[J\].
    pub complementarity: f64,
    /// Largest `‖r_t‖ − μ r_n` [N·s].
    pub cone_excess: f64,
    /// Largest `r_t·u_t + μ r_n ‖u_t‖` \[J\]: zero when friction opposes slip at its bound.
    pub misalignment: f64,
    /// `max |M v − q − H r|` of the global form [N·s]; zero for the local form.
    pub balance: f64,
}

/// Velocities and impulses belong together when momentum balances to this part of its terms.
const BALANCE: f64 = 1e-10;

impl FrictionResidual {
    pub const WORST: Self = Self {
        natural: f64::INFINITY,
        scaled: f64::INFINITY,
        floor: f64::INFINITY,
        scale_free: f64::INFINITY,
        gap_velocity: f64::INFINITY,
        negative_impulse: f64::INFINITY,
        complementarity: f64::INFINITY,
        cone_excess: f64::INFINITY,
        misalignment: f64::INFINITY,
        balance: f64::INFINITY,
    };

    const NONE: Self = Self {
        natural: 0.0,
        scaled: 0.0,
        floor: 0.0,
        scale_free: 0.0,
        gap_velocity: 0.0,
        negative_impulse: 0.0,
        complementarity: 0.0,
        cone_excess: 0.0,
        misalignment: 0.0,
        balance: 0.0,
    };

    /// `scaled ≤ max(tol, 3·floor)`; rounding excuses no more than [`super::FLOOR_CAP`].
    pub fn accepts(&self, tol: f64) -> bool {
        within(self.scaled, tol, self.floor)
    }
}

impl Judge {
    /// Judges impulses `r`. [`Judge::w`] gives the contact velocity `u = W r + q` afterwards.
    pub fn friction(&mut self, problem: &FrictionProblem, r: &[f64]) -> FrictionResidual {
        if !self.evaluate(problem.W(), r, problem.q()) {
            return FrictionResidual::WORST;
        }
        let (dim, mu) = (problem.dim(), problem.mu());
        let mass = |c: usize| {
            let trace: f64 = (c * dim..(c + 1) * dim).map(|i| problem.W().get(i, i)).sum();
            if trace > 0.0 { dim as f64 / trace } else { 0.0 }
        };
        self.coulomb((dim, mu), r, norm(problem.q()), mass)
    }

    /// Judges impulses and velocities of the global form; `u = Hᵀ v + b` is left in [`Judge::w`].
    pub fn global_friction(
        &mut self,
        problem: &GlobalFrictionProblem,
        (r, v): (&[f64], &[f64]),
        local: &FrictionProblem,
    ) -> FrictionResidual {
        let (dim, mu) = (problem.dim(), problem.mu());
        assert_eq!(v.len(), problem.q().len(), "v has the wrong length");
        assert_eq!(r.len(), problem.b().len(), "r has the wrong length");
        if !r.iter().chain(v).all(|x| x.is_finite()) {
            return FrictionResidual::WORST;
        }
        let mut balance: Vec<f64> = problem.q().iter().map(|q_i| -q_i).collect();
        let mut terms: Vec<f64> = problem.q().iter().map(|q_i| q_i.abs()).collect();
        for (j, &v_j) in v.iter().enumerate() {
            problem.M().for_column(j, |i, m_ij| {
                balance[i] += m_ij * v_j;
                terms[i] += (m_ij * v_j).abs();
            });
        }
        for (j, &r_j) in r.iter().enumerate() {
            problem.H().for_column(j, |i, h_ij| {
                balance[i] -= h_ij * r_j;
                terms[i] += (h_ij * r_j).abs();
            });
        }
        // sizes of the terms come from the local form; the velocity itself from v
        if !self.evaluate(local.W(), r, local.q()) {
            return FrictionResidual::WORST;
        }
        for i in 0..r.len() {
            let mut u_i = Sum::of(problem.b()[i]);
            problem.H().for_column(i, |k, h_ki| u_i.add_product(h_ki, v[k]));
            self.w[i] = u_i.value();
        }
        let mass = |c: usize| {
            let trace: f64 = (c * dim..(c + 1) * dim).map(|i| local.W().get(i, i)).sum();
            if trace > 0.0 { dim as f64 / trace } else { 0.0 }
        };
        let mut residual = self.coulomb((dim, mu), r, norm(local.q()), mass);
        residual.balance = balance.iter().fold(0.0, |m, x| nan_max(m, x.abs()));
        let largest = terms.iter().fold(0.0, |m, x| nan_max(m, *x));
        if !(residual.balance.is_finite() && largest.is_finite()) {
            return FrictionResidual::WORST;
        }
        if residual.balance > BALANCE * largest {
            (residual.natural, residual.scaled) = (f64::INFINITY, f64::INFINITY);
        }
        residual
    }

    pub(super) fn coulomb(
        &self,
        (dim, mu): (usize, &[f64]),
        r: &[f64],
        q_norm: f64,
        mass: impl Fn(usize) -> f64,
    ) -> FrictionResidual {
        let mut parts = FrictionResidual::NONE;
        for (c, &mu_c) in mu.iter().enumerate() {
            let rows = c * dim..(c + 1) * dim;
            let (r_c, u_c) = (triple(&r[rows.clone()]), triple(&self.w[rows.clone()]));
            let size = norm(&self.size[rows]);
            let (r_t, u_t) = (norm(&r_c[1..]), norm(&u_c[1..]));
            let shifted = [u_c[0] + mu_c * u_t, u_c[1], u_c[2]];

            let (e, hidden) = cone_map(&r_c, &shifted, mu_c, 1.0);
            // square by square, so that neither tiny nor huge units vanish or overflow
            parts.natural = norm(&[parts.natural, e]);
            parts.floor = norm(&[parts.floor, UNIT_ROUNDOFF * size, hidden]);
            let m = mass(c);
            let scale = norm(&r_c) + m * size;
            if scale > 0.0 && m > 0.0 {
                parts.scale_free =
                    nan_max(parts.scale_free, cone_map(&r_c, &shifted, mu_c, m).0 / scale);
            }
            parts.gap_velocity = parts.gap_velocity.max(-u_c[0]);
            parts.negative_impulse = parts.negative_impulse.max(-r_c[0]);
            parts.complementarity = parts.complementarity.max((r_c[0] * u_c[0]).abs());
            parts.cone_excess = parts.cone_excess.max(r_t - mu_c * r_c[0]);
            let power = r_c[1] * u_c[1] + r_c[2] * u_c[2] + mu_c * r_c[0] * u_t;
            parts.misalignment = parts.misalignment.max(power.abs());
        }
        let q_norm = if q_norm > 0.0 { q_norm } else { 1.0 };
        parts.scaled = parts.natural / q_norm;
        parts.floor /= q_norm;
        if parts.natural.is_nan() { FrictionResidual::WORST } else { parts }
    }
}

fn nan_max(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Squares between this and its inverse lose nothing that counts: what vanishes of a sum is 2²²² times smaller.
const SMALLEST_SQUARE: f64 = f64::from_bits((1023 - 800) << 52); // 2⁻⁸⁰⁰

pub(super) fn norm(x: &[f64]) -> f64 {
    let square: f64 = x.iter().map(|x_i| x_i * x_i).sum();
    if (SMALLEST_SQUARE..1.0 / SMALLEST_SQUARE).contains(&square) {
        return square.sqrt();
    }
    // scaled by a power of two, so that squares neither overflow nor vanish and bits survive units
    let largest = x.iter().fold(0.0_f64, |m, x_i| nan_max(m, x_i.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let exponent = (((largest.to_bits() >> 52) & 0x7ff) as i64 - 1023).clamp(-1000, 1000);
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    let (scale, inverse) = (power(exponent), power(-exponent));
    scale * x.iter().map(|x_i| (x_i * inverse) * (x_i * inverse)).sum::<f64>().sqrt()
}

/// (n, t1, t2); a planar contact has t2 = 0.
fn triple(x: &[f64]) -> [f64; 3] {
    [x[0], x[1], x.get(2).copied().unwrap_or(0.0)]
}

/// `‖r − P_K(r − m ũ)‖` with K the cone `‖r_t‖ ≤ μ r_n`, and what rounding may hide of it.
fn cone_map(r: &[f64; 3], shifted: &[f64; 3], mu: f64, m: f64) -> (f64, f64) {
    let step = [m * shifted[0], m * shifted[1], m * shifted[2]];
    let x = [r[0] - step[0], r[1] - step[1], r[2] - step[2]];
    let tangent = norm(&x[1..]);
    // without friction, μ x_n is zero for every x_n
    if x[0] >= 0.0 && tangent <= mu * x[0] {
        // inside: the difference is the step itself, however large r is
        return (norm(&step), 0.0);
    }
    if mu * tangent <= -x[0] {
        return (norm(r), 0.0);
    }
    let n = (x[0] + mu * tangent) / (1.0 + mu * mu);
    let shrink = if tangent > 0.0 { mu * n / tangent } else { 0.0 };
    let difference = [r[0] - n, r[1] - shrink * x[1], r[2] - shrink * x[2]];
    (norm(&difference), UNIT_ROUNDOFF * norm(r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    /// One contact of a unit mass that would move with velocity `q`.
    fn point(mu: f64, q: [f64; 3]) -> FrictionProblem {
        FrictionProblem::new(3, MatX::identity(3, 3), q.to_vec(), vec![mu]).unwrap()
    }

    #[test]
    fn open_stick_and_slip_by_hand() {
        let cases = [
            ("opens", [1., 3., 0.], [0., 0., 0.]),
            ("sticks", [-2., 0.6, -0.8], [2., -0.6, 0.8]),
            ("slips", [-2., 3., 4.], [2., -0.6, -0.8]), // |r_t| = μ r_n = 1, against (3, 4)
        ];
        for (name, q, r) in cases {
            let residual = Judge::default().friction(&point(0.5, q), &r);
            assert!(residual.natural < 1e-15 && residual.scale_free < 1e-15, "{name} {residual:?}");
            assert!(residual.accepts(1e-12), "{name}");
        }
    }

    #[test]
    fn a_contact_without_friction_does_not_pull() {
        // W r + q = 0 with a pulling r: no approach, no excess, and yet no contact
        let problem = point(0.0, [0.9, 0., 0.]);
        let pulled = Judge::default().friction(&problem, &[-0.9, 0., 0.]);
        assert!(pulled.negative_impulse == 0.9 && !pulled.accepts(1e-3), "{pulled:?}");
        assert!(Judge::default().friction(&problem, &[0.; 3]).accepts(1e-15));
    }

    #[test]
    fn wrong_answers_are_named() {
        let problem = point(0.5, [-2., 3., 4.]);
        let mut judge = Judge::default();
        assert_eq!(judge.friction(&problem, &[0., 0., 0.]).gap_velocity, 2.0);
        // friction at its bound, but along the slip instead of against it
        let along = judge.friction(&problem, &[2., 0.6, 0.8]);
        assert!(along.misalignment > 11.9 && !along.accepts(1e-6));
        let outside = judge.friction(&problem, &[2., -3., -4.]);
        assert_eq!(outside.cone_excess, 4.0);
        // what the convex relaxation answers: slip with lift-off is not Coulomb
        assert!(!judge.friction(&problem, &[2.8, -0.84, -1.12]).accepts(1e-6));
    }

    #[test]
    fn velocities_that_do_not_belong_to_the_impulses_are_refused() {
        let (M, H) = (MatX::identity(3, 3) * 2.0, MatX::identity(3, 3));
        let q = vec![-4., 1.2, -1.6];
        let global = GlobalFrictionProblem::new((3, vec![0.5]), M, H, q, vec![0.0; 3]).unwrap();
        let local = global.condense().unwrap();
        let mut judge = Judge::default();
        let r = [4., -1.2, 1.6];
        assert!(judge.global_friction(&global, (&r, &[0.0; 3]), &local).accepts(1e-12));
        // nothing moves, says v; but without impulses everything would
        let idle = judge.global_friction(&global, (&[0.0; 3], &[0.0; 3]), &local);
        assert!(idle.balance == 4.0 && !idle.accepts(1e-3), "{idle:?}");
    }

    #[test]
    fn tiny_units_do_not_make_a_wrong_answer_right() {
        // squares of 1e-200 are zero in f64
        for unit in [1e-200, 1e200] {
            let q = vec![-2.0 * unit, 3.0 * unit, 4.0 * unit];
            let problem = FrictionProblem::new(3, MatX::identity(3, 3), q, vec![0.5]).unwrap();
            assert!(!Judge::default().friction(&problem, &[0.0; 3]).accepts(1e-3));
            let right = [2.0 * unit, -0.6 * unit, -0.8 * unit];
            assert!(Judge::default().friction(&problem, &right).accepts(1e-12));
        }
    }

    #[test]
    fn a_huge_impulse_does_not_hide_an_approaching_velocity() {
        // no solution: the normal impulse moves nothing. 3.8e22 − (−1) is 3.8e22 in f64
        let W = MatX::from_diagonal(&nalgebra::DVector::from_vec(vec![0., 1., 1.]));
        let problem = FrictionProblem::new(3, W, vec![-1., 0., 0.], vec![0.5]).unwrap();
        for r in [[3.8e22, 0., 0.], [3.8e22, 1.9e22, 0.], [3.8e22, 1e22, 0.]] {
            assert!(!Judge::default().friction(&problem, &r).accepts(1e-9), "{r:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_never_a_solution() {
        let problem = point(0.5, [-2., 0.6, -0.8]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for i in 0..3 {
                let mut r = [2., -0.6, 0.8];
                r[i] = bad;
                assert_eq!(Judge::default().friction(&problem, &r), FrictionResidual::WORST);
            }
        }
    }

    #[test]
    fn scale_free_keeps_its_bits_under_powers_of_two() {
        let (W, q, r) =
            ([2., 0.3, 0., 0.3, 1., 0.1, 0., 0.1, 1.5], [-2., 3., 4.], [0.9, -0.3, 0.2]);
        let judge = |scale_r: f64, scale_u: f64| {
            let W = MatX::from_row_slice(3, 3, &W) * (scale_u / scale_r);
            let q = q.iter().map(|x| x * scale_u).collect();
            let problem = FrictionProblem::new(3, W, q, vec![0.5]).unwrap();
            Judge::default().friction(&problem, &r.map(|x| x * scale_r)).scale_free
        };
        let plain = judge(1.0, 1.0);
        assert!(plain > 1e-3);
        assert_eq!(plain.to_bits(), judge(2f64.powi(20), 2f64.powi(-10)).to_bits());
    }

    #[test]
    fn every_part_is_measured_in_its_own_unit() {
        let mut judge = Judge::default();
        let falling = judge.friction(&point(0.5, [-2., 0., 0.]), &[0.; 3]);
        assert_eq!((falling.natural, falling.scaled), (2.0, 1.0));
        assert_eq!(falling.floor, UNIT_ROUNDOFF);
        let pulled = judge.friction(&point(0.5, [3., 0., 0.]), &[-1., 0., 0.]);
        assert_eq!((pulled.negative_impulse, pulled.complementarity), (1.0, 2.0));
        // nothing moves, so that there is no ‖q‖ to divide by
        let still = judge.friction(&point(0.5, [0.; 3]), &[1., 0., 0.]);
        assert_eq!((still.natural, still.scaled), (1.0, 1.0));
    }

    #[test]
    fn every_contact_counts() {
        let q = vec![-2., 0., 0., -2., 0., 0.];
        let problem = FrictionProblem::new(3, MatX::identity(6, 6), q, vec![0.5; 2]).unwrap();
        let mut judge = Judge::default();
        assert!(judge.friction(&problem, &[2., 0., 0., 2., 0., 0.]).accepts(1e-12));
        for r in [[1., 0., 0., 2., 0., 0.], [2., 0., 0., 1., 0., 0.]] {
            assert_eq!(judge.friction(&problem, &r).natural, 1.0);
        }
    }

    #[test]
    fn the_global_form_is_judged_by_its_own_velocities() {
        // 2 kg fall with 3 m/s onto the ground: M v = q + H r, u = Hᵀ v + b
        let (M, H) = (MatX::identity(3, 3) * 2.0, MatX::identity(3, 3));
        let (q, b) = (vec![-6., 0.5, 0.], vec![0.25, 0., 0.]);
        let problem = GlobalFrictionProblem::new((3, vec![0.5]), M, H, q, b).unwrap();
        let local = problem.condense().unwrap();
        let mut judge = Judge::default();
        let (r, v) = ([5.5, -0.5, 0.], [-0.25, 0., 0.]);
        let residual = judge.global_friction(&problem, (&r, &v), &local);
        assert!(residual.natural < 1e-15 && residual.balance == 0.0, "{residual:?}");
        assert_eq!(judge.w(), [0., 0., 0.]);
        // impulses or velocities that do not belong together
        for (r, v, balance) in
            [([5.5, -0.5, 0.], [0.75, 0., 0.], 2.0), ([5.0, -0.5, 0.], [-0.25, 0., 0.], 0.5)]
        {
            let residual = judge.global_friction(&problem, (&r, &v), &local);
            assert!(residual.balance == balance && !residual.accepts(1e-3));
        }
        for bad in [f64::NAN, f64::INFINITY] {
            let residual = judge.global_friction(&problem, (&r, &[-0.25, bad, 0.]), &local);
            assert_eq!(residual, FrictionResidual::WORST);
            let residual = judge.global_friction(&problem, (&[5.5, bad, 0.], &v), &local);
            assert_eq!(residual, FrictionResidual::WORST);
        }
    }
}
