//! A rod that slides on its lower end: the smallest paradox, in closed form.
//!
//! The rod leans by θ from the ground, its lower end P at `r − (l/2)(cos θ, sin θ)`, and P slides towards −x. Friction then
//! pushes towards +x, with the normal force N [AP], [Baraff94]:
//!
//! ```text
//!  p̈_n = a N + c ,     a = 1/m + (l/2)²/I (cos²θ − μ sin θ cos θ) ,     c = −g + (l/2) ω² sin θ
//!
//!            c < 0                     c > 0
//!  a > 0     one: it presses           one: it lifts off
//!  a < 0     none                      two: it presses, or lifts off
//! ```
//!
//! a < 0 where `μ > (I/(m (l/2)²) + cos²θ) / (sin θ cos θ)`; for a uniform rod, I = m l²/12, that is `(4 + tan²θ)/(3 tan θ)`, which is
//! least at tan θ = 2: 4/3.
//!
//! In a step there is one more way: an impulse that stops the lower end at once, at h → 0
//!
//! ```text
//!  W p = (0, v₀) ,     W_nn = 1/m + k cos²θ ,  W_tt = 1/m + k sin²θ ,  W_nt = −k sin θ cos θ ,     k = (l/2)²/I
//! ```
//!
//! Its friction is p_t/p_n = W_nn/(k sin θ cos θ): within the cone exactly where a ≤ 0.

use crate::inertia::Inertia;
use crate::math::{Quat, Vec3, sin_cos};
use crate::model::{Coordinates, EARTH, FrameSpec, JointKind, Model, ModelError, ModelSpec};
use crate::model::{Shape, Surface};
use crate::state::State;

/// A rod, how it leans and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// [kg]
    pub mass: f64,
    /// l [m]
    pub length: f64,
    /// I about the centre [kg·m²].
    pub inertia: f64,
    /// θ against the ground [rad], between 0 and π/2.
    pub theta: f64,
    pub mu: f64,
    /// ω [rad/s], positive where θ grows.
    pub omega: f64,
    /// With which the lower end slides towards −x [m/s].
    pub speed: f64,
}

impl Rod {
    /// 1 kg and 1 m, uniform, sliding with 1 m/s.
    pub fn uniform(theta: f64, mu: f64) -> Self {
        let (mass, length) = (1.0, 1.0);
        let inertia = mass * length * length / 12.0;
        Self { mass, length, inertia, theta, mu, omega: 0.0, speed: 1.0 }
    }

    /// That of [AP]: I = m/16, l = 2, θ = 72°, μ = 0.75, ω = 0.
    pub fn baraff() -> Self {
        let theta = 72.0_f64.to_radians();
        Self {
            mass: 1.0,
            length: 2.0,
            inertia: 1.0 / 16.0,
            theta,
            mu: 0.75,
            omega: 0.0,
            speed: 1.0,
        }
    }

    /// `(l/2)²/I` [1/kg].
    fn turning(&self) -> f64 {
        0.25 * self.length * self.length / self.inertia
    }

    /// a of `p̈_n = a N + c` [1/kg].
    pub fn a(&self) -> f64 {
        let (s, c) = sin_cos(self.theta);
        1.0 / self.mass + self.turning() * (c * c - self.mu * s * c)
    }

    /// c of `p̈_n = a N + c` [m/s²].
    pub fn c(&self) -> f64 {
        let (s, _) = sin_cos(self.theta);
        EARTH.z + 0.5 * self.length * self.omega * self.omega * s
    }

    /// The coefficient of friction above which a < 0.
    pub fn critical_mu(&self) -> f64 {
        let (s, c) = sin_cos(self.theta);
        (1.0 / (self.mass * self.turning()) + c * c) / (s * c)
    }

    /// The impulse (p_n, p_t) that stops the lower end at once [N·s].
    pub fn stopping_impulse(&self) -> (f64, f64) {
        let ((s, c), k) = (sin_cos(self.theta), self.turning());
        let (W_nn, W_tt, W_nt) =
            (1.0 / self.mass + k * c * c, 1.0 / self.mass + k * s * s, -k * s * c);
        let det = W_nn * W_tt - W_nt * W_nt;
        (-W_nt * self.speed / det, W_nn * self.speed / det)
    }

    /// Moves in the plane of x and z; touches the ground, z ≤ 0, with its lower end.
    pub fn model(&self, coordinates: Coordinates) -> Result<Model, ModelError> {
        let mut spec = ModelSpec::new();
        spec.material("stuff", Surface::rigid(self.mu));
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        // planar motion does not feel the moment about its own axis
        let moments = [0.5 * self.inertia, self.inertia, self.inertia];
        spec.body("rod", Inertia::principal(self.mass, moments));
        let upright = Quat::exp(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let plane = FrameSpec::world().turned(upright);
        spec.joint("plane", JointKind::Planar, plane, FrameSpec::of("rod"));
        let end = vec![Vec3::new(-0.5 * self.length, 0.0, 0.0)];
        spec.shape("end", FrameSpec::of("rod"), Shape::Points(end), "stuff");
        spec.build(coordinates)
    }

    /// The state of a model in generalized coordinates; [`Model::state_from`] carries it over to others.
    pub fn state(&self, model: &Model) -> State {
        let (s, c) = sin_cos(self.theta);
        let half = 0.5 * self.length;
        let mut state = model.state();
        state.q.copy_from_slice(&[0.0, half * s, self.theta]);
        let sideways = -self.speed - self.omega * half * s;
        state.v.copy_from_slice(&[sideways, self.omega * half * c, self.omega]);
        state
    }
}
