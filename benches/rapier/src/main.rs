//! The box on the ground in Rapier: answers each line `SETTING H TIME` with one JSON object.
//!
//! A cube of 1 kg and 1 m slides at 5 m/s along y and spins at 2π rad/s on its lower face, μ = 1. Seconds are
//! processor time of one thread.

use std::f64::consts::TAU;
use std::io::{self, BufRead, Write};

use cpu_time::ThreadTime;
use rapier3d_f64::prelude::*;

/// What is set besides the step.
#[derive(Clone, Copy)]
struct Setting {
    friction: FrictionModel,
    /// Small steps within a step, and sweeps within each.
    iterations: usize,
    sweeps: usize,
    /// Contacts as hard as can be, overlaps corrected to a micrometre and with friction, contacts found anew in every step.
    stiff: bool,
}

/// `default`, or `FRICTION-ITERATIONS-SWEEPS`, where `-stiff` may follow.
fn setting(name: &str) -> Option<Setting> {
    let default = IntegrationParameters::default();
    let mut setting = Setting {
        friction: default.friction_model,
        iterations: default.num_solver_iterations,
        sweeps: default.num_internal_pgs_iterations,
        stiff: false,
    };
    if name == "default" {
        return Some(setting);
    }
    let mut words = name.split('-');
    setting.friction = match words.next()? {
        "simplified" => FrictionModel::Simplified,
        "coulomb" => FrictionModel::Coulomb,
        _ => return None,
    };
    setting.iterations = words.next()?.parse().ok()?;
    setting.sweeps = words.next()?.parse().ok()?;
    setting.stiff = match words.next() {
        None => false,
        Some("stiff") => true,
        Some(_) => return None,
    };
    Some(setting)
}

fn parameters(setting: Setting, h: f64) -> IntegrationParameters {
    let mut parameters = IntegrationParameters {
        dt: h,
        friction_model: setting.friction,
        num_solver_iterations: setting.iterations,
        num_internal_pgs_iterations: setting.sweeps,
        ..Default::default()
    };
    if setting.stiff {
        parameters.static_contact_softness = SpringCoefficients::new(1e6, 1.0);
        parameters.normalized_allowed_linear_error = 1e-6;
        parameters.friction_in_bias_pass = true;
        parameters.contact_recycling = false;
    }
    parameters
}

fn world(setting: Setting, h: f64) -> (PhysicsWorld, RigidBodyHandle) {
    let mut world = PhysicsWorld {
        gravity: Vector::new(0.0, 0.0, -9.81),
        integration_parameters: parameters(setting, h),
        ..Default::default()
    };
    let ground = ColliderBuilder::cuboid(20.0, 20.0, 1.0).translation(Vector::new(0.0, 0.0, -1.0));
    world.insert(RigidBodyBuilder::fixed(), ground.friction(1.0));
    let inertia = Vector::new(1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0);
    let body = RigidBodyBuilder::dynamic()
        .translation(Vector::new(0.0, 0.0, 0.5))
        .linvel(Vector::new(0.0, 5.0, 0.0))
        .angvel(Vector::new(0.0, 0.0, TAU))
        .can_sleep(false)
        .additional_mass_properties(MassProperties::new(Vector::ZERO, 1.0, inertia));
    let cube = ColliderBuilder::cuboid(0.5, 0.5, 0.5).density(0.0).friction(1.0);
    let (body, _) = world.insert(body, cube);
    (world, body)
}

fn run(setting: Setting, h: f64, time: f64) -> String {
    let (mut world, handle) = world(setting, h);
    let steps = (time / h).round() as usize;
    let clock = ThreadTime::now();
    for _ in 0..steps {
        world.step();
    }
    let seconds = clock.elapsed().as_secs_f64();
    let body = &world.bodies[handle];
    let (p, q) = (body.translation(), body.rotation());
    let yaw = (2.0 * (q.w * q.z + q.x * q.y)).atan2(1.0 - 2.0 * (q.y * q.y + q.z * q.z));
    let (x, y, z) = (p.x, p.y, p.z);
    format!(r#"{{"x":{x},"y":{y},"z":{z},"yaw":{yaw},"steps":{steps},"seconds":{seconds}}}"#)
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let bad = || io::Error::other(format!("not SETTING H TIME: {line}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, h, time] = &words[..] else { return Err(bad()) };
        let setting = setting(name).ok_or_else(bad)?;
        let number = |word: &str| word.parse::<f64>().map_err(io::Error::other);
        println!("{}", run(setting, number(h)?, number(time)?));
        io::stdout().flush()?;
    }
    Ok(())
}
