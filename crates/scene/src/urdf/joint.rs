//! Joints as the file states them; names are looked up later.

use stiction_sim::{Pose, Vec3};

use super::Fate;
use super::account::{Account, Element};
use super::names::short;

const TYPES: [&str; 6] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

pub(super) struct Joint<'d> {
    pub(super) node: Element<'d>,
    pub(super) name: &'d str,
    pub(super) of: Type,
    pub(super) parent: Option<End<'d>>,
    pub(super) child: Option<End<'d>>,
    /// The joint's frame on the parent link; the child link's frame at q = 0.
    pub(super) X_PJ: Pose,
    /// Of unit length; the normal of a planar joint.
    pub(super) axis: Vec3,
    pub(super) limits: Option<(f64, f64)>,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) mimic: Option<Mimic<'d>>,
}

/// A link that a joint names.
#[derive(Clone, Copy)]
pub(super) struct End<'d> {
    pub(super) node: Element<'d>,
    pub(super) link: &'d str,
}

/// q = multiplier · q of the other + offset.
pub(super) struct Mimic<'d> {
    pub(super) node: Element<'d>,
    pub(super) joint: &'d str,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

impl Type {
    /// With one position.
    pub(super) fn is_single(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// None if it has no name or type: nothing can be said of it then.
pub(super) fn read<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<Joint<'d>> {
    account.honour(node);
    let name = account.needed_text(node, "name");
    let of = kind(account, node);
    let X_PJ = account.origin(node).unwrap_or(Pose::identity());
    let parent = end(account, node, "parent");
    let child = end(account, node, "child");
    for tag in ["safety_controller", "calibration"] {
        let why = "speaks to controllers, not of the motion";
        account.children(node, tag).iter().for_each(|node| account.ignore(*node, why));
    }
    let of = of?;
    let axis = axis(account, node, of);
    let limits = limits(account, node, of);
    let (damping, friction) = dynamics(account, node, of);
    let mimic = mimic(account, node, of);
    let name = name?;
    Some(Joint { node, name, of, parent, child, X_PJ, axis, limits, damping, friction, mimic })
}

fn kind<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<Type> {
    Some(match account.needed_text(node, "type")? {
        "revolute" => Type::Revolute,
        "continuous" => Type::Continuous,
        "prismatic" => Type::Prismatic,
        "fixed" => Type::Fixed,
        "floating" => Type::Floating,
        "planar" => Type::Planar,
        other => {
            let hint = account.suggestions.of(other, TYPES.into_iter());
            let expected = "expected revolute, continuous, prismatic, fixed, floating or planar";
            account.value_error(
                node,
                "type",
                format!("{expected}, found `{}`{hint}", short(other)),
            );
            return None;
        }
    })
}

fn end<'d>(account: &mut Account<'d>, node: Element<'d>, tag: &str) -> Option<End<'d>> {
    let node = account.needed_child(node, tag)?;
    Some(End { node, link: account.needed_text(node, "link")? })
}

fn axis<'d>(account: &mut Account<'d>, node: Element<'d>, of: Type) -> Vec3 {
    let Some(axis) = account.only_child(node, "axis") else { return Vec3::x() };
    if matches!(of, Type::Fixed | Type::Floating) {
        account.ignore(axis, "a joint of this type has no axis");
        return Vec3::x();
    }
    let Some(text) = account.needed_text(axis, "xyz") else { return Vec3::x() };
    let Some(xyz) = account.numbers::<3>(axis, "xyz", text).map(Vec3::from) else {
        return Vec3::x();
    };
    // scaled first: the square of a tiny or huge number is none
    let largest = xyz.amax();
    if !(largest > 0.0) {
        account.value_error(axis, "xyz", "expected a direction, found 0 0 0".to_string());
        return Vec3::x();
    }
    (xyz / largest).normalize()
}

/// Bounds of a revolute or prismatic joint; both are 0 where they are not stated, as URDF has it.
fn limits<'d>(account: &mut Account<'d>, node: Element<'d>, of: Type) -> Option<(f64, f64)> {
    let bounded = matches!(of, Type::Revolute | Type::Prismatic);
    let Some(limit) = account.only_child(node, "limit") else {
        if bounded {
            let hint = if of == Type::Revolute { " (continuous has none)" } else { "" };
            account.error(node, format!("expected <limit> of this type of joint{hint}"));
        }
        return None;
    };
    for key in ["effort", "velocity"] {
        let why = "limits of a drive; the joint is passive until the scene gives it a motor";
        account.attribute_fate(limit, key, Fate::Ignored(why.to_string()));
    }
    if !bounded {
        for key in ["lower", "upper"] {
            let why = "a joint of this type has no bounds".to_string();
            account.attribute_fate(limit, key, Fate::Ignored(why));
        }
        return None;
    }
    let (lower, upper) =
        (account.number_or(limit, "lower", 0.0), account.number_or(limit, "upper", 0.0));
    let (lower, upper) = (lower?, upper?);
    if lower < upper {
        return Some((lower, upper));
    }
    let message = format!(
        "expected lower below upper, found {lower} and {upper} (0 where not stated); a joint without bounds is continuous, one that does not move fixed"
    );
    account.error(limit, message);
    None
}

fn dynamics<'d>(account: &mut Account<'d>, node: Element<'d>, of: Type) -> (f64, f64) {
    let Some(dynamics) = account.only_child(node, "dynamics") else { return (0.0, 0.0) };
    if !of.is_single() {
        account.ignore(dynamics, "has no unit for a joint of this type");
        return (0.0, 0.0);
    }
    let damping = account.not_negative(dynamics, "damping");
    let friction = account.not_negative(dynamics, "friction");
    (damping.unwrap_or(0.0), friction.unwrap_or(0.0))
}

fn mimic<'d>(account: &mut Account<'d>, node: Element<'d>, of: Type) -> Option<Mimic<'d>> {
    let node = account.only_child(node, "mimic")?;
    if of == Type::Fixed {
        account.ignore(node, "a fixed joint does not move");
        return None;
    }
    let joint = account.needed_text(node, "joint");
    let multiplier = account.number_or(node, "multiplier", 1.0);
    let offset = account.number_or(node, "offset", 0.0);
    if !of.is_single() {
        account.error(node, "expected a revolute, continuous or prismatic joint to mimic another");
        return None;
    }
    Some(Mimic { node, joint: joint?, multiplier: multiplier?, offset: offset? })
}
