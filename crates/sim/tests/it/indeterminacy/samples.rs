//! Impulses drawn at random from all that the law allows stay within the intervals, and witnesses attain their ends.

use stiction_sim::contact::rows::contact_frame;
use stiction_sim::{MatX, VecX};

use super::*;
use crate::sample::Rng;

/// The wrench of unit impulses on every body, six rows each, about the origin.
fn wrenches(model: &Model, data: &Data) -> MatX {
    let contacts = data.contacts();
    let mut A = MatX::zeros(6 * model.bodies().len(), 3 * contacts.len());
    for (i, contact) in contacts.iter().enumerate() {
        let R = contact_frame(&contact.n_W);
        for (a, axis) in [2, 0, 1].into_iter().enumerate() {
            let f = R.column(axis).into_owned();
            let moment = contact.p_W.cross(&f);
            for (body, sign) in [(contact.a, -1.0), (contact.b, 1.0)] {
                let Some(body) = body else { continue };
                for x in 0..3 {
                    A[(6 * body + x, 3 * i + a)] = sign * f[x];
                    A[(6 * body + 3 + x, 3 * i + a)] = sign * moment[x];
                }
            }
        }
    }
    A
}

/// By how much impulses leave their cones [N·s].
pub(super) fn outside(taken: &Taken, mu: f64, p: &[f64]) -> f64 {
    assert_eq!(taken.law, cone());
    let excess = |p: &[f64]| p[1].hypot(p[2]) - mu * p[0];
    p.chunks_exact(3).map(excess).fold(f64::NEG_INFINITY, f64::max)
}

/// Where p + t d leaves the cones, t ≥ 0; 1e6 at most.
fn exit(mu: f64, p: &[f64], d: &[f64]) -> f64 {
    let inside = |t: f64| {
        let at = |i: usize| p[i] + t * d[i];
        (0..p.len() / 3).all(|c| at(3 * c + 1).hypot(at(3 * c + 2)) <= mu * at(3 * c) + 1e-15)
    };
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if inside(middle) { low = middle } else { high = middle }
    }
    low
}

/// Ends are attained by impulses of the same wrenches within the cones, and random impulses of the set stay inside.
fn check_by_samples(model: &Model, taken: &Taken, mu: f64, seed: u64) {
    let (found, p) = (taken.intervals(), taken.data.contact_impulses());
    let A = wrenches(model, &taken.data);
    let target = &A * VecX::from_column_slice(p);
    let tol = 1e-7 * p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (i, interval) in found.intervals.iter().enumerate() {
        for (axis, ends) in interval.iter().enumerate() {
            for (end, value) in [(End::Min, ends.min), (End::Max, ends.max)] {
                let witness = found.witness(i, axis, end);
                let wrench = &A * VecX::from_column_slice(witness);
                if value.is_infinite() {
                    assert!(wrench.amax() <= 1e-7 && witness[3 * i + axis] * value > 0.0);
                } else {
                    assert!((wrench - &target).amax() <= tol && witness[3 * i + axis] == value);
                }
                assert!(
                    outside(taken, mu, witness) <= 1e-8 * VecX::from_column_slice(witness).amax()
                );
            }
        }
    }
    // hit and run: from point to point along random directions that move nothing
    let svd = A.clone().svd(false, true);
    let rank = svd.rank(1e-9);
    let V = svd.v_t.expect("asked for");
    // rows beyond those of the thin factor: what is left of unit vectors
    let mut rng = Rng(seed);
    let mut point = p.to_vec();
    for _ in 0..400 {
        let mut d = VecX::from_fn(p.len(), |_, _| rng.between(-1.0, 1.0));
        for _ in 0..2 {
            for r in 0..rank {
                let row = V.row(r).transpose();
                let along = row.dot(&d);
                d -= row * along;
            }
        }
        let (ahead, back) = (exit(mu, &point, d.as_slice()), exit(mu, &point, (-&d).as_slice()));
        let t = rng.between(-back, ahead).clamp(-10.0, 10.0);
        point.iter_mut().zip(d.iter()).for_each(|(p, d)| *p += t * d);
        for (i, interval) in found.intervals.iter().enumerate() {
            for (axis, ends) in interval.iter().enumerate() {
                let value = point[3 * i + axis];
                assert!(ends.contains(value, tol), "{i} {axis}: {value} not in {ends:?}");
            }
        }
    }
}

#[test]
fn samples_stay_inside_and_ends_are_attained() {
    let mu = 0.5;
    for load in [[0.0, 0.0], [0.3, -0.2]] {
        let (model, state) = table(&mut ground(mu), &SQUARE, load);
        let taken = Taken::new(&model, state, cone(), &Input::default());
        check_by_samples(&model, &taken, mu, 11);
    }
    // pushed sideways, not enough to slide
    let (model, state) = table(&mut ground(mu), &SQUARE, [0.2, 0.1]);
    let force = Vec3::new(2.0, 1.0, 0.0);
    let body = model.body("table").expect("a table");
    let torque_W = Vec3::new(0.0, 0.0, 0.5);
    let load = BodyLoad { body, p_UoQ_U: Vec3::zeros(), f: force, t: torque_W };
    let input = Input { bodies: &[load], ..Default::default() };
    let taken = Taken::new(&model, state, cone(), &input);
    check_by_samples(&model, &taken, mu, 12);
}

#[test]
fn samples_of_a_stack_and_of_a_box_in_a_corner_stay_inside() {
    let mu = 0.5;
    let mut spec = ground(mu);
    for name in ["low", "high"] {
        spec.body(name, Inertia::principal(1.0, [1.0 / 6.0; 3]));
        spec.shape(name, FrameSpec::of(name), Shape::cuboid(1.0, 1.0, 1.0), "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("a stack");
    let mut state = model.state();
    (state.q[2], state.q[7], state.q[9]) = (0.5, 0.2, 1.5);
    let taken = Taken::new(&model, state, cone(), &Input::default());
    check_by_samples(&model, &taken, mu, 13);

    // gravity leans into the corner of a floor and a wall
    let mut spec = ground(mu);
    let turn = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    spec.shape(
        "wall",
        FrameSpec::world().at(-0.5, 0.0, 0.0).turned(turn),
        Shape::HalfSpace,
        "stuff",
    );
    spec.gravity = Vec3::new(-4.0, 0.5, -9.0);
    spec.body("box", Inertia::principal(1.0, [1.0 / 6.0; 3]));
    spec.shape("box", FrameSpec::of("box"), Shape::cuboid(1.0, 1.0, 1.0), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a corner");
    let mut state = model.state();
    state.q[2] = 0.5;
    let taken = Taken::new(&model, state, cone(), &Input::default());
    assert_eq!(taken.data.contacts().len(), 8);
    check_by_samples(&model, &taken, mu, 14);
}
