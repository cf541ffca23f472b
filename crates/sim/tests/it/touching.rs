//! Ten scenes with contact, small enough to be run many times: for the tests of determinism, frames and units.

use crate::mechanisms::{Bars, Mechanism, Run, four_bar, hinge};
use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{Law, Phantom, Pyramid};
use stiction_sim::model::{FrameSpec, JointKind, Relaxation, Shape, Surface};
use stiction_sim::{Coordinates, Inertia, Quat, StepSettings, Vec3};

/// A mechanism with shapes, and how its steps are taken.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) m: Mechanism,
    pub(crate) set: Coordinates,
    pub(crate) settings: StepSettings,
    /// The law has no directions of its own, so that a turned world is the same world.
    pub(crate) is_isotropic: bool,
    /// All pairs of shapes have closed forms: no numbers of another library.
    pub(crate) is_analytic: bool,
    /// Steps for which neighbours in the last bit stay neighbours.
    pub(crate) calm: usize,
}

impl Scene {
    fn new(name: &'static str, mu: f64, slope: f64) -> Self {
        let mut m = Mechanism::new(name);
        m.spec.material("stuff", Surface::rigid(mu));
        let quat = Quat::exp(&Vec3::new(0.0, slope, 0.0));
        m.spec.shape("ground", FrameSpec::world().turned(quat), Shape::HalfSpace, "stuff");
        // nearer to the law than by default: frames are compared to 1e-12
        let contact = ContactSettings { tol: 1e-12, ..Default::default() };
        let settings = StepSettings { h: 5e-3, contact, ..Default::default() };
        let set = Coordinates::Generalized;
        Self { m, set, settings, is_isotropic: true, is_analytic: true, calm: 100 }
    }

    /// A free body with one shape; uniform moments of a ball of this radius.
    fn body(&mut self, name: &str, mass: f64, shape: Shape, p: [f64; 3], turn: [f64; 3]) {
        self.moving(name, mass, shape, (p, turn), [0.0; 6]);
    }

    fn moving(
        &mut self,
        name: &str,
        mass: f64,
        shape: Shape,
        (p, turn): ([f64; 3], [f64; 3]),
        v: [f64; 6],
    ) {
        let mut q = p.to_vec();
        q.extend(Quat::exp(&Vec3::from(turn)).to_wxyz());
        let inertia = Inertia::principal(mass, [0.1, 0.125, 0.15].map(|I| I * mass));
        let joint = (JointKind::Free, FrameSpec::world(), FrameSpec::of(name));
        self.m.link(name, inertia, joint, (&q, &v));
        self.m.spec.shape(name, FrameSpec::of(name), shape, "stuff");
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {:?}", self.m.name, self.set)
    }

    pub(crate) fn run(&self) -> Run {
        self.m.run(self.set)
    }

    /// n steps from the beginning.
    pub(crate) fn after(&self, n: usize) -> Run {
        let mut run = self.run();
        for i in 0..n {
            if let Err(error) = run.try_step(&self.settings) {
                panic!("{}, step {i}: {error}", self.name());
            }
        }
        run
    }
}

fn sphere(radius: f64) -> Shape {
    Shape::Sphere { radius }
}

fn sliding_block() -> Scene {
    let mut scene = Scene::new("sliding block", 0.3, 0.2);
    let up = Quat::exp(&Vec3::new(0.0, 0.2, 0.0)).to_matrix() * Vec3::new(0.0, 0.0, 0.25);
    let place = ([up.x, up.y, up.z], [0.0, 0.2, 0.0]);
    let block = Shape::cuboid(1.0, 0.75, 0.5);
    scene.moving("block", 2.0, block, place, [0.5, 1.0, -0.1, 0.0, 0.0, 1.5]);
    scene
}

fn rolling_sphere() -> Scene {
    let mut scene = Scene::new("rolling sphere", 0.4, 0.1);
    let up = Quat::exp(&Vec3::new(0.0, 0.1, 0.0)).to_matrix() * Vec3::new(0.0, 0.0, 0.5);
    let v = [0.3, -1.0, 0.0, 1.0, 2.0, 3.0];
    scene.moving("ball", 1.5, sphere(0.5), ([up.x, up.y, up.z], [0.0; 3]), v);
    scene
}

fn tower() -> Scene {
    let mut scene = Scene::new("tower", 0.5, 0.0);
    for (i, mass) in [1.0, 10.0, 100.0].into_iter().enumerate() {
        let s = i as f64;
        let p = [0.06 * s, -0.04 * s, 0.5 + s];
        scene.body(&format!("box {i}"), mass, Shape::cuboid(1.0, 1.0, 1.0), p, [0.0; 3]);
    }
    scene
}

fn spheres(name: &'static str) -> Scene {
    let mut scene = Scene::new(name, 0.5, 0.0);
    let places = [[0.0, 0.0, 0.5], [1.05, 0.1, 0.5], [0.4, 0.95, 0.55], [0.5, 0.35, 1.3]];
    for (i, p) in places.into_iter().enumerate() {
        scene.body(&format!("ball {i}"), 1.0 + 0.5 * i as f64, sphere(0.5), p, [0.0; 3]);
    }
    scene
}

fn dropped_boxes() -> Scene {
    let mut scene = Scene::new("dropped boxes", 0.4, 0.0);
    let boxes = [([0.0, 0.0, 0.6], [0.1, 0.2, 0.3]), ([0.2, 0.1, 1.5], [-0.2, 0.1, 0.7])];
    for (i, (p, turn)) in boxes.into_iter().enumerate() {
        scene.body(&format!("box {i}"), 1.0 + i as f64, Shape::cuboid(1.0, 0.8, 0.6), p, turn);
    }
    // then the upper box slides on six contacts, whose share in the weight, and so in the friction, is open
    Scene { calm: 70, ..scene }
}

/// Two links on a stand, a ball at the elbow and one at the tip, falling onto the ground.
fn arm(set: Coordinates) -> Scene {
    let mut scene = Scene { set, ..Scene::new("arm", 0.4, 0.0) };
    let link = Inertia::principal(1.0, [0.01, 0.08, 0.08]);
    let of = FrameSpec::of;
    let stand = FrameSpec::world().at(0.0, 0.0, 0.6);
    let shoulder = (hinge(Vec3::y()), stand, of("upper").at(-0.5, 0.0, 0.0));
    scene.m.link("upper", link, shoulder, (&[0.1], &[0.5]));
    let elbow = (JointKind::Ball, of("upper").at(0.5, 0.0, 0.0), of("lower").at(-0.5, 0.0, 0.0));
    scene.m.link("lower", link, elbow, (&Quat::exp(&Vec3::new(0.1, 0.3, 0.4)).to_wxyz(), &[]));
    let spec = &mut scene.m.spec;
    spec.shape("elbow", of("upper").at(0.5, 0.0, 0.0), sphere(0.1), "stuff");
    spec.shape("tip", of("lower").at(0.5, 0.0, 0.0), sphere(0.15), "stuff");
    scene
}

/// A crank and rocker that turns until its coupler meets the ground, y upwards.
fn touching_four_bar() -> Scene {
    let bars = Bars { a: 0.4, b: 1.2, c: 0.9, d: 1.0 };
    let mut scene = Scene::new("touching four-bar", 0.3, 0.0);
    let m = four_bar(bars, 0.1, -2.0);
    let (materials, shapes) = (scene.m.spec.materials.clone(), scene.m.spec.shapes.clone());
    scene.m = Mechanism { name: "touching four-bar", ..m };
    (scene.m.spec.materials, scene.m.spec.shapes) = (materials, shapes);
    let up = Quat::exp(&Vec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    scene.m.spec.shapes[0].frame = FrameSpec::world().at(0.0, -0.3, 0.0).turned(up);
    let foot = FrameSpec::of("crank").at(0.4, 0.0, 0.0);
    scene.m.spec.shape("foot", foot, sphere(0.05), "stuff");
    scene
}

fn mixture() -> Scene {
    let mut scene = Scene::new("mixture", 0.4, 0.0);
    let capsule = Shape::Capsule { radius: 0.25, half_length: 0.5 };
    let cylinder = Shape::Cylinder { radius: 0.4, half_length: 0.5 };
    let corners = [[0.5, 0.0, -0.3], [-0.4, 0.4, -0.3], [-0.4, -0.4, -0.3], [0.0, 0.0, 0.6]];
    let hull = Shape::Hull(corners.map(Vec3::from).to_vec());
    scene.body("capsule", 1.0, capsule, [0.0, 0.0, 0.3], [0.0, 1.5, 0.0]);
    scene.body("cylinder", 2.0, cylinder, [0.1, 0.2, 1.1], [0.1, 0.2, 0.0]);
    scene.body("hull", 1.5, hull, [0.2, 0.1, 2.1], [0.2, -0.1, 0.4]);
    Scene { is_analytic: false, calm: 60, ..scene }
}

fn soft_box() -> Scene {
    let mut scene = Scene::new("soft box", 0.4, 0.0);
    let soft = Surface { compliance: Some(Relaxation { k: 2e4, b: 100.0 }), ..Surface::rigid(0.4) };
    scene.m.spec.materials[0].surface = soft;
    let v = [1.0, 0.5, 0.0, 0.0, 0.0, 0.3];
    scene.moving("box", 1.0, Shape::cuboid(1.0, 1.0, 1.0), ([0.0, 0.0, 0.501], [0.0; 3]), v);
    let law = Law::Phantom(Phantom::default());
    let bristle = Some(Relaxation { k: 1e4, b: 100.0 });
    (scene.settings.contact.law, scene.settings.contact.bristle) = (law, bristle);
    Scene { is_isotropic: false, ..scene }
}

fn pyramid_pile() -> Scene {
    let mut scene = spheres("pyramid pile");
    scene.settings.contact.law = Law::Pyramid(Pyramid::default());
    Scene { is_isotropic: false, ..scene }
}

/// Ten scenes, the arm in both sets of coordinates.
pub(crate) fn scenes() -> Vec<Scene> {
    vec![
        sliding_block(),
        rolling_sphere(),
        tower(),
        spheres("pile of spheres"),
        dropped_boxes(),
        arm(Coordinates::Generalized),
        arm(Coordinates::Maximal),
        touching_four_bar(),
        mixture(),
        soft_box(),
        pyramid_pile(),
    ]
}

#[test]
fn every_scene_touches_and_all_move_but_the_tower() {
    for scene in scenes() {
        let mut run = scene.run();
        let start = run.state.clone();
        let mut most = 0.0_f64;
        for _ in 0..scene.calm {
            run.step(&scene.settings);
            most = run.data.contact_impulses().iter().fold(most, |m, p| m.max(p.abs()));
        }
        // at least a newton over a step
        assert!(most > scene.settings.h, "{}: {most}", scene.name());
        assert_eq!(run.state.q == start.q, scene.m.name == "tower", "{}", scene.name());
    }
}
