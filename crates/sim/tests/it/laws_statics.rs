//! Law L: forces of bodies at rest by statics, and the angles at which they give way.

use crate::scenes::{
    G, add_box, add_points, bisect, block, build, contact_forces, cuboid_inertia, ground, place,
    run, run_on, settings, tilt, tower,
};
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{Data, Inertia, Model, ModelSpec, Pose, Quat, State, StepSettings, Vec3};

const H: f64 = 1e-2;

/// The forces of the contacts between bodies a and b (None: the world) in W, on b, with the points they act at [N, m].
fn forces(data: &Data, a: Option<usize>, b: usize, h: f64) -> Vec<(Vec3, Vec3)> {
    contact_forces(data, h)
        .into_iter()
        .filter(|(contact, _)| contact.a == a && contact.b == Some(b))
        .map(|(contact, f)| (f, contact.p_W))
        .collect()
}

fn sum(forces: &[(Vec3, Vec3)]) -> Vec3 {
    forces.iter().map(|(f, _)| f).sum()
}

/// About the origin of W [N·m].
fn moment(forces: &[(Vec3, Vec3)]) -> Vec3 {
    forces.iter().map(|(f, p)| p.cross(f)).sum()
}

/// The forces after some steps of rest.
fn rest(model: &Model, state: &mut State) -> Data {
    let mut data = Data::new(model);
    run_on(model, &settings(H), state, &mut data, 20);
    assert!(state.v.iter().all(|v| v.abs() <= 1e-10), "{:?}", state.v);
    data
}

/// Whether a body moves that was put down at rest: faster than 1e-9 of what free fall makes of it.
fn moves(model: &Model, state: &State, settings: &StepSettings) -> bool {
    let mut state = state.clone();
    run(model, settings, &mut state, 3);
    state.v.iter().any(|v| v.abs() > 1e-9 * G * 3.0 * settings.h)
}

#[test]
fn a_box_presses_with_its_weight_on_level_and_sloping_ground() {
    for angle in [0.0_f64, 0.3] {
        let (model, mut state) = block(0.5, angle);
        let data = rest(&model, &mut state);
        let found = forces(&data, None, 0, H);
        assert!((sum(&found) - Vec3::new(0.0, 0.0, G)).amax() <= 1e-8 * G, "{found:?}");
        let n = Vec3::new(angle.sin(), 0.0, angle.cos());
        let pressed: f64 = found.iter().map(|(f, _)| f.dot(&n)).sum();
        assert!((pressed - G * angle.cos()).abs() <= 1e-8 * G, "{pressed}");
    }
}

#[test]
fn each_level_of_a_stack_carries_what_is_above_it() {
    let n = 6;
    let (model, mut state) = tower(0.5, &vec![2.0; n]);
    let data = rest(&model, &mut state);
    for k in 0..n {
        let below = (k > 0).then(|| k - 1);
        let carried = sum(&forces(&data, below, k, H));
        let expected = Vec3::new(0.0, 0.0, (n - k) as f64 * 2.0 * G);
        assert!((carried - expected).amax() <= 1e-8 * expected.z, "level {k}: {carried}");
    }
}

#[test]
fn a_table_stands_on_four_legs_with_the_right_sum_and_moments() {
    let mut spec = ModelSpec::new();
    ground(&mut spec, 0.4, 0.0);
    let feet = [[0.6, 0.4], [0.6, -0.4], [-0.6, 0.4], [-0.6, -0.4]];
    let feet = feet.map(|[x, y]| Vec3::new(x, y, -0.7)).to_vec();
    let centre = Vec3::new(0.2, -0.1, 0.0);
    let inertia = cuboid_inertia(30.0, Vec3::new(1.2, 0.8, 0.1));
    add_points(&mut spec, "table", inertia.moved(&Pose::from_parts(centre, Quat::IDENTITY)), feet);
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(0.0, 0.0, 0.7), Quat::IDENTITY);
    let data = rest(&model, &mut state);
    let found = forces(&data, None, 0, H);
    let weight = Vec3::new(0.0, 0.0, 30.0 * G);
    assert!((sum(&found) - weight).amax() <= 1e-8 * weight.z, "{found:?}");
    let error = moment(&found) - centre.cross(&weight);
    assert!(error.x.abs() <= 1e-8 * weight.z && error.y.abs() <= 1e-8 * weight.z, "{error}");
    assert!(found.iter().all(|(f, _)| f.z >= 0.0), "{found:?}");
}

/// A ladder of 3 m, with two feet on the floor and two ends at a wall on its left, at the slope `tan θ` to the floor.
fn ladder(mu_floor: f64, mu_wall: f64, slope: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu_floor, 0.0);
    spec.material("wall", Surface::rigid(mu_wall));
    spec.pair("wall", "stuff", Surface::rigid(mu_wall));
    let facing_x = Quat::exp(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    spec.shape("wall", FrameSpec::world().turned(facing_x), Shape::HalfSpace, "wall");
    let theta = slope.atan();
    let half = Vec3::new(1.5 * theta.cos(), 0.0, -1.5 * theta.sin());
    let side = Vec3::new(0.0, 0.25, 0.0);
    let ends = vec![half + side, half - side, -half + side, -half - side];
    add_points(&mut spec, "ladder", Inertia::principal(10.0, [7.5, 7.5, 7.5]), ends);
    let (model, mut state) = build(&spec);
    place(&mut state, 0, Vec3::new(half.x, 0.0, -half.z), Quat::IDENTITY);
    (model, state)
}

#[test]
fn a_ladder_slips_below_its_angle() {
    for (mu_floor, mu_wall) in [(0.4, 0.3), (0.6, 0.0)] {
        let expected = (1.0 - mu_wall * mu_floor) / (2.0 * mu_floor);
        // falls where the slope is too small
        let flattest = bisect(-2.0 * expected, -0.5 * expected, |minus_slope| {
            let (model, state) = ladder(mu_floor, mu_wall, -minus_slope);
            moves(&model, &state, &settings(H))
        });
        assert!((-flattest / expected - 1.0).abs() <= 1e-6, "{flattest} {expected}");
    }
    // without friction at the wall the forces are determinate: the wall takes m g/(2 tan θ)
    let (model, mut state) = ladder(0.6, 0.0, 1.5);
    let data = rest(&model, &mut state);
    let all = forces(&data, None, 0, H);
    let (wall, floor): (Vec<_>, Vec<_>) = all.iter().partition(|(_, p)| p.x < 0.1);
    let thrust = 10.0 * G / (2.0 * 1.5);
    let weight = Vec3::new(0.0, 0.0, 10.0 * G);
    assert!((sum(&wall) - Vec3::x() * thrust).amax() <= 1e-8 * weight.z, "{wall:?}");
    assert!((sum(&floor) - weight + Vec3::x() * thrust).amax() <= 1e-8 * weight.z, "{floor:?}");
}

#[test]
fn a_box_tips_where_its_centre_passes_its_edge() {
    let (wide, high) = (0.4, 1.0);
    for psi in [0.0, std::f64::consts::FRAC_PI_2] {
        let steepest = bisect(0.2, 0.8, |slope| {
            let mut spec = ModelSpec::new();
            spec.gravity = tilt(slope, psi);
            ground(&mut spec, 1.5, 0.0);
            add_box(&mut spec, "box", 3.0, Vec3::new(wide, wide, high));
            let (model, mut state) = build(&spec);
            place(&mut state, 0, Vec3::new(0.0, 0.0, 0.5 * high), Quat::IDENTITY);
            moves(&model, &state, &settings(H))
        });
        assert!((steepest / (wide / high) - 1.0).abs() <= 1e-6, "{steepest}");
    }
}

/// A wedge on the ground under a slider on vertical rails, which presses on its upper side, at `slope` to the ground.
fn wedge(mu: f64, slope: f64, m_wedge: f64, m_slider: f64) -> (Model, State) {
    let mut spec = ModelSpec::new();
    ground(&mut spec, mu, 0.0);
    let feet = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let feet = feet.map(|[x, y]| Vec3::new(x, y, -0.5)).to_vec();
    add_points(&mut spec, "wedge", cuboid_inertia(m_wedge, Vec3::new(2.0, 2.0, 1.0)), feet);
    let tilted = Quat::exp(&Vec3::new(0.0, slope.atan(), 0.0));
    spec.shape("side", FrameSpec::of("wedge").turned(tilted), Shape::HalfSpace, "stuff");
    spec.body("slider", Inertia::principal(m_slider, [1.0; 3]));
    let rails = JointKind::Prismatic { axis: Vec3::z() };
    let start = FrameSpec::world().at(0.0, 0.0, 0.5);
    spec.joint("rails", rails, start, FrameSpec::of("slider"));
    let tip = Shape::Points(vec![Vec3::zeros()]);
    spec.shape("tip", FrameSpec::of("slider"), tip, "stuff");
    let (model, mut state) = build(&spec);
    let wedge = &model.bodies()[model.body("wedge").expect("the wedge").0 as usize];
    state.q[wedge.q0..wedge.q0 + 3].copy_from_slice(&[0.0, 0.0, 0.5]);
    (model, state)
}

#[test]
fn a_wedge_is_driven_out_where_it_does_not_lock_itself() {
    // the slider pushes it out with V tan(θ − φ) at least, V its weight, tan φ = μ; the ground holds μ (V + m g)
    for (mu, m_wedge, m_slider) in [(0.3_f64, 1.0, 5.0), (0.2, 0.1, 20.0)] {
        let expected = (mu.atan() + (mu * (1.0 + m_wedge / m_slider)).atan()).tan();
        let steepest = bisect(0.8 * expected, 1.2 * expected, |slope| {
            let (model, state) = wedge(mu, slope, m_wedge, m_slider);
            moves(&model, &state, &settings(H))
        });
        assert!((steepest / expected - 1.0).abs() <= 1e-6, "{steepest} {expected}");
    }
}
