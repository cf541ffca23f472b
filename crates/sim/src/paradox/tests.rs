//! What the motion of contacts adds, against differences in time.

use super::*;
use crate::collide::ContactKey;
use crate::inertia::Inertia;
use crate::math::{Quat, Vec3};
use crate::model::{Coordinates, FrameSpec, ModelSpec, Shape, Surface};
use crate::testing::Random;
use crate::tree::kinematics;

/// Half the time over which differences are taken [s].
const H: f64 = 1e-5;

/// Two free bodies that turn, each with a shape off its centre.
struct Pair {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    key: ContactKey,
}

impl Pair {
    fn new((a, b): (Shape, Shape), random: &mut Random) -> Self {
        let mut spec = ModelSpec::new();
        spec.material("stuff", Surface::rigid(0.5));
        for (name, shape) in [("a", a), ("b", b)] {
            spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
            let turn = Quat::exp(&Vec3::new(0.2, -0.1, 0.3));
            let at = FrameSpec::of(name).at(0.05, -0.02, 0.03).turned(turn);
            spec.shape(name, at, shape, "stuff");
        }
        let model = spec.build(Coordinates::Generalized).expect("two bodies");
        let mut q = model.q_neutral.clone();
        q[7..10].copy_from_slice(&[0.1, 0.2, 0.9]);
        q[10..14].copy_from_slice(&Quat::exp(&random.vector(1.0)).to_wxyz());
        let v = (0..model.nv).map(|_| random.vector(1.0).x).collect();
        let key = ContactKey { shape_a: 0, shape_b: 1, feature: 0 };
        let mut pair = Self { model, q, v, key };
        // the first contact of the two, closed: the formulas are for surfaces that meet
        let (_, list) = pair.contacts(0.0);
        pair.key = list[0].contact.key;
        let shift = list[0].contact.n_W * list[0].contact.gap;
        (0..3).for_each(|i| pair.q[7 + i] -= shift[i]);
        pair
    }

    /// All contacts a time t ahead, at constant v.
    fn contacts(&self, t: f64) -> (Data, Vec<Touching>) {
        let mut state = self.model.state();
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        self.model.integrate(&mut state.q, &self.v, t);
        let mut data = Data::new(&self.model);
        kinematics::update(&self.model, &state.q, &state.v, &mut data);
        // whatever is near
        let settings = ParadoxSettings { gap: 10.0, ..Default::default() };
        let found = contacts::touching(&self.model, &settings, &state, &data);
        (data, found.expect("contacts").0)
    }

    /// The contact of `key`, and the velocity of B against A there, in W.
    fn touching(&self, t: f64) -> (Data, Touching, Vec3) {
        let (data, list) = self.contacts(t);
        let same = list.into_iter().find(|one| one.contact.key == self.key).expect("the contact");
        let u_W = same.R_WC * Vec3::new(same.u[1], same.u[2], same.u[0]);
        (data, same, u_W)
    }

    /// Takes the velocity of the contact off the second body's.
    fn stick(&mut self) {
        let (_, _, u_W) = self.touching(0.0);
        (0..3).for_each(|i| self.v[6 + i] -= u_W[i]);
    }

    /// The rows of the bias against central differences: n, and the tangents where they are needed.
    fn check(&self, rows: usize, place: &str) {
        let (data, now, _) = self.touching(0.0);
        let bias = moving::bias(&self.model, &data, &now).expect("known shapes");
        let ahead = |t: f64| {
            let (_, then, u_W) = self.touching(t);
            [then.u[0], now.R_WC.column(0).dot(&u_W), now.R_WC.column(1).dot(&u_W)]
        };
        let (before, after) = (ahead(-H), ahead(H));
        for i in 0..rows {
            let found = (after[i] - before[i]) / (2.0 * H);
            // h²/6 times a third derivative of order 100, and rounding over h
            assert!((found - bias[i]).abs() < 1e-7, "{place}, row {i}: {found} and {}", bias[i]);
        }
    }
}

#[test]
fn the_motion_of_contacts_is_what_differences_say() {
    let points = Shape::Points(vec![Vec3::new(0.3, 0.1, -0.2)]);
    let ball = |radius| Shape::Sphere { radius };
    let hull = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(Vec3::from).to_vec();
    let shapes = [
        (Shape::HalfSpace, points.clone()),
        (points.clone(), Shape::HalfSpace),
        (Shape::HalfSpace, ball(0.4)),
        (ball(0.4), Shape::HalfSpace),
        (Shape::HalfSpace, Shape::Capsule { radius: 0.1, half_length: 0.3 }),
        (Shape::HalfSpace, Shape::cuboid(0.3, 0.2, 0.4)),
        (Shape::HalfSpace, Shape::Hull(hull)),
        (ball(0.4), ball(0.7)),
        (points, ball(0.7)),
    ];
    for (case, shapes) in shapes.into_iter().enumerate() {
        for seed in 0..20 {
            let mut pair = Pair::new(shapes.clone(), &mut Random::new(100 * case as u64 + seed));
            pair.check(1, &format!("case {case}, seed {seed}, sliding"));
            pair.stick();
            pair.check(3, &format!("case {case}, seed {seed}, sticking"));
        }
    }
}
