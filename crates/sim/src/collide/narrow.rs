//! From a pair of shapes to the function that knows it.

use super::capsule::{self, Capsule};
use super::contact::Touches;
use super::{box_box, half_space, nearest};
use crate::model::Shape;
use crate::spatial::Pose;

/// A shape and the pose of its frame G in W.
pub(super) type Placed<'a> = (&'a Pose, &'a Shape);

/// Contacts from a into b. False: there is no closed form for this pair.
pub(super) fn contacts(a: Placed, b: Placed, found: &mut Touches) -> bool {
    if rank(a.1) > rank(b.1) {
        let known = in_order(b, a, found);
        found.flip();
        return known;
    }
    in_order(a, b, found)
}

/// Each pair is written once, from the shape of the lower rank.
fn rank(shape: &Shape) -> usize {
    match shape {
        Shape::HalfSpace => 0,
        Shape::Points(_) => 1,
        Shape::Sphere { .. } => 2,
        Shape::Capsule { .. } => 3,
        Shape::Box { .. } => 4,
        _ => 5,
    }
}

fn in_order(a: Placed, b: Placed, found: &mut Touches) -> bool {
    let ((X_WA, shape_a), (X_WB, shape_b)) = (a, b);
    match (shape_a, shape_b) {
        (Shape::HalfSpace, _) => half_space::contacts(X_WA, X_WB, shape_b, found),
        (Shape::Points(_), Shape::Points(_)) => {}
        (
            Shape::Points(points),
            Shape::Sphere { .. }
            | Shape::Capsule { .. }
            | Shape::Box { .. }
            | Shape::Ellipsoid { .. },
        ) => {
            for (i, p) in points.iter().enumerate() {
                nearest::ball(&X_WA.point(p), 0.0, i as u32, b, found);
            }
        }
        (
            Shape::Sphere { radius },
            Shape::Sphere { .. }
            | Shape::Capsule { .. }
            | Shape::Box { .. }
            | Shape::Ellipsoid { .. },
        ) => nearest::ball(&X_WA.p, *radius, 0, b, found),
        (
            Shape::Capsule { radius: r_a, half_length: l_a },
            Shape::Capsule { radius: r_b, half_length: l_b },
        ) => {
            let (a, b) =
                (Capsule { radius: *r_a, half: *l_a }, Capsule { radius: *r_b, half: *l_b });
            capsule::contacts((X_WA, a), (X_WB, b), found);
        }
        (Shape::Box { half: a }, Shape::Box { half: b }) => {
            box_box::contacts((X_WA, a), (X_WB, b), found);
        }
        _ => return false,
    }
    true
}
