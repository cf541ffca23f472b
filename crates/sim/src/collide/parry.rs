//! Pairs without a closed form of our own, by the parry library. The only file that names its types.
//!
//! Every call starts afresh: parry's caches of earlier contacts would make the answer depend on the past. Calls allocate.
//!
//! - An ellipsoid is the hull of 642 of its points.
//! - A height field is a mesh whose cells are cut from (i, j) to (i + 1, j + 1).
//! - Contacts of meshes are one-sided: what is behind a triangle by more than a sphere's radius, or than a box is
//!   thick, is lost. Contacts that neighbouring triangles share are merged.
//! - Features are made of parry's numbers of vertices, edges, faces and triangles. Those of round shapes, and of the
//!   nearest points of curved pairs, are all the same: such contacts are told apart by their order only, which may
//!   change from step to step.
//! - Where two solids just touch, the direction between them is noise: parry is asked about them a little way apart, and
//!   the faces that look at each other then are cut where they are. The same for points on a surface.
//! - Where parry finds no direction though the solids overlap (centre in centre), the normal leads from centre to
//!   centre, or along z of A, and the gap is the overlap along it.

use parry3d_f64::math::{Pose as PPose, Rotation, Vector};
use parry3d_f64::query::point::PointQueryWithLocation;
use parry3d_f64::query::{
    ClosestPoints, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher,
    TrackedContact, closest_points, contact, intersection_test,
};
use parry3d_f64::shape::{PolygonalFeature, SharedShape, TriMesh, TriMeshFlags};
use parry3d_f64::transformation::try_convex_hull;

use super::contact::{Touch, Touches};
use super::ellipsoid;
use super::half_space::sample;
use super::nearest::direction;
use crate::math::{Mat3, Quat, Vec3};
use crate::model::{Model, Shape};
use crate::spatial::Pose;

/// Contacts nearer to each other than this share of the smaller solid are one.
const SAME: f64 = 1e-6;
/// A point this near to a surface, as a share of the solid's size, is on it: the direction to it is noise.
const ON_SURFACE: f64 = 1e-12;
/// Solids whose gap or overlap is below this share of the smaller one touch: there parry's normals may be off by a right
/// angle.
const TOUCHING: f64 = 1e-5;
/// How far they are taken apart, as a share of the smaller one: normals then have 13 digits.
const APART: f64 = 1e-3;
/// A normal that is this near to that of a face is the face's.
const DIGITS: f64 = 1e-8;
/// By which share a face is enlarged before another is cut to it: of faces that fit exactly, rounding would lose corners.
const FIT: f64 = 1e-9;
/// What a distance along a normal may lose, as a share of the lengths in it.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// How far the length of a normal may be from one before it counts as none.
const UNIT: f64 = 1e-6;

/// Parry's y is our z: it has its cylinders, cones along y.
const R_GP: Mat3 = Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);

/// The geoms of a model as parry knows them.
#[derive(Clone)]
pub(super) struct Solids {
    list: Vec<Option<Solid>>,
    manifolds: Vec<ContactManifold<(), ()>>,
}

#[derive(Clone)]
struct Solid {
    shape: SharedShape,
    /// Whether its axis is y.
    along_y: bool,
    /// Half of its diagonal [m].
    size: f64,
    /// The middle of its bounds, in parry's frame.
    centre: Vec3,
}

impl std::fmt::Debug for Solids {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Solids({})", self.list.iter().flatten().count())
    }
}

/// Whether points have a hull that parry can use.
pub(crate) fn is_hull(points: &[Vec3]) -> bool {
    let points: Vec<Vector> = points.iter().map(to_parry).collect();
    SharedShape::convex_hull(&points).is_some()
}

/// The faces of the hull of points as triangles, counterclockwise from outside.
pub(super) fn hull_triangles(points: &[Vec3]) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let points: Vec<Vector> = points.iter().map(to_parry).collect();
    let (corners, triangles) = try_convex_hull(&points).ok()?;
    Some((corners.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect(), triangles))
}

impl Solids {
    /// Empty if all pairs of the model have a closed form.
    pub(super) fn new(model: &Model) -> Self {
        let shapes = || model.geoms.iter().map(|geom| &geom.shape);
        let boxes = shapes().any(|shape| matches!(shape, Shape::Box { .. }));
        let simple = |shape: &&Shape| {
            matches!(shape, Shape::HalfSpace | Shape::Points(_) | Shape::Sphere { .. })
        };
        let several = shapes().filter(|shape| !simple(shape)).count() > 1;
        let needed = shapes().any(|shape| match shape {
            Shape::Ellipsoid { .. } => several,
            Shape::Capsule { .. } => boxes,
            Shape::Cylinder { .. }
            | Shape::Cone { .. }
            | Shape::Hull(_)
            | Shape::Mesh { .. }
            | Shape::HeightField { .. } => true,
            _ => false,
        });
        let list = if needed { shapes().map(Solid::new).collect() } else { Vec::new() };
        Self { list, manifolds: Vec::new() }
    }

    /// Contacts from geom a into geom b.
    pub(super) fn contacts(
        &mut self,
        model: &Model,
        (a, X_WA): (usize, &Pose),
        (b, X_WB): (usize, &Pose),
        found: &mut Touches,
    ) {
        let shapes = (&model.geoms[a].shape, &model.geoms[b].shape);
        match (shapes, &self.list[a], &self.list[b]) {
            ((Shape::Points(points), _), _, Some(solid)) => {
                solid.points((points, X_WA), X_WB, found);
            }
            ((_, Shape::Points(points)), Some(solid), _) => {
                solid.points((points, X_WB), X_WA, found);
                found.flip();
            }
            (_, Some(solid_a), Some(solid_b)) => {
                self.manifolds.clear();
                let pair = Pair::new((solid_a, X_WA), (solid_b, X_WB));
                pair.contacts(&mut self.manifolds, found);
            }
            _ => {}
        }
    }
}

impl Solid {
    fn new(shape: &Shape) -> Option<Self> {
        let mut along_y = false;
        let shape = match shape {
            Shape::HalfSpace | Shape::Points(_) | Shape::Compound(_) => return None,
            Shape::Sphere { radius } => SharedShape::ball(*radius),
            Shape::Box { half } => SharedShape::cuboid(half.x, half.y, half.z),
            Shape::Capsule { radius, half_length } => {
                let end = Vector::new(0.0, 0.0, *half_length);
                SharedShape::capsule(-end, end, *radius)
            }
            Shape::Cylinder { radius, half_length } => {
                along_y = true;
                SharedShape::cylinder(*half_length, *radius)
            }
            Shape::Cone { radius, half_length } => {
                along_y = true;
                SharedShape::cone(*half_length, *radius)
            }
            Shape::Ellipsoid { half } => {
                let points: Vec<Vector> = ellipsoid::points(half).iter().map(to_parry).collect();
                SharedShape::convex_hull(&points)?
            }
            Shape::Hull(points) => {
                let points: Vec<Vector> = points.iter().map(to_parry).collect();
                SharedShape::convex_hull(&points).expect("checked when the model was built")
            }
            Shape::Mesh { vertices, triangles } => surface(vertices, triangles.clone()),
            Shape::HeightField { nx, ny, spacing, heights } => {
                let point = |(i, z): (usize, &f64)| {
                    let [x, y] = sample(*nx, *ny, spacing, i);
                    Vec3::new(x, y, *z)
                };
                let vertices: Vec<Vec3> = heights.iter().enumerate().map(point).collect();
                surface(&vertices, cells(*nx, *ny))
            }
        };
        let bounds = shape.compute_local_aabb();
        let (size, centre) = (bounds.half_extents().length(), from_parry(bounds.center()));
        Some(Self { shape, along_y, size, centre })
    }

    /// The normal of a point on the surface: seen from a point a little outside.
    fn normal_at(&self, p_P: &Vec3) -> Vec3 {
        let outwards = direction(&(p_P - self.centre)).map_or(Vec3::z(), |(n, _)| n);
        let outside = p_P + outwards * (APART * self.size);
        let nearest = self.shape.project_local_point(to_parry(&outside), false).point;
        direction(&(outside - from_parry(nearest))).map_or(outwards, |(n, _)| n)
    }

    /// The normal of the face of a mesh that is nearest to a point, where no edge or vertex is.
    fn face_at(&self, p_P: &Vec3) -> Option<Vec3> {
        let mesh = self.shape.as_trimesh()?;
        let (_, (triangle, place)) =
            mesh.project_local_point_and_get_location(to_parry(p_P), false);
        let normal = mesh.triangle(triangle).normal()?;
        place.is_on_face().then(|| from_parry(normal))
    }

    /// The frame in which parry has this solid, in W.
    fn frame(&self, X_WG: &Pose) -> Pose {
        if self.along_y { Pose { R: X_WG.R * R_GP, p: X_WG.p } } else { *X_WG }
    }

    /// Contacts from points, in their frame A, into this solid.
    fn points(&self, (points, X_WA): (&[Vec3], &Pose), X_WG: &Pose, found: &mut Touches) {
        let X_WP = self.frame(X_WG);
        for (i, p) in points.iter().enumerate() {
            let p_W = X_WA.point(p);
            let p_P = X_WP.R.tr_mul(&(p_W - X_WP.p));
            let projection = self.shape.project_local_point(to_parry(&p_P), false);
            let from_surface = p_P - from_parry(projection.point);
            let inside = projection.is_inside;
            let (n, d) = match direction(&from_surface) {
                _ if let Some(n) = self.face_at(&p_P) => (n, n.dot(&from_surface)),
                Some((n, d)) if d > ON_SURFACE * self.size => {
                    if inside {
                        (-n, -d)
                    } else {
                        (n, d)
                    }
                }
                _ => (self.normal_at(&p_P), 0.0),
            };
            let n_W = X_WP.R * n;
            let middle = p_W - n_W * (0.5 * d);
            found.add(Touch { feature: i as u32, p_W: middle, n_W: -n_W, gap: d });
        }
    }
}

/// Two solids in the frames in which parry has them.
struct Pair<'a> {
    a: &'a Solid,
    b: &'a Solid,
    X_WA: Pose,
    X_WB: Pose,
    /// b in a.
    X_AB: Pose,
}

impl<'a> Pair<'a> {
    fn new((a, X_WA): (&'a Solid, &Pose), (b, X_WB): (&'a Solid, &Pose)) -> Self {
        let (X_WA, X_WB) = (a.frame(X_WA), b.frame(X_WB));
        let X_AB = Pose { R: X_WA.R.tr_mul(&X_WB.R), p: X_WA.R.tr_mul(&(X_WB.p - X_WA.p)) };
        Self { a, b, X_WA, X_WB, X_AB }
    }

    fn contacts(&self, manifolds: &mut Vec<ContactManifold<(), ()>>, found: &mut Touches) {
        let X_AB = pose_to_parry(&self.X_AB);
        let (a, b) = (&*self.a.shape, &*self.b.shape);
        let touching = TOUCHING * self.a.size.min(self.b.size);
        if self.is_beyond(found.limit.max(touching)) {
            return;
        }
        let supported = DefaultQueryDispatcher.contact_manifolds(
            &X_AB,
            a,
            b,
            // parry's own gap of what touches is noise: how far one looks must not decide whether it is seen
            found.limit.max(touching),
            manifolds,
            &mut None,
        );
        debug_assert!(supported.is_ok(), "parry knows all pairs that come here");
        let points = manifolds.iter().flat_map(|manifold| &manifold.points);
        if let Some(point) = points.min_by(|p, q| p.dist.total_cmp(&q.dist))
            && point.dist <= touching
            && let Some(manifold) = self.touching(&X_AB, *point, touching)
        {
            manifolds.clear();
            manifolds.push(manifold);
        }
        let same = SAME * self.a.size.min(self.b.size);
        for manifold in manifolds.iter() {
            let n_A = from_parry(manifold.local_n1);
            let usable = (n_A.norm() - 1.0).abs() <= UNIT;
            for point in manifold.points.iter().filter(|_| usable) {
                let p_A = self.X_WA.point(&from_parry(point.local_p1));
                let p_B = self.X_WB.point(&from_parry(point.local_p2));
                let numbers = [manifold.subshape1, manifold.subshape2, point.fid1.0, point.fid2.0];
                let (n_W, gap) = (self.X_WA.R * n_A.normalize(), point.dist);
                let touch = Touch { feature: number(&numbers), p_W: 0.5 * (p_A + p_B), n_W, gap };
                add_new(touch, same, found);
            }
        }
        if found.list.is_empty() {
            let is_apart = self.nearest(&X_AB, found);
            if found.list.is_empty() && !is_apart {
                self.overlap(&X_AB, found);
            }
        }
    }

    /// Whether a plane across the way from centre to centre has the one solid on this side and the other farther than `limit` [m] beyond it.
    fn is_beyond(&self, limit: f64) -> bool {
        let (Some(a), Some(b)) = (self.a.shape.as_support_map(), self.b.shape.as_support_map())
        else {
            return false;
        };
        let between = self.X_AB.point(&self.b.centre) - self.a.centre;
        let Some((n, _)) = direction(&between) else { return false };
        let end_a = from_parry(a.local_support_point(to_parry(&n)));
        let n_B = self.X_AB.R.tr_mul(&n);
        let end_b = from_parry(b.local_support_point(to_parry(&-n_B)));
        let end_b = self.X_AB.point(&end_b);
        let rounding = ROUNDING * (self.a.size + self.b.size + between.norm());
        n.dot(&(end_b - end_a)) > limit + rounding
    }

    /// The contact at the nearest points of solids that are apart: faces that do not look at each other have no contacts in
    /// parry's manifolds. True if they are farther apart than is asked.
    fn nearest(&self, X_AB: &PPose, found: &mut Touches) -> bool {
        let (a, b) = (&*self.a.shape, &*self.b.shape);
        let nearest = closest_points(&PPose::IDENTITY, a, X_AB, b, found.limit);
        let Ok(ClosestPoints::WithinMargin(p_A, p_B)) = nearest else {
            return matches!(nearest, Ok(ClosestPoints::Disjoint));
        };
        let (p_A, p_B) = (from_parry(p_A), from_parry(p_B));
        if let Some((n_A, gap)) = direction(&(p_B - p_A))
            && gap > TOUCHING * self.a.size.min(self.b.size)
        {
            let p_W = self.X_WA.point(&(0.5 * (p_A + p_B)));
            found.add(Touch { feature: 0, p_W, n_W: self.X_WA.R * n_A, gap });
        }
        false
    }

    /// The contacts of convex solids that touch or overlap, deepest at a point whose normal is not to be trusted. None
    /// if they are not convex, or have no faces, edges or corners, or if they overlap less along that normal.
    fn touching(
        &self,
        X_AB: &PPose,
        mut at: TrackedContact<()>,
        touching: f64,
    ) -> Option<ContactManifold<(), ()>> {
        let (a, b) = (&*self.a.shape, &*self.b.shape);
        let ((faces_a, 0.0), (faces_b, 0.0)) =
            (a.as_polygonal_feature_map()?, b.as_polygonal_feature_map()?)
        else {
            return None;
        };
        // centres are on either side of every plane between the two
        let (apart, _) = direction(&(self.X_AB.point(&self.b.centre) - self.a.centre))?;
        let shift = APART * self.a.size.min(self.b.size);
        let X_AB_apart = pose_to_parry(&Pose { p: self.X_AB.p + apart * shift, ..self.X_AB });
        let nearest = contact(&PPose::IDENTITY, a, &X_AB_apart, b, 2.0 * shift).ok()??;
        let (n_A, n_B) = (nearest.normal1, X_AB.rotation.inverse() * -nearest.normal1);
        let (mut face_a, mut face_b) = (PolygonalFeature::default(), PolygonalFeature::default());
        faces_a.local_support_feature_toward(n_A, at.local_p1, &mut face_a);
        faces_b.local_support_feature_toward(n_B, at.local_p2, &mut face_b);
        // a face that leans would come nearer
        if lies_across(&face_a, n_A) {
            enlarge(&mut face_a);
        } else if lies_across(&face_b, n_B) {
            enlarge(&mut face_b);
        }
        let mut found = ContactManifold::default();
        let X_BA = X_AB.inverse();
        PolygonalFeature::contacts(X_AB, &X_BA, n_A, n_B, &face_a, &face_b, &mut found, false);
        // where edges cross or corners meet, the faces may not
        let overlap = -at.dist;
        if !found.points.iter().any(|point| point.dist <= touching) {
            at.dist = n_A.dot(X_AB * at.local_p2 - at.local_p1);
            found.points.push(at);
        }
        (found.local_n1, found.local_n2) = (n_A, n_B);
        let overlaps_less = found.points.iter().all(|point| point.dist >= -overlap - touching);
        overlaps_less.then_some(found)
    }

    /// The contact of solids that overlap though parry has found no direction.
    fn overlap(&self, X_AB: &PPose, found: &mut Touches) {
        let (a, b) = (&*self.a.shape, &*self.b.shape);
        let (Some(support_a), Some(support_b)) = (a.as_support_map(), b.as_support_map()) else {
            return;
        };
        let test = intersection_test(&PPose::IDENTITY, a, X_AB, b);
        if !test.is_ok_and(|test| test.intersecting) {
            return;
        }
        let o = self.X_AB.p;
        let n = direction(&o).map_or(Vec3::z(), |(n, _)| n);
        let deepest_a = from_parry(support_a.local_support_point(to_parry(&n)));
        let n_B = self.X_AB.R.tr_mul(&n);
        let deepest_b = from_parry(support_b.local_support_point(to_parry(&-n_B)));
        let deepest_b = self.X_AB.point(&deepest_b);
        let p_W = self.X_WA.point(&(0.5 * (deepest_a + deepest_b)));
        let gap = n.dot(&(deepest_b - deepest_a));
        found.add(Touch { feature: 0, p_W, n_W: self.X_WA.R * n, gap });
    }
}

/// Adds a contact unless one is there at the same place and along the same normal. Its number is the next one that is free.
fn add_new(mut touch: Touch, same: f64, found: &mut Touches) {
    let known = |other: &Touch| {
        (other.p_W - touch.p_W).amax() <= same && other.n_W.dot(&touch.n_W) > 1.0 - SAME
    };
    if !(touch.gap <= found.limit) || found.list.iter().any(known) {
        return;
    }
    while found.list.iter().any(|other| other.feature == touch.feature) {
        touch.feature = touch.feature.wrapping_add(1);
    }
    found.add(touch);
}

/// Whether a normal is that of the face, as far as it is known.
fn lies_across(face: &PolygonalFeature, n: Vector) -> bool {
    if face.num_vertices < 3 {
        return false;
    }
    let [a, b, c] = [0, 1, 2].map(|i| from_parry(face.vertices[i]));
    let own = direction(&(b - a).cross(&(c - a)));
    own.is_some_and(|(own, _)| own.cross(&from_parry(n)).amax() <= DIGITS)
}

/// Moves the corners of a face away from their middle.
fn enlarge(face: &mut PolygonalFeature) {
    let corners = &mut face.vertices[..face.num_vertices];
    let middle = corners.iter().fold(Vector::ZERO, |sum, p| sum + *p) / corners.len() as f64;
    corners.iter_mut().for_each(|p| *p += (*p - middle) * FIT);
}

/// One number of four, the same on every platform (FNV-1a).
fn number(parts: &[u32; 4]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.to_le_bytes());
    bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn surface(vertices: &[Vec3], triangles: Vec<[u32; 3]>) -> SharedShape {
    let vertices: Vec<Vector> = vertices.iter().map(to_parry).collect();
    // normals of edges and vertices: to tell the inside, and to keep edges between flat triangles from bumping
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::ORIENTED;
    let mesh = TriMesh::with_flags(vertices, triangles, flags);
    SharedShape::new(mesh.expect("checked when the model was built: it has triangles"))
}

/// Two triangles for each cell of a grid, counterclockwise from above.
fn cells(nx: usize, ny: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * (nx - 1) * (ny - 1));
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let at = |i: usize, j: usize| (i + nx * j) as u32;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    triangles
}

fn to_parry(a: &Vec3) -> Vector {
    Vector::new(a.x, a.y, a.z)
}

fn from_parry(a: Vector) -> Vec3 {
    Vec3::new(a.x, a.y, a.z)
}

fn pose_to_parry(X: &Pose) -> PPose {
    let Quat { w, x, y, z } = Quat::from_matrix(&X.R);
    PPose::from_parts(to_parry(&X.p), Rotation::from_xyzw(x, y, z, w))
}
