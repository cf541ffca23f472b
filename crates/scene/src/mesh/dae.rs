//! COLLADA: the triangles of all meshes where the scene puts them, in metres.
//!
//! `<up_axis>` is not followed: RViz, MoveIt and Gazebo take coordinates as they stand, and robots are drawn for them.
//! Read are `<triangles>`, `<polylist>` and `<polygons>` (polygons as fans), nodes with matrices, translations, rotations
//! and scales, instances of geometries and of nodes. Skins, splines, strips and holes are counted as ignored.

mod geometry;
#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use roxmltree::{Document, Node, ParsingOptions};
use stiction_sim::{Mat3, Quat, Vec3};

use super::numbers::{finite, quoted};
use super::{Fault, Limits, Place, Soup};
use crate::urdf::scan;

type Element<'d> = Node<'d, 'd>;

/// Nodes that instances may lead to.
const VISITS: usize = 100_000;
const DEPTH: usize = 64;

/// `p ↦ linear p + shift`.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    shift: Vec3,
}

impl Affine {
    fn linear(linear: Mat3) -> Self {
        Self { linear, shift: Vec3::zeros() }
    }

    /// First `inner`, then this.
    fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.point(&inner.shift) }
    }

    fn point(&self, p: &Vec3) -> Vec3 {
        self.linear * p + self.shift
    }
}

/// A file with its elements by id.
struct Collada<'d> {
    document: &'d Document<'d>,
    ids: BTreeMap<&'d str, Element<'d>>,
    /// The bytes at which lines end.
    line_ends: Vec<usize>,
    limits: Limits,
}

/// Vertices and triangles of one geometry as it is stated.
#[derive(Default)]
struct Geometry {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    ignored: usize,
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Soup, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::new(Place::Byte(error.valid_up_to()), "text in UTF-8", "another encoding")
    })?;
    scan::check(text, limits.bytes).map_err(|refusal| {
        let line = text[..refusal.at].matches('\n').count() as u32 + 1;
        Fault::new(Place::Line(line), refusal.expected, refusal.found)
    })?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Fault::new(Place::Line(error.pos().row), "XML", error.to_string()))?;
    let ids = document.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
    let line_ends = text.match_indices('\n').map(|(i, _)| i).collect();
    Collada { document: &document, ids: ids.collect(), line_ends, limits: *limits }.soup()
}

fn child<'d>(node: Element<'d>, tag: &str) -> Option<Element<'d>> {
    node.children().find(|child| child.tag_name().name() == tag)
}

fn needed<'d>(file: &Collada<'d>, node: Element<'d>, tag: &str) -> Result<Element<'d>, Fault> {
    let missing = || file.fault(node, format!("<{tag}> in <{}>", node.tag_name().name()), "none");
    child(node, tag).ok_or_else(missing)
}

impl<'d> Collada<'d> {
    fn place(&self, node: Element<'d>) -> Place {
        let at = node.range().start;
        Place::Line(self.line_ends.partition_point(|end| *end < at) as u32 + 1)
    }

    fn fault(&self, node: Element<'d>, expected: impl Into<String>, found: &str) -> Fault {
        Fault::new(self.place(node), expected, found)
    }

    /// Numbers of the text of an element, however it is cut up by comments.
    fn numbers(&self, node: Element<'d>) -> impl Iterator<Item = Result<f64, Fault>> {
        let place = self.place(node);
        let texts = node.children().filter(Node::is_text).filter_map(|child| child.text());
        texts.flat_map(str::split_ascii_whitespace).map(move |word| finite(word, place))
    }

    fn exactly<const N: usize>(&self, node: Element<'d>) -> Result<[f64; N], Fault> {
        let mut all = [0.0; N];
        let mut count = 0;
        for number in self.numbers(node) {
            let number = number?;
            if count < N {
                all[count] = number;
            }
            count += 1;
        }
        if count == N {
            return Ok(all);
        }
        Err(self.fault(node, format!("{N} numbers"), &count.to_string()))
    }

    /// The element that an attribute names by `#id`.
    fn target(&self, node: Element<'d>, key: &str) -> Result<Element<'d>, Fault> {
        let name = node.attribute(key).unwrap_or("");
        let found = name.strip_prefix('#').and_then(|id| self.ids.get(id));
        found.copied().ok_or_else(|| {
            self.fault(node, format!("{key} to name an element of the file"), &quoted(name))
        })
    }

    fn soup(&self) -> Result<Soup, Fault> {
        let root = self.document.root_element();
        if root.tag_name().name() != "COLLADA" {
            return Err(self.fault(root, "<COLLADA>", &quoted(root.tag_name().name())));
        }
        let metres = self.metres(root)?;
        let mut walk = Walk { visits: 0, geometries: BTreeMap::new(), soup: Soup::default() };
        let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        match scene {
            Some(scene) => {
                let scene = self.target(scene, "url")?;
                walk.node(self, scene, &metres, 0)?;
            }
            // a file that only states geometries shows all of them
            None => {
                let tags = self.document.descendants();
                for geometry in tags.filter(|node| node.tag_name().name() == "geometry") {
                    walk.geometry(self, geometry, &metres)?;
                }
            }
        }
        Ok(walk.soup)
    }

    /// The unit; without a word metres.
    fn metres(&self, root: Element<'d>) -> Result<Affine, Fault> {
        let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
        let stated = unit.and_then(|unit| Some((unit, unit.attribute("meter")?)));
        let Some((unit, text)) = stated else { return Ok(Affine::linear(Mat3::identity())) };
        let metre = finite(text, self.place(unit))?;
        if metre > 0.0 {
            return Ok(Affine::linear(Mat3::identity() * metre));
        }
        Err(self.fault(unit, "a positive meter", text))
    }

    /// A transformation element of a node; None if it is another one.
    fn transformation(&self, node: Element<'d>) -> Result<Option<Affine>, Fault> {
        Ok(Some(match node.tag_name().name() {
            "matrix" => {
                let m = self.exactly::<16>(node)?;
                let linear = Mat3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
                Affine { linear, shift: Vec3::new(m[3], m[7], m[11]) }
            }
            "translate" => {
                let shift = Vec3::from(self.exactly::<3>(node)?);
                Affine { linear: Mat3::identity(), shift }
            }
            "scale" => Affine::linear(Mat3::from_diagonal(&Vec3::from(self.exactly::<3>(node)?))),
            "rotate" => {
                let [x, y, z, degrees] = self.exactly::<4>(node)?;
                let axis = Vec3::new(x, y, z);
                if !(axis.norm() > 0.0) {
                    return Err(self.fault(node, "an axis", "0 0 0"));
                }
                let turn = Quat::exp(&(axis.normalize() * degrees.to_radians()));
                Affine::linear(turn.to_matrix())
            }
            _ => return Ok(None),
        }))
    }
}

struct Walk {
    visits: usize,
    /// By the place of their elements in the file.
    geometries: BTreeMap<usize, Geometry>,
    soup: Soup,
}

impl Walk {
    /// A node or a visual scene, and all below it.
    fn node<'d>(
        &mut self,
        file: &Collada<'d>,
        node: Element<'d>,
        above: &Affine,
        depth: usize,
    ) -> Result<(), Fault> {
        self.visits += 1;
        if self.visits > VISITS || depth > DEPTH {
            return Err(file.fault(node, "a scene of fewer nodes, not so deep", "more"));
        }
        let mut here = *above;
        for child in node.children().filter(Node::is_element) {
            if let Some(step) = file.transformation(child)? {
                here = here.after(&step);
                continue;
            }
            match child.tag_name().name() {
                "node" => self.node(file, child, &here, depth + 1)?,
                "instance_node" => {
                    let target = file.target(child, "url")?;
                    self.node(file, target, &here, depth + 1)?;
                }
                "instance_geometry" => {
                    let target = file.target(child, "url")?;
                    self.geometry(file, target, &here)?;
                }
                _ => self.soup.ignored += 1,
            }
        }
        Ok(())
    }

    fn geometry<'d>(
        &mut self,
        file: &Collada<'d>,
        node: Element<'d>,
        at: &Affine,
    ) -> Result<(), Fault> {
        let key = node.range().start;
        let geometry = match self.geometries.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(geometry::read(file, node)?),
        };
        let first = self.soup.vertices.len();
        let most = file.limits.triangles.min(u32::MAX as usize);
        if first + geometry.vertices.len() > most {
            return Err(file.fault(node, format!("at most {most} vertices"), "more"));
        }
        let mirrored = at.linear.determinant() < 0.0;
        for p in geometry.vertices.iter().map(|p| at.point(p)) {
            if !p.iter().all(|x| x.is_finite()) {
                return Err(file.fault(node, "a mesh within the range of numbers", "overflow"));
            }
            self.soup.vertices.push(p);
        }
        for triangle in &geometry.triangles {
            let [a, b, c] = triangle.map(|v| v + first as u32);
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            self.soup.push(triangle, &file.limits, file.place(node))?;
        }
        self.soup.ignored += geometry.ignored;
        Ok(())
    }
}
