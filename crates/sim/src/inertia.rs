//! How mass is spread in a body.
//!
//! [`Inertia`] is what a user states: mass, centre, rotational inertia about the centre. A real body
//! has a positive mass and principal moments that are positive and obey the triangle inequality
//! `I₁ + I₂ ≥ I₃` (equality: a flat plate). [`SpatialInertia`] is the same about a frame's origin, as
//! the tree algorithms want it.

pub mod shapes;

use std::fmt;

use crate::math::{Mat3, Vec3, skew};
use crate::spatial::{Force, Motion, Pose};

/// Relative slack of the checks: inertias are often rounded in files, and a plate meets the triangle
/// inequality with equality.
const SLACK: f64 = 1e-9;

/// Mass, centre of mass and rotational inertia of a body, in the body's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// [kg], positive.
    pub mass: f64,
    /// From the body's origin to its centre of mass [m].
    pub com: Vec3,
    /// About the centre of mass, along the body's axes [kg·m²]; symmetric.
    pub I_com: Mat3,
}

/// Why numbers are not the inertia of any body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InertiaError {
    /// Zero, negative, NaN, infinite, or denormal: so small that products with it lose digits.
    Mass(f64),
    NotFinite,
    NotSymmetric,
    /// A principal moment [kg·m²] that is not positive, or denormal.
    NotPositiveDefinite {
        moment: f64,
    },
    /// Principal moments [kg·m²] in ascending order, the last larger than the others together.
    TriangleInequality {
        moments: [f64; 3],
    },
}

impl fmt::Display for InertiaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mass(mass) => write!(f, "mass must be positive and finite, is {mass}"),
            Self::NotFinite => write!(f, "inertia has an entry that is not finite"),
            Self::NotSymmetric => write!(f, "inertia must be symmetric"),
            Self::NotPositiveDefinite { moment } => {
                write!(f, "inertia must be positive definite, has the principal moment {moment}")
            }
            Self::TriangleInequality { moments: [a, b, c] } => write!(
                f,
                "inertia belongs to no body: of the principal moments {a}, {b}, {c} the last \
                 exceeds the sum of the others"
            ),
        }
    }
}

impl std::error::Error for InertiaError {}

impl Inertia {
    /// A body whose axes are principal axes and whose origin is its centre of mass.
    pub fn principal(mass: f64, moments: [f64; 3]) -> Self {
        Self { mass, com: Vec3::zeros(), I_com: Mat3::from_diagonal(&Vec3::from(moments)) }
    }

    /// The same body seen from frame A, given the pose of its frame B in A.
    pub fn moved(&self, X_AB: &Pose) -> Self {
        Self {
            mass: self.mass,
            com: X_AB.point(&self.com),
            I_com: X_AB.R * self.I_com * X_AB.R.transpose(),
        }
    }

    /// Says why this cannot be the inertia of a body.
    pub fn check(&self) -> Result<(), InertiaError> {
        if !(self.mass >= f64::MIN_POSITIVE && self.mass.is_finite()) {
            return Err(InertiaError::Mass(self.mass));
        }
        let I = &self.I_com;
        if !(I.iter().chain(self.com.iter()).all(|x| x.is_finite())) {
            return Err(InertiaError::NotFinite);
        }
        if !((I - I.transpose()).amax() <= SLACK * I.amax()) {
            return Err(InertiaError::NotSymmetric);
        }
        let moments = self.principal_axes().0;
        let [a, b, c] = moments;
        if !(a >= f64::MIN_POSITIVE) {
            return Err(InertiaError::NotPositiveDefinite { moment: a });
        }
        if !(c <= (a + b) * (1.0 + SLACK)) {
            return Err(InertiaError::TriangleInequality { moments });
        }
        Ok(())
    }

    /// Principal moments [kg·m²] in ascending order, and their axes as columns of a rotation.
    pub fn principal_axes(&self) -> ([f64; 3], Mat3) {
        // halved before the sum, which then cannot overflow
        let symmetric = self.I_com * 0.5 + self.I_com.transpose() * 0.5;
        if symmetric.m12 == 0.0 && symmetric.m13 == 0.0 && symmetric.m23 == 0.0 {
            return sorted(&symmetric.diagonal(), &Mat3::identity());
        }
        let eigen = symmetric.symmetric_eigen();
        sorted(&eigen.eigenvalues, &eigen.eigenvectors)
    }
}

/// Ascending moments with their axes, right-handed.
fn sorted(moments: &Vec3, axes: &Mat3) -> ([f64; 3], Mat3) {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| moments[i].total_cmp(&moments[j]));
    let mut columns = order.map(|i| axes.column(i).into_owned());
    columns[2] = columns[0].cross(&columns[1]);
    (order.map(|i| moments[i]), Mat3::from_columns(&columns))
}

/// Inertia about the origin of a frame: `I V` is the momentum of the body that moves with V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialInertia {
    /// [kg]
    pub mass: f64,
    /// First moment, mass times centre [kg·m].
    pub mc: Vec3,
    /// Rotational inertia about the origin [kg·m²].
    pub I: Mat3,
}

impl SpatialInertia {
    /// About the origin of frame A, in A's axes, of a body whose frame B is at `X_AB`.
    pub fn new(body: &Inertia, X_AB: &Pose) -> Self {
        let moved = body.moved(X_AB);
        let symmetric = (moved.I_com + moved.I_com.transpose()) * 0.5;
        let c = skew(&moved.com);
        Self { mass: body.mass, mc: moved.com * body.mass, I: symmetric - c * c * body.mass }
    }

    /// About the same origin, in the axes of A.
    pub fn turned(&self, R_AB: &Mat3) -> Self {
        Self { mass: self.mass, mc: R_AB * self.mc, I: R_AB * self.I * R_AB.transpose() }
    }

    /// In the same axes, about the point from which its origin is at p.
    pub fn shifted(&self, p: &Vec3) -> Self {
        // I − p̂ ĉ − ĉ p̂ − m p̂ p̂, the hat being the matrix of the cross product and c the first moment;
        // with b = 2 c + m p the same as I + (p·b) 1 − ½ (p bᵀ + b pᵀ)
        let b = self.mc * 2.0 + p * self.mass;
        let (xx, yy, zz) = (p.x * b.x, p.y * b.y, p.z * b.z);
        let xy = -0.5 * (p.x * b.y + p.y * b.x);
        let xz = -0.5 * (p.x * b.z + p.z * b.x);
        let yz = -0.5 * (p.y * b.z + p.z * b.y);
        let shift = Mat3::new(yy + zz, xy, xz, xy, xx + zz, yz, xz, yz, xx + yy);
        Self { mass: self.mass, mc: self.mc + p * self.mass, I: self.I + shift }
    }
}

/// Of two bodies that move as one.
impl std::ops::AddAssign for SpatialInertia {
    fn add_assign(&mut self, b: Self) {
        self.mass += b.mass;
        self.mc += b.mc;
        self.I += b.I;
    }
}

/// Momentum about the origin.
impl std::ops::Mul<&Motion> for &SpatialInertia {
    type Output = Force;

    fn mul(self, V: &Motion) -> Force {
        Force { t: self.I * V.w + self.mc.cross(&V.v), f: V.v * self.mass - self.mc.cross(&V.w) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    #[test]
    fn momentum_about_the_origin_is_that_of_the_centre_moved_there() {
        let body = Inertia {
            mass: 3.0,
            com: Vec3::new(0.1, -0.4, 0.2),
            I_com: Mat3::new(2.0, 0.1, 0.2, 0.1, 1.5, -0.3, 0.2, -0.3, 1.0),
        };
        let V = Motion::new(Vec3::new(0.3, -1.0, 2.0), Vec3::new(0.5, 0.7, -0.1));
        let F = &SpatialInertia::new(&body, &Pose::identity()) * &V;
        let f = V.at(&body.com) * body.mass;
        let t = body.I_com * V.w + body.com.cross(&f);
        assert!((F.f - f).amax() < 1e-15 && (F.t - t).amax() < 1e-14);
    }

    #[test]
    fn a_moved_inertia_is_that_of_the_moved_body() {
        let body = Inertia {
            mass: 3.0,
            com: Vec3::new(0.1, -0.4, 0.2),
            I_com: Mat3::new(2.0, 0.1, 0.2, 0.1, 1.5, -0.3, 0.2, -0.3, 1.0),
        };
        let X = Pose::from_parts(Vec3::new(0.7, 0.2, -1.1), Quat::exp(&Vec3::new(0.4, -1.2, 0.9)));
        let moved = SpatialInertia::new(&body, &Pose::identity()).turned(&X.R).shifted(&X.p);
        let expected = SpatialInertia::new(&body, &X);
        assert!((moved.mc - expected.mc).amax() < 1e-15);
        assert!((moved.I - expected.I).amax() < 1e-14);
    }

    #[test]
    fn bodies_that_cannot_exist_are_named() {
        let good = Inertia::principal(1.0, [1.0, 2.0, 2.5]);
        assert_eq!(good.check(), Ok(()));
        // a plate, turned: equality up to rounding
        let plate = Inertia::principal(1.0, [1.0, 2.0, 3.0]);
        let turned = plate.moved(&Pose::rotation(Quat::exp(&Vec3::new(1.0, 2.0, 0.3))));
        assert_eq!(turned.check(), Ok(()));

        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Inertia { mass, ..good }.check();
            assert!(matches!(error, Err(InertiaError::Mass(_))), "{mass}: {error:?}");
        }
        let error = Inertia::principal(1.0, [1.0, 2.0, 3.1]).check();
        assert!(matches!(error, Err(InertiaError::TriangleInequality { .. })), "{error:?}");
        for zero_or_less in [0.0, -1.0] {
            let error = Inertia::principal(1.0, [zero_or_less, 1.0, 1.0]).check();
            assert!(matches!(error, Err(InertiaError::NotPositiveDefinite { .. })), "{error:?}");
        }
        let mut skewed = good;
        skewed.I_com[(0, 1)] = 0.1;
        assert_eq!(skewed.check(), Err(InertiaError::NotSymmetric));
        skewed.I_com[(0, 1)] = f64::NAN;
        assert_eq!(skewed.check(), Err(InertiaError::NotFinite));
    }

    #[test]
    fn principal_axes_diagonalize() {
        let X = Pose::rotation(Quat::exp(&Vec3::new(0.4, -1.2, 0.9)));
        let body = Inertia::principal(2.0, [0.5, 0.1, 0.45]).moved(&X);
        let (moments, axes) = body.principal_axes();
        let expected = axes * Mat3::from_diagonal(&Vec3::from(moments)) * axes.transpose();
        assert!((expected - body.I_com).amax() < 1e-15);
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
        assert!(moments[0] <= moments[1] && moments[1] <= moments[2]);
    }
}
