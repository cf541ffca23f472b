//! How an impact is resolved.

use crate::contact::Strictness;
use crate::contact::law::{Cone, Law, LawSolver};
use crate::settings::SettingError;

/// Settings of an impact: passed with each call, never stored in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactSettings {
    /// Default [`ImpactLaw::Poisson`].
    pub law: ImpactLaw,
    /// Default [`Treatment::Simultaneous`].
    pub treatment: Treatment,
    /// Default: exact Coulomb cones. `box` and `hybrid` are refused: they bound friction by the normal force of the last
    /// step, and an impact has none. `phantom` has no friction across the slip, whatever its `lateral` says, for the same
    /// reason.
    pub friction: Law,
    /// Default [`LawSolver::Auto`].
    pub solver: LawSolver,
    /// Asked of the residual of every solve, a pure number; what reaches 1e-13 is taken first. What approaches more slowly than this share of the fastest velocity
    /// at the contacts does not approach. Default 1e-10.
    pub tol: f64,
    /// Default [`Strictness::Strict`].
    pub strictness: Strictness,
    /// Shapes whose gap is at most this touch [m]; rounding of their places is excused. Default 0.
    pub distance: f64,
    /// Restitution is off where nothing of what hangs together approaches at this speed or faster [m/s]. Default 0: never.
    pub v_threshold: f64,
    /// Hits after which [`Treatment::Sequential`] ends by one plastic impact of everything. Default 1000.
    pub max_hits: usize,
}

/// What comes back of an impact; e is the restitution of each pair of surfaces. Theory: `docs/theory/impact.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactLaw {
    /// [AP]: a plastic compression with friction, then each contact returns e times its normal impulse, then contacts may
    /// push once more, with friction bounded by this push. Can gain energy with friction.
    Poisson,
    /// `u_n⁺ ≥ −e u_n⁻`, friction bounded by the whole impulse. Can gain energy with friction.
    Newton,
    /// `v⁺ = (1 + ε) v^c − ε v⁻` with the largest e of what presses and hangs together: Poisson's law without its second solve
    /// where the assumptions (a)–(d) of [AP] hold, a strategy elsewhere. Returns friction too. Gains no energy.
    ClosedForm,
    /// Poisson's law, with as much of its decompression as gains no energy: all of it almost always.
    Dissipative,
}

/// How contacts that touch at the same time share an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// All at once. A row of equal balls that one hits moves off together.
    Simultaneous,
    /// One contact after the other, the one that approaches fastest first (of equals the first by its key), until none
    /// approaches: a wave. Of a row of equal balls that one hits, the last flies off.
    Sequential,
}

impl ImpactLaw {
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Newton => "newton",
            Self::ClosedForm => "closed form",
            Self::Dissipative => "dissipative",
        }
    }
}

impl Default for ImpactSettings {
    fn default() -> Self {
        Self {
            law: ImpactLaw::Poisson,
            treatment: Treatment::Simultaneous,
            friction: Law::Cone(Cone::default()),
            solver: LawSolver::Auto,
            tol: 1e-10,
            strictness: Strictness::Strict,
            distance: 0.0,
            v_threshold: 0.0,
            max_hits: 1000,
        }
    }
}

impl ImpactSettings {
    pub fn validate(&self) -> Result<(), SettingError> {
        let rules = [
            (self.tol > 0.0 && self.tol < 1.0, "tol", "above 0 and below 1"),
            (is_not_negative(self.distance), "distance", "0 or more and finite"),
            (is_not_negative(self.v_threshold), "v_threshold", "0 or more and finite"),
            (
                !matches!(self.friction, Law::Box(_) | Law::Hybrid(_)),
                "friction",
                "not `box` or `hybrid`: they bound friction by a force of the last step, and an impact has none",
            ),
        ];
        match rules.iter().find(|(holds, ..)| !holds) {
            Some(&(_, name, rule)) => Err(SettingError { name, rule }),
            None => Ok(()),
        }
    }
}

fn is_not_negative(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}
