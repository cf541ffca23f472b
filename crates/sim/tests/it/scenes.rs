//! Scenes with contact: bodies on grounds, towers, and runs whose every step is certified.

use stiction_sim::collide::Contact;
use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{BoxLaw, Cone, Convex, Hybrid, Law, Phantom, Pyramid};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelSpec, Quat, State, StepReport, StepSettings,
    Vec3, step,
};

/// Gravity [m/s²].
pub(crate) const G: f64 = 9.81;

pub(crate) fn settings(h: f64) -> StepSettings {
    StepSettings { h, ..Default::default() }
}

pub(crate) fn with_law(h: f64, law: Law) -> StepSettings {
    StepSettings { contact: ContactSettings { law, ..Default::default() }, ..settings(h) }
}

/// Every friction law as it is by default.
pub(crate) fn all_laws() -> [Law; 7] {
    [
        Law::Frictionless,
        Law::Pyramid(Pyramid::default()),
        Law::Phantom(Phantom::default()),
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ]
}

/// A ground that is tilted by `angle` [rad] about y, so that downhill is +x of the slope.
pub(crate) fn ground(spec: &mut ModelSpec, mu: f64, angle: f64) {
    spec.material("stuff", Surface::rigid(mu));
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    spec.shape("ground", FrameSpec::world().turned(quat), Shape::HalfSpace, "stuff");
}

/// Gravity of a level ground that stands for one tilted by the angle whose tangent is `slope`, downhill towards the
/// angle `psi` [rad] of its plane: tangents and normal stay the world's axes.
pub(crate) fn tilt(slope: f64, psi: f64) -> Vec3 {
    let cosine = 1.0 / (1.0 + slope * slope).sqrt();
    Vec3::new(slope * psi.cos(), slope * psi.sin(), -1.0) * (G * cosine)
}

/// A solid box of these edges [m].
pub(crate) fn cuboid_inertia(mass: f64, edges: Vec3) -> Inertia {
    let square = edges.component_mul(&edges);
    let moment = |i: usize| mass / 12.0 * (square.sum() - square[i]);
    Inertia::principal(mass, [moment(0), moment(1), moment(2)])
}

/// A free solid box.
pub(crate) fn add_box(spec: &mut ModelSpec, name: &str, mass: f64, edges: Vec3) {
    spec.body(name, cuboid_inertia(mass, edges));
    spec.shape(name, FrameSpec::of(name), Shape::Box { half: 0.5 * edges }, "stuff");
}

/// A free body that touches with these points alone.
pub(crate) fn add_points(spec: &mut ModelSpec, name: &str, inertia: Inertia, points: Vec<Vec3>) {
    spec.body(name, inertia);
    spec.shape(name, FrameSpec::of(name), Shape::Points(points), "stuff");
}

pub(crate) fn build(spec: &ModelSpec) -> (Model, State) {
    let model = spec.build(Coordinates::Generalized).expect("a scene");
    let state = model.state();
    (model, state)
}

/// Puts free body number `i` of a model of free bodies at (p, quat).
pub(crate) fn place(state: &mut State, i: usize, p: Vec3, quat: Quat) {
    state.q[7 * i..7 * i + 3].copy_from_slice(p.as_slice());
    state.q[7 * i + 3..7 * i + 7].copy_from_slice(&quat.to_wxyz());
}

/// A cube of 1 kg and edge 1 m that touches with its four lower corners.
fn add_block(spec: &mut ModelSpec) {
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    add_points(spec, "block", cuboid_inertia(1.0, Vec3::repeat(1.0)), corners);
}

/// A block on a slope of this angle [rad].
pub(crate) fn block(mu: f64, angle: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, angle);
    add_block(&mut spec);
    let (model, mut state) = build(&spec);
    let quat = Quat::exp(&Vec3::new(0.0, angle, 0.0));
    place(&mut state, 0, quat.to_matrix() * Vec3::new(0.0, 0.0, 0.5), quat);
    (model, state)
}

/// A block on a level ground under this gravity.
pub(crate) fn block_under(mu: f64, gravity: Vec3) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = gravity;
    ground(&mut spec, mu, 0.0);
    add_block(&mut spec);
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
    (model, state)
}

/// A mass of 1 kg without extent, at the origin of a level ground under this gravity. Its moments are so large that
/// contacts which are open, and push midway between the surfaces, do not turn it.
pub(crate) fn particle(mu: f64, gravity: Vec3) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.gravity = gravity;
    ground(&mut spec, mu, 0.0);
    add_points(&mut spec, "particle", Inertia::principal(1.0, [1e9; 3]), vec![Vec3::zeros()]);
    build(&spec)
}

/// Cubes of edge 1 m on each other, from the ground up.
pub(crate) fn tower(mu: f64, masses: &[f64]) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, 0.0);
    for (i, &mass) in masses.iter().enumerate() {
        add_box(&mut spec, &format!("box {i}"), mass, Vec3::repeat(1.0));
    }
    let (model, mut state) = build(&spec);
    for i in 0..masses.len() {
        place(&mut state, i, Vec3::new(0.0, 0.0, 0.5 + i as f64), Quat::IDENTITY);
    }
    (model, state)
}

/// n certified steps; the report of the last.
pub(crate) fn run(
    model: &Model,
    settings: &StepSettings,
    state: &mut State,
    n: usize,
) -> StepReport {
    let mut data = Data::new(model);
    run_on(model, settings, state, &mut data, n)
}

/// The same, and the contacts of the last step are in `data`.
pub(crate) fn run_on(
    model: &Model,
    settings: &StepSettings,
    state: &mut State,
    data: &mut Data,
    n: usize,
) -> StepReport {
    let mut report = StepReport::default();
    for i in 0..n {
        report = step(model, settings, &Input::default(), state, data)
            .unwrap_or_else(|error| panic!("step {i}: {error}"));
        assert!(report.contact.is_none_or(|contact| contact.certified), "step {i}: {report:?}");
    }
    report
}

/// Largest difference of two lists of numbers; NaN counts as infinite.
pub(crate) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, nan_max)
}

/// The larger one; a NaN is larger than anything.
pub(crate) fn nan_max(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// n, t1, t2 of a contact, as documented: t1 is x made perpendicular to n, or y where n is nearly x.
pub(crate) fn axes(n: &Vec3) -> [Vec3; 3] {
    let e = if n.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let t1 = (e - n * n.dot(&e)).normalize();
    [*n, t1, n.cross(&t1)]
}

/// Every contact with its force on B over the last step of length h, in W [N].
pub(crate) fn contact_forces(data: &Data, h: f64) -> Vec<(Contact, Vec3)> {
    let contacts = data.contacts().iter().zip(data.contact_impulses().chunks_exact(3));
    let force = |n: &Vec3, p: &[f64]| {
        let [n, t1, t2] = axes(n);
        (n * p[0] + t1 * p[1] + t2 * p[2]) / h
    };
    contacts.map(|(contact, p)| (*contact, force(&contact.n_W, p))).collect()
}

/// Where `gives_way` becomes true between two numbers, to a part of 1e-12 of their distance.
pub(crate) fn bisect(mut low: f64, mut high: f64, gives_way: impl Fn(f64) -> bool) -> f64 {
    assert!(!gives_way(low) && gives_way(high), "no threshold between {low} and {high}");
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if gives_way(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}
