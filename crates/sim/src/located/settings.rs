//! How steps that locate their impacts are taken.

use crate::impact::ImpactSettings;
use crate::settings::{Geometry, Method, SettingError, StepSettings};

/// Settings of a step that locates its impacts: passed with each call, never stored in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocatedSettings {
    /// How it goes on between impacts; `h` is the length of the whole step. Euler's method, by default with the geometry at the
    /// middle: flight is of second order, and exact where only gravity acts. Restitution is left to the impacts.
    pub step: StepSettings,
    pub impact: ImpactSettings,
    /// Takes each step also in two halves and combines them to second order, as long as no contact changes what it does. Default
    /// false.
    pub extrapolate: bool,
    /// The error that a step may have [m or rad]: steps are cut shorter until two halves are as near to one whole. Default: any.
    pub tolerance: Option<f64>,
    /// Impacts within one step after which the rest of it is one ordinary step without restitution. Default 1000.
    pub max_impacts: usize,
}

impl Default for LocatedSettings {
    fn default() -> Self {
        Self {
            step: StepSettings { geometry: Geometry::Middle, ..Default::default() },
            impact: ImpactSettings::default(),
            extrapolate: false,
            tolerance: None,
            max_impacts: 1000,
        }
    }
}

impl LocatedSettings {
    pub fn validate(&self) -> Result<(), SettingError> {
        self.step.validate()?;
        self.impact.validate()?;
        if self.step.method != Method::Euler {
            return Err(SettingError { name: "method", rule: "`Euler` where impacts are located" });
        }
        if let Some(tolerance) = self.tolerance
            && !(tolerance > 0.0 && tolerance.is_finite())
        {
            return Err(SettingError { name: "tolerance", rule: "positive and finite" });
        }
        Ok(())
    }

    /// Whether steps are taken in halves too.
    pub(super) fn has_halves(&self) -> bool {
        self.extrapolate || self.tolerance.is_some()
    }
}
