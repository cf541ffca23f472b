//! [AP]'s assumptions (a)–(d), asked of an impact.

use super::report::Assumptions;
use super::space::ImpactSpace;
use crate::contact::law::Law;

/// Of the velocities u before the impact. What moves at `limit` or less is at rest [m/s]. Joint limits count as contacts with
/// e = 0; guides as joints, once they have no friction.
pub(super) fn assumptions(
    impact: &ImpactSpace,
    u: &[f64],
    limit: f64,
    friction: &Law,
) -> Assumptions {
    let contacts = impact.space.contacts.iter();
    let has_friction = *friction != Law::Frictionless
        && contacts.map(|contact| contact.mu_s).any(|mu_s| mu_s > 0.0);
    let one_sided = (0..impact.e.len()).filter(|&block| impact.is_one_sided(block));
    let (approaching, others): (Vec<usize>, Vec<usize>) =
        one_sided.partition(|&block| impact.approach(block, u) > limit);
    let e = |block: &usize| impact.e[*block];
    let largest = approaching.iter().map(e).fold(0.0, f64::max);
    Assumptions {
        frictionless: !has_friction,
        one_restitution: approaching.iter().all(|block| e(block) == largest),
        none_larger: others.iter().all(|block| e(block) <= largest),
        others_at_rest: others.iter().all(|&block| u[impact.normal(block)].abs() <= limit),
    }
}
