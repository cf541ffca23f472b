//! The algebra of three dimensions: the only file that names the algebra crate's types.
//!
//! Transcendental functions come from `libm`, so that the same input gives the same bits on every
//! platform. Quaternions are our own: four numbers in the order w, x, y, z.

pub type Vec3 = nalgebra::Vector3<f64>;
pub type Mat3 = nalgebra::Matrix3<f64>;
pub type MatX = nalgebra::DMatrix<f64>;
pub type VecX = nalgebra::DVector<f64>;

/// Below this angle [rad] the power series of sin(a)/a is exact to rounding with two terms.
const SMALL_ANGLE: f64 = 1e-4;

/// The matrix of the cross product: `skew(a) * b = a × b`.
pub fn skew(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Sine and cosine.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Rotation by `angle` [rad] about z.
pub fn rotation_z(angle: f64) -> Mat3 {
    let (s, c) = sin_cos(angle);
    Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

/// A quaternion w + x i + y j + z k. As a rotation it has unit length, and q and −q are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat {
    pub w: f64,
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

impl Quat {
    pub const IDENTITY: Self = Self { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    /// From the four numbers of a state, w, x, y, z.
    pub fn from_wxyz(q: &[f64]) -> Self {
        Self { w: q[0], x: q[1], y: q[2], z: q[3] }
    }

    pub fn to_wxyz(self) -> [f64; 4] {
        [self.w, self.x, self.y, self.z]
    }

    pub fn vector(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }

    pub fn norm(self) -> f64 {
        (self.w * self.w + self.vector().norm_squared()).sqrt()
    }

    /// The same direction with length one. The caller has made sure that it is not zero.
    pub fn normalized(self) -> Self {
        let n = self.norm();
        Self { w: self.w / n, x: self.x / n, y: self.y / n, z: self.z / n }
    }

    pub fn conjugate(self) -> Self {
        Self { w: self.w, x: -self.x, y: -self.y, z: -self.z }
    }

    /// The rotation by |θ| [rad] about θ.
    pub fn exp(theta: &Vec3) -> Self {
        let angle = theta.norm();
        let (half_sinc, cos) = if angle < SMALL_ANGLE {
            let a2 = angle * angle;
            (0.5 - a2 / 48.0, 1.0 - a2 / 8.0)
        } else {
            let (s, c) = sin_cos(0.5 * angle);
            (s / angle, c)
        };
        let u = half_sinc * theta;
        Self { w: cos, x: u.x, y: u.y, z: u.z }
    }

    /// The rotation vector θ [rad] with `exp(θ)` equal to this rotation and |θ| ≤ π.
    pub fn log(self) -> Vec3 {
        // q and −q are the same rotation: take the one of the smaller angle
        let (w, u) = if self.w < 0.0 { (-self.w, -self.vector()) } else { (self.w, self.vector()) };
        let s = u.norm();
        if s < SMALL_ANGLE * w {
            let t = s / w;
            return u * (2.0 / w * (1.0 - t * t / 3.0));
        }
        u * (2.0 * libm::atan2(s, w) / s)
    }

    /// `v_A = R_AB v_B` as a matrix.
    pub fn to_matrix(self) -> Mat3 {
        let Self { w, x, y, z } = self;
        Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    /// The quaternion of a rotation matrix, w ≥ 0. Divides by the largest of the four only.
    pub fn from_matrix(R: &Mat3) -> Self {
        let (a, b, c) = (R[(0, 0)], R[(1, 1)], R[(2, 2)]);
        // four times the squares of w, x, y, z
        let squares = [1.0 + a + b + c, 1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c];
        let mut largest = 0;
        for i in 1..4 {
            if squares[i] > squares[largest] {
                largest = i;
            }
        }
        let (wx, wy, wz) = (R[(2, 1)] - R[(1, 2)], R[(0, 2)] - R[(2, 0)], R[(1, 0)] - R[(0, 1)]);
        let (xy, xz, yz) = (R[(1, 0)] + R[(0, 1)], R[(0, 2)] + R[(2, 0)], R[(2, 1)] + R[(1, 2)]);
        let q = match largest {
            0 => Self { w: squares[0], x: wx, y: wy, z: wz },
            1 => Self { w: wx, x: squares[1], y: xy, z: xz },
            2 => Self { w: wy, x: xy, y: squares[2], z: yz },
            _ => Self { w: wz, x: xz, y: yz, z: squares[3] },
        }
        .normalized();
        if q.w < 0.0 { Self { w: -q.w, x: -q.x, y: -q.y, z: -q.z } } else { q }
    }
}

impl std::ops::Mul for Quat {
    type Output = Self;

    fn mul(self, b: Self) -> Self {
        let a = self;
        Self {
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        }
    }
}

/// A right-handed basis with `axis` (unit) as its third column: what turns z into `axis`.
///
/// A coordinate axis gives a permutation, free of rounding.
pub fn basis_with_z(axis: &Vec3) -> Mat3 {
    let x = if axis.x == 0.0 && axis.y == 0.0 {
        // ±z: keep x
        Vec3::x()
    } else if axis.y == 0.0 && axis.z == 0.0 {
        Vec3::y()
    } else if axis.x == 0.0 && axis.z == 0.0 {
        Vec3::z()
    } else {
        // the coordinate axis that is farthest from `axis`, made perpendicular
        let mut e = Vec3::zeros();
        e[axis.iamin()] = 1.0;
        (e - axis * axis.dot(&e)).normalize()
    };
    Mat3::from_columns(&[x, axis.cross(&x), *axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_undoes_exp_at_all_sizes() {
        for size in [1e-12, 1e-6, 0.99e-4, 1.01e-4, 0.3, 3.0, 3.12] {
            let theta = Vec3::new(0.6, -0.48, 0.64) * size;
            let back = Quat::exp(&theta).log();
            assert!((back - theta).norm() <= 4e-15 * size, "{size}: {back}");
        }
    }

    #[test]
    fn a_matrix_and_its_quaternion_are_the_same_rotation() {
        for theta in [[0.1, 0.2, 0.3], [3.0, 0.1, 0.0], [0.0, 3.1, 0.2], [0.1, 0.0, -3.1]] {
            let q = Quat::exp(&Vec3::from(theta));
            let back = Quat::from_matrix(&q.to_matrix());
            assert!((back.to_matrix() - q.to_matrix()).amax() < 1e-15);
            assert!(back.w >= 0.0);
        }
    }

    #[test]
    fn the_product_of_quaternions_is_the_product_of_matrices() {
        let a = Quat::exp(&Vec3::new(0.3, -1.0, 0.5));
        let b = Quat::exp(&Vec3::new(-0.7, 0.2, 1.5));
        assert!(((a * b).to_matrix() - a.to_matrix() * b.to_matrix()).amax() < 1e-15);
    }

    #[test]
    fn a_basis_is_orthonormal_and_right_handed() {
        for axis in [[1., 0., 0.], [0., -1., 0.], [0., 0., -1.], [0.6, 0., 0.8], [0.36, 0.48, -0.8]]
        {
            let axis = Vec3::from(axis);
            let R = basis_with_z(&axis);
            assert!((R.transpose() * R - Mat3::identity()).amax() < 1e-15);
            assert!((R.determinant() - 1.0).abs() < 1e-15);
            assert_eq!(R.column(2), axis);
        }
    }
}
