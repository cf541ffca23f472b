//! Placing bodies that hang free in the world, in the frame in which the user stated them.

use super::{State, StateError, UNIT_SLACK};
use crate::joint::Joint;
use crate::math::{Mat3, Quat};
use crate::model::{Body, BodyId, Model};
use crate::spatial::{Motion, Pose};

impl Model {
    /// Puts the body's own frame U at `X_WU`. Its velocities keep their numbers, which are given in the joint's
    /// frame and in B (see [`crate::joint`]): set them afterwards. On an error nothing changes.
    pub fn set_pose(&self, state: &mut State, body: BodyId, X_WU: Pose) -> Result<(), StateError> {
        let body = self.free_body(state, body)?;
        let R = &X_WU.R;
        let error = R.tr_mul(R) - Mat3::identity();
        let is_rotation = error.iter().all(|e| e.abs() <= UNIT_SLACK) && R.determinant() > 0.0;
        let X_JB = body.X_PJ.inverse() * X_WU * body.X_BU.inverse();
        if !(is_rotation && X_JB.p.iter().all(|x| x.is_finite())) {
            return Err(StateError::Pose { body: body.name.clone() });
        }
        let q = &mut state.q[body.q_range()];
        q[..3].copy_from_slice(X_JB.p.as_slice());
        q[3..].copy_from_slice(&Quat::from_matrix(&X_JB.R).to_wxyz());
        Ok(())
    }

    /// Gives the body the angular velocity `V_WU.w` [rad/s] and the origin of its own frame U the velocity
    /// `V_WU.v` [m/s], both in W, at the pose that the state has. On an error nothing changes.
    pub fn set_velocity(
        &self,
        state: &mut State,
        place: BodyId,
        V_WU: Motion,
    ) -> Result<(), StateError> {
        let body = self.free_body(state, place)?;
        let R_WJ = body.X_PJ.R;
        let R_WB = R_WJ * Quat::from_wxyz(&state.q[body.q0 + 3..]).to_matrix();
        // velocity of Bo, from that of Uo
        let v_WB = V_WU.at(&-(R_WB * body.X_BU.p));
        let (v_J, w_B) = (R_WJ.tr_mul(&v_WB), R_WB.tr_mul(&V_WU.w));
        if let Some(index) = v_J.iter().chain(&w_B).position(|x| !x.is_finite()) {
            let joint = self.carrier_name(place.0 as usize).to_string();
            return Err(StateError::NotFinite { joint, what: "velocities", index });
        }
        let v = &mut state.v[body.v_range()];
        v[..3].copy_from_slice(v_J.as_slice());
        v[3..].copy_from_slice(w_B.as_slice());
        Ok(())
    }

    /// The body, if a free joint of the world carries it.
    fn free_body(&self, state: &State, body: BodyId) -> Result<&Body, StateError> {
        self.check_lengths(state)?;
        let i = body.0 as usize;
        assert!(i < self.bodies.len(), "a body of another model");
        let body = &self.bodies[i];
        if body.joint == Joint::Free && body.parent.is_none() {
            return Ok(body);
        }
        let joint = self.carrier_name(i).to_string();
        Err(StateError::NotFree { body: body.name.clone(), joint })
    }
}
