//! Guides: a point of one body on a line, a circle or a plane of another, with friction from either side.

use super::check;
use super::connect::Finder;
use super::error::ModelError;
use super::spec::{FrameSpec, ModelSpec};
use super::{Attachment, Model};

/// The origin of frame `b` stays on a curve or surface of frame `a`, which pushes it to either side; friction is at most μ
/// times that push [SNT eq. 4, 6].
#[derive(Clone, Debug, PartialEq)]
pub struct GuideSpec {
    pub name: String,
    pub a: FrameSpec,
    pub b: FrameSpec,
    pub kind: GuideKind,
    /// Coefficient of friction, sticking and sliding.
    pub mu: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuideKind {
    /// The plane y = 0 of frame a; friction along x alone. A slider in a slot along x, whatever holds it in z.
    Slot,
    /// The cylinder of this radius [m] about the z axis of frame a; friction around it alone. A bead on a hoop, whatever
    /// holds it in the hoop's plane.
    Hoop { radius: f64 },
    /// The plane z = 0 of frame a; friction in the plane.
    Plane,
}

#[derive(Clone, Debug)]
pub struct Guide {
    pub name: String,
    pub a: Attachment,
    pub b: Attachment,
    pub kind: GuideKind,
    pub mu: f64,
}

impl ModelSpec {
    pub fn guide(
        &mut self,
        name: &str,
        kind: GuideKind,
        a: FrameSpec,
        b: FrameSpec,
        mu: f64,
    ) -> &mut Self {
        self.guides.push(GuideSpec { name: name.to_string(), a, b, kind, mu });
        self
    }
}

impl Finder<'_> {
    pub(super) fn guide(&self, spec: &GuideSpec) -> Result<Guide, ModelError> {
        let name = &spec.name;
        check::not_negative(name, "coefficient of friction", spec.mu)?;
        if let GuideKind::Hoop { radius } = spec.kind {
            check::positive(name, "radius", radius)?;
        }
        let (a, b) = self.attach_pair(name, &spec.a, &spec.b)?;
        Ok(Guide { name: name.clone(), a, b, kind: spec.kind, mu: spec.mu })
    }
}

impl Model {
    pub fn guides(&self) -> &[Guide] {
        &self.guides
    }
}
