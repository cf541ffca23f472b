//! What Foxglove draws: transforms of the bodies, their shapes, and arrows for the impulses of contacts.
//!
//! Numbers of fields are those of [`schema::foxglove`](crate::schema::foxglove). Quaternions go out as x, y, z, w there.

use crate::frame::{Contact, Frame, Mode};
use crate::header::{BodyInfo, Geometry, Header, ShapeInfo};
use crate::proto::{put_bytes, put_double, put_message, put_uint, put_varint};

/// The frame that everything hangs on.
pub(crate) const WORLD: &str = "world";

type Color = [f64; 4];

/// Colours that are told apart with any kind of colour vision (Okabe and Ito).
const BODIES: [Color; 6] = [
    [0.00, 0.45, 0.70, 1.0],
    [0.90, 0.62, 0.00, 1.0],
    [0.00, 0.62, 0.45, 1.0],
    [0.80, 0.47, 0.65, 1.0],
    [0.34, 0.71, 0.91, 1.0],
    [0.95, 0.90, 0.25, 1.0],
];
const GROUND: Color = [0.6, 0.6, 0.6, 1.0];
const STICK: Color = [0.0, 0.0, 0.0, 1.0];
const SLIP: Color = [0.84, 0.37, 0.0, 1.0];

/// Half of the side of the square that stands for a half-space, and its thickness [m].
const SQUARE: f64 = 10.0;
const THICKNESS: f64 = 0.01;
/// Diameter of a sphere that stands for a point [m].
const POINT: f64 = 0.01;

fn put_time(out: &mut Vec<u8>, field: u32, nanoseconds: u64) {
    put_message(out, field, |out| {
        put_uint(out, 1, nanoseconds / 1_000_000_000);
        put_uint(out, 2, nanoseconds % 1_000_000_000);
    });
}

fn put_list(out: &mut Vec<u8>, field: u32, numbers: &[f64]) {
    put_message(out, field, |out| {
        for (i, x) in numbers.iter().enumerate() {
            put_double(out, i as u32 + 1, *x);
        }
    });
}

fn put_quaternion(out: &mut Vec<u8>, field: u32, [w, x, y, z]: [f64; 4]) {
    put_list(out, field, &[x, y, z, w]);
}

fn put_pose(out: &mut Vec<u8>, field: u32, position: [f64; 3], quat_wxyz: [f64; 4]) {
    put_message(out, field, |out| {
        put_list(out, 1, &position);
        put_quaternion(out, 2, quat_wxyz);
    });
}

/// `foxglove.FrameTransforms`: every body in the world.
pub(crate) fn put_transforms(
    out: &mut Vec<u8>,
    bodies: &[BodyInfo],
    frame: &Frame,
    nanoseconds: u64,
) {
    for (body, [x, y, z, qw, qx, qy, qz]) in bodies.iter().zip(frame.poses.iter().copied()) {
        put_message(out, 1, |out| {
            put_time(out, 1, nanoseconds);
            put_bytes(out, 2, WORLD.as_bytes());
            put_bytes(out, 3, body.name.as_bytes());
            put_list(out, 4, &[x, y, z]);
            put_quaternion(out, 5, [qw, qx, qy, qz]);
        });
    }
}

/// The beginning of a `foxglove.SceneEntity` that stays until it is replaced.
fn put_entity(out: &mut Vec<u8>, frame_id: &str, id: &str, nanoseconds: u64) {
    put_time(out, 1, nanoseconds);
    put_bytes(out, 2, frame_id.as_bytes());
    put_bytes(out, 3, id.as_bytes());
    put_message(out, 4, |_| {});
    put_uint(out, 5, 1);
}

/// `foxglove.SceneUpdate`: every shape, fixed to its body.
pub(crate) fn put_shapes(out: &mut Vec<u8>, header: &Header) {
    for (i, shape) in header.shapes.iter().enumerate() {
        let body = shape.body.and_then(|body| header.bodies.get(body));
        let frame_id = body.map_or(WORLD, |body| &body.name);
        let color = shape.body.map_or(GROUND, |body| BODIES[body % BODIES.len()]);
        put_message(out, 2, |out| {
            put_entity(out, frame_id, &format!("{i} {}", shape.name), 0);
            put_shape(out, shape, color);
        });
    }
}

const CUBES: u32 = 8;
const SPHERES: u32 = 9;
const CYLINDERS: u32 = 10;
const TRIANGLES: u32 = 12;

/// A cube or a sphere of that size, its centre `along` the shape's own frame.
fn put_sized(
    out: &mut Vec<u8>,
    field: u32,
    shape: &ShapeInfo,
    along: [f64; 3],
    size: [f64; 3],
    color: Color,
) {
    put_message(out, field, |out| {
        put_pose(out, 1, shifted(shape, along), shape.quat_wxyz);
        put_list(out, 2, &size);
        put_list(out, 3, &color);
    });
}

/// A cylinder whose upper end is `top` times as wide as its lower one.
fn put_cylinder(out: &mut Vec<u8>, shape: &ShapeInfo, size: [f64; 3], top: f64, color: Color) {
    put_message(out, CYLINDERS, |out| {
        put_pose(out, 1, shape.position, shape.quat_wxyz);
        put_list(out, 2, &size);
        put_double(out, 3, 1.0);
        put_double(out, 4, top);
        put_list(out, 5, &color);
    });
}

fn put_shape(out: &mut Vec<u8>, shape: &ShapeInfo, color: Color) {
    let origin = [0.0; 3];
    match &shape.geometry {
        Geometry::HalfSpace => {
            let size = [2.0 * SQUARE, 2.0 * SQUARE, THICKNESS];
            put_sized(out, CUBES, shape, [0.0, 0.0, -0.5 * THICKNESS], size, color);
        }
        Geometry::Sphere { radius } => {
            put_sized(out, SPHERES, shape, origin, [2.0 * radius; 3], color);
        }
        Geometry::Box { half } => {
            put_sized(out, CUBES, shape, origin, half.map(|x| 2.0 * x), color);
        }
        Geometry::Ellipsoid { half } => {
            put_sized(out, SPHERES, shape, origin, half.map(|x| 2.0 * x), color);
        }
        Geometry::Capsule { radius, half_length } => {
            let size = [2.0 * radius, 2.0 * radius, 2.0 * half_length];
            put_cylinder(out, shape, size, 1.0, color);
            for z in [-half_length, *half_length] {
                put_sized(out, SPHERES, shape, [0.0, 0.0, z], [2.0 * radius; 3], color);
            }
        }
        Geometry::Cylinder { radius, half_length } => {
            let size = [2.0 * radius, 2.0 * radius, 2.0 * half_length];
            put_cylinder(out, shape, size, 1.0, color);
        }
        Geometry::Cone { radius, half_length } => {
            let size = [2.0 * radius, 2.0 * radius, 2.0 * half_length];
            put_cylinder(out, shape, size, 0.0, color);
        }
        Geometry::Mesh { vertices, triangles } => {
            put_triangles(out, shape, vertices, triangles, color);
        }
        Geometry::Points { points } => {
            for point in points {
                put_sized(out, SPHERES, shape, *point, [POINT; 3], color);
            }
        }
    }
}

fn put_triangles(
    out: &mut Vec<u8>,
    shape: &ShapeInfo,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    color: Color,
) {
    put_message(out, TRIANGLES, |out| {
        put_pose(out, 1, shape.position, shape.quat_wxyz);
        for vertex in vertices {
            put_list(out, 2, vertex);
        }
        put_list(out, 3, &color);
        // packed fixed32
        put_varint(out, 5 << 3 | 2);
        put_varint(out, 12 * triangles.len() as u64);
        for index in triangles.as_flattened() {
            out.extend_from_slice(&index.to_le_bytes());
        }
    });
}

/// The point `along` the shape's own frame, in its body's.
fn shifted(shape: &ShapeInfo, along: [f64; 3]) -> [f64; 3] {
    let turned = turn(shape.quat_wxyz, along);
    std::array::from_fn(|i| shape.position[i] + turned[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector turned by a unit quaternion: x + 2 w (u × x) + 2 u × (u × x).
fn turn([w, ux, uy, uz]: [f64; 4], x: [f64; 3]) -> [f64; 3] {
    let u = [ux, uy, uz];
    let once = cross(u, x);
    let twice = cross(u, once);
    std::array::from_fn(|i| x[i] + 2.0 * (w * once[i] + twice[i]))
}

/// The unit quaternion (w, x, y, z) that turns the x axis into the direction of `d`, which is not zero.
fn from_x_axis(d: [f64; 3], length: f64) -> [f64; 4] {
    let [x, y, z] = d.map(|x| x / length);
    // half of the way from the x axis to d: 1 + cos, and the axis times the sine; 1 + cos without cancellation
    let w = if x < 0.0 { (y * y + z * z) / (1.0 - x) } else { 1.0 + x };
    let norm = (w * w + y * y + z * z).sqrt();
    if !(norm > 0.0) {
        return [0.0, 0.0, 0.0, 1.0];
    }
    [w / norm, 0.0, -z / norm, y / norm]
}

/// `foxglove.SceneUpdate`: an arrow for each impulse, `scale` metres for each N·s. They replace those before.
pub(crate) fn put_arrows(out: &mut Vec<u8>, frame: &Frame, scale: f64, nanoseconds: u64) {
    put_message(out, 2, |out| {
        put_entity(out, WORLD, "impulses", nanoseconds);
        for contact in &frame.contacts {
            put_arrow(out, contact, scale);
        }
    });
}

fn put_arrow(out: &mut Vec<u8>, contact: &Contact, scale: f64) {
    let [x, y, z] = contact.impulse;
    let impulse = (x * x + y * y + z * z).sqrt();
    if !(impulse > 0.0 && impulse.is_finite()) {
        return;
    }
    let length = scale * impulse;
    put_message(out, 7, |out| {
        put_pose(out, 1, contact.point, from_x_axis(contact.impulse, impulse));
        put_double(out, 2, 0.8 * length);
        put_double(out, 3, 0.05 * length);
        put_double(out, 4, 0.2 * length);
        put_double(out, 5, 0.1 * length);
        let color = if contact.mode == Mode::Slip { SLIP } else { STICK };
        put_list(out, 6, &color);
    });
}

/// Length of an arrow for each unit of impulse: 0.3 m for what carries a body of mean mass during a step.
pub(crate) fn arrow_scale(header: &Header) -> f64 {
    let masses = header.bodies.iter().map(|body| body.mass).filter(|mass| mass.is_finite());
    let mean = masses.sum::<f64>() / header.bodies.len() as f64;
    let carried = mean * 9.81 * header.h;
    if carried > 0.0 { 0.3 / carried } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_point_along_the_impulse() {
        for d in [
            [1.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.3, -0.4, 1.2],
            [-1.0, 0.0, 0.0],
            [-3.0, 1e-3, 0.0],
        ] {
            let length = d.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
            let quaternion = from_x_axis(d, length);
            let norm = quaternion.iter().map(|x| x * x).sum::<f64>();
            assert!((norm - 1.0).abs() < 1e-14, "{d:?}: {norm}");
            let turned = turn(quaternion, [length, 0.0, 0.0]);
            for i in 0..3 {
                assert!((turned[i] - d[i]).abs() < 1e-12, "{d:?}: {turned:?}");
            }
        }
    }

    #[test]
    fn caps_of_a_turned_capsule_lie_on_its_axis() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let shape = ShapeInfo {
            name: String::new(),
            body: None,
            material: String::new(),
            position: [1.0, 2.0, 3.0],
            // a quarter turn about x: z goes to −y
            quat_wxyz: [half, half, 0.0, 0.0],
            geometry: Geometry::Capsule { radius: 0.1, half_length: 0.5 },
        };
        let cap = shifted(&shape, [0.0, 0.0, 0.5]);
        for (x, expected) in cap.iter().zip([1.0, 1.5, 3.0]) {
            assert!((x - expected).abs() < 1e-14);
        }
    }
}
