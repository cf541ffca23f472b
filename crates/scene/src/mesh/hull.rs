//! Convex hulls by adding the point that is farthest outside, until none is outside or as many as wanted are in.

use std::collections::BTreeMap;

use stiction_sim::Vec3;

use super::{FLAT, volume};

/// Points that are less than this share of the extent outside of a face are on it: numbers of four bytes are not closer.
const THICKNESS: f64 = 1e-6;

/// Vertices and outward triangles of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// How far the farthest of the given points is outside [m].
    pub left_out: f64,
}

impl Hull {
    /// [m³]
    pub fn volume(&self) -> f64 {
        volume(&self.vertices, &self.triangles)
    }
}

struct Face {
    corners: [u32; 3],
    /// Outward, of unit length, or zero of a face without an area: nothing is outside of that.
    normal: Vec3,
    origin: Vec3,
    outside: Vec<u32>,
    /// The farthest of `outside`, and its distance.
    farthest: (f64, u32),
}

impl Face {
    fn new(points: &[Vec3], corners: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|i| points[i as usize]);
        let n = (b - a).cross(&(c - a));
        let normal = if n.norm() > 0.0 { n / n.norm() } else { Vec3::zeros() };
        Self { corners, normal, origin: a, outside: Vec::new(), farthest: (0.0, 0) }
    }

    fn distance(&self, p: &Vec3) -> f64 {
        self.normal.dot(&(p - self.origin))
    }

    fn edges(&self) -> [(u32, u32); 3] {
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)]
    }
}

/// The hull of finite points, with at most `most` vertices (and at least four). None: the points lie in a plane.
pub fn hull(points: &[Vec3], most: usize) -> Option<Hull> {
    let (corners, extent) = tetrahedron(points)?;
    let mut growing = Growing::new(points, corners, THICKNESS * extent);
    for _ in 4..most.max(4) {
        if !growing.add_farthest() {
            break;
        }
    }
    Some(growing.finish())
}

/// Four points far from each other, positively oriented, and the size of the whole.
fn tetrahedron(points: &[Vec3]) -> Option<([u32; 4], f64)> {
    let farthest = |measure: &dyn Fn(&Vec3) -> f64| {
        let mut best = 0;
        for (i, p) in points.iter().enumerate() {
            if measure(p) > measure(&points[best]) {
                best = i;
            }
        }
        best
    };
    let start = *points.first()?;
    let o = farthest(&|p| (p - start).norm());
    let a = farthest(&|p| (p - points[o]).norm());
    let along = points[a] - points[o];
    let extent = along.norm();
    let b = farthest(&|p| along.cross(&(p - points[o])).norm());
    let n = along.cross(&(points[b] - points[o]));
    let height = |p: &Vec3| n.dot(&(p - points[o]));
    let c = farthest(&|p| height(p).abs());
    let thin = FLAT * extent;
    if !(n.norm() > thin * extent && height(&points[c]).abs() > thin * n.norm()) {
        return None;
    }
    let (a, b) = if height(&points[c]) > 0.0 { (a, b) } else { (b, a) };
    Some(([o, a, b, c].map(|i| i as u32), extent))
}

struct Growing<'a> {
    points: &'a [Vec3],
    thickness: f64,
    faces: BTreeMap<u32, Face>,
    /// The face to the left of each directed edge.
    left: BTreeMap<(u32, u32), u32>,
    next: u32,
}

impl<'a> Growing<'a> {
    fn new(points: &'a [Vec3], [o, a, b, c]: [u32; 4], thickness: f64) -> Self {
        let (faces, left) = (BTreeMap::new(), BTreeMap::new());
        let mut growing = Self { points, thickness, faces, left, next: 0 };
        let sides = [[o, b, a], [o, a, c], [a, b, c], [b, o, c]];
        let sides = sides.map(|corners| growing.add_face(corners));
        growing.distribute(&sides, 0..points.len() as u32);
        growing
    }

    fn add_face(&mut self, corners: [u32; 3]) -> u32 {
        let face = Face::new(self.points, corners);
        let id = self.next;
        self.left.extend(face.edges().map(|edge| (edge, id)));
        self.faces.insert(id, face);
        self.next += 1;
        id
    }

    /// Gives each point to a face that it is outside of; a point outside of none is inside for good.
    fn distribute(&mut self, faces: &[u32], points: impl Iterator<Item = u32>) {
        for i in points {
            let p = &self.points[i as usize];
            for id in faces {
                let Some(face) = self.faces.get_mut(id) else { continue };
                let distance = face.distance(p);
                if distance > self.thickness {
                    face.outside.push(i);
                    if distance > face.farthest.0 {
                        face.farthest = (distance, i);
                    }
                    break;
                }
            }
        }
    }

    /// False if no point is outside.
    fn add_farthest(&mut self) -> bool {
        let mut best: Option<(f64, u32, u32)> = None;
        for (&id, face) in &self.faces {
            let (distance, point) = face.farthest;
            if !face.outside.is_empty() && best.is_none_or(|(most, ..)| distance > most) {
                best = Some((distance, id, point));
            }
        }
        let Some((_, face, point)) = best else { return false };
        let (visible, horizon) = self.seen_from(face, point);
        let mut orphans = Vec::new();
        for id in visible {
            if let Some(face) = self.faces.remove(&id) {
                orphans.extend(face.outside);
            }
        }
        let fan: Vec<u32> =
            horizon.into_iter().map(|(a, b)| self.add_face([a, b, point])).collect();
        self.distribute(&fan, orphans.into_iter());
        true
    }

    /// Faces that a point is outside of, connected with the first, and the edges around them.
    fn seen_from(&self, first: u32, point: u32) -> (Vec<u32>, Vec<(u32, u32)>) {
        let p = &self.points[point as usize];
        let (mut visible, mut horizon) = (vec![first], Vec::new());
        let mut k = 0;
        while k < visible.len() {
            for (a, b) in self.faces.get(&visible[k]).map_or([(0, 0); 3], Face::edges) {
                let beyond = self.beyond(a, b);
                match beyond.and_then(|id| self.faces.get(&id)) {
                    Some(face) if face.distance(p) > self.thickness => {
                        visible.extend(beyond.filter(|id| !visible.contains(id)));
                    }
                    _ => horizon.push((a, b)),
                }
            }
            k += 1;
        }
        // the first face may count as not visible when it is met again
        horizon.retain(|&(a, b)| !self.beyond(a, b).is_some_and(|id| visible.contains(&id)));
        (visible, horizon)
    }

    /// The face on the other side of an edge.
    fn beyond(&self, a: u32, b: u32) -> Option<u32> {
        self.left.get(&(b, a)).copied()
    }

    fn finish(self) -> Hull {
        let outside = |p: &Vec3| self.faces.values().map(|face| face.distance(p)).fold(0.0, larger);
        let left_out = self.points.iter().map(outside).fold(0.0, larger);
        let mut hull = Hull { vertices: Vec::new(), triangles: Vec::new(), left_out };
        let mut place = BTreeMap::new();
        for face in self.faces.values() {
            hull.triangles.push(face.corners.map(|i| {
                *place.entry(i).or_insert_with(|| {
                    hull.vertices.push(self.points[i as usize]);
                    hull.vertices.len() as u32 - 1
                })
            }));
        }
        hull
    }
}

/// NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}
