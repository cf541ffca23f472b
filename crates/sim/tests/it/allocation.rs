//! Once `Data` is there, the algorithms on the tree allocate nothing; after the first step, steps do not either.

use allocation_counter::measure;
use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, Shape, SpringKind, Surface};
use stiction_sim::tree::matrix::TreeFactor;
use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{aba, crba, energy, jacobian, kinematics, rnea};
use stiction_sim::{
    BodyId, Coordinates, Data, Drift, Force, Inertia, Input, MatX, Method, Model, ModelSpec,
    StepSettings, Vec3, step,
};

/// A chain with one joint of each kind, and a free body beside it.
fn every_joint() -> Model {
    let (axis, second) = (Vec3::x(), Vec3::y());
    let kinds = [
        JointKind::Planar,
        JointKind::Revolute { axis },
        JointKind::Prismatic { axis },
        JointKind::Fixed,
        JointKind::Screw { axis, pitch: 0.1 },
        JointKind::Cylindrical { axis },
        JointKind::Universal { first: axis, second },
        JointKind::Ball,
        JointKind::Free,
    ];
    let mut spec = ModelSpec::new();
    let mut parent = FrameSpec::world();
    for (i, kind) in kinds.into_iter().enumerate() {
        let name = format!("body {i}");
        spec.body(&name, Inertia::principal(1.0 + i as f64, [0.1, 0.2, 0.25]));
        spec.joint(&format!("joint {i}"), kind, parent, FrameSpec::of(&name));
        parent = FrameSpec::of(&name).at(0.5, 0.1, -0.2);
    }
    spec.body("free", Inertia::principal(1.0, [1.0; 3]));
    spec.build(Coordinates::Generalized).expect("a chain")
}

#[test]
fn an_allocation_is_counted() {
    assert_eq!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total, 1);
}

#[test]
fn the_algorithms_on_the_tree_allocate_nothing() {
    let model = every_joint();
    let state = model.state();
    let (q, v, nv) = (state.q, vec![0.5; model.nv()], model.nv());
    let mut data = Data::new(&model);
    let mut factor = TreeFactor::new(model.pattern());
    let F_ext = vec![Force::new(Vec3::x(), Vec3::y()); model.bodies().len()];
    let (mut a, mut tau) = (vec![0.0; nv], vec![1.0; nv]);
    let (mut J, mut J_Q) = (MatX::zeros(6, nv), MatX::zeros(3, nv));
    let (last, p) = (BodyId(8), Vec3::new(0.1, 0.2, 0.3));
    let mut sum = 0.0;

    let allocations = measure(|| {
        kinematics::update(&model, &q, &v, &mut data);
        rnea::bias(&model, &mut data, BiasOf::All, &mut a);
        let M = crba::mass_matrix(&model, &mut data);
        factor.factor(model.pattern(), M, &v).expect("positive definite");
        factor.solve(model.pattern(), &mut a);
        aba::forward_dynamics(&model, &mut data, &tau, Some(&F_ext), &mut a).expect("inertia");
        rnea::inverse_dynamics(&model, &mut data, &a, Some(&F_ext), &mut tau);
        jacobian::of_body(&model, &data, last, &mut J);
        jacobian::of_point(&model, &data, last, &p, &mut J_Q);
        sum += jacobian::bias_acceleration(&model, &data, last, &p).v.norm();
        sum += energy::kinetic(&model, &data, &v) + energy::potential(&model, &data);
        sum += energy::angular_momentum(&model, &data, &p).norm();
        sum += energy::centre_of_mass_velocity(&model, &data).norm();
    });
    assert_eq!(allocations.count_total, 0);

    // all of it was computed: τ is what went in, and the Jacobian is no zero
    assert!(tau.iter().all(|tau| (tau - 1.0).abs() < 1e-10), "{tau:?}");
    assert!(sum.is_finite() && J.amax() > 0.0 && J_Q.amax() > 0.0);
}

/// A double pendulum whose end keeps its distance from a point, with a spring.
fn closed_loop(coordinates: Coordinates) -> Model {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    for (name, parent) in [("upper", FrameSpec::world()), ("lower", FrameSpec::of("upper"))] {
        spec.body(name, Inertia::principal(1.0, [1.0, 0.5, 1.0]));
        spec.joint(name, hinge, parent, FrameSpec::of(name).at(-1.0, 0.0, 0.0));
    }
    let (a, b) = (FrameSpec::of("lower"), FrameSpec::world().at(0.0, 0.0, 1.5));
    spec.constraint("rod", ConstraintKind::Distance { a, b, length: 2.5 });
    let (a, b) = (FrameSpec::world().at(0.0, 0.0, 1.0), FrameSpec::of("lower"));
    spec.spring("spring", SpringKind::Points { a, b, rest: 0.5 }, 10.0, 1.0);
    spec.build(coordinates).expect("a loop")
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = closed_loop(coordinates);
        for method in [Method::Euler, Method::Symmetric, Method::Extrapolated] {
            for drift in [Drift::Stabilize { beta: 0.2 }, Drift::Project, Drift::Close] {
                let settings = StepSettings { method, drift, ..Default::default() };
                let (mut state, mut data) = (model.state(), Data::new(&model));
                let mut steps = |n: usize| {
                    for _ in 0..n {
                        step(&model, &settings, &Input::default(), &mut state, &mut data)
                            .expect("a step");
                    }
                };
                steps(1);
                let allocations = measure(|| steps(10)).count_total;
                assert_eq!(allocations, 0, "{coordinates:?} {method:?} {drift:?}");
            }
        }
    }
}

/// A square pyramid of spheres that touch, this many layers high, on the ground.
fn pile(layers: usize) -> Model {
    let mut spec = ModelSpec::new();
    spec.material("stone", Surface::rigid(0.8));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stone");
    for i in 0..places_of_pile(layers).len() {
        let name = format!("sphere {i}");
        spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
        spec.joint(&name, JointKind::Free, FrameSpec::world(), FrameSpec::of(&name));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, "stone");
    }
    spec.build(Coordinates::Generalized).expect("a pile")
}

/// Centres [m].
fn places_of_pile(layers: usize) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for level in 0..layers {
        let (side, at) = (layers - level, 0.5 * level as f64);
        let z = 0.5 + level as f64 * 0.5_f64.sqrt();
        let layer = (0..side * side).map(|i| [at + (i / side) as f64, at + (i % side) as f64, z]);
        places.extend(layer);
    }
    places
}

#[test]
fn steps_of_a_pile_at_rest_allocate_nothing() {
    let model = pile(5);
    let settings = StepSettings { h: 0.01, ..Default::default() };
    let (mut state, mut data) = (model.state(), Data::new(&model));
    for (q, p) in state.q.chunks_exact_mut(7).zip(places_of_pile(5)) {
        q[..3].copy_from_slice(&p);
    }
    let mut steps = |n: usize| {
        for _ in 0..n {
            let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
            let contact = report.expect("a step").contact.expect("contacts");
            assert!(contact.certified && contact.contacts == 225, "{contact:?}");
        }
    };
    steps(5);
    assert_eq!(measure(|| steps(5)).count_total, 0);
}
