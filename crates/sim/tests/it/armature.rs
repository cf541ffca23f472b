//! Armature of joints that rows enforce: the same motion as on the diagonal of M, to the order of the method.

use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Method, Model, ModelSpec, State, StepSettings, Vec3, step,
};

/// An arm with a hinge and a universal joint, whose axes turn against each other.
fn arm(coordinates: Coordinates) -> Model {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let universal = JointKind::Universal { first: Vec3::x(), second: Vec3::y() };
    let links =
        [("upper", FrameSpec::world(), hinge), ("lower", FrameSpec::of("upper"), universal)];
    for (name, parent, kind) in links {
        spec.body(name, Inertia::principal(1.0, [0.7, 0.5, 0.6]));
        let child = FrameSpec::of(name).at(-1.0, 0.0, 0.0);
        spec.joint(name, kind, parent, child).armature = vec![0.5];
    }
    spec.build(coordinates).expect("an arm")
}

/// The state of the tree after one second of `model`, from the same start.
fn after_a_second(tree: &Model, model: &Model, method: Method, steps: u32) -> State {
    let mut start = tree.state();
    start.v.fill(0.7);
    let mut state = model.state_from(tree, &start).expect("the same arm");
    let mut data = Data::new(model);
    let settings = StepSettings { h: 1.0 / f64::from(steps), method, ..Default::default() };
    for _ in 0..steps {
        step(model, &settings, &Input::default(), &mut state, &mut data).expect("smooth motion");
    }
    tree.state_from(model, &state).expect("the same arm")
}

#[test]
fn an_armature_that_rows_carry_costs_no_order() {
    let (tree, bodies) = (arm(Coordinates::Generalized), arm(Coordinates::Maximal));
    // off by 1e-14, as fourth order from 7e-12 at h = 1/400 says
    let exact = after_a_second(&tree, &tree, Method::Extrapolated, 2000);
    let error = |method: Method, steps: u32| {
        let found = after_a_second(&tree, &bodies, method, steps);
        let pairs = found.q.iter().chain(&found.v).zip(exact.q.iter().chain(&exact.v));
        pairs.fold(0.0, |worst: f64, (x, exact)| worst.max((x - exact).abs()))
    };
    for (method, order) in
        [(Method::Euler, 1.0), (Method::Symmetric, 2.0), (Method::Extrapolated, 4.0)]
    {
        let (coarse, fine) = (error(method, 100), error(method, 200));
        assert!(((coarse / fine).log2() - order).abs() < 0.1, "{method:?}: {coarse} {fine}");
        assert!(fine < 0.01, "{method:?}: {fine}");
    }
}
