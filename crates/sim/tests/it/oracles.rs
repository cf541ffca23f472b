//! Against Pinocchio, MuJoCo and Drake: numbers that other programs computed from the same descriptions.
//!
//! The scripts in `tools/oracles` wrote the files; nothing of this crate took part.

mod compare;
mod mujoco;
mod mutate;
mod pinocchio;
mod read;

use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, Quat, convert};

use read::{FreeJoints, FreeVelocity, FromMujoco, FromPinocchio, Tree, Trees};

/// Relative. Each sum in another order costs 1e-16 of its terms; tens of them follow one another, and terms
/// that cancel cost a digit or two. Measured: 2e-14 at worst.
const TOLERANCE: f64 = 1e-12;

/// What was compared, and how far apart it is, relative to its size.
type Deviations = Vec<(&'static str, f64)>;

fn from_pinocchio() -> Vec<Tree<FromPinocchio>> {
    read::file::<Trees<FromPinocchio>>("pinocchio.json").trees
}

fn from_mujoco() -> Vec<Tree<FromMujoco>> {
    read::file::<Trees<FromMujoco>>("mujoco.json").trees
}

fn updated<R>(tree: &Tree<R>) -> (Model, Data) {
    let model = tree.model();
    let mut data = Data::new(&model);
    kinematics::update(&model, &tree.q, &tree.v, &mut data);
    (model, data)
}

fn agrees(deviations: &Deviations) -> bool {
    deviations.iter().all(|(_, deviation)| *deviation <= TOLERANCE)
}

#[test]
fn pinocchio_agrees_on_every_tree() {
    for tree in from_pinocchio() {
        let deviations = pinocchio::deviations(&tree);
        for (what, deviation) in deviations {
            assert!(deviation <= TOLERANCE, "{}: {what} is off by {deviation:e}", tree.name);
        }
    }
}

#[test]
fn mujoco_agrees_on_every_model() {
    let trees = from_mujoco();
    assert!(trees.len() >= 5);
    for tree in trees {
        let deviations = mujoco::deviations(&tree);
        for (what, deviation) in deviations {
            assert!(deviation <= TOLERANCE, "{}: {what} is off by {deviation:e}", tree.name);
        }
    }
}

#[test]
fn a_result_that_is_off_by_1e_9_is_noticed() {
    for tree in from_pinocchio() {
        for i in 0..mutate::results(&mut tree.results.clone()).len() {
            let mut changed = tree.clone();
            let (what, numbers) = mutate::results(&mut changed.results).swap_remove(i);
            if mutate::nudge(numbers) {
                assert!(!agrees(&pinocchio::deviations(&changed)), "{}: {what}", tree.name);
            }
        }
    }
}

#[test]
fn an_acceleration_that_is_off_by_1e_9_is_noticed_where_the_mass_matrix_allows() {
    let mut noticed = 0;
    for mut tree in from_pinocchio() {
        for a in &mut tree.results.forward_dynamics {
            *a *= 1.0 + 1e-9;
        }
        noticed += usize::from(!agrees(&pinocchio::deviations(&tree)));
    }
    assert!(noticed >= 20, "{noticed}");
}

/// In the chains every number matters: masses are alike, and everything turns.
#[test]
fn a_description_or_a_state_that_is_off_by_1e_9_is_noticed() {
    let mut noticed = std::collections::BTreeSet::new();
    let mut chains = from_pinocchio();
    chains.retain(|tree| tree.name.ends_with("in a chain"));
    let all = mutate::inputs(&mut chains[0].clone()).len();
    for tree in &chains {
        for i in 0..all {
            let mut changed = tree.clone();
            let (what, numbers) = mutate::inputs(&mut changed).swap_remove(i);
            if mutate::nudge(numbers) {
                assert!(!agrees(&pinocchio::deviations(&changed)), "{}: {what}", tree.name);
                noticed.insert(what);
            }
        }
    }
    assert_eq!(noticed.len(), all, "some numbers were never there to change: {noticed:?}");
}

#[test]
fn every_kind_of_joint_occurs_on_the_world_on_a_body_and_with_armature() {
    let trees = from_pinocchio();
    let kinds = [
        "fixed",
        "revolute",
        "prismatic",
        "screw",
        "cylindrical",
        "universal",
        "ball",
        "planar",
        "free",
    ];
    for kind in kinds {
        let joints =
            || trees.iter().flat_map(|tree| &tree.joints).filter(|joint| joint.kind == kind);
        assert!(joints().any(|joint| joint.parent.is_none()), "{kind} on the world");
        assert!(joints().any(|joint| joint.parent.is_some()), "{kind} on a body");
        let driven = joints().any(|joint| !joint.armature.is_empty());
        assert!(driven || kind == "fixed", "{kind} with armature");
    }
}

#[test]
fn there_are_large_trees_branches_several_roots_and_extreme_masses() {
    let trees = from_pinocchio();
    let bodies = || trees.iter().map(|tree| tree.bodies.len());
    assert_eq!((bodies().min(), bodies().max()), (Some(1), Some(60)));
    let roots = |tree: &Tree<_>| tree.joints.iter().filter(|joint| joint.parent.is_none()).count();
    assert!(trees.iter().filter(|tree| roots(tree) > 1).count() >= 5, "several roots");
    let branches = |tree: &Tree<_>| {
        let children = |body: &read::Body| {
            tree.joints.iter().filter(|joint| joint.parent.as_ref() == Some(&body.name)).count()
        };
        tree.bodies.iter().any(|body| children(body) > 1)
    };
    assert!(trees.iter().filter(|tree| branches(tree)).count() >= 5, "branches");
    let ratio = |tree: &Tree<_>| {
        let masses = || tree.bodies.iter().map(|body| body.mass);
        masses().fold(0.0, f64::max) / masses().fold(f64::INFINITY, f64::min)
    };
    assert!(trees.iter().filter(|tree| ratio(tree) >= 0.99e6).count() >= 5, "extreme masses");
}

/// Ours of a peer's velocity, and the peer's of that again.
fn there_and_back(entry: &FreeVelocity, quat: Quat) -> ([f64; 6], [f64; 6]) {
    let theirs = &entry.velocity;
    match entry.peer.as_str() {
        "pinocchio" => {
            let v = convert::velocity_from_pinocchio(quat, theirs);
            (v, convert::velocity_to_pinocchio(quat, &v))
        }
        "mujoco" => {
            let v = convert::velocity_from_mujoco(theirs);
            (v, convert::velocity_to_mujoco(&v))
        }
        "drake" => {
            let v = convert::velocity_from_drake(quat, theirs);
            (v, convert::velocity_to_drake(quat, &v))
        }
        other => panic!("unknown peer {other}"),
    }
}

#[test]
fn velocities_of_free_joints_mean_what_their_owners_say() {
    let mut spec = ModelSpec::new();
    spec.body("b", Inertia::principal(1.0, [1.0; 3]));
    let model = spec.build(Coordinates::Generalized).expect("a free body");
    let id = model.body("b").expect("it is there");
    let mut data = Data::new(&model);
    let free = read::file::<FreeJoints>("free_joints.json").velocities;
    for peer in ["pinocchio", "mujoco", "drake"] {
        assert!(free.iter().any(|entry| entry.peer == peer), "{peer}");
    }
    for entry in free {
        let quat = Quat::from_wxyz(&entry.quaternion);
        let (v, back) = there_and_back(&entry, quat);
        let q: Vec<f64> = entry.position.into_iter().chain(quat.to_wxyz()).collect();
        kinematics::update(&model, &q, &v, &mut data);
        let V = kinematics::velocity(&model, &data, id);
        assert!(compare::vector(V.w.as_slice(), &entry.twist[..3]) <= TOLERANCE, "{}", entry.peer);
        assert!(compare::vector(V.v.as_slice(), &entry.twist[3..]) <= TOLERANCE, "{}", entry.peer);
        assert!(compare::vector(&back, &entry.velocity) <= TOLERANCE, "{}", entry.peer);
    }
}

#[test]
fn quaternions_are_kept_in_the_order_that_the_converters_assume() {
    for entry in read::file::<FreeJoints>("free_joints.json").velocities {
        let quat = Quat::from_wxyz(&entry.quaternion);
        if entry.peer == "pinocchio" {
            assert_eq!(convert::quat_to_xyzw(quat), entry.quaternion_kept);
            assert_eq!(convert::quat_from_xyzw(&entry.quaternion_kept), quat);
        } else {
            assert_eq!(quat.to_wxyz(), entry.quaternion_kept);
        }
    }
}
