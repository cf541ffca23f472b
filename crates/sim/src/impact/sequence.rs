//! One contact after the other, until none approaches.
//!
//! Guides and limits, which do not bounce, take part in every hit, and have one of their own before the first.

use super::hit::{Hit, hit, plastic, sum};
use super::report::{Course, PhaseReport};
use super::settings::ImpactSettings;
use super::space::ImpactSpace;
use crate::contact::law::LawWork;
use crate::step::StepError;

/// All hits together. `limit`: what approaches more slowly does not [m/s].
pub(super) fn sequence(
    impact: &mut ImpactSpace,
    u: &[f64],
    limit: f64,
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<(Option<Hit>, Course), StepError> {
    let mut u = u.to_vec();
    let mut all: Option<Hit> = None;
    if impact.has_others() {
        let others = hit_alone(impact, None, &u, settings, work)?;
        u = sum(&u, &impact.change(&others.p_c));
        all = Some(others);
    }
    for hits in 0..settings.max_hits {
        let Some(contact) = fastest(impact, &u, limit) else {
            return Ok((all, Course::Settled { hits }));
        };
        let one = hit_alone(impact, Some(contact), &u, settings, work)?;
        u = sum(&u, &impact.change(&sum(&one.p_c, &one.p_d)));
        all = Some(joined(all, one));
    }
    let hits = settings.max_hits;
    if fastest(impact, &u, limit).is_none() {
        return Ok((all, Course::Settled { hits }));
    }
    let last = plastic(impact, &u, settings, work)?;
    Ok((Some(joined(all, last)), Course::Truncated { hits }))
}

/// The contact that approaches fastest; of equals the first.
fn fastest(impact: &ImpactSpace, u: &[f64], limit: f64) -> Option<usize> {
    let (mut best, mut most) = (None, limit);
    for contact in 0..impact.space.k() {
        let speed = impact.approach(contact, u);
        if speed > most {
            (best, most) = (Some(contact), speed);
        }
    }
    best
}

/// One contact, with all guides and limits; or these alone.
fn hit_alone(
    impact: &ImpactSpace,
    contact: Option<usize>,
    u: &[f64],
    settings: &ImpactSettings,
    work: &mut LawWork,
) -> Result<Hit, StepError> {
    let (mut alone, rows) = impact.alone(contact);
    let u_alone: Vec<f64> = rows.iter().map(|&row| u[row]).collect();
    let one = hit(&mut alone, &u_alone, settings, work)?;
    let spread = |p: &[f64]| {
        let mut all = vec![0.0; u.len()];
        rows.iter().zip(p).for_each(|(&row, p)| all[row] = *p);
        all
    };
    Ok(Hit { p_c: spread(&one.p_c), p_d: spread(&one.p_d), ..one })
}

fn joined(all: Option<Hit>, one: Hit) -> Hit {
    let Some(all) = all else { return one };
    Hit {
        p_c: sum(&all.p_c, &one.p_c),
        p_d: sum(&all.p_d, &one.p_d),
        compression: PhaseReport::worse(all.compression, one.compression),
        decompression: PhaseReport::worse(all.decompression, one.decompression),
    }
}
