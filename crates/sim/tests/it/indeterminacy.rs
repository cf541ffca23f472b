//! Which contact impulses statics leave open: closed forms of tables, ladders, grooves and stacks; `samples` of the
//! whole set.

mod samples;

use stiction_sim::contact::indeterminacy::{End, MAX_CONTACTS};
use stiction_sim::contact::law::{BoxLaw, Cone, Hybrid, Law, Phantom, Pyramid};
use stiction_sim::contact::{
    ContactSettings, Indeterminacy, IndeterminacyError, Interval, indeterminacy,
};
use stiction_sim::model::{FrameSpec, JointKind, Relaxation, Shape, Surface};
use stiction_sim::{
    BodyLoad, Coordinates, Data, Inertia, Input, Model, ModelSpec, Quat, State, StepSettings, Vec3,
    step,
};

const G: f64 = 9.81;
const H: f64 = 1e-2;
/// An impulse of one newton over a step [N·s].
const NEWTON: f64 = H;

fn cone() -> Law {
    Law::Cone(Cone::default())
}

/// A step that was taken, and the law it was taken with.
struct Taken {
    data: Data,
    law: Law,
}

impl Taken {
    fn new(model: &Model, mut state: State, law: Law, input: &Input<'_>) -> Self {
        let contact = ContactSettings { law, ..Default::default() };
        Self::with(model, &mut state, contact, input)
    }

    fn with(model: &Model, state: &mut State, contact: ContactSettings, input: &Input<'_>) -> Self {
        let mut data = Data::new(model);
        let settings = StepSettings { h: H, contact, ..Default::default() };
        step(model, &settings, input, state, &mut data).expect("certified");
        Self { data, law: contact.law }
    }

    fn intervals(&self) -> Indeterminacy {
        indeterminacy(&self.data, &self.law).expect("small enough")
    }
}

fn ground(mu: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(mu));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec
}

/// 1 kg on legs that end at these places of the ground, its centre of mass 0.5 m above (x, y); at rest.
fn table(spec: &mut ModelSpec, legs: &[[f64; 2]], [x, y]: [f64; 2]) -> (Model, State) {
    spec.body("table", Inertia { com: Vec3::new(x, y, 0.0), ..Inertia::principal(1.0, [0.5; 3]) });
    let feet = legs.iter().map(|[x, y]| Vec3::new(*x, *y, -0.5)).collect();
    spec.shape("feet", FrameSpec::of("table"), Shape::Points(feet), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a table");
    let mut state = model.state();
    state.q[2] = 0.5;
    (model, state)
}

const SQUARE: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

/// Normal forces of a square table of 1 kg with its load at (x, y): each leg in turn, by s that goes from leg to leg with
/// alternating signs.
fn square_normals([x, y]: [f64; 2]) -> [Interval; 4] {
    let base = SQUARE.map(|[a, b]| G / 4.0 * (1.0 + a * x + b * y));
    let (down, up) = (base[0].min(base[2]), base[1].min(base[3]));
    [0, 1, 2, 3].map(|i| {
        let [down, up] = if i % 2 == 0 { [down, up] } else { [up, down] };
        Interval { min: base[i] - down, max: base[i] + up }
    })
}

/// Both ends, forces in N against impulses.
#[track_caller]
fn assert_interval(found: Interval, force: [f64; 2], tol: f64) {
    let forces = [found.min / NEWTON, found.max / NEWTON];
    for (f, expected) in forces.into_iter().zip(force) {
        assert!(f == expected || (f - expected).abs() <= tol, "{forces:?} N, not {force:?}");
    }
}

#[test]
fn each_leg_of_a_square_table_bears_up_to_half_of_it() {
    for (law, mu) in [(Law::Frictionless, 0.0), (cone(), 0.0), (cone(), 0.4)] {
        let (model, state) = table(&mut ground(mu), &SQUARE, [0.0; 2]);
        let found = Taken::new(&model, state, law, &Input::default()).intervals();
        for (i, interval) in found.intervals.iter().enumerate() {
            assert_interval(interval[0], [0.0, G / 2.0], 1e-8);
            assert!(!found.is_normal_unique(i));
            assert_eq!(found.is_friction_unique(i), mu == 0.0);
        }
        // twelve impulses that move six ways, or four that move three
        assert_eq!(found.dimension, if mu == 0.0 { 1 } else { 6 });
    }
}

#[test]
fn a_load_off_the_centre_narrows_the_intervals_as_statics_say() {
    for load in [[0.3, 0.1], [-0.5, 0.2], [0.0, 0.9], [0.9, 0.1]] {
        for (law, mu) in [(Law::Frictionless, 0.0), (cone(), 0.7)] {
            let (model, state) = table(&mut ground(mu), &SQUARE, load);
            let found = Taken::new(&model, state, law, &Input::default()).intervals();
            for (interval, expected) in found.intervals.iter().zip(square_normals(load)) {
                assert_interval(interval[0], [expected.min, expected.max], 1e-8);
            }
        }
    }
}

#[test]
fn three_legs_bear_what_they_must() {
    let legs = [[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]];
    let (model, state) = table(&mut ground(0.0), &legs, [0.1, 0.2]);
    let found = Taken::new(&model, state, Law::Frictionless, &Input::default()).intervals();
    assert!(found.is_unique() && found.dimension == 0, "{found:?}");

    // with friction the legs may squeeze the ground between them
    let (model, state) = table(&mut ground(0.5), &legs, [0.1, 0.2]);
    let found = Taken::new(&model, state, cone(), &Input::default()).intervals();
    assert_eq!(found.dimension, 3);
    for i in 0..3 {
        assert!(found.is_normal_unique(i) && !found.is_friction_unique(i), "{found:?}");
    }
}

#[test]
fn a_table_on_soft_feet_is_unique_and_so_are_bristles() {
    let soft = Surface { compliance: Some(Relaxation { k: 1e4, b: 10.0 }), ..Surface::rigid(0.4) };
    let bristle = Some(Relaxation { k: 1e5, b: 1e2 });
    let laws = [
        (Law::Frictionless, None, true),
        (cone(), None, false),
        (Law::Phantom(Phantom::default()), bristle, true),
        (Law::Phantom(Phantom { directions: 3, ..Phantom::default() }), bristle, true),
    ];
    for (law, bristle, is_friction_unique) in laws {
        let mut spec = ModelSpec::new();
        spec.material("stuff", soft);
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        let (model, mut state) = table(&mut spec, &SQUARE, [0.2, 0.0]);
        state.q[2] -= 2e-4;
        let contact = ContactSettings { law, bristle, ..Default::default() };
        let found = Taken::with(&model, &mut state, contact, &Input::default()).intervals();
        for i in 0..4 {
            assert!(found.is_normal_unique(i), "{law:?}: {found:?}");
            assert_eq!(found.is_friction_unique(i), is_friction_unique, "{law:?}: {found:?}");
        }
    }
}

#[test]
fn a_sphere_on_the_ground_is_unique_whatever_it_does() {
    for v in [0.0, 1.0] {
        for law in [cone(), Law::Pyramid(Pyramid::default()), Law::Frictionless] {
            let mut spec = ground(0.4);
            spec.body("ball", Inertia::principal(1.0, [0.1; 3]));
            spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.5 }, "stuff");
            let model = spec.build(Coordinates::Generalized).expect("a ball");
            let mut state = model.state();
            (state.q[2], state.v[0]) = (0.5, v);
            let taken = Taken::new(&model, state, law, &Input::default());
            let found = taken.intervals();
            assert!(found.is_unique() && found.dimension == 0, "{law:?}: {found:?}");
            assert_interval(found.intervals[0][0], [G, G], 1e-8);
        }
    }
}

/// A body that moves in the plane of x and z alone, by a joint that carries whatever is across.
fn planar(spec: &mut ModelSpec, name: &str) {
    let quat = Quat::exp(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let (parent, child) = (FrameSpec::world().turned(quat), FrameSpec::of(name).turned(quat));
    spec.joint(name, JointKind::Planar, parent, child);
}

#[test]
fn two_feet_in_the_plane_share_a_push_as_their_friction_allows() {
    // feet at x = −1 and 1, the load at 0.2, the push F along x at the height of the feet
    let (mu, push) = (0.5, 3.0);
    let normals = [0.4 * G, 0.6 * G];
    let (n_1, n_2) = (mu * normals[0], mu * normals[1]);
    for law in [cone(), Law::Pyramid(Pyramid::default())] {
        for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
            let mut spec = ground(mu);
            let com = Vec3::new(0.2, 0.0, 0.5);
            spec.body("sledge", Inertia { com, ..Inertia::principal(1.0, [0.5; 3]) });
            planar(&mut spec, "sledge");
            let feet = vec![Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
            spec.shape("feet", FrameSpec::of("sledge"), Shape::Points(feet), "stuff");
            let model = spec.build(coordinates).expect("a sledge");
            let body = model.body("sledge").expect("a sledge");
            let force = Vec3::new(push, 0.0, 0.0);
            let load = BodyLoad { body, p_UoQ_U: Vec3::zeros(), f: force, t: Vec3::zeros() };
            let input = Input { bodies: &[load], ..Default::default() };
            let found = Taken::new(&model, model.state(), law, &input).intervals();
            // on the sledge the ground answers with −F altogether
            let first = [(-push - n_2).max(-n_1), (-push + n_2).min(n_1)];
            let second = [(-push - n_1).max(-n_2), (-push + n_1).min(n_2)];
            for (i, friction) in [first, second].into_iter().enumerate() {
                let interval = &found.intervals[i];
                assert_interval(interval[0], [normals[i]; 2], 1e-8);
                assert_interval(interval[1], friction, 1e-7);
                // across, a planar contact has no friction; where rows hold the body in its plane they carry all that
                // friction can
                if coordinates == Coordinates::Generalized {
                    assert_interval(interval[2], [0.0; 2], 0.0);
                } else if law == cone() {
                    let along = friction.map(f64::abs).into_iter().fold(f64::INFINITY, f64::min);
                    let least = if friction[0] * friction[1] <= 0.0 { 0.0 } else { along };
                    let across = ((mu * normals[i]).powi(2) - least * least).sqrt();
                    assert_interval(interval[2], [-across, across], 1e-7);
                }
            }
        }
    }
}

#[test]
fn a_ladder_leans_with_any_force_between_two_limits() {
    // weight at the middle, floor and wall rough: one combination of the four forces is open
    for (mu_floor, mu_wall, degrees) in [(0.5, 0.3, 60.0_f64), (0.6, 0.5, 50.0), (0.9, 0.9, 70.0)] {
        let angle = degrees.to_radians();
        let (s, c) = angle.sin_cos();
        let mut spec = ModelSpec::new();
        spec.material("floor", Surface::rigid(mu_floor * mu_floor));
        spec.material("wall", Surface::rigid(mu_wall * mu_wall));
        spec.material("wood", Surface::rigid(1.0));
        spec.shape("floor", FrameSpec::world(), Shape::HalfSpace, "floor");
        // a wall at x = 0, the ladder at its left
        let turn = Quat::exp(&Vec3::new(0.0, -std::f64::consts::FRAC_PI_2, 0.0));
        spec.shape("wall", FrameSpec::world().turned(turn), Shape::HalfSpace, "wall");
        spec.body("ladder", Inertia::principal(1.0, [0.1, 0.3, 0.3]));
        planar(&mut spec, "ladder");
        let ends = vec![Vec3::new(-c, 0.0, -s), Vec3::new(c, 0.0, s)];
        spec.shape("ends", FrameSpec::of("ladder"), Shape::Points(ends), "wood");
        let model = spec.build(Coordinates::Maximal).expect("a ladder");
        let mut state = model.state();
        (state.q[0], state.q[2]) = (-c, s);
        let taken = Taken::new(&model, state, cone(), &Input::default());
        let found = taken.intervals();

        // f friction of the wall upwards, N_w = (G/2 − f)/tan θ, N_f = G − f, friction of the floor N_w
        let cot = c / s;
        let most = mu_wall * cot * G / 2.0 / (1.0 + mu_wall * cot);
        let mut least = if mu_wall * cot < 1.0 {
            -mu_wall * cot * G / 2.0 / (1.0 - mu_wall * cot)
        } else {
            f64::NEG_INFINITY
        };
        if cot > mu_floor {
            least = least.max(G * (cot / 2.0 - mu_floor) / (cot - mu_floor));
        }
        for (contact, interval) in taken.data.contacts().iter().zip(&found.intervals) {
            if contact.n_W.z > 0.5 {
                assert_interval(interval[0], [G - most, G - least], 1e-7);
            } else {
                assert_interval(
                    interval[0],
                    [(G / 2.0 - most) * cot, (G / 2.0 - least) * cot],
                    1e-7,
                );
            }
        }
    }
}

/// A ball of 1 kg in a groove whose walls stand at ±`half` from the vertical.
fn groove(mu: f64, half: f64) -> Taken {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(mu));
    for (name, sign) in [("left", 1.0), ("right", -1.0)] {
        // the half-space's z becomes (± cos half, 0, sin half)
        let turn = Quat::exp(&Vec3::new(0.0, sign * (std::f64::consts::FRAC_PI_2 - half), 0.0));
        spec.shape(name, FrameSpec::world().turned(turn), Shape::HalfSpace, "stuff");
    }
    spec.body("ball", Inertia::principal(1.0, [0.01; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.2 }, "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a groove");
    let mut state = model.state();
    state.q[2] = 0.2 / half.sin();
    Taken::new(&model, state, cone(), &Input::default())
}

#[test]
fn a_ball_in_a_steep_groove_may_be_squeezed_without_end() {
    for half in [0.2_f64, 0.5, 0.9] {
        let (s, c) = half.sin_cos();
        for share in [0.3, 0.9, 0.99, 1.01, 1.5] {
            let mu = share * s / c;
            let taken = groove(mu, half);
            let found = taken.intervals();
            let least = G / (2.0 * (s + mu * c));
            let most = if share < 1.0 { G / (2.0 * (s - mu * c)) } else { f64::INFINITY };
            for (i, interval) in found.intervals.iter().enumerate() {
                assert_interval(interval[0], [least, most], 1e-6 * most.min(1e3));
                if share > 1.0 {
                    let ray = found.witness(i, 0, End::Max);
                    assert!(ray[0] > 0.0 && ray[3] > 0.0, "{ray:?}");
                    assert!(samples::outside(&taken, mu, ray) <= 1e-8 * ray[0]);
                    assert!(!interval[0].is_unique(1e300));
                }
            }
        }
    }
}

#[test]
fn a_box_between_two_walls_is_held_with_any_force() {
    let mut spec = ground(0.5);
    for (name, x, turn) in [("left", -0.5, 1.0), ("right", 0.5, -1.0)] {
        let quat = Quat::exp(&Vec3::new(0.0, turn * std::f64::consts::FRAC_PI_2, 0.0));
        spec.shape(
            name,
            FrameSpec::world().at(x, 0.0, 0.0).turned(quat),
            Shape::HalfSpace,
            "stuff",
        );
    }
    spec.body("box", Inertia::principal(1.0, [1.0 / 6.0; 3]));
    spec.shape("box", FrameSpec::of("box"), Shape::cuboid(1.0, 1.0, 1.0), "stuff");
    let model = spec.build(Coordinates::Generalized).expect("a box");
    let mut state = model.state();
    state.q[2] = 0.5;
    let taken = Taken::new(&model, state, cone(), &Input::default());
    let found = taken.intervals();
    assert_eq!(found.intervals.len(), 12);
    for (contact, interval) in taken.data.contacts().iter().zip(&found.intervals) {
        // the walls can lift it, and press it down: every normal is open above
        assert_interval(interval[0], [0.0, f64::INFINITY], 1e-7);
        assert!(contact.gap.abs() < 1e-12);
    }
}

#[test]
fn what_slides_has_friction_as_open_as_its_normals() {
    // sliding along x: friction acts below the centre and loads the front as if the weight were μ 0.5 m ahead
    let mu = 0.4;
    let (model, mut state) = table(&mut ground(mu), &SQUARE, [0.1, 0.0]);
    state.v[0] = 2.0;
    let found = Taken::new(&model, state, cone(), &Input::default()).intervals();
    assert_eq!(found.dimension, 1);
    for (interval, expected) in found.intervals.iter().zip(square_normals([0.1 + mu * 0.5, 0.0])) {
        assert_interval(interval[0], [expected.min, expected.max], 1e-7);
        assert_interval(interval[1], [-mu * expected.max, -mu * expected.min], 1e-7);
        assert_interval(interval[2], [0.0, 0.0], 1e-7);
    }
}

#[test]
fn an_open_contact_bears_nothing() {
    let (model, mut state) = table(&mut ground(0.5), &SQUARE, [0.0; 2]);
    // one edge goes up
    state.v[4] = -1.0;
    let found = Taken::new(&model, state, cone(), &Input::default()).intervals();
    let open =
        found.intervals.iter().filter(|i| i.iter().all(|x| *x == Interval { min: 0.0, max: 0.0 }));
    assert_eq!(open.count(), 2, "{found:?}");
}

#[test]
fn every_layer_of_a_stack_is_as_open_as_a_table() {
    let mut spec = ground(0.5);
    for (name, mass) in [("low", 2.0), ("high", 3.0)] {
        spec.body(name, Inertia::principal(mass, [mass / 6.0; 3]));
        spec.shape(name, FrameSpec::of(name), Shape::cuboid(1.0, 1.0, 1.0), "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("a stack");
    let mut state = model.state();
    (state.q[2], state.q[9]) = (0.5, 1.5);
    for law in [Law::Frictionless, cone()] {
        let taken = Taken::new(&model, state.clone(), law, &Input::default());
        let found = taken.intervals();
        assert_eq!(found.intervals.len(), 8);
        for (contact, interval) in taken.data.contacts().iter().zip(&found.intervals) {
            let weight = if contact.p_W.z < 0.5 { 5.0 * G } else { 3.0 * G };
            assert_interval(interval[0], [0.0, weight / 2.0], 1e-7);
        }
    }
}

#[test]
fn every_law_bounds_friction_by_its_own_set() {
    // two feet in the plane without a push: friction up to what the lighter foot can hold
    let mu = 0.5;
    let laws = [
        (Law::Pyramid(Pyramid { facets: 4, ..Pyramid::default() }), 1.0),
        (Law::Pyramid(Pyramid { facets: 6, ..Pyramid::default() }), 1.0),
        (Law::Phantom(Phantom::default()), 1.0),
        // a hexagon around the disc, with its corners at 30°, 90°, …
        (Law::Phantom(Phantom { directions: 3, ..Phantom::default() }), 1.0),
        (Law::Box(BoxLaw::default()), 1.0),
        (Law::Hybrid(Hybrid::default()), 1.0),
    ];
    for (law, radius) in laws {
        let mut spec = ground(mu);
        let com = Vec3::new(0.2, 0.0, 0.5);
        spec.body("sledge", Inertia { com, ..Inertia::principal(1.0, [0.5; 3]) });
        planar(&mut spec, "sledge");
        let feet = vec![Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
        spec.shape("feet", FrameSpec::of("sledge"), Shape::Points(feet), "stuff");
        let model = spec.build(Coordinates::Generalized).expect("a sledge");
        let mut state = model.state();
        // lagged laws need a step to know the normal forces
        Taken::with(
            &model,
            &mut state,
            ContactSettings { law, ..Default::default() },
            &Input::default(),
        );
        let found = Taken::new(&model, state, law, &Input::default()).intervals();
        let most = radius * mu * 0.4 * G;
        for interval in &found.intervals {
            assert_interval(interval[1], [-most, most], 1e-7);
        }
    }
}

#[test]
fn a_block_that_slides_along_a_side_of_a_pyramid_has_open_friction() {
    // four corners at 0°, 90°, …: at 45° each friction may be anywhere on its side
    let mu = 0.4;
    let law = Law::Pyramid(Pyramid { facets: 4, ..Pyramid::default() });
    let (model, mut state) = table(&mut ground(mu), &SQUARE, [0.0; 2]);
    (state.v[0], state.v[1]) = (1.0, 1.0);
    let along_side = Taken::new(&model, state.clone(), law, &Input::default()).intervals();
    assert!((0..4).all(|i| !along_side.is_friction_unique(i)), "{along_side:?}");
    for interval in &along_side.intervals {
        assert!(interval[1].max <= 1e-9 && interval[2].max <= 1e-9, "{interval:?}");
    }
    // off 45° it is a corner, and friction follows the normals
    state.v[0] = 1.5;
    let at_corner = Taken::new(&model, state, law, &Input::default()).intervals();
    assert_eq!(at_corner.dimension, 1);
    for interval in &at_corner.intervals {
        assert!((interval[1].min + mu * interval[0].max).abs() < 1e-8, "{interval:?}");
        assert!(interval[2].is_unique(at_corner.tol), "{interval:?}");
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    // one foot too many
    let legs: Vec<[f64; 2]> = (0..=MAX_CONTACTS).map(|i| [i as f64, (i % 2) as f64]).collect();
    let (model, state) = table(&mut ground(0.0), &legs, [6.0, 0.5]);
    let taken = Taken::new(&model, state, Law::Frictionless, &Input::default());
    let error = indeterminacy(&taken.data, &taken.law);
    assert_eq!(error, Err(IndeterminacyError::TooMany { contacts: MAX_CONTACTS + 1 }));

    // impulses of another law
    let (model, mut state) = table(&mut ground(0.5), &SQUARE, [0.0; 2]);
    (state.v[0], state.v[1]) = (1.0, 0.4);
    let taken = Taken::new(&model, state, cone(), &Input::default());
    let error = indeterminacy(&taken.data, &Law::Frictionless);
    assert!(matches!(error, Err(IndeterminacyError::NotTheLaw { .. })), "{error:?}");

    // nothing touches
    let (model, mut state) = table(&mut ground(0.5), &SQUARE, [0.0; 2]);
    state.q[2] = 9.0;
    let found = Taken::new(&model, state, cone(), &Input::default()).intervals();
    assert!(found.intervals.is_empty() && found.is_unique());
}
