//! Rows whose impulse has bounds: joint limits, motors, joint friction. They are solved with the contacts.

use crate::constraint::joint_rows::velocity_measure;
use crate::constraint::measure::{Measure, Pair};
use crate::constraint::rows::{Answer, At, Origin, Part, RowSet, Singular, Unit};
use crate::contact::space::BoundedRow;
use crate::model::{Carrier, Follows, Model};
use crate::tree::kinematics::Kinematics;

impl RowSet {
    /// All of them, active or not, in the order limits (lower, upper), motors, frictions.
    ///
    /// The residual of a limit is the way to it, which must not become negative; that of a motor is how far it is ahead of
    /// its law.
    pub(crate) fn assemble_bounded(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
    ) -> Result<(), Singular> {
        self.clear(model, Part::Bounded);
        for (i, limit) in model.limits.iter().enumerate() {
            let unit = self.unit_of(model, &limit.coordinate);
            let value = self.coordinate(model, kin, at, &limit.coordinate, None);
            for (upper, sign, bound) in [(false, 1.0, limit.lower), (true, -1.0, limit.upper)] {
                if bound.is_finite() {
                    let origin = Origin::Limit { limit: i, upper };
                    self.begin(origin, Answer::Bounded, unit, [sign * bound, 0.0, 0.0]);
                    self.add_coordinate(model, kin, &limit.coordinate, value, sign)?;
                }
            }
        }
        for (i, motor) in model.motors.iter().enumerate() {
            let unit = self.unit_of(model, &motor.coordinate);
            let g = motor.law.at(at.time);
            self.begin(Origin::Motor(i), Answer::Bounded, unit, g);
            let value = self.coordinate(model, kin, at, &motor.coordinate, Some(g[0]));
            self.add_coordinate(model, kin, &motor.coordinate, value, 1.0)?;
        }
        for i in 0..model.frictions.len() {
            self.add_friction(model, kin, i)?;
        }
        self.fill_jacobian(model, kin);
        Ok(())
    }

    fn add_friction(&mut self, model: &Model, kin: &Kinematics, i: usize) -> Result<(), Singular> {
        let friction = &model.frictions[i];
        let info = &model.joints[friction.joint];
        let measure = velocity_measure(info.joint, friction.index);
        let unit = if matches!(measure, Measure::Shift(_)) { Unit::Length } else { Unit::Angle };
        self.begin(Origin::Friction(i), Answer::Bounded, unit, [0.0; 3]);
        match info.carrier {
            Carrier::Tree { body } => {
                let v = model.bodies[body].v0 + friction.index;
                self.velocities.push((self.rows.len() - 1, v, 1.0));
                Ok(())
            }
            Carrier::Rows { .. } => {
                self.add_term(1.0, 0.0, measure, &Pair::new(kin, &info.parent, &info.child))
            }
        }
    }

    /// Bounds and offset of row i in a step from `time`; `lambda` is its force of the last step. `positions`: limits are
    /// met at the end of the step, not only not approached.
    pub(crate) fn bounded(
        &self,
        model: &Model,
        i: usize,
        (time, h, positions): (f64, f64, bool),
        lambda: f64,
    ) -> BoundedRow {
        let row = &self.rows[i];
        let (d, lower, upper) = match row.origin {
            Origin::Motor(motor) => {
                let motor = &model.motors[motor];
                let from = match motor.follows {
                    Follows::Rate => row.g[0],
                    // where it is
                    Follows::Position => row.theta + row.g[0],
                };
                ((from - motor.law.at(time + h)[0]) / h, -h * motor.max, h * motor.max)
            }
            Origin::Friction(friction) => {
                let max = model.frictions[friction].max;
                (0.0, -h * max, h * max)
            }
            _ => (if positions { row.theta / h } else { 0.0 }, 0.0, f64::INFINITY),
        };
        BoundedRow { eps: 0.0, d, lower, upper, lambda }
    }
}
