//! Contact scenes, settings and states that are none: each is refused by one sentence, and the state stays as it was.

use crate::scenes::{G, block, cuboid_inertia, ground, place, settings};
use stiction_sim::collide::ContactKey;
use stiction_sim::contact::law::{
    BoxLaw, Cone, Convex, Hybrid, Lateral, Law, LawSolver, Phantom, Pyramid,
};
use stiction_sim::contact::{ContactMemory, ContactSettings};
use stiction_sim::model::{
    CoordinateSpec, FrameSpec, GuideKind, JointKind, Law as Drive, Relaxation, Shape, Surface,
};
use stiction_sim::{
    BodyId, BodyLoad, Coordinates, Data, Drift, Geometry, Inertia, Input, Model, ModelSpec, Quat,
    State, StepError, StepSettings, Vec3, step,
};

const NAN: f64 = f64::NAN;
const INFINITE: f64 = f64::INFINITY;
const BOTH: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];

/// A box on the ground and a slider on a rail with limits, friction, a motor and a guide.
fn scene() -> ModelSpec {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.5, 0.0);
    spec.material("ice", Surface::rigid(0.1));
    spec.pair("ice", "stuff", Surface::rigid(0.05));
    spec.body("box", cuboid_inertia(1.0, Vec3::repeat(1.0)));
    spec.shape("cube", FrameSpec::of("box"), Shape::cuboid(1.0, 1.0, 1.0), "ice").margin = 0.01;
    spec.body("slider", Inertia::principal(1.0, [0.1; 3]));
    let axis = Vec3::x();
    let rail = FrameSpec::world().at(0.0, 3.0, 1.0);
    let joint = spec.joint("rail", JointKind::Prismatic { axis }, rail, FrameSpec::of("slider"));
    (joint.limits, joint.friction) = (vec![(-1.0, 1.0)], vec![0.3]);
    spec.motor("motor", "rail", Drive::rate(0.0, 0.5), 2.0);
    let slot = FrameSpec::world().at(0.0, 3.0, 1.0);
    spec.guide("slot", GuideKind::Slot, slot, FrameSpec::of("slider"), 0.2);
    spec
}

type Spoil = fn(&mut ModelSpec);

/// Each is refused with exactly this sentence, in both sets of coordinates.
fn assert_refused(cases: &[(Spoil, &str)]) {
    for (i, (spoil, sentence)) in cases.iter().enumerate() {
        for coordinates in BOTH {
            let mut spec = scene();
            spoil(&mut spec);
            let error = spec.build(coordinates).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(*sentence), "case {i} {coordinates:?}");
        }
    }
}

#[test]
fn the_scene_that_is_spoilt_below_is_one() {
    for coordinates in BOTH {
        let model = scene().build(coordinates).expect("a scene");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        state.q[2] = 0.5;
        let report = step(&model, &settings(1e-3), &Input::default(), &mut state, &mut data);
        let contact = report.expect("a step").contact.expect("touches");
        // motor and friction: the limits are out of reach
        assert_eq!((contact.contacts, contact.guides, contact.rows), (4, 1, 2));
    }
}

#[test]
fn materials_out_of_their_domain() {
    assert_refused(&[
        (
            |s| s.materials[0].surface.mu_s = -0.1,
            "`stuff`: static friction must not be negative, is -0.1",
        ),
        (|s| s.materials[0].surface.mu_s = NAN, "`stuff`: static friction must be finite"),
        (|s| s.materials[0].surface.mu_s = INFINITE, "`stuff`: static friction must be finite"),
        (
            |s| s.materials[1].surface.mu_k = -1.0,
            "`ice`: kinetic friction must not be negative, is -1",
        ),
        (|s| s.materials[1].surface.mu_k = NAN, "`ice`: kinetic friction must be finite"),
        (
            |s| s.materials[1].surface.mu_k = 0.2,
            "`ice`: kinetic friction 0.2 must not exceed static friction 0.1",
        ),
        (|s| s.materials[1].surface.e = 1.5, "`ice`: restitution must be between 0 and 1, is 1.5"),
        (
            |s| s.materials[1].surface.e = -0.5,
            "`ice`: restitution must be between 0 and 1, is -0.5",
        ),
        (|s| s.materials[1].surface.e = NAN, "`ice`: restitution must be between 0 and 1, is NaN"),
        (
            |s| s.materials[0].surface.compliance = Some(Relaxation { k: 0.0, b: 1.0 }),
            "`stuff`: stiffness of the contact must be positive, is 0",
        ),
        (
            |s| s.materials[0].surface.compliance = Some(Relaxation { k: NAN, b: 1.0 }),
            "`stuff`: stiffness of the contact must be finite",
        ),
        (
            |s| s.materials[0].surface.compliance = Some(Relaxation { k: 1.0, b: -1.0 }),
            "`stuff`: damping of the contact must not be negative, is -1",
        ),
        (|s| s.pairs[0].surface.e = 2.0, "`ice–stuff`: restitution must be between 0 and 1, is 2"),
        (
            |s| s.pairs[0].surface.mu_s = -2.0,
            "`ice–stuff`: static friction must not be negative, is -2",
        ),
        (
            |s| {
                s.pair("stuff", "ice", Surface::rigid(0.0));
            },
            "the materials `stuff` and `ice` are paired twice",
        ),
        (
            |s| s.shapes[1].material = "wood".into(),
            "`cube` names material `wood`, which the model does not have",
        ),
        (|s| s.gravity.z = NAN, "`world`: gravity must be finite"),
    ]);
}

fn set(spec: &mut ModelSpec, shape: Shape) {
    spec.shapes[1].shape = shape;
}

fn on_world(spec: &mut ModelSpec, shape: Shape) {
    spec.shapes[0].shape = shape;
}

fn triangle(c: [f64; 3], last: u32) -> Shape {
    let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::from(c)];
    Shape::Mesh { vertices, triangles: vec![[0, 1, last]] }
}

fn field(nx: usize, spacing: f64, z: f64) -> Shape {
    Shape::HeightField { nx, ny: 2, spacing: [spacing, 1.0], heights: vec![0.0, 0.0, 0.0, z] }
}

#[test]
fn shapes_without_a_size() {
    assert_refused(&[
        (|s| set(s, Shape::Sphere { radius: 0.0 }), "`cube`: radius must be positive, is 0"),
        (|s| set(s, Shape::Sphere { radius: NAN }), "`cube`: radius must be finite"),
        (
            |s| set(s, Shape::cuboid(1.0, -2.0, 1.0)),
            "`cube`: half of an edge must be positive, is -1",
        ),
        (
            |s| set(s, Shape::cuboid(1.0, 1.0, 0.0)),
            "`cube`: half of an edge must be positive, is 0",
        ),
        (
            |s| set(s, Shape::Capsule { radius: 1.0, half_length: 0.0 }),
            "`cube`: half length must be positive, is 0",
        ),
        (
            |s| set(s, Shape::Cylinder { radius: INFINITE, half_length: 1.0 }),
            "`cube`: radius must be finite",
        ),
        (
            |s| set(s, Shape::Cone { radius: 1.0, half_length: NAN }),
            "`cube`: half length must be finite",
        ),
        (|s| set(s, Shape::Points(vec![])), "shape `cube` is empty"),
        (|s| set(s, Shape::Points(vec![Vec3::new(0.0, NAN, 0.0)])), "`cube`: point must be finite"),
        (
            |s| {
                set(
                    s,
                    Shape::Hull(vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()]),
                )
            },
            "shape `cube`: the points of a hull must not lie in one plane",
        ),
        (
            |s| set(s, Shape::Hull(vec![Vec3::x(); 8])),
            "shape `cube`: the points of a hull must not lie in one plane",
        ),
        (|s| set(s, Shape::Compound(vec![])), "shape `cube` is empty"),
        (
            |s| {
                let part = Shape::Sphere { radius: -1.0 };
                set(s, Shape::Compound(vec![(Vec3::x(), Quat::IDENTITY, part)]));
            },
            "`cube`: radius must be positive, is -1",
        ),
        (
            |s| {
                let part = Shape::Sphere { radius: 1.0 };
                set(s, Shape::Compound(vec![(Vec3::x() * NAN, Quat::IDENTITY, part)]));
            },
            "`cube`: position of a frame must be finite",
        ),
        (|s| s.shapes[1].margin = -0.1, "`cube`: margin must not be negative, is -0.1"),
        (|s| s.shapes[1].margin = NAN, "`cube`: margin must be finite"),
        (|s| s.shapes[1].frame.p.x = INFINITE, "`cube`: position of a frame must be finite"),
    ]);
}

#[test]
fn grounds_that_are_none() {
    assert_refused(&[
        (
            |s| set(s, triangle([0.0, 1.0, 0.0], 2)),
            "shape `cube`: a mesh or height field must be on the world; make it hulls on a body",
        ),
        (
            |s| on_world(s, triangle([2.0, 0.0, 0.0], 2)),
            "shape `ground`: triangle 0 must have three vertices of the mesh and an area",
        ),
        (
            |s| on_world(s, triangle([0.0, 1.0, 0.0], 3)),
            "shape `ground`: triangle 0 must have three vertices of the mesh and an area",
        ),
        (|s| on_world(s, triangle([0.0, NAN, 0.0], 2)), "`ground`: point must be finite"),
        (
            |s| on_world(s, Shape::Mesh { vertices: vec![Vec3::x()], triangles: vec![] }),
            "shape `ground` is empty",
        ),
        (
            |s| on_world(s, field(3, 1.0, 0.0)),
            "shape `ground`: a grid of 3 × 2 must have two samples a side or more and as many heights, has 4",
        ),
        (
            |s| on_world(s, field(usize::MAX, 1.0, 0.0)),
            "shape `ground`: a grid of 18446744073709551615 × 2 must have two samples a side or more and as many \
             heights, has 4",
        ),
        (
            |s| on_world(s, field(2, 0.0, 0.0)),
            "`ground`: spacing of the grid must be positive, is 0",
        ),
        (|s| on_world(s, field(2, 1.0, NAN)), "`ground`: height must be finite"),
    ]);
}

#[test]
fn motors_limits_frictions_and_guides_out_of_their_domain() {
    assert_refused(&[
        (|s| s.motors[0].max = -1.0, "`motor`: largest force must not be negative, is -1"),
        (|s| s.motors[0].max = INFINITE, "`motor`: largest force must be finite"),
        (|s| s.motors[0].law = Drive::rate(NAN, 1.0), "`motor`: law at t = 0 must be finite"),
        (
            |s| s.motors[0].coordinate = CoordinateSpec { joint: "rail".into(), index: 1 },
            "`motor`: joint `rail` has no position 1 that is a single number",
        ),
        (
            |s| s.joints[0].limits = vec![(1.0, -1.0)],
            "joint `rail`: lower limit 1 is not below upper limit -1",
        ),
        (
            |s| s.joints[0].limits = vec![(NAN, 1.0)],
            "joint `rail`: lower limit NaN is not below upper limit 1",
        ),
        (
            |s| s.joints[0].limits = vec![(0.0, 1.0); 2],
            "joint `rail`: limits must have 1 entries or none, has 2",
        ),
        (|s| s.joints[0].friction = vec![-0.5], "`rail`: friction must not be negative, is -0.5"),
        (|s| s.joints[0].friction = vec![NAN], "`rail`: friction must be finite"),
        (
            |s| s.guides[0].mu = -0.1,
            "`slot`: coefficient of friction must not be negative, is -0.1",
        ),
        (|s| s.guides[0].mu = NAN, "`slot`: coefficient of friction must be finite"),
        (
            |s| s.guides[0].kind = GuideKind::Hoop { radius: 0.0 },
            "`slot`: radius must be positive, is 0",
        ),
        (|s| s.guides[0].a = FrameSpec::of("slider"), "`slot` connects a body with itself"),
    ]);
}

/// The sentence of the error of a step, which leaves the state as it was and `data` fit for the next step.
fn sentence(model: &Model, settings: &StepSettings, input: &Input<'_>, state: &State) -> String {
    let (mut after, mut data) = (state.clone(), Data::new(model));
    let error = step(model, settings, input, &mut after, &mut data);
    let error = error.expect_err("refused").to_string();
    // as text: a NaN differs from itself
    assert_eq!(format!("{after:?}"), format!("{state:?}"), "{error}");
    let (good, input) = (StepSettings::default(), Input::default());
    let (_, mut start) = block(0.5, 0.0);
    step(model, &good, &input, &mut start, &mut data).expect("a good step after a bad one");
    error
}

#[test]
fn settings_out_of_their_domain_leave_the_state() {
    let (model, state) = block(0.5, 0.0);
    type Case = (fn(&mut StepSettings), &'static str);
    let cases: Vec<Case> = vec![
        (|s| s.h = 0.0, "setting `h` must be positive and finite"),
        (|s| s.h = -1e-3, "setting `h` must be positive and finite"),
        (|s| s.h = NAN, "setting `h` must be positive and finite"),
        (|s| s.h = INFINITE, "setting `h` must be positive and finite"),
        (|s| s.contact.tol = 0.0, "setting `contact.tol` must be above 0 and below 1"),
        (|s| s.contact.tol = NAN, "setting `contact.tol` must be above 0 and below 1"),
        (
            |s| s.contact.max_overlap = -1.0,
            "setting `contact.max_overlap` must be 0 or more, or infinite",
        ),
        (
            |s| s.contact.max_overlap = NAN,
            "setting `contact.max_overlap` must be 0 or more, or infinite",
        ),
        (
            |s| s.contact.max_recovery = NAN,
            "setting `contact.max_recovery` must be 0 or more, or infinite",
        ),
        (
            |s| s.drift = Drift::Stabilize { beta: NAN },
            "setting `beta` must be above 0 and at most 1",
        ),
        (
            |s| (s.drift, s.geometry) = (Drift::Project, Geometry::Middle),
            "setting `geometry` must be `Begin` where drift is `Project`",
        ),
    ];
    for (spoil, expected) in cases {
        let mut settings = settings(1e-3);
        spoil(&mut settings);
        assert_eq!(sentence(&model, &settings, &Input::default(), &state), expected);
    }
}

#[test]
fn laws_out_of_their_domain_leave_the_state() {
    let (model, state) = block(0.5, 0.0);
    let bristle = |k: f64, b: f64| ContactSettings {
        bristle: Some(Relaxation { k, b }),
        law: Law::Box(BoxLaw::default()),
        ..Default::default()
    };
    let law = |law: Law| ContactSettings { law, ..Default::default() };
    let stick = "v_stick must be 0 or more";
    let of_bristles = "contact 0: bristle must be of finite k ≥ 0 and b ≥ 0, not both 0";
    let lateral = Lateral::Relaxed { lambda_min: 0.0 };
    for (contact, expected) in [
        (law(Law::Cone(Cone { v_stick: NAN })), stick),
        (law(Law::Convex(Convex { v_stick: -1.0 })), stick),
        (law(Law::Box(BoxLaw { v_stick: NAN })), stick),
        (
            law(Law::Pyramid(Pyramid { facets: 2, ..Default::default() })),
            "facets must be 3 or more",
        ),
        (
            law(Law::Phantom(Phantom { directions: 1, ..Default::default() })),
            "directions must be 2 or more",
        ),
        (
            law(Law::Phantom(Phantom { rho: NAN, ..Default::default() })),
            "rho must be 0 or more and finite",
        ),
        (
            law(Law::Phantom(Phantom { lateral, ..Default::default() })),
            "lambda_min must be positive and finite",
        ),
        (
            law(Law::Hybrid(Hybrid { lambda_min: NAN, ..Default::default() })),
            "lambda_min must be positive and finite",
        ),
        (bristle(NAN, 1.0), of_bristles),
        (bristle(1.0, -1.0), of_bristles),
        (bristle(0.0, 0.0), of_bristles),
        (
            ContactSettings {
                solver: LawSolver::Lcp(stiction_lcp::LcpSolver::Lemke),
                ..Default::default()
            },
            "solver lemke does not solve the cone law: the law is a cone problem, the solver is for LCPs",
        ),
    ] {
        let settings = StepSettings { contact, ..settings(1e-3) };
        assert_eq!(sentence(&model, &settings, &Input::default(), &state), expected);
    }
}

#[test]
fn states_and_loads_that_are_not_finite_leave_the_state() {
    let (model, state) = block(0.5, 0.0);
    let key = ContactKey { shape_a: 0, shape_b: 1, feature: 0 };
    let memory = |lambda_n: f64, y: f64| {
        let lambda_t_W = Vec3::new(0.0, y, 0.0);
        let mut state = state.clone();
        state.memory.contacts.push(ContactMemory { key, lambda_n, lambda_t_W });
        state
    };
    let with = |spoil: fn(&mut State)| {
        let mut state = state.clone();
        spoil(&mut state);
        state
    };
    for (state, expected) in [
        (with(|s| s.q[2] = NAN), "`block`: entry 2 of its positions must be finite"),
        (with(|s| s.v[4] = INFINITE), "`block`: entry 4 of its velocities must be finite"),
        (with(|s| s.time = NAN), "time must be finite, is NaN"),
        (memory(NAN, 0.0), "remembered contact force 0 must be finite"),
        (memory(1.0, INFINITE), "remembered contact force 0 must be finite"),
        (
            memory(-1.0, 0.0),
            "contact 0: lambda_n must be 0 or more and finite; of any sign for guides",
        ),
    ] {
        assert_eq!(sentence(&model, &settings(1e-3), &Input::default(), &state), expected);
    }
    let load =
        BodyLoad { body: BodyId(0), p_UoQ_U: Vec3::zeros(), f: Vec3::x() * NAN, t: Vec3::z() };
    let force =
        |_: &stiction_sim::Situation<'_>, loads: &mut stiction_sim::Loads| loads.tau[2] = NAN;
    for input in [
        Input { tau: &[0.0, 0.0, NAN, 0.0, 0.0, 0.0], ..Default::default() },
        Input { bodies: &[load], ..Default::default() },
        Input { force: Some(&force), ..Default::default() },
    ] {
        let error = sentence(&model, &settings(1e-3), &input, &state);
        assert_eq!(error, "the next state is not finite");
    }
}

#[test]
fn two_shapes_at_one_place_part_or_are_refused_with_their_depth() {
    let shapes = [
        (Shape::Sphere { radius: 0.5 }, 0.5),
        (Shape::cuboid(1.0, 1.0, 1.0), 0.5),
        (Shape::Capsule { radius: 0.5, half_length: 0.25 }, 0.5),
    ];
    for (a, r_a) in &shapes {
        for (b, r_b) in &shapes {
            let mut spec = ModelSpec::new();
            spec.gravity = Vec3::zeros();
            spec.material("stuff", Surface::rigid(0.5));
            for (name, shape) in [("a", a), ("b", b)] {
                spec.body(name, cuboid_inertia(1.0, Vec3::repeat(1.0)));
                spec.shape(name, FrameSpec::of(name), shape.clone(), "stuff");
            }
            let model = spec.build(Coordinates::Generalized).expect("two bodies");
            let (mut state, mut data) = (model.state(), Data::new(&model));
            let start = state.clone();
            let mut settings = settings(1e-2);
            settings.contact.max_overlap = 0.1;
            let refused = step(&model, &settings, &Input::default(), &mut state, &mut data);
            let Err(StepError::Overlap { shapes, depth }) = refused else { panic!("{refused:?}") };
            assert!(shapes == ["a", "b"] && state == start, "{shapes:?}");
            // the way along which they part is the sum of their halves
            assert!((depth - (r_a + r_b)).abs() < 1e-12, "{a:?} {b:?}: {depth}");
            settings.contact.max_overlap = INFINITE;
            settings.contact.max_recovery = 1.0;
            let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
            assert!(
                report.expect("parts").contact.is_some_and(|c| c.certified && c.overlap == depth)
            );
            let apart = Vec3::new(
                state.v[6] - state.v[0],
                state.v[7] - state.v[1],
                state.v[8] - state.v[2],
            );
            assert!((apart.norm() - 1.0).abs() < 1e-9, "{a:?} {b:?}: {apart}");
        }
    }
}

#[test]
fn a_box_falls_alike_for_steps_and_sizes_over_nine_decades() {
    for h in [1e-9, 1e-6, 1e-3, 1.0] {
        for size in [1e-6, 1e-3, 1.0, 1e6] {
            for mass in [1e-9, 1.0, 1e9] {
                let mut spec = ModelSpec::new();
                ground(&mut spec, 0.5, 0.0);
                let edges = Vec3::repeat(size);
                spec.body("box", cuboid_inertia(mass, edges));
                spec.shape("box", FrameSpec::of("box"), Shape::Box { half: 0.5 * edges }, "stuff");
                let model = spec.build(Coordinates::Generalized).expect("a box");
                let (mut state, mut data) = (model.state(), Data::new(&model));
                place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5 * size), Quat::IDENTITY);
                for _ in 0..3 {
                    let report =
                        step(&model, &settings(h), &Input::default(), &mut state, &mut data);
                    assert!(report.expect("a step").contact.expect("touches").certified);
                    let push: f64 = data.contact_impulses().chunks(3).map(|p| p[0]).sum();
                    let weight = mass * G * h;
                    assert!(
                        (push / weight - 1.0).abs() < 1e-8,
                        "{h} {size} {mass}: {push} {weight}"
                    );
                }
            }
        }
    }
}
