//! Scenes that are right.

use std::path::Path;

use stiction_scene::{ForceOn, LoadOptions, Stepping, Syntax, parse};
use stiction_sim::model::{ConstraintKind, GuideKind, JointKind, Law, Shape, SpringKind};
use stiction_sim::{Coordinates, Inertia, Solid, Vec3};

use crate::scene;

/// One of everything.
const EVERYTHING: &str = include_str!("everything.toml");
const EVERYTHING_JSON: &str = include_str!("everything.json");

#[test]
fn toml_and_json_of_one_scene_are_equal() {
    let toml = scene(EVERYTHING);
    let options = LoadOptions::default();
    let json = parse(EVERYTHING_JSON, Path::new("x/scene.json"), Syntax::Json, &options).unwrap();
    assert_eq!(toml, json);
}

#[test]
fn a_resolved_scene_loads_to_an_equal_one() {
    let small = "[bodies.a]\nmass = 1\nshapes = { kind = \"sphere\", radius = 0.1 }\n";
    for text in [EVERYTHING, small, ""] {
        let first = scene(text);
        let again = scene(&first.resolved());
        assert_eq!(first, again, "{}", first.resolved());
        assert_eq!(first.resolved(), again.resolved());
    }
}

#[test]
fn the_scene_with_one_of_everything_builds_in_both_coordinates() {
    let mut all = scene(EVERYTHING);
    let (model, state) = all.build().unwrap();
    assert_eq!(all.coordinates, Coordinates::Generalized);
    assert_eq!(model.bodies().len(), all.spec.bodies.len());
    let hinge = model.q_range(model.joint("hinge").unwrap()).unwrap();
    assert!((state.q[hinge.start] - 30f64.to_radians()).abs() < 1e-15);
    all.coordinates = Coordinates::Maximal;
    let (maximal, _) = all.build().unwrap();
    assert_eq!(maximal.nv(), 6 * all.spec.bodies.len());
}

#[test]
fn everything_is_what_it_says() {
    let all = scene(EVERYTHING);
    let spec = &all.spec;
    let shape = |name: &str| &spec.shapes.iter().find(|shape| shape.name == name).unwrap().shape;
    assert_eq!(*shape("ground"), Shape::HalfSpace);
    assert_eq!(*shape("box"), Shape::cuboid(1.0, 2.0, 3.0));
    assert_eq!(*shape("can"), Shape::Cylinder { radius: 0.5, half_length: 1.0 });
    let joint = |name: &str| spec.joints.iter().find(|joint| joint.name == name).unwrap();
    assert_eq!(joint("hinge").kind, JointKind::Revolute { axis: Vec3::y() });
    assert_eq!(joint("hinge").limits, [(-1.0, f64::INFINITY)]);
    let kind = |name: &str| &spec.constraints.iter().find(|c| c.name == name).unwrap().kind;
    assert!(matches!(kind("rod"), ConstraintKind::Distance { length: 2.0, .. }));
    assert!(matches!(kind("gear"), ConstraintKind::Coupling { terms, .. } if terms.len() == 2));
    assert!(matches!(spec.springs[0].kind, SpringKind::Points { rest: 0.5, .. }));
    assert!(matches!(spec.guides[0].kind, GuideKind::Hoop { radius: 1.5 }));
    assert_eq!(spec.motors[0].law, Law::rate(0.0, 2.0));
    let pull = &all.forces[0];
    assert!(matches!(&pull.on, ForceOn::Body { body, .. } if body == "box"));
    let cosine = pull.law.unwrap().at(0.7)[0];
    assert!((cosine - 0.7f64.cos()).abs() < 1e-15, "{cosine}");
    assert!(matches!(all.stepping, Stepping::Located(_)));
    assert_eq!(all.steps, 200);
}

#[test]
fn a_body_weighs_what_its_shapes_weigh() {
    let text = "[bodies.a]\nmass = 3\nshapes = [\
        { kind = \"box\", size = [1, 1, 1], position = [1, 0, 0] },\
        { kind = \"box\", size = [1, 1, 1], position = [-1, 0, 0] }]\n\
        [bodies.b]\ndensity = 2\nshapes = { kind = \"cone\", radius = 1, height = 4 }\n";
    let spec = scene(text).spec;
    let half = Solid::Box { edges: [1.0; 3] }.with_mass(1.5).unwrap();
    let at = |x: f64| half.moved(&stiction_sim::Pose::translation(x, 0.0, 0.0));
    assert_eq!(spec.bodies[0].inertia, at(1.0) + at(-1.0));
    let cone = spec.bodies[1].inertia;
    // the centre of mass is a quarter of the height above the base, which is 2 m below the origin
    assert!((cone.com - Vec3::new(0.0, 0.0, -1.0)).norm() < 1e-15);
    assert!((cone.mass - 2.0 * std::f64::consts::PI * 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn a_stated_inertia_is_taken_as_it_is() {
    let text = "[bodies.a]\nmass = 2\ninertia = [3, 4, 5, 0.1, 0.2, 0.3]\ncom = [0, 0, 1]\n";
    let Inertia { mass, com, I_com } = scene(text).spec.bodies[0].inertia;
    assert_eq!((mass, com), (2.0, Vec3::z()));
    assert_eq!([I_com.m12, I_com.m13, I_com.m23, I_com.m33], [0.1, 0.2, 0.3, 5.0]);
    assert_eq!(I_com, I_com.transpose());
}

#[test]
fn settings_of_the_caller_win() {
    let text = "[bodies.a]\nmass = 1\nshapes = { kind = \"sphere\", radius = 0.1 }\n\
                [[arrays]]\nkind = \"tower\"\ncount = 2\nof = { mass = 1, shapes = { kind = \"sphere\", radius = 1 } }\n";
    let options = LoadOptions {
        set: ["bodies.a.mass = 2", "stepping.h=1e-2", "law.kind=box", "arrays.0.count=3"]
            .map(str::to_string)
            .to_vec(),
        seed: Some(7),
        ..LoadOptions::default()
    };
    let found = parse(text, Path::new("s.toml"), Syntax::Toml, &options).unwrap();
    assert_eq!(found.spec.bodies[0].inertia.mass, 2.0);
    assert_eq!(found.stepping.step().h, 1e-2);
    assert_eq!(found.stepping.step().contact.law.name(), "box");
    assert_eq!(found.spec.bodies.len(), 4);
    assert_eq!(found.seed, 7);
}

#[test]
fn a_length_of_the_run_that_is_set_replaces_the_one_of_the_file() {
    let text = "[stepping]\nduration = 2\n";
    let options = LoadOptions { set: vec!["stepping.steps=5".to_string()], ..Default::default() };
    let found = parse(text, Path::new("s.toml"), Syntax::Toml, &options).unwrap();
    assert_eq!(found.steps, 5);
    let options =
        LoadOptions { set: vec!["stepping.duration=0.5".to_string()], ..Default::default() };
    let found =
        parse("[stepping]\nsteps = 7\n", Path::new("s.toml"), Syntax::Toml, &options).unwrap();
    assert_eq!(found.steps, 500);
}

#[test]
fn a_template_gives_what_a_body_does_not_state() {
    let text = "[templates.ball]\nmass = 1\nshapes = { kind = \"sphere\", radius = 0.1 }\n\
                [templates.heavy]\nlike = \"ball\"\nmass = 5\n\
                [bodies.a]\nlike = \"heavy\"\nposition = [1, 0, 0]\n\
                [bodies.b]\nlike = \"ball\"\ndensity = 1\n";
    let spec = scene(text).spec;
    assert_eq!(spec.bodies[0].inertia.mass, 5.0);
    assert!((spec.bodies[1].inertia.mass - 4e-3 / 3.0 * std::f64::consts::PI).abs() < 1e-15);
    assert_eq!(spec.shapes.len(), 2);
}
