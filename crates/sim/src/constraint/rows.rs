//! The rows of a model at a position: residuals, Jacobian, and what stands behind each row.
//!
//! The number of rows depends on the model and the settings alone, so a second assembly allocates nothing.

mod jacobian;

use std::ops::Range;

use crate::constraint::inner::InnerSprings;
use crate::constraint::joint_rows::{
    locked, position, residual, rotation_between, velocity_measure,
};
use crate::constraint::measure::{Measure, Pair, Wrench};
use crate::joint::Joint;
use crate::model::{AngleOf, Coordinate, Model, Rows, SpringForm};
use crate::state::{Memory, State};
use crate::tree::kinematics::Kinematics;

/// Who asked for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `model.constraints()`
    Constraint(usize),
    /// `model.springs()`
    Spring(usize),
    /// Damping of velocity `index` of a joint that rows enforce.
    Damping { joint: usize, index: usize },
    /// Armature of the same.
    Armature { joint: usize, index: usize },
    /// One end of `model.limits()`.
    Limit { limit: usize, upper: bool },
    /// `model.motors()`
    Motor(usize),
    /// `model.joint_frictions()`
    Friction(usize),
}

/// How a row answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Rigid,
    /// Stiffness k and damping b stand for it: a relaxed constraint or an implicit spring.
    Elastic {
        k: f64,
        b: f64,
    },
    /// An inertia that follows the rate of the row [kg or kg·m²].
    Inertia(f64),
    /// An impulse between bounds: solved with the contacts.
    Bounded,
}

/// Whether the residual of a row is a length [m] or an angle [rad].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Length,
    Angle,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub origin: Origin,
    pub answer: Answer,
    pub unit: Unit,
    /// `Θ(q) − g(t)` [m or rad].
    pub theta: f64,
    /// Prescribed position, rate and second derivative: zero unless the row is driven.
    pub g: [f64; 3],
    /// Size of the numbers that `theta` is a difference of: its rounding is a share of this [m or rad].
    pub size: f64,
}

/// A measurement that belongs to a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) row: usize,
    pub(crate) coefficient: f64,
    pub(crate) measure: Measure,
    pub(crate) wrench: Wrench,
    pub(crate) pair: Pair,
}

#[derive(Clone, Debug, Default)]
pub struct RowSet {
    pub(crate) rows: Vec<Row>,
    pub(crate) terms: Vec<Term>,
    /// Row, velocity, coefficient.
    pub(crate) velocities: Vec<(usize, usize, f64)>,
    /// Row-major, rows × nv.
    pub(crate) J: Vec<f64>,
    /// What the entries of J could be at most, were the wrenches turned: their rounding is a share of it.
    pub(crate) reach: Vec<f64>,
    /// Of each row the velocities between which its entries are.
    span: Vec<Range<usize>>,
    nv: usize,
    part: Part,
}

/// The direction of this constraint or spring is not defined here: its two points coincide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular(pub Origin);

/// What the residuals of rows are read at.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// [s]
    pub time: f64,
    pub q: &'a [f64],
    pub memory: &'a Memory,
}

impl<'a> From<&'a State> for At<'a> {
    fn from(state: &'a State) -> Self {
        Self { time: state.time, q: &state.q, memory: &state.memory }
    }
}

/// Which rows of a model are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    All,
    /// Constraints, rigid or relaxed, and armatures.
    Constraints,
    /// Springs, dampers and dampings.
    Springs,
    /// Rigid constraints and armatures: what is not a force of position and velocity.
    Stiff,
    /// All the rest: relaxed constraints, springs, dampers, dampings.
    Elastic,
    /// Limits, motors and frictions of joints: in none of the others.
    Bounded,
}

impl Part {
    fn takes(self, origin: Origin, answer: Answer) -> bool {
        let constraint = matches!(origin, Origin::Constraint(_) | Origin::Armature { .. });
        let elastic = matches!(answer, Answer::Elastic { .. });
        match self {
            Self::All => true,
            Self::Constraints => constraint,
            Self::Springs => !constraint,
            Self::Stiff => !elastic,
            Self::Elastic => elastic,
            Self::Bounded => false,
        }
    }
}

impl RowSet {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Which rows of the model these are.
    pub(crate) fn part(&self) -> Part {
        self.part
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Row i of the Jacobian.
    pub fn jacobian(&self, i: usize) -> &[f64] {
        &self.J[i * self.nv..(i + 1) * self.nv]
    }

    /// The bounds of row i of the Jacobian.
    pub(crate) fn reach(&self, i: usize) -> &[f64] {
        &self.reach[i * self.nv..(i + 1) * self.nv]
    }

    /// The rows of a part at a position and a time, given the kinematics of that position.
    pub fn assemble(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        part: Part,
    ) -> Result<(), Singular> {
        self.assemble_beside(model, kin, at, part, &InnerSprings::default())
    }

    /// The same without springs that are no rows.
    pub(crate) fn assemble_beside(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        part: Part,
        inner: &InnerSprings,
    ) -> Result<(), Singular> {
        self.read_beside(model, kin, at, part, inner)?;
        self.fill_jacobian(model, kin);
        Ok(())
    }

    /// The same without J: residuals and their sizes.
    pub(crate) fn read_beside(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        part: Part,
        inner: &InnerSprings,
    ) -> Result<(), Singular> {
        self.clear(model, part);
        for (i, constraint) in model.constraints.iter().enumerate() {
            let answer = match constraint.relaxation {
                Some(relaxation) => Answer::Elastic { k: relaxation.k, b: relaxation.b },
                None => Answer::Rigid,
            };
            if part.takes(Origin::Constraint(i), answer) {
                self.add_constraint(model, kin, at, i, answer)?;
            }
        }
        for (joint, index, armature) in relative(model, |info| &info.armature) {
            let (origin, answer) = (Origin::Armature { joint, index }, Answer::Inertia(armature));
            if part.takes(origin, answer) {
                self.add_velocity(model, kin, origin, answer)?;
            }
        }
        for (i, spring) in model.springs.iter().enumerate() {
            let answer = Answer::Elastic { k: spring.stiffness, b: spring.damping };
            let acts = spring.stiffness + spring.damping > 0.0 && !inner.contains(i);
            if part.takes(Origin::Spring(i), answer) && acts {
                self.add_spring(model, kin, at, i, answer)?;
            }
        }
        for (joint, index, b) in relative(model, |info| &info.damping) {
            let (origin, answer) =
                (Origin::Damping { joint, index }, Answer::Elastic { k: 0.0, b });
            if part.takes(origin, answer) {
                self.add_velocity(model, kin, origin, answer)?;
            }
        }
        self.add_places(model, kin);
        // J may be asked for in any step, and none allocates
        let entries = self.rows.len() * self.nv;
        self.J.reserve(entries);
        self.reach.reserve(entries);
        self.span.reserve(self.rows.len());
        Ok(())
    }

    pub(super) fn clear(&mut self, model: &Model, part: Part) {
        self.rows.clear();
        self.terms.clear();
        self.velocities.clear();
        self.J.clear();
        self.reach.clear();
        self.span.clear();
        (self.nv, self.part) = (model.nv, part);
    }

    /// Adds to the sizes of rows of lengths the places that these are differences of, and the bodies' own size,
    /// without which a row at the origin of everything would have none.
    fn add_places(&mut self, model: &Model, kin: &Kinematics) {
        let radius = |i: usize| (model.bodies[i].I.I.trace() / model.bodies[i].I.mass).sqrt();
        let reach = |body: Option<usize>| body.map_or(0.0, |i| kin.X_WB[i].p.amax() + radius(i));
        for term in self.terms.iter().filter(|term| unit_of(term.measure) == Unit::Length) {
            let Pair { a, b, X_WA, X_WB } = &term.pair;
            let places = X_WA.p.amax() + X_WB.p.amax() + reach(*a) + reach(*b);
            self.rows[term.row].size += term.coefficient.abs() * places;
        }
        for &(row, v, coefficient) in &self.velocities {
            if self.rows[row].unit == Unit::Length {
                let body = model.bodies.partition_point(|body| body.v0 <= v) - 1;
                self.rows[row].size += coefficient.abs() * radius(body);
            }
        }
    }

    fn add_constraint(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        i: usize,
        answer: Answer,
    ) -> Result<(), Singular> {
        let constraint = &model.constraints[i];
        let origin = Origin::Constraint(i);
        match &constraint.rows {
            Rows::Joint { joint, a, b, angle } => {
                let pair = Pair::new(kin, a, b);
                for &measure in locked(*joint) {
                    let (value, sign) = residual(measure, &pair);
                    self.begin(origin, answer, unit_of(measure), [0.0; 3]);
                    self.add_term(sign, value, measure, &pair)?;
                }
                if let Joint::Screw { pitch } = *joint {
                    let remembered = angle.and_then(|slot| at.memory.angles[slot]);
                    let theta = position(*joint, 0, &pair, remembered);
                    self.begin(origin, answer, Unit::Length, [0.0; 3]);
                    self.add_measured(Measure::Shift(2), &pair)?;
                    self.add_term(-pitch, -pitch * theta, Measure::TurnA(2), &pair)?;
                }
            }
            Rows::Distance { a, b, length } => {
                self.begin(origin, answer, Unit::Length, [*length, 0.0, 0.0]);
                self.add_measured(Measure::Distance, &Pair::new(kin, a, b))?;
            }
            Rows::Coupling { terms, offset } => {
                self.begin(origin, answer, unit_of_coordinates(model, terms), [*offset, 0.0, 0.0]);
                for (coordinate, coefficient) in terms {
                    let value = self.coordinate(model, kin, at, coordinate, None);
                    self.add_coordinate(model, kin, coordinate, value, *coefficient)?;
                }
            }
            Rows::Drive { coordinate, law } => {
                let unit = self.unit_of(model, coordinate);
                let g = law.at(at.time);
                self.begin(origin, answer, unit, g);
                let value = self.coordinate(model, kin, at, coordinate, Some(g[0]));
                self.add_coordinate(model, kin, coordinate, value, 1.0)?;
            }
        }
        Ok(())
    }

    fn add_spring(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        i: usize,
        answer: Answer,
    ) -> Result<(), Singular> {
        let origin = Origin::Spring(i);
        match &model.springs[i].kind {
            SpringForm::Points { a, b, rest } => {
                let pair = Pair::new(kin, a, b);
                if *rest == 0.0 {
                    self.add_spring_without_length(origin, answer, &pair)?;
                } else {
                    self.begin(origin, answer, Unit::Length, [*rest, 0.0, 0.0]);
                    self.add_measured(Measure::Distance, &pair)?;
                }
            }
            SpringForm::Coordinate { coordinate, rest } => {
                let unit = self.unit_of(model, coordinate);
                self.begin(origin, answer, unit, [*rest, 0.0, 0.0]);
                let value = self.coordinate(model, kin, at, coordinate, None);
                self.add_coordinate(model, kin, coordinate, value, 1.0)?;
            }
            SpringForm::Torsion { a, b } => {
                let pair = Pair::new(kin, a, b);
                let turn = rotation_between(&pair);
                for k in 0..3 {
                    self.begin(origin, answer, Unit::Angle, [0.0; 3]);
                    self.add_term(1.0, turn[k], Measure::TurnA(k), &pair)?;
                }
            }
        }
        Ok(())
    }

    /// A spring that pulls its points together: linear in the vector between them, also where that vanishes. Its
    /// damper acts along the line between the points, and not at all where they coincide.
    fn add_spring_without_length(
        &mut self,
        origin: Origin,
        answer: Answer,
        pair: &Pair,
    ) -> Result<(), Singular> {
        let Answer::Elastic { k, b } = answer else { return Ok(()) };
        if k > 0.0 {
            for axis in 0..3 {
                self.begin(origin, Answer::Elastic { k, b: 0.0 }, Unit::Length, [0.0; 3]);
                self.add_measured(Measure::Shift(axis), pair)?;
                // the three forces add up to one along the line, which may act anywhere on it; half way
                // the two ends count the same also in what is implicit
                if let Some(term) = self.terms.last_mut() {
                    term.wrench.p = (pair.X_WA.p + pair.X_WB.p) * 0.5;
                }
            }
        }
        if b > 0.0 && pair.r().norm() > 0.0 {
            self.begin(origin, Answer::Elastic { k: 0.0, b }, Unit::Length, [0.0; 3]);
            self.add_term(1.0, 0.0, Measure::Distance, pair)?;
        }
        Ok(())
    }

    /// Armature or damping of one velocity of a joint that rows enforce; in the tree both stand on the
    /// diagonal of the mass matrix.
    fn add_velocity(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        origin: Origin,
        answer: Answer,
    ) -> Result<(), Singular> {
        let (Origin::Damping { joint, index } | Origin::Armature { joint, index }) = origin else {
            return Ok(());
        };
        let info = &model.joints[joint];
        let measure = velocity_measure(info.joint, index);
        self.begin(origin, answer, unit_of(measure), [0.0; 3]);
        self.add_term(1.0, 0.0, measure, &Pair::new(kin, &info.parent, &info.child))
    }

    /// The unit of a coordinate.
    pub(super) fn unit_of(&self, model: &Model, coordinate: &Coordinate) -> Unit {
        unit_of_coordinates(model, &[(*coordinate, 1.0)])
    }

    pub(super) fn begin(&mut self, origin: Origin, answer: Answer, unit: Unit, g: [f64; 3]) {
        // directions are unit vectors and angles are read off them: one radian rounds
        let one = if unit == Unit::Angle { 1.0 } else { 0.0 };
        self.rows.push(Row { origin, answer, unit, theta: -g[0], g, size: g[0].abs() + one });
    }

    /// A measurement that has a value of its own.
    fn add_measured(&mut self, measure: Measure, pair: &Pair) -> Result<(), Singular> {
        self.add_term(1.0, measure.value(pair).unwrap_or(0.0), measure, pair)
    }

    /// Adds `value` to the residual of the last row, and `coefficient` times the measurement to its rate.
    pub(super) fn add_term(
        &mut self,
        coefficient: f64,
        value: f64,
        measure: Measure,
        pair: &Pair,
    ) -> Result<(), Singular> {
        let row = self.rows.len() - 1;
        let Some(wrench) = measure.wrench(pair) else {
            return Err(Singular(self.rows[row].origin));
        };
        self.rows[row].theta += value;
        self.rows[row].size += value.abs();
        self.terms.push(Term { row, coefficient, measure, wrench, pair: *pair });
        Ok(())
    }

    /// The value of a coordinate. An angle with no memory is the one nearest to `expected`.
    pub(super) fn coordinate(
        &self,
        model: &Model,
        kin: &Kinematics,
        at: At<'_>,
        coordinate: &Coordinate,
        expected: Option<f64>,
    ) -> f64 {
        match *coordinate {
            Coordinate::Tree { q, .. } => at.q[q],
            Coordinate::Relative { joint, index, angle } => {
                let info = &model.joints[joint];
                let pair = Pair::new(kin, &info.parent, &info.child);
                let remembered = angle.and_then(|slot| at.memory.angles[slot]).or(expected);
                position(info.joint, index, &pair, remembered)
            }
        }
    }

    /// Adds `coefficient` times a coordinate of this value to the last row.
    pub(super) fn add_coordinate(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        coordinate: &Coordinate,
        value: f64,
        coefficient: f64,
    ) -> Result<(), Singular> {
        match *coordinate {
            Coordinate::Tree { v, .. } => {
                let row = self.rows.len() - 1;
                self.rows[row].theta += coefficient * value;
                self.rows[row].size += (coefficient * value).abs();
                self.velocities.push((row, v, coefficient));
                Ok(())
            }
            Coordinate::Relative { joint, index, .. } => {
                let info = &model.joints[joint];
                let pair = Pair::new(kin, &info.parent, &info.child);
                let measure = velocity_measure(info.joint, index);
                self.add_term(coefficient, coefficient * value, measure, &pair)
            }
        }
    }
}

/// The velocities with a nonzero number among the joints that rows enforce: joint, index, number.
fn relative<'a>(
    model: &'a Model,
    numbers: impl Fn(&'a crate::model::JointInfo) -> &'a Vec<f64> + 'a,
) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
    let enforced = |info: &&crate::model::JointInfo| {
        matches!(info.carrier, crate::model::Carrier::Rows { .. })
    };
    model
        .joints
        .iter()
        .enumerate()
        .filter(move |(_, info)| enforced(info))
        .flat_map(move |(joint, info)| {
            numbers(info).iter().enumerate().map(move |(index, &x)| (joint, index, x))
        })
        .filter(|&(_, _, x)| x != 0.0)
}

fn unit_of(measure: Measure) -> Unit {
    match measure {
        Measure::Shift(_) | Measure::Distance => Unit::Length,
        Measure::Dot(..) | Measure::TurnA(_) | Measure::TurnB(_) => Unit::Angle,
    }
}

/// A coupling is in the unit of its first coordinate.
fn unit_of_coordinates(model: &Model, terms: &[(Coordinate, f64)]) -> Unit {
    let is_angle = match terms.first() {
        Some((Coordinate::Tree { q, .. }, _)) => model
            .bodies
            .iter()
            .find(|body| body.q_range().contains(q))
            .is_some_and(|body| body.joint.is_angle(q - body.q0)),
        Some((Coordinate::Relative { joint, index, .. }, _)) => {
            model.joints[*joint].joint.is_angle(*index)
        }
        None => false,
    };
    if is_angle { Unit::Angle } else { Unit::Length }
}

/// Writes the angles of the present position to the state's memory, each with all its turns.
pub fn remember_angles(model: &Model, kin: &Kinematics, state: &mut State) {
    for (slot, of) in model.angles.iter().enumerate() {
        let (joint, index, a, b) = match *of {
            AngleOf::Joint { joint, index } => {
                let info = &model.joints[joint];
                (info.joint, index, &info.parent, &info.child)
            }
            AngleOf::Loop { constraint } => match &model.constraints[constraint].rows {
                Rows::Joint { joint, a, b, .. } => (*joint, 0, a, b),
                _ => continue,
            },
        };
        let near = state.memory.angles[slot].or_else(|| driven_to(model, slot, state.time));
        let angle = position(joint, index, &Pair::new(kin, a, b), near);
        state.memory.angles[slot] = Some(angle);
    }
}

/// Where a drive wants the angle of this place in the memory [rad].
fn driven_to(model: &Model, slot: usize, time: f64) -> Option<f64> {
    model.constraints.iter().find_map(|constraint| match &constraint.rows {
        Rows::Drive { coordinate: Coordinate::Relative { angle: Some(own), .. }, law } => {
            (*own == slot).then(|| law.at(time)[0])
        }
        _ => None,
    })
}
