//! What collides and what is shown: boxes, spheres, cylinders, capsules, meshes.

use std::rc::Rc;

use stiction_sim::Vec3;
use stiction_sim::model::Shape;

use super::account::{Account, Element};
use super::meshes::Meshes;
use super::names::short;
use super::{Fate, MeshRule, Options};
use crate::mesh::{Triangles, hull};

/// A hull that has this share more volume than its mesh is as good as the mesh.
const SAME_VOLUME: f64 = 1e-3;

const KNOWN: [&str; 6] = ["box", "sphere", "cylinder", "capsule", "drake:capsule", "mesh"];

/// A shape as the file states it.
pub(super) enum Form<'d> {
    Simple(Shape),
    Mesh { node: Element<'d>, surface: Rc<Triangles>, scale: Vec3 },
}

/// Who asks: a mesh that cannot be read is an error in a collision, and only not seen in a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Collision,
    Picture,
}

/// The shape in `<geometry>` of a collision or a visual. None after an error, or without one in a picture.
pub(super) fn read<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    wanted: Use,
    meshes: &mut Meshes<'_>,
) -> Option<Form<'d>> {
    let geometry = account.needed_child(node, "geometry")?;
    let children: Vec<Element<'d>> = geometry.children().filter(Element::is_element).collect();
    let shapes: Vec<Element<'d>> =
        children.iter().copied().filter(|child| KNOWN.contains(&account.tag(*child))).collect();
    let &[shape] = &shapes[..] else {
        let expected = "expected one box, sphere, cylinder, capsule or mesh";
        let found: Vec<String> = children.iter().map(|child| short(account.tag(*child))).collect();
        let found = if found.is_empty() { "nothing".to_string() } else { short(&found.join(", ")) };
        account.error(geometry, format!("{expected}, found {found}"));
        return None;
    };
    account.honour(shape);
    match account.tag(shape) {
        "box" => cuboid(account, shape).map(Form::Simple),
        "sphere" => {
            let radius = account.needed_length(shape, "radius")?;
            Some(Form::Simple(Shape::Sphere { radius }))
        }
        "mesh" => mesh(account, shape, wanted, meshes),
        round => {
            let (radius, length) =
                (account.needed_length(shape, "radius"), account.needed_length(shape, "length"));
            let (radius, half_length) = (radius?, 0.5 * length?);
            Some(Form::Simple(match round {
                "cylinder" => Shape::Cylinder { radius, half_length },
                _ => Shape::Capsule { radius, half_length },
            }))
        }
    }
}

fn cuboid<'d>(account: &mut Account<'d>, node: Element<'d>) -> Option<Shape> {
    let text = account.needed_text(node, "size")?;
    let size = account.numbers::<3>(node, "size", text)?;
    if size.iter().all(|edge| *edge > 0.0) {
        return Some(Shape::cuboid(size[0], size[1], size[2]));
    }
    account.value_error(node, "size", format!("expected positive edges, found {size:?}"));
    None
}

fn mesh<'d>(
    account: &mut Account<'d>,
    node: Element<'d>,
    wanted: Use,
    meshes: &mut Meshes<'_>,
) -> Option<Form<'d>> {
    let scale = account.vector_or(node, "scale", Vec3::new(1.0, 1.0, 1.0));
    let name = account.needed_text(node, "filename")?;
    let scale = scale?;
    if scale.iter().any(|x| *x == 0.0) {
        account.value_error(node, "scale", "expected factors that are not 0".to_string());
        return None;
    }
    match (meshes.surface(name), wanted) {
        (Ok(surface), _) => Some(Form::Mesh { node, surface, scale }),
        (Err(why), Use::Collision) => {
            account.value_error(node, "filename", why);
            None
        }
        (Err(why), Use::Picture) => {
            account.ignore(node, &why);
            None
        }
    }
}

impl<'d> Form<'d> {
    /// As it collides. None after an error.
    pub(super) fn collider(
        &self,
        account: &mut Account<'d>,
        options: &Options,
        on_world: bool,
        meshes: &mut Meshes<'_>,
    ) -> Option<Shape> {
        let (node, surface, scale) = match self {
            Self::Simple(shape) => return Some(shape.clone()),
            Self::Mesh { node, surface, scale } => (*node, surface, scale),
        };
        let surface = match kept(surface, scale, meshes) {
            Ok(surface) => surface,
            Err(why) => {
                account.value_error(node, "filename", why);
                return None;
            }
        };
        if on_world && options.meshes == MeshRule::SurfaceOnWorld {
            let Triangles { vertices, triangles, .. } = surface;
            return Some(Shape::Mesh { vertices, triangles });
        }
        let Some(hull) = hull(&surface.vertices, options.hull_vertices) else {
            let message = "expected a mesh with an inside, found points in one plane".to_string();
            account.value_error(node, "filename", message);
            return None;
        };
        let (volume, inside) = (hull.volume(), surface.volume());
        if !((volume - inside).abs() <= SAME_VOLUME * volume) {
            let why = format!(
                "collides as its convex hull of {} vertices and {volume:.3e} m³; the mesh has {inside:.3e} m³",
                hull.vertices.len()
            );
            account.fate(node, Fate::Approximated(why));
        }
        Some(Shape::Hull(hull.vertices))
    }

    /// As it is shown.
    pub(super) fn picture(
        &self,
        account: &mut Account<'d>,
        meshes: &mut Meshes<'_>,
    ) -> Option<Shape> {
        let (node, surface, scale) = match self {
            Self::Simple(shape) => return Some(shape.clone()),
            Self::Mesh { node, surface, scale } => (*node, surface, scale),
        };
        match kept(surface, scale, meshes) {
            Ok(Triangles { vertices, triangles, .. }) => Some(Shape::Mesh { vertices, triangles }),
            Err(why) => {
                account.ignore(node, &why);
                None
            }
        }
    }
}

/// The mesh in its size here, counted.
fn kept(surface: &Triangles, scale: &Vec3, meshes: &mut Meshes<'_>) -> Result<Triangles, String> {
    meshes.keep(surface.triangles.len())?;
    let scaled = surface.scaled(scale);
    let finite = scaled.vertices.iter().all(|v| v.iter().all(|x| x.is_finite()));
    if finite && !scaled.triangles.is_empty() {
        return Ok(scaled);
    }
    Err("expected a mesh that has triangles in this scale".to_string())
}
