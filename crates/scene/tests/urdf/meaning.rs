//! What parts of a file become.

use stiction_scene::urdf::{self, Base, FixedJoints, MeshRule, Options, Robot};
use stiction_sim::model::{JointKind, Shape, Surface};
use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Input, ModelSpec, Pose, Quat, StepSettings, Vec3, step};

use super::report::EVERYTHING;
use super::{read, robot};

const MASS: &str = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;

fn joined(kind: &str, inside: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a">{MASS}</link><link name="b">{MASS}</link><joint name="j" type="{kind}">
        <parent link="a"/><child link="b"/>{inside}</joint></robot>"#
    )
}

fn plain(text: &str) -> Robot {
    read(text, &Options::default()).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

#[test]
fn surfaces_have_the_friction_that_extensions_state() {
    let robot = plain(EVERYTHING);
    assert_eq!(robot.shapes.len(), 1);
    let material = robot.materials.iter().find(|m| m.name == robot.shapes[0].material);
    let surface = material.expect("the shape's own").surface;
    assert_eq!(surface, Surface { mu_s: 0.8, mu_k: 0.6, e: 0.0, compliance: None });
    let arm = robot.materials.iter().find(|m| m.name == "arm").expect("of the link").surface;
    assert!((arm.mu_s - 0.6).abs() < 1e-15 && arm.mu_k == arm.mu_s);
}

#[test]
fn numbers_of_a_joint_arrive() {
    let joint = plain(EVERYTHING).joints.pop().expect("a joint");
    assert_eq!(joint.kind, JointKind::Revolute { axis: Vec3::z() });
    assert_eq!(
        (joint.limits, joint.damping, joint.friction),
        (vec![(-1.0, 1.0)], vec![1.0], vec![2.0])
    );
}

#[test]
fn the_axis_of_a_joint_is_x_if_nothing_is_said() {
    let joint = plain(&joined("continuous", "")).joints.pop().expect("a joint");
    assert_eq!(joint.kind, JointKind::Revolute { axis: Vec3::x() });
    assert!(joint.limits.is_empty());
}

/// Whatever the normal, the child moves in the plane of the joint's frame that is perpendicular to it.
#[test]
fn a_planar_joint_moves_across_its_normal() {
    for axis in [[1.0, 0.0, 0.0], [0.0, 0.0, -3.0], [0.3, -2.0, 0.7]] {
        let [x, y, z] = axis;
        let origin = r#"<origin xyz="1 2 3" rpy="0.3 -0.4 1.1"/>"#;
        let text = joined("planar", &format!(r#"{origin}<axis xyz="{x} {y} {z}"/>"#));
        let mut spec = ModelSpec::new();
        plain(&text).add_to(&mut spec);
        let model = spec.build(Coordinates::Generalized).expect("a model");
        let mut data = Data::new(&model);
        let body = model.body("b").expect("the child");
        let mut pose = |q: [f64; 3]| {
            kinematics::update(&model, &q, &[0.0; 3], &mut data);
            kinematics::pose(&model, &data, body)
        };
        let start = pose([0.0; 3]);
        assert!((start.p - Vec3::new(1.0, 2.0, 3.0)).amax() < 1e-15);
        let normal = start.R * Vec3::from(axis).normalize();
        for q in [[0.7, 0.0, 0.0], [0.0, -0.4, 0.0]] {
            let shift = pose(q).p - start.p;
            assert!(
                shift.dot(&normal).abs() < 1e-15
                    && (shift.norm() - q[0].abs().max(q[1].abs())).abs() < 1e-15
            );
        }
        let turned = pose([0.0, 0.0, 0.9]);
        let expected = Quat::exp(&(normal * 0.9)).to_matrix() * start.R;
        assert!((turned.R - expected).amax() < 1e-14, "{axis:?}");
    }
}

#[test]
fn names_get_the_prefix_everywhere() {
    let options = Options { prefix: "left_".to_string(), ..Options::default() };
    let robot = read(EVERYTHING, &options).expect("a robot");
    let names = robot.bodies.iter().map(|b| &b.name).chain(robot.joints.iter().map(|j| &j.name));
    let names = names.chain(robot.shapes.iter().map(|s| &s.name));
    let names = names.chain(robot.materials.iter().map(|m| &m.name));
    let names = names.chain(robot.visuals.iter().map(|v| &v.name));
    let mut names = names.chain(robot.links.iter().map(|l| &l.name));
    assert!(names.all(|name| name.starts_with("left_")));
    let frames = robot.joints.iter().flat_map(|j| [&j.parent, &j.child]);
    assert!(frames.filter_map(|f| f.body.as_ref()).all(|body| body.starts_with("left_")));
    let mut spec = ModelSpec::new();
    // twice in one model
    robot.add_to(&mut spec);
    read(EVERYTHING, &Options { prefix: "right_".to_string(), ..options })
        .expect("a robot")
        .add_to(&mut spec);
    assert!(spec.build(Coordinates::Generalized).is_ok());
}

#[test]
fn links_without_mass_are_parts_of_what_they_are_fixed_to() {
    let robot = robot("data/urdf/arm.urdf", &Options::default());
    let names: Vec<&str> = robot.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["upper", "forearm", "tool"]);
    let host = |link: &str| {
        let link = robot.links.iter().find(|l| l.name == link).expect("a link");
        link.frame.body.as_deref()
    };
    assert_eq!(
        (host("base"), host("elbow_frame"), host("tool_centre")),
        (None, Some("forearm"), Some("tool"))
    );
    let joints: Vec<&str> = robot.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(joints, ["shoulder", "elbow", "flange"]);
}

#[test]
fn links_with_mass_are_parts_of_what_they_are_fixed_to_if_that_is_wanted() {
    let options = Options { fixed: FixedJoints::Merged, ..Options::default() };
    let arm = robot("data/urdf/arm.urdf", &options);
    let names: Vec<&str> = arm.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["upper", "forearm"]);
    assert!((arm.bodies[1].inertia.mass - 1.75).abs() < 1e-15);
    assert_eq!(arm.joints.len(), 2);
    // shapes stay with their links
    let tip = arm.shapes.iter().find(|shape| shape.name == "tool/tip").expect("a shape");
    assert_eq!(tip.frame.body.as_deref(), Some("forearm"));
    // four legs of three bodies and the torso
    let options = Options { base: Base::Free, ..options };
    assert_eq!(robot("scenes/quadruped.urdf", &options).bodies.len(), 13);
}

/// A point mass is no body, but may be a part of one.
#[test]
fn a_point_is_a_part_of_a_body_but_no_body() {
    let point = r#"<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>"#;
    let text = joined("fixed", r#"<origin xyz="0 0 2"/>"#);
    let text = text.replace(&format!(r#""b">{MASS}"#), &format!(r#""b">{point}"#));
    assert!(read(&text, &Options::default()).is_err());
    let merged = Options { fixed: FixedJoints::Merged, ..Options::default() };
    let robot = read(&text, &merged).expect("one body");
    let inertia = robot.bodies[0].inertia;
    assert_eq!((inertia.mass, inertia.com), (2.0, Vec3::z()));
    assert_eq!(inertia.I_com.diagonal(), Vec3::new(3.0, 3.0, 1.0));
    let errors = read(&text.replace("fixed", "continuous"), &merged).expect_err("a point turns");
    assert!(errors[0].message.contains("with all that is fixed to it"), "{errors:?}");
}

#[test]
fn a_fixed_base_stands_and_a_free_one_starts_where_the_options_say() {
    let pose = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::exp(&Vec3::new(0.1, 0.2, 0.3)));
    let text = joined("continuous", "");
    for base in [Base::Fixed, Base::Free] {
        let robot = read(&text, &Options { base, pose, ..Options::default() }).expect("a robot");
        let mut spec = ModelSpec::new();
        robot.add_to(&mut spec);
        let model = spec.build(Coordinates::Generalized).expect("a model");
        let mut state = model.state();
        if let Some(base) = &robot.free_base {
            let q = model.q_range(model.joint(&base.joint).expect("it")).expect("moves");
            let quat = Quat::from_matrix(&base.pose.R).to_wxyz();
            let numbers: Vec<f64> = base.pose.p.iter().copied().chain(quat).collect();
            state.q[q].copy_from_slice(&numbers);
        }
        assert_eq!(model.nv(), if base == Base::Free { 7 } else { 1 });
        let mut data = Data::new(&model);
        kinematics::update(&model, &state.q, &state.v, &mut data);
        let found = kinematics::pose(&model, &data, model.body("a").expect("the base"));
        assert!((found.p - pose.p).amax() < 1e-15 && (found.R - pose.R).amax() < 1e-15);
    }
}

/// An L of three cubes, as OBJ; not convex.
fn corner() -> Vec<u8> {
    let outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)];
    let mut text = String::from("# an L\n");
    for z in 0..2 {
        for (x, y) in outline {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    // the L is cut in two convex polygons for each of its faces
    text += "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n";
    for i in 0..6 {
        let j = (i + 1) % 6;
        text += &format!("f {} {} {} {}\n", i + 1, j + 1, j + 7, i + 7);
    }
    text.into_bytes()
}

fn mesh_robot(base: &str, scale: &str, options: &Options) -> Robot {
    let collision = format!(
        r#"<collision><geometry><mesh filename="package://p/corner.obj" scale="{scale}"/></geometry></collision>"#
    );
    let text = format!(r#"<robot name="r"><link name="a">{base}{collision}</link></robot>"#);
    let mut asked = Vec::new();
    let mut open = |name: &str| {
        asked.push(name.to_string());
        Ok(corner())
    };
    let robot = urdf::read(&text, options, &mut open).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(asked, ["package://p/corner.obj"]);
    robot
}

#[test]
fn a_mesh_on_a_body_collides_as_its_hull_and_the_report_says_so() {
    let robot = mesh_robot(MASS, "1 1 1", &Options::default());
    let Shape::Hull(points) = &robot.shapes[0].shape else { panic!("{:?}", robot.shapes) };
    assert_eq!(points.len(), 10);
    let why = robot.report.rows.iter().find_map(|row| match &row.fate {
        urdf::Fate::Approximated(why) => Some(why.clone()),
        _ => None,
    });
    let why = why.expect("approximated");
    assert!(
        why.contains("10 vertices") && why.contains("3.500e0") && why.contains("3.000e0"),
        "{why}"
    );
}

#[test]
fn a_mesh_on_the_world_stays_a_mesh_unless_hulls_are_wanted() {
    let robot = mesh_robot("", "1 1 1", &Options::default());
    assert!(
        matches!(robot.shapes[0].shape, Shape::Mesh { .. }) && robot.shapes[0].frame.body.is_none()
    );
    let hulls = Options { meshes: MeshRule::Hull, ..Options::default() };
    assert!(matches!(mesh_robot("", "1 1 1", &hulls).shapes[0].shape, Shape::Hull(_)));
}

#[test]
fn a_mirrored_mesh_keeps_its_outside() {
    for (scale, volume) in [("1 1 1", 3.0), ("-2 1 1", 6.0), ("-1 -1 1", 3.0), ("-1 -1 -0.5", 1.5)]
    {
        let robot = mesh_robot("", scale, &Options::default());
        let Shape::Mesh { vertices, triangles } = &robot.shapes[0].shape else { panic!() };
        let corner = |v: u32| vertices[v as usize];
        let six: f64 =
            triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c)))).sum();
        assert!((six / 6.0 - volume).abs() < 1e-12, "{scale}: {}", six / 6.0);
    }
}

/// The shipped robot stands on its feet by the friction of its joints, certified in every step.
#[test]
fn the_quadruped_stands() {
    let pose = Pose::translation(0.0, 0.0, 0.4 * libm::cos(0.6) + 0.02);
    let options = Options { base: Base::Free, pose, ..Options::default() };
    let robot = robot("scenes/quadruped.urdf", &options);
    let mut spec = ModelSpec::new();
    spec.material("default", Surface::rigid(0.6));
    spec.shape("ground", stiction_sim::model::FrameSpec::world(), Shape::HalfSpace, "default");
    robot.add_to(&mut spec);
    let model = spec.build(Coordinates::Generalized).expect("a model");
    assert_eq!(model.nv(), 18);
    let mut state = model.state();
    let base = robot.free_base.as_ref().expect("free");
    let q = model.q_range(model.joint(&base.joint).expect("it")).expect("moves");
    state.q[q.clone()][..3].copy_from_slice(base.pose.p.as_slice());
    let start = state.clone();
    let mut data = Data::new(&model);
    let settings = StepSettings { h: 2e-3, ..StepSettings::default() };
    for i in 0..250 {
        let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
        let report = report.unwrap_or_else(|error| panic!("step {i}: {error}"));
        let contact = report.contact.expect("feet");
        assert!(contact.certified && contact.contacts == 4, "step {i}: {contact:?}");
    }
    let sunk = state.q.iter().zip(&start.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(sunk < 1e-3, "{sunk}");
}
