//! Coulomb's law and the energy identity of one step, measured by formulas of the tests' own.
//!
//! Only bodies, poses and velocities before and after the step are read, and the contacts with their impulses. The
//! velocity between kick and drift is found from the end of the step: the drift of a flying body keeps its
//! angular momentum in space, other bodies drift at constant v.

use std::f64::consts::TAU;

use crate::mechanisms::Run;
use crate::scenes::{axes, nan_max};
use stiction_sim::collide::Contact;
use stiction_sim::tree::kinematics;
use stiction_sim::{BodyId, Mat3, Motion, Pose, StepError, StepSettings, Vec3};

/// How far one step is from the laws, each part as a share of its scale.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) contacts: usize,
    /// Law K: impulses and velocities outside their cones, complementarity, velocities that differ from the reported.
    pub(crate) coulomb: f64,
    /// Law K2: what friction could dissipate more.
    pub(crate) dissipation: f64,
    /// Law C: the identity, as a share of the energies in it.
    pub(crate) identity: f64,
    /// What p·u⁺ is above what pushing overlapping bodies apart takes, Σ p_n (−φ)/h, as a share of the same: never
    /// positive.
    pub(crate) gain: f64,
}

/// A body when impulses have acted and nothing has moved.
struct Kicked {
    X: Pose,
    V: Motion,
    mass: f64,
    /// Inverse inertia about the centre, in W.
    I_inverse: Mat3,
}

fn frames(run: &mut Run, q: &[f64], v: &[f64]) -> Vec<(Pose, Motion)> {
    kinematics::update(&run.model, q, v, &mut run.data);
    let ids = (0..run.model.bodies().len()).map(|i| BodyId(i as u32));
    let place = |id| {
        let X = kinematics::pose(&run.model, &run.data, id);
        (X, kinematics::velocity(&run.model, &run.data, id))
    };
    ids.map(place).collect()
}

/// Takes a step of a run whose bodies have their centres at their origins, and measures it.
pub(crate) fn measured_step(run: &mut Run, settings: &StepSettings) -> Result<Measured, StepError> {
    let (q, v) = (run.state.q.clone(), run.state.v.clone());
    let gravity = run.model.gravity();
    let before = frames(run, &q, &v);
    let report = run.try_step(settings)?;
    assert!(report.contact.is_none_or(|contact| contact.certified), "{report:?}");
    let (contacts, p) = (run.data.contacts().to_vec(), run.data.contact_impulses().to_vec());
    let u_reported = run.data.contact_velocities().to_vec();
    let (q_after, v_after) = (run.state.q.clone(), run.state.v.clone());
    let after = frames(run, &q_after, &v_after);

    let bodies: Vec<Kicked> = (0..before.len())
        .map(|i| {
            let I = run.model.bodies()[i].inertia;
            assert_eq!(I.com, Vec3::zeros(), "the centre is elsewhere");
            let (X, (X_after, V)) = (before[i].0, after[i]);
            let Pi = X_after.R * (I.I_com * X_after.R.tr_mul(&V.w));
            let inverse = I.I_com.try_inverse().expect("an inertia");
            let I_inverse = X.R * inverse * X.R.transpose();
            Kicked { X, V: Motion::new(I_inverse * Pi, V.v), mass: I.mass, I_inverse }
        })
        .collect();
    let free: Vec<Motion> =
        before.iter().map(|(_, V)| Motion::new(V.w, V.v + gravity * settings.h)).collect();
    let touches = contacts_of(&contacts, &p);
    let mut measured = coulomb(&touches, &bodies, &free, settings.h);
    let scale = largest(&u_reported).max(1e-300);
    for (i, c) in touches.iter().enumerate() {
        let u = c.velocity(&bodies);
        let error = (0..3).map(|a| (u[a] - u_reported[3 * i + a]).abs()).fold(0.0, nan_max);
        let speeds = scale + c.speed(&free);
        measured.coulomb = nan_max(measured.coulomb, error / speeds);
    }
    energies(&mut measured, &touches, &bodies, &free, settings.h);
    Ok(measured)
}

/// A contact as the formulas need it.
struct Touch {
    a: Option<usize>,
    b: Option<usize>,
    at: Vec3,
    /// n, t1, t2.
    axes: [Vec3; 3],
    gap: f64,
    mu: f64,
    p: [f64; 3],
}

fn contacts_of(contacts: &[Contact], p: &[f64]) -> Vec<Touch> {
    let touch = |(contact, p): (&Contact, &[f64])| Touch {
        a: contact.a,
        b: contact.b,
        at: contact.p_W,
        axes: axes(&contact.n_W),
        gap: contact.gap,
        mu: contact.surface.mu_s,
        p: [p[0], p[1], p[2]],
    };
    contacts.iter().zip(p.chunks_exact(3)).map(touch).collect()
}

impl Touch {
    /// Of B against A, along n, t1, t2 [m/s].
    fn velocity(&self, bodies: &[Kicked]) -> [f64; 3] {
        let of = |body: Option<usize>| {
            let body = body.map(|i| &bodies[i]);
            body.map_or_else(Vec3::zeros, |b| b.V.v + b.V.w.cross(&(self.at - b.X.p)))
        };
        let u = of(self.b) - of(self.a);
        self.axes.map(|axis| axis.dot(&u))
    }

    /// What the two bodies would move with, without what cancels [m/s].
    fn speed(&self, free: &[Motion]) -> f64 {
        let of = |body: Option<usize>| body.map_or(0.0, |i| free[i].v.norm() + free[i].w.norm());
        of(self.a) + of(self.b)
    }
}

fn coulomb(touches: &[Touch], bodies: &[Kicked], free: &[Motion], h: f64) -> Measured {
    let mut measured = Measured { contacts: touches.len(), ..Default::default() };
    let speed = touches.iter().map(|c| c.speed(free) + (c.gap / h).abs()).fold(0.0, nan_max);
    let impulse = touches.iter().flat_map(|c| c.p).fold(0.0, |m, p| nan_max(m, p.abs()));
    if !(speed > 0.0 && impulse > 0.0) {
        return measured;
    }
    for c in touches {
        let [u_n, u_1, u_2] = c.velocity(bodies);
        let ([p_n, p_1, p_2], opening) = (c.p, u_n + c.gap / h);
        let outside = [
            -p_n / impulse,
            -opening / speed,
            p_n * opening / (impulse * speed),
            (p_1.hypot(p_2) - c.mu * p_n) / impulse,
        ];
        measured.coulomb = outside.into_iter().fold(measured.coulomb, nan_max);
        let power = u_1 * p_1 + u_2 * p_2;
        for i in 0..64 {
            let (s, cosine) = (TAU * f64::from(i) / 64.0).sin_cos();
            let other = c.mu * p_n * (u_1 * cosine + u_2 * s);
            measured.dissipation =
                nan_max(measured.dissipation, (power - other) / (impulse * speed));
        }
        // and the direction that dissipates most
        let most = power + c.mu * p_n * u_1.hypot(u_2);
        measured.dissipation = nan_max(measured.dissipation, most.abs() / (impulse * speed));
    }
    measured
}

/// `K⁺ − K_free = p·u⁺ − ½ pᵀW p`, with `pᵀW p = Σ (P²/m + L·I⁻¹L)` over the impulses P, L on each body.
fn energies(
    measured: &mut Measured,
    touches: &[Touch],
    bodies: &[Kicked],
    free: &[Motion],
    h: f64,
) {
    let mut impulses = vec![(Vec3::zeros(), Vec3::zeros()); bodies.len()];
    let (mut work, mut apart) = (0.0, 0.0);
    for c in touches {
        let P = c.axes[0] * c.p[0] + c.axes[1] * c.p[1] + c.axes[2] * c.p[2];
        for (body, sign) in [(c.a, -1.0), (c.b, 1.0)] {
            if let Some(body) = body {
                impulses[body].0 += P * sign;
                impulses[body].1 += (c.at - bodies[body].X.p).cross(&P) * sign;
            }
        }
        let u = c.velocity(bodies);
        apart += c.p[0] * (-c.gap / h).max(0.0);
        work += (0..3).map(|a| c.p[a] * u[a]).sum::<f64>();
    }
    let kinetic = |body: &Kicked, V: &Motion| {
        let I = body.I_inverse.try_inverse().expect("an inertia");
        0.5 * (body.mass * V.v.norm_squared() + V.w.dot(&(I * V.w)))
    };
    let (mut change, mut square, mut size) = (0.0, 0.0, 0.0);
    for ((body, free), (P, L)) in bodies.iter().zip(free).zip(&impulses) {
        let (K, K_free) = (kinetic(body, &body.V), kinetic(body, free));
        change += K - K_free;
        size += K + K_free;
        square += P.norm_squared() / body.mass + L.dot(&(body.I_inverse * L));
    }
    if size > 0.0 {
        measured.identity = (change - work + 0.5 * square).abs() / size;
        measured.gain = (work - apart) / size;
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| nan_max(m, x.abs()))
}
