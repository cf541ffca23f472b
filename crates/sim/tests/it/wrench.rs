//! Contact forces, one by one and on each body.

use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{
    BodyId, BodyLoad, Coordinates, Data, Force, Inertia, Input, Model, ModelSpec, Pose, State,
    StepSettings, Vec3, step,
};

const G: f64 = 9.81;
const H: f64 = 5e-3;

/// Boxes of edge 1 m and these masses [kg] one upon the other, their centres of mass off the middle by `com`.
fn tower(masses: &[f64], com: Vec3) -> (Model, State) {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.5));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    for (i, &mass) in masses.iter().enumerate() {
        let name = format!("box {i}");
        let inertia = Inertia::principal(mass, [mass / 6.0; 3]);
        spec.body(&name, inertia.moved(&Pose::translation(com.x, com.y, com.z)));
        let half = Vec3::from_element(0.5);
        spec.shape(&name, FrameSpec::of(&name), Shape::Box { half }, "stuff");
    }
    let model = spec.build(Coordinates::Generalized).expect("a tower");
    let mut state = model.state();
    for i in 0..masses.len() {
        state.q[7 * i + 2] = 0.5 + i as f64;
    }
    (model, state)
}

fn go(model: &Model, state: &mut State, input: &Input<'_>) -> Data {
    let mut data = Data::new(model);
    let settings = StepSettings { h: H, ..Default::default() };
    step(model, &settings, input, state, &mut data).expect("a step");
    data
}

/// The sum of forces on `body` about a point, by their list.
fn sum_on(data: &Data, body: BodyId, p_WQ: &Vec3) -> Force {
    let mut sum = Force::zero();
    for force in data.contact_forces() {
        let sign = match (force.a == Some(body), force.b == Some(body)) {
            (true, _) => -1.0,
            (_, true) => 1.0,
            _ => continue,
        };
        let f = force.f_W * sign;
        sum += Force { t: (force.p_W - p_WQ).cross(&f), f };
    }
    sum
}

#[test]
fn a_box_at_rest_is_carried_under_its_centre_of_mass() {
    let com = Vec3::new(0.2, -0.1, 0.05);
    let (model, mut state) = tower(&[3.0], com);
    let data = go(&model, &mut state, &Input::default());
    let wrench = data.contact_wrenches()[0];
    // solved to 1e-10 of gh
    assert!((wrench.f - Vec3::new(0.0, 0.0, 3.0 * G)).amax() < 1e-8, "{wrench:?}");
    assert!(wrench.t.amax() < 1e-8, "{wrench:?}");
    let forces = data.contact_forces();
    let pressure: Vec3 = forces.iter().map(|force| force.p_W * force.f_W.z).sum();
    let centre = pressure / (3.0 * G);
    assert!((centre - Vec3::new(0.2, -0.1, 0.0)).amax() < 1e-9, "{centre}");
}

#[test]
fn a_push_that_friction_bears_moves_the_centre_of_pressure() {
    let (model, mut state) = tower(&[3.0], Vec3::zeros());
    let (f, at) = (Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.3));
    let push = [BodyLoad { body: BodyId(0), p_UoQ_U: at, f, t: Vec3::zeros() }];
    let data = go(&model, &mut state, &Input { bodies: &push, ..Default::default() });
    let wrench = data.contact_wrenches()[0];
    assert!((wrench.f - Vec3::new(-5.0, 0.0, 3.0 * G)).amax() < 1e-8, "{wrench:?}");
    // the push turns by 0.3 m × 5 N about y
    assert!((wrench.t + Vec3::new(0.0, 1.5, 0.0)).amax() < 1e-8, "{wrench:?}");
    let pressure: f64 = data.contact_forces().iter().map(|force| force.p_W.x * force.f_W.z).sum();
    let expected = 0.8 * 5.0 / (3.0 * G);
    assert!((pressure / (3.0 * G) - expected).abs() < 1e-9, "{pressure}");
}

#[test]
fn each_box_of_a_stack_carries_what_stands_on_it() {
    let masses = [3.0, 2.0, 1.0];
    let (model, mut state) = tower(&masses, Vec3::zeros());
    let data = go(&model, &mut state, &Input::default());
    let between = |lower: Option<BodyId>, upper: BodyId| -> f64 {
        let forces = data.contact_forces();
        let pair = forces.iter().filter_map(|force| match (force.a, force.b) {
            (a, b) if a == lower && b == Some(upper) => Some(force.f_W.z),
            (a, b) if b == lower && a == Some(upper) => Some(-force.f_W.z),
            _ => None,
        });
        pair.sum()
    };
    let weights = [(None, 0, 6.0), (Some(BodyId(0)), 1, 3.0), (Some(BodyId(1)), 2, 1.0)];
    for (lower, upper, mass) in weights {
        let carried = between(lower, BodyId(upper));
        assert!((carried - mass * G).abs() < 1e-7, "{upper}: {carried}");
    }
    for (wrench, mass) in data.contact_wrenches().iter().zip(masses) {
        assert!((wrench.f.z - mass * G).abs() < 1e-7 && wrench.t.amax() < 1e-7, "{wrench:?}");
    }
}

/// Action is reaction: on all bodies together acts what the world does, about any point.
#[test]
fn forces_between_bodies_cancel_and_the_rest_is_the_change_of_momentum() {
    let (model, mut state) = tower(&[3.0, 2.0, 1.0], Vec3::new(0.1, 0.05, -0.1));
    // the middle one is thrown off, turning
    state.v[6..12].copy_from_slice(&[1.0, -0.5, 0.0, 0.2, 0.1, 3.0]);
    let before = state.clone();
    let com = Vec3::new(0.1, 0.05, -0.1);
    let data = go(&model, &mut state, &Input::default());
    let (mut bodies, mut world) = (Force::zero(), Force::zero());
    for (i, wrench) in data.contact_wrenches().iter().enumerate() {
        let id = BodyId(i as u32);
        // as stated: about the centre of mass at the beginning
        let centre = Vec3::from_column_slice(&before.q[7 * i..7 * i + 3]) + com;
        let listed = sum_on(&data, id, &centre);
        assert!((wrench.f - listed.f).amax() < 1e-10 && (wrench.t - listed.t).amax() < 1e-10);
        bodies += Force { t: wrench.t + centre.cross(&wrench.f), f: wrench.f };
        // m Δv_cm = h (f + m g); v is that of the frame, and the axes are the world's at the beginning
        let mass = [3.0, 2.0, 1.0][i];
        let kicked = wrench.f / mass - Vec3::new(0.0, 0.0, G);
        let v_cm = |state: &State, R: &dyn Fn(Vec3) -> Vec3| {
            let v = Vec3::from_column_slice(&state.v[6 * i..6 * i + 3]);
            let w = Vec3::from_column_slice(&state.v[6 * i + 3..6 * i + 6]);
            v + R(w.cross(&com))
        };
        let quat = &state.q[7 * i + 3..7 * i + 7];
        let turned = |x: Vec3| stiction_sim::Quat::from_wxyz(quat).to_matrix() * x;
        let change = v_cm(&state, &turned) - v_cm(&before, &|x| x);
        assert!((change - kicked * H).amax() < 1e-12, "{i}: {change} {kicked}");
    }
    for force in data.contact_forces() {
        let sign = if force.a.is_none() {
            1.0
        } else if force.b.is_none() {
            -1.0
        } else {
            0.0
        };
        let f = force.f_W * sign;
        world += Force { t: force.p_W.cross(&f), f };
    }
    assert!((bodies.f - world.f).amax() < 1e-10, "{bodies:?} {world:?}");
    assert!((bodies.t - world.t).amax() < 1e-10, "{bodies:?} {world:?}");
}

#[test]
fn without_shapes_there_is_nothing_and_without_touch_zeros() {
    let mut spec = ModelSpec::new();
    spec.body("loose", Inertia::principal(1.0, [1.0; 3]));
    let model = spec.build(Coordinates::Generalized).expect("a body");
    let data = go(&model, &mut model.state(), &Input::default());
    assert!(data.contact_wrenches().is_empty() && data.contact_forces().is_empty());

    let (model, mut state) = tower(&[1.0], Vec3::zeros());
    state.q[2] = 5.0;
    let data = go(&model, &mut state, &Input::default());
    assert_eq!(data.contact_wrenches(), [Force::zero()]);
}
