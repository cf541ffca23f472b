//! How a step is taken.

use std::fmt;

use crate::contact::ContactSettings;

/// Settings of a step: passed with each call, never stored in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSettings {
    /// Step length h [s], positive. Default 1e-3.
    pub h: f64,
    /// Default [`Method::Euler`].
    pub method: Method,
    /// Default [`Drift::Close`].
    pub drift: Drift,
    /// Default [`Stiffness::LinearlyImplicit`]. Read by the Euler step alone.
    pub stiffness: Stiffness,
    /// Default [`Geometry::Begin`]. Read by the Euler step alone.
    pub geometry: Geometry,
    /// Read where the model has shapes.
    pub contact: ContactSettings,
    /// Whether the report says where the energy went ([`Ledger`](crate::ledger::Ledger)). It changes no step.
    /// Default false.
    pub ledger: bool,
}

/// How q and v go from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Semi-implicit Euler: forces at (q, v), then q moves with the new v. First order, for everything.
    Euler,
    /// Half a kick, drift, half a kick; constraints hold at both ends. Second order, reversible; for smooth
    /// motion.
    Symmetric,
    /// Two symmetric half steps and one whole step, combined to fourth order; for smooth motion.
    Extrapolated,
}

/// What keeps positions on rigid constraints in the Euler step. The others close exactly anyway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// `J v⁺ = 0` and nothing else: the gap grows by O(h²) a step.
    Free,
    /// `J v⁺ = −β θ/h`, 0 < β ≤ 1: the share β of the gap is removed each step.
    Stabilize { beta: f64 },
    /// `J v⁺ = 0`, then the positions are projected onto the constraints and out of overlaps, nearest in the metric of M and
    /// as far as the motion can pay for ([`crate::projection`]).
    Project,
    /// The impulses are such that the constraints hold at the end of the step, to rounding. The joints push at
    /// one shared point, so that momentum is kept.
    Close,
}

/// Where on its way the Euler step looks at forces, constraints and contacts: everything before is travelled with v, what
/// follows with v⁺. The sequence of kicks and drifts is the same; a step begins and ends at another place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// At q; then `q⁺ = q ⊕ h v⁺`.
    Begin,
    /// At `q ⊕ (h/2) v`; then half the way with v⁺ (leapfrog). Of second order where motion is smooth and forces depend
    /// on positions alone (velocity products of trees do not), and first order with a small constant through stick and
    /// slip. Constraints and contacts hold there; at the ends, halfway between, they are off by O(h²).
    Middle,
    /// At `q⁺ = q ⊕ h v`, as the algorithm of [AP] has it.
    End,
}

/// How springs, dampers and joint damping enter the Euler step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stiffness {
    /// The force of the beginning of the step. Unstable for ωh > 2.
    Explicit,
    /// `M̂ = M + h² Σ γ ∇φ∇φᵀ + h Σ δ ∇ψ∇ψᵀ`, [AP]: stable for any stiffness.
    LinearlyImplicit,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            h: 1e-3,
            method: Method::Euler,
            drift: Drift::Close,
            stiffness: Stiffness::LinearlyImplicit,
            geometry: Geometry::Begin,
            contact: ContactSettings::default(),
            ledger: false,
        }
    }
}

/// A setting outside its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingError {
    pub name: &'static str,
    pub rule: &'static str,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "setting `{}` must be {}", self.name, self.rule)
    }
}

impl std::error::Error for SettingError {}

impl StepSettings {
    pub fn validate(&self) -> Result<(), SettingError> {
        if !(self.h > 0.0 && self.h.is_finite()) {
            return Err(SettingError { name: "h", rule: "positive and finite" });
        }
        if let Drift::Stabilize { beta } = self.drift
            && !(beta > 0.0 && beta <= 1.0)
        {
            return Err(SettingError { name: "beta", rule: "above 0 and at most 1" });
        }
        if self.drift == Drift::Project && self.geometry != Geometry::Begin {
            return Err(SettingError {
                name: "geometry",
                rule: "`Begin` where drift is `Project`",
            });
        }
        for (name, limit) in [
            ("contact.max_overlap", self.contact.max_overlap),
            ("contact.max_recovery", self.contact.max_recovery),
            ("contact.v_threshold", self.contact.v_threshold),
        ] {
            if !(limit >= 0.0) {
                return Err(SettingError { name, rule: "0 or more, or infinite" });
            }
        }
        if !(self.contact.tol > 0.0 && self.contact.tol < 1.0) {
            return Err(SettingError { name: "contact.tol", rule: "above 0 and below 1" });
        }
        Ok(())
    }
}
