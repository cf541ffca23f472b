//! Which links are bodies, and which are parts of another link's body or of the world: those without mass, and if wanted
//! all that are fixed to a body.

use stiction_sim::{Inertia, Pose};

use super::account::Account;
use super::joint::{Joint, Type};
use super::link::Link;
use super::tree::Tree;
use super::{Base, FixedJoints, Options};

/// A root link of this name is the world, by custom.
const WORLD: &str = "world";

/// Where a link is.
#[derive(Clone, Copy)]
pub(super) struct Host {
    /// The link whose body it is on; none: the world.
    pub(super) link: Option<usize>,
    /// Its frame there.
    pub(super) X_HU: Pose,
}

/// The body of each link. None after an error.
pub(super) fn find<'d>(
    account: &mut Account<'d>,
    links: &[Link<'d>],
    joints: &[Joint<'d>],
    tree: &Tree,
    options: &Options,
) -> Option<Vec<Host>> {
    let mut hosts: Vec<Host> =
        (0..links.len()).map(|i| Host { link: Some(i), X_HU: Pose::identity() }).collect();
    let mut good = true;
    for &i in &tree.order {
        let carrier = tree.carrier[i].map(|j| (&joints[j], hosts[tree.ends[j].0]));
        let merged = carrier.is_some_and(|(joint, parent)| {
            let moves = parent.link.is_some_and(|host| host != i);
            options.fixed == FixedJoints::Merged && joint.of == Type::Fixed && moves
        });
        if links[i].inertia.is_some() && !merged {
            continue;
        }
        let on_world = options.base == Base::Fixed || links[i].name == WORLD;
        hosts[i] = match carrier {
            None if on_world => Host { link: None, X_HU: options.pose },
            Some((joint, parent)) if joint.of == Type::Fixed => {
                Host { link: parent.link, X_HU: parent.X_HU * joint.X_PJ }
            }
            _ => match first_mass_below(i, links, joints, tree) {
                Some(host) => host,
                None => {
                    let message = "expected <inertial> with a mass: the link moves, and no link fixed to it has one";
                    account.error(links[i].node, message);
                    good = false;
                    continue;
                }
            },
        };
    }
    good.then_some(hosts)
}

/// The inertia of each link's body with all its parts; None of links that are no bodies.
pub(super) fn inertias(links: &[Link<'_>], hosts: &[Host]) -> Vec<Option<Inertia>> {
    let mut sums: Vec<Option<Inertia>> = vec![None; links.len()];
    for (link, host) in links.iter().zip(hosts) {
        if let (Some(inertia), Some(body)) = (link.inertia, host.link) {
            let part = inertia.moved(&host.X_HU);
            sums[body] = Some(sums[body].map_or(part, |sum| sum + part));
        }
    }
    sums
}

/// A link with mass that fixed joints connect to link i from below.
fn first_mass_below(i: usize, links: &[Link], joints: &[Joint], tree: &Tree) -> Option<Host> {
    let mut near = vec![(i, Pose::identity())];
    let mut next = 0;
    while next < near.len() {
        let (link, X_IL) = near[next];
        if links[link].inertia.is_some() {
            return Some(Host { link: Some(link), X_HU: X_IL.inverse() });
        }
        let fixed = tree.carried[link].iter().filter(|j| joints[**j].of == Type::Fixed);
        near.extend(fixed.map(|j| (tree.ends[*j].1, X_IL * joints[*j].X_PJ)));
        next += 1;
    }
    None
}
