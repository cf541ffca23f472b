//! One hit: everything in an [`ImpactSpace`] at once, by the law of the settings.
//!
//! ```text
//!  compression     u^c = u⁻ + W p^c              0 ≤ p_n^c ⊥ u_n^c ≥ 0, friction with p_n^c
//!  decompression   u⁺  = u^c + W (e p_n^c n + p^x)   0 ≤ p_n^x ⊥ u_n⁺ ≥ 0, friction with p_n^x      Poisson
//!                  p^d = ε p^c                                                                closed form
//!  at once         u⁺  = u⁻ + W p                0 ≤ p_n ⊥ u_n⁺ + e u_n⁻ ≥ 0, friction with p_n     Newton
//! ```

use stiction_lcp::Verdict;

use super::report::PhaseReport;
use super::settings::{ImpactLaw, ImpactSettings};
use super::space::{ImpactSpace, without_memory};
use crate::contact::Strictness;
use crate::contact::law::{self, LawWork};
use crate::contact::space::{ContactSpace, Sides};
use crate::step::StepError;

/// Asked of each solve once it has an answer: an impact is felt in all of the motion after it, and costs one or two solves.
const FINE: f64 = 1e-13;

/// Impulses of a hit, and who found them.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) p_c: Vec<f64>,
    pub(super) p_d: Vec<f64>,
    pub(super) compression: Option<PhaseReport>,
    pub(super) decompression: Option<PhaseReport>,
}

impl Hit {
    /// No impulses in m rows.
    pub(super) fn nothing(m: usize) -> Self {
        let p = vec![0.0; m];
        Self { p_c: p.clone(), p_d: p, compression: None, decompression: None }
    }
}

/// The hit by the law of the settings, from the velocities u.
pub(super) fn hit(
    impact: &mut ImpactSpace,
    u: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    let island = impact.islands();
    let e = impact.restitutions(u, &island, settings.v_threshold);
    match settings.law {
        ImpactLaw::Newton => newton(impact, u, &e, settings, work),
        ImpactLaw::Poisson => poisson(impact, u, &e, settings, work),
        ImpactLaw::ClosedForm => closed_form(impact, u, (&e, &island), settings, work),
        ImpactLaw::Dissipative => {
            let mut hit = poisson(impact, u, &e, settings, work)?;
            let rows = impact.islands_of_rows(&island);
            scale_decompression(impact, u, &rows, &mut hit);
            Ok(hit)
        }
    }
}

/// Compression alone: nothing comes back.
pub(super) fn plastic(
    impact: &mut ImpactSpace,
    u: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    let (p_c, compression) = solve(impact, u, u, settings, work)?;
    let p_d = vec![0.0; p_c.len()];
    Ok(Hit { p_c, p_d, compression: Some(compression), decompression: None })
}

fn newton(
    impact: &mut ImpactSpace,
    u: &[f64],
    e: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    for block in 0..impact.space.k() {
        impact.space.contacts[block].d_n = -e[block] * impact.approach(block, u);
    }
    let result = plastic(impact, u, settings, work);
    impact.space.contacts.iter_mut().for_each(|contact| contact.d_n = 0.0);
    result
}

fn poisson(
    impact: &mut ImpactSpace,
    u: &[f64],
    e: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    let mut hit = plastic(impact, u, settings, work)?;
    for (block, e) in e.iter().enumerate().filter(|(_, e)| **e > 0.0) {
        let n = impact.normal(block);
        hit.p_d[n] = e * hit.p_c[n];
    }
    // what nothing is returned to stays as it is
    if hit.p_d.iter().any(|p| *p != 0.0) {
        let u_c = sum(u, &impact.change(&hit.p_c));
        let u_free = sum(&u_c, &impact.change(&hit.p_d));
        let (p_x, report) = solve(impact, &u_c, &u_free, settings, work)?;
        hit.p_d = sum(&hit.p_d, &p_x);
        hit.decompression = Some(report);
    }
    Ok(hit)
}

fn closed_form(
    impact: &mut ImpactSpace,
    u: &[f64],
    (e, island): (&[f64], &[usize]),
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    let mut hit = plastic(impact, u, settings, work)?;
    let mut eps = vec![0.0_f64; e.len()];
    for (block, &own) in island.iter().enumerate() {
        if hit.p_c[impact.normal(block)] > 0.0 {
            eps[own] = eps[own].max(e[block]);
        }
    }
    let rows = impact.islands_of_rows(island);
    hit.p_d = hit.p_c.iter().zip(&rows).map(|(p, &own)| eps[own] * p).collect();
    Ok(hit)
}

/// Shortens the decompression of each island to the largest share s ≤ 1 with
///
/// ```text
///  ΔK(s) = p^c·(u⁻ + u^c)/2 + s p^d·u^c + s² p^d·W p^d/2 ≤ 0
/// ```
///
/// s = 0 is a solution, since compression gains nothing, and ΔK is convex in s.
fn scale_decompression(impact: &ImpactSpace, u: &[f64], island: &[usize], hit: &mut Hit) {
    let u_c = sum(u, &impact.change(&hit.p_c));
    let du_d = impact.change(&hit.p_d);
    let mut parts = vec![[0.0; 3]; impact.e.len()];
    for (i, &own) in island.iter().enumerate() {
        let (p_c, p_d) = (hit.p_c[i], hit.p_d[i]);
        parts[own][0] += 0.5 * p_c * (u[i] + u_c[i]);
        parts[own][1] += p_d * u_c[i];
        parts[own][2] += 0.5 * p_d * du_d[i];
    }
    for (p_d, &own) in hit.p_d.iter_mut().zip(island) {
        *p_d *= largest_share(parts[own]);
    }
}

/// The largest s in [0, 1] with `c + b s + a s² ≤ 0`, where c ≤ 0 ≤ a but for rounding.
fn largest_share([c, b, a]: [f64; 3]) -> f64 {
    if c + b + a <= 0.0 {
        return 1.0;
    }
    let c = if c < 0.0 { c } else { 0.0 };
    let root = libm::sqrt((b * b - 4.0 * a * c).max(0.0));
    // without cancellation in either case
    let s = if b >= 0.0 { -2.0 * c / (b + root) } else { (root - b) / (2.0 * a) };
    // 0/0: nothing was lost and nothing may come back
    if s >= 0.0 { s.min(1.0) } else { 0.0 }
}

/// Impulses of the friction law on `W p + u_free`, for contacts that slip as in u.
fn solve(
    impact: &mut ImpactSpace,
    u: &[f64],
    u_free: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<(Vec<f64>, PhaseReport), StepError> {
    let space = &mut impact.space;
    for (contact, u) in space.contacts.iter_mut().zip(u.chunks_exact(3)) {
        contact.u_t = [u[1], u[2]];
    }
    space.u_free.clear();
    space.u_free.extend_from_slice(u_free);
    let law = without_memory(&settings.friction);
    let mut answer = law::solve_with(space, &law, settings.solver, settings.tol, work)
        .map_err(StepError::Law)?;
    if answer.verdict == Verdict::Certified && !(answer.problem <= FINE) {
        remember(space, &answer.p);
        let finer =
            law::solve_with(space, &law, settings.solver, FINE, work).map_err(StepError::Law)?;
        remember(space, &vec![0.0; answer.p.len()]);
        if finer.verdict == Verdict::Certified {
            answer = finer;
        }
    }
    if matches!(answer.verdict, Verdict::NoSolution(_)) {
        return Err(StepError::NoSolution);
    }
    let report = PhaseReport::of(&answer);
    if !report.certified && settings.strictness == Strictness::Strict {
        return Err(StepError::Uncertified(answer.refusal()));
    }
    Ok((answer.p, report))
}

/// Impulses to start from.
fn remember(space: &mut ContactSpace, p: &[f64]) {
    for (contact, p) in space.contacts.iter_mut().zip(p.chunks_exact(3)) {
        let lambda = [p[0] / space.h, p[1] / space.h, p[2] / space.h];
        // rounding may leave −1e-17 where bodies do not pull
        let is_force = lambda[0] > 0.0 || contact.sides == Sides::Both;
        contact.lambda_n = if is_force { lambda[0] } else { 0.0 };
        contact.lambda_t = [lambda[1], lambda[2]];
    }
}

pub(super) fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_the_root_of_its_parabola_or_all() {
        assert_eq!(largest_share([-1.0, 0.5, 0.5]), 1.0);
        for parts in [[-1.0, 1.0, 1.0], [-0.1, -0.2, 2.0], [-1e-9, 3.0, 0.0], [-2.0, 0.0, 8.0]] {
            let s = largest_share(parts);
            let [c, b, a] = parts;
            // some roundings of terms of size 1
            assert!(s > 0.0 && s < 1.0 && (c + s * (b + s * a)).abs() < 1e-15, "{s}");
        }
        // nothing lost, nothing to give
        assert_eq!(largest_share([0.0, 0.0, 1.0]), 0.0);
        assert_eq!(largest_share([1e-30, 1.0, 1.0]), 0.0);
        assert_eq!(largest_share([f64::NAN, 1.0, 1.0]), 0.0);
    }
}
