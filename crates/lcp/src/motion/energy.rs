//! No energy from nowhere: impulses that are not certified are made smaller until they take energy out.

use super::space::Space;
use crate::cone::Triple;

/// How much of the impulses r may act: 1 where they do not add kinetic energy, else the part that takes out most. x is memory.
///
/// Impulses do the work `½ ‖H r‖² + r·q` [J] on velocities q, measured from the ground that they push against. Coulomb's law has `r·u ≤ 0`
/// with `u = W r + q`, so the work of every exact answer is at most `−½ ‖H r‖²`. Scaled impulses stay in their cones.
pub(super) fn dissipative_part(problem: &impl Space, r: &[Triple], x: &mut Vec<f64>) -> f64 {
    x.clear();
    x.resize(problem.coordinates(), 0.0);
    problem.motion(r, x);
    let square = problem.square(x);
    let power: f64 =
        r.iter().zip(problem.q()).map(|(r, q)| r[0] * q[0] + r[1] * q[1] + r[2] * q[2]).sum();
    if 0.5 * square + power <= 0.0 {
        return 1.0;
    }
    let part = -power / square;
    // not a number: no impulse
    if part > 0.0 && part <= 1.0 { part } else { 0.0 }
}
