//! A slider-crank at constant rate: driving torque and all bearing forces of crank, connecting rod and
//! slider against the closed form, in both sets of coordinates.
//!
//! The crank OA (length r) turns with Ω about O; the rod AB (length l) leads to the slider B, which moves
//! along x. With φ the angle of the crank above the x axis and ψ that of the rod below it,
//!
//! ```text
//!  A = r (cos φ, sin φ),   B = A + e,   e = l (cos ψ, −sin ψ),   l sin ψ = r sin φ
//!  the last one's derivatives:   l cos ψ ψ̇ = r Ω cos φ,   l cos ψ ψ̈ = l ψ̇² sin ψ − r Ω² sin φ
//!  a_A = −Ω² A,   a_B = −r Ω² cos φ − l (ψ̈ sin ψ + ψ̇² cos ψ)   along x
//! ```
//!
//! The rod's centre is G = A + s e, the crank's C = c A, so a_G = (1 − s) a_A + s a_B and a_C = c a_A; I is
//! the rod's moment about G, g the gravity, × the z component of the product. F_O is what O does to the
//! crank, F_A the crank to the rod, F_B the rod to the slider, N the guide to the slider (along y), T the
//! drive to the crank. Newton's law for each body, Euler's for the rod about A (it turns by −ψ) and for the
//! crank about O (it turns evenly), solved from the slider back:
//!
//! ```text
//!  m_s a_B = F_B + N + m_s g                        F_B,x = m_s a_B
//!  m_r s e × (a_G − g) − I ψ̈ = −e × F_B             l (cos ψ F_B,y + sin ψ F_B,x)
//!                                                      = I ψ̈ − m_r s e × (a_G − g)
//!                                                   N = −F_B,y + m_s |g|
//!  m_r a_G = F_A − F_B + m_r g                      F_A = m_r (a_G − g) + F_B
//!  m_c a_C = F_O − F_A + m_c g                      F_O = m_c (a_C − g) + F_A
//!  0 = T − A × F_A + C × m_c g                      T = A × F_A − C × m_c g
//! ```
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use std::error::Error;

use stiction_sim::constraint::project::assemble;
use stiction_sim::dynamics::{constrained_accelerations, constraint_forces, reactions};
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law};
use stiction_sim::{Coordinates, Data, Inertia, Input, Model, ModelSpec, Pose, State, Vec3};

/// Lengths [m], rate [rad/s], masses [kg], moment about the centre of mass [kg·m²]: an engine at 1500 turns
/// a minute.
const R: f64 = 0.05;
const L: f64 = 0.16;
const OMEGA: f64 = 157.0;
const G: f64 = 9.81;
const CRANK: f64 = 1.2;
const ROD: f64 = 0.6;
const ROD_MOMENT: f64 = 0.002;
const SLIDER: f64 = 0.45;
/// Where the centres of mass are, as parts of R and L.
const CRANK_CENTRE: f64 = 0.3;
const ROD_CENTRE: f64 = 0.35;

/// Forces on crank, rod and slider at their first bearings, force of the guide [N], driving torque [N·m].
struct Loads {
    main: Vec3,
    pin: Vec3,
    wrist: Vec3,
    guide: f64,
    torque: f64,
    /// Of the slider [m/s²].
    acceleration: f64,
}

fn textbook(phi: f64) -> Loads {
    let (sin_phi, cos_phi) = phi.sin_cos();
    let sin = R / L * sin_phi;
    let cos = (1.0 - sin * sin).sqrt();
    let rate = R * OMEGA * cos_phi / (L * cos);
    let psi_ddot = (L * rate * rate * sin - R * OMEGA * OMEGA * sin_phi) / (L * cos);
    let (a, e, g) = (
        Vec3::new(R * cos_phi, R * sin_phi, 0.0),
        Vec3::new(L * cos, -L * sin, 0.0),
        -G * Vec3::y(),
    );
    let a_A = -OMEGA * OMEGA * a;
    let acceleration = a_A.x - L * (psi_ddot * sin + rate * rate * cos);
    let a_G = (1.0 - ROD_CENTRE) * a_A + ROD_CENTRE * acceleration * Vec3::x();

    let turn = ROD_MOMENT * psi_ddot - ROD * ROD_CENTRE * e.cross(&(a_G - g)).z;
    let along = SLIDER * acceleration;
    let wrist = Vec3::new(along, (turn / L - sin * along) / cos, 0.0);
    let pin = ROD * (a_G - g) + wrist;
    let main = CRANK * (CRANK_CENTRE * a_A - g) + pin;
    let torque = a.cross(&pin).z - CRANK * CRANK_CENTRE * a.cross(&g).z;
    Loads { main, pin, wrist, guide: -wrist.y + SLIDER * G, torque, acceleration }
}

/// A body in the plane: its centre on its x axis, its moment about z.
fn link(mass: f64, centre: f64, moment: f64) -> Inertia {
    Inertia::principal(mass, [moment; 3]).moved(&Pose::translation(centre, 0.0, 0.0))
}

fn slider_crank(coordinates: Coordinates) -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.gravity = -G * Vec3::y();
    let hinge = JointKind::Revolute { axis: Vec3::z() };
    spec.body("crank", link(CRANK, CRANK_CENTRE * R, 1e-3));
    spec.joint("main", hinge, FrameSpec::world(), FrameSpec::of("crank"));
    spec.body("rod", link(ROD, ROD_CENTRE * L, ROD_MOMENT));
    spec.joint("pin", hinge, FrameSpec::of("crank").at(R, 0.0, 0.0), FrameSpec::of("rod"));
    spec.body("slider", link(SLIDER, 0.0, 1e-3));
    spec.joint("wrist", hinge, FrameSpec::of("rod").at(L, 0.0, 0.0), FrameSpec::of("slider"));
    let guide = JointKind::Prismatic { axis: Vec3::x() };
    let (a, b) = (FrameSpec::world(), FrameSpec::of("slider"));
    spec.constraint("guide", ConstraintKind::Joint { kind: guide, a, b });
    let (coordinate, law) = (CoordinateSpec::of("main"), Law::rate(0.0, OMEGA));
    spec.constraint("drive", ConstraintKind::Drive { coordinate, law });
    Ok(spec.build(coordinates)?)
}

/// What the library finds at the position and the velocity of `state`.
fn simulated(model: &Model, state: &State, data: &mut Data) -> Result<Loads, Box<dyn Error>> {
    let mut a = vec![0.0; model.nv()];
    constrained_accelerations(model, &Input::default(), state, data, &mut a)?;
    let found = reactions(model, data, &a);
    let force = |name: &str| found[model.joint(name).expect("a joint").0 as usize].F.f;
    let rows = |name: &str| {
        let is_it = |c: &stiction_sim::model::Constraint| c.name == name;
        constraint_forces(data, model.constraints().iter().position(is_it).expect("a constraint"))
    };
    let (main, pin, wrist) = (force("main"), force("pin"), force("wrist"));
    // the guide's first row is across its axis, along y
    let (guide, torque) = (rows("guide")[0], rows("drive")[0]);
    let acceleration = wrist.x / SLIDER;
    Ok(Loads { main, pin, wrist, guide, torque, acceleration })
}

fn main() -> Result<(), Box<dyn Error>> {
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = slider_crank(coordinates)?;
        let (mut state, mut data) = (model.state(), Data::new(&model));
        println!(
            "{coordinates:?}\n   φ     a_B [m/s²]   |F_O| [N]   |F_A| [N]   |F_B| [N]     N [N]   T [N·m]"
        );
        let mut worst: f64 = 0.0;
        for degrees in (0..180).step_by(5) {
            let phi = f64::from(degrees).to_radians();
            state.time = phi / OMEGA;
            assemble(&model, &mut state, &mut data)?;
            let (found, expected) = (simulated(&model, &state, &mut data)?, textbook(phi));

            let size = expected.main.norm();
            let error = (found.main - expected.main).norm()
                + (found.pin - expected.pin).norm()
                + (found.wrist - expected.wrist).norm()
                + (found.guide - expected.guide).abs()
                + (found.torque - expected.torque).abs() / R;
            worst = worst.max(error / size);
            if degrees % 30 == 0 {
                let [main, pin, wrist] = [found.main, found.pin, found.wrist].map(|f| f.norm());
                println!(
                    "{degrees:4}° {:12.3} {main:11.3} {pin:11.3} {wrist:11.3} {:9.3} {:9.4}",
                    found.acceleration, found.guide, found.torque
                );
            }
            assert!((found.acceleration / expected.acceleration - 1.0).abs() <= 1e-9);
        }
        println!("  largest error {worst:.0e} of the force on the main bearing");
        assert!(worst <= 1e-9, "forces agree with the closed form: {worst}");
    }
    Ok(())
}
