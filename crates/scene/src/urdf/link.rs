//! Links: mass, what collides, what is shown.

use std::collections::BTreeMap;

use stiction_sim::model::Surface;
use stiction_sim::{Inertia, InertiaError, Mat3, Pose, Vec3};

use super::account::{Account, Element};
use super::geometry::{self, Form, Use};
use super::meshes::Meshes;
use super::names::short;
use super::{Fate, FixedJoints, surface};

/// Colours of materials that a robot states once.
pub(super) type Palette<'d> = BTreeMap<&'d str, [f64; 4]>;

pub(super) struct Link<'d> {
    pub(super) node: Element<'d>,
    pub(super) name: &'d str,
    /// None: without mass.
    pub(super) inertia: Option<Inertia>,
    pub(super) collisions: Vec<Part<'d>>,
    pub(super) visuals: Vec<Part<'d>>,
    /// Of collisions that state none themselves.
    pub(super) surface: Option<Surface>,
}

/// A collision or a visual.
pub(super) struct Part<'d> {
    pub(super) name: Option<&'d str>,
    /// On the link.
    pub(super) X_UG: Pose,
    pub(super) form: Form<'d>,
    pub(super) surface: Option<Surface>,
    pub(super) rgba: Option<[f64; 4]>,
}

/// Colours by name. A second material of one name is ignored.
pub(super) fn palette<'d>(account: &mut Account<'d>, robot: Element<'d>) -> Palette<'d> {
    let mut palette = Palette::new();
    for node in account.children(robot, "material") {
        account.honour(node);
        let Some(name) = account.needed_text(node, "name") else { continue };
        if palette.contains_key(name) {
            account.ignore(node, "a material of this name is stated above");
        } else if let Some(rgba) = colour(account, node) {
            palette.insert(name, rgba);
        }
    }
    palette
}

pub(super) fn read<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    palette: &Palette<'d>,
    fixed: FixedJoints,
    meshes: &mut Meshes<'_>,
) -> Option<Link<'d>> {
    account.honour(node);
    let name = account.needed_text(node, "name");
    let stated = account.only_child(node, "inertial");
    let inertia = stated.and_then(|node| inertial(account, node, fixed));
    let surface = surface::of_contact(account, node);
    let mut collisions = Vec::new();
    for node in account.children(node, "collision") {
        let part = part(account, node, Use::Collision, meshes);
        let surface = surface::of_proximity(account, node);
        collisions.extend(part.map(|part| Part { surface, ..part }));
    }
    let mut visuals = Vec::new();
    for node in account.children(node, "visual") {
        let part = part(account, node, Use::Picture, meshes);
        let rgba = account.only_child(node, "material");
        let rgba = rgba.and_then(|node| material(account, node, palette));
        visuals.extend(part.map(|part| Part { rgba, ..part }));
    }
    Some(Link { node, name: name?, inertia, collisions, visuals, surface })
}

fn part<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    wanted: Use,
    meshes: &mut Meshes<'_>,
) -> Option<Part<'d>> {
    account.honour(node);
    let name = account.text(node, "name").filter(|name| !name.trim().is_empty());
    let X_UG = account.origin(node);
    let form = geometry::read(account, node, wanted, meshes)?;
    Some(Part { name, X_UG: X_UG?, form, surface: None, rgba: None })
}

/// The colour of a visual's material: its own, or the one of the robot's material of this name.
fn material<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    palette: &Palette<'d>,
) -> Option<[f64; 4]> {
    let name = account.text(node, "name").unwrap_or("");
    let own = colour(account, node);
    let known = own.or_else(|| palette.get(name).copied());
    if known.is_none() && account.children(node, "texture").is_empty() {
        account.ignore(node, "no material of this name has a colour");
    }
    known
}

fn colour<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<[f64; 4]> {
    for texture in account.children(node, "texture") {
        account.ignore(texture, "pictures have no textures");
    }
    let color = account.only_child(node, "color")?;
    let text = account.needed_text(color, "rgba")?;
    let rgba = account.numbers::<4>(color, "rgba", text)?;
    let clamped = rgba.map(|x| x.clamp(0.0, 1.0));
    if clamped != rgba {
        account.attribute_fate(color, "rgba", Fate::Approximated("brought into 0 to 1".into()));
    }
    Some(clamped)
}

/// None after an error, and of a link whose mass and inertia are stated as zero. A link that may become part of another
/// body may be a point: what is checked then is that body.
fn inertial<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    fixed: FixedJoints,
) -> Option<Inertia> {
    let origin = account.origin(node);
    let mass_node = account.needed_child(node, "mass");
    let mass = mass_node.and_then(|node| account.needed_number(node, "value"));
    let tensor_node = account.needed_child(node, "inertia");
    let tensor = tensor_node.and_then(|node| tensor(account, node));
    let (origin, mass, tensor) = (origin?, mass?, tensor?);
    if mass == 0.0 && tensor == Mat3::zeros() {
        return None;
    }
    let inertia = Inertia { mass, com: Vec3::zeros(), I_com: tensor }.moved(&origin);
    let error = match inertia.check() {
        Ok(()) => return Some(inertia),
        Err(InertiaError::Mass(mass)) => InertiaError::Mass(mass),
        Err(_) if fixed == FixedJoints::Merged => return Some(inertia),
        Err(error) => error,
    };
    match (error, mass_node, tensor_node) {
        (InertiaError::Mass(_), Some(node), _) => {
            account.value_error(node, "value", error.to_string());
        }
        (_, _, Some(node)) => account.error(node, error.to_string()),
        _ => account.error(node, error.to_string()),
    }
    None
}

fn tensor<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<Mat3> {
    let keys = ["ixx", "iyy", "izz"];
    let [xx, yy, zz] = keys.map(|key| account.needed_number(node, key));
    let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|key| account.number_or(node, key, 0.0));
    let (xx, yy, zz, xy, xz, yz) = (xx?, yy?, zz?, xy?, xz?, yz?);
    Some(Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
}

/// Links by name; a second one of a name is an error.
pub(super) fn places<'d>(
    account: &mut Account<'d>,
    links: &[Link<'d>],
) -> BTreeMap<&'d str, usize> {
    let mut places = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        if places.contains_key(link.name) {
            let message =
                format!("expected links of different names, found `{}` twice", short(link.name));
            account.value_error(link.node, "name", message);
        } else {
            places.insert(link.name, i);
        }
    }
    places
}
