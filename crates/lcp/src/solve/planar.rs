//! Planar friction as an LCP: a cone of two rays is a pyramid of two facets, exactly, and Lemke's path ends where Newton meets folds.
//!
//! ```text
//!  z = (p_n, β₊, β₋, s) ,    r_t = β₊ − β₋ ,    0 ≤ μ p_n − β₊ − β₋ ⊥ s ≥ 0 ,    0 ≤ ±u_t + s ⊥ β± ≥ 0
//! ```

use crate::friction::FrictionProblem;
use crate::lemke::{LemkeSettings, LemkeWorkspace, lemke};
use crate::matrix::Csc;
use crate::problem::BoxLcp;
use crate::report::{Report, Stop};

/// Lemke's path on the LCP of a planar problem; `r` is the answer on return. None if the problem is not planar.
pub(crate) fn planar_lemke(
    problem: &FrictionProblem,
    max_pivots: usize,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Option<Report> {
    let lcp = (problem.dim() == 2).then(|| as_lcp(problem)).flatten()?;
    let settings = LemkeSettings { max_pivots, ..Default::default() };
    let mut z = vec![0.0; lcp.n()];
    let report = lemke(&lcp, &settings, &mut LemkeWorkspace::default(), stop, &mut z);
    for (r, z) in r.chunks_exact_mut(2).zip(z.chunks_exact(4)) {
        r.copy_from_slice(&[z[0], z[1] - z[2]]);
    }
    Some(report)
}

/// Where row i of the contacts stands in the LCP, and with which signs.
fn places(i: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
    let at = 4 * (i / 2);
    let (first, second) =
        if i.is_multiple_of(2) { ((at, 1.0), None) } else { ((at + 1, 1.0), Some((at + 2, -1.0))) };
    std::iter::once(first).chain(second)
}

fn as_lcp(problem: &FrictionProblem) -> Option<BoxLcp> {
    let n = 4 * problem.contacts();
    let mut entries = Vec::new();
    let mut b = vec![0.0; n];
    for j in 0..problem.n() {
        problem.W().for_column(j, |i, w| {
            for (column, sign_j) in places(j) {
                entries.extend(places(i).map(|(row, sign)| (row, column, sign * sign_j * w)));
            }
        });
        places(j).for_each(|(row, sign)| b[row] = sign * problem.q()[j]);
    }
    for (c, &mu) in problem.mu().iter().enumerate() {
        let at = 4 * c;
        for facet in [at + 1, at + 2] {
            entries.push((facet, at + 3, 1.0));
            entries.push((at + 3, facet, -1.0));
        }
        entries.push((at + 3, at, mu));
    }
    let (lower, upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
    BoxLcp::new(Csc::from_triplets((n, n), &mut entries), b, lower, upper).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, disk_pile};
    use crate::judge::Judge;
    use crate::never;

    #[test]
    fn a_shaken_pile_of_disks_is_solved_on_lemkes_path() {
        for v in [0.0, 0.1, 0.3] {
            let settings =
                PileSettings { mu: 0.3, v_ground: [v, 0.0, 0.0], ..PileSettings::default() };
            let problem = disk_pile(5, &settings).to_local().unwrap();
            let mut r = vec![0.0; problem.n()];
            let report = planar_lemke(&problem, 10_000, &never, &mut r).unwrap();
            let residual = Judge::default().friction(&problem, &r);
            assert!(residual.accepts(1e-11), "{v}: {report:?} {}", residual.scaled);
        }
    }

    #[test]
    fn contacts_in_space_are_left_alone() {
        let problem = crate::cone::fixtures::stack(1, 1.0, 0.5, [0.1, 0.0]);
        let mut r = vec![0.0; problem.n()];
        assert!(planar_lemke(&problem, 10, &never, &mut r).is_none());
    }
}
