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
    /// Impacts within one step after which nothing bounces until its end. Default 10,000.
    pub max_impacts: usize,
}

impl Default for LocatedSettings {
    fn default() -> Self {
        Self {
            step: StepSettings { geometry: Geometry::Middle, ..Default::default() },
            impact: ImpactSettings::default(),
            max_impacts: 10_000,
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
        Ok(())
    }
}
