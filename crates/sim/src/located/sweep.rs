//! The first moment at which a gap closes on the way of a step.
//!
//! Two shapes at a distance g along n cannot touch before g/b has passed, where b bounds the speed at which they come towards
//! each other: the relative speed along n and what turning adds. So one goes on in time by g/b, looks at the gap again, and
//! comes arbitrarily near to the first touch and not past it (conservative advancement). The speeds of a way are those at
//! its beginning, middle and end; a tenth is added for what lies between.

use super::path::Path;
use crate::collide::{Contact, ContactKey};
use crate::contact::list::{ContactList, Departing, ROUNDING_OF_PLACES, pair_of};
use crate::contact::work::ContactWork;
use crate::inertia::SpatialInertia;
use crate::math::Vec3;
use crate::model::{Model, Shape};

/// What is added to sampled speeds.
const MARGIN: f64 = 1.1;
/// Turns beyond this are not sampled more closely [rad].
const MOST_TURN: f64 = 1000.0;
/// Looks after which the way is looked at this often and no more, whatever the bound says, and this often for every radian of
/// turning: for contacts that slide past each other closely.
const PATIENCE: usize = 64;
const LOOKS: f64 = 256.0;
const LOOKS_PER_RADIAN: f64 = 20.0;
/// Iterations that bring a bracketed root to rounding, bisection included.
const MAX_ROOT: usize = 200;

/// A bounce that rises by less than this share of the size of things is none: rounding of places would make more than one
/// percent of it.
const LEAST_RISE: f64 = 100.0 * ROUNDING_OF_PLACES;

/// What happens first on the way of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum First {
    /// Nothing.
    Passed,
    /// A gap closes at the time s after the beginning, or comes back to the overlap that it had there.
    Hit { s: f64, key: ContactKey, level: f64 },
    /// A contact that bounced is back before it has risen by more than rounding: it comes to rest. It parted at u_n [m/s] and
    /// falls at the acceleration a [m/s²].
    Rests { key: ContactKey, u_n: f64, a: f64 },
}

/// Two shapes on the way of a step.
pub(super) struct Sweep<'a> {
    pub(super) model: &'a Model,
    pub(super) path: &'a Path,
    pub(super) list: &'a ContactList,
    pub(super) contact: &'a mut ContactWork,
    /// Contacts of one pair.
    pub(super) found: &'a mut Vec<Contact>,
}

impl Sweep<'_> {
    /// What happens first within the step.
    pub(super) fn first(&mut self) -> First {
        let mut first = First::Passed;
        let mut limit = self.path.h;
        let open = &self.list.open;
        let mut start = 0;
        while start < open.len() {
            let pair = pair_of(open[start].key);
            let count = open[start..].iter().take_while(|c| pair_of(c.key) == pair).count();
            let nearest = open[start..start + count].iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
            if let Some(nearest) = nearest
                && let Some((s, key)) = self.advance(nearest, limit)
            {
                (first, limit) = (First::Hit { s, key, level: 0.0 }, s);
            }
            start += count;
        }
        for departing in &self.list.departing {
            match self.comes_back(departing, limit) {
                First::Passed => {}
                hit @ First::Hit { s, .. } => (first, limit) = (hit, s),
                rests => return rests,
            }
        }
        first
    }

    /// When the nearest of the open contacts of two shapes closes, if that is before `limit`.
    fn advance(&mut self, nearest: &Contact, limit: f64) -> Option<(f64, ContactKey)> {
        let mut contact = *nearest;
        let mut s = 0.0;
        let speeds = self.speeds(nearest);
        for look in 0.. {
            let bound = speeds.towards(&contact.n_W);
            let least = if look < PATIENCE { 0.0 } else { self.path.h / speeds.looks() };
            // a gap that is open by rounding is passed by rounding of the time
            let step = (contact.gap / bound).max(least).max(1e-16 * self.path.h);
            // NaN ends the search too: nothing moves
            if !(s + step < limit) {
                return None;
            }
            let rounding = ROUNDING_OF_PLACES * (contact.p_W.norm() + self.size());
            let before = s;
            s += step;
            match self.nearest_at(&contact, s, |sweep, c| sweep.list.may_close(c)) {
                // farther than anything can come in what is left of the step
                None => return None,
                Some(next) if next.gap <= 0.0 => {
                    return Some((self.root(&next, 0.0, before, s), next.key));
                }
                Some(next) => {
                    contact = next;
                    if contact.gap <= rounding {
                        return self.finish(&contact, s, limit);
                    }
                }
            }
        }
        None
    }

    /// From a gap open by rounding to the moment at which it closes, if that is before `limit`. What grazes, closes here.
    fn finish(&mut self, contact: &Contact, s: f64, limit: f64) -> Option<(f64, ContactKey)> {
        let rate = -self.parting(contact, s);
        if !(rate > 0.0) {
            return Some((s, contact.key));
        }
        let later = (s + 2.0 * contact.gap / rate).min(limit);
        match self.nearest_at(contact, later, |sweep, c| sweep.list.may_close(c)) {
            Some(next) if next.gap <= 0.0 => Some((self.root(&next, 0.0, s, later), next.key)),
            _ if later < limit => Some((s, contact.key)),
            // the next step begins with it
            _ => None,
        }
    }

    /// What becomes of a contact that bounced: forces bring it back on a parabola, with the top at `top` and back at twice the
    /// time; or turning does, as samples of the way show.
    fn comes_back(&mut self, departing: &Departing, limit: f64) -> First {
        let Departing { contact, u_n } = departing;
        let (key, level) = (contact.key, contact.gap.min(0.0));
        let a = self.acceleration(contact, *u_n);
        let top = if a < 0.0 { -u_n / a } else { f64::INFINITY };
        let least = LEAST_RISE * (contact.p_W.norm() + self.size());
        let is_seen = 0.5 * u_n * top > least;
        if !is_seen && 2.0 * top < limit {
            return First::Rests { key, u_n: *u_n, a };
        }
        let pace = limit / samples(self.turn(contact)) as f64;
        let (mut before, mut at) = (top.min(0.5 * pace), (2.0 * top * (1.0 + 1e-6)).min(pace));
        loop {
            at = at.min(limit);
            // whether it is still there or back again cannot be told before
            let has_left = u_n * at > least;
            match self.nearest_at(contact, at, |_: &Self, c: &Contact| c.key == key) {
                Some(next) if next.gap <= level && has_left => {
                    return First::Hit { s: self.root(&next, level, before, at), key, level };
                }
                _ if at >= limit => return First::Passed,
                _ => (before, at) = (at, (1.5 * at).min(at + pace)),
            }
        }
    }

    /// By how much the forces of the step change the speed at which a contact parts [m/s²].
    fn acceleration(&self, contact: &Contact, u_n: f64) -> f64 {
        let kicked = |body| self.path.kicked(self.model, body).point(&contact.p_W);
        let u_kicked = contact.n_W.dot(&(kicked(contact.b) - kicked(contact.a)));
        (u_kicked - u_n) / self.path.h
    }

    /// How far two bodies turn on the way [rad].
    fn turn(&self, contact: &Contact) -> f64 {
        let h = self.path.h;
        let rate = |body, s| self.path.at(self.model, body, s).V_W.w.norm();
        h * (rate(contact.a, 0.0) + rate(contact.b, 0.0).max(rate(contact.b, h)))
    }

    /// The moment between `low`, where the gap of a contact is above `level`, and `high`, where it is not any more.
    fn root(&mut self, contact: &Contact, level: f64, mut low: f64, mut high: f64) -> f64 {
        let departs = self.list.departs(contact.key);
        let gap = |sweep: &mut Self, s: f64| {
            // names change on the way: what may close counts as well
            let counts = |sweep: &Self, c: &Contact| {
                c.key == contact.key || (!departs && sweep.list.may_close(c))
            };
            sweep.nearest_at(contact, s, counts).map_or(f64::INFINITY, |next| next.gap - level)
        };
        let (mut g_low, mut g_high) = (gap(self, low), contact.gap - level);
        for i in 0..MAX_ROOT {
            let middle = 0.5 * (low + high);
            if !(low < middle && middle < high) || g_high == 0.0 {
                break;
            }
            let secant = high - g_high * (high - low) / (g_high - g_low);
            // a secant that stays at one end is helped by halves
            let use_secant = i % 3 != 2 && low < secant && secant < high;
            let s = if use_secant { secant } else { middle };
            let g = gap(self, s);
            if g <= 0.0 { (high, g_high) = (s, g) } else { (low, g_low) = (s, g) }
        }
        high
    }

    /// The nearest contact of the same two shapes at the time s that is among those asked for.
    fn nearest_at(
        &mut self,
        like: &Contact,
        s: f64,
        counts: impl Fn(&Self, &Contact) -> bool,
    ) -> Option<Contact> {
        let [X_WA, X_WB] = [like.a, like.b].map(|body| self.path.at(self.model, body, s).X_WB);
        let pair = pair_of(like.key);
        let horizon = self.list.horizon;
        self.contact.collider.detect_pair(self.model, pair, [X_WA, X_WB], horizon, self.found);
        let counted = self.found.iter().filter(|c| counts(self, c));
        counted.min_by(|a, b| a.gap.total_cmp(&b.gap)).copied()
    }

    /// How fast B moves away from A at the place of a contact, at the time s [m/s].
    fn parting(&self, contact: &Contact, s: f64) -> f64 {
        let [v_A, v_B] =
            [contact.a, contact.b].map(|i| self.path.at(self.model, i, s).point(&contact.p_W));
        contact.n_W.dot(&(v_B - v_A))
    }

    /// How fast two shapes move against each other on the way.
    fn speeds(&self, contact: &Contact) -> Speeds {
        let at = |body: Option<usize>, s: f64| {
            let moving = self.path.at(self.model, body, s);
            let (v_cm, reach) = match body {
                None => (Vec3::zeros(), 0.0),
                Some(i) => {
                    let SpatialInertia { mass, mc, .. } = &self.model.bodies[i].I;
                    let c_B = mc / *mass;
                    let reach = self.contact.reach.of(i) + c_B.norm();
                    (moving.point(&moving.X_WB.point(&c_B)), reach)
                }
            };
            (v_cm, moving.V_W.w.norm() * reach)
        };
        let (h, turn) = (self.path.h, self.turn(contact));
        let samples = samples(turn);
        let mut speeds =
            Speeds { v_AB: Vec::new(), turning: 0.0, turn, along: self.separates(contact) };
        for i in 0..=samples {
            let s = h * i as f64 / samples as f64;
            let [(v_A, turning_A), (v_B, turning_B)] = [contact.a, contact.b].map(|i| at(i, s));
            speeds.v_AB.push(v_B - v_A);
            speeds.turning = speeds.turning.max(turning_A + turning_B);
        }
        speeds
    }

    /// Whether the two shapes are on the two sides of a plane along the normal of their nearest contact: one of them is a
    /// half-space, or both are convex.
    fn separates(&self, contact: &Contact) -> bool {
        let ContactKey { shape_a, shape_b, .. } = contact.key;
        let [a, b] = [shape_a, shape_b].map(|i| &self.model.geoms[i as usize].shape);
        let is_plane = |shape: &Shape| matches!(shape, Shape::HalfSpace);
        is_plane(a) || is_plane(b) || (is_convex(a) && is_convex(b))
    }

    /// The largest distance of a body from the origin where the step begins [m].
    fn size(&self) -> f64 {
        self.list.farthest
    }
}

/// How fast two shapes move against each other on a way: their centres of mass, at some moments, and what turning adds [m/s].
struct Speeds {
    v_AB: Vec<Vec3>,
    turning: f64,
    /// How far they turn on all of it [rad].
    turn: f64,
    /// Whether only what comes along the normal counts.
    along: bool,
}

impl Speeds {
    /// How often the way is looked at where the speeds do not help.
    fn looks(&self) -> f64 {
        LOOKS.max(LOOKS_PER_RADIAN * self.turn)
    }

    /// The largest speed of approach [m/s].
    fn towards(&self, n_W: &Vec3) -> f64 {
        let closing = |v_AB: &Vec3| if self.along { -n_W.dot(v_AB) } else { v_AB.norm() };
        let closing = self.v_AB.iter().map(closing).fold(0.0, f64::max);
        MARGIN * (closing + self.turning)
    }
}

/// How many moments of the way show what turning does.
fn samples(turn: f64) -> usize {
    // NaN counts as no turn
    2 + 2 * turn.clamp(0.0, MOST_TURN) as usize
}

fn is_convex(shape: &Shape) -> bool {
    match shape {
        Shape::HalfSpace
        | Shape::Sphere { .. }
        | Shape::Capsule { .. }
        | Shape::Box { .. }
        | Shape::Ellipsoid { .. }
        | Shape::Cylinder { .. }
        | Shape::Cone { .. }
        | Shape::Hull(_) => true,
        Shape::Points(_) | Shape::Compound(_) | Shape::Mesh { .. } | Shape::HeightField { .. } => {
            false
        }
    }
}
