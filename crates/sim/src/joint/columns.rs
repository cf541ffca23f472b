//! Products with the columns of S. Those of a revolute joint are `(z, 0)` in B, so nothing is multiplied
//! by their zeros: most joints of most mechanisms are revolute, and the tree algorithms call these for each.

use super::Joint;
use crate::math::{Mat3, Vec3};
use crate::spatial::{Force, Motion};

impl Joint {
    /// `S_W = R_WB S`: the columns in the axes of W.
    #[inline]
    pub fn turn(self, S: &[Motion], R_WB: &Mat3, S_W: &mut [Motion]) {
        match self {
            Self::Revolute => S_W[0] = Motion::new(R_WB.column(2).into_owned(), Vec3::zeros()),
            _ => {
                for (S_W, S) in S_W.iter_mut().zip(S) {
                    *S_W = Motion { w: R_WB * S.w, v: R_WB * S.v };
                }
            }
        }
    }

    /// `V ← V + S x`.
    #[inline]
    pub fn add(self, S: &[Motion], x: &[f64], V: &mut Motion) {
        match self {
            Self::Revolute => V.w.z += x[0],
            _ => {
                for (S_i, x_i) in S.iter().zip(x) {
                    *V += *S_i * *x_i;
                }
            }
        }
    }

    /// `τ = Sᵀ F`.
    #[inline]
    pub fn components(self, S: &[Motion], F: &Force, tau: &mut [f64]) {
        match self {
            Self::Revolute => tau[0] = F.t.z,
            _ => {
                for (tau_i, S_i) in tau.iter_mut().zip(S) {
                    *tau_i = S_i.dot(F);
                }
            }
        }
    }

    /// `c = Ṡ v + V × S v` in B: the acceleration across the joint at constant v, where the body moves with V.
    #[inline]
    pub fn bias(self, S: &[Motion], v: &[f64], V: &Motion) -> Motion {
        if self == Self::Revolute {
            // S v = (θ̇ z, 0)
            let (w, u) = (V.w * v[0], V.v * v[0]);
            return Motion::new(Vec3::new(w.y, -w.x, 0.0), Vec3::new(u.y, -u.x, 0.0));
        }
        let mut V_JB = Motion::zero();
        self.add(S, v, &mut V_JB);
        self.turning(S, v, &V_JB) + V.cross(&V_JB)
    }

    /// `Ṡ v` in B, where the columns of S turn with q; `V_JB` is `S v`.
    fn turning(self, S: &[Motion], v: &[f64], V_JB: &Motion) -> Motion {
        match self {
            // d/dt (cos β, 0, sin β) α̇
            Self::Universal => {
                Motion::new(Vec3::new(-S[0].w.z, 0.0, S[0].w.x) * (v[0] * v[1]), Vec3::zeros())
            }
            // the velocity is given in J: seen from B it turns backwards
            Self::Planar | Self::Free => Motion::new(Vec3::zeros(), -V_JB.w.cross(&V_JB.v)),
            _ => Motion::zero(),
        }
    }
}
