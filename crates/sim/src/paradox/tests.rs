//! What the motion of contacts adds, against differences in time.

use super::*;
use crate::inertia::Inertia;
use crate::math::{Quat, Vec3};
use crate::model::{Coordinates, FrameSpec, ModelSpec, Shape, Surface};
use crate::testing::Random;
use crate::tree::kinematics;

/// Half the time over which differences are taken [s].
const H: f64 = 1e-5;

/// Two free bodies; the first carries `a`, the second `b`.
fn pair(a: Shape, b: Shape) -> Model {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    for (name, shape) in [("a", a), ("b", b)] {
        spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
        let turn = Quat::exp(&Vec3::new(0.2, -0.1, 0.3));
        let at = FrameSpec::of(name).at(0.05, -0.02, 0.03).turned(turn);
        spec.shape(name, at, shape, "stuff");
    }
    spec.build(Coordinates::Generalized).expect("two bodies")
}

/// Velocities of B against A along n, t1, t2, with the tangents of `touching` carried by A.
fn u_at(
    model: &Model,
    q: &[f64],
    v: &[f64],
    turn: Option<(&Touching, &Data)>,
) -> (Data, Vec<Touching>, [f64; 3]) {
    let mut data = Data::new(model);
    kinematics::update(model, q, v, &mut data);
    let mut state = model.state();
    state.q.copy_from_slice(q);
    state.v.copy_from_slice(v);
    let settings = ParadoxSettings { gap: 10.0, ..Default::default() };
    let (list, _) = contacts::touching(model, &settings, &state, &data).expect("contacts");
    let key = turn.map_or(list[0].contact.key, |(one, _)| one.contact.key);
    let now = list.iter().find(|one| one.contact.key == key).expect("the same contact");
    let u_W = now.R_WC * Vec3::new(now.u[1], now.u[2], now.u[0]);
    let u = match turn {
        None => now.u,
        Some((then, _)) => {
            let t = |axis: usize| then.R_WC.column(axis).dot(&u_W);
            [now.u[0], t(0), t(1)]
        }
    };
    (data, list, u)
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
    for (case, (a, b)) in shapes.into_iter().enumerate() {
        let model = pair(a, b);
        for seed in 0..20 {
            let mut random = Random::new(100 * case as u64 + seed);
            let mut q = model.q_neutral.clone();
            let mut v: Vec<f64> = (0..model.nv).map(|_| random.vector(1.0).x).collect();
            let place = Vec3::new(0.1, 0.2, 0.9);
            q[7..10].copy_from_slice(place.as_slice());
            let quat = Quat::exp(&random.vector(1.0));
            q[10..14].copy_from_slice(&quat.to_wxyz());
            let (data, list, _) = u_at(&model, &q, &v, None);
            let touching = list[0];
            // the gap is open: the point of contact is midway, and the formulas are for surfaces that meet; close it
            let shift = touching.contact.n_W * touching.contact.gap;
            (0..3).for_each(|i| q[7 + i] -= shift[i]);
            let _ = data;
            let (_, list, u) = u_at(&model, &q, &v, None);
            let touching = list
                .into_iter()
                .find(|one| one.contact.key == touching.contact.key)
                .expect("the same");
            // a contact that sticks: the second body's velocity is such that u_t = 0, which the tangents need
            let u_W = touching.R_WC * Vec3::new(u[1], u[2], u[0]);
            let normal = touching.contact.n_W * touching.contact.n_W.dot(&u_W);
            for sticks in [false, true] {
                if sticks {
                    (0..3).for_each(|i| v[6 + i] -= (u_W - normal)[i]);
                    // and so that it does not part
                    (0..3).for_each(|i| v[6 + i] -= normal[i]);
                }
                let (data, list, _) = u_at(&model, &q, &v, None);
                let touching = *list
                    .iter()
                    .find(|one| one.contact.key == touching.contact.key)
                    .expect("the same");
                let bias = moving::bias(&model, &data, &touching).expect("known shapes");
                let ahead = |time: f64| {
                    let mut q = q.clone();
                    model.integrate(&mut q, &v, time);
                    u_at(&model, &q, &v, Some((&touching, &data))).2
                };
                let (before, after) = (ahead(-H), ahead(H));
                let rows = if sticks { 3 } else { 1 };
                for i in 0..rows {
                    let found = (after[i] - before[i]) / (2.0 * H);
                    // a central difference: h² times a third derivative of order 100, and rounding over h
                    assert!(
                        (found - bias[i]).abs() < 1e-7,
                        "case {case}, seed {seed}, row {i}, sticks {sticks}: {found} and {}",
                        bias[i]
                    );
                }
            }
        }
    }
}
