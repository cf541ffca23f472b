//! The problem: rows of three as for friction cones, with bounds in the place of coefficients.

use crate::cone::Triple;
use crate::motion::MotionProblem;
use crate::problem::ProblemError;

/// Where the impulse of a contact may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Each row between bounds of its own, which may be infinite or equal.
    Fixed { lower: Triple, upper: Triple },
    /// `r_n ≥ 0`, and each tangent within ±μ r_n.
    Axes { mu: [f64; 2] },
    /// `r_n ≥ 0`, and `|e_j·r_t| ≤ μ r_n` along the problem's k directions: a regular polygon of 2k sides. Both tangents have one
    /// compliance.
    Polygon { mu: f64 },
}

/// Contacts between bounds, the Delassus matrix known by its root. See the [module](super).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxProblem {
    /// Rows, compliances and free velocities; its coefficients of friction mean nothing.
    rows: MotionProblem,
    bounds: Vec<Bounds>,
    /// Unit vectors at equal angles over the half circle.
    directions: Vec<[f64; 2]>,
}

impl BoxProblem {
    /// No contacts between nodes of these widths, and no directions; memory is kept.
    pub fn clear(&mut self, widths: impl IntoIterator<Item = usize>) {
        self.rows.clear(3, widths);
        self.bounds.clear();
        self.directions.clear();
    }

    /// The next direction of all polygons: unit vectors at equal angles over the half circle.
    pub fn push_direction(&mut self, e: [f64; 2]) {
        self.directions.push(e);
    }

    /// As [`MotionProblem::push_span`].
    ///
    /// # Panics
    ///
    /// If there is no such node, or the values are not as many as it is wide.
    pub fn push_span(&mut self, node: usize, values: impl IntoIterator<Item = Triple>) {
        self.rows.push_span(node, values);
    }

    /// Ends the contact of the spans since the last one: compliance ε and free velocity q of its rows, and its bounds.
    pub fn end_contact(&mut self, eps: Triple, q: Triple, bounds: Bounds) {
        self.rows.end_contact(eps, q, 0.0);
        self.bounds.push(bounds);
    }

    /// Everything is finite but bounds, compliances and coefficients are not negative, bounds do not cross.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.rows.check()?;
        for (contact, bounds) in self.bounds.iter().enumerate() {
            match *bounds {
                Bounds::Fixed { lower, upper } => {
                    for (&lower, &upper) in lower.iter().zip(&upper) {
                        let is_range = lower <= upper && lower < f64::INFINITY;
                        if !(is_range && upper > f64::NEG_INFINITY) {
                            return Err(ProblemError::BoundsCross { index: contact, lower, upper });
                        }
                    }
                }
                Bounds::Axes { mu } => mu.iter().try_for_each(|&mu| coefficient(contact, mu))?,
                Bounds::Polygon { mu } => {
                    coefficient(contact, mu)?;
                    if self.directions.len() < 2 {
                        return Err(ProblemError::Dimension { found: self.directions.len() });
                    }
                }
            }
        }
        Ok(())
    }

    /// Rows, compliances and free velocities.
    pub fn rows(&self) -> &MotionProblem {
        &self.rows
    }

    pub fn contacts(&self) -> usize {
        self.bounds.len()
    }

    pub fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    pub fn directions(&self) -> &[[f64; 2]] {
        &self.directions
    }

    pub(super) fn view(&self) -> View<'_> {
        View { rows: &self.rows, bounds: &self.bounds, directions: &self.directions }
    }
}

/// What the solvers read: the problem's rows, with bounds that may be others.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) rows: &'a MotionProblem,
    pub(super) bounds: &'a [Bounds],
    pub(super) directions: &'a [[f64; 2]],
}

impl View<'_> {
    /// All bounds are known: a convex quadratic program.
    pub(super) fn is_convex(&self) -> bool {
        self.bounds.iter().all(|bounds| matches!(bounds, Bounds::Fixed { .. }))
    }
}

fn coefficient(contact: usize, mu: f64) -> Result<(), ProblemError> {
    if mu >= 0.0 && mu.is_finite() {
        Ok(())
    } else {
        Err(ProblemError::NegativeFriction { contact, mu })
    }
}
