//! Which contacts share a body, read off the pattern of W.
//!
//! Contacts are the edges of a graph whose vertices are bodies, and W has a block for each two of them that share one: the pattern of W is
//! the *line graph* of the bodies. Its root is found by Krausz' theorem (1943): the pairs of neighbours fall into cliques, one for each body, and a contact
//! is in two of them at most. From one clique that is known all others follow, since the other neighbours of its members are
//! those at the other body. Contacts with the same neighbours, such as those between two boxes, count as one *bundle*.
//!
//! Cost: the blocks of W. Fails, with None, where the pattern is no line graph or no bundle has a body for itself (the ground's contacts have).

/// Contacts in bundles, and bundles by bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    /// Contacts of each bundle, ascending.
    pub(super) bundle: Vec<Vec<usize>>,
    /// Bundles of each body, ascending.
    pub(super) body: Vec<Vec<usize>>,
    /// Bodies of each bundle: one or two.
    pub(super) of_bundle: Vec<Vec<usize>>,
}

/// First cliques that are tried before the pattern is given up.
const SEEDS: usize = 8;

/// The bodies behind the lists of neighbours of contacts (ascending, each with itself).
pub(super) fn find_bodies(neighbours: &[Vec<usize>]) -> Option<Bodies> {
    let (bundle, near) = bundles(neighbours);
    let seeds = (0..bundle.len()).filter(|&c| is_clique(&near, &near[c]));
    let [body, of_bundle] = seeds.take(SEEDS).find_map(|seed| spread(&near, seed))?;
    Some(Bodies { bundle, body, of_bundle })
}

/// Contacts with the same neighbours, and the neighbours among those.
fn bundles(neighbours: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut order: Vec<usize> = (0..neighbours.len()).collect();
    order.sort_by(|&a, &b| neighbours[a].cmp(&neighbours[b]).then(a.cmp(&b)));
    let mut bundle: Vec<Vec<usize>> =
        order.chunk_by(|&a, &b| neighbours[a] == neighbours[b]).map(<[usize]>::to_vec).collect();
    bundle.sort_unstable();
    let mut of_contact = vec![0; neighbours.len()];
    for (b, contacts) in bundle.iter().enumerate() {
        contacts.iter().for_each(|&c| of_contact[c] = b);
    }
    let near = |contacts: &Vec<usize>| {
        let mut near: Vec<usize> = neighbours[contacts[0]].iter().map(|&c| of_contact[c]).collect();
        near.sort_unstable();
        near.dedup();
        near
    };
    let near = bundle.iter().map(near).collect();
    (bundle, near)
}

fn is_clique(near: &[Vec<usize>], set: &[usize]) -> bool {
    set.iter().all(|&a| set.iter().all(|b| near[a].binary_search(b).is_ok()))
}

/// The cliques that follow from that of the seed, and those of each bundle; None where they contradict the pattern.
fn spread(near: &[Vec<usize>], seed: usize) -> Option<[Vec<Vec<usize>>; 2]> {
    let mut body = vec![near[seed].clone()];
    let mut of_bundle: Vec<Vec<usize>> = vec![Vec::new(); near.len()];
    near[seed].iter().for_each(|&c| of_bundle[c].push(0));
    let mut at = 0;
    while at < body.len() {
        for c in body[at].clone() {
            let is_elsewhere = |d: &usize| *d == c || body[at].binary_search(d).is_err();
            let rest: Vec<usize> = near[c].iter().copied().filter(is_elsewhere).collect();
            if rest.len() == 1 || of_bundle[c].len() == 2 {
                continue;
            }
            if !is_clique(near, &rest) || rest.iter().any(|&d| of_bundle[d].len() == 2) {
                return None;
            }
            rest.iter().for_each(|&d| of_bundle[d].push(body.len()));
            body.push(rest);
        }
        at += 1;
    }
    // every pair of neighbours is at exactly one body
    let is_covered = |c: usize| {
        let around: usize = of_bundle[c].iter().map(|&b| body[b].len() - 1).sum();
        !of_bundle[c].is_empty() && around + 1 == near[c].len()
    };
    (0..near.len()).all(is_covered).then_some([body, of_bundle])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours of contacts given by their bodies, `usize::MAX` the ground.
    fn neighbours(contacts: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let share = |a: (usize, usize), b: (usize, usize)| {
            [a.0, a.1].iter().any(|x| *x != usize::MAX && (*x == b.0 || *x == b.1))
        };
        let of =
            |&a: &(usize, usize)| (0..contacts.len()).filter(|&d| share(a, contacts[d])).collect();
        contacts.iter().map(of).collect()
    }

    #[test]
    fn bodies_of_a_small_pile_are_found() {
        const GROUND: usize = usize::MAX;
        // two disks on the ground that touch, one on top of them
        let found =
            find_bodies(&neighbours(&[(GROUND, 0), (GROUND, 1), (0, 1), (0, 2), (1, 2)])).unwrap();
        let mut bodies = found.body.clone();
        bodies.sort();
        assert_eq!(bodies, [vec![0, 2, 3], vec![1, 2, 4], vec![3, 4]]);
        assert_eq!(found.of_bundle[2].len(), 2);
    }

    #[test]
    fn contacts_between_the_same_two_bodies_are_one_bundle() {
        const GROUND: usize = usize::MAX;
        let found = find_bodies(&neighbours(&[
            (GROUND, 0),
            (GROUND, 0),
            (0, 1),
            (0, 1),
            (1, 2),
            (GROUND, 2),
        ]))
        .unwrap();
        assert_eq!(found.bundle[..2], [vec![0, 1], vec![2, 3]]);
        assert_eq!(found.body.len(), 3);
    }

    #[test]
    fn a_pattern_that_is_no_line_graph_is_refused() {
        // a claw: one contact with three neighbours that do not know each other
        let claw = vec![vec![0, 1, 2, 3], vec![0, 1], vec![0, 2], vec![0, 3]];
        assert!(find_bodies(&claw).is_none());
    }
}
