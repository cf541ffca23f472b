//! Attributes as numbers, vectors and poses. What is read is honoured; what cannot be read is an error at its place.

use stiction_sim::math::sin_cos;
use stiction_sim::{Mat3, Pose, Quat, Vec3, math};

use super::Fate;
use super::account::{Account, Element};
use super::names::short;

/// How far the length of a quaternion may be from one: numbers in files are rounded.
const UNIT_SLACK: f64 = 1e-3;

impl<'d> Account<'d> {
    /// The text of an attribute.
    pub(super) fn text(&mut self, node: Element<'d>, key: &str) -> Option<&'d str> {
        let attribute = self.find(node, key)?;
        self.attribute_fate(node, key, Fate::Honoured);
        Some(attribute.value())
    }

    /// The text of an attribute that must be there, and must not be empty.
    pub(super) fn needed_text(&mut self, node: Element<'d>, key: &str) -> Option<&'d str> {
        let Some(text) = self.text(node, key) else {
            let tag = self.tag(node);
            self.error(node, format!("expected the attribute `{key}` of <{}>", short(tag)));
            return None;
        };
        if text.trim().is_empty() {
            self.value_error(node, key, format!("expected `{key}` not to be empty"));
            return None;
        }
        Some(text)
    }

    /// N finite numbers, separated by blanks. None after an error.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        node: Element<'d>,
        key: &str,
        text: &str,
    ) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        let mut count = 0;
        for word in text.split_whitespace() {
            let number = word.parse::<f64>().ok().filter(|x| x.is_finite());
            let Some(number) = number else {
                let message = format!("expected a finite number, found `{}`", short(word));
                self.value_error(node, key, message);
                return None;
            };
            if count < N {
                numbers[count] = number;
            }
            count += 1;
        }
        if count == N {
            return Some(numbers);
        }
        let plural = if N == 1 { "" } else { "s" };
        self.value_error(node, key, format!("expected {N} number{plural}, found {count}"));
        None
    }

    /// A number, or what stands for it where it is not stated. None after an error.
    pub(super) fn number_or(&mut self, node: Element<'d>, key: &str, or: f64) -> Option<f64> {
        match self.text(node, key) {
            Some(text) => self.numbers::<1>(node, key, text).map(|[x]| x),
            None => Some(or),
        }
    }

    pub(super) fn needed_number(&mut self, node: Element<'d>, key: &str) -> Option<f64> {
        let text = self.needed_text(node, key)?;
        self.numbers::<1>(node, key, text).map(|[x]| x)
    }

    /// A length [m] that must be positive.
    pub(super) fn needed_length(&mut self, node: Element<'d>, key: &str) -> Option<f64> {
        let length = self.needed_number(node, key)?;
        if length > 0.0 {
            return Some(length);
        }
        self.value_error(node, key, format!("expected a positive {key}, found {length}"));
        None
    }

    /// A number ≥ 0, 0 where it is not stated.
    pub(super) fn not_negative(&mut self, node: Element<'d>, key: &str) -> Option<f64> {
        let number = self.number_or(node, key, 0.0)?;
        if number >= 0.0 {
            return Some(number);
        }
        self.value_error(node, key, format!("expected {key} of at least 0, found {number}"));
        None
    }

    pub(super) fn vector_or(&mut self, node: Element<'d>, key: &str, or: Vec3) -> Option<Vec3> {
        match self.text(node, key) {
            Some(text) => self.numbers::<3>(node, key, text).map(Vec3::from),
            None => Some(or),
        }
    }

    /// A child that is there once at most.
    pub(super) fn only_child(&mut self, node: Element<'d>, tag: &str) -> Option<Element<'d>> {
        let children = self.children(node, tag);
        for second in children.iter().skip(1) {
            self.honour(*second);
            self.error(*second, format!("expected one <{tag}>, found another"));
        }
        let first = *children.first()?;
        self.honour(first);
        Some(first)
    }

    pub(super) fn needed_child(&mut self, node: Element<'d>, tag: &str) -> Option<Element<'d>> {
        let child = self.only_child(node, tag);
        if child.is_none() {
            let parent = short(self.tag(node));
            self.error(node, format!("expected <{tag}> in <{parent}>"));
        }
        child
    }

    /// The pose of `<origin>` in an element; identity where it says nothing. None after an error.
    pub(super) fn origin(&mut self, node: Element<'d>) -> Option<Pose> {
        let Some(origin) = self.only_child(node, "origin") else { return Some(Pose::identity()) };
        let p = self.vector_or(origin, "xyz", Vec3::zeros());
        let R = self.orientation(origin);
        Some(Pose::new(R?, p?))
    }

    fn orientation(&mut self, origin: Element<'d>) -> Option<Mat3> {
        let rpy = self.vector_or(origin, "rpy", Vec3::zeros());
        let Some(text) = self.text(origin, "quat_xyzw") else { return rpy.map(|a| fixed_axes(&a)) };
        if self.find(origin, "rpy").is_some() {
            let message = "expected either rpy or quat_xyzw, found both".to_string();
            self.value_error(origin, "quat_xyzw", message);
            return None;
        }
        let [x, y, z, w] = self.numbers::<4>(origin, "quat_xyzw", text)?;
        let quat = Quat { w, x, y, z };
        if !((quat.norm() - 1.0).abs() <= UNIT_SLACK) {
            let message = format!("expected a quaternion of length 1, found {}", quat.norm());
            self.value_error(origin, "quat_xyzw", message);
            return None;
        }
        Some(quat.normalized().to_matrix())
    }
}

/// Roll about x, then pitch about y, then yaw about z [rad], all fixed axes.
fn fixed_axes(rpy: &Vec3) -> Mat3 {
    let ((sr, cr), (sp, cp)) = (sin_cos(rpy.x), sin_cos(rpy.y));
    let roll = Mat3::new(1.0, 0.0, 0.0, 0.0, cr, -sr, 0.0, sr, cr);
    let pitch = Mat3::new(cp, 0.0, sp, 0.0, 1.0, 0.0, -sp, 0.0, cp);
    math::rotation_z(rpy.z) * pitch * roll
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roll_comes_first_and_yaw_last() {
        let quarter = std::f64::consts::FRAC_PI_2;
        // roll brings y to z, pitch brings z to x, yaw brings x to y
        let R = fixed_axes(&Vec3::new(quarter, quarter, quarter));
        assert!((R * Vec3::y() - Vec3::y()).amax() < 1e-15, "{R}");
        assert!((R * Vec3::x() + Vec3::z()).amax() < 1e-15, "{R}");
    }
}
