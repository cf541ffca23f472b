//! Where guides are: point, normal and tangents at a position.

use crate::contact::rows::Place;
use crate::contact::space::Tangents;
use crate::math::{Mat3, Vec3};
use crate::model::{Attachment, Guide, GuideKind, Model};
use crate::spatial::Pose;
use crate::tree::kinematics::Kinematics;

#[derive(Clone, Copy, Debug)]
pub(crate) struct GuidePlace {
    pub(crate) place: Place,
    pub(crate) tangents: Tangents,
    /// How far the point is off its guide, along the normal [m].
    pub(crate) theta: f64,
}

pub(crate) fn place(model: &Model, kin: &Kinematics, places: &mut Vec<GuidePlace>) {
    places.clear();
    places.extend(model.guides.iter().map(|guide| place_of(guide, kin)));
}

fn place_of(guide: &Guide, kin: &Kinematics) -> GuidePlace {
    let pose = |at: &Attachment| at.body.map_or(at.X_BF, |body| kin.X_WB[body] * at.X_BF);
    let (X_WA, p_W) = (pose(&guide.a), pose(&guide.b).p);
    let p_A = X_WA.R.tr_mul(&(p_W - X_WA.p));
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    // columns t1, t2, n, right-handed
    let (R_AC, theta, tangents) = match guide.kind {
        GuideKind::Slot => (Mat3::from_columns(&[x, -z, y]), p_A.y, Tangents::Line),
        GuideKind::Plane => (Mat3::identity(), p_A.z, Tangents::Plane),
        GuideKind::Hoop { radius } => {
            let r = libm::hypot(p_A.x, p_A.y);
            // in the middle every direction is as good
            let n = if r > 0.0 { Vec3::new(p_A.x / r, p_A.y / r, 0.0) } else { x };
            (Mat3::from_columns(&[z.cross(&n), z, n]), r - radius, Tangents::Line)
        }
    };
    let Pose { R, .. } = X_WA;
    let place = Place { a: guide.a.body, b: guide.b.body, p_W, R_WC: R * R_AC };
    GuidePlace { place, tangents, theta }
}
