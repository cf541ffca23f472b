//! Contact forces of a step: one by one, and their sum on each body.
//!
//! An impulse p over a step of length h is the mean force p/h. It acts where the step found the contact, at the beginning
//! of the step; an impact has the force that lasts one step.

use crate::contact::work::ContactWork;
use crate::math::Vec3;
use crate::model::BodyId;
use crate::spatial::Force;

/// The force between two bodies at one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// None: the world.
    pub a: Option<BodyId>,
    pub b: Option<BodyId>,
    /// Where it acts, in W [m].
    pub p_W: Vec3,
    /// On B, in W [N]; A feels the opposite.
    pub f_W: Vec3,
}

impl ContactForce {
    /// On one of the two bodies, about the point Q at `p_WQ`, in the axes of W.
    fn about(&self, p_WQ: &Vec3, sign: f64) -> Force {
        let f = self.f_W * sign;
        Force { t: (self.p_W - p_WQ).cross(&f), f }
    }
}

/// In the order of the contacts.
pub(crate) fn forces(contact: &ContactWork) -> Vec<ContactForce> {
    let id = |body: Option<usize>| body.map(|i| BodyId(i as u32));
    // guides and bounded rows come after the contacts
    let places = &contact.places[..contact.contacts.len()];
    places
        .iter()
        .zip(contact.p.chunks_exact(3))
        .map(|(place, p)| {
            // n, t1, t2 of the impulse; t1, t2, n of the frame
            let p_C = Vec3::new(p[1], p[2], p[0]);
            let f_W = place.R_WC * p_C / contact.space.h;
            ContactForce { a: id(place.a), b: id(place.b), p_W: place.p_W, f_W }
        })
        .collect()
}

/// For each body the sum of the forces on it, about its centre of mass at the beginning of the step, in the axes of W.
pub(crate) fn wrenches(contact: &ContactWork) -> Vec<Force> {
    let mut sums = vec![Force::zero(); contact.centres.len()];
    for force in forces(contact) {
        for (body, sign) in [(force.b, 1.0), (force.a, -1.0)] {
            if let Some(BodyId(i)) = body {
                let i = i as usize;
                sums[i] += force.about(&contact.centres[i], sign);
            }
        }
    }
    sums
}
