//! Surfaces of triangles from STL, OBJ and COLLADA files, and the convex hulls of their points.
//!
//! Readers trust no count in a file: what is allocated is what was found. Equal vertices are merged, triangles
//! without an area are dropped and counted.
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

mod dae;
mod hull;
mod numbers;
mod obj;
mod stl;

use std::fmt;

use stiction_sim::Vec3;

pub use hull::{Hull, hull};

/// Below this sine of the angle between two edges a triangle has no direction; models refuse it.
const FLAT: f64 = 1e-9;

/// How much of a file is read at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    pub triangles: usize,
}

impl Default for Limits {
    /// 256 MiB and 5 million triangles.
    fn default() -> Self {
        Self { bytes: 256 << 20, triangles: 5_000_000 }
    }
}

/// A surface. Every vertex belongs to a triangle, no two are equal, all numbers are finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// [m], as the file has them; COLLADA files state their unit.
    pub vertices: Vec<Vec3>,
    /// Counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles without an area, which were left out.
    pub flat: usize,
    /// Statements of the file that say nothing about the surface.
    pub ignored: usize,
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Whole,
    /// From the start, counted from 0.
    Byte(usize),
    /// Counted from 1.
    Line(u32),
}

/// Why a file is no surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError {
    pub name: String,
    pub place: Place,
    pub expected: String,
    pub found: String,
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match self.place {
            Place::Whole => {}
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
            Place::Line(line) => write!(f, "line {line}: ")?,
        }
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for MeshError {}

/// What a reader says before the name of the file is put to it.
pub(crate) struct Fault {
    place: Place,
    expected: String,
    found: String,
}

impl Fault {
    fn new(place: Place, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { place, expected: expected.into(), found: found.into() }
    }
}

/// Reads a surface; the ending of `name` says which format it is in.
pub fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<Triangles, MeshError> {
    let named = |fault: Fault| MeshError {
        name: name.to_string(),
        place: fault.place,
        expected: fault.expected,
        found: fault.found,
    };
    if bytes.len() > limits.bytes {
        let expected = format!("at most {} bytes", limits.bytes);
        return Err(named(Fault::new(Place::Whole, expected, bytes.len().to_string())));
    }
    let (_, ending) = name.rsplit_once('.').unwrap_or(("", ""));
    let soup = match ending.to_ascii_lowercase().as_str() {
        "stl" => stl::read(bytes, limits),
        "obj" => obj::read(bytes, limits),
        "dae" => dae::read(bytes, limits),
        _ => {
            let expected = "a name that ends in .stl, .obj or .dae";
            Err(Fault::new(Place::Whole, expected, format!("`{name}`")))
        }
    };
    let surface = soup.map_err(named)?.merged();
    if surface.triangles.is_empty() {
        let found = format!("none but {} without an area", surface.flat);
        return Err(named(Fault::new(Place::Whole, "a triangle", found)));
    }
    Ok(surface)
}

/// Triangles as a reader finds them: vertices may be equal, or of no triangle.
#[derive(Default)]
pub(crate) struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    ignored: usize,
}

impl Soup {
    /// Refuses to grow beyond the limit.
    fn push(&mut self, triangle: [u32; 3], limits: &Limits, place: Place) -> Result<(), Fault> {
        if self.triangles.len() >= limits.triangles {
            let expected = format!("at most {} triangles", limits.triangles);
            return Err(Fault::new(place, expected, "more"));
        }
        self.triangles.push(triangle);
        Ok(())
    }

    /// In place, as the memory of large files is short. Vertices keep their order.
    fn merged(self) -> Triangles {
        let Self { mut vertices, mut triangles, ignored } = self;
        let first = first_of_equals(&vertices);
        let read = triangles.len();
        triangles.iter_mut().for_each(|corners| *corners = corners.map(|v| first[v as usize]));
        triangles.retain(|corners| !is_flat(corners.map(|v| vertices[v as usize])));
        // places of the vertices that are left; the others keep the mark
        let mut place = first;
        place.fill(u32::MAX);
        triangles.iter().flatten().for_each(|&v| place[v as usize] = 0);
        let mut count = 0;
        for v in 0..vertices.len() {
            if place[v] == 0 {
                place[v] = count;
                vertices[count as usize] = vertices[v];
                count += 1;
            }
        }
        vertices.truncate(count as usize);
        triangles.iter_mut().for_each(|corners| *corners = corners.map(|v| place[v as usize]));
        Triangles { flat: read - triangles.len(), vertices, triangles, ignored }
    }
}

impl Triangles {
    /// Each coordinate times its factor. A mirrored surface keeps its outside.
    pub fn scaled(&self, factors: &Vec3) -> Self {
        let vertices = self.vertices.iter().map(|v| v.component_mul(factors)).collect();
        let mirrored = factors.iter().filter(|x| **x < 0.0).count() % 2 == 1;
        let turned = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = self.triangles.iter().map(turned).collect();
        let scaled = Soup { vertices, triangles, ignored: self.ignored }.merged();
        Self { flat: scaled.flat + self.flat, ..scaled }
    }

    /// Volume inside [m³], if the surface is closed.
    pub fn volume(&self) -> f64 {
        volume(&self.vertices, &self.triangles)
    }
}

fn volume(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(o) = vertices.first() else { return 0.0 };
    let corner = |v: u32| vertices[v as usize] - o;
    triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}

/// Of each vertex the first one that is equal to it.
fn first_of_equals(vertices: &[Vec3]) -> Vec<u32> {
    let compare = |&i: &u32, &j: &u32| {
        let (a, b) = (&vertices[i as usize], &vertices[j as usize]);
        // 0 and −0 are one number here
        let order = (0..3).map(|k| (a[k] + 0.0).total_cmp(&(b[k] + 0.0))).find(|o| o.is_ne());
        order.unwrap_or_else(|| i.cmp(&j))
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by(compare);
    let mut first = vec![0; vertices.len()];
    let mut representative = 0;
    for (k, &i) in order.iter().enumerate() {
        if k == 0 || vertices[i as usize] != vertices[representative as usize] {
            representative = i;
        }
        first[i as usize] = representative;
    }
    first
}

/// By the smallest sine of its angles; NaN is flat.
fn is_flat([a, b, c]: [Vec3; 3]) -> bool {
    let sine = |o: Vec3, p: Vec3, q: Vec3| {
        let (p, q) = (p - o, q - o);
        (p / p.amax()).cross(&(q / q.amax())).norm()
    };
    !(sine(a, b, c) > FLAT && sine(b, c, a) > FLAT && sine(c, a, b) > FLAT)
}

#[cfg(test)]
mod tests;
