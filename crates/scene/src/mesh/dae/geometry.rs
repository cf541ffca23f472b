//! A `<geometry>`: positions from its sources, corners from its lists.

use stiction_sim::Vec3;

use super::{Collada, Element, Geometry, child, needed};
use crate::mesh::Fault;
use crate::mesh::numbers::quoted;

/// Where in a list of indices those of the vertices are.
struct Layout {
    /// Indices of one corner.
    stride: usize,
    /// Which of them is the vertex.
    vertex: usize,
}

pub(super) fn read<'d>(file: &Collada<'d>, node: Element<'d>) -> Result<Geometry, Fault> {
    let mut geometry = Geometry::default();
    let Some(mesh) = child(node, "mesh") else {
        geometry.ignored = 1;
        return Ok(geometry);
    };
    let vertices = needed(file, mesh, "vertices")?;
    let inputs = || vertices.children().filter(|input| input.tag_name().name() == "input");
    let Some(position) = inputs().find(|input| input.attribute("semantic") == Some("POSITION"))
    else {
        return Err(file.fault(vertices, "an input of the semantic POSITION", "none"));
    };
    positions(file, file.target(position, "source")?, &mut geometry)?;
    for list in mesh.children().filter(Element::is_element) {
        match list.tag_name().name() {
            "source" | "vertices" => {}
            "triangles" => corners(file, list, Sizes::Threes, &mut geometry)?,
            "polygons" => corners(file, list, Sizes::Whole, &mut geometry)?,
            "polylist" => {
                let sizes = needed(file, list, "vcount")?;
                corners(file, list, Sizes::Listed(sizes), &mut geometry)?;
            }
            _ => geometry.ignored += 1,
        }
    }
    Ok(geometry)
}

fn positions<'d>(
    file: &Collada<'d>,
    source: Element<'d>,
    geometry: &mut Geometry,
) -> Result<(), Fault> {
    let array = needed(file, source, "float_array")?;
    let common = child(source, "technique_common");
    let accessor = common.and_then(|common| child(common, "accessor"));
    let number = |key: &str, or: usize| match accessor.and_then(|node| node.attribute(key)) {
        None => Ok(or),
        Some(text) => {
            text.trim().parse().map_err(|_| file.fault(source, format!("a {key}"), &quoted(text)))
        }
    };
    let (offset, stride) = (number("offset", 0)?, number("stride", 3)?);
    if stride < 3 {
        return Err(file.fault(source, "positions of three numbers", &stride.to_string()));
    }
    let most = file.limits.triangles;
    let mut point = Vec3::zeros();
    for (i, x) in file.numbers(array).skip(offset).enumerate() {
        let k = i % stride;
        if k < 3 {
            point[k] = x?;
        }
        if k == 2 {
            if geometry.vertices.len() >= most {
                return Err(file.fault(array, format!("at most {most} vertices"), "more"));
            }
            geometry.vertices.push(point);
        }
    }
    Ok(())
}

fn layout<'d>(file: &Collada<'d>, list: Element<'d>) -> Result<Layout, Fault> {
    let mut layout = Layout { stride: 0, vertex: usize::MAX };
    for input in list.children().filter(|node| node.tag_name().name() == "input") {
        let text = input.attribute("offset").unwrap_or("");
        // more inputs than this no corner has
        let offset = text.trim().parse::<usize>().ok().filter(|offset| *offset < 1000);
        let Some(offset) = offset else {
            return Err(file.fault(input, "an offset below 1000", &quoted(text)));
        };
        layout.stride = layout.stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            layout.vertex = offset;
        }
    }
    if layout.vertex == usize::MAX {
        return Err(file.fault(list, "an input of the semantic VERTEX", "none"));
    }
    Ok(layout)
}

/// How many corners the polygons of a list have.
#[derive(Clone, Copy)]
enum Sizes<'d> {
    Threes,
    /// Each `<p>` is one polygon.
    Whole,
    Listed(Element<'d>),
}

fn corners<'d>(
    file: &Collada<'d>,
    list: Element<'d>,
    sizes: Sizes<'d>,
    geometry: &mut Geometry,
) -> Result<(), Fault> {
    let layout = layout(file, list)?;
    for p in list.children().filter(|node| node.tag_name().name() == "p") {
        let mut corners = Corners { file, p, layout: &layout };
        let mut numbers = file.numbers(p);
        match sizes {
            Sizes::Threes => while corners.fan(&mut numbers, 3, geometry)? {},
            Sizes::Whole => drop(corners.fan(&mut numbers, usize::MAX, geometry)?),
            Sizes::Listed(node) => {
                for size in file.numbers(node) {
                    let size = size? as usize;
                    if !corners.fan(&mut numbers, size, geometry)? && size > 0 {
                        return Err(file.fault(p, "as many corners as <vcount> says", "fewer"));
                    }
                }
            }
        }
    }
    geometry.ignored += list.children().filter(|node| node.tag_name().name() == "ph").count();
    Ok(())
}

struct Corners<'a, 'd> {
    file: &'a Collada<'d>,
    p: Element<'d>,
    layout: &'a Layout,
}

impl Corners<'_, '_> {
    /// Reads a polygon of at most `size` corners. False at the end of the list.
    fn fan(
        &mut self,
        numbers: &mut impl Iterator<Item = Result<f64, Fault>>,
        size: usize,
        geometry: &mut Geometry,
    ) -> Result<bool, Fault> {
        let (mut first, mut last, mut count) = (0, 0, 0);
        while count < size {
            let Some(next) = self.corner(numbers, geometry.vertices.len())? else { break };
            match count {
                0 => first = next,
                1 => {}
                _ if geometry.triangles.len() >= self.file.limits.triangles => {
                    let most = self.file.limits.triangles;
                    return Err(self.file.fault(
                        self.p,
                        format!("at most {most} triangles"),
                        "more",
                    ));
                }
                _ => geometry.triangles.push([first, last, next]),
            }
            last = next;
            count += 1;
        }
        if count > 0 && count < size && size != usize::MAX {
            let expected = format!("{size} corners of the last polygon");
            return Err(self.file.fault(self.p, expected, &count.to_string()));
        }
        Ok(count > 0)
    }

    fn corner(
        &mut self,
        numbers: &mut impl Iterator<Item = Result<f64, Fault>>,
        vertices: usize,
    ) -> Result<Option<u32>, Fault> {
        let mut vertex = 0;
        for k in 0..self.layout.stride {
            let number = match numbers.next() {
                Some(number) => number?,
                None if k == 0 => return Ok(None),
                None => {
                    let expected = format!("{} indices of each corner", self.layout.stride);
                    return Err(self.file.fault(self.p, expected, &k.to_string()));
                }
            };
            if k == self.layout.vertex {
                let fits = number >= 0.0 && number < vertices as f64 && number.fract() == 0.0;
                if !fits {
                    let expected = format!("the index of one of {vertices} vertices");
                    return Err(self.file.fault(self.p, expected, &number.to_string()));
                }
                vertex = number as u32;
            }
        }
        Ok(Some(vertex))
    }
}
