//! Names looked up, and the checks that joints make one tree of all links.

use std::collections::BTreeMap;

use super::account::{Account, Element};
use super::joint::{End, Joint};
use super::link::{self, Link};
use super::names::short;

/// Links and joints by their places in the file.
pub(super) struct Tree {
    pub(super) root: usize,
    /// Parent and child link of each joint.
    pub(super) ends: Vec<(usize, usize)>,
    /// The joint that carries each link; none of the root.
    pub(super) carrier: Vec<Option<usize>>,
    /// Joints that each link carries.
    pub(super) carried: Vec<Vec<usize>>,
    /// All links, parents first.
    pub(super) order: Vec<usize>,
}

/// None after an error.
pub(super) fn check<'d>(
    account: &mut Account<'d>,
    robot: Element<'d>,
    links: &[Link<'d>],
    joints: &[Joint<'d>],
) -> Option<Tree> {
    let places = link::places(account, links);
    check_mimics(account, joints);
    let tags = ["link", "joint"].map(|tag| account.children(robot, tag).len());
    if tags[0] == 0 {
        account.error(robot, "expected a <link>, found none");
        return None;
    }
    let ends: Vec<Option<(usize, usize)>> =
        joints.iter().map(|joint| ends(account, joint, &places)).collect();
    let ends = ends.into_iter().collect::<Option<Vec<_>>>()?;
    let carrier = carriers(account, links, joints, &ends)?;
    let mut carried = vec![Vec::new(); links.len()];
    for (j, (parent, _)) in ends.iter().enumerate() {
        carried[*parent].push(j);
    }
    // what hangs on a link or joint that could not be read is no root
    if tags != [places.len(), joints.len()] {
        return None;
    }
    let root = root(account, links, joints, &ends, &carrier)?;
    let mut order = vec![root];
    let mut next = 0;
    while next < order.len() {
        let children = carried[order[next]].iter().map(|j| ends[*j].1);
        order.extend(children);
        next += 1;
    }
    Some(Tree { root, ends, carrier, carried, order })
}

fn ends<'d>(
    account: &mut Account<'d>,
    joint: &Joint<'d>,
    places: &BTreeMap<&'d str, usize>,
) -> Option<(usize, usize)> {
    let mut place = |end: Option<End<'d>>| {
        let End { node, link } = end?;
        let place = places.get(link).copied();
        if place.is_none() {
            let hint = account.suggestions.of(link, places.keys().copied());
            let message = format!("expected the name of a link, found `{}`{hint}", short(link));
            account.value_error(node, "link", message);
        }
        place
    };
    let (parent, child) = (place(joint.parent), place(joint.child));
    let (parent, child) = (parent?, child?);
    if parent == child {
        account.error(joint.node, "expected two different links, found parent and child the same");
        return None;
    }
    Some((parent, child))
}

fn carriers<'d>(
    account: &mut Account<'d>,
    links: &[Link<'d>],
    joints: &[Joint<'d>],
    ends: &[(usize, usize)],
) -> Option<Vec<Option<usize>>> {
    let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
    let mut good = true;
    for (j, (_, child)) in ends.iter().enumerate() {
        if let Some(first) = carrier[*child] {
            let (link, first) = (short(links[*child].name), short(joints[first].name));
            let message = format!("expected one joint to carry `{link}`, found `{first}` too");
            account.error(joints[j].node, message);
            good = false;
        } else {
            carrier[*child] = Some(j);
        }
    }
    good.then_some(carrier)
}

/// The one link that no joint carries, if all others hang on it.
fn root<'d>(
    account: &mut Account<'d>,
    links: &[Link<'d>],
    joints: &[Joint<'d>],
    ends: &[(usize, usize)],
    carrier: &[Option<usize>],
) -> Option<usize> {
    let mut roots = (0..links.len()).filter(|link| carrier[*link].is_none());
    let root = roots.next();
    let mut good = root.is_some();
    for other in roots {
        let (first, second) = (root.map_or("", |root| links[root].name), links[other].name);
        let message = format!(
            "expected a joint that carries `{}`: with `{}` there are two roots",
            short(second),
            short(first)
        );
        account.error(links[other].node, message);
        good = false;
    }
    // every link is walked up from once: 0 not yet, otherwise the number of its walk
    let mut walk = vec![0; links.len()];
    for start in 0..links.len() {
        let mut link = start;
        while walk[link] == 0 {
            walk[link] = start + 1;
            let Some(joint) = carrier[link] else { break };
            let parent = ends[joint].0;
            if walk[parent] == start + 1 {
                let name = short(links[link].name);
                let message = format!("expected a tree, found that `{name}` carries itself");
                account.error(joints[joint].node, message);
                good = false;
            }
            link = parent;
        }
    }
    root.filter(|_| good)
}

/// Names of joints, and that mimics end at a joint that mimics none.
fn check_mimics<'d>(account: &mut Account<'d>, joints: &[Joint<'d>]) {
    let mut places = BTreeMap::new();
    for (j, joint) in joints.iter().enumerate() {
        if places.contains_key(joint.name) {
            let name = short(joint.name);
            let message = format!("expected joints of different names, found `{name}` twice");
            account.value_error(joint.node, "name", message);
        } else {
            places.insert(joint.name, j);
        }
    }
    let mut follows: Vec<Option<usize>> = vec![None; joints.len()];
    for (j, joint) in joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        let Some(&other) = places.get(mimic.joint) else {
            let hint = account.suggestions.of(mimic.joint, places.keys().copied());
            let name = short(mimic.joint);
            let message = format!("expected the name of a joint, found `{name}`{hint}");
            account.value_error(mimic.node, "joint", message);
            continue;
        };
        if joints[other].of.is_single() {
            follows[j] = Some(other);
        } else {
            let expected = "expected a revolute, continuous or prismatic joint";
            let message = format!("{expected}, found `{}`, which is none", short(mimic.joint));
            account.value_error(mimic.node, "joint", message);
        }
    }
    let mut walk = vec![0; joints.len()];
    for start in 0..joints.len() {
        let mut joint = start;
        while walk[joint] == 0 {
            walk[joint] = start + 1;
            let (Some(next), Some(mimic)) = (follows[joint], &joints[joint].mimic) else { break };
            if walk[next] == start + 1 {
                let name = short(joints[joint].name);
                account.error(
                    mimic.node,
                    format!("expected no circle of mimics, found one with `{name}`"),
                );
            }
            joint = next;
        }
    }
}
