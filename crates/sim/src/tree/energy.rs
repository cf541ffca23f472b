//! Energy, momentum and centre of mass of the whole mechanism.
//!
//! ```text
//!  K = ½ Σ V·I V + ½ Σ armature v²          V = −Σ m g·p_WBcm
//!  P = Σ m v_WBcm                           L = Σ (p_QBcm × m v_WBcm + I_cm w)      about a point Q
//! ```
//!
//! Armature stores energy but has no momentum: it stands for rotors that turn inside a drive.

use crate::data::Data;
use crate::math::Vec3;
use crate::model::Model;
use crate::spatial::Force;
use crate::tree::kinematics::Velocities;

/// Kinetic energy of the bodies and of the armatures [J]: `½ vᵀM v`. Needs positions and velocities; v is
/// the one they were updated with.
pub fn kinetic(model: &Model, data: &Data, v: &[f64]) -> f64 {
    assert_eq!(v.len(), model.nv, "v has the wrong length");
    kinetic_of(model, data.velocities(), v)
}

/// The same of velocities that are not in `data`.
pub(crate) fn kinetic_of(model: &Model, velocities: &Velocities, v: &[f64]) -> f64 {
    let bodies: f64 =
        model.bodies.iter().zip(&velocities.V).map(|(body, V)| V.dot(&(&body.I * V))).sum();
    let armature: f64 = model.armature.iter().zip(v).map(|(armature, v)| armature * v * v).sum();
    0.5 * (bodies + armature)
}

/// Energy in the field of gravity [J], zero at the world's origin. Needs the positions.
pub fn potential(model: &Model, data: &Data) -> f64 {
    -first_moment(model, data).dot(&model.gravity)
}

/// Of all bodies together [kg].
pub fn mass(model: &Model) -> f64 {
    model.bodies.iter().map(|body| body.I.mass).sum()
}

/// Centre of mass of all bodies in W [m]. Needs the positions, and at least one body.
pub fn centre_of_mass(model: &Model, data: &Data) -> Vec3 {
    first_moment(model, data) / mass(model)
}

/// Its velocity in W [m/s]. Needs positions and velocities, and at least one body.
pub fn centre_of_mass_velocity(model: &Model, data: &Data) -> Vec3 {
    linear_momentum(model, data) / mass(model)
}

/// In W [N·s]. Needs positions and velocities.
pub fn linear_momentum(model: &Model, data: &Data) -> Vec3 {
    momentum(model, data, &Vec3::zeros()).f
}

/// About the point Q at `p_WQ`, in W [N·m·s]. Needs positions and velocities.
pub fn angular_momentum(model: &Model, data: &Data, p_WQ: &Vec3) -> Vec3 {
    momentum(model, data, p_WQ).t
}

/// Both as a spatial vector about Q in the axes of W.
pub fn momentum(model: &Model, data: &Data, p_WQ: &Vec3) -> Force {
    let (kin, vel) = (data.positions(), data.velocities());
    let mut sum = Force::zero();
    for (i, body) in model.bodies.iter().enumerate() {
        let X_WB = &kin.X_WB[i];
        let P_B = &body.I * &vel.V[i];
        let f = X_WB.R * P_B.f;
        sum += Force { t: X_WB.R * P_B.t + (X_WB.p - p_WQ).cross(&f), f };
    }
    sum
}

/// `Σ m p_WBcm` [kg·m].
fn first_moment(model: &Model, data: &Data) -> Vec3 {
    let bodies = model.bodies.iter().zip(&data.positions().X_WB);
    bodies.fold(Vec3::zeros(), |sum, (body, X_WB)| sum + X_WB.p * body.I.mass + X_WB.R * body.I.mc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::Inertia;
    use crate::model::{Coordinates, ModelSpec};
    use crate::tree::kinematics;

    /// Two balls of 2 kg and 1 kg, at (0, 0, 4) and (3, 0, 1), the second turning about z.
    #[test]
    fn two_balls_have_the_energies_and_momenta_of_the_textbook() {
        let mut spec = ModelSpec::new();
        spec.body("a", Inertia::principal(2.0, [0.5; 3]));
        spec.body("b", Inertia::principal(1.0, [0.25; 3]));
        let model = spec.build(Coordinates::Generalized).expect("two balls");
        let mut data = Data::new(&model);
        let q = [0., 0., 4., 1., 0., 0., 0., 3., 0., 1., 1., 0., 0., 0.];
        let v = [1., 0., 0., 0., 0., 0., 0., 4., 0., 0., 0., 2.];
        kinematics::update(&model, &q, &v, &mut data);

        assert_eq!(kinetic(&model, &data, &v), 0.5 * (2.0 + 16.0 + 0.25 * 4.0));
        assert!((potential(&model, &data) - 9.81 * (8.0 + 1.0)).abs() < 1e-13);
        assert_eq!(centre_of_mass(&model, &data), Vec3::new(1.0, 0.0, 3.0));
        assert_eq!(linear_momentum(&model, &data), Vec3::new(2.0, 4.0, 0.0));
        let v_com = centre_of_mass_velocity(&model, &data);
        assert!((v_com - Vec3::new(2.0, 4.0, 0.0) / 3.0).amax() < 1e-15);
        // about (0, 0, 1): 3 m × 2 kg·m/s along y, 3 m × 4 kg·m/s and the spin along z
        let L = angular_momentum(&model, &data, &Vec3::z());
        assert_eq!(L, Vec3::new(0.0, 6.0, 12.5));
    }
}
