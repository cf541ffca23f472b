//! Against Pinocchio, which read the same files with a parser of its own: `oracle.py` wrote its numbers.

use serde_json::Value;
use stiction_scene::urdf::{Base, FixedJoints, Options, Robot};
use stiction_sim::model::{ConstraintKind, Surface};
use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{crba, kinematics, rnea};
use stiction_sim::{Coordinates, Data, MatX, Model, ModelSpec, Pose, Vec3};

use super::{file, robot};

/// Relative to the largest number of its kind. Numbers of the file are equal in both programs; what follows are sums.
const TOLERANCE: f64 = 1e-12;

fn oracle() -> Value {
    serde_json::from_str(&file("data/oracles/urdf.json")).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn model(robot: &Robot) -> Model {
    let mut spec = ModelSpec::new();
    spec.material("default", Surface::rigid(0.5));
    robot.add_to(&mut spec);
    spec.build(Coordinates::Generalized).expect("a model")
}

fn read(entry: &Value, fixed: FixedJoints) -> Robot {
    let base = match entry["base"].as_str() {
        Some("free") => Base::Free,
        Some("fixed") => Base::Fixed,
        other => panic!("{other:?}"),
    };
    robot(entry["file"].as_str().expect("a path"), &Options { base, fixed, ..Options::default() })
}

/// Our name of a joint of Pinocchio's.
fn joint_name<'a>(robot: &'a Robot, name: &'a str) -> &'a str {
    match &robot.free_base {
        Some(base) if name == "root_joint" => &base.joint,
        _ => name,
    }
}

/// Largest difference over the largest number expected; NaN is the largest difference.
fn deviation(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    error.fold(0.0, |m, x| if x <= m { m } else { x }) / size.max(f64::MIN_POSITIVE)
}

fn link_poses(robot: &Robot, model: &Model, data: &Data) -> Vec<(String, Pose)> {
    let place = |frame: &stiction_sim::model::FrameSpec| {
        let X_UF = Pose::from_parts(frame.p, frame.quat);
        let Some(body) = &frame.body else { return X_UF };
        kinematics::pose(model, data, model.body(body).expect("a body")) * X_UF
    };
    robot.links.iter().map(|link| (link.name.clone(), place(&link.frame))).collect()
}

fn compare_poses(links: &[(String, Pose)], expected: &Value, what: &str) {
    assert_eq!(links.len(), expected.as_object().expect("by name").len(), "{what}");
    for (name, X) in links {
        let (p, R) = (numbers(&expected[name]["p"]), numbers(&expected[name]["R"]));
        let off = (X.p - Vec3::from_column_slice(&p)).amax();
        assert!(off <= TOLERANCE, "{what}: {name} is {off:e} m away");
        let turned = deviation(X.R.transpose().as_slice(), &R);
        assert!(turned <= TOLERANCE, "{what}: {name} is turned by {turned:e}");
    }
}

#[test]
fn poses_mass_matrix_and_bias_are_those_of_pinocchio() {
    let oracle = oracle();
    let robots = oracle["robots"].as_array().expect("robots");
    assert_eq!(robots.len(), 5);
    for entry in robots {
        for fixed in [FixedJoints::Kept, FixedJoints::Merged] {
            let robot = read(entry, fixed);
            let model = model(&robot);
            for sample in entry["samples"].as_array().expect("samples") {
                compare_sample(&robot, &model, sample, &entry["file"].to_string());
            }
        }
    }
}

fn compare_sample(robot: &Robot, model: &Model, sample: &Value, what: &str) {
    let mut state = model.state();
    // our place of each of Pinocchio's velocities
    let mut places = Vec::new();
    for joint in sample["joints"].as_array().expect("joints") {
        let name = joint_name(robot, joint["name"].as_str().expect("a name"));
        let id = model.joint(name).unwrap_or_else(|| panic!("{what}: no joint {name}"));
        let (q, v) = (model.q_range(id).expect("moves"), model.v_range(id).expect("moves"));
        places.extend(v.clone());
        state.q[q].copy_from_slice(&numbers(&joint["q"]));
        state.v[v].copy_from_slice(&numbers(&joint["v"]));
    }
    assert_eq!(places.len(), model.nv(), "{what}");
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    compare_poses(&link_poses(robot, model, &data), &sample["links"], what);

    let M = crba::mass_matrix(model, &mut data).to_dense(model.pattern());
    let expected: Vec<f64> =
        sample["mass_matrix"].as_array().expect("rows").iter().flat_map(numbers).collect();
    let found: Vec<f64> = places.iter().flat_map(|i| places.iter().map(|j| M[(*i, *j)])).collect();
    let off = deviation(&found, &expected);
    assert!(off <= TOLERANCE, "{what}: mass matrix is off by {off:e}");

    let mut c = vec![f64::NAN; model.nv()];
    rnea::bias(model, &mut data, BiasOf::All, &mut c);
    let found: Vec<f64> = places.iter().map(|i| c[*i]).collect();
    let off = deviation(&found, &numbers(&sample["bias"]));
    assert!(off <= TOLERANCE, "{what}: bias is off by {off:e}");
}

/// Followers are where the couplings put them, one after the other, and carry their share of the inertia.
#[test]
fn mimic_joints_follow_as_in_pinocchio() {
    let oracle = oracle();
    let robot = robot("data/urdf/gripper.urdf", &Options::default());
    let model = model(&robot);
    let mut q = vec![numbers(&oracle["mimic"]["q"])[0]; model.nq()];
    let mut rates = vec![1.0; model.nv()];
    let at = |name: &str| model.q_range(model.joint(name).expect("a joint")).expect("moves").start;
    assert_eq!(robot.constraints.len(), 3);
    for constraint in &robot.constraints {
        let ConstraintKind::Coupling { terms, offset } = &constraint.kind else {
            panic!("{constraint:?}")
        };
        let [(follower, one), (leader, factor)] = &terms[..] else { panic!("{terms:?}") };
        assert_eq!(*one, 1.0);
        q[at(&follower.joint)] = offset - factor * q[at(&leader.joint)];
        rates[at(&follower.joint)] = -factor * rates[at(&leader.joint)];
    }
    let mut data = Data::new(&model);
    kinematics::update(&model, &q, &vec![0.0; model.nv()], &mut data);
    compare_poses(&link_poses(&robot, &model, &data), &oracle["mimic"]["links"], "gripper");
    let M = crba::mass_matrix(&model, &mut data).to_dense(model.pattern());
    let rates = MatX::from_column_slice(model.nv(), 1, &rates);
    let found = (rates.transpose() * M * rates)[(0, 0)];
    let expected = numbers(&oracle["mimic"]["mass_matrix"][0])[0];
    assert!(((found - expected) / expected).abs() <= TOLERANCE, "{found} {expected}");
}

/// The comparison itself: a length that is off by 1e-9 does not pass.
#[test]
#[should_panic(expected = "away")]
fn a_link_that_is_off_by_1e_9_is_noticed() {
    let oracle = oracle();
    let mut robot = robot("data/urdf/arm.urdf", &Options::default());
    robot.joints[1].parent.p.x += 1e-9;
    compare_sample(&robot, &model(&robot), &oracle["robots"][0]["samples"][0], "arm");
}
