//! Friction of surfaces. URDF has none; three extensions are understood:
//!
//! | where | what |
//! |---|---|
//! | `<gazebo reference="link">` | `mu1`, `mu2` |
//! | `<collision><drake:proximity_properties>` | `drake:mu_static`, `drake:mu_dynamic` |
//! | `<link><contact>` (Bullet) | `lateral_friction`, `restitution` |

use std::collections::BTreeMap;

use stiction_sim::model::Surface;

use super::Fate;
use super::account::{Account, Element};
use super::names::short;

const SOLVER: &str = "contacts are rigid: a number of another solver, not of the surface";

/// The value of `<tag value="…"/>` or `<tag>…</tag>`, at least 0. None without one, or after an error.
fn value<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<f64> {
    account.honour(node);
    if account.find(node, "value").is_some() {
        let value = account.not_negative(node, "value");
        return value;
    }
    let text = node.text().unwrap_or("").trim();
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    if number.is_none() {
        account.error(node, format!("expected a number of at least 0, found `{}`", short(text)));
    }
    number
}

fn only_value<'d>(account: &mut Account<'d>, node: Element<'d>, tag: &str) -> Option<f64> {
    account.only_child(node, tag).and_then(|node| value(account, node))
}

/// Bullet's.
pub(super) fn of_contact<'d>(account: &mut Account<'d>, link: Element<'d>) -> Option<Surface> {
    let node = account.only_child(link, "contact")?;
    for tag in ["stiffness", "damping", "contact_cfm", "contact_erp"] {
        account.children(node, tag).iter().for_each(|node| account.ignore(*node, SOLVER));
    }
    for tag in ["rolling_friction", "spinning_friction"] {
        let why = "points of contact carry no torque";
        account.children(node, tag).iter().for_each(|node| account.ignore(*node, why));
    }
    let bounce = account.only_child(node, "restitution");
    let mu = only_value(account, node, "lateral_friction");
    let Some(mu) = mu else {
        let why = "without lateral_friction the surface is not stated";
        bounce.into_iter().for_each(|node| account.ignore(node, why));
        return None;
    };
    let e = bounce.and_then(|node| value(account, node)).unwrap_or(0.0);
    if !(e <= 1.0) {
        account.error(bounce?, format!("expected a restitution of at most 1, found {e}"));
    }
    Some(Surface { e, ..Surface::rigid(mu) })
}

/// Drake's.
pub(super) fn of_proximity<'d>(account: &mut Account<'d>, part: Element<'d>) -> Option<Surface> {
    let node = account.only_child(part, "drake:proximity_properties")?;
    let mu_s = only_value(account, node, "drake:mu_static");
    let mu_k = only_value(account, node, "drake:mu_dynamic");
    let (mu_s, mu_k) = (mu_s.or(mu_k)?, mu_k.or(mu_s)?);
    if !(mu_k <= mu_s) {
        let message = format!("expected mu_dynamic of at most mu_static {mu_s}, found {mu_k}");
        account.error(node, message);
    }
    Some(Surface { mu_s, mu_k, ..Surface::rigid(mu_s) })
}

/// Gazebo's, of all links, by name.
pub(super) fn of_gazebo<'d>(
    account: &mut Account<'d>,
    robot: Element<'d>,
    is_link: impl Fn(&str) -> bool,
) -> BTreeMap<&'d str, Surface> {
    let mut surfaces = BTreeMap::new();
    for node in account.children(robot, "gazebo") {
        let Some(link) = account.text(node, "reference") else {
            account.ignore(node, "speaks to Gazebo, not of the robot");
            continue;
        };
        if !is_link(link) {
            account.ignore(node, "there is no link of this name");
            continue;
        }
        account.honour(node);
        for tag in ["kp", "kd", "maxVel", "minDepth", "maxContacts"] {
            account.children(node, tag).iter().for_each(|node| account.ignore(*node, SOLVER));
        }
        if let Some(mu) = directional(account, node)
            && surfaces.insert(link, Surface::rigid(mu)).is_some()
        {
            account
                .error(node, format!("expected one friction of `{}`, found another", short(link)));
        }
    }
    surfaces
}

/// One coefficient for both directions.
fn directional<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<f64> {
    let (first, second) = (account.only_child(node, "mu1"), account.only_child(node, "mu2"));
    let mu1 = first.and_then(|node| value(account, node));
    let mu2 = second.and_then(|node| value(account, node));
    let (Some(a), Some(b)) = (mu1, mu2) else { return mu1.or(mu2) };
    if a == b {
        return mu1;
    }
    let mean = 0.5 * a + 0.5 * b;
    for node in first.into_iter().chain(second) {
        let why = format!("friction has no direction here: the mean {mean} of mu1 and mu2");
        account.fate(node, Fate::Approximated(why));
    }
    Some(mean)
}
