//! Scenes that run.

use stiction_scene::{Simulation, Stepping};
use stiction_sim::{BodyLoad, Data, Input, Vec3, step};

use crate::scene;

/// The box on the ground of [PKF17] table 1.
const BOX_ON_GROUND: &str = r#"
    [materials.ground]
    friction = 1.0
    stiffness = 1e10
    damping = 1e8
    [materials.box]
    friction = 1.0
    [shapes.ground]
    kind = "half-space"
    material = "ground"
    [bodies.box]
    mass = 1
    inertia = [0.16666666666666666, 0.16666666666666666, 0.16666666666666666]
    position = [0, 0, 0.5]
    velocity = [0, 5, 0]
    angular_velocity = [0, 0, "360 deg/s"]
    shapes = { kind = "points", points = [[0.5, 0.5, -0.5], [-0.5, 0.5, -0.5], [-0.5, -0.5, -0.5], [0.5, -0.5, -0.5]], material = "box" }
    [law]
    bristle = { stiffness = 1e8, damping = 1e5 }
    [start]
    normal_force = 2.4525
"#;

#[test]
fn the_box_slides_to_a_stop_under_every_law() {
    for law in ["pyramid", "box", "hybrid", "phantom", "cone"] {
        let text = BOX_ON_GROUND.replace(
            "[law]\n",
            &format!("[law]\nkind = {law:?}\nfacets = 4\nlambda_min = 9.81e-3\n"),
        );
        let mut run = Simulation::new(&scene(&text)).unwrap();
        assert_eq!(run.state.memory.contacts.len(), 4);
        assert!(run.state.memory.contacts.iter().all(|memory| memory.lambda_n == 2.4525));
        for _ in 0..1000 {
            assert!(run.step().unwrap().certified, "{law}");
        }
        let fastest = run.state.v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(fastest < 1e-6, "{law}: {fastest}");
        // it slides for v²/(2 μ g), somewhat less for the part of friction that stops the spin
        assert!((1.1..1.8).contains(&run.state.q[1]), "{law}: {}", run.state.q[1]);
    }
}

/// Two cubes with a damper between them, one of which 20 cos t pulls at.
const TWO_CUBES: &str = r#"
    [materials.default]
    friction = 0.4
    [shapes.ground]
    kind = "half-space"
    [templates.cube]
    mass = 1
    shapes = { kind = "box", size = [1, 1, 1] }
    [bodies.left]
    like = "cube"
    position = [0, 0, 0.5]
    [bodies.right]
    like = "cube"
    position = [3, 0, 0.5]
    [springs.link]
    a = "left"
    b = "right"
    rest = 3
    damping = 100
    [forces.pull]
    body = "left"
    force = [20, 0, 0]
    law = { sine = { omega = 1, phase = "90 deg" } }
    [stepping]
    h = 0.05
"#;

#[test]
fn a_force_that_swings_is_the_force_of_the_beginning_of_each_step() {
    let found = scene(TWO_CUBES);
    let mut run = Simulation::new(&found).unwrap();
    let (model, mut state) = found.build().unwrap();
    let mut data = Data::new(&model);
    let Stepping::Fixed(settings) = found.stepping else { panic!("fixed steps") };
    let body = model.body("left").unwrap();
    for _ in 0..20 {
        run.step().unwrap();
        let f = Vec3::new(20.0 * state.time.cos(), 0.0, 0.0);
        let load = BodyLoad { body, p_UoQ_U: Vec3::zeros(), f, t: Vec3::zeros() };
        let input = Input { bodies: &[load], ..Input::default() };
        step(&model, &settings, &input, &mut state, &mut data).unwrap();
    }
    let apart =
        run.state.q.iter().zip(&state.q).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(apart < 1e-9, "{apart}");
    assert!(state.q[0] > 0.5, "{}", state.q[0]);
}

#[test]
fn a_torque_on_a_joint_turns_it_in_both_coordinates() {
    let text = "[world]\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = [2, 2, 2]\n\
                [joints.j]\nkind = \"revolute\"\naxis = [0, 0, 1]\nchild = \"a\"\n\
                [forces.f]\nkind = \"joint\"\njoint = \"j\"\nforce = 4\n";
    for coordinates in ["generalized", "maximal"] {
        let text = text.replace("[world]\n", &format!("[world]\ncoordinates = {coordinates:?}\n"));
        let mut run = Simulation::new(&scene(&text)).unwrap();
        for _ in 0..100 {
            run.step().unwrap();
        }
        let rate = run.state.v[run.state.v.len() - 1];
        assert!((rate - 4.0 / 2.0 * 0.1).abs() < 1e-9, "{coordinates}: {rate}");
    }
}

#[test]
fn a_ball_that_bounces_is_located() {
    let text = "[materials.default]\nrestitution = 0.8\n[shapes.ground]\nkind = \"half-space\"\n\
                [bodies.a]\nmass = 1\nposition = [0, 0, 1.1]\nshapes = { kind = \"sphere\", radius = 0.1 }\n\
                [stepping]\nh = 0.01\nlocated = true\nledger = true\n";
    let mut run = Simulation::new(&scene(text)).unwrap();
    let mut impacts = Vec::new();
    for _ in 0..100 {
        let stepped = run.step().unwrap();
        assert!(stepped.certified && stepped.ledger.is_some());
        impacts.extend(stepped.events.iter().map(|event| event.time));
    }
    let fall = (2.0f64 / 9.81).sqrt();
    assert!((impacts[0] - fall).abs() < 1e-9, "{impacts:?}");
    assert!(impacts.len() == 1, "{impacts:?}");
}

#[test]
fn a_force_on_a_velocity_that_is_not_there_is_told() {
    let text = "[bodies.a]\nmass = 1\ninertia = [2, 2, 2]\n\
                [joints.j]\nkind = \"revolute\"\naxis = [0, 0, 1]\nchild = \"a\"\n\
                [forces.f]\nkind = \"joint\"\njoint = \"j\"\nindex = 1\nforce = 4\n";
    let errors = Simulation::new(&scene(text)).unwrap_err();
    assert!(errors[0].to_string().starts_with("nowhere/scene.toml:8:9: "), "{errors:?}");
}
