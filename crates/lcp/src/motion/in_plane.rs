//! Contacts in space that move in a plane: a mirror leaves the problem as it is, and nothing drives what the mirror would turn round.
//!
//! Rows that share a coordinate are coupled. Where no normal row, and no row with a velocity of its own, is coupled to a tangent, that tangent stays at rest without
//! an impulse, whatever the others do: W has no entries between them. If each contact has such an *idle* tangent, a solution of the rows that are
//! left, two a contact, is one of all rows: ‖r_t‖ is the size of its only part, and slip is along it. There may be others, that leave the plane.

use super::MotionProblem;
use crate::cone::Triple;

/// The problem of the rows that are not idle.
#[derive(Clone, Debug)]
pub(crate) struct InPlane {
    pub(super) problem: MotionProblem,
    /// The tangent that is left of each contact, 1 or 2.
    tangent: Vec<usize>,
}

/// Planar contacts in space; none where some contact has no idle tangent.
pub(super) fn in_plane(problem: &MotionProblem) -> Option<InPlane> {
    let may_idle = |q: &Triple| q[1] == 0.0 || q[2] == 0.0;
    if problem.contacts() == 0 || !problem.q().iter().all(may_idle) {
        return None;
    }
    let mut sets = Sets::of(problem);
    let driven = sets.driven(problem);
    let mut tangent = Vec::with_capacity(problem.contacts());
    for c in 0..problem.contacts() {
        let is_idle = |i: usize, sets: &mut Sets| match sets.of_row(problem, c, i) {
            Some(set) => !driven[set],
            None => problem.q()[c][i] == 0.0,
        };
        tangent.push(if is_idle(2, &mut sets) {
            1
        } else if is_idle(1, &mut sets) {
            2
        } else {
            return None;
        });
    }
    let is_kept: Vec<bool> = (0..problem.coordinates()).map(|k| driven[sets.find(k)]).collect();
    Some(InPlane { problem: rows_of(problem, &tangent, &is_kept), tangent })
}

/// The normal rows and one tangent each, on the coordinates that are kept.
fn rows_of(problem: &MotionProblem, tangent: &[usize], is_kept: &[bool]) -> MotionProblem {
    let mut plane = MotionProblem::default();
    let kept = |node: usize| {
        let first = problem.first(node);
        is_kept[first..first + problem.width(node)].iter().filter(|kept| **kept).count()
    };
    plane.clear(2, (0..problem.nodes()).map(kept));
    for (c, &t) in tangent.iter().enumerate() {
        for (node, first, rows) in problem.spans(c) {
            let rows = rows.iter().enumerate().filter(|(k, _)| is_kept[first + k]);
            plane.push_span(node, rows.map(|(_, h)| [h[0], h[t], 0.0]));
        }
        let (eps, q) = (&problem.eps()[c], &problem.q()[c]);
        plane.end_contact([eps[0], eps[t], 0.0], [q[0], q[t], 0.0], problem.mu()[c]);
    }
    plane
}

impl InPlane {
    /// Impulses in space without their idle parts.
    pub(super) fn reduce(&self, r: &[Triple], reduced: &mut Vec<Triple>) {
        reduced.clear();
        reduced.extend(r.iter().zip(&self.tangent).map(|(r, &t)| [r[0], r[t], 0.0]));
    }

    /// Impulses in space of those in the plane.
    pub(super) fn restore(&self, reduced: &[Triple], r: &mut [Triple]) {
        for ((r, reduced), &t) in r.iter_mut().zip(reduced).zip(&self.tangent) {
            *r = [reduced[0], 0.0, 0.0];
            r[t] = reduced[1];
        }
    }
}

/// Coordinates that rows couple, as disjoint sets.
struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    fn of(problem: &MotionProblem) -> Self {
        let mut sets = Self { parent: (0..problem.coordinates()).collect() };
        for c in 0..problem.contacts() {
            for i in 0..3 {
                let mut first = None;
                for k in coordinates(problem, c, i) {
                    let root = sets.find(k);
                    let with = *first.get_or_insert(root);
                    let with = sets.find(with);
                    sets.parent[root] = with;
                }
            }
        }
        sets
    }

    fn find(&mut self, mut k: usize) -> usize {
        while self.parent[k] != k {
            self.parent[k] = self.parent[self.parent[k]];
            k = self.parent[k];
        }
        k
    }

    fn of_row(&mut self, problem: &MotionProblem, c: usize, i: usize) -> Option<usize> {
        let first = coordinates(problem, c, i).next()?;
        Some(self.find(first))
    }

    /// Sets, by their roots, with a normal row or a row that has a velocity.
    fn driven(&mut self, problem: &MotionProblem) -> Vec<bool> {
        let mut driven = vec![false; problem.coordinates()];
        for (c, q) in problem.q().iter().enumerate() {
            for i in 0..3 {
                if (i == 0 || q[i] != 0.0)
                    && let Some(set) = self.of_row(problem, c, i)
                {
                    driven[set] = true;
                }
            }
        }
        driven
    }
}

/// The coordinates that row i of contact c moves.
fn coordinates(problem: &MotionProblem, c: usize, i: usize) -> impl Iterator<Item = usize> + '_ {
    problem.spans(c).flat_map(move |(_, first, rows)| {
        rows.iter().enumerate().filter(move |(_, h)| h[i] != 0.0).map(move |(k, _)| first + k)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, sphere_pile, sphere_pyramid};
    use crate::judge::Judge;
    use crate::motion::{MotionWork, solve_motion};
    use crate::never;

    #[test]
    fn a_row_of_spheres_moves_in_its_plane_and_its_planar_answer_is_one_in_space() {
        let settings = PileSettings { mu: 0.2, ..PileSettings::default() };
        let problem = sphere_pile(6, &settings);
        let plane = in_plane(&problem).expect("all spheres stand in one plane");
        assert_eq!(plane.problem.contacts(), problem.contacts());
        assert_eq!(plane.problem.coordinates(), problem.coordinates() / 2);
        let mut reduced = vec![[0.0; 3]; problem.contacts()];
        let mut work = MotionWork::default();
        let report = solve_motion(&plane.problem, 1e-12, &mut work, &never, &mut reduced);
        assert!(report.certified, "{report:?}");
        let (mut r, mut again) = (vec![[0.0; 3]; problem.contacts()], Vec::new());
        plane.restore(&reduced, &mut r);
        assert!(Judge::default().motion(&problem, &r).accepts(1e-12));
        plane.reduce(&r, &mut again);
        assert_eq!(again, reduced);
    }

    #[test]
    fn a_pyramid_and_a_row_pushed_out_of_its_plane_are_none() {
        assert!(in_plane(&sphere_pyramid(3, &PileSettings::default())).is_none());
        let settings = PileSettings { v_ground: [0.1, 0.2, 0.0], ..PileSettings::default() };
        assert!(in_plane(&sphere_pile(4, &settings)).is_none());
    }
}
