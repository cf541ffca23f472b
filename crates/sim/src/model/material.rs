//! What surfaces are made of, and what two of them make together.
//!
//! Friction and restitution belong to a pair of materials, not to a material. A [`PairSpec`] states them; for a pair that
//! none is stated for, the [`Combination`] of the model makes them of the two materials' own numbers.

use std::collections::BTreeMap;

use super::check;
use super::error::ModelError;
use super::spec::{ModelSpec, Relaxation};
use super::{Geom, Model};

/// The numbers of a contact between two materials, or of a material with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of static friction μ_s, ≥ 0.
    pub mu_s: f64,
    /// Coefficient of kinetic friction μ_k, 0 ≤ μ_k ≤ μ_s.
    pub mu_k: f64,
    /// Restitution, 0 (plastic) to 1 (elastic).
    pub e: f64,
    /// Stiffness k > 0 [N/m] and damping b ≥ 0 [N·s/m] of the contact. None: rigid.
    pub compliance: Option<Relaxation>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MaterialSpec {
    pub name: String,
    /// Of two bodies of this material; its part in a pair with another one by [`Combination`].
    pub surface: Surface,
}

/// What two materials make together, instead of what their own numbers would combine to.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSpec {
    /// In either order. May be twice the same: then it overrides the material's own numbers.
    pub materials: [String; 2],
    pub surface: Surface,
}

/// How a number of a pair is made of the numbers of two materials. Each lies between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    Minimum,
    GeometricMean,
    Maximum,
    Average,
}

/// The rules of a model. Compliances have no choice of rule: both materials give way, so
/// they are springs in series, and a rigid one leaves the other's.
///
/// By default the geometric mean for friction: a frictionless material stays frictionless against all others.
/// The minimum for restitution: the material that loses more is the one that deforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    pub friction: Combine,
    pub restitution: Combine,
}

impl Default for Combination {
    fn default() -> Self {
        Self { friction: Combine::GeometricMean, restitution: Combine::Minimum }
    }
}

impl Surface {
    /// Rigid and plastic, with one coefficient of friction.
    pub fn rigid(mu: f64) -> Self {
        Self { mu_s: mu, mu_k: mu, e: 0.0, compliance: None }
    }

    pub(super) fn check(&self, user: &str) -> Result<(), ModelError> {
        check::not_negative(user, "static friction", self.mu_s)?;
        check::not_negative(user, "kinetic friction", self.mu_k)?;
        let user = || user.to_string();
        if !(self.mu_k <= self.mu_s) {
            let (mu_s, mu_k) = (self.mu_s, self.mu_k);
            return Err(ModelError::KineticFriction { user: user(), mu_s, mu_k });
        }
        if !(self.e >= 0.0 && self.e <= 1.0) {
            return Err(ModelError::Restitution { user: user(), e: self.e });
        }
        if let Some(Relaxation { k, b }) = self.compliance {
            check::positive(&user(), "stiffness of the contact", k)?;
            check::not_negative(&user(), "damping of the contact", b)?;
        }
        Ok(())
    }
}

impl Combine {
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Minimum => a.min(b),
            // equal numbers stay as they are: the root of a square may round
            _ if a == b => a,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Maximum => a.max(b),
            Self::Average => 0.5 * a + 0.5 * b,
        }
    }
}

impl Combination {
    /// Symmetric: the order of the two does not matter, not even to the last bit.
    pub fn of(&self, a: &Surface, b: &Surface) -> Surface {
        Surface {
            mu_s: self.friction.of(a.mu_s, b.mu_s),
            mu_k: self.friction.of(a.mu_k, b.mu_k),
            e: self.restitution.of(a.e, b.e),
            compliance: match (a.compliance, b.compliance) {
                (Some(a), Some(b)) => Some(in_series(a, b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// Two springs with dampers, one behind the other, as one. The springs share the deformation as k₂ : k₁; the
/// damping is the one that loses the same power with these shares:
///
/// ```text
///  k = k₁ k₂ / (k₁ + k₂)        b = b₁ (k/k₁)² + b₂ (k/k₂)²
/// ```
fn in_series(a: Relaxation, b: Relaxation) -> Relaxation {
    // shares of the deformation, written so that no product of stiffnesses can overflow
    let (share_a, share_b) = (1.0 / (1.0 + a.k / b.k), 1.0 / (1.0 + b.k / a.k));
    let stiffer = if a.k >= b.k { a.k * share_a } else { b.k * share_b };
    Relaxation { k: stiffer, b: a.b * share_a * share_a + b.b * share_b * share_b }
}

/// Finds materials by their names.
pub(super) struct MaterialPlaces<'a> {
    places: BTreeMap<&'a str, usize>,
}

impl<'a> MaterialPlaces<'a> {
    pub(super) fn new(spec: &'a ModelSpec) -> Self {
        let names = spec.materials.iter().enumerate();
        Self { places: names.map(|(i, material)| (material.name.as_str(), i)).collect() }
    }

    pub(super) fn find(&self, user: &str, name: &str) -> Result<usize, ModelError> {
        let unknown =
            || ModelError::UnknownMaterial { user: user.to_string(), material: name.to_string() };
        self.places.get(name).copied().ok_or_else(unknown)
    }
}

impl Model {
    /// Adds all materials and what pairs of them make together.
    pub(super) fn add_materials(&mut self, spec: &ModelSpec) -> Result<(), ModelError> {
        check::names("materials", spec.materials.iter().map(|material| &material.name))?;
        let places = MaterialPlaces::new(spec);
        for material in &spec.materials {
            material.surface.check(&material.name)?;
            self.materials.push(material.clone());
        }
        for pair in &spec.pairs {
            let [a, b] = &pair.materials;
            let user = format!("{a}–{b}");
            pair.surface.check(&user)?;
            let (i, j) = (places.find(&user, a)?, places.find(&user, b)?);
            if self.pairs.insert((i.min(j), i.max(j)), pair.surface).is_some() {
                return Err(ModelError::PairTwice { materials: pair.materials.clone() });
            }
        }
        Ok(())
    }

    /// What two geoms' materials make together.
    pub fn surface(&self, a: &Geom, b: &Geom) -> Surface {
        let (i, j) = (a.material.min(b.material), a.material.max(b.material));
        match self.pairs.get(&(i, j)) {
            Some(surface) => *surface,
            None => self.combine.of(&self.materials[i].surface, &self.materials[j].surface),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frictionless_material_stays_so_and_the_duller_one_decides_the_bounce() {
        let (ice, rubber) = (Surface::rigid(0.0), Surface { e: 0.8, ..Surface::rigid(0.9) });
        let pair = Combination::default().of(&ice, &rubber);
        assert_eq!((pair.mu_s, pair.mu_k, pair.e), (0.0, 0.0, 0.0));
        let itself = Combination::default().of(&rubber, &rubber);
        assert_eq!(itself, rubber);
    }

    #[test]
    fn every_rule_lies_between_its_two_numbers() {
        let (a, b) = (0.25, 0.64);
        let all = [Combine::Minimum, Combine::GeometricMean, Combine::Maximum, Combine::Average];
        let values = all.map(|rule| rule.of(a, b));
        for (value, expected) in values.iter().zip([0.25, 0.4, 0.64, 0.445]) {
            assert!((value - expected).abs() < 1e-16, "{values:?}");
        }
        assert_eq!(values, all.map(|rule| rule.of(b, a)));
    }

    #[test]
    fn springs_in_series_give_way_together() {
        let (a, b) = (Relaxation { k: 300.0, b: 3.0 }, Relaxation { k: 600.0, b: 6.0 });
        let pair = in_series(a, b);
        // with one relaxation time b/k, the pair has it too
        assert!((pair.k - 200.0).abs() < 1e-12 && (pair.b - 2.0).abs() < 1e-14, "{pair:?}");
        assert_eq!(pair, in_series(b, a));
        let rigid = Surface::rigid(1.0);
        let soft = Surface { compliance: Some(a), ..rigid };
        assert_eq!(Combination::default().of(&rigid, &soft).compliance, Some(a));
    }
}
