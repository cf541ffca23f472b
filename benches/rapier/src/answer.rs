//! The impulses of a step, as `judge_answer` reads them.

use rapier3d_f64::prelude::*;
use serde_json::{Value, json};

/// Where the bodies are and how they move.
pub fn moving(physics: &PhysicsWorld, handles: &[RigidBodyHandle]) -> Vec<Value> {
    let of = |handle: &RigidBodyHandle| {
        let body = &physics.bodies[*handle];
        let q = body.rotation();
        json!({
            "p": body.translation().to_array(),
            "quat": [q.w, q.x, q.y, q.z],
            "v": body.linvel().to_array(),
            "w": body.angvel().to_array(),
        })
    };
    handles.iter().map(of).collect()
}

/// On the second body of each pair, at a point of the world.
pub fn impulses(physics: &PhysicsWorld, handles: &[RigidBodyHandle]) -> Vec<Value> {
    let place = |body: Option<RigidBodyHandle>| {
        body.and_then(|body| handles.iter().position(|handle| *handle == body))
    };
    let mut all = Vec::new();
    for pair in physics.contact_pairs() {
        let Some(first) = physics.colliders.get(pair.collider1) else { continue };
        for manifold in pair.manifolds() {
            let data = &manifold.data;
            let (a, b) = (place(data.rigid_body1), place(data.rigid_body2));
            for point in &manifold.points {
                let at = *first.position() * point.local_p1;
                let impulse =
                    data.normal * point.data.impulse - friction(&point.data, -data.normal);
                all.push(
                    json!({"a": a, "b": b, "point": at.to_array(), "impulse": impulse.to_array()}),
                );
            }
        }
    }
    all
}

/// Of a whole step on the first body, in the world. The basis of its two numbers is not kept, but what the last part of the
/// step had is known in both; `dir1` is the direction in which the first body is pushed.
fn friction(data: &ContactData, dir1: Vector) -> Vector {
    let (part, part_world) = (data.warmstart_tangent_impulse, data.warmstart_tangent_world);
    let square = part.x * part.x + part.y * part.y;
    if !(square > 0.0) {
        return Vector::ZERO;
    }
    let tangent1 = (part_world * part.x - dir1.cross(part_world) * part.y) / square;
    let tangent2 = dir1.cross(tangent1);
    tangent1 * data.tangent_impulse.x + tangent2 * data.tangent_impulse.y
}
